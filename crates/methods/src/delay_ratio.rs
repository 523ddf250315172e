//! DelayRatio: does a drive read and write at the same time?
//!
//! **What it measures.** The time of a copy within the drive relative to writing and reading the same file separately.
//! Lower is smoother: below 1 reads and writes overlap, above 1 they hinder each other (programs and erases ahead of
//! reads, head movement).
//!
//! **Who published it.** A Japanese reviewer of the first consumer SSDs, in 2009, with one file of 4,194,304 KB and a
//! RAM disk on Windows XP.
//!
//! **Protocol.** W: the file is copied from a RAM disk to the drive. R: from the drive to the RAM disk. C&P: copied
//! within the drive. DelayRatio = C&P / ((W - w0) + (R - r0)), where w0 and r0 are the RAM disk's own share (0.82 s and
//! 1.36 s for the whole file on the original's machine). Two runs; each time is their mean. The system's copy engine is
//! modelled as a script of dependent I/Os: Windows XP (64 KiB through the cache, little read-ahead) or Windows 7 (1
//! MiB, several reads in flight), each with a limit on dirty memory. A time ends, like the dialog, when the last block
//! is in memory, or (`until=written`) when everything is on the drive.
//!
//! **What it cannot tell.** Which of the two waits for the other. The engines' sizes and times are estimates, and on a
//! bare drive no file system writes metadata for the file.

use base::{
    Better, Bytes, Card, Duration, Figure, Forecast, Group, Info, Latencies, Message, Needs, Op,
    Script, Setting, Settings, Span, Stopped, Takes,
};

use crate::chart::responses;
use crate::copying::{ENGINE, End, Engine, MEMORY, OneFile, RUNS, UNTIL, of_one_file, seconds_of};
use crate::figures::{Origin, or_why, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, part, seconds};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// The original's file, for which the RAM disk's share is stated.
const FILE: Bytes = Bytes::kib(4_194_304);

static CARD: Card = Card {
    id: "delay-ratio",
    title: "DelayRatio",
    publisher: "a Japanese reviewer of the first consumer SSDs (2009)",
    summary: "One large file written from memory, read to memory, and copied within the drive: the time of the copy over the sum of the others, which shows whether reads and writes overlap.",
    version: 2,
    group: Group::Work,
    short: "Copy within the drive relative to read plus write",
    needs: &[Needs::Writing],
    shortest: &["size=4MiB", "memory=1MiB"],
    #[rustfmt::skip]
    settings: &[
        part("size", "size of the file", ["32MiB", "1GiB", "4194304KiB"]),
        ENGINE.with_values(["windows-xp"; 3]),
        MEMORY.with_values(["8MiB", "64MiB", "64MiB"]),
        UNTIL,
        Setting::count("source", "where the file begins, in per cent of the target", 0..=99, ["0"; 3]),
        Setting::count("destination", "where its copy begins, in per cent of the target; after the file if they would overlap", 0..=99, ["0"; 3]),
        Setting::time("w0", "the RAM disk's own share of a write of 4 GiB", seconds(0)..=seconds(60), ["0.82s"; 3]),
        Setting::time("r0", "the RAM disk's own share of a read of 4 GiB", seconds(0)..=seconds(60), ["1.36s"; 3]),
        RUNS.with_values(["1", "1", "2"]),
    ],
    ..Card::PLAIN
};

/// The file and its copy.
fn places(settings: &Settings, on: &Info) -> [Span; 2] {
    let unit = Bytes::mib(1)
        .min(Bytes::new(on.capacity.get() / 8))
        .round_down(on.block)
        .max(on.block);
    let half = Bytes::new(on.capacity.get() / 2).round_down(unit);
    let len = extent(settings, "size", on).min(half).round_down(on.block);
    let last = on.capacity.saturating_sub(len);
    let at = |key| {
        let wanted = u128::from(on.capacity.get()) * u128::from(settings.count(key)) / 100;
        Bytes::new(wanted as u64).min(last).round_down(unit)
    };
    let (mut file, mut copy) = (at("source"), at("destination"));
    if copy < file + len && file < copy + len {
        // Where there is no room on either side of the file, the two halves of the drive take one each.
        if file < len && file + len > last {
            file = Bytes::ZERO;
        }
        copy = if file + len <= last {
            (file + len).round_up(unit).min(last.round_down(on.block))
        } else {
            Bytes::ZERO
        };
    }
    [Span::new(file, len), Span::new(copy, len)]
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let places = places(settings, on);
    let each = places[0].len * settings.count("runs");
    let moved = if on.writable { each * 2 } else { Bytes::ZERO };
    let len = places[0].len;
    let engine = Engine::named(settings.text("engine"), settings.size("memory"));
    let memory = shares(settings, len);
    let takes = engine
        .takes(len, 3, Duration::ZERO, 4)
        .and(engine.takes(len * 2, 0, Duration::ZERO, 0))
        .and_idle(memory[0] + memory[1])
        .times(settings.count("runs"));
    Forecast {
        takes: if on.writable { takes } else { Takes::default() },
        reads: Some(moved),
        writes: Some(moved),
        extent: places[0].end().max(places[1].end()),
        written: if on.writable {
            places.to_vec()
        } else {
            Vec::new()
        },
        reads_as_found: false,
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("delay_ratio", "ratio", Better::Lower);
    }
    let [file, copy] = places(settings, &run.on);
    let [w0, r0] = shares(settings, file.len);
    let (from, to) = (End::Target(file.start), End::Target(copy.start));
    let parts = [
        ("write", End::Memory(w0), from),
        ("read", from, End::Memory(r0)),
        ("copy", from, to),
    ];
    let mut times: [Vec<f64>; 3] = Default::default();
    let mut origins: [Origin; 3] = Default::default();
    let mut responses_of_copy = [Latencies::default(), Latencies::default()];
    for number in 1..=settings.count("runs") {
        for (i, (name, from, to)) in parts.into_iter().enumerate() {
            let script = script(name, file.len, from, to, settings);
            let phase = format!("{name} run {number}");
            let record = run.bench.script(&phase, &script)?;
            times[i].extend(seconds_of(record));
            origins[i].add(record);
            if name == "copy" {
                responses_of_copy[0].merge(&record.of(Op::Read).service);
                responses_of_copy[1].merge(&record.of(Op::Write).service);
            }
        }
    }
    let [reads, writes] = &responses_of_copy;
    run.output.figures = figures(&times, origins, w0 + r0);
    let copies = [("read", reads), ("write", writes)];
    run.output.charts.push(responses("copy.response", &copies));
    let memory = settings.text("memory").into();
    let places = [
        ("writing", w0.into()),
        ("reading", r0.into()),
        ("memory", memory),
    ];
    run.output.notes.push(Message::new("note-ram-disk", places));
    Ok(())
}

/// What the RAM disk itself takes to write and to read a file of such a length.
fn shares(settings: &Settings, len: Bytes) -> [Duration; 2] {
    ["w0", "r0"].map(|key| {
        let of_file = settings.time(key).as_secs_f64() * len.get() as f64;
        Duration::from_secs_f64(of_file / FILE.get() as f64)
    })
}

fn script(name: &str, size: Bytes, from: End, to: End, settings: &Settings) -> Script {
    let engine = Engine::named(settings.text("engine"), settings.size("memory"));
    of_one_file(name, engine, OneFile::new(size, from, to), settings)
}

fn mean(times: &[f64]) -> Option<f64> {
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

fn figures(times: &[Vec<f64>; 3], mut origins: [Origin; 3], shares: Duration) -> Vec<Figure> {
    // All of them are compared as the copy is.
    let by = origins[2].by.clone();
    origins.iter_mut().for_each(|origin| origin.by = by.clone());
    let keys = ["write_s", "read_s", "copy_s"];
    let mut figures: Vec<Figure> = keys
        .iter()
        .zip(times.iter().zip(&origins))
        .map(|(key, (times, origin))| {
            let statistic = format!("mean of {}", times.len());
            let figure = origin.figure(key, "s", Better::Lower);
            valued(figure, mean(times), statistic, times.len() as u64)
        })
        .collect();
    let [write, read, copy] = [0, 1, 2].map(|i| mean(&times[i]));
    let ratio = write.zip(read).zip(copy).and_then(|((write, read), copy)| {
        let alone = write + read - shares.as_secs_f64();
        (alone > 0.0).then(|| copy / alone)
    });
    let mut all = Origin::default();
    origins.iter().for_each(|origin| all.merge(origin));
    let ratio = valued(
        all.figure("delay_ratio", "ratio", Better::Lower),
        ratio,
        "C&P / ((W - w0) + (R - r0))",
        times[2].len() as u64,
    );
    figures.push(or_why(ratio, "why-share-is-all"));
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, drive, output_of, settings, value};
    use base::method::Scale;
    use base::null::Null;

    const GIVEN: [&str; 4] = ["size=512MiB", "until=written", "w0=0", "r0=0"];

    #[test]
    fn a_target_that_serves_one_at_a_time_copies_while_the_host_copies_in_memory_and_no_faster() {
        let settings = settings("delay-ratio", Scale::Quick, &GIVEN);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("delay-ratio", &settings, &mut bench);
        let of = |key| value(&output, key);
        // 8,192 pieces of 100 us.
        assert!((of("write_s") - 0.8192).abs() < 0.01, "{}", of("write_s"));
        // Read one by one, each with 50 us of copying in memory after it.
        assert!((of("read_s") - 1.2288).abs() < 0.01, "{}", of("read_s"));
        // Both together keep the target busy for 1.6384 s, and take no longer than one after the other.
        let (least, ratio) = (1.6384 / 2.048, of("delay_ratio"));
        assert!((least..=1.001).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_target_that_reads_and_writes_side_by_side_has_less() {
        let settings = settings("delay-ratio", Scale::Quick, &GIVEN);
        let mut bench = BenchDouble::new(Null::new(Bytes::gib(4), SERVICE));
        let output = output_of("delay-ratio", &settings, &mut bench);
        // 150 us a piece, against 100 to write it, one after the other, and 150 to read it with copying in memory.
        let ratio = value(&output, "delay_ratio");
        assert!((ratio - 150.0 / 250.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn file_and_copy_never_overlap() {
        let on = |mib| Info {
            capacity: Bytes::mib(mib),
            block: Bytes::SECTOR,
            max_in_flight: 32,
            writable: true,
        };
        for (mib, given) in [
            (100, vec!["size=whole"]),
            (4_096, vec!["size=1GiB", "source=90", "destination=80"]),
            (4_096, vec!["size=1GiB", "source=10", "destination=20"]),
            (4_096, vec!["size=1700MiB", "source=25", "destination=25"]),
            (4_096, vec!["size=whole", "source=40", "destination=45"]),
            (2, vec![]),
        ] {
            let settings = settings("delay-ratio", Scale::Quick, &given);
            let [file, copy] = places(&settings, &on(mib));
            assert!(
                file.end() <= copy.start || copy.end() <= file.start,
                "{file:?} {copy:?}"
            );
            assert!(file.end() <= Bytes::mib(mib) && copy.end() <= Bytes::mib(mib));
            assert!(!file.len.is_zero());
        }
    }
}
