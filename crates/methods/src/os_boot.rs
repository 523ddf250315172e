//! OS boot: a cold boot, with the host's own time between the I/Os.
//!
//! **What it measures.** Seconds from power-on to the desktop, as far as they depend on the drive, and what is read and
//! written meanwhile.
//!
//! **Who published it.** Reviewers, with a stopwatch and one installation of Windows 7 copied to each drive; they
//! determined the host's own share with a RAM drive.
//!
//! **Protocol.** The part of the drive that holds the system is written once sequentially, like restoring an image.
//! Then the trace: dependent reads and writes, mostly one at a time, some a few at a time, and the host's work between
//! them, whose total is the same on every drive. Numbers and sizes are those published for a clean Windows 7: 10,000 to
//! 25,000 I/Os of 16 to 32 KiB on average, half to two thirds of them random, one in six a write. Writes go through the
//! system's cache, so that nothing waits for them except I/Os that share the drive, and to the few places that a boot
//! writes to: the file system's log and tables, the registry and its logs, event logs, the prefetcher's files. A system
//! that has booted before reads ahead what it needed then (Windows since XP: a trace of the first two minutes of each
//! boot is kept, and read at the next one during device setup): this share of the reads is taken off the critical path.
//! The time stops when the desktop appears; then follows a period of writes alone. Time with I/Os: boot time without
//! the host's work. A prefetcher learns a boot's reads from earlier boots on the same drive: with `starts`, that many
//! of them come first, each like the timed one with its own write positions, followed by a minute of idle time. With
//! `trace=debian-12` a recording replaces the generated trace: the requests of a Debian 12 to an emulated drive from
//! its BIOS's first read to ten seconds after the boot, and their dependencies; of the settings, `accesses` limits it
//! to the first I/Os, `host` scales the host's times, and those that control the generated trace have no effect.
//!
//! **What it cannot tell.** The boot of another system, or one with other programs: the trace is generated from a few
//! numbers and the seed, or it is one recording; the host's share is a setting to be taken from a RAM drive, and that
//! of the prefetcher from one other drive. The prefetcher reads in order of need, not in disk order.

use base::{
    Better, Bytes, Card, Duration, Figure, Fill, Forecast, Group, Info, Message, Op, PhaseRecord,
    Script, Setting, Settings, Span, Stopped, Takes,
};

use crate::areas::{forecast, prepared};
use crate::chart::{rate_over_time, responses};
use crate::figures::{Origin, was_served};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{PREPARE, extent, part, prepares, seconds};
use crate::trace::{Sizes, Trace};

use self::recorded::Recorded;

mod recorded;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Mean 21 KiB.
const READS: Sizes = &[(4, 40), (8, 12), (16, 20), (32, 18), (64, 5), (128, 5)];
/// Mean 12 KiB.
const WRITES: Sizes = &[(4, 70), (8, 10), (16, 10), (64, 10)];
/// Maximum writes of the system's cache in flight: a SATA drive's queue depth.
const WRITES_BEHIND: u32 = 28;
/// The word for the recording.
const DEBIAN: &str = "debian-12";
/// From an earlier start's last write to the next start.
const BETWEEN_STARTS: Duration = Duration::from_secs(60);
/// Percentage of the writes that come when the desktop is there.
const AFTER_THE_DESKTOP: u64 = 30;

/// I/Os of the trace.
pub(crate) const ACCESSES: Setting = Setting::count(
    "accesses",
    "reads and writes up to the end of the trace",
    10..=1_000_000,
    ["500", "18000", "18000"],
);

/// Share of its writes.
pub(crate) const WRITE_PERCENT: Setting = Setting::count(
    "write-percent",
    "writes of 100 I/Os, where the target may be written",
    0..=99,
    ["16"; 3],
);

/// The host's own work.
pub(crate) const HOST: Setting = Setting::time(
    "host",
    "the host's own work up to the desktop, in all",
    seconds(0)..=seconds(3_600),
    ["100ms", "14s", "14s"],
);

/// The area of the system.
pub(crate) const SYSTEM: Setting = part(
    "system",
    "size of the part where the system lies",
    ["64MiB", "8GiB", "12GiB"],
);

pub(crate) static CARD: Card = Card {
    id: "os-boot",
    title: "OS boot",
    publisher: "reviewers with a stopwatch; the trace is drivelab's own",
    summary: "A cold boot of a system: dependent reads and writes with the host's own work between them, up to the desktop, then a period of writes alone.",
    version: 2,
    group: Group::Work,
    short: "Boot of a system: dependent I/Os and host work",
    shortest: &["system=8MiB", "host=10ms"],
    #[rustfmt::skip]
    settings: &[
        ACCESSES,
        WRITE_PERCENT,
        Setting::count("random-percent", "per cent of I/Os at random positions", 0..=100, ["60"; 3]),
        Setting::count("single-percent", "per cent of groups with a single I/O", 0..=100, ["75"; 3]),
        Setting::count("depth", "I/Os of the largest groups", 1..=64, ["4"; 3]),
        Setting::count("prefetched-percent", "per cent of reads that the system's prefetcher knows from earlier boots and reads ahead", 0..=100, ["0"; 3]),
        Setting::count("starts", "earlier boots from this drive, from which the prefetcher learns", 0..=100, ["0"; 3]),
        HOST,
        Setting::choice("trace", "the system that boots: windows-7 is generated from published numbers, debian-12 was recorded", &["windows-7", DEBIAN], ["windows-7"; 3]),
        SYSTEM,
        part("written", "size of the area for writes, at the end of the system's area", ["16MiB", "256MiB", "256MiB"]),
        PREPARE,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    forecast(
        extent(settings, "system", on),
        on.writable,
        takes(settings, on),
    )
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("system");
    if prepares(settings, &run.on) {
        run.write_in_order("restore the image", span, Fill::FRESH)?;
    }
    for start in 1..=settings.count("starts") {
        let script = earlier(start, span, settings, &run.on);
        run.bench.script(&format!("start {start}"), &script)?;
        run.bench
            .idle(&format!("rest after start {start}"), BETWEEN_STARTS)?;
    }
    let script = script(span, settings, &run.on);
    let record = run.bench.script("boot", &script)?;
    let [reads, writes] = [Op::Read, Op::Write].map(|op| record.of(op).service);
    let (host, output) = (settings.time("host"), &mut run.output);
    output.figures = figures(record, host);
    output.charts = vec![
        rate_over_time("boot.rate", record.job()),
        responses("boot.response", &[("read", &reads), ("write", &writes)]),
    ];
    output
        .notes
        .push(Message::new("note-host-work", [("time", host.into())]));
    run.tell_grown(&[Bytes::kib(4)]);
    Ok(())
}

/// The boot, and the image that is restored before it.
pub(crate) fn takes(settings: &Settings, on: &Info) -> Takes {
    let image = extent(settings, "system", on);
    let restored = prepared(image, prepares(settings, on));
    let start = if is_recorded(settings) {
        let accesses = settings.count("accesses");
        Recorded::debian_12().takes(accesses, on.writable, settings.time("host"))
    } else {
        let [boot, tail] = traces(image, settings, on).map(|trace| trace.takes());
        boot.and(tail)
    };
    let earlier = start.and_idle(BETWEEN_STARTS);
    let earlier = earlier.times(settings.count("starts"));
    earlier.and(start).and_moving(restored)
}

fn is_recorded(settings: &Settings) -> bool {
    settings.text("trace") == DEBIAN
}

/// Everything before the desktop, and the writes after it.
fn traces(image: Bytes, settings: &Settings, on: &Info) -> [Trace; 2] {
    let all = settings.count("accesses");
    let writes = if on.writable {
        all * settings.count("write-percent") / 100
    } else {
        0
    };
    let late = writes * AFTER_THE_DESKTOP / 100;
    let boot = Trace {
        reads: all - writes,
        writes: writes - late,
        read_sizes: READS,
        write_sizes: WRITES,
        random_percent: settings.count("random-percent"),
        single_percent: settings.count("single-percent"),
        depth: settings.count("depth"),
        host: settings.time("host"),
        written: Some(settings.size_or_whole("written", image)),
        behind: true,
        prefetched_percent: settings.count("prefetched-percent"),
    };
    let tail = Trace {
        reads: 0,
        writes: late,
        host: Duration::from_millis(late),
        ..boot
    };
    [boot, tail]
}

/// The trace up to the desktop, which is marked, and the writes after it.
pub(crate) fn script(span: Span, settings: &Settings, on: &Info) -> Script {
    if is_recorded(settings) {
        let which = (settings.count("accesses"), on.writable);
        let host = settings.time("host");
        return Recorded::debian_12().script(span, on.block, which, host, settings.seed);
    }
    let [boot, tail] = traces(span.len, settings, on);
    let depth = u32::try_from(boot.depth).unwrap_or(1);
    let mut script = Script::new("boot", depth + WRITES_BEHIND);
    let last = boot.play(&mut script, span, on.block, settings.seed, &[]);
    let desktop = script.host(Duration::ZERO, &last);
    script.mark(desktop);
    tail.play(&mut script, span, on.block, !settings.seed, &[desktop]);
    script
}

/// An earlier start: the same numbers, drawn anew.
fn earlier(start: u64, span: Span, settings: &Settings, on: &Info) -> Script {
    let seed = settings.seed.wrapping_add(start << 32);
    let drawn = Settings {
        seed,
        ..settings.clone()
    };
    script(span, &drawn, on)
}

fn figures(record: &PhaseRecord, host: Duration) -> Vec<Figure> {
    let origin = Origin::of(record);
    let marks = record.script.as_ref().map(|script| &script.marks);
    let boot = marks.and_then(|marks| marks.last().copied());
    let seconds = boot.map(Duration::as_secs_f64);
    let accesses = boot.map(|boot| boot.saturating_sub(host).as_secs_f64());
    let megabytes = |op| Some(record.of(op).bytes.get() as f64 / 1e6);
    let n = if was_served(record) { record.ios() } else { 0 };
    let [reads, writes] = [Op::Read, Op::Write].map(|op| record.of(op).ios);
    let (lower, none) = (Better::Lower, Better::None);
    let rows = [
        ("boot_s", "s", lower, seconds, "made-to-desktop", n),
        ("accesses_s", "s", lower, accesses, "made-without-host", n),
        ("read", "MB", none, megabytes(Op::Read), "sum", reads),
        ("written", "MB", none, megabytes(Op::Write), "sum", writes),
    ];
    origin.table("", &rows)
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn a_boot_takes_the_hosts_work_and_the_accesses_one_after_another() {
        let given = ["accesses=1000", "host=2s", "write-percent=0", "depth=1"];
        let settings = settings("os-boot", Scale::Quick, &given);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("os-boot", &settings, &mut bench);
        // A thousand I/Os of 100 us.
        assert!((value(&output, "boot_s") - 2.1).abs() < 1e-6);
        assert!((value(&output, "accesses_s") - 0.1).abs() < 1e-6);
    }

    #[test]
    fn what_is_read_ahead_is_hidden_behind_the_hosts_work() {
        let boot = |prefetched: &str| {
            let given = ["accesses=1000", "host=2s", "write-percent=0", prefetched];
            let settings = settings("os-boot", Scale::Quick, &given);
            let mut bench = BenchDouble::new(drive());
            value(&output_of("os-boot", &settings, &mut bench), "boot_s")
        };
        let [none, half, all] =
            ["0", "50", "100"].map(|n| boot(&format!("prefetched-percent={n}")));
        assert!(none > half && half > all, "{none} {half} {all}");
        // The prefetcher is soon ahead for good: what is left is the host's work.
        assert!((all - 2.0).abs() < 0.001, "{all}");
    }

    #[test]
    fn a_recorded_boot_takes_the_hosts_time_and_its_reads_where_these_wait_for_each_other() {
        let boot = |given: &[&str]| {
            let all = [
                &["trace=debian-12", "accesses=1000000", "prepare=no"],
                given,
            ]
            .concat();
            let settings = settings("os-boot", Scale::Full, &all);
            let mut bench = BenchDouble::new(drive());
            let output = output_of("os-boot", &settings, &mut bench);
            let ios = bench.phases.last().unwrap().ios();
            (value(&output, "boot_s"), value(&output, "accesses_s"), ios)
        };
        let (short, drives, ios) = boot(&["host=2s"]);
        // At most all of them one after another, 100 us each; at least what the host does alone.
        assert!(
            drives < 0.0001 * ios as f64 && ios > 500,
            "{drives} s of {ios}"
        );
        assert!(short > 1.5, "{short}");
        let (long, _, same) = boot(&["host=20s"]);
        assert_eq!(ios, same);
        assert!(long - short > 15.0, "{long} {short}");
    }

    #[test]
    fn the_writes_after_the_desktop_are_not_in_the_time() {
        let boot = |given: &[&str]| {
            let settings = settings("os-boot", Scale::Quick, given);
            let mut bench = BenchDouble::new(drive());
            let output = output_of("os-boot", &settings, &mut bench);
            let phase = bench.phases.last().unwrap();
            (value(&output, "boot_s"), phase.took.as_secs_f64())
        };
        let (desktop, all) = boot(&["accesses=1000", "write-percent=50", "depth=1"]);
        // The host's work and 500 reads one after another, and as much of 350 writes as is in the way.
        assert!((0.15..0.185).contains(&desktop), "{desktop}");
        assert!(all > desktop + 0.015, "{all}");
    }

    #[test]
    fn earlier_starts_write_what_they_write_and_are_not_in_the_time() {
        let boot = |given: &[&str]| {
            let settings = settings("os-boot", Scale::Quick, given);
            let mut bench = BenchDouble::new(drive());
            let output = output_of("os-boot", &settings, &mut bench);
            let phases: Vec<(String, u64)> = bench
                .phases
                .iter()
                .map(|phase| (phase.name.clone(), phase.of(base::io::Op::Write).ios))
                .collect();
            (value(&output, "boot_s"), phases)
        };
        let (alone, one) = boot(&["prepare=no"]);
        let (after_two, three) = boot(&["prepare=no", "starts=2"]);
        assert!((alone - after_two).abs() < 1e-9, "{alone} {after_two}");
        let names: Vec<&str> = three.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["start 1", "start 2", "boot"]);
        assert!(
            three.iter().all(|(_, writes)| *writes == one[0].1),
            "{three:?}"
        );
    }
}
