-- {"ballots": {"group": "lunch-2trmsk", "organiser": "PNn01oLKKMTewGMmhTvxrXxA", "members": {"Ann": "h9kr3_q2qNWbKxdAEzvFy8YV", "Bob": "7pbe_VxoKFrYVIRkubVFf9qa", "Cem": "dJC3nErOBbTzVZ62m33TFT-a"}}, "learning": {"group": "films-py7sg3", "organiser": "35t1wbiQvTeKniRk1hzHIY7Q", "members": {"Ann": "KY5D6qHJ_y9gJZo0CfnrN1BP", "Bob": "WtS1MBqHPfZvORKGXO2XnNln", "Cem": "EXrunCymLYat6Ae14QlGyFuo"}}}
BEGIN TRANSACTION;
CREATE TABLE answers (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    status BIGINT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (actor, key)
);
INSERT INTO "answers" VALUES(':anyone:','key-1','236cfbfea8ac8244af0b620591de05884f66c09b6a6c06fa11e4966bde749b92',201,'{"group":"lunch-2trmsk"}',1795069169);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:0','key-2','01967d1a6ad52a199e267384fa58cc9d71838045df0a711c5d66b67efd03a6ec',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":1,"signed":false,"counts_from":1}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:1','key-3','266f3046879a99ab19d26db664eb613375d36c1eaf0d123af58b48a782fbe2dc',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":1,"signed":false,"counts_from":1}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:2','key-4','8642d68d5a7ac99599ebc9ff7feecb0941343c9db9fd0d7c095b365209d371ba',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":1,"signed":false,"counts_from":1}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:organiser:0','key-5','ced4ab26adf86203ebdc858892eb277a8608dadc6c2457738b3062e6f7d11f7b',201,'{"round":1,"kind":"fair","freeze":"508a900323926c31e660f930f9aec192940a99170ca5ea3d6f5d2a5968bd2dc7","block":3,"event":"Lunch, 2026-11-19","policy":{"Thai":0.0,"Pizza":0.3333333333333333,"Salad":0.6666666666666666},"arm":null,"answered":3}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:organiser:0','key-6','aece1bd3af705879cba9e102b92a5a137a19b1b78325e72153d5e51995f9564a',201,'{"round":1,"kind":"fair","arms":["Salad","Salad","Pizza"],"balls":[4078395609813800,7080793887412520,1075997332215080],"source":"dcb21ea2646c8529807eedad1856b7680385919b7fac987a86030dff3a8e7f38"}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:0','key-7','266f3046879a99ab19d26db664eb613375d36c1eaf0d123af58b48a782fbe2dc',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":2,"signed":false,"counts_from":2}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:1','key-8','8642d68d5a7ac99599ebc9ff7feecb0941343c9db9fd0d7c095b365209d371ba',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":2,"signed":false,"counts_from":2}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:2','key-9','f537f969733fcc4a4269158b5a141ac8c81efaa9eefb2b622600cd53f04e45e7',200,'{"round":null,"slot":null,"values":{"Thai":3,"Pizza":5,"Salad":1},"edit":2,"signed":false,"counts_from":2}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:organiser:0','key-10','ced4ab26adf86203ebdc858892eb277a8608dadc6c2457738b3062e6f7d11f7b',201,'{"round":2,"kind":"fair","freeze":"5847b5e7871b168e84ad5422a21ca87e28702222ae2e031925a24510c0c4eb33","block":3,"event":"Lunch, 2026-11-19 06:19","policy":{"Thai":0.0,"Pizza":0.6666666666666666,"Salad":0.3333333333333333},"arm":null,"answered":3}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:organiser:0','key-11','aece1bd3af705879cba9e102b92a5a137a19b1b78325e72153d5e51995f9564a',201,'{"round":2,"kind":"fair","arms":["Salad","Pizza","Pizza"],"balls":[8841634025407049,2836837470209609,5839235747808329],"source":"11019a9874e438ee5635659a782addcf17058fdb25fb08e97a444a9c38ccd975"}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:0','key-12','b58f7bafe2ccf72f436a9f85f95643eede6062ac4cf0d6f07bc725dcaab58512',200,'{"round":null,"slot":null,"values":{"Thai":5,"Pizza":1,"Salad":3},"edit":3,"signed":false,"counts_from":3}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:1','key-13','01967d1a6ad52a199e267384fa58cc9d71838045df0a711c5d66b67efd03a6ec',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":3,"signed":false,"counts_from":3}',1795069170);
INSERT INTO "answers" VALUES('lunch-2trmsk:member:2','key-14','266f3046879a99ab19d26db664eb613375d36c1eaf0d123af58b48a782fbe2dc',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":3,"signed":false,"counts_from":3}',1795069170);
INSERT INTO "answers" VALUES(':anyone:','key-15','3e280ed930d9d9527e7ae5dc994155f597888827085c04548e18540ebb7242a5',201,'{"group":"films-py7sg3"}',1795069170);
INSERT INTO "answers" VALUES('films-py7sg3:organiser:0','key-16','6b76b91a940e8f6dd114859adebacf1a7241e2136ea0cd83c4e94d055ceb6423',201,'{"round":1,"kind":"trial","freeze":"0aa2f96e7cfc6c5332e38b165bbb59477ee99a067839e843985b9f90c73a6a0b","block":1,"event":null,"policy":null,"arm":"Thai","answered":0}',1795069170);
INSERT INTO "answers" VALUES('films-py7sg3:organiser:0','key-17','418ef2ea3418c5e8fefe8af31f239986c9f2b098de8a020cb7d08912781b9c3c',200,'{"round":1,"kind":"trial","arms":["Thai"],"balls":[],"source":null}',1795069170);
CREATE TABLE contacts (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    address TEXT,
    language TEXT NOT NULL,
    stop TEXT NOT NULL,
    refused TEXT,
    PRIMARY KEY (grp, number)
);
CREATE TABLE counts (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (grp, number)
);
CREATE TABLE events (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    actor TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    line TEXT,
    prev TEXT,
    PRIMARY KEY (grp, seq),
    UNIQUE (grp, key),
    UNIQUE (grp, prev)
);
INSERT INTO "events" VALUES('lunch-2trmsk',1,'found','found','lunch-2trmsk:organiser:0',1795069169,'{"charter":{"arms":["Thai","Pizza","Salad"],"block":null,"group":"06fd10a0dfca1015952f36d2728fb1cf","learner":null,"privacy":"ballots","scale":["0","5"],"settings":{},"source":{"kind":"rehearsal"},"tie":"centre","title":"Lunch","turns":null},"entries":[{"commitment":"aaa531f4f071a9a934c4aa5c5382087ea42be97ff269d17085e48fa39beb5d8f","key":null,"organiser":0,"weight":1},{"commitment":"c36b32c4a2e81cf4c094f4e4d2d5dca11e47be2f0c00a362895d92be664932a0","key":null,"organiser":0,"weight":1},{"commitment":"b02b2bb35796daa67d179224fa9ffc5b219559f53306138c55af8a6425971ac3","key":null,"organiser":0,"weight":1}]}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',2,'setting:first','setting','lunch-2trmsk:organiser:0',1795069169,'{"ballot":"favourites"}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',3,'rate:0:0:1','rate','lunch-2trmsk:member:0',1795069170,'{"at":1795069170,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',4,'rate:0:1:1','rate','lunch-2trmsk:member:1',1795069170,'{"at":1795069170,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',5,'rate:0:2:1','rate','lunch-2trmsk:member:2',1795069170,'{"at":1795069170,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',6,'close:6','close','lunch-2trmsk:organiser:0',1795069170,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',7,'charter','charter','lunch-2trmsk:organiser:0',1795069170,'{}','{"arms":["Thai","Pizza","Salad"],"block":null,"format":"isegoria record","group":"06fd10a0dfca1015952f36d2728fb1cf","learner":null,"line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","scale":["0","5"],"settings":{},"software":"isegoria 0.1.0","source":{"kind":"rehearsal"},"tie":"centre","title":"Lunch","turns":null,"version":2}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('lunch-2trmsk',8,'roster:1','roster','lunch-2trmsk:organiser:0',1795069170,'{}','{"line":"roster","members":[{"commitment":"aaa531f4f071a9a934c4aa5c5382087ea42be97ff269d17085e48fa39beb5d8f","key":null,"organiser":0,"weight":1},{"commitment":"c36b32c4a2e81cf4c094f4e4d2d5dca11e47be2f0c00a362895d92be664932a0","key":null,"organiser":0,"weight":1},{"commitment":"b02b2bb35796daa67d179224fa9ffc5b219559f53306138c55af8a6425971ac3","key":null,"organiser":0,"weight":1}],"prev":"f4e3fac47acf8956d18dbb938d46535bc2b095757dae038490735db6f7a6b769","version":1}','f4e3fac47acf8956d18dbb938d46535bc2b095757dae038490735db6f7a6b769');
INSERT INTO "events" VALUES('lunch-2trmsk',9,'freeze:1','freeze','lunch-2trmsk:organiser:0',1795069170,'{"tree":[[1,"84ef4ed6699588fc6f6eae64e1afe291c2b6747100758a09db3b513270b26023"],[0,"c37802ad89db2dc47dc29019f0e0124f6a348fbee1302dd7600bfa56c1a1a6fa"],[2,"83b587cdce8400bbb33bec7cbb030ee0d4775bd2ba9f42b03a479c4fb4abd027"]]}','{"at":1795069170,"available":[0,1,2],"block":3,"count":3,"event":"Lunch, 2026-11-19","form":null,"line":"freeze","occasion":null,"prev":"05cb0b89fb6d4e0e5b8e37493e75ca7809e1b76d90de3026dbca389e58cf69a1","root":"d5bc676668ad78cf21d2a98b934dd0a15a5369655e2978cae3633335b165f388","roster":1,"round":1,"source_round":null,"types":[{"leader":null,"set":[1],"units":[0,3002398277598720,0],"weight":1,"who":["b1249bf9e588b2ef2c1d6cb6107dc488fe3e24437b815381"]},{"leader":null,"set":[2],"units":[0,0,3002398277598720],"weight":1,"who":["2106dcc2a1eee49d3ed21fb50900cf7ec39119403113f19e","3cf4aaa6179cc6df69690b13599dee97ce182318c8c4d2e5"]}],"units":3002398277598720,"voices":[0,3002398277598720,6004796555197440]}','05cb0b89fb6d4e0e5b8e37493e75ca7809e1b76d90de3026dbca389e58cf69a1');
INSERT INTO "events" VALUES('lunch-2trmsk',10,'draw:1','draw','lunch-2trmsk:organiser:0',1795069170,'{}','{"arms":[2,2,1],"balls":[4078395609813800,7080793887412520,1075997332215080],"line":"draw","prev":"508a900323926c31e660f930f9aec192940a99170ca5ea3d6f5d2a5968bd2dc7","round":1,"source_bytes":"dcb21ea2646c8529807eedad1856b7680385919b7fac987a86030dff3a8e7f38"}','508a900323926c31e660f930f9aec192940a99170ca5ea3d6f5d2a5968bd2dc7');
INSERT INTO "events" VALUES('lunch-2trmsk',11,'rate:0:0:2','rate','lunch-2trmsk:member:0',1795069170,'{"at":1795069170,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',12,'rate:0:1:2','rate','lunch-2trmsk:member:1',1795069170,'{"at":1795069170,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',13,'rate:0:2:2','rate','lunch-2trmsk:member:2',1795069170,'{"at":1795069170,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"3","1":"5","2":"1"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',14,'close:14','close','lunch-2trmsk:organiser:0',1795069170,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',15,'freeze:2','freeze','lunch-2trmsk:organiser:0',1795069170,'{"tree":[[0,"1eba2e2d2a258b6ea97c1556c6a1b2a173a95d3f8c508883cb70c84464f6cec1"],[2,"8d84bf45d6a57315bab2dc56d149e4a394128aaaa5d1ffb879073123082c3ac9"],[1,"5cef32b6ad57ef75843b6a12ae501e6f861e3a667a4e89265ff4bafd11a15806"]]}','{"at":1795069170,"available":[0,1,2],"block":3,"count":3,"event":"Lunch, 2026-11-19 06:19","form":null,"line":"freeze","occasion":null,"prev":"76443a0de8d3d7a4f6935ce5c3040287b4702e0917eb97acf8aad2c0a1121b72","root":"4545b9ab191fbfa98e4ddd924e688269e67b68fc6321e38d1fb023f972889c54","roster":1,"round":2,"source_round":null,"types":[{"leader":null,"set":[1],"units":[0,3002398277598720,0],"weight":1,"who":["975ded12e76743f01d58d765c464ceafbbce522249113474","9a3bc2d75a901938cd2b0fe0bc48df2c18ed4519ea2b06de"]},{"leader":null,"set":[2],"units":[0,0,3002398277598720],"weight":1,"who":["7a64f208d09382023e811072e8c9475382f707220037aab9"]}],"units":3002398277598720,"voices":[0,6004796555197440,3002398277598720]}','76443a0de8d3d7a4f6935ce5c3040287b4702e0917eb97acf8aad2c0a1121b72');
INSERT INTO "events" VALUES('lunch-2trmsk',16,'draw:2','draw','lunch-2trmsk:organiser:0',1795069170,'{}','{"arms":[2,1,1],"balls":[8841634025407049,2836837470209609,5839235747808329],"line":"draw","prev":"5847b5e7871b168e84ad5422a21ca87e28702222ae2e031925a24510c0c4eb33","round":2,"source_bytes":"11019a9874e438ee5635659a782addcf17058fdb25fb08e97a444a9c38ccd975"}','5847b5e7871b168e84ad5422a21ca87e28702222ae2e031925a24510c0c4eb33');
INSERT INTO "events" VALUES('lunch-2trmsk',17,'rate:0:0:3','rate','lunch-2trmsk:member:0',1795069170,'{"at":1795069170,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"5","1":"1","2":"3"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',18,'rate:0:1:3','rate','lunch-2trmsk:member:1',1795069170,'{"at":1795069170,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-2trmsk',19,'rate:0:2:3','rate','lunch-2trmsk:member:2',1795069170,'{"at":1795069170,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('films-py7sg3',1,'found','found','films-py7sg3:organiser:0',1795069170,'{"charter":{"arms":["Thai","Pizza","Salad"],"block":1,"group":"b42d2416088aba73615e758a3357c562","learner":"guided","privacy":"ballots","scale":["0","5"],"settings":{"error":"0.01","explore":"0.25","resolution":"0.05"},"source":{"kind":"rehearsal"},"tie":"centre","title":"Films","turns":null},"entries":[{"commitment":"45b51622ea118aa5d010acf00a8a270d794d6999a137a0e723276f9cb1004d37","key":null,"organiser":0,"weight":1},{"commitment":"748887e77ab7cee6d523a56b3145ac8017124bf4275c3c2c0e532473d7f92bd2","key":null,"organiser":0,"weight":1},{"commitment":"fd85b404a08870abf7416d7e64918ebc9dab8af0231004a9dbd2c8ca4359fc5f","key":null,"organiser":0,"weight":1}]}',NULL,NULL);
INSERT INTO "events" VALUES('films-py7sg3',2,'setting:first','setting','films-py7sg3:organiser:0',1795069170,'{"ballot":"stars"}',NULL,NULL);
INSERT INTO "events" VALUES('films-py7sg3',3,'close:3','close','films-py7sg3:organiser:0',1795069170,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('films-py7sg3',4,'charter','charter','films-py7sg3:organiser:0',1795069170,'{}','{"arms":["Thai","Pizza","Salad"],"block":1,"format":"isegoria record","group":"b42d2416088aba73615e758a3357c562","learner":"guided","line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","scale":["0","5"],"settings":{"error":"0.01","explore":"0.25","resolution":"0.05"},"software":"isegoria 0.1.0","source":{"kind":"rehearsal"},"tie":"centre","title":"Films","turns":null,"version":2}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('films-py7sg3',5,'roster:1','roster','films-py7sg3:organiser:0',1795069170,'{}','{"line":"roster","members":[{"commitment":"45b51622ea118aa5d010acf00a8a270d794d6999a137a0e723276f9cb1004d37","key":null,"organiser":0,"weight":1},{"commitment":"748887e77ab7cee6d523a56b3145ac8017124bf4275c3c2c0e532473d7f92bd2","key":null,"organiser":0,"weight":1},{"commitment":"fd85b404a08870abf7416d7e64918ebc9dab8af0231004a9dbd2c8ca4359fc5f","key":null,"organiser":0,"weight":1}],"prev":"943d856dbc9b08b0016bb20f62eabf2f075168d0da772e54a9d221d06d96b199","version":1}','943d856dbc9b08b0016bb20f62eabf2f075168d0da772e54a9d221d06d96b199');
INSERT INTO "events" VALUES('films-py7sg3',6,'freeze:1','trial','films-py7sg3:organiser:0',1795069170,'{"tree":[]}','{"arm":0,"available":[0,1,2],"line":"trial","occasion":null,"prev":"2696e62c147447d5054789239f7aaeed1fbe3ac154529bfdc29c1bd138e0ab4d","roster":1,"round":1}','2696e62c147447d5054789239f7aaeed1fbe3ac154529bfdc29c1bd138e0ab4d');
CREATE TABLE groups (
    id TEXT PRIMARY KEY,
    made BIGINT NOT NULL,
    touched BIGINT NOT NULL,
    length BIGINT NOT NULL,
    lines BIGINT NOT NULL,
    head TEXT NOT NULL,
    due BIGINT,
    vault TEXT NOT NULL
);
INSERT INTO "groups" VALUES('lunch-2trmsk',1795069169,1795069170,19,6,'927590a1cfae3a1bb58844201ac80269ead72c4e3c12f85c74d7cc79a99f4578',1795069170,'{"secret":"7cd087e568ee90c3fbbcc92f6fbef47c202906475af24efbf309512574fa401d"}');
INSERT INTO "groups" VALUES('films-py7sg3',1795069170,1795069170,6,3,'0aa2f96e7cfc6c5332e38b165bbb59477ee99a067839e843985b9f90c73a6a0b',NULL,'{"secret":"8a3b762f09153844727a8e18e2ec2ef35fd351cd1d04c97392abe9f2f8161460"}');
CREATE TABLE held (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    slip TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (grp, number)
);
CREATE TABLE kept (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    program TEXT NOT NULL,
    place BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (grp, program, place)
);
CREATE TABLE outbox (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    channel TEXT NOT NULL,
    number BIGINT NOT NULL,
    made BIGINT NOT NULL,
    due BIGINT,
    tries BIGINT NOT NULL,
    PRIMARY KEY (grp, key)
);
CREATE TABLE people (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    name TEXT,
    secrets TEXT,
    PRIMARY KEY (grp, number)
);
INSERT INTO "people" VALUES('lunch-2trmsk',0,'Ann','{"salt":"7eac137fb4253443f93181974d5ff53a173e4acff84ad1ecb744d44a2ee771f2","secret":"fc197973934b48ba564ebf42ba8bdbe8e67cbeef86230628f3ec55085500f3ad"}');
INSERT INTO "people" VALUES('lunch-2trmsk',1,'Bob','{"salt":"65a7a1d1c3a62944760f7c23fc8dbb11563a5dce2ac073f01068a25ee32aef6e","secret":"37fdef1bae449a5557dd88d1900c89437f10bf63a844d2224273e53599daa132"}');
INSERT INTO "people" VALUES('lunch-2trmsk',2,'Cem','{"salt":"5034a30d6687d7a2bfb1caffa425cb18c618107eb3546cf534f02f138e1c843f","secret":"fe8862fe233a5819f3d040a1188825a5d30451a70831a0cdff48a1e7652395c6"}');
INSERT INTO "people" VALUES('films-py7sg3',0,'Ann','{"salt":"fb79949b23af0c8ebf9dd3810dd45deaacc85c66b32d44d4aa3923e5450f260e","secret":"9d3e253e0defab56097862278f9ccf5417f3f15ed7682d3167bb7cd5df0bf03e"}');
INSERT INTO "people" VALUES('films-py7sg3',1,'Bob','{"salt":"f916bd0f6dd48027909dd25988bb5ff71cccf29bc1ff7bfb42684a594493947a","secret":"a56d4f26594351e3108653c82085acbcb22227f2d0d3e5ba0d9a047cda01d816"}');
INSERT INTO "people" VALUES('films-py7sg3',2,'Cem','{"salt":"a0fb5e4b31b89a61c1747a6111842bc1419c1a9dc2bb1ac8828f719ab8e27283","secret":"92895810835e6dda603154d41c3323d2c0a097f3ba75418d94369deb80704899"}');
CREATE TABLE schema_version (version BIGINT NOT NULL);
INSERT INTO "schema_version" VALUES(1);
INSERT INTO "schema_version" VALUES(2);
INSERT INTO "schema_version" VALUES(3);
INSERT INTO "schema_version" VALUES(4);
INSERT INTO "schema_version" VALUES(5);
INSERT INTO "schema_version" VALUES(6);
INSERT INTO "schema_version" VALUES(7);
INSERT INTO "schema_version" VALUES(8);
CREATE TABLE sessions (
    hash TEXT PRIMARY KEY,
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    number BIGINT NOT NULL,
    place BIGINT NOT NULL,
    label TEXT NOT NULL,
    begun BIGINT NOT NULL,
    seen BIGINT NOT NULL
);
CREATE TABLE snapshots (
    grp TEXT PRIMARY KEY REFERENCES groups (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    head TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE TABLE starts (
    hash TEXT PRIMARY KEY,
    made BIGINT NOT NULL
);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    number BIGINT NOT NULL,
    issued BIGINT NOT NULL,
    used BIGINT
, secret TEXT);
INSERT INTO "tokens" VALUES('3137bc8ed124e8639dfeb0e6c81fffb3730ba56a0402121d259c8ff467551d35','lunch-2trmsk','organiser',0,1795069169,NULL,'PNn01oLKKMTewGMmhTvxrXxA');
INSERT INTO "tokens" VALUES('f30e6c8a930bf95f9e7e13cc05ff6099a4e8f9d125226a705128e8c958241170','lunch-2trmsk','member',0,1795069169,NULL,'h9kr3_q2qNWbKxdAEzvFy8YV');
INSERT INTO "tokens" VALUES('07c781492ec27da7949eee3400051e9ec38184168d2433c1012375e2f3f136a2','lunch-2trmsk','member',1,1795069169,NULL,'7pbe_VxoKFrYVIRkubVFf9qa');
INSERT INTO "tokens" VALUES('cbccfe86f9c941579aabe873ebc74f6de24242425cd77bf53e842050fa200098','lunch-2trmsk','member',2,1795069169,NULL,'dJC3nErOBbTzVZ62m33TFT-a');
INSERT INTO "tokens" VALUES('8d50e586e03544f02319a32c08e8e011ce10cc7d5b3951f577ffcd70a0a5ae5c','lunch-2trmsk','join',0,1795069169,NULL,'IMLUNFMxCJtAYxFIzPXxL6Qq');
INSERT INTO "tokens" VALUES('d1e791aca6e2038de26abc878a4e25fa23c29f4081720bb4f132037892247eb5','films-py7sg3','organiser',0,1795069170,NULL,'35t1wbiQvTeKniRk1hzHIY7Q');
INSERT INTO "tokens" VALUES('c05c0721decd30b1432ffc341b20ff76363a377c3d823145d6165d5717a0d994','films-py7sg3','member',0,1795069170,NULL,'KY5D6qHJ_y9gJZo0CfnrN1BP');
INSERT INTO "tokens" VALUES('7cab4e2e1060de7997f0c3767e56996ba1ec5510bd26ac1a655cf3034aa40e01','films-py7sg3','member',1,1795069170,NULL,'WtS1MBqHPfZvORKGXO2XnNln');
INSERT INTO "tokens" VALUES('270184b6e2fda55e53e6b05f3ae8c7f11ec26d89c0c2d0f6f1239e5b89168f47','films-py7sg3','member',2,1795069170,NULL,'EXrunCymLYat6Ae14QlGyFuo');
INSERT INTO "tokens" VALUES('393369c2a42a69326c560b3cd3eb9f492f29ae11534375100203aba9c01bba56','films-py7sg3','join',0,1795069170,NULL,'QpWI1Je3AaK8uNpjzH573d3-');
CREATE INDEX groups_due ON groups (due);
CREATE INDEX tokens_grp ON tokens (grp);
CREATE INDEX answers_at ON answers (at);
CREATE INDEX sessions_grp ON sessions (grp, role, number);
CREATE INDEX contacts_stop ON contacts (stop);
CREATE INDEX outbox_due ON outbox (due);
COMMIT;
