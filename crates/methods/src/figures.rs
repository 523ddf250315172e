//! Making figures: every one with its unit, statistic, samples and conditions.

use base::io::FillKind;
use base::statistic::Statistic;
use base::{
    Argument, Better, Bytes, Comparable, Duration, Figure, Fill, Latencies, Message, PhaseRecord,
    Rate, Workload,
};
use stats::{median, median_interval};

/// Whether some of a script's reads, and of its writes, succeeded; else how long it took means nothing.
pub(crate) fn was_served(record: &PhaseRecord) -> bool {
    let failed = &record.job().errors.first;
    failed.iter().all(|error| record.of(error.op).ios > 0)
}

/// Where figures come from: the phases that they are made of, and the conditions under which they can be compared.
#[derive(Clone, Default)]
pub(crate) struct Origin {
    pub(crate) by: Comparable,
    pub(crate) phases: Vec<String>,
}

impl Origin {
    /// One phase.
    pub(crate) fn of(record: &PhaseRecord) -> Origin {
        Origin {
            by: conditions(&record.workload),
            phases: vec![record.name.clone()],
        }
    }

    /// Another phase, the last of which says under which conditions all can be compared.
    pub(crate) fn add(&mut self, record: &PhaseRecord) {
        self.phases.push(record.name.clone());
        self.by = conditions(&record.workload);
    }

    /// The phases of another, whose conditions count.
    pub(crate) fn merge(&mut self, other: &Origin) {
        self.phases.extend_from_slice(&other.phases);
        self.by = other.by.clone();
    }

    /// What is measured is all of the target, under this name.
    pub(crate) fn is_of_the_whole(&mut self, name: Message) {
        self.by.span = name;
        self.by.whole = true;
    }

    /// No phase of its own, and the conditions of another figure.
    pub(crate) fn like(figure: &Figure) -> Origin {
        Origin {
            by: figure.comparable_by.clone(),
            phases: Vec::new(),
        }
    }

    /// Starts a figure: complete but for its number.
    pub(crate) fn figure(&self, key: &str, unit: &str, better: Better) -> Figure {
        Figure {
            key: key.to_owned(),
            value: None,
            why_not: None,
            unit: unit.to_owned(),
            better,
            statistic: Statistic::default(),
            n: 0,
            interval: None,
            phases: self.phases.clone(),
            comparable_by: self.by.clone(),
        }
    }

    /// The figures of a table; the prefix goes before each key.
    pub(crate) fn table(&self, prefix: &str, rows: &[Row<'_>]) -> Vec<Figure> {
        let figure = |&(key, unit, better, value, made, n): &Row<'_>| {
            let figure = self.figure(&format!("{prefix}{key}"), unit, better);
            let statistic: Statistic = match made.starts_with("made-") {
                true => Message::of(made).into(),
                false => made.into(),
            };
            valued(figure, value, statistic, n)
        };
        rows.iter().map(figure).collect()
    }

    /// The rate of a phase in MB/s: its bytes over its time.
    pub(crate) fn transfer_rate(&self, key: &str, record: &PhaseRecord) -> Figure {
        let figure = self.figure(key, "MB/s", Better::Higher);
        let rate = record.rate().map(Rate::mb_s);
        let made = Message::of("made-bytes-over-time");
        valued(figure, rate, made, record.ios())
    }

    /// A latency figure in `unit` (`us` or `ms`): lower is better.
    pub(crate) fn latency(&self, key: &str, unit: &str, of: Of, latencies: &Latencies) -> Figure {
        let there = !latencies.is_empty();
        let (value, statistic): (_, Statistic) = match of {
            Of::Min => (there.then(|| latencies.min()), "min".into()),
            Of::Mean => (latencies.mean(), "mean".into()),
            Of::Percentile(p) => (latencies.nearest_rank(p), format!("p{p}").into()),
            Of::Max => (there.then(|| latencies.max()), "max".into()),
        };
        let value = value.map(|time| match unit {
            "ms" => time.as_millis_f64(),
            _ => time.as_micros_f64(),
        });
        let figure = self.figure(key, unit, Better::Lower);
        valued(figure, value, statistic, latencies.count())
    }
}

/// The figure with a number, or with the reason why there is none: a number without a sample is none, nor is a high
/// percentile of a few.
pub(crate) fn valued(
    mut figure: Figure,
    value: Option<f64>,
    statistic: impl Into<Statistic>,
    n: u64,
) -> Figure {
    let value = value.filter(|_| n > 0);
    figure.why_not = value
        .is_none()
        .then(|| Message::of("why-nothing-completed"));
    figure.value = value;
    figure.statistic = statistic.into();
    figure.n = n;
    figure.if_told()
}

/// A row of a table of figures: key, unit, which is better, value, how it was made (a term such as `sum`, or the key of a
/// sentence, `made-...`) and the number of its samples.
pub(crate) type Row<'a> = (&'a str, &'a str, Better, Option<f64>, &'static str, u64);

/// The figure, with this reason where it has no value.
pub(crate) fn or_why(mut figure: Figure, why: &'static str) -> Figure {
    if figure.value.is_none() {
        figure.why_not = Some(Message::of(why));
    }
    figure
}

/// The figure without a number, and why.
pub(crate) fn withheld(mut figure: Figure, why: Message) -> Figure {
    figure.value = None;
    figure.why_not = Some(why);
    figure.statistic = "none".into();
    figure
}

/// The best of some runs, as benchmarks with one number a cell print it.
pub(crate) fn best_of(figure: Figure, runs: &[f64]) -> Figure {
    let best = match figure.better {
        Better::Lower => runs.iter().copied().min_by(f64::total_cmp),
        _ => runs.iter().copied().max_by(f64::total_cmp),
    };
    let statistic = format!("best of {}", runs.len());
    valued(figure, best, statistic, runs.len() as u64)
}

/// The median of some runs, with its interval.
pub(crate) fn median_of(figure: Figure, runs: &[f64]) -> Figure {
    let statistic = format!("median of {}", runs.len());
    let mut figure = valued(figure, median(runs), statistic, runs.len() as u64);
    figure.interval = median_interval(runs);
    figure
}

/// A statistic of a latency histogram.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    Min,
    Mean,
    Percentile(f64),
    Max,
}

/// How many latencies are at least `limit` long (to the width of a histogram bucket).
pub(crate) fn count_from(latencies: &Latencies, limit: Duration) -> u64 {
    latencies
        .buckets()
        .filter(|(low, _, _)| *low >= limit)
        .map(|(_, _, n)| n)
        .sum()
}

/// A size in a figure's key: `512b`, `4k`, `1m`.
pub(crate) fn key_of(size: Bytes) -> String {
    match size.get() {
        bytes if bytes % (1 << 20) == 0 => format!("{}m", bytes >> 20),
        bytes if bytes % 1_024 == 0 => format!("{}k", bytes >> 10),
        bytes => format!("{bytes}b"),
    }
}

/// The conditions of a workload's first job; state and scale are added by the lab.
pub(crate) fn conditions(work: &Workload) -> Comparable {
    let Some(job) = work.jobs.first() else {
        return Comparable::default();
    };
    let alignment = if job.shift.is_zero() {
        job.align.to_string()
    } else {
        format!("{} + {}", job.align, job.shift)
    };
    Comparable {
        span: job.span.said(),
        data: if job.writes() {
            fill_name(job.fill)
        } else {
            Message::default()
        },
        alignment,
        ..Comparable::default()
    }
}

fn fill_name(fill: Fill) -> Message {
    let percent = [("percent", u32::from(fill.compressible_percent).into())];
    match fill.kind {
        FillKind::Fresh => Message::new("data-fresh", percent),
        FillKind::RepeatEachMib => Message::new("data-repeats", percent),
        FillKind::Labelled { .. } => Message::of("data-labelled"),
        FillKind::Zeros => Message::of("data-zeros"),
        FillKind::Ones => Message::of("data-ones"),
        FillKind::Pattern { bytes, len } => {
            let bytes = Argument::text(format_args!("{bytes:#x}"));
            Message::new(
                "data-pattern",
                [("bytes", bytes), ("length", Argument::text(len))],
            )
        }
    }
}
