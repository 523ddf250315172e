//! Level steps in a run's time series: marked, and plotted if there are any.
//!
//! Every phase has a series of rates, whatever its method draws. Where its level steps (a cache is
//! full, the drive throttles, collection begins), the steps are listed in the result, and the series
//! becomes a chart with the steps marked, or, where the method drew it already, its chart gets the marks. Latency
//! charts, which methods draw themselves, are looked through, too.
//!
//! A rotating disk has steps that are not events: each of its zones has fewer sectors per track than the next outer
//! one, so a pass over the LBA range is a staircase. No zone is a fifth slower than its neighbour, and a full cache,
//! throttling or shingling costs more than that at once; of a disk's rates only such drops are marked
//! (`LEAST_OF_A_DISK`).

use base::chart::{Mark, designs};
use base::{Argument, Chart, Curve, Duration, JobRecord, Message, Op, PhaseRecord};
use results::{ChangePoint, RunResult};
use stats::change_points::{Change, LEAST_LENGTH, change_points};
use stats::median;

/// Charts of rates added at most: a method may have hundreds of phases.
const MOST_CHARTS: usize = 4;

/// A shorter phase gets no picture: a fifth of a second of one region of a quick scan is of no interest. Its steps are
/// listed all the same.
const SHORTEST_DRAWN: Duration = Duration::from_secs(1);

/// The smallest step of a rotating disk's rate that is an event and not a zone boundary, as a share of the higher level
/// and from the points just before it to those just after: disks of fifteen years have 10 to 30 zones between an
/// outermost and an innermost track at half its rate, so 2 to 7 % each; three times that leaves room for adjacent
/// boundaries.
const LEAST_OF_A_DISK: f64 = 0.2;

/// Finds the steps of a finished run, and puts them into its result.
pub fn mark(result: &mut RunResult) {
    let mut found = Vec::new();
    let rotates = (result.target.identity.get("rotational")).is_some_and(|says| says == "yes");
    let least = if rotates { LEAST_OF_A_DISK } else { 0.0 };
    for chart in &mut result.charts {
        if chart.design.shows(&designs::LATENCY, &designs::ELAPSED) {
            found.extend(mark_chart(chart, 0.0));
        }
    }
    let mut added = 0;
    for phase in result.phases.iter().filter(|phase| !is_a_probe(phase)) {
        let Some(mut chart) = rate_chart(phase) else {
            continue;
        };
        let steps = mark_chart(&mut chart, least);
        let drawn = result.charts.iter_mut().find(|own| own.key == chart.key);
        if let Some(drawn) = drawn {
            drawn.marks.append(&mut chart.marks);
        } else if !chart.marks.is_empty() && phase.took >= SHORTEST_DRAWN && added < MOST_CHARTS {
            added += 1;
            result.charts.push(chart);
        }
        found.extend(steps);
    }
    result.change_points = found;
}

/// The steps of a chart's curves; each that changes it by at least `least` of the higher level within a few points
/// becomes a mark, too.
fn mark_chart(chart: &mut Chart, least: f64) -> Vec<ChangePoint> {
    let mut found = Vec::new();
    for curve in &chart.curves {
        let values: Vec<f64> = curve.y.iter().map(|y| y.unwrap_or(f64::NAN)).collect();
        for change in change_points(&values) {
            if share_at_once(&values, change.index) >= least {
                let mark = mark_of(curve, &change, &chart.design.y.unit);
                chart.marks.push(mark);
            }
            found.push(ChangePoint {
                chart: chart.key.clone(),
                curve: curve.name.clone(),
                x: curve.x[change.index],
                before: change.before,
                after: change.after,
            });
        }
    }
    found
}

/// The difference of the medians of the few points before and after `index`, as a share of the higher one.
fn share_at_once(values: &[f64], index: usize) -> f64 {
    let level = |points: &[f64]| {
        let finite: Vec<f64> = points.iter().copied().filter(|v| v.is_finite()).collect();
        median(&finite).unwrap_or(0.0)
    };
    let before = level(&values[index.saturating_sub(LEAST_LENGTH)..index]);
    let after = level(&values[index..(index + LEAST_LENGTH).min(values.len())]);
    (before - after).abs() / before.max(after)
}

fn mark_of(curve: &Curve, change: &Change, unit: &str) -> Mark {
    let (before, after) = (change.before, change.after);
    Mark {
        curve: Some(curve.name.clone()),
        x: curve.x[change.index],
        y: after,
        label: Message::new(
            "mark-level",
            [
                ("curve", Argument::Phase(curve.name.clone())),
                ("before", format!("{before:.4}").into()),
                ("after", format!("{after:.4}").into()),
                ("unit", unit.into()),
            ],
        ),
    }
}

/// The rates of a phase over time; nothing where it is too short to have levels.
/// Whether a script sends single I/Os, each kept, and rests between them: then its rate is as high as it wants.
fn is_a_probe(phase: &PhaseRecord) -> bool {
    let script = phase.script.as_ref();
    script.is_some_and(|script| script.trail.is_some())
}

fn rate_chart(phase: &PhaseRecord) -> Option<Chart> {
    let alone = phase.jobs.len() == 1;
    let curves: Vec<Curve> = phase
        .jobs
        .iter()
        .flat_map(|job| [Op::Read, Op::Write].map(|op| rate_curve(job, op, alone)))
        .flatten()
        .collect();
    (!curves.is_empty()).then(|| {
        Chart::new(
            format!("{}.rate", phase.name),
            designs::RATE_OVER_TIME,
            curves,
        )
    })
}

fn rate_curve(job: &JobRecord, op: Op, alone: bool) -> Option<Curve> {
    if job.ops[op as usize].ios == 0 {
        return None;
    }
    let seconds = job.series.interval.as_secs_f64();
    // The phase ends somewhere inside its last interval.
    let whole = job.series.points.len().checked_sub(1)?;
    let points = job.series.points[..whole].iter();
    let bytes = points.map(|point| point.of(op).bytes);
    let word = if op == Op::Read { "read" } else { "write" };
    Some(Curve::new(
        if alone {
            word.to_owned()
        } else {
            format!("{} {word}", job.name)
        },
        (0..whole).map(|i| i as f64 * seconds).collect(),
        bytes
            .map(|b| Some(b.get() as f64 / 1e6 / seconds))
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::null::Null;
    use base::record::{ScriptRecord, Trail};
    use base::run::{Unwatched, run};
    use base::size::Bytes;
    use base::workload::{Job, Order, Span, Stop, Workload};

    fn phase(name: &str, service_us: u64, ios: u64) -> PhaseRecord {
        let mut null = Null::new(Bytes::gib(1), Duration::from_micros(service_us));
        let span = Span::first(Bytes::gib(1));
        let job = Job::closed(
            "write",
            Op::Write,
            Order::Sequential,
            span,
            Bytes::kib(64),
            1,
        );
        let stop = Stop::after_ios(ios);
        let mut work = Workload::single(job, stop, 1);
        work.keep.series = Duration::from_millis(10);
        run(&mut null, name, &work, &mut Unwatched).unwrap()
    }

    fn result_of(phases: Vec<PhaseRecord>) -> RunResult {
        let mut result: RunResult = serde_json::from_value(serde_json::json!({
            "schema": "", "id": 0, "method": "", "method_title": "", "method_version": 1,
            "settings": { "scale": "quick", "seed": 1, "values": {}, "given": [] },
            "scale": "quick", "stands_beside_published": false,
            "target": { "name": "", "title": "", "kind": "model", "info": null, "identity": {}, "state": "", "path": "" },
            "environment": { "drivelab": "", "command": [], "host": {} },
            "began_unix_ms": 0, "figures": [], "charts": [], "phases": [], "notes": [],
            "warnings": [], "ended": "complete"
        }))
        .unwrap();
        result.phases = phases;
        result
    }

    #[test]
    fn a_step_within_a_fifth_of_a_second_is_listed_and_not_drawn() {
        let mut falling = phase("read region 027", 100, 1_000);
        falling.append(&phase("read region 027", 400, 250));
        let mut result = result_of(vec![falling]);
        mark(&mut result);
        assert_eq!((result.change_points.len(), result.charts.len()), (1, 0));
    }

    #[test]
    fn a_phase_that_slows_down_is_drawn_with_its_step_and_a_steady_one_is_not() {
        let steady = phase("steady", 100, 10_000);
        let mut falling = phase("fill", 100, 10_000);
        falling.append(&phase("fill", 400, 2_500));
        let mut result = result_of(vec![steady, falling]);
        mark(&mut result);
        assert_eq!(result.change_points.len(), 1);
        let step = &result.change_points[0];
        assert_eq!(
            (step.chart.as_str(), step.curve.as_str()),
            ("fill.rate", "write")
        );
        // A second of 64 KiB every 100 us, then one of every 400 us.
        assert!((step.x - 1.0).abs() < 0.011, "{}", step.x);
        assert!((step.before - 655.36).abs() < 5.0 && (step.after - 163.84).abs() < 5.0);
        assert_eq!(result.charts.len(), 1);
        assert_eq!(result.charts[0].marks.len(), 1);
    }

    #[test]
    fn a_script_that_slows_down_of_its_own_will_has_no_step() {
        let mut falling = phase("rests", 100, 10_000);
        falling.append(&phase("rests", 400, 2_500));
        falling.script = Some(ScriptRecord {
            trail: Some(Trail::default()),
            ..ScriptRecord::default()
        });
        let mut result = result_of(vec![falling]);
        mark(&mut result);
        assert!(result.change_points.is_empty() && result.charts.is_empty());
    }

    /// A pass over twelve zones, each 5 % slower than the one outside of it, then `last`.
    fn stair(last: u64) -> RunResult {
        let mut pass = phase("read", 100, 2_000);
        let mut service_us = 100.0;
        for _ in 0..11 {
            service_us /= 0.95;
            pass.append(&phase("read", service_us as u64, 2_000));
        }
        pass.append(&phase("read", last, 2_000));
        let mut result = result_of(vec![pass]);
        (result.target.identity).insert("rotational".to_owned(), "yes".to_owned());
        result
    }

    #[test]
    fn the_zones_of_a_disk_are_listed_and_not_marked_and_what_stops_it_is() {
        let mut whole = stair(185);
        mark(&mut whole);
        assert!(whole.change_points.len() > 5 && whole.charts.is_empty());
        let mut slow = stair(600);
        mark(&mut slow);
        assert_eq!(slow.charts[0].marks.len(), 1, "{:?}", slow.charts[0].marks);
        let mut flash = stair(185);
        flash.target.identity.clear();
        mark(&mut flash);
        assert_eq!(flash.charts[0].marks.len(), flash.change_points.len());
    }

    #[test]
    fn a_rate_that_the_method_drew_itself_is_marked_and_not_drawn_again() {
        let mut falling = phase("fill", 100, 10_000);
        falling.append(&phase("fill", 400, 2_500));
        let mut result = result_of(vec![falling]);
        result.charts = vec![Chart::new("fill.rate", designs::RATE_OVER_TIME, Vec::new())];
        mark(&mut result);
        assert_eq!(result.charts.len(), 1);
        assert_eq!(result.charts[0].marks[0].curve.as_deref(), Some("write"));
    }
}
