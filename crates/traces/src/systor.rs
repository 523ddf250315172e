//! The csv of the SYSTOR '17 traces: four weeks of virtual desktops on an array of flash, one file an hour and LUN.
//!
//! `Timestamp,Response,IOType,LUN,Offset,Size`: Unix time and response time in seconds, `R` or `W`, bytes. Where the
//! recorder saw no reply, the kind is empty: nobody can say what to replay, and the line is skipped. Some copies begin
//! with a header line. Source: Lee et al., "Understanding storage traffic characteristics on enterprise virtual desktop
//! infrastructure", SYSTOR 2017, and the README of the traces in SNIA's IOTTA repository.

use std::collections::VecDeque;

use super::{Fields, Moment, Parser, Traced, device_of, io_of};

pub(super) const FORM: &str = "TIMESTAMP_s,RESPONSE_TIME_s,R|W,LUN,OFFSET_bytes,SIZE_bytes";

pub(super) struct Systor;

impl Parser for Systor {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        let mut fields = Fields::of(text, FORM);
        let first = fields.text();
        if first.eq_ignore_ascii_case("timestamp") {
            return Ok(());
        }
        let at = fields.seconds_of(first)?;
        let response = fields.text();
        let kind = fields.text();
        if kind.is_empty() {
            return Ok(());
        }
        let response = fields.seconds_of(response)?;
        let op = fields.op_of(kind, "R", "W")?;
        let device = device_of(fields.text());
        let (offset, size) = (fields.number("offset")?, fields.number("size")?);
        let done = at.saturating_add(response);
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
