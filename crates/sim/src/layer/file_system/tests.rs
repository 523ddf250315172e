//! A test file on a small volume: where its I/Os go, and what is written beside them and when.

use super::*;
use base::time::Duration;

use crate::file_system::{Log, Table};
use crate::layer::tests::even::{Even, drain};

const TAKES: Duration = Duration::from_micros(100);
const LAZY: Duration = Duration::from_secs(1);

/// A volume of 1 MiB: tables in the first 64 KiB, the file from 128 KiB on, in two parts.
fn layout() -> Layout {
    Layout {
        name: "test",
        cluster: Bytes::kib(4),
        data: vec![
            Span::new(Bytes::kib(128), Bytes::kib(64)),
            Span::new(Bytes::kib(256), Bytes::kib(768)),
        ],
        largest_file: Bytes::gib(4),
        tables: vec![Table {
            start: Bytes::kib(16),
            covers: Span::first(Bytes::mib(1)),
            for_each: Bytes::kib(4),
            entry_bits: 1,
        }],
        by_group: Vec::new(),
        file: vec![Bytes::kib(8)],
        create: vec![Bytes::kib(4)],
        times: Times::AtFlush,
        lazy: LAZY,
        log: None,
    }
}

fn logging(barrier: bool) -> Layout {
    Layout {
        log: Some(Log {
            span: Span::new(Bytes::kib(64), Bytes::kib(12)),
            commit: Bytes::ZERO,
            a_page: Bytes::new(256),
            unit: Bytes::kib(4),
            in_place: Duration::from_secs(8),
            barrier,
        }),
        ..layout()
    }
}

fn on(layout: Layout) -> FileSystem<Even> {
    FileSystem::new(Even::new(Bytes::mib(1), TAKES), layout).unwrap()
}

fn kib(io: &Io) -> (char, u64, u64) {
    let op = io.op.name().chars().next().unwrap_or('?');
    (op, io.offset.get() >> 10, io.len.get() >> 10)
}

/// What the drive has been given, and forgets it.
fn given(file: &mut FileSystem<Even>) -> Vec<(char, u64, u64)> {
    let started = std::mem::take(&mut file.inner.started);
    started.iter().map(kib).collect()
}

/// One I/O alone, without what the file system does a while later.
fn alone(file: &mut FileSystem<Even>, now: Instant, io: &Io) -> Finished {
    file.start(now, Tag(0), io);
    let mut done = Vec::new();
    while done.is_empty() {
        file.step(&mut done);
    }
    assert_eq!(done.len(), 1);
    done[0]
}

fn write(at: u64, len: u64) -> Io {
    Io::write(Bytes::kib(at), Bytes::kib(len), 7)
}

#[test]
fn offsets_of_the_file_become_places_on_the_volume_in_pieces_where_it_is_in_pieces() {
    let mut file = on(layout());
    assert_eq!(file.info().capacity, Bytes::kib(64 + 768));
    let across = Io::read(Bytes::kib(60), Bytes::kib(8));
    let done = alone(&mut file, Instant::ZERO, &across);
    assert_eq!((done.tag, done.at), (Tag(0), Instant::ZERO + TAKES));
    assert_eq!(given(&mut file), [('r', 188, 4), ('r', 256, 4)]);
    file.hint(&[write(64, 4), Io::flush()]);
    let hinted: Vec<_> = file.inner.hinted.iter().map(kib).collect();
    assert_eq!(hinted, [('w', 256, 4), ('f', 0, 0)]);
}

#[test]
fn a_file_that_grows_changes_its_entries_and_its_record_a_while_later() {
    let mut file = on(layout());
    let first = alone(&mut file, Instant::ZERO, &write(0, 16));
    assert_eq!(first.at, Instant::ZERO + TAKES);
    assert_eq!(given(&mut file), [('w', 128, 16)]);
    assert_eq!(file.next(), Some(Instant::ZERO + LAZY));
    drain(&mut file);
    // Made, described, and its clusters marked: two pages follow each other.
    assert_eq!(given(&mut file), [('w', 4, 8), ('w', 16, 4)]);
    assert_eq!(file.next(), None);
}

#[test]
fn a_write_in_place_is_noted_at_the_next_flush_or_with_the_write_itself() {
    for (times, later) in [(Times::AtFlush, 0), (Times::AtOnce, 1)] {
        let mut file = on(Layout { times, ..layout() });
        alone(&mut file, Instant::ZERO, &write(0, 16));
        drain(&mut file);
        given(&mut file);
        let now = Instant::ZERO + Duration::from_secs(10);
        alone(&mut file, now, &write(4, 4));
        drain(&mut file);
        let written = given(&mut file);
        assert_eq!(written[0], ('w', 132, 4));
        assert_eq!(written[1..], vec![('w', 8, 4); later], "{times}");
        let now = now + Duration::from_secs(10);
        let flushed = alone(&mut file, now, &Io::flush());
        let first = 1 - later;
        let mut expected = vec![('w', 8, 4); first];
        expected.push(('f', 0, 0));
        assert_eq!(given(&mut file), expected, "{times}");
        // One after the other.
        assert_eq!(flushed.at, now + TAKES * (1 + first as u64));
    }
}

#[test]
fn a_read_changes_nothing() {
    let mut file = on(Layout {
        times: Times::AtOnce,
        ..layout()
    });
    alone(
        &mut file,
        Instant::ZERO,
        &Io::read(Bytes::kib(4), Bytes::kib(4)),
    );
    assert_eq!(file.next(), None);
    alone(&mut file, Instant::ZERO + TAKES, &Io::flush());
    assert_eq!(given(&mut file), [('r', 132, 4), ('f', 0, 0)]);
}

#[test]
fn a_log_is_written_first_round_and_round_and_the_places_later() {
    let mut file = on(logging(false));
    let mut now = Instant::ZERO;
    let mut log = Vec::new();
    for n in 0..4 {
        alone(&mut file, now, &write(n * 4, 4));
        alone(&mut file, now + TAKES, &Io::flush());
        let written = given(&mut file);
        assert_eq!((written.len(), written[2]), (3, ('f', 0, 0)));
        log.push(written[1]);
        now += Duration::from_secs(1);
    }
    // Pages of the log in order, then from its start again.
    let at = |kib| ('w', kib, 4);
    assert_eq!(log, [at(64), at(68), at(72), at(64)]);
    assert_eq!(
        file.next(),
        Some(Instant::ZERO + TAKES + Duration::from_secs(8))
    );
    drain(&mut file);
    assert_eq!(given(&mut file), [('w', 4, 8), ('w', 16, 4)]);
}

#[test]
fn a_barrier_flushes_the_drive_behind_a_commit() {
    for barrier in [false, true] {
        let mut file = on(logging(barrier));
        alone(&mut file, Instant::ZERO, &write(0, 4));
        drain(&mut file);
        let flushes = given(&mut file).iter().filter(|io| io.0 == 'f').count();
        assert_eq!(flushes, usize::from(barrier));
    }
}

#[test]
fn the_programs_own_do_not_wait_for_metadata_and_all_come_back() {
    let mut file = on(Layout {
        lazy: Duration::from_micros(150),
        ..layout()
    });
    let mut done = Vec::new();
    for tag in 0..32 {
        file.start(Instant::ZERO, Tag(tag), &write(u64::from(tag) * 8, 8));
    }
    while file.next().is_some() {
        file.step(&mut done);
    }
    assert_eq!(done.len(), 32);
    assert!(done.iter().all(|f| f.at == Instant::ZERO + TAKES));
    let own = given(&mut file).len() - 32;
    assert_eq!(own, 2, "metadata came beside them");
}

#[test]
fn more_pieces_than_the_drive_takes_wait_their_turn() {
    let mut scattered = layout();
    scattered.data = (0..100)
        .map(|n| Span::new(Bytes::kib(128 + 8 * n), Bytes::kib(4)))
        .collect();
    let mut file = on(scattered);
    let all = Io::read(Bytes::ZERO, Bytes::kib(400));
    let done = alone(&mut file, Instant::ZERO, &all);
    // 32 at once: four rounds.
    assert_eq!(done.at, Instant::ZERO + TAKES * 4);
    assert_eq!(given(&mut file).len(), 100);
}

#[test]
fn what_a_power_cut_loses_is_told_in_offsets_of_the_file() {
    let mut file = on(layout());
    file.inner.volatile = vec![
        Span::new(Bytes::kib(8), Bytes::kib(4)),
        Span::new(Bytes::kib(184), Bytes::kib(80)),
    ];
    file.start(Instant::ZERO, Tag(0), &write(0, 4));
    file.power_cut(Instant::ZERO + TAKES);
    assert_eq!(file.next(), None);
    let lost = [
        Span::new(Bytes::kib(56), Bytes::kib(8)),
        Span::new(Bytes::kib(64), Bytes::kib(8)),
    ];
    assert_eq!(file.lost(), lost);
}

#[test]
fn every_page_with_an_entry_of_a_long_piece_changes() {
    // A byte a cluster of 512 bytes: 8 pages for 16 MiB, and not one more.
    let table = Table {
        start: Bytes::kib(4),
        covers: Span::first(Bytes::mib(64)),
        for_each: Bytes::SECTOR,
        entry_bits: 8,
    };
    let mut pages = BTreeSet::new();
    let piece = Span::new(Bytes::mib(2), Bytes::mib(16));
    pages_of(&table, piece, Bytes::SECTOR, &mut pages);
    let expected: Vec<Bytes> = (2..10).map(|n| Bytes::kib(4 * n)).collect();
    assert_eq!(pages.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn a_drive_with_larger_blocks_than_the_alignment_is_refused() {
    let mut odd = layout();
    odd.data[0].start = Bytes::new(130);
    let refused = FileSystem::new(Even::new(Bytes::mib(1), TAKES), odd)
        .err()
        .unwrap();
    assert!(refused.to_string().contains("byte 130"), "{refused}");
}

#[test]
fn a_file_of_100_mib_on_fat32_costs_its_entries_in_both_tables_and_its_directory_entry() {
    let layout = crate::file_system::tests::layout("windows-xp-2009", "fat32", Bytes::gib(30));
    assert_eq!(layout.cluster, Bytes::kib(16));
    let drive = Even::new(Bytes::gib(30), TAKES);
    let mut file = FileSystem::new(drive, layout).unwrap();
    for n in 0..100 {
        let now = Instant::ZERO + TAKES * n;
        alone(&mut file, now, &write(n * 1_024, 1_024));
    }
    alone(&mut file, Instant::ZERO + TAKES * 100, &Io::flush());
    drain(&mut file);
    let all: u64 = given(&mut file).iter().map(|io| io.2).sum();
    // 6,400 entries of four bytes behind those of three clusters are 25,612 bytes: seven pages. The
    // second table begins inside a page, and so takes seven or eight.
    let own = all - 100 * 1_024;
    assert!((15 * 4..=16 * 4).contains(&own), "{own} KiB");
}
