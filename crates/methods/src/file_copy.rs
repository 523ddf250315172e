//! File copy: folders of many small or few large files, copied from another drive.
//!
//! **What it measures.** How long a user waits for a folder, including everything that a copy involves: the other
//! drive's rate, host work per file, metadata, and host memory.
//!
//! **Who published it.** Reviewers, with their own folders: 613 photographs of 3 GB in total, 3,062 of 15 GB, 5 films
//! of 3 GB, one of 15 GB, from another SSD, three times by stopwatch; and again immediately afterwards, when the files
//! are still in the host's memory.
//!
//! **Protocol.** Each file is opened, then read from the other drive at that drive's rate, a few blocks ahead, copied
//! in memory, and written by the lazy writer (the copy engine of Windows 7, as in DelayRatio); opening takes the host's
//! time per file, and afterwards its metadata is written: one log page, sequentially, and others at random positions of
//! the metadata. Sizes vary by a half around their mean, drawn from the seed. A copy is finished when the last block is
//! in memory, or (`until=written`) on the drive; in addition the time until everything was on the drive is given, which
//! is what distinguishes drives if a folder fits into the host's memory. The second copy goes to another folder; its
//! source is memory if the host can keep the folder, and the other drive again if not: when files are read cyclically,
//! the one needed next is always the one evicted last.
//!
//! **What it cannot tell.** How a real file system lays out files: here they are placed one after another, and the
//! metadata is two writes that match no particular file system. On a target with a `file_system` its own metadata is
//! added (`metadata=0` omits the generic writes). The host's work, the engine's sizes and the dirty memory are
//! estimates with a large influence.

use base::{
    Better, Bytes, Card, Duration, Figure, Forecast, Group, Info, Io, Needs, Op, Rng, Script,
    Setting, Settings, Span, Stopped, Takes, splitmix64,
};

use crate::areas::forecast;
use crate::chart::responses;
use crate::copying::{Copy, ENGINE, End, Engine, MEMORY, PER_FILE, RUNS, UNTIL, seconds_of};
use crate::figures::{Origin, valued, was_served};
use crate::run::{PlainMethod, Run};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Folders: their name, number of files, and size of all.
const FOLDERS: [(&str, u64, Bytes); 4] = [
    ("jpeg-613", 613, Bytes::gb(3)),
    ("jpeg-3062", 3_062, Bytes::gb(15)),
    ("video-5", 5, Bytes::gb(3)),
    ("video-1", 1, Bytes::gb(15)),
];

/// Position of the log and the other metadata, from the start of the target.
const METADATA: Bytes = Bytes::mib(64);
/// Its first part, written in order and then again.
const LOG: Bytes = Bytes::mib(16);

static CARD: Card = Card {
    id: "file-copy",
    title: "File copy",
    publisher: "reviewers, with folders of photographs and films",
    summary: "Seconds to copy a folder of many small or few large files from another drive, with host work and metadata per file; and again with the files in memory.",
    version: 3,
    group: Group::Work,
    short: "Folders of small and large files from another drive",
    needs: &[Needs::Writing],
    shortest: &["memory=1MiB"],
    #[rustfmt::skip]
    settings: &[
        Setting::choice("folder", "what is copied: 613 or 3062 photographs of 3 or 15 GB in total, 5 films of 3 GB, one of 15 GB", &["jpeg-613", "jpeg-3062", "video-5", "video-1", "all"], ["jpeg-613", "all", "all"]),
        Setting::count("percent", "share of a folder that is copied; less on a target that is too small", 1..=100, ["1", "10", "100"]),
        ENGINE,
        MEMORY,
        Setting::count("source-rate", "rate of the other drive, in MB/s (10^6)", 1..=100_000, ["500"; 3]),
        Setting::count("memory-rate", "rate of the second copy's source, the host's memory, in MB/s (10^6)", 1..=1_000_000, ["3000"; 3]),
        Setting::size("kept", "file data that the host's memory keeps: a larger folder is read again", Bytes::ZERO..=Bytes::gib(1_024), ["1GB", "6GB", "6GB"]),
        PER_FILE,
        Setting::count("metadata", "small metadata writes per file", 0..=16, ["2"; 3]),
        UNTIL,
        RUNS.with_values(["1", "1", "3"]),
    ],
    ..Card::PLAIN
};

/// What is copied onto a target.
struct Plan {
    folders: Vec<(&'static str, Vec<Bytes>)>,
    log: Span,
    metadata: Span,
    /// Position of the files: room for two copies of the largest folder.
    files: Span,
    /// Bytes of a page of metadata.
    page: Bytes,
}

fn plan(settings: &Settings, on: &Info) -> Plan {
    let page = Bytes::kib(4).max(on.block);
    let metadata = METADATA
        .min(Bytes::new(on.capacity.get() / 4))
        .round_down(page)
        .max(page);
    let log = LOG
        .min(Bytes::new(metadata.get() / 2))
        .round_down(page)
        .max(page);
    let room = Bytes::new(on.capacity.saturating_sub(metadata).get() / 2).round_down(page);
    let wanted = settings.text("folder");
    let folders: Vec<(&str, Vec<Bytes>)> = FOLDERS
        .iter()
        .filter(|folder| wanted == "all" || wanted == folder.0)
        .map(|(name, count, bytes)| {
            let percent = settings.count("percent");
            let count = (count * percent).div_ceil(100);
            let bytes = Bytes::new(bytes.get() / 100 * percent).min(room);
            (*name, sizes(count, bytes, page, settings.seed))
        })
        .collect();
    let all = |sizes: &Vec<Bytes>| Bytes::new(sizes.iter().map(|size| size.get()).sum());
    let most = folders.iter().map(|f| all(&f.1)).max().unwrap_or(page);
    Plan {
        folders,
        log: Span::first(log),
        metadata: Span::new(log, metadata.saturating_sub(log)),
        files: Span::new(metadata, most * 2),
        page,
    }
}

/// Sizes of a folder's files in whole pages, a half around their mean, of about `bytes` in all and
/// never more.
pub(crate) fn sizes(count: u64, bytes: Bytes, page: Bytes, seed: u64) -> Vec<Bytes> {
    let mut rng = Rng::stream(seed, count);
    let weights: Vec<f64> = (0..count).map(|_| 0.5 + rng.unit()).collect();
    let sum: f64 = weights.iter().sum();
    let size = |weight: &f64| {
        let size = bytes.get() as f64 * weight / sum;
        Bytes::new(size as u64).round_down(page)
    };
    weights
        .iter()
        .map(size)
        .filter(|size| !size.is_zero())
        .collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let plan = plan(settings, on);
    let mut takes = Takes::default();
    for (_, sizes) in plan.folders.iter().filter(|_| on.writable) {
        let bytes = Bytes::new(sizes.iter().map(|size| size.get()).sum());
        let rate = settings
            .count("source-rate")
            .min(settings.count("memory-rate")) as f64
            * 1e6;
        let fetched = Duration::from_secs_f64(bytes.get() as f64 / rate.max(1.0));
        let files = sizes.len() as u64;
        let engine = Engine::named(settings.text("engine"), settings.size("memory"));
        let metadata = files * settings.count("metadata");
        let copy = engine
            .takes(bytes, files, settings.time("per-file"), 1)
            .and_idle(fetched)
            .and_moving(plan.page * metadata)
            .and_accesses(metadata);
        // A first and a second one.
        takes = takes.and(copy.times(2 * settings.count("runs")));
    }
    Forecast {
        reads: Some(Bytes::ZERO),
        ..forecast(plan.files.end(), on.writable, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("first_s", "s", Better::Lower);
    }
    let plan = plan(settings, &run.on);
    run.tell_grown(&[Bytes::kib(4)]);
    let mut writes = Vec::new();
    for (folder, sizes) in &plan.folders {
        let bytes: u64 = sizes.iter().map(|size| size.get()).sum();
        for (nth, source) in [("first", "source-rate"), ("second", "memory-rate")] {
            let kept = bytes <= settings.size("kept").get();
            let source = if kept { source } else { "source-rate" };
            let rate = settings.count(source) as f64 * 1e6;
            let offset = if nth == "first" { 0 } else { bytes };
            let (mut times, mut on_drive) = (Vec::new(), Vec::new());
            let mut origin = Origin::default();
            for number in 1..=settings.count("runs") {
                let at = plan.files.start + Bytes::new(offset);
                let script = script(folder, sizes, at, rate, &plan, settings);
                let phase = format!("{folder} {nth} copy run {number}");
                let record = run.bench.script(&phase, &script)?;
                times.extend(seconds_of(record));
                // A script ends when nothing is in flight, the lazy writer's last piece included.
                on_drive.extend(was_served(record).then(|| record.took.as_secs_f64()));
                origin.add(record);
                if number == settings.count("runs") {
                    let key = format!("{folder}.{nth}");
                    let figures = figures(&key, bytes, [&times, &on_drive], &origin);
                    run.output.figures.extend(figures);
                    writes.push((key, record.of(Op::Write).service));
                }
            }
        }
    }
    run.output.charts.push(responses("response", &writes));
    Ok(())
}

fn script(
    folder: &str,
    sizes: &[Bytes],
    mut at: Bytes,
    rate: f64,
    plan: &Plan,
    settings: &Settings,
) -> Script {
    let engine = Engine::named(settings.text("engine"), settings.size("memory"));
    let mut script = Script::new(folder, engine.depth());
    let mut copy = Copy::new(engine, settings.seed);
    let mut metadata = Metadata {
        plan,
        rng: Rng::stream(settings.seed, at.get()),
        logged: 0,
    };
    for size in sizes {
        copy.host(&mut script, settings.time("per-file"));
        let fetching = Duration::from_secs_f64(size.get() as f64 / rate);
        copy.file(
            &mut script,
            *size,
            End::Elsewhere(fetching),
            End::Target(at),
        );
        for nth in 0..settings.count("metadata") {
            copy.beside(&mut script, metadata.write(nth == 0));
        }
        at += *size;
    }
    copy.over(&mut script, settings);
    script
}

/// The small writes of the file system.
struct Metadata<'a> {
    plan: &'a Plan,
    rng: Rng,
    logged: u64,
}

impl Metadata<'_> {
    /// The next page of the log, or a page of the other metadata.
    fn write(&mut self, log: bool) -> Io {
        let page = self.plan.page;
        let (span, n) = if log || self.plan.metadata.len < page {
            self.logged += 1;
            let pages = (self.plan.log.len.get() / page.get()).max(1);
            (self.plan.log, (self.logged - 1) % pages)
        } else {
            let pages = self.plan.metadata.len.get() / page.get();
            (self.plan.metadata, self.rng.below(pages))
        };
        let len = page.min(span.len);
        let stamp = splitmix64(self.rng.next_u64());
        Io::write(span.start + page * n, len, stamp)
    }
}

fn figures(key: &str, bytes: u64, [times, on_drive]: [&[f64]; 2], origin: &Origin) -> Vec<Figure> {
    let n = times.len();
    let mean_of = |times: &[f64]| {
        let n = times.len();
        (n > 0).then(|| times.iter().sum::<f64>() / n as f64)
    };
    let mean = mean_of(times);
    let rate = mean
        .filter(|time| *time > 0.0)
        .map(|time| bytes as f64 / 1e6 / time);
    let of = |what: &str, unit: &str, better, value, n: usize| {
        let figure = origin.figure(&format!("{key}_{what}"), unit, better);
        valued(figure, value, format!("mean of {n}"), n as u64)
    };
    vec![
        of("s", "s", Better::Lower, mean, n),
        of("rate", "MB/s", Better::Higher, rate, n),
        of(
            "on-drive_s",
            "s",
            Better::Lower,
            mean_of(on_drive),
            on_drive.len(),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, output_of, settings, value};
    use base::method::Scale;
    use base::null::Null;
    use base::result::MethodOutput;

    fn copied(given: &[&str]) -> MethodOutput {
        let settings = settings("file-copy", Scale::Quick, given);
        let mut bench = BenchDouble::new(Null::new(Bytes::gib(4), SERVICE));
        output_of("file-copy", &settings, &mut bench)
    }

    #[test]
    fn the_source_and_the_work_on_each_file_bound_the_copy() {
        let given = ["folder=jpeg-613", "percent=10", "memory=1GiB"];
        let output = copied(&given);
        // 62 files of 300 MB in all: 0.6 s at 500 MB/s, and half a millisecond each.
        let first = value(&output, "jpeg-613.first_s");
        assert!((0.63..0.68).contains(&first), "{first}");
        let second = value(&output, "jpeg-613.second_s");
        assert!((0.15..0.31).contains(&second), "{second}");
    }

    #[test]
    fn what_memory_took_counts_at_once_and_is_on_the_drive_later() {
        let given = ["folder=video-5", "percent=10", "memory=16GiB"];
        let output = copied(&given);
        // Less than an eighth of the memory: the lazy writer begins when the copy is over. 287 pieces, four at a time,
        // 100 us each.
        let taken = value(&output, "video-5.second_s");
        let behind = value(&output, "video-5.second_on-drive_s") - taken;
        assert!((0.007..0.008).contains(&behind), "{taken} {behind}");
    }

    #[test]
    fn many_files_take_longer_than_few_of_the_same_size() {
        let many = value(
            &copied(&["folder=jpeg-613", "percent=20"]),
            "jpeg-613.second_s",
        );
        let few = value(
            &copied(&["folder=video-5", "percent=20"]),
            "video-5.second_s",
        );
        assert!(many > few + 0.03, "{many} {few}");
    }
}
