//! A write cache that flash keeps when the power fails.

use super::*;
use crate::model::Model;

const COMMAND: Duration = Duration::from_nanos(60_000);

/// The disk with a write cache of 16 MiB; flash keeps so much of it.
fn keeping(mib: u64) -> Virtual<Hdd> {
    drive(with(disk(), |p| p.write_cache.saved_blocks = mib * 2_048))
}

/// So many writes of 64 KiB far from each other.
fn write_apart(target: &mut Virtual<Hdd>, count: u64) {
    for n in 0..count {
        one(
            target,
            Duration::ZERO,
            write((n * 7 + 1) % 100 * 2_000_000, 128),
        );
    }
}

#[test]
fn a_flush_is_no_more_than_a_command_where_flash_keeps_the_cache() {
    let mut with = keeping(16);
    write_apart(&mut with, 60);
    assert!(with.model().unwritten() > Bytes::mib(3));
    assert_eq!(one(&mut with, Duration::ZERO, Io::flush()), COMMAND);
    // The switch: dozens of seeks and turns.
    let mut without = keeping(0);
    write_apart(&mut without, 60);
    let took = one(&mut without, Duration::ZERO, Io::flush());
    assert!(took > Duration::from_millis(100), "{took}");
}

#[test]
fn a_flush_writes_back_as_much_as_flash_does_not_keep() {
    let mut target = keeping(2);
    write_apart(&mut target, 60);
    let took = one(&mut target, Duration::ZERO, Io::flush());
    assert!(took > Duration::from_millis(10), "{took}");
    let left = target.model().unwritten();
    assert!(left <= Bytes::mib(2) && left > Bytes::mib(1), "{left}");
    let mut all = keeping(0);
    write_apart(&mut all, 60);
    assert!(one(&mut all, Duration::ZERO, Io::flush()) > took);
}

#[test]
fn a_durable_write_ends_in_the_buffer_where_flash_keeps_it() {
    let wire = Duration::from_nanos(128 * 917_560 / 1_000);
    let took = |mib| {
        let mut target = keeping(mib);
        one(
            &mut target,
            Duration::ZERO,
            write(70_000_000, 128).durably(),
        )
    };
    let (with, without) = (took(16), took(0));
    assert!(
        with >= COMMAND + wire && with < COMMAND + wire * 2,
        "{with}"
    );
    assert!(without > Duration::from_millis(4), "{without}");
}

#[test]
fn a_power_cut_loses_the_youngest_beyond_what_flash_keeps() {
    let cut = |mib: u64, runs: u64| {
        let mut target = keeping(mib);
        // Too soon for the arm to begin: all wait.
        for n in 0..runs {
            one(
                &mut target,
                Duration::ZERO,
                write((runs - n) * 3_000_000, 1_024),
            );
        }
        let waiting = target.model().unwritten();
        let now = target.now();
        target.model().power_cut(now);
        let lost = target.model().lost().to_vec();
        let sum = lost.iter().fold(Bytes::ZERO, |sum, span| sum + span.1);
        (waiting, sum, lost)
    };
    let (waiting, lost, _) = cut(4, 8);
    assert_eq!((waiting, lost), (Bytes::mib(4), Bytes::ZERO));
    let (_, lost, spans) = cut(3, 8);
    assert_eq!(lost, Bytes::mib(1));
    // The last two that were written, at the lowest addresses.
    let at = |block: u64| Bytes::new(block * 512);
    assert_eq!(
        spans,
        [
            (at(3_000_000), Bytes::kib(512)),
            (at(6_000_000), Bytes::kib(512))
        ]
    );
    assert_eq!(cut(0, 8).1, Bytes::mib(4));
}

#[test]
fn what_was_flushed_is_kept_before_what_came_after() {
    let mut target = keeping(1);
    one(&mut target, Duration::ZERO, write(90_000_000, 1_024));
    assert_eq!(one(&mut target, Duration::ZERO, Io::flush()), COMMAND);
    // It follows the first in addresses, but came after the flush.
    one(&mut target, Duration::ZERO, write(90_001_024, 2_048));
    let now = target.now();
    target.model().power_cut(now);
    let at = |block: u64| Bytes::new(block * 512);
    assert_eq!(target.model().lost(), [(at(90_002_048), Bytes::kib(512))]);
}
