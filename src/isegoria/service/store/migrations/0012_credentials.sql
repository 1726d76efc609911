-- How a device was let in, who typed an address, who objects that a name was taken, and who agrees to publish a record.
ALTER TABLE tokens ADD COLUMN how TEXT NOT NULL DEFAULT 'organiser_link';
ALTER TABLE sessions ADD COLUMN how TEXT NOT NULL DEFAULT 'organiser_link';
ALTER TABLE contacts ADD COLUMN typed_by TEXT NOT NULL DEFAULT 'organiser';
CREATE TABLE objections (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    device TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (grp, number, device)
);
CREATE TABLE consents (
    grp TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (grp, number)
);
