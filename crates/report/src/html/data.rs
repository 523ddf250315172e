//! The data in the page: results as JSON, each workload once, and the pictures' points.
//!
//! The document (`drivelab.report/2`) has the results as `drivelab.result/2` with five differences,
//! which keep a scan of hundreds of phases in a file of reasonable size: phases are summarised (counts,
//! mean and percentiles in place of histograms, series and worst I/Os) in rows of columns that are named once, a
//! phase names its workload by its place in `workloads` with its own spans beside, a figure names its phases by
//! ranges of their places and its conditions by their place in `conditions`, numbers have as many digits as are
//! significant, and charts are the page's pictures, which a saved document has as `pictures`. The usual case
//! (a phase that is complete, without errors, with its run's own seed) is left out. The stored result has
//! everything in full.

use base::{
    Bytes, Comparable, Duration, Figure, Latencies, Message, Op, PhaseRecord, Span, Workload,
};
use std::collections::BTreeMap;

use base::health::{HealthReading, HealthSample};
use base::record::Ended;
use results::{Environment, RunResult, TargetRecord};
use serde::Serialize;
use serde_json::{Value, json};

use crate::chart::{Axis, Drawing, Line, Plot, Scale};
use crate::lang::Texts;
use crate::plots::PlotGroup;

/// The schema of the embedded document.
const REPORT_SCHEMA: &str = "drivelab.report/2";
const NOTE: &str = "a phase is a row of `phase_columns`, its operations rows of `operation_columns` (mean and \
    percentiles in place of histograms, series and worst I/Os); its workload is that of its number, counted from 1, \
    with the phase's spans (start, length) and the seed of the run's settings, unless its last column says another; \
    it is complete and without errors unless that column says so; a figure's phases are ranges of their places, its \
    conditions the place in `conditions`; curves are in `pictures`, joined as they are drawn";
/// What the columns of a phase are.
const PHASE_COLUMNS: [&str; 7] = [
    "name", "workload", "spans", "began_ns", "took_ns", "ops", "unusual",
];
/// What the columns of a phase's reads, writes and so on are.
const OPERATION_COLUMNS: [&str; 8] = [
    "ios", "bytes", "min_us", "mean_us", "p50_us", "p99_us", "p99.9_us", "max_us",
];

/// Workloads that differ in no more than their spans and their seed.
pub(super) struct WorkloadKind {
    /// One of them, as it ran.
    pub(super) example: Workload,
    /// Without spans and seed.
    template: Workload,
    /// The spans of all jobs of all phases that ran it, each once.
    spans: Vec<Span>,
}

impl WorkloadKind {
    /// Where it worked.
    pub(super) fn span_words(&self, texts: &Texts) -> String {
        let (Some(first), Some(last)) = (self.spans.first(), self.spans.last()) else {
            return String::new();
        };
        if self.spans.len() == 1 {
            return format!("{} + {}", first.start, first.len);
        }
        let (from, to) = (first.start.to_string(), last.end().to_string());
        let count = self.spans.len().to_string();
        texts.with(
            "work-span-many",
            &[("count", &count), ("from", &from), ("to", &to)],
        )
    }

    /// The exact workload; where several spans were used, the first.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(&self.example).unwrap_or_default()
    }
}

/// The workloads of all results, each once, numbered from 1.
pub(super) struct Workloads {
    kinds: Vec<WorkloadKind>,
    places: BTreeMap<String, usize>,
}

impl Workloads {
    /// Gathers them.
    pub(super) fn of(results: &[RunResult]) -> Workloads {
        let mut workloads = Workloads {
            kinds: Vec::new(),
            places: BTreeMap::new(),
        };
        for phase in results.iter().flat_map(|result| &result.phases) {
            workloads.add(&phase.workload);
        }
        for kind in &mut workloads.kinds {
            kind.spans.sort_by_key(|span| (span.start, span.len));
            kind.spans.dedup();
        }
        workloads
    }

    fn add(&mut self, work: &Workload) {
        let template = template(work);
        let next = self.kinds.len();
        let place = *self.places.entry(text(&template)).or_insert(next);
        if place == next {
            self.kinds.push(WorkloadKind {
                example: work.clone(),
                template,
                spans: Vec::new(),
            });
        }
        let spans = work.jobs.iter().map(|job| job.span);
        self.kinds[place].spans.extend(spans);
    }

    /// All of them.
    pub(super) fn all(&self) -> &[WorkloadKind] {
        &self.kinds
    }

    fn number(&self, work: &Workload) -> usize {
        self.places
            .get(&text(&template(work)))
            .map_or(0, |place| place + 1)
    }

    /// The numbers of the workloads that these phases ran, each once.
    pub(super) fn of_phases(&self, result: &RunResult, names: &[String]) -> Vec<usize> {
        let mut numbers: Vec<usize> = result
            .phases
            .iter()
            .filter(|phase| names.contains(&phase.name))
            .map(|phase| self.number(&phase.workload))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// A result's workloads: number, name of the first phase that ran it, number of phases.
    pub(super) fn counted(&self, result: &RunResult) -> Vec<(usize, String, usize)> {
        let mut counted: Vec<(usize, String, usize)> = Vec::new();
        for phase in &result.phases {
            let number = self.number(&phase.workload);
            match counted.iter_mut().find(|(n, _, _)| *n == number) {
                Some((_, _, count)) => *count += 1,
                None => counted.push((number, phase.name.clone(), 1)),
            }
        }
        counted
    }
}

fn template(work: &Workload) -> Workload {
    let mut template = work.clone();
    template.seed = 0;
    for job in &mut template.jobs {
        job.span = Span::first(Bytes::ZERO);
    }
    template
}

fn text(work: &Workload) -> String {
    serde_json::to_string(work).unwrap_or_default()
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    note: &'static str,
    phase_columns: [&'static str; 7],
    operation_columns: [&'static str; 8],
    conditions: Vec<&'a Comparable>,
    workloads: Vec<&'a Workload>,
    results: Vec<Summarised<'a>>,
}

#[derive(Serialize)]
struct Summarised<'a> {
    schema: &'a str,
    id: i64,
    method: &'a str,
    method_title: &'a str,
    method_title_ja: &'a str,
    method_version: u32,
    settings: &'a base::method::Settings,
    scale: base::method::Scale,
    stands_beside_published: bool,
    target: &'a TargetRecord,
    environment: &'a Environment,
    began_unix_ms: u64,
    figures: Vec<Value>,
    phases: Vec<Value>,
    notes: &'a [Message],
    warnings: &'a [Message],
    ended: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    health_before: Option<&'a HealthReading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    health_after: Option<&'a HealthReading>,
    #[serde(skip_serializing_if = "<[HealthSample]>::is_empty")]
    health_during: &'a [HealthSample],
}

/// The results as the embedded document.
pub(super) fn document(results: &[RunResult], workloads: &Workloads) -> String {
    let mut conditions: Vec<&Comparable> = Vec::new();
    for figure in results.iter().flat_map(|result| &result.figures) {
        if !conditions.contains(&&figure.comparable_by) {
            conditions.push(&figure.comparable_by);
        }
    }
    let document = Document {
        schema: REPORT_SCHEMA,
        note: NOTE,
        phase_columns: PHASE_COLUMNS,
        operation_columns: OPERATION_COLUMNS,
        workloads: workloads.kinds.iter().map(|kind| &kind.template).collect(),
        results: results
            .iter()
            .map(|result| summarised(result, workloads, &conditions))
            .collect(),
        conditions: conditions.clone(),
    };
    serde_json::to_string(&document).unwrap_or_default()
}

fn summarised<'a>(
    result: &'a RunResult,
    workloads: &Workloads,
    conditions: &[&Comparable],
) -> Summarised<'a> {
    Summarised {
        schema: &result.schema,
        id: result.id,
        method: &result.method,
        method_title: &result.method_title,
        method_title_ja: &result.method_title_ja,
        method_version: result.method_version,
        settings: &result.settings,
        scale: result.scale,
        stands_beside_published: result.stands_beside_published,
        target: &result.target,
        environment: &result.environment,
        began_unix_ms: result.began_unix_ms,
        figures: figures(result, conditions),
        phases: result
            .phases
            .iter()
            .map(|phase| row(phase, result.settings.seed, workloads))
            .collect(),
        notes: &result.notes,
        warnings: &result.warnings,
        ended: result.ended.to_string(),
        health_before: result.health_before.as_ref(),
        health_after: result.health_after.as_ref(),
        health_during: &result.health_during,
    }
}

/// Figures, with the places of their phases and of their conditions; missing values are left out.
fn figures(result: &RunResult, conditions: &[&Comparable]) -> Vec<Value> {
    let places: BTreeMap<&str, usize> = result
        .phases
        .iter()
        .enumerate()
        .map(|(place, phase)| (phase.name.as_str(), place))
        .collect();
    let of = |figure: &Figure| {
        let mut value = serde_json::to_value(figure).unwrap_or_default();
        let found = figure
            .phases
            .iter()
            .filter_map(|name| places.get(name.as_str()));
        value["phases"] = json!(ranges(found.copied()));
        value["value"] = figure
            .value
            .map_or(Value::Null, |v| rounded(v, FIGURE_DIGITS));
        if let Some(interval) = &figure.interval {
            value["interval"]["low"] = rounded(interval.low, FIGURE_DIGITS);
            value["interval"]["high"] = rounded(interval.high, FIGURE_DIGITS);
        }
        let place = conditions.iter().position(|c| **c == figure.comparable_by);
        if let Some(object) = value.as_object_mut() {
            object.remove("comparable_by");
            object.insert("conditions".to_owned(), json!(place));
            let is_nothing = |v: &Value| v.as_array().is_some_and(Vec::is_empty);
            object.retain(|_, v| !is_nothing(v));
        }
        value
    };
    result.figures.iter().map(of).collect()
}

/// Ascending places as ranges with both ends: `0, 1, 2, 5` is `[0, 2], [5, 5]`.
fn ranges(places: impl Iterator<Item = usize>) -> Vec<[usize; 2]> {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for place in places {
        match ranges.last_mut() {
            Some(range) if range[1] + 1 == place => range[1] = place,
            _ => ranges.push([place, place]),
        }
    }
    ranges
}

fn row(phase: &PhaseRecord, seed: u64, workloads: &Workloads) -> Value {
    let work = &phase.workload;
    let spans: Vec<[u64; 2]> = work
        .jobs
        .iter()
        .map(|job| [job.span.start.get(), job.span.len.get()])
        .collect();
    let mut ops = serde_json::Map::new();
    for op in Op::ALL {
        let all = phase.of(op);
        if all.ios > 0 {
            ops.insert(
                op.name().to_owned(),
                operations(all.bytes.get(), all.felt()),
            );
        }
    }
    let mut unusual = serde_json::Map::new();
    if work.seed != seed {
        unusual.insert("seed".to_owned(), json!(work.seed));
    }
    if phase.ended != Ended::Complete {
        unusual.insert("ended".to_owned(), json!(phase.ended));
    }
    if phase.failed() > 0 {
        unusual.insert("errors".to_owned(), json!(phase.failed()));
    }
    let mut row = vec![
        json!(phase.name),
        json!(workloads.number(work)),
        json!(spans),
        json!(phase.began),
        json!(phase.took),
        Value::from(ops),
    ];
    if !unusual.is_empty() {
        row.push(Value::from(unusual));
    }
    Value::from(row)
}

fn operations(bytes: u64, latencies: &Latencies) -> Value {
    let micros = |time: Option<Duration>| {
        time.map_or(Value::Null, |t| rounded(t.as_micros_f64(), LATENCY_DIGITS))
    };
    json!([
        latencies.count(),
        bytes,
        micros(Some(latencies.min())),
        micros(latencies.mean()),
        micros(latencies.percentile(50.0)),
        micros(latencies.percentile(99.0)),
        micros(latencies.percentile(99.9)),
        micros(Some(latencies.max())),
    ])
}

/// Digits of a figure: more than anything is measured to.
const FIGURE_DIGITS: usize = 6;
/// Digits of a phase's latencies: the record's buckets are no finer.
const LATENCY_DIGITS: usize = 4;
/// Digits of a position in a picture, which has no more than a thousand pixels of them.
const POSITION_DIGITS: usize = 5;
/// Digits of a value in a picture.
const VALUE_DIGITS: usize = 4;

/// The number to that many significant digits, whole where it can be written so.
fn rounded(value: f64, digits: usize) -> Value {
    let text = format!("{value:.*e}", digits - 1);
    let near: f64 = text.parse().unwrap_or(value);
    if near.fract() == 0.0 && near.abs() < 1e15 {
        Value::from(near as i64)
    } else {
        Value::from(near)
    }
}

/// What the page's script draws: the pictures' lines, with the method and the key of the chart that each is of.
pub(super) fn plots(sections: &[Vec<PlotGroup>], methods: &[&str]) -> String {
    let of = |(groups, method): (&Vec<PlotGroup>, &&str)| -> Vec<Value> {
        let plots = |group: &PlotGroup| -> Vec<Value> {
            let plots = group.plots.iter();
            plots.map(|p| plot(p, method, &group.chart)).collect()
        };
        groups.iter().flat_map(plots).collect()
    };
    let plots: Vec<Value> = sections.iter().zip(methods).flat_map(of).collect();
    Value::from(plots).to_string()
}

fn plot(plot: &Plot, method: &str, chart: &str) -> Value {
    let marks: Vec<Value> = plot
        .marks
        .iter()
        .map(|mark| {
            let (x, y) = (position(mark.x), rounded(mark.y, VALUE_DIGITS));
            json!({"x": x, "y": y, "label": mark.label})
        })
        .collect();
    let mut value = json!({
        "id": plot.id,
        "method": method,
        "chart": chart,
        "title": plot.title,
        "panel": plot.subject.is_some(),
        "x": axis(&plot.x),
        "y": axis(&plot.y),
        "lines": plot.lines.iter().map(line).collect::<Vec<Value>>(),
        "marks": marks,
    });
    if let Some(right) = &plot.right {
        value["right"] = axis(right);
    }
    value
}

fn position(x: f64) -> Value {
    rounded(x, POSITION_DIGITS)
}

fn axis(axis: &Axis) -> Value {
    json!({
        "label": axis.label,
        "log": axis.scale != Scale::Linear,
        "log2": axis.scale == Scale::Log2,
        "reading": axis.reading.name(),
        "low": position(axis.low),
        "high": position(axis.high),
    })
}

/// A line. Missing parts are left out, and so is a lower edge that is the line itself.
fn line(line: &Line) -> Value {
    let all = |values: &[Option<f64>]| -> Vec<Value> {
        let one = |value: &Option<f64>| value.map_or(Value::Null, |v| rounded(v, VALUE_DIGITS));
        values.iter().map(one).collect()
    };
    let mut value = json!({
        "colour": line.colour,
        "subject": line.subject,
        "name": line.name,
        "x": positions(&line.x),
        "y": all(&line.y),
    });
    if !line.letter.is_empty() {
        value["letter"] = json!(line.letter);
    }
    match line.drawing {
        Drawing::Line => {}
        Drawing::Histogram => value["histogram"] = json!(true),
        Drawing::Bars { place, of } => value["bars"] = json!([place, of]),
        Drawing::Dots => value["dots"] = json!(true),
    }
    if line.on_right {
        value["on_right"] = json!(true);
    }
    if let Some(gb) = line.gb_a_unit {
        value["gb"] = json!(gb);
    }
    if let Some((low, high)) = &line.band {
        value["high"] = json!(all(high));
        let low = all(low);
        if json!(low) != value["y"] {
            value["low"] = json!(low);
        }
    }
    value
}

/// Positions; equidistant ones as start, distance and count.
fn positions(x: &[f64]) -> Value {
    if let [first, .., last] = x {
        let step = (last - first) / (x.len() - 1) as f64;
        let is_even = |(place, x): (usize, &f64)| {
            let expected = first + step * place as f64;
            (x - expected).abs() < step.abs() * 1e-3
        };
        if x.len() > 4 && x.iter().enumerate().all(is_even) {
            return json!({"from": position(*first), "step": rounded(step, 7), "count": x.len()});
        }
    }
    Value::from(x.iter().map(|x| position(*x)).collect::<Vec<Value>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    #[test]
    fn equal_workloads_of_different_spans_are_kept_once() {
        let results = sample::review();
        let workloads = Workloads::of(&results);
        let quick = results.iter().find(|r| r.method == "quick-scan").unwrap();
        let counted = workloads.counted(quick);
        let counts: Vec<usize> = counted.iter().map(|(_, _, count)| *count).collect();
        assert_eq!(counts, [256, 256]);
        assert!(workloads.all().len() < 20, "{}", workloads.all().len());
    }

    #[test]
    fn a_phase_can_be_put_together_again() {
        let results = sample::review();
        let workloads = Workloads::of(&results);
        let document: Value = serde_json::from_str(&document(&results, &workloads)).unwrap();
        let phase = &document["results"][7]["phases"][300];
        let columns = document["phase_columns"].as_array().unwrap();
        let column = |name: &str| &phase[columns.iter().position(|c| c == name).unwrap()];
        let number = column("workload").as_u64().unwrap() as usize;
        let mut work: Workload =
            serde_json::from_value(document["workloads"][number - 1].clone()).unwrap();
        let own = &phase[columns.len() - 1]["seed"];
        let settings = &document["results"][7]["settings"];
        work.seed = own.as_u64().or(settings["seed"].as_u64()).unwrap();
        for (job, span) in work
            .jobs
            .iter_mut()
            .zip(column("spans").as_array().unwrap())
        {
            let bytes = |i: usize| Bytes::new(span[i].as_u64().unwrap());
            job.span = Span::new(bytes(0), bytes(1));
        }
        assert_eq!(work, results[7].phases[300].workload);
    }

    #[test]
    fn even_positions_are_said_by_where_they_begin_and_their_step() {
        let even: Vec<f64> = (0..6).map(|i| 0.5 + 0.25 * f64::from(i)).collect();
        assert_eq!(
            positions(&even),
            json!({"from": 0.5, "step": 0.25, "count": 6})
        );
        let uneven = [1.0, 2.0, 3.0, 4.0, 6.0];
        assert_eq!(positions(&uneven), json!([1, 2, 3, 4, 6]));
    }

    #[test]
    fn numbers_have_the_digits_that_mean_something() {
        assert_eq!(rounded(1_910.374_4, 6).to_string(), "1910.37");
        assert_eq!(rounded(33.598, 4).to_string(), "33.6");
        assert_eq!(rounded(120_000.4, 4).to_string(), "120000");
    }

    #[test]
    fn figures_name_their_phases_by_ranges() {
        assert_eq!(
            ranges([0, 1, 2, 5, 7, 8].into_iter()),
            [[0, 2], [5, 5], [7, 8]]
        );
    }
}
