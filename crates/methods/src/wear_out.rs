//! Wear-out: writing to a modelled drive until it refuses.
//!
//! **What it measures.** How much can be written before a drive turns read-only, and whether all its data is still
//! readable then.
//!
//! **Who published it.** Makers describe it (a drive that turns read-only before its writable capacity would fall below
//! the rated one, without data loss); endurance tests in the press did it to real drives.
//!
//! **Protocol.** The extent is written sequentially, pass after pass, until a pass has failed writes or the maximum
//! number of passes is reached. Then everything is read once. To start with a drive near its end of life use the state
//! in the target's name. Before the first pass and after each completed one the drive's health is queried, as by a user
//! who waits for a warning.
//!
//! **What it cannot tell.** It is refused on a real drive, with any consent: there, the drive's own health report says
//! what is left. Whether the data read equals the data written is not checked: a modelled drive stores no bytes.

use base::{
    Argument, Bench, Better, Bytes, Card, Comparable, Figure, Forecast, Group, Info, Message,
    Needs, OnModels, Op, PhaseRecord, Rate, Setting, Settings, Span, Stopped, Takes, Workload,
};

use crate::areas::{ONE_PASS, forecast, in_order, prepared};
use crate::chart::{rate_over_time, responses};
use crate::figures::{Origin, or_why, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, part};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "wear-out",
    title: "Wear-out (modelled drives only)",
    publisher: "after makers' descriptions of the end of life",
    summary: "Writes pass after pass until the drive turns read-only, then reads everything. For modelled drives; refused on real ones.",
    version: 1,
    writes: true,
    files: false,
    on_models: OnModels::Only,
    group: Group::Inside,
    short: "Writes until the drive turns read-only",
    needs: &[
        Needs::Flash("its platters do not wear out by writes"),
        Needs::Writing,
    ],
    shortest: &["extent=16MiB"],
    #[rustfmt::skip]
    settings: &[
        part("extent", "how much is written in each pass, from the start", ["64MiB", "whole", "whole"]),
        Setting::count("passes", "maximum number of passes", 1..=1_000_000, ["2", "1", "100000"]),
        Setting::size("block", "bytes per I/O", Bytes::kib(4)..=Bytes::mib(16), ["1MiB"; 3]),
    ],
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "extent", on);
    let passes = if on.writable {
        settings.count("passes")
    } else {
        0
    };
    let written = Bytes::new(extent.get().saturating_mul(passes));
    let takes = Takes::moving(written).and_moving(prepared(extent, on.writable));
    Forecast {
        reads: Some(extent),
        writes: Some(written),
        ..forecast(extent, on.writable, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("written", "GB", Better::Higher);
    }
    let span = run.extent("extent");
    let mut worn = Worn {
        error_rate: read_error_rate(run.bench),
        ..Worn::default()
    };
    for pass in 1..=settings.count("passes") {
        let work = work(Op::Write, span, pass, settings, &run.on);
        let record = run.bench.phase(&format!("write pass {pass}"), &work)?;

        worn.pass(record);
        if worn.refused > 0 {
            break;
        }
        worn.error_rate = read_error_rate(run.bench);
    }
    let reading = work(Op::Read, span, 0, settings, &run.on);
    let record = run.bench.phase("read everything", &reading)?;
    let read = record.of(Op::Read);
    run.output.figures = worn.figures(settings.count("passes"));
    let figures = read_figures(record, span, worn.origin.by);
    run.output.figures.extend(figures);
    run.output.charts = vec![
        rate_over_time("read.rate", record.job()),
        responses("read.response", &[("read", &read.service)]),
    ];
    Ok(())
}

/// The drive's own word on its read errors: 100 for new flash.
fn read_error_rate(bench: &mut dyn Bench) -> Option<f64> {
    bench.model()?;
    bench.health()?.read_error_rate
}

fn work(op: Op, span: Span, pass: u64, settings: &Settings, on: &Info) -> Workload {
    let block = settings.size("block").max(on.block);
    let job = in_order(op.name(), op, span, block, 4);
    let seed = base::rng::splitmix64(settings.seed ^ pass);
    Workload::single(job, ONE_PASS, seed)
}

/// What was written until the drive refused.
#[derive(Default)]
struct Worn {
    written: Bytes,
    passes: u64,
    refused: u64,
    /// Rate of the first pass and of the last whole one.
    rates: (Option<f64>, Option<f64>),
    /// The drive's report about read errors when it last accepted all writes.
    error_rate: Option<f64>,
    origin: Origin,
}

impl Worn {
    fn pass(&mut self, record: &PhaseRecord) {
        self.written += record.bytes();
        self.passes += 1;
        self.refused = record.errors();
        let rate = record.rate().map(Rate::mb_s);
        if self.refused == 0 {
            self.rates = (self.rates.0.or(rate), rate);
        }
        self.origin.add(record);
    }

    fn figures(&self, most: u64) -> Vec<Figure> {
        let start = |key: &str, unit: &str, better| self.origin.figure(key, unit, better);
        let worn = self.refused > 0;
        let written = self.written.get() as f64 / 1e9;
        let mut until = valued(
            start("written", "GB", Better::Higher),
            (worn && written > 0.0).then_some(written),
            Message::of("made-until-refused"),
            self.passes,
        );
        if worn && written <= 0.0 {
            until.why_not = Some(Message::of("why-no-write-taken"));
        } else if !worn {
            until.why_not = Some(Message::new(
                "why-not-worn-out",
                [
                    ("passes", most.into()),
                    ("written", Argument::text(format_args!("{written:.0} GB"))),
                ],
            ));
        }
        let whole = |key: &str, rate: Option<f64>, made: &'static str| {
            let start = start(key, "MB/s", Better::Higher);
            let figure = valued(start, rate, Message::of(made), self.passes);
            or_why(figure, "why-no-whole-pass")
        };
        let error_rate = valued(
            start("read-error-rate.before", "of 100", Better::Higher),
            self.error_rate,
            Message::of("made-attribute-before"),
            1,
        );
        vec![
            until,
            valued(
                start("refused", "count", Better::None),
                Some(self.refused as f64),
                Message::of("made-failed-last-pass"),
                self.passes,
            ),
            whole("first.rate", self.rates.0, "made-first-pass"),
            whole("last.rate", self.rates.1, "made-last-pass"),
            or_why(error_rate, "why-no-error-rate"),
        ]
    }
}

fn read_figures(record: &PhaseRecord, span: Span, by: Comparable) -> Vec<Figure> {
    let phases = vec![record.name.clone()];
    let origin = Origin { by, phases };
    let readable = 100.0 * record.bytes().get() as f64 / span.len.get().max(1) as f64;
    let (errors, asked) = (record.errors() as f64, record.ios() + record.errors());
    #[rustfmt::skip]
    let rows = [
        ("readable", "%", Better::Higher, Some(readable), "made-readable", asked),
        ("read.errors", "count", Better::Lower, Some(errors), "count", asked),
    ];
    origin.table("", &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, drive, output_of, settings, value};
    use base::io::Io;
    use base::method::Scale;
    use base::null::Null;
    use base::target::{Busy, Done, Outcome, Tag, Target};
    use base::time::Instant;

    /// Refuses writes after a number of bytes; reads continue.
    struct ReadOnlySoon {
        under: Null,
        left: u64,
        refused: Vec<Tag>,
    }

    impl Target for ReadOnlySoon {
        fn info(&self) -> Info {
            self.under.info()
        }
        fn now(&self) -> Instant {
            self.under.now()
        }
        fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
            self.under.submit(tag, io)?;
            if io.op == Op::Write {
                if self.left < io.len.get() {
                    self.refused.push(tag);
                }
                self.left = self.left.saturating_sub(io.len.get());
            }
            Ok(())
        }
        fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
            self.under.wait(until, done);
            for d in done {
                if let Some(i) = self.refused.iter().position(|tag| *tag == d.tag) {
                    self.refused.swap_remove(i);
                    d.outcome = Outcome::Failed(30);
                }
            }
        }
    }

    #[test]
    fn it_writes_until_the_drive_refuses_and_then_reads_all_of_it() {
        let settings = settings("wear-out", Scale::Quick, &["passes=10"]);
        let mut bench = BenchDouble::new(ReadOnlySoon {
            under: Null::new(Bytes::gib(4), SERVICE),
            left: Bytes::mib(160).get(),
            refused: Vec::new(),
        });
        let output = output_of("wear-out", &settings, &mut bench);
        // Two passes of 64 MiB, and half of the third.
        assert_eq!(bench.phases.len(), 4);
        assert!((value(&output, "written") - 160.0 * 1.048_576e-3).abs() < 1e-9);
        assert!((value(&output, "refused") - 32.0).abs() < 1e-9);
        assert!((value(&output, "readable") - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_drive_that_takes_it_all_is_not_worn_out_and_says_so() {
        let settings = settings("wear-out", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("wear-out", &settings, &mut bench);
        let why = output.figures[0].why_not.as_deref().unwrap();
        assert!(why.contains("2 passes"), "{why}");
    }
}
