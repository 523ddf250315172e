//! The csv of Tencent's block traces: nine days of a cloud's virtual disks.
//!
//! `Timestamp,Offset,Size,IOType,VolumeID`: Unix time in whole seconds, sectors of 512 bytes, 0 a read and 1 a write; no
//! response times. The order within a second is that of the file, and all I/Os of a second are due at once: what waits
//! behind what is not the original's. Source: Zhang et al., "OSCA: an online-model based cache allocation scheme in
//! cloud block storage systems", ATC 2020, and the README in SNIA's IOTTA repository.

use std::collections::VecDeque;

use super::{Fields, Parser, Traced, io_of_sectors, sent_only};

pub(super) const FORM: &str = "TIMESTAMP_s,OFFSET_sectors,SIZE_sectors,0|1,VOLUME";

pub(super) struct Tencent;

impl Parser for Tencent {
    fn line(&mut self, text: &str, line: u64, out: &mut VecDeque<Traced>) -> Result<(), String> {
        let mut fields = Fields::of(text, FORM);
        let seconds = fields.number("time stamp")?;
        let (first, sectors) = (fields.number("offset")?, fields.number("size")?);
        let kind = fields.text();
        let op = fields.op_of(kind, "0", "1")?;
        let device = fields.text();
        let io = io_of_sectors(op, first, sectors, FORM)?;
        out.extend(sent_only(
            io,
            seconds.checked_mul(1_000_000_000),
            device,
            line,
            FORM,
        )?);
        Ok(())
    }
}
