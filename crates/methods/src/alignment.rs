//! Alignment: small random writes at an aligned and at a misaligned offset.
//!
//! **What it measures.** The performance lost when partitions begin at sector 63, as created by Windows XP, so that
//! each file system block straddles two flash pages.
//!
//! **Who published it.** Reviewers, from 2009 on, with the 4K cell of CrystalDiskMark on a partition created by Windows
//! XP (31.5 KiB from the start) and on one that begins at a multiple of 4 KiB.
//!
//! **Protocol.** Two areas of 1000 MiB, the second shifted by 31.5 KiB. Each is written once sequentially, from its own
//! start, as a file in it would be. Then 4 KiB random writes at queue depth 1, at multiples of 4 KiB from the start of
//! the area: one discarded run and N counted ones of 5 s, of which the best counts, with the data of CrystalDiskMark 3.
//! First the aligned area, then the other. Reads are measured in the same way if requested. The ratio is misaligned
//! over aligned.
//!
//! **What it cannot tell.** Sequential I/Os and deep queues, where little or nothing is lost. A drive with a block size
//! of 4 KiB cannot be misaligned by 31.5 KiB at all: the method reports this and writes nothing.

use base::workload::Look;
use base::{
    Better, Bytes, Card, Comparable, Duration, Figure, Forecast, Group, Info, Latencies, Message,
    Needs, Op, Order, Setting, Settings, Span, Stop, Stopped, Takes,
};

use crate::figures::{Origin, valued};
use crate::mark_cell::{CLASSIC_DATA, Cell, RUNS, Runs, classic_fill, output};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, millis, part, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// I/Os after which a run checks its time.
const LOOKED_AFTER: u64 = 160;

static CARD: Card = Card {
    id: "alignment",
    title: "Alignment",
    publisher: "reviewers from 2009 on, with CrystalDiskMark's 4K cell on an aligned and a misaligned partition",
    summary: "4 KiB random writes in 1000 MiB at an aligned and at a misaligned offset: both speeds and their ratio.",
    version: 1,
    group: Group::Inside,
    short: "4 KiB writes aligned and misaligned, and their ratio",
    needs: &[Needs::Writing],
    shortest: &["size=4MiB", "time=20ms"],
    #[rustfmt::skip]
    settings: &[
        part("size", "size of each of the two areas", ["50MiB", "100MiB", "1000MiB"]),
        Setting::size("offset", "misalignment of the second area: XP's 63 sectors are 32256", Bytes::SECTOR..=Bytes::mib(1), ["32256"; 3]),
        RUNS,
        Setting::time("time", "length of a run, checked every 160 I/Os", millis(10)..=seconds(60), ["50ms", "500ms", "5s"]),
        CLASSIC_DATA,
        Setting::choice("reads", "also measure reads", &["no", "yes"], ["no"; 3]),
    ],
    ..Card::PLAIN
};

/// The aligned and the misaligned area; `None` where the target is too small, or its blocks too
/// large for the offset.
fn areas(settings: &Settings, on: &Info) -> Option<[Span; 2]> {
    let offset = settings.size("offset");
    let half = Bytes::new(on.capacity.saturating_sub(offset).get() / 2);
    let len = extent(settings, "size", on)
        .min(half)
        .round_down(Bytes::kib(4));
    let second = len.round_up(Bytes::mib(1)).min(on.capacity) + offset;
    let second = if second + len > on.capacity {
        len + offset
    } else {
        second
    };
    let good = offset.is_multiple_of(on.block)
        && Bytes::kib(4).is_multiple_of(on.block)
        && len >= Bytes::kib(64)
        && second + len <= on.capacity;
    good.then(|| [Span::first(len), Span::new(second, len)])
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let areas = areas(settings, on).map(Vec::from).unwrap_or_default();
    let ops = 1 + u64::from(settings.text("reads") == "yes");
    let runs = ops * (settings.count("runs") + 1);
    let of_an_area = |area: &Span| {
        let run = Takes::timed(settings.time("time")).and_accesses(LOOKED_AFTER);
        run.times(runs).and_moving(area.len)
    };
    let all = areas.iter().map(of_an_area);
    let takes = all.fold(Takes::default(), Takes::and);
    Forecast {
        takes: if on.writable { takes } else { Takes::default() },
        reads: None,
        writes: (!on.writable).then_some(Bytes::ZERO),
        extent: areas.last().map_or(Bytes::ZERO, Span::end),
        written: if on.writable { areas } else { Vec::new() },
        reads_as_found: false,
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if let Some(why) = cannot_be_misaligned(settings, &run.on) {
        return run.without_number("ratio.write", "%", Better::Higher, why);
    }
    if !run.on.writable {
        return run.not_writable("ratio.write", "%", Better::Higher);
    }
    let Some(areas) = areas(settings, &run.on) else {
        let capacity = ("capacity", run.on.capacity.into());
        let why = Message::new("why-no-two-areas", [capacity]);
        return run.without_number("ratio.write", "%", Better::Higher, why);
    };
    let ops = match settings.text("reads") {
        "yes" => vec![Op::Read, Op::Write],
        _ => vec![Op::Write],
    };
    let mut figures = Vec::new();
    let mut distributions = Vec::new();
    for (key, span) in ["aligned", "misaligned"].into_iter().zip(areas) {
        let fill = classic_fill(settings);
        run.write_in_order(&format!("{key} prepare"), span, fill)?;
        for op in &ops {
            let (cell, latencies) = measure(key, span, *op, run)?;
            figures.extend(cell);
            distributions.push((format!("{key} {}", op.name()), latencies));
        }
    }
    for op in &ops {
        figures.extend(ratio(*op, &figures));
    }
    let notes = vec![Message::of("note-best-as-crystaldiskmark")];
    run.output = output(figures, &distributions, notes);
    Ok(())
}

fn measure(
    key: &'static str,
    span: Span,
    op: Op,
    run: &mut Run<'_>,
) -> Result<(Vec<Figure>, Latencies), Stopped> {
    let settings = run.settings;
    let cell = Cell::new(key, Order::Random, Bytes::kib(4), 1, 1);
    let runs = Runs {
        span,
        counted: settings.count("runs"),
        time: settings.time("time"),
        pause: Duration::ZERO,
        fill: classic_fill(settings),
        flush: true,
        seed: settings.seed,
    };
    let stop = Stop {
        time: Some(runs.time),
        look: Look::EveryIos(LOOKED_AFTER as u32),
        ..Stop::default()
    };
    let reads = if op == Op::Read { 100 } else { 0 };
    cell.measure(run.bench, op.name(), op, reads, &runs, stop)
}

/// Misaligned over aligned, of the best runs.
fn ratio(op: Op, figures: &[Figure]) -> Option<Figure> {
    let of = |key: &str| {
        let key = format!("{key}.{}", op.name());
        figures.iter().find(|f| f.key == key)
    };
    let (aligned, misaligned) = (of("aligned")?, of("misaligned")?);
    let origin = Origin {
        phases: [&aligned.phases[..], &misaligned.phases].concat(),
        by: Comparable {
            alignment: String::new(),
            ..aligned.comparable_by.clone()
        },
    };
    let key = format!("ratio.{}", op.name());
    let figure = origin.figure(&key, "%", Better::Higher);
    let value = misaligned.value.zip(aligned.value);
    let percent = value.map(|(m, a)| 100.0 * m / a);
    Some(valued(
        figure,
        percent,
        Message::of("made-misaligned"),
        aligned.n,
    ))
}

/// Why a target cannot be misaligned, where no I/O can begin inside one of its blocks.
fn cannot_be_misaligned(settings: &Settings, on: &Info) -> Option<Message> {
    let offset = settings.size("offset");
    let fits = offset.is_multiple_of(on.block) && Bytes::kib(4).is_multiple_of(on.block);
    (!fits).then(|| {
        let places = [("block", on.block.into()), ("offset", offset.into())];
        Message::new("why-never-misaligned", places)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, drive, output_of, settings, value};
    use base::bench::Bench;
    use base::method::Scale;
    use base::null::Null;

    #[test]
    fn both_areas_are_alike_but_for_their_offset() {
        let settings = settings("alignment", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("alignment", &settings, &mut bench);
        let spans: Vec<Span> = bench
            .phases
            .iter()
            .filter(|p| p.name.ends_with("prepare"))
            .map(|p| p.workload.jobs[0].span)
            .collect();
        assert_eq!(spans[0], Span::first(Bytes::mib(50)));
        assert_eq!(spans[1].start, Bytes::mib(50) + Bytes::new(32_256));
        assert!((value(&output, "ratio.write") - 100.0).abs() < 1.0);
        assert!((value(&output, "misaligned.write") - 40.96).abs() < 0.5);
    }

    #[test]
    fn a_drive_of_4_kib_blocks_cannot_be_misaligned_and_is_not_written() {
        for writable in [true, false] {
            let settings = settings("alignment", Scale::Quick, &[]);
            let mut bench = BenchDouble::new(drive().with_block(Bytes::kib(4)));
            bench.writable = writable;
            let forecast = cost(&settings, &bench.info());
            let output = output_of("alignment", &settings, &mut bench);
            let why = output.figures[0].why_not.as_ref().unwrap();
            assert!(why.contains("4 KiB") && why.contains("misaligned"), "{why}");
            assert!(bench.phases.is_empty() && forecast.written.is_empty());
        }
    }

    #[test]
    fn a_target_too_small_for_two_areas_gets_a_reason() {
        let settings = settings("alignment", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(Null::new(Bytes::kib(64), SERVICE));
        let output = output_of("alignment", &settings, &mut bench);
        assert!(output.figures[0].why_not.is_some() && bench.phases.is_empty());
    }
}
