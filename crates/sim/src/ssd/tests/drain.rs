//! A controller that does one thing at a time.

use super::*;
use crate::ssd::flash::die::Arbitration as Rules;
use base::io::Io;
use base::target::Tag;

fn of(policy: ReadPolicy) -> Virtual<Drive> {
    let p = small(40, 10_000);
    let mut drive = drive(Parameters {
        arbitration: Rules {
            policy,
            ..p.arbitration
        },
        ..p
    });
    // Two groups on each of the four dies: the first pages are in the flash, and some of the last are on their way.
    for page in 0..2 * 3 * 8 * 4 {
        one(
            &mut drive,
            &Io::write(Bytes::kib(4 * page), Bytes::kib(4), 1),
        );
    }
    drive
}

fn one(drive: &mut Virtual<Drive>, io: &Io) -> Duration {
    let from = drive.now();
    drive.submit(Tag(0), io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    drive.now().since(from)
}

#[test]
fn a_read_waits_until_no_program_is_under_way_on_any_die() {
    let slowest = |policy| {
        let mut drive = of(policy);
        let read = Io::read(Bytes::ZERO, Bytes::kib(4));
        let first = one(&mut drive, &read);
        // Nothing is under way any more.
        let second = one(&mut drive, &read);
        (first, second)
    };
    let (waits, then) = slowest(ReadPolicy::Drain);
    let (_, quiet) = slowest(ReadPolicy::ReadFirst);
    assert_eq!(then, quiet);
    // A program takes 2 ms.
    assert!(waits > then + US(1_000), "{waits} {then}");
}

#[test]
fn what_is_written_while_a_read_waits_begins_behind_it_and_both_end() {
    let mut drive = of(ReadPolicy::Drain);
    drive
        .submit(Tag(0), &Io::read(Bytes::ZERO, Bytes::kib(4)))
        .unwrap();
    let write = Io::write(Bytes::mib(8), Bytes::mib(1), 1);
    drive.submit(Tag(1), &write).unwrap();
    let mut done = Vec::new();
    while done.len() < 2 {
        drive.wait(None, &mut done);
    }
    assert_eq!(done[0].tag, Tag(0));
    drive.model().ftl().check().unwrap();
}
