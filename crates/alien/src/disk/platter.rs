//! Geometry and mechanics: where a sector is, and when it is under the head.
//!
//! Sectors are numbered along a track, the tracks of a cylinder one surface after the other, then the next cylinder. A
//! track begins by the skew later than the one before, so that reading on finds its beginning just after the switch;
//! where the switch takes longer than the skew, a whole turn is lost at every track. Unrolled to one long spiral, the
//! angle of a sector is its track times (a turn and the skew), and its place on the track: the time between two sectors
//! that pass one after the other is the difference of their angles.

use base::size::Bytes;
use base::time::{Duration, Instant};

use crate::description::{DiskDescription, Seek, Tracks};

const SECTOR: u64 = 512;

/// Tracks with the same number of sectors.
#[derive(Clone, Copy, Debug)]
struct Zone {
    first_sector: u64,
    first_track: u64,
    sectors_a_track: u64,
}

/// A place on the platters in bytes, the media cache's band included.
pub(super) type Byte = u64;

#[derive(Debug)]
pub(super) struct Platter {
    zones: Vec<Zone>,
    turn_ns: u64,
    /// Angle from the beginning of a track to that of the next.
    track_ns: u64,
    surfaces: u64,
    cylinders: u64,
    seek: Seek,
    track_switch: Duration,
    /// Where the head is.
    track: u64,
}

impl Platter {
    pub(super) fn new(d: &DiskDescription, capacity: Bytes) -> Platter {
        let turn_ns = d.revolution().as_nanos();
        let late = d.track_switch.saturating_sub(d.skew).as_nanos();
        let sectors = capacity.get().div_ceil(SECTOR);
        let (zones, tracks) = zones(d.tracks, sectors);
        let surfaces = u64::from(d.surfaces.max(1));
        Platter {
            zones,
            turn_ns,
            track_ns: turn_ns + d.skew.as_nanos() + late.div_ceil(turn_ns) * turn_ns,
            surfaces,
            cylinders: tracks.div_ceil(surfaces),
            seek: d.seek,
            track_switch: d.track_switch,
            track: 0,
        }
    }

    /// The track of a sector, and the angles of its beginning and its end on the unrolled spiral, in nanoseconds of
    /// rotation.
    fn angles(&self, byte: Byte) -> (u64, u64, u64) {
        let sector = byte / SECTOR;
        let after = self
            .zones
            .partition_point(|zone| zone.first_sector <= sector);
        let zone = self.zones[after.saturating_sub(1)];
        let within = sector - zone.first_sector;
        let track = zone.first_track + within / zone.sectors_a_track;
        let on_track = within % zone.sectors_a_track;
        let of = |sectors| track * self.track_ns + sectors * self.turn_ns / zone.sectors_a_track;
        (track, of(on_track), of(on_track + 1))
    }

    fn begins(&self, byte: Byte) -> u64 {
        self.angles(byte).1
    }

    /// The byte that passes at an angle of the spiral; between two tracks it is the beginning of the next one.
    fn byte_at(&self, angle: u64) -> Byte {
        let track = angle / self.track_ns;
        let after = self.zones.partition_point(|zone| zone.first_track <= track);
        let zone = self.zones[after.saturating_sub(1)];
        let sectors = angle % self.track_ns * zone.sectors_a_track / self.turn_ns;
        let sector = zone.first_sector
            + (track - zone.first_track) * zone.sectors_a_track
            + sectors.min(zone.sectors_a_track);
        sector * SECTOR
    }

    /// Time in which the bytes from one until before another pass.
    pub(super) fn passing(&self, from: Byte, to: Byte) -> Duration {
        if to <= from {
            return Duration::ZERO;
        }
        Duration::from_nanos(self.angles(to - 1).2 - self.begins(from))
    }

    /// Where the head is that reads on from a byte for so long.
    pub(super) fn reached(&self, from: Byte, time: Duration) -> Byte {
        self.byte_at(self.begins(from).saturating_add(time.as_nanos()))
    }

    /// When a head that begins to move at `at` has a byte under it: seek, settling, rotation.
    pub(super) fn access(&self, at: Instant, byte: Byte, write: bool) -> Instant {
        let arrived = at + self.seek_time(self.angles(byte).0, write);
        let wanted = self.begins(byte) % self.turn_ns;
        let now = arrived.as_nanos() % self.turn_ns;
        arrived + Duration::from_nanos((wanted + self.turn_ns - now) % self.turn_ns)
    }

    /// As [`Platter::access`], and the byte may be any: gives how far behind the beginning of its track the first one is
    /// that passes, within that track.
    pub(super) fn anywhere(&self, at: Instant, byte: Byte) -> (Instant, u64) {
        let arrived = at + self.seek_time(self.angles(byte).0, true);
        let begins = self.access(at, byte, true);
        let next = self.reached(byte, Duration::from_nanos(self.turn_ns));
        let wait = begins.since(arrived).as_nanos();
        let skip = (next - byte) * (self.turn_ns - wait) / self.turn_ns / SECTOR * SECTOR;
        (arrived, if wait == 0 { 0 } else { skip })
    }

    /// The head is where it reads or writes a byte.
    pub(super) fn move_to(&mut self, byte: Byte) {
        self.track = self.angles(byte).0;
    }

    fn seek_time(&self, track: u64, write: bool) -> Duration {
        // On its track the head has settled: what goes on behind a write loses no turn.
        let settle = if write {
            self.seek.write_settle
        } else {
            Duration::ZERO
        };
        let distance = (track / self.surfaces).abs_diff(self.track / self.surfaces);
        if track == self.track {
            return Duration::ZERO;
        }
        if distance == 0 {
            return self.track_switch + settle;
        }
        let most = self.cylinders.saturating_sub(2).max(1);
        let share = (distance - 1) as f64 / most as f64;
        let longer = self
            .seek
            .full
            .saturating_sub(self.seek.single)
            .as_secs_f64();
        let curve = libm::pow(share.min(1.0), self.seek.exponent) * longer;
        let seek = self.seek.single + Duration::from_secs_f64(curve);
        seek.max(self.track_switch) + settle
    }
}

/// The zones that hold so many sectors, and all tracks.
fn zones(tracks: Tracks, sectors: u64) -> (Vec<Zone>, u64) {
    let (outer, inner, count) = match tracks {
        Tracks::Constant { sectors } => (u64::from(sectors), u64::from(sectors), 1),
        Tracks::Zoned {
            outer_sectors,
            inner_sectors,
            zones,
        } => (
            u64::from(outer_sectors.max(inner_sectors)),
            u64::from(inner_sectors),
            u64::from(zones.max(1)),
        ),
    };
    let of_zone = |zone: u64| outer - (outer - inner) * zone / (count - 1).max(1);
    let a_track_of_each: u64 = (0..count).map(of_zone).sum();
    let tracks_a_zone = sectors.div_ceil(a_track_of_each);
    let mut first_sector = 0;
    let zones = (0..count).map(|zone| {
        let made = Zone {
            first_sector,
            first_track: zone * tracks_a_zone,
            sectors_a_track: of_zone(zone),
        };
        first_sector += tracks_a_zone * of_zone(zone);
        made
    });
    (zones.collect(), tracks_a_zone * count)
}
