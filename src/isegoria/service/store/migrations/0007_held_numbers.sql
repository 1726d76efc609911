CREATE TABLE held (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    slip TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (grp, number)
);
