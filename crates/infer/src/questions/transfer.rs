//! How fast does it stream, from the outside to the inside?
//!
//! The disc turns evenly, so a track passes in the same time whether it holds much or little: outside, where it is twice as
//! long, a stream is twice as fast as inside. Some MiB are read in order at places all over the disk; what it takes from
//! one completion to the next is the medium's time, after the first reads of a place, which wait for the arm and for the
//! rotation. Means over places are means of the time for a byte, as a whole scan has them.
//!
//! Where a disk does not read ahead, or its link is slower than its medium, a stream of single reads is far slower than what
//! passes under the head in a turn, which the rotation's question found. Such a rate is not told: it is the host's way of
//! reading.
//!
//! A maker sets how densely each head writes by itself, so surfaces hold unlike amounts, and a disk that stays on one
//! surface for some 100 MB at a time alternates between their rates. Neighbouring places outside then differ by more than
//! the two halves of each: that, and nothing less, is called unlike surfaces. Where the disk changes surfaces after every
//! track, a stream has the mean of all, and nothing is visible.

use base::chart::designs;
use base::{Bytes, Chart, Curve, Io, Message, Stopped, TrailIo};

use crate::evidence::{Mean, mean};
use crate::line::Line;
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "transfer",
    suits: Known::may_turn,
    writes: |_| None,
    takes: |asked| {
        asked
            .singles(PLACES)
            .and_reading(PLACE.min(asked.span.len) * PLACES)
    },
    ask,
};

/// What is read at a place, and by how much.
const PLACE: Bytes = Bytes::mib(8);
const READ: Bytes = Bytes::kib(512);
const READS: u64 = PLACE.get() / READ.get();
/// Reads at the beginning of a place that wait for the arm.
const ARRIVING: usize = 2;
/// Places outside and inside, and in each of the parts between.
const AT_AN_END: u64 = 24;
const PARTS: u64 = 30;
const IN_A_PART: u64 = 2;
const PLACES: u64 = 2 * AT_AN_END + PARTS * IN_A_PART;
/// Outside and inside are one in so many parts each.
const AN_END: u64 = 32;
/// Places that have less of their times do not count; nor do ends that have fewer places.
const LEAST_GAPS: usize = 6;
const LEAST_PLACES: usize = 8;
/// A place that takes longer than so many times the middle of so many around it had a long response.
const ODD: f64 = 1.5;
const NEIGHBOURS: usize = 9;
/// The variance among places is so many times that within them where surfaces are unlike, and they scatter by so much.
const STANDS_OUT: f64 = 4.0;
const LEAST_SPREAD: f64 = 0.025;
/// The slowest and the fastest of so many places stand for the sparsest and the densest surface.
const ONE_IN: usize = 8;
/// The sparsest surface of a disk has more of the densest one's rate than this: places that are slower lost turns.
const SPARSEST: f64 = 0.75;
/// A stream loses to skews, and to surfaces that are sparser than the first, but less than this of what passes under the
/// head in a turn; one that is slower is not the medium's.
const LEAST_OF_PASSING: f64 = 0.65;
/// No rate is surer, whatever the scatter: a place has whole tracks only by chance.
const NO_SURER: f64 = 0.015;

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let Some(turn) = known.turn else {
        refuse(probe, &mut found, "why-no-rotation");
        return Ok(found);
    };
    if probe.asked.span.len < PLACE * (AN_END * AT_AN_END) {
        refuse(probe, &mut found, "why-too-small-to-ask");
        return Ok(found);
    }
    let starts = starts(probe);
    let ios = starts
        .iter()
        .flat_map(|(_, start)| (0..READS).map(|n| Io::read(*start + READ * n, READ)));
    let trail = probe.one_at_a_time("reads", ios)?;
    let places = places(&trail, &starts);
    let of = |part: Part| -> Vec<&Place> { places.iter().filter(|it| it.part == part).collect() };
    let (outer, inner, between) = (of(Part::Outer), of(Part::Inner), of(Part::Between));
    let passing = turn.track_bytes / turn.ms / 1e3;
    if matches!(rate(&outer), Ok((outer, _)) if outer < LEAST_OF_PASSING * passing) {
        refuse(probe, &mut found, "why-not-the-medium");
        return Ok(found);
    }
    found.add(probe, "outer", "MB/s", rate(&outer));
    found.add(probe, "inner", "MB/s", rate(&inner));
    found.add(probe, "mean", "MB/s", mean_rate(&between));
    let surfaces = surfaces(&outer);
    let pick = |index: usize| surfaces.clone().map(|both| (both[index], None));
    found.add(probe, "surface-fast", "MB/s", pick(0));
    found.add(probe, "surface-slow", "MB/s", pick(1));
    found.charts.extend(chart(&between));
    Ok(found)
}

fn refuse(probe: &Probe<'_>, found: &mut Found, why: &'static str) {
    for key in ["outer", "inner", "mean", "surface-fast", "surface-slow"] {
        found.add(probe, key, "MB/s", Err(Message::of(why)));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Outer,
    Inner,
    Between,
}

/// Where places begin, in random order: a cache that warms up or an arm that drifts then spoils no part more than another.
fn starts(probe: &mut Probe<'_>) -> Vec<(Part, Bytes)> {
    let span = probe.asked.span;
    let mut starts = Vec::new();
    let mut some = |part, many: u64, from: Bytes, len: Bytes, probe: &mut Probe<'_>| {
        // One in each of as many equal parts, so that they are spread evenly and no two overlap.
        let each = Bytes::new(len.get() / many);
        let room = (each.get() - PLACE.get()) / READ.get();
        for n in 0..many {
            let at = from + each * n + READ * probe.rng.below(room.max(1));
            let at = Bytes::new(at.get() / READ.get() * READ.get());
            starts.push((part, span.start + at));
        }
    };
    let end = Bytes::new(span.len.get() / AN_END);
    some(Part::Outer, AT_AN_END, Bytes::ZERO, end, probe);
    some(Part::Inner, AT_AN_END, span.len - end, end, probe);
    some(
        Part::Between,
        PARTS * IN_A_PART,
        Bytes::ZERO,
        span.len,
        probe,
    );
    probe.shuffle(&mut starts);
    starts
}

/// A place that was read.
#[derive(Clone, Copy, Debug)]
struct Place {
    part: Part,
    /// In GB (10^9).
    at_gb: f64,
    /// Seconds for a megabyte (10^6), over all of it and over each half.
    whole: f64,
    halves: [f64; 2],
}

/// What a byte took at each place, in the order of addresses: from completion to completion, so that a read that failed
/// costs two gaps and no more.
fn places(trail: &[TrailIo], starts: &[(Part, Bytes)]) -> Vec<Place> {
    let mut gaps = vec![Vec::new(); starts.len()];
    let end = |io: &TrailIo| (io.sent + io.took).as_secs_f64();
    for pair in trail.windows(2) {
        let [before, at] = [u64::from(pair[0].step), u64::from(pair[1].step)];
        let arrived = at % READS > ARRIVING as u64;
        if arrived && before + 1 == at {
            gaps[(at / READS) as usize].push(end(&pair[1]) - end(&pair[0]));
        }
    }
    let megabytes = READ.get() as f64 / 1e6;
    let over = |gaps: &[f64]| gaps.iter().sum::<f64>() / gaps.len() as f64 / megabytes;
    let places = gaps
        .iter()
        .zip(starts)
        .filter(|(gaps, _)| gaps.len() >= LEAST_GAPS);
    let places = places
        .map(|(gaps, (part, at))| {
            let (first, second) = gaps.split_at(gaps.len() / 2);
            Place {
                part: *part,
                at_gb: at.get() as f64 / 1e9,
                whole: over(gaps),
                halves: [over(first), over(second)],
            }
        })
        .collect();
    without_odd(places)
}

/// Places in the order of addresses, without those at which a single response took so long that they are slower than any
/// of their neighbours can be.
fn without_odd(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_by(|a, b| a.at_gb.total_cmp(&b.at_gb));
    let usual = |at: usize| {
        let from = at
            .saturating_sub(NEIGHBOURS / 2)
            .min(places.len().saturating_sub(NEIGHBOURS));
        let around = places.iter().skip(from).take(NEIGHBOURS).map(|it| it.whole);
        stats::median(&around.collect::<Vec<_>>()).unwrap_or_default()
    };
    let odd = |at: usize| places[at].whole > ODD * usual(at);
    let kept = (0..places.len()).filter(|at| !odd(*at));
    kept.map(|at| places[at]).collect()
}

/// The rate over places in MB/s.
fn rate(places: &[&Place]) -> Estimate {
    let times: Vec<f64> = places.iter().map(|place| place.whole).collect();
    let found = mean(&times).filter(|mean| mean.value > 0.0 && times.len() >= LEAST_PLACES);
    as_rate(found)
}

/// The rate over all of the disk: that it falls from place to place is no error of its mean, how unlike neighbours are is.
fn mean_rate(places: &[&Place]) -> Estimate {
    let times: Vec<f64> = places.iter().map(|place| place.whole).collect();
    let n = times.len() as f64;
    let squares = times
        .windows(2)
        .map(|pair| (pair[0] - pair[1]) * (pair[0] - pair[1]));
    let variance = squares.sum::<f64>() / 2.0 / (n - 1.0).max(1.0);
    let found = mean(&times).filter(|_| times.len() >= LEAST_PLACES);
    as_rate(found.map(|mean| Mean {
        error: libm::sqrt(variance / n),
        ..mean
    }))
}

/// A rate in MB/s of seconds for a megabyte.
fn as_rate(times: Option<Mean>) -> Estimate {
    let none = || Message::of("why-nothing-completed");
    let Mean { value, error } = times.filter(|it| it.value > 0.0).ok_or_else(none)?;
    let off = (1.96 * error / value).max(NO_SURER);
    let rate = 1.0 / value;
    Ok((rate, Some([rate * (1.0 - off), rate * (1.0 + off)])))
}

/// The rates of the densest and of the sparsest surface in MB/s, where places differ by more than chance.
fn surfaces(places: &[&Place]) -> Result<[f64; 2], Message> {
    let none = || Message::of("why-no-surfaces");
    let times: Vec<f64> = places.iter().map(|place| place.whole).collect();
    let middle = stats::median(&times).filter(|_| places.len() >= LEAST_PLACES);
    let middle = middle.ok_or_else(none)?;
    let points = places.iter().map(|place| (place.at_gb, place.whole, 1.0));
    let line = Line::through(points).ok_or_else(none)?;
    let n = places.len() as f64;
    let among = line.squares / (n - 2.0);
    let within = places.iter().map(|place| {
        let half = (place.halves[0] - place.halves[1]) / 2.0;
        half * half
    });
    let within = within.sum::<f64>() / n;
    if among < STANDS_OUT * within || libm::sqrt(among) < LEAST_SPREAD * middle {
        return Err(none());
    }
    let mut sorted = times;
    sorted.sort_by(f64::total_cmp);
    let each = (sorted.len() / ONE_IN).max(1);
    let over = |times: &[f64]| times.len() as f64 / times.iter().sum::<f64>();
    let (fast, slow) = (over(&sorted[..each]), over(&sorted[sorted.len() - each..]));
    (slow > SPARSEST * fast)
        .then_some([fast, slow])
        .ok_or_else(none)
}

/// The rate in each part, from the outside to the inside.
fn chart(between: &[&Place]) -> Option<Chart> {
    let points = between.chunks(IN_A_PART as usize).map(|part| {
        let n = part.len() as f64;
        let at = part.iter().map(|place| place.at_gb).sum::<f64>() / n;
        let time = part.iter().map(|place| place.whole).sum::<f64>() / n;
        (at * 1e9, Some(1.0 / time))
    });
    let (x, y): (Vec<f64>, Vec<Option<f64>>) = points.unzip();
    let curve = Curve::new("measured", x, y);
    (!between.is_empty()).then(|| Chart::new("explain-transfer", designs::TRANSFER, vec![curve]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::rng::Rng;
    use base::time::Duration;

    /// A disk of 1 TB: seconds for a megabyte at a share of the way and on a surface, and how many surfaces.
    struct Disk {
        outer: f64,
        inner: f64,
        surfaces: u64,
        spread: f64,
    }

    impl Disk {
        fn rate(&self, share: f64, surface: u64) -> f64 {
            let dense = self.outer + (self.inner - self.outer) * share;
            dense * (1.0 - self.spread * surface as f64 / (self.surfaces.max(2) - 1) as f64)
        }

        /// Reads at places in order; a track of 1.4 MB costs 1.2 ms of skew, the host adds 5 to 50 us, one in fifty is
        /// missing, one in a thousand takes a hundred times as long.
        fn read(&self, seed: u64) -> Vec<Place> {
            let mut rng = Rng::new(seed);
            let mut starts = Vec::new();
            for n in 0..PLACES {
                let (part, share) = match n {
                    n if n < AT_AN_END => {
                        (Part::Outer, n as f64 / AT_AN_END as f64 / AN_END as f64)
                    }
                    n if n < 2 * AT_AN_END => (Part::Inner, 1.0 - rng.unit() / AN_END as f64),
                    _ => (
                        Part::Between,
                        (n - 2 * AT_AN_END) as f64 / (PARTS * IN_A_PART) as f64,
                    ),
                };
                starts.push((part, Bytes::new((share * 1e12) as u64)));
            }
            let (mut now, mut trail) = (0.0, Vec::new());
            for (place, (_, start)) in starts.iter().enumerate() {
                let rate = self.rate(start.get() as f64 / 1e12, rng.below(self.surfaces));
                let mut on_track = rng.unit();
                for n in 0..READS {
                    let mb = READ.get() as f64 / 1e6;
                    on_track += mb / 1.4;
                    let skews = on_track.floor() * 0.0012;
                    on_track = on_track.fract();
                    // The mean with the skews is the rate.
                    let mut took = mb / rate - 0.0012 * mb / 1.4 + skews + 45e-6 * rng.unit();
                    if n == 0 {
                        took += 0.012;
                    }
                    if rng.below(1_000) == 0 {
                        took *= 100.0;
                    }
                    if rng.below(50) > 0 {
                        trail.push(TrailIo {
                            step: place as u32 * READS as u32 + n as u32,
                            op: Op::Read,
                            offset: *start + READ * n,
                            len: READ,
                            sent: Duration::from_secs_f64(now),
                            took: Duration::from_secs_f64(took),
                        });
                    }
                    now += took;
                }
            }
            places(&trail, &starts)
        }
    }

    fn of(places: &[Place], part: Part) -> Vec<&Place> {
        places.iter().filter(|it| it.part == part).collect()
    }

    #[test]
    fn rates_outside_inside_and_on_average_are_found_among_odd_responses() {
        let disk = Disk {
            outer: 180.0,
            inner: 90.0,
            surfaces: 1,
            spread: 0.0,
        };
        for seed in 0..30 {
            let places = disk.read(seed);
            for (part, truth) in [(Part::Outer, 178.6), (Part::Inner, 91.4)] {
                let (found, between) = rate(&of(&places, part)).unwrap();
                let [low, high] = between.unwrap();
                assert!((found / truth - 1.0).abs() < 0.03, "{found} for {truth}");
                assert!(low < found && found < high);
            }
            // Between 180 and 90 the mean time for a byte is ln 2 / 90.
            let (found, _) = mean_rate(&of(&places, Part::Between)).unwrap();
            assert!((found / 129.8 - 1.0).abs() < 0.03, "{found}");
            assert!(surfaces(&of(&places, Part::Outer)).is_err());
        }
    }

    #[test]
    fn surfaces_that_differ_by_a_sixth_stand_out_nearly_always() {
        let disk = Disk {
            outer: 180.0,
            inner: 90.0,
            surfaces: 6,
            spread: 0.17,
        };
        let mut seen = 0;
        for seed in 0..30 {
            let places = disk.read(seed);
            if let Ok([fast, slow]) = surfaces(&of(&places, Part::Outer)) {
                assert!((fast / 180.0 - 1.0).abs() < 0.05, "{fast}");
                assert!((slow / 149.0 - 1.0).abs() < 0.05, "{slow}");
                seen += 1;
            }
        }
        assert!(seen >= 25, "{seen} of 30");
    }

    #[test]
    fn nothing_read_is_nothing_found() {
        assert!(rate(&[]).is_err() && mean_rate(&[]).is_err() && surfaces(&[]).is_err());
    }
}
