-- A database as the first migration left it, with rows. Its tables repeat 0001_first.sql on purpose: what was written
-- then stays as it was, whatever becomes of the migration.
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
CREATE TABLE people (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    name TEXT,
    secrets TEXT,
    PRIMARY KEY (grp, number)
);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY,
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    number BIGINT NOT NULL,
    issued BIGINT NOT NULL,
    used BIGINT
);
CREATE TABLE answers (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    status BIGINT NOT NULL,
    body TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (actor, key)
);
INSERT INTO schema_version (version) VALUES (1);
INSERT INTO groups (id, made, touched, length, lines, head, due, vault) VALUES ('lunch-old', 1700000000, 1700000200, 3, 2, 'bb', 1700003600, '{"secret": "00"}');
INSERT INTO events (grp, seq, key, kind, actor, at, body, line, prev) VALUES ('lunch-old', 1, 'charter', 'charter', 'lunch-old:organiser:0', 1700000000, '{}', '{"line":"charter"}', '00');
INSERT INTO events (grp, seq, key, kind, actor, at, body, line, prev) VALUES ('lunch-old', 2, 'roster:1', 'roster', 'lunch-old:organiser:0', 1700000000, '{}', '{"line":"roster"}', 'aa');
INSERT INTO events (grp, seq, key, kind, actor, at, body, line, prev) VALUES ('lunch-old', 3, 'rate:0:1:1', 'rate', 'lunch-old:member:1', 1700000200, '{"values": {"0": "1"}}', NULL, NULL);
INSERT INTO people (grp, number, name, secrets) VALUES ('lunch-old', 1, 'Ann', '{}');
INSERT INTO people (grp, number, name, secrets) VALUES ('lunch-old', 2, 'Bob', '{}');
INSERT INTO tokens (hash, grp, role, number, issued, used) VALUES ('h1', 'lunch-old', 'member', 1, 1700000000, NULL);
