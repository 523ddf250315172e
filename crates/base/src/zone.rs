//! Zones: drives that are written in order, and what is asked of them.
//!
//! A shingled disk and the flash of an SSD have in common that they are written in order and taken back in large
//! pieces. A *zoned* drive shows that instead of hiding it: its addresses are cut into zones of equal length, each
//! with a *write pointer* where the next write has to begin. A write elsewhere is refused, and a zone is written
//! again only after a *reset*, which puts its pointer back to its start. ZBC and ZAC (disks) and ZNS (NVMe) agree on
//! that, and on the zone's *conditions*: empty; open by a write (implicitly) or by command (explicitly); closed,
//! which is partly written and not held open; full. An open zone costs the drive memory, so there may be a limit to how
//! many are open, and with flash to how many are *active*, open or closed. Where all places are taken, a drive closes a
//! zone that a write had opened; it refuses only where there is none.
//!
//! Zones of flash often hold less than their length (*capacity*): lengths are powers of two, erase blocks are not. And
//! since writes of a queue may overtake each other on their way, ZNS has the *append*: a write to the zone, which
//! says where the data went.
//!
//! Commands to zones are I/Os ([`Zoning`] in [`crate::io::Io::zone`]), so that they wait in the queue, are timed and
//! recorded as all others: an append among the writes, the others among the trims. What zones there are is asked
//! through [`Zoned`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::size::Bytes;

/// What is done to a zone.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Zoning {
    /// Data are written wherever its pointer stands; the I/O's offset is the zone's start.
    Append,
    /// It is opened explicitly, and stays so until it is closed, finished or reset.
    Open,
    /// It is no longer held open.
    Close,
    /// It becomes full, whatever of it is written.
    Finish,
    /// It becomes empty.
    Reset,
}

impl Zoning {
    /// The command's name in figures.
    pub const fn name(self) -> &'static str {
        match self {
            Zoning::Append => "append",
            Zoning::Open => "open",
            Zoning::Close => "close",
            Zoning::Finish => "finish",
            Zoning::Reset => "reset",
        }
    }
}

/// What writes a zone takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ZoneKind {
    /// Any: it has no write pointer.
    Conventional,
    /// Those at its pointer only.
    SequentialRequired,
    /// Any, those at its pointer best.
    SequentialPreferred,
}

/// The condition of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// A conventional zone.
    NotWritePointer,
    /// Nothing is written in it.
    Empty,
    /// A write has opened it.
    ImplicitOpen,
    /// A command has opened it.
    ExplicitOpen,
    /// Partly written, and not open.
    Closed,
    /// No more can be written before a reset.
    Full,
    /// The drive lets nobody write it any more.
    ReadOnly,
    /// The drive gives and takes nothing any more.
    Offline,
}

impl Condition {
    /// Open, by a write or by command.
    pub const fn is_open(self) -> bool {
        matches!(self, Condition::ImplicitOpen | Condition::ExplicitOpen)
    }

    /// Open or closed: it takes one of the places for active zones.
    pub const fn is_active(self) -> bool {
        self.is_open() || matches!(self, Condition::Closed)
    }
}

/// One zone, as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Zone {
    /// Its first byte.
    pub start: Bytes,
    /// From its start to the next zone's.
    pub length: Bytes,
    /// Bytes from its start that can be written.
    pub capacity: Bytes,
    /// Where the next write has to begin; the start of a conventional zone.
    pub write_pointer: Bytes,
    /// What writes it takes.
    pub kind: ZoneKind,
    /// Its condition.
    pub condition: Condition,
}

impl Zone {
    /// The byte behind the last that can be written.
    pub fn writable_end(&self) -> Bytes {
        self.start + self.capacity
    }

    /// The byte behind it.
    pub fn end(&self) -> Bytes {
        self.start + self.length
    }
}

/// Who minds the write pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Management {
    /// The drive takes any write, those at a pointer best.
    HostAware,
    /// The drive refuses what is not at a pointer.
    HostManaged,
}

/// How many zones of a drive may be in use at once, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ZoneLimits {
    /// Who minds the write pointers.
    pub management: Management,
    /// Number of zones.
    pub zones: u64,
    /// Length of each; the last one's may be less.
    pub zone_length: Bytes,
    /// Most open zones; `None` without a limit.
    pub max_open: Option<u32>,
    /// Most active zones; `None` without a limit.
    pub max_active: Option<u32>,
    /// Largest append; `None` where the drive, or the way to it, has none.
    pub max_append: Option<Bytes>,
}

impl std::fmt::Display for ZoneLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let managed = match self.management {
            Management::HostAware => "host-aware",
            Management::HostManaged => "host-managed",
        };
        let (zones, length) = (self.zones, self.zone_length);
        write!(f, "{managed}, {zones} zones of {length}")?;
        if let Some(most) = self.max_open {
            write!(f, ", {most} open at most")?;
        }
        if let Some(most) = self.max_active {
            write!(f, ", {most} active at most")?;
        }
        Ok(())
    }
}

/// Why a drive refuses something to do with a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ZoneError {
    /// ZBC 21h/04h *unaligned write command*, ZNS BCh *zone invalid write*.
    #[error("unaligned write: a write must start at the zone's write pointer")]
    UnalignedWrite,
    /// ZBC 21h/05h *write boundary violation*, ZNS B8h *zone boundary error*.
    #[error("boundary error: the I/O extends beyond the zone's capacity")]
    Boundary,
    /// ZBC 21h/06h *attempt to read invalid data*.
    #[error("invalid data: the read extends beyond the zone's write pointer")]
    ReadInvalidData,
    /// ZBC 24h/00h, ZNS B9h *zone is full*.
    #[error("the zone is full: reset it to write again")]
    Full,
    /// ZBC 27h/07h, ZNS BAh *zone is read only*.
    #[error("the zone is read-only")]
    ReadOnly,
    /// ZBC 2Ch/0Eh, ZNS BBh *zone is offline*.
    #[error("the zone is offline")]
    Offline,
    /// ZBC 55h/0Eh *insufficient zone resources*, ZNS BEh *too many open zones*.
    #[error("too many open zones: all are explicitly opened")]
    TooManyOpen,
    /// ZNS BDh *too many active zones*.
    #[error("too many active zones: finish or reset one first")]
    TooManyActive,
    /// ZBC 24h/00h, ZNS BFh *invalid zone state transition*.
    #[error("the zone cannot change from its condition to the requested one")]
    InvalidTransition,
}

impl ZoneError {
    /// What Linux makes of it, a number of `errno.h`: ETOOMANYREFS for too many open zones, EOVERFLOW for too many
    /// active ones, EIO for all others (`block/blk-core.c`, `blk_errors`).
    pub const fn errno(self) -> i32 {
        match self {
            ZoneError::TooManyOpen => 109,
            ZoneError::TooManyActive => 75,
            _ => 5,
        }
    }
}

/// What zones a target has.
pub trait Zoned {
    /// How many, how long, and how many in use at once.
    fn limits(&self) -> ZoneLimits;

    /// The zones from the one that holds the byte `from` on, in order of address, `most` at most.
    ///
    /// # Errors
    /// The error number of the way to a real drive.
    fn report(&mut self, from: Bytes, most: usize) -> Result<Vec<Zone>, i32>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_zones_are_told_from_all_other_errors_by_their_number() {
        assert_eq!(ZoneError::TooManyOpen.errno(), 109);
        assert_eq!(ZoneError::TooManyActive.errno(), 75);
        assert_eq!(ZoneError::UnalignedWrite.errno(), 5);
    }

    #[test]
    fn a_closed_zone_is_active_and_not_open() {
        assert!(Condition::Closed.is_active() && !Condition::Closed.is_open());
        assert!(Condition::ExplicitOpen.is_open() && Condition::ImplicitOpen.is_active());
        assert!(!Condition::Full.is_active() && !Condition::Empty.is_active());
    }
}
