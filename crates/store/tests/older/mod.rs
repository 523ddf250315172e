//! Stores as older versions made them.
//!
//! The tables are written down here once more, so that a change of an old step of the schema is seen.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::path::Path;

use rusqlite::Connection;

/// The tables of version 1: runs and phases.
const RUNS_AND_PHASES: &str = "
    CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, method TEXT NOT NULL, target TEXT NOT NULL,
        settings TEXT NOT NULL, environment TEXT NOT NULL, started_unix_ms INTEGER NOT NULL,
        pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, boot TEXT NOT NULL,
        ended TEXT CHECK (ended IN ('finished', 'failed')), result TEXT, reason TEXT);
    CREATE TABLE phases (number INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, name TEXT NOT NULL,
        done INTEGER NOT NULL, workload TEXT NOT NULL, record TEXT NOT NULL, UNIQUE (run, name));
    INSERT INTO runs (id, method, target, settings, environment, started_unix_ms, pid, pid_start, boot, ended,
        result, reason) VALUES
        (1, 'full-scan', './a', '{}', '{}', 10, 4711, 1, 'a boot', 'finished', '{\"phases\":[1,2]}', NULL),
        (2, 'full-scan', './b', '{\"seed\":2}', '{}', 20, 4712, 1, 'a boot', NULL, NULL, NULL),
        (3, 'full-scan', './c', '{}', '{}', 30, 4713, 1, 'a boot', 'failed', NULL, 'the cable'),
        (5, 'full-scan', './d', '{}', '{}', 50, 4713, 1, 'a boot', 'finished', '{\"phases\":[]}', NULL);
    INSERT INTO phases (run, name, done, workload, record) VALUES
        (1, 'read', 1, '{}', '1'), (1, 'write', 1, '{}', '2'),
        (2, 'read', 1, '{}', '3'), (2, 'write', 0, '{}', '4'), (3, 'read', 1, '{}', '5');
    DELETE FROM runs WHERE id = 5;";

/// What version 2 added: plans.
const PLANS: &str = "
    CREATE TABLE plans (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, document TEXT NOT NULL,
        started_unix_ms INTEGER NOT NULL, pid INTEGER NOT NULL, pid_start INTEGER NOT NULL,
        boot TEXT NOT NULL, ended TEXT CHECK (ended IN ('finished', 'failed')));
    ALTER TABLE runs ADD COLUMN plan INTEGER REFERENCES plans (id) ON DELETE SET NULL;
    ALTER TABLE runs ADD COLUMN step INTEGER;
    CREATE UNIQUE INDEX runs_of_plans ON runs (plan, step) WHERE plan IS NOT NULL;
    INSERT INTO plans (id, name, document, started_unix_ms, pid, pid_start, boot, ended) VALUES
        (1, 'quick', '{\"steps\":2}', 5, 4712, 1, 'a boot', NULL);
    UPDATE runs SET plan = 1, step = id WHERE id <= 2;";

/// What version 3 changed: phases of finished runs are in their results alone.
const PHASES_ONCE: &str =
    "DELETE FROM phases WHERE run IN (SELECT id FROM runs WHERE ended = 'finished');";

/// What version 4 added: how a run's drive went away.
const AWAY: &str = "ALTER TABLE runs ADD COLUMN away TEXT;";

/// The migration from each version to the next, with its own rows.
pub(crate) const VERSIONS: [&str; 4] = [RUNS_AND_PHASES, PLANS, PHASES_ONCE, AWAY];

/// Makes a store of a version.
pub(crate) fn make(path: &Path, version: usize) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .unwrap();
    for sql in &VERSIONS[..version] {
        connection.execute_batch(sql).unwrap();
    }
    let number = |name, value: i64| connection.pragma_update(None, name, value).unwrap();
    number("application_id", 0x6472_766c);
    number("user_version", version as i64);
    connection
}
