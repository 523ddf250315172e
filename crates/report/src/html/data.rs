//! The data in the page: results as JSON, each workload once, and the pictures' points.
//!
//! The document (`drivelab.report/1`) has the results as `drivelab.result/2` with four differences,
//! which keep a scan of hundreds of phases in a file of reasonable size: phases are summarised (counts,
//! mean and percentiles in place of histograms, series and worst I/Os), a phase names its workload by
//! its place in `workloads` with its own spans and seed beside, a figure names its phases by ranges
//! of their places, and curves have no more points than the pictures, with five digits a number. The stored result has everything in full.

use std::collections::BTreeMap;

use base::chart::{Chart, Curve, Shape};
use base::health::{HealthReading, HealthSample};
use base::io::Op;
use base::record::{Latencies, PhaseRecord};
use base::size::Bytes;
use base::time::Duration;
use base::workload::{Span, Workload};
use results::{Environment, RunResult, TargetRecord};
use serde::Serialize;
use serde_json::{Value, json};

use crate::chart::{Axis, Line, Plot, Scale};
use crate::lang::Texts;
use crate::plots::{Joined, PlotGroup, join};

/// The schema of the embedded document.
const REPORT_SCHEMA: &str = "drivelab.report/1";
const NOTE: &str = "phases are summarised: mean and percentiles in place of histograms, series and worst I/Os; \
    a phase's workload is that of its number, counted from 1, with the phase's spans (start, length) and seed; \
    curves of many points are joined as in the pictures";

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
        serde_json::to_string_pretty(&self.example).unwrap_or_default()
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
    charts: Vec<Chart>,
    phases: Vec<Value>,
    notes: &'a [String],
    warnings: &'a [String],
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
    let document = Document {
        schema: REPORT_SCHEMA,
        note: NOTE,
        workloads: workloads.kinds.iter().map(|kind| &kind.template).collect(),
        results: results
            .iter()
            .map(|result| summarised(result, workloads))
            .collect(),
    };
    serde_json::to_string(&document).unwrap_or_default()
}

fn summarised<'a>(result: &'a RunResult, workloads: &Workloads) -> Summarised<'a> {
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
        figures: figures(result),
        charts: result.charts.iter().map(thinned).collect(),
        phases: result.phases.iter().map(|p| phase(p, workloads)).collect(),
        notes: &result.notes,
        warnings: &result.warnings,
        ended: result.ended.to_string(),
        health_before: result.health_before.as_ref(),
        health_after: result.health_after.as_ref(),
        health_during: &result.health_during,
    }
}

/// A chart with as many points as its picture has, five digits a number.
fn thinned(chart: &Chart) -> Chart {
    let by = Joined::of(&chart.design);
    let all =
        |values: Vec<Option<f64>>| values.into_iter().map(|value| value.map(digits)).collect();
    let thin = |curve: &Curve| {
        if chart.design.shape == Shape::Histogram {
            return curve.clone();
        }
        let joined = join(curve, by);
        let mut thin = Curve::new(
            &curve.name,
            joined.x.into_iter().map(digits).collect(),
            all(joined.y),
        );
        if let Some((low, high)) = joined.band {
            thin.low = Some(all(low));
            thin.high = Some(all(high));
        }
        thin
    };
    Chart {
        curves: chart.curves.iter().map(thin).collect(),
        ..chart.clone()
    }
}

fn figures(result: &RunResult) -> Vec<Value> {
    let places: BTreeMap<&str, usize> = result
        .phases
        .iter()
        .enumerate()
        .map(|(place, phase)| (phase.name.as_str(), place))
        .collect();
    let of = |figure: &base::result::Figure| {
        let mut value = serde_json::to_value(figure).unwrap_or_default();
        let found = figure
            .phases
            .iter()
            .filter_map(|name| places.get(name.as_str()));
        value["phases"] = json!(ranges(found.copied()));
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

fn phase(phase: &PhaseRecord, workloads: &Workloads) -> Value {
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
            let mut value = latencies(all.felt());
            value["bytes"] = json!(all.bytes);
            ops.insert(op.name().to_owned(), value);
        }
    }
    json!({
        "name": phase.name,
        "workload": workloads.number(work),
        "spans": spans,
        "seed": work.seed,
        "began_ns": phase.began,
        "took_ns": phase.took,
        "ended": phase.ended,
        "errors": phase.failed(),
        "ops": ops,
    })
}

fn latencies(latencies: &Latencies) -> Value {
    let micros = |time: Option<Duration>| time.map(Duration::as_micros_f64);
    json!({
        "ios": latencies.count(),
        "min_us": latencies.min().as_micros_f64(),
        "mean_us": micros(latencies.mean()),
        "p50_us": micros(latencies.percentile(50.0)),
        "p99_us": micros(latencies.percentile(99.0)),
        "p99.9_us": micros(latencies.percentile(99.9)),
        "max_us": latencies.max().as_micros_f64(),
    })
}

/// What the page's script draws: the pictures' lines, five digits a number.
pub(super) fn plots(sections: &[Vec<PlotGroup>]) -> String {
    let plots = sections.iter().flatten().flat_map(|group| &group.plots);
    Value::from(plots.map(plot).collect::<Vec<Value>>()).to_string()
}

fn plot(plot: &Plot) -> Value {
    let marks: Vec<Value> = plot
        .marks
        .iter()
        .map(|mark| json!({"x": digits(mark.x), "y": digits(mark.y), "label": mark.label}))
        .collect();
    json!({
        "id": plot.id,
        "title": plot.title,
        "panel": plot.subject.is_some(),
        "x": axis(&plot.x),
        "y": axis(&plot.y),
        "lines": plot.lines.iter().map(line).collect::<Vec<Value>>(),
        "marks": marks,
    })
}

fn axis(axis: &Axis) -> Value {
    json!({
        "label": axis.label,
        "log": axis.scale != Scale::Linear,
        "log2": axis.scale == Scale::Log2,
        "reading": axis.reading.name(),
        "low": digits(axis.low),
        "high": digits(axis.high),
    })
}

fn line(line: &Line) -> Value {
    let all = |values: &[Option<f64>]| -> Vec<Option<f64>> {
        values.iter().map(|value| value.map(digits)).collect()
    };
    json!({
        "colour": line.colour,
        "subject": line.subject,
        "name": line.name,
        "letter": line.letter,
        "histogram": line.is_histogram,
        "gb": line.gb_a_unit,
        "x": line.x.iter().map(|x| digits(*x)).collect::<Vec<f64>>(),
        "y": all(&line.y),
        "low": line.band.as_ref().map(|(low, _)| all(low)),
        "high": line.band.as_ref().map(|(_, high)| all(high)),
    })
}

/// The number to five significant digits.
fn digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
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
        let number = phase["workload"].as_u64().unwrap() as usize;
        let mut work: Workload =
            serde_json::from_value(document["workloads"][number - 1].clone()).unwrap();
        work.seed = phase["seed"].as_u64().unwrap();
        for (job, span) in work.jobs.iter_mut().zip(phase["spans"].as_array().unwrap()) {
            let bytes = |i: usize| Bytes::new(span[i].as_u64().unwrap());
            job.span = Span::new(bytes(0), bytes(1));
        }
        assert_eq!(work, results[7].phases[300].workload);
    }

    #[test]
    fn figures_name_their_phases_by_ranges() {
        assert_eq!(
            ranges([0, 1, 2, 5, 7, 8].into_iter()),
            [[0, 2], [5, 5], [7, 8]]
        );
    }
}
