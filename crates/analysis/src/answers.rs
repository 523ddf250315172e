//! The answer of a result in a sentence or two: every method is a question, and its figures are the answer.
//!
//! After a fill nobody wants a table first: "140 GB at 3.5 GB/s, then 283 MB/s: 8 % of it" is the answer. So each
//! method has one file here, whose function selects the sentence from the figures of a result. It depends on figures
//! alone: it never parses text, and if a figure is missing it says less instead of guessing.
//!
//! Common rules of all methods are here: failed I/Os are reported before everything else, a run that ended early
//! answers for what it measured, and one without the figures says that there is no answer.
//!
//! A sentence is a [`Statement`]; its wording is in the report texts under its key (`answer-METHOD-…`). Adding one is a
//! file in `answers/` and a line in `ANSWERS`.

use crate::long_responses;
use base::Op;
use results::{Quantity, RunEnd, RunResult, Statement};

mod ageing;
pub(crate) mod alignment;
mod application_traces;
mod as_ssd;
mod as_ssd_compression;
mod as_ssd_copy;
mod atto;
mod boot_phases;
mod capacity;
mod cold_start;
mod commit;
mod crystaldiskmark;
mod crystaldiskmark_classic;
mod datasheet;
mod delay_ratio;
mod explain;
pub(crate) mod figures;
mod file_copy;
mod file_system;
mod fixed_rate;
mod full_scan;
mod hd_tune;
mod hd_tune_file;
mod hd_tune_random_access;
mod idle_latency;
pub mod inside;
mod iometer;
mod latency_watch;
mod mixed_plane;
mod os_boot;
mod pts_host_idle_recovery;
mod pts_iops;
mod pts_latency;
mod pts_throughput;
mod pts_write_saturation;
mod queue_depth_sweep;
mod queued_read_back;
mod quick_scan;
mod range_sweep;
mod rates;
mod replay;
mod retention;
mod slc_fill;
mod slc_recovery;
mod steady;
mod verify;
mod wear_out;
mod write_amplification;
mod zones;

/// The answer of a method's result; `None` if its figures are missing.
type Answer = fn(&RunResult) -> Option<Vec<Statement>>;

/// The methods with their answers, in the order in which methods are listed.
const ANSWERS: &[(&str, Answer)] = &[
    ("crystaldiskmark", crystaldiskmark::answer),
    ("crystaldiskmark-classic", crystaldiskmark_classic::answer),
    ("full-scan", full_scan::answer),
    ("quick-scan", quick_scan::answer),
    ("latency-watch", latency_watch::answer),
    ("iometer", iometer::answer),
    ("hd-tune", hd_tune::answer),
    ("range-sweep", range_sweep::answer),
    ("slc-fill", slc_fill::answer),
    ("datasheet", datasheet::answer),
    ("as-ssd", as_ssd::answer),
    ("atto", atto::answer),
    ("alignment", alignment::answer),
    ("delay-ratio", delay_ratio::answer),
    ("file-copy", file_copy::answer),
    ("os-boot", os_boot::answer),
    ("application-traces", application_traces::answer),
    ("ageing", ageing::answer),
    ("wear-out", wear_out::answer),
    ("write-amplification", write_amplification::answer),
    ("file-system", file_system::answer),
    ("pts-iops", pts_iops::answer),
    ("pts-throughput", pts_throughput::answer),
    ("pts-latency", pts_latency::answer),
    ("pts-write-saturation", pts_write_saturation::answer),
    ("pts-host-idle-recovery", pts_host_idle_recovery::answer),
    ("replay", replay::answer),
    ("verify", verify::answer),
    ("capacity", capacity::answer),
    ("slc-recovery", slc_recovery::answer),
    ("queued-read-back", queued_read_back::answer),
    ("cold-start", cold_start::answer),
    ("retention", retention::answer),
    ("boot-phases", boot_phases::answer),
    ("hd-tune-random-access", hd_tune_random_access::answer),
    ("hd-tune-file", hd_tune_file::answer),
    ("as-ssd-copy", as_ssd_copy::answer),
    ("as-ssd-compression", as_ssd_compression::answer),
    ("fixed-rate", fixed_rate::answer),
    ("queue-depth-sweep", queue_depth_sweep::answer),
    ("mixed-plane", mixed_plane::answer),
    ("commit", commit::answer),
    ("idle-latency", idle_latency::answer),
    ("zones", zones::answer),
    ("explain", explain::answer),
];

/// Methods whose own answer reports failures: they look for errors.
const LOOK_FOR_ERRORS: &[&str] = &["full-scan", "quick-scan", "verify", "retention", "wear-out"];

/// Methods of steady work, whose longest responses are asked what they have in common: others make long ones themselves,
/// and not evenly.
const OF_STEADY_WORK: &[&str] = &["latency-watch", "fixed-rate", "mixed-plane"];
/// A method of all kinds of work, whose single I/Os are kept: a habit is told, but that there is none tells nothing.
const OF_SINGLE_IOS: &str = "explain";

/// The answer of a result: the first sentence answers the method's question, the others add context. `None` if the
/// method has no answer.
pub fn answer(result: &RunResult) -> Vec<Statement> {
    let known = ANSWERS.iter().find(|(method, _)| *method == result.method);
    let Some((method, of)) = known else {
        return Vec::new();
    };
    let is_early = matches!(result.ended, RunEnd::Early(_));
    // Of what was cut short nobody expects an answer.
    let without = || {
        if is_early {
            Vec::new()
        } else {
            vec![untold(result)]
        }
    };
    let mut said = of(result).unwrap_or_else(without);
    if OF_STEADY_WORK.contains(method) {
        said.extend(long_responses::in_common(result));
    } else if *method == OF_SINGLE_IOS {
        let is_habit = |said: &Statement| said.key == "answer-long-responses";
        said.extend(long_responses::in_common(result).filter(is_habit));
    }
    said.splice(0..0, reserved(result));
    if is_early && said.is_empty() {
        return vec![Statement::new("answer-ended-untold")];
    }
    if is_early {
        return vec![Statement::new("answer-ended-early").with("said", Quantity::Said(said))];
    }
    said
}

/// What is said before the answer: I/Os that found no room, and I/Os that failed, unless the method looks for them.
pub fn reserved(result: &RunResult) -> Vec<Statement> {
    if LOOK_FOR_ERRORS.contains(&result.method.as_str()) {
        return Vec::new();
    }
    let failed = figures::failures(result, &[Op::Read, Op::Write]).map(|failed| {
        Statement::new("answer-accesses-failed")
            .with("failed", Quantity::Count(failed.count))
            .with("place", Quantity::Size(failed.first))
    });
    without_room(result).into_iter().chain(failed).collect()
}

/// A sentence about I/Os that found no room, if any.
fn without_room(result: &RunResult) -> Option<Statement> {
    let count = figures::without_room(result);
    let said = || Statement::new("answer-no-room").with("failed", Quantity::Count(count));
    (count > 0).then(said)
}

/// The methods that have an answer.
pub fn answered() -> impl Iterator<Item = &'static str> {
    ANSWERS.iter().map(|(method, _)| *method)
}

/// States that there is no answer, and the reason if a figure gives one.
fn untold(result: &RunResult) -> Statement {
    let missing = result.figures.iter().filter(|of| of.value.is_none());
    match missing.filter_map(|of| of.why_not.as_ref()).next() {
        Some(why) => {
            Statement::new("answer-untold-because").with("why", Quantity::Why(why.clone()))
        }
        None => Statement::new("answer-untold"),
    }
}

#[cfg(test)]
mod tests {
    use super::figures::measured;
    use super::*;
    use fixtures::results as sample;

    #[test]
    fn a_run_that_ended_early_answers_for_what_it_saw() {
        let mut early = measured("slc-fill", &[("whole.rate", 500.0, "MB/s")]);
        early.ended = RunEnd::from("the drive went away".to_owned());
        let said = answer(&early);
        assert_eq!(said.len(), 1);
        assert_eq!(said[0].key, "answer-ended-early");
        assert!(matches!(said[0].quantity("said"), Some(Quantity::Said(all)) if all.len() == 1));
    }

    #[test]
    fn a_run_that_ended_before_its_first_figure_says_that_alone() {
        let mut early = measured("slc-fill", &[]);
        early.ended = RunEnd::from("the drive went away".to_owned());
        let keys: Vec<&str> = answer(&early).iter().map(|said| said.key).collect();
        assert_eq!(keys, ["answer-ended-untold"]);
    }

    #[test]
    fn without_its_figures_a_method_says_that_it_cannot_tell_and_why() {
        for method in answered() {
            let said = answer(&measured(method, &[]));
            assert_eq!(said[0].key, "answer-untold", "{method}");
        }
        let mut refused = measured("alignment", &[]);
        refused
            .figures
            .push(sample::figure("ratio.write", None, "%"));
        assert_eq!(answer(&refused)[0].key, "answer-untold-because");
    }

    #[test]
    fn a_method_that_nobody_knows_has_no_answer() {
        assert_eq!(answer(&measured("tomorrow", &[("rate", 1.0, "MB/s")])), []);
    }

    #[test]
    fn accesses_that_failed_are_told_before_what_was_measured_beside_them() {
        let mut result = sample::review().swap_remove(0);
        assert_ne!(answer(&result)[0].key, "answer-accesses-failed");
        figures::fail_one_read(&mut result);
        assert_eq!(answer(&result)[0].key, "answer-accesses-failed");
    }
}
