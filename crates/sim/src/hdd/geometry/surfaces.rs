//! Surfaces that differ: each head gets the density that it can read and write.
//!
//! No two heads are alike, and makers format each surface as densely as its own head allows
//! (*adaptive formatting*: US 6,927,930; measured from outside, a disk's rate goes up and down from
//! surface to surface). The rate of a stream therefore changes with each change of head, by a tenth
//! or so, and where a drive stays on one surface for a *band* of some hundred tracks, the slow and
//! the fast surfaces stand side by side in its transfer curve as a band of rates: the same for reads
//! and writes, since nothing in it is chance.
//!
//! Parameters: the number of tracks a band has on each surface, and the *spread*: by what share the
//! sparsest surface holds fewer sectors a track than the densest one; the others lie evenly between.
//! A head is tuned in each zone by itself (Hitachi's paper "Adaptive Formatting in Hitachi Drives";
//! disks measured from outside show 4 to 17 % between their surfaces outside), so the spread of the
//! outermost zone need not be that of the innermost: between them it changes evenly.
//! Neighbours in the order of use are made as different as can be (densest, sparsest, second
//! densest, ...), so that a band's first two surfaces show the whole spread. Which surface is the densest is chance: copies
//! of one drive have the same densities on other surfaces, so that at one address one copy is faster and at the next
//! another. Every second surface is
//! used from the inside outwards, so that a change of head needs no long move.

use super::super::spindle::Angle;
use super::{Geometry, Track, ZoneLayout};

/// Surfaces of different density, used in bands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surfaces {
    /// Number of surfaces.
    pub heads: u32,
    /// Number of the densest surface: copies of a drive differ in it.
    pub densest: u32,
    /// By what share the sparsest holds less than the densest, 0 to below 1: in the outermost and in
    /// the innermost zone.
    pub spread: [f64; 2],
    /// Tracks in a row on one surface, at least 1.
    pub band_cylinders: u32,
    /// Sectors come in whole ones of so many blocks, at least 1.
    pub whole: u32,
    /// Skew from a track to the next on the same surface.
    pub track_skew: Angle,
    /// Skew at a change of surface.
    pub head_skew: Angle,
    /// Skew at a change of band.
    pub band_skew: Angle,
}

impl Surfaces {
    /// Sectors a track on a surface in a zone so far in (0 the outermost, 1 the innermost), where the
    /// densest surface has so many.
    pub fn sectors(&self, head: u32, inwards: f64, densest: u32) -> u32 {
        let steps = f64::from(self.heads.saturating_sub(1).max(1));
        let [outer, inner] = self.spread;
        let spread = outer + (inner - outer) * inwards;
        let less = spread * f64::from(self.rank(head)) / steps;
        let sectors = (f64::from(densest) * (1.0 - less) + 0.5) as u32;
        sectors / self.whole * self.whole
    }

    /// Place of a surface in the order of density, 0 the densest.
    const fn rank(&self, head: u32) -> u32 {
        let head = (head + self.heads - self.densest % self.heads) % self.heads;
        if head.is_multiple_of(2) {
            head / 2
        } else {
            self.heads - 1 - head / 2
        }
    }

    /// Sectors of one cylinder of each zone.
    pub fn sectors_a_cylinder(&self, zones: &[u32]) -> Vec<u64> {
        let of = |(zone, &densest): (usize, &u32)| {
            let inwards = inwards(zone, zones.len());
            let of = |head| u64::from(self.sectors(head, inwards, densest));
            (0..self.heads).map(of).sum()
        };
        zones.iter().enumerate().map(of).collect()
    }

    /// The runs of tracks in the order of blocks, where each zone has so many cylinders and, on the
    /// densest surface, so many sectors a track.
    pub fn layouts(&self, zones: &[u32], cylinders: u32) -> Vec<ZoneLayout> {
        let mut runs = Vec::new();
        let mut angle = Angle::default();
        for (zone, &densest) in zones.iter().enumerate() {
            let first = zone as u32 * cylinders;
            let inwards = inwards(zone, zones.len());
            let mut done = 0;
            while done < cylinders {
                let band = self.band_cylinders.max(1).min(cylinders - done);
                for head in 0..self.heads {
                    let run = self.run((first + done, band), head, (inwards, densest), angle);
                    let last_track = run.offset.plus(self.track_skew.times(u64::from(band) - 1));
                    angle = last_track.plus(if head + 1 == self.heads {
                        self.band_skew
                    } else {
                        self.head_skew
                    });
                    runs.push(run);
                }
                done += band;
            }
        }
        runs
    }

    fn run(
        &self,
        (first_cylinder, cylinders): (u32, u32),
        head: u32,
        (inwards, densest): (f64, u32),
        offset: Angle,
    ) -> ZoneLayout {
        ZoneLayout {
            first_cylinder,
            cylinders,
            surface: Some(head as u16),
            outward: head % 2 == 1,
            sectors_per_track: self.sectors(head, inwards, densest),
            offset,
            // On one surface each track is a change of band.
            skew_band: self.track_skew,
            ..ZoneLayout::default()
        }
    }
}

/// How far in a zone lies, from 0 for the outermost to 1 for the innermost.
fn inwards(zone: usize, zones: usize) -> f64 {
    zone as f64 / zones.saturating_sub(1).max(1) as f64
}

impl Geometry {
    /// The PBA of a sector where zones lie on one surface each.
    #[cfg(test)]
    pub(super) fn pba_on_surface(&self, cylinder: u32, head: u16, sector: u32) -> Option<u64> {
        let holds = |tracks: &&super::Tracks| {
            let inside = cylinder.wrapping_sub(tracks.first_cylinder);
            tracks.surface == Some(head) && inside < tracks.cylinders
        };
        let tracks = self.tracks.iter().find(holds)?;
        let inside = cylinder - tracks.first_cylinder;
        let number = if tracks.outward {
            tracks.cylinders - 1 - inside
        } else {
            inside
        };
        let used = u64::from(tracks.sectors_per_track);
        let there = sector < tracks.sectors_per_track;
        there.then(|| tracks.first_pba + u64::from(number) * used + u64::from(sector))
    }

    /// A track of a zone of one surface.
    #[inline]
    pub(super) fn track_on_surface(&self, zone: usize, number: u32, head: u16) -> Track {
        let tracks = &self.tracks[zone];
        let step = if tracks.outward {
            tracks.cylinders - 1 - number
        } else {
            number
        };
        Track {
            zone: zone as u32,
            number,
            cylinder: tracks.first_cylinder + step,
            head,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surfaces(spread: f64) -> Surfaces {
        Surfaces {
            heads: 4,
            densest: 0,
            spread: [spread; 2],
            band_cylinders: 3,
            whole: 1,
            track_skew: Angle::share(1, 10),
            head_skew: Angle::share(1, 8),
            band_skew: Angle::share(1, 5),
        }
    }

    fn geometry(spread: f64) -> Geometry {
        let runs = surfaces(spread).layouts(&[100, 60], 7);
        Geometry::new(4, 1, false, runs).unwrap()
    }

    #[test]
    fn a_copy_has_the_same_densities_on_other_surfaces() {
        let copy = Surfaces {
            densest: 1,
            ..surfaces(0.3)
        };
        let of = |head| copy.sectors(head, 0.5, 100);
        assert_eq!([of(0), of(1), of(2), of(3)], [80, 100, 70, 90]);
        assert_eq!(copy.sectors_a_cylinder(&[100]), [340]);
    }

    #[test]
    fn surfaces_lie_evenly_between_the_densest_and_the_sparsest() {
        let of = |head| surfaces(0.3).sectors(head, 0.5, 100);
        assert_eq!([of(0), of(1), of(2), of(3)], [100, 70, 90, 80]);
        assert_eq!(surfaces(0.3).sectors_a_cylinder(&[100]), [340]);
        assert_eq!(surfaces(0.0).sectors_a_cylinder(&[100]), [400]);
    }

    #[test]
    fn heads_are_tuned_zone_by_zone() {
        let surfaces = Surfaces {
            spread: [0.3, 0.0],
            ..surfaces(0.0)
        };
        let sparsest = |inwards| surfaces.sectors(1, inwards, 100);
        assert_eq!([sparsest(0.0), sparsest(0.5), sparsest(1.0)], [70, 85, 100]);
        assert_eq!(surfaces.sectors_a_cylinder(&[100, 100]), [340, 400]);
    }

    #[test]
    fn a_band_stays_on_a_surface_and_comes_back_on_the_next() {
        let g = geometry(0.3);
        let mut track = g.place(0).track;
        let mut way = vec![(track.head, track.cylinder)];
        while let Some(next) = g.next_track(&track) {
            way.push((next.head, next.cylinder));
            track = next;
        }
        assert_eq!(way.len(), 2 * 7 * 4);
        assert_eq!(
            way[..7],
            [(0, 0), (0, 1), (0, 2), (1, 2), (1, 1), (1, 0), (2, 0)]
        );
        // Bands of three, three and one cylinders a zone.
        assert_eq!(
            way[24..30],
            [(0, 6), (1, 6), (2, 6), (3, 6), (0, 7), (0, 8)]
        );
    }

    #[test]
    fn every_block_has_a_place_of_its_own_and_the_way_back() {
        let g = geometry(0.3);
        assert_eq!(g.blocks(), 7 * (340 + 204));
        let mut seen = std::collections::BTreeSet::new();
        for block in 0..g.blocks() {
            let place = g.place(block);
            let key = (place.track.cylinder, place.track.head, place.sector);
            assert!(seen.insert(key), "{key:?}");
            assert_eq!(g.pba_at(key.0, key.1, key.2), Some(block));
        }
    }

    #[test]
    fn skews_run_on_over_changes_of_surface_and_band() {
        let g = geometry(0.0);
        let angle = |block| g.place(block).angle;
        let track = Angle::share(1, 10);
        assert_eq!(angle(100), track);
        // Two tracks on, then a change of head; eight of twelve tracks on, three changes, a band.
        assert_eq!(angle(300), track.times(2).plus(Angle::share(1, 8)));
        let band = track
            .times(8)
            .plus(Angle::share(1, 8).times(3))
            .plus(Angle::share(1, 5));
        assert_eq!(angle(1_200), band);
    }
}
