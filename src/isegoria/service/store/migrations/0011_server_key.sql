-- The server key under which this store seals what it must show again, by its id. The key itself is in a file.
CREATE TABLE server_key (
    id TEXT PRIMARY KEY
);
