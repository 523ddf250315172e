//! When does garbage collection begin, and how much spare flash is there?
//!
//! A drive has more flash than it says. What is overwritten goes into free blocks, and the old pages stay where they are
//! until a block is emptied of what still counts in it, and erased. So after a fill in order random overwrites go at full
//! rate until the free blocks are used up; then each write has others moved first, and the rate falls for good. What was
//! written until then fits into the spare flash, which is **at least** that much: a drive keeps some blocks for itself.
//!
//! How deep the rate falls bounds the spare flash from above. The first blocks to be emptied are those of the fill. When a
//! share u of the capacity was overwritten at random, exp(-u) of each still counts, and 1 / (1 - exp(-u)) pages are written
//! for one of the host, whichever block is taken first, since all are alike. From a share s to a share t that is, on the
//! whole, ln((e^t - 1) / (e^s - 1)) / (t - s). (In the steady state, which a large drive takes hours to reach, blocks differ:
//! Desnoyers, Analytic modeling of SSD write performance, SYSTOR 2012.) A drive whose rate was limited by something other
//! than flash before is slowed by less, one that pays for reads and erases by more: what the fall says of raw flash is sure
//! to an eighth of it.
//!
//! A drive that counts what it writes to its flash says how much it moves, whatever limits its rate: then the counters stand
//! in for the times.
//!
//! The same formula tells collection from what looks like it: the rate must rise again as the blocks of the fill grow
//! emptier, by half when as much again was overwritten. At the end of a one-bit cache it stays low; then the fall may be the
//! cache's, and only the bound stands. Heat and quotas on what is written do not end when the drive is emptied by TRIM: after
//! it, random writes have to be as fast again at once.

use base::{Bytes, Duration, Job, Message, Op, Order, Stop, Stopped, Takes, Workload};
use stats::falls;

use super::{full, slc};
use crate::asked::Asked;
use crate::comb;
use crate::counted::{Amplified, Counted};
use crate::in_order::{Curve, Place, rate};
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "spare",
    // A file system has free flash of its own.
    suits: |known| known.is_drive && known.may_be_flash(),
    writes: |asked| Some(asked.span),
    takes,
    ask,
};

/// The overwrites take no more than so many of the longest phases: at 20 MB/s, which is what is left of a slow drive, they
/// are 24 GB.
const PHASES: u64 = 60;
/// Random writes in flight: SATA's queue.
const DEPTH: u32 = 32;
/// So much of the capacity is overwritten at most: an Intel 750 has half as much flash again as it says.
const MOST: f64 = 0.6;
/// The curve has so many bins of the capacity, of so much at least: below it a bin would be too short for its rate.
const BINS: u64 = 8_192;
const LEAST_BIN: Bytes = Bytes::mib(8);
/// Less is no drive that is filled by users.
const LEAST_SPAN: Bytes = Bytes::gib(4);
/// A fall is watched until so many times as much was overwritten as before it: soon after that the blocks of the fill are
/// used up.
const WATCHED: f64 = 2.0;
/// The rate rises by so much of what the formula says at least, between the first and the last so much of what is watched,
/// where that is something to see.
const RISES: f64 = 0.5;
const COMPARED: f64 = 0.25;
const SEEN: f64 = 1.15;
/// By its counters, so much of it at either end is compared.
const ENDS: f64 = 0.4;
/// TRIM brings the rate back where it is so much of the one before; for so much of what was written before, it is looked at.
const BACK: f64 = 0.8;
const LOOKED_AT: f64 = 0.5;
/// The place of a fall is no surer, in bins and as a share of it.
const NO_SURER_BINS: f64 = 3.0;
const NO_SURER: f64 = 0.05;
/// What the fall says of raw flash is sure to so much of it: for a Micron 7450 it was 6 to 11 % below what the drive's own
/// counter of flash writes gives, for a Solidigm P5520 0.6 to 0.8 % (data of SSD-iq, Haas and others, PVLDB 18(11), 2025).
const RAW_SURE: f64 = 0.12;
/// By the drive's own counters raw flash comes out at most half a per cent too small on seven modelled drives; nobody has
/// tried it on a real drive whose raw flash is known.
const COUNTED_SURE: f64 = 0.05;
/// More spare flash than the capacity no drive has.
const MOST_SPARE: f64 = 1.0;
/// For what comes round, what is written after the fall is cut into so many bins, of so much at least; a little behind it.
const UNIT_BINS: f64 = 4_000.0;
const LEAST_UNIT_BIN: f64 = (1 << 20) as f64;
const BEHIND: f64 = 1.1;
/// Halvings until a share is known.
const HALVINGS: usize = 50;

fn takes(asked: &Asked) -> Takes {
    let overwrites = asked.patience.saturating_mul(PHASES + 1);
    let phases = full::longest_fill(asked) + overwrites;
    match is_whole(asked) {
        true => Takes::timed(phases).and_idle(full::longest(asked)),
        false => Takes::default(),
    }
}

/// Whether all of a drive is asked about: what is not written of it is spare flash, too.
fn is_whole(asked: &Asked) -> bool {
    asked.span.len >= LEAST_SPAN && asked.span.len + asked.block > asked.capacity
}

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let fell = fell_and_came_back(probe, known)?;
    let of = |part: fn(&Fell) -> (f64, [f64; 2])| -> Estimate {
        let fell = fell.as_ref().map_err(Clone::clone)?;
        let (value, interval) = part(fell);
        Ok((value, Some(interval)))
    };
    found.add(probe, "at-full-rate", "GB", of(Fell::gb));
    found.add(probe, "before", "MB/s", of(|fell| fell.before));
    found.add(probe, "after", "MB/s", of(|fell| fell.after));
    let counted = fell.as_ref().map_err(Clone::clone);
    let counted = counted.and_then(|fell| fell.counted.clone());
    let times = counted.map(|counted| (counted.of_all.times, None));
    found.add(probe, "amplification", "ratio", times);
    let share = match &fell {
        Ok(fell) if known.fall.is_some() || !fell.rises => {
            Err(Message::of("why-cache-or-collection"))
        }
        _ => of(Fell::share),
    };
    found.add(probe, "share", "%", share);
    let unit = match known.fall {
        // What comes round there may be the one-bit cache's blocks, which hold a part of what they do with all bits.
        Some(_) => Err(Message::of("why-comb-of-a-cache")),
        None => fell.and_then(|fell| fell.unit.ok_or_else(|| Message::of("why-no-comb"))),
    };
    found.add(probe, "row", "MiB", unit);
    Ok(found)
}

/// Fills the drive, overwrites it until it is slow, and looks whether TRIM makes it fast again.
fn fell_and_came_back(
    probe: &mut Probe<'_>,
    known: &Known,
) -> Result<Result<Fell, Message>, Stopped> {
    let (span, patience) = (probe.asked.span, probe.asked.patience);
    if !is_whole(probe.asked) {
        return Ok(Err(Message::of("why-too-small-to-ask")));
    }
    if !known.obeys_trim {
        return Ok(Err(Message::of("why-no-trim-to-tell")));
    }
    probe.trim(span)?;
    let filled = Place::beginning(span).fill(probe, "fill", full::longest_fill(probe.asked))?;
    if filled.is_none() {
        return Ok(Err(Message::of("why-not-filled-whole")));
    }
    let rest = known.fall.map_or(patience, |fall| {
        full::rest(probe.asked, fall, known.gives_back)
    });
    probe.rest("rest", rest)?;
    let capacity = span.len.get() as f64;
    let width = (capacity / BINS as f64).max(LEAST_BIN.get() as f64);
    let lasting = falls::lasting(span.len, Bytes::new(width as u64));
    let budget = patience.saturating_mul(PHASES);
    let mut counted = Counted::default();
    let curve = overwritten(
        probe,
        Some(&mut counted),
        "overwrites",
        width,
        MOST * capacity,
        budget,
        |rates| {
            slc::deep_fall(rates, lasting)
                .is_some_and(|fall| rates.len() as f64 > WATCHED * fall.at)
        },
    )?;
    let fell = match fell(&curve.rates(width), lasting, width, capacity) {
        Ok(mut fell) => {
            fell.unit = unit(&curve, fell.at * width);
            fell.counted = Moved::of(&counted, &fell);
            if let Some(rises) = fell.moves_less_and_less() {
                fell.rises = rises;
            }
            fell
        }
        Err(why) => return Ok(Err(why)),
    };
    probe.trim(span)?;
    let most = LOOKED_AT * fell.at * width;
    let name = "writes after trim";
    let again = overwritten(probe, None, name, width, most, patience, |_| false)?;
    Ok(
        match rate(&again.rates(width)).is_some_and(|rate| rate > BACK * fell.before.0) {
            true => Ok(fell),
            false => Err(Message::of("why-not-back-after-trim")),
        },
    )
}

/// Writes to random places, so many bytes at most and no longer than that, until it is enough of the rates of bins.
fn overwritten(
    probe: &mut Probe<'_>,
    mut counted: Option<&mut Counted>,
    name: &str,
    width: f64,
    most: f64,
    budget: Duration,
    is_enough: impl Fn(&[f64]) -> bool,
) -> Result<Curve, Stopped> {
    let mut curve = Curve::default();
    // A phase ends early where its bytes are written.
    for number in 1..=PHASES + 1 {
        if let Some(counted) = &mut counted {
            counted.look(probe, curve.bytes());
        }
        let left = budget.as_secs_f64() - curve.seconds();
        if curve.bytes() + width > most || left <= 0.0 || is_enough(&curve.rates(width)) {
            break;
        }
        let name = format!("{name} part {number}");
        let (span, access) = (probe.asked.span, probe.asked.access);
        let job = Job::closed(&name, Op::Write, Order::Random, span, access, DEPTH);
        let stop = Stop {
            bytes: Some(Bytes::new((most - curve.bytes()) as u64)),
            time: Some(Duration::from_secs_f64(left).min(probe.asked.patience)),
            ..Stop::default()
        };
        let work = Workload::single(job, stop, probe.rng.next_u64());
        probe.streamed(&name, work, |record| curve.keep(record))?;
    }
    Ok(curve)
}

/// What comes round in the rate after so many bytes, in MiB.
fn unit(curve: &Curve, from: f64) -> Option<(f64, Option<[f64; 2]>)> {
    let after = curve.bytes() - from;
    let width = (after / UNIT_BINS).max(LEAST_UNIT_BIN);
    let rates = curve.rates(width);
    // What is slow at first is the fall itself.
    let begins = (libm::ceil(from * BEHIND / width) as usize).min(rates.len());
    comb::unit(&rates[begins..], width).ok()
}

/// A fall of the rate of random overwrites.
#[derive(Clone, Debug, PartialEq)]
struct Fell {
    /// Bins until then, and from then on as far as it was watched.
    at: f64,
    watched: f64,
    /// Bytes of a bin, and of the drive.
    width: f64,
    capacity: f64,
    before: (f64, [f64; 2]),
    after: (f64, [f64; 2]),
    /// Whether the rate rises after it as collection makes it.
    rises: bool,
    /// What comes round in it, in MiB.
    unit: Option<(f64, Option<[f64; 2]>)>,
    /// What the drive's counters say of it.
    counted: Result<Moved, Message>,
}

/// What a drive counted while a fall was watched, and at the beginning and the end of that where it was read often enough.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moved {
    of_all: Amplified,
    ends: Option<[Amplified; 2]>,
}

impl Moved {
    fn of(counted: &Counted, fell: &Fell) -> Result<Moved, Message> {
        let (from, len) = (fell.at + fell.off(), fell.watched - fell.off());
        let between = |begin: f64, end: f64| {
            let place = |share: f64| (from + share * len) * fell.width;
            counted.amplified(place(begin), place(end))
        };
        let ends = between(0.0, ENDS).ok().zip(between(1.0 - ENDS, 1.0).ok());
        Ok(Moved {
            of_all: between(0.0, 1.0)?,
            ends: ends.map(|(first, last)| [first, last]),
        })
    }
}

/// The fall of rates of bins of so many bytes, where levels of so many bins last.
fn fell(rates: &[f64], lasting: usize, width: f64, capacity: f64) -> Result<Fell, Message> {
    let Some(fall) = slc::deep_fall(rates, lasting) else {
        if rates.len() < 2 * lasting {
            return Err(Message::of("why-too-slow-to-overwrite"));
        }
        let written = format!("{:.1}", rates.len() as f64 * width / 1e9);
        return Err(Message::new(
            "why-no-cliff-within",
            [("gb", written.into())],
        ));
    };
    let (from, at) = (fall.at as usize + 1, fall.at as usize);
    let end = ((WATCHED * fall.at) as usize).min(rates.len());
    let (Some(before), Some(after)) = (
        slc::level(&rates[fall.level_from.min(at)..at]),
        slc::level(&rates[from.min(end)..end]),
    ) else {
        return Err(Message::of("why-no-level"));
    };
    if !slc::is_first_highest(&rates[..at], lasting, before.0) {
        return Err(Message::of("why-no-level"));
    }
    Ok(Fell {
        at: fall.at,
        watched: end as f64 - fall.at,
        width,
        capacity,
        before,
        after,
        rises: rises(
            &rates[from..end],
            fall.at * width / capacity,
            width / capacity,
        ),
        unit: None,
        counted: Err(Message::of("why-no-flash-counter")),
    })
}

/// Whether rates of bins, each such a share of the capacity, rise after such a share was overwritten as they do while blocks
/// of a fill are emptied.
fn rises(after: &[f64], share: f64, bin: f64) -> bool {
    let part = (COMPARED * after.len() as f64) as usize;
    let last = after.len() - part;
    let (Some(early), Some(late)) = (rate(&after[..part]), rate(&after[last..])) else {
        return false;
    };
    let of = |from: usize| amplification(share + bin * from as f64, bin * part as f64);
    let expected = of(0) / of(last);
    expected > SEEN && late / early.max(1e-9) > 1.0 + RISES * (expected - 1.0)
}

impl Fell {
    fn off(&self) -> f64 {
        NO_SURER_BINS.max(NO_SURER * self.at)
    }

    /// Whether less is moved by the end, as collection does it, by the drive's own counters.
    fn moves_less_and_less(&self) -> Option<bool> {
        let [first, last] = self.counted.as_ref().ok()?.ends?;
        let expected = |it: &Amplified| {
            amplification(it.from / self.capacity, (it.to - it.from) / self.capacity)
        };
        let expected = expected(&first) / expected(&last);
        Some(expected > SEEN && first.times / last.times > 1.0 + RISES * (expected - 1.0))
    }

    fn gb(&self) -> (f64, [f64; 2]) {
        let off = self.off();
        let gb = |bins: f64| bins.max(0.0) * self.width / 1e9;
        (gb(self.at), [gb(self.at - off), gb(self.at + off)])
    }

    /// Spare flash as a share of the capacity, in per cent.
    fn share(&self) -> (f64, [f64; 2]) {
        let of = |bins: f64| bins.max(0.0) * self.width / self.capacity;
        let (after, len, times, sure) = match &self.counted {
            Ok(Moved { of_all, .. }) => {
                let share = |bytes: f64| bytes / self.capacity;
                let after = share(of_all.from) - of(self.at);
                let len = share(of_all.to - of_all.from);
                (after, len, of_all.times, COUNTED_SURE)
            }
            Err(_) => {
                let slower = self.before.0 / self.after.0.max(1e-9);
                (0.0, of(self.watched), slower, RAW_SURE)
            }
        };
        let raw = (1.0 + spare_where_amplified(times, after, len)) / (1.0 - sure);
        let most = (raw - 1.0).max(of(self.at + self.off())).min(MOST_SPARE);
        let least = of(self.at - self.off()).min(most);
        (100.0 * of(self.at), [100.0 * least, 100.0 * most])
    }
}

/// The spare flash, as a share of the capacity, of a drive that writes so many times as much to its flash while such a share
/// of the capacity is overwritten, from such a share on after the spare flash was used up.
fn spare_where_amplified(times: f64, after: f64, overwritten: f64) -> f64 {
    let (mut low, mut high) = (0.0, MOST_SPARE);
    for _ in 0..HALVINGS {
        let spare = f64::midpoint(low, high);
        match amplification(spare + after, overwritten) > times {
            true => low = spare,
            false => high = spare,
        }
    }
    high
}

/// What is written to flash for each byte of the host, while such a share of the capacity is overwritten after one like the
/// spare flash was.
fn amplification(spare: f64, overwritten: f64) -> f64 {
    let gone = |share: f64| libm::expm1(share.max(f64::MIN_POSITIVE));
    libm::log(gone(spare + overwritten) / gone(spare)) / overwritten.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_order::scattered;

    const WIDTH: f64 = 8_388_608.0;
    const CAPACITY: f64 = 8_000.0 * WIDTH;
    const LASTING: usize = 40;

    /// Bins of a drive with such a share of spare flash, at such a rate before collection where its flash is so many times
    /// as fast; with stalls, and bins that are too fast.
    fn collected(spare: f64, before: f64, flash: f64, seed: u64) -> Vec<f64> {
        let full = (spare * CAPACITY / WIDTH) as usize;
        let each = WIDTH / CAPACITY;
        let rate = |bin: usize| match bin < full {
            true => before,
            false => before.min(before * flash / amplification(bin as f64 * each, each)),
        };
        scattered((0..2 * full + 1).map(rate), seed)
    }

    #[test]
    fn spare_flash_is_found_whatever_limits_the_rate_before() {
        for spare in [0.04, 0.07, 0.135, 0.28] {
            for flash in [0.6, 1.0, 1.5] {
                for seed in 0..30 {
                    let rates = collected(spare, 200.0, flash, seed);
                    let fell = fell(&rates, LASTING, WIDTH, CAPACITY).unwrap();
                    let (found, [low, high]) = fell.share();
                    let truth = 100.0 * spare;
                    assert!(fell.rises, "{spare} {flash} {seed}: {fell:?}");
                    assert!(
                        low <= truth && truth <= high && (found / truth - 1.0).abs() < 0.06,
                        "{truth}, {flash} {seed}: {found} from {low} to {high}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_a_drive_keeps_for_itself_is_within_the_bounds() {
        // A third of the spare flash is never free.
        for seed in 0..30 {
            let mut rates = collected(0.1, 200.0, 1.0, seed);
            rates.drain(..rates.len() / 6);
            let fell = fell(&rates, LASTING, WIDTH, CAPACITY).unwrap();
            let (_, [low, high]) = fell.share();
            assert!(low < 10.0 && high > 10.0, "{low} to {high}");
        }
    }

    #[test]
    fn a_fall_that_stays_as_low_as_it_is_may_be_a_caches() {
        for seed in 0..30 {
            let levels = (0..500).map(|bin| if bin < 240 { 370.0 } else { 146.0 });
            let fell = fell(&scattered(levels, seed), LASTING, WIDTH, CAPACITY).unwrap();
            assert!(!fell.rises, "{fell:?}");
            let (_, [low, high]) = fell.gb();
            assert!(low < 240.0 * WIDTH / 1e9 && high > 240.0 * WIDTH / 1e9);
        }
    }

    #[test]
    fn what_never_falls_or_was_slow_first_is_open() {
        let why = |rates: &[f64]| {
            let why = fell(rates, LASTING, WIDTH, CAPACITY).unwrap_err();
            why.key().map(str::to_owned)
        };
        for seed in 0..30 {
            let level = scattered((0..3_000).map(|_| 300.0), seed);
            assert_eq!(why(&level).as_deref(), Some("why-no-cliff-within"));
            let rises = (0..900).map(|bin| [100.0, 300.0, 50.0][bin / 300]);
            let rises = scattered(rises, seed);
            assert_eq!(why(&rises).as_deref(), Some("why-no-level"));
        }
        let slow = Some("why-too-slow-to-overwrite");
        assert_eq!(why(&[]).as_deref(), slow);
        assert_eq!(why(&[0.0; 50]).as_deref(), slow);
    }

    #[test]
    fn a_drive_that_counts_is_believed_whatever_its_rate_does() {
        let bytes = |share: f64| share * CAPACITY;
        let counted = |from: f64, to: f64| Amplified {
            from: bytes(from),
            to: bytes(to),
            times: amplification(from, to - from),
        };
        // The link hides how deep the fall is.
        let mut fell = fell(&collected(0.1, 200.0, 4.0, 1), LASTING, WIDTH, CAPACITY).unwrap();
        let (_, [_, by_times]) = fell.share();
        fell.counted = Ok(Moved {
            of_all: counted(0.11, 0.2),
            ends: Some([counted(0.11, 0.14), counted(0.17, 0.2)]),
        });
        let (_, [low, high]) = fell.share();
        assert!(low < 10.0 && 10.0 < high && high < 17.0, "{low} to {high}");
        assert!(high < by_times, "{high} {by_times}");
        assert_eq!(fell.moves_less_and_less(), Some(true));
        // What moves as much at the end as at the beginning empties a cache.
        let level = |from: f64, to: f64| Amplified {
            times: 2.0,
            ..counted(from, to)
        };
        let ends = Some([level(0.11, 0.14), level(0.17, 0.2)]);
        fell.counted = Ok(Moved {
            of_all: level(0.11, 0.2),
            ends,
        });
        assert_eq!(fell.moves_less_and_less(), Some(false));
    }

    #[test]
    fn a_fall_is_as_deep_as_the_spare_flash_is_small() {
        for spare in [0.02, 0.07, 0.28, 0.5] {
            let times = amplification(spare, spare);
            assert!((spare_where_amplified(times, 0.0, spare) - spare).abs() < 1e-9);
        }
        // At once it is one page in as many as are gone of a block.
        assert!((amplification(0.07, 1e-6) - 1.0 / (1.0 - libm::exp(-0.07))).abs() < 1e-3);
    }
}
