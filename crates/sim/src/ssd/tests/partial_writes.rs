//! Writes that do not fill a unit: their reads, their size, and where they wait.

use super::*;
use crate::model::Model;
use crate::ssd::flash::layout::NONE;
use crate::ssd::ftl::partial_write::{Acknowledged, Merge, PartialWriteRules};
use base::io::Io;
use base::target::Tag;
use proptest::prelude::*;

fn rules(unit: Bytes, acknowledged: Acknowledged, coalesce: Bytes) -> Option<PartialWriteRules> {
    Some(PartialWriteRules {
        unit,
        acknowledged,
        coalesce,
        merge: Merge::Parallel,
    })
}

fn with(partial_write: Option<PartialWriteRules>) -> Parameters {
    let mut p = small(400, 120_000);
    p.geometry.bits = 1;
    p.timings.program = US(700);
    p.partial_write = partial_write;
    p
}

fn lone(drive: &mut Virtual<Drive>, io: Io) -> u64 {
    let from = at(drive);
    drive.submit(Tag(0), &io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    done[0].at.since(from).as_nanos()
}

const BUFFERED: u64 = 1_000 + 12_000 + 8_192 + 1_000;

#[test]
fn a_part_of_a_unit_waits_for_the_reading_of_the_rest_where_the_drive_does() {
    let unit = Bytes::kib(32);
    let write = Io::write(Bytes::kib(36), Bytes::kib(4), 1);
    let time = |rules| lone(&mut in_state(with(rules), "full-in-order"), write);
    // Cells, and eight pages over the channel; the link's frame of completion comes after that.
    let read = 60_000 + 8 * 10_240;
    let none = Bytes::ZERO;
    assert_eq!(
        time(rules(unit, Acknowledged::AfterRead, none)),
        BUFFERED + read
    );
    assert_eq!(time(rules(unit, Acknowledged::AtOnce, none)), BUFFERED);
    assert_eq!(time(None), BUFFERED);
    // A whole unit needs nothing.
    let whole = Io::write(unit, unit, 1);
    let mut drive = in_state(
        with(rules(unit, Acknowledged::AfterRead, none)),
        "full-in-order",
    );
    assert_eq!(lone(&mut drive, whole), 14_000 + 32 * 2_048);
}

fn in_turn(acknowledged: Acknowledged) -> Option<PartialWriteRules> {
    let rules = rules(Bytes::kib(4), acknowledged, Bytes::ZERO)?;
    Some(PartialWriteRules {
        merge: Merge::Serial,
        ..rules
    })
}

/// A write that lies across two pages, and a read right after it, sent together: when each ends.
fn write_and_read(rules: Option<PartialWriteRules>) -> (u64, u64) {
    let mut drive = in_state(with(rules), "full-in-order");
    let from = at(&drive);
    let write = Io::write(Bytes::new(512), Bytes::kib(4), 1);
    let read = Io::read(Bytes::mib(50), Bytes::kib(4));
    drive.submit(Tag(0), &write).unwrap();
    drive.submit(Tag(1), &read).unwrap();
    let mut done = Vec::new();
    while done.len() < 2 {
        drive.wait(None, &mut done);
    }
    let end = |tag| done.iter().find(|done| done.tag == Tag(tag)).unwrap().at;
    (end(0).since(from).as_nanos(), end(1).since(from).as_nanos())
}

#[test]
fn a_task_that_fills_in_turn_keeps_the_next_command_and_not_the_write_itself() {
    let at_once = Acknowledged::AtOnce;
    let (write, read) = write_and_read(in_turn(at_once));
    let (_, beside) = write_and_read(rules(Bytes::kib(4), at_once, Bytes::ZERO));
    assert_eq!(write, BUFFERED);
    // Two pages, one after the other: cells and channel of each, before the read is taken.
    let fills = 2 * (60_000 + 10_240);
    assert!(read >= beside + fills, "{read} {beside}");
    assert!(read <= beside + fills + 30_000, "{read} {beside}");
}

#[test]
fn a_write_that_waits_for_fills_in_turn_waits_for_one_after_the_other() {
    let write = Io::write(Bytes::new(512), Bytes::kib(4), 1);
    let time = |rules| lone(&mut in_state(with(rules), "full-in-order"), write);
    let beside = time(rules(Bytes::kib(4), Acknowledged::AfterRead, Bytes::ZERO));
    let turn = time(in_turn(Acknowledged::AfterRead));
    assert_eq!(time(in_turn(Acknowledged::AtOnce)), BUFFERED);
    // Side by side the two pages are of one unit of the flash, and are read together.
    assert_eq!(turn, beside + 60_000);
}

#[test]
fn a_cache_of_whole_pages_fetches_the_rest_of_each_page_before_it_gathers_it() {
    let at_once = Acknowledged::AtOnce;
    let coalesce = rules(Bytes::kib(64), at_once, Bytes::mib(1)).unwrap();
    let in_turn = PartialWriteRules {
        merge: Merge::Serial,
        ..coalesce
    };
    let took = |rules, offset| {
        let mut drive = in_state(with(Some(rules)), "full-in-order");
        let from = at(&drive);
        for _ in 0..2 {
            lone(&mut drive, Io::write(Bytes::new(offset), Bytes::kib(4), 1));
        }
        at(&drive).since(from).as_nanos()
    };
    let fills = 2 * (60_000 + 10_240);
    // The second write to the same place waits for the first one's fills, and has none of its own.
    // But for the frame that tells the host, which goes out beside the first fill.
    assert_eq!(took(in_turn, 512), took(coalesce, 512) + fills - 1_000);
    assert_eq!(took(in_turn, 4_096), took(coalesce, 4_096));
}

#[test]
fn a_long_write_that_begins_in_a_page_and_ends_with_one_gives_the_task_back() {
    let mut drive = in_state(with(in_turn(Acknowledged::AtOnce)), "full-in-order");
    let end = Bytes::kib(1_024);
    let offset = Bytes::new(512);
    lone(&mut drive, Io::write(offset, end - offset, 1));
    lone(&mut drive, Io::read(Bytes::mib(50), Bytes::kib(4)));
}

#[test]
fn a_fill_in_turn_waits_for_its_own_reading_and_for_no_other_merge() {
    let unit = rules(Bytes::kib(64), Acknowledged::AtOnce, Bytes::kib(256)).unwrap();
    let in_turn = PartialWriteRules {
        merge: Merge::Serial,
        ..unit
    };
    let mut drive = in_state(with(Some(in_turn)), "full-in-order");
    let mut job = job(Op::Write, Order::Random, Bytes::kib(4), 1, &drive);
    job.shift = Bytes::new(512);
    let per_second = rate(&go(&mut drive, job, 4_000)) * 1e6 / 4_096.0;
    // Two pages each, one after the other, however many units are merged beside.
    assert!(per_second < 1e9 / (2.0 * 70_240.0), "{per_second}");
}

#[test]
fn whole_units_go_by_a_task_that_fills_in_turn_as_if_it_did_not() {
    let speed = |rules, order| {
        let mut drive = in_state(with(rules), "full-in-order");
        writes(&mut drive, order, 4, 8, 4_000)
    };
    for order in [Order::Random, Order::Sequential] {
        let plain = speed(None, order);
        near(speed(in_turn(Acknowledged::AtOnce), order), plain, 1e-9);
    }
}

#[test]
fn a_misaligned_partition_costs_a_page_map_reads_and_a_log_of_sectors_nothing() {
    let speed = |rules, shift| {
        let mut drive = in_state(with(rules), "full-in-order");
        let mut job = job(Op::Write, Order::Random, Bytes::kib(4), 1, &drive);
        job.shift = Bytes::new(shift);
        rate(&go(&mut drive, job, 4_000))
    };
    let pages = rules(Bytes::kib(4), Acknowledged::AfterRead, Bytes::ZERO);
    let log = rules(Bytes::SECTOR, Acknowledged::AtOnce, Bytes::ZERO);
    let coarse = rules(Bytes::kib(32), Acknowledged::AfterRead, Bytes::ZERO);
    assert!(speed(pages, 512) < 0.4 * speed(pages, 0));
    near(speed(log, 512), speed(log, 0), 0.01);
    // An eighth of the accesses touches two units of 32 KiB, which are read side by side.
    assert!(speed(coarse, 512) > 0.8 * speed(coarse, 0));
}

#[test]
fn small_random_writes_of_coarse_units_are_as_slow_as_the_units() {
    let speed = |rules| {
        let mut drive = drive(with(rules));
        writes(&mut drive, Order::Random, 4, 8, 20_000)
    };
    // Four dies that take 32 KiB in 700 us: a unit each write.
    let coarse = rules(Bytes::kib(32), Acknowledged::AtOnce, Bytes::ZERO);
    // Rows begin at a drawn die, which costs a little where the buffer is small.
    near(speed(coarse), 4.0 * 4_096.0 / 700.0, 0.08);
    assert!(speed(None) > 6.0 * speed(coarse));
}

#[test]
fn what_is_gathered_in_order_needs_no_merge() {
    let pages = |coalesce| {
        let unit = Bytes::kib(64);
        let mut drive = in_state(
            with(rules(unit, Acknowledged::AtOnce, coalesce)),
            "full-in-order",
        );
        writes(&mut drive, Order::Sequential, 4, 4, 8_000);
        drive.model().counters().host_pages
    };
    let without = pages(Bytes::ZERO);
    assert_eq!(without, 8_000 * 16);
    let with = pages(Bytes::mib(1));
    assert!((7_900..=8_000).contains(&with), "{with}");
}

#[test]
fn gathered_writes_share_a_merge() {
    // 4,000 units of 64 KiB; 8 MiB of parts wait, so each unit has two or so when it is written.
    let pages = |coalesce| {
        let mut p = with(rules(Bytes::kib(64), Acknowledged::AtOnce, coalesce));
        p.capacity = Bytes::mib(125);
        let mut drive = in_state(p, "full-in-order");
        writes(&mut drive, Order::Random, 4, 4, 20_000);
        drive.model().counters().host_pages as f64 / 20_000.0
    };
    let (alone, shared) = (pages(Bytes::ZERO), pages(Bytes::mib(16)));
    near(alone, 16.0, 0.01);
    assert!(shared < 10.0, "{shared}");
}

#[test]
fn a_buffer_too_small_for_its_units_is_refused() {
    let mut p = with(rules(Bytes::kib(64), Acknowledged::AtOnce, Bytes::ZERO));
    p.buffer = Bytes::kib(160);
    let error = Drive::new(p, 1).unwrap_err().to_string();
    assert!(error.contains("four units"), "{error}");
    let odd = with(rules(Bytes::kib(3), Acknowledged::AtOnce, Bytes::ZERO));
    assert!(Drive::new(odd, 1).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn nothing_is_lost_whatever_the_unit_and_the_buffer(
        unit in 0_u32..5,
        coalesce in 0_u64..3,
        waits: bool,
        seed: u64,
    ) {
        let unit = if unit == 0 { Bytes::SECTOR } else { Bytes::kib(4 << unit) };
        let acknowledged = if waits { Acknowledged::AfterRead } else { Acknowledged::AtOnce };
        let mut p = small(24, 5_001);
        p.geometry.bits = 1;
        p.partial_write = rules(unit, acknowledged, Bytes::kib(coalesce * 96));
        p.buffer = Bytes::kib(640);
        let capacity = p.capacity.get() / 512;
        let mut drive = drive(p);
        let mut rng = base::rng::Rng::stream(seed, 1);
        let mut written = vec![false; 5_001];
        let mut done = Vec::new();
        let mut free: Vec<u32> = (0..8).collect();
        for step in 0..3_000 {
            let from = rng.below(capacity - 1);
            let len = (1 + rng.below(if step % 7 == 0 { 400 } else { 24 })).min(capacity - from);
            let (offset, len) = (Bytes::new(from * 512), Bytes::new(len * 512));
            let io = match rng.below(20) {
                0 => Io::flush(),
                1..=5 => Io::read(offset, len),
                _ => Io::write(offset, len, 1),
            };
            if io.op == Op::Write {
                let pages = offset.get() / PAGE..(offset + len).get().div_ceil(PAGE);
                // A log of sectors keeps an access from its page on.
                let log = unit == Bytes::SECTOR;
                let end = if log {
                    (offset.get() / PAGE * PAGE + len.get()).div_ceil(PAGE)
                } else {
                    pages.end
                };
                written[pages.start as usize..end as usize].fill(true);
            }
            while free.is_empty() {
                drive.wait(None, &mut done);
                free.extend(done.drain(..).map(|done| done.tag.0));
            }
            drive.submit(Tag(free.pop().unwrap()), &io).unwrap();
        }
        while free.len() < 8 {
            drive.wait(None, &mut done);
            free.extend(done.drain(..).map(|done| done.tag.0));
        }
        lone(&mut drive, Io::flush());
        let t = drive.model().ftl();
        t.check().unwrap();
        for (lpn, written) in written.iter().enumerate() {
            prop_assert!(!written || t.l2p.get(lpn as u32) != NONE, "page {lpn}");
        }
    }
}

#[test]
fn reads_go_on_though_a_large_buffer_is_full_of_small_programs() {
    let mut p = with(None);
    p.buffer = Bytes::mib(64);
    let mut drive = in_state(p, "full-in-order");
    for tag in 0..24 {
        let offset = Bytes::mib(2) * u64::from(tag);
        drive
            .submit(Tag(tag), &Io::write(offset, Bytes::mib(2), 1))
            .unwrap();
    }
    let mut done = Vec::new();
    while done.len() < 24 {
        drive.wait(None, &mut done);
    }
    // More than a thousand programs wait; a read of many pages finds operations all the same.
    let took = lone(&mut drive, Io::read(Bytes::mib(300), Bytes::mib(8)));
    assert!(took < 1_000_000_000, "{took}");
}

#[test]
fn a_power_cut_empties_what_was_gathered() {
    let p = with(rules(Bytes::kib(64), Acknowledged::AtOnce, Bytes::mib(1)));
    let mut model = Drive::new(p, 1).unwrap();
    model.start(
        Instant::ZERO,
        Tag(0),
        &Io::write(Bytes::ZERO, Bytes::kib(4), 1),
    );
    let mut done = Vec::new();
    while done.is_empty() && model.next().is_some() {
        model.step(&mut done);
    }
    model.power_cut(Instant::from_nanos(1_000_000_000));
    let t = model.ftl();
    assert_eq!(t.l2p.get(0), NONE);
    t.check().unwrap();
    let mut drive = Virtual::new(model);
    lone(&mut drive, Io::write(Bytes::ZERO, Bytes::kib(64), 1));
}
