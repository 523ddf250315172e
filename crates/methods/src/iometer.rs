//! Iometer: a server's mix of accesses at a fixed queue depth.
//!
//! **What it measures.** I/Os a second, MiB a second, and mean and longest response, by reads and by
//! writes, under an access specification: a list of sizes with their shares, the share of reads and
//! the share of random accesses.
//!
//! **Who published it.** Intel, then the Iometer project (versions 2006.07.27 to 1.1.0). The
//! specifications *file server*, *web server*, *database* and *workstation* are those of the profile
//! that reviewers handed on (Tom's Hardware, "Tom's HDD Charts 2009: A New Test Environment", prints
//! them as a table); *all in one* is in Iometer's own source (`AccessSpecList.cpp`): 512 B, 4, 16 and
//! 32 KiB, each with 100, 75, 50, 25 and 0 % reads, 5 % of the accesses each, all in order.
//!
//! **Protocol.** The span is written once in order, as Iometer's own test file is. One worker keeps
//! 1 or 32 accesses in flight; they are aligned to sectors of 512 bytes alone, so that most accesses
//! of 4 KiB straddle two pages of a flash drive. After a ramp-up that is not counted, the run's time.
//! MiB are 2^20 bytes. Maximum and mean response are in ms.
//!
//! **What it cannot tell.** Where the time goes: sizes are mixed, and one figure stands for all. The
//! worker stops between ramp-up and run, where Iometer's goes on. Its "reply" size and CPU figures
//! have no counterpart here.

use base::bench::{Bench, Stopped};
use base::io::{Fill, Op};
use base::method::{Card, Forecast, Kind, Method, SettingCard, Settings};
use base::record::{Latencies, OpRecord, PhaseRecord};
use base::result::{Better, Comparable, Figure, Judgement};
use base::size::{Bytes, Rate};
use base::target::Info;
use base::time::Duration;
use base::workload::{Access, Job, Order, Pacing, Span, Stop, Workload};

use crate::areas::{forecast, write_in_order};
use crate::chart::responses;
use crate::figures::{Of, conditions, figure, latency, valued};
use crate::shared_settings::{PART, PREPARE, extent, prepares};

/// The method.
pub(crate) struct Iometer;

/// An access specification, as Iometer's `.icf` files list it.
#[derive(Debug)]
struct Specification {
    /// The first part of its figures' keys.
    key: &'static str,
    /// Size in bytes, share of the accesses in per cent, reads of 100 such accesses.
    lines: &'static [(u64, u32, u8)],
    /// Of 100 accesses, so many go anywhere.
    random_percent: u8,
}

const FILE_SERVER: Specification = Specification {
    key: "file-server",
    lines: &[
        (512, 10, 80),
        (1_024, 5, 80),
        (2_048, 5, 80),
        (4_096, 60, 80),
        (8_192, 2, 80),
        (16_384, 4, 80),
        (32_768, 4, 80),
        (65_536, 10, 80),
    ],
    random_percent: 100,
};

const WEB_SERVER: Specification = Specification {
    key: "web-server",
    lines: &[
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
    ],
    random_percent: 100,
};

const DATABASE: Specification = Specification {
    key: "database",
    lines: &[(8_192, 100, 67)],
    random_percent: 100,
};

const WORKSTATION: Specification = Specification {
    key: "workstation",
    lines: &[(8_192, 100, 80)],
    random_percent: 80,
};

const ALL_IN_ONE: Specification = Specification {
    key: "all-in-one",
    lines: &[
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
    ],
    random_percent: 0,
};

static CARD: Card = Card {
    id: "iometer",
    title: "Iometer",
    publisher: "Intel and the Iometer project, 2006.07.27 to 1.1.0",
    summary: "A server's mix of access sizes, reads and writes, at queue depth 1 and 32, aligned to sectors: IOPS, MiB/s, mean and longest response.",
    version: 1,
    writes: true,
    files: true,
    models_only: false,
    settings: &[
        SettingCard {
            key: "spec",
            help: "access specification",
            kind: Kind::Choice(&[
                "file-server",
                "web-server",
                "database",
                "workstation",
                "all-in-one",
                "all",
            ]),
            by_scale: ["file-server", "file-server", "file-server"],
        },
        SettingCard {
            key: "depth",
            help: "accesses in flight",
            kind: Kind::Choice(&[
                "1-and-32", "1", "2", "4", "8", "16", "32", "64", "128", "256",
            ]),
            by_scale: ["1-and-32", "1-and-32", "1-and-32"],
        },
        SettingCard {
            key: "span",
            help: "part of the target that is used",
            kind: PART,
            by_scale: ["256MiB", "8GiB", "whole"],
        },
        PREPARE,
        SettingCard {
            key: "align",
            help: "offsets are multiples of this (or of the target's block, where that is larger)",
            kind: Kind::Size {
                min: Bytes::SECTOR,
                max: Bytes::mib(1),
                or_whole: false,
            },
            by_scale: ["512", "512", "512"],
        },
        SettingCard {
            key: "delay",
            help: "rest after each burst",
            kind: Kind::Time {
                min: Duration::ZERO,
                max: Duration::from_secs(60),
            },
            by_scale: ["0", "0", "0"],
        },
        SettingCard {
            key: "burst",
            help: "accesses in a burst",
            kind: Kind::Count {
                min: 1,
                max: 65_536,
            },
            by_scale: ["1", "1", "1"],
        },
        SettingCard {
            key: "ramp",
            help: "time before the run that is not counted",
            kind: Kind::Time {
                min: Duration::ZERO,
                max: Duration::from_secs(3_600),
            },
            by_scale: ["0", "1s", "30s"],
        },
        SettingCard {
            key: "time",
            help: "length of the run",
            kind: Kind::Time {
                min: Duration::from_millis(10),
                max: Duration::from_secs(86_400),
            },
            by_scale: ["100ms", "5s", "60s"],
        },
        SettingCard {
            key: "ops",
            help: "as-specified leaves the writes out where the target may not be written; read makes all accesses reads",
            kind: Kind::Choice(&["as-specified", "read"]),
            by_scale: ["as-specified", "as-specified", "as-specified"],
        },
    ],
};

fn specifications(word: &str) -> Vec<&'static Specification> {
    let all: [&Specification; 5] = [
        &FILE_SERVER,
        &WEB_SERVER,
        &DATABASE,
        &WORKSTATION,
        &ALL_IN_ONE,
    ];
    all.into_iter()
        .filter(|spec| word == "all" || spec.key == word)
        .collect()
}

fn depths(settings: &Settings) -> Vec<u32> {
    match settings.text("depth") {
        "1-and-32" => vec![1, 32],
        one => one.parse().into_iter().collect(),
    }
}

/// True where a run may write.
fn mixes(settings: &Settings, on: &Info) -> bool {
    on.writable && settings.text("ops") == "as-specified"
}

fn writes(settings: &Settings, on: &Info) -> bool {
    mixes(settings, on) || prepares(settings, on)
}

impl Specification {
    fn order(&self) -> Order {
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
            size: Bytes::new(size).max(on.block),
            read_percent: if mixes { read_percent } else { 100 },
            trims: false,
        };
        let mut job = Job::closed(self.key, Op::Read, self.order(), span, on.block, depth);
        job.accesses = self.lines.iter().map(access).collect();
        job.align = settings.size("align").round_up(on.block);
        job.fill = Fill::FRESH;
        job.pacing = Pacing::Closed {
            depth,
            think: settings.time("delay"),
            burst: u32::try_from(settings.count("burst")).unwrap_or(1),
        };
        job
    }

    /// Ramp-up and run at one depth.
    fn measure(
        &self,
        depth: u32,
        span: Span,
        settings: &Settings,
        bench: &mut dyn Bench,
        into: &mut Judgement,
    ) -> Result<(), Stopped> {
        let on = bench.info();
        let phase = format!("{} qd{depth}", self.key);
        let work = |time, salt| {
            let stop = Stop {
                time: Some(time),
                ..Stop::default()
            };
            let seed = base::rng::splitmix64(settings.seed ^ salt ^ u64::from(depth) << 8);
            Workload::single(self.job(span, depth, settings, &on), stop, seed)
        };
        let ramp = settings.time("ramp");
        if !ramp.is_zero() {
            bench.phase(&format!("{phase} ramp"), &work(ramp, 1))?;
        }
        let run = work(settings.time("time"), 0);
        let record = bench.phase(&phase, &run)?;
        self.judge(depth, record, &conditions(&run), into);
        Ok(())
    }

    fn judge(&self, depth: u32, record: &PhaseRecord, by: &Comparable, into: &mut Judgement) {
        let (reads, writes) = (record.of(Op::Read), record.of(Op::Write));
        let mut total = reads.clone();
        total.ios += writes.ios;
        total.bytes += writes.bytes;
        total.service.merge(&writes.service);
        let kinds = [("total", &total), ("read", &reads), ("write", &writes)];
        let mut distributions: Vec<(&str, &Latencies)> = Vec::new();
        for (name, op) in kinds.into_iter().filter(|(_, op)| op.ios > 0) {
            let key = format!("{}.qd{depth}.{name}", self.key);
            into.figures.extend(figures(&key, op, record, by));
            if name != "total" {
                distributions.push((name, &op.service));
            }
        }
        let chart = responses(&format!("{}.qd{depth}.response", self.key), &distributions);
        into.charts.push(chart);
    }
}

fn figures(key: &str, op: &OpRecord, record: &PhaseRecord, by: &Comparable) -> Vec<Figure> {
    let phases = [record.name.clone()];
    let seconds = record.took.as_secs_f64();
    let per_second = (seconds > 0.0).then(|| op.ios as f64 / seconds);
    let rate = Rate::of(op.bytes, record.took).map(|r| r.mib_s());
    let start = |suffix: &str, unit: &str| {
        figure(
            &format!("{key}.{suffix}"),
            unit,
            Better::Higher,
            by,
            &phases,
        )
    };
    let response = |suffix: &str, of| {
        let key = format!("{key}.response.{suffix}");
        latency(&key, "ms", of, &op.service, by, &phases)
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

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let runs = (specifications(settings.text("spec")).len() * depths(settings).len()) as u64;
        let each = settings.time("ramp") + settings.time("time");
        Forecast {
            time: (!prepares(settings, on)).then(|| each.saturating_mul(runs)),
            ..forecast(extent(settings, "span", on), writes(settings, on))
        }
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<Judgement, Stopped> {
        let info = bench.info();
        let span = Span::first(extent(settings, "span", &info));
        let mut judgement = Judgement::default();
        if prepares(settings, &info) {
            write_in_order(bench, "prepare", span, Fill::FRESH, settings.seed)?;
        }
        for spec in specifications(settings.text("spec")) {
            for depth in depths(settings) {
                spec.measure(depth, span, settings, bench, &mut judgement)?;
            }
        }
        if !mixes(settings, &info) {
            judgement
                .notes
                .push("the writes of the specification were left out".to_owned());
        }
        Ok(judgement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_double::BenchDouble;
    use crate::tests::{drive, judged, settings, value};
    use base::method::Scale;
    use base::workload::stream::Stream;
    use std::collections::BTreeMap;

    #[test]
    fn the_shares_of_every_specification_are_whole_and_file_server_has_its_known_mean() {
        for spec in specifications("all") {
            let sum: u32 = spec.lines.iter().map(|line| line.1).sum();
            assert_eq!(sum, 100, "{}", spec.key);
        }
        let bytes: u64 = FILE_SERVER
            .lines
            .iter()
            .map(|line| line.0 * u64::from(line.1))
            .sum();
        // 11,346 bytes.
        assert_eq!((bytes + 50) / 100, 11_346);
    }

    #[test]
    fn a_million_accesses_of_the_file_server_have_its_sizes_reads_and_sectors() {
        const ACCESSES: u32 = 1_000_000;
        let settings = settings("iometer", Scale::Full, &[]);
        let on = base::bench::Bench::info(&BenchDouble::new(drive()));
        let job = FILE_SERVER.job(Span::first(on.capacity), 32, &settings, &on);
        let mut stream = Stream::new(&job, 0, on.block, 1);
        let mut sizes = BTreeMap::<u64, u32>::new();
        let (mut reads, mut sectors) = (0, [0; 8]);
        for _ in 0..ACCESSES {
            let io = stream.draw().io;
            *sizes.entry(io.len.get()).or_default() += 1;
            reads += u32::from(io.op == Op::Read);
            assert!(io.offset.is_multiple_of(Bytes::SECTOR) && io.offset + io.len <= on.capacity);
            sectors[(io.offset.get() / 512 % 8) as usize] += 1;
        }
        let percent = |n: u32| 100.0 * f64::from(n) / f64::from(ACCESSES);
        let known = [
            (512, 10.0),
            (1_024, 5.0),
            (2_048, 5.0),
            (4_096, 60.0),
            (8_192, 2.0),
            (16_384, 4.0),
            (32_768, 4.0),
            (65_536, 10.0),
        ];
        assert_eq!(sizes.len(), known.len());
        for (size, share) in known {
            let drawn = percent(sizes[&size]);
            assert!((drawn - share).abs() < 0.1, "{size}: {drawn} %");
        }
        assert!((percent(reads) - 80.0).abs() < 0.1, "{reads}");
        // One access in eight begins at a page of 4 KiB.
        assert!(
            sectors.iter().all(|n| (percent(*n) - 12.5).abs() < 0.1),
            "{sectors:?}"
        );
    }

    #[test]
    fn accesses_a_second_times_their_mean_size_are_the_rate() {
        let settings = settings("iometer", Scale::Quick, &["time=2s", "depth=32"]);
        let mut bench = BenchDouble::new(drive());
        let judgement = judged("iometer", &settings, &mut bench);
        let of = |key: &str| value(&judgement, &format!("file-server.qd32.{key}"));
        // One access at a time, of 100 us each.
        assert!((of("total.iops") - 10_000.0).abs() < 50.0);
        for kind in ["total", "read", "write"] {
            let figure = format!("file-server.qd32.{kind}.iops");
            let ios = judgement
                .figures
                .iter()
                .find(|f| f.key == figure)
                .unwrap()
                .n;
            let run = bench.phases.last().unwrap();
            let bytes = match kind {
                "total" => run.bytes(),
                "read" => run.of(Op::Read).bytes,
                _ => run.of(Op::Write).bytes,
            };
            let mean = bytes.get() as f64 / ios as f64;
            let rate = of(&format!("{kind}.iops")) * mean / f64::from(1 << 20);
            assert!(
                (of(&format!("{kind}.rate")) / rate - 1.0).abs() < 1e-9,
                "{kind}"
            );
            assert!((mean / 11_346.0 - 1.0).abs() < 0.05, "{mean}");
        }
    }
}
