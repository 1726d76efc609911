ALTER TABLE contacts ADD COLUMN confirmed BIGINT;
CREATE TABLE refusals (
    hash TEXT PRIMARY KEY,
    at BIGINT NOT NULL
);
