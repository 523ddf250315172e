//! How fast does it turn, and how long is a track?
//!
//! One read after another, each a little below the last one, on one track: the head has passed the place, so each waits for
//! a whole turn less the step, `T - tau s`, for a turn T and a time tau that each sector takes to pass. Some 1,500 such
//! reads with steps of random length lie on one line, whatever the host adds, since each time counts from the end of the
//! one before. Where a step crosses to the next track, the skew of the tracks is added: such points lie beside the line. A
//! read that the drive answered from its cache took no turn and is beside it, too.
//!
//! The line is found by consensus (two points at random, and the line through them that most others lie on), since a
//! tenth of the points or more are not on it, and then fitted to those alone. A place where the density of the sectors
//! changes has two lines: the halves are fitted apart, and where they differ the interval says so.

use base::{Bytes, Io, Message, Rng, Stopped, TrailIo};

use crate::line::Line;
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question, Turn};

pub(crate) const QUESTION: Question = Question {
    id: "rotation",
    suits: |known| known.may_turn(),
    writes: |_| None,
    takes: |asked| asked.singles(READS),
    ask,
};

const READS: u64 = 1_500;
/// The longest step, in accesses.
const LONGEST_STEP: u64 = 62;
/// Turns of disks that were sold: 3,600 to 15,000 a minute, in ms, and a little more.
const TURNS_MS: std::ops::RangeInclusive<f64> = 3.9..=17.0;
/// Lines that are tried.
const TRIED: u32 = 3_000;
/// So near is on the line, in ms: as near as most points allow, since between two lines of unlike densities there is one
/// that is not far from either.
const NEAR_MS: [f64; 3] = [0.004, 0.012, 0.03];
/// The share of the points that must be.
const LEAST_SHARE: f64 = 0.35;
/// Points beside the line by so many of a turn belong to another track.
const BESIDE: f64 = 0.02;
/// A spindle is regulated to a part in ten thousand, so no figure is surer.
const REGULATED: f64 = 1e-4;

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let reads = descending(probe);
    let trail = probe.one_at_a_time("in reverse", reads)?;
    let points = points(&trail);
    let mut rng = Rng::new(probe.asked.seed);
    let fitted = Fitted::of(&points, &mut rng);
    known.turn = fitted.map(|it| Turn {
        ms: it.turn,
        track_bytes: it.turn / it.byte,
    });
    let mut found = Found::default();
    let none = || Message::of("why-no-rotation");
    let turn = fitted.as_ref().ok_or_else(none);
    found.add(
        probe,
        "speed",
        "1/min",
        turn.as_ref().map(|it| it.speed()).map_err(Clone::clone),
    );
    found.add(
        probe,
        "track",
        "KiB",
        turn.as_ref().map(|it| it.track()).map_err(Clone::clone),
    );
    let skew: Estimate =
        turn.and_then(|it| skew(&points, it).ok_or_else(|| Message::of("why-one-track")));
    found.add(probe, "skew", "ratio", skew);
    Ok(found)
}

/// Reads that descend by random steps to the beginning of what is asked about.
fn descending(probe: &mut Probe<'_>) -> Vec<Io> {
    let most = probe.asked.places().saturating_sub(1);
    let mut places = vec![0];
    while (places.len() as u64) < READS {
        let step = 2 + probe.rng.below(LONGEST_STEP);
        match places[places.len() - 1] + step {
            place if place <= most => places.push(place),
            _ => break,
        }
    }
    places
        .into_iter()
        .rev()
        .map(|place| probe.read(place))
        .collect()
}

/// A step in bytes, and the time from the end of one read to the end of the next, in ms.
type Point = (f64, f64);

fn points(trail: &[TrailIo]) -> Vec<Point> {
    let pairs = trail
        .windows(2)
        .filter(|pair| pair[0].step + 1 == pair[1].step);
    pairs
        .map(|pair| {
            let step = pair[0].offset.get().abs_diff(pair[1].offset.get());
            let end = |io: &TrailIo| (io.sent + io.took).as_millis_f64();
            (step as f64, end(&pair[1]) - end(&pair[0]))
        })
        .collect()
}

/// The line that most points lie on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fitted {
    /// A turn in ms, and what a byte takes to pass.
    turn: f64,
    byte: f64,
    /// Half the width of their intervals, as a share.
    turn_off: f64,
    byte_off: f64,
}

impl Fitted {
    fn of(points: &[Point], rng: &mut Rng) -> Option<Fitted> {
        let (whole, near) = NEAR_MS
            .iter()
            .find_map(|near| Some((consensus(points, *near, rng)?, *near)))?;
        let halves = points.split_at(points.len() / 2);
        let halves = [halves.0, halves.1].map(|half| refined(half, near, whole.turn, whole.byte));
        let apart = |of: fn(&Fitted) -> f64| {
            let differ = halves
                .iter()
                .flatten()
                .map(|half| (of(half) / of(&whole) - 1.0).abs());
            differ.fold(0.0, f64::max)
        };
        Some(Fitted {
            turn_off: whole.turn_off.max(apart(|it| it.turn)).max(REGULATED),
            byte_off: whole.byte_off.max(apart(|it| it.byte)),
            ..whole
        })
    }

    fn speed(&self) -> (f64, Option<[f64; 2]>) {
        let speed = 60_000.0 / self.turn;
        let off = speed * self.turn_off;
        (speed, Some([speed - off, speed + off]))
    }

    fn track(&self) -> (f64, Option<[f64; 2]>) {
        let track = self.turn / self.byte / Bytes::kib(1).get() as f64;
        let off = track * libm::hypot(self.turn_off, self.byte_off);
        (track, Some([track - off, track + off]))
    }

    /// By how much a point is beside the line, in ms, whole turns left out.
    fn beside(&self, (step, took): Point) -> f64 {
        let off = took - (self.turn - self.byte * step);
        off - libm::round(off / self.turn) * self.turn
    }
}

/// The line through two points that most others lie on, fitted to these.
fn consensus(points: &[Point], near_ms: f64, rng: &mut Rng) -> Option<Fitted> {
    let n = points.len() as u64;
    if n < 50 {
        return None;
    }
    let mut best = (0, 0.0, 0.0);
    for _ in 0..TRIED {
        let [a, b] = [rng.below(n), rng.below(n)].map(|index| points[index as usize]);
        let byte = (a.1 - b.1) / (b.0 - a.0);
        let turn = a.1 + byte * a.0;
        if !(byte.is_finite() && byte > 0.0 && TURNS_MS.contains(&turn)) {
            continue;
        }
        let near = points
            .iter()
            .filter(|point| (point.1 - turn + byte * point.0).abs() < near_ms);
        let near = near.count();
        if near > best.0 {
            best = (near, turn, byte);
        }
    }
    refined(points, near_ms, best.1, best.2).filter(|_| best.0 as f64 >= LEAST_SHARE * n as f64)
}

/// A line through the points near one, twice: the second time those near the first.
fn refined(points: &[Point], near_ms: f64, turn: f64, byte: f64) -> Option<Fitted> {
    let mut fitted = Fitted {
        turn,
        byte,
        turn_off: 0.0,
        byte_off: 0.0,
    };
    for _ in 0..2 {
        let on: Vec<Point> = points
            .iter()
            .copied()
            .filter(|point| fitted.beside(*point).abs() < near_ms && point.1 < 1.5 * fitted.turn)
            .collect();
        let line = Line::through(on.iter().map(|(x, y)| (*x, *y, 1.0)))?;
        let variance = line.squares / (on.len().saturating_sub(2)).max(1) as f64;
        let off = |of: f64, value: f64| 1.96 * libm::sqrt(of * variance) / value.abs();
        fitted = Fitted {
            turn: line.at_zero,
            byte: -line.slope,
            turn_off: off(line.at_zero_variance, line.at_zero),
            byte_off: off(line.slope_variance, line.slope),
        };
    }
    (fitted.byte > 0.0).then_some(fitted)
}

/// The share of a turn by which tracks are shifted: the middle of the points beside the line.
fn skew(points: &[Point], fitted: &Fitted) -> Option<(f64, Option<[f64; 2]>)> {
    let beside: Vec<f64> = points
        .iter()
        .map(|point| fitted.beside(*point) / fitted.turn)
        .filter(|beside| beside.abs() > BESIDE)
        .map(|beside| (-beside).rem_euclid(1.0))
        .collect();
    let middle = stats::median(&beside).filter(|_| beside.len() > 4)?;
    let interval = stats::median_interval(&beside).map(|it| [it.low, it.high]);
    Some((middle, interval))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::time::Duration;

    /// Points of a disk: a turn, KiB a track, a skew at every track's end, a little jitter, and one in twenty elsewhere.
    fn disk(turn: f64, track_kib: f64, skew: f64) -> Vec<Point> {
        let mut rng = Rng::new(7);
        let byte = turn / (track_kib * 1_024.0);
        let mut at = 0.0;
        (0..1_500)
            .map(|i| {
                let step = 4_096.0 * (2 + rng.below(LONGEST_STEP)) as f64;
                let before: f64 = at / (track_kib * 1_024.0);
                at += step;
                let crossed = (at / (track_kib * 1_024.0)).floor() > before.floor();
                // Downwards, the track before begins earlier by the skew.
                let added = if crossed { -skew * turn } else { 0.0 };
                let jitter = 0.002 * (rng.unit() - 0.5);
                let lost = if i % 20 == 3 { rng.unit() * turn } else { 0.0 };
                (
                    step,
                    (turn - byte * step + added + lost).rem_euclid(turn) + jitter,
                )
            })
            .collect()
    }

    #[test]
    fn turn_track_and_skew_are_found_among_other_points() {
        for (rpm, track, skew_is) in [
            (7_200.0, 1_420.0, 0.15),
            (5_900.0, 2_170.0, 0.135),
            (10_000.0, 477.0, 0.22),
        ] {
            let points = disk(60_000.0 / rpm, track, skew_is);
            let fitted = Fitted::of(&points, &mut Rng::new(1)).unwrap();
            let (speed, between) = fitted.speed();
            let [low, high] = between.unwrap();
            assert!((speed / rpm - 1.0).abs() < 1e-4, "{speed} for {rpm}");
            assert!(low <= rpm && rpm <= high);
            assert!(
                (fitted.track().0 / track - 1.0).abs() < 2e-3,
                "{fitted:?} for {track}"
            );
            let (skew, _) = skew(&points, &fitted).unwrap();
            assert!((skew - skew_is).abs() < 0.03, "{skew} for {skew_is}");
        }
    }

    #[test]
    fn flash_and_a_cache_in_the_way_have_no_rotation() {
        let mut rng = Rng::new(3);
        let even: Vec<Point> = (0..1_500)
            .map(|_| (4_096.0 * rng.below(64) as f64, 5.0 + 8.0 * rng.unit()))
            .collect();
        assert_eq!(Fitted::of(&even, &mut Rng::new(1)), None);
        let flash: Vec<Point> = (0..1_500)
            .map(|_| (4_096.0 * rng.below(64) as f64, 0.1))
            .collect();
        assert_eq!(Fitted::of(&flash, &mut Rng::new(1)), None);
    }

    /// What six real disks took for other things than the scan: reads and writes as a program sends them.
    fn measured(disk: &str) -> Vec<TrailIo> {
        use std::io::Read;
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../sim/tests/measured_disks/data"
        );
        let file = std::fs::File::open(format!("{folder}/{disk}.csv.gz")).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(file)
            .read_to_string(&mut text)
            .unwrap();
        let mut now = Duration::ZERO;
        let rows = text.lines().skip(1).enumerate();
        rows.map(|(step, row)| {
            let of: Vec<&str> = row.split(',').collect();
            let number = |at: usize| -> u64 { of[at].parse().unwrap() };
            let micros = |at: usize| Duration::from_secs_f64(of[at].parse::<f64>().unwrap() / 1e6);
            let (sent, took) = (now + micros(4), micros(3));
            now = sent + took;
            TrailIo {
                step: step as u32,
                op: if of[0] == "R" { Op::Read } else { Op::Write },
                offset: Bytes::SECTOR * number(1),
                len: Bytes::SECTOR * number(2),
                sent,
                took,
            }
        })
        .collect()
    }

    #[test]
    fn responses_of_real_disks_to_other_work_tell_no_rotation() {
        for disk in [
            "hp-c3323a",
            "ibm-18es-dnes-309170w",
            "quantum-atlas-10k",
            "quantum-atlas-iii",
            "seagate-barracuda-4lp-st32171w",
            "seagate-cheetah-9lp-st39102lw",
        ] {
            let trail = measured(disk);
            assert!(trail.len() > 9_000, "{disk}");
            let part_by_part = trail.chunks(READS as usize).chain([&trail[..]]);
            for part in part_by_part {
                let fitted = Fitted::of(&points(part), &mut Rng::new(1));
                assert_eq!(fitted, None, "{disk}");
            }
        }
    }
}
