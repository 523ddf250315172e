//! Where a job's I/Os go: its files, and its region of each.

use super::Options;
use super::kinds::{self, Service};
use crate::units::{self, Amount};

/// The region of each file, in bytes, per cent of the file, or zones.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    pub size: Option<Amount>,
    /// Bytes in all, where they are not the region's.
    pub io_size: Option<Amount>,
    /// Bytes of each file.
    pub file_size: Option<u64>,
    /// Begin of the region.
    pub offset: Amount,
    /// Added for each of the job's copies.
    pub offset_increment: Amount,
    /// Offsets are multiples of this many bytes.
    pub offset_align: u64,
}

/// The files of a job: named ones, or `count` others in a directory.
#[derive(Clone, Debug, PartialEq)]
pub struct Files {
    pub names: Vec<String>,
    pub directory: Option<String>,
    /// Number of files, where none is named.
    pub count: u32,
    /// Which file is next.
    pub service: Service,
}

/// The region; without a size of its own where the job `fills` the device.
pub(super) fn region(o: &mut Options<'_>, fills: bool) -> Region {
    let amount = |text: &str, base: u64| units::amount(text, base).map(Some);
    let size = o.take("size", None, amount);
    Region {
        size: size.filter(|_| !fills),
        io_size: o.take("io_size", None, amount),
        file_size: o.take("filesize", None, |text, base| {
            units::number(text, base).map(Some)
        }),
        offset: o.take("offset", Amount::Bytes(0), units::amount),
        offset_increment: o.take("offset_increment", Amount::Bytes(0), units::amount),
        offset_align: o.number("offset_align", 0, 0, u64::MAX),
    }
}

pub(super) fn files(o: &mut Options<'_>) -> Files {
    Files {
        names: o.take("filename", Vec::new(), |text, _| Ok(kinds::files(text))),
        directory: o.text("directory"),
        count: o.number("nrfiles", 1, 1, 4_096) as u32,
        service: kinds::service(o),
    }
}
