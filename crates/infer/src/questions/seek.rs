//! How long does the arm take, over which distance?
//!
//! A read after another waits for the arm, which takes the longer the further it goes, and then for the place to come
//! round: anything up to a turn, each as likely as the other. So of n reads over one distance the k-th shortest is the seek
//! and k / (n + 1) of a turn, and the shortest tenth of them give the seek with a scatter of some hundredths of a turn.
//! What a command takes without the medium (a read of the same place again) is left out. Distances are addresses, not
//! cylinders: the same distance is fewer tracks outside than inside, where a track holds half as much, and the shortest
//! reads are rather those from outside.
//!
//! The mean that makers publish is that over all pairs of places, which weighs a distance of share x of the whole by
//! 2 (1 - x). A drive with two sets of arms does not take longer for longer distances (the other set may be near already),
//! and reads that a cache answers are not spread over a turn: neither has a seek curve, and the answer says so.

use base::chart::{Axis, Design, Text, designs};
use base::{Chart, Curve, Io, Message, Stopped, TrailIo};

use crate::evidence::Mean;
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "seek",
    suits: |known| known.turns == Some(true),
    writes: |_| None,
    takes: |asked| asked.singles(2 * READS * SHARES.len() as u64 + READS_AGAIN as u64),
    ask,
};

/// Distances as shares of all places: the first is one track, and the last leaves room for reads a little further.
const SHARES: [f64; 12] = [
    0.0,
    0.001,
    0.01,
    0.03,
    0.07,
    0.12,
    0.2,
    1.0 / 3.0,
    0.45,
    0.6,
    0.8,
    0.98,
];
/// Which of them is a third of the way.
const THIRD: usize = 7;
/// Reads over each.
const READS: u64 = 48;
/// Fewer are not enough for their shortest tenth.
const LEAST_READS: usize = 16;
/// The shortest of so many are averaged.
const SHORTEST_OF: usize = 10;
/// A response of less than so much of a turn came from a cache, not from the medium.
const CACHED: f64 = 0.08;
/// Reads of a place that was read just now, among the others: what a command takes without the medium.
const AGAIN: usize = SHARES.len();
const READS_AGAIN: usize = 24;
/// A shorter distance that takes longer by so much is no scatter, as a share; and in errors of both.
const NOT_RISING: f64 = 0.1;
const NOT_RISING_ERRORS: f64 = 3.0;
/// By so much of a turn the middle response is longer than the seek, where it waits half a turn on average.
const HALF_A_TURN: std::ops::RangeInclusive<f64> = 0.35..=0.7;
/// No seek is surer, whatever the scatter, as a share of itself and of a turn: disks of known inside are found to so much,
/// since distances are addresses and a change of the head or of the track adds a little of its own.
const NO_SURER: f64 = 0.033;
const NO_SURER_TURNS: f64 = 0.011;

/// x: distance in GB (10^9); y: ms.
const SEEK_BY_DISTANCE: Design = Design::overlaid(
    Text::new("Seek by distance", "距離別のシーク時間"),
    Text::new(
        "What the arm takes to move so far: the shortest reads over each distance, less their share of a turn.",
        "各距離を移動するアームの時間。最も短い応答から、回転待ちの分を差し引いた値。",
    ),
    Axis::log(Text::new("Distance", "距離"), "GB"),
    Axis::linear(designs::LATENCY, "ms"),
);

fn ask(probe: &mut Probe<'_>, known: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let Some(turn) = known.turn else {
        conclude(probe, &mut found, 0.0, Err(Message::of("why-no-rotation")));
        return Ok(found);
    };
    let track = (turn.track_bytes / probe.asked.access.get() as f64).max(1.0) as u64;
    if probe.asked.places() < 200 * track {
        conclude(
            probe,
            &mut found,
            0.0,
            Err(Message::of("why-too-small-to-ask")),
        );
        return Ok(found);
    }
    let (ios, which) = walk(probe, track);
    let trail = probe.one_at_a_time("reads", ios)?;
    let responses = by_distance(&trail, &which);
    let curve = curve(&responses, turn.ms);
    known.has_one_arm = curve.is_ok();
    if let Ok(curve) = &curve {
        let places = probe.asked.places() as f64;
        let gb = |share: f64| {
            let places = (share * places).max(track as f64);
            places * probe.asked.access.get() as f64 / 1e9
        };
        let (x, y) = curve
            .iter()
            .map(|(share, seek)| (gb(*share), Some(seek.value)))
            .unzip();
        let curve = Curve::new("measured", x, y);
        found
            .charts
            .push(Chart::new("explain-seek", SEEK_BY_DISTANCE, vec![curve]));
    }
    conclude(probe, &mut found, turn.ms, curve);
    Ok(found)
}

fn conclude(probe: &Probe<'_>, found: &mut Found, turn_ms: f64, curve: Result<Points, Message>) {
    let of = |pick: fn(&Points) -> Mean| -> Estimate {
        let mean = curve.as_ref().map(pick).map_err(Clone::clone)?;
        let off = (1.96 * mean.error).max(NO_SURER * mean.value) + NO_SURER_TURNS * turn_ms;
        Ok((
            mean.value,
            Some([(mean.value - off).max(0.0), mean.value + off]),
        ))
    };
    found.add(probe, "mean", "ms", of(|points| over_pairs(points)));
    found.add(probe, "shortest", "ms", of(|points| points[0].1));
    found.add(probe, "third", "ms", of(|points| points[THIRD].1));
    found.add(probe, "full", "ms", of(|points| points[SHARES.len() - 1].1));
}

/// Reads each of which is one of the distances away from the one before, and which distance that is: nothing where the arm
/// only goes where the next one fits. A part of a track is added, so that the place is anywhere on its turn.
fn walk(probe: &mut Probe<'_>, track: u64) -> (Vec<Io>, Vec<Option<usize>>) {
    let places = probe.asked.places();
    let mut order: Vec<usize> = (0..READS).flat_map(|_| 0..SHARES.len()).collect();
    order.extend([AGAIN; READS_AGAIN]);
    probe.shuffle(&mut order);
    let mut at = probe.rng.below(places);
    let (mut ios, mut which) = (vec![probe.read(at)], vec![None]);
    for index in order {
        if index == AGAIN {
            ios.push(probe.read(at));
            which.push(Some(AGAIN));
            continue;
        }
        let least = ((SHARES[index] * places as f64) as u64).max(track);
        let by = least + probe.rng.below(track);
        if at + by >= places && at < by {
            at = probe.rng.below(places - by);
            ios.push(probe.read(at));
            which.push(None);
        }
        let up = at < by || (at + by < places && probe.rng.below(2) == 0);
        at = if up { at + by } else { at - by };
        ios.push(probe.read(at));
        which.push(Some(index));
    }
    (ios, which)
}

/// Responses in ms of each distance, and of reads again; those whose read before failed did not begin where they should.
fn by_distance(trail: &[TrailIo], which: &[Option<usize>]) -> Vec<Vec<f64>> {
    let mut responses = vec![Vec::new(); AGAIN + 1];
    for pair in trail.windows(2) {
        let index = which.get(pair[1].step as usize).copied().flatten();
        if let Some(index) = index.filter(|_| pair[0].step + 1 == pair[1].step) {
            responses[index].push(pair[1].took.as_millis_f64());
        }
    }
    responses
}

/// Shares of all places, and the seek over them in ms.
type Points = Vec<(f64, Mean)>;

/// The seek over each distance, where it is one of a single arm and nothing is in front of it.
fn curve(responses: &[Vec<f64>], turn_ms: f64) -> Result<Points, Message> {
    let (of_distances, again) = responses.split_at(AGAIN);
    // Where no cache answers, it is left in.
    let command = again.first().and_then(|again| stats::median(again));
    let command = command.filter(|ms| *ms < CACHED * turn_ms).unwrap_or(0.0);
    let seeks: Option<Vec<(Mean, f64)>> = of_distances
        .iter()
        .map(|responses| seek(responses, turn_ms, command))
        .collect();
    let seeks = seeks.ok_or_else(|| Message::of("why-few-seeks"))?;
    let waits: Vec<f64> = seeks.iter().map(|(_, wait)| *wait).collect();
    let wait = stats::median(&waits).unwrap_or_default();
    let falls = (1..seeks.len()).any(|far| {
        let far_seek = seeks[far].0;
        seeks[..far].iter().any(|(near, _)| {
            let error = libm::hypot(near.error, far_seek.error);
            let least = (NOT_RISING * near.value).max(NOT_RISING_ERRORS * error);
            near.value - far_seek.value > least
        })
    });
    if falls || !HALF_A_TURN.contains(&wait) {
        return Err(Message::of("why-no-seek-curve"));
    }
    let points = SHARES
        .into_iter()
        .zip(seeks.into_iter().map(|(seek, _)| seek));
    Ok(points.collect())
}

/// The seek, and by how much of a turn the middle response is longer.
fn seek(responses: &[f64], turn_ms: f64, command_ms: f64) -> Option<(Mean, f64)> {
    let mut sorted: Vec<f64> = responses
        .iter()
        .copied()
        .filter(|response| *response > CACHED * turn_ms)
        .collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let shortest = (n / SHORTEST_OF).max(2);
    if n < LEAST_READS {
        return None;
    }
    // Without the very shortest: one read may have found its place in a cache after all.
    let (count, of_all) = (shortest as f64, n as f64 + 1.0);
    let waited = turn_ms * ((count + 1.0) / 2.0 + 1.0) / of_all;
    let value = sorted[1..=shortest].iter().sum::<f64>() / count - waited - command_ms;
    // Of n evenly spread values the i-th and the j-th vary together by min(i, j) / n^2, so the mean of k of them from the
    // second on varies by 1 + (k + 1) (2 k + 1) / (6 k) over n^2.
    let varies = 1.0 + (count + 1.0) * (2.0 * count + 1.0) / (6.0 * count);
    let error = turn_ms * libm::sqrt(varies) / of_all;
    let wait = (sorted[n / 2] - value - command_ms) / turn_ms;
    Some((Mean { value, error }, wait))
}

/// The mean over all pairs of places: straight lines between the points, weighed by how many pairs are so far apart.
fn over_pairs(points: &[(f64, Mean)]) -> Mean {
    const STEPS: u32 = 1_000;
    let mut weights = vec![0.0; points.len()];
    for step in 0..STEPS {
        let x = (f64::from(step) + 0.5) / f64::from(STEPS);
        let weight = 2.0 * (1.0 - x) / f64::from(STEPS);
        let right = points
            .iter()
            .position(|(share, _)| *share >= x)
            .unwrap_or(points.len() - 1)
            .max(1);
        let (from, to) = (points[right - 1].0, points[right].0);
        let part = (x - from) / (to - from);
        weights[right - 1] += weight * (1.0 - part);
        weights[right] += weight * part;
    }
    let each = || points.iter().map(|(_, seek)| seek).zip(&weights);
    let value = each().map(|(seek, weight)| seek.value * weight).sum();
    let variance: f64 = each()
        .map(|(seek, weight)| (seek.error * weight) * (seek.error * weight))
        .sum();
    Mean {
        value,
        error: libm::sqrt(variance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// A seek under constant acceleration grows with the root of the distance, whose mean over all pairs of places is
    /// 8 / 15: here it is a quarter from the beginning on, and 1 in the mean.
    fn shape(share: f64) -> f64 {
        FROM + (1.0 - FROM) * 15.0 / 8.0 * libm::sqrt(share)
    }
    const FROM: f64 = 0.25;

    /// Responses of a disk behind a host that adds 5 to 50 us: one in fifty is missing, one in a thousand takes a hundred
    /// times as long.
    fn disk(mean_ms: f64, turn_ms: f64, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = Rng::new(seed);
        SHARES
            .iter()
            .map(|share| {
                let one = |rng: &mut Rng| {
                    let host = 0.005 + 0.045 * rng.unit();
                    let took = mean_ms * shape(*share) + turn_ms * rng.unit() + host;
                    if rng.below(1_000) == 0 {
                        100.0 * took
                    } else {
                        took
                    }
                };
                let all: Vec<f64> = (0..READS).map(|_| one(&mut rng)).collect();
                all.into_iter().filter(|_| rng.below(50) > 0).collect()
            })
            .collect()
    }

    #[test]
    fn the_mean_over_pairs_is_found_among_odd_responses() {
        for (mean, turn) in [(8.2, 8.333), (13.0, 11.111), (4.9, 6.0)] {
            for seed in 0..50 {
                let points = curve(&disk(mean, turn, seed), turn).unwrap();
                let found = over_pairs(&points).value;
                assert!((found / mean - 1.0).abs() < 0.05, "{found} for {mean}");
                let shortest = points[0].1.value;
                assert!((shortest - FROM * mean).abs() < 0.1 * turn, "{shortest}");
            }
        }
    }

    #[test]
    fn what_is_no_curve_of_one_arm_is_not_visible() {
        let mut rng = Rng::new(1);
        let mut of = |ms: &dyn Fn(usize) -> f64, turn: f64| -> Vec<Vec<f64>> {
            let one =
                |index, rng: &mut Rng| (0..READS).map(|_| ms(index) + turn * rng.unit()).collect();
            (0..SHARES.len())
                .map(|index| one(index, &mut rng))
                .collect()
        };
        // A second set of arms waits near the far places; a cache answers at once; and nothing turns.
        let two = of(
            &|index| if index < 9 { 2.0 + index as f64 } else { 4.0 },
            8.3,
        );
        let even = of(&|_| 5.0, 0.1);
        let none = vec![vec![0.2; READS as usize]; SHARES.len()];
        for responses in [two, even] {
            assert_eq!(
                curve(&responses, 8.3).unwrap_err().key(),
                Some("why-no-seek-curve")
            );
        }
        assert_eq!(curve(&none, 8.3).unwrap_err().key(), Some("why-few-seeks"));
    }
}
