-- {"ballots": {"group": "lunch-7vzrjb", "organiser": "g4nEw8CwQiSBSdomtu0b9hq5", "members": {"Ann": "MMelk8atTM28KhUZXX3HbPY1", "Bob": "IdqQ-ESQXCoqI1k3adNRerVf", "Cem": "x890Aj9ZMX6AKLLcwo0ptCO7"}}, "learning": {"group": "films-bfva3v", "organiser": "2mwzmpjUtj8vjFdy8phC5Pn3", "members": {"Ann": "UUiKPmy3gyLo667IMiHGdluc", "Bob": "HC7lj_BgzqOwu-Fws3RQAzK8", "Cem": "a-vVsbt_Pk-DGPktGv9jk9oC"}}}
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
INSERT INTO "answers" VALUES(':anyone:','key-1','236cfbfea8ac8244af0b620591de05884f66c09b6a6c06fa11e4966bde749b92',201,'{"group":"lunch-7vzrjb"}',1795036493);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:0','key-2','3a4dcd8adbe6a726b053930d637af03930e7a1b50cda7a57fb536cc337c62d35',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":1,"signed":false,"counts_from":1}',1795036493);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:1','key-3','a64fd011aeaf43dc62969763e76d7fd936433140a17a522387da47ddc0ec5145',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":1,"signed":false,"counts_from":1}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:2','key-4','ffdadd28ee613f4c6f19a1d4da19c56864f4d1462418523821a69c8205bf5f5c',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":1,"signed":false,"counts_from":1}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:organiser:0','key-5','99547e90c794e23b437bc7d5180b79e1053ecb2556e76cf4979da87c4ad26be1',201,'{"round":1,"kind":"fair","freeze":"7a898e15f4974028d2fa49ea027d07a3a46f6fd7caca127e385f0e4c8a3de760","block":3,"event":"Lunch, 2026-11-18","policy":{"Thai":0.0,"Pizza":0.3333333333333333,"Salad":0.6666666666666666},"arm":null,"answered":3}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:organiser:0','key-6','46c7f9035cb3acc4d8a7988b979d86ba7dba846340cad97a8856d1ed5469add8',201,'{"round":1,"kind":"fair","arms":["Salad","Salad","Pizza"],"balls":[3209035976061071,6211434253659791,206637698462351],"source":"86186c701e67c8194260857e1495dc5b7681bb2a0c6458f8a8fab50671bc10ad"}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:0','key-7','a64fd011aeaf43dc62969763e76d7fd936433140a17a522387da47ddc0ec5145',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":2,"signed":false,"counts_from":2}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:1','key-8','ffdadd28ee613f4c6f19a1d4da19c56864f4d1462418523821a69c8205bf5f5c',200,'{"round":null,"slot":null,"values":{"Thai":2,"Pizza":4,"Salad":0},"edit":2,"signed":false,"counts_from":2}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:2','key-9','4ada49b37fc6cbe12509bec9a9ede9faabeb78a0874fcfc2a870aa70fd1f8053',200,'{"round":null,"slot":null,"values":{"Thai":3,"Pizza":5,"Salad":1},"edit":2,"signed":false,"counts_from":2}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:organiser:0','key-10','99547e90c794e23b437bc7d5180b79e1053ecb2556e76cf4979da87c4ad26be1',201,'{"round":2,"kind":"fair","freeze":"2b0e2d2a37f8a6ad7be3def5b24749344db30a565f14976f0238ef42690ef803","block":3,"event":"Lunch, 2026-11-18 21:14","policy":{"Thai":0.0,"Pizza":0.6666666666666666,"Salad":0.3333333333333333},"arm":null,"answered":3}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:organiser:0','key-11','46c7f9035cb3acc4d8a7988b979d86ba7dba846340cad97a8856d1ed5469add8',201,'{"round":2,"kind":"fair","arms":["Salad","Pizza","Pizza"],"balls":[6114898979839067,110102424641627,3112500702240347],"source":"7b81056817ee917722e375930a47833bd9a2122a67c9be60e3037aa4af9cc00b"}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:0','key-12','c46bea9f62aceb2b4d0155352df47951ca80ffb1976df9ee100ce64999e725dd',200,'{"round":null,"slot":null,"values":{"Thai":5,"Pizza":1,"Salad":3},"edit":3,"signed":false,"counts_from":3}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:1','key-13','3a4dcd8adbe6a726b053930d637af03930e7a1b50cda7a57fb536cc337c62d35',200,'{"round":null,"slot":null,"values":{"Thai":0,"Pizza":2,"Salad":4},"edit":3,"signed":false,"counts_from":3}',1795036494);
INSERT INTO "answers" VALUES('lunch-7vzrjb:member:2','key-14','a64fd011aeaf43dc62969763e76d7fd936433140a17a522387da47ddc0ec5145',200,'{"round":null,"slot":null,"values":{"Thai":1,"Pizza":3,"Salad":5},"edit":3,"signed":false,"counts_from":3}',1795036494);
INSERT INTO "answers" VALUES(':anyone:','key-15','3e280ed930d9d9527e7ae5dc994155f597888827085c04548e18540ebb7242a5',201,'{"group":"films-bfva3v"}',1795036494);
INSERT INTO "answers" VALUES('films-bfva3v:organiser:0','key-16','42cb4ea562cc3cb4d021109a7f224210edda0fc3c37f39165d63ab34dfa32292',201,'{"round":1,"kind":"trial","freeze":"0ad12ff2f4826083c98dfe271bbfa644507c218dbcc95cc09a10c69c38a25a74","block":1,"event":null,"policy":null,"arm":"Thai","answered":0}',1795036494);
INSERT INTO "answers" VALUES('films-bfva3v:organiser:0','key-17','ccff244625aff873e2a721bbd890d89ea5c01f052d15e393f65b16852e95a5cf',200,'{"round":1,"kind":"trial","arms":["Thai"],"balls":[],"source":null}',1795036494);
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
INSERT INTO "events" VALUES('lunch-7vzrjb',1,'found','found','lunch-7vzrjb:organiser:0',1795036493,'{"charter":{"arms":["Thai","Pizza","Salad"],"block":null,"group":"4f4d6ec89a24917ea59fd9478ec953bc","learner":null,"privacy":"ballots","scale":["0","5"],"settings":{},"source":{"kind":"rehearsal"},"tie":"centre","title":"Lunch","turns":null},"entries":[{"commitment":"5fa28b8941bda42ee3325e221bb91d3cdd894d92f26b868eeb18817002884524","key":null,"organiser":0,"weight":1},{"commitment":"73332a6395693c5d6326868e6c0b561e474a072fb48c59508129490ddf3cce26","key":null,"organiser":0,"weight":1},{"commitment":"57490cc7828da4ee610d43cdf47cf1f8bef9c795e365afdb7654ce1170e69047","key":null,"organiser":0,"weight":1}]}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',2,'setting:first','setting','lunch-7vzrjb:organiser:0',1795036493,'{"ballot":"favourites"}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',3,'rate:0:0:1','rate','lunch-7vzrjb:member:0',1795036493,'{"at":1795036493,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',4,'rate:0:1:1','rate','lunch-7vzrjb:member:1',1795036494,'{"at":1795036494,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',5,'rate:0:2:1','rate','lunch-7vzrjb:member:2',1795036494,'{"at":1795036494,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',6,'close:6','close','lunch-7vzrjb:organiser:0',1795036494,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',7,'charter','charter','lunch-7vzrjb:organiser:0',1795036494,'{}','{"arms":["Thai","Pizza","Salad"],"block":null,"format":"isegoria record","group":"4f4d6ec89a24917ea59fd9478ec953bc","learner":null,"line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","scale":["0","5"],"settings":{},"software":"isegoria 0.1.0","source":{"kind":"rehearsal"},"tie":"centre","title":"Lunch","turns":null,"version":2}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('lunch-7vzrjb',8,'roster:1','roster','lunch-7vzrjb:organiser:0',1795036494,'{}','{"line":"roster","members":[{"commitment":"5fa28b8941bda42ee3325e221bb91d3cdd894d92f26b868eeb18817002884524","key":null,"organiser":0,"weight":1},{"commitment":"73332a6395693c5d6326868e6c0b561e474a072fb48c59508129490ddf3cce26","key":null,"organiser":0,"weight":1},{"commitment":"57490cc7828da4ee610d43cdf47cf1f8bef9c795e365afdb7654ce1170e69047","key":null,"organiser":0,"weight":1}],"prev":"35758a4fa866959075e8249950ec025e22a7f631941e0cafb14461ceb9853f14","version":1}','35758a4fa866959075e8249950ec025e22a7f631941e0cafb14461ceb9853f14');
INSERT INTO "events" VALUES('lunch-7vzrjb',9,'freeze:1','freeze','lunch-7vzrjb:organiser:0',1795036494,'{"tree":[[2,"68a6595a03c22c24e6d30d555039340eb21b1aad6cccf7477d9692a7261efa91"],[1,"b02dd633ba0279ac6419203123e2daffbecd790ae5a71379e352b6f921d20d22"],[0,"1d9e841298a057e70d26bd557ab207ef3ef0addf240cdc2db0dbdfb466f5a612"]]}','{"at":1795036494,"available":[0,1,2],"block":3,"count":3,"event":"Lunch, 2026-11-18","form":null,"line":"freeze","occasion":null,"prev":"689b0e0065f30326f41a455d08c6bb803054ccdb55ddab15a3dca0a852e8e780","root":"a6b7747c324fda67a07a9708df0be7a4885216745b0bb5d1060a10f3d7e97b54","roster":1,"round":1,"source_round":null,"types":[{"leader":null,"set":[1],"units":[0,3002398277598720,0],"weight":1,"who":["3cbfdb201b77a5e6aeea129768c24c2fe075641e16630dfa"]},{"leader":null,"set":[2],"units":[0,0,3002398277598720],"weight":1,"who":["a985888f311142a2195868e1af30deeec938fab7bae1301e","c290687d149f3c87a688103b571fa288f655786eefef8715"]}],"units":3002398277598720,"voices":[0,3002398277598720,6004796555197440]}','689b0e0065f30326f41a455d08c6bb803054ccdb55ddab15a3dca0a852e8e780');
INSERT INTO "events" VALUES('lunch-7vzrjb',10,'draw:1','draw','lunch-7vzrjb:organiser:0',1795036494,'{}','{"arms":[2,2,1],"balls":[3209035976061071,6211434253659791,206637698462351],"line":"draw","prev":"7a898e15f4974028d2fa49ea027d07a3a46f6fd7caca127e385f0e4c8a3de760","round":1,"source_bytes":"86186c701e67c8194260857e1495dc5b7681bb2a0c6458f8a8fab50671bc10ad"}','7a898e15f4974028d2fa49ea027d07a3a46f6fd7caca127e385f0e4c8a3de760');
INSERT INTO "events" VALUES('lunch-7vzrjb',11,'rate:0:0:2','rate','lunch-7vzrjb:member:0',1795036494,'{"at":1795036494,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',12,'rate:0:1:2','rate','lunch-7vzrjb:member:1',1795036494,'{"at":1795036494,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"2","1":"4","2":"0"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',13,'rate:0:2:2','rate','lunch-7vzrjb:member:2',1795036494,'{"at":1795036494,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"3","1":"5","2":"1"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',14,'close:14','close','lunch-7vzrjb:organiser:0',1795036494,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',15,'freeze:2','freeze','lunch-7vzrjb:organiser:0',1795036494,'{"tree":[[2,"c799556170fc32fd3f9297db31a2b9dd3efd87d4ec0a5a4403f799cadeade931"],[1,"511b82ff143defcccb6a760adc97258cb85a5e53400849df8705efb5fb9d4ff9"],[0,"fa2d3b52f6365f858e108c429d132ca57b611c3a5bca800f77a986ba79e84188"]]}','{"at":1795036494,"available":[0,1,2],"block":3,"count":3,"event":"Lunch, 2026-11-18 21:14","form":null,"line":"freeze","occasion":null,"prev":"44f59f7aa172f007b23672ec49f70055f5707906f2dbdcb37e132f6737b6f7a2","root":"f2eb19981c457a322d6eadb942d289f73cf32079801ca9e46879cde17e04b66b","roster":1,"round":2,"source_round":null,"types":[{"leader":null,"set":[1],"units":[0,3002398277598720,0],"weight":1,"who":["33e87ecbd48319362f68ca978ef76fbd9dc8906c08225b33","588110c6a07de6f1303fbce1bb066808a27871b654e8200a"]},{"leader":null,"set":[2],"units":[0,0,3002398277598720],"weight":1,"who":["d482b908d9c9de4f4d9e9e12924db0c111417c5f95032d95"]}],"units":3002398277598720,"voices":[0,6004796555197440,3002398277598720]}','44f59f7aa172f007b23672ec49f70055f5707906f2dbdcb37e132f6737b6f7a2');
INSERT INTO "events" VALUES('lunch-7vzrjb',16,'draw:2','draw','lunch-7vzrjb:organiser:0',1795036494,'{}','{"arms":[2,1,1],"balls":[6114898979839067,110102424641627,3112500702240347],"line":"draw","prev":"2b0e2d2a37f8a6ad7be3def5b24749344db30a565f14976f0238ef42690ef803","round":2,"source_bytes":"7b81056817ee917722e375930a47833bd9a2122a67c9be60e3037aa4af9cc00b"}','2b0e2d2a37f8a6ad7be3def5b24749344db30a565f14976f0238ef42690ef803');
INSERT INTO "events" VALUES('lunch-7vzrjb',17,'rate:0:0:3','rate','lunch-7vzrjb:member:0',1795036494,'{"at":1795036494,"key":null,"member":0,"round":null,"signature":null,"slot":null,"values":{"0":"5","1":"1","2":"3"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',18,'rate:0:1:3','rate','lunch-7vzrjb:member:1',1795036494,'{"at":1795036494,"key":null,"member":1,"round":null,"signature":null,"slot":null,"values":{"0":"0","1":"2","2":"4"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-7vzrjb',19,'rate:0:2:3','rate','lunch-7vzrjb:member:2',1795036494,'{"at":1795036494,"key":null,"member":2,"round":null,"signature":null,"slot":null,"values":{"0":"1","1":"3","2":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('films-bfva3v',1,'found','found','films-bfva3v:organiser:0',1795036494,'{"charter":{"arms":["Thai","Pizza","Salad"],"block":1,"group":"5ccddcb1b488a37df1db7c72b30a28c7","learner":"guided","privacy":"ballots","scale":["0","5"],"settings":{"error":"0.01","explore":"0.25","resolution":"0.05"},"source":{"kind":"rehearsal"},"tie":"centre","title":"Films","turns":null},"entries":[{"commitment":"58edcf7e4c93a8e07e635971d5b15bb7565e0ee1f40bf7ed4636c1d54aafabd9","key":null,"organiser":0,"weight":1},{"commitment":"3d8b6c68f31da9efbec63c0e83a74f6c1b23d3ec428245f27902876ff89bbf01","key":null,"organiser":0,"weight":1},{"commitment":"bbddec283b6027a66af2a51eba5d6a005c7dfe68a3f826a5b552c6bccfe09149","key":null,"organiser":0,"weight":1}]}',NULL,NULL);
INSERT INTO "events" VALUES('films-bfva3v',2,'setting:first','setting','films-bfva3v:organiser:0',1795036494,'{"ballot":"stars"}',NULL,NULL);
INSERT INTO "events" VALUES('films-bfva3v',3,'close:3','close','films-bfva3v:organiser:0',1795036494,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('films-bfva3v',4,'charter','charter','films-bfva3v:organiser:0',1795036494,'{}','{"arms":["Thai","Pizza","Salad"],"block":1,"format":"isegoria record","group":"5ccddcb1b488a37df1db7c72b30a28c7","learner":"guided","line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","scale":["0","5"],"settings":{"error":"0.01","explore":"0.25","resolution":"0.05"},"software":"isegoria 0.1.0","source":{"kind":"rehearsal"},"tie":"centre","title":"Films","turns":null,"version":2}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('films-bfva3v',5,'roster:1','roster','films-bfva3v:organiser:0',1795036494,'{}','{"line":"roster","members":[{"commitment":"58edcf7e4c93a8e07e635971d5b15bb7565e0ee1f40bf7ed4636c1d54aafabd9","key":null,"organiser":0,"weight":1},{"commitment":"3d8b6c68f31da9efbec63c0e83a74f6c1b23d3ec428245f27902876ff89bbf01","key":null,"organiser":0,"weight":1},{"commitment":"bbddec283b6027a66af2a51eba5d6a005c7dfe68a3f826a5b552c6bccfe09149","key":null,"organiser":0,"weight":1}],"prev":"ba706b74139138460d9fabd5ec3e95ae50bcfbc4e66878086e961ce8944c0d50","version":1}','ba706b74139138460d9fabd5ec3e95ae50bcfbc4e66878086e961ce8944c0d50');
INSERT INTO "events" VALUES('films-bfva3v',6,'freeze:1','trial','films-bfva3v:organiser:0',1795036494,'{"tree":[]}','{"arm":0,"available":[0,1,2],"line":"trial","occasion":null,"prev":"ad8597d8f3ec12cc8fc6ee39625fcc50ff0fb59cd4ce0a0ce80e09b39f545b5f","roster":1,"round":1}','ad8597d8f3ec12cc8fc6ee39625fcc50ff0fb59cd4ce0a0ce80e09b39f545b5f');
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
INSERT INTO "groups" VALUES('lunch-7vzrjb',1795036493,1795036494,19,6,'723e6eb05f68a7679ef76ff1cfda5e07c886e6ee4f41c8dd8b502dc5318763b3',1795036494,'{"secret":"f55f9f5c23fc46feaf922bf37d9d17be80a997f5f67fa73c2a652f95a2ea52e6"}');
INSERT INTO "groups" VALUES('films-bfva3v',1795036494,1795036494,6,3,'0ad12ff2f4826083c98dfe271bbfa644507c218dbcc95cc09a10c69c38a25a74',NULL,'{"secret":"7bbb8e5f11b36d16cfa2afc9816e9ed2833f1c9d3ab923c1ab5ad964b3e4fa79"}');
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
INSERT INTO "people" VALUES('lunch-7vzrjb',0,'Ann','{"salt":"4ec96dd1abd59ce67b62f59bb32403e6e3969611acb92b12b69466ebb6f4e005","secret":"6e2186b97a1020a4c5658b29f57d84bda098ee2980b932ca0c645069e0135ff5"}');
INSERT INTO "people" VALUES('lunch-7vzrjb',1,'Bob','{"salt":"4f5d67ac398622bc42bba7e4c7f4e88db9216850182a04b2f1644589dc7d96dd","secret":"bd67889cc65d07aef1266cf4a7457dce393b606b2d01b372c67a9633f72f9f56"}');
INSERT INTO "people" VALUES('lunch-7vzrjb',2,'Cem','{"salt":"1818ad6dfd25ac70386cc63ca392a22658dbce6dfcd21c6971e9f4451a0b5d91","secret":"39708963fe3f45d8c92893ebf1011d242b7e3a9989ef643a9d2dd389bae47714"}');
INSERT INTO "people" VALUES('films-bfva3v',0,'Ann','{"salt":"fdb1c8e4e3c212694be8e3e794c1cfd1a28d65b48549f6768bd5e64821a1c1ad","secret":"250809ead93886ccbee93ccec688d69ebf1e12bf508781df43d86695096caf32"}');
INSERT INTO "people" VALUES('films-bfva3v',1,'Bob','{"salt":"34599f5ba8d44f68731429e9f3e9e98397981f3d05a0f709dafad2a2c7c9ff3e","secret":"f69a1ff4cd0af911af1bb1c3e207038c75a389cbc42a0a93a68c26d89b57adc7"}');
INSERT INTO "people" VALUES('films-bfva3v',2,'Cem','{"salt":"b69b7321d7d42d01fcda622064b8dd99dbbedf1a3845f05f7c801945f87b558a","secret":"b22db51a056ee38f3b09da06e5d53251dd45d6ab3c1cf61b80b18bfdeb9e15d7"}');
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
INSERT INTO "tokens" VALUES('6173831f97a68a1e240208856eeb21efa282ab9b806ceb65407dd8e3f7c3cecf','lunch-7vzrjb','organiser',0,1795036493,NULL,'g4nEw8CwQiSBSdomtu0b9hq5');
INSERT INTO "tokens" VALUES('9967c97d02e24da0ecb92564128f51c4f52e2fdd0dd9466bacdc60874551c1d5','lunch-7vzrjb','member',0,1795036493,NULL,'MMelk8atTM28KhUZXX3HbPY1');
INSERT INTO "tokens" VALUES('fb9b9cc44afc96123f02dbaa2174082826508cdb36b31b4c2d23bea6adceb0b2','lunch-7vzrjb','member',1,1795036493,NULL,'IdqQ-ESQXCoqI1k3adNRerVf');
INSERT INTO "tokens" VALUES('0a564305858f1456e0f9ad4af58b8efaa59d4caa5552e8b52462e4dc4c878b05','lunch-7vzrjb','member',2,1795036493,NULL,'x890Aj9ZMX6AKLLcwo0ptCO7');
INSERT INTO "tokens" VALUES('3701c1dcacf435dcffa5de2a5e2102645ebc94a619e553efb89c13ef6e33e660','lunch-7vzrjb','join',0,1795036493,NULL,'HfjCpbbzHQfR3vOFgk1Wejyi');
INSERT INTO "tokens" VALUES('e4276d617e9af485cfab52d8c1ef1fd7563eb8bd4fe1a42281bca8e3c92a4ab5','films-bfva3v','organiser',0,1795036494,NULL,'2mwzmpjUtj8vjFdy8phC5Pn3');
INSERT INTO "tokens" VALUES('421420f6068aaa8e2792d772b1803ce3112cd638f4e7dfae59420e9963769ec9','films-bfva3v','member',0,1795036494,NULL,'UUiKPmy3gyLo667IMiHGdluc');
INSERT INTO "tokens" VALUES('853aca92eacccd974009172f508a3504a8af91da5eb5070460844f361ddbd7e9','films-bfva3v','member',1,1795036494,NULL,'HC7lj_BgzqOwu-Fws3RQAzK8');
INSERT INTO "tokens" VALUES('7c67a9a265f8777216f110af213c010fe18a8bbbc85522271e958eb1cf2de42c','films-bfva3v','member',2,1795036494,NULL,'a-vVsbt_Pk-DGPktGv9jk9oC');
INSERT INTO "tokens" VALUES('d92065ea26c092fe33baac4296859146f2ee681277e3137e6c32adbf031102dd','films-bfva3v','join',0,1795036494,NULL,'baL986vSYjWnUk_07TySo9o_');
CREATE INDEX groups_due ON groups (due);
CREATE INDEX tokens_grp ON tokens (grp);
CREATE INDEX answers_at ON answers (at);
CREATE INDEX sessions_grp ON sessions (grp, role, number);
CREATE INDEX contacts_stop ON contacts (stop);
CREATE INDEX outbox_due ON outbox (due);
COMMIT;
