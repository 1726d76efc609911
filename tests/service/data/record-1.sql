-- A store as the program before record format 2 wrote it: schema 2, one group with a round, and a timetable that is due.
CREATE TABLE answers (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    status BIGINT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (actor, key)
);
INSERT INTO "answers" VALUES(':anyone:testclient','k1','b763f89c6ddbcfd67838cdc4f2bfb1854b5522830e316885c457be2e90fe014b',201,'',1794955039);
INSERT INTO "answers" VALUES('lunch-nctte9:member:0','k2','2776ea07a1a655c859efda45434e3df361cac6a5f01db1ccd081c78974a2cf67',200,'{"round":null,"slot":null,"values":{"Thai":5},"edit":1,"counts_from":1}',1794955039);
INSERT INTO "answers" VALUES('lunch-nctte9:organiser:0','kfreeze','670be346dc3ddd914d197815284b86542f4fb5cb2ca08f0d4877d26596bad5a2',201,'{"round":1,"kind":"fair","freeze":"2625eb8a0907afcce33a727153f95d187e4b61576970e9c683ebfa004c39389a","block":2,"policy":{"Thai":1.0,"Pizza":0.0},"arm":null,"exploring":0.0,"answered":1}',1794955039);
INSERT INTO "answers" VALUES('lunch-nctte9:organiser:0','kdraw','5dede608980912eebf4bd31f6ba4d47ca97cc60ba8f81eb338785fc958b23ee1',201,'{"round":1,"kind":"fair","arms":["Thai","Thai"],"balls":[5010526848,1285845888],"source":"e812504132faf860dab5b7aafe988e5d9ead47cd9051d9384f3b18d79ee51429"}',1794955039);
INSERT INTO "answers" VALUES('lunch-nctte9:organiser:0','k9','ae595a181801de4d6caa876c9209754c55bb233b4e267ab6d69d00a7f5970559',200,'{"timetable":{"recurrence":"daily","time":"12:00","zone":"UTC","start":"2026-11-17","lead":60,"base":1}}',1794955039);
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
INSERT INTO "events" VALUES('lunch-nctte9',1,'charter','charter','lunch-nctte9:organiser:0',1794955039,'{}','{"arms":["Thai","Pizza"],"block":null,"explore_max":"1/5","format":"isegoria record","group":"1d6d856efe67b5543e781ae8e574d72b","learner":null,"line":"charter","prev":"0000000000000000000000000000000000000000000000000000000000000000","privacy":"ballots","rules":{"close":"freeze","late":"next","tie":"centre","trial":"none"},"scale":["0","5"],"settings":{},"software":"isegoria 0.1.0","source":{"fallback":[],"kind":"rehearsal"},"title":"Lunch","units":3724680960,"version":1}','0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO "events" VALUES('lunch-nctte9',2,'roster:1','roster','lunch-nctte9:organiser:0',1794955039,'{}','{"joined":[0,1],"left":[],"line":"roster","members":[{"commitment":"4f0e4f5f5ca5dd1941c91db72d14d02a47d2cb9a66ec16767f1fe4eae61fd292","key":null,"weight":1},{"commitment":"43a6db67a005d35c260608f49addd69fdfc9a6da24b22e463f6cae7541844a7f","key":null,"weight":1}],"prev":"fca2f953bd252feb9b4b86c4467e68457a5bd029a183f0170659a202a89f0eb8","version":1}','fca2f953bd252feb9b4b86c4467e68457a5bd029a183f0170659a202a89f0eb8');
INSERT INTO "events" VALUES('lunch-nctte9',3,'rate:0:0:1','rate','lunch-nctte9:member:0',1794955039,'{"member":0,"round":null,"slot":null,"values":{"0":"5"}}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-nctte9',4,'close:1','close','lunch-nctte9:organiser:0',1794955039,'{"occasion":null}',NULL,NULL);
INSERT INTO "events" VALUES('lunch-nctte9',5,'freeze:1','freeze','lunch-nctte9:organiser:0',1794955039,'{"tree":[[0,"95ff7d5bd55b176771ef8c7d6ffd3059271727cabba990a9f5ba49efed1995af"]]}','{"answered":1,"arm":null,"available":[0,1],"block":2,"event":null,"explore":[0,0],"form":null,"kind":"fair","line":"freeze","occasion":null,"prev":"b84814f53cf10649bb376b28718ff09e2538a3de0cfafa7d1f74796cf1c9ffe3","roster":1,"round":1,"source_round":null,"tally_root":"95ff7d5bd55b176771ef8c7d6ffd3059271727cabba990a9f5ba49efed1995af","types":[{"set":[0],"units":[3724680960,0],"weight":1,"who":["672e40936059ab2bfb092a22030c8290c850718f3a1865c5"]},{"set":[0,1],"units":[3724680960,0],"weight":1,"who":["b636973d1a84839c542e174825616f86a62e42fde6709675"]}],"voices":[7449361920,0]}','b84814f53cf10649bb376b28718ff09e2538a3de0cfafa7d1f74796cf1c9ffe3');
INSERT INTO "events" VALUES('lunch-nctte9',6,'draw:1','draw','lunch-nctte9:organiser:0',1794955039,'{}','{"arms":[0,0],"balls":[5010526848,1285845888],"line":"draw","prev":"2625eb8a0907afcce33a727153f95d187e4b61576970e9c683ebfa004c39389a","round":1,"signatures":[],"source_bytes":"e812504132faf860dab5b7aafe988e5d9ead47cd9051d9384f3b18d79ee51429"}','2625eb8a0907afcce33a727153f95d187e4b61576970e9c683ebfa004c39389a');
INSERT INTO "events" VALUES('lunch-nctte9',7,'setting:7','setting','lunch-nctte9:organiser:0',1794955039,'{"timetable":{"base":1,"lead":60,"recurrence":"daily","start":"2026-11-17","time":"12:00","zone":"UTC"}}',NULL,NULL);
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
INSERT INTO "groups" VALUES('lunch-nctte9',1794955039,1794955039,7,4,'9147b2ad1870dd6bb871ff38baee1d9133e9c6589c3299ab52475a75dbeed0af',1794955039,'{"secret":"05e965b35207ba569e80eae72f6b72b9e3facb00225c99cec3ae369338f0a345"}');
CREATE TABLE people (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    name TEXT,
    secrets TEXT,
    PRIMARY KEY (grp, number)
);
INSERT INTO "people" VALUES('lunch-nctte9',0,'Ann','{"salt":"c1a31fb35bb33ec6eea1e2b5be6047b6ebff1a819810357c8aa25f7cf00c9a07","secret":"9ababe0cc5f6951928c75b60ccc5f0b47d8c130f36ef54f33c745133a86d0097"}');
INSERT INTO "people" VALUES('lunch-nctte9',1,'Bob','{"salt":"a83f5b7b07f6efe06b6ff40166324d66ede9fb440e6c3af741ec8165ab1022bb","secret":"25a89344bd333ec1ad83fdb99f8d28097b2849376ac3697641848e2f355b5dcb"}');
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
INSERT INTO "tokens" VALUES('a0af3e8e6e054bd51462dee0f8d07c70b6db320486d705940fc443ed4b9bbed2','lunch-nctte9','organiser',0,1794955039,NULL);
INSERT INTO "tokens" VALUES('ef7bccee0814b4ab8401ff36674f51c49768dfd30b505ada1f0950ab8fc6d798','lunch-nctte9','member',0,1794955039,NULL);
INSERT INTO "tokens" VALUES('814e8d40273af5cfc3096e421c38f8647eee1d06dbafc4bf3c8886b6c91051e2','lunch-nctte9','member',1,1794955039,NULL);
CREATE INDEX groups_due ON groups (due);
CREATE INDEX tokens_grp ON tokens (grp);
CREATE INDEX answers_at ON answers (at);
