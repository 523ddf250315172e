//! A hard disk's part of its catalogue file, and the plain numbers that follow from it.
//!
//! A file gives the outermost and the innermost zone; those between fall off evenly, as they do if
//! bits are equally dense on every track and zones are equally wide. All zones have as many
//! cylinders, just as many as the capacity needs.
//!
//! The contents of a disk before a run do not change its times: the place of data follows from their
//! addresses, however they were written. So `fresh`, sequential and random are the same state for a disk, unless its
//! tracks overlap ([`super::drive::shingled`]). Of the
//! suffixes, `power-on=` with `temperature=` matters to a disk with a mode at low temperature
//! ([`super::cold`]) and to no other; the rest (`idle=`, `age=`, `trimmed`) are refused until something
//! here depends on them.

use base::size::Bytes;
use serde::Deserialize;

pub mod actuators;
mod no_such_disk;

use self::actuators::{Actuators, ActuatorsConfig};
pub use self::no_such_disk::NoSuchDisk;
use super::cold::ColdConfig;
use super::drive::media_scan::MediaScanConfig;
use super::drive::parameters::Parameters;
use super::drive::recovery::RecoveryConfig;
use super::drive::shingled::{Shingled, ShingledConfig, Shingles};
use super::geometry::surfaces::Surfaces;
use super::geometry::{Geometry, ZoneLayout};
use super::quantity::{
    BLOCK, BlocksOfKib, BlocksOfMb, NanosOfMicros, NanosOfMillis, ShareOfRevolution,
};
use super::queue::{Patience, Queueing};
use super::rare::Retries;
use super::read_cache::{ReadCacheConfig, ReadCaching};
use super::seek::{Actuator, NotACurve, SeekCurve};
use super::slips::{Slips, SparesConfig};
use super::spindle::Spindle;
use super::track_pass::Mechanics;
use super::vibration::{Vibration, VibrationConfig};
use super::write_cache::WriteCacheConfig;
use crate::interface::Slot;
use crate::sheet::Section;
use crate::sheet::quantity::{Count, Flag, MegabytesPerSecond, Number};
use crate::sheet::table::parameters;
use crate::zoned::{Zones, ZonesConfig};
use base::state::{State, Written};

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
    /// How long it tries to read a bad sector, where the file says.
    recovery: Option<RecoveryConfig>,
    /// Tracks that overlap, where they do.
    shingled: Option<ShingledConfig>,
    /// Revolutions lost to vibration, where there are any.
    vibration: Option<VibrationConfig>,
    /// The mode at low temperature, where there is one.
    cold_start: Option<ColdConfig>,
    /// An idle disk scans itself, where it does.
    media_scan: Option<MediaScanConfig>,
    /// Zones that the host manages, where there are any.
    zoned: Option<ZonesConfig>,
    /// Skipped and spare sectors, where there are any.
    spares: Option<SparesConfig>,
    /// Actuators, where there is more than one.
    actuators: Option<ActuatorsConfig>,
}

parameters! {
    /// Between host and buffer.
    #[derive(Clone, Copy, Debug)]
    Wire from InterfaceConfig ["interface"] {
        /// The rate of the drive's own interface.
        rate "wire_mb_s": MegabytesPerSecond in 1.0..=20_000.0;
        /// Blocks that go over it at once.
        frame_blocks "frame_kib": BlocksOfKib in 1..=1_024;
        /// A read command's own time.
        read_command_ns "read_command_us": NanosOfMicros in 0.0..=10_000.0;
        /// A write command's own time.
        write_command_ns "write_command_us": NanosOfMicros in 0.0..=10_000.0;
    }
}

parameters! {
    /// Discs and zones.
    #[derive(Clone, Copy, Debug)]
    Media from MediaConfig ["media"] {
        /// Revolutions per minute.
        rpm "rpm": Count("turns a minute") in 1_000..=30_000;
        /// Surfaces that hold data.
        heads "heads": Count in 1..=64;
        /// Zones of equally many sectors a track.
        zones "zones": Count in 1..=1_000;
        /// Sectors of 512 bytes a track in the outermost zone.
        outer_sectors "outer_sectors": Count("of 512 B a track") in 8..=100_000;
        /// In the innermost zone.
        inner_sectors "inner_sectors": Count("of 512 B a track") in 8..=100_000;
        /// Bytes of a sector as it lies on the medium.
        physical_sector "physical_sector": Count("B") in 512..=4_096;
        /// Tracks in a row on one surface.
        band_cylinders "band_cylinders": Count in 1..=10_000;
        /// Every second run of tracks is used backwards.
        serpentine "serpentine": Flag;
        /// Skew from a track to the next on the same surface.
        track_skew "track_skew": ShareOfRevolution in 0.0..=0.99;
        /// Skew at a change of surface.
        head_skew "head_skew": ShareOfRevolution in 0.0..=0.99;
        /// Skew at a change of band.
        band_skew "band_skew": ShareOfRevolution in 0.0..=0.99;
        /// By what share the sparsest surface holds less than the densest; all are alike if the file
        /// says nothing.
        density_spread "density_spread": Number("of the densest") in 0.0..=0.9, maybe;
        /// That of the innermost zone; as the outermost one's if the file says nothing.
        density_spread_inner "density_spread_inner": Number("of the densest") in 0.0..=0.9, maybe;
    }
}

parameters! {
    /// What moves the heads.
    #[derive(Clone, Copy, Debug)]
    Arm from ArmConfig ["arm"] {
        /// A seek over a random distance, in the mean.
        mean_seek_ns "mean_seek_ms": NanosOfMillis in 0.1..=100.0;
        /// A seek to the next cylinder.
        one_cylinder "one_cylinder": Number("of the mean seek") in 0.01..=1.0;
        /// To another head of the same cylinder.
        head_switch_ns "head_switch_ms": NanosOfMillis in 0.0..=20.0;
        /// Further until the head is still enough to write.
        write_settle_ns "write_settle_ms": NanosOfMillis in 0.0..=20.0;
        /// What a write's seek takes beyond a read's.
        write_more "write_seek_more": Number("of the seek") in 0.0..=1.0, or 0.0;
    }
}

parameters! {
    /// Commands that wait.
    #[derive(Clone, Copy, Debug)]
    Queue from QueueConfig ["queue"] {
        /// Commands in flight.
        depth "depth": Count("commands") in 1..=32;
        /// How patient a waiting access has to be.
        patience "patience": Count in 1..=65_536;
        /// The next access is chosen when one begins.
        committed "committed": Flag, or false;
        /// The choice sees where the discs will be.
        sees_rotation "sees_rotation": Flag, or true;
        /// The choice sees how far the arm has to go.
        sees_seek "sees_seek": Flag, or true;
        /// Nanoseconds after which the oldest access is taken before all others; 0: no limit.
        age_limit_ns "age_limit_ms": NanosOfMillis in 0.0..=600_000.0, or 0;
        /// Accesses that must wait before another than the oldest is taken.
        reorders_from "reorders_from": Count("accesses") in 0..=32, or 0;
    }
}

parameters! {
    /// Rare long responses.
    #[derive(Clone, Copy, Debug)]
    Rare from RareConfig ["rare"] {
        /// Mean blocks between two events.
        gap_sectors "gap_mb": BlocksOfMb in 0.0..=1e9;
        /// Mean seconds between two events by the clock; 0: there are none.
        gap_s "gap_s": Number("s") in 0.0..=1e6, maybe;
        /// Mean revolutions of an event.
        revolutions "turns": Number in 1.0..=1_000.0;
    }
}

impl HddConfig {
    /// Every value with its unit, source and allowed range.
    pub fn sections(&self) -> Vec<Section> {
        let mut sections = vec![
            self.interface.section(),
            self.media.stepped_section(),
            self.arm.section(),
            self.read_cache.section(),
            self.write_cache.section(),
            self.queue.section(),
            self.rare.section(),
        ];
        sections.extend(self.recovery.iter().map(RecoveryConfig::section));
        sections.extend(self.shingled.iter().map(ShingledConfig::section));
        sections.extend(self.vibration.iter().map(VibrationConfig::section));
        sections.extend(self.cold_start.iter().map(ColdConfig::section));
        sections.extend(self.media_scan.iter().map(MediaScanConfig::section));
        sections.extend(self.zoned.iter().map(ZonesConfig::section));
        sections.extend(self.spares.iter().map(SparesConfig::section));
        sections.extend(self.actuators.iter().map(ActuatorsConfig::section));
        sections
    }

    /// What it tells the host of itself: that it rotates, whether writes are acknowledged from memory, and whether its
    /// tracks overlap, which few disks tell and their makers' lists do.
    pub fn facts(&self) -> Vec<(&'static str, &'static str)> {
        let cache = match self.write_cache.parameters().on {
            true => "write back",
            false => "write through",
        };
        let shingled = self.shingled.is_some();
        let recording = shingled.then_some(("recording", "shingled, managed by the drive"));
        let always = [("rotational", "yes"), ("write cache", cache)];
        always.into_iter().chain(recording).collect()
    }

    /// Its zones; nothing for a disk that is written anywhere.
    pub fn zones(&self) -> Option<Zones> {
        self.zoned.as_ref().map(ZonesConfig::parameters)
    }

    /// Its actuators: one where the file says nothing.
    pub fn actuators(&self) -> Actuators {
        let said = self.actuators.as_ref().map(ActuatorsConfig::parameters);
        said.unwrap_or(Actuators { count: 1 })
    }

    /// The surfaces of one actuator.
    fn media_of_one(&self) -> Result<Media, NoSuchDisk> {
        let (mut media, count) = (self.media.parameters(), self.actuators().count);
        if media.heads % count != 0 {
            return Err(NoSuchDisk::Actuators {
                heads: media.heads,
                count,
            });
        }
        media.heads /= count;
        Ok(media)
    }

    /// The plain numbers of a drive of this capacity (of one actuator's part of it, where there are several) in a slot: the slower rate of the two (of a
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
        let media = self.media_of_one()?;
        let parts = self.actuators().count;
        let read_cache = self.read_cache.parameters();
        let queue = self.queue.parameters();
        let wire = self.interface.parameters();
        let (read_rate, write_rate) = wire.rates(slot);
        let shingled = self.shingled.as_ref().map(ShingledConfig::parameters);
        let extra = shingled.as_ref().map_or(0, Shingled::extra_blocks);
        let mechanics = self.mechanics(&media, capacity.get() / BLOCK + extra, seed)?;
        let vibration = self.vibration.as_ref();
        Ok(Parameters {
            blocks: capacity.get() / BLOCK,
            block: Bytes::SECTOR,
            physical_blocks: u64::from(media.physical_sector) / BLOCK,
            mechanics,
            queue_depth: slot.queue(queue.depth),
            patience: Patience::new(queue.patience),
            queueing: queue.queueing(),
            vibration: vibration.map_or_else(Vibration::default, VibrationConfig::parameters),
            read_overhead_ns: wire.read_command_ns + slot.bridge_ns(),
            write_overhead_ns: wire.write_command_ns + slot.bridge_ns(),
            wire_block_picos: read_rate * BLOCK,
            wire_write_block_picos: write_rate * BLOCK,
            wire_frame_blocks: wire.frame_blocks,
            read_cache: ReadCaching {
                segments: (read_cache.segments / parts).max(1),
                ..read_cache
            },
            write_cache: self.write_cache.parameters().of_one(parts),
            media_scan: self.media_scan.as_ref().map(MediaScanConfig::parameters),
            rare: self.rare.parameters().retries(media.rpm)?,
            recovery: self.recovery.as_ref().map(RecoveryConfig::parameters),
            shingled: shingled.map(|rules| Shingles {
                rules,
                written: Written::Fresh,
            }),
            cold: self.cold_start.as_ref().map(ColdConfig::parameters),
            cold_until_ns: 0,
            seed,
        })
    }

    /// Discs with this many blocks, zones and arm, of one actuator.
    fn mechanics(&self, media: &Media, blocks: u64, seed: u64) -> Result<Mechanics, NoSuchDisk> {
        let slips = self.spares.as_ref();
        let slips = slips.map_or_else(Slips::default, SparesConfig::parameters);
        let geometry = media.geometry(blocks, slips, seed)?;
        let actuator = self.arm.parameters().actuator(geometry.cylinders())?;
        Ok(Mechanics::new(geometry, actuator, Spindle::new(media.rpm)))
    }

    /// The plain numbers of a drive in a state.
    ///
    /// # Errors
    /// As [`HddConfig::parameters`], and where the state asks for what is not modelled.
    pub fn in_state(
        &self,
        capacity: Bytes,
        slot: &Slot,
        seed: u64,
        state: &State,
    ) -> Result<Parameters, NoSuchDisk> {
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
        if let Some(shingles) = &mut p.shingled {
            shingles.written = state.written;
        }
        if let (Some(cold), Some(celsius), Some(on)) = (p.cold, state.temperature, state.power_on) {
            p.cold_until_ns = cold.left_ns(celsius, on.as_nanos());
        }
        Ok(p)
    }
}

impl Wire {
    /// Picoseconds a byte, read and written: of the drive and its slot the slower. Only a bridge carries what is
    /// written at a rate of its own.
    fn rates(&self, slot: &Slot) -> (u64, u64) {
        let link = slot.interface.link();
        let read = self.rate.max(link.read).get();
        match slot.bridge_ns() {
            0 => (read, read),
            _ => (read, self.rate.max(link.write).get()),
        }
    }
}

impl Queue {
    fn queueing(&self) -> Queueing {
        Queueing {
            committed: self.committed,
            sees_rotation: self.sees_rotation,
            sees_seek: self.sees_seek,
            age_limit_ns: self.age_limit_ns,
            reorders_from: self.reorders_from,
        }
    }
}

impl MediaConfig {
    /// The section; sectors a track come in whole physical ones.
    fn stepped_section(&self) -> Section {
        let mut section = self.section();
        let whole = self.parameters().whole();
        for row in &mut section.rows {
            if ["outer_sectors", "inner_sectors"].contains(&row.key) {
                row.step = Some(whole);
            }
        }
        section
    }
}

impl Media {
    /// Sectors of 512 bytes that are one on the medium, at least 1: a track holds a multiple of them.
    fn whole(&self) -> u32 {
        (self.physical_sector / BLOCK as u32).max(1)
    }

    /// Sectors a track in each zone, whole physical sectors, falling off evenly.
    fn sectors(&self) -> Result<Vec<u32>, NoSuchDisk> {
        let (outer, inner) = (self.outer_sectors, self.inner_sectors);
        let fall = outer
            .checked_sub(inner)
            .ok_or(NoSuchDisk::InsideOut { outer, inner })?;
        let whole = self.whole();
        let steps = self.zones.saturating_sub(1).max(1);
        let zones = 0..self.zones;
        Ok(zones
            .map(|zone| {
                let less = u64::from(fall) * u64::from(zone) / u64::from(steps);
                (outer - less as u32) / whole * whole
            })
            .collect())
    }

    fn geometry(&self, blocks: u64, slips: Slips, seed: u64) -> Result<Geometry, NoSuchDisk> {
        let sectors = self.sectors()?;
        let surfaces = self.surfaces(seed);
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
            self.serpentine,
            zones,
        )?)
    }

    /// The surfaces of one copy: that of seed 1 (and 0) has the densest one first, each next seed one surface later.
    fn surfaces(&self, seed: u64) -> Surfaces {
        let outer = self.density_spread.unwrap_or(0.0);
        let inner = self.density_spread_inner.unwrap_or(outer);
        Surfaces {
            heads: self.heads,
            densest: (seed.saturating_sub(1) % u64::from(self.heads.max(1))) as u32,
            spread: [outer, inner],
            band_cylinders: self.band_cylinders,
            whole: self.whole(),
            track_skew: self.track_skew,
            head_skew: self.head_skew,
            band_skew: self.band_skew,
        }
    }
}

impl Arm {
    fn actuator(&self, cylinders: u32) -> Result<Actuator, NotACurve> {
        Ok(Actuator {
            curve: SeekCurve::from_mean(cylinders, self.mean_seek_ns, self.one_cylinder)?,
            head_switch_ns: self.head_switch_ns,
            write_settle_ns: self.write_settle_ns as i64,
            write_more_q16: (self.write_more * 65_536.0 + 0.5) as u64,
        })
    }
}

impl Rare {
    fn retries(&self, rpm: u32) -> Result<Retries, NoSuchDisk> {
        let by_the_clock = |gap: f64| gap * f64::from(rpm) / 60.0;
        let retries = Retries {
            gap_sectors: self.gap_sectors,
            gap_revolutions: self.gap_s.map_or(0.0, by_the_clock),
            revolutions: self.revolutions,
        };
        match retries.are_bearable() {
            true => Ok(retries),
            false => Err(NoSuchDisk::Retries),
        }
    }
}
