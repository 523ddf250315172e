//! Static wear levelling: a drive half of whose data nobody overwrites.

use super::*;
use crate::ssd::ftl::wear::WearLimits;
use crate::ssd::ftl::wear_levelling::Levelling;

/// Half of the drive written once, the other half over and over; what the superblocks were erased then
/// (least and most), and the write amplification.
fn hammered(levelling: Option<Levelling>, rounds: u64) -> (u32, u32, f64) {
    let mut p = small(44, 10_000);
    p.wear = Some(WearLimits {
        cycles: 100_000,
        slc_cycles: u32::MAX,
        spread_per_mille: 0,
    });
    p.wear_levelling = levelling;
    let mut drive = drive(p);
    fill(&mut drive);
    let hot = Span::first(Bytes::new(5_000 * PAGE));
    let job = Job::closed("hot", Op::Write, Order::Random, hot, Bytes::kib(4), 8);
    let before = drive.model().counters();
    go(&mut drive, job, rounds * 5_000);
    let after = drive.model().counters();
    let model = drive.model();
    model.audit().unwrap();
    let wear = model.ftl().pool.wear().unwrap();
    let erases: Vec<u32> = (0..44).map(|superblock| wear.erases(superblock)).collect();
    let written = (after.host_pages - before.host_pages) as f64;
    let programmed = (after.programmed_pages - before.programmed_pages) as f64;
    let least = *erases.iter().min().unwrap();
    (least, *erases.iter().max().unwrap(), programmed / written)
}

const RULES: Levelling = Levelling {
    spread: 20,
    share: 0.05,
};

#[test]
fn the_spread_of_erases_grows_without_it_and_stays_bounded_with_it() {
    let (short, long) = (hammered(None, 60), hammered(None, 180));
    assert_eq!((short.0, long.0), (0, 0), "cold blocks stay as they were");
    assert!(long.1 > 2 * short.1, "{short:?} {long:?}");
    let levelled = hammered(Some(RULES), 180);
    let spread = levelled.1 - levelled.0;
    // What the others gain while the cold superblocks are moved one by one comes on top.
    assert!(spread < RULES.spread + RULES.spread / 2, "{levelled:?}");
    assert!(levelled.1 < long.1, "{levelled:?} {long:?}");
    // A few percent more is written.
    let cost = levelled.2 / long.2;
    assert!((1.0..1.07).contains(&cost), "{cost}");
}

#[test]
fn a_spread_that_is_never_reached_leaves_every_time_as_it_is() {
    let times = |levelling| {
        let mut p = small(44, 10_000);
        p.wear = Some(WearLimits {
            cycles: 100_000,
            slc_cycles: u32::MAX,
            spread_per_mille: 0,
        });
        p.wear_levelling = levelling;
        let mut drive = drive(p);
        fill(&mut drive);
        writes(&mut drive, Order::Random, 4, 8, 50_000);
        at(&drive)
    };
    let never = Levelling {
        spread: 100_000,
        share: 0.05,
    };
    assert_eq!(times(None), times(Some(never)));
}
