//! Where blocks lie: zones, skews, bands and surfaces on small disks.

use super::*;
use proptest::prelude::*;

fn zone(first_cylinder: u32, cylinders: u32, sectors: u32) -> ZoneLayout {
    ZoneLayout {
        first_cylinder,
        cylinders,
        sectors_per_track: sectors,
        skew_along: Angle::share(1, 10),
        skew_head: Angle::share(1, 8),
        skew_band: Angle::share(1, 5),
        ..ZoneLayout::default()
    }
}

#[test]
fn a_zone_begins_at_the_block_after_the_last_one_of_the_zone_before() {
    let disk = Geometry::new(2, 1, false, vec![zone(0, 10, 100), zone(12, 5, 80)]).unwrap();
    assert_eq!(disk.blocks(), 2_000 + 800);
    assert_eq!(disk.cylinders(), 17);
    let last = disk.place(1_999).track;
    assert_eq!((last.zone, last.cylinder, last.head), (0, 9, 1));
    let first = disk.place(2_000);
    assert_eq!(
        (first.track.zone, first.track.cylinder, first.sector),
        (1, 12, 0)
    );
    assert_eq!(disk.next_track(&last), Some(first.track));
    assert_eq!(disk.pba_at(10, 0, 0), None);
}

#[test]
fn skews_add_up_along_the_tracks() {
    let disk = Geometry::new(3, 1, false, vec![zone(0, 4, 100)]).unwrap();
    // Cylinder 1, head 2: two head skews, one cylinder skew, two head skews.
    let place = disk.place((3 + 2) * 100 + 7);
    let expected = Angle::share(1, 8)
        .times(4)
        .plus(Angle::share(1, 5))
        .plus(Angle::share(1, 100).times(7));
    assert_eq!(place.angle, expected);
}

#[test]
fn in_bands_a_head_goes_inwards_and_the_next_one_back() {
    let disk = Geometry::new(2, 3, true, vec![zone(0, 5, 10)]).unwrap();
    let tracks: Vec<(u32, u16)> = (0..10)
        .map(|n| disk.track(0, n))
        .map(|t| (t.cylinder, t.head))
        .collect();
    assert_eq!(
        tracks,
        [
            (0, 0),
            (1, 0),
            (2, 0),
            (2, 1),
            (1, 1),
            (0, 1),
            (3, 0),
            (4, 0),
            (4, 1),
            (3, 1)
        ]
    );
}

#[test]
fn blocks_step_over_gaps_slips_and_spares() {
    let layout = ZoneLayout {
        front_gap: 3,
        slips: vec![5, 6, 20],
        spares_at_end: 1,
        ..zone(0, 2, 10)
    };
    let disk = Geometry::new(2, 1, false, vec![layout]).unwrap();
    // 4 tracks of 10 sectors, less 3 in front, 3 slips, 1 spare at the end.
    assert_eq!(disk.blocks(), 33);
    let pbas: Vec<u64> = [0, 1, 2, 3, 15, 16, 32].map(|b| disk.pba_of(b)).to_vec();
    assert_eq!(pbas, [3, 4, 7, 8, 21, 22, 38]);
    for block in 0..33 {
        assert_eq!(disk.block_at(disk.pba_of(block)), block);
    }
}

#[test]
fn descriptions_that_make_no_disk_are_refused() {
    let make = |zones| Geometry::new(2, 1, false, zones);
    assert_eq!(make(vec![]), Err(NotADisk::Empty));
    assert_eq!(make(vec![zone(0, 0, 10)]), Err(NotADisk::NoRoom(0)));
    assert_eq!(
        make(vec![zone(0, 3, 10), zone(2, 3, 10)]),
        Err(NotADisk::Overlap(1))
    );
    let slips = ZoneLayout {
        slips: vec![4, 4],
        ..zone(0, 3, 10)
    };
    assert_eq!(make(vec![slips]), Err(NotADisk::Slips(0)));
    assert_eq!(
        make(vec![zone(0, 1_000_000, 4_000)]),
        Err(NotADisk::TooLarge(0))
    );
    let many = (0..65_538).map(|at| zone(at, 1, (1 << 31) - 1));
    assert_eq!(make(many.collect()), Err(NotADisk::DiskTooLarge(65_536)));
}

prop_compose! {
    fn any_disk()(
        heads in 1_u16..5,
        band in 1_u32..5,
        serpentine: bool,
        zones in prop::collection::vec((0_u32..3, 1_u32..9, 3_u32..20, 0_u32..3), 1..4),
        slip in prop::collection::btree_set(3_u32..40, 0..4),
    ) -> Option<Geometry> {
        let mut at = 0;
        let layouts = zones.into_iter().map(|(gap, cylinders, sectors, front)| {
            let first_cylinder = at + gap;
            at = first_cylinder + cylinders;
            let pbas = cylinders * u32::from(heads) * sectors;
            ZoneLayout {
                front_gap: front,
                slips: slip.iter().copied().filter(|&s| s < pbas).collect(),
                ..zone(first_cylinder, cylinders, sectors)
            }
        }).collect();
        Geometry::new(heads, band, serpentine, layouts).ok()
    }
}

proptest! {
    /// Every block has a PBA of its own, every PBA a sector of its own, and the way back leads
    /// to the same block.
    #[test]
    fn block_and_sector_belong_to_each_other(disk in any_disk()) {
        let Some(disk) = disk else { return Ok(()); };
        let mut seen = std::collections::BTreeSet::new();
        for block in 0..disk.blocks() {
            let pba = disk.pba_of(block);
            let place = disk.place(pba);
            prop_assert!(seen.insert((place.track.cylinder, place.track.head, place.sector)));
            let back = disk.pba_at(place.track.cylinder, place.track.head, place.sector);
            prop_assert_eq!(back, Some(pba));
            prop_assert_eq!(disk.block_at(pba), block);
            let (first, end) = disk.pbas_of(&place.track);
            prop_assert!(first <= pba && pba < end);
        }
    }

    /// From one track to the next the angle continues by the skew of that change.
    #[test]
    fn each_change_of_track_costs_its_own_skew(disk in any_disk()) {
        let Some(disk) = disk else { return Ok(()); };
        let mut track = disk.track(0, 0);
        while let Some(next) = disk.next_track(&track) {
            // Slips that take a whole track make two changes of one.
            if next.zone == track.zone && next.number == track.number + 1 {
                let zone = track.zone as usize;
                let skew = disk.angle_of(zone, next.number).from(disk.angle_of(zone, track.number));
                let layout = disk.zones()[zone].layout();
                let per_band = disk.band_cylinders * disk.heads;
                let expected = if next.number % per_band == 0 {
                    layout.skew_band
                } else if next.head == track.head {
                    layout.skew_along
                } else {
                    layout.skew_head
                };
                prop_assert_eq!(skew, expected);
            }
            track = next;
        }
    }
}
