//! A drive that disappears, and a ring that fails, while I/Os are in flight.

use std::process::Command;

use base::fault::ENODEV;
use base::record::Ended;
use base::run::{Unwatched, run};
use base::workload::{Job, Order, Span, Stop, Workload};

use super::*;
use fixtures::loop_device::LoopDevice;

/// Depth of the ring under test.
const DEPTH: u32 = 8;

fn read_at(kib: u64) -> Io {
    Io::read(Bytes::kib(kib), Bytes::kib(4))
}

/// All completions until nothing is in flight.
fn drained(target: &mut RealTarget, tags: usize) -> Vec<Done> {
    let mut done = Vec::new();
    while done.len() < tags {
        let before = done.len();
        target.wait(None, &mut done);
        assert!(done.len() > before, "{done:?}");
    }
    done
}

#[test]
fn a_ring_that_breaks_gives_every_io_back_once_and_takes_no_more() {
    let name = "a_ring_that_breaks_gives_every_io_back_once_and_takes_no_more";
    let file = disk_file();
    let Some(mut target) = ring(name, &file, false, DEPTH) else {
        return;
    };
    for tag in 0..4 {
        target
            .submit(Tag(tag), &read_at(4 * u64::from(tag)))
            .unwrap();
    }
    // With the kernel now.
    let mut done = Vec::new();
    target.wait(Some(target.now()), &mut done);
    spoil(&mut target, true);
    for tag in 4..6 {
        target
            .submit(Tag(tag), &read_at(4 * u64::from(tag)))
            .unwrap();
    }
    done.extend(drained(&mut target, 6 - done.len()));
    let mut tags: Vec<u32> = done.iter().map(|done| done.tag.0).collect();
    tags.sort_unstable();
    assert_eq!(tags, [0, 1, 2, 3, 4, 5]);
    assert!(
        done.iter()
            .any(|done| matches!(done.outcome, Outcome::Broken(_)))
    );
    // Late completions are nobody's, also where the kernel would work again.
    spoil(&mut target, false);
    for round in 0..3 {
        for tag in 0..DEPTH {
            target.submit(Tag(tag), &read_at(4)).unwrap();
        }
        assert_eq!(target.submit(Tag(0), &read_at(4)), Err(Busy));
        let answered = drained(&mut target, DEPTH as usize);
        assert_eq!(answered.len(), DEPTH as usize, "round {round}");
        assert!(
            answered
                .iter()
                .all(|d| matches!(d.outcome, Outcome::Broken(_)))
        );
    }
    let work = Workload::single(reads(target.info().capacity), for_ever(), 1);
    let record = run(&mut target, "read", &work, &mut Unwatched).unwrap();
    assert!(matches!(record.ended, Ended::Broken(_)));
    assert_eq!((record.ios(), record.errors()), (0, u64::from(DEPTH)));
}

/// How an opener distinguishes it from a device with bad sectors: its length has shrunk.
fn watched(target: RealTarget) -> RealTarget {
    let capacity = target.info().capacity.get();
    let shorter: IsLost = Box::new(move |device| {
        let end = rustix::fs::seek(device, rustix::fs::SeekFrom::End(0));
        end.is_ok_and(|end| end < capacity)
    });
    target.watched_by(Some(shorter))
}

fn spoil(target: &mut RealTarget, spoilt: bool) {
    match &mut target.way {
        Way::Ring(ring) => ring.spoil(spoilt),
        Way::Psync(_) => panic!("no ring"),
    }
}

fn reads(capacity: Bytes) -> Job {
    let span = Span::first(capacity);
    Job::closed("read", Op::Read, Order::Random, span, Bytes::kib(4), DEPTH)
}

/// Only a loss ends it.
fn for_ever() -> Stop {
    Stop::after_ios(u64::MAX)
}

#[test]
fn a_device_that_loses_its_length_ends_the_phase_and_is_no_drive_of_bad_sectors() {
    let name = "a_device_that_loses_its_length_ends_the_phase_and_is_no_drive_of_bad_sectors";
    for engine in [Engine::Auto, Engine::Psync] {
        let Some(device) = LoopDevice::attach(name, 8) else {
            return;
        };
        let mut target = watched(open(&device.node, &writable(engine, false, DEPTH)).unwrap());
        assert_eq!(
            wait_for(&mut target, &read_at(64)).outcome,
            Outcome::Complete
        );
        // As the kernel does with a drive that is pulled.
        device.file.as_file().set_len(0).unwrap();
        let told = Command::new("losetup").arg("-c").arg(&device.node).status();
        if !told.is_ok_and(|status| status.success()) || std::fs::metadata(&device.node).is_err() {
            return fixtures::skip::skip(name, "losetup cannot take a device's length away");
        }
        let work = Workload::single(reads(target.info().capacity), for_ever(), 1);
        let record = run(&mut target, "read", &work, &mut Unwatched).unwrap();
        assert_eq!(record.ended, Ended::Gone(ENODEV), "{}", target.describe());
        assert_eq!(record.ios(), 0);
        assert!(
            record.errors() <= 2 * u64::from(DEPTH),
            "{}",
            record.errors()
        );
    }
}

#[test]
fn a_file_that_is_cut_off_while_it_is_measured_ends_the_phase() {
    let file = disk_file();
    let mut target = watched(on(&file, &writable(Engine::Auto, false, DEPTH)).unwrap());
    file.set_len(0).unwrap();
    let work = Workload::single(reads(target.info().capacity), for_ever(), 1);
    let record = run(&mut target, "read", &work, &mut Unwatched).unwrap();
    assert_eq!(record.ended, Ended::Gone(ENODEV));
}
