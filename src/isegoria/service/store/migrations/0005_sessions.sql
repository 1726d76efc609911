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
CREATE INDEX sessions_grp ON sessions (grp, role, number);
