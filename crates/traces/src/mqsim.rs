//! MQSim's ascii traces: `ARRIVAL_ns DEVICE FIRST_SECTOR SECTORS TYPE`, sectors of 512 bytes, type 1 a
//! read and 0 a write. Source: the README of MQSim (Tavakkol et al., FAST 2018), "Trace-based workloads".

use std::collections::VecDeque;

use super::{Moment, Parser, Traced, device_of, io_of_sectors, number};
use base::io::{Io, Op};
use base::time::Duration;

pub(super) const FORM: &str = "ARRIVAL_ns DEVICE FIRST_SECTOR SECTORS 0|1";

pub(super) struct Mqsim;

impl Parser for Mqsim {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        let mut words = text.split_whitespace();
        let nanos = number(words.next(), "arrival time in ns", FORM)?;
        let device = device_of(words.next().unwrap_or_default());
        let first = number(words.next(), "first sector", FORM)?;
        let sectors = number(words.next(), "number of sectors", FORM)?;
        let op = match words.next() {
            Some("1") => Op::Read,
            Some("0") => Op::Write,
            other => {
                let other = other.unwrap_or_default();
                return Err(format!(
                    "unknown type '{other}' (expected 0 or 1); line format: {FORM}"
                ));
            }
        };
        let at = Duration::from_nanos(nanos);
        out.extend(io_of_sectors(op, first, sectors, FORM)?.map(|io| Traced {
            sent: Moment { at, line },
            done: None,
            io,
            device,
            late: false,
        }));
        Ok(())
    }
}

/// One line.
pub(super) fn write(out: &mut String, nanos: u64, io: &Io) {
    out.push_str(&format!(
        "{nanos} 0 {} {} {}\n",
        io.offset.get() / 512,
        io.len.get() / 512,
        u8::from(io.op == Op::Read)
    ));
}
