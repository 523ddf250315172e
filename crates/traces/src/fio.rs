//! fio's iolog, versions 2 and 3.
//!
//! Version 2: `FILE ACTION [OFFSET LENGTH]`, actions `add`, `open`, `close`, `read`, `write`, `trim`, `sync`,
//! `datasync`, and `wait` between two actions, with microseconds instead of the offset. Version 3 has a time stamp
//! before each line, in microseconds since the job began, and no `wait`. Offsets and lengths are bytes. fio does not
//! write completions, so dependencies are unknown. Source: fio's HOWTO, "Trace file format v2/v3", and `log_io_u()` of
//! its `iolog.c`, which writes microseconds. A header in the middle means that logs were joined: each follows the
//! previous one.

use std::collections::VecDeque;

use super::{MOST, Moment, Parser, Traced, device_of, io_of, number};
use base::io::{Io, Op};
use base::time::Duration;

pub(super) const FORM_V2: &str =
    "FILE read|write|trim|sync|datasync|wait|add|open|close [OFFSET LENGTH]";
pub(super) const FORM_V3: &str =
    "TIMESTAMP_us FILE read|write|trim|sync|datasync|add|open|close [OFFSET LENGTH]";

pub(super) struct Iolog {
    version: u8,
    /// Time so far, by the waits; microseconds.
    waited: u64,
    /// When the log that is being read began, and the latest time so far; microseconds.
    begins: u64,
    latest: u64,
}

impl Iolog {
    pub(super) fn version_2() -> Iolog {
        Iolog {
            version: 2,
            waited: 0,
            begins: 0,
            latest: 0,
        }
    }

    pub(super) fn version_3() -> Iolog {
        Iolog {
            version: 3,
            waited: 0,
            begins: 0,
            latest: 0,
        }
    }
}

impl Parser for Iolog {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        if let Some(head) = text.strip_prefix("fio version") {
            (self.waited, self.begins) = (0, self.latest);
            self.version = match head.split_whitespace().next() {
                Some("2") => 2,
                Some("3") => 3,
                _ => return Err("of fio's logs, versions 2 and 3 are read".to_owned()),
            };
            return Ok(());
        }
        let form = if self.version == 2 { FORM_V2 } else { FORM_V3 };
        let mut words = text.split_whitespace();
        let micros = match self.version {
            2 => self.waited,
            _ => number(words.next(), "time stamp", form)?,
        };
        let micros = self.begins.saturating_add(micros);
        self.latest = self.latest.max(micros);
        let (file, action) = (words.next().unwrap_or_default(), words.next());
        let op = match action {
            Some("add" | "open" | "close") => return Ok(()),
            Some("wait") if self.version == 2 => {
                let wait = number(words.next(), "time to wait", form)?;
                self.waited = self.waited.saturating_add(wait).min(MOST);
                self.latest = self.latest.max(self.begins.saturating_add(self.waited));
                return Ok(());
            }
            Some("read") => Op::Read,
            Some("write") => Op::Write,
            Some("trim") => Op::Trim,
            Some("sync" | "datasync") => Op::Flush,
            Some(other) => return Err(format!("'{other}' is not an action; line format: {form}")),
            None => return Err(format!("an action is missing; line format: {form}")),
        };
        let (offset, len) = if op == Op::Flush {
            (0, 0)
        } else {
            (
                number(words.next(), "offset", form)?,
                number(words.next(), "length", form)?,
            )
        };
        let nanos = micros
            .checked_mul(1_000)
            .filter(|nanos| *nanos < MOST)
            .ok_or_else(|| format!("'{micros}' is not a time; line format: {form}"))?;
        out.extend(io_of(op, offset, len, form)?.map(|io| Traced {
            sent: Moment {
                at: Duration::from_nanos(nanos),
                line,
            },
            done: None,
            io,
            device: device_of(file),
            late: false,
        }));
        Ok(())
    }
}

/// The lines before the actions.
pub(super) fn head(version: u8) -> String {
    let stamp = if version == 3 { "0 " } else { "" };
    format!("fio version {version} iolog\n{stamp}target add\n{stamp}target open\n")
}

/// The lines after the last action, at its time in microseconds.
pub(super) fn tail(version: u8, micros: u64) -> String {
    match version {
        3 => format!("{micros} target close\n"),
        _ => "target close\n".to_owned(),
    }
}

fn action(io: &Io) -> String {
    match io.op {
        Op::Flush => "target sync 0 0".to_owned(),
        op => format!("target {} {} {}", op.name(), io.offset.get(), io.len.get()),
    }
}

/// A line of version 3.
pub(super) fn write_v3(out: &mut String, micros: u64, io: &Io) {
    out.push_str(&format!("{micros} {}\n", action(io)));
}

/// The lines of version 2: a wait, where time has passed, and the action.
pub(super) fn write_v2(out: &mut String, waited: u64, io: &Io) {
    if waited > 0 {
        out.push_str(&format!("target wait {waited} 0\n"));
    }
    out.push_str(&format!("{}\n", action(io)));
}
