//! What collection costs where moved data have superblocks of their own, and where they go to the host's.

use super::*;
use crate::model::Model;
use base::io::Io;
use base::target::Tag;
use std::collections::BTreeSet;

const PAGES: u64 = 10_000;

fn of_streams(moves_apart: bool) -> Virtual<Drive> {
    drive(Parameters {
        moves_apart,
        ..small(40, PAGES)
    })
}

/// Random writes with a seed: the same addresses for the same seed.
fn random_writes(drive: &mut Virtual<Drive>, ios: u64, seed: u64) {
    let job = job(Op::Write, Order::Random, Bytes::kib(4), 8, drive);
    let stop = Stop {
        ios: Some(ios),
        ..Stop::default()
    };
    let work = Workload::single(job, stop, seed);
    run(drive, "test", &work, &mut Unwatched).unwrap();
}

/// Pages moved for each of the host's.
fn moved_a_page(drive: &mut Virtual<Drive>, work: impl Fn(&mut Virtual<Drive>)) -> f64 {
    let before = drive.model().counters();
    work(drive);
    let now = drive.model().counters();
    let moved = now.collected_pages - before.collected_pages;
    moved as f64 / (now.host_pages - before.host_pages) as f64
}

#[test]
fn overwriting_the_same_addresses_makes_collection_cheaper_only_where_moved_data_are_apart() {
    let [apart, together] = [true, false].map(|moves_apart| {
        let mut drive = of_streams(moves_apart);
        fill(&mut drive);
        random_writes(&mut drive, 60_000, 1);
        let all_alike = moved_a_page(&mut drive, |drive| random_writes(drive, 20_000, 2));
        // A tenth of all addresses, again and again.
        let again =
            |drive: &mut Virtual<Drive>| (0..20).for_each(|_| random_writes(drive, 1_000, 3));
        again(&mut drive);
        let the_same = moved_a_page(&mut drive, again);
        drive.model().audit().unwrap();
        eprintln!("moves apart {moves_apart}: {all_alike:.2} pages moved a page, {the_same:.2}");
        the_same / all_alike
    });
    assert!(apart < 0.35, "{apart}");
    assert!((0.7..1.3).contains(&together), "{together}");
}

#[test]
fn a_power_cut_takes_nothing_that_was_moved_beside_the_hosts_data() {
    for seed in 1..40 {
        let mut drive = of_streams(false);
        fill(&mut drive);
        random_writes(&mut drive, 30_000, seed);
        let flush = Io::flush();
        let mut done = Vec::new();
        drive.submit(Tag(0), &flush).unwrap();
        while done.is_empty() {
            drive.wait(None, &mut done);
        }
        let mut rng = base::rng::Rng::new(seed);
        let mut written = BTreeSet::new();
        for _ in 0..seed * 40 {
            let page = rng.below(PAGES);
            written.insert(page);
            let io = Io::write(Bytes::kib(4 * page), Bytes::kib(4), 1);
            drive.submit(Tag(0), &io).unwrap();
            done.clear();
            while done.is_empty() {
                drive.wait(None, &mut done);
            }
        }
        let now = drive.now();
        drive.model().power_cut(now);
        drive.model().ftl().check().unwrap();
        for lost in drive.model().lost() {
            let pages = lost.start.get() / PAGE..lost.end().get() / PAGE;
            for page in pages {
                assert!(
                    written.contains(&page),
                    "page {page} was durable (seed {seed})"
                );
            }
        }
    }
}
