//! Capacity: does the drive have its full claimed capacity?
//!
//! **What it measures.** How much of the claimed capacity stores what is written to it, in seconds and with few writes.
//! A counterfeit has a small memory behind a large number: writes beyond it are dropped, or overwrite earlier data (the
//! address wraps). Copies to it succeed, and the files are lost.
//!
//! **Who published it.** f3probe of Michel Machado's F3 ("Fight Flash Fraud") checks some blocks instead of all;
//! h2testw (Harald Bögeholz, c't) writes and reads everything, as `verify` does. This protocol is our own; the labelled
//! sectors are those of `base::label`.
//!
//! **Protocol.** The capacity is divided into equal pieces. A mark of one I/O is written at the start of each; then the
//! last piece is written completely; everything is flushed and read back. Each sector contains its address. Writes that
//! are dropped beyond the end of the memory are missing in the last piece. Wrapping is detected for any memory size:
//! the last piece is as long as the distance between marks, so it overwrites one of them. If anything is missing, the
//! same is done for the first half of the pieces, and so on, until the pieces that are stored are known.
//!
//! **What it cannot tell.** Less than a piece: `kept.size` is accurate to the length of one, and `verify` over the full
//! capacity counts sectors. A counterfeit whose cache holds more than a piece passes; more pieces do not help there,
//! fewer do. Defects are not missing capacity: failed reads are counted but not judged, and corrupt sectors are not
//! missing either, unless most of the piece is corrupt.

use base::label::Difference;
use base::{
    Argument, Better, Bytes, Card, Chart, Figure, Forecast, Group, Info, Message, MethodOutput,
    Needs, OnModels, PhaseRecord, Setting, Settings, Stopped, Takes,
};
use infer::Pieces;

use crate::areas::{access, forecast, grown};
use crate::chart::rate_over_time;
use crate::figures::{Origin, conditions, valued, withheld};
use crate::run::{PlainMethod, Run};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// The shortest piece.
const LEAST_PIECE: Bytes = Bytes::mib(1);

static CARD: Card = Card {
    id: "capacity",
    title: "Capacity",
    publisher: "after f3probe",
    summary: "Writes marks across the drive and its end, and checks that all of it is still there: finds counterfeit drives in seconds.",
    version: 1,
    writes: true,
    files: false,
    on_models: OnModels::More,
    group: Group::Surface,
    short: "Counterfeit check of the claimed capacity",
    needs: &[Needs::Writing],
    shortest: &["pieces=4096"],
    #[rustfmt::skip]
    settings: &[
        Setting::count("pieces", "pieces that the capacity is divided into: one mark each, and one piece written completely", 1..=65_536, ["1024", "1024", "4096"]),
        Setting::size("block", "size of a mark", Bytes::SECTOR..=Bytes::mib(1), ["4KiB"; 3]),
    ],
};

/// Whether a read shows that data is missing: never written, or overwritten from another address. Corrupt sectors count
/// only if they are the majority.
fn lacks(record: &PhaseRecord, piece: Bytes) -> bool {
    let differing = &record.job().errors.differing;
    let corrupt = differing.get(&Difference::Corrupt).copied().unwrap_or(0);
    let all: u64 = differing.values().sum();
    all > corrupt || corrupt > piece.get() / Bytes::SECTOR.get() / 2
}

fn pieces(settings: &Settings, on: &Info) -> Pieces {
    let block = access(settings.size("block"), on).round_down(on.block);
    let wanted = settings.count("pieces").max(1);
    let len = Bytes::new(on.capacity.round_down(block).get() / wanted);
    Pieces::new(on.capacity, block, len.max(LEAST_PIECE))
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let pieces = pieces(settings, on);
    let looks = pieces.most_looks();
    let each_way = pieces.moved_by_a_look() * if on.writable { looks } else { 0 };
    let accesses = 2 * pieces.count() * looks;
    let takes = Takes::moving(each_way * 2).and_accesses(accesses);
    Forecast {
        reads: Some(each_way),
        writes: Some(each_way),
        ..forecast(pieces.all(), on.writable, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    if !run.on.writable {
        return run.not_writable("kept.size", "GB", Better::Higher);
    }
    let checked = match run.bench.model() {
        Some(model) => model.keep_contents()?,
        None => true,
    };
    let pieces = pieces(run.settings, &run.on);
    let mut found = Found::default();
    let [kept, _] = pieces.stored(|looked_at, generation| {
        let name = match generation {
            1 => "look at the end".to_owned(),
            _ => format!("look {generation}"),
        };
        let record = run
            .bench
            .script(&name, &pieces.look(looked_at, generation))?;
        found.take(record);
        Ok(checked && (lacks(record, pieces.len()) || generation > 1 && record.failed() > 0))
    })?;
    run.output = found.output(&pieces, pieces.end(kept), checked);
    let grown = grown(&[run.settings.size("block")], &run.on);
    run.output.notes.extend(grown);
    Ok(())
}

/// What the looks found.
#[derive(Default)]
struct Found {
    origin: Origin,
    /// Total I/Os, failed ones, and sectors that differ in the final check.
    ios: u64,
    failed: u64,
    differing: u64,
    /// Whether reads or writes at the end failed.
    failed_at_the_end: bool,
    /// The rate of the final check.
    rate: Vec<Chart>,
}

impl Found {
    fn take(&mut self, record: &PhaseRecord) {
        if self.origin.phases.is_empty() {
            self.origin.by = conditions(&record.workload);
            self.differing = record.job().errors.differing.values().sum();
            self.failed_at_the_end = record.failed() > 0;
            self.rate = vec![rate_over_time("end.rate", record.job())];
        }
        self.origin.phases.push(record.name.clone());
        self.ios += record.ios() + record.errors();
        self.failed += record.failed();
    }

    fn figure(&self, key: &str, unit: &str, better: Better, value: f64) -> Figure {
        let figure = self.origin.figure(key, unit, better);
        valued(figure, Some(value), "count", self.ios)
    }

    fn output(self, pieces: &Pieces, kept: Bytes, checked: bool) -> MethodOutput {
        let gigabytes = |bytes: Bytes| bytes.get() as f64 / 1e9;
        let claimed = pieces.all();
        let size = |key: &str, better: Better, bytes: Bytes| {
            let figure = self.figure(key, "GB", better, gigabytes(bytes));
            if !checked {
                withheld(figure, Message::of("why-no-data-kept"))
            } else if self.failed_at_the_end {
                withheld(figure, Message::of("why-end-failed"))
            } else {
                figure
            }
        };
        let failed = self.failed as f64;
        let mut output = MethodOutput {
            figures: vec![
                self.figure("claimed.size", "GB", Better::None, gigabytes(claimed)),
                size("kept.size", Better::Higher, kept),
                size("lost.size", Better::Lower, claimed - kept),
                self.figure("errors", "count", Better::Lower, failed),
            ],
            charts: self.rate,
            ..MethodOutput::default()
        };
        if checked && self.differing > 0 && kept == claimed {
            let places = [("sectors", Argument::text(self.differing))];
            let warning = Message::new("warning-corrupt-sectors", places);
            output.warnings.push(warning);
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive_of, output_of, settings, value};
    use base::bench::Bench;
    use base::io::{Io, Op};
    use base::label::Differs;
    use base::method::Scale;
    use base::target::{Busy, Done, Outcome, Tag, Target};
    use base::time::Instant;
    use std::collections::BTreeMap;

    /// What becomes of an address beyond the memory.
    #[derive(Clone, Copy, PartialEq)]
    enum Beyond {
        Wraps,
        Drops,
        Garbles,
        Fails,
    }

    /// A drive with less memory than it claims.
    struct Counterfeit {
        under: base::null::Null,
        real: u64,
        beyond: Beyond,
        /// Address and generation of each stored sector, by its position in the memory.
        memory: BTreeMap<u64, (u64, u16)>,
        asked: Vec<(Tag, Io)>,
    }

    impl Counterfeit {
        fn new(claimed: Bytes, real: Bytes, beyond: Beyond) -> Counterfeit {
            Counterfeit {
                under: drive_of(claimed),
                real: real.get(),
                beyond,
                memory: BTreeMap::new(),
                asked: Vec::new(),
            }
        }

        fn answer(&mut self, io: &Io) -> Outcome {
            let generation = io.generation().unwrap_or(0);
            let mut differing = Vec::new();
            for sector in 0..io.len.get() / 512 {
                let at = io.offset.get() + sector * 512;
                let place = at % self.real;
                match (io.op, at < self.real || self.beyond == Beyond::Wraps) {
                    (_, false) if self.beyond == Beyond::Fails => return Outcome::Failed(5),
                    (Op::Write, true) => drop(self.memory.insert(place, (at, generation))),
                    (Op::Read, there) => {
                        let kept = self.memory.get(&place).filter(|_| there);
                        differing.extend(match kept {
                            Some(kept) if *kept == (at, generation) => None,
                            Some((other, _)) if *other != at => Some(Difference::OtherAddress),
                            Some(_) => Some(Difference::OldGeneration),
                            None if self.beyond == Beyond::Garbles => Some(Difference::Corrupt),
                            None => Some(Difference::Unwritten),
                        });
                    }
                    _ => {}
                }
            }
            match differing.first() {
                None => Outcome::Complete,
                Some(kind) => Outcome::Differs(Differs {
                    kind: *kind,
                    first: 0,
                    sectors: differing.len() as u32,
                }),
            }
        }
    }

    impl Target for Counterfeit {
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
                d.outcome = self.answer(&io);
            }
        }
    }

    fn looked_at(claimed: Bytes, real: Bytes, beyond: Beyond) -> (MethodOutput, u64) {
        let mut bench = BenchDouble::new(Counterfeit::new(claimed, real, beyond));
        bench.keeps_contents = true;
        let settings = settings("capacity", Scale::Quick, &["pieces=64"]);
        let forecast = cost(&settings, &bench.info());
        let output = output_of("capacity", &settings, &mut bench);
        let written: u64 = bench.script_writes.iter().map(|span| span.len.get()).sum();
        assert!(Bytes::new(written) <= forecast.writes.unwrap());
        (output, written)
    }

    #[test]
    fn a_whole_drive_is_whole_and_little_of_it_is_written() {
        let (output, written) = looked_at(Bytes::gib(1), Bytes::gib(1), Beyond::Drops);
        assert!((value(&output, "kept.size") - 1.073_741_824).abs() < 1e-9);
        assert!(value(&output, "lost.size").abs() < 1e-9);
        assert!(written < 17 << 20, "{written}");
        assert_eq!(output.warnings, [] as [&str; 0]);
    }

    #[test]
    fn what_is_not_there_is_found_to_a_piece_whatever_becomes_of_what_is_written_to_it() {
        // Also of lengths that are no power of two, of no whole piece, and little short of what is claimed.
        let short = (64 << 20) - 4_096;
        for beyond in [Beyond::Wraps, Beyond::Drops, Beyond::Garbles] {
            for real in [
                1 << 20,
                3 << 20,
                5 << 20,
                (23 << 20) + 4_096,
                32 << 20,
                short,
            ] {
                if (beyond, real) == (Beyond::Garbles, short) {
                    // No more than corrupt sectors at the end.
                    continue;
                }
                let (output, _) = looked_at(Bytes::mib(64), Bytes::new(real), beyond);
                let kept = (value(&output, "kept.size") * 1e9).round() as u64;
                assert!(kept <= real && kept + (1 << 20) >= real, "{real}: {kept}");
                let lost = value(&output, "lost.size") * 1e9;
                assert!((lost - ((64 << 20) - kept) as f64).abs() < 1.0);
            }
        }
        let (output, _) = looked_at(Bytes::mib(64), Bytes::new(short), Beyond::Garbles);
        assert!(value(&output, "lost.size").abs() < 1e-9);
        assert!(output.warnings[0].contains("8 sectors are corrupt"));
    }

    #[test]
    fn reads_that_fail_are_no_missing_capacity() {
        let (output, _) = looked_at(Bytes::mib(64), Bytes::mib(40), Beyond::Fails);
        let kept = output
            .figures
            .iter()
            .find(|f| f.key == "kept.size")
            .unwrap();
        assert_eq!(kept.value, None);
        assert!(kept.why_not.as_ref().unwrap().contains("failed"));
        assert!(value(&output, "errors") > 0.0);
    }

    #[test]
    fn where_nothing_can_be_checked_nothing_is_said_to_be_there() {
        let settings = settings("capacity", Scale::Quick, &[]);
        let output = output_of(
            "capacity",
            &settings,
            &mut BenchDouble::new(drive_of(Bytes::gib(4))),
        );
        assert!(
            output
                .figures
                .iter()
                .filter(|f| f.why_not.is_some())
                .count()
                == 2
        );
    }
}
