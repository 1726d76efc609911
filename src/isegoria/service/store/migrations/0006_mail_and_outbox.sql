CREATE TABLE contacts (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    address TEXT,
    language TEXT NOT NULL,
    stop TEXT NOT NULL,
    refused TEXT,
    PRIMARY KEY (grp, number)
);
CREATE INDEX contacts_stop ON contacts (stop);
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
CREATE INDEX outbox_due ON outbox (due);
