//! Zones: filling, resetting, finishing and opening the zones of a zoned drive.
//!
//! **What it measures.** The rate at which zones are filled sequentially, one after another; the time of a reset of a
//! full, a partly written and an empty zone, and of a finish, an open and a close; how many zones can be open at once;
//! the effect of writes, resets and finishes on concurrent reads; and appends compared with writes, by queue depth.
//!
//! **Who published it.** The questions are those of Doekemeijer and others on a ZN540 (Performance Characterization of
//! NVMe Flash Devices with Zoned Namespaces, 2023), extended to ZBC and ZAC disks. The procedure is drivelab's own.
//!
//! **Protocol.** On the first sequential-write-required zones of the drive, all reset before. *fill*: each is written
//! from its start, at queue depth 1, to its capacity or as far as `fill` says, and the rate includes the flush after
//! the last write: otherwise data that fits the drive's cache would give the rate of its interface. A drive with
//! capacitors completes a flush at once: a total below 512 MiB, the largest known cache of a zoned drive, causes a
//! warning. *reset* of the filled zones, of the same zones when empty, and with one write in each. *finish* of zones
//! with one write in each. *open*: zones are opened explicitly until the drive refuses, and closed again. *reads*:
//! random reads of 4 KiB in a filled zone at queue depth 1, first alone, then in rounds concurrent with a write to
//! another zone each, with a reset of a partly written zone, and with a finish: a round begins with a read, which is in
//! flight when the command arrives, and has as many reads as should fit into the command's duration, judging by the two
//! measured alone. *append*: 4 KiB to one zone at depths of 1 to 8, compared with writes of 4 KiB at queue depth 1 in
//! each of 1 to 8 zones. Before each of these, and before the reads, written data is flushed and the drive is left
//! idle, so that no phase pays for the previous one. All zones used are empty at the end.
//!
//! **What it cannot tell.** Linux offers no append to programs, so it is skipped on a real drive; and a zone command is
//! a separate blocking call, some microseconds on top of the drive's time. Resets and finishes are few: their medians
//! have as many samples as there are zones. If `fill` is less than a zone's capacity, the reset of a filled zone is
//! that of a partly filled one. The first short commands after long ones find the host's processor asleep: about six
//! opens after finishes, and reads during a reset, include its wake-up time (200 us on the modelled host; `host=none`
//! omits it). Explicitly opened zones are limited by the maximum of open zones, or of active zones if that is lower.

use base::chart::designs;
use base::zone::{Zone, ZoneKind, ZoneLimits, Zoning};
use base::{
    Argument, Bench, Better, Bytes, Card, Chart, Curve, Duration, Figure, Forecast, Group, Info,
    Io, Latencies, Message, Needs, Op, PhaseRecord, Rate, Script, Setting, Settings, StepId,
    Stopped, Takes, splitmix64,
};

use crate::areas::forecast;
use crate::chart::responses;
use crate::figures::{Of, Origin, median_of, valued, withheld};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::seconds;
use crate::zone_order::chain;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "zones",
    title: "Zones",
    publisher: "drivelab; after Doekemeijer and others, 2023",
    summary: "Zoned drives: fill rate of zones, times of resets, finishes and opens, how many zones can be open, the effect of writes, resets and finishes on reads, and appends compared with writes.",
    version: 2,
    files: false,
    group: Group::Inside,
    short: "Fill, reset, finish, open, append on zoned drives",
    needs: &[Needs::Zones, Needs::Writing],
    shortest: &["zones=1", "fill=1MiB", "reads=16", "rest=0", "most-open=4"],
    #[rustfmt::skip]
    settings: &[
        Setting::count("zones", "number of zones to fill, reset and finish", 1..=64, ["2", "4", "8"]),
        Setting::size("fill", "maximum bytes written to each zone", Bytes::mib(1)..=Bytes::gib(16), ["1GiB", "1GiB", "16GiB"]),
        Setting::size("size", "bytes per write when zones are filled", Bytes::kib(4)..=Bytes::mib(16), ["256KiB"; 3]),
        Setting::count("reads", "reads, and appends and writes at each depth", 16..=1_000_000, ["200", "1000", "10000"]),
        Setting::time("rest", "idle time before reads, appends and small writes", seconds(0)..=seconds(600), ["1s", "2s", "10s"]),
        Setting::count("most-open", "maximum number of zones to open", 1..=100_000, ["160", "400", "2000"]),
    ],
    ..Card::PLAIN
};

/// Bytes of a read, an append, and a concurrent write.
const SMALL: Bytes = Bytes::kib(4);
/// Depths of appends, and numbers of zones with a writer each.
const DEPTHS: [u32; 4] = [1, 2, 4, 8];
/// Reads per concurrent write, and the minimum per reset or finish.
const READS_A_ROUND: u64 = 2;
/// Maximum number of resets concurrent with reads.
const RESETS_BESIDE: u64 = 32;
/// Number of zones queried: conventional ones come first.
const ASKED: usize = 16_384;
/// The largest known cache of a zoned drive (Ultrastar DC HC620: 512 MB): the fill has to be larger, since a drive with
/// capacitors completes a flush at once.
const LARGEST_CACHE: Bytes = Bytes::mib(512);

fn cost(settings: &Settings, on: &Info) -> Forecast {
    if !on.writable {
        return forecast(on.capacity, false, Takes::default());
    }
    let (zones, fill) = (settings.count("zones"), settings.size("fill"));
    // The fills, one more to read from, and finishes, each of which may write as much.
    let filled = Bytes::new(fill.get().saturating_mul(3 * zones + 1));
    let small = settings.count("reads").saturating_mul(14);
    let commands = 10 * zones + 2 * settings.count("most-open");
    let rests = 1 + 2 * DEPTHS.len() as u64;
    let takes = Takes::moving(filled.min(Bytes::new(on.capacity.get().saturating_mul(4))))
        .and_accesses(small.saturating_add(commands))
        .and_idle(settings.time("rest").saturating_mul(rests));
    forecast(on.capacity, true, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    if !run.on.writable {
        return run.not_writable("fill.rate", "MB/s", Better::Higher);
    }
    let Some(drive) = Drive::of(run) else {
        let why = Message::of("why-no-zones");
        return run.without_number("fill.rate", "MB/s", Better::Higher, why);
    };
    let limits = Argument::list(drive.limits.said());
    let note = Message::new("note-drive-says", [("limits", limits)]);
    run.output.notes.push(note);
    drive.commands(run.bench, "reset before", Zoning::Reset, &drive.all)?;
    let alone = Alone {
        reset: drive.fill_and_reset(run)?,
        finish: drive.finish(run)?,
    };
    drive.open(run)?;
    drive.read_beside(&alone, run)?;
    drive.append(run)?;
    drive.commands(run.bench, "reset behind", Zoning::Reset, &drive.all)?;
    Ok(())
}

/// Median duration of commands without concurrent work.
struct Alone {
    reset: Duration,
    finish: Duration,
}

/// The zones that are used, and how.
struct Drive {
    limits: ZoneLimits,
    block: Bytes,
    /// Bytes of each that are written, and of each write.
    fill: Bytes,
    size: Bytes,
    small: Bytes,
    reads: u64,
    rest: Duration,
    seed: u64,
    /// Zones that are filled, reset and finished.
    zones: Vec<Zone>,
    /// All that anything is done to.
    all: Vec<Zone>,
    /// As many as may be tried to open.
    to_open: Vec<Zone>,
}

impl Drive {
    /// Nothing where no zone is written in order.
    fn of(run: &mut Run<'_>) -> Option<Drive> {
        let (settings, info) = (run.settings, run.on);
        let zoned = run.bench.zoned()?;
        let limits = zoned.limits();
        let reported = zoned.report(Bytes::ZERO, ASKED).ok()?;
        let ordered: Vec<Zone> = (reported.into_iter())
            .filter(|zone| zone.kind != ZoneKind::Conventional && !zone.capacity.is_zero())
            .collect();
        let least = ordered.iter().map(|zone| zone.capacity).min()?;
        let most = limits.max_open.into_iter().chain(limits.max_active);
        let at_once = most.min().map_or(usize::MAX, |most| most.max(1) as usize);
        let count = settings.count("zones").min(at_once as u64) as usize;
        let first = |n: usize| ordered.iter().take(n).copied().collect::<Vec<Zone>>();
        let size = settings
            .size("size")
            .min(least)
            .round_down(info.block)
            .max(info.block);
        // One beyond what the drive says it takes shows whether it refuses.
        let said = at_once.saturating_add(1) as u64;
        let tried = settings.count("most-open").min(said) as usize;
        Some(Drive {
            limits,
            block: info.block,
            fill: settings.size("fill").min(least).round_down(size).max(size),
            size,
            small: SMALL.max(info.block),
            reads: settings.count("reads"),
            rest: settings.time("rest"),
            seed: settings.seed,
            zones: first(count),
            all: first(count.max(DEPTHS[DEPTHS.len() - 1] as usize).max(tried)),
            to_open: first(tried),
        })
    }

    /// One command to each of some zones, one after the other.
    fn commands<'b>(
        &self,
        bench: &'b mut dyn Bench,
        name: &str,
        what: Zoning,
        zones: &[Zone],
    ) -> Result<&'b PhaseRecord, Stopped> {
        let ios = zones
            .iter()
            .map(|zone| Io::zone(what, zone.start, self.block));
        bench.script(name, &chain(name, ios))
    }

    /// A write at the start of each of some zones.
    fn touch(&self, bench: &mut dyn Bench, name: &str, zones: &[Zone]) -> Result<(), Stopped> {
        let ios = zones
            .iter()
            .map(|zone| Io::write(zone.start, self.size, self.seed));
        bench.script(name, &chain(name, ios))?;
        Ok(())
    }

    /// Makes the written data durable, and lets the drive idle.
    fn settle(&self, bench: &mut dyn Bench, before: &str) -> Result<(), Stopped> {
        let name = format!("settle before {before}");
        bench.script(&name, &chain(&name, std::iter::once(Io::flush())))?;
        bench.idle(&format!("rest before {before}"), self.rest)
    }

    fn writes(&self, zone: &Zone) -> impl Iterator<Item = Io> + use<> {
        let (start, size, seed) = (zone.start, self.size, self.seed);
        let writes = self.fill.get() / size.get();
        (0..writes).map(move |n| Io::write(start + size * n, size, splitmix64(seed ^ n)))
    }

    fn fill_and_reset(&self, run: &mut Run<'_>) -> Result<Duration, Stopped> {
        let (mut rates, mut origin) = (Vec::new(), Origin::default());
        for (zone, i) in self.zones.iter().zip(1..) {
            let name = format!("fill zone {i}");
            let writes = self.writes(zone).chain(std::iter::once(Io::flush()));
            let record = run.bench.script(&name, &chain(&name, writes))?;
            rates.extend(Rate::of(record.of(Op::Write).bytes, record.took).map(Rate::mb_s));
            origin.phases.push(name);
        }
        let places = [
            ("size", self.fill.into()),
            ("zones", self.zones.len().into()),
        ];
        origin.by.span = Message::new("span-zones", places);
        let fill = origin.figure("fill.rate", "MB/s", Better::Higher);
        run.output.figures.push(median_of(fill, &rates));
        let filled = self.fill * self.zones.len() as u64;
        if filled < LARGEST_CACHE {
            let places = [("filled", filled.into())];
            let warning = Message::new("warning-zones-fit-cache", places);
            run.output.warnings.push(warning);
        }
        let at = self
            .zones
            .iter()
            .map(|zone| zone.start.get() as f64)
            .collect();
        let curve = Curve::new("fill", at, rates.into_iter().map(Some).collect());
        let chart = Chart::new("fill", designs::TRANSFER, vec![curve]);
        run.output.charts.push(chart);
        let filled = self.commands(run.bench, "reset filled", Zoning::Reset, &self.zones)?;
        run.output.figures.push(median_time("reset.filled", filled));
        let empty = self.commands(run.bench, "reset empty", Zoning::Reset, &self.zones)?;
        run.output.figures.push(median_time("reset.empty", empty));
        self.touch(run.bench, "touch before reset", &self.zones)?;
        let touched = self.commands(run.bench, "reset touched", Zoning::Reset, &self.zones)?;
        run.output
            .figures
            .push(median_time("reset.touched", touched));
        Ok(median(touched))
    }

    fn finish(&self, run: &mut Run<'_>) -> Result<Duration, Stopped> {
        self.touch(run.bench, "touch before finish", &self.zones)?;
        let finished = self.commands(run.bench, "finish touched", Zoning::Finish, &self.zones)?;
        run.output
            .figures
            .push(median_time("finish.touched", finished));
        let took = median(finished);
        let reset = self.commands(run.bench, "reset finished", Zoning::Reset, &self.zones)?;
        run.output
            .figures
            .push(median_time("reset.finished", reset));
        Ok(took)
    }

    /// Opens zones until the drive refuses, and closes them.
    fn open(&self, run: &mut Run<'_>) -> Result<(), Stopped> {
        let opened = self.commands(run.bench, "open", Zoning::Open, &self.to_open)?;
        run.output.figures.push(median_time("open.time", opened));
        let (open, tried) = (opened.of(Op::Trim).ios, self.to_open.len() as u64);
        let start = Origin::of(opened).figure("open.limit", "zones", Better::Higher);
        run.output.figures.push(match open < tried {
            true => valued(start, Some(open as f64), "count", tried),
            false => {
                let zones = [("zones", tried.into())];
                withheld(start, Message::new("why-no-zone-refused", zones))
            }
        });
        let count = (open as usize).max(1).min(self.to_open.len());
        let closed = self.commands(run.bench, "close", Zoning::Close, &self.to_open[..count])?;
        run.output.figures.push(median_time("close.time", closed));
        Ok(())
    }

    /// Reads of a filled zone, alone and concurrent with operations on others.
    fn read_beside(&self, alone: &Alone, run: &mut Run<'_>) -> Result<(), Stopped> {
        let Some((from, others)) = self.zones.split_first() else {
            return Ok(());
        };
        let other = others.first().copied().unwrap_or(*from);
        run.bench
            .script("fill to read", &chain("fill to read", self.writes(from)))?;
        self.settle(run.bench, "reads")?;
        let mut distributions: Vec<(&str, Latencies)> = Vec::new();
        let reading = chain("reads", (0..self.reads).map(|n| self.read(from, n)));
        let record = run.bench.script("reads alone", &reading)?;
        let read = median(record).max(Duration::from_nanos(1));
        distributions.push(("alone", record.of(Op::Read).service));
        run.output.figures.extend(reads("reads.alone", record));
        if other.start != from.start {
            let places = other.capacity.get() / self.size.get();
            let writes = (self.reads / READS_A_ROUND).min(places).max(1);
            let rounds = (0..writes).map(|n| {
                let at = other.start + self.size * n;
                (None, Io::write(at, self.size, splitmix64(self.seed ^ n)))
            });
            let script = self.rounds("writes", from, READS_A_ROUND, rounds);
            let record = run.bench.script("reads beside writes", &script)?;
            distributions.push(("beside writes", record.of(Op::Read).service));
            run.output
                .figures
                .extend(reads("reads.beside-writes", record));
            self.commands(run.bench, "reset written", Zoning::Reset, &[other])?;
            for (what, took, most) in [
                (Zoning::Reset, alone.reset, RESETS_BESIDE),
                // A zone that was finished is reset before it is touched again.
                (Zoning::Finish, alone.finish, 1),
            ] {
                let name = format!("reads beside {}", what.name());
                let touch = Io::write(other.start, self.size, self.seed);
                let command = |what| Io::zone(what, other.start, self.block);
                let beside = took.as_nanos().div_ceil(read.as_nanos());
                let beside = beside.clamp(READS_A_ROUND, self.reads.max(READS_A_ROUND));
                let rounds = (self.reads / beside).clamp(1, most);
                let rounds = (0..rounds).map(|_| (Some(touch), command(what)));
                let script = self.rounds(what.name(), from, beside, rounds);
                let record = run.bench.script(&name, &script)?;
                let key = format!("reads.beside-{}", what.name());
                run.output.figures.extend(reads(&key, record));
                let beside = format!("{}.beside-reads", what.name());
                run.output.figures.push(median_time(&beside, record));
                distributions.push((beside_name(what), record.of(Op::Read).service));
                let again = format!("reset after {name}");
                self.commands(run.bench, &again, Zoning::Reset, &[other])?;
            }
        }
        self.commands(run.bench, "reset read", Zoning::Reset, &[*from])?;
        run.output.charts.push(responses("reads", &distributions));
        Ok(())
    }

    fn read(&self, zone: &Zone, n: u64) -> Io {
        let places = (self.fill.get() / self.small.get()).max(1);
        let place = splitmix64(self.seed ^ (n << 1) ^ 1) % places;
        Io::read(zone.start + self.small * place, self.small)
    }

    /// In each round a preparation first, then an operation concurrent with some reads, each of which waits for the
    /// previous one: the first of them is sent before it, so that it finds the drive reading.
    fn rounds(
        &self,
        name: &str,
        from: &Zone,
        reads: u64,
        rounds: impl Iterator<Item = (Option<Io>, Io)>,
    ) -> Script {
        let mut script = Script::new(name, 2);
        let (mut after, mut read): (Vec<StepId>, u64) = (Vec::new(), 0);
        for (first, beside) in rounds {
            if let Some(first) = first {
                after = vec![script.io(first, Duration::ZERO, &after)];
            }
            let mut last = vec![script.io(self.read(from, read), Duration::ZERO, &after)];
            let done = script.io(beside, Duration::ZERO, &after);
            read += 1;
            for _ in 1..reads {
                last = vec![script.io(self.read(from, read), Duration::ZERO, &last)];
                read += 1;
            }
            last.push(done);
            after = last;
        }
        script
    }

    /// Appends to one zone by depth, against writes to as many zones.
    fn append(&self, run: &mut Run<'_>) -> Result<(), Stopped> {
        let Some(zone) = self.all.first() else {
            return Ok(());
        };
        let least = zone.capacity.get() / self.small.get();
        let count = self.reads.min(least.max(1));
        for depth in DEPTHS {
            let zones = depth as usize;
            let most = self
                .limits
                .max_open
                .map_or(usize::MAX, |most| most as usize);
            if zones <= self.all.len().min(most) {
                let name = format!("write in {depth} zones");
                self.settle(run.bench, &name)?;
                let record = run
                    .bench
                    .script(&name, &self.writers(&name, zones, count))?;
                let figures = small(&format!("write.zones{depth}"), record);
                run.output.figures.extend(figures);
                let again = format!("reset after {name}");
                self.commands(run.bench, &again, Zoning::Reset, &self.all[..zones])?;
            }
            let key = format!("append.depth{depth}");
            if self.limits.max_append.is_none_or(|most| most < self.small) {
                let start =
                    Origin::default().figure(&format!("{key}.rate"), "IOPS", Better::Higher);
                let why = Message::of("why-no-append");
                run.output.figures.push(withheld(start, why));
                continue;
            }
            let name = format!("append at depth {depth}");
            self.settle(run.bench, &name)?;
            let mut script = Script::new(&name, depth);
            for n in 0..count {
                let append = Io::append(zone.start, self.small, splitmix64(self.seed ^ n));
                script.io(append, Duration::ZERO, &[]);
            }
            let record = run.bench.script(&name, &script)?;
            run.output.figures.extend(small(&key, record));
            let again = format!("reset after {name}");
            self.commands(run.bench, &again, Zoning::Reset, &[*zone])?;
        }
        Ok(())
    }

    /// In each of some zones one write after the other.
    fn writers(&self, name: &str, zones: usize, count: u64) -> Script {
        let mut script = Script::new(name, zones as u32);
        let mut last: Vec<Option<StepId>> = vec![None; zones];
        for n in 0..(count / zones as u64).max(1) {
            for (zone, last) in self.all.iter().zip(&mut last) {
                let write = Io::write(zone.start + self.small * n, self.small, splitmix64(n));
                *last = Some(script.io(write, Duration::ZERO, last.as_slice()));
            }
        }
        script
    }
}

fn beside_name(what: Zoning) -> &'static str {
    match what {
        Zoning::Finish => "beside a finish",
        _ => "beside resets",
    }
}

/// The median time of one kind of I/O in a phase: its zone commands, else its reads.
fn median(record: &PhaseRecord) -> Duration {
    let commands = record.of(Op::Trim).service;
    let times = match commands.is_empty() {
        true => record.of(Op::Read).service,
        false => commands,
    };
    times.percentile(50.0).unwrap_or(Duration::ZERO)
}

/// The median time of the commands to zones in a phase.
fn median_time(key: &str, record: &PhaseRecord) -> Figure {
    let times = record.of(Op::Trim).service;
    let origin = Origin::of(record);
    origin.latency(key, "us", Of::Percentile(50.0), &times)
}

/// Response times of the reads of a phase.
fn reads(key: &str, record: &PhaseRecord) -> Vec<Figure> {
    let times = record.of(Op::Read).service;
    let origin = Origin::of(record);
    let of = |what: &str, of: Of| origin.latency(&format!("{key}.{what}"), "us", of, &times);
    vec![
        of("p50", Of::Percentile(50.0)),
        of("p99", Of::Percentile(99.0)),
        of("worst", Of::Max),
    ]
}

/// Rate and median of small writes or appends.
fn small(key: &str, record: &PhaseRecord) -> Vec<Figure> {
    let of = record.of(Op::Write);
    let origin = Origin::of(record);
    let seconds = record.took.as_secs_f64();
    let rate = (seconds > 0.0).then(|| of.ios as f64 / seconds);
    let start = origin.figure(&format!("{key}.rate"), "IOPS", Better::Higher);
    let median = Of::Percentile(50.0);
    vec![
        valued(start, rate, "mean", of.ios),
        origin.latency(&format!("{key}.p50"), "us", median, &of.service),
    ]
}

#[cfg(test)]
mod tests;
