//! Verify: does the drive return what was written?
//!
//! **What it measures.** Sectors with wrong contents, by the kind of error: never written, an older generation,
//! belonging to another address, corrupt. After the extent was written sequentially, after it was overwritten in random
//! order, and, on a modelled drive, after power cuts.
//!
//! **Who published it.** Acceptance testers write patterns that contain their address; fio does so with `verify=`. The
//! sector layout is our own: see `base::label`.
//!
//! **Protocol.** All data is labelled: each sector of 512 bytes contains its address, its generation and a checksum.
//! The extent is written once sequentially, 1 MiB per I/O, and flushed (generation 1), and read sequentially with every
//! sector checked. It is overwritten in random order, every position once, with many I/Os in flight, and flushed
//! (generation 2), and read again. A modelled drive is overwritten in this way once more (generation 3), the power is
//! cut as soon as the flush completes, and everything is read: nothing may be missing. Finally it is overwritten
//! without a flush (generation 4) and the power is cut at once: what is missing now is what the drive had acknowledged
//! but held only in volatile memory.
//!
//! The power of a real drive is cut by hand: `part=write` writes and flushes both generations, and once the drive is
//! back `part=read` checks for the second one. If no sector of what `part=read` reads has a label, there is nothing to
//! compare with, and the result says so.
//!
//! What the first read finds unwritten, or of another address, is reported as `lost.size`: missing capacity.
//!
//! **What it cannot tell.** Checking data takes processor time between two I/Os, so the read rates do not measure a
//! fast drive. Reads from the drive's cache say nothing about its medium: the extent should be much larger. If sectors
//! differ within one read, all are classified like the first of them.

use base::label::Difference;
use base::record::{Errors, IoError};
use base::{
    Argument, Bench, Better, Bytes, Card, Figure, Fill, Forecast, Group, Info, Job, Message,
    MethodOutput, OnModels, Op, Order, PhaseRecord, Setting, Settings, Span, Stopped, Takes,
    Workload,
};

use crate::areas::{ONE_PASS, access, forecast, in_order};
use crate::chart::rate_over_time;
use crate::figures::{Origin, valued, withheld};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DEPTH, WRITTEN_EXTENT, extent};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Differing reads of each phase that are listed one by one.
const TOLD: usize = 5;

static CARD: Card = Card {
    id: "verify",
    title: "Verify",
    publisher: "after the verification of acceptance testers and of fio",
    summary: "Writes sectors that carry address, generation and checksum, sequentially and at random, reads them back and checks each; on modelled drives also after power cuts.",
    version: 2,
    on_models: OnModels::More,
    group: Group::Surface,
    short: "Write/read-back verification with stamped sectors",
    shortest: &["extent=8MiB"],
    #[rustfmt::skip]
    settings: &[
        WRITTEN_EXTENT.with_values(["64MiB", "1GiB", "whole"]),
        Setting::size("block", "bytes per I/O of the random overwrite and of the reads", Bytes::SECTOR..=Bytes::mib(8), ["64KiB"; 3]),
        DEPTH,
        Setting::choice("part", "only write, or only read what an earlier run with the same extent wrote: cut the power in between", &["both", "write", "read"], ["both"; 3]),
        Setting::choice("power-cut", "cut the power of a modelled drive, with and without a flush", &["yes", "no"], ["yes"; 3]),
    ],
    ..Card::PLAIN
};

/// Where it works, and how.
struct Plan {
    span: Span,
    block: Bytes,
    depth: u32,
    seed: u64,
    writes: bool,
    reads: bool,
    cuts: bool,
}

impl Plan {
    fn new(settings: &Settings, on: &Info) -> Plan {
        let all = extent(settings, "extent", on);
        let block = access(settings.size("block"), on)
            .round_down(on.block)
            .min(all);
        let part = settings.text("part");
        Plan {
            span: Span::first(all.round_down(block.max(on.block))),
            block,
            depth: u32::try_from(settings.count("depth")).unwrap_or(1),
            seed: settings.seed,
            writes: on.writable && part != "read",
            reads: part != "write",
            cuts: settings.text("power-cut") == "yes" && part == "both" && on.writable,
        }
    }

    fn labelled(&self, mut job: Job, generation: u16) -> Workload {
        job.fill = Fill::labelled(generation);
        let seed = base::rng::splitmix64(self.seed ^ u64::from(generation));
        Workload::single(job, ONE_PASS, seed)
    }

    fn write_in_order(&self, generation: u16) -> Workload {
        let depth = self.depth.min(4);
        let job = in_order("write", Op::Write, self.span, Bytes::mib(1), depth);
        Workload {
            flush_at_end: true,
            ..self.labelled(job, generation)
        }
    }

    /// Every position once, in random order.
    fn overwrite(&self, generation: u16) -> Workload {
        let (span, block) = (self.span, self.block);
        let job = Job::closed(
            "overwrite",
            Op::Write,
            Order::RandomOnce,
            span,
            block,
            self.depth,
        );
        self.labelled(job, generation)
    }

    fn read(&self, generation: u16) -> Workload {
        let job = in_order("read", Op::Read, self.span, self.block, self.depth);
        self.labelled(job, generation)
    }
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let plan = Plan::new(settings, on);
    let cuts = if plan.cuts { 1 } else { 0 };
    let times = |does: bool| if does { 2 + cuts } else { 0 };
    let reads = plan.span.len * (times(plan.reads) + cuts);
    let writes = plan.span.len * (times(plan.writes) + cuts);
    let scattered = (times(plan.writes) + cuts).saturating_sub(1);
    let accesses = plan.span.len.get() / plan.block.get().max(1) * scattered;
    let takes = Takes::moving(reads + writes).and_accesses(accesses);
    Forecast {
        reads: Some(reads),
        writes: Some(writes),
        ..forecast(extent(settings, "extent", on), plan.writes, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let plan = Plan::new(run.settings, &run.on);
    let mut found = Found {
        checked: match run.bench.model() {
            Some(model) => model.keep_contents()?,
            // A real drive keeps what is written.
            None => true,
        },
        cut: false,
        unlabelled: false,
        output: MethodOutput::default(),
    };
    if plan.writes {
        let record = run.bench.phase("write in order", &plan.write_in_order(1))?;
        found.wrote("write", record);
        let written = record.of(Op::Write).bytes.min(plan.span.len);
        if plan.reads {
            let record = run.bench.phase("read in order", &plan.read(1))?;
            found.read("in-order", record);
            found.kept(written, record);
        }
        let overwrite = Workload {
            flush_at_end: true,
            ..plan.overwrite(2)
        };
        found.wrote("overwrite", run.bench.phase("overwrite", &overwrite)?);
    }
    if plan.reads {
        let record = run.bench.phase("read overwritten", &plan.read(2))?;
        found.unlabelled = !plan.writes && is_unlabelled(record);
        found.read("overwritten", record);
    }
    if plan.cuts && run.bench.model().is_some() {
        power_cuts(&plan, run.bench, &mut found)?;
    }
    run.output = found.output_of(&plan);
    Ok(())
}

/// Cuts the power of a modelled drive; false for one whose power cannot be cut.
fn power_cut(bench: &mut dyn Bench) -> bool {
    bench.model().is_some_and(|model| model.power_cut())
}

/// Cuts the power right after a flush, and in the middle of unflushed data, and checks each time what is left.
///
/// The first cut follows the completion of the flush at once: a drive that completes it and then continues to empty its
/// cache would have finished with a small one during any read.
fn power_cuts(plan: &Plan, bench: &mut dyn Bench, found: &mut Found) -> Result<(), Stopped> {
    let flushed = Workload {
        flush_at_end: true,
        ..plan.overwrite(3)
    };
    bench.phase("overwrite before a power cut", &flushed)?;
    if !power_cut(bench) {
        return Ok(());
    }
    found.cut = true;
    let record = bench.phase("read after a power cut", &plan.read(3))?;
    found.read("power-cut", record);
    let record = bench.phase("overwrite without a flush", &plan.overwrite(4))?;
    found.wrote("unflushed", record);
    power_cut(bench);
    let record = bench.phase("read what was not flushed", &plan.read(4))?;
    found.read("unflushed", record);
    Ok(())
}

/// What was found so far.
struct Found {
    /// Labelled reads are checked here.
    checked: bool,
    /// The power was cut.
    cut: bool,
    /// What was to be read carries no labels.
    unlabelled: bool,
    output: MethodOutput,
}

impl Found {
    fn wrote(&mut self, key: &str, record: &PhaseRecord) {
        let rate = Origin::of(record).transfer_rate(&format!("{key}.rate"), record);
        let count = count(&format!("{key}.errors"), record.failed(), record);
        self.output.figures.extend([rate, count]);
        self.chart(record);
    }

    /// Sectors that differ after one of the writings, by kind, and reads that failed.
    fn read(&mut self, key: &str, record: &PhaseRecord) {
        let errors = &record.job().errors;
        let wrong: u64 = errors.differing.values().sum();
        let mut figures = vec![count(&format!("{key}.differing"), wrong, record)];
        for kind in Difference::ALL {
            let sectors = errors.differing.get(&kind).copied().unwrap_or(0);
            figures.push(count(&format!("{key}.{}", kind.name()), sectors, record));
        }
        let why_not = if !self.checked {
            Some(Message::of("why-no-data-kept"))
        } else if self.unlabelled {
            Some(Message::of("why-unlabelled"))
        } else {
            None
        };
        if let Some(why) = why_not {
            let withheld = |figure| withheld(figure, why.clone());
            figures = figures.into_iter().map(withheld).collect();
        }
        figures.push(count(
            &format!("{key}.read-errors"),
            record.failed(),
            record,
        ));
        let rate = format!("{key}.read-rate");
        figures.push(Origin::of(record).transfer_rate(&rate, record));
        self.output.figures.extend(figures);
        if self.unlabelled {
            self.output.warnings.push(Message::of("why-unlabelled"));
        } else {
            self.output.notes.extend(told(&record.name, errors));
        }
        self.chart(record);
    }

    /// How much of what was written once is stored: data written nowhere, or over other data, is missing capacity.
    fn kept(&mut self, all: Bytes, record: &PhaseRecord) {
        let origin = Origin::of(record);
        let differing = &record.job().errors.differing;
        let missing = [Difference::Unwritten, Difference::OtherAddress];
        let sectors: u64 = missing.iter().filter_map(|kind| differing.get(kind)).sum();
        let lost = (Bytes::SECTOR * sectors).min(all);
        let sizes = [
            ("written.size", Better::None, all),
            ("kept.size", Better::Higher, all - lost),
            ("lost.size", Better::Lower, lost),
        ];
        for (key, better, bytes) in sizes {
            let figure = origin.figure(key, "GB", better);
            let ios = record.ios() + record.job().errors.differing_reads;
            let figure = valued(figure, Some(bytes.get() as f64 / 1e9), "count", ios);
            self.output.figures.push(if self.checked {
                figure
            } else {
                withheld(figure, Message::of("why-no-data-kept"))
            });
        }
    }

    fn chart(&mut self, record: &PhaseRecord) {
        let key = format!("{}.rate", record.name.replace(' ', "-"));
        let chart = rate_over_time(&key, record.job());
        self.output.charts.push(chart);
    }

    fn output_of(mut self, plan: &Plan) -> MethodOutput {
        if plan.writes && !plan.reads {
            self.output.notes.push(Message::of("note-only-written"));
        } else if plan.cuts && !self.cut {
            self.output.notes.push(Message::of("note-power-not-cut"));
        }
        self.output
    }
}

/// So many of the I/Os of a phase.
fn count(key: &str, value: u64, record: &PhaseRecord) -> Figure {
    let figure = Origin::of(record).figure(key, "count", Better::Lower);
    let n = record.ios() + record.errors();
    valued(figure, Some(value as f64), "count", n)
}

/// Whether no read found a label: all were of blank sectors, or of foreign data.
fn is_unlabelled(record: &PhaseRecord) -> bool {
    let errors = &record.job().errors;
    let foreign = |kind: &Difference| matches!(kind, Difference::Unwritten | Difference::Corrupt);
    let sectors = record.workload.jobs[0].largest().get() / Bytes::SECTOR.get();
    let differing: u64 = errors.differing.values().sum();
    errors.differing_reads > 0
        && record.ios() == 0
        && errors.differing.keys().all(foreign)
        && differing == errors.differing_reads * sectors
}

/// The first reads that differ, with address and kind.
fn told(phase: &str, errors: &Errors) -> Vec<Message> {
    let line = |error: &IoError| {
        let differs = error.differs?;
        let at = error.offset + Bytes::SECTOR * u64::from(differs.first);
        Some(Message::new(
            "note-sectors-differ",
            [
                ("phase", Argument::Phase(phase.to_owned())),
                ("byte", at.get().into()),
                (
                    "difference",
                    Argument::Figure(differs.kind.name().replace('-', " ")),
                ),
                ("differing", Argument::text(differs.sectors)),
                ("sectors", (error.len.get() / Bytes::SECTOR.get()).into()),
            ],
        ))
    };
    errors.first.iter().filter_map(line).take(TOLD).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::io::Io;
    use base::label::Differs;
    use base::method::Scale;
    use base::target::{Busy, Done, Outcome, Tag, Target};
    use base::time::Instant;

    /// A drive that keeps the first write at one address for ever, and loses all unflushed data when its power is cut.
    struct Forgetful {
        under: base::null::Null,
        stuck: Bytes,
        asked: Vec<(Tag, Io)>,
        unflushed: u16,
        lost: u16,
    }

    impl Forgetful {
        fn differs(&self, io: &Io) -> Option<Differs> {
            let generation = io.generation()?;
            let (kind, first, sectors) = if generation <= self.lost {
                (Difference::Lost, 0, (io.len.get() / 512) as u32)
            } else if generation > 1 && (io.offset..io.end()).contains(&self.stuck) {
                let first = ((self.stuck.get() - io.offset.get()) / 512) as u32;
                (Difference::OldGeneration, first, 1)
            } else {
                return None;
            };
            Some(Differs {
                kind,
                first,
                sectors,
            })
        }
    }

    impl Target for Forgetful {
        fn info(&self) -> Info {
            self.under.info()
        }
        fn now(&self) -> Instant {
            self.under.now()
        }
        fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
            self.under.submit(tag, io)?;
            match io.op {
                Op::Read => self.asked.push((tag, *io)),
                Op::Write => self.unflushed = io.generation().unwrap_or(0),
                _ => self.unflushed = 0,
            }
            Ok(())
        }
        fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
            self.under.wait(until, done);
            for d in done {
                if let Some(i) = self.asked.iter().position(|(tag, _)| *tag == d.tag) {
                    let (_, io) = self.asked.swap_remove(i);
                    if let Some(differs) = self.differs(&io) {
                        d.outcome = Outcome::Differs(differs);
                    }
                }
            }
        }
        fn power_cut(&mut self) -> bool {
            self.lost = self.unflushed;
            true
        }
    }

    #[test]
    fn what_differs_is_counted_by_kind_and_told_with_its_address() {
        let mut bench = BenchDouble::new(Forgetful {
            under: drive(),
            stuck: Bytes::kib(100),
            asked: Vec::new(),
            unflushed: 0,
            lost: 0,
        });
        bench.keeps_contents = true;
        let settings = settings("verify", Scale::Quick, &[]);
        let output = output_of("verify", &settings, &mut bench);
        let is = |key: &str, expected: f64| {
            let found = value(&output, key);
            assert!((found - expected).abs() < 1e-9, "{key}: {found}");
        };
        is("in-order.differing", 0.0);
        is("overwritten.differing", 1.0);
        is("overwritten.old-generation", 1.0);
        is("power-cut.differing", 1.0);
        is("power-cut.lost", 0.0);
        is("unflushed.lost", 64.0 * 2_048.0);
        is("unflushed.read-errors", 0.0);
        let note = &output.notes[0];
        assert!(
            note.contains("at byte 102400: old generation, 1 of 128"),
            "{note}"
        );
    }

    /// A drive with foreign data; of every other read, its first sectors are blank.
    struct Foreign {
        under: base::null::Null,
        asked: Vec<(Tag, Io)>,
        labelled_from: Bytes,
    }

    impl Target for Foreign {
        fn info(&self) -> Info {
            self.under.info()
        }
        fn now(&self) -> Instant {
            self.under.now()
        }
        fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
            self.under.submit(tag, io)?;
            self.asked.push((tag, *io));
            Ok(())
        }
        fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
            self.under.wait(until, done);
            for d in done {
                let at = self.asked.iter().position(|(tag, _)| *tag == d.tag);
                let (_, io) = self.asked.swap_remove(at.unwrap());
                let kinds = [Difference::Unwritten, Difference::Corrupt];
                if io.op == Op::Read && io.offset < self.labelled_from {
                    d.outcome = Outcome::Differs(Differs {
                        kind: kinds[(io.offset.get() >> 16) as usize % 2],
                        first: 0,
                        sectors: (io.len.get() / 512) as u32,
                    });
                }
            }
        }
    }

    #[test]
    fn a_drive_without_labels_is_said_to_have_none_and_no_read_of_it_failed() {
        let judged_from = |labelled_from: Bytes, part: &str| {
            let mut bench = BenchDouble::new(Foreign {
                under: drive(),
                asked: Vec::new(),
                labelled_from,
            });
            bench.keeps_contents = true;
            let part = format!("part={part}");
            let settings = settings("verify", Scale::Quick, &[&part, "power-cut=no"]);
            let output = output_of("verify", &settings, &mut bench);
            let failed: u64 = bench.phases.iter().map(PhaseRecord::failed).sum();
            assert_eq!(failed, 0);
            output
        };
        let why = |output: &MethodOutput| {
            let key = "overwritten.differing";
            let figure = output.figures.iter().find(|f| f.key == key).unwrap();
            figure.why_not.clone()
        };
        let foreign = judged_from(Bytes::gib(4), "read");
        assert!(why(&foreign).unwrap().contains("no sector has a label"));
        assert!(foreign.notes.is_empty() && foreign.warnings.len() == 1);
        assert!(value(&foreign, "overwritten.read-errors").abs() < 1e-9);
        // One label is enough to compare with; and what this run wrote itself must be there.
        let partly = judged_from(Bytes::mib(32), "read");
        assert!((value(&partly, "overwritten.differing") - 65_536.0).abs() < 1e-9);
        let lost = judged_from(Bytes::gib(4), "both");
        // Half of it is corrupt, which is no missing capacity.
        assert!((value(&lost, "lost.size") - 0.033_554_432).abs() < 1e-9);
        assert!((value(&lost, "kept.size") - 0.033_554_432).abs() < 1e-9);
        assert!((value(&lost, "overwritten.differing") - 131_072.0).abs() < 1e-9);
    }

    #[test]
    fn where_nothing_can_be_checked_nothing_is_said_to_be_right() {
        let settings = settings("verify", Scale::Quick, &[]);
        let output = output_of("verify", &settings, &mut BenchDouble::new(drive()));
        let figure = output
            .figures
            .iter()
            .find(|f| f.key == "in-order.differing");
        assert!(figure.unwrap().value.is_none());
        assert!(output.notes[0].contains("by hand"), "{:?}", output.notes);
    }

    #[test]
    fn written_today_and_read_tomorrow_it_looks_for_the_same_data() {
        let run = |part: &str| {
            let mut bench = BenchDouble::new(drive());
            let part = format!("part={part}");
            output_of(
                "verify",
                &settings("verify", Scale::Quick, &[&part]),
                &mut bench,
            );
            let works = bench.phases.into_iter().map(|phase| phase.workload);
            works.collect::<Vec<Workload>>()
        };
        let (both, write, read) = (run("both"), run("write"), run("read"));
        assert_eq!(write, [both[0].clone(), both[2].clone()]);
        assert_eq!(read, [both[3].clone()]);
    }
}
