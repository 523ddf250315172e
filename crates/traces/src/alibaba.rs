//! The csv of Alibaba's block traces: a month of a cloud's virtual disks.
//!
//! `device_id,opcode,offset,length,timestamp`: `R` or `W`, bytes, Unix time in us; no header line, no response times.
//! Source: Li et al., "An in-depth analysis of cloud block storage workloads in large-scale production", IISWC 2020, and
//! the README of the traces.

use std::collections::VecDeque;

use super::{Fields, Parser, Traced, sent_only};

pub(super) const FORM: &str = "DEVICE,R|W,OFFSET_bytes,LENGTH_bytes,TIMESTAMP_us";

pub(super) struct Alibaba;

impl Parser for Alibaba {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        let mut fields = Fields::of(text, FORM);
        let device = fields.text();
        let kind = fields.text();
        let op = fields.op_of(kind, "R", "W")?;
        let (offset, length) = (fields.number("offset")?, fields.number("length")?);
        let micros = fields.number("time stamp")?;
        let io = super::io_of(op, offset, length, FORM)?;
        out.extend(sent_only(
            io,
            micros.checked_mul(1_000),
            device,
            line,
            FORM,
        )?);
        Ok(())
    }
}
