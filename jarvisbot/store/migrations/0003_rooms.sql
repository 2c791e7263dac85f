-- What a message quotes; rooms that moved; people who were let in by a code.

ALTER TABLE inbox ADD COLUMN quoted TEXT NOT NULL DEFAULT '';        -- with its author's name in front

ALTER TABLE conversations ADD COLUMN moved_to TEXT;                  -- the key under which it goes on

CREATE TABLE members (
    user    TEXT PRIMARY KEY,             -- connector:author id
    name    TEXT NOT NULL,                -- for display
    paired  INTEGER NOT NULL,
    by      TEXT NOT NULL                 -- the admin who let them in
) STRICT, WITHOUT ROWID;

CREATE TABLE pairings (
    user    TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    salt    TEXT NOT NULL,
    hash    TEXT NOT NULL,                -- of the code, which itself is nowhere
    made    INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
