//! What every target keeps, on drawn drives.

use alien::{Alien, Family, Inside};
use base::run::{PhaseInput, Unwatched, run_phase};
use base::script::Script;
use base::size::Bytes;
use base::time::Duration;

use super::{all, anywhere, drive, read, ssd, write};

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
