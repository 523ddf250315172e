//! Identifies the process that writes a run, to distinguish an active run from one left by a kill.
//!
//! A process number alone is not enough, since numbers are used again. Linux gives each process its start time
//! in clock ticks since boot (field 22 of `/proc/PID/stat`, see proc(5)) and each boot a random id
//! (`/proc/sys/kernel/random/boot_id`): the three together name one process for ever.

use rusqlite::OptionalExtension;
use std::fs;

/// One process, for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) pid: u32,
    /// Start time, in clock ticks since boot; 0 if `/proc` is not available.
    pub(crate) start_ticks: i64,
    /// The boot id; empty if `/proc` is not available.
    pub(crate) boot: String,
}

impl Owner {
    /// This process.
    pub(crate) fn this_process() -> Owner {
        let pid = std::process::id();
        Owner {
            pid,
            start_ticks: start_ticks(pid).unwrap_or(0),
            boot: boot_id(),
        }
    }

    /// The owner in three columns of a row, from this one on.
    pub(crate) fn of(row: &rusqlite::Row, from: usize) -> rusqlite::Result<Owner> {
        Ok(Owner {
            pid: row.get(from)?,
            start_ticks: row.get(from + 1)?,
            boot: row.get(from + 2)?,
        })
    }

    /// Who works at a row of a table, and how that ended, if it has; nothing where there is no such row.
    pub(crate) fn in_table(
        connection: &rusqlite::Connection,
        table: &str,
        id: i64,
    ) -> rusqlite::Result<Option<(Owner, Option<String>)>> {
        let query = format!("SELECT pid, pid_start, boot, ended FROM {table} WHERE id = ?1");
        let read = |row: &rusqlite::Row| Ok((Owner::of(row, 0)?, row.get(3)?));
        connection.query_row(&query, [id], read).optional()
    }

    /// Nobody: a run whose process gave it up.
    pub(crate) fn nobody() -> Owner {
        Owner {
            pid: 0,
            start_ticks: 0,
            boot: String::new(),
        }
    }

    /// Whether the process is alive. Process number 0 means none.
    pub(crate) fn lives(&self) -> bool {
        self.pid != 0 && self.boot == boot_id() && start_ticks(self.pid) == Some(self.start_ticks)
    }
}

fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .trim()
        .to_string()
}

fn start_ticks(pid: u32) -> Option<i64> {
    parse_start_ticks(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Field 22 of a `stat` line. Field 2 is the program's name in parentheses and may itself contain spaces and
/// parentheses, so counting starts after the last one, where field 3 begins. A process that has ended but was not
/// waited for (state `Z` or `X` in field 3) counts as dead.
fn parse_start_ticks(stat: &str) -> Option<i64> {
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(22 - 4)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str =
        "4711 (odd) name (1) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 98765 20";

    #[test]
    fn the_start_is_read_behind_a_name_with_brackets() {
        assert_eq!(parse_start_ticks(STAT), Some(98765));
    }

    #[test]
    fn a_process_that_has_ended_has_no_start() {
        assert_eq!(parse_start_ticks(&STAT.replace(") S", ") Z")), None);
        assert_eq!(parse_start_ticks("4711 (cut) S 1"), None);
        assert_eq!(parse_start_ticks(""), None);
    }

    #[test]
    fn this_process_lives() {
        assert!(Owner::this_process().lives());
    }

    #[test]
    fn a_number_used_again_is_another_process() {
        let me = Owner::this_process();
        assert!(
            !Owner {
                start_ticks: me.start_ticks - 1,
                ..me.clone()
            }
            .lives()
        );
        assert!(
            !Owner {
                boot: "another boot".to_string(),
                ..me
            }
            .lives()
        );
        assert!(!Owner::nobody().lives());
    }
}
