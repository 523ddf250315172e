//! What a power cut takes, and what capacitors, programs and flushes keep from it.

use super::*;
use crate::model::Model;
use crate::ssd::ftl::partial_write::{Acknowledged, Merge, PartialWriteRules};
use base::io::Io;
use base::target::Tag;
use base::workload::Span;

/// Writes one page, flushes where asked to, and cuts the power after a while; gives what is lost.
fn lost_after(p: Parameters, flush: bool, wait: Duration) -> Vec<Span> {
    let mut drive = drive(p);
    let page = Io::write(Bytes::kib(64), Bytes::kib(4), 1);
    answered(&mut drive, &page);
    if flush {
        answered(&mut drive, &Io::flush());
    }
    let at = drive.now() + wait;
    drive.wait(Some(at), &mut Vec::new());
    drive.model().power_cut(at);
    drive.model().ftl().check().unwrap();
    drive.model().lost()
}

fn answered(drive: &mut Virtual<Drive>, io: &Io) {
    drive.submit(Tag(0), io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
}

const NOW: Duration = Duration::ZERO;

#[test]
fn what_lies_in_the_buffer_is_lost_unless_it_was_flushed_or_capacitors_hold_it() {
    let p = || small(40, 10_000);
    let page = [Span::new(Bytes::kib(64), Bytes::kib(4))];
    assert_eq!(lost_after(p(), false, NOW), page);
    // One page fills no group: time alone does not program it.
    assert_eq!(lost_after(p(), false, Duration::from_secs(100)), page);
    assert_eq!(lost_after(p(), true, NOW), []);
    let protected = Parameters {
        protected: true,
        ..p()
    };
    assert_eq!(lost_after(protected, false, NOW), []);
}

#[test]
fn what_was_programmed_is_not_lost() {
    let mut drive = drive(small(40, 10_000));
    // A row of units on all dies, three bits deep, is the least that is programmed together.
    let group = 3 * 8 * 4;
    for page in 0..group {
        answered(
            &mut drive,
            &Io::write(Bytes::kib(4 * page), Bytes::kib(4), 1),
        );
    }
    let at = drive.now() + Duration::from_secs(1);
    drive.wait(Some(at), &mut Vec::new());
    drive.model().power_cut(at);
    assert_eq!(drive.model().lost(), []);
    // Cut at once, most of it is still on its way.
    let mut drive = super::drive(small(40, 10_000));
    for page in 0..group {
        answered(
            &mut drive,
            &Io::write(Bytes::kib(4 * page), Bytes::kib(4), 1),
        );
    }
    let now = drive.now();
    drive.model().power_cut(now);
    assert!(!drive.model().lost().is_empty());
}

#[test]
fn of_a_page_or_unit_that_was_written_in_part_only_that_part_is_lost() {
    let part = Span::new(Bytes::new(65 * 512), Bytes::new(3 * 512));
    let lost = |p: Parameters| {
        let mut drive = in_state(p, "full-in-order");
        answered(&mut drive, &Io::write(part.start, part.len, 1));
        let now = drive.now();
        drive.model().power_cut(now);
        drive.model().lost()
    };
    assert_eq!(lost(small(60, 10_000)), [part]);
    for (unit, coalesce) in [
        (Bytes::kib(32), Bytes::ZERO),
        (Bytes::kib(64), Bytes::mib(1)),
    ] {
        for acknowledged in [Acknowledged::AtOnce, Acknowledged::AfterRead] {
            for merge in [Merge::Parallel, Merge::Serial] {
                let mut p = small(60, 10_000);
                p.partial_write = Some(PartialWriteRules {
                    unit,
                    acknowledged,
                    coalesce,
                    merge,
                });
                assert_eq!(lost(p), [part], "{unit} {acknowledged} {merge}");
            }
        }
    }
}

#[test]
fn a_durable_write_waits_for_its_program_unless_capacitors_keep_it() {
    let write = |protected: bool, durable: bool| {
        let mut drive = super::drive(Parameters {
            protected,
            ..small(40, 10_000)
        });
        let io = Io::write(Bytes::kib(4), Bytes::kib(4), 1);
        let io = if durable { io.durably() } else { io };
        let from = drive.now();
        answered(&mut drive, &io);
        let now = drive.now();
        drive.model().power_cut(now);
        (now.since(from), drive.model().lost().len())
    };
    let (plain, lost) = write(false, false);
    assert_eq!(lost, 1);
    // A program of one bit a cell takes 300 us: what fills no group is saved so.
    let (durable, lost) = write(false, true);
    assert_eq!(lost, 0);
    assert!(durable > plain + Duration::from_micros(300), "{durable}");
    assert_eq!(write(true, true), (plain, 0));
}

#[test]
fn a_flush_waits_for_units_that_are_being_merged() {
    let with = |flush: bool| {
        let mut p = small(60, 10_000);
        p.partial_write = Some(PartialWriteRules {
            unit: Bytes::kib(32),
            acknowledged: Acknowledged::AtOnce,
            coalesce: Bytes::kib(32),
            merge: Merge::Parallel,
        });
        let mut drive = in_state(p, "full-in-order");
        // The third one pushes the first out, whose old data are read when the flush comes.
        for unit in 0..9 {
            answered(
                &mut drive,
                &Io::write(Bytes::kib(32 * unit), Bytes::kib(4), 1),
            );
        }
        if flush {
            answered(&mut drive, &Io::flush());
        }
        let now = drive.now();
        drive.model().power_cut(now);
        drive.model().lost().len()
    };
    assert_eq!((with(false), with(true)), (9, 0));
}
