//! What every method says of six modelled drives, to the bit, as a digest a pair: a change that is only to move things
//! changes none of them; a change of a model or a method changes those that it says it does, and its commit says why.
//!
//! A digest is over each figure (key, unit, value to the bit) and over each phase (name, I/Os, bytes, time, failures, and
//! the least, median, 99th percentile and greatest response). After a change that is meant, run the test with
//! `INSTA_UPDATE=always` and read what differs.

mod modelled;

use std::fmt::Write as _;

use base::method::Scale;
use base::record::PhaseRecord;
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
            let percentile = |p| all.percentile(p).map_or(0, |time| time.as_nanos());
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

/// Methods that a drive after long random work is asked by: each second of it takes the simulation a while.
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
            let said = match prepare(modelled::request(name, &target, Scale::Quick, set)) {
                Ok(_) => digest_of(&modelled::run(name, &target, Scale::Quick, set)),
                Err(refused) => refused.to_string(),
            };
            let _ = writeln!(lines, "{name}{state}: {said}");
        }
    }
    lines
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
