//! The map cache: where the knee of a range sweep is, and what a miss costs.

use super::*;
use crate::model::Model;
use crate::ssd::front::map_cache::MapCaching;
use base::io::Io;
use base::rng::Rng;
use base::target::Tag;

const GIB: u64 = 1 << 30;

/// A terabyte of flash, full in order.
fn terabyte(map_cache: Option<MapCaching>) -> Virtual<Drive> {
    let mut p = small(700, 900 * GIB / PAGE);
    p.geometry.channels = 8;
    p.geometry.dies = 64;
    p.geometry.rows = 768;
    p.buffer = Bytes::mib(64);
    p.map_cache = map_cache;
    in_state(p, "full-in-order")
}

/// 4 KiB of 4-byte entries a map page, so 4 MiB of data each.
fn mib(memory: u32, hit: Duration) -> Option<MapCaching> {
    Some(MapCaching {
        slots: memory * 256,
        data_pages: 1_024,
        pages: 1,
        hit,
        read: US(30),
    })
}

/// One read of 4 KiB; its time in ns.
fn read(drive: &mut Virtual<Drive>, page: u64) -> u64 {
    let from = at(drive);
    let io = Io::read(Bytes::new(page * PAGE), Bytes::kib(4));
    drive.submit(Tag(0), &io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    done[0].at.since(from).as_nanos()
}

/// Mean ns of random reads over a range whose map pages were all touched before.
fn mean(drive: &mut Virtual<Drive>, gib: u64) -> f64 {
    let pages = gib * GIB / PAGE;
    for page in (0..pages).step_by(1_024) {
        read(drive, page);
    }
    let mut rng = Rng::stream(gib, 1);
    let sum: u64 = (0..20_000).map(|_| read(drive, rng.below(pages))).sum();
    sum as f64 / 20_000.0
}

/// Frames 1, controller 10, cells 60, channel 10.24, link 8.192, frames 1.
const HIT: f64 = 90_432.0;
/// A map page's cells and its channel.
const MISS: f64 = 40_240.0;

/// The mean of a range that a cache covers so many GiB of.
fn expected(gib: u64, covered: u64) -> f64 {
    let missing = (1.0 - covered as f64 / gib as f64).max(0.0);
    HIT + missing * MISS
}

#[test]
fn dram_of_256_mib_has_its_knee_at_256_gib() {
    let mut drive = terabyte(mib(256, Duration::ZERO));
    for gib in [32, 128, 256, 320, 512, 800] {
        near(mean(&mut drive, gib), expected(gib, 256), 0.006);
    }
}

#[test]
fn host_memory_of_64_mib_has_its_knee_at_64_gib_and_a_round_trip_on_each_hit() {
    let mut drive = terabyte(mib(64, Duration::from_nanos(900)));
    for gib in [16, 64] {
        near(mean(&mut drive, gib), HIT + 900.0, 1e-9);
    }
    for gib in [128, 512] {
        let hits = 64.0 / gib as f64;
        near(
            mean(&mut drive, gib),
            expected(gib, 64) + 900.0 * hits,
            0.006,
        );
    }
}

#[test]
fn a_thousandth_of_the_capacity_has_no_knee() {
    let mut whole = terabyte(None);
    let mut cached = terabyte(mib(900, Duration::ZERO));
    for gib in [16, 256, 800] {
        near(mean(&mut whole, gib), HIT, 1e-9);
        near(mean(&mut cached, gib), HIT, 1e-9);
    }
    assert_eq!(whole.model().map_traffic(), (0, 0));
    // 800 GiB touched, each map page once.
    assert_eq!(cached.model().map_traffic(), (800 * 256, 0));
}

#[test]
fn a_lone_miss_is_a_map_page_longer_to_the_nanosecond() {
    let mut drive = terabyte(mib(1, Duration::ZERO));
    assert_eq!(read(&mut drive, 70_000), (HIT + MISS) as u64);
    assert_eq!(read(&mut drive, 70_001), HIT as u64);
}

#[test]
fn reads_that_need_the_same_map_page_wait_for_one_load() {
    let mut drive = terabyte(mib(1, Duration::ZERO));
    for tag in 0..4 {
        let io = Io::read(Bytes::new(u64::from(tag) * 64 * PAGE), Bytes::kib(4));
        drive.submit(Tag(tag), &io).unwrap();
    }
    let mut done = Vec::new();
    while done.len() < 4 {
        drive.wait(None, &mut done);
    }
    assert_eq!(drive.model().map_traffic(), (1, 0));
    assert!(done.iter().all(|d| d.at.as_nanos() >= (HIT + MISS) as u64));
}

#[test]
fn a_read_over_the_border_of_map_pages_needs_both() {
    let mut drive = terabyte(mib(1, Duration::ZERO));
    let io = Io::read(Bytes::new(1_000 * PAGE), Bytes::kib(256));
    drive.submit(Tag(0), &io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    assert_eq!(drive.model().map_traffic(), (2, 0));
}

#[test]
fn random_writes_over_more_than_the_cache_covers_read_and_program_map_pages() {
    let written = |gib: u64| {
        let mut drive = terabyte(mib(1, Duration::ZERO));
        let mut job = job(Op::Write, Order::Random, Bytes::kib(4), 8, &drive);
        job.span = Span::first(Bytes::gib(gib));
        go(&mut drive, job, 20_000);
        drive.model().ftl().check().unwrap();
        drive.model().map_traffic()
    };
    // 256 map pages cover 1 GiB.
    assert_eq!(written(1), (256, 0));
    let (loads, saves) = written(64);
    assert!(loads > 19_000 && saves > 19_000, "{loads} {saves}");
}

#[test]
fn after_a_power_cut_nothing_is_at_hand() {
    let mut drive = terabyte(mib(1, Duration::ZERO));
    read(&mut drive, 0);
    let now = at(&drive);
    drive.model().power_cut(now);
    assert_eq!(read(&mut drive, 0), (HIT + MISS) as u64);
}
