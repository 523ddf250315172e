//! The shipped trace and traces from files on a target with known latencies.

use std::io::{BufReader, Cursor};

use base::method::Scale;
use base::null::Null;

use super::*;
use crate::tests::bench_double::BenchDouble;
use crate::tests::{SERVICE, settings, value};

struct Text(&'static str);

impl Inputs for Text {
    fn open(&self, _: &str) -> Result<File, BadInput> {
        Ok(Box::new(BufReader::new(Cursor::new(self.0))))
    }
}

const TRACE: &str = "0 0 8 8 1\n1000000 0 2097152 8 0\n2000000 0 16 8 1\n";

fn drive() -> BenchDouble<Null> {
    let mut bench = BenchDouble::new(Null::new(Bytes::mib(512), SERVICE));
    bench.inputs.insert("trace".to_owned(), TRACE.to_owned());
    bench
}

/// Settings with the trace surveyed for such a target.
fn surveyed(text: &'static str, given: &[&str]) -> Result<Settings, BadInput> {
    let mut given = given.to_vec();
    given.push("trace=some.txt");
    let mut settings = settings("replay", Scale::Default, &given);
    settings
        .inputs
        .insert("trace".to_owned(), base::input::Input::default());
    TraceReplay.survey(&mut settings, &drive().info(), &Text(text))?;
    Ok(settings)
}

#[test]
fn the_shipped_trace_runs_on_time_on_a_fast_drive() {
    let settings = settings("replay", Scale::Default, &[]);
    let mut bench = drive();
    let output = TraceReplay.run(&settings, &mut bench).unwrap();
    // Bursts of the trace have 43 us and more between sends, this drive takes 100 us: what waits for
    // another I/O of its burst is late, and catches up in the pause.
    assert!(value(&output, "late.median") < 2_000.0);
    assert!(value(&output, "read.response.median") >= 100.0);
    assert!((value(&output, "took") - 10.0).abs() < 0.5);
}

#[test]
fn a_trace_from_a_file_is_surveyed_forecast_and_replayed() {
    let settings = surveyed(TRACE, &["addresses=wrap"]).unwrap();
    let mut bench = drive();
    let forecast = TraceReplay.forecast(&settings, &bench.info());
    assert_eq!(forecast.takes.known(), Duration::from_millis(2));
    assert_eq!(forecast.written, [Span::first(Bytes::mib(512))]);
    let output = TraceReplay.run(&settings, &mut bench).unwrap();
    assert!((value(&output, "took") - 0.002_1).abs() < 1e-9);
    assert!(
        output
            .notes
            .iter()
            .any(|note| note.contains("submission order"))
    );
    let written = bench.phases[0].of(Op::Write);
    assert_eq!((written.ios, written.bytes), (1, Bytes::kib(4)));
}

#[test]
fn a_trace_that_reaches_too_far_or_makes_no_sense_is_refused_in_one_line() {
    let said = |text, given: &[&str]| surveyed(text, given).unwrap_err().to_string();
    let far = said(TRACE, &[]);
    assert!(
        far.starts_with("some.txt: it reaches up to 1 GiB") || far.contains("addresses=wrap"),
        "{far}"
    );
    let malformed = said("0 0 8 8 1\n5 0 8\n", &[]);
    assert_eq!(
        malformed,
        "some.txt: line 2: number of sectors is missing; line format: ARRIVAL_ns DEVICE FIRST_SECTOR SECTORS 0|1"
    );
    let empty = said("fio version 3 iolog\n", &[]);
    assert_eq!(empty, "some.txt: there is no I/O in it");
    let forced = said(TRACE, &["format=msr"]);
    assert!(forced.starts_with("some.txt: line 1: "), "{forced}");
}

#[test]
fn on_a_target_that_may_not_be_written_only_the_reads_are_sent() {
    let settings = surveyed(TRACE, &["addresses=scale"]).unwrap();
    let mut bench = drive();
    bench.writable = false;
    let output = TraceReplay.run(&settings, &mut bench).unwrap();
    assert_eq!(bench.phases[0].ios(), 2);
    assert!(output.notes[0].contains("skipped"));
}

#[test]
fn as_fast_as_possible_keeps_the_depth_and_has_no_lateness() {
    let settings = settings(
        "replay",
        Scale::Default,
        &["timing=as-fast-as-possible", "dependencies=none", "depth=8"],
    );
    let mut bench = drive();
    let output = TraceReplay.run(&settings, &mut bench).unwrap();
    let kept = bench.phases[0].traced.clone().unwrap();
    assert_eq!((kept.most_in_flight, kept.held_back), (8, 0));
    let late = output.figures.iter().find(|f| f.key == "late.p99").unwrap();
    assert!(late.value.is_none() && late.why_not.is_some());
    // Eight at a time, 100 us each.
    assert!((value(&output, "iops") - 80_000.0).abs() < 3_000.0);
}

#[test]
fn until_leaves_the_rest_of_the_trace_out() {
    let settings = surveyed(TRACE, &["until=1500us", "addresses=wrap"]).unwrap();
    let mut bench = drive();
    TraceReplay.run(&settings, &mut bench).unwrap();
    assert_eq!(bench.phases[0].ios(), 2);
}
