//! AS SSD's copy test: three folders copied within the drive.
//!
//! **What it measures.** Seconds and MB/s of copying, within one drive, a folder with two large files (ISO), one with
//! many small files (program), and one with both (game).
//!
//! **Who published it.** Alex Intelligent Software, AS SSD Benchmark 1.6 to 2.0; its workings are taken from third
//! parties' pages, not from its source.
//!
//! **Protocol.** The source folder is written sequentially; then its files are copied one after another to another
//! folder by the system's copy engine (see `delay-ratio`): each file is opened (host work), read a few blocks ahead,
//! and written by the lazy writer, with one small metadata write each. The sizes of the folders are not published; here
//! they are ISO 2 files of 1 GB in total, program 2,000 files of 1.4 GB, game 500 files of 1.4 GB of which ten hold two
//! thirds (estimates). MB are 10^6 bytes. A copy is finished when its last block is in memory, or on the drive
//! (`until=written`).
//!
//! **What it cannot tell.** As `file-copy`: sizes vary by a half around their mean, files are laid out one after
//! another, and the metadata writes do not match any particular file system.

use base::{
    Better, Bytes, Card, Figure, Fill, Forecast, Group, Info, Io, Latencies, Message, Needs, Op,
    PhaseRecord, Script, Setting, Settings, Span, Stopped, Takes, splitmix64,
};

use crate::areas::forecast;
use crate::chart::responses;
use crate::copying::{Copy, ENGINE, End, Engine, MEMORY, PER_FILE, UNTIL, seconds_of};
use crate::figures::Origin;
use crate::file_copy::sizes;
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, part};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Folders: their name, and the files and bytes of each part of them.
const FOLDERS: [(&str, &[(u64, Bytes)]); 3] = [
    ("iso", &[(2, Bytes::gb(1))]),
    ("program", &[(2_000, Bytes::new(1_400_000_000))]),
    (
        "game",
        &[
            (10, Bytes::new(930_000_000)),
            (490, Bytes::new(470_000_000)),
        ],
    ),
];

static CARD: Card = Card {
    id: "as-ssd-copy",
    title: "AS SSD: copy test",
    publisher: "Alex Intelligent Software, AS SSD Benchmark 1.6 to 2.0",
    summary: "Seconds and MB/s to copy, within the drive, two large files, many small ones, and a mixture.",
    version: 1,
    group: Group::Program,
    short: "Copies within the drive: ISO, program, game",
    needs: &[Needs::Writing],
    shortest: &["percent=1", "memory=1MiB"],
    #[rustfmt::skip]
    settings: &[
        Setting::count("percent", "share of each folder that is copied; less on a target that is too small", 1..=100, ["2", "25", "100"]),
        part("extent", "how much of the target may be used, from the start", ["whole"; 3]),
        ENGINE,
        MEMORY,
        PER_FILE,
        UNTIL,
    ],
    ..Card::PLAIN
};

/// A folder on a target: the sizes of its files, and its location.
struct Folder {
    name: &'static str,
    files: Vec<Bytes>,
    bytes: Bytes,
}

/// The folders as large as possible: source and copy of each, and a page of metadata.
fn folders(settings: &Settings, on: &Info) -> (Bytes, Vec<Folder>) {
    let page = Bytes::kib(4).max(on.block);
    let room = extent(settings, "extent", on).saturating_sub(page);
    let half = Bytes::new(room.get() / 2).round_down(page);
    let percent = settings.count("percent");
    let folder = |(name, parts): (&'static str, &[(u64, Bytes)])| {
        let all: u64 = parts.iter().map(|part| part.1.get()).sum();
        let most = Bytes::new(all / 100 * percent).min(half).get() as f64;
        let files: Vec<Bytes> = parts
            .iter()
            .flat_map(|(count, bytes)| {
                let share = most * bytes.get() as f64 / all as f64;
                let count = (count * percent).div_ceil(100);
                sizes(count, Bytes::new(share as u64), page, settings.seed)
            })
            .collect();
        let bytes = Bytes::new(files.iter().map(|size| size.get()).sum());
        Folder { name, files, bytes }
    };
    (page, FOLDERS.into_iter().map(folder).collect())
}

/// Page of metadata, source and copy of the largest folder.
fn used(page: Bytes, folders: &[Folder], on: &Info) -> Bytes {
    let most = folders
        .iter()
        .map(|folder| folder.bytes)
        .max()
        .unwrap_or(page);
    (page + most * 2).min(on.capacity.round_down(on.block))
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let (page, folders) = folders(settings, on);
    let engine = Engine::named(settings.text("engine"), settings.size("memory"));
    let of_a_folder = |folder: &Folder| {
        let files = folder.files.len() as u64;
        // Made, read and written; and a page of metadata a file.
        engine
            .takes(folder.bytes, files, settings.time("per-file"), 3)
            .and_moving(page * files)
            .and_accesses(files)
    };
    let all = folders.iter().filter(|_| on.writable).map(of_a_folder);
    let takes = all.fold(Takes::default(), Takes::and);
    forecast(used(page, &folders, on), on.writable, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    if !run.on.writable {
        return run.not_writable("iso_s", "s", Better::Lower);
    }
    let (page, folders) = folders(run.settings, &run.on);
    run.tell_grown(&[Bytes::kib(4)]);
    let mut responses_of: Vec<(String, Latencies)> = Vec::new();
    for folder in folders.iter().filter(|folder| !folder.bytes.is_zero()) {
        let source = Span::new(page, folder.bytes);
        let name = format!("make the {} folder", folder.name);
        run.write_in_order(&name, source, Fill::FRESH)?;
        let script = script(folder, page, run.settings);
        let record = run
            .bench
            .script(&format!("copy the {} folder", folder.name), &script)?;
        run.output.figures.extend(figures(folder, record));
        for op in [Op::Read, Op::Write] {
            let key = format!("{} {}", folder.name, op.name());
            responses_of.push((key, record.of(op).service));
        }
    }
    if run.output.figures.is_empty() {
        let why = Message::of("why-two-copies");
        return run.without_number("iso_s", "s", Better::Lower, why);
    }
    let chart = responses("copy.response", &responses_of);
    run.output.charts.push(chart);
    Ok(())
}

fn script(folder: &Folder, page: Bytes, settings: &Settings) -> Script {
    let engine = Engine::named(settings.text("engine"), settings.size("memory"));
    let mut script = Script::new(folder.name, engine.depth());
    let mut copy = Copy::new(engine, settings.seed);
    let mut at = page;
    for (nth, size) in (0..).zip(&folder.files) {
        copy.host(&mut script, settings.time("per-file"));
        copy.file(
            &mut script,
            *size,
            End::Target(at),
            End::Target(at + folder.bytes),
        );
        let stamp = splitmix64(settings.seed ^ splitmix64(nth));
        copy.beside(&mut script, Io::write(Bytes::ZERO, page, stamp));
        at += *size;
    }
    copy.over(&mut script, settings);
    script
}

fn figures(folder: &Folder, record: &PhaseRecord) -> Vec<Figure> {
    let origin = Origin::of(record);
    let seconds = seconds_of(record);
    let megabytes = folder.bytes.get() as f64 / 1e6;
    let rate = seconds.filter(|s| *s > 0.0).map(|s| megabytes / s);
    let n = folder.files.len() as u64;
    #[rustfmt::skip]
    let rows = [
        ("s", "s", Better::Lower, seconds, "made-one-copy", n),
        ("rate", "MB/s", Better::Higher, rate, "made-copied-over-time", n),
    ];
    origin.table(&format!("{}_", folder.name), &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, drive, output_of, settings, value};
    use base::method::Scale;
    use base::null::Null;

    #[test]
    fn every_byte_is_read_from_the_source_and_written_beside_it() {
        let settings = settings("as-ssd-copy", Scale::Quick, &["until=written"]);
        let mut bench = BenchDouble::new(drive());
        output_of("as-ssd-copy", &settings, &mut bench);
        let copies: Vec<&PhaseRecord> = bench.phases.iter().skip(1).step_by(2).collect();
        let names: Vec<&str> = copies.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "copy the iso folder",
                "copy the program folder",
                "copy the game folder"
            ]
        );
        let files = [1, 40, 11];
        for (copy, files) in copies.iter().zip(files) {
            let (read, written) = (copy.of(Op::Read).bytes, copy.of(Op::Write).bytes);
            assert_eq!(written.get() - read.get(), files * 4_096, "{}", copy.name);
        }
    }

    #[test]
    fn many_small_files_take_longer_than_two_large_ones() {
        let settings = settings("as-ssd-copy", Scale::Quick, &["percent=10"]);
        let mut bench = BenchDouble::new(Null::new(Bytes::gib(4), SERVICE));
        let output = output_of("as-ssd-copy", &settings, &mut bench);
        let rate = |folder: &str| value(&output, &format!("{folder}_rate"));
        assert!(rate("program") < rate("game") && rate("game") < rate("iso"));
    }
}
