//! Mixed plane: read rate against write rate, and where reads exceed a latency bound.
//!
//! **What it measures.** For each pair of a read rate and a write rate, the 99th percentile of both responses; and the
//! frontier: the highest read rate at which, under that write rate, 99 of 100 reads complete within a bound.
//!
//! **Who published it.** Not published under this name. It answers the sizing question of a database or a recorder;
//! SNIA's demand intensity test does so along one line (one mix, increasing load).
//!
//! **Protocol.** The extent is written once sequentially. Random reads of 4 KiB alone and random writes of 4 KiB alone,
//! at queue depth 32, give the two saturated rates. Then a grid: writes at 0, 20, 40 ... 100 % of their rate, and for
//! each of these reads at 20, 40 ... 100 % of theirs, each pair for a fixed time, both open loop, at random (Poisson)
//! or equal intervals. Responses count from the intended submission. After each pair with writes a flush, which is not
//! counted, empties the drive's cache. A read rate is within the bound if its 99th percentile is (10 ms), the drive
//! kept up with it, and the same holds for all lower rates.
//!
//! **What it cannot tell.** A drive whose writes slow down after a while (full cache, garbage collection) has a
//! different plane then: measure it in that state, and for long.

use base::chart::designs;
use base::{
    Argument, Better, Card, Chart, Comparable, Curve, Duration, Figure, Forecast, Group, Info, Job,
    Latencies, Message, Needs, Op, Order, Pacing, Setting, Settings, Span, Stop, Stopped, Takes,
    Workload, splitmix64,
};

use crate::areas::{access, forecast, prepared};
use crate::figures::{Of, Origin, conditions, valued};
use crate::fixed_rate::{ARRIVALS, DEPTH, SIZE, arrivals_of, fell_behind};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{EXTENT, PREPARE, extent, micros, millis, prepares, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// The responses that have to be within the bound, in per cent.
const IN_TIME: f64 = 99.0;

static CARD: Card = Card {
    id: "mixed-plane",
    title: "Mixed read and write plane",
    publisher: "drivelab; after SNIA's demand intensity test, in two dimensions",
    summary: "A grid of read rates and write rates (open loop): p99 response of both, and the highest read rate within the latency bound at each write rate.",
    version: 2,
    group: Group::Response,
    short: "Read latency SLO under mixed write load",
    needs: &[Needs::Writing],
    shortest: &["extent=4MiB", "time=10ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        PREPARE,
        SIZE,
        Setting::count("steps", "steps of each rate, up to the saturated one", 1..=50, ["2", "5", "10"]),
        Setting::time("bound", "latency bound for 99 % of the reads", micros(1)..=seconds(3_600), ["10ms"; 3]),
        ARRIVALS,
        DEPTH,
        Setting::time("time", "length of each pair of rates", millis(10)..=seconds(86_400), ["50ms", "1s", "30s"]),
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, "extent", on);
    if !on.writable {
        return forecast(span, false, Takes::default());
    }
    let steps = settings.count("steps");
    let phases = 2 + steps * (steps + 1);
    let takes = Takes::timed(settings.time("time").saturating_mul(phases))
        .and_accesses(phases)
        .and_moving(prepared(span, prepares(settings, on)));
    forecast(span, true, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("w0.frontier", "IOPS", Better::Higher);
    }
    let span = run.extent("extent");
    run.prepare(span)?;
    run.tell_grown(&[settings.size(SIZE.key)]);
    let plane = Plane {
        span,
        info: run.on,
        settings,
        reads: saturated(span, Op::Read, run)?,
        writes: saturated(span, Op::Write, run)?,
    };
    if plane.reads <= 0.0 || plane.writes <= 0.0 {
        let why = Message::of("why-no-saturated-rates");
        return run.without_number("w0.frontier", "IOPS", Better::Higher, why);
    }
    let columns = plane.measure(run)?;
    let (bound, by) = (settings.time("bound"), conditions(&plane.work(1, 1)));
    let frontiers = columns
        .iter()
        .map(|column| column.frontier_figure(bound, &by));
    run.output.figures.extend(frontiers);
    run.output.charts.push(frontier(&columns, bound));
    run.output.charts.push(responses(&columns));
    Ok(())
}

fn job(name: &str, op: Op, span: Span, settings: &Settings, on: &Info) -> Job {
    let size = access(settings.size(SIZE.key), on).min(span.len);
    let depth = u32::try_from(settings.count("depth")).unwrap_or(32);
    Job::closed(name, op, Order::Random, span, size, depth)
}

/// I/Os a second of one direction alone.
fn saturated(span: Span, op: Op, run: &mut Run<'_>) -> Result<f64, Stopped> {
    let settings = run.settings;
    let phase = &format!("saturated {}s", op.name());
    let job = job(phase, op, span, settings, &run.on);
    let work = Workload::single(job, Stop::after_time(settings.time("time")), settings.seed);
    let record = run.bench.phase(phase, &work)?;
    let key = format!("saturated.{}", op.name());
    let start = Origin::of(record).figure(&key, "IOPS", Better::Higher);
    run.output
        .figures
        .push(valued(start, record.iops(), "mean", record.ios()));
    let saturated = record.iops().unwrap_or(0.0);
    if op == Op::Write {
        run.flush_after(phase)?;
    }
    Ok(saturated)
}

/// All pairs.
struct Plane<'a> {
    span: Span,
    info: Info,
    settings: &'a Settings,
    /// Saturated reads a second.
    reads: f64,
    /// Saturated writes a second.
    writes: f64,
}

/// All read rates at one write rate.
struct Column {
    /// `w40`.
    key: String,
    /// Writes a second.
    writes: f64,
    cells: Vec<Cell>,
}

/// One pair of rates that was measured.
struct Cell {
    phase: String,
    /// Reads a second.
    reads: f64,
    /// The 99th percentile of the reads' responses.
    p99: Option<Duration>,
    /// The upper bound of this share of the reads; of too few for a percentile, of all.
    at_most: Option<Duration>,
    /// The drive did not keep up with both rates.
    behind: bool,
}

impl Plane<'_> {
    fn steps(&self) -> u64 {
        self.settings.count("steps")
    }

    /// A step in per cent of the saturated rate.
    fn share(&self, step: u64) -> u64 {
        100 * step / self.steps()
    }

    /// Both jobs of a pair; no writes where their step is 0.
    fn work(&self, reads: u64, writes: u64) -> Workload {
        let open = |name: &str, op: Op, most: f64, step: u64| {
            let mut job = job(name, op, self.span, self.settings, &self.info);
            job.pacing = Pacing::Open {
                per_second: most * step as f64 / self.steps() as f64,
                arrivals: arrivals_of(self.settings),
            };
            job
        };
        let salt = reads << 16 ^ writes;
        let seed = splitmix64(self.settings.seed ^ salt);
        let first = open("reads", Op::Read, self.reads, reads);
        let mut work = Workload::single(first, Stop::after_time(self.settings.time("time")), seed);
        if writes > 0 {
            work.jobs
                .push(open("writes", Op::Write, self.writes, writes));
        }
        work
    }

    fn measure(&self, run: &mut Run<'_>) -> Result<Vec<Column>, Stopped> {
        let mut columns: Vec<Column> = Vec::new();
        for writes in 0..=self.steps() {
            let mut column = Column {
                key: format!("w{}", self.share(writes)),
                writes: self.writes * writes as f64 / self.steps() as f64,
                cells: Vec::new(),
            };
            for reads in 1..=self.steps() {
                let key = format!("r{}-{}", self.share(reads), column.key);
                let cell = self.pair(&key, reads, writes, run)?;
                column.cells.push(cell);
            }
            columns.push(column);
        }
        Ok(columns)
    }

    fn pair(&self, key: &str, reads: u64, writes: u64, run: &mut Run<'_>) -> Result<Cell, Stopped> {
        let work = self.work(reads, writes);
        let record = run.bench.phase(key, &work)?;
        let origin = Origin::of(record);
        let of = Of::Percentile(IN_TIME);
        let responses = |op: Op| -> Latencies { record.of(op).response };
        let read = responses(Op::Read);
        let figures = &mut run.output.figures;
        figures.push(origin.latency(&format!("{key}.read.p99"), "ms", of, &read));
        if writes > 0 {
            let name = format!("{key}.write.p99");
            figures.push(origin.latency(&name, "ms", of, &responses(Op::Write)));
        }
        let rate = |most: f64, step: u64| most * step as f64 / self.steps() as f64;
        let asked = rate(self.reads, reads) + rate(self.writes, writes);
        let cell = Cell {
            phase: key.to_owned(),
            reads: rate(self.reads, reads),
            p99: read.percentile(IN_TIME),
            at_most: read.nearest_rank(IN_TIME),
            behind: fell_behind(asked, record.iops().unwrap_or(0.0), record.ios()),
        };
        if writes > 0 {
            run.flush_after(key)?;
        }
        Ok(cell)
    }
}

impl Column {
    /// The last read rate up to which all are in time.
    fn in_time(&self, bound: Duration) -> Option<&Cell> {
        let good = |cell: &&Cell| !cell.behind && cell.at_most.is_some_and(|took| took <= bound);
        self.cells.iter().take_while(good).last()
    }

    fn frontier_figure(&self, bound: Duration, by: &Comparable) -> Figure {
        let origin = Origin {
            by: by.clone(),
            phases: self.cells.iter().map(|cell| cell.phase.clone()).collect(),
        };
        let key = format!("{}.frontier", self.key);
        let start = origin.figure(&key, "IOPS", Better::Higher);
        let found = self.in_time(bound).map(|cell| cell.reads);
        let statistic = Message::new("made-in-time", [("bound", bound.into())]);
        let mut figure = valued(start, found, statistic, self.cells.len() as u64);
        if found.is_none() {
            let least = self.cells.first().map_or(0.0, |cell| cell.reads);
            let reads = Argument::text(format_args!("{least:.0}"));
            figure.why_not = Some(Message::new("why-not-in-time", [("reads", reads)]));
        }
        figure
    }
}

/// Reads in time against writes.
fn frontier(columns: &[Column], bound: Duration) -> Chart {
    let in_time = |column: &Column| column.in_time(bound).map(|cell| cell.reads);
    let points = columns
        .iter()
        .map(|column| (column.writes, in_time(column)));
    let curve = Curve::through("read", points);
    Chart::new("frontier", designs::FRONTIER, vec![curve])
}

/// The reads' 99th percentile against their rate, a line for each write rate.
fn responses(columns: &[Column]) -> Chart {
    let curve = |column: &Column| {
        let millis = |cell: &Cell| cell.p99.map(|p99| p99.as_millis_f64());
        let points = column.cells.iter().map(|cell| (cell.reads, millis(cell)));
        Curve::through(column.key.clone(), points)
    };
    Chart::new(
        "read.p99.load",
        designs::LOAD,
        columns.iter().map(curve).collect(),
    )
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::io::Op;
    use base::method::Scale;
    use base::result::MethodOutput;

    fn frontier(output: &MethodOutput, key: &str) -> Option<f64> {
        let key = format!("{key}.frontier");
        let figure = output.figures.iter().find(|f| f.key == key);
        figure.unwrap_or_else(|| panic!("no {key}")).value
    }

    #[test]
    fn of_a_drive_with_one_server_reads_and_writes_share_the_rate() {
        // Ten thousand a second of both together: what writes take, reads have no more.
        let given = ["steps=10", "time=1s", "arrivals=even"];
        let settings = settings("mixed-plane", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("mixed-plane", &settings, &mut bench);
        for (writes, reads) in [
            ("w0", 10_000.0),
            ("w30", 7_000.0),
            ("w60", 4_000.0),
            ("w90", 1_000.0),
        ] {
            let found = frontier(&output, writes).unwrap_or_else(|| panic!("{writes}"));
            assert!((found / reads - 1.0).abs() < 0.01, "{writes}: {found}");
        }
        assert_eq!(frontier(&output, "w100"), None);
        assert!(value(&output, "r10-w100.read.p99") > 10.0);
    }

    #[test]
    fn a_tighter_bound_moves_the_frontier_inwards() {
        let at = |bound: &str| {
            let given = ["steps=10", "time=1s", &format!("bound={bound}")];
            let settings = settings("mixed-plane", Scale::Quick, &given);
            let output = output_of("mixed-plane", &settings, &mut BenchDouble::new(drive()));
            frontier(&output, "w50").unwrap_or(0.0)
        };
        assert!(at("300us") < at("1ms") && at("1ms") <= at("10ms"));
    }

    #[test]
    fn every_pair_has_its_figures_and_every_phase_its_time() {
        let settings = settings("mixed-plane", Scale::Quick, &["steps=4", "time=100ms"]);
        let mut bench = BenchDouble::new(drive().with_depth(32));
        let output = output_of("mixed-plane", &settings, &mut bench);
        let ending = |end: &str| {
            let figures = output.figures.iter();
            figures.filter(|f| f.key.ends_with(end)).count()
        };
        assert_eq!((ending("read.p99"), ending("write.p99")), (20, 16));
        // What is overdue in the end is not sent.
        let pairs = bench.phases.iter().filter(|p| p.name.starts_with('r'));
        assert!(pairs.clone().all(|p| p.took.as_millis_f64() < 104.0));
        assert!(pairs.into_iter().any(|p| p.of(Op::Write).ios > 0));
    }
}
