//! Rounds of the same work until the drive is steady.
//!
//! A round is a list of I/Os, one phase each. One of them is followed; when its last five rounds
//! are steady ([`super::steady_state`]), or after as many rounds as are allowed, no more are made, and
//! the figures are means over the last five.

use base::chart::{Mark, designs};
use base::statistic::Statistic;
use base::{
    Argument, Bench, Better, Chart, Curve, Figure, Latencies, Message, Op, PhaseRecord, Stopped,
    Workload, splitmix64,
};

use super::steady_state::{WINDOW, Window};
use crate::figures::{Origin, conditions, valued};
use crate::run::Run;

/// One kind of I/O of a round: a stimulus, as the specification calls it.
pub(crate) struct Stimulus {
    /// The first part of its figures' keys.
    pub(crate) key: String,
    /// The name of its curve over the rounds, if it has one.
    pub(crate) curve: Option<String>,
    /// The work of each round; every round draws other positions.
    pub(crate) work: Workload,
}

/// What came of one phase.
#[derive(Clone)]
pub(crate) struct Measured {
    pub(crate) phase: String,
    /// I/Os a second.
    pub(crate) iops: f64,
    /// MB/s (10^6).
    pub(crate) rate: f64,
    /// Response times of reads and writes; empty once its round has left the window.
    pub(crate) latencies: Latencies,
}

impl Measured {
    /// The numbers of a phase.
    pub(crate) fn of(record: &PhaseRecord) -> Measured {
        let mut latencies = record.of(Op::Read).service;
        latencies.merge(&record.of(Op::Write).service);
        Measured {
            phase: record.name.clone(),
            iops: record.iops().unwrap_or(0.0),
            rate: record.rate().map_or(0.0, |rate| rate.mb_s()),
            latencies,
        }
    }

    /// Mean response time in us; zero where nothing was completed.
    pub(crate) fn mean_us(&self) -> f64 {
        self.latencies.mean().map_or(0.0, |d| d.as_micros_f64())
    }
}

/// Rounds to be made.
pub(crate) struct Rounds<'a> {
    /// Prefix of the keys of their figures; empty if they are the method's only ones.
    pub(crate) name: &'a str,
    /// What does not become steady, in a warning.
    pub(crate) of: &'a str,
    /// What a round consists of.
    pub(crate) stimuli: &'a [Stimulus],
    /// Which of them is followed.
    pub(crate) followed: usize,
    /// What of it is followed.
    pub(crate) follow: fn(&Measured) -> f64,
}

/// Rounds that were made.
pub(crate) struct Made {
    /// By round, by stimulus.
    pub(crate) rounds: Vec<Vec<Measured>>,
    /// Whether the drive became steady.
    pub(crate) steadiness: Steadiness,
}

impl Rounds<'_> {
    /// Makes them, as many as the setting [`super::ROUNDS`] allows. Into the output go the figures that
    /// `figures` makes of each stimulus, whether and when the drive was steady, and the rounds' chart.
    pub(crate) fn make(
        &self,
        run: &mut Run<'_>,
        figures: impl Fn(&Made, usize) -> Vec<Figure>,
    ) -> Result<Made, Stopped> {
        let made = self.until_steady(run.settings.count(super::ROUNDS.key), run.bench)?;
        for place in 0..self.stimuli.len() {
            run.output.figures.extend(figures(&made, place));
        }
        let key = |key: &str| match self.name {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        };
        let work = &self.stimuli[self.followed].work;
        let origin = made.origin(self.followed, work);
        let steadiness = &made.steadiness;
        let mut steady = steadiness.figures(&key(""), &origin);
        let used = work.jobs[0].span;
        super::withhold_of_part(&mut steady, used, &run.on);
        run.output.figures.extend(steady);
        run.output.warnings.extend(steadiness.warning(self.of));
        let drawn = self.stimuli.iter().enumerate();
        let curves: Vec<(String, Vec<(u64, f64)>)> = drawn
            .filter_map(|(place, stimulus)| {
                let values = made.values(place, self.follow);
                Some((stimulus.curve.clone()?, values))
            })
            .collect();
        run.output
            .charts
            .push(steadiness.chart(&key("rounds"), &curves));
        Ok(made)
    }

    fn until_steady(&self, most: u64, bench: &mut dyn Bench) -> Result<Made, Stopped> {
        let mut rounds: Vec<Vec<Measured>> = Vec::new();
        let mut followed: Vec<(u64, f64)> = Vec::new();
        for number in 1..=most {
            let mut round = Vec::new();
            for (place, stimulus) in self.stimuli.iter().enumerate() {
                let name = format!("round {number} {}", stimulus.key);
                let mut work = stimulus.work.clone();
                work.seed = splitmix64(work.seed ^ number << 16 ^ place as u64);
                round.push(Measured::of(bench.phase(&name, &work)?));
            }
            followed.push((number, (self.follow)(&round[self.followed])));
            rounds.push(round);
            if let Some(left) = rounds.len().checked_sub(WINDOW + 1) {
                forget(&mut rounds[left]);
            }
            if Steadiness::of(&followed).reached {
                break;
            }
        }
        Ok(Made {
            rounds,
            steadiness: Steadiness::of(&followed),
        })
    }
}

/// A round that no window has any more needs no distributions.
fn forget(round: &mut [Measured]) {
    for measured in round {
        measured.latencies = Latencies::default();
    }
}

impl Made {
    /// The last five rounds (or fewer, where fewer were made).
    fn window(&self) -> &[Vec<Measured>] {
        &self.rounds[self.rounds.len().saturating_sub(WINDOW)..]
    }

    /// The phases of one stimulus in the window.
    pub(crate) fn origin(&self, stimulus: usize, work: &Workload) -> Origin {
        let window = self.window().iter();
        Origin {
            by: conditions(work),
            phases: window.map(|round| round[stimulus].phase.clone()).collect(),
        }
    }

    /// A figure of one stimulus: the mean over the window. A round that completed nothing counts with
    /// its zero, but where none of them did anything there is no number.
    pub(crate) fn mean(&self, start: Figure, stimulus: usize, of: fn(&Measured) -> f64) -> Figure {
        let values = self.window().iter().map(|round| of(&round[stimulus]));
        let n = self.window().len();
        let mean = (n > 0).then(|| values.sum::<f64>() / n as f64);
        let mean = mean.filter(|_| self.worked(stimulus).count() > 0);
        valued(
            start,
            mean,
            self.steadiness.statistic(&"mean".into()),
            n as u64,
        )
    }

    /// Mean response time of one stimulus in us: the mean over the window's rounds that completed
    /// something.
    pub(crate) fn mean_response(&self, start: Figure, stimulus: usize) -> Figure {
        let n = self.worked(stimulus).count();
        let mean = self.worked(stimulus).map(Measured::mean_us).sum::<f64>() / n.max(1) as f64;
        let statistic = self.steadiness.statistic(&"mean".into());
        valued(start, Some(mean), statistic, n as u64)
    }

    /// What one stimulus did in those rounds of the window that completed something.
    fn worked(&self, stimulus: usize) -> impl Iterator<Item = &Measured> {
        let window = self.window().iter().map(move |round| &round[stimulus]);
        window.filter(|measured| measured.iops > 0.0)
    }

    /// Response times of one stimulus over the window.
    pub(crate) fn latencies(&self, stimulus: usize) -> Latencies {
        let mut all = Latencies::default();
        for round in self.window() {
            all.merge(&round[stimulus].latencies);
        }
        all
    }

    /// One stimulus' values, round by round.
    pub(crate) fn values(&self, stimulus: usize, of: fn(&Measured) -> f64) -> Vec<(u64, f64)> {
        let numbers = 1..;
        let values = self.rounds.iter().map(|round| of(&round[stimulus]));
        numbers.zip(values).collect()
    }
}

/// Whether, and in which rounds, a drive was steady.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Steadiness {
    /// First and last round of the window, counted from 1; `None` if there are fewer than five.
    pub(crate) rounds: Option<(u64, u64)>,
    /// What the window looks like.
    pub(crate) window: Option<Window>,
    /// Both conditions hold.
    pub(crate) reached: bool,
    /// The last round.
    pub(crate) last: u64,
    /// How often the extent had been written by then, where that is followed.
    pub(crate) extents: Option<f64>,
}

impl Steadiness {
    /// A tracked value: the numbers of its rounds and its value in each.
    pub(crate) fn of(followed: &[(u64, f64)]) -> Steadiness {
        let values: Vec<f64> = followed.iter().map(|(_, value)| *value).collect();
        let window = Window::last_of(&values);
        let last = followed.last().map_or(0, |(round, _)| *round);
        let first = followed.len().checked_sub(WINDOW).map(|i| followed[i].0);
        Steadiness {
            rounds: first.map(|first| (first, last)),
            window,
            reached: window.is_some_and(|window| window.is_steady()),
            last,
            extents: None,
        }
    }

    /// Why there is no steady state.
    fn why_not(&self) -> Message {
        let rounds = ("rounds", self.last.into());
        match self.extents {
            None => Message::new("why-not-steady", [rounds]),
            Some(written) => {
                let extents = ("extents", Argument::text(format_args!("{written:.1}")));
                Message::new("why-not-steady-written", [rounds, extents])
            }
        }
    }

    /// `mean of rounds 3 to 7`, `mean of rounds 21 to 25, not steady`.
    pub(crate) fn statistic(&self, of: &Statistic) -> Statistic {
        let of = ("statistic", of.message().clone().into());
        let said = match self.rounds {
            Some((first, last)) => {
                let key = match self.reached {
                    true => "made-of-rounds",
                    false => "made-of-rounds-unsteady",
                };
                Message::new(key, [of, ("first", first.into()), ("last", last.into())])
            }
            None => Message::new("made-of-all-rounds", [of]),
        };
        said.into()
    }

    /// In which round the drive was found steady, and excursion and slope of the window.
    pub(crate) fn figures(&self, prefix: &str, origin: &Origin) -> Vec<Figure> {
        let start = |key: &str, unit: &str| {
            let key = format!("{prefix}steady.{key}");
            origin.figure(&key, unit, Better::None)
        };
        let rounds = self.last;
        let found = self.reached.then_some(rounds as f64);
        let when = |key: &str, value: Option<f64>, what: Message| {
            let mut figure = valued(start(key, "count"), value, what, rounds);
            if value.is_none() {
                figure.why_not = Some(self.why_not());
            }
            figure
        };
        let round = when("round", found, Message::of("made-steady-round"));
        let extents = self.extents.map(|written| {
            let found = self.reached.then_some(written);
            when("extents", found, Message::of("made-steady-extents"))
        });
        let of_window = |key: &str, value: Option<f64>, what: Message| {
            let statistic = self.statistic(&what.into());
            let mut figure = valued(start(key, "%"), value, statistic, WINDOW as u64);
            if value.is_none() {
                let places = [("rounds", rounds.into()), ("window", WINDOW.into())];
                figure.why_not = Some(Message::new("why-few-rounds", places));
            }
            figure
        };
        let excursion = self.window.map(|window| window.excursion);
        let slope = self.window.map(|window| window.slope);
        let mut figures = vec![round];
        figures.extend(extents);
        figures.extend([
            of_window("excursion", excursion, Message::of("made-excursion")),
            of_window("slope", slope, Message::of("made-slope")),
        ]);
        figures
    }

    /// The warning for a drive that did not become steady.
    pub(crate) fn warning(&self, of: &str) -> Option<Message> {
        let (of, rounds) = (("of", of.into()), ("rounds", self.last.into()));
        let extents = self.extents.map(|written| {
            let written = Argument::text(format_args!("{written:.1}"));
            ("extents", written)
        });
        let window = self.window.map(|window| {
            let excursion = Argument::text(format_args!("{:.1}", window.excursion));
            let slope = Argument::text(format_args!("{:.1}", window.slope));
            let places = [("excursion", excursion), ("slope", slope)];
            ("window", Message::new("steady-window", places).into())
        });
        (!self.reached).then(|| match (extents, window) {
            (None, None) => Message::new("warning-not-steady", [of, rounds]),
            (None, Some(window)) => Message::new("warning-not-steady-window", [of, rounds, window]),
            (Some(extents), None) => {
                Message::new("warning-not-steady-written", [of, rounds, extents])
            }
            (Some(extents), Some(window)) => {
                let places = [of, rounds, extents, window];
                Message::new("warning-not-steady-written-window", places)
            }
        })
    }

    /// Values over rounds, each in per cent of its own mean over the window, which is marked.
    pub(crate) fn chart(&self, key: &str, curves: &[(String, Vec<(u64, f64)>)]) -> Chart {
        let drawn: Vec<Curve> = curves
            .iter()
            .map(|(name, values)| self.curve(name, values))
            .collect();
        let window = self.rounds.filter(|_| self.reached);
        let marks = window.map_or_else(Vec::new, |(first, last)| {
            let mark = |round: u64| Mark {
                curve: None,
                x: round as f64,
                y: 100.0,
                label: Message::new(
                    "mark-steady",
                    [("first", first.into()), ("last", last.into())],
                ),
            };
            vec![mark(first), mark(last)]
        });
        Chart {
            key: key.to_owned(),
            design: designs::ROUNDS,
            curves: drawn,
            marks,
        }
    }

    fn curve(&self, name: &str, values: &[(u64, f64)]) -> Curve {
        let first = self.rounds.map_or(1, |(first, _)| first);
        let in_window = || values.iter().filter(|(round, _)| *round >= first);
        let mean = in_window().map(|(_, v)| v).sum::<f64>() / in_window().count().max(1) as f64;
        let percent = |value: f64| (mean > 0.0).then(|| 100.0 * value / mean);
        let points = values
            .iter()
            .map(|(round, value)| (*round as f64, percent(*value)));
        Curve::through(name, points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(values: &[f64]) -> Vec<(u64, f64)> {
        (1..).zip(values.iter().copied()).collect()
    }

    #[test]
    fn the_window_is_named_by_its_rounds_and_drawn_around_a_hundred_per_cent() {
        let values = numbered(&[300.0, 200.0, 101.0, 99.0, 100.0, 100.0, 100.0]);
        let steadiness = Steadiness::of(&values);
        assert!(steadiness.reached);
        assert_eq!(steadiness.rounds, Some((3, 7)));
        let statistic = steadiness.statistic(&"mean".into());
        assert_eq!(statistic.as_str(), "mean of rounds 3 to 7");
        assert_eq!(steadiness.warning("IOPS"), None);
        let chart = steadiness.chart("rounds", &[("writes".to_owned(), values)]);
        let drawn: Vec<f64> = chart.curves[0].y.iter().flatten().copied().collect();
        assert!((drawn[0] - 300.0).abs() < 1e-9 && (drawn[2] - 101.0).abs() < 1e-9);
        assert_eq!(chart.marks.len(), 2);
    }

    #[test]
    fn rounds_that_never_become_steady_are_marked_and_warned_of() {
        let steadiness = Steadiness::of(&numbered(&[100.0, 50.0, 100.0, 50.0, 100.0, 50.0]));
        assert!(!steadiness.reached);
        let figures = steadiness.figures("", &Origin::default());
        assert_eq!(figures[0].value, None);
        assert!(figures[0].why_not.as_ref().unwrap().contains("6 rounds"));
        assert!(figures[1].value.unwrap() > 60.0);
        assert!(
            figures[1]
                .statistic
                .as_str()
                .ends_with("rounds 2 to 6, not steady")
        );
        assert!(
            steadiness
                .warning("IOPS")
                .unwrap()
                .starts_with("IOPS: not steady")
        );
    }
}
