//! Common to both generations of CrystalDiskMark: a cell of the grid, made of one discarded and some counted runs, of
//! which the best counts.
//!
//! The best of N hides stutter. So each cell's original figure is accompanied by the median of the same runs with its
//! interval, the 99.9th percentile and the worst response of all counted runs.

use base::io::FillKind;
use base::{
    Bench, Better, Bytes, Chart, Duration, Figure, Fill, Job, Latencies, Message, MethodOutput, Op,
    Order, Setting, Settings, Span, Stop, Stopped, Workload,
};

use crate::figures::{Of, Origin, best_of, median_of};

/// One row of the grid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Key of its figures: `seq1m-q8t1`.
    pub(crate) key: &'static str,
    pub(crate) order: Order,
    pub(crate) size: Bytes,
    pub(crate) depth: u32,
    pub(crate) threads: u32,
}

/// How the runs of a cell are made.
pub(crate) struct Runs {
    /// The test file, or the part of the drive used instead.
    pub(crate) span: Span,
    pub(crate) counted: u64,
    pub(crate) time: Duration,
    pub(crate) pause: Duration,
    pub(crate) fill: Fill,
    /// Whether a run that writes ends with a flush, inside its time.
    pub(crate) flush: bool,
    pub(crate) seed: u64,
}

/// How many runs of a cell count.
pub(crate) const RUNS: Setting = Setting::count(
    "runs",
    "counted runs a cell, after a discarded one",
    1..=9,
    ["1", "3", "5"],
);

/// What CrystalDiskMark 3 writes: see [`classic_fill`].
pub(crate) const CLASSIC_DATA: Setting = Setting::choice(
    "data",
    "what is written",
    &["random", "zeros", "ones"],
    ["random"; 3],
);

/// The data selected by [`CLASSIC_DATA`]. The original's random data is about half compressible, and repeats every MiB.
pub(crate) fn classic_fill(settings: &Settings) -> Fill {
    match settings.text(CLASSIC_DATA.key) {
        "zeros" => Fill::ZEROS,
        "ones" => Fill {
            kind: FillKind::Ones,
            compressible_percent: 0,
        },
        _ => Fill {
            kind: FillKind::RepeatEachMib,
            compressible_percent: 50,
        },
    }
}

impl Cell {
    /// A cell of the grid.
    pub(crate) const fn new(
        key: &'static str,
        order: Order,
        size: Bytes,
        depth: u32,
        threads: u32,
    ) -> Cell {
        Cell {
            key,
            order,
            size,
            depth,
            threads,
        }
    }

    /// The workload of one run. `stop` says when it checks its time.
    pub(crate) fn workload(
        &self,
        op: Op,
        mix_read_percent: u8,
        runs: &Runs,
        run: u64,
        stop: Stop,
    ) -> Workload {
        let mut job = Job::closed(self.key, op, self.order, runs.span, self.size, self.depth);
        job.streams = self.threads;
        job.fill = runs.fill;
        job.accesses[0].read_percent = mix_read_percent;
        let seed = base::rng::splitmix64(
            runs.seed ^ run ^ (u64::from(self.depth) << 32) ^ self.size.get() << 8,
        );
        let mut work = Workload::single(job, stop, seed);
        work.keep.series = Duration::from_millis(100);
        work.flush_at_end = runs.flush && mix_read_percent < 100;
        work
    }

    /// One discarded run and the counted ones, and the figures of the cell.
    pub(crate) fn measure(
        &self,
        bench: &mut dyn Bench,
        name: &str,
        op: Op,
        mix_read_percent: u8,
        runs: &Runs,
        stop: Stop,
    ) -> Result<(Vec<Figure>, Latencies), Stopped> {
        let mut rates = Vec::new();
        let mut iops = Vec::new();
        let mut means = Vec::new();
        let mut all = Latencies::default();
        let mut origin = Origin::default();
        for run in 0..=runs.counted {
            let phase = format!(
                "{} {name} run {run}{}",
                self.key,
                if run == 0 { " (discarded)" } else { "" }
            );
            let work = self.workload(op, mix_read_percent, runs, run, stop);
            let record = bench.phase(&phase, &work)?;

            if run > 0 {
                let mut latencies = Latencies::default();
                for op in [Op::Read, Op::Write] {
                    latencies.merge(&record.of(op).service);
                }
                rates.extend(record.rate().map(|r| r.mb_s()));
                iops.extend(record.iops());
                means.extend(latencies.mean().map(|d| d.as_micros_f64()));
                all.merge(&latencies);
                origin.add(record);
            }
            if !runs.pause.is_zero() {
                bench.idle(&format!("{} {name} pause {run}", self.key), runs.pause)?;
            }
        }
        let key = format!("{}.{name}", self.key);
        let start = |suffix: &str, unit: &str, better| {
            origin.figure(&format!("{key}{suffix}"), unit, better)
        };
        let figures = vec![
            best_of(start("", "MB/s", Better::Higher), &rates),
            median_of(start(".median", "MB/s", Better::Higher), &rates),
            best_of(start(".iops", "IOPS", Better::Higher), &iops),
            best_of(start(".latency", "us", Better::Lower), &means),
            origin.latency(&format!("{key}.p99.9"), "us", Of::Percentile(99.9), &all),
            origin.latency(&format!("{key}.worst"), "us", Of::Max, &all),
        ];
        Ok((figures, all))
    }
}

/// Puts the distributions of the 4 KiB cells into a chart, where there are any.
pub(crate) fn output(
    figures: Vec<Figure>,
    distributions: &[(String, Latencies)],
    notes: Vec<Message>,
) -> MethodOutput {
    let chart: Chart = crate::chart::responses("response", distributions);
    let charts = if chart.curves.is_empty() {
        Vec::new()
    } else {
        vec![chart]
    };
    MethodOutput {
        figures,
        charts,
        notes,
        ..MethodOutput::default()
    }
}
