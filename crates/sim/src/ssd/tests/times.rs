//! Closed forms: what a lone I/O takes, and which resource is the limit.

use super::*;
use base::io::Io;
use base::target::Tag;

/// What one I/O takes.
fn lone(drive: &mut Virtual<Drive>, io: Io) -> u64 {
    let from = at(drive);
    drive.submit(Tag(0), &io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    done[0].at.since(from).as_nanos()
}

#[test]
fn a_lone_read_takes_the_sum_of_its_parts_to_the_nanosecond() {
    let mut drive = in_state(small(40, 8_000), "full-in-order");
    let page = Bytes::kib(4);
    // Frames 1, controller 10, cells 60, channel 4 KiB at 400 MB/s, link 4 KiB at 500 MB/s, frames 1.
    assert_eq!(
        lone(&mut drive, Io::read(page, page)),
        1_000 + 10_000 + 60_000 + 10_240 + 8_192 + 1_000
    );
    // Half a page: the channel moves all of it, the link only what was asked for.
    assert_eq!(
        lone(&mut drive, Io::read(Bytes::kib(6), Bytes::kib(2))),
        1_000 + 10_000 + 60_000 + 10_240 + 4_096 + 1_000
    );
}

#[test]
fn a_long_read_overlaps_cells_channels_and_link() {
    let mut drive = in_state(small(40, 8_000), "full-in-order");
    // 64 KiB aligned to a unit: two units of 32 KiB on two channels, each read at once; the first
    // 16 KiB of each channel arrive together, then the link is the limit.
    let took = lone(&mut drive, Io::read(Bytes::ZERO, Bytes::kib(64)));
    let (page, link) = (16 * 4_096 / 4 * 5 / 2, 65_536 * 2);
    assert_eq!(took, 1_000 + 10_000 + 60_000 + page + link + 1_000);
}

#[test]
fn what_was_never_written_is_answered_without_the_flash() {
    let mut drive = drive(small(40, 8_000));
    let page = Bytes::kib(4);
    let without = 1_000 + 10_000 + 8_192 + 1_000;
    assert_eq!(lone(&mut drive, Io::read(page, page)), without);
    // Nor is what is still in DRAM.
    lone(&mut drive, Io::write(page, page, 1));
    assert_eq!(lone(&mut drive, Io::read(page, page)), without);
}

#[test]
fn a_lone_write_ends_in_the_buffer() {
    let mut drive = drive(small(40, 8_000));
    let page = Bytes::kib(4);
    assert_eq!(
        lone(&mut drive, Io::write(page, page, 1)),
        1_000 + 12_000 + 8_192 + 1_000
    );
}

#[test]
fn a_flush_waits_for_what_was_written_before_it() {
    let mut drive = drive(small(40, 8_000));
    assert_eq!(lone(&mut drive, Io::flush()), 1_000 + 12_000 + 1_000);
    let page = Bytes::kib(4);
    lone(&mut drive, Io::write(page, page, 1));
    // The page fills no group: a unit of 32 KiB is saved with one bit a cell.
    let saved = 16_384 + 2 * 40_960 + 300_000;
    assert_eq!(
        lone(&mut drive, Io::flush()),
        1_000 + 12_000 + saved + 1_000
    );
    // It is safe: the next flush has nothing to do.
    assert_eq!(lone(&mut drive, Io::flush()), 1_000 + 12_000 + 1_000);
}

#[test]
fn a_flush_is_no_more_than_a_command_where_capacitors_keep_the_buffer() {
    let mut drive = drive(Parameters {
        protected: true,
        ..small(40, 8_000)
    });
    let page = Bytes::kib(4);
    for at in 0..50 {
        lone(&mut drive, Io::write(page * at, page, 1));
        assert_eq!(lone(&mut drive, Io::flush()), 1_000 + 12_000 + 1_000);
    }
    assert_eq!(drive.model().counters().programmed_pages, 0);
}

#[test]
fn what_flushes_save_lies_in_superblocks_that_are_erased_like_others() {
    let mut drive = drive(small(40, 8_000));
    let page = Bytes::kib(4);
    // A superblock holds 128 pages one bit a cell, in 16 units; each flush takes one unit.
    for round in 0..16 * 100 {
        lone(&mut drive, Io::write(page * (round % 8_000), page, 1));
        lone(&mut drive, Io::flush());
        assert!(drive.model().ftl().pool.free() >= 30);
    }
    drive.model().audit().unwrap();
    let counters = drive.model().counters();
    // A unit of eight pages for each flush that saves.
    assert!(counters.programmed_pages >= 8 * 1_600 * 92 / 96);
    // Of 96 writes four complete a group, and then nothing is left to save. The superblocks of the
    // journal and those of data went round the forty.
    let opened = 1_600 * 92 / 96 / 16 + 1_600 / 384;
    let erased = counters.erased_blocks / 4;
    assert!((opened - 41..=opened - 39).contains(&erased), "{erased}");
}

#[test]
fn an_io_outside_the_drive_fails_and_the_drive_goes_on() {
    let mut drive = drive(small(40, 8_000));
    let end = drive.info().capacity;
    drive.submit(Tag(3), &Io::read(end, Bytes::kib(4))).unwrap();
    let mut done = Vec::new();
    drive.wait(None, &mut done);
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    assert_eq!(done[0].outcome, base::target::Outcome::Failed(22));
    lone(&mut drive, Io::read(Bytes::ZERO, Bytes::kib(4)));
}

#[test]
fn in_order_reading_is_as_fast_as_the_slowest_of_link_channels_and_controller() {
    let with = |change: fn(&mut Parameters)| {
        let mut p = small(100, 30_000);
        change(&mut p);
        reads(
            &mut in_state(p, "full-in-order"),
            Order::Sequential,
            128,
            16,
            4_000,
        )
    };
    // 128 KiB at 500 MB/s and 2 us of frames.
    near(with(|_| {}), 131_072.0 / 264.144, 0.003);
    // Two channels at 100 MB/s.
    near(
        with(|p| p.timings.bus = PicosPerByte::new(10_000)),
        200.0,
        0.03,
    );
    // One command each 500 us.
    near(
        with(|p| p.controller.read_interval = US(500)),
        131_072.0 / 503.1,
        0.003,
    );
    // Four dies that give 32 KiB in 600 us.
    near(
        with(|p| p.timings.read = US(600)),
        4.0 * 32_768.0 / 600.0,
        0.03,
    );
}

#[test]
fn in_order_writing_is_as_fast_as_the_slowest_of_link_path_and_dies() {
    let with = |change: fn(&mut Parameters)| {
        let mut p = small(400, 120_000);
        change(&mut p);
        writes(&mut drive(p), Order::Sequential, 128, 16, 3_500)
    };
    // Four dies that take 96 KiB in 2 ms.
    near(with(|_| {}), 4.0 * 98_304.0 / 2_000.0, 0.02);
    // Quick dies: 128 KiB at 500 MB/s and 2 us of frames.
    near(
        with(|p| p.timings.program = US(200)),
        131_072.0 / 264.144,
        0.02,
    );
    // Quick dies behind a path of 125 MB/s.
    near(
        with(|p| {
            p.timings.program = US(200);
            p.controller.program_path = PicosPerByte::new(8_000);
        }),
        125.0,
        0.02,
    );
}

#[test]
fn reads_behind_programs_wait_by_the_dies_policy() {
    let p99 = |policy| {
        let mut p = small(200, 40_000);
        p.arbitration.policy = policy;
        p.arbitration.suspensions = 1_000;
        p.controller.write_interval = US(200);
        let mut drive = in_state(p, "full-in-order");
        let record = {
            let job = mixed(70, 4, 4, &drive);
            go(&mut drive, job, 30_000)
        };
        let reads = &record.jobs[0].ops[Op::Read as usize];
        reads.service.percentile(99.0).unwrap().as_nanos() / 1_000
    };
    let (fifo, first, suspend) = (
        p99(ReadPolicy::Fifo),
        p99(ReadPolicy::ReadFirst),
        p99(ReadPolicy::Suspend),
    );
    // Behind one program (2 ms), or an erase too (6 ms); or suspended in 20 us, after at most three
    // writes' 200 us of the controller.
    assert!(suspend < 800, "{suspend}");
    assert!(first > 1_500 && first <= 6_500, "{first}");
    assert!(fifo >= first, "{fifo} {first}");
}
