-- Times are whole milliseconds since 1970 in UTC. JSON stands in TEXT columns.

CREATE TABLE connectors (
    name       TEXT PRIMARY KEY,
    since      INTEGER NOT NULL,          -- first start ever: what was sent before is nobody's business
    checkpoint TEXT                       -- the platform's resume token, committed with the rows it stands for
) STRICT;

CREATE TABLE conversations (
    key        TEXT PRIMARY KEY,
    connector  TEXT NOT NULL,
    room       TEXT NOT NULL,
    space      TEXT,
    thread     TEXT,
    fresh_from INTEGER NOT NULL DEFAULT 0 -- turns below this id are not sent to a model any more
) STRICT;

CREATE TABLE inbox (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    connector     TEXT NOT NULL,
    id            TEXT NOT NULL,
    conversation  TEXT NOT NULL REFERENCES conversations (key),
    author_id     TEXT NOT NULL,
    author_name   TEXT NOT NULL,
    text          TEXT NOT NULL,
    attachments   TEXT NOT NULL DEFAULT '[]',
    reply_to      TEXT,
    direct        INTEGER NOT NULL,
    sent          INTEGER NOT NULL,
    received      INTEGER NOT NULL,
    origin        TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'answered', 'failed', 'stopped', 'skipped', 'refused')),
    UNIQUE (connector, id)
) STRICT;

CREATE INDEX inbox_open ON inbox (conversation, seq) WHERE state IN ('waiting', 'running');

CREATE TABLE turns (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation      TEXT NOT NULL REFERENCES conversations (key),
    inbox             INTEGER NOT NULL UNIQUE REFERENCES inbox (seq),
    began             INTEGER NOT NULL,
    ended             INTEGER,
    attempts          INTEGER NOT NULL DEFAULT 1,
    state             TEXT NOT NULL CHECK (state IN ('running', 'answered', 'failed', 'stopped')),
    skill             TEXT,
    stage             TEXT,
    evidence          TEXT,
    findings          TEXT NOT NULL DEFAULT '[]',
    corrected         INTEGER NOT NULL DEFAULT 0,
    wound_down        INTEGER NOT NULL DEFAULT 0,
    prompt_tokens     INTEGER NOT NULL DEFAULT 0,
    cached_tokens     INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX turns_by_conversation ON turns (conversation, id);

CREATE TABLE items (
    turn     INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('system', 'user', 'assistant', 'result')),
    body     TEXT NOT NULL,
    PRIMARY KEY (turn, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
    turn      INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    id        TEXT NOT NULL,
    name      TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result    TEXT NOT NULL,
    ok        INTEGER NOT NULL,
    seconds   REAL NOT NULL,
    PRIMARY KEY (turn, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL REFERENCES conversations (key),
    turn         INTEGER REFERENCES turns (id),
    position     INTEGER NOT NULL,
    text         TEXT,                    -- CommonMark; NULL while it is a draft
    rows         TEXT NOT NULL DEFAULT '[]',
    sources      TEXT NOT NULL DEFAULT '[]',
    reply_to     TEXT,
    problem      INTEGER NOT NULL DEFAULT 0, -- it says what went wrong
    state        TEXT NOT NULL CHECK (state IN ('draft', 'waiting', 'handed', 'sent', 'failed', 'dropped')),
    created      INTEGER NOT NULL,
    UNIQUE (turn, position)
) STRICT;

CREATE INDEX outbox_open ON outbox (conversation, id) WHERE state IN ('draft', 'waiting', 'handed');

CREATE TABLE receipts (
    outbox  INTEGER PRIMARY KEY REFERENCES outbox (id) ON DELETE CASCADE,
    message TEXT NOT NULL,                -- the platform's id
    placed  INTEGER NOT NULL
) STRICT;
