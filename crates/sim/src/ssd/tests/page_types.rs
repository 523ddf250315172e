//! Page types: a lone read depends on its page's place alone.

use super::*;
use crate::ssd::flash::page_types::ReadSpread;
use base::io::Io;
use base::target::Tag;

/// Times of lone reads of pages of the first superblock, one of each unit, in ns.
fn times(read_spread: u32) -> Vec<u64> {
    let mut p = small(40, 8_000);
    p.page_types = Some(ReadSpread {
        coding: Default::default(),
        bits: 3,
        thousandths: read_spread,
    });
    let mut drive = in_state(p, "full-in-order");
    let read = |unit: u64| {
        let from = at(&drive);
        let io = Io::read(Bytes::kib(32 * unit), Bytes::kib(4));
        drive.submit(Tag(0), &io).unwrap();
        let mut done = Vec::new();
        while done.is_empty() {
            drive.wait(None, &mut done);
        }
        done[0].at.since(from).as_nanos()
    };
    (0..48).map(read).collect()
}

#[test]
fn rows_of_a_word_line_read_in_three_times_and_always_alike() {
    // Frames 1, controller 10, channel 10.24, link 8.192, frames 1: 30.432 us beside the cells.
    let expected = |row: u64| 30_432 + [42_000, 60_000, 78_000][(row % 3) as usize];
    let spread = times(300);
    for (unit, time) in spread.iter().enumerate() {
        // Four dies a row.
        assert_eq!(*time, expected(unit as u64 / 4), "unit {unit}");
    }
    assert_eq!(spread, times(300));
    // Off, all alike.
    assert!(times(0).iter().all(|time| *time == 90_432));
    assert_eq!(small(40, 8_000).page_types, None);
}
