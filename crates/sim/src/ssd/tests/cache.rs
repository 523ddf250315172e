//! The SLC cache's policies: fixed, dynamic, folding beside the host and at rest.

use super::*;
use crate::ssd::ftl::slc::WhenFull;

/// 200 superblocks of 384 pages that hold 60,000; half of the free ones one bit a cell.
fn dynamic() -> Parameters {
    let mut p = small(200, 60_000);
    p.slc = SlcPolicy {
        dynamic_per_mille: 500,
        dynamic_most: u32::MAX,
        ..SlcPolicy::default()
    };
    p
}

/// Writes in order from a page on; gives MB/s.
fn write_at(drive: &mut Virtual<Drive>, page: u64, pages: u64) -> f64 {
    let mut job = job(Op::Write, Order::Sequential, Bytes::kib(128), 4, drive);
    job.span = Span::new(Bytes::kib(4 * page), Bytes::kib(4 * pages));
    rate(&go(drive, job, pages / 32))
}

/// Pages that fit one bit a cell when a drive is written in order from a page on.
fn cache_size(drive: &mut Virtual<Drive>, from: u64) -> u64 {
    let mut pages = 0;
    while drive.model().counters().direct_pages == 0 {
        write_at(drive, from + pages, 320);
        pages += 320;
    }
    pages
}

#[test]
fn a_dynamic_cache_shrinks_as_the_drive_fills() {
    // Half of 200 superblocks with 128 pages each.
    let empty = cache_size(&mut drive(dynamic()), 0);
    near(empty as f64, 100.0 * 128.0, 0.05);
    // Half full in order: 78 superblocks are written, half of the other 122 are left.
    let half = cache_size(&mut in_state(dynamic(), "50%-in-order"), 30_000);
    near(half as f64, 61.0 * 128.0, 0.05);
    // At most so many.
    let mut p = dynamic();
    p.slc.dynamic_most = 20;
    near(cache_size(&mut drive(p), 0) as f64, 20.0 * 128.0, 0.15);
}

#[test]
fn a_fixed_area_and_a_dynamic_one_add_up() {
    let mut p = dynamic();
    p.slc.fixed = 30;
    near(
        cache_size(&mut drive(p), 0) as f64,
        (30 + 85) as f64 * 128.0,
        0.05,
    );
}

#[test]
fn a_dynamic_cache_is_empty_after_a_rest_and_takes_as_much_again() {
    let mut drive = drive(dynamic());
    let first = cache_size(&mut drive, 0);
    rest(&mut drive, Duration::from_secs(20));
    let space = &drive.model().ftl().pool;
    assert_eq!((space.slc().used(), space.slc_in_use()), (0, false));
    drive.model().ftl().check().unwrap();
    // Once more, over the same data: these count no more, and the new ones are all cached.
    write_at(&mut drive, 0, first - 640);
    let counters = drive.model().counters();
    assert!(counters.direct_pages < 400 && counters.folded_pages > first / 2);
}

/// A drive whose cache is all of its flash.
fn folding() -> Parameters {
    let mut p = dynamic();
    p.slc.dynamic_per_mille = 1_000;
    p.slc.when_full = WhenFull::Fold;
    p.link.write = PicosPerByte::new(500);
    p
}

#[test]
fn a_drive_that_is_all_cache_folds_while_the_host_writes() {
    let mut drive = drive(folding());
    // 200 superblocks less the reserve of 5, of 128 pages.
    let cached = 195 * 128 / 320 * 320;
    let fast = write_at(&mut drive, 0, cached - 640);
    assert_eq!(drive.model().counters().folded_pages, 0);
    write_at(&mut drive, cached - 640, 1_280);
    let slow = write_at(&mut drive, cached + 640, 15_360);
    let counters = drive.model().counters();
    assert_eq!(counters.direct_pages, 0);
    // Three superblocks of one bit become one of all bits: to gain the room of two, three are read
    // and programmed again.
    near(counters.folded_pages as f64, 1.5 * 16_000.0, 0.05);
    // What a host page takes of a die's time: its share of a program of one bit and of an erase of
    // such a block, and one and a half times its share of a reading of one bit, a program of all
    // bits and an erase of such a block.
    let one_bit = 300.0 / 8.0 + 4_000.0 / 32.0;
    let folding = 30.0 / 8.0 + 2_000.0 / 24.0 + 4_000.0 / 96.0;
    near(slow, 4.0 * 4_096.0 / (one_bit + 1.5 * folding), 0.03);
    assert!(fast > 4.0 * slow, "{fast} {slow}");
    drive.model().ftl().check().unwrap();
}

#[test]
fn what_was_written_in_order_lies_in_order_after_folding() {
    let mut drive = drive(folding());
    fill(&mut drive);
    let model = drive.model();
    assert!(model.counters().folded_pages > 10_000, "it folded");
    let map = &model.ftl().l2p;
    let breaks = (1..map.pages())
        .filter(|page| map.get(*page) != map.get(page - 1) + 1)
        .count();
    // At most one at each end of a superblock of one bit, and of one of all bits.
    assert!(breaks <= 60_000 / 128 + 60_000 / 384, "{breaks}");
}

#[test]
fn a_full_drive_that_is_all_cache_can_be_overwritten_for_ever() {
    for spare in [198, 185, 175] {
        let mut p = folding();
        p.geometry.superblocks = spare;
        let mut drive = drive(p);
        fill(&mut drive);
        writes(&mut drive, Order::Random, 4, 32, 80_000);
        rest(&mut drive, Duration::from_secs(20));
        drive.model().ftl().check().unwrap();
        assert!(!drive.model().ftl().pool.slc_in_use());
    }
}

#[test]
fn folding_at_rest_begins_late_goes_slowly_and_leaves_a_level() {
    let with = |change: fn(&mut SlcPolicy)| {
        let mut p = dynamic();
        change(&mut p.slc);
        let mut drive = drive(p);
        write_at(&mut drive, 0, 9_600);
        rest(&mut drive, Duration::from_secs(1));
        let after_a_second = drive.model().ftl().pool.slc().valid();
        rest(&mut drive, Duration::from_secs(60));
        drive.model().ftl().check().unwrap();
        (after_a_second, drive.model().ftl().pool.slc().valid())
    };
    // At once, within a second: 9,600 pages at four times 48 MB/s.
    assert_eq!(with(|_| {}), (0, 0));
    assert_eq!(
        with(|slc| slc.fold_after = Duration::from_secs(5)),
        (9_600, 0)
    );
    // 8 MB/s from the first tenth of a second on: 1,758 pages.
    let (slowly, in_the_end) = with(|slc| slc.fold_pace = PicosPerByte::from_mb_s(8.0));
    near(9_600.0 - slowly as f64, 1_758.0, 0.1);
    assert_eq!(in_the_end, 0);
    // A third of half of what holds no data in all bits: 31 superblocks of 128 pages.
    let (_, kept) = with(|slc| slc.keep_per_mille = 333);
    near(kept as f64, 31.0 * 128.0, 0.04);
}

#[test]
fn the_level_shrinks_with_the_cache_so_that_a_full_drive_has_one_after_a_rest() {
    let mut p = dynamic();
    p.slc.keep_per_mille = 750;
    let mut made = in_state(p.clone(), "full-in-order");
    let mut written = drive(p);
    fill(&mut written);
    rest(&mut written, Duration::from_secs(60));
    for drive in [&mut made, &mut written] {
        let pool = &drive.model().ftl().pool;
        let may = pool.slc_openable() + pool.slc().used();
        near(f64::from(pool.slc().used()), 0.75 * f64::from(may), 0.2);
        assert!(pool.slc_openable() > 2, "{}", pool.slc_openable());
        drive.model().ftl().check().unwrap();
    }
}

#[test]
fn what_lies_one_bit_a_cell_is_read_faster() {
    let latency = |keep| {
        let mut p = dynamic();
        p.slc.keep_per_mille = keep;
        let mut drive = drive(p);
        write_at(&mut drive, 0, 3_200);
        rest(&mut drive, Duration::from_secs(10));
        let mut job = job(Op::Read, Order::Random, Bytes::kib(4), 1, &drive);
        job.span = Span::first(Bytes::kib(4 * 3_200));
        let record = go(&mut drive, job, 500);
        record.took.as_micros_f64() / 500.0
    };
    // 30 us of cells against 60.
    near(latency(0) - latency(1_000), 30.0, 0.05);
}
