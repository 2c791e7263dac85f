-- What a person chose for all rooms; NULL follows the config.

CREATE TABLE people (
    user     TEXT PRIMARY KEY,            -- connector:author id
    language TEXT,                        -- the language of replies
    zone     TEXT                         -- IANA time zone
) STRICT, WITHOUT ROWID;

ALTER TABLE turns ADD COLUMN language TEXT NOT NULL DEFAULT '';      -- of the reply
ALTER TABLE turns ADD COLUMN strategy TEXT NOT NULL DEFAULT '';      -- how the model was asked; '' where it was not
ALTER TABLE turns ADD COLUMN thought_s REAL NOT NULL DEFAULT 0;      -- how long it thought before it wrote

ALTER TABLE outbox ADD COLUMN labels TEXT NOT NULL DEFAULT '[]';     -- how the answer came about, in short
