//! Log blocks as they were measured from outside, and what the host feels of them.

use base::io::{Io, Op};
use base::size::{Bytes, PicosPerByte};
use base::target::Tag;
use base::time::{Duration, Instant};

use super::drive::{BlockMapped, BlockMappedFlash, BlockMappedParameters};
use super::ftl::LogBlocks;
use crate::interface::link::{Duplex, LinkTimes};
use crate::model::Model;
use crate::one_at_a_time::OneAtATime;

const US: fn(u64) -> Duration = Duration::from_micros;

fn parameters(halves: u32) -> BlockMappedParameters {
    BlockMappedParameters {
        capacity: Bytes::gib(4),
        queue: 1,
        link: LinkTimes {
            read: PicosPerByte::new(4_000),
            write: PicosPerByte::new(4_000),
            command: US(1),
            status: US(1),
            duplex: Duplex::Half,
            transfer_ready: Duration::ZERO,
        },
        flash: BlockMappedFlash {
            halves,
            queue: 1,
            pages_a_block: 128,
            log_blocks: 77,
            usable_pages: 126,
            idle_merge: Duration::from_millis(1_200),
            stripe: 64 << 10,
            command: US(50),
            page: 16 << 10,
            read: US(50),
            read_rate: PicosPerByte::from_mb_s(150.0),
            program: US(900),
            write_rate: PicosPerByte::from_mb_s(100.0),
            copy: US(1_500),
            erase: US(3_000),
        },
        layout: LogBlocks {
            blocks: 2_048 / halves + 1,
            pages_a_block: 128,
            usable_pages: 126,
            logs: 77,
            idle_merge: Duration::from_millis(1_200),
        },
    }
}

struct Bench {
    drive: OneAtATime<BlockMapped>,
    now: Instant,
}

impl Bench {
    fn full(halves: u32) -> Bench {
        let p = parameters(halves);
        let mut drive = BlockMapped::new(p);
        let full = "full-in-order".parse().unwrap();
        drive.into_state(p.layout.blocks, &full).unwrap();
        Bench {
            drive: OneAtATime::new(drive),
            now: Instant::ZERO,
        }
    }
    /// What one I/O takes.
    fn took(&mut self, io: &Io) -> Duration {
        let from = self.now;
        self.drive.start(from, Tag(0), io);
        let mut done = Vec::new();
        self.drive.step(&mut done);
        self.now = done[0].at;
        self.now.since(from)
    }
    fn write(&mut self, offset: Bytes, len: Bytes) -> Duration {
        self.took(&Io::write(offset, len, 1))
    }
    fn merges(&self) -> u64 {
        self.drive.drive().done().merges
    }
}

#[test]
fn writes_far_apart_run_freely_77_times_and_then_each_stalls() {
    let mut bench = Bench::full(1);
    let far = |i: u64| Bytes::mib(16) * i;
    for i in 0..77 {
        assert!(bench.write(far(i), Bytes::kib(4)) < US(2_000));
    }
    assert_eq!(bench.merges(), 0);
    let stalled = bench.write(far(77), Bytes::kib(4));
    assert_eq!(bench.merges(), 1);
    // The 127 pages that the oldest log block does not have, at 1.5 ms, and an erase.
    assert!(stalled > Duration::from_millis(193), "{stalled:?}");
    assert!(stalled < Duration::from_millis(200), "{stalled:?}");
}

#[test]
fn a_read_waits_for_a_merge_that_a_write_needs() {
    let mut bench = Bench::full(1);
    for i in 0..77 {
        bench.write(Bytes::mib(16) * i, Bytes::kib(4));
    }
    let from = bench.now;
    let write = Io::write(Bytes::gib(3), Bytes::kib(4), 1);
    let read = Io::read(Bytes::ZERO, Bytes::kib(4));
    bench.drive.start(from, Tag(0), &write);
    bench.drive.start(from, Tag(1), &read);
    let mut done = Vec::new();
    while bench.drive.next().is_some() {
        bench.drive.step(&mut done);
    }
    assert!(done[1].at.since(from) > Duration::from_millis(193));
}

#[test]
fn the_same_address_stalls_after_77_times_126_writes() {
    let mut bench = Bench::full(1);
    let mut writes = 0;
    while bench.merges() == 0 {
        bench.write(Bytes::mib(100), Bytes::kib(4));
        writes += 1;
    }
    assert_eq!(writes, 77 * 126 + 1);
}

#[test]
fn writing_in_order_never_merges_and_runs_at_the_flashs_rate() {
    let mut bench = Bench::full(1);
    let from = bench.now;
    let size = Bytes::kib(64);
    for i in 0..8_000 {
        let took = bench.write(size * i, size);
        assert!(took < Duration::from_millis(5), "{took:?}");
    }
    assert_eq!(bench.merges(), 0);
    let rate = 8_000.0 * 65_536.0 / 1e6 / bench.now.since(from).as_secs_f64();
    // 100 MB/s, and 3 ms of erasing each 2 MiB.
    let expected = 2_097_152.0 / (20_971.52 + 3_000.0);
    assert!((rate / expected - 1.0).abs() < 0.01, "{rate} {expected}");
}

#[test]
fn data_in_order_are_in_order_wherever_they_begin() {
    let speed = |shift: u64| {
        let mut bench = Bench::full(1);
        let size = Bytes::kib(64);
        for i in 0..4_000 {
            bench.write(size * i + Bytes::new(shift), size);
        }
        // The first block is begun in its middle, and merged at most once for it.
        assert!(bench.merges() <= 1);
        1.0 / bench.now.as_nanos() as f64
    };
    let share = speed(63 * 512) / speed(0);
    assert!(share > 0.97 && share < 1.03, "{share}");
}

#[test]
fn a_page_that_is_not_gone_on_with_is_programmed_with_its_old_rest() {
    let mut bench = Bench::full(1);
    // A page and a half, then another place: three pages in all.
    bench.write(Bytes::ZERO, Bytes::kib(24));
    assert_eq!(bench.drive.drive().done().programs, 1);
    bench.write(Bytes::mib(50), Bytes::kib(16));
    assert_eq!(bench.drive.drive().done().programs, 3);
    bench.write(Bytes::mib(90), Bytes::kib(24));
    bench.took(&Io::flush());
    assert_eq!(bench.drive.drive().done().programs, 5);
}

#[test]
fn small_random_writes_stall_for_a_good_part_of_a_second_in_all() {
    let mut bench = Bench::full(1);
    let mut rng = base::rng::Rng::new(7);
    let worst = (0..400)
        .map(|_| bench.write(Bytes::kib(4) * rng.below(1 << 20), Bytes::kib(4)))
        .max()
        .unwrap();
    assert!(worst > Duration::from_millis(180), "{worst:?}");
    assert!(bench.merges() > 250, "{}", bench.merges());
}

#[test]
fn log_blocks_come_back_in_rest_one_in_1_2_seconds_and_not_between_reads() {
    let mut bench = Bench::full(1);
    for i in 0..77 {
        bench.write(Bytes::mib(16) * i, Bytes::kib(4));
    }
    for _ in 0..30 {
        bench.now += Duration::from_millis(400);
        bench.took(&Io::read(Bytes::ZERO, Bytes::kib(4)));
    }
    assert_eq!(bench.drive.drive().free_logs(0), 0);
    bench.now += Duration::from_secs(10);
    bench.took(&Io::read(Bytes::ZERO, Bytes::kib(4)));
    assert_eq!(bench.drive.drive().free_logs(0), 8);
    bench.now += Duration::from_secs(120);
    bench.took(&Io::read(Bytes::ZERO, Bytes::kib(4)));
    assert_eq!(bench.drive.drive().free_logs(0), 77);
}

#[test]
fn two_halves_are_twice_as_fast_in_order_and_stall_each_on_its_own() {
    let (mut one, mut two) = (Bench::full(1), Bench::full(2));
    let size = Bytes::kib(128);
    for i in 0..2_000 {
        one.write(size * i, size);
        two.write(size * i, size);
    }
    let ratio = one.now.as_nanos() as f64 / two.now.as_nanos() as f64;
    assert!(ratio > 1.8 && ratio < 2.1, "{ratio}");
    // Log blocks of one half are used up by writes to its stripes; the other has all of its own.
    let mut two = Bench::full(2);
    for i in 0..80 {
        two.write(Bytes::mib(16) * i, Bytes::kib(4));
    }
    assert_eq!(two.drive.drive().free_logs(0), 0);
    assert_eq!(two.drive.drive().free_logs(1), 77);
    // A read of the other half does not wait for the merge.
    let other = two.took(&Io::read(Bytes::kib(64), Bytes::kib(4)));
    assert!(other < Duration::from_millis(1), "{other:?}");
}

#[test]
fn a_flush_waits_for_the_flash_and_a_trim_changes_nothing() {
    let mut bench = Bench::full(1);
    bench.write(Bytes::kib(32), Bytes::kib(16));
    assert!(bench.took(&Io::flush()) > US(700));
    let trim = Io {
        op: Op::Trim,
        ..Io::read(Bytes::ZERO, Bytes::gib(4))
    };
    assert_eq!(bench.took(&trim), US(52));
    let free = bench.drive.drive().free_logs(0);
    assert_eq!(free, 76);
}

#[test]
fn a_used_drive_has_no_log_block_left_until_it_rests() {
    let p = parameters(1);
    let in_state = |text: &str| {
        let mut drive = BlockMapped::new(p);
        drive
            .into_state(p.layout.blocks, &text.parse().unwrap())
            .map(|()| drive.free_logs(0))
    };
    assert_eq!(in_state("steady-random").unwrap(), 0);
    assert_eq!(in_state("steady-random,idle=12s").unwrap(), 10);
    assert_eq!(in_state("fresh").unwrap(), 77);
    assert!(in_state("fresh,age=1d").is_err());
}

#[test]
fn reads_between_writes_end_the_overlap_of_transfers_and_programs() {
    let piece = Bytes::kib(64);
    let apart = |with_reads: bool| {
        let mut bench = Bench::full(1);
        let mut writes = Duration::ZERO;
        for n in 0..32 {
            writes += bench.write(Bytes::gib(2) + piece * n, piece);
            if with_reads {
                // As soon as the flash is free, which is part of what the write costs.
                let read = bench.took(&Io::read(piece * n, piece));
                writes += read - US(50 + 50 + 2) - PicosPerByte::from_mb_s(150.0).time_for(piece);
            }
        }
        writes.as_secs_f64() / 32.0
    };
    // Four pages of 16 KiB a piece, each of them 900 us longer where it is programmed alone.
    let (alone, in_turns) = (apart(false) * 1e6, apart(true) * 1e6);
    assert!((655.0..800.0).contains(&alone), "{alone}");
    assert!(
        (in_turns - alone - 3_600.0).abs() < 360.0,
        "{in_turns} {alone}"
    );
}
