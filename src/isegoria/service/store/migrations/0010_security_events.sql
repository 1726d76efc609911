CREATE TABLE security_events (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    role TEXT NOT NULL,
    number BIGINT NOT NULL,
    subject_role TEXT NOT NULL,
    subject BIGINT NOT NULL
);
CREATE INDEX security_events_by_group ON security_events (grp, at);
