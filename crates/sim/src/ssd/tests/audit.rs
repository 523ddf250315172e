//! Each check fires where what it guards is broken on purpose.

use super::*;
use crate::ssd::flash::die::{Die, Programming};
use crate::ssd::flash::layout::Group;
use crate::ssd::ftl::stream::Stream;
use base::io::Io;
use base::target::Tag;

fn written() -> Drive {
    let mut drive = drive(small(40, 10_000));
    fill(&mut drive);
    writes(&mut drive, Order::Random, 4, 8, 20_000);
    rest(&mut drive, Duration::from_secs(10));
    let now = drive.now();
    let mut whole = Drive::new(small(40, 10_000), 1).unwrap();
    std::mem::swap(&mut whole, drive.model());
    assert_eq!(whole.audit(), Ok(()), "{now:?}");
    whole
}

fn told(broken: &Drive) -> String {
    broken.audit().unwrap_err()
}

#[test]
fn the_audit_sees_what_does_not_agree() {
    let mut one = written();
    let ppn = one.ftl.l2p.get(7);
    one.ftl.l2p.set(8, 1, ppn);
    assert!(
        told(&one).contains("way back leads elsewhere"),
        "a page mapped twice"
    );
    let mut one = written();
    let superblock = one.ftl.layout.place(one.ftl.l2p.get(7)).0;
    one.ftl.pool.lose(superblock, 1);
    assert!(
        told(&one).contains("valid pages, the map"),
        "a count that is off"
    );
    let mut one = written();
    one.counters.programmed_pages += 1;
    assert!(
        told(&one).contains("were given places"),
        "a page programmed for nothing"
    );
    let mut one = written();
    one.counters.host_pages += 1;
    assert!(
        told(&one).contains("were given places"),
        "a page that went nowhere"
    );
}

#[test]
fn power_cuts_and_padding_are_accounted_for() {
    let mut drive = drive(small(40, 10_000));
    for page in 0..50 {
        let io = Io::write(Bytes::kib(4 * page), Bytes::kib(4), 1);
        drive.submit(Tag(page as u32 % 8), &io).unwrap();
        let mut done = Vec::new();
        while done.is_empty() {
            drive.wait(None, &mut done);
        }
    }
    let now = drive.now();
    assert_eq!(drive.model().audit(), Ok(()));
    crate::model::Model::power_cut(drive.model(), now);
    assert_eq!(drive.model().audit(), Ok(()));
    assert!(drive.model().account.cut > 0);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "programmed twice")]
fn a_group_programmed_twice_without_an_erase_is_seen() {
    let mut one = written();
    let full = one
        .ftl
        .pool
        .blocks()
        .iter()
        .position(|b| b.written > 0 && b.pending == 0);
    let group = Group {
        superblock: full.unwrap() as u32,
        index: 0,
        die: 0,
    };
    one.ftl.group_programmed(&group);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "way back leads to it")]
fn a_page_overwritten_where_another_lies_is_seen() {
    let mut one = written();
    let ppn = one.ftl.l2p.get(7);
    one.ftl.l2p.set(8, 1, ppn);
    one.ftl.place(Stream::Host, 8, 1);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "all bytes of a command have moved")]
fn a_command_that_ends_before_its_bytes_have_moved_is_seen() {
    let mut one = written();
    crate::model::Model::start(
        &mut one,
        Instant::ZERO,
        Tag(0),
        &Io::read(Bytes::ZERO, Bytes::kib(64)),
    );
    one.front.finish(Instant::ZERO, 0, &mut Vec::new());
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a program takes its whole time")]
fn a_program_that_ends_early_is_seen() {
    let rules = small(40, 10_000).arbitration;
    let mut die = Die::default();
    die.program(
        Instant::ZERO,
        (1, false),
        Programming {
            takes: US(500),
            erase: Duration::ZERO,
            steps: 1,
        },
        &rules,
    );
    die.program_ended(Instant::from_nanos(499_999), &rules);
}
