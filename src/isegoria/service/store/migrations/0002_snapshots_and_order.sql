CREATE TABLE snapshots (
    grp TEXT PRIMARY KEY REFERENCES groups (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    head TEXT NOT NULL,
    state TEXT NOT NULL
);
CREATE INDEX groups_due ON groups (due);
CREATE INDEX tokens_grp ON tokens (grp);
CREATE INDEX answers_at ON answers (at);
