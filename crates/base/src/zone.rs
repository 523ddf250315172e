//! Zones: drives that must be written sequentially, and their commands.
//!
//! A shingled disk and the flash of an SSD have in common that they are written sequentially and erased in large units.
//! A *zoned* drive exposes that instead of hiding it: its addresses are divided into zones of equal length, each with a
//! *write pointer* at which the next write must start. A write elsewhere is refused, and a zone can be rewritten only
//! after a *reset*, which returns its pointer to its start. ZBC and ZAC (disks) and ZNS (NVMe) agree on that, and on
//! the zone's *conditions*: empty; open by a write (implicitly) or by command (explicitly); closed, which is partly
//! written and not open; full. An open zone costs the drive memory, so the number of open zones may be limited, and
//! with flash also the number of *active* ones, open or closed. At the limit, a drive closes an implicitly opened zone;
//! it refuses only if there is none.
//!
//! The *capacity* of flash zones is often below their length: lengths are powers of two, erase blocks are not. And
//! since queued writes may overtake each other on the path, ZNS has the *append*: a write to the zone that returns the
//! address of the data.
//!
//! Zone commands are I/Os ([`Zoning`] in [`crate::io::Io::zone`]), so that they wait in the queue, are timed and
//! recorded like all others: appends among the writes, the others among the trims. [`Zoned`] queries the zones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message::Message;
use crate::size::Bytes;

/// What is done to a zone.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Zoning {
    /// Data is written at its write pointer; the I/O's offset is the start of the zone.
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
    /// The drive no longer allows writes to it.
    ReadOnly,
    /// The drive gives and takes nothing any more.
    Offline,
}

impl Condition {
    /// Open, by a write or by command.
    pub const fn is_open(self) -> bool {
        matches!(self, Condition::ImplicitOpen | Condition::ExplicitOpen)
    }

    /// Open or closed: it counts towards the limit of active zones.
    pub const fn is_active(self) -> bool {
        self.is_open() || matches!(self, Condition::Closed)
    }
}

/// The current state of a zone.
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
    /// The end of the writable range (exclusive).
    pub fn writable_end(&self) -> Bytes {
        self.start.saturating_add(self.capacity)
    }

    /// The end (exclusive).
    pub fn end(&self) -> Bytes {
        self.start.saturating_add(self.length)
    }
}

/// Who minds the write pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Management {
    /// The drive takes any write, those at a pointer best.
    HostAware,
    /// The drive refuses writes that are not at a write pointer.
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
    /// Largest append; `None` if the drive, or the path to it, does not support it.
    pub max_append: Option<Bytes>,
}

/// A notation that needs no language, as drives are identified.
impl std::fmt::Display for ZoneLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let managed = match self.management {
            Management::HostAware => "host-aware",
            Management::HostManaged => "host-managed",
        };
        write!(f, "{managed}, {} x {}", self.zones, self.zone_length)?;
        let limits = [("max open", self.max_open), ("max active", self.max_active)];
        for (what, most) in limits {
            if let Some(most) = most {
                write!(f, ", {what} {most}")?;
            }
        }
        Ok(())
    }
}

impl ZoneLimits {
    /// What a drive says of its zones, as a list.
    pub fn said(&self) -> Vec<Message> {
        let managed = match self.management {
            Management::HostAware => "zones-host-aware",
            Management::HostManaged => "zones-host-managed",
        };
        let zones = [
            ("zones", self.zones.into()),
            ("length", self.zone_length.into()),
        ];
        let most = |key, most: Option<u32>| most.map(|n| Message::new(key, [("most", n.into())]));
        let all = [Message::of(managed), Message::new("zones-of", zones)].into_iter();
        all.chain(most("zones-open", self.max_open))
            .chain(most("zones-active", self.max_active))
            .collect()
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

    /// The zones from the one that contains the byte `from` on, in order of address, at most `most`.
    ///
    /// # Errors
    /// The error number from the path to a real drive.
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
    fn a_zone_that_a_drive_puts_beyond_all_addresses_ends_at_the_last() {
        let last = Bytes::new(u64::MAX);
        let zone = Zone {
            start: last,
            length: last,
            capacity: last,
            write_pointer: last,
            kind: ZoneKind::SequentialRequired,
            condition: Condition::Empty,
        };
        assert_eq!((zone.end(), zone.writable_end()), (last, last));
    }

    #[test]
    fn a_closed_zone_is_active_and_not_open() {
        assert!(Condition::Closed.is_active() && !Condition::Closed.is_open());
        assert!(Condition::ExplicitOpen.is_open() && Condition::ImplicitOpen.is_active());
        assert!(!Condition::Full.is_active() && !Condition::Empty.is_active());
    }
}
