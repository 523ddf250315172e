//! The output of every method on six modelled drives, bit for bit, as one digest per pair: a pure refactoring changes
//! none of them; a change of a model or a method changes those that it claims to change, and its commit says why.
//!
//! A digest is over each figure (key, unit, value to the bit) and over each phase (name, I/Os, bytes, time, failures, and
//! the least, median, 99th percentile and greatest response). After a change that is meant, run the test with
//! `INSTA_UPDATE=always` and read what differs.

mod modelled;

use std::fmt::Write as _;

use base::method::Scale;
use base::record::PhaseRecord;
use base::statistic::Kind;
use lab::running::prepare;
use results::RunResult;
use sha2::{Digest, Sha256};

/// Settings without which a method cannot run, or takes longer than the others together.
const SETTINGS: &[(&str, &[&str])] = &[("file-system", &["method=os-boot"])];

fn digest_of(result: &RunResult) -> String {
    let mut digest = Sha256::new();
    for figure in &result.figures {
        let value = figure.value.map_or(0, f64::to_bits);
        digest.update(format!("{} {:?} {value:016x}\n", figure.key, figure.unit).as_bytes());
    }
    for phase in &result.phases {
        digest.update(line_of(phase).as_bytes());
    }
    digest
        .finalize()
        .iter()
        .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

fn line_of(phase: &PhaseRecord) -> String {
    let mut line = format!(
        "{} {} {} {} {}",
        phase.name,
        phase.ios(),
        phase.bytes().get(),
        phase.took.as_nanos(),
        phase.errors(),
    );
    for job in &phase.jobs {
        for op in &job.ops {
            let all = op.felt();
            let percentile = |p| all.nearest_rank(p).map_or(0, |time| time.as_nanos());
            let _ = write!(
                line,
                " {} {} {} {} {}",
                op.ios,
                percentile(0.0),
                percentile(50.0),
                percentile(99.0),
                percentile(100.0),
            );
        }
    }
    line.push('\n');
    line
}

/// Methods that are not run on a drive after long random work: each second of it is slow to simulate.
const STEADY: &[&str] = &[
    "crystaldiskmark",
    "iometer",
    "latency-watch",
    "mixed-plane",
    "pts-iops",
    "slc-fill",
    "verify",
];

/// A line for each method and state: the digest, or why it does not run on this drive.
fn digests(drive: &str, states: &[&str]) -> String {
    let mut lines = String::new();
    for (name, run) in runs(drive, states) {
        let said = run.map_or_else(|refused| refused, |result| digest_of(&result));
        let _ = writeln!(lines, "{name}: {said}");
    }
    lines
}

/// Each method and state with its result, or why it does not run on this drive.
fn runs(drive: &str, states: &[&str]) -> Vec<(String, Result<RunResult, String>)> {
    let mut runs = Vec::new();
    for state in states {
        for method in methods::METHODS {
            let name = method.card().id;
            if !state.is_empty() && !STEADY.contains(&name) {
                continue;
            }
            let set = SETTINGS
                .iter()
                .find(|(method, _)| *method == name)
                .map_or(&[][..], |(_, set)| set);
            let target = format!("model:{drive}{state}");
            let run = match prepare(modelled::request(name, &target, Scale::Quick, set)) {
                Ok(_) => Ok(modelled::run(name, &target, Scale::Quick, set)),
                Err(refused) => Err(refused.to_string()),
            };
            runs.push((format!("{name}{state}"), run));
        }
    }
    runs
}

#[test]
fn no_method_gives_a_high_percentile_of_too_few_samples_and_each_says_what_it_needs() {
    let (mut told, mut withheld) = (0, 0);
    for (name, result) in runs("samsung-840-evo-750gb", &[""]) {
        for figure in result.iter().flat_map(|result| &result.figures) {
            let Kind::Percentile(percent) = figure.statistic.kind() else {
                continue;
            };
            // 100 of the 99th, 1,000 of the 99.9th, 10,000 of the 99.99th.
            let needed = if percent < 90.0 {
                1.0
            } else {
                100.0 / (100.0 - percent)
            };
            let enough = figure.n as f64 >= needed - 1e-6;
            assert_eq!(figure.value.is_some(), enough, "{name} {}", figure.key);
            let why = figure.why_not.as_deref().unwrap_or_default();
            assert_eq!(
                why.starts_with("needs "),
                !enough && figure.n > 0,
                "{name} {}: {why}",
                figure.key
            );
            told += usize::from(enough && percent >= 90.0);
            withheld += usize::from(!enough);
        }
    }
    assert!(told > 20 && withheld > 20, "{told} {withheld}");
}

#[test]
fn every_method_says_the_same_of_a_planar_ssd_with_an_slc_cache() {
    insta::assert_snapshot!(digests("samsung-840-evo-750gb", &[""]));
}

#[test]
fn every_method_says_the_same_of_an_nvme_ssd() {
    insta::assert_snapshot!(digests("cfd-pg3nf2-1tb", &[""]));
}

#[test]
fn every_method_says_the_same_of_an_ssd_that_gathers_writes() {
    insta::assert_snapshot!(digests("toshiba-hg2-128gb", &["", "?state=steady-random"]));
}

#[test]
fn every_method_says_the_same_of_a_block_mapped_ssd() {
    insta::assert_snapshot!(digests("ocz-core-v2-30gb", &["", "?state=steady-random"]));
}

#[test]
fn every_method_says_the_same_of_a_disk() {
    insta::assert_snapshot!(digests("hgst-deskstar-nas-hdn724030-3tb", &[""]));
}

#[test]
fn every_method_says_the_same_of_a_ram_drive() {
    insta::assert_snapshot!(digests("acard-ans-9010-14gb", &[""]));
}
