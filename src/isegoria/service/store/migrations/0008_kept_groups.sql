-- Copies, so that nothing is replayed from its beginning: groups as they stood, their rounds of long ago, and what a
-- member was promised and given so far. Each says no more than the log does, and may be dropped at any time.
CREATE TABLE kept (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    program TEXT NOT NULL,
    place BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (grp, program, place)
);
CREATE TABLE counts (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (grp, number)
);
