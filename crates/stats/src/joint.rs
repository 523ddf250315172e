//! Which of many figures differ between two sets of repeats: tested together, so that many chances are no finding.
//!
//! A comparison of forty figures at 5 % each finds two differences where there are none. Here the chance that **any**
//! is falsely found is 5 %, by Westfall and Young's step-down test ("Resampling-Based Multiple Testing", 1993,
//! algorithm 4.1; in the form of Ge, Dudoit and Speed, "Resampling-based multiple testing for microarray data
//! analysis", 2003, box 2). If nothing differs, the assignment of runs to the two sets is an arbitrary label, and any
//! other labelling was as likely. All figures of a run stay together while the labels are permuted, and the maximum of
//! all their statistics is recorded: the value that a comparison of that many correlated figures reaches by chance. The
//! rate, the IOPS and the mean response of one test are one number in three units; permuted together they count once,
//! where Holm's method (1979) would count three. And if six runs per side differ in every figure, that is one labelling
//! in 462, however many figures there are; with Holm's method forty figures would need twelve runs per side.
//!
//! The statistic is the rank sum (Wilcoxon, 1945), standardised with ties: it makes no assumption about the
//! distribution. Figures of one fact are a family, which is stepped down as one. Seeded, and the same on every machine.

use base::rng::Rng;

use super::bootstrap::RESAMPLES;

/// One figure of two sets of repeats.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// Its fact; figures of one fact have the same number.
    pub family: usize,
    /// Which two sets of runs it is of; figures of the same runs are dealt out together.
    pub runs: usize,
    /// Its values in the first set, one a run.
    pub first: &'a [f64],
    /// Its values in the second.
    pub second: &'a [f64],
}

/// A figure's standardised ranks.
struct Ranked {
    family: usize,
    deal: usize,
    scores: Vec<f64>,
}

impl Ranked {
    fn new(figure: &Figure, deal: usize) -> Ranked {
        let values: Vec<f64> = figure.first.iter().chain(figure.second).copied().collect();
        let all = values.len() as f64;
        let middle = (all + 1.0) / 2.0;
        let rank = |value: f64| {
            let below = values.iter().filter(|v| **v < value).count() as f64;
            let alike = values
                .iter()
                .filter(|v| v.total_cmp(&value).is_eq())
                .count() as f64;
            below + (alike + 1.0) / 2.0 - middle
        };
        let mut scores: Vec<f64> = values.iter().map(|value| rank(*value)).collect();
        let squares: f64 = scores.iter().map(|score| score * score).sum();
        let share = figure.first.len() as f64 * figure.second.len() as f64 / (all * (all - 1.0));
        let deviation = libm::sqrt(share * squares);
        // Where all values are alike, nothing speaks for a difference.
        let unit = if deviation > 0.0 {
            1.0 / deviation
        } else {
            0.0
        };
        scores.iter_mut().for_each(|score| *score *= unit);
        Ranked {
            family: figure.family,
            deal,
            scores,
        }
    }

    /// Distance of the runs labelled as the first's from the middle.
    fn statistic(&self, labelled: &[usize]) -> f64 {
        let sum: f64 = labelled.iter().map(|run| self.scores[*run]).sum();
        sum.abs()
    }
}

/// The chance that so great a difference would be among all these figures if nothing differed, a figure each; the
/// figures of at most 5 % differ, and the chance that any of them does so falsely is 5 %.
pub fn chances(figures: &[Figure], seed: u64) -> Vec<f64> {
    let mut deals: Vec<(usize, usize, usize)> = Vec::new();
    let ranked: Vec<Ranked> = figures
        .iter()
        .map(|figure| {
            let runs = (figure.runs, figure.first.len(), figure.second.len());
            let known = deals.iter().position(|deal| *deal == runs);
            let deal = known.unwrap_or(deals.len());
            if known.is_none() {
                deals.push(runs);
            }
            Ranked::new(figure, deal)
        })
        .collect();
    let as_it_was: Vec<Vec<usize>> = deals.iter().map(|d| (0..d.1).collect()).collect();
    let observed: Vec<f64> = ranked
        .iter()
        .map(|r| r.statistic(&as_it_was[r.deal]))
        .collect();
    let families = figures.iter().map(|f| f.family + 1).max().unwrap_or(0);
    let greatest = greatest_of(&ranked, &observed, families);
    let mut order: Vec<usize> = (0..families).collect();
    order.sort_by(|a, b| greatest[*b].total_cmp(&greatest[*a]));
    let mut place = vec![0; families];
    for (nth, family) in order.iter().enumerate() {
        place[*family] = nth;
    }
    let mut reached = vec![0_u32; ranked.len()];
    let mut rng = Rng::stream(seed, 3);
    for _ in 0..RESAMPLES {
        let labelled: Vec<Vec<usize>> = deals.iter().map(|d| dealt(&mut rng, d.1, d.2)).collect();
        let now: Vec<f64> = ranked
            .iter()
            .map(|r| r.statistic(&labelled[r.deal]))
            .collect();
        let mut beyond = greatest_of(&ranked, &now, families);
        // From the last family on: the greatest of it and of all that are stepped down to after it.
        let mut most = 0.0_f64;
        for family in order.iter().rev() {
            most = most.max(beyond[*family]);
            beyond[*family] = most;
        }
        for ((count, figure), was) in reached.iter_mut().zip(&ranked).zip(&observed) {
            *count += u32::from(beyond[figure.family] >= *was - 1e-9);
        }
    }
    let mut chances: Vec<f64> = reached
        .iter()
        .map(|count| f64::from(count + 1) / (RESAMPLES + 1) as f64)
        .collect();
    step_down(&mut chances, &ranked, &place);
    chances
}

/// The greatest statistic of each family.
fn greatest_of(ranked: &[Ranked], statistics: &[f64], families: usize) -> Vec<f64> {
    let mut greatest = vec![0.0_f64; families];
    for (figure, statistic) in ranked.iter().zip(statistics) {
        greatest[figure.family] = greatest[figure.family].max(*statistic);
    }
    greatest
}

/// `first` of all the runs, each as likely.
fn dealt(rng: &mut Rng, first: usize, second: usize) -> Vec<usize> {
    let mut runs: Vec<usize> = (0..first + second).collect();
    for at in 0..first {
        let left = (runs.len() - at) as u64;
        runs.swap(at, at + rng.below(left) as usize);
    }
    runs.truncate(first);
    runs
}

/// No family is surer than one before it.
fn step_down(chances: &mut [f64], ranked: &[Ranked], place: &[usize]) {
    let mut of_place = vec![1.0_f64; place.len()];
    for (figure, chance) in ranked.iter().zip(chances.iter()) {
        let known = &mut of_place[place[figure.family]];
        *known = known.min(*chance);
    }
    for nth in 1..of_place.len() {
        of_place[nth] = of_place[nth].max(of_place[nth - 1]);
    }
    for (figure, chance) in ranked.iter().zip(chances.iter_mut()) {
        *chance = chance.max(of_place[place[figure.family]]);
    }
}

/// Holm's step-down ("A simple sequentially rejective multiple test procedure", 1979), for families whose figures have
/// no runs to be dealt out: each chance times the number of families that are not surer.
pub fn holm(chances: &[(usize, f64)]) -> Vec<f64> {
    let families = chances
        .iter()
        .map(|(family, _)| family + 1)
        .max()
        .unwrap_or(0);
    let mut least = vec![1.0_f64; families];
    for (family, chance) in chances {
        least[*family] = least[*family].min(*chance);
    }
    let mut order: Vec<usize> = (0..families).collect();
    order.sort_by(|a, b| least[*a].total_cmp(&least[*b]));
    let mut factor = vec![1.0; families];
    let mut floor = vec![0.0_f64; families];
    let mut surest = 0.0_f64;
    for (nth, family) in order.iter().enumerate() {
        factor[*family] = (families - nth) as f64;
        surest = surest.max((least[*family] * factor[*family]).min(1.0));
        floor[*family] = surest;
    }
    let adjusted = chances
        .iter()
        .map(|(family, chance)| (chance * factor[*family]).min(1.0).max(floor[*family]));
    adjusted.collect()
}

/// The chance that belongs to an interval of a difference (Altman and Bland, "How to obtain the P value from a
/// confidence interval", BMJ 343, 2011): the interval's length gives the standard error, as if it were normal. Only for
/// intervals of 95 %, or a little less.
pub fn chance_of(by: f64, length: f64) -> f64 {
    const DEVIATIONS: f64 = 2.0 * 1.959_963_985;
    if length > 0.0 {
        libm::erfc(by.abs() / (length / DEVIATIONS) / std::f64::consts::SQRT_2)
    } else if by.abs() > 0.0 {
        0.0
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of a drive whose cache is warm or not: three figures a fact hang together, eight facts hang together a
    /// little, and now and then a run is much slower.
    fn run(rng: &mut Rng) -> Vec<f64> {
        let of_run = rng.exponential() * 0.05;
        let mut values = Vec::new();
        for _ in 0..8 {
            let slow = if rng.unit() < 0.1 { 0.5 } else { 1.0 };
            let rate = 500.0 * slow / (1.0 + of_run + 0.1 * rng.exponential());
            values.extend([rate, rate / 4.096e-3, 1e6 / rate + rng.unit()]);
        }
        values
    }

    /// How many of the eight facts are reported as different between two sets of runs; `factor` makes the second's last
    /// slower.
    fn said(rng: &mut Rng, runs: usize, factor: f64) -> Vec<usize> {
        let mut sets = [0, 1].map(|_| (0..runs).map(|_| run(rng)).collect::<Vec<_>>());
        sets[1].iter_mut().for_each(|run| run[21] *= factor);
        let column = |set: &Vec<Vec<f64>>, k: usize| set.iter().map(|run| run[k]).collect();
        let columns: Vec<[Vec<f64>; 2]> = (0..24)
            .map(|k| [column(&sets[0], k), column(&sets[1], k)])
            .collect();
        let figures: Vec<Figure> = columns
            .iter()
            .enumerate()
            .map(|(k, [first, second])| Figure {
                family: k / 3,
                runs: 0,
                first,
                second,
            })
            .collect();
        let found = chances(&figures, rng.below(1 << 40));
        let differ = found
            .iter()
            .enumerate()
            .filter(|(_, chance)| **chance <= 0.05);
        differ.map(|(k, _)| k / 3).collect()
    }

    #[test]
    fn of_a_thousand_comparisons_of_one_source_with_itself_one_in_twenty_finds_anything() {
        let mut rng = Rng::new(17);
        for runs in [5, 6, 12] {
            let false_ones = (0..1_000).filter(|_| !said(&mut rng, runs, 1.0).is_empty());
            // 5 % of 1,000 are 50; their scatter is 6.9, of which this is twice.
            let count = false_ones.count();
            assert!(count <= 64, "{count} of 1,000 with {runs} runs");
        }
    }

    #[test]
    fn a_fact_that_does_differ_is_found_among_those_that_do_not() {
        let mut rng = Rng::new(18);
        let found = (0..100).map(|_| said(&mut rng, 12, 0.6));
        let found = found.filter(|said| said.contains(&7)).count();
        assert!(found >= 75, "{found} of 100");
    }

    #[test]
    fn five_runs_a_side_that_lie_apart_are_enough_for_any_number_of_figures() {
        let (low, high) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
        let figures: Vec<Figure> = (0..100)
            .map(|family| Figure {
                family,
                runs: 0,
                first: &low,
                second: &high,
            })
            .collect();
        // Two labellings in 252.
        let found = chances(&figures, 1);
        assert!(
            found.iter().all(|chance| (0.004..0.014).contains(chance)),
            "{found:?}"
        );
        let alike = Figure {
            second: &low,
            ..figures[0]
        };
        assert_eq!(chances(&[alike], 1), [1.0]);
        assert!(chances(&[], 1).is_empty());
    }

    #[test]
    fn holms_method_takes_each_family_by_how_many_are_left() {
        let of = [(0, 0.01), (1, 0.04), (2, 0.03), (0, 0.02)];
        let near = |found: Vec<f64>, wanted: [f64; 4]| {
            let all = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(all, "{found:?}");
        };
        near(holm(&of), [0.03, 0.06, 0.06, 0.06]);
        assert!((chance_of(1.96, 2.0 * 1.96) - 0.05).abs() < 1e-4);
    }
}
