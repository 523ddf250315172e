//! One I/O, as submitted to a target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::size::Bytes;
use crate::zone::Zoning;

/// What an I/O does.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
#[schemars(rename = "Operation")]
pub enum Op {
    /// Fetch data.
    Read = 0,
    /// Store data.
    Write = 1,
    /// Tell the drive that data are no longer needed.
    Trim = 2,
    /// Bring everything acknowledged so far to stable storage.
    Flush = 3,
}

impl Op {
    /// All operations, in the order of their numbers.
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Flush];

    /// The operation's name in figures and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Flush => "flush",
        }
    }
}

/// What written data look like to a drive that compresses or deduplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// The kind of bytes.
    pub kind: FillKind,
    /// Share of each 4 KiB that is zeros, in per cent; used by the random kinds.
    pub compressible_percent: u8,
}

/// The kinds of data a write carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FillKind {
    /// Random bytes that never repeat: nothing for a drive to compress or to deduplicate.
    #[default]
    Fresh,
    /// Random bytes that are the same in every MiB, as CrystalDiskMark writes.
    RepeatEachMib,
    /// All 0x00.
    Zeros,
    /// All 0xFF.
    Ones,
    /// A few bytes over and over, from the beginning of each write.
    Pattern {
        /// The bytes, the first in the lowest bits.
        bytes: u64,
        /// How many of them: 1 to 8.
        len: u8,
    },
    /// Every sector carries its address, generation and checksum: see [`crate::label`]. A read of a job with such a fill is checked
    /// against it.
    Labelled {
        /// The generation of the write at this position, from 1: at most [`crate::label::MOST_GENERATIONS`].
        generation: u16,
    },
}

impl Fill {
    /// Incompressible, never repeating.
    pub const FRESH: Fill = Fill {
        kind: FillKind::Fresh,
        compressible_percent: 0,
    };
    /// Labelled sectors of a generation: see [`crate::label`].
    pub const fn labelled(generation: u16) -> Fill {
        Fill {
            kind: FillKind::Labelled { generation },
            compressible_percent: 0,
        }
    }
    /// All 0x00.
    pub const ZEROS: Fill = Fill {
        kind: FillKind::Zeros,
        compressible_percent: 0,
    };
}

/// One read, write, trim or flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// What to do.
    pub op: Op,
    /// What written data look like.
    pub fill: Fill,
    /// First byte.
    pub offset: Bytes,
    /// Number of bytes; zero for a flush.
    pub len: Bytes,
    /// Seeds the bytes of a write: equal stamps write equal bytes.
    pub stamp: u64,
    /// Of a write: complete only when its data are on stable storage ("force unit access", FUA), as if
    /// a flush of these data alone were part of it.
    pub durable: bool,
    /// What it does to a zone of a zoned target ([`crate::zone`]); nothing for an ordinary I/O.
    pub zone: Option<Zoning>,
}

impl Io {
    /// A read of `len` bytes at `offset`.
    pub const fn read(offset: Bytes, len: Bytes) -> Io {
        Io {
            op: Op::Read,
            fill: Fill::FRESH,
            offset,
            len,
            stamp: 0,
            durable: false,
            zone: None,
        }
    }
    /// A write of `len` fresh bytes at `offset`, made from `stamp`.
    pub const fn write(offset: Bytes, len: Bytes, stamp: u64) -> Io {
        Io {
            op: Op::Write,
            stamp,
            ..Io::read(offset, len)
        }
    }
    /// The same write, complete only when its data are on stable storage.
    pub const fn durably(self) -> Io {
        Io {
            durable: true,
            ..self
        }
    }
    /// A command to the zone that begins at `start`, counted among the trims. It moves no data; its length is one
    /// block of the target, so that it is an access like any other.
    pub const fn zone(what: Zoning, start: Bytes, block: Bytes) -> Io {
        Io {
            op: Op::Trim,
            fill: Fill::ZEROS,
            zone: Some(what),
            ..Io::read(start, block)
        }
    }
    /// An append of `len` fresh bytes to the zone that begins at `start`, made from `stamp`.
    pub const fn append(start: Bytes, len: Bytes, stamp: u64) -> Io {
        Io {
            zone: Some(Zoning::Append),
            ..Io::write(start, len, stamp)
        }
    }
    /// A flush of everything acknowledged so far.
    pub const fn flush() -> Io {
        Io {
            op: Op::Flush,
            ..Io::read(Bytes::ZERO, Bytes::ZERO)
        }
    }
    /// The generation that a labelled write leaves, and that a labelled read finds or fails.
    pub const fn generation(&self) -> Option<u16> {
        match self.fill.kind {
            FillKind::Labelled { generation } => Some(generation),
            _ => None,
        }
    }
    /// First byte after the I/O.
    pub fn end(&self) -> Bytes {
        self.offset + self.len
    }
}
