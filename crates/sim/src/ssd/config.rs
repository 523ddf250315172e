//! A solid-state drive's part of its catalogue file, and the plain numbers that follow from it.

use base::size::Bytes;
use base::time::Duration;
use serde::Deserialize;

use super::flash::bit_errors::BitErrorsConfig;
use super::flash::die::DiesConfig;
use super::flash::layout::{Geometry, PAGE};
use super::flash::page_types::PageTypesConfig;
use super::flash::parity::ParityConfig;
use super::flash::retention::RetentionConfig;
use super::flash::timings::Timings;
use super::front::controller::ControllerConfig;
use super::front::flush::FlushConfig;
use super::front::map_cache::MapCacheConfig;
use super::front::read_ahead::ReadAheadConfig;
use super::front::thermal::ThermalConfig;
use super::ftl::block_pool::Reserves;
use super::ftl::compression::CompressionConfig;
use super::ftl::partial_write::PartialWriteConfig;
use super::ftl::slc::{SlcConfig, SlcPolicy};
use super::ftl::wear::WearConfig;
use super::parameters::Parameters;
use super::scatter::ScatterConfig;
use crate::interface::link::LinkTimes;
use crate::interface::{Interface, Protocol};
use crate::sheet::Section;
use crate::sheet::quantity::{
    Count, Flag, Kibibytes, Mebibytes, MegabytesPerSecond, Microseconds, Milliseconds, Number,
};
use crate::sheet::table::parameters;
use crate::zoned::{Zones, ZonesConfig};

/// A solid-state drive as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SsdConfig {
    #[serde(default)]
    link: LinkConfig,
    controller: ControllerConfig,
    buffer: BufferConfig,
    #[serde(default)]
    flush: FlushConfig,
    nand: NandConfig,
    dies: DiesConfig,
    parity: Option<ParityConfig>,
    slc: Option<SlcConfig>,
    background: BackgroundConfig,
    map_cache: Option<MapCacheConfig>,
    read_ahead: Option<ReadAheadConfig>,
    sub_unit: Option<PartialWriteConfig>,
    compression: Option<CompressionConfig>,
    page_types: Option<PageTypesConfig>,
    thermal: Option<ThermalConfig>,
    wear: Option<WearConfig>,
    bit_errors: Option<BitErrorsConfig>,
    retention: Option<RetentionConfig>,
    trim: Option<TrimConfig>,
    zoned: Option<ZonesConfig>,
    #[serde(default)]
    scatter: ScatterConfig,
}

impl SsdConfig {
    /// Every value with its unit, source and allowed range.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            self.link.section(),
            self.controller.section(),
            self.buffer.section(),
            self.flush.section(),
            self.nand.section(),
            self.dies.section(),
        ];
        sections.extend(self.parity.as_ref().map(ParityConfig::section));
        sections.extend(self.slc.as_ref().map(SlcConfig::section));
        sections.push(self.background.section());
        sections.extend(self.map_cache.as_ref().map(MapCacheConfig::section));
        sections.extend(self.read_ahead.as_ref().map(ReadAheadConfig::section));
        sections.extend(self.sub_unit.iter().map(PartialWriteConfig::section));
        sections.extend(self.compression.iter().map(CompressionConfig::section));
        sections.extend(self.page_types.as_ref().map(PageTypesConfig::section));
        sections.extend(self.thermal.as_ref().map(ThermalConfig::section));
        sections.extend(self.wear.as_ref().map(WearConfig::section));
        sections.extend(self.bit_errors.iter().map(BitErrorsConfig::section));
        sections.extend(self.retention.as_ref().map(RetentionConfig::section));
        sections.extend(self.trim.as_ref().map(TrimConfig::section));
        sections.extend(self.zoned.as_ref().map(ZonesConfig::section));
        sections.extend(self.scatter.sections());
        sections
    }

    /// Its zones; nothing for a drive that is written anywhere.
    pub fn zones(&self) -> Option<Zones> {
        self.zoned.as_ref().map(ZonesConfig::parameters)
    }

    /// The plain numbers of a drive of this capacity with this interface.
    pub fn parameters(&self, capacity: Bytes, interface: Interface) -> Parameters {
        let link = self.link.parameters();
        let buffer = self.buffer.parameters();
        let nand = self.nand.parameters();
        let background = self.background.parameters();
        let striping = self.parity.as_ref().map(ParityConfig::parameters);
        let geometry = Geometry {
            stripe: striping.map_or(0, |striping| striping.dies),
            ..nand.geometry()
        };
        let slc = self.slc.as_ref().map(SlcConfig::parameters);
        Parameters {
            capacity,
            queue: link.queue.unwrap_or(interface.queue()),
            link: link.times(interface),
            controller: self.controller.parameters(),
            buffer: buffer.size,
            protected: buffer.protected,
            write_back: buffer.write_back,
            durable_writes: interface.protocol() == Protocol::Nvme,
            flush: self.flush.parameters(),
            geometry,
            independent_planes: nand.independent_planes,
            timings: nand.timings(),
            arbitration: self.dies.parameters(),
            slc: slc.map_or_else(SlcPolicy::default, |slc| slc.policy(&geometry)),
            wear: self.wear.as_ref().map(WearConfig::parameters),
            bit_errors: self.bit_errors.as_ref().map(BitErrorsConfig::parameters),
            retention: self.retention.as_ref().map(RetentionConfig::parameters),
            trim: self
                .trim
                .as_ref()
                .is_none_or(|trim| trim.parameters().honoured),
            idle_after: background.idle_after,
            reserves: background.reserves(),
            moves_apart: background.write_streams != 1,
            partial_write: self.sub_unit.as_ref().map(PartialWriteConfig::parameters),
            compression: self.compression.as_ref().map(CompressionConfig::parameters),
            unused_superblocks: nand.unused,
            map_cache: (self.map_cache.as_ref()).map(|cache| cache.parameters().caching()),
            read_ahead: self.read_ahead.as_ref().map(ReadAheadConfig::parameters),
            page_types: (self.page_types.as_ref())
                .map(|types| types.parameters().of_cells(nand.bits_a_cell)),
            thermal: self.thermal.as_ref().map(ThermalConfig::parameters),
            scatter: self.scatter.parameters(),
        }
    }
}

parameters! {
    /// The host link, as far as it is not what the interface's name says.
    #[derive(Clone, Copy, Debug)]
    LinkValues from LinkConfig + Default ["link"] {
        /// Data to the host.
        read "read_mb_s": MegabytesPerSecond in 1.0..=20_000.0, maybe;
        /// Data to the drive.
        write "write_mb_s": MegabytesPerSecond in 1.0..=20_000.0, maybe;
        /// A command's time before its data.
        command "command_us": Microseconds in 0.0..=1_000.0, maybe;
        /// A command's time after its data.
        status "status_us": Microseconds in 0.0..=1_000.0, maybe;
        /// Commands in flight.
        queue "queue": Count("commands") in 1..=256, maybe;
    }
}

impl LinkValues {
    fn times(&self, interface: Interface) -> LinkTimes {
        let of_name = interface.link();
        LinkTimes {
            read: self.read.unwrap_or(of_name.read),
            write: self.write.unwrap_or(of_name.write),
            command: self.command.unwrap_or(of_name.command),
            status: self.status.unwrap_or(of_name.status),
            duplex: of_name.duplex,
            transfer_ready: of_name.transfer_ready,
        }
    }
}

parameters! {
    /// DRAM for written data.
    #[derive(Clone, Copy, Debug)]
    BufferValues from BufferConfig ["buffer"] {
        /// Data on their way to the flash.
        size "size_mib": Mebibytes in 0.03125..=4_096.0;
        /// Capacitors program what it holds when the power fails.
        protected "protected": Flag, or false;
        /// The drive reports a volatile cache, so that hosts send flushes; off where it reports none, and where its
        /// cache was switched off.
        write_back "write_back": Flag, or true;
    }
}

parameters! {
    /// The flash.
    #[derive(Clone, Copy, Debug)]
    NandValues from NandConfig ["nand"] {
        /// Buses between the controller and the dies.
        channels "channels": Count in 2..=64;
        /// Dies on all channels together.
        dies "dies": Count in 2..=1_024;
        /// Planes of a die, which program and erase together.
        planes "planes": Count("a die") in 1..=8;
        /// Each plane reads for itself, pages of different rows at once, not all of a die together.
        independent_planes "independent_planes": Flag, or false;
        /// Bytes of a flash page.
        page "page_kib": Kibibytes in 4..=64;
        /// Flash pages of a block.
        rows "pages_a_block": Count in 2..=20_000;
        /// Blocks of a plane.
        blocks "blocks_a_plane": Count in 8..=100_000;
        /// Blocks of a plane that are never used.
        unused "unused_blocks_a_plane": Count in 0..=50_000;
        /// Bits that a cell holds.
        bits_a_cell "bits_a_cell": Count in 1..=4;
        /// Cells of all bits to the die's register.
        read "read_us": Microseconds in 1.0..=1_000.0;
        /// Cells of one bit to the register.
        read_slc "read_slc_us": Microseconds in 1.0..=1_000.0;
        /// Register to cells of all bits.
        program "program_us": Microseconds in 1.0..=50_000.0;
        /// Of the rate that programs of all bits allow, what a drive holds when it writes for long: parity, the map, and
        /// one core that does both take the rest.
        sustained "sustained_share": Number("of the dies' rate") in 0.05..=1.0, or 1.0;
        /// Register to cells of one bit.
        program_slc "program_slc_us": Microseconds in 1.0..=50_000.0;
        /// Erasing a block.
        erase "erase_us": Microseconds in 1.0..=100_000.0;
        /// The channel's bus, parity included.
        bus "bus_mb_s": MegabytesPerSecond("MB/s a channel") in 1.0..=10_000.0;
        /// How often a group's data pass from the controller to the die.
        program_passes "program_passes": Count in 1..=8;
        /// Pages of a word line that are programmed together; all of them if the file says nothing.
        pages_a_program "pages_a_program": Count in 1..=4, maybe;
    }
}

impl NandValues {
    fn geometry(&self) -> Geometry {
        Geometry {
            channels: self.channels,
            dies: self.dies,
            planes: self.planes,
            page_bytes: self.page as u32,
            rows: self.rows,
            superblocks: self.blocks,
            bits: self.pages_a_program.unwrap_or(self.bits_a_cell),
            stripe: 0,
        }
    }

    fn timings(&self) -> Timings {
        Timings {
            read: self.read,
            read_slc: self.read_slc,
            program: Duration::from_secs_f64(self.program.as_secs_f64() / self.sustained),
            program_slc: self.program_slc,
            erase: self.erase,
            bus: self.bus,
            program_passes: self.program_passes,
        }
    }
}

parameters! {
    /// What becomes of the host's trims.
    #[derive(Clone, Copy, Debug)]
    TrimValues from TrimConfig ["trim"] {
        /// What the host trims is forgotten.
        honoured "honoured": Flag;
    }
}

parameters! {
    /// The drive's own work.
    #[derive(Clone, Copy, Debug)]
    BackgroundValues from BackgroundConfig ["background"] {
        /// Without an I/O for so long, the drive works on its own behalf.
        idle_after "idle_after_ms": Milliseconds in 1.0..=600_000.0;
        /// Free superblocks that the host may not take.
        for_moves "free_for_moves": Count("superblocks") in 2..=1_000;
        /// Collection begins below so many free superblocks.
        collect_below "collect_below": Count("superblocks") in 3..=10_000;
        /// At rest it begins below so many.
        collect_idle_below "collect_idle_below": Count("superblocks") in 0..=10_000;
        /// Where collection has to be waited for, it is done in steps for so much of the host's data:
        /// this much is let in at once, and the next only when all that it takes has been made. None:
        /// as smoothly as it goes.
        collect_step "collect_step_kib": Kibibytes in 4..=1_048_576, or 0;
        /// How many kinds of data are kept apart. 1: what collection moves goes to the superblock that the host's data go
        /// to, so that overwriting the same addresses again makes collection no cheaper. None, or 2: it has its own.
        write_streams "write_streams": Count("kinds of data") in 1..=2, or 0;
    }
}

impl BackgroundValues {
    fn reserves(&self) -> Reserves {
        Reserves {
            for_moves: self.for_moves,
            collect_below: self.collect_below,
            collect_idle_below: self.collect_idle_below,
            collect_step: self.collect_step / PAGE,
        }
    }
}
