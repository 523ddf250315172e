//! Replay: what another computer asked of another drive, asked of this one.
//!
//! **What it measures.** Response times, I/Os a second and MB/s (10^6) under a recorded sequence of I/Os,
//! and how faithful the replay was: by how much I/Os were sent after their time.
//!
//! **Who published it.** The formats are their tools' own: the text of `blkparse`, fio's iolog in versions 2
//! and 3, the csv of the MSR Cambridge traces, the ascii formats of MQSim and DiskSim. Replaying a trace at
//! its times, scaled or as fast as possible is what fio's `read_iolog` and btreplay do, too.
//!
//! **Protocol.** The format is told from the first lines, or by the setting `format`; a file that ends in
//! `.gz` is unpacked as it is read. Without a file, a small trace is replayed that drivelab makes itself: four
//! clients of a server in 256 MiB over ten seconds, from a seeded program; it represents no real workload. A
//! file is read twice, line by line, and never held whole; a malformed line is found before anything is
//! measured. `timing=original`: an I/O is due as long after the first one as it was in the trace, divided
//! by `speed`, and its response time counts from then. `timing=as-fast-as-possible`: sent as soon as fewer
//! than `depth` are in flight. With `dependencies=kept`, in both, an I/O is not sent before all I/Os are
//! complete that were complete in the trace when it was sent there. blkparse and MSR tell completions; of
//! the other formats no dependency is known, and the order of the sends alone is kept. Addresses: see the
//! setting `addresses`; offsets and ends are rounded outwards to the target's blocks. Drives that one trace
//! names are laid over one another.
//!
//! **What it cannot tell.** Whether an I/O that followed another did so because of it. A trace was made on a
//! drive that was slower or faster, by a host that would have done something else on this one.

use base::bench::{Bench, Stopped};
use base::input::{BadInput, Inputs, Reader as File};
use base::io::{Fill, Op};
use base::message::{Argument, Message};
use base::method::{Card, Forecast, Group, Method, Setting, Settings, Takes};
use base::record::{Latencies, PhaseRecord};
use base::result::{Better, Comparable, Figure, MethodOutput};
use base::rng::splitmix64;
use base::run::{Replay, ReplayPace};
use base::size::{Bytes, Rate};
use base::target::Info;
use base::time::Duration;
use base::trace::{BadTrace, Source, Traced};
use base::workload::Span;
use traces::{Format, Reader, Survey};

use crate::areas::without_number;
use crate::chart::{latency_over_time, responses};
use crate::figures::{Of, conditions, figure, latency, valued};
use crate::shared_settings::{DATA, SPAN, extent, fill_of, seconds};

mod fit;
mod shipped;

use fit::{Beyond, Fit, unfit};
use shipped::Shipped;

pub(crate) struct TraceReplay;

/// The word for the trace that drivelab makes.
const SHIPPED: &str = "shipped";

static CARD: Card = Card {
    id: "replay",
    title: "Trace replay",
    title_ja: "トレース再生",
    publisher: "drivelab; formats of blktrace, fio, MSR Cambridge, MQSim and DiskSim",
    summary: "A recorded sequence of I/Os at its original times, scaled, or as fast as the drive takes them, with dependencies kept: response times, IOPS, MB/s, and how late I/Os were sent.",
    version: 1,
    group: Group::Work,
    short: "A recorded trace, at its times or as fast as it goes",
    shortest: &["span=8MiB", "addresses=wrap", "until=100ms", "speed=4"],
    #[rustfmt::skip]
    settings: &[
        Setting::file("trace", "the trace", "a trace", &[SHIPPED], [SHIPPED; 3]),
        Setting::choice("format", "the trace's format; auto tells it from the first lines", &["auto", "blkparse", "fio-v2", "fio-v3", "msr", "mqsim", "disksim"], ["auto"; 3]),
        Setting::choice("timing", "when I/Os are sent", &["original", "as-fast-as-possible"], ["original"; 3]),
        Setting::factor("speed", "times of the trace are divided by this: 2 is twice as fast", 0.001..=1_000_000.0, ["1"; 3]),
        Setting::count("depth", "most I/Os in flight where they are sent as fast as possible", 1..=4_096, ["32"; 3]),
        Setting::choice("dependencies", "kept: an I/O waits for those that had been complete in the trace when it was sent", &["kept", "none"], ["kept"; 3]),
        Setting::choice("addresses", "what becomes of a trace that reaches beyond the part in use", Beyond::WORDS, ["refuse"; 3]),
        SPAN,
        Setting::time("until", "only what was sent in the first so long of the trace; 0 is all", seconds(0)..=seconds(366 * 86_400), ["2s", "0", "0"]),
        Setting::choice("ops", "as-recorded leaves out what writes where the target may not be written; read always does", &["as-recorded", "read"], ["as-recorded"; 3]),
        DATA,
    ],
    ..Card::PLAIN
};

/// The format that is asked for; `None` if it is to be found from the text.
fn format_of(settings: &Settings) -> Option<Format> {
    Format::named(settings.text("format"))
}

fn is_shipped(settings: &Settings) -> bool {
    settings.text("trace") == SHIPPED
}

fn writes(settings: &Settings, on: &Info) -> bool {
    on.writable && settings.text("ops") == "as-recorded"
}

/// The part of a trace that `until` leaves.
fn first_part<'a>(trace: Source<'a>, settings: &Settings) -> Source<'a> {
    let until = settings.time("until");
    if until.is_zero() {
        return trace;
    }
    let mut began = None;
    Box::new(trace.take_while(move |traced| match traced {
        Ok(traced) => {
            let began = *began.get_or_insert(traced.sent.at);
            traced.sent.at.saturating_sub(began) < until
        }
        Err(_) => true,
    }))
}

fn parsed(file: File, settings: &Settings) -> Result<Source<'static>, BadTrace> {
    let (reader, _) = Reader::new(file, format_of(settings))?;
    Ok(Box::new(reader))
}

fn bad_line(settings: &Settings, bad: BadTrace) -> BadInput {
    BadInput::Line {
        path: settings.text("trace").to_owned(),
        line: bad.line,
        what: bad.what,
    }
}

/// What the trace holds: as it was noted, or of the shipped one.
fn survey_of(settings: &Settings) -> Survey {
    if is_shipped(settings) {
        let trace = first_part(Box::new(Shipped::new()), settings);
        return Survey::of(trace).unwrap_or_default();
    }
    let noted = settings.input("trace").map(|input| &input.noted);
    noted.and_then(Survey::of_note).unwrap_or_default()
}

fn fitted(survey: &Survey, settings: &Settings, on: &Info) -> Result<Fit, BadInput> {
    let path = settings.text("trace");
    if survey.ios() == 0 {
        return Err(unfit(path, "there is no I/O in it".to_owned()));
    }
    let beyond = Beyond::named(settings.text("addresses"));
    let part = extent(settings, "span", on);
    Fit::new(survey, part, beyond, on).map_err(|what| unfit(path, what))
}

impl Method for TraceReplay {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn survey(
        &self,
        settings: &mut Settings,
        on: &Info,
        inputs: &dyn Inputs,
    ) -> Result<(), BadInput> {
        if !is_shipped(settings) {
            let trace = parsed(inputs.open("trace")?, settings);
            let survey = trace.and_then(|trace| Survey::of(first_part(trace, settings)));
            let note = survey.map_err(|bad| bad_line(settings, bad))?.note();
            if let Some(input) = settings.inputs.get_mut("trace") {
                input.noted = note;
            }
        }
        fitted(&survey_of(settings), settings, on).map(|_| ())
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let survey = survey_of(settings);
        let (start, end) = match fitted(&survey, settings, on) {
            Ok(fit) => fit.touched(&survey),
            Err(_) => (Bytes::ZERO, extent(settings, "span", on)),
        };
        let may_write = writes(settings, on);
        let writes = may_write && survey.writes + survey.trims > 0;
        // Rounding to blocks adds two of them at most to each.
        let rounded = |bytes: Bytes, ios: u64| {
            bytes.saturating_add(Bytes::new(on.block.get().saturating_mul(2 * ios)))
        };
        let timed = settings.text("timing") == "original";
        let time = survey.lasts.as_secs_f64() / settings.factor("speed");
        let read = rounded(survey.read_bytes, survey.reads);
        let written = if may_write {
            rounded(survey.written_bytes, survey.writes)
        } else {
            Bytes::ZERO
        };
        let takes = if timed {
            Takes::timed(Duration::from_secs_f64(time))
        } else {
            Takes::moving(read.saturating_add(written)).and_accesses(survey.ios())
        };
        Forecast {
            takes,
            reads: Some(read),
            writes: Some(written),
            written: writes
                .then(|| Span::new(start, end - start))
                .into_iter()
                .collect(),
            reads_as_found: !read.is_zero(),
            extent: end,
        }
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let on = bench.info();
        let survey = survey_of(settings);
        let fit = fitted(&survey, settings, &on)?;
        let (start, end) = fit.touched(&survey);
        let may_write = writes(settings, &on);
        let left = if may_write { survey } else { survey.of_reads() };
        let left = left.in_blocks(on.block);
        if left.ios() == 0 {
            let why = Message::of("why-trace-only-writes");
            return Ok(without_number("iops", "IOPS", Better::Higher, why));
        }
        let fill = fill_of(settings);
        let timed = settings.text("timing") == "original";
        let depth = u32::try_from(settings.count("depth")).unwrap_or(1);
        let span = Span::new(start, end - start);
        let replay = Replay {
            name: "replay".to_owned(),
            pace: if timed {
                ReplayPace::Timed {
                    speed: settings.factor("speed"),
                }
            } else {
                ReplayPace::Unpaced
            },
            dependencies: settings.text("dependencies") == "kept",
            workload: left.workload("replay", span, (!timed).then_some(depth), fill),
        };
        let trace = if is_shipped(settings) {
            Box::new(Shipped::new())
        } else {
            let trace = parsed(bench.input("trace")?, settings);
            trace.map_err(|bad| bad_line(settings, bad))?
        };
        let asked = asked(
            first_part(trace, settings),
            fit,
            may_write,
            fill,
            settings.seed,
        );
        let record = bench.replay(&replay, asked)?;
        let mut output = add_figures(record, &conditions(&replay.workload));
        output.notes = notes(&left, may_write, &on, &replay);
        Ok(output)
    }
}

/// The trace as it is asked of the target.
fn asked<'a>(trace: Source<'a>, fit: Fit, may_write: bool, fill: Fill, seed: u64) -> Source<'a> {
    let mut number = seed;
    let kept = trace.filter(move |traced| match traced {
        Ok(traced) => may_write || traced.io.op == Op::Read,
        Err(_) => true,
    });
    Box::new(kept.map(move |traced| {
        traced.map(|traced| {
            let mut io = fit.io(traced.io);
            if io.op == Op::Write {
                number = number.wrapping_add(1);
                io.fill = fill;
                io.stamp = splitmix64(number);
            }
            Traced { io, ..traced }
        })
    }))
}

fn notes(survey: &Survey, may_write: bool, on: &Info, replay: &Replay) -> Vec<Message> {
    let mut notes = Vec::new();
    if !may_write {
        notes.push(Message::of("note-trace-writes-left-out"));
    }
    if survey.drives > 1 {
        let drives = Argument::text(survey.drives);
        notes.push(Message::new("note-trace-drives", [("drives", drives)]));
    }
    if replay.dependencies && survey.completions == 0 {
        notes.push(Message::of("note-trace-completions"));
    }
    if !survey.granule.is_multiple_of(on.block) {
        let block = on.block.into();
        notes.push(Message::new("note-trace-rounded", [("block", block)]));
    }
    notes
}

fn add_figures(record: &PhaseRecord, by: &Comparable) -> MethodOutput {
    let mut output = MethodOutput::default();
    let phases = [record.name.clone()];
    let start = |key: &str, unit: &str, better| figure(key, unit, better, by, &phases);
    let figures = &mut output.figures;
    figures.push(valued(
        start("iops", "IOPS", Better::Higher),
        record.iops(),
        "mean",
        record.ios(),
    ));
    figures.push(valued(
        start("took", "s", Better::Lower),
        Some(record.took.as_secs_f64()),
        "total",
        record.ios(),
    ));
    let mut distributions: Vec<(&str, Latencies)> = Vec::new();
    for op in [Op::Read, Op::Write] {
        let of = record.of(op);
        if of.ios == 0 {
            continue;
        }
        let rate = Rate::of(of.bytes, record.took).map(|rate| rate.mb_s());
        let key = format!("{}.rate", op.name());
        figures.push(valued(
            start(&key, "MB/s", Better::Higher),
            rate,
            "mean",
            of.ios,
        ));
        for (suffix, statistic) in [
            ("mean", Of::Mean),
            ("median", Of::Percentile(50.0)),
            ("p99", Of::Percentile(99.0)),
            ("worst", Of::Max),
        ] {
            let key = format!("{}.response.{suffix}", op.name());
            figures.push(latency(&key, "us", statistic, of.felt(), by, &phases));
        }
        distributions.push((op.name(), of.felt().clone()));
    }
    figures.extend(fidelity(record, by, &phases));
    output.charts.push(responses("response", &distributions));
    output
        .charts
        .push(latency_over_time("latency", &[("", record.job())]));
    output
}

/// How late I/Os were sent. Of the drive it says nothing: neither higher nor lower is better.
fn fidelity(record: &PhaseRecord, by: &Comparable, phases: &[String]) -> Vec<Figure> {
    let kept = record.traced.clone().unwrap_or_default();
    let mut figures: Vec<Figure> = [
        ("late.median", Of::Percentile(50.0)),
        ("late.p99", Of::Percentile(99.0)),
        ("late.worst", Of::Max),
    ]
    .into_iter()
    .map(|(key, of)| latency(key, "us", of, &kept.late, by, phases))
    .collect();
    let share = (kept.late.count() > 0)
        .then(|| 100.0 * kept.late_over_1ms as f64 / kept.late.count() as f64);
    figures.push(valued(
        figure("late.over_1ms", "%", Better::None, by, phases),
        share,
        Message::of("made-share"),
        kept.late.count(),
    ));
    for figure in &mut figures {
        figure.better = Better::None;
        if figure.value.is_none() {
            figure.why_not = Some(Message::of("why-times-not-kept"));
        }
    }
    let count = Some(kept.held_back as f64);
    figures.push(valued(
        figure("held_back", "I/Os", Better::None, by, phases),
        count,
        "count",
        kept.sent,
    ));
    figures
}

#[cfg(test)]
mod tests;
