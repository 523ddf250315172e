//! What every target keeps, on drawn drives.

use alien::{Alien, Family, Inside, Link};
use base::io::Io;
use base::run::{PhaseInput, Unwatched, run_phase};
use base::script::Script;
use base::size::{Bytes, PicosPerByte};
use base::target::{Outcome, Tag, Target};
use base::time::Duration;

use super::{US, all, anywhere, drive, read, ssd, write};

const FAMILIES: [Family; 3] = [Family::Sata, Family::Nvme, Family::Disk];

/// Small, so that many are made quickly.
fn small(family: Family, seed: u64) -> Alien {
    let mut truth = Alien::draw(family, seed);
    if let Inside::Ssd(ssd) = &mut truth.inside {
        ssd.capacity = Bytes::mib(256);
        ssd.pages_a_block = 8;
    }
    Alien::new(truth)
}

#[test]
fn every_drawn_drive_keeps_the_contract_of_targets() {
    for family in FAMILIES {
        for seed in 0..12 {
            fixtures::conformance::all(&mut || Box::new(small(family, seed)));
        }
    }
}

#[test]
fn every_drawn_drive_survives_being_overwritten_at_random_and_gives_the_same_times_again() {
    for family in FAMILIES {
        for seed in 0..12 {
            let run = || {
                let mut drive = small(family, seed);
                let within = Bytes::mib(256);
                let count = if family == Family::Disk { 500 } else { 100_000 };
                let written = all(&mut drive, 16, &anywhere(count, within, seed, write));
                (
                    written,
                    all(&mut drive, 16, &anywhere(500, within, 1, read)),
                )
            };
            assert_eq!(run(), run(), "{family:?} {seed}");
        }
    }
}

#[test]
fn a_seed_is_a_drive_and_another_one_is_another() {
    for family in FAMILIES {
        assert_eq!(Alien::draw(family, 3), Alien::draw(family, 3));
        assert_ne!(Alien::draw(family, 3), Alien::draw(family, 4));
    }
}

#[test]
fn commands_are_decoded_one_at_a_time_and_data_cross_the_link_at_its_rate() {
    let took = |both_ways, ios: &[Io]| {
        let mut truth = drive(ssd::plain()).truth().clone();
        // Trimmed or empty: what is left is command and link, 10 us and 40.96 us for 4 KiB.
        if let Inside::Ssd(ssd) = &mut truth.inside {
            ssd.filled = false;
        }
        truth.link = Link {
            queue: 4,
            command: US(10),
            rate: PicosPerByte::new(10_000),
            both_ways,
        };
        all(&mut Alien::new(truth), 4, ios)
    };
    let reads: Vec<Io> = (0..10).map(read).collect();
    assert_eq!(took(true, &reads[..1]), Duration::from_nanos(50_960));
    assert_eq!(took(true, &reads), Duration::from_nanos(10_000 + 409_600));
    assert_eq!(took(true, &[Io::flush(); 10]), US(100));
    // A write and a read at the same time share the link or not.
    let both = [write(1), read(2)];
    assert_eq!(took(true, &both), Duration::from_nanos(60_960));
    assert_eq!(
        took(false, &both),
        Duration::from_nanos(10_000 + 2 * 40_960)
    );
}

#[test]
fn what_lies_outside_is_refused() {
    let mut drive = drive(ssd::plain());
    let outside = Io::read(drive.info().capacity, Bytes::SECTOR);
    drive.submit(Tag(0), &outside).unwrap();
    let mut done = Vec::new();
    drive.wait(None, &mut done);
    assert_eq!(done[0].outcome, Outcome::Failed(22));
}

#[test]
fn a_script_runs_on_it_and_its_trail_has_every_read() {
    let mut drive = drive(ssd::plain());
    let mut script = Script::new("reads", 1).keeping_trail();
    let mut before = Vec::new();
    for page in 0..10 {
        before = vec![script.io(read(page * 100), Duration::ZERO, &before)];
    }
    let record = run_phase(
        &mut drive,
        "reads",
        PhaseInput::Script(&script),
        &mut Unwatched,
    );
    let trail = record.unwrap().script.unwrap().trail.unwrap();
    assert_eq!(trail.ios().len(), 10);
    let slow = |took: Duration| (60..62).contains(&(took.as_nanos() / 1_000));
    assert!(trail.ios().iter().all(|io| slow(io.took)), "{trail:?}");
}
