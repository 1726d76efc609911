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
