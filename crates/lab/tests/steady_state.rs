//! A modelled drive is declared steady neither before it is, nor more than five rounds later.
//!
//! What the model knows: it can be made anew and given the same work as often as one likes, with other
//! random places, and long after the method would have stopped. The mean over such drives is what the
//! drive does in each round, without the chance of one run; it is steady from the first round of the
//! first window on that meets the two conditions. Of write saturation it knows more: the level itself,
//! from a drive that was constructed in the steady state.
//!
//! Rounds are long enough here to average over single garbage collections: in shorter ones random variation exceeds the
//! excursion, and the conditions rightly wait.

mod modelled;

use base::interrupt::Interrupt;
use base::io::Op;
use base::method::{Forecast, Scale};
use base::record::PhaseRecord;
use base::rng::splitmix64;
use base::run::{Unwatched, run};
use base::target::Target;
use base::time::Duration;
use base::workload::Workload;
use modelled::figure;
use results::RunResult;
use targets::{Consent, Drive, resolve};

/// Maximum deviation of a steady drive from its level: an excursion of 20 % is between these.
const BAND: f64 = 0.1;
/// Drives whose mean is taken.
const DRIVES: u64 = 3;
/// Rounds of each of them.
const ROUNDS: u64 = 24;

/// The file of a drive of the 840 PRO's kind, small enough to be written many times in a second; and
/// the target that it is.
fn small_drive() -> (tempfile::NamedTempFile, String) {
    let text = r#"
[drive]
family = "samsung-840-pro"
title = "A small drive"
capacity_bytes = 400_000_000

[drive.identity]
model = "small"

[ssd.nand]
channels = { value = 2, source = "construction", why = "small" }
dies = { value = 4, source = "construction", why = "small" }
pages_a_block = { value = 4, source = "construction", why = "small" }
blocks_a_plane = { value = 960, source = "construction", why = "small" }
unused_blocks_a_plane = { value = 0, source = "construction", why = "small" }
"#;
    drive_of(text.to_owned())
}

/// The same with this many blocks, of which the capacity takes about 890, and without a journal of its map, whose size
/// is that of a real drive: over four times the capacity of such a small drive its checkpoints would be a slope of
/// their own.
fn small_drive_with(blocks_a_plane: u32) -> (tempfile::NamedTempFile, String) {
    let (file, _) = small_drive();
    let text = std::fs::read_to_string(&file).expect("it was written");
    let roomy = text.replace(
        "blocks_a_plane = { value = 960",
        &format!("blocks_a_plane = {{ value = {blocks_a_plane}"),
    );
    drive_of(roomy + "\n[ssd.scatter]\nmap_journal = false\n")
}

fn drive_of(text: String) -> (tempfile::NamedTempFile, String) {
    let named = tempfile::Builder::new().suffix(".toml").tempfile();
    let file = named.expect("a temporary file can be made");
    std::fs::write(&file, text).expect("a temporary file can be written");
    let target = format!("model:{}", file.path().display());
    (file, target)
}

fn result(method: &str, target: &str, set: &[&str]) -> RunResult {
    modelled::run(method, target, Scale::Full, set)
}

/// The same drive again, as it is when nothing was done with it but what its name says.
fn opened(target: &str) -> Box<dyn Target> {
    let consent = Consent::default();
    let resolved = resolve(target, &consent, 1).unwrap_or_else(|e| panic!("{e}"));
    let forecast = Forecast::default();
    let admitted = resolved
        .admit("test", &forecast, &consent)
        .expect("nothing of the user's is written");
    let opened = admitted.open(Scale::Full, &Interrupt::new());
    match opened.unwrap_or_else(|e| panic!("{e}")).drive {
        Drive::Model(target) => target,
        Drive::Real(_) => panic!("a modelled drive was asked for"),
    }
}

fn played(target: &mut dyn Target, work: &Workload) -> PhaseRecord {
    run(target, "again", work, &mut Unwatched).unwrap_or_else(|e| panic!("{e}"))
}

fn iops(record: &PhaseRecord) -> f64 {
    record.iops().unwrap_or(0.0)
}

fn rate(record: &PhaseRecord) -> f64 {
    record.rate().map_or(0.0, |rate| rate.mb_s())
}

fn mean(record: &PhaseRecord) -> f64 {
    let mean = record.of(Op::Write).service.mean();
    mean.map_or(0.0, |mean| mean.as_micros_f64())
}

/// What is followed in each round, as the mean over drives that get the same work at other places.
fn typical(
    target: &str,
    phases: &[PhaseRecord],
    followed: &str,
    follow: fn(&PhaseRecord) -> f64,
) -> Vec<f64> {
    let of_round = |name: &str| name.starts_with("round 1 ");
    let before = phases.iter().take_while(|p| !of_round(&p.name));
    let before: Vec<&PhaseRecord> = before.collect();
    let round: Vec<&PhaseRecord> = phases.iter().filter(|p| of_round(&p.name)).collect();
    let mut sums = vec![0.0; ROUNDS as usize];
    for seed in 0..DRIVES {
        let mut drive = opened(target);
        for phase in &before {
            played(&mut *drive, &phase.workload);
        }
        for (number, sum) in (0..ROUNDS).zip(&mut sums) {
            for phase in &round {
                let mut work = phase.workload.clone();
                work.seed = splitmix64(work.seed ^ splitmix64(seed * ROUNDS + number));
                let record = played(&mut *drive, &work);
                if phase.name.ends_with(followed) {
                    *sum += follow(&record) / DRIVES as f64;
                }
            }
        }
    }
    sums
}

/// Both conditions, as the specification words them, with a line fitted through sums over all points.
fn is_steady(window: &[f64]) -> bool {
    let n = window.len() as f64;
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        (0..).zip(window).map(|(x, y)| of(f64::from(x), *y)).sum()
    };
    let (x, y) = (sum(&|x, _| x), sum(&|_, y| y));
    let (xx, xy) = (sum(&|x, _| x * x), sum(&|x, y| x * y));
    let gradient = (n * xy - x * y) / (n * xx - x * x);
    let greatest = window.iter().copied().fold(f64::MIN, f64::max);
    let least = window.iter().copied().fold(f64::MAX, f64::min);
    let mean = y / n;
    greatest - least <= 0.2 * mean && (gradient * (n - 1.0)).abs() <= 0.1 * mean
}

/// Declared steady neither before the typical drive is, nor more than five rounds later; hands back from
/// which round on it is.
fn checked(
    target: &str,
    run: &RunResult,
    key: &str,
    followed: &str,
    follow: fn(&PhaseRecord) -> f64,
) -> usize {
    let declared = figure(run, key).unwrap_or_else(|| panic!("{:?}", run.warnings)) as usize;
    let values = typical(target, &run.phases, followed, follow);
    let from = values.windows(5).position(is_steady);
    let from = from.unwrap_or_else(|| panic!("never steady: {values:?}")) + 1;
    assert!(
        (from..=from + 5).contains(&declared),
        "{followed}: steady from round {from} on, declared in round {declared}: {values:?}"
    );
    from
}

#[test]
fn the_rounds_of_iops_end_when_the_drive_is_steady() {
    let (_file, target) = small_drive();
    let run = result("pts-iops", &target, &["time=100ms"]);
    checked(&target, &run, "steady.round", "rnd4k-r0", iops);
}

#[test]
fn the_rounds_of_latency_end_when_the_drive_is_steady() {
    let (_file, target) = small_drive();
    for time in ["time=300ms", "time=600ms"] {
        let run = result("pts-latency", &target, &[time]);
        // While it still has spare room its writes are fast: there is something to wait for.
        assert!(checked(&target, &run, "steady.round", "rnd4k-r0", mean) > 1);
    }
}

#[test]
fn the_rounds_of_throughput_end_when_the_drive_is_steady() {
    let (_file, target) = small_drive();
    for time in ["time=50ms", "time=500ms"] {
        let run = result("pts-throughput", &target, &[time]);
        checked(&target, &run, "seq128k.steady.round", "seq128k.write", rate);
    }
}

#[test]
fn the_rounds_before_the_rests_end_when_the_drive_is_steady() {
    let (_file, target) = small_drive();
    // In rounds of half a second the chance of one run moves the declaration by three rounds either way.
    for time in ["time=1s", "time=2s"] {
        let short = [time, "burst=10ms", "bursts=1", "baseline=10ms"];
        let run = result("pts-host-idle-recovery", &target, &short);
        assert!(checked(&target, &run, "steady.round", "writes", iops) > 1);
    }
}

#[test]
fn write_saturation_is_declared_only_near_the_level_of_the_steady_state() {
    let mut declared = 0;
    // Spare room of 17 to 125 per cent of the capacity. Where the rate still falls at four times the capacity, or
    // collections come in waves, it is declared nowhere.
    for blocks in [1_040, 1_120, 1_200, 1_400, 1_600, 2_000] {
        let (_file, target) = small_drive_with(blocks);
        let run = result("pts-write-saturation", &target, &["time=100ms"]);
        let mut drive = opened(&format!("{target}?state=steady-random"));
        let mut work = run.phases[1].workload.clone();
        work.stop.time = Some(Duration::from_secs(5));
        let level = iops(&played(&mut *drive, &work));
        let last = run.phases.iter().rev().take(5);
        let last: f64 = last.map(iops).sum::<f64>() / 5.0;
        if figure(&run, "steady.round").is_some() {
            declared += 1;
            let off = last / level - 1.0;
            assert!(
                off.abs() <= BAND,
                "{blocks}: {last} a second, {level} for ever"
            );
        }
    }
    assert!(declared >= 4, "it is found for most: {declared}");
}
