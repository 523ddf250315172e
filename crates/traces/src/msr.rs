//! The csv of the MSR Cambridge traces: a week of the volumes of a data centre's servers.
//!
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`: the time in Windows' file time (100 ns since 1601),
//! `Read` or `Write`, bytes, and the response time in 100 ns. Header lines, one per joined file, are ignored. Source:
//! Narayanan, Donnelly, Rowstron, "Write off-loading: practical power management for enterprise storage", FAST 2008,
//! and the README in SNIA's IOTTA repository.

use std::collections::VecDeque;

use super::{Moment, Parser, Traced, device_of, io_of, number};
use base::io::{Io, Op};
use base::time::Duration;

pub(super) const FORM: &str =
    "TIMESTAMP_100ns,HOST,DISK,Read|Write,OFFSET_bytes,SIZE_bytes,RESPONSE_TIME_100ns";

pub(super) struct Msr;

impl Parser for Msr {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        let mut fields = text.split(',').map(str::trim);
        let first = fields.next();
        if first.is_some_and(|text| text.eq_ignore_ascii_case("timestamp")) {
            return Ok(());
        }
        let ticks = number(first, "time stamp", FORM)?;
        let (host, disk) = (
            fields.next().unwrap_or_default(),
            fields.next().unwrap_or_default(),
        );
        let device = device_of(host) ^ device_of(disk).rotate_left(7);
        let op = match fields.next().unwrap_or_default() {
            kind if kind.eq_ignore_ascii_case("read") => Op::Read,
            kind if kind.eq_ignore_ascii_case("write") => Op::Write,
            other => {
                return Err(format!(
                    "'{other}' is not Read or Write; line format: {FORM}"
                ));
            }
        };
        let offset = number(fields.next(), "offset", FORM)?;
        let size = number(fields.next(), "size", FORM)?;
        let response = number(fields.next(), "response time", FORM)?;
        let nanos = |ticks: u64| {
            let nanos = ticks.checked_mul(100);
            nanos.ok_or_else(|| format!("'{ticks}' is not a time; line format: {FORM}"))
        };
        let at = nanos(ticks)?;
        let done = Duration::from_nanos(at.saturating_add(nanos(response)?));
        let at = Duration::from_nanos(at);
        out.extend(io_of(op, offset, size, FORM)?.map(|io| Traced {
            sent: Moment { at, line },
            done: Some(Moment { at: done, line: 0 }),
            io,
            device,
            late: false,
        }));
        Ok(())
    }
}

/// One line; `ticks` are 100 ns.
pub(super) fn write(out: &mut String, ticks: u64, io: &Io, response_ticks: u64) {
    let kind = if io.op == Op::Read { "Read" } else { "Write" };
    // Some day of 2007, as in the original: a reader may take small numbers for no file time.
    let at = 128_166_372_000_000_000 + ticks;
    out.push_str(&format!(
        "{at},drivelab,0,{kind},{},{},{response_ticks}\n",
        io.offset.get(),
        io.len.get()
    ));
}
