CREATE TABLE starts (
    hash TEXT PRIMARY KEY,
    made BIGINT NOT NULL
);
