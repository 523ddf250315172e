//! Iometer: a server's mix of I/Os at a fixed queue depth.
//!
//! **What it measures.** IOPS, MiB/s, and mean and longest response, by reads and by writes, under an access
//! specification: a list of sizes with their shares, the share of reads and the share of random I/Os.
//!
//! **Who published it.** Intel, then the Iometer project (versions 2006.07.27 to 1.1.0). The specifications *file
//! server*, *web server*, *database* and *workstation* are those of the profile that reviewers shared (Tom's Hardware,
//! "Tom's HDD Charts 2009: A New Test Environment", prints them as a table); *all in one* is in Iometer's own source
//! (`AccessSpecList.cpp`): 512 B, 4, 16 and 32 KiB, each with 100, 75, 50, 25 and 0 % reads, 5 % of the I/Os each, all
//! sequential.
//!
//! **Protocol.** The span is written once sequentially, like Iometer's own test file. One worker keeps 1 or 32 I/Os in
//! flight; they are aligned only to sectors of 512 bytes, so that most 4 KiB I/Os straddle two flash pages. The run
//! follows a ramp-up that is not counted. The specifications of an Iometer configuration (`.icf`) are read with
//! `spec-file`, each with its own alignment, delay and burst. MiB are 2^20 bytes. Maximum and mean response are in ms.
//!
//! **What it cannot tell.** Where the time goes: sizes are mixed, and one figure covers all of them. The worker stops
//! between ramp-up and run, whereas Iometer's continues. Its "reply" size and CPU figures have no counterpart here.

use base::{
    Bench, Better, Bytes, Card, Duration, Figure, Fill, Forecast, Group, Info, Job, Latencies,
    Message, Method, MethodOutput, Op, Order, Pacing, PhaseRecord, Rate, Setting, Settings, Span,
    Stop, Stopped, Takes, Workload,
};
use std::borrow::Cow;

use base::input::{BadInput, Inputs, Reader};
use base::record::OpRecord;
use base::whole_file;
use base::workload::{Access, MOST_OWN, OwnOrder};

use crate::areas::{forecast, prepared};
use crate::chart::responses;
use crate::figures::{Of, Origin, valued};
use crate::run::Run;
use crate::shared_settings::{PREPARE, SPAN, extent, millis, prepares, seconds};

mod icf;

pub(crate) struct Iometer;

/// Size in bytes, share of the I/Os in per cent, reads of 100 such I/Os.
type Line = (u64, u32, u8);

/// An access specification, as Iometer's `.icf` files list it.
#[derive(Clone, Debug)]
struct Specification {
    /// The first part of its figures' keys.
    key: Cow<'static, str>,
    /// The kinds of I/Os.
    lines: Cow<'static, [Line]>,
    /// Percentage of I/Os that go anywhere.
    random_percent: u8,
    /// The worker's settings in a file; they replace those of the method.
    worker: Option<Worker>,
    /// For each kind of I/O, if they differ: the percentage that is random, and the alignment of offsets.
    own: Cow<'static, [(u8, Option<Bytes>)]>,
}

/// How a worker operates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Worker {
    /// Rest after each burst.
    delay: Duration,
    /// I/Os in a burst.
    burst: u32,
    /// Alignment of offsets; sectors by default.
    align: Option<Bytes>,
}

const FILE_SERVER: Specification = Specification {
    key: Cow::Borrowed("file-server"),
    lines: Cow::Borrowed(&[
        (512, 10, 80),
        (1_024, 5, 80),
        (2_048, 5, 80),
        (4_096, 60, 80),
        (8_192, 2, 80),
        (16_384, 4, 80),
        (32_768, 4, 80),
        (65_536, 10, 80),
    ]),
    random_percent: 100,
    worker: None,
    own: Cow::Borrowed(&[]),
};

const WEB_SERVER: Specification = Specification {
    key: Cow::Borrowed("web-server"),
    lines: Cow::Borrowed(&[
        (512, 22, 100),
        (1_024, 15, 100),
        (2_048, 8, 100),
        (4_096, 23, 100),
        (8_192, 15, 100),
        (16_384, 2, 100),
        (32_768, 6, 100),
        (65_536, 7, 100),
        (131_072, 1, 100),
        (524_288, 1, 100),
    ]),
    random_percent: 100,
    worker: None,
    own: Cow::Borrowed(&[]),
};

const DATABASE: Specification = Specification {
    key: Cow::Borrowed("database"),
    lines: Cow::Borrowed(&[(8_192, 100, 67)]),
    random_percent: 100,
    worker: None,
    own: Cow::Borrowed(&[]),
};

const WORKSTATION: Specification = Specification {
    key: Cow::Borrowed("workstation"),
    lines: Cow::Borrowed(&[(8_192, 100, 80)]),
    random_percent: 80,
    worker: None,
    own: Cow::Borrowed(&[]),
};

const ALL_IN_ONE: Specification = Specification {
    key: Cow::Borrowed("all-in-one"),
    lines: Cow::Borrowed(&[
        (512, 5, 100),
        (512, 5, 75),
        (512, 5, 50),
        (512, 5, 25),
        (512, 5, 0),
        (4_096, 5, 100),
        (4_096, 5, 75),
        (4_096, 5, 50),
        (4_096, 5, 25),
        (4_096, 5, 0),
        (16_384, 5, 100),
        (16_384, 5, 75),
        (16_384, 5, 50),
        (16_384, 5, 25),
        (16_384, 5, 0),
        (32_768, 5, 100),
        (32_768, 5, 75),
        (32_768, 5, 50),
        (32_768, 5, 25),
        (32_768, 5, 0),
    ]),
    random_percent: 0,
    worker: None,
    own: Cow::Borrowed(&[]),
};

/// The word for no file.
const NONE: &str = "none";
/// A configuration is a few KiB long.
const MOST_OF_A_FILE: Bytes = Bytes::mib(1);

static CARD: Card = Card {
    id: "iometer",
    title: "Iometer",
    publisher: "Intel and the Iometer project, 2006.07.27 to 1.1.0",
    summary: "A server's mix of I/O sizes, reads and writes, at queue depth 1 and 32, aligned to sectors: IOPS, MiB/s, mean and longest response.",
    version: 1,
    group: Group::Program,
    short: "Server mixes: IOPS and response, depth 1 and 32",
    shortest: &["span=8MiB", "time=20ms"],
    #[rustfmt::skip]
    settings: &[
        Setting::choice("spec", "access specification", &["file-server", "web-server", "database", "workstation", "all-in-one", "all"], ["file-server"; 3]),
        Setting::file("spec-file", "access specifications from an Iometer configuration (.icf) instead of spec, with their own alignment, delay and burst", "an Iometer configuration", &[NONE], [NONE; 3]),
        Setting::choice("depth", "queue depth", &["1-and-32", "1", "2", "4", "8", "16", "32", "64", "128", "256"], ["1-and-32"; 3]),
        SPAN.with_values(["256MiB", "8GiB", "whole"]),
        PREPARE,
        Setting::size("align", "offsets are multiples of this (or of the target's block size if that is larger)", Bytes::SECTOR..=Bytes::mib(1), ["512"; 3]),
        Setting::time("delay", "idle time after each burst", seconds(0)..=seconds(60), ["0"; 3]),
        Setting::count("burst", "I/Os in a burst", 1..=65_536, ["1"; 3]),
        Setting::time("ramp", "ramp-up before the run, not counted", seconds(0)..=seconds(3_600), ["0", "1s", "30s"]),
        Setting::time("time", "length of the run", millis(10)..=seconds(86_400), ["100ms", "5s", "60s"]),
        Setting::choice("ops", "as-specified skips the writes on a read-only target; read makes all I/Os reads", &["as-specified", "read"], ["as-specified"; 3]),
    ],
    ..Card::PLAIN
};

fn specifications(word: &str) -> Vec<Specification> {
    let all = [FILE_SERVER, WEB_SERVER, DATABASE, WORKSTATION, ALL_IN_ONE];
    all.into_iter()
        .filter(|spec| word == "all" || spec.key == word)
        .collect()
}

/// Whether the specifications come from a file.
fn from_file(settings: &Settings) -> bool {
    settings.text("spec-file") != NONE
}

/// The specifications of a file, whose path is in the settings.
fn of_file(file: Reader, settings: &Settings) -> Result<Vec<Specification>, BadInput> {
    let path = settings.text("spec-file").to_owned();
    let bytes = match whole_file::up_to(file, MOST_OF_A_FILE) {
        Ok(bytes) => bytes,
        Err(why) => {
            let (key, why) = ("spec-file".to_owned(), why.to_string());
            return Err(BadInput::Unreadable { key, path, why });
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    icf::parse(&text).map_err(|bad| BadInput::Line {
        path,
        line: bad.line,
        what: bad.what,
    })
}

fn depths(settings: &Settings) -> Vec<u32> {
    match settings.text("depth") {
        "1-and-32" => vec![1, 32],
        one => one.parse().into_iter().collect(),
    }
}

/// Whether a run may write.
fn mixes(settings: &Settings, on: &Info) -> bool {
    on.writable && settings.text("ops") == "as-specified"
}

fn writes(settings: &Settings, on: &Info) -> bool {
    mixes(settings, on) || prepares(settings, on)
}

impl Specification {
    /// Per cent of the bytes that are read.
    fn reads(&self) -> u64 {
        let of = |share: fn(&Line) -> u64| self.lines.iter().map(share).sum::<u64>();
        let all = of(|line| line.0 * u64::from(line.1));
        let read = of(|line| line.0 * u64::from(line.1) * u64::from(line.2));
        read / all.max(1)
    }

    fn order(&self, settings: &Settings, on: &Info) -> Order {
        if !self.own.is_empty() {
            let mut own = [OwnOrder::default(); MOST_OWN];
            for (own, (random_percent, align)) in own.iter_mut().zip(self.own.iter()) {
                let align = align.unwrap_or_else(|| settings.size("align"));
                *own = OwnOrder {
                    random_percent: *random_percent,
                    align: align.round_up(on.block),
                };
            }
            return Order::ByAccess { own };
        }
        match self.random_percent {
            0 => Order::Sequential,
            100 => Order::Random,
            random_percent => Order::Partly { random_percent },
        }
    }

    /// One worker's job.
    fn job(&self, span: Span, depth: u32, settings: &Settings, on: &Info) -> Job {
        let mixes = mixes(settings, on);
        let access = |&(size, weight, read_percent): &(u64, u32, u8)| Access {
            weight,
            size: Bytes::new(size).round_up(on.block),
            read_percent: if mixes { read_percent } else { 100 },
            trims: false,
        };
        let order = self.order(settings, on);
        let mut job = Job::closed(&self.key, Op::Read, order, span, on.block, depth);
        job.accesses = self.lines.iter().map(access).collect();
        let worker = self.worker.unwrap_or_else(|| Worker {
            delay: settings.time("delay"),
            burst: u32::try_from(settings.count("burst")).unwrap_or(1),
            align: None,
        });
        let align = worker.align.unwrap_or_else(|| settings.size("align"));
        job.align = align.round_up(on.block);
        job.fill = Fill::FRESH;
        job.pacing = Pacing::Closed {
            depth,
            think: worker.delay,
            burst: worker.burst,
        };
        job
    }

    /// Ramp-up and run at one depth.
    fn measure(&self, depth: u32, span: Span, run: &mut Run<'_>) -> Result<(), Stopped> {
        let (settings, on) = (run.settings, run.on);
        let phase = format!("{} qd{depth}", self.key);
        let work = |time, salt| {
            let stop = Stop::after_time(time);
            let seed = base::rng::splitmix64(settings.seed ^ salt ^ u64::from(depth) << 8);
            Workload::single(self.job(span, depth, settings, &on), stop, seed)
        };
        let ramp = settings.time("ramp");
        if !ramp.is_zero() {
            run.bench.phase(&format!("{phase} ramp"), &work(ramp, 1))?;
        }
        let record = run.bench.phase(&phase, &work(settings.time("time"), 0))?;
        self.add_figures(depth, record, &mut run.output);
        Ok(())
    }

    fn add_figures(&self, depth: u32, record: &PhaseRecord, into: &mut MethodOutput) {
        let (reads, writes) = (record.of(Op::Read), record.of(Op::Write));
        let mut total = reads.clone();
        total.ios += writes.ios;
        total.bytes += writes.bytes;
        total.service.merge(&writes.service);
        let kinds = [("total", &total), ("read", &reads), ("write", &writes)];
        let mut distributions: Vec<(&str, &Latencies)> = Vec::new();
        for (name, op) in kinds
            .into_iter()
            .filter(|(name, op)| op.ios > 0 || *name == "total")
        {
            let key = format!("{}.qd{depth}.{name}", self.key);
            into.figures.extend(figures(&key, op, record));
            if name != "total" {
                distributions.push((name, &op.service));
            }
        }
        let chart = responses(&format!("{}.qd{depth}.response", self.key), &distributions);
        into.charts.push(chart);
    }
}

fn figures(key: &str, op: &OpRecord, record: &PhaseRecord) -> Vec<Figure> {
    let origin = Origin::of(record);
    let seconds = record.took.as_secs_f64();
    let per_second = (seconds > 0.0).then(|| op.ios as f64 / seconds);
    let rate = Rate::of(op.bytes, record.took).map(|r| r.mib_s());
    let start =
        |suffix: &str, unit: &str| origin.figure(&format!("{key}.{suffix}"), unit, Better::Higher);
    let response = |suffix: &str, of| {
        let key = format!("{key}.response.{suffix}");
        origin.latency(&key, "ms", of, &op.service)
    };
    vec![
        valued(start("iops", "IOPS"), per_second, "mean", op.ios),
        valued(start("rate", "MiB/s"), rate, "mean", op.ios),
        response("mean", Of::Mean),
        response("max", Of::Max),
    ]
}

impl Method for Iometer {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn survey(
        &self,
        settings: &mut Settings,
        _: &Info,
        inputs: &dyn Inputs,
    ) -> Result<(), BadInput> {
        if from_file(settings) {
            let found = of_file(inputs.open("spec-file")?, settings)?.len() as u64;
            if let Some(input) = settings.inputs.get_mut("spec-file") {
                input.noted = found.into();
            }
        }
        Ok(())
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let each = settings.time("ramp") + settings.time("time");
        let runs = if from_file(settings) {
            let noted = settings.input("spec-file");
            Takes::timed(each).times(noted.and_then(|input| input.noted.as_u64()).unwrap_or(1))
        } else {
            let all = specifications(settings.text("spec")).into_iter();
            let each = all.map(|specification| Takes::mixed_for(each, specification.reads()));
            each.fold(Takes::default(), Takes::and)
        };
        let span = extent(settings, "span", on);
        let takes = runs
            .times(depths(settings).len() as u64)
            .and_moving(prepared(span, prepares(settings, on)));
        forecast(span, writes(settings, on), takes)
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let mut run = Run::new(settings, bench);
        let span = run.extent("span");
        run.prepare(span)?;
        let specifications = if from_file(settings) {
            of_file(run.bench.input("spec-file")?, settings)?
        } else {
            specifications(settings.text("spec"))
        };
        let lines = specifications.iter().flat_map(|spec| spec.lines.iter());
        let sizes: Vec<Bytes> = lines.map(|line| Bytes::new(line.0)).collect();
        run.tell_grown(&sizes);
        for spec in specifications {
            for depth in depths(settings) {
                spec.measure(depth, span, &mut run)?;
            }
        }
        if !mixes(settings, &run.on) {
            let note = Message::of("note-specification-writes-left-out");
            run.output.notes.push(note);
        }
        Ok(run.output)
    }
}

#[cfg(test)]
mod tests;
