//! What a drive is, as plain data: the truth that an estimator is held against.

use base::size::{Bytes, PicosPerByte};
use base::time::Duration;

/// A drive.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Seeds every random choice that the drive makes.
    pub seed: u64,
    pub link: Link,
    pub inside: Inside,
}

/// The host's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Most commands in flight.
    pub queue: u32,
    /// Of the front end, for each command, one at a time.
    pub command: Duration,
    /// Of the link, in each direction.
    pub rate: PicosPerByte,
    /// Data move in both directions at once.
    pub both_ways: bool,
}

/// The medium and its controller.
#[derive(Clone, Debug, PartialEq)]
pub enum Inside {
    Ssd(SsdDescription),
    Disk(DiskDescription),
}

/// A drive of flash dies. Its mapping unit is 4 KiB.
#[derive(Clone, Debug, PartialEq)]
pub struct SsdDescription {
    pub capacity: Bytes,
    /// Flash beyond the capacity, in per cent of it, at least four blocks of each die; parity that moves from die to die
    /// has room beside it.
    pub spare_percent: u32,
    /// Dies with data: at most 63, for [`Placement::Hash`] a power of two.
    pub dies: u32,
    /// Data that a die reads or programs at once: a multiple of 4 KiB.
    pub page: Bytes,
    pub pages_a_block: u32,
    /// A page from the cells to the controller.
    pub read: Duration,
    /// A page from the controller into the cells.
    pub program: Duration,
    /// A block.
    pub erase: Duration,
    pub placement: Placement,
    pub parity: Option<Parity>,
    /// `None`: the whole map is in memory.
    pub map_cache: Option<MapCache>,
    pub slc: Option<Slc>,
    pub collection: Collection,
    /// Written data that may wait for their program; without any a write is complete when it is programmed.
    pub buffer: Bytes,
    pub reads: Reads,
    /// Whether a trim is done; it is acknowledged in any case.
    pub honours_trim: bool,
    pub credits: Option<Credits>,
    /// It was written once from its beginning to its end, else it is empty.
    pub filled: bool,
}

/// Where written data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The die is the exclusive or of the bits of the address, counted in stripes: always the same die for an address,
    /// but neighbours in steps of any power of two lie on different ones.
    Hash { stripe: Bytes },
    /// Each page goes to the die that is free first; where several are, to a random one of them.
    FirstFree,
    /// Sequential streams of writes are told apart, and each fills its own share of the dies, page by page in turn, then
    /// the next share. What continues no stream replaces the oldest one.
    ByStream { streams: u32 },
}

/// A parity page behind so many data pages of a stripe, on a die that has none of them if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parity {
    pub data_pages: u32,
    /// Parity has a die of its own beyond `dies`, which never holds data; else it goes where the stripe is not.
    pub own_die: bool,
}

/// The part of the map that is in memory: lines of four-byte entries; the rest is in flash. Writes bring their lines in
/// without waiting for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapCache {
    pub size: Bytes,
    /// What a miss fetches.
    pub line: Bytes,
    /// Of fetching a line, from a die that is busy with it.
    pub miss: Duration,
    pub replacement: Replacement,
    /// Regions of this size that were last written completely in order, each need an entry of 16 bytes only.
    pub compressed_region: Option<Bytes>,
}

impl MapCache {
    /// Data whose map fits in the cache, where nothing is compressed.
    pub fn reach(&self) -> Bytes {
        self.size * (4_096 / 4)
    }
}

/// Which line of a full map cache makes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    Random,
    /// Of two random ones that which was used longer ago.
    TwoRandom,
    Fifo,
    /// A new line is on probation; one that is used again is protected, as four fifths of the lines may be. The one on
    /// probation that was used longest ago goes.
    Segmented,
}

/// A log of single-bit cells for hot data: a write of at most `small` bytes to a place (64 KiB) that had `hot_after`
/// writes goes there, all others go to the ordinary cells. `memory` writes anywhere else make a place cold again. A full
/// log moves its oldest data that were not overwritten to the ordinary cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slc {
    pub size: Bytes,
    pub program: Duration,
    pub read: Duration,
    pub small: Bytes,
    pub hot_after: u32,
    pub memory: u32,
}

/// Which block of a die is collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// The one that was filled first.
    Fifo,
    /// The one with the most free space and age for its copies (Rosenblum and Ousterhout 1992).
    CostBenefit,
}

/// What a read does on a die that programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// It waits for all programs that the die was given.
    InOrder,
    /// It waits for the one that runs.
    BehindOne,
    /// It suspends it, which takes `cost`.
    Suspend { cost: Duration },
}

/// A bucket of energy, which refills; a command begins when the energy for it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credits {
    /// Of a full bucket.
    pub millijoules: u64,
    pub refill_milliwatts: u64,
    /// Microjoules for reading 4 KiB.
    pub read_uj: u64,
    /// Microjoules for writing 4 KiB.
    pub write_uj: u64,
}

/// A drive of platters.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskDescription {
    pub capacity: Bytes,
    /// Turns a minute.
    pub rpm: u32,
    pub surfaces: u32,
    pub tracks: Tracks,
    /// From a track to the next, on another surface or cylinder, without the rotation.
    pub track_switch: Duration,
    /// By how much later the next track begins to pass under its head.
    pub skew: Duration,
    pub seek: Seek,
    pub read_cache: Option<ReadCache>,
    pub write_cache: Option<WriteCache>,
    pub media_cache: Option<MediaCache>,
    pub order: Order,
}

impl DiskDescription {
    /// Time of a turn.
    pub fn revolution(&self) -> Duration {
        Duration::from_nanos((60_000_000_000 + u64::from(self.rpm) / 2) / u64::from(self.rpm))
    }
}

/// Sectors of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracks {
    Constant {
        sectors: u32,
    },
    /// Zones of equally many tracks, the sectors falling in equal steps from the outermost zone to the innermost.
    Zoned {
        outer_sectors: u32,
        inner_sectors: u32,
        zones: u32,
    },
}

/// The seek curve: from `single` for one cylinder to `full` for all of them, with a power of the distance between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seek {
    pub single: Duration,
    pub full: Duration,
    /// 0.5 is constant acceleration, 1 constant speed.
    pub exponent: f64,
    /// More, before a write.
    pub write_settle: Duration,
}

/// A read cache: after a read from the platter the head reads on into a segment. Segments that are read on grow to twice
/// their size; after one that was never hit the next is half as large. The segment used longest ago makes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCache {
    pub size: Bytes,
    pub least_segment: Bytes,
}

/// A volatile write cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteCache {
    pub size: Bytes,
    /// Most extents in it.
    pub extents: u32,
    /// Time without a command after which it is written back; half full it is in any case.
    pub write_back_after: Duration,
}

/// A band at the outer edge that takes small writes in order, wherever they belong; they go home after a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MediaCache {
    pub size: Bytes,
    /// Writes up to this go there.
    pub small: Bytes,
    pub rest: Duration,
}

/// Which of the waiting commands is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    FirstCome,
    /// The one that the head reaches first, seek and rotation together.
    AccessTime,
}
