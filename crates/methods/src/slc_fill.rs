//! SLC fill: one sequential write until the drive is full.
//!
//! **What it measures.** How much a drive accepts at full speed before its fast cache (flash in SLC mode) is used up,
//! the speed until then, and the mean from there to the end.
//!
//! **Who published it.** TxBENCH (Texim), used in this way by reviewers of SSDs. The I/O size and depth of its
//! sequential write are settings here. The refill after idle time is our addition, after reviewers who ask how fast the
//! cache recovers.
//!
//! **Protocol.** The extent is written once sequentially, 128 KiB per I/O at queue depth 32, and the rate is recorded
//! by address, in up to 8,192 bins. The curve is divided into levels by change points; a level counts if it lasts for a
//! 512th of the drive's capacity and at least 40 bins, so that neither the initial DRAM write buffer nor a stall is a
//! level. The speed drops where such a level follows one that is higher by an eighth or more, with a sharp edge between
//! them (zones of a disk have none), and permanently. Size of the cache: everything written up to that position,
//! located to a fraction of a bin. Speed before: bytes over time from the beginning of the first lasting level up to
//! the drop; after: from the drop to the end; and of that, the level that follows the drop, and the last level, which
//! differ on a drive that first writes straight to its flash and later has to collect or fold. Then, if an idle time is
//! set, the drive is left idle and twice the cache size is written again from the start.
//!
//! **What it cannot tell.** A drive that folds its cache during writes accepts more at full speed than its cache holds;
//! the DRAM buffer is counted with the cache. A cache below a 512th of the capacity (or a 200th of what is written) is
//! taken for a buffer, and a drop by less than an eighth is ignored. On a drive that is not empty the cache may be
//! smaller: the state named in the result is part of the figure.

use base::chart::{Design, Text, designs};
use base::record::AddressBins;
use base::{
    Better, Bytes, Card, Chart, Curve, Duration, Figure, Forecast, Group, Info, Message, Needs, Op,
    PhaseRecord, Rate, Setting, Settings, Span, Stopped, Takes, Workload,
};

use crate::areas::{ONE_PASS, forecast, in_order};
use crate::figures::{Origin, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{DATA, DEPTH, WRITTEN_EXTENT, extent, fill_of, seconds};
use stats::falls::{Fall, fall, lasting, rule};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Most bins of the curve.
const MOST_BINS: u64 = 8_192;
/// Least I/Os in a bin.
const ACCESSES_A_BIN: u64 = 8;

/// Bytes of an I/O.
pub(crate) const BLOCK: Setting = Setting::size(
    "block",
    "bytes an access",
    Bytes::kib(4)..=Bytes::mib(8),
    ["128KiB"; 3],
);

static CARD: Card = Card {
    id: "slc-fill",
    title: "SLC fill",
    publisher: "after TxBENCH's sequential write over the whole drive (Texim)",
    summary: "One sequential write until the drive is full: SLC cache size, speed until then, and mean from there to the end; and how much idle time recovers.",
    version: 2,
    group: Group::Inside,
    short: "SLC cache size and post-cache write speed",
    needs: &[Needs::Writing],
    shortest: &["extent=16MiB", "block=64KiB", "depth=4"],
    #[rustfmt::skip]
    settings: &[
        WRITTEN_EXTENT,
        BLOCK,
        DEPTH,
        Setting::choice("trim", "trim the extent first", &["no", "yes"], ["no"; 3]),
        Setting::time("rest", "idle time before the refill; 0 for no refill", seconds(0)..=seconds(604_800), ["0"; 3]),
        DATA,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "extent", on);
    let times = match settings.time("rest").is_zero() {
        _ if !on.writable => 0,
        true => 1,
        false => 2,
    };
    let rest = if on.writable {
        settings.time("rest")
    } else {
        Duration::ZERO
    };
    let takes = Takes::moving(extent * times).and_idle(rest);
    Forecast {
        reads: Some(Bytes::ZERO),
        writes: Some(extent * times),
        ..forecast(extent, on.writable, takes)
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("cache.size", "GB", Better::Higher);
    }
    let span = run.extent("extent");
    if settings.text("trim") == "yes" {
        run.trim(span)?;
    }
    let work = workload(span, settings, &run.on);
    let whole = run.bench.whole();
    let record = run.bench.phase("fill", &work)?;
    let mut origin = Origin::of(record);
    if span.len == run.on.capacity.round_down(run.on.block) {
        origin.is_of_the_whole(whole);
    }
    let filled = Filled::of(record, run.on.capacity);
    run.output.figures = filled.figures("", record, &origin);
    run.output.charts = vec![filled.chart("fill", FILL)];
    let rest = settings.time("rest");
    if !rest.is_zero() {
        refill(&filled, span, rest, run)?;
    }
    Ok(())
}

pub(crate) fn workload(span: Span, settings: &Settings, on: &Info) -> Workload {
    let block = settings.size("block").max(on.block);
    let depth = u32::try_from(settings.count("depth")).unwrap_or(1);
    let mut job = in_order("fill", Op::Write, span, block, depth);
    job.fill = fill_of(settings);
    let bins = (span.len.get() / (block.get() * ACCESSES_A_BIN)).clamp(1, MOST_BINS);
    let mut work = Workload::single(job, ONE_PASS, settings.seed);
    work.keep.bins = Some(bins as u32);
    work
}

/// What the chart of a fill shows.
pub(crate) const FILL: Text = Text::new(
    "Transfer rate while the drive is filled",
    "全域書き込み中の転送速度",
);
/// What the chart of the refill shows.
const REFILL: Text = Text::new(
    "Transfer rate while the drive is filled again",
    "再度の全域書き込み中の転送速度",
);

/// Rests, and writes twice the size of the cache again.
fn refill(filled: &Filled, span: Span, rest: Duration, run: &mut Run<'_>) -> Result<(), Stopped> {
    run.bench.idle("rest", rest)?;
    let size = filled.fallen_at().unwrap_or(span.len);
    let again = size
        .saturating_add(size)
        .min(span.len)
        .round_down(run.on.block);
    let mut work = workload(Span::first(again), run.settings, &run.on);
    work.seed = base::rng::splitmix64(run.settings.seed);
    let record = run.bench.phase("refill", &work)?;
    let refilled = Filled::of(record, run.on.capacity);
    let figures = refilled.figures("refill.", record, &Origin::of(record));
    run.output.figures.extend(figures);
    run.output.charts.push(refilled.chart("refill", REFILL));
    Ok(())
}

/// A part of a fill.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// From the first lasting level up to the drop.
    Before,
    /// From the drop to the end.
    After,
    /// The level that follows the drop.
    Next,
    /// The last level.
    Last,
}

/// A finished fill, by address.
pub(crate) struct Filled {
    bins: Option<AddressBins>,
    fall: Option<Fall>,
}

impl Filled {
    pub(crate) fn of(record: &PhaseRecord, capacity: Bytes) -> Filled {
        let bins = record.job().bins.clone();
        let rates: Vec<f64> = bins
            .iter()
            .flat_map(|bins| &bins.bins)
            .map(|bin| bin.rate().map_or(0.0, Rate::mb_s))
            .collect();
        let width = bins.as_ref().map_or(Bytes::ZERO, |bins| bins.width);
        Filled {
            bins,
            fall: fall(&rates, lasting(capacity, width)),
        }
    }

    /// Bytes written when the speed fell.
    pub(crate) fn fallen_at(&self) -> Option<Bytes> {
        let width = self.bins.as_ref()?.width.get() as f64;
        Some(Bytes::new((self.fall?.at * width) as u64))
    }

    /// Bytes over time of a part's whole bins; of all of them where there is no fall.
    pub(crate) fn rate(&self, part: Part) -> Option<f64> {
        let bins = &self.bins.as_ref()?.bins;
        let side = match self.fall {
            None => &bins[..],
            Some(fall) => {
                let after = (fall.at.ceil() as usize).min(bins.len());
                match part {
                    Part::Before => &bins[fall.level_from..fall.at as usize],
                    Part::After => &bins[after..],
                    Part::Next => &bins[after.min(fall.next_to)..fall.next_to],
                    Part::Last => &bins[after.max(fall.last_from)..],
                }
            }
        };
        let bytes = Bytes::new(side.iter().map(|bin| bin.bytes.get()).sum());
        let time = Duration::from_nanos(side.iter().map(|bin| bin.time.as_nanos()).sum());
        Rate::of(bytes, time).map(Rate::mb_s)
    }

    pub(crate) fn figures(
        &self,
        prefix: &str,
        record: &PhaseRecord,
        origin: &Origin,
    ) -> Vec<Figure> {
        let n = self.bins.as_ref().map_or(0, |bins| bins.bins.len()) as u64;
        let higher = Better::Higher;
        let size = self.fallen_at().map(|bytes| bytes.get() as f64 / 1e9);
        let cache = origin.figure(&format!("{prefix}cache.size"), "GB", higher);
        let whole = record.rate().map(Rate::mb_s);
        #[rustfmt::skip]
        let rates = [
            ("before.rate", "MB/s", higher, self.rate(Part::Before), "made-before-drop", n),
            ("after.rate", "MB/s", higher, self.rate(Part::After), "made-after-drop", n),
            ("next.rate", "MB/s", higher, self.rate(Part::Next), "made-next-level", n),
            ("last.rate", "MB/s", higher, self.rate(Part::Last), "made-last-level", n),
            ("whole.rate", "MB/s", higher, whole, "made-bytes-over-time", n),
        ];
        let mut figures = vec![valued(cache, size, rule(), n)];
        figures.extend(origin.table(prefix, &rates));
        if self.fall.is_none() {
            for at in [0, 2, 3, 4] {
                figures[at].value = None;
                figures[at].why_not = Some(Message::of("why-no-fall"));
            }
        }
        figures
    }

    pub(crate) fn chart(&self, key: &str, title: Text) -> Chart {
        let of = |rate: fn(&base::record::AddressBin) -> Option<Rate>| {
            let bins = self.bins.iter().flat_map(|bins| &bins.bins);
            bins.map(|bin| rate(bin).map(Rate::mb_s))
                .collect::<Vec<_>>()
        };
        let starts = |bins: &AddressBins| {
            let all = 0..bins.bins.len();
            all.map(|i| bins.start_of(i).get() as f64).collect()
        };
        let start = self.bins.as_ref().map(starts).unwrap_or_default();
        let curve = Curve::new("write", start, of(|bin| bin.rate()))
            .with_band(of(|bin| bin.slowest_rate()), of(|bin| bin.fastest_rate()));
        let design = Design {
            title,
            ..designs::TRANSFER
        };
        Chart::new(key, design, vec![curve])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{SERVICE, output_of, settings, value};
    use base::io::Io;
    use base::method::Scale;
    use base::null::Null;
    use base::target::{Busy, Done, Tag, Target};
    use base::time::Instant;

    /// A target whose writes take four times as long after a number of bytes.
    pub(crate) struct Cliff {
        fast: Null,
        slow: Null,
        left: u64,
        fast_in_flight: usize,
        /// Recovery per second of idle time.
        recovers: u64,
        last: Instant,
    }

    impl Cliff {
        fn after(bytes: Bytes) -> Cliff {
            Cliff::recovering(bytes, Bytes::ZERO)
        }

        pub(crate) fn recovering(bytes: Bytes, a_second: Bytes) -> Cliff {
            let null = |times| Null::new(Bytes::gib(4), SERVICE * times).with_servers(1);
            Cliff {
                fast: null(1),
                slow: null(4),
                left: bytes.get(),
                fast_in_flight: 0,
                recovers: a_second.get(),
                last: Instant::ZERO,
            }
        }
    }

    impl Target for Cliff {
        fn info(&self) -> Info {
            Info {
                max_in_flight: 1,
                ..self.fast.info()
            }
        }
        fn now(&self) -> Instant {
            self.fast.now().max(self.slow.now())
        }
        fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
            let now = self.now();
            for null in [&mut self.fast, &mut self.slow] {
                null.wait(Some(now), &mut Vec::new());
            }
            let rested = now.since(self.last).as_secs_f64();
            if rested > 1.0 {
                self.left += (rested * self.recovers as f64) as u64;
            }
            self.last = now;
            if self.left > 0 {
                self.left = self.left.saturating_sub(io.len.get());
                self.fast_in_flight += 1;
                self.fast.submit(tag, io)
            } else {
                self.slow.submit(tag, io)
            }
        }
        fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
            if self.fast_in_flight > 0 {
                self.fast.wait(until, done);
                self.fast_in_flight -= done.len().min(self.fast_in_flight);
            } else {
                self.slow.wait(until, done);
            }
        }
    }

    #[test]
    fn the_size_of_the_cache_is_what_was_written_when_the_speed_fell() {
        let settings = settings("slc-fill", Scale::Quick, &["depth=1"]);
        let mut bench = BenchDouble::new(Cliff::after(Bytes::mib(300)));
        let output = output_of("slc-fill", &settings, &mut bench);
        let megabytes = value(&output, "cache.size") * 1e3;
        assert!((megabytes - 314.6).abs() < 1.1, "{megabytes}");
        assert!((value(&output, "before.rate") - 1_310.7).abs() < 10.0);
        assert!((value(&output, "after.rate") - 327.7).abs() < 3.0);
    }

    #[test]
    fn after_a_rest_twice_the_cache_is_written_again() {
        let given = ["depth=1", "rest=10s"];
        let settings = settings("slc-fill", Scale::Quick, &given);
        let mut bench = BenchDouble::new(Cliff::after(Bytes::mib(300)));
        let output = output_of("slc-fill", &settings, &mut bench);
        assert_eq!(bench.phases[1].bytes(), Bytes::mib(600));
        // This target's cache does not come back: it is slow from the first byte.
        let again = output.figures.iter().find(|f| f.key == "refill.cache.size");
        assert!(again.unwrap().value.is_none());
        assert!((value(&output, "refill.whole.rate") - 327.7).abs() < 3.0);
    }
}
