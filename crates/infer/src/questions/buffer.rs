//! How much does the write buffer take?
//!
//! A drive answers a write when it is in its buffer, and programs flash from there. After a rest the buffer is empty: a
//! burst is taken at the rate of the link until it is full, and then at the rate at which it drains. It drains while it is
//! filled, so the burst is larger than the buffer by what went out meanwhile: as much as the later rate carries in that time
//! if it drained from the first byte on, and none if it began late. The buffer lies between.
//!
//! Two things look like the end of a buffer. A stall passes: the lower rate must stay, quarter by quarter, to the end. A
//! one-bit cache that earlier writes used up gives back more after a longer rest; a buffer is emptied by the shortest. So
//! bursts come after unlike rests, and have to agree. Where the buffer drains as fast as the link fills it there is
//! nothing to be seen.

use base::{Bytes, Duration, Io, Message, Script, Stopped, Takes, TrailIo};
use stats::falls::place_between;
use stats::median;

use crate::in_order::rate;
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "buffer",
    suits: Known::may_be_flash,
    writes: |asked| Some(asked.area()),
    takes: |_| {
        let rests = RESTS.iter().fold(Duration::ZERO, |all, rest| all + *rest);
        Takes::moving(WRITE * WRITES * RESTS.len() as u64).and_idle(rests)
    },
    ask,
};

const WRITE: Bytes = Bytes::kib(16);
const DEPTH: u32 = 8;
/// Writes of a burst: 512 MiB, twice what may be found.
const WRITES: u64 = 32_768;
/// The rest before each burst: the shortest empties a buffer, and what grows with them is none.
const RESTS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];
/// Rates are those of so many writes at a time: of few where they are even, of many where the flash lets them in by rows.
const BLOCKS: [usize; 6] = [4, 8, 16, 32, 64, 128];
/// So many of ten blocks lie within so much of the lower rate.
const EVEN: f64 = 0.8;
const AS_EVEN: f64 = 0.4;
/// Blocks that go at the higher rate, at least.
const LEAST_BLOCKS: usize = 3;
/// The higher rate is so many times the lower one at least.
const LEAST_FALL: f64 = 1.3;
/// Each quarter of what comes after the fall is within so much of the lower rate.
const STAYS: f64 = 0.25;
/// Bursts whose ends differ by more do not agree.
const AGREE: f64 = 1.25;

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let area = probe.asked.area();
    let least = Err(Message::of("why-too-small-to-ask"));
    let mut between = least;
    if area.len >= WRITE * WRITES && probe.asked.block <= WRITE {
        let mut bursts = Vec::new();
        for (rest, number) in RESTS.into_iter().zip(1..) {
            probe.rest(&format!("rest {number}"), rest.min(probe.asked.patience))?;
            let script = burst(probe);
            let trail = probe.script(&format!("burst {number}"), script)?;
            let end = end_of(&trail);
            let is_over = end.is_err();
            bursts.push(end);
            if is_over {
                break;
            }
        }
        between = agreed(&bursts);
    }
    let of = |part: fn(&Taken) -> (f64, [f64; 2])| -> Estimate {
        let taken = between.as_ref().map_err(Clone::clone)?;
        let (value, interval) = part(taken);
        Ok((value, Some(interval)))
    };
    found.add(probe, "at-least", "MiB", of(|taken| taken.least));
    found.add(probe, "at-most", "MiB", of(|taken| taken.most));
    Ok(found)
}

/// Writes to random places, as many at once as a buffer is filled by.
fn burst(probe: &mut Probe<'_>) -> Script {
    let area = probe.asked.area();
    let places = area.len.get() / WRITE.get();
    let mut script = Script::new("burst", DEPTH);
    for _ in 0..WRITES {
        let at = area.start + WRITE * probe.rng.below(places);
        let io: Io = probe.write(at, WRITE);
        script.io(io, Duration::ZERO, &[]);
    }
    script
}

/// The end of a burst's faster part.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    /// What was written until then, in MiB.
    written: f64,
    /// The same less what went out meanwhile at the rate of the rest.
    held: f64,
    /// What is written between two looks.
    block: f64,
}

/// Where a burst becomes slower for good.
fn end_of(trail: &[TrailIo]) -> Result<End, Message> {
    let mut ends: Vec<f64> = trail
        .iter()
        .map(|io| (io.sent + io.took).as_secs_f64())
        .collect();
    ends.sort_by(f64::total_cmp);
    let begun = trail
        .iter()
        .map(|io| io.sent.as_secs_f64())
        .fold(f64::MAX, f64::min);
    let mib = WRITE.get() as f64 / Bytes::mib(1).get() as f64;
    let none = || {
        let written = format!("{:.0}", mib * ends.len() as f64);
        Message::new("why-taken-as-it-comes", [("mib", written.into())])
    };
    let (rates, block) = even(&ends).ok_or_else(|| Message::of("why-uneven"))?;
    let half = rates.len() / 2;
    let slow = rate(&rates[half..]).ok_or_else(none)?;
    let mut fast = median(&rates[..LEAST_BLOCKS]).ok_or_else(none)?;
    // What is fast is known by what lies before the cut, and the cut by what is fast.
    for _ in 0..2 {
        if fast < LEAST_FALL * slow {
            return Err(none());
        }
        let cut = place_between(&rates, fast, slow) as usize;
        if cut < LEAST_BLOCKS || cut > half {
            return Err(none());
        }
        fast = median(&rates[..cut]).ok_or_else(none)?;
    }
    let cut = place_between(&rates, fast, slow) as usize;
    let after = &rates[(cut + 1).min(rates.len() - 1)..];
    let quarters = after.chunks(after.len().div_ceil(4)).filter_map(rate);
    let stays = quarters
        .map(|quarter| (quarter / slow - 1.0).abs())
        .fold(0.0, f64::max)
        < STAYS;
    if cut < LEAST_BLOCKS || cut > half || !stays {
        return Err(Message::of("why-uneven"));
    }
    let written = cut as f64 * block as f64;
    let drained = slow * (ends[cut * block - 1] - begun);
    Ok(End {
        written: written * mib,
        held: (written - drained).max(0.0) * mib,
        block: block as f64 * mib,
    })
}

/// Rates of blocks of writes that end at these times, and how many writes a block is: as few as are even in the later half.
fn even(ends: &[f64]) -> Option<(Vec<f64>, usize)> {
    BLOCKS.into_iter().find_map(|block| {
        let marks = std::iter::once(0.0).chain(ends.chunks_exact(block).map(|of| of[block - 1]));
        let marks: Vec<f64> = marks.collect();
        let rates: Vec<f64> = marks
            .windows(2)
            .map(|pair| block as f64 / (pair[1] - pair[0]).max(1e-9))
            .collect();
        let late = &rates[rates.len() / 2..];
        let mean = rate(late).filter(|_| rates.len() >= 4 * LEAST_BLOCKS)?;
        let near = |rate: &&f64| (**rate / mean - 1.0).abs() < AS_EVEN;
        let even = late.iter().filter(near).count() as f64 / late.len() as f64;
        (even >= EVEN).then_some((rates, block))
    })
}

/// What a buffer takes at least and at most, in MiB, each with an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Taken {
    least: (f64, [f64; 2]),
    most: (f64, [f64; 2]),
}

/// What bursts agree on.
fn agreed(bursts: &[Result<End, Message>]) -> Result<Taken, Message> {
    let ends: Vec<End> = bursts.iter().cloned().collect::<Result<_, _>>()?;
    let of = |part: fn(&End) -> f64| -> Option<(f64, [f64; 2])> {
        let each: Vec<f64> = ends.iter().map(part).collect();
        let low = each.iter().copied().fold(f64::MAX, f64::min);
        let high = each.iter().copied().fold(0.0, f64::max);
        let block = ends.iter().map(|end| end.block).fold(0.0, f64::max);
        let agree = high <= AGREE * low + 2.0 * block;
        let middle = median(&each).filter(|_| agree)?;
        Some((middle, [(low - block).max(0.0), high + block]))
    };
    let varies = || Message::of("why-not-a-buffer");
    Ok(Taken {
        least: of(|end| end.held).ok_or_else(varies)?,
        most: of(|end| end.written).ok_or_else(varies)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::rng::Rng;

    /// A burst into a buffer of so many writes, filled at one every `fill_us` and drained at one every `drain_us`, so many
    /// at a time; one in five thousand stalls.
    fn burst(holds: u64, fill_us: f64, drain_us: f64, at_a_time: u64, seed: u64) -> Vec<TrailIo> {
        let mut rng = Rng::new(seed);
        let (mut now, mut trail) = (0.0, Vec::new());
        for step in 0..WRITES {
            let drained = ((now / (drain_us * at_a_time as f64)) as u64) * at_a_time;
            if step >= holds + drained {
                now = drain_us * at_a_time as f64 * ((step - holds) / at_a_time + 1) as f64;
            }
            now += fill_us * (0.8 + 0.4 * rng.unit());
            if rng.below(5_000) == 0 {
                now += 2_000.0;
            }
            trail.push(TrailIo {
                step: step as u32,
                op: Op::Write,
                offset: Bytes::ZERO,
                len: WRITE,
                sent: Duration::ZERO,
                took: Duration::from_secs_f64(now / 1e6),
            });
        }
        trail
    }

    #[test]
    fn a_buffer_lies_between_what_is_found_whatever_stalls() {
        for (holds, fill, drain, at_a_time) in [
            (2_048, 30.0, 60.0, 1),
            (128, 50.0, 200.0, 4),
            (1_536, 5.0, 12.0, 32),
            (2_048, 4.0, 7.0, 8),
        ] {
            let mut found = 0;
            for seed in 0..10 {
                let Ok(end) = end_of(&burst(holds, fill, drain, at_a_time, seed)) else {
                    continue;
                };
                found += 1;
                let taken = agreed(&[Ok(end)]).unwrap();
                let truth = holds as f64 / 64.0;
                let (low, high) = (taken.least.1[0], taken.most.1[1]);
                assert!(
                    low * 0.9 <= truth && truth <= high * 1.1,
                    "{taken:?} for {truth}"
                );
            }
            assert!(found > 7, "{holds}: {found}");
        }
    }

    #[test]
    fn what_drains_as_it_comes_and_a_stall_are_no_buffer() {
        for seed in 0..10 {
            assert!(end_of(&burst(2_048, 30.0, 30.0, 1, seed)).is_err());
        }
        let mut stalls = burst(40_000, 30.0, 30.0, 1, 1);
        for io in &mut stalls[4_000..] {
            io.took += Duration::from_millis(300);
        }
        assert!(end_of(&stalls).is_err());
        assert!(end_of(&[]).is_err());
    }

    #[test]
    fn what_grows_with_the_rest_is_no_buffer() {
        let end = |written| {
            Ok(End {
                written,
                held: written / 2.0,
                block: 0.5,
            })
        };
        let why = agreed(&[end(50.0), end(100.0), end(200.0)]).unwrap_err();
        assert_eq!(why.key(), Some("why-not-a-buffer"));
        assert!(agreed(&[end(70.0), end(71.0), end(70.5)]).is_ok());
    }
}
