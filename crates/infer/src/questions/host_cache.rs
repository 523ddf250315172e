//! Is there a cache between the program and the drive?
//!
//! The page cache, a vendor's "turbo" driver and a controller with memory of its own keep what was read, and give it again
//! at the rate of memory. A drive cannot do that: all that it has comes over its link, and reads in order with several in
//! flight fill the link of most SSDs; a disk's link carries a few times what its medium gives, but its buffer is small. So
//! 64 MiB are read, and read again, and another 64 MiB are read for the first time. Where the second read is several times as fast as
//! any first one, a large part is read once from its beginning to its end, and then backwards: of a cache that drops what
//! was unused for longest, the reads are fast until it has no more, and that is what it holds. No drive keeps so much of
//! what was read as is asked of a cache here; less may be a drive's own buffer, which is left open.
//!
//! A cache is not seen where the drive is as fast as memory, where the cache lets large reads pass, or where it held
//! everything before: that there is none is never said.

use base::{Bytes, Io, Message, Span, Stopped, TrailIo};

use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "host-cache",
    suits: |_| true,
    writes: |_| None,
    takes: |asked| {
        let few = FEW.min(asked.span.len) * 3;
        asked.singles(3).and_reading(few)
    },
    ask,
};

/// What is read first and again: little, as most targets have no such cache.
const FEW: Bytes = Bytes::mib(64);
/// What is read to see how much is kept, where something is: twice what the usual driver takes of the memory.
const MUCH: Bytes = Bytes::gib(2);
/// By how much, and how many in flight: enough for any link.
const PIECE: Bytes = Bytes::mib(1);
const DEPTH: u32 = 16;
/// No link carries so many times of what its drive reads at first: of Serial ATA's 550 MB/s, disks with large buffers give
/// a third and more.
const TIMES: f64 = 3.0;
/// Before the end of what is kept, so many of the reads are fast; behind it, no more than the rest.
const OF_THE_KEPT: f64 = 0.9;
/// Fewer reads behind it are chance.
const LEAST_BEHIND: usize = 8;

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    if probe.asked.span.len < FEW * 8 || !PIECE.is_multiple_of(probe.asked.block) {
        let why = || Err(Message::of("why-too-small-to-ask"));
        found.add(probe, "faster", "ratio", why());
        found.add(probe, "kept", "MiB", why());
        return Ok(found);
    }
    let [one, other] = places(probe);
    let first = rate(probe, "first", one)?;
    let again = rate(probe, "again", one)?;
    // A drive that was busy during the first reads is no slower than its cache.
    let first = first.max(rate(probe, "others", other)?);
    known.reads_mb_s = (first > 0.0).then_some(first / 1e6);
    let faster = faster(first, again);
    known.is_behind_a_cache = faster.is_ok();
    let kept = match &faster {
        Ok(_) => how_much(probe, first)?,
        Err(why) => Err(why.clone()),
    };
    found.add(probe, "faster", "ratio", faster);
    found.add(probe, "kept", "MiB", kept);
    Ok(found)
}

/// Two parts somewhere, one in each half.
fn places(probe: &mut Probe<'_>) -> [Span; 2] {
    let half = Bytes::new(probe.asked.span.len.get() / 2);
    let room = (half - FEW).get() / PIECE.get();
    [Bytes::ZERO, half].map(|from| {
        let at = from + PIECE * probe.rng.below(room.max(1));
        Span::new(probe.asked.span.start + at.round_down(PIECE), FEW)
    })
}

/// Reads in order, by pieces.
fn reads(part: Span) -> impl DoubleEndedIterator<Item = Io> {
    let pieces = part.len.get() / PIECE.get();
    (0..pieces).map(move |n| Io::read(part.start + PIECE * n, PIECE))
}

/// How many bytes a second a part is read with, several in flight.
fn rate(probe: &mut Probe<'_>, name: &str, part: Span) -> Result<f64, Stopped> {
    let (took, done) = probe.at_once(name, DEPTH, reads(part))?;
    probe.ios += done;
    let bytes = (PIECE * done).get() as f64;
    Ok(match took.is_zero() {
        true => 0.0,
        false => bytes / took.as_secs_f64(),
    })
}

/// How many times as fast what was read before is, where no link could be.
fn faster(first: f64, again: f64) -> Estimate {
    if first <= 0.0 || again <= 0.0 {
        return Err(Message::of("why-nothing-completed"));
    }
    let times = again / first;
    match times >= TIMES {
        true => Ok((times, None)),
        false => Err(Message::of("why-no-faster-again")),
    }
}

/// Reads much in order, and again backwards.
fn how_much(probe: &mut Probe<'_>, first: f64) -> Result<Estimate, Stopped> {
    let patience = probe.asked.patience.as_secs_f64();
    let in_time = Bytes::new((0.9 * patience * first) as u64);
    let quarter = Bytes::new(probe.asked.span.len.get() / 4);
    let len = MUCH.min(in_time).min(quarter).round_down(PIECE);
    let part = Span::new(probe.asked.span.start + quarter.round_down(PIECE), len);
    rate(probe, "much", part)?;
    let trail = probe.one_at_a_time("backwards", reads(part).rev())?;
    Ok(kept(&trail, first))
}

/// How many MiB of the last ones were kept, and between which that lies; no interval where all of them were, as there may be
/// room for more.
fn kept(trail: &[TrailIo], first: f64) -> Estimate {
    let each = PIECE.get() as f64 / first.max(1.0);
    let is_fast = |io: &TrailIo| io.took.as_secs_f64() * TIMES < each;
    let fast: Vec<bool> = trail.iter().map(is_fast).collect();
    let share =
        |of: &[bool]| of.iter().filter(|it| **it).count() as f64 / (of.len() as f64).max(1.0);
    // The end that has the most fast reads before it and the fewest behind it.
    let (mut balance, mut best) = (0_i64, (0_i64, 0_usize));
    for (n, is_fast) in (1..).zip(&fast) {
        balance += if *is_fast { 1 } else { -1 };
        best = best.max((balance, n));
    }
    let (kept, behind) = fast.split_at(best.1);
    if share(kept) < OF_THE_KEPT || share(behind) > 1.0 - OF_THE_KEPT {
        return Err(Message::of("why-kept-at-random"));
    }
    let pieces = kept.len() as f64;
    // An odd response at the end is no limit.
    let is_a_limit = behind.len() > LEAST_BEHIND;
    Ok((pieces, is_a_limit.then_some([pieces - 1.0, pieces + 1.0])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::time::Duration;

    /// Reads backwards that take so many microseconds each.
    fn trail(took: impl Iterator<Item = u64>) -> Vec<TrailIo> {
        (0..)
            .zip(took)
            .map(|(step, took)| TrailIo {
                step,
                op: Op::Read,
                offset: PIECE * u64::from(4_000 - step),
                len: PIECE,
                sent: Duration::ZERO,
                took: Duration::from_micros(took),
            })
            .collect()
    }

    const SATA: f64 = 530e6;

    #[test]
    fn what_is_kept_ends_where_reads_backwards_are_no_longer_fast() {
        // One in fifty is late.
        let took = (0..2_048).map(|n| {
            if n % 50 == 7 {
                2_400
            } else {
                190 + 1_900 * (n / 1_000)
            }
        });
        let (mib, between) = kept(&trail(took), SATA).unwrap();
        assert!((mib - 1_000.0).abs() < 1e-9, "{mib}");
        assert_eq!(between, Some([999.0, 1_001.0]));
    }

    #[test]
    fn where_all_is_kept_there_may_be_room_for_more() {
        let late_at_the_end = (0..2_048).map(|n| if n > 2_045 { 3_000 } else { 190 });
        let (mib, between) = kept(&trail(late_at_the_end), SATA).unwrap();
        assert!(mib > 2_040.0 && between.is_none(), "{mib} {between:?}");
    }

    #[test]
    fn what_is_kept_at_random_or_not_at_all_has_no_size() {
        let none = [
            trail((0..2_048).map(|n| if n * 7 % 11 < 5 { 190 } else { 2_000 })),
            trail((0..2_048).map(|n| if n > 1_500 { 190 } else { 2_000 })),
            trail((0..2_048).map(|_| 2_000)),
            Vec::new(),
        ];
        for trail in none {
            let why = kept(&trail, SATA).unwrap_err();
            assert_eq!(why.key(), Some("why-kept-at-random"));
        }
    }

    #[test]
    fn no_link_is_so_many_times_as_fast() {
        assert!(faster(530e6, 6e9).is_ok());
        // A disk's buffer behind Serial ATA, and a drive that is as fast as memory.
        assert!(faster(200e6, 550e6).is_err());
        assert!(faster(7e9, 6e9).is_err());
        assert!(faster(0.0, 6e9).is_err() && faster(1e9, 0.0).is_err());
    }
}
