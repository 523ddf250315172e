//! What monitoring and other tools read: OpenMetrics, HdrHistogram logs, histograms as CSV.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::path::Path;
use std::process::Command;

use command::Place;
use fixtures::skip::skip;

const SN770: &str = "model:wd-black-sn770-1tb";

fn watch(place: &Place, more: &[&str]) {
    place.ok(&[&["run", "latency-watch", SN770, "--scale", "quick"], more].concat());
}

/// The figure `alone.p99` of the last result.
fn p99(place: &Place) -> serde_json::Value {
    let result = place.json(&["report", "last", "--json"]);
    let figures = result["results"][0]["figures"].as_array().unwrap();
    let found = figures.iter().find(|figure| figure["key"] == "alone.p99");
    found.unwrap().clone()
}

#[test]
fn metrics_are_what_promtool_takes() {
    let place = Place::new();
    watch(&place, &["--metrics", "drive.prom"]);
    let text = std::fs::read_to_string(place.path("drive.prom")).unwrap();
    assert!(
        text.contains("# TYPE drivelab_io_response_seconds histogram"),
        "{text}"
    );
    assert!(
        text.contains("drivelab_figure_seconds{target=\"model:wd-black-sn770-1tb\""),
        "{text}"
    );
    place.ok(&["report", "last", "--metrics", "again.prom"]);
    let again = std::fs::read_to_string(place.path("again.prom")).unwrap();
    assert_eq!(again, text, "a stored result gives the same");
    let unpacked = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/promtool");
    let promtool = match Path::new(unpacked).exists() {
        true => unpacked,
        false => "promtool",
    };
    let promtool = Command::new(promtool)
        .args(["check", "metrics"])
        .stdin(std::fs::File::open(place.path("drive.prom")).unwrap())
        .output();
    // What promtool does not look at, and the collector refuses: a series that comes twice.
    watch(&place, &[]);
    place.ok(&["run", "quick-scan", SN770, "--scale", "quick"]);
    place.ok(&["report", "all", "--metrics", "all.prom"]);
    let all = std::fs::read_to_string(place.path("all.prom")).unwrap();
    let series = all.lines().filter(|line| !line.starts_with('#'));
    let series: Vec<&str> = series
        .filter_map(|line| Some(line.rsplit_once(' ')?.0))
        .collect();
    let once: std::collections::HashSet<&&str> = series.iter().collect();
    assert_eq!(once.len(), series.len());
    assert!(series.len() < 1_000, "{} series", series.len());
    match promtool {
        Err(_) => skip(
            "metrics_are_what_promtool_takes",
            "promtool is missing (apt: prometheus)",
        ),
        Ok(checked) => assert!(
            checked.status.success() && checked.stderr.is_empty(),
            "{}{}",
            String::from_utf8_lossy(&checked.stdout),
            String::from_utf8_lossy(&checked.stderr)
        ),
    }
}

#[test]
fn an_hdr_log_has_an_interval_a_phase_with_the_percentiles_that_are_printed() {
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    let place = Place::new();
    watch(&place, &[]);
    place.ok(&["report", "last", "--hdr-log", "times.hlog"]);
    let log = std::fs::read(place.path("times.hlog")).unwrap();
    let p99 = p99(&place);
    let p99_ms = p99["value"].as_f64().unwrap();
    let mut seen = Vec::new();
    for entry in IntervalLogIterator::new(&log) {
        let LogEntry::Interval(interval) = entry.unwrap() else {
            continue;
        };
        let bytes = base64(interval.encoded_histogram());
        let times: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
        let tag = interval.tag().unwrap().as_str().to_owned();
        if tag == "alone.read" {
            let ms = times.value_at_quantile(0.99) as f64 / 1e6;
            assert!((ms / p99_ms - 1.0).abs() < 0.01, "{ms} {p99_ms}");
        }
        seen.push(tag);
    }
    assert!(seen.contains(&"alone.read".to_owned()), "{seen:?}");
    place.fails(
        &["report", "last", "last", "--hdr-log", "x"],
        2,
        &["--hdr-log takes one result"],
    );
}

/// Standard base64.
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for c in text.bytes().filter(|c| *c != b'=') {
        bits = bits << 6 | u32::from(value(c));
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

#[test]
fn histograms_as_csv_hold_every_io() {
    let place = Place::new();
    watch(&place, &[]);
    let csv = place.ok(&["report", "last", "--csv=histograms"]).stdout;
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("result,method,target,phase,op,from_ns,below_ns,count")
    );
    let counted: u64 = lines
        .filter(|line| line.contains(",alone,read,"))
        .map(|line| line.rsplit(',').next().unwrap().parse::<u64>().unwrap())
        .sum();
    let p99 = p99(&place);
    assert_eq!(Some(counted), p99["n"].as_u64());
}
