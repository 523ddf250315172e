//! Planes that read for themselves, and dies of any number of planes.

use super::*;
use crate::model::Model;
use crate::ssd::flash::die::{Die, Programming};
use base::io::Io;
use base::target::Tag;

/// A drive whose cells and channels alone take time, so many planes a die, each for itself or not.
fn of_planes(planes: u32, independent: bool) -> Parameters {
    let mut p = small(40, 12_000);
    p.geometry.planes = planes;
    p.geometry.superblocks = 200 / planes;
    p.independent_planes = independent;
    p.controller.read_interval = Duration::ZERO;
    p.link.command = Duration::ZERO;
    p
}

/// Logical pages of one die, one for each of its planes in turn, no two of one row.
fn one_a_plane(drive: &mut Virtual<Drive>, planes: u32) -> Vec<u64> {
    let ftl = drive.model().ftl();
    let mut found = Vec::new();
    let mut rows = Vec::new();
    for lpn in 0..ftl.l2p.pages() {
        let ppn = ftl.l2p.get(lpn);
        let (die, row) = ftl.layout.die_and_row(ftl.layout.unit(ppn));
        let plane = ppn / ftl.layout.geometry().flash_page_pages() % planes;
        if die == 1 && plane as usize == found.len() && !rows.contains(&row) {
            rows.push(row);
            found.push(u64::from(lpn));
        }
        if found.len() == planes as usize {
            break;
        }
    }
    assert_eq!(found.len(), planes as usize);
    found
}

/// How long reads of these pages take that are asked for at once.
fn together(drive: &mut Virtual<Drive>, pages: &[u64]) -> u64 {
    let from = at(drive);
    for (tag, page) in (0..).zip(pages) {
        let io = Io::read(Bytes::new(page * PAGE), Bytes::kib(4));
        drive.submit(Tag(tag), &io).unwrap();
    }
    let mut done = Vec::new();
    while done.len() < pages.len() {
        drive.wait(None, &mut done);
    }
    let last = done.iter().map(|done| done.at).max().unwrap();
    last.since(from).as_nanos()
}

#[test]
fn as_many_reads_as_there_are_planes_take_one_read_time() {
    for planes in [1, 2, 3, 4, 6, 8] {
        let n = u64::from(planes);
        let (firmware, cells, channel, link, status) = (10_000, 60_000, 10_240, 8_192, 1_000);
        let mut each = in_state(of_planes(planes, true), "full-in-order");
        let pages = one_a_plane(&mut each, planes);
        assert_eq!(
            together(&mut each, &pages),
            firmware + cells + n * channel + link + status,
            "{planes} planes"
        );
        // The switch: the die reads row after row, and the channel moves a page while it reads the next.
        let mut all = in_state(of_planes(planes, false), "full-in-order");
        assert_eq!(
            together(&mut all, &pages),
            firmware + n * cells + channel + link + status,
            "{planes} planes"
        );
    }
}

#[test]
fn a_plane_reads_one_page_after_another() {
    let mut drive = in_state(of_planes(4, true), "full-in-order");
    let first = one_a_plane(&mut drive, 1)[0];
    let ftl = drive.model().ftl();
    let place = |lpn: u64| {
        let ppn = ftl.l2p.get(lpn as u32);
        let (die, row) = ftl.layout.die_and_row(ftl.layout.unit(ppn));
        (die, ppn / 4 % 4, row)
    };
    let (die, plane, row) = place(first);
    let other = (0..12_000)
        .find(|lpn| {
            let (d, p, r) = place(*lpn);
            d == die && p == plane && r != row
        })
        .unwrap();
    assert_eq!(
        together(&mut drive, &[first, other]),
        10_000 + 2 * 60_000 + 10_240 + 8_192 + 1_000
    );
}

#[test]
fn random_reads_of_a_busy_drive_grow_with_the_planes() {
    let rate = |planes, independent| {
        let mut p = of_planes(planes, independent);
        p.queue = 256;
        p.timings.bus = PicosPerByte::new(100);
        p.link.read = PicosPerByte::new(100);
        p.link.status = Duration::ZERO;
        let mut drive = in_state(p, "full-in-order");
        reads(&mut drive, Order::Random, 4, 256, 60_000)
    };
    // So many servers share 256 reads: few are ever without any.
    let of = |servers: f64| servers * 4_096.0 / 60.0 * 256.0 / (256.0 + servers - 1.0);
    near(rate(4, false), of(4.0), 0.03);
    near(rate(2, true), of(8.0), 0.03);
    near(rate(4, true), of(16.0), 0.03);
    near(rate(6, true), of(24.0), 0.03);
}

#[test]
fn readings_of_other_planes_while_a_program_is_stopped_cost_it_no_more_time() {
    let us = |us: u64| Instant::from_nanos(us * 1_000);
    for policy in [ReadPolicy::Suspend, ReadPolicy::ReadFirst] {
        let steps = match policy {
            ReadPolicy::ReadFirst => 10,
            _ => 1,
        };
        let rules = Arbitration {
            policy,
            suspend: US(10),
            pulse: Duration::ZERO,
            suspensions: 2,
            patience: US(10_000),
            steps,
            step_growth: 1_000,
        };
        let mut die = Die::default();
        die.program(
            us(0),
            (1, false),
            Programming {
                takes: US(1_000),
                erase: Duration::ZERO,
                steps,
            },
            &rules,
        );
        // The program stops at 110 or, at the next step's end, at 200.
        let (stop, lost) = match policy {
            ReadPolicy::Suspend => (110, 10),
            _ => (200, 0),
        };
        let mut read = |at, free| die.read_when_free(us(free), us(at), US(60), &rules);
        let first = read(101, 101);
        let begin = if policy == ReadPolicy::Suspend {
            111
        } else {
            stop
        };
        assert_eq!(first.end, us(begin + 60));
        assert_eq!(first.pushed, Some((1, us(1_000 + lost + 60))));
        // Another plane, idle: the same gap.
        let second = read(105, 105);
        assert_eq!((second.end, second.pushed), (first.end, first.pushed));
        // A third, 20 us into the gap, and then the first plane once more.
        let third = read(begin + 20, begin + 20);
        assert_eq!(third.end, us(begin + 80));
        assert_eq!(third.pushed, Some((1, us(1_000 + lost + 80))));
        let fourth = read(begin + 20, begin + 60);
        assert_eq!(fourth.end, us(begin + 120));
        assert_eq!(fourth.pushed, Some((1, us(1_000 + lost + 120))));
    }
}

#[test]
fn a_drive_with_dies_of_three_or_six_planes_keeps_its_books() {
    for planes in [3, 6] {
        let mut p = of_planes(planes, true);
        // Room for what is addressed, the reserves and little more: it has to collect.
        p.geometry.superblocks = 12_000 / p.geometry.superblock_pages() + 12;
        let unit = u64::from(p.geometry.unit_pages());
        assert_eq!(unit, u64::from(planes) * 4);
        let mut drive = drive(p);
        fill(&mut drive);
        writes(&mut drive, Order::Random, 4, 8, 30_000);
        let mixed = mixed(50, 16, 8, &drive);
        go(&mut drive, mixed, 3_000);
        rest(&mut drive, Duration::from_secs(2));
        assert!(drive.model().counters().collected_pages > 0);
        drive.model().ftl().check().unwrap();
        let now = at(&drive);
        drive.model().power_cut(now);
        drive.model().ftl().check().unwrap();
    }
}
