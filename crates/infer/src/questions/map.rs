//! How much of the address map is in memory?
//!
//! An SSD finds a page by a map of four bytes for each 4 KiB: a thousandth of its capacity. Drives without memory of their
//! own hold a part of it, in the host's memory or in the controller's; a read outside that part reads the map first. Random
//! reads over a range R that is larger than what the part covers, C, miss with a share of 1 - C / R, so that their mean is
//! `hit + miss (1 - C / R)`: flat up to C, then towards a second level that it never reaches. The median is no help: it
//! jumps where half of the reads miss.
//!
//! Three things spoil it. Data lie in unlike places (an SLC area is read faster), so a range is no run of addresses but a
//! set of pieces scattered over the whole drive, each set a part of the next. What was read before is in memory, so each
//! range is warmed up, with a read for each part of the map, and ranges come in random order. And a criterion of
//! information alone finds steps of half a per cent in perfectly flat curves, so a step counts only from [`LEAST_STEP`] on.

use base::chart::designs;
use base::{Argument, Bytes, Chart, Curve, Io, Message, Stopped};

use crate::asked::Asked;
use crate::evidence::{Mean, better_by, mean};
use crate::line::Line;
use crate::probe::{Probe, accesses, micros};
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "map",
    suits: |known| known.may_be_flash(),
    writes: |_| None,
    takes: |asked| {
        let sizes = sizes(pieces(asked));
        let warm = PIECE.get() / MAPPED_TOGETHER.get() * sizes.iter().sum::<u64>();
        asked.singles(warm + READS * sizes.len() as u64)
    },
    ask,
};

/// A piece of the scattered ranges.
const PIECE: Bytes = Bytes::mib(64);
/// What one page of a map describes on most drives: one read in each warms it up.
const MAPPED_TOGETHER: Bytes = Bytes::mib(4);
/// Reads that are timed in each range.
const READS: u64 = 2_000;
/// Ranges in each doubling.
const A_DOUBLING: f64 = 2.0;
/// The smallest range, in pieces.
const LEAST_PIECES: f64 = 16.0;
/// Reads in flight while a range is warmed up.
const WARM_DEPTH: u32 = 64;
/// A smaller step is none, as a share of a hit; and in standard errors of a mean.
const LEAST_STEP: f64 = 0.02;
const LEAST_STEP_ERRORS: f64 = 4.0;
/// Evidence that makes a step certain.
const CERTAIN: f64 = 10.0;
/// No estimate is surer than this, whatever the scatter: pages of the map in flight, its own replacement, and the ranges'
/// spacing, seen on modelled drives whose memory is known. Few ranges lie above a memory that covers most of the drive, and
/// what is found is rather too small.
const NO_LESS: f64 = 0.1;
const NO_MORE: f64 = 0.19;
/// Values of the coverage that are tried.
const TRIED: usize = 600;

fn pieces(asked: &Asked) -> u64 {
    asked.span.len.get() / PIECE.get()
}

/// Numbers of pieces, from the smallest range to all.
fn sizes(pieces: u64) -> Vec<u64> {
    let factor = libm::exp2(1.0 / A_DOUBLING);
    let growing = std::iter::successors(Some(LEAST_PIECES), |size| Some(size * factor));
    let mut sizes: Vec<u64> = growing
        .map(|size| size as u64)
        .take_while(|size| *size < pieces)
        .collect();
    if pieces >= LEAST_PIECES as u64 {
        sizes.push(pieces);
    }
    sizes
}

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let sizes = sizes(pieces(probe.asked));
    let mut found = Found::default();
    if sizes.len() < 4 {
        let why = || Err(Message::of("why-too-small-to-ask"));
        found.add(probe, "coverage", "GiB", why());
        found.add(probe, "miss", "us", why());
        return Ok(found);
    }
    let means = measured(probe, &sizes)?;
    let fit = Step::of(&means);
    let (coverage, miss) = conclusion(&means, fit.as_ref());
    let hit = means.first().map(|(_, mean)| {
        let off = 1.96 * mean.error;
        (mean.value, Some([mean.value - off, mean.value + off]))
    });
    found.add(probe, "coverage", "GiB", coverage);
    // What the explanation without a step loses by.
    let lost_by = match (&miss, &fit) {
        (Ok(_), Some(step)) => Ok((step.evidence, None)),
        (Ok(_), None) => Err(Message::of("why-nothing-completed")),
        (Err(why), _) => Err(why.clone()),
    };
    found.add(probe, "miss", "us", miss);
    found.add(probe, "lost-by", "count", lost_by);
    found.add(
        probe,
        "hit",
        "us",
        hit.ok_or_else(|| Message::of("why-nothing-completed")),
    );
    found.charts.push(evidence(&means, fit.as_ref()));
    Ok(found)
}

/// The mean of single reads over each range, which is given in GiB, from the smallest on.
fn measured(probe: &mut Probe<'_>, sizes: &[u64]) -> Result<Vec<(f64, Mean)>, Stopped> {
    let all = pieces(probe.asked);
    let order = shuffled(probe, all);
    let turns = shuffled(probe, sizes.len() as u64);
    let mut means = Vec::new();
    for turn in turns {
        let size = sizes[turn as usize];
        let inside = &order[..size as usize];
        let warm = warm_up(probe, inside);
        probe.at_once(&format!("warm-up round {}", turn + 1), WARM_DEPTH, warm)?;
        let reads: Vec<Io> = (0..READS).map(|_| read_in(probe, inside, None)).collect();
        let name = format!("round {}", turn + 1);
        let responses = micros(&probe.one_at_a_time(&name, reads)?);
        let gib = (PIECE * size).get() as f64 / Bytes::gib(1).get() as f64;
        means.extend(mean(&responses).map(|mean| (gib, mean)));
    }
    means.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(means)
}

/// 0 to n, in random order.
fn shuffled(probe: &mut Probe<'_>, n: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..n).collect();
    probe.shuffle(&mut order);
    order
}

/// A read in each part of the map that the pieces have, in random order.
fn warm_up(probe: &mut Probe<'_>, inside: &[u64]) -> Vec<Io> {
    let parts = PIECE.get() / MAPPED_TOGETHER.get();
    let turns = shuffled(probe, inside.len() as u64 * parts);
    let of = |turn: u64| (inside[(turn / parts) as usize], turn % parts);
    turns
        .into_iter()
        .map(|turn| {
            let (piece, part) = of(turn);
            read_in(probe, &[piece], Some(part))
        })
        .collect()
}

/// A read somewhere in one of the pieces, or in one part of the map of the only one.
fn read_in(probe: &mut Probe<'_>, inside: &[u64], part: Option<u64>) -> Io {
    let access = probe.asked.access;
    let piece = inside[probe.rng.below(inside.len() as u64) as usize];
    let (from, span) = match part {
        Some(part) => (MAPPED_TOGETHER * part, MAPPED_TOGETHER),
        None => (Bytes::ZERO, PIECE),
    };
    let place = access * probe.rng.below(accesses(span, access));
    Io::read(
        probe.asked.span.start + PIECE * piece + from + place,
        access,
    )
}

/// The step that fits best.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// What is covered, in GiB, and between which values it lies.
    coverage: f64,
    between: [f64; 2],
    /// A hit, and what a miss takes beyond it, in us.
    hit: f64,
    miss: f64,
    miss_error: f64,
    /// How much better it is than no step at all.
    evidence: f64,
    /// The mean error of the points.
    error: f64,
}

impl Step {
    /// By the means over ranges: for each coverage that is tried the best levels, and then the best of these.
    fn of(means: &[(f64, Mean)]) -> Option<Step> {
        let (first, last) = (means.first()?.0, means.last()?.0);
        let tried = (0..TRIED).map(|i| {
            let share = i as f64 / (TRIED - 1) as f64;
            first * 0.7 * libm::pow(last * 0.98 / (first * 0.7), share)
        });
        let fits: Vec<(f64, Line)> = tried
            .filter_map(|coverage| Some((coverage, fit(means, coverage)?)))
            .collect();
        let (coverage, line) = *fits
            .iter()
            .min_by(|a, b| a.1.squares.total_cmp(&b.1.squares))?;
        let n = means.len();
        let scale = (line.squares / (n.saturating_sub(3)).max(1) as f64).max(1e-12);
        // Beyond it a value of the coverage fits worse with a confidence of 95 % (a ratio of likelihoods, scaled by what
        // the best one misses).
        let bound = line.squares + 3.84 * scale;
        let within: Vec<f64> = fits
            .iter()
            .filter(|(_, line)| line.squares <= bound)
            .map(|(coverage, _)| *coverage)
            .collect();
        let flat = flat_squares(means);
        Some(Step {
            coverage,
            between: [
                within.first()?.min(coverage * (1.0 - NO_LESS)),
                within.last()?.max(coverage * (1.0 + NO_MORE)),
            ],
            hit: line.at_zero,
            miss: line.slope,
            miss_error: libm::sqrt(line.slope_variance * scale.max(1.0)),
            evidence: better_by(flat, line.squares, n, 2),
            error: means.iter().map(|(_, mean)| mean.error).sum::<f64>() / n as f64,
        })
    }

    fn is_certain(&self) -> bool {
        self.evidence > CERTAIN
            && self.miss > LEAST_STEP * self.hit
            && self.miss > LEAST_STEP_ERRORS * self.error
    }
}

/// The levels for one coverage: a line over the share that misses.
fn fit(means: &[(f64, Mean)], coverage: f64) -> Option<Line> {
    Line::through(means.iter().map(|(range, mean)| {
        let misses = (1.0 - coverage / range).max(0.0);
        (misses, mean.value, weight(mean))
    }))
}

fn weight(mean: &Mean) -> f64 {
    1.0 / (mean.error * mean.error).max(1e-12)
}

/// The mean of all, by their weights.
fn flat(means: &[(f64, Mean)]) -> f64 {
    let weights: f64 = means.iter().map(|(_, mean)| weight(mean)).sum();
    let all = means.iter().map(|(_, mean)| weight(mean) * mean.value);
    all.sum::<f64>() / weights
}

/// What the mean of all misses.
fn flat_squares(means: &[(f64, Mean)]) -> f64 {
    let middle = flat(means);
    means
        .iter()
        .map(|(_, mean)| weight(mean) * (mean.value - middle) * (mean.value - middle))
        .sum()
}

/// The coverage in GiB, and what a miss costs in us; or that no step is visible, and how large one would have been seen.
fn conclusion(means: &[(f64, Mean)], fit: Option<&Step>) -> (Estimate, Estimate) {
    match fit {
        Some(step) if step.is_certain() && means.get(1).is_none_or(|it| step.coverage < it.0) => {
            // Without two ranges below it the step is somewhere under the first, or no step at all.
            let range = means.get(1).map_or(0.0, |(range, _)| *range);
            let range = Argument::text(format!("{range:.1}"));
            let why = Message::new("why-covers-less", [("gib", range)]);
            (Err(why.clone()), Err(why))
        }
        Some(step) if step.is_certain() => {
            let off = 1.96 * step.miss_error;
            let miss = (step.miss, Some([step.miss - off, step.miss + off]));
            (Ok((step.coverage, Some(step.between))), Ok(miss))
        }
        _ => {
            let hit = means.first().map_or(0.0, |(_, mean)| mean.value);
            let errors = means.iter().map(|(_, mean)| mean.error);
            let seen = errors.fold(LEAST_STEP * hit, |most, error| {
                most.max(LEAST_STEP_ERRORS * error)
            });
            let seen = Argument::text(format!("{seen:.1}"));
            let range = means.last().map_or(0.0, |(range, _)| *range);
            let range = Argument::text(format!("{range:.0}"));
            let why = Message::new("why-no-step", [("us", seen), ("gib", range)]);
            (Err(why.clone()), Err(why))
        }
    }
}

/// What was measured, and both explanations of it: the one that won and the one that lost.
fn evidence(means: &[(f64, Mean)], fit: Option<&Step>) -> Chart {
    let ranges: Vec<f64> = means.iter().map(|(range, _)| *range).collect();
    let measured = means.iter().map(|(_, mean)| Some(mean.value)).collect();
    let mut curves = vec![Curve::new("measured", ranges.clone(), measured)];
    if let Some(step) = fit {
        let fitted =
            |range: &f64| Some(step.hit + step.miss * (1.0 - step.coverage / range).max(0.0));
        let fitted = ranges.iter().map(fitted).collect();
        curves.push(Curve::new("with-step", ranges.clone(), fitted));
        let without = vec![Some(flat(means)); ranges.len()];
        curves.push(Curve::new("without-step", ranges, without));
    }
    Chart::new("explain-map", designs::READ_BY_RANGE, curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means as a drive has them that covers so much, with a little scatter.
    fn means(coverage: f64, miss: f64) -> Vec<(f64, Mean)> {
        let ranges = (0..20).map(|i| libm::exp2(f64::from(i) / 2.0));
        ranges
            .enumerate()
            .map(|(i, range)| {
                let value = 80.0 + miss * (1.0 - coverage / range).max(0.0);
                let scatter = 0.05 * (f64::from(i as u32 * 7 % 5) - 2.0);
                (
                    range,
                    Mean {
                        value: value + scatter,
                        error: 0.1,
                    },
                )
            })
            .collect()
    }

    #[test]
    fn a_step_below_the_smallest_ranges_is_not_placed() {
        let means = means(0.4, 90.0);
        let (coverage, _) = conclusion(&means, Step::of(&means).as_ref());
        assert_eq!(coverage.unwrap_err().key(), Some("why-covers-less"));
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        for coverage in [3.0, 24.0, 64.0, 200.0] {
            let means = means(coverage, 25.0);
            let (found, miss) = conclusion(&means, Step::of(&means).as_ref());
            let (value, between) = found.unwrap();
            let [low, high] = between.unwrap();
            assert!(
                (value / coverage - 1.0).abs() < 0.1,
                "{value} for {coverage}"
            );
            assert!(low <= coverage && coverage <= high, "{low} to {high}");
            assert!((miss.unwrap().0 / 25.0 - 1.0).abs() < 0.1);
        }
    }

    #[test]
    fn a_flat_curve_and_a_step_of_half_a_per_cent_are_not_visible_and_say_what_would_be() {
        for miss in [0.0, 0.4] {
            let means = means(64.0, miss);
            let (found, _) = conclusion(&means, Step::of(&means).as_ref());
            assert_eq!(found.unwrap_err().key(), Some("why-no-step"));
        }
    }

    #[test]
    fn ranges_double_twice_an_octave_up_to_all() {
        assert_eq!(sizes(10), Vec::<u64>::new());
        let sizes = sizes(15_000);
        assert_eq!((sizes[0], sizes[2], sizes.last()), (16, 32, Some(&15_000)));
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
