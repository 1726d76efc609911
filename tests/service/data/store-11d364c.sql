-- {"ballots": {"group": "lunch-ucahna", "organiser": "U-CIyIkqbuEg9TMS6mracXV3", "members": {"Ann": "a735yH6tL7x9og7s6MC0IoL8", "Bob": "2Ae7JOyWN3jSczRodLQGEMJj", "Cem": "-iLpz4JSoojz7V-mhpd5i5WW"}}, "learning": {"group": "films-r6cgcb", "organiser": "DpkrEfsCBy-ZLupcMhVg9Ftt", "members": {"Ann": "XCT5NV81kZ-DuDPsy8qM_0LS", "Bob": "X7oQcKNzKc_SS9_REVRXAfPY", "Cem": "nTd2-0Vkuriz5RHFo06e8wZH"}}}
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
INSERT INTO "answers" VALUES(':anyone:','key-1','236cfbfea8ac8244af0b620591de05884f66c09b6a6c06fa11e4966bde749b92',201,'{"group":"lunch-ucahna"}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:0','key-2','1640deeef8afd9d28ede3c3141acb93f7824ab7421c13aba7489a4b760d89ef3',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":1,"signed":false,"counts_from":1}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:1','key-3','76cfed2e84a65ad402786728d162bc4a9803eedef10823e6a75c0f082da5bbec',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":1,"signed":false,"counts_from":1}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:2','key-4','a2ce47b63a6a608751a841a10c64802f2c045c349e8283a8bcfb25b6234f1c71',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":1,"signed":false,"counts_from":1}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:organiser:0','key-5','a34b3ccae5037912e66179ab01a1c103eef510792a93c5548363eb523ab1551b',201,'{"round":1,"kind":"fair","freeze":"fe82c0491a42c51a401a0f8eb62b920c78ad22fc5e3d1c1df80b1210434496aa","block":3,"event":"Lunch, 2026-11-18","policy":{"Thai":0.0,"Pizza":0.3333333333333333,"Salad":0.6666666666666666},"arm":null,"answered":3}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:organiser:0','key-6','7e87a8348618b57f096ae26e9987c9b03477b8504af6477942ab5ea1261ab35b',201,'{"round":1,"kind":"fair","arms":["Salad","Salad","Pizza"],"balls":[5841626795555524,8844025073154244,2839228517956804],"source":"13d607b2bb25852dce8175d33038c17379360f06bf98974c32cc034ca391f367"}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:0','key-7','76cfed2e84a65ad402786728d162bc4a9803eedef10823e6a75c0f082da5bbec',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":2,"signed":false,"counts_from":2}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:1','key-8','a2ce47b63a6a608751a841a10c64802f2c045c349e8283a8bcfb25b6234f1c71',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":2,"signed":false,"counts_from":2}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:2','key-9','83c10b407a556190f6090b784784ca96409daaeaf65df04c245c84f766759242',200,'{"round":null,"slot":null,"values":{"Thai":3,"Pizza":5,"Salad":1},"edit":2,"signed":false,"counts_from":2}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:organiser:0','key-10','a34b3ccae5037912e66179ab01a1c103eef510792a93c5548363eb523ab1551b',201,'{"round":2,"kind":"fair","freeze":"243f8eb96c5f0b993b507d4771ca1d97ee14a6c872757dc8e7ebd7d32cb9040c","block":3,"event":"Lunch, 2026-11-18 21:28","policy":{"Thai":0.0,"Pizza":0.6666666666666666,"Salad":0.3333333333333333},"arm":null,"answered":3}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:organiser:0','key-11','7e87a8348618b57f096ae26e9987c9b03477b8504af6477942ab5ea1261ab35b',201,'{"round":2,"kind":"fair","arms":["Pizza","Pizza","Salad"],"balls":[746525616365163,3748923893963883,6751322171562603],"source":"e3c58c650140c7b18b34bc717db38770819e9e190117eece191f67a428dc21b0"}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:0','key-12','d403b1c154676272f166aca7cc05d35cd60f31b7e45aaeae7f9318458c769994',200,'{"round":null,"slot":null,"values":{"Thai":5,"Pizza":1,"Salad":3},"edit":3,"signed":false,"counts_from":3}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:1','key-13','1640deeef8afd9d28ede3c3141acb93f7824ab7421c13aba7489a4b760d89ef3',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":3,"signed":false,"counts_from":3}',1795037283);
INSERT INTO "answers" VALUES('lunch-ucahna:member:2','key-14','76cfed2e84a65ad402786728d162bc4a9803eedef10823e6a75c0f082da5bbec',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":3,"signed":false,"counts_from":3}',1795037283);
INSERT INTO "answers" VALUES(':anyone:','key-15','3e280ed930d9d9527e7ae5dc994155f597888827085c04548e18540ebb7242a5',201,'{"group":"films-r6cgcb"}',1795037283);
INSERT INTO "answers" VALUES('films-r6cgcb:organiser:0','key-16','2b1b998f6736476372a1eecc32408f4920b0061b8095c5af90b6b9b392852fb7',201,'{"round":1,"kind":"trial","freeze":"21e4abf4772e128ac03094696ff7995fe60a4d3fd5a8dbc0d5af56928da37400","block":1,"event":null,"policy":null,"arm":"Thai","answered":0}',1795037283);
INSERT INTO "answers" VALUES('films-r6cgcb:organiser:0','key-17','35ee0d65628582681bbbc89d3e58f3b1c36b59f13dd818bd30c096a9986eedd4',200,'{"round":1,"kind":"trial","arms":["Thai"],"balls":[],"source":null}',1795037283);
CREATE TABLE contacts (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    address TEXT,
    language TEXT NOT NULL,
    stop TEXT NOT NULL,
    refused TEXT,
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
INSERT INTO "events" VALUES('lunch-ucahna',1,'found','found','lunch-ucahna:organiser:0',1795037283,'{"charter":{"arms":["Thai","Pizza","Salad"],"block":null,"group":"71a7de7671dae4714094799575da2c24","learner":null,"privacy":"ballots","scale":["0","5"],"settings":{},"source":{"kind":"rehearsal"},"tie":"centre","title":"Lunch","turns":null},"entries":[{"commitment":"4f260108c3a26d19a00a228bc2a102b1f8406f7ef1cee814447056e3d09fe78b","key":null,"organiser":0,"weight":1},{"commitment":"bd5a1339ed52c88aa73cfcf47a7751ac0aec08e98802c9eecf3db73a06f809f8","key":null,"organiser":0,"weight":1},{"commitment":"1a9142a3105f69f48c20f171dff0b8c982b7ee1cd5618377def6194fd2b1bb67","key":null,"organiser":0,"weight":1}]}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',2,'setting:first','setting','lunch-ucahna:organiser:0',1795037283,'{"ballot":"favourites"}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',3,'rate:0:0:1','rate','lunch-ucahna:member:0',1795037283,'{"at":1795037283,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',4,'rate:0:1:1','rate','lunch-ucahna:member:1',1795037283,'{"at":1795037283,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',5,'rate:0:2:1','rate','lunch-ucahna:member:2',1795037283,'{"at":1795037283,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',6,'close:6','close','lunch-ucahna:organiser:0',1795037283,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',7,'charter','charter','lunch-ucahna:organiser:0',1795037283,'{}','{"arms":["Thai","Pizza","Salad"],"block":null,"format":"isegoria record","group":"71a7de7671dae4714094799575da2c24","learner":null,"line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","scale":["0","5"],"settings":{},"software":"isegoria 0.1.0","source":{"kind":"rehearsal"},"tie":"centre","title":"Lunch","turns":null,"version":2}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('lunch-ucahna',8,'roster:1','roster','lunch-ucahna:organiser:0',1795037283,'{}','{"line":"roster","members":[{"commitment":"4f260108c3a26d19a00a228bc2a102b1f8406f7ef1cee814447056e3d09fe78b","key":null,"organiser":0,"weight":1},{"commitment":"bd5a1339ed52c88aa73cfcf47a7751ac0aec08e98802c9eecf3db73a06f809f8","key":null,"organiser":0,"weight":1},{"commitment":"1a9142a3105f69f48c20f171dff0b8c982b7ee1cd5618377def6194fd2b1bb67","key":null,"organiser":0,"weight":1}],"prev":"bdde57ae45dfe97533b7eb6ecb8ac6803625ec64aa8ff0c07112e9d72dd1fdae","version":1}','bdde57ae45dfe97533b7eb6ecb8ac6803625ec64aa8ff0c07112e9d72dd1fdae');
INSERT INTO "events" VALUES('lunch-ucahna',9,'freeze:1','freeze','lunch-ucahna:organiser:0',1795037283,'{"tree":[[0,"d9b394b333ebca6be95e4e6041b9386da8805068f7493f9389246223d516a444"],[1,"f3e67a6087c78a0525500b2f2470d50fc8f8df4191260fa61f7c0406e6999350"],[2,"53ec1bcd8e93b0d87710c7c193ea533c252a9fad559ed606758cd0b519a78469"]]}','{"at":1795037283,"available":[0,1,2],"block":3,"count":3,"event":"Lunch, 2026-11-18","form":null,"line":"freeze","occasion":null,"prev":"74ba45fed05b4f0cdd0c8b3e958549f25e79f33de1cc847a248a9110f16a3939","root":"c4bb92e1c086b7ea16f98a3be78b93a97b9fedbf3782ae495440bd010b6d90ff","roster":1,"round":1,"source_round":null,"types":[{"leader":null,"set":[1],"units":[0,3002398277598720,0],"weight":1,"who":["d56b3adc3f0a6e6100c8483783c9bfe52dcc2e86f8c83742"]},{"leader":null,"set":[2],"units":[0,0,3002398277598720],"weight":1,"who":["8cc57c0ff6008a2769d84b6ff9a3d9d272f04fb1078b50f4","a523f5f0d463377976125f31dd946683a5935d682c84f959"]}],"units":3002398277598720,"voices":[0,3002398277598720,6004796555197440]}','74ba45fed05b4f0cdd0c8b3e958549f25e79f33de1cc847a248a9110f16a3939');
INSERT INTO "events" VALUES('lunch-ucahna',10,'draw:1','draw','lunch-ucahna:organiser:0',1795037283,'{}','{"arms":[2,2,1],"balls":[5841626795555524,8844025073154244,2839228517956804],"line":"draw","prev":"fe82c0491a42c51a401a0f8eb62b920c78ad22fc5e3d1c1df80b1210434496aa","round":1,"source_bytes":"13d607b2bb25852dce8175d33038c17379360f06bf98974c32cc034ca391f367"}','fe82c0491a42c51a401a0f8eb62b920c78ad22fc5e3d1c1df80b1210434496aa');
INSERT INTO "events" VALUES('lunch-ucahna',11,'rate:0:0:2','rate','lunch-ucahna:member:0',1795037283,'{"at":1795037283,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',12,'rate:0:1:2','rate','lunch-ucahna:member:1',1795037283,'{"at":1795037283,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',13,'rate:0:2:2','rate','lunch-ucahna:member:2',1795037283,'{"at":1795037283,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"3","1":"5","2":"1"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',14,'close:14','close','lunch-ucahna:organiser:0',1795037283,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',15,'freeze:2','freeze','lunch-ucahna:organiser:0',1795037283,'{"tree":[[2,"3c5e44ace232fa419de76e0ae2628eadc86499eabf44ea5c5178c25f2541bea4"],[1,"991a9f4e930415957d56be2bc0a590cf58d8ce0e41369300369ece4e9868b58f"],[0,"20eef7cd39f793909f35f5effd1bdb5abb5ee536225ecc4c67670f1d3756b769"]]}','{"at":1795037283,"available":[0,1,2],"block":3,"count":3,"event":"Lunch, 2026-11-18 21:28","form":null,"line":"freeze","occasion":null,"prev":"a6f4db051506094edba05aed0c8670873db3c2c98afed6f4fc8f5e9124756c50","root":"e4c1cf9dd5dee6bd544302dc36c9ee3cf8c706365a1c6b45e3979fc2f2637e54","roster":1,"round":2,"source_round":null,"types":[{"leader":null,"set":[1],"units":[0,3002398277598720,0],"weight":1,"who":["0247fb43ce583d2be71dbe02884919f939d02a871e064f81","6a201e903d1e6233c795107c8d2cd9811c086aafd567f455"]},{"leader":null,"set":[2],"units":[0,0,3002398277598720],"weight":1,"who":["9b3fefe96dd43e61c2762859a61ca3fff9c6fa9cdb4b6a57"]}],"units":3002398277598720,"voices":[0,6004796555197440,3002398277598720]}','a6f4db051506094edba05aed0c8670873db3c2c98afed6f4fc8f5e9124756c50');
INSERT INTO "events" VALUES('lunch-ucahna',16,'draw:2','draw','lunch-ucahna:organiser:0',1795037283,'{}','{"arms":[1,1,2],"balls":[746525616365163,3748923893963883,6751322171562603],"line":"draw","prev":"243f8eb96c5f0b993b507d4771ca1d97ee14a6c872757dc8e7ebd7d32cb9040c","round":2,"source_bytes":"e3c58c650140c7b18b34bc717db38770819e9e190117eece191f67a428dc21b0"}','243f8eb96c5f0b993b507d4771ca1d97ee14a6c872757dc8e7ebd7d32cb9040c');
INSERT INTO "events" VALUES('lunch-ucahna',17,'rate:0:0:3','rate','lunch-ucahna:member:0',1795037283,'{"at":1795037283,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"5","1":"1","2":"3"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',18,'rate:0:1:3','rate','lunch-ucahna:member:1',1795037283,'{"at":1795037283,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ucahna',19,'rate:0:2:3','rate','lunch-ucahna:member:2',1795037283,'{"at":1795037283,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('films-r6cgcb',1,'found','found','films-r6cgcb:organiser:0',1795037283,'{"charter":{"arms":["Thai","Pizza","Salad"],"block":1,"group":"6f8113046a9b5589908635dba5028570","learner":"guided","privacy":"ballots","scale":["0","5"],"settings":{"error":"0.01","explore":"0.25","resolution":"0.05"},"source":{"kind":"rehearsal"},"tie":"centre","title":"Films","turns":null},"entries":[{"commitment":"594a9d624edd09f3f6137a5addeba42ae1b4f62fe0e3e59c330d3809dc926eec","key":null,"organiser":0,"weight":1},{"commitment":"31dc1edf01a6c9cc3a3e46a4812c28d3db88f7cffdf5cfc8e3aea5026d0e1e64","key":null,"organiser":0,"weight":1},{"commitment":"9cbacf88c6e8cef1e4ecff7061154c106f1b413cbd00e49196e522a643296488","key":null,"organiser":0,"weight":1}]}',NULL,NULL);
INSERT INTO "events" VALUES('films-r6cgcb',2,'setting:first','setting','films-r6cgcb:organiser:0',1795037283,'{"ballot":"stars"}',NULL,NULL);
INSERT INTO "events" VALUES('films-r6cgcb',3,'close:3','close','films-r6cgcb:organiser:0',1795037283,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('films-r6cgcb',4,'charter','charter','films-r6cgcb:organiser:0',1795037283,'{}','{"arms":["Thai","Pizza","Salad"],"block":1,"format":"isegoria record","group":"6f8113046a9b5589908635dba5028570","learner":"guided","line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","scale":["0","5"],"settings":{"error":"0.01","explore":"0.25","resolution":"0.05"},"software":"isegoria 0.1.0","source":{"kind":"rehearsal"},"tie":"centre","title":"Films","turns":null,"version":2}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('films-r6cgcb',5,'roster:1','roster','films-r6cgcb:organiser:0',1795037283,'{}','{"line":"roster","members":[{"commitment":"594a9d624edd09f3f6137a5addeba42ae1b4f62fe0e3e59c330d3809dc926eec","key":null,"organiser":0,"weight":1},{"commitment":"31dc1edf01a6c9cc3a3e46a4812c28d3db88f7cffdf5cfc8e3aea5026d0e1e64","key":null,"organiser":0,"weight":1},{"commitment":"9cbacf88c6e8cef1e4ecff7061154c106f1b413cbd00e49196e522a643296488","key":null,"organiser":0,"weight":1}],"prev":"1e7e9239e8b33f76a2c12297b21bf01c25a7391b66db19c7b8d4386f66938a39","version":1}','1e7e9239e8b33f76a2c12297b21bf01c25a7391b66db19c7b8d4386f66938a39');
INSERT INTO "events" VALUES('films-r6cgcb',6,'freeze:1','trial','films-r6cgcb:organiser:0',1795037283,'{"tree":[]}','{"arm":0,"available":[0,1,2],"line":"trial","occasion":null,"prev":"ac1bea4abfcf9a5ba15be703e9e0cda65f5a6e82ef3a76127792e070921fc604","roster":1,"round":1}','ac1bea4abfcf9a5ba15be703e9e0cda65f5a6e82ef3a76127792e070921fc604');
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
INSERT INTO "groups" VALUES('lunch-ucahna',1795037283,1795037283,19,6,'854b830d00d1b9f1805cc7cf71b5ad42b68241a7312809a1ca1b9200fc90f061',1795037283,'{"secret":"60fa721d06f80267db05ac4b05d8fd6c1042655339aa05d1471c5acbed6398ae"}');
INSERT INTO "groups" VALUES('films-r6cgcb',1795037283,1795037283,6,3,'21e4abf4772e128ac03094696ff7995fe60a4d3fd5a8dbc0d5af56928da37400',NULL,'{"secret":"0972047fa79f1c19ce8e204ab90cbd60f4213c6a088c194553c01cdd00113f34"}');
CREATE TABLE held (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    slip TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (grp, number)
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
INSERT INTO "people" VALUES('lunch-ucahna',0,'Ann','{"salt":"b67545264b65aa2539166992ebae0ee71b2eb86dc74389fd29a86e8443a3b2ea","secret":"86c764f68f912e58451af168eb0dfc1a7e29b95ca60b5480514bb1f89c737401"}');
INSERT INTO "people" VALUES('lunch-ucahna',1,'Bob','{"salt":"85cbce814e15a260d5f94efa00ab5a6f7c77b5cafd05de1f447dd6b532412df7","secret":"3349269e426776f64e2e85c8545d42cfc0ce2cf0d53cb2fde6a5b0d3cdb1f6f1"}');
INSERT INTO "people" VALUES('lunch-ucahna',2,'Cem','{"salt":"c36d9eeaddb97e51b47ba4dc5623de273a661fbf4d3f9c6e004b4e140d722285","secret":"bdd540e324ce74509d6a78824e1bd109423b78157b3e215e42022b34e8d60f61"}');
INSERT INTO "people" VALUES('films-r6cgcb',0,'Ann','{"salt":"4f4972cf7925ec7e6a37cc3b9b3481b381eac6f622e2fdabbe19e999551a0b1f","secret":"061734855f07df5322ec9006f4f5e08e1652752371f55fffb267535a65933a88"}');
INSERT INTO "people" VALUES('films-r6cgcb',1,'Bob','{"salt":"cb4c7d106defc103872be40b9efba0ef3a8e414a26a1d90f93b00170610d6ca8","secret":"cc0850d86c361a30b32fe8842a79cefe10f79da9f929e4bcb878b48bc3dc78c2"}');
INSERT INTO "people" VALUES('films-r6cgcb',2,'Cem','{"salt":"c169cf3a0f3fc1952e0315deb44191f4ca552b6226b3a95b5a7cee253af45a43","secret":"a3c733505bea9ba01189d8d3feb5a08bcc39e1ac1e6ebbbf0e7ca1bbb58a4482"}');
CREATE TABLE schema_version (version BIGINT NOT NULL);
INSERT INTO "schema_version" VALUES(1);
INSERT INTO "schema_version" VALUES(2);
INSERT INTO "schema_version" VALUES(3);
INSERT INTO "schema_version" VALUES(4);
INSERT INTO "schema_version" VALUES(5);
INSERT INTO "schema_version" VALUES(6);
INSERT INTO "schema_version" VALUES(7);
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
INSERT INTO "tokens" VALUES('59ee1189378a885367a58e8693a480d81f2837722a5d6325c5be1617455e2077','lunch-ucahna','organiser',0,1795037283,NULL,'U-CIyIkqbuEg9TMS6mracXV3');
INSERT INTO "tokens" VALUES('b501606d87df3a6f977f496474282b5e8dccd5920d4adedee492ebfcb78f5d4f','lunch-ucahna','member',0,1795037283,NULL,'a735yH6tL7x9og7s6MC0IoL8');
INSERT INTO "tokens" VALUES('732bd3292d5b1021d06322f8d953be31f166e92762ccbbf2bf8d62c764e8db29','lunch-ucahna','member',1,1795037283,NULL,'2Ae7JOyWN3jSczRodLQGEMJj');
INSERT INTO "tokens" VALUES('2715c28f84188e9421427242898c9317e9d8fd4047fa7b595830f5b36e48d2f4','lunch-ucahna','member',2,1795037283,NULL,'-iLpz4JSoojz7V-mhpd5i5WW');
INSERT INTO "tokens" VALUES('36cb4d87a2d46844101913c6e629bd9e2dffd716cfacd843acc003c246205c14','lunch-ucahna','join',0,1795037283,NULL,'g6NGl0glH5sgBKvNmfl9HBPU');
INSERT INTO "tokens" VALUES('e442a44c0e752d10054cdd2d270e438b86d790645869b6fe3c6f81e74774833b','films-r6cgcb','organiser',0,1795037283,NULL,'DpkrEfsCBy-ZLupcMhVg9Ftt');
INSERT INTO "tokens" VALUES('07c51db7dac242deec20903bcaf3d579ed14e6a18a5be21b4ceabf36b700cd1b','films-r6cgcb','member',0,1795037283,NULL,'XCT5NV81kZ-DuDPsy8qM_0LS');
INSERT INTO "tokens" VALUES('2bedc4459680e11542d24abc5593b43071d0a19521ce08310fcc4c04791ff8ff','films-r6cgcb','member',1,1795037283,NULL,'X7oQcKNzKc_SS9_REVRXAfPY');
INSERT INTO "tokens" VALUES('403e05d884edba322a60b3779a3e9d20e0ea67615e09da68ab9b04247082950f','films-r6cgcb','member',2,1795037283,NULL,'nTd2-0Vkuriz5RHFo06e8wZH');
INSERT INTO "tokens" VALUES('b6f42436e4b0088611c194f2e658f401549d44ba0568f48a77a7c0c1984c0443','films-r6cgcb','join',0,1795037283,NULL,'MdpFSxSiV-Y1mR0KywjN9LEx');
CREATE INDEX groups_due ON groups (due);
CREATE INDEX tokens_grp ON tokens (grp);
CREATE INDEX answers_at ON answers (at);
CREATE INDEX sessions_grp ON sessions (grp, role, number);
CREATE INDEX contacts_stop ON contacts (stop);
CREATE INDEX outbox_due ON outbox (due);
COMMIT;
