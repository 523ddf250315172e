//! Where a block lies: zones, tracks, skews, and blocks that are left out.
//!
//! Outer tracks are longer and hold more sectors; a *zone* is a range of cylinders with as many
//! sectors on every track. Blocks are numbered along a track, then along the next one. Which track
//! is next is the layout: in *bands* of `band_cylinders` cylinders, the tracks of one head, then
//! those of the next head. A band of one cylinder is the classical order (all heads of a cylinder,
//! then the next cylinder); longer bands seek first and change heads rarely. `serpentine` turns
//! every second run round: with bands of one cylinder the heads run backwards in every second
//! cylinder, with longer ones every second head goes back outwards.
//!
//! A track's first sector comes later than the end of the track before by a *skew*, which leaves the
//! arm time for the change. There are three: along a head's tracks, for a change of head inside a
//! band, and for a change of band (the cylinder skew of the classical order). The angle of any sector
//! follows in closed form from the number of its track.
//!
//! Surfaces may differ in density: then a zone lies on one of them alone ([`surfaces`]).
//!
//! Some sectors hold no block: a gap at a zone's front, spares at its end, and *slips*,
//! bad sectors skipped at the factory, behind which everything moves up by one. So there are two
//! numberings: a block address, as the host knows it, and a *physical block address* (PBA), which
//! counts the slips and gaps too and so runs along under the head without holes. Without either
//! they are the same number.

use self::spares::{Spares, Unsound};
use super::spindle::Angle;
use remapped::{Extent, Remapped};

pub mod remapped;
mod spares;
pub mod surfaces;

/// One zone as it is described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneLayout {
    /// First cylinder; cylinders between zones hold nothing.
    pub first_cylinder: u32,
    pub cylinders: u32,
    /// The only surface of the zone, where its tracks are not those of all heads.
    pub surface: Option<u16>,
    /// Tracks are numbered from the innermost one outwards (only on a zone of one surface).
    pub outward: bool,
    /// Sectors that pass in a revolution.
    pub sectors_per_track: u32,
    /// Sectors at the zone's front that hold no block.
    pub front_gap: u32,
    /// Sectors at the zone's end that hold no block.
    pub spares_at_end: u32,
    /// Tracks of a range that has spares of its own; 0: no ranges.
    pub range_tracks: u32,
    /// Sectors at each whole range's end that hold no block; slips inside the range use them up.
    pub range_spares: u32,
    /// Skipped sectors, as PBAs in the zone, growing.
    pub slips: Vec<u32>,
    /// Sectors that went bad in service, as PBAs in the zone ([`remapped`]).
    pub remapped: Vec<Extent>,
    /// Angle of the zone's first sector.
    pub offset: Angle,
    /// Skew from a track to the next one of the same head in a band.
    pub skew_along: Angle,
    /// Skew at a change of head inside a band.
    pub skew_head: Angle,
    /// Skew at a change of band.
    pub skew_band: Angle,
}

/// A zone with what follows from its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    layout: ZoneLayout,
    spares: Spares,
    first_block: u64,
    blocks: u64,
    /// Skews of all changes inside one whole run of a head in a band.
    run_skew: Angle,
}

/// The tracks of a zone: what every access asks for. A disk whose surfaces differ has tens of
/// thousands of zones, so that a random access finds none of them near the processor: this is one
/// line of its caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Tracks {
    first_pba: u64,
    /// The PBA after the last one.
    end_pba: u64,
    /// Angle of the first sector.
    offset: Angle,
    /// Skews of all changes in one whole band.
    band_skew: Angle,
    /// Share of a revolution that one sector takes.
    pub sector: Angle,
    first_cylinder: u32,
    cylinders: u32,
    /// Sectors that pass in a revolution.
    pub sectors_per_track: u32,
    /// Heads that it has tracks of.
    heads: u16,
    surface: Option<u16>,
    outward: bool,
}

/// A track: as far as a head reads on without moving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// Number of its zone.
    pub zone: u32,
    /// Its number in the zone, in the order of blocks.
    pub number: u32,
    /// Its cylinder on the drive.
    pub cylinder: u32,
    pub head: u16,
}

/// A sector under a head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhysicalAddress {
    pub track: Track,
    /// Sector on the track, from 0.
    pub sector: u32,
    /// Where the sector begins, round the disc.
    pub angle: Angle,
}

/// The layout of a whole drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    heads: u32,
    band_cylinders: u32,
    serpentine: bool,
    zones: Vec<Zone>,
    blocks: u64,
    slipped: bool,
    remapped: Remapped,
    cylinders: u32,
    /// Of each zone.
    tracks: Vec<Tracks>,
    /// The zone of the first of each `1 << stretch_bits` PBAs: about two stretches a zone.
    stretches: Vec<u32>,
    stretch_bits: u32,
}

/// 144 petabytes in sectors of 512 bytes.
const MOST_SPOTS: u64 = 1 << 48;

/// Tracks that are passed at once at most: [`super::spindle::Spindle::time_for_tracks`] has room for 150
/// revolutions.
const MOST_ALIKE: u64 = 100;

/// Why a description is not a disk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotADisk {
    /// No heads, zones or band.
    #[error("a disk needs at least one head, one zone and bands of at least one cylinder")]
    Empty,
    /// A zone without room for a block.
    #[error("zone {0} has no room for a block: check cylinders, sectors, spares and gaps")]
    NoRoom(usize),
    /// A zone of more than 2^32 sectors.
    #[error("zone {0} has more than 2^32 sectors: divide it")]
    TooLarge(usize),
    /// A disk of more than 2^48 sectors: the write cache keeps an address in as many bits.
    #[error("with zone {0} the disk has more than 2^48 sectors")]
    DiskTooLarge(usize),
    /// A zone that begins inside the one before.
    #[error("zone {0} begins on a cylinder of the zone before")]
    Overlap(usize),
    /// A zone of one surface that the drive does not have, or beside bands of tracks.
    #[error("zone {0} is on a surface that the drive does not have, or in bands on one surface")]
    Surface(usize),
    /// Slips out of order or outside.
    #[error("zone {0}: slips must grow, lie inside the zone, and find a spare in their range")]
    Slips(usize),
    /// Remapped sectors outside, or twice.
    #[error("zone {0}: a remapped sector and its spare must lie inside the zone, each sector once")]
    Remapped(usize),
}

impl Geometry {
    /// A drive of so many heads with these zones, outermost first.
    ///
    /// # Errors
    /// Where the description does not make sense.
    pub fn new(
        heads: u16,
        band_cylinders: u32,
        serpentine: bool,
        zones: Vec<ZoneLayout>,
    ) -> Result<Geometry, NotADisk> {
        if heads == 0 || zones.is_empty() || band_cylinders == 0 {
            return Err(NotADisk::Empty);
        }
        let mut geometry = Geometry {
            heads: u32::from(heads),
            band_cylinders,
            serpentine,
            zones: Vec::new(),
            blocks: 0,
            slipped: false,
            remapped: Remapped::default(),
            cylinders: 0,
            tracks: Vec::new(),
            stretches: Vec::new(),
            stretch_bits: 0,
        };
        for (index, layout) in zones.into_iter().enumerate() {
            geometry.add(index, layout)?;
        }
        geometry.divide_into_stretches();
        Ok(geometry)
    }

    fn divide_into_stretches(&mut self) {
        let pbas = self.tracks.last().map_or(0, |tracks| tracks.end_pba);
        let each = pbas / (2 * self.tracks.len() as u64).max(1);
        self.stretch_bits = each.max(1).ilog2();
        let mut zone = 0;
        let zone_of = |stretch: u64| {
            let first = stretch << self.stretch_bits;
            while zone + 1 < self.tracks.len() && self.tracks[zone].end_pba <= first {
                zone += 1;
            }
            zone as u32
        };
        self.stretches = (0..=pbas >> self.stretch_bits).map(zone_of).collect();
    }

    /// Heads of a zone that comes next: one of a single surface, which may lie beside that of the zone before.
    fn heads_of(&self, index: usize, layout: &ZoneLayout) -> Result<u32, NotADisk> {
        let beside = |before: &Zone| {
            before.layout.surface.is_some()
                && before.layout.surface < layout.surface
                && before.layout.first_cylinder == layout.first_cylinder
        };
        let before = self.zones.last();
        if layout.first_cylinder < self.cylinders && !before.is_some_and(beside) {
            return Err(NotADisk::Overlap(index));
        }
        match layout.surface {
            None => Ok(self.heads),
            Some(surface) if u32::from(surface) < self.heads && self.band_cylinders == 1 => Ok(1),
            Some(_) => Err(NotADisk::Surface(index)),
        }
    }

    fn add(&mut self, index: usize, layout: ZoneLayout) -> Result<(), NotADisk> {
        let heads = self.heads_of(index, &layout)?;
        let used = layout.sectors_per_track;
        let pbas = u64::from(layout.cylinders) * u64::from(heads) * u64::from(used);
        if pbas > u64::from(u32::MAX) {
            return Err(NotADisk::TooLarge(index));
        }
        let spares = Spares::new(&layout, pbas, u64::from(used)).map_err(|why| match why {
            Unsound::Slips => NotADisk::Slips(index),
            Unsound::NoRoom => NotADisk::NoRoom(index),
        })?;
        let run = u64::from(self.band_cylinders);
        let run_skew = layout.skew_along.times(run - 1);
        let band_skew = run_skew
            .times(u64::from(heads))
            .plus(layout.skew_head.times(u64::from(heads) - 1))
            .plus(layout.skew_band);
        self.slipped |= spares.blocks() != pbas;
        self.cylinders = self.cylinders.max(layout.first_cylinder + layout.cylinders);
        let first_pba = self.tracks.last().map_or(0, |before| before.end_pba);
        if first_pba + pbas > MOST_SPOTS {
            return Err(NotADisk::DiskTooLarge(index));
        }
        let remapped = layout.remapped.iter().map(|extent| Extent {
            home: first_pba.saturating_add(extent.home),
            spare: first_pba.saturating_add(extent.spare),
            ..*extent
        });
        if !self
            .remapped
            .add(remapped.collect(), (first_pba, first_pba + pbas))
        {
            return Err(NotADisk::Remapped(index));
        }
        self.tracks.push(Tracks {
            first_pba,
            end_pba: first_pba + pbas,
            offset: layout.offset,
            band_skew,
            sector: Angle::share(1, u64::from(layout.sectors_per_track)),
            first_cylinder: layout.first_cylinder,
            cylinders: layout.cylinders,
            sectors_per_track: used,
            heads: heads as u16,
            surface: layout.surface,
            outward: layout.outward,
        });
        let zone = Zone {
            first_block: self.blocks,
            blocks: spares.blocks(),
            spares,
            run_skew,
            layout,
        };
        self.blocks += zone.blocks;
        self.zones.push(zone);
        Ok(())
    }

    /// Blocks that the zones hold.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }
    /// Cylinders, up to the last zone's end.
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }
    /// The zones, outermost first.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }
    /// The tracks of each zone, in the same order.
    #[inline]
    pub fn tracks(&self) -> &[Tracks] {
        &self.tracks
    }

    /// The last track before a PBA that is reached with the same skew from track to track, without a change of
    /// head or zone and with no sector left out, and that skew; nothing if that is the track itself.
    pub(super) fn tracks_alike(&self, from: &Track, end: u64) -> Option<(Track, Angle)> {
        let tracks = &self.tracks[from.zone as usize];
        if self.slipped || !self.remapped.is_empty() || tracks.surface.is_some() {
            return None;
        }
        let zone = from.zone as usize;
        let (run, _, step) = self.runs(zone, from.number);
        let wanted = (end - 1 - self.pbas_of(from).0) / u64::from(tracks.sectors_per_track);
        let on = wanted.min(u64::from(run - 1 - step)).min(MOST_ALIKE) as u32;
        let skew = self.zones[zone].layout.skew_along;
        (on > 0).then(|| (self.track(zone, from.number + on), skew))
    }

    /// The PBA of a block below [`Geometry::blocks`].
    #[inline]
    pub fn pba_of(&self, block: u64) -> u64 {
        if !self.slipped {
            return block;
        }
        let index = self.zones.partition_point(|z| z.first_block <= block) - 1;
        let zone = &self.zones[index];
        self.tracks[index].first_pba + zone.spares.pba_of(block - zone.first_block)
    }

    /// How many blocks lie before a PBA: the address of the block there, or of the next one.
    #[inline]
    pub fn block_at(&self, pba: u64) -> u64 {
        if !self.slipped {
            return pba;
        }
        let index = self.zone_of_pba(pba);
        let zone = &self.zones[index];
        let inside = pba - self.tracks[index].first_pba;
        zone.first_block + zone.spares.blocks_before(inside)
    }

    fn zone_of_pba(&self, pba: u64) -> usize {
        let last = self.stretches.len() - 1;
        let stretch = usize::try_from(pba >> self.stretch_bits).map_or(last, |s| s.min(last));
        let mut zone = self.stretches[stretch] as usize;
        while zone + 1 < self.tracks.len() && self.tracks[zone].end_pba <= pba {
            zone += 1;
        }
        zone
    }

    /// Looks for the zone of a block, so that it is in the cache when its place is asked for; gives
    /// anything of it.
    #[inline]
    pub fn touch(&self, block: u64) -> usize {
        self.zone_of_pba(self.pba_of(block.min(self.blocks - 1)))
    }

    /// Where a PBA is: its spare, if it is remapped.
    ///
    /// # Panics
    /// Where the PBA is past the last zone's end.
    #[inline]
    pub fn place(&self, pba: u64) -> PhysicalAddress {
        if !self.remapped.is_empty()
            && let Some(extent) = self.remapped.of(pba)
        {
            return self.home(extent.spare + (pba - extent.home));
        }
        self.home(pba)
    }

    /// Where a PBA would be if no sector had gone bad.
    #[inline]
    pub fn home(&self, pba: u64) -> PhysicalAddress {
        let index = self.zone_of_pba(pba);
        let tracks = &self.tracks[index];
        let inside = (pba - tracks.first_pba) as u32;
        let number = inside / tracks.sectors_per_track;
        let sector = inside % tracks.sectors_per_track;
        PhysicalAddress {
            track: self.track(index, number),
            sector,
            angle: self
                .angle_of(index, number)
                .plus(tracks.sector.times(u64::from(sector))),
        }
    }

    /// The track of a number in a zone.
    #[inline]
    pub fn track(&self, zone: usize, number: u32) -> Track {
        let tracks = &self.tracks[zone];
        if let Some(head) = tracks.surface {
            return self.track_on_surface(zone, number, head);
        }
        let (run, head, step) = self.runs(zone, number);
        let band = number / (self.band_cylinders * self.heads);
        let (head, step) = match (self.serpentine, self.band_cylinders) {
            (false, _) => (head, step),
            (true, 1) if band % 2 == 1 => (self.heads - 1 - head, step),
            (true, 1) => (head, step),
            (true, _) if head % 2 == 1 => (head, run - 1 - step),
            (true, _) => (head, step),
        };
        Track {
            zone: zone as u32,
            number,
            cylinder: tracks.first_cylinder + band * self.band_cylinders + step,
            head: head as u16,
        }
    }

    /// Cylinders in the band of a track (the last band may be short), the run (head position) that
    /// the track is in, and its step in that run.
    #[inline]
    fn runs(&self, zone: usize, number: u32) -> (u32, u32, u32) {
        if self.band_cylinders == 1 {
            return (1, number % u32::from(self.tracks[zone].heads), 0);
        }
        let per_band = self.band_cylinders * self.heads;
        let band = number / per_band;
        let left = self.tracks[zone].cylinders - band * self.band_cylinders;
        let run = left.min(self.band_cylinders);
        let inside = number - band * per_band;
        (run, inside / run, inside % run)
    }

    /// The angle of a track's first sector.
    #[inline]
    pub fn angle_of(&self, zone: usize, number: u32) -> Angle {
        let tracks = &self.tracks[zone];
        if tracks.surface.is_some() {
            // Each track is a band of its own.
            let skew = tracks.band_skew.times(u64::from(number));
            return tracks.offset.plus(skew);
        }
        let (run, head, step) = self.runs(zone, number);
        let band = u64::from(number / (self.band_cylinders * self.heads));
        let zone = &self.zones[zone];
        let run_skew = if run == self.band_cylinders {
            zone.run_skew
        } else {
            zone.layout.skew_along.times(u64::from(run - 1))
        };
        tracks
            .offset
            .plus(tracks.band_skew.times(band))
            .plus(run_skew.plus(zone.layout.skew_head).times(u64::from(head)))
            .plus(zone.layout.skew_along.times(u64::from(step)))
    }

    /// The PBA of a sector, where one is there: the way back from [`Geometry::place`].
    #[cfg(test)]
    pub fn pba_at(&self, cylinder: u32, head: u16, sector: u32) -> Option<u64> {
        if self.tracks[0].surface.is_some() {
            return self.pba_on_surface(cylinder, head, sector);
        }
        let index = self
            .tracks
            .partition_point(|tracks| tracks.first_cylinder <= cylinder)
            .checked_sub(1)?;
        let tracks = &self.tracks[index];
        let inside = cylinder - tracks.first_cylinder;
        let head = u32::from(head);
        if inside >= tracks.cylinders || head >= self.heads || sector >= tracks.sectors_per_track {
            return None;
        }
        let band = inside / self.band_cylinders;
        let step = inside % self.band_cylinders;
        let run = (tracks.cylinders - band * self.band_cylinders).min(self.band_cylinders);
        let (head, step) = match (self.serpentine, self.band_cylinders) {
            (true, 1) if band % 2 == 1 => (self.heads - 1 - head, step),
            (true, n) if n > 1 && head % 2 == 1 => (head, run - 1 - step),
            _ => (head, step),
        };
        let number = band * self.band_cylinders * self.heads + head * run + step;
        let used = u64::from(tracks.sectors_per_track);
        Some(tracks.first_pba + u64::from(number) * used + u64::from(sector))
    }

    /// The track after one that holds blocks, where there is one.
    pub fn next_track(&self, track: &Track) -> Option<Track> {
        let (mut index, mut number) = (track.zone as usize, track.number + 1);
        loop {
            let tracks = self.tracks.get(index)?;
            let used = u64::from(tracks.sectors_per_track);
            let first = u64::from(number) * used;
            let empty = |zone: &Zone| zone.spares.is_empty_track(first, first + used);
            if first >= tracks.end_pba - tracks.first_pba {
                (index, number) = (index + 1, 0);
            } else if self.slipped && empty(&self.zones[index]) {
                number += 1;
            } else {
                return Some(self.track(index, number));
            }
        }
    }

    /// Whether the blocks of a PBA are in a spare.
    #[inline]
    pub fn is_remapped(&self, pba: u64) -> bool {
        !self.remapped.is_empty() && self.remapped.of(pba).is_some()
    }

    /// The PBA at which a head that reads `pba` on a track has to move: the track's end, or an earlier
    /// one at which remapped sectors begin or end.
    #[inline]
    pub fn end_of_run(&self, track: &Track, pba: u64) -> u64 {
        if self.remapped.is_empty() {
            return self.pbas_of(track).1;
        }
        match self.remapped.of(pba) {
            Some(extent) => extent.home + extent.sectors,
            None => self.pbas_of(track).1.min(self.remapped.after(pba)),
        }
    }

    /// The PBA to pass at a run's end and its place, where there is one: `pba` itself inside a track, else
    /// the first of the next track.
    pub fn run_after(&self, track: &Track, pba: u64) -> Option<(u64, PhysicalAddress)> {
        if self.remapped.is_empty() {
            let next = self.next_track(track)?;
            let place = PhysicalAddress {
                track: next,
                sector: 0,
                angle: self.angle_of(next.zone as usize, next.number),
            };
            return Some((self.pbas_of(&next).0, place));
        }
        let track = self.home(pba.checked_sub(1)?).track;
        let next = if pba < self.pbas_of(&track).1 {
            pba
        } else {
            self.pbas_of(&self.next_track(&track)?).0
        };
        Some((next, self.place(next)))
    }

    /// First PBA of a track, and the PBA after its last.
    #[inline]
    pub fn pbas_of(&self, track: &Track) -> (u64, u64) {
        let tracks = &self.tracks[track.zone as usize];
        let used = u64::from(tracks.sectors_per_track);
        let first = tracks.first_pba + u64::from(track.number) * used;
        (first, first + used)
    }
}

impl Zone {
    /// Address of its first block.
    pub fn first_block(&self) -> u64 {
        self.first_block
    }
    /// Blocks in it.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }
    /// Its description.
    pub fn layout(&self) -> &ZoneLayout {
        &self.layout
    }
}

#[cfg(test)]
mod tests;
