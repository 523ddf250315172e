//! DiskSim's ascii traces: `ARRIVAL_ms DEVICE FIRST_BLOCK BLOCKS FLAGS`, blocks of 512 bytes, flags in hexadecimal
//! digits, whose lowest bit marks a read. Source: the DiskSim 4.0 reference manual (Bucy, Schindler, Schlosser, Ganger,
//! CMU-PDL-08-101), "Input workload specification".

use std::collections::VecDeque;

use super::{Moment, Parser, Traced, decimal_time, device_of, io_of_sectors, number};
use base::io::{Io, Op};

pub(super) const FORM: &str = "ARRIVAL_ms DEVICE FIRST_BLOCK BLOCKS FLAGS";

pub(super) struct Disksim;

impl Parser for Disksim {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        let mut words = text.split_whitespace();
        let time = words.next().unwrap_or_default();
        let at = decimal_time(time, 1_000_000)
            .ok_or_else(|| format!("'{time}' is not a time in ms; line format: {FORM}"))?;
        let device = device_of(words.next().unwrap_or_default());
        let first = number(words.next(), "first block", FORM)?;
        let blocks = number(words.next(), "number of blocks", FORM)?;
        let flags = words.next().unwrap_or_default();
        let digits = flags.trim_start_matches("0x");
        let bits = u32::from_str_radix(digits, 16)
            .map_err(|_| format!("'{flags}' are not flags; line format: {FORM}"))?;
        let op = if bits & 1 == 1 { Op::Read } else { Op::Write };
        out.extend(io_of_sectors(op, first, blocks, FORM)?.map(|io| Traced {
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
    let (ms, part) = (nanos / 1_000_000, nanos % 1_000_000);
    out.push_str(&format!(
        "{ms}.{part:06} 0 {} {} {}\n",
        io.offset.get() / 512,
        io.len.get() / 512,
        u8::from(io.op == Op::Read)
    ));
}
