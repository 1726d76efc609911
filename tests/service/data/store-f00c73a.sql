-- {"ballots": {"group": "lunch-ccendq", "organiser": "ljLQTYZyISDEjcxMNwEZNk_B", "members": {"Ann": "UjKV-M9XSVqZd2WZw4obJiPF", "Bob": "mq8zlC5ZnVMEyXQdEpub2qIh", "Cem": "eoiALi6dtqQ81SHMv4c6NuUk"}}, "learning": {"group": "films-scj69d", "organiser": "U_5phsGH5_t_oYu8JynJ7Dq7", "members": {"Ann": "2In8_GnmAOkqrjPyCZzSW9bW", "Bob": "LWYuk8fBYf0euhfQ8zc-vbeG", "Cem": "ABzKJsVLfKnu3-JLLheDnb9x"}}}
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
INSERT INTO "answers" VALUES(':anyone:testclient','key-1','4085058e9e39ae28bce0077fee2b4a1d49ed1d3958b5d9e8616d577946b87058',201,'',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:member:0','key-2','b751dac50f954b210465a0a56350c8576d6c7872e87fb004f530c3c25066d262',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":1,"counts_from":1}',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:member:1','key-3','139468a76b0456b80653f2ccbf4f94828f3cef6d8a36c7bbf4091b6ab7eb8c22',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":1,"counts_from":1}',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:member:2','key-4','e9bfb5fbcb7399ef8bdf2c8424ef1ad76ad1681742085bc1d46b57be6cbcb6b0',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":1,"counts_from":1}',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:organiser:0','key-5','0d39790837290f46d8258a907887d908c8e5a8e987e39bcccb85260337d94ffe',201,'{"round":1,"kind":"fair","freeze":"0b61210e6c2e049f4a01e66491d2c50cadf87de40d5e6e3252105491424f4b2f","block":3,"policy":{"Thai":0.0,"Pizza":0.3333333333333333,"Salad":0.6666666666666666},"arm":null,"exploring":0.0,"answered":3}',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:organiser:0','key-6','8d5cb5e18884c364576bc3148afb745cf646f4020e14259322b47cc1dd5d70a1',201,'{"round":1,"kind":"fair","arms":["Pizza","Salad","Salad"],"balls":[2398005620,9847367540,6122686580],"source":"fd07c879b8fa05aabb3e70d3889c33bc79b4387ffe7c6ef749031b08bbfc2dbf"}',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:member:0','key-7','139468a76b0456b80653f2ccbf4f94828f3cef6d8a36c7bbf4091b6ab7eb8c22',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":2,"counts_from":2}',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:member:1','key-8','e9bfb5fbcb7399ef8bdf2c8424ef1ad76ad1681742085bc1d46b57be6cbcb6b0',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":2,"counts_from":2}',1795036484);
INSERT INTO "answers" VALUES('lunch-ccendq:member:2','key-9','73d81d440dc911d0180e0b002d8d87b9879fbb625f0d2f6ee7638de584df52da',200,'{"round":null,"slot":null,"values":{"Thai":3,"Pizza":5,"Salad":1},"edit":2,"counts_from":2}',1795036485);
INSERT INTO "answers" VALUES('lunch-ccendq:organiser:0','key-10','0d39790837290f46d8258a907887d908c8e5a8e987e39bcccb85260337d94ffe',201,'{"round":2,"kind":"fair","freeze":"9aa1e76d76791b2fb3e1d9eaff188c2726294ef720df1a3a69702848b35c7630","block":3,"policy":{"Thai":0.0,"Pizza":0.6666666666666666,"Salad":0.3333333333333333},"arm":null,"exploring":0.0,"answered":3}',1795036485);
INSERT INTO "answers" VALUES('lunch-ccendq:organiser:0','key-11','8d5cb5e18884c364576bc3148afb745cf646f4020e14259322b47cc1dd5d70a1',201,'{"round":2,"kind":"fair","arms":["Pizza","Pizza","Salad"],"balls":[6018013790,2293332830,9742694750],"source":"aad9cc5d0040e3c946c1bb83561dbd2fb47df48411fa0aa77377e096f58de9aa"}',1795036485);
INSERT INTO "answers" VALUES('lunch-ccendq:member:0','key-12','bee27a27cdd1330ed0998cdef3cc0b7abe9afbc1082e80fc91d035eee038a1a4',200,'{"round":null,"slot":null,"values":{"Thai":5,"Pizza":1,"Salad":3},"edit":3,"counts_from":3}',1795036485);
INSERT INTO "answers" VALUES('lunch-ccendq:member:1','key-13','b751dac50f954b210465a0a56350c8576d6c7872e87fb004f530c3c25066d262',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":3,"counts_from":3}',1795036485);
INSERT INTO "answers" VALUES('lunch-ccendq:member:2','key-14','139468a76b0456b80653f2ccbf4f94828f3cef6d8a36c7bbf4091b6ab7eb8c22',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":3,"counts_from":3}',1795036485);
INSERT INTO "answers" VALUES(':anyone:testclient','key-15','68eebb54d9ef6f55f59884bf103936781abe7e40eaba56d3c06daab8b32ee0d1',201,'',1795036485);
INSERT INTO "answers" VALUES('films-scj69d:organiser:0','key-16','fe7b8d2c307c2f913ba7122862e950a191cf756660b81063f6c840aef9978534',201,'{"round":1,"kind":"trial","freeze":"fd76da538c51167efa9c18aace0a44bdecb0074c2059e856809303dcb9ed91b3","block":1,"policy":null,"arm":"Thai","exploring":0.0,"answered":0}',1795036485);
INSERT INTO "answers" VALUES('films-scj69d:organiser:0','key-17','b13cb694ccbb6fae0bf0a332f618fff0629b503110224485c5c6ce15f99e1a99',201,'{"round":1,"kind":"trial","arms":["Thai"],"balls":[],"source":null}',1795036485);
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
INSERT INTO "events" VALUES('lunch-ccendq',1,'charter','charter','lunch-ccendq:organiser:0',1795036484,'{}','{"arms":["Thai","Pizza","Salad"],"block":null,"explore_max":"1/5","format":"isegoria record","group":"8d908655c6f69980747cee569df2868a","learner":null,"line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","rules":{"close":"freeze","late":"next","tie":"centre","trial":"none"},"scale":["0","5"],"settings":{},"software":"isegoria 0.1.0","source":{"fallback":[],"kind":"rehearsal"},"title":"Lunch","units":3724680960,"version":1}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('lunch-ccendq',2,'roster:1','roster','lunch-ccendq:organiser:0',1795036484,'{}','{"joined":[0,1,2],"left":[],"line":"roster","members":[{"commitment":"a9ca883d19d8c45c89c561f10579afda0699cb4067f99a281323f50efca14376","key":null,"weight":1},{"commitment":"1347c35c8cdc5ab427a8b42703a00ecc2c358ee4520f588e00e5f542facb4fbf","key":null,"weight":1},{"commitment":"9a3b1fe37a49a17e85362b4d0712cb838a2767c80e02fef928a7c466de6081a4","key":null,"weight":1}],"prev":"3a141d6bffd7ea9b37993843cb7a59b0d555bc274852453e42728c4cb307f070","version":1}','3a141d6bffd7ea9b37993843cb7a59b0d555bc274852453e42728c4cb307f070');
INSERT INTO "events" VALUES('lunch-ccendq',3,'rate:0:0:1','rate','lunch-ccendq:member:0',1795036484,'{"member":0,"round":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',4,'rate:0:1:1','rate','lunch-ccendq:member:1',1795036484,'{"member":1,"round":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',5,'rate:0:2:1','rate','lunch-ccendq:member:2',1795036484,'{"member":2,"round":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',6,'close:1','close','lunch-ccendq:organiser:0',1795036484,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',7,'freeze:1','freeze','lunch-ccendq:organiser:0',1795036484,'{"tree":[[1,"0df8789c25ef98c4fa6406208da542c5b6b6abe75232baee5b0d5def7a2d6a7c"],[0,"2b3dd92180f81525f95e774200aa59935f68e4d3a2400ada91f3aa71ac3d0bd0"],[2,"413e5f62e18805121565ebdebc15d5b3a8d8a27adbe3dde7e0e1355d66c59509"]]}','{"answered":3,"arm":null,"available":[0,1,2],"block":3,"event":null,"explore":[0,0,0],"form":null,"kind":"fair","line":"freeze","occasion":null,"prev":"14e730fbcfbb20fdeb2447c8c881bc4e2dfb95035ae3e1e7cfab514e0166577d","roster":1,"round":1,"source_round":null,"tally_root":"675f5505bd61c237fa1d8c40e17bc2cceac2bd3679d517f2da5eef7025ceca1a","types":[{"set":[1],"units":[0,3724680960,0],"weight":1,"who":["ff3479657e8eea0a18d1a1dae01b3be3fa3609174e3ff23f"]},{"set":[2],"units":[0,0,3724680960],"weight":1,"who":["0cd273d32dc0b683d46274b7f7891cd6b7ca47c9e0d44521","d26e85fd8949e4fc17c51cf3e20712f0fcc9b27809d42e19"]}],"voices":[0,3724680960,7449361920]}','14e730fbcfbb20fdeb2447c8c881bc4e2dfb95035ae3e1e7cfab514e0166577d');
INSERT INTO "events" VALUES('lunch-ccendq',8,'draw:1','draw','lunch-ccendq:organiser:0',1795036484,'{}','{"arms":[1,2,2],"balls":[2398005620,9847367540,6122686580],"line":"draw","prev":"0b61210e6c2e049f4a01e66491d2c50cadf87de40d5e6e3252105491424f4b2f","round":1,"signatures":[],"source_bytes":"fd07c879b8fa05aabb3e70d3889c33bc79b4387ffe7c6ef749031b08bbfc2dbf"}','0b61210e6c2e049f4a01e66491d2c50cadf87de40d5e6e3252105491424f4b2f');
INSERT INTO "events" VALUES('lunch-ccendq',9,'rate:0:0:2','rate','lunch-ccendq:member:0',1795036484,'{"member":0,"round":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',10,'rate:0:1:2','rate','lunch-ccendq:member:1',1795036484,'{"member":1,"round":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',11,'rate:0:2:2','rate','lunch-ccendq:member:2',1795036485,'{"member":2,"round":null,"slot":null,"values":{"0":"3","1":"5","2":"1"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',12,'close:2','close','lunch-ccendq:organiser:0',1795036485,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',13,'freeze:2','freeze','lunch-ccendq:organiser:0',1795036485,'{"tree":[[0,"c7867b42f4c31ff7411328fe98dddd57585c66937773cae0e28bfe7a8b07a4b8"],[2,"831ea1ccf9f58c4b912cfc4f6994dd74504995348ef37cc0ec5cbb561d9aa3a5"],[1,"29d235fc941f76585bc7d46921abbfa6fe5ba4433f7f6ab3c082aec7a945d751"]]}','{"answered":3,"arm":null,"available":[0,1,2],"block":3,"event":null,"explore":[0,0,0],"form":null,"kind":"fair","line":"freeze","occasion":null,"prev":"ecd0368f876889c7226495bf22dccc383894890354aa78fe4028f101b4d51ef3","roster":1,"round":2,"source_round":null,"tally_root":"9ba5d9df52537c62dd95a9d8c5d55ec75e5c265f7e3947ad185473fc01b89bea","types":[{"set":[1],"units":[0,3724680960,0],"weight":1,"who":["a5af0d9cbd320a18859d358c4862cb1765778a8e77812cdb","eaf4424af9ca3bd361018fb347252564d964328f8c1788d0"]},{"set":[2],"units":[0,0,3724680960],"weight":1,"who":["6a8181464ac3596eb1d07f6c1d038f1566cd0ccd94f8ca95"]}],"voices":[0,7449361920,3724680960]}','ecd0368f876889c7226495bf22dccc383894890354aa78fe4028f101b4d51ef3');
INSERT INTO "events" VALUES('lunch-ccendq',14,'draw:2','draw','lunch-ccendq:organiser:0',1795036485,'{}','{"arms":[1,1,2],"balls":[6018013790,2293332830,9742694750],"line":"draw","prev":"9aa1e76d76791b2fb3e1d9eaff188c2726294ef720df1a3a69702848b35c7630","round":2,"signatures":[],"source_bytes":"aad9cc5d0040e3c946c1bb83561dbd2fb47df48411fa0aa77377e096f58de9aa"}','9aa1e76d76791b2fb3e1d9eaff188c2726294ef720df1a3a69702848b35c7630');
INSERT INTO "events" VALUES('lunch-ccendq',15,'rate:0:0:3','rate','lunch-ccendq:member:0',1795036485,'{"member":0,"round":null,"slot":null,"values":{"0":"5","1":"1","2":"3"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',16,'rate:0:1:3','rate','lunch-ccendq:member:1',1795036485,'{"member":1,"round":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-ccendq',17,'rate:0:2:3','rate','lunch-ccendq:member:2',1795036485,'{"member":2,"round":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('films-scj69d',1,'charter','charter','films-scj69d:organiser:0',1795036485,'{}','{"arms":["Thai","Pizza","Salad"],"block":1,"explore_max":"1/5","format":"isegoria record","group":"267afdbb9a5c62d16b8ce9c22d0b8a8a","learner":"procedural","line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","rules":{"close":"freeze","late":"next","tie":"centre","trial":"lowest"},"scale":["0","5"],"settings":{},"software":"isegoria 0.1.0","source":{"fallback":[],"kind":"rehearsal"},"title":"Films","units":3724680960,"version":1}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('films-scj69d',2,'roster:1','roster','films-scj69d:organiser:0',1795036485,'{}','{"joined":[0,1,2],"left":[],"line":"roster","members":[{"commitment":"d3afef0fd4f5ba5aaedf30cdbb637a7238fb2abafc4504af11a123909cacb03a","key":null,"weight":1},{"commitment":"6589e477f6acfe87a422af2f23205b1651692fbba38539f01294897ca16c665c","key":null,"weight":1},{"commitment":"66cc222caff7872a71b1b498fb75d5639f046dd7272bb3628811176e93bd5f8f","key":null,"weight":1}],"prev":"186f4e9dc48076c8f29960cb823d3600bf54c15cf79edad2ec9c3fab442b72df","version":1}','186f4e9dc48076c8f29960cb823d3600bf54c15cf79edad2ec9c3fab442b72df');
INSERT INTO "events" VALUES('films-scj69d',3,'close:1','close','films-scj69d:organiser:0',1795036485,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('films-scj69d',4,'freeze:1','freeze','films-scj69d:organiser:0',1795036485,'{"tree":[]}','{"answered":0,"arm":0,"available":[0,1,2],"block":1,"event":null,"explore":[],"form":null,"kind":"trial","line":"freeze","occasion":null,"prev":"d7576323eac97589d2987fd00cd5174a279a7c97c595bfe533382f0473f553c2","roster":1,"round":1,"source_round":null,"tally_root":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","types":[],"voices":[]}','d7576323eac97589d2987fd00cd5174a279a7c97c595bfe533382f0473f553c2');
INSERT INTO "events" VALUES('films-scj69d',5,'draw:1','draw','films-scj69d:organiser:0',1795036485,'{}','{"arms":[0],"balls":[],"line":"draw","prev":"fd76da538c51167efa9c18aace0a44bdecb0074c2059e856809303dcb9ed91b3","round":1,"signatures":[],"source_bytes":null}','fd76da538c51167efa9c18aace0a44bdecb0074c2059e856809303dcb9ed91b3');
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
INSERT INTO "groups" VALUES('lunch-ccendq',1795036484,1795036485,17,6,'5343146c39e70086107d04cc0a5b54eaae2e175a86948b4e441c5ee20b341b70',1795036485,'{"secret":"44539664acac81935d6a6fb2ba87057f4613fc43b13ae0a5e43e47ade27cfeb1"}');
INSERT INTO "groups" VALUES('films-scj69d',1795036485,1795036485,5,4,'1cf9833fdaadc0eae896cdacb6c01cf5e9eb5ebe227294b27cf1723750476e90',1795036485,'{"secret":"a2ba81297a2202d489ecf0459e82d87f898c4256f0ccafcd4d6f15e23a961f3b"}');
CREATE TABLE people (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    name TEXT,
    secrets TEXT,
    PRIMARY KEY (grp, number)
);
INSERT INTO "people" VALUES('lunch-ccendq',0,'Ann','{"salt":"e4d8b5d0f6c39b741465fdbc2abe93a0474bc02cae976edb1283603faf576186","secret":"acb3ac14c72898595366146d38e6b1353d2b891321da10b0fad39afb97c8c3b8"}');
INSERT INTO "people" VALUES('lunch-ccendq',1,'Bob','{"salt":"333434bd6ddaed6ec913bda8a112448297a7da99499a3f76165e25a297720201","secret":"0875e311ad7a5b53fa8dc809c6216715de377c2ecbe28b8dc258f9661c25b2e2"}');
INSERT INTO "people" VALUES('lunch-ccendq',2,'Cem','{"salt":"41e85c5af1facfcc7694cb61fca6235c8deecbcee3b53a1bc302b9c1181764c0","secret":"9c965a90870f7de9090a60c1f622434260da1c7fa765ebc4d58c0a77089dfe7e"}');
INSERT INTO "people" VALUES('films-scj69d',0,'Ann','{"salt":"8aa0d32492a95126239e1de33d3e8c2853b548d9ea5b9cd3ef140837ea5cdd62","secret":"d99eadf1ec16a1fc1852b623d2b2d8fa6c52c88eb4a635709cbb411a7753f1bf"}');
INSERT INTO "people" VALUES('films-scj69d',1,'Bob','{"salt":"6a6b3d3d1167db3844b0e3bb15d36e07f1545982766ac52fb7164e6722aec0bb","secret":"3443b0a07129435c48fc153c7392e8fb55b6f9b509b00d4e7909790e746db590"}');
INSERT INTO "people" VALUES('films-scj69d',2,'Cem','{"salt":"df6366a298ad4925fe991a516bef8800f3954e2e782ad3d299133ef01b491e65","secret":"2b87a89cc8b6cedc2a77b6c92d25978933fee162b79ede3c40b7c577f5dcf608"}');
CREATE TABLE schema_version (version BIGINT NOT NULL);
INSERT INTO "schema_version" VALUES(1);
INSERT INTO "schema_version" VALUES(2);
CREATE TABLE snapshots (
    grp TEXT PRIMARY KEY REFERENCES groups (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    head TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    number BIGINT NOT NULL,
    issued BIGINT NOT NULL,
    used BIGINT
);
INSERT INTO "tokens" VALUES('c63c0df7f99ca2aa645b2dec58f32cdd7546a3a619505fac3236576a84b092fe','lunch-ccendq','organiser',0,1795036484,NULL);
INSERT INTO "tokens" VALUES('105c4b345f72e20b7080454b377581fc4cff55782d9ff5760e716121d1736782','lunch-ccendq','member',0,1795036484,NULL);
INSERT INTO "tokens" VALUES('69e19fc71d8a0354d8d847acc25d95ad1d0abd367908828a94dbe0874acfaad9','lunch-ccendq','member',1,1795036484,NULL);
INSERT INTO "tokens" VALUES('4998390ff5427f6af0a07fd9eb0f211293ea46a5bb6621fbcaf62de4eb7fa1d1','lunch-ccendq','member',2,1795036484,NULL);
INSERT INTO "tokens" VALUES('bb1a665637706d117742cb32f4408a48bcef0cdd09394432ce53aa848ec16767','films-scj69d','organiser',0,1795036485,NULL);
INSERT INTO "tokens" VALUES('dcbb26dab9865d50cb72e9bff42bfd299ddba3770c82f0759e60de1a4253e0ba','films-scj69d','member',0,1795036485,NULL);
INSERT INTO "tokens" VALUES('ba21e35743c9e4b9a59be400c61016decbd450f9bb76486cf4a58c3af5d35c31','films-scj69d','member',1,1795036485,NULL);
INSERT INTO "tokens" VALUES('cd9a15292d7c4f482c3d06c1207bceb14a1de788f8b50321d26782bdbc870605','films-scj69d','member',2,1795036485,NULL);
CREATE INDEX groups_due ON groups (due);
CREATE INDEX tokens_grp ON tokens (grp);
CREATE INDEX answers_at ON answers (at);
COMMIT;
