//! `drivelab develop bench model`: how many I/Os a second the modelled drives simulate, on one core.
//!
//! The figure is I/Os over the process's own CPU time, with every I/O recorded, from a drive in a declared state. To
//! measure the cost of dynamic dispatch the same work is run twice: through `dyn Target` over `Box<dyn Model>`, as in
//! the lab, and through the same loop compiled for the concrete drive with everything inlined; the legs alternate, and
//! the medians are compared. Legs with a tenth of the I/Os run as well: ten times the I/Os should take ten times the
//! time, whatever the drive's history. The memory of a drive's tables is counted after its last leg.

use std::fmt::{self, Write as _};

use results::benchmarks::{MODEL_BENCH_SCHEMA, ModelBench, ModelRow};
use sim::speed::{Case, Dispatch, Prepared};
use stats::median;
use uring::floor::CpuTime;

use crate::error::BenchmarkError;

/// Pairs of legs.
const PAIRS: u32 = 5;

/// What is run, how many I/Os a leg, and the bar.
pub(crate) const CASES: [(Case, u64, Option<f64>); 10] = [
    (Case::ReadsInOrder, 5_000_000, Some(10e6)),
    (Case::ReadsDense, 5_000_000, Some(15e6)),
    (Case::WritesCollecting, 2_000_000, Some(4e6)),
    (Case::WritesCollectingMore, 2_000_000, Some(3e6)),
    // 2 TB within 2 s.
    (Case::WritesInOrder, 2_000_000, Some(7.6e6)),
    (Case::DiskReads, 2_000_000, Some(2e6)),
    (Case::DiskWrites, 2_000_000, Some(2e6)),
    (Case::DiskScanReads, 4_000_000, Some(4e6)),
    (Case::DiskScanWrites, 4_000_000, Some(4e6)),
    (Case::ShingledWrites, 1_000_000, Some(1e6)),
];

/// Runs the benchmark; takes a minute or so.
///
/// # Errors
/// Where a drive of the catalogue cannot be built.
pub fn bench_model(say: &mut dyn FnMut(&str)) -> Result<ModelBench, BenchmarkError> {
    let mut rows = Vec::new();
    for (case, ios, bar) in CASES {
        say(&format!(
            "{}: {PAIRS} pairs of legs of {ios} I/Os",
            case.title()
        ));
        rows.push(row(case, ios, bar)?);
    }
    Ok(ModelBench {
        schema: MODEL_BENCH_SCHEMA,
        rows,
    })
}

/// Runs one case: the drive is prepared twice, and the legs of both alternate.
pub(crate) fn row(case: Case, ios: u64, bar: Option<f64>) -> Result<ModelRow, BenchmarkError> {
    let mut through = case.prepare(Dispatch::Dyn)?;
    let mut inlined = case.prepare(Dispatch::Static)?;
    let (mut through_legs, mut inlined_legs) = (Vec::new(), Vec::new());
    let mut short_legs = Vec::new();
    for _ in 0..PAIRS {
        through_legs.push(leg(&mut through, ios)?);
        inlined_legs.push(leg(&mut inlined, ios)?);
        short_legs.push(leg(&mut through, ios / 10)?);
    }
    let ten = median(&through_legs).zip(median(&short_legs));
    let tables = inlined.memory();
    let per_second = |legs: &[f64]| ios as f64 / median(legs).unwrap_or(f64::NAN);
    let (a, b) = (per_second(&through_legs), per_second(&inlined_legs));
    // Pair by pair: the machine's speed drifts, and both legs of a pair drift together.
    let between: Vec<f64> = through_legs
        .iter()
        .zip(&inlined_legs)
        .map(|(through, inlined)| (through - inlined) * 1e9 / ios as f64)
        .collect();
    Ok(ModelRow {
        name: case.title().to_owned(),
        ios,
        per_cpu_second: a,
        inlined_per_cpu_second: b,
        traits_ns: median(&between).unwrap_or(f64::NAN),
        bar_per_cpu_second: bar,
        times_for_ten: ten.map_or(f64::NAN, |(long, short)| long / short),
        table_bytes: tables.map(|tables| tables.bytes.get()),
        table_bytes_a_page: tables
            .map(|tables| tables.bytes.get() as f64 / tables.pages.max(1) as f64),
    })
}

/// CPU seconds of one leg: the drive is prepared before.
fn leg(prepared: &mut Prepared, ios: u64) -> Result<f64, BenchmarkError> {
    let before = CpuTime::of_this_process();
    prepared
        .run(ios)
        .map_err(|why| BenchmarkError::Failed(why.to_string()))?;
    Ok(CpuTime::of_this_process()
        .since(before)
        .total()
        .as_secs_f64())
}

fn or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

/// The benchmark for people.
pub fn text(bench: &ModelBench) -> String {
    let mut out = String::new();
    // Writing to memory cannot fail.
    let _ = write(&mut out, bench);
    out
}

fn write(f: &mut String, bench: &ModelBench) -> fmt::Result {
    writeln!(
        f,
        "{:62} {:>11} {:>8} {:>9} {:>5} {:>9} {:>10} {:>7}",
        "simulated, one core, every I/O recorded",
        "M I/O/CPU-s",
        "inlined",
        "traits ns",
        "bar",
        "10x I/Os",
        "tables MiB",
        "B/page"
    )?;
    for row in &bench.rows {
        let bar = row
            .bar_per_cpu_second
            .map_or_else(|| "-".to_owned(), |b| format!("{:.1}", b / 1e6));
        writeln!(
            f,
            "{:62} {:>11.2} {:>8.2} {:>9.1} {:>5} {:>7.1} x {:>10} {:>7}",
            row.name,
            row.per_cpu_second / 1e6,
            row.inlined_per_cpu_second / 1e6,
            row.traits_ns,
            bar,
            row.times_for_ten,
            or_dash(row.table_bytes.map(|bytes| bytes as f64 / 1_048_576.0)),
            or_dash(row.table_bytes_a_page)
        )?;
    }
    Ok(())
}
