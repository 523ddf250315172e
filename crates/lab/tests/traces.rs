//! Traces on modelled drives: what was recorded is replayed to the same I/Os and, at its own times, to the
//! same completions; a file that changed is refused.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod modelled;

use std::path::Path;

use base::interrupt::Interrupt;
use base::io::Op;
use base::method::Scale;
use base::trace::Traced;
use lab::LabError;
use lab::progress::Silent;
use lab::recording::RecordTo;
use lab::running::{Prepared, Request, prepare, prepare_again};
use results::RunResult;
use targets::Consent;
use traces::{Format, Reader};

const DRIVE: &str = "model:samsung-840-evo-750gb";

fn request(method: &str, target: &str, set: &[String]) -> Request {
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    modelled::request(method, target, Scale::Default, &set)
}

fn go(prepared: Prepared) -> RunResult {
    prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
}

fn refused(request: Request) -> LabError {
    match prepare(request) {
        Ok(_) => panic!("it is taken"),
        Err(error) => error,
    }
}

/// Runs a method, recorded; then the trace.
fn recorded(method: &str, set: &[&str], path: &Path, format: Format) -> RunResult {
    let set: Vec<String> = set.iter().map(|&s| s.to_owned()).collect();
    let prepared = prepare(request(method, DRIVE, &set)).unwrap();
    let path = path.to_owned();
    go(prepared.record_to(RecordTo { path, format }))
}

fn trace(path: &Path) -> Vec<Traced> {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let (reader, _) = Reader::new(file, None).unwrap();
    reader.map(Result::unwrap).collect()
}

const MIXED: [&str; 5] = [
    "span=64MiB",
    "time=300ms",
    "ramp=0",
    "prepare=no",
    "depth=32",
];

#[test]
fn a_recorded_run_is_replayed_to_the_same_ios_and_the_same_completion_times() {
    let place = tempfile::tempdir().unwrap();
    let (first, second) = (place.path().join("first"), place.path().join("second"));
    let original = recorded("iometer", &MIXED, &first, Format::Blkparse);
    let setting = format!("trace={}", first.display());
    // On the drive as it was: a replay finds a drive that was written over unless it is told.
    let fresh = format!("{DRIVE}?state=fresh");
    let prepared = prepare(request("replay", &fresh, &[setting])).unwrap();
    let replayed = go(prepared.record_to(RecordTo {
        path: second.clone(),
        format: Format::Blkparse,
    }));
    // Every send and every completion, to the nanosecond.
    let (a, b) = (trace(&first), trace(&second));
    assert!(a.len() > 1_000 && a.iter().all(|traced| traced.done.is_some()));
    assert_eq!(a, b);
    let (a, b) = (&original.phases[0], &replayed.phases[0]);
    assert_eq!(
        (a.took, a.of(Op::Read).service),
        (b.took, b.of(Op::Read).service)
    );
    assert_eq!(a.of(Op::Write).service, b.of(Op::Write).service);
    let kept = b.traced.clone().unwrap();
    assert!(kept.late.max().is_zero());
    // The file's digest is kept, and stands in the conditions.
    let input = &replayed.settings.inputs["trace"];
    assert_eq!(input.digest.len(), 64);
    let by = &replayed.figures[0].comparable_by.scale;
    assert!(by.contains("trace=first (") && !by.contains('/'), "{by}");
}

#[test]
fn every_format_brings_back_the_same_ios_in_the_same_order() {
    let place = tempfile::tempdir().unwrap();
    let plain = |path: &Path| -> Vec<(Op, u64, u64)> {
        let plain = |t: &Traced| (t.io.op, t.io.offset.get(), t.io.len.get());
        trace(path).iter().map(plain).collect()
    };
    let path = |name: &str| place.path().join(name);
    recorded("iometer", &MIXED, &path("whole"), Format::Blkparse);
    let whole = plain(&path("whole"));
    for format in Format::WRITTEN {
        let (one, two) = (path(format.name()), path(&format!("{}-2", format.name())));
        recorded("iometer", &MIXED, &one, format);
        if format != Format::Msr {
            assert_eq!(plain(&one), whole, "{}", format.name());
        }
        let setting = format!("trace={}", one.display());
        let prepared = prepare(request("replay", DRIVE, &[setting])).unwrap();
        go(prepared.record_to(RecordTo {
            path: two.clone(),
            format: Format::Mqsim,
        }));
        assert_eq!(plain(&one), plain(&two), "{}", format.name());
    }
}

#[test]
fn phases_and_rests_follow_one_another_in_the_trace() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("trace");
    let set = ["runs=1", "time=20ms", "size=64MiB"];
    let result = recorded("crystaldiskmark", &set, &path, Format::Disksim);
    let took: u64 = result
        .phases
        .iter()
        .map(|phase| phase.took.as_nanos())
        .sum();
    let trace = trace(&path);
    let ios: u64 = result.phases.iter().map(|phase| phase.ios()).sum();
    assert_eq!(trace.len() as u64, ios);
    let last = trace.last().unwrap().sent.at.as_nanos();
    assert!(trace.windows(2).all(|w| w[0].sent.at <= w[1].sent.at));
    assert!(last > took * 9 / 10, "{last} {took}");
}

#[test]
fn the_shipped_trace_runs_on_a_modelled_drive_and_keeps_its_order() {
    let result = go(prepare(request("replay", DRIVE, &[])).unwrap());
    let kept = result.phases[0].traced.clone().unwrap();
    assert!(kept.sent > 5_000);
    let disk = "model:hgst-deskstar-nas-hdn724030-3tb";
    let result = go(prepare(request("replay", disk, &[])).unwrap());
    let on_disk = result.phases[0].traced.clone().unwrap();
    // A disk cannot keep up: what waits for a completion is late, and this is said.
    assert!(on_disk.late_over_1ms > kept.late_over_1ms && on_disk.held_back > 0);
}

#[test]
fn a_file_that_is_missing_unreadable_or_malformed_is_named_in_one_line() {
    let place = tempfile::tempdir().unwrap();
    let bad = place.path().join("bad.txt");
    std::fs::write(&bad, "0 0 8 8 1\n5 0 x 8 1\n").unwrap();
    let cases = [
        ("/no/such/file".to_owned(), "No such file"),
        ("shiped".to_owned(), "did you mean shipped?"),
        (
            place.path().display().to_string(),
            "is a directory, but a regular file is needed",
        ),
        (
            bad.display().to_string(),
            "bad.txt: line 2: 'x' is not a first sector; line format: ",
        ),
    ];
    for (path, what) in cases {
        let error = refused(request("replay", DRIVE, &[format!("trace={path}")]));
        let said = error.to_string();
        assert!(said.contains(what) && !said.contains('\n'), "{said}");
        assert_eq!(error.exit(), base::exit::Exit::Invalid);
    }
}

#[test]
fn a_run_goes_on_with_the_same_file_alone() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trace.txt");
    std::fs::write(&file, "0 0 8 8 1\n500 0 64 8 1\n").unwrap();
    let store = lab::open_store(&place.path().join("store.sqlite3")).unwrap();
    let set = [format!("trace={}", file.display())];
    // A modelled drive would not even be built.
    let prepared = prepare(request("replay", "null:", &set)).unwrap();
    let interrupt = Interrupt::new();
    interrupt
        .flag()
        .store(true, std::sync::atomic::Ordering::Relaxed);
    let stopped = prepared.run(Some(&store), &mut Silent, &interrupt);
    assert_eq!(stopped.unwrap_err().exit(), base::exit::Exit::Interrupted);
    let again = || {
        let which = "last".parse().unwrap();
        prepare_again(&store, which, Consent::default(), Vec::new(), || 0)
    };
    assert!(again().is_ok());
    std::fs::write(&file, "0 0 8 8 1\n600 0 64 8 1\n").unwrap();
    let Err(error) = again() else {
        panic!("it goes on with another file")
    };
    let said = error.to_string();
    assert!(said.contains("has changed since"), "{said}");
    let run = again().err().map(|error| error.exit().code());
    assert_eq!(run, Some(2));
    std::fs::write(&file, "0 0 8 8 1\n500 0 64 8 1\n").unwrap();
    let prepared = again().unwrap();
    let result = prepared.run(Some(&store), &mut Silent, &Interrupt::new());
    assert_eq!(result.unwrap().phases[0].ios(), 2);
}
