-- When a first letter was sent to the address with this hash, for a day: all processes share the limits.
CREATE TABLE first_letters (
    hash TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX first_letters_at ON first_letters (at);
