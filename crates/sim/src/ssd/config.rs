//! A solid-state drive's part of its catalogue file, and the plain numbers that follow from it.

use base::size::{Bytes, PicosPerByte};
use base::time::Duration;
use serde::Deserialize;

use super::flash::bit_errors::BitErrorsConfig;
use super::flash::die::{Arbitration, ReadPolicy};
use super::flash::layout::Geometry;
use super::flash::page_types::PageTypesConfig;
use super::flash::retention::RetentionConfig;
use super::flash::timings::Timings;
use super::front::controller::ControllerTimes;
use super::front::map_cache::MapCacheConfig;
use super::front::read_ahead::ReadAheadConfig;
use super::front::thermal::ThermalConfig;
use super::front::write_through::WriteThroughConfig;
use super::ftl::block_pool::Reserves;
use super::ftl::compression::CompressionConfig;
use super::ftl::partial_write::PartialWriteConfig;
use super::ftl::slc::{SlcConfig, SlcPolicy};
use super::ftl::wear::WearConfig;
use super::parameters::Parameters;
use crate::interface::Interface;
use crate::interface::link::LinkTimes;
use crate::sheet::{Section, Sourced};

/// A solid-state drive as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SsdConfig {
    #[serde(default)]
    link: LinkConfig,
    controller: ControllerConfig,
    buffer: BufferConfig,
    nand: NandConfig,
    dies: DiesConfig,
    slc: Option<SlcConfig>,
    background: BackgroundConfig,
    map_cache: Option<MapCacheConfig>,
    read_ahead: Option<ReadAheadConfig>,
    sub_unit: Option<PartialWriteConfig>,
    write_through: Option<WriteThroughConfig>,
    compression: Option<CompressionConfig>,
    page_types: Option<PageTypesConfig>,
    thermal: Option<ThermalConfig>,
    wear: Option<WearConfig>,
    bit_errors: Option<BitErrorsConfig>,
    retention: Option<RetentionConfig>,
    trim: Option<TrimConfig>,
}

/// The host link, as far as it is not what the interface's name says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkConfig {
    read_mb_s: Option<Sourced<f64>>,
    write_mb_s: Option<Sourced<f64>>,
    command_us: Option<Sourced<f64>>,
    status_us: Option<Sourced<f64>>,
    queue: Option<Sourced<u32>>,
}

/// The controller's time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ControllerConfig {
    read_latency_us: Sourced<f64>,
    write_latency_us: Sourced<f64>,
    read_interval_us: Sourced<f64>,
    write_interval_us: Sourced<f64>,
    page_us: Sourced<f64>,
    program_path_mb_s: Sourced<f64>,
}

/// DRAM for written data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferConfig {
    size_mib: Sourced<f64>,
    /// Capacitors program what it holds when the power fails; not where nothing is said.
    protected: Option<Sourced<bool>>,
}

/// The flash.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NandConfig {
    channels: Sourced<u32>,
    dies: Sourced<u32>,
    planes: Sourced<u32>,
    page_kib: Sourced<u32>,
    pages_a_block: Sourced<u32>,
    blocks_a_plane: Sourced<u32>,
    unused_blocks_a_plane: Sourced<u32>,
    bits_a_cell: Sourced<u32>,
    /// Pages of a word line that are programmed together; all of them where nothing is said.
    pages_a_program: Option<Sourced<u32>>,
    read_us: Sourced<f64>,
    read_slc_us: Sourced<f64>,
    program_us: Sourced<f64>,
    program_slc_us: Sourced<f64>,
    erase_us: Sourced<f64>,
    bus_mb_s: Sourced<f64>,
    program_passes: Sourced<u32>,
}

/// Who goes first on a die.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DiesConfig {
    read_policy: Sourced<ReadPolicy>,
    suspend_us: Sourced<f64>,
    suspensions: Sourced<u32>,
    patience_us: Sourced<f64>,
    program_steps: Option<Sourced<u32>>,
}

/// What becomes of the host's trims; honoured where nothing is said.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrimConfig {
    honoured: Sourced<bool>,
}

/// The drive's own work.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackgroundConfig {
    idle_after_ms: Sourced<f64>,
    free_for_moves: Sourced<u32>,
    collect_below: Sourced<u32>,
    collect_idle_below: Sourced<u32>,
}

fn us(value: &Sourced<f64>) -> Duration {
    Duration::from_secs_f64(value.get() / 1e6)
}

fn mb_s(value: &Sourced<f64>) -> PicosPerByte {
    PicosPerByte::from_mb_s(value.get())
}

impl SsdConfig {
    /// Every value with its unit, source and allowed range.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            self.link.section(),
            self.controller.section(),
            self.buffer.section(),
            self.nand.section(),
            self.dies.section(),
        ];
        sections.extend(self.slc.as_ref().map(SlcConfig::section));
        sections.push(self.background.section());
        sections.extend(self.map_cache.as_ref().map(MapCacheConfig::section));
        sections.extend(self.read_ahead.as_ref().map(ReadAheadConfig::section));
        sections.extend(self.sub_unit.iter().map(PartialWriteConfig::section));
        sections.extend(self.write_through.iter().map(WriteThroughConfig::section));
        sections.extend(self.compression.iter().map(CompressionConfig::section));
        sections.extend(self.page_types.as_ref().map(PageTypesConfig::section));
        sections.extend(self.thermal.as_ref().map(ThermalConfig::section));
        sections.extend(self.wear.as_ref().map(WearConfig::section));
        sections.extend(self.bit_errors.iter().map(BitErrorsConfig::section));
        sections.extend(self.retention.as_ref().map(RetentionConfig::section));
        sections.extend(self.trim.as_ref().map(TrimConfig::section));
        sections
    }

    /// The plain numbers of a drive of this capacity with this interface.
    pub fn parameters(&self, capacity: Bytes, interface: Interface) -> Parameters {
        let geometry = self.nand.geometry();
        Parameters {
            capacity,
            queue: self.link.queue(interface),
            link: self.link.times(interface),
            controller: self.controller.times(),
            buffer: Bytes::new((self.buffer.size_mib.get() * 1_048_576.0) as u64),
            protected: self.buffer.protected.as_ref().is_some_and(Sourced::get),
            program_path: mb_s(&self.controller.program_path_mb_s),
            geometry,
            timings: self.nand.timings(),
            arbitration: Arbitration {
                policy: self.dies.read_policy.get(),
                suspend: us(&self.dies.suspend_us),
                suspensions: self.dies.suspensions.get(),
                patience: us(&self.dies.patience_us),
                steps: self.dies.program_steps.as_ref().map_or(1, Sourced::get),
            },
            slc: self
                .slc
                .as_ref()
                .map_or_else(SlcPolicy::default, |slc| slc.policy(&geometry)),
            wear: self.wear.as_ref().map(WearConfig::limits),
            bit_errors: self.bit_errors.as_ref().map(BitErrorsConfig::parameters),
            retention: self.retention.as_ref().map(RetentionConfig::fading),
            trim: self.trim.as_ref().is_none_or(|trim| trim.honoured.get()),
            idle_after: Duration::from_secs_f64(self.background.idle_after_ms.get() / 1e3),
            reserves: Reserves {
                for_moves: self.background.free_for_moves.get(),
                collect_below: self.background.collect_below.get(),
                collect_idle_below: self.background.collect_idle_below.get(),
            },
            partial_write: self.sub_unit.as_ref().map(PartialWriteConfig::rules),
            write_through: self.write_through.as_ref().map(WriteThroughConfig::rules),
            compression: self.compression.as_ref().map(CompressionConfig::rules),
            unused_superblocks: self.nand.unused_blocks_a_plane.get(),
            map_cache: self.map_cache.as_ref().map(MapCacheConfig::parameters),
            read_ahead: self.read_ahead.as_ref().map(ReadAheadConfig::parameters),
            page_types: self
                .page_types
                .as_ref()
                .map(|types| types.parameters(self.nand.bits_a_cell.get())),
            thermal: self.thermal.as_ref().map(ThermalConfig::parameters),
        }
    }
}

impl LinkConfig {
    fn section(&self) -> Section {
        let rate = |value: &Option<Sourced<f64>>, key| {
            let value = value.as_ref()?;
            Some(value.row(key, "MB/s", 1.0..=20_000.0))
        };
        let time = |value: &Option<Sourced<f64>>, key| {
            let value = value.as_ref()?;
            Some(value.row(key, "us", 0.0..=1_000.0))
        };
        let queue = self.queue.as_ref();
        let rows = [
            rate(&self.read_mb_s, "read_mb_s"),
            rate(&self.write_mb_s, "write_mb_s"),
            time(&self.command_us, "command_us"),
            time(&self.status_us, "status_us"),
            queue.map(|queue| queue.row("queue", "commands", 1..=256)),
        ];
        Section::new("link", rows.into_iter().flatten().collect())
    }

    fn times(&self, interface: Interface) -> LinkTimes {
        let of_name = interface.link();
        LinkTimes {
            read: self.read_mb_s.as_ref().map_or(of_name.read, mb_s),
            write: self.write_mb_s.as_ref().map_or(of_name.write, mb_s),
            command: self.command_us.as_ref().map_or(of_name.command, us),
            status: self.status_us.as_ref().map_or(of_name.status, us),
            duplex: of_name.duplex,
        }
    }

    fn queue(&self, interface: Interface) -> u32 {
        let queue = self.queue.as_ref();
        queue.map_or(interface.queue(), Sourced::get)
    }
}

impl ControllerConfig {
    fn section(&self) -> Section {
        Section::new(
            "controller",
            vec![
                self.read_latency_us
                    .row("read_latency_us", "us", 0.0..=1_000.0),
                self.write_latency_us
                    .row("write_latency_us", "us", 0.0..=1_000.0),
                self.read_interval_us
                    .row("read_interval_us", "us", 0.0..=1_000.0),
                self.write_interval_us
                    .row("write_interval_us", "us", 0.0..=1_000.0),
                self.page_us.row("page_us", "us", 0.0..=100.0),
                self.program_path_mb_s
                    .row("program_path_mb_s", "MB/s", 1.0..=100_000.0),
            ],
        )
    }

    fn times(&self) -> ControllerTimes {
        ControllerTimes {
            read_latency: us(&self.read_latency_us),
            write_latency: us(&self.write_latency_us),
            read_interval: us(&self.read_interval_us),
            write_interval: us(&self.write_interval_us),
            page: us(&self.page_us),
        }
    }
}

impl BufferConfig {
    fn section(&self) -> Section {
        let mut rows = vec![self.size_mib.row("size_mib", "MiB", 0.03125..=4_096.0)];
        let protected = self.protected.as_ref();
        rows.extend(protected.map(|protected| protected.plain_row("protected", "")));
        Section::new("buffer", rows)
    }
}

impl NandConfig {
    fn section(&self) -> Section {
        let mut rows = vec![
            self.channels.row("channels", "", 2..=64),
            self.dies.row("dies", "", 2..=1_024),
            self.planes.row("planes", "a die", 1..=8),
            self.page_kib.row("page_kib", "KiB", 4..=64),
            self.pages_a_block.row("pages_a_block", "", 2..=20_000),
            self.blocks_a_plane.row("blocks_a_plane", "", 8..=100_000),
            self.unused_blocks_a_plane
                .row("unused_blocks_a_plane", "", 0..=50_000),
            self.bits_a_cell.row("bits_a_cell", "", 1..=4),
            self.read_us.row("read_us", "us", 1.0..=1_000.0),
            self.read_slc_us.row("read_slc_us", "us", 1.0..=1_000.0),
            self.program_us.row("program_us", "us", 1.0..=50_000.0),
            self.program_slc_us
                .row("program_slc_us", "us", 1.0..=50_000.0),
            self.erase_us.row("erase_us", "us", 1.0..=100_000.0),
            self.bus_mb_s
                .row("bus_mb_s", "MB/s a channel", 1.0..=10_000.0),
            self.program_passes.row("program_passes", "", 1..=8),
        ];
        let together = self.pages_a_program.iter();
        rows.extend(together.map(|value| value.row("pages_a_program", "", 1..=4)));
        Section::new("nand", rows)
    }

    fn geometry(&self) -> Geometry {
        Geometry {
            channels: self.channels.get(),
            dies: self.dies.get(),
            planes: self.planes.get(),
            page_bytes: self.page_kib.get() * 1_024,
            rows: self.pages_a_block.get(),
            superblocks: self.blocks_a_plane.get(),
            bits: self
                .pages_a_program
                .as_ref()
                .unwrap_or(&self.bits_a_cell)
                .get(),
        }
    }

    fn timings(&self) -> Timings {
        Timings {
            read: us(&self.read_us),
            read_slc: us(&self.read_slc_us),
            program: us(&self.program_us),
            program_slc: us(&self.program_slc_us),
            erase: us(&self.erase_us),
            bus: mb_s(&self.bus_mb_s),
            program_passes: self.program_passes.get(),
        }
    }
}

impl DiesConfig {
    fn section(&self) -> Section {
        let mut rows = vec![
            self.read_policy.plain_row("read_policy", ""),
            self.suspend_us.row("suspend_us", "us", 0.0..=10_000.0),
            self.suspensions.row("suspensions", "a program", 0..=1_000),
            self.patience_us
                .row("patience_us", "us", 0.0..=10_000_000.0),
        ];
        let steps = self.program_steps.iter();
        rows.extend(steps.map(|steps| steps.row("program_steps", "", 1..=16)));
        Section::new("dies", rows)
    }
}

impl TrimConfig {
    fn section(&self) -> Section {
        Section::new("trim", vec![self.honoured.plain_row("honoured", "")])
    }
}

impl BackgroundConfig {
    fn section(&self) -> Section {
        Section::new(
            "background",
            vec![
                self.idle_after_ms
                    .row("idle_after_ms", "ms", 1.0..=600_000.0),
                self.free_for_moves
                    .row("free_for_moves", "superblocks", 2..=1_000),
                self.collect_below
                    .row("collect_below", "superblocks", 3..=10_000),
                self.collect_idle_below
                    .row("collect_idle_below", "superblocks", 0..=10_000),
            ],
        )
    }
}
