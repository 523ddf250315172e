//! The contents of a kept drive after a power-off, and after a power cut.

use super::*;
use crate::condense::{CondenseError, condense};
use crate::kept::Kept;
use crate::offer::{Offer, Wanted, offer};
use base::interrupt::Interrupt;
use base::rng::Rng;
use std::path::Path;

mod damage;
mod no_room;
mod versions;

const ASKER: Asker = Asker {
    frontend: 0,
    connection: 0,
    cookie: 0,
};
const BLOCK: u64 = 4096;

fn had(target: &str, folder: &Path, lies: bool) -> Offer {
    let wanted = Wanted {
        target,
        seed: 7,
        folder: Some(folder),
        ignores_flushes: lies,
        read_only: false,
    };
    offer(&wanted, &Interrupt::new()).unwrap()
}

/// Waits for all requests.
fn settle(drive: &mut Emulated) -> Vec<Answer> {
    let mut answers = Vec::new();
    while drive.open() > 0 {
        let next = drive.next().unwrap();
        drive.advance(next, &mut answers).unwrap();
    }
    answers
}

fn write(drive: &mut Emulated, block: u64, value: u8) {
    let bytes = vec![value; BLOCK as usize];
    let offset = Bytes::new(block * BLOCK);
    let asked = Asked::Write {
        offset,
        bytes,
        durable: false,
    };
    drive.ask(drive.now(), ASKER, asked);
}

fn value(drive: &Emulated, block: u64) -> u8 {
    let mut bytes = vec![0; BLOCK as usize];
    drive
        .image()
        .read(Bytes::new(block * BLOCK), &mut bytes)
        .unwrap();
    assert!(bytes.iter().all(|byte| *byte == bytes[0]), "torn");
    bytes[0]
}

/// Drives with each way of keeping data: a cache on SATA flash, one on NVMe, one behind capacitors, one with coalesced
/// pages, a disk.
const DRIVES: [&str; 5] = [
    "model:samsung-840-evo-250gb",
    "model:solidigm-670p-1tb",
    "model:intel-d3-s4510-480gb",
    "model:intel-x25-m-g2-80gb",
    "model:wd-red-wd30efrx-3tb",
];

#[test]
fn a_drive_that_was_switched_off_goes_on_where_it_was_to_the_nanosecond() {
    for target in DRIVES {
        let place = tempfile::tempdir().unwrap();
        let work = |drive: &mut Emulated, from: u64| {
            let mut all = Vec::new();
            for block in from..from + 300 {
                write(drive, block * 37 % 1000, block as u8);
                all.append(&mut settle(drive));
            }
            all.iter().map(|answer| answer.at).collect::<Vec<_>>()
        };
        let mut offered = had(target, place.path(), false);
        work(&mut offered.drive, 0);
        offered.drive.switch_off(offered.drive.now()).unwrap();
        let copy = tempfile::tempdir().unwrap();
        drop(offered);
        for name in ["drive.json", "log", "lock", "undo"] {
            std::fs::copy(place.path().join(name), copy.path().join(name)).unwrap();
        }
        let length = std::fs::metadata(place.path().join("data")).unwrap().len();
        let data = std::fs::File::create(copy.path().join("data")).unwrap();
        data.set_len(length).unwrap();
        let mut once = had(target, place.path(), false);
        let mut again = had(target, copy.path(), false);
        let restored = once.restored.unwrap();
        assert!(
            !restored.cut && restored.lost.is_zero(),
            "{target}: {restored:?}"
        );
        assert_eq!(restored.requests, 301, "{target}");
        assert_eq!(
            work(&mut once.drive, 300),
            work(&mut again.drive, 300),
            "{target}"
        );
    }
}

#[test]
fn a_condensed_log_leaves_the_data_as_they_are_and_says_what_it_left_out() {
    for target in DRIVES {
        let place = tempfile::tempdir().unwrap();
        let mut offered = had(target, place.path(), false);
        for round in 1..=4 {
            for block in 0..200 {
                write(&mut offered.drive, block * 7 % 200, round);
                settle(&mut offered.drive);
            }
        }
        let (mut reached, before) = (offered.drive.now(), place.path().join("log"));
        let refused = condense(place.path(), 0);
        assert!(matches!(refused, Err(CondenseError::Kept(_))), "served");
        offered.drive.switch_off(reached).unwrap();
        reached = offered.drive.now();
        drop(offered);
        let length = std::fs::metadata(&before).unwrap().len();
        let first = condense(place.path(), 600).unwrap();
        let condensed = condense(place.path(), 20).unwrap();
        assert!(first.left_out < condensed.left_out, "{target}: {first:?}");
        assert!(
            condensed.after.get() * 3 < length,
            "{target}: {condensed:?}"
        );
        let mut again = had(target, place.path(), false);
        let restored = again.restored.unwrap();
        assert_eq!(restored.requests + restored.left_out, 801, "{target}");
        assert_eq!((restored.at, restored.cut), (reached, false), "{target}");
        assert!((0..200).all(|block| value(&again.drive, block) == 4));
        write(&mut again.drive, 3, 9);
        again.drive.ask(again.drive.now(), ASKER, Asked::Flush);
        settle(&mut again.drive);
        write(&mut again.drive, 3, 10);
        drop(again);
        let refused = condense(place.path(), 0);
        assert!(matches!(refused, Err(CondenseError::PowerFailed(_))));
        let cut = had(target, place.path(), false);
        assert!(cut.restored.unwrap().cut, "{target}");
        assert_eq!(value(&cut.drive, 3), 9, "{target}: {:?}", cut.restored);
    }
}

#[test]
fn after_power_cuts_at_any_moment_what_was_flushed_is_there_and_no_block_is_torn() {
    for (target, seed) in DRIVES.iter().zip(1..) {
        let place = tempfile::tempdir().unwrap();
        let mut rng = Rng::new(seed);
        // By block: what may stand there, the newest last.
        let mut may = vec![vec![0_u8]; 64];
        for cut in 0..20 {
            let mut offered = had(target, place.path(), false);
            assert_eq!(offered.restored.unwrap().cut, cut > 0, "{target}");
            for (may, block) in may.iter_mut().zip(0..) {
                let found = value(&offered.drive, block);
                assert!(may.contains(&found), "{target}, {cut}: {found} of {may:?}");
                *may = vec![found];
            }
            work(&mut offered.drive, &mut rng, &mut may);
        }
    }
}

/// Writes and flushes for a while, and ends with writes in flight.
fn work(drive: &mut Emulated, rng: &mut Rng, may: &mut [Vec<u8>]) {
    for _ in 0..1 + rng.below(120) {
        let block = rng.below(64);
        let value = rng.below(250) as u8;
        match rng.below(30) {
            0 => {
                settle(drive);
                drive.ask(drive.now(), ASKER, Asked::Flush);
                settle(drive);
                may.iter_mut()
                    .for_each(|may| *may = may.split_off(may.len() - 1));
            }
            1..=9 => {
                write(drive, block, value);
                may[block as usize].push(value);
            }
            _ => {
                // One at a time, so that the newest is known.
                settle(drive);
                write(drive, block, value);
                settle(drive);
                may[block as usize].push(value);
            }
        }
    }
}

#[test]
fn a_drive_that_lies_about_flushes_loses_what_an_honest_one_keeps() {
    let lost = |target: &str, lies: bool| {
        let place = tempfile::tempdir().unwrap();
        let mut offered = had(target, place.path(), lies);
        for block in 0..32 {
            write(&mut offered.drive, block, 9);
        }
        settle(&mut offered.drive);
        offered.drive.ask(offered.drive.now(), ASKER, Asked::Flush);
        settle(&mut offered.drive);
        drop(offered);
        let after = had(target, place.path(), lies);
        let stands = (0..32)
            .filter(|block| value(&after.drive, *block) == 9)
            .count();
        (after.restored.unwrap().lost, 32 - stands)
    };
    for target in [
        "model:samsung-840-evo-250gb",
        "model:solidigm-670p-1tb",
        "model:wd-red-wd30efrx-3tb",
    ] {
        assert_eq!(lost(target, false), (Bytes::ZERO, 0), "{target}");
        let (bytes, blocks) = lost(target, true);
        assert!(
            !bytes.is_zero() && blocks > 0,
            "{target}: {bytes} of {blocks}"
        );
    }
    // Behind capacitors nothing is lost, whoever lies.
    assert_eq!(lost("model:intel-d3-s4510-480gb", true).1, 0);
}

#[test]
fn another_drive_s_log_is_an_error_and_no_panic() {
    let place = tempfile::tempdir().unwrap();
    let large = Io::read(Bytes::gib(4_000), Bytes::kib(4));
    let mut log = tempfile::tempfile().unwrap();
    let mut writer = Writer::new(log.try_clone().unwrap());
    writer.push(&Record::Arrived {
        at: Instant::ZERO,
        io: large,
    });
    writer.hand_over().unwrap();
    std::io::Seek::rewind(&mut log).unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut log, &mut bytes).unwrap();
    drop(had(DRIVES[0], place.path(), false));
    std::fs::write(place.path().join("log"), &bytes).unwrap();
    let wanted = Wanted {
        target: DRIVES[0],
        seed: 7,
        folder: Some(place.path()),
        ignores_flushes: false,
        read_only: false,
    };
    let refused = offer(&wanted, &Interrupt::new()).err().unwrap();
    assert!(refused.to_string().contains("another drive"), "{refused}");
    assert!(Kept::open(place.path()).is_ok());
}

#[test]
fn an_answer_that_ended_before_the_next_request_arrived_is_due_at_once() {
    let capacity = Bytes::mib(1);
    let image = Image::new(tempfile::tempfile().unwrap(), capacity).unwrap();
    let null = base::null::Null::new(capacity, Duration::from_millis(20));
    let mut drive = Emulated::new(Box::new(null), image);
    let read = || Asked::Read(Span::new(Bytes::ZERO, Bytes::kib(4)));
    let asker = |cookie| Asker {
        frontend: 0,
        connection: 0,
        cookie,
    };
    let at = |millis| Instant::ZERO + Duration::from_millis(millis);
    drive.ask(at(0), asker(1), read());
    drive.ask(at(21), asker(2), read());
    assert_eq!(drive.next(), Some(at(21)));
    let mut answers = Vec::new();
    drive.advance(at(21), &mut answers).unwrap();
    assert_eq!((answers.len(), answers[0].at), (1, at(20)));
    assert_eq!(drive.next(), Some(at(41)));
}

#[test]
fn zeros_are_written_to_a_drive_that_knows_no_trims() {
    let place = tempfile::tempdir().unwrap();
    let mut offered = had("model:wd-red-wd30efrx-3tb", place.path(), false);
    let drive = &mut offered.drive;
    for block in 0..8 {
        write(drive, block, 7);
    }
    settle(drive);
    let span = |block| Span::new(Bytes::new(block * BLOCK), Bytes::new(2 * BLOCK));
    drive.ask(drive.now(), ASKER, Asked::Trim(span(6)));
    assert_eq!(settle(drive)[0].error, EOPNOTSUPP, "the drive's own answer");
    for block in [0, 4] {
        let zero = Asked::Zero {
            span: span(block),
            may_forget: true,
            durable: false,
        };
        drive.ask(drive.now(), ASKER, zero);
        let answers = settle(drive);
        assert_eq!((answers.len(), answers[0].error), (1, 0));
    }
    drive.ask(drive.now(), ASKER, Asked::Flush);
    settle(drive);
    write(drive, 0, 9);
    settle(drive);
    drop(offered);
    let again = had("model:wd-red-wd30efrx-3tb", place.path(), false);
    let found: Vec<u8> = (1..8).map(|block| value(&again.drive, block)).collect();
    assert_eq!(found, [0, 7, 7, 0, 0, 7, 7]);
}
