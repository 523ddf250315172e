//! How far a disk without a queue reads ahead: to a track's end, or by a number of blocks.
//!
//! Early controllers think in tracks: having the head on a track, they read the rest of it, and a
//! host that is reading in order makes them continue with the next one. Later ones count blocks.

use super::geometry::Geometry;

/// Where reading ahead ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AheadRule {
    /// With the request.
    None,
    /// With the track of the request's last block.
    Track,
    /// With that track's cylinder.
    Cylinder,
    /// So many blocks after the request.
    Blocks(u64),
    /// With the track of the block after the request; one track later where the segment began on an
    /// earlier one, which shows that the host reads in order.
    TrackAndNext,
}

impl AheadRule {
    /// The block at which reading ahead ends after a request that ends at `end`, into a segment
    /// that begins at `first`.
    pub fn limit(self, geometry: &Geometry, first: u64, end: u64) -> u64 {
        let blocks = geometry.blocks();
        let track_of = |block: u64| geometry.home(geometry.pba_of(block)).track;
        let end_of = |track| geometry.block_at(geometry.pbas_of(track).1);
        let limit = match self {
            AheadRule::None => end,
            AheadRule::Blocks(n) => end.saturating_add(n),
            AheadRule::Track => end_of(&track_of(end - 1)),
            AheadRule::Cylinder => {
                let mut track = track_of(end - 1);
                while let Some(next) = geometry.next_track(&track)
                    && next.cylinder == track.cylinder
                {
                    track = next;
                }
                end_of(&track)
            }
            AheadRule::TrackAndNext if end >= blocks => end,
            AheadRule::TrackAndNext => {
                let track = track_of(end);
                let in_order = first < end && track_of(first).number != track.number;
                let last = match geometry.next_track(&track) {
                    Some(next) if in_order => next,
                    _ => track,
                };
                end_of(&last)
            }
        };
        limit.clamp(end, blocks.max(end))
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::ZoneLayout;
    use super::*;

    fn geometry() -> Geometry {
        let zone = ZoneLayout {
            cylinders: 10,
            sectors_per_track: 100,
            ..ZoneLayout::default()
        };
        Geometry::new(2, 1, false, vec![zone]).unwrap()
    }

    #[test]
    fn each_rule_has_its_end() {
        let g = geometry();
        assert_eq!(AheadRule::None.limit(&g, 110, 120), 120);
        assert_eq!(AheadRule::Blocks(64).limit(&g, 110, 120), 184);
        assert_eq!(AheadRule::Track.limit(&g, 10, 20), 100);
        assert_eq!(AheadRule::Track.limit(&g, 10, 100), 100);
        assert_eq!(AheadRule::Cylinder.limit(&g, 10, 20), 200);
        assert_eq!(AheadRule::TrackAndNext.limit(&g, 110, 120), 200);
        assert_eq!(AheadRule::TrackAndNext.limit(&g, 10, 120), 300);
        assert_eq!(AheadRule::TrackAndNext.limit(&g, 10, 100), 300);
    }

    #[test]
    fn a_spare_at_a_tracks_end_is_not_read_ahead() {
        let zone = ZoneLayout {
            cylinders: 10,
            sectors_per_track: 100,
            range_tracks: 1,
            range_spares: 3,
            ..ZoneLayout::default()
        };
        let g = Geometry::new(2, 1, false, vec![zone]).unwrap();
        assert_eq!(AheadRule::Track.limit(&g, 10, 20), 97);
        assert_eq!(AheadRule::TrackAndNext.limit(&g, 10, 97), 291);
    }

    #[test]
    fn no_rule_reads_past_the_last_block() {
        let g = geometry();
        for rule in [
            AheadRule::Track,
            AheadRule::Cylinder,
            AheadRule::Blocks(1_000),
            AheadRule::TrackAndNext,
        ] {
            assert_eq!(rule.limit(&g, 1_980, 2_000), 2_000);
            assert_eq!(rule.limit(&g, 1_890, 1_990), 2_000);
        }
    }
}
