//! The format of the Storage Performance Council, known from the UMass repository (OLTP of financial institutions, a
//! search engine).
//!
//! `ASU,LBA,Size,Opcode,Timestamp[,...]`: the logical unit, its block, bytes, `R` or `W`, seconds since the start; further
//! fields are free. The size of a block is not in the file: 512 bytes, as in the traces of UMass. Source: SPC, "SPC
//! trace file format specification", revision 1.0.1, 2002.

use std::collections::VecDeque;

use super::{Fields, Parser, Traced, io_of, sent_only};

pub(super) const FORM: &str = "ASU,LBA_512_bytes,SIZE_bytes,R|W,TIMESTAMP_s[,...]";

#[derive(Default)]
pub(super) struct Spc;

impl Parser for Spc {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        let mut fields = Fields::of(text, FORM);
        let unit = fields.text();
        let (block, size) = (fields.number("block")?, fields.number("size")?);
        let kind = fields.text();
        let op = fields.op_of(kind, "R", "W")?;
        let at = fields.text();
        let at = fields.seconds_of(at)?;
        let beyond = || format!("block {block} is beyond any drive; line format: {FORM}");
        let io = io_of(op, block.checked_mul(512).ok_or_else(beyond)?, size, FORM)?;
        out.extend(sent_only(io, Some(at.as_nanos()), unit, line, FORM)?);
        Ok(())
    }
}
