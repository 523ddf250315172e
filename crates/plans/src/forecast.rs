//! The cost of a plan: hours, bytes written, and their share of the drive's rated endurance.
//!
//! A method states the components of its duration and the bytes that it moves; if that gives no bound, a class of
//! drives is assumed (`how_long`), and the step is marked as estimated. A repeat counts as often as its rule allows at
//! most. Modelled drives take virtual time; the real time is that of the processor that simulates them, and nothing
//! that they write reaches the machine's drives.

use base::{Argument, Bytes, Duration, Message};
use results::plan::{CauseForecast, PlanForecast, StepForecast, TargetForecast};

use super::context::Context;
use super::{Plan, PlannedTarget, causes};
use crate::error::PlanError;
use lab::how_long::{span, three};
use lab::running::{Prepared, prepare};
use stats::repeat::Repeat;

/// Prepares every step, and adds up their cost.
///
/// # Errors
/// The first step that cannot be run.
pub(crate) fn forecast(plan: &Plan, context: &Context) -> Result<PlanForecast, PlanError> {
    let mut steps = Vec::new();
    let mut real = vec![false; plan.targets.len()];
    let mut of_target = vec![OfTarget::default(); plan.targets.len()];
    for step in plan.schedule() {
        let prepared = prepare(plan.request(step, context))?;
        let method = &plan.steps[step.method];
        let is_real = !prepared.resolved.is_a_model();
        let rest = if is_real { method.rest } else { Duration::ZERO };
        let names = (&*method.method, &*plan.targets[step.target].name);
        let of_step = of_step(step.number, names, &prepared, method.repeat, rest);
        real[step.target] = is_real;
        of_target[step.target].add(&of_step);
        steps.push(of_step);
    }
    let targets: Vec<TargetForecast> = plan
        .targets
        .iter()
        .zip(real)
        .zip(of_target)
        .map(|((target, real), of_this)| of_this.forecast(target, real))
        .collect();
    let causes = causes::forecast(plan)?;
    let of_causes: f64 = causes.iter().map(|cause| cause.simulated_seconds).sum();
    let of_steps: f64 = steps.iter().filter_map(|s| s.simulated_seconds).sum();
    Ok(PlanForecast {
        real_hours: hours_together(plan.at_once, &targets),
        simulated_seconds: of_steps + of_causes,
        estimated: steps.iter().any(|step| step.estimated),
        steps,
        targets,
        causes,
    })
}

/// The forecast of one run alone.
pub fn of_one(prepared: &Prepared<'_>) -> PlanForecast {
    let (method, target, repeat) = prepared.asked();
    let step = of_step(1, (method, target), prepared, repeat, Duration::ZERO);
    let mut of_target = OfTarget::default();
    of_target.add(&step);
    let real = !prepared.resolved.is_a_model();
    let target = PlannedTarget {
        name: target.to_owned(),
        rated_endurance: None,
    };
    let targets = vec![of_target.forecast(&target, real)];
    PlanForecast {
        real_hours: hours_together(1, &targets),
        simulated_seconds: step.simulated_seconds.unwrap_or_default(),
        estimated: step.estimated,
        steps: vec![step],
        targets,
        causes: Vec::new(),
    }
}

fn of_step(
    number: u32,
    (method, target): (&str, &str),
    prepared: &Prepared<'_>,
    repeat: Repeat,
    rest: Duration,
) -> StepForecast {
    let taken = prepared.how_long();
    let repeats = u64::from(repeat.most());
    let is_real = !prepared.resolved.is_a_model();
    StepForecast {
        step: number,
        method: method.to_owned(),
        target: target.to_owned(),
        seconds: taken.seconds * repeats as f64 + rest.as_secs_f64(),
        written: taken.written * repeats,
        read: taken.read * repeats,
        test_file: prepared.in_test_file().map(|(file, _)| file),
        simulated_seconds: (!is_real).then_some(taken.simulated_seconds * repeats as f64),
        estimated: taken.assumed_mb_s.is_some(),
        assumed_mb_s: taken.assumed_mb_s,
    }
}

/// What all steps take of a target.
#[derive(Clone, Copy, Default)]
struct OfTarget {
    hours: f64,
    written: Bytes,
    read: Bytes,
    test_file: Option<Bytes>,
}

impl OfTarget {
    fn add(&mut self, step: &StepForecast) {
        self.hours += step.seconds / 3_600.0;
        self.written = self.written.saturating_add(step.written);
        self.read = self.read.saturating_add(step.read);
        self.test_file = self.test_file.max(step.test_file);
    }

    fn forecast(self, target: &PlannedTarget, real: bool) -> TargetForecast {
        let rated = target.rated_endurance.or_else(|| rated(&target.name));
        let share = |rated: Bytes| self.written.get() as f64 / rated.get().max(1) as f64 * 100.0;
        TargetForecast {
            target: target.name.clone(),
            real,
            hours: self.hours,
            written: self.written,
            read: self.read,
            test_file: self.test_file,
            rated_endurance: rated,
            share_percent: rated.map(share),
        }
    }
}

/// Hours of the real targets with this many in parallel: at least the longest, and at least their share.
fn hours_together(at_once: usize, targets: &[TargetForecast]) -> f64 {
    let real = targets.iter().filter(|target| target.real);
    let hours: Vec<f64> = real.map(|target| target.hours).collect();
    let lanes = if at_once == 0 { hours.len() } else { at_once };
    // The sum of nothing is -0, which a page would show.
    let share = hours.iter().fold(0.0, |all, own| all + own) / lanes.max(1) as f64;
    hours.into_iter().fold(share, f64::max)
}

/// What a drive of the catalogue is rated for.
fn rated(target: &str) -> Option<Bytes> {
    match target.parse().ok()? {
        targets::grammar::Spec::Model { name, .. } => sim::catalogue::rated_endurance(&name),
        _ => None,
    }
}

/// For people: each step, then each target.
pub fn lines(forecast: &PlanForecast) -> Vec<Message> {
    let mut lines: Vec<Message> = forecast.steps.iter().map(line_of_step).collect();
    lines.extend(forecast.causes.iter().map(line_of_cause));
    let written = forecast.targets.iter().filter(|t| !t.written.is_zero());
    lines.extend(written.map(|target| line_of_target(target, &forecast.steps)));
    if forecast.targets.iter().any(|target| target.real) {
        let key = match forecast.estimated {
            true => "forecast-real-about",
            false => "forecast-real-most",
        };
        let time = span(forecast.real_hours * 3_600.0).into();
        lines.push(Message::new(key, [("time", time)]));
    }
    lines.extend(waiting_for_models(forecast));
    lines
}

fn line_of_step(step: &StepForecast) -> Message {
    let writes = match step.written.is_zero() {
        true => Message::new("forecast-writes-nothing", []),
        false => Message::new("forecast-writes", [("written", size(step.written).into())]),
    };
    let time: Argument = span(step.seconds).into();
    let takes = match step.estimated {
        true => Message::new("forecast-about", [("time", time)]).into(),
        false => time,
    };
    let takes = match step.simulated_seconds {
        None => takes,
        Some(seconds) => {
            let places = [("takes", takes), ("time", soon(seconds).into())];
            Message::new("forecast-simulated", places).into()
        }
    };
    let line = Message::new(
        "forecast-step",
        [
            ("method", (&step.method).into()),
            ("target", (&step.target).into()),
            ("takes", takes),
            ("writes", writes.into()),
        ],
    );
    let line = match step.assumed_mb_s {
        None => line,
        Some(mb_s) => {
            let rate = Argument::text(format_args!("{mb_s:.0}"));
            Message::new(
                "forecast-step-assuming",
                [("step", line.into()), ("rate", rate)],
            )
        }
    };
    line.behind(&format!("{:>3}  ", step.step))
}

fn line_of_cause(cause: &CauseForecast) -> Message {
    let places = [
        ("method", (&cause.method).into()),
        ("a", (&cause.a).into()),
        ("b", (&cause.b).into()),
        ("time", soon(cause.simulated_seconds).into()),
    ];
    Message::new("forecast-cause", places).behind("     ")
}

/// What is written to a target, and its share of what that is rated for.
fn line_of_target(target: &TargetForecast, steps: &[StepForecast]) -> Message {
    let of_target = |step: &&StepForecast| step.target == target.target;
    let estimated = steps.iter().filter(of_target).any(|s| s.estimated);
    let key = match estimated {
        true => "forecast-target-about",
        false => "forecast-target-most",
    };
    let (name, written) = ((&target.target).into(), size(target.written).into());
    let line = Message::new(key, [("target", name), ("written", written)]).into();
    match (target.rated_endurance, target.share_percent) {
        (Some(rated), Some(percent)) => {
            let (percent, rated) = (three(percent).into(), size(rated).into());
            let places = [("line", line), ("percent", percent), ("rated", rated)];
            Message::new("forecast-share", places)
        }
        _ if target.real => Message::new("forecast-share-unknown", [("line", line)]),
        _ => Message::new("forecast-share-simulated", [("line", line)]),
    }
}

/// The real time for modelled drives; nothing if there are none.
fn waiting_for_models(forecast: &PlanForecast) -> Option<Message> {
    let models = forecast.targets.iter().any(|target| !target.real) || !forecast.causes.is_empty();
    let time = soon(forecast.simulated_seconds).into();
    models.then(|| Message::new("forecast-models", [("time", time)]))
}

/// A time of a processor, no more exactly than it is known.
fn soon(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{:.0} s", s.max(1.0)),
        s => format!("{:.0} min", s / 60.0),
    }
}

/// Messages before a plan's first step: what is written to and read from each real target, for how long, and the size
/// of the test file; and the time for modelled drives.
pub fn before_it_starts(forecast: &PlanForecast) -> Vec<Message> {
    let real = forecast.targets.iter().filter(|target| target.real);
    let mut lines: Vec<Message> = real.map(before_its_first_step).collect();
    lines.extend(waiting_for_models(forecast));
    lines
}

fn before_its_first_step(target: &TargetForecast) -> Message {
    let name = ("target", (&target.target).into());
    let written = ("written", size(target.written).into());
    let read = ("read", size(target.read).into());
    let time = ("time", span(target.hours * 3_600.0).into());
    match target.test_file {
        Some(file) => {
            let file = ("file", file.into());
            Message::new("forecast-in-test-file", [name, written, read, time, file])
        }
        None if target.written.is_zero() => Message::new("forecast-only-read", [name, read, time]),
        None => Message::new("forecast-read-and-written", [name, written, read, time]),
    }
}

/// Bytes in units of 1000, as endurance is rated.
fn size(bytes: Bytes) -> String {
    let bytes = bytes.get() as f64;
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = units.into_iter().find(|(unit, _)| bytes >= *unit);
    let (unit, name) = unit.unwrap_or((1.0, "B"));
    format!("{} {name}", three(bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::parse;

    fn forecast_of(text: &str) -> PlanForecast {
        let plan = parse("own", "own.toml", text).unwrap();
        let context = Context::reading(plan.targets.len());
        forecast(&plan, &context).unwrap()
    }

    #[test]
    fn bytes_and_their_share_of_the_rated_endurance_are_those_of_all_repeats() {
        let of = |repeat: &str| {
            let text = format!(
                "targets = ['model:samsung-970-evo-plus-1tb', {{ name = 'null:', rated_endurance = '1TB' }}]\n\
                 [[step]]\nmethod = 'full-scan'\nset = {{ ops = 'write', extent = '100GB' }}\nrepeat = '{repeat}'\n"
            );
            forecast_of(&text).targets
        };
        let once = of("1");
        assert_eq!(once[0].written, Bytes::gb(100));
        assert_eq!(once[0].rated_endurance.unwrap(), Bytes::gb(600_000));
        assert!((once[0].share_percent.unwrap() - 100.0 / 6_000.0).abs() < 1e-9);
        assert!((once[1].share_percent.unwrap() - 10.0).abs() < 1e-9);
        let often = of("auto:5%,max=7");
        assert_eq!(often[0].written, Bytes::gb(700));
        assert!(
            often
                .iter()
                .all(|target| !target.real && target.hours > 0.0)
        );
    }

    #[test]
    fn real_targets_side_by_side_take_as_long_as_the_longest() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        for name in ["a", "b"] {
            std::fs::write(at(name), vec![7; 1 << 20]).unwrap();
        }
        let of = |at_once: &str| {
            forecast_of(&format!(
                "targets = ['{}', '{}', 'null:']\nat_once = {at_once}\n\
                 [[step]]\nmethod = 'quick-scan'\nset = {{ regions = 10, dwell = '36s', ops = 'read' }}\nrest = '6min'",
                at("a"),
                at("b"),
            ))
        };
        // One region of ten may be read again.
        let (one, all) = (of("1"), of("'all'"));
        assert!((one.real_hours - 0.42).abs() < 1e-6, "{}", one.real_hours);
        assert!((all.real_hours - 0.21).abs() < 1e-6, "{}", all.real_hours);
        assert!(!one.estimated);
        assert!(
            lines(&one)
                .iter()
                .any(|line| line == "real drives: at most 25.2 min"),
            "{:?}",
            lines(&one)
        );
    }

    #[test]
    fn a_watch_of_an_hour_is_forecast_to_last_that_long() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("own").display().to_string();
        std::fs::write(&own, vec![7; 1 << 20]).unwrap();
        let forecast = forecast_of(&format!(
            "targets = ['{own}', '{}']\n\
             [[step]]\nmethod = 'latency-watch'\nset = {{ time = '1h', size = '1MiB' }}",
            dir.path().display()
        ));
        let [read, written] = &forecast.steps[..] else {
            panic!("{:?}", forecast.steps);
        };
        // And half a second before, to find the watch's pace.
        assert!((read.seconds - 7_200.5).abs() < 1e-9 && !read.estimated);
        assert!(written.seconds >= 7_200.0 && written.estimated);
        let lines = lines(&forecast);
        assert!(!lines[0].contains("assuming"), "{}", lines[0]);
        assert!(lines[1].contains(" MB/s"), "{}", lines[1]);
    }

    #[test]
    fn modelled_drives_take_no_longer_than_was_forecast() {
        // Twice as long, where a rate was assumed: a class is not a drive.
        const METHODS: [&str; 8] = [
            "latency-watch",
            "quick-scan",
            "crystaldiskmark",
            "crystaldiskmark-classic",
            "hd-tune-random-access",
            "as-ssd",
            "os-boot",
            "fixed-rate",
        ];
        for drive in [
            "model:samsung-840-evo-750gb",
            "model:hgst-deskstar-nas-hdn724030-3tb",
            "model:samsung-970-evo-plus-1tb",
        ] {
            for method in METHODS {
                let request =
                    lab::running::Request::new(method, drive, base::method::Scale::Quick, 1);
                let prepared = prepare(request).unwrap();
                let forecast = prepared.how_long();
                let silent = &mut lab::progress::Silent;
                let interrupt = base::interrupt::Interrupt::new();
                let result = prepared.run(None, silent, &interrupt).unwrap();
                let took: f64 = result.phases.iter().map(|p| p.took.as_secs_f64()).sum();
                let slack = if forecast.assumed_mb_s.is_some() {
                    2.0
                } else {
                    1.05
                };
                assert!(
                    took <= slack * forecast.seconds + 0.1,
                    "{method} on {drive} took {took} s, and {forecast:?} was forecast"
                );
            }
        }
    }
}
