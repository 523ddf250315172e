//! A hard disk's part of its catalogue file, and the plain numbers that follow from it.
//!
//! A file gives the outermost and the innermost zone; those between fall off evenly, as they do where
//! bits lie equally dense on every track and zones are equally wide. All zones have as many
//! cylinders, just as many as the capacity needs.
//!
//! What was on a disk before a run does not change its times: data lie where their addresses say,
//! however they were written. So `fresh`, in order and at random are the same state for a disk. Of the
//! suffixes, `power-on=` with `temperature=` matters to a disk with a mode at low temperature
//! ([`super::cold`]) and to no other; the rest (`idle=`, `age=`, `trimmed`) are refused until something
//! here depends on them.

use base::size::{Bytes, PicosPerByte};
use serde::Deserialize;

use super::cold::ColdStart;
use super::drive::Hdd;
use super::geometry::surfaces::Surfaces;
use super::geometry::{Geometry, ZoneLayout};
pub use super::no_such_disk::NoSuchDisk;
use super::parameters::Parameters;
use super::queue::Patience;
use super::rare::Retries;
use super::seek::{Actuator, NotACurve, SeekCurve};
use super::slips::{Slips, SparesConfig};
use super::spindle::{Angle, Spindle};
use super::track_pass::Mechanics;
use crate::interface::Slot;
use crate::sheet::{Section, Sourced};
use crate::state::State;

/// Bytes of a block: the unit of addresses.
const BLOCK: u64 = Bytes::SECTOR.get();

/// Ten times what the densest drives have; the seek curve holds a time for each.
pub(super) const MOST_CYLINDERS: u64 = 10_000_000;

/// Runs of tracks on one surface, each some 400 bytes: where surfaces differ in density, bands of few
/// tracks would fill the memory with them.
pub(super) const MOST_RUNS: u64 = 1_000_000;

/// A hard disk as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HddConfig {
    interface: InterfaceConfig,
    media: MediaConfig,
    arm: ArmConfig,
    read_cache: ReadCacheConfig,
    write_cache: WriteCacheConfig,
    queue: QueueConfig,
    rare: RareConfig,
    environment: EnvironmentConfig,
    /// The mode at low temperature, where there is one.
    cold_start: Option<ColdConfig>,
    /// Skipped and spare sectors, where there are any.
    spares: Option<SparesConfig>,
}

/// Between host and buffer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InterfaceConfig {
    wire_mb_s: Sourced<f64>,
    frame_kib: Sourced<u32>,
    read_command_us: Sourced<f64>,
    write_command_us: Sourced<f64>,
}

/// Discs and zones.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MediaConfig {
    rpm: Sourced<u32>,
    heads: Sourced<u32>,
    zones: Sourced<u32>,
    outer_sectors: Sourced<u32>,
    inner_sectors: Sourced<u32>,
    physical_sector: Sourced<u32>,
    band_cylinders: Sourced<u32>,
    serpentine: Sourced<bool>,
    track_skew: Sourced<f64>,
    head_skew: Sourced<f64>,
    band_skew: Sourced<f64>,
    /// Surfaces of different density; none where all are alike.
    density_spread: Option<Sourced<f64>>,
    /// That of the innermost zone; as the outermost one's where nothing is said.
    density_spread_inner: Option<Sourced<f64>>,
}

/// What moves the heads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArmConfig {
    mean_seek_ms: Sourced<f64>,
    one_cylinder: Sourced<f64>,
    head_switch_ms: Sourced<f64>,
    write_settle_ms: Sourced<f64>,
}

/// Segments and reading ahead.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadCacheConfig {
    segments: Sourced<u32>,
    segment_kib: Sourced<u32>,
    ahead_kib: Sourced<u32>,
    go_on_below_kib: Sourced<u32>,
    zero_latency: Sourced<bool>,
    look_behind: Sourced<bool>,
}

/// Written data that wait.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteCacheConfig {
    on: Sourced<bool>,
    size_mib: Sourced<u32>,
    runs: Sourced<u32>,
    /// Most of one run; all that there is room for where nothing is said.
    run_kib: Option<Sourced<u32>>,
    delay_ms: Sourced<f64>,
    deadline_ms: Sourced<f64>,
    part_kib: Sourced<u32>,
}

/// Commands that wait.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QueueConfig {
    depth: Sourced<u32>,
    patience: Sourced<u32>,
}

/// Rare long responses.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RareConfig {
    gap_mb: Sourced<f64>,
    /// Events by the clock; none where nothing is said.
    gap_s: Option<Sourced<f64>>,
    turns: Sourced<f64>,
}

/// What the drive does of itself in the cold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentConfig {
    low_temperature_mode: Sourced<bool>,
}

/// The mode at low temperature.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ColdConfig {
    threshold_c: Sourced<i32>,
    lasts_min: Sourced<f64>,
    seek_factor: Sourced<f64>,
    verify_writes: Sourced<bool>,
    retry_gap_mb: Sourced<f64>,
}

fn ns(ms: &Sourced<f64>) -> u64 {
    (ms.get() * 1e6 + 0.5) as u64
}

fn ns_of_us(us: &Sourced<f64>) -> u64 {
    (us.get() * 1e3 + 0.5) as u64
}

fn blocks_of_kib(kib: &Sourced<u32>) -> u64 {
    u64::from(kib.get()) * 1_024 / BLOCK
}

fn share_of_revolution(share: &Sourced<f64>) -> Angle {
    Angle::from_millionths((share.get() * 1e6 + 0.5) as u64)
}

impl HddConfig {
    /// Every value with its unit, source and allowed range.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            self.interface.section(),
            self.media.section(),
            self.arm.section(),
            self.read_cache.section(),
            self.write_cache.section(),
            Section::new(
                "queue",
                vec![
                    self.queue.depth.row("depth", "commands", 1..=32),
                    self.queue.patience.row("patience", "", 1..=65_536),
                ],
            ),
            self.rare.section(),
            self.environment.section(),
        ];
        sections.extend(self.cold_start.iter().map(ColdConfig::section));
        sections.extend(self.spares.iter().map(SparesConfig::section));
        sections
    }

    /// The plain numbers of a drive of this capacity in a slot: the slower rate of the two (of a
    /// bridge whose rates differ, that of reads), a bridge's time on each command.
    ///
    /// # Errors
    /// Where the values do not make a disk.
    pub fn parameters(
        &self,
        capacity: Bytes,
        slot: &Slot,
        seed: u64,
    ) -> Result<Parameters, NoSuchDisk> {
        let slips = self
            .spares
            .as_ref()
            .map_or_else(Slips::default, SparesConfig::slips);
        let geometry = self.media.geometry(capacity.get() / BLOCK, slips, seed)?;
        let actuator = self.arm.actuator(geometry.cylinders())?;
        let spindle = Spindle::new(self.media.rpm.get());
        let own = PicosPerByte::from_mb_s(self.interface.wire_mb_s.get());
        let picos = own.max(slot.interface.link().read).get();
        let rare = self.rare.retries(self.media.rpm.get());
        if !rare.are_bearable() {
            return Err(NoSuchDisk::Retries);
        }
        Ok(Parameters {
            blocks: capacity.get() / BLOCK,
            block: Bytes::SECTOR,
            physical_blocks: u64::from(self.media.physical_sector.get()) / BLOCK,
            mechanics: Mechanics::new(geometry, actuator, spindle),
            queue_depth: slot.queue(self.queue.depth.get()),
            patience: Patience::new(self.queue.patience.get()),
            read_overhead_ns: ns_of_us(&self.interface.read_command_us) + slot.bridge_ns(),
            write_overhead_ns: ns_of_us(&self.interface.write_command_us) + slot.bridge_ns(),
            wire_block_picos: picos * BLOCK,
            wire_frame_blocks: blocks_of_kib(&self.interface.frame_kib),
            zero_latency: self.read_cache.zero_latency.get(),
            look_behind: self.read_cache.look_behind.get(),
            read_segments: self.read_cache.segments.get(),
            segment_blocks: blocks_of_kib(&self.read_cache.segment_kib),
            read_ahead_blocks: blocks_of_kib(&self.read_cache.ahead_kib),
            read_on_below_blocks: blocks_of_kib(&self.read_cache.go_on_below_kib),
            write_back: self.write_cache.on.get(),
            write_cache_blocks: u64::from(self.write_cache.size_mib.get()) * 2_048,
            write_cache_runs: self.write_cache.runs.get(),
            write_run_blocks: self
                .write_cache
                .run_kib
                .as_ref()
                .map_or(u64::MAX, blocks_of_kib),
            destage_delay_ns: ns(&self.write_cache.delay_ms),
            destage_deadline_ns: ns(&self.write_cache.deadline_ms),
            destage_part_blocks: blocks_of_kib(&self.write_cache.part_kib),
            unqueued: None,
            rare_gap_blocks: rare.gap_sectors,
            rare_gap_revolutions: rare.gap_revolutions,
            rare_revolutions: rare.revolutions,
            cold: self.cold()?,
            cold_until_ns: 0,
            seed,
        })
    }

    /// What it does after a cold start.
    fn cold(&self) -> Result<Option<ColdStart>, NoSuchDisk> {
        let mode = self.environment.low_temperature_mode.get();
        match (mode, &self.cold_start) {
            (true, Some(cold)) => Ok(Some(cold.start())),
            (false, None) => Ok(None),
            (true, None) => Err(NoSuchDisk::LowTemperature(mode, "")),
            (false, Some(_)) => Err(NoSuchDisk::LowTemperature(mode, "not ")),
        }
    }

    /// The drive in a state.
    ///
    /// # Errors
    /// As [`HddConfig::parameters`], and where the state asks for what is not modelled.
    pub fn build(
        &self,
        capacity: Bytes,
        slot: &Slot,
        seed: u64,
        state: &State,
    ) -> Result<Hdd, NoSuchDisk> {
        let refused: Vec<String> = State {
            power_on: None,
            temperature: None,
            ..*state
        }
        .suffixes();
        if !refused.is_empty() {
            return Err(NoSuchDisk::StateNotModelled(refused.join(",")));
        }
        let mut p = self.parameters(capacity, slot, seed)?;
        if let (Some(cold), Some(celsius), Some(on)) = (p.cold, state.temperature, state.power_on) {
            p.cold_until_ns = cold.left_ns(celsius, on.as_nanos());
        }
        Ok(Hdd::new(p))
    }
}

impl InterfaceConfig {
    fn section(&self) -> Section {
        Section::new(
            "interface",
            vec![
                self.wire_mb_s.row("wire_mb_s", "MB/s", 1.0..=20_000.0),
                self.frame_kib.row("frame_kib", "KiB", 1..=1_024),
                self.read_command_us
                    .row("read_command_us", "us", 0.0..=10_000.0),
                self.write_command_us
                    .row("write_command_us", "us", 0.0..=10_000.0),
            ],
        )
    }
}

impl MediaConfig {
    fn section(&self) -> Section {
        Section::new(
            "media",
            vec![
                self.rpm.row("rpm", "turns a minute", 1_000..=30_000),
                self.heads.row("heads", "", 1..=64),
                self.zones.row("zones", "", 1..=1_000),
                self.outer_sectors
                    .row("outer_sectors", "of 512 B a track", 8..=100_000)
                    .in_steps_of(self.whole()),
                self.inner_sectors
                    .row("inner_sectors", "of 512 B a track", 8..=100_000)
                    .in_steps_of(self.whole()),
                self.physical_sector
                    .row("physical_sector", "B", 512..=4_096),
                self.band_cylinders.row("band_cylinders", "", 1..=10_000),
                self.serpentine.plain_row("serpentine", ""),
                self.track_skew.row("track_skew", "of a turn", 0.0..=0.99),
                self.head_skew.row("head_skew", "of a turn", 0.0..=0.99),
                self.band_skew.row("band_skew", "of a turn", 0.0..=0.99),
            ]
            .into_iter()
            .chain(
                self.density_spread
                    .iter()
                    .map(|spread| spread.row("density_spread", "of the densest", 0.0..=0.9)),
            )
            .chain(
                self.density_spread_inner
                    .iter()
                    .map(|spread| spread.row("density_spread_inner", "of the densest", 0.0..=0.9)),
            )
            .collect(),
        )
    }

    /// Sectors of 512 bytes that are one on the medium, at least 1: a track holds a multiple of them.
    fn whole(&self) -> u32 {
        (self.physical_sector.get() / BLOCK as u32).max(1)
    }

    /// Sectors a track in each zone, whole physical sectors, falling off evenly.
    fn sectors(&self) -> Result<Vec<u32>, NoSuchDisk> {
        let (outer, inner) = (self.outer_sectors.get(), self.inner_sectors.get());
        let fall = outer
            .checked_sub(inner)
            .ok_or(NoSuchDisk::InsideOut { outer, inner })?;
        let whole = self.whole();
        let steps = self.zones.get().saturating_sub(1).max(1);
        let zones = 0..self.zones.get();
        Ok(zones
            .map(|zone| {
                let less = u64::from(fall) * u64::from(zone) / u64::from(steps);
                (outer - less as u32) / whole * whole
            })
            .collect())
    }

    fn geometry(&self, blocks: u64, slips: Slips, seed: u64) -> Result<Geometry, NoSuchDisk> {
        let sectors = self.sectors()?;
        let surfaces = self.surfaces();
        let stack: u64 = surfaces.sectors_a_cylinder(&sectors).into_iter().sum();
        let needed = slips.sectors_for(blocks, sectors.len() as u64, surfaces.whole);
        let cylinders = needed.div_ceil(stack.max(1));
        if cylinders.saturating_mul(sectors.len() as u64) > MOST_CYLINDERS {
            return Err(NoSuchDisk::TooManyCylinders {
                zones: sectors.len(),
                cylinders,
            });
        }
        let cylinders = cylinders as u32;
        let heads = surfaces.heads as u16;
        if self.density_spread.is_some() {
            let bands = u64::from(cylinders.div_ceil(surfaces.band_cylinders.max(1)));
            let runs = bands * sectors.len() as u64 * u64::from(surfaces.heads);
            if runs > MOST_RUNS {
                return Err(NoSuchDisk::TooManyRuns {
                    band_cylinders: surfaces.band_cylinders,
                    runs,
                });
            }
            let mut runs = surfaces.layouts(&sectors, cylinders);
            slips.put_all(&mut runs, cylinders, &surfaces, seed);
            return Ok(Geometry::new(heads, 1, false, runs)?);
        }
        let zones = sectors.iter().enumerate();
        let mut zones: Vec<ZoneLayout> = zones
            .map(|(zone, &sectors)| ZoneLayout {
                first_cylinder: zone as u32 * cylinders,
                cylinders,
                sectors_per_track: sectors,
                skew_along: surfaces.track_skew,
                skew_head: surfaces.head_skew,
                skew_band: surfaces.band_skew,
                ..ZoneLayout::default()
            })
            .collect();
        slips.put_all(&mut zones, cylinders, &surfaces, seed);
        Ok(Geometry::new(
            heads,
            surfaces.band_cylinders,
            self.serpentine.get(),
            zones,
        )?)
    }

    fn surfaces(&self) -> Surfaces {
        let outer = self.density_spread.as_ref().map_or(0.0, Sourced::get);
        let inner = self
            .density_spread_inner
            .as_ref()
            .map_or(outer, Sourced::get);
        Surfaces {
            heads: self.heads.get(),
            spread: [outer, inner],
            band_cylinders: self.band_cylinders.get(),
            whole: self.whole(),
            track_skew: share_of_revolution(&self.track_skew),
            head_skew: share_of_revolution(&self.head_skew),
            band_skew: share_of_revolution(&self.band_skew),
        }
    }
}

impl ArmConfig {
    fn section(&self) -> Section {
        Section::new(
            "arm",
            vec![
                self.mean_seek_ms.row("mean_seek_ms", "ms", 0.1..=100.0),
                self.one_cylinder
                    .row("one_cylinder", "of the mean seek", 0.01..=1.0),
                self.head_switch_ms.row("head_switch_ms", "ms", 0.0..=20.0),
                self.write_settle_ms
                    .row("write_settle_ms", "ms", 0.0..=20.0),
            ],
        )
    }

    fn actuator(&self, cylinders: u32) -> Result<Actuator, NotACurve> {
        Ok(Actuator {
            curve: SeekCurve::from_mean(
                cylinders,
                ns(&self.mean_seek_ms),
                self.one_cylinder.get(),
            )?,
            head_switch_ns: ns(&self.head_switch_ms),
            write_settle_ns: ns(&self.write_settle_ms) as i64,
        })
    }
}

impl ReadCacheConfig {
    fn section(&self) -> Section {
        Section::new(
            "read_cache",
            vec![
                self.segments.row("segments", "", 1..=4_096),
                self.segment_kib.row("segment_kib", "KiB", 1..=1_048_576),
                self.ahead_kib.row("ahead_kib", "KiB", 0..=1_048_576),
                self.go_on_below_kib
                    .row("go_on_below_kib", "KiB", 0..=1_048_576),
                self.zero_latency.plain_row("zero_latency", ""),
                self.look_behind.plain_row("look_behind", ""),
            ],
        )
    }
}

impl WriteCacheConfig {
    fn section(&self) -> Section {
        let mut rows = vec![
            self.on.plain_row("on", ""),
            self.size_mib.row("size_mib", "MiB", 1..=4_096),
            self.runs.row("runs", "", 1..=4_096),
        ];
        let run = |kib: &Sourced<u32>| kib.row("run_kib", "KiB", 1..=4_194_304);
        rows.extend(self.run_kib.iter().map(run));
        rows.extend([
            self.delay_ms.row("delay_ms", "ms", 0.0..=60_000.0),
            self.deadline_ms.row("deadline_ms", "ms", 0.0..=3_600_000.0),
            self.part_kib.row("part_kib", "KiB", 1..=1_048_576),
        ]);
        Section::new("write_cache", rows)
    }
}

impl RareConfig {
    fn retries(&self, rpm: u32) -> Retries {
        let by_the_clock = |gap: &Sourced<f64>| gap.get() * f64::from(rpm) / 60.0;
        Retries {
            gap_sectors: self.gap_mb.get() * 1e6 / BLOCK as f64,
            gap_revolutions: self.gap_s.as_ref().map_or(0.0, by_the_clock),
            revolutions: self.turns.get(),
        }
    }

    fn section(&self) -> Section {
        let mut rows = vec![self.gap_mb.row("gap_mb", "MB", 0.0..=1e9)];
        rows.extend(
            self.gap_s
                .iter()
                .map(|gap| gap.row("gap_s", "s", 0.0..=1e6)),
        );
        rows.push(self.turns.row("turns", "", 1.0..=1_000.0));
        Section::new("rare", rows)
    }
}

impl EnvironmentConfig {
    fn section(&self) -> Section {
        let mode = self
            .low_temperature_mode
            .plain_row("low_temperature_mode", "");
        Section::new("environment", vec![mode])
    }
}

impl ColdConfig {
    fn section(&self) -> Section {
        Section::new(
            "cold_start",
            vec![
                self.threshold_c
                    .row("threshold_c", "degrees Celsius", -60..=60),
                self.lasts_min.row("lasts_min", "min", 0.0..=10_000.0),
                self.seek_factor.row("seek_factor", "", 1.0..=100.0),
                self.verify_writes.plain_row("verify_writes", ""),
                self.retry_gap_mb.row("retry_gap_mb", "MB", 0.0..=1e9),
            ],
        )
    }

    fn start(&self) -> ColdStart {
        ColdStart {
            threshold_celsius: self.threshold_c.get(),
            lasts_ns: (self.lasts_min.get() * 60e9 + 0.5) as u64,
            seek_factor: self.seek_factor.get(),
            verify_writes: self.verify_writes.get(),
            retry_gap_blocks: self.retry_gap_mb.get() * 1e6 / BLOCK as f64,
        }
    }
}
