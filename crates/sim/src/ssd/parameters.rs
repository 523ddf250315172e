//! What a drive is made of, as plain numbers: the catalogue's file with its sources taken off.

use base::size::Bytes;
use base::target::Info;
use base::time::Duration;

use super::flash::bit_errors::BitErrors;
use super::flash::die::Arbitration;
use super::flash::layout::{Geometry, PAGE};
use super::flash::page_types::ReadSpread;
use super::flash::retention::Fading;
use super::flash::timings::Timings;
use super::front::controller::ControllerTimes;
use super::front::flush::FlushRules;
use super::front::map_cache::MapCaching;
use super::front::read_ahead::ReadingAhead;
use super::front::thermal::Heating;
use super::ftl::block_pool::Reserves;
use super::ftl::compression::CompressionRules;
use super::ftl::partial_write::PartialWriteRules;
use super::ftl::slc::SlcPolicy;
use super::ftl::wear::WearLimits;
use super::scatter::Scatter;
use crate::halt::Halted;
use crate::interface::link::LinkTimes;
use base::state::State;

/// All that makes a drive.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Bytes that the host can address.
    pub capacity: Bytes,
    /// Commands in flight (NCQ: 32).
    pub queue: u32,
    pub link: LinkTimes,
    pub controller: ControllerTimes,
    /// DRAM that holds data on their way to the flash.
    pub buffer: Bytes,
    /// What the buffer holds survives a power cut.
    pub protected: bool,
    /// The buffer is reported as a volatile cache, so that a host sends flushes.
    pub write_back: bool,
    /// A write may be durable by itself (FUA).
    pub durable_writes: bool,
    /// What a flush takes beyond the programs of its data.
    pub flush: FlushRules,
    pub geometry: Geometry,
    /// Planes read independently, not all of a die together.
    pub independent_planes: bool,
    pub timings: Timings,
    /// Who goes first on a die.
    pub arbitration: Arbitration,
    /// Superblocks that hold one bit a cell and take the host's writes first.
    pub slc: SlcPolicy,
    /// The endurance of the flash; unlimited by default.
    pub wear: Option<WearLimits>,
    /// How bit errors grow with wear; not at all where nothing is said.
    pub bit_errors: Option<BitErrors>,
    /// How data fade; not at all where nothing is said.
    pub retention: Option<Fading>,
    /// What the host trims is forgotten.
    pub trim: bool,
    /// Without an I/O for so long, the drive works on its own behalf.
    pub idle_after: Duration,
    /// Free superblocks that are kept, and for whom.
    pub reserves: Reserves,
    /// What collection moves is kept apart from the host's data.
    pub moves_apart: bool,
    /// How it takes writes that do not fill a mapping unit; pages of 4 KiB where nothing is said.
    pub partial_write: Option<PartialWriteRules>,
    /// What is left of data before they are programmed; all of them where nothing is said.
    pub compression: Option<CompressionRules>,
    /// Superblocks that are never used: bad blocks and the drive's own tables.
    pub unused_superblocks: u32,
    /// The part of the map that is at hand, where that is not all of it.
    pub map_cache: Option<MapCaching>,
    /// Reading ahead, where the drive does it.
    pub read_ahead: Option<ReadingAhead>,
    /// How unlike each other the pages of a word line read, where they do.
    pub page_types: Option<ReadSpread>,
    /// The drive's heat, where it matters.
    pub thermal: Option<Heating>,
    /// What makes equal commands take different times; nothing where nothing is said.
    pub scatter: Scatter,
}

/// Why there is no such drive.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// Parameters that fit no drive.
    #[error("no such drive: {0}")]
    Unbuildable(String),
    /// No memory for its tables.
    #[error("no memory for a drive's tables of {bytes} bytes: {cause}")]
    Memory {
        /// Bytes that were asked for.
        bytes: usize,
        /// What the operating system said.
        cause: std::io::Error,
    },
    /// A state that this kind of drive has no mechanism for yet.
    #[error("the state '{0}' is not modelled yet on this drive")]
    StateNotModelled(String),
    /// It was to age this many times faster.
    #[error(
        "it does not support ageing={0}: nothing is known of its wear, nor of how its data fade"
    )]
    DoesNotAge(u32),
    /// It was not to be made any more.
    #[error(transparent)]
    Halted(#[from] Halted),
}

impl Parameters {
    /// Whether each write is saved before it is acknowledged: nothing keeps what the switched-off cache would hold.
    pub(super) fn writes_through(&self) -> bool {
        !self.write_back && !self.protected
    }

    /// Logical pages of 4 KiB.
    pub fn logical_pages(&self) -> u64 {
        self.capacity.get().div_ceil(PAGE)
    }

    /// Superblocks that hold all bits a cell.
    pub fn tlc_superblocks(&self) -> u32 {
        self.geometry
            .superblocks
            .saturating_sub(self.slc.fixed + self.unused_superblocks)
    }

    /// Bytes in the buffer that may wait for the rest of what is programmed with them: all rows of a
    /// group but the last on every die, and a unit that is not full.
    fn never_complete(&self) -> u64 {
        let g = &self.geometry;
        (u64::from(g.row_pages()) * u64::from(g.bits - 1) + u64::from(g.unit_pages())) * PAGE
    }

    /// Bytes of a write that are asked for at once at most: a power of two that the buffer holds
    /// beside what waits for the rest of a program.
    pub fn piece(&self) -> u64 {
        let room = self.buffer.get().saturating_sub(self.never_complete());
        (1 << room.max(2 * PAGE).ilog2()) / 2
    }

    /// What the drive says of itself.
    pub fn info(&self) -> Info {
        Info {
            capacity: self.capacity,
            block: Bytes::SECTOR,
            max_in_flight: self.queue,
            writable: true,
        }
    }

    /// Makes each erase, and each day of retention, count several times: a life of years passes in hours.
    ///
    /// # Errors
    /// [`DriveError::DoesNotAge`] where the drive neither wears out nor forgets.
    pub(crate) fn ageing(mut self, times: Option<u32>) -> Result<Parameters, DriveError> {
        let Some(times) = times else { return Ok(self) };
        if self.wear.is_none() && self.retention.is_none() {
            return Err(DriveError::DoesNotAge(times));
        }
        let times = times.max(1);
        if let Some(wear) = &mut self.wear {
            wear.cycles = (wear.cycles / times).max(1);
            // The most is "never".
            if wear.slc_cycles != u32::MAX {
                wear.slc_cycles = (wear.slc_cycles / times).max(1);
            }
        }
        if let Some(fading) = &mut self.retention {
            for time in [
                &mut fading.reads_well,
                &mut fading.retry_each,
                &mut fading.lost_after,
            ] {
                // Zero is "never".
                if !time.is_zero() {
                    *time = Duration::from_nanos((time.as_nanos() / u64::from(times)).max(1));
                }
            }
        }
        Ok(self)
    }

    /// Checks that the drive has the mechanisms that a state asks for.
    ///
    /// # Errors
    /// [`DriveError::StateNotModelled`].
    pub fn check_state(&self, state: &State) -> Result<(), DriveError> {
        if let Some(celsius) = state.temperature
            && self.thermal.is_none()
        {
            let suffix = format!("temperature={celsius}C");
            return Err(DriveError::StateNotModelled(suffix));
        }
        match state.wear {
            Some(share) if self.wear.is_none() => {
                let suffix = format!("wear={}%", f64::from(share) / 100.0);
                Err(DriveError::StateNotModelled(suffix))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// The first that does not, in words.
    pub fn check(&self) -> Result<(), DriveError> {
        let g = &self.geometry;
        let fail = |text: String| Err(DriveError::Unbuildable(text));
        if g.channels < 2 || g.dies < g.channels || g.dies > 1_024 {
            return fail(format!(
                "{} dies on {} channels; 2 channels at least, a die each, 1024 dies at most",
                g.dies, g.channels
            ));
        }
        if g.planes == 0
            || !g.page_bytes.is_power_of_two()
            || g.page_bytes < PAGE as u32
            || g.unit_pages() > 64
        {
            return fail(format!(
                "{} planes with pages of {} bytes; pages a power of two, 4 KiB to 256 KiB together",
                g.planes, g.page_bytes
            ));
        }
        if g.bits == 0 || g.bits > 4 || !g.rows.is_multiple_of(g.bits) || g.rows == 0 {
            return fail(format!(
                "{} rows a block with {} bits a cell; a multiple, 1 to 4 bits",
                g.rows, g.bits
            ));
        }
        if let Some(fault) = g.stripe_fault() {
            return fail(fault);
        }
        if g.stripe > 0 && self.compression.is_some() {
            return fail("parity beside compression, which counts its own parity".to_owned());
        }
        if g.pages() >= u64::from(u32::MAX) || self.logical_pages() >= u64::from(u32::MAX) {
            return fail("more than 16 TiB of flash".to_owned());
        }
        self.check_space()?;
        let least = self.never_complete() + 8 * PAGE;
        if self.buffer.get() < least {
            return fail(format!(
                "a buffer of {}; what may wait for the rest of a program, and 32 KiB more ({}) is the least",
                self.buffer,
                Bytes::new(least)
            ));
        }
        let room = Bytes::new(self.buffer.get() - self.never_complete());
        if let Some(fault) = self.partial_write.and_then(|rules| rules.fault(room)) {
            return fail(fault);
        }
        if self.queue == 0 || self.queue > 256 {
            return fail(format!("a queue of {}; 1 to 256", self.queue));
        }
        Ok(())
    }

    /// Superblocks of all bits that the drive cannot do without: what is addressed, one for each
    /// stream, the reserves and one to collect.
    pub fn needed_superblocks(&self) -> u32 {
        let pages = u64::from(self.geometry.superblock_pages());
        let addressed = self.logical_pages().div_ceil(pages) as u32;
        addressed + self.reserves.collect_below.max(self.reserves.for_moves) + 3
    }

    fn check_space(&self) -> Result<(), DriveError> {
        let needed = self.needed_superblocks();
        let there = self.tlc_superblocks();
        let reserves = &self.reserves;
        if reserves.collect_below <= reserves.for_moves {
            return Err(DriveError::Unbuildable(format!(
                "collection below {} free superblocks with {} kept for it; more than these",
                reserves.collect_below, reserves.for_moves
            )));
        }
        if there < needed {
            return Err(DriveError::Unbuildable(format!(
                "{there} superblocks beside the SLC area hold no {} with {needed} needed",
                self.capacity
            )));
        }
        Ok(())
    }
}
