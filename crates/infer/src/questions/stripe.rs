//! How do pages lie on the dies?
//!
//! What is written in order goes round the dies, a page to each plane of each in turn, so that reading in order uses all
//! of them. Two reads that are sent together wait for each other where they meet on one die: at distances of whole rounds
//! of the stripe, and, since the planes of a die lie side by side, a little about these. So the time of the slower of a pair
//! over their distance is flat, with triangles at the multiples of a period: the period is dies times planes, the width of
//! the triangle the planes. Pages that share a channel alone wait less. Where a die is passed over now and then (it was busy, a page of parity
//! lies there), distances of several rounds no longer meet, so the triangles become lower with each round; cells of
//! several bits are programmed a group of rows at a time, and where each group begins on another die only one round is left.
//!
//! Drives that put pages wherever a die is free have no fixed stripe, and then no period is found. A period counts only if
//! its first multiple stands out, if the second does or else the pages beside the first and the nearest of all, which lie
//! on the same die, and if the next best period explains less.

use base::chart::designs;
use base::{Bytes, Chart, Curve, Duration, Io, Message, Script, Stopped, TrailIo};

use crate::evidence::{better_by, mean};
use crate::line::Line;
use crate::probe::Probe;
use crate::question::{Estimate, Found, Known, Question};

pub(crate) const QUESTION: Question = Question {
    id: "stripe",
    suits: |known| known.may_be_flash(),
    writes: |asked| Some(asked.area()),
    takes: |asked| {
        let pairs = DISTANCES * PAIRS;
        asked
            .singles(2 * pairs)
            .and_moving(asked.area().len)
            .and_idle(REST + SETTLED + APART.saturating_mul(2 * pairs))
    },
    ask,
};

/// Flash pages of 16 KiB, which nearly all drives since 2013 have.
const PAGE: Bytes = Bytes::kib(16);
/// Distances in pages: a round of the largest stripe that is looked for, and some.
const DISTANCES: u64 = 280;
/// Distances behind the last multiple that is looked at: the other half of the widest triangle.
const BEHIND: u64 = 8;
/// Pairs at each distance.
const PAIRS: u64 = 32;
/// Between two pairs, so that none waits for the one before.
const APART: Duration = Duration::from_millis(1);
/// After the fill: its buffer is empty, and most drives have not begun to move it out of a one-bit area.
const REST: Duration = Duration::from_secs(2);
/// Where nothing stands out, the drive may be at work: until it is done.
const SETTLED: Duration = Duration::from_secs(40);
/// No other distance stands out by as much, as a share of the first multiple; but for noise, in deviations.
const MOST_OF_OTHERS: f64 = 0.4;
const NOISE: f64 = 3.5;
/// A pair that meets takes longer by this share at least.
const LEAST_WAIT: f64 = 0.15;
/// From this share on, it is a die: the second waits while the cells are read for the first, which is most of a read. One
/// that shares a channel waits for a transfer.
const WAIT_FOR_CELLS: f64 = 0.35;
/// Pages of one die that lie side by side: the planes that dies have.
const WIDTHS: [u64; 5] = [1, 2, 4, 6, 8];
/// What is left of a triangle's height after a round.
const LEFT_A_ROUND: [f64; 5] = [1.0, 0.7, 0.5, 0.3, 0.0];
/// The first multiple stands out by so many deviations of what lies between, and what confirms it by so many.
const STANDS_OUT: f64 = 4.0;
const CONFIRMS: f64 = 1.5;
/// The second multiple, where no pages beside the first can confirm it.
const CONFIRMS_ALONE: f64 = 3.0;
/// Of the pairs at a distance, the slowest that do not count: one in a thousand I/Os is late for reasons of its own.
const LEFT_OUT: usize = PAIRS as usize / 10;
/// Evidence against no period, and against the next best one.
const CERTAIN: f64 = 10.0;
const CERTAIN_OF_TWO: f64 = 6.0;

fn ask(probe: &mut Probe<'_>, _: &mut Known) -> Result<Found, Stopped> {
    let mut found = Found::default();
    let pages = probe.asked.area().len.get() / PAGE.get();
    if pages < 4 * DISTANCES {
        let why = || Err(Message::of("why-too-small-to-ask"));
        found.add(probe, "pages", "count", why());
        found.add(probe, "side-by-side", "count", why());
        return Ok(found);
    }
    probe.fill(probe.asked.area(), REST)?;
    let mut seen = read(probe, "reads", pages)?;
    if seen.1.is_none_or(|it| !it.is_of_dies) {
        probe.rest("settled", SETTLED)?;
        let settled = read(probe, "reads of a settled drive", pages)?;
        if settled.1.is_some() || seen.1.is_none() {
            seen = settled;
        }
    }
    let (waits, period) = seen;
    found.charts.extend(evidence(&waits, period));
    let [pages, width] = match period {
        None => ["why-no-stripe"; 2].map(|why| Err(Message::of(why))),
        Some(it) => it.said(),
    };
    let lost_by = period.map(|it| (it.lost_by, None));
    let lost_by = lost_by.ok_or_else(|| Message::of("why-no-stripe"));
    found.add(probe, "lost-by", "count", lost_by);
    found.add(probe, "pages", "count", pages);
    found.add(probe, "side-by-side", "count", width);
    Ok(found)
}

/// Reads pairs, and looks for a period.
fn read(probe: &mut Probe<'_>, name: &str, pages: u64) -> Result<(Waits, Option<Period>), Stopped> {
    let (script, distances) = pairs(probe, pages);
    let trail = probe.script(name, script)?;
    let waits = Waits::of(&trail, &distances);
    let period = Period::of(&waits);
    Ok((waits, period))
}

/// What was measured, and both explanations of it: that places meet again and again, and that they do not.
fn evidence(waits: &Waits, period: Option<Period>) -> Option<Chart> {
    let slower = &waits.means;
    let distances: Vec<f64> = (1..=slower.len()).map(|it| it as f64).collect();
    let measured = slower.iter().map(|it| Some(*it)).collect();
    let mut curves = vec![Curve::new("measured", distances.clone(), measured)];
    if let Some(period) = period {
        let line = Line::through(period.points(slower))?;
        let heights = period.points(slower);
        let fitted = heights.map(|(height, _, _)| Some(line.at_zero + line.slope * height));
        curves.push(Curve::new(
            "with-stripe",
            distances.clone(),
            fitted.collect(),
        ));
    }
    let middle = slower.iter().sum::<f64>() / slower.len() as f64;
    let without = vec![Some(middle); slower.len()];
    curves.push(Curve::new("without-stripe", distances, without));
    let design = designs::PAIRS_BY_DISTANCE;
    (!slower.is_empty()).then(|| Chart::new("explain-stripe", design, curves))
}

/// Pairs of reads, the distances in random order; and the distance of each pair.
fn pairs(probe: &mut Probe<'_>, pages: u64) -> (Script, Vec<u64>) {
    let mut distances: Vec<u64> = (1..=DISTANCES)
        .flat_map(|it| [it; PAIRS as usize])
        .collect();
    probe.shuffle(&mut distances);
    let mut script = Script::new("pairs", 2);
    let mut before = Vec::new();
    for distance in &distances {
        let first = probe.rng.below(pages - DISTANCES - 1);
        let read = |page: u64| Io::read(probe.asked.area().start + PAGE * page, probe.asked.access);
        let both = [first, first + distance].map(|page| script.io(read(page), APART, &before));
        before = both.to_vec();
    }
    (script, distances)
}

/// What the slower of a pair takes, for each distance from 1 on.
struct Waits {
    /// In the mean.
    means: Vec<f64>,
    /// For one pair in four, and longer. Where half of the pairs meet on a die, this is one that did.
    quarters: Vec<f64>,
}

impl Waits {
    fn of(trail: &[TrailIo], distances: &[u64]) -> Waits {
        let mut by_distance = vec![Vec::new(); DISTANCES as usize];
        for pair in trail
            .windows(2)
            .filter(|pair| pair[0].step % 2 == 0 && pair[1].step == pair[0].step + 1)
        {
            let distance = distances[(pair[0].step / 2) as usize];
            let slower = pair[0].took.max(pair[1].took).as_secs_f64() * 1e6;
            by_distance[distance as usize - 1].push(slower);
        }
        let usual = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times.truncate(times.len().saturating_sub(LEFT_OUT));
            Some((mean(&times)?.value, *times.get(times.len() * 3 / 4)?))
        };
        let (means, quarters) = by_distance.into_iter().filter_map(usual).unzip();
        Waits { means, quarters }
    }
}

/// A stripe.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Period {
    /// Pages until the same die comes again; those that explain the times nearly as well lie between two values.
    pages: u64,
    between: [u64; 2],
    /// Pages of a die that lie side by side, and whether another number would explain the times as well.
    width: u64,
    width_is_certain: bool,
    /// Whether what comes again is a die, and no channel.
    is_of_dies: bool,
    /// What is left of a triangle's height after a round.
    left: f64,
    /// What the next best explanation, or none, loses by.
    lost_by: f64,
}

impl Period {
    /// The period that explains the times best, if it stands out.
    fn of(waits: &Waits) -> Option<Period> {
        let slower = &waits.means;
        if slower.len() < DISTANCES as usize {
            return None;
        }
        let n = slower.len();
        let middle = slower.iter().sum::<f64>() / n as f64;
        let flat: f64 = slower.iter().map(|it| (it - middle) * (it - middle)).sum();
        let periods = 4..=(n as u64 - BEHIND);
        let shapes = || {
            WIDTHS
                .iter()
                .flat_map(|width| LEFT_A_ROUND.map(|left| (*width, left)))
        };
        let tried = periods.flat_map(|pages| {
            shapes().map(move |(width, left)| Period {
                pages,
                between: [pages; 2],
                width,
                width_is_certain: false,
                is_of_dies: false,
                left,
                lost_by: 0.0,
            })
        });
        let tried = tried.filter(|it| it.width * 3 <= it.pages);
        let mut fits: Vec<(f64, Period)> = tried
            .filter_map(|period| {
                let line = Line::through(period.points(slower))?;
                (line.slope > 0.0).then_some((line.squares, period))
            })
            .collect();
        fits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (squares, best) = *fits.first()?;
        // Where a page of parity shifts the rounds, they have no whole number of pages.
        let beside = |it: &&(f64, Period)| it.1.pages.abs_diff(best.pages) <= best.width;
        let as_well = fits.iter().filter(beside);
        let as_well =
            as_well.filter(|(other, _)| better_by(*other, squares, n, 0) < CERTAIN_OF_TWO);
        let between = as_well.fold([best.pages; 2], |[low, high], (_, it)| {
            [low.min(it.pages), high.max(it.pages)]
        });
        let (other, _) = fits.iter().find(|it| !beside(it))?;
        let (none, next) = (
            better_by(flat, squares, n, 3),
            better_by(*other, squares, n, 0),
        );
        let certain = none > CERTAIN && next > CERTAIN_OF_TWO;
        let of_width = fits.iter().find(|(_, it)| it.width != best.width);
        let width_is_certain =
            of_width.is_none_or(|(other, _)| better_by(*other, squares, n, 0) > CERTAIN_OF_TWO);
        let wait = best.wait(&waits.quarters);
        (certain && best.multiples_stand_out(slower) && wait > LEAST_WAIT).then_some(Period {
            width_is_certain,
            between,
            is_of_dies: wait > WAIT_FOR_CELLS,
            lost_by: none.min(next),
            ..best
        })
    }

    /// Its pages, and how many of them lie side by side.
    fn said(self) -> [Estimate; 2] {
        if !self.is_of_dies {
            let pages = [("pages", self.pages.into())];
            return [
                Err(Message::new("why-die-or-channel", pages)),
                Err(Message::of("why-no-width")),
            ];
        }
        let width = match self.width_is_certain {
            true => Ok((self.width as f64, None)),
            false => Err(Message::of("why-no-width")),
        };
        let between = self.between.map(|end| end as f64);
        [Ok((self.pages as f64, Some(between))), width]
    }

    /// How near a distance is to a multiple, from 0 to 1.
    fn nearness(self, distance: u64) -> f64 {
        let beyond = distance % self.pages;
        let off = beyond.min(self.pages - beyond);
        (1.0 - off as f64 / self.width as f64).max(0.0)
    }

    /// The height of the triangles at each distance, and the time there.
    fn points(self, slower: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> + Clone {
        let height = move |distance: u64| {
            let round = (distance + self.pages / 2) / self.pages;
            self.nearness(distance) * libm::pow(self.left, round.saturating_sub(1) as f64)
        };
        (1..)
            .zip(slower)
            .map(move |(distance, time)| (height(distance), *time, 1.0))
    }

    fn multiples_stand_out(self, slower: &[f64]) -> bool {
        let at = |distance: u64| slower[distance as usize - 1];
        let distances = 1..=slower.len() as u64;
        let between: Vec<f64> = distances
            .filter(|it| self.nearness(*it) <= 0.0)
            .map(at)
            .collect();
        let Some(usual) = stats::median(&between) else {
            return false;
        };
        let squares: f64 = between.iter().map(|it| (it - usual) * (it - usual)).sum();
        let scatter = libm::sqrt(squares / between.len() as f64);
        let out = |distance: u64| (at(distance) - usual) / scatter.max(f64::MIN_POSITIVE);
        let again = |least| 2 * self.pages <= slower.len() as u64 && out(2 * self.pages) > least;
        // The nearest pages of all lie on one die, and so do those on both sides of a multiple.
        let confirmed = match self.width {
            1 => again(CONFIRMS_ALONE),
            _ => {
                // Of two together, the deviation is smaller by the root of two.
                let beside = (out(self.pages - 1) + out(self.pages + 1)) / 2.0;
                beside > CONFIRMS / std::f64::consts::SQRT_2
                    && (again(CONFIRMS) || out(1) > CONFIRMS)
            }
        };
        // Where addresses are hashed, pages meet at many distances, none of which is the rule.
        let others = between.iter().copied().fold(0.0, f64::max);
        let off: Vec<f64> = between.iter().map(|it| (it - usual).abs()).collect();
        // Of a normal distribution the deviation is 1.48 times the median of what is off: a few peaks do not move it.
        let noise = 1.48 * stats::median(&off).unwrap_or(0.0);
        let only = others - usual < (MOST_OF_OTHERS * (at(self.pages) - usual)).max(NOISE * noise);
        only && out(self.pages) > STANDS_OUT && confirmed
    }

    /// By what share a pair that meets takes longer than others.
    fn wait(self, quarters: &[f64]) -> f64 {
        let distances = (1..).zip(quarters);
        let between: Vec<f64> = distances
            .filter(|(distance, _)| self.nearness(*distance) <= 0.0)
            .map(|(_, time)| *time)
            .collect();
        let usual = stats::median(&between).unwrap_or(f64::INFINITY);
        quarters[self.pages as usize - 1] / usual - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::Rng;

    /// Every pair takes the mean.
    fn of(times: &[f64]) -> Option<Period> {
        Period::of(&Waits {
            means: times.to_vec(),
            quarters: times.to_vec(),
        })
    }

    fn times(pages: u64, width: u64, left: f64, excess: f64) -> Vec<f64> {
        let mut rng = Rng::new(5);
        let period = Period {
            pages,
            between: [pages; 2],
            width,
            width_is_certain: true,
            is_of_dies: true,
            left,
            lost_by: 0.0,
        };
        let flat = vec![0.0; DISTANCES as usize];
        period
            .points(&flat)
            .map(|(near, ..)| 90.0 + excess * near + 2.0 * rng.unit())
            .collect()
    }

    #[test]
    fn the_period_and_the_planes_of_a_stripe_are_found() {
        let stripes = [
            (32, 2, 1.0),
            (64, 2, 0.5),
            (32, 4, 0.3),
            (48, 2, 0.7),
            (16, 1, 1.0),
            (128, 2, 0.5),
            (256, 4, 0.0),
            (48, 2, 0.0),
        ];
        for (pages, width, left) in stripes {
            let found = of(&times(pages, width, left, 40.0)).unwrap();
            assert_eq!((found.pages, found.width), (pages, width));
        }
    }

    #[test]
    fn flat_times_and_one_lucky_distance_have_no_period() {
        assert_eq!(of(&times(32, 2, 1.0, 0.0)), None);
        let mut lucky = times(32, 2, 1.0, 0.0);
        lucky[40] += 100.0;
        assert_eq!(of(&lucky), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn pages_that_wait_briefly_share_a_die_or_a_channel() {
        let of_dies = [20.0, 60.0].map(|wait| of(&times(5, 1, 0.5, wait)).unwrap().is_of_dies);
        assert_eq!(of_dies, [false, true]);
    }
}
