//! A dry run and a run agree: every method on targets of each kind writes no more than its forecast, and exactly as
//! much if only the settings decide.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::interrupt::Interrupt;
use base::io::Op;
use base::method::Scale;
use base::size::Bytes;
use base::workload::{Job, Pacing};
use lab::progress::Silent;
use lab::running::{Prepared, Request, prepare};
use results::RunResult;

/// What a single run may take, in seconds: of a processor on a modelled drive, of the clock on a real one.
const AFFORDED: f64 = 1.5;

/// Methods whose bytes do not follow from their settings alone, although no time ends them: a trace is cut where the
/// target ends, a search ends where it has found something, and a read back is written before only where it is wanted.
/// Their forecasts are bounds.
const BOUNDED: [&str; 4] = ["capacity", "replay", "slc-recovery", "verify"];

fn prepared(method: &str, target: &str, scale: Scale, set: &[&str]) -> Option<Prepared<'static>> {
    let request = Request {
        set: set.iter().map(|&pair| pair.to_owned()).collect(),
        ..Request::new(method, target, scale, 1)
    };
    prepare(request).ok()
}

fn written(result: &RunResult) -> Bytes {
    let each = result
        .phases
        .iter()
        .map(|phase| phase.of(Op::Write).bytes.get());
    Bytes::new(each.sum())
}

/// The fastest that any phase has written, in bytes a second: what time alone bounds is bounded by it.
fn fastest(result: &RunResult) -> f64 {
    let rates = result
        .phases
        .iter()
        .map(|phase| phase.of(Op::Write).bytes.get() as f64 / phase.took.as_secs_f64().max(1e-9));
    rates.fold(0.0, f64::max)
}

/// I/Os in flight when the time of a phase is over, which complete after it.
fn in_flight(result: &RunResult) -> Bytes {
    let timed = result.phases.iter();
    let timed = timed.filter(|phase| phase.workload.stop.time.is_some());
    let jobs = timed.flat_map(|phase| &phase.workload.jobs);
    let of = |job: &Job| {
        let depth = match job.pacing {
            Pacing::Closed { depth, .. } => depth,
            Pacing::Paced { .. } => 1,
            Pacing::Open { .. } => 256,
        };
        let most = job.accesses.iter().map(|access| access.size).max();
        most.unwrap_or(Bytes::ZERO) * u64::from(depth * job.streams)
    };
    jobs.map(of).fold(Bytes::ZERO, Bytes::saturating_add)
}

/// The error in the forecast of a run; `None` if the run is too expensive, or the target refuses it.
fn wrong(method: &str, target: &str, scale: Scale, set: &[&str]) -> Option<Result<(), String>> {
    let prepared = prepared(method, target, scale, set)?;
    let said = prepared.how_long();
    let in_file = prepared.in_test_file();
    let file = in_file.as_ref().map_or(Bytes::ZERO, |(file, _)| *file);
    let forecast = in_file.map_or_else(|| prepared.forecast.clone(), |(_, of_file)| of_file);
    let waited = match prepared.resolved.is_a_model() {
        true => said.simulated_seconds,
        false => said.seconds,
    };
    if waited > AFFORDED {
        return None;
    }
    let result = prepared.run(None, &mut Silent, &Interrupt::new()).ok()?;
    let written = written(&result);
    let takes = forecast.takes;
    let bound = match forecast.writes {
        Some(_) => said.written,
        None => {
            let in_time = takes.writing().as_secs_f64() * fastest(&result);
            let moved = takes.written().saturating_add(Bytes::new(in_time as u64));
            let filled = if forecast.reads_as_found {
                file
            } else {
                Bytes::ZERO
            };
            moved
                .saturating_add(in_flight(&result))
                .saturating_add(filled)
        }
    };
    let failed = result.phases.iter().any(|phase| phase.errors() > 0);
    let is_exact = forecast.writes.is_some() && !failed && !BOUNDED.contains(&method);
    // What has no counters of its flash is not worn for figures that it cannot give: then not a byte is written.
    let is_spared =
        method == "write-amplification" && !target.starts_with("model:") && written == Bytes::ZERO;
    let is_right = written <= bound && (!is_exact || is_spared || written == bound);
    let line = format!(
        "{method} on {target}, {}{set:?}: {written} were written, {} were said ({takes:?})",
        scale.name(),
        said.written
    );
    Some(if is_right { Ok(()) } else { Err(line) })
}

#[test]
fn no_run_writes_more_than_was_said_on_a_target_of_any_kind() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let directory = folder.path().display().to_string();
    let faulty = format!("fault({directory})?errors=1");
    let targets = [
        "model:samsung-840-evo-120gb",
        "model:wd-red-wd30efrx-3tb",
        "model:wd-black-sn770-1tb",
        "model:wd-ultrastar-dc-zn540-1tb",
        "fault(model:wd-red-wd30efrx-3tb)?bad=1MiB+64KiB",
        directory.as_str(),
        faulty.as_str(),
    ];
    let mut wrongs = Vec::new();
    let mut seen = 0;
    for target in targets {
        for method in methods::METHODS {
            let card = method.card();
            let mut ways: Vec<(Scale, Vec<&str>)> = vec![(Scale::Quick, card.shortest.to_vec())];
            if target.starts_with("model:") {
                ways.extend([Scale::Quick, Scale::Default].map(|scale| (scale, Vec::new())));
            }
            for (scale, set) in ways {
                let found = wrong(card.id, target, scale, &set);
                seen += usize::from(found.is_some());
                wrongs.extend(found.and_then(Result::err));
            }
        }
    }
    assert!(seen > 150, "only {seen} runs were afforded");
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}

#[test]
fn settings_that_shorten_a_run_shorten_what_is_said_of_it() {
    for (method, set) in [
        ("full-scan", &["ends=4"][..]),
        ("full-scan", &["ends=4", "ops=write"]),
        ("full-scan", &["extent=100MiB"]),
        ("slc-fill", &["extent=256MiB"]),
        ("quick-scan", &["regions=4", "dwell=100ms", "extent=1GiB"]),
        ("iometer", &["span=64MiB", "time=100ms", "ramp=0"]),
    ] {
        let found = wrong(method, "model:wd-red-wd30efrx-3tb", Scale::Default, set);
        let found = found.unwrap_or_else(|| panic!("{method} {set:?} was not run"));
        assert_eq!(found, Ok(()));
    }
    let said = |set: &[&str]| {
        let prepared = prepared(
            "full-scan",
            "model:wd-red-wd30efrx-3tb",
            Scale::Default,
            set,
        );
        prepared.unwrap().how_long()
    };
    let (whole, ends) = (said(&[]), said(&["ends=4"]));
    // Eight positions of 1,024.
    let share = ends.written.get() as f64 / whole.written.get() as f64;
    assert!((share * 128.0 - 1.0).abs() < 1e-3, "{ends:?} of {whole:?}");
    assert!(ends.seconds < whole.seconds / 100.0);
    assert!(ends.simulated_seconds < whole.simulated_seconds / 100.0);
}
