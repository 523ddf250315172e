//! The answer first: what a drive is good for, what is wrong with it, and what cannot be determined yet.
//!
//! A page of figures leaves its reader to find out whether the drive is good. Everything needed is in the verdicts by
//! use: each rule has a figure, two bounds, and a rationale. So the answer sorts them: the figures furthest beyond
//! their bounds are the weaknesses, those furthest inside the strengths (ten times inside is as good as a hundred;
//! among those the uses' own order applies), each listed once even if several uses require it. Before all this come
//! problems of the drive ([`crate::findings`]): a failing drive is not weighed up. In addition there are four measures
//! that distinguish drives of one class, and the one command that would settle most of what could not be judged.

use base::health::HealthReading;
use base::{Better, Bytes, Figure, Op, Scale};
use results::{RunResult, Standing, TEST_FILE};

use crate::findings::{self, Severity, findings};
use crate::group::Subject;
use crate::key;
use crate::uses::{
    Bound, Check, Found, LARGE_READS, LASTING_WRITES, Lack, Rule, SMALL_READS, Source, Verdict,
    in_unit, part_of, verdicts_with,
};

/// Further inside a bound than this, a figure is no stronger point.
const MOST_MARGIN: f64 = 10.0;

/// Maximum number of strengths and weaknesses: more would be a table again.
const MOST_POINTS: usize = 3;

/// Whether a finding belies a point.
type Belies = fn(&Point) -> bool;

/// Points that do not count as strengths of a drive with such a finding: the rate of a shingled disk's cache is not its
/// write rate, and a drive that stutters is not praised for one calm hour.
const BELIED: &[(&str, Belies)] = &[
    ("shingled", |point| point.writes()),
    ("stutters", |point| point.is_a_response()),
];

/// Printed about a drive before anything else.
#[derive(Debug)]
pub struct Answer<'a> {
    /// What is the matter with it, the gravest first.
    pub findings: Vec<findings::Found<'a>>,
    /// Its last health report, if it was queried.
    pub health: Option<&'a HealthReading>,
    /// The verdicts, in the order of uses.
    pub verdicts: Vec<Verdict<'a>>,
    /// The best values of rules, best first.
    pub strengths: Vec<Point<'a>>,
    /// The worst values, worst first.
    pub weaknesses: Vec<Point<'a>>,
    /// Where something is not known: what would judge it.
    pub next: Option<Next<'a>>,
    /// What no result checked, and no figure above would show.
    pub unchecked: Vec<&'static Unchecked>,
}

/// A property that speed does not show, and that has its own method.
#[derive(Debug)]
pub struct Unchecked {
    /// Its name in the texts (`unchecked-…`).
    pub id: &'static str,
    /// The methods that check it.
    methods: &'static [&'static str],
    /// The command that checks it, before the target's name.
    pub command: &'static str,
    /// Whether it works with a test file.
    of_a_file: bool,
}

/// A drive with missing capacity, or one that acknowledges writes without storing them, may be as fast as any.
const UNCHECKED: &[Unchecked] = &[
    Unchecked {
        id: "capacity",
        methods: &["capacity"],
        command: "drivelab ask fake",
        of_a_file: false,
    },
    Unchecked {
        id: "flushes",
        methods: &["verify"],
        command: "drivelab run verify",
        of_a_file: true,
    },
    Unchecked {
        id: "waking",
        methods: &["idle-latency"],
        command: "drivelab run idle-latency",
        of_a_file: true,
    },
];

/// What none of these results of a drive checked.
fn unchecked(results: &[&RunResult]) -> Vec<&'static Unchecked> {
    let of_a_file = |result: &&RunResult| result.target.identity.contains_key(TEST_FILE);
    let is_a_file = results.first().is_some_and(of_a_file);
    let looked_at = |one: &&Unchecked| {
        let mut run = results.iter().map(|result| result.method.as_str());
        run.any(|method| one.methods.contains(&method))
    };
    let open = UNCHECKED.iter().filter(|one| !looked_at(one));
    open.filter(|one| one.of_a_file || !is_a_file).collect()
}

/// What would judge what could not be judged.
#[derive(Clone, Copy, Debug)]
pub enum Next<'a> {
    /// One method: the source whose figure is missing.
    Run(Lack<'a>),
    /// Several methods: a review at this scale.
    Review(Scale),
}

impl Answer<'_> {
    /// Whether the drive is failing: nothing else is printed about it then.
    pub fn fails(&self) -> bool {
        let mut found = self.findings.iter();
        found.any(|found| found.of.severity == Severity::Failing)
    }

    /// Whether no use could be judged at all, as after a single method that measures something else.
    pub fn judges_nothing(&self) -> bool {
        let mut verdicts = self.verdicts.iter();
        verdicts.all(|verdict| verdict.standing == Standing::CannotBeSaid)
    }
}

/// A figure that satisfies a rule's query.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    pub rule: &'static Rule,
    /// Its figure.
    pub figure: &'a Figure,
    /// The result that it is of.
    pub result: &'a RunResult,
    /// Its value in the rule's unit.
    pub value: f64,
    pub standing: Standing,
}

/// What a drive of these results is good for.
pub fn answer<'a>(results: &[&'a RunResult]) -> Answer<'a> {
    let findings = findings(results);
    let verdicts = verdicts_with(results, &findings);
    let points: Vec<Point> = checks(&verdicts).filter_map(point).collect();
    let weaknesses = chosen(&points, &[Standing::Unfit, Standing::Limited], 1.0);
    // One figure is not praised and blamed at once, though only the worst are told, and that nothing failed is no merit.
    let short = |point: &&Point| matches!(point.standing, Standing::Unfit | Standing::Limited);
    let is_a_merit = |point: &&Point| {
        let mut weak = points.iter().filter(short);
        let blamed = weak.any(|weak| weak.says_the_same(point));
        let mut belying = BELIED.iter().filter(|(id, _)| has(&findings, id));
        let belied = belying.any(|(_, belies)| belies(point));
        !blamed && !belied && !point.rule.bound.is_of_none()
    };
    let merits: Vec<Point> = points.iter().filter(is_a_merit).copied().collect();
    Answer {
        strengths: chosen(&merits, &[Standing::Fit], -1.0),
        weaknesses,
        health: health(results),
        next: next(&verdicts, results),
        unchecked: unchecked(results),
        verdicts,
        findings,
    }
}

fn has(findings: &[findings::Found], id: &str) -> bool {
    findings.iter().any(|found| found.of.id == id)
}

/// The points of these standings, by their margin times `sign`, each figure once.
fn chosen<'a>(points: &[Point<'a>], standings: &[Standing], sign: f64) -> Vec<Point<'a>> {
    let mut sorted: Vec<&Point> = points
        .iter()
        .filter(|point| standings.contains(&point.standing))
        .collect();
    sorted.sort_by(|a, b| (sign * a.margin()).total_cmp(&(sign * b.margin())));
    let mut chosen: Vec<Point> = Vec::new();
    for point in sorted {
        if chosen.iter().all(|known| !known.says_the_same(point)) {
            chosen.push(*point);
        }
    }
    chosen.truncate(MOST_POINTS);
    chosen
}

/// The drive's own word, the last that there is.
fn health<'a>(results: &[&'a RunResult]) -> Option<&'a HealthReading> {
    let last = results.iter().rev().copied();
    last.filter_map(|result| {
        let after = result.health_after.as_ref();
        after.or(result.health_before.as_ref())
    })
    .next()
}

fn checks<'a, 'v>(verdicts: &'v [Verdict<'a>]) -> impl Iterator<Item = &'v Check<'a>> {
    verdicts.iter().flat_map(|verdict| &verdict.checks)
}

fn point<'a>(check: &Check<'a>) -> Option<Point<'a>> {
    match &check.found {
        _ if check.provisional => None,
        Found::Value {
            result,
            figure,
            value,
            standing,
            ..
        } => Some(Point {
            rule: check.rule,
            figure,
            result,
            value: *value,
            standing: *standing,
        }),
        Found::Nothing(_) => None,
    }
}

impl Point<'_> {
    /// By how many times the value is better than the bound of a fit drive; 1 on it.
    ///
    /// A bound of zero (errors, stutters) has no multiples: a drive that meets it is just inside, one that does not is
    /// far outside.
    fn margin(&self) -> f64 {
        let times: f64 = match self.rule.bound {
            Bound::AtLeast(fit, _) if fit > 0.0 => self.value / fit,
            Bound::AtMost(fit, _) if fit > 0.0 && self.value > 0.0 => fit / self.value,
            Bound::AtMost(_, _) if self.value <= 0.0 => 1.0,
            _ => 0.0,
        };
        times.min(MOST_MARGIN)
    }

    /// Whether it is about writes.
    fn writes(&self) -> bool {
        let mut sources = self.rule.sources.iter();
        sources.any(|source| source.method == "slc-fill")
            || key::direction(&self.figure.key) == Some(Op::Write)
    }

    /// Whether it is of how long the drive lets wait.
    fn is_a_response(&self) -> bool {
        self.rule.unit == "ms"
    }

    fn says_the_same(&self, other: &Point) -> bool {
        std::ptr::eq(self.figure, other.figure)
    }
}

/// So many methods have been run where a review of the usual scale was: fewer are single runs, or a quick one.
const OF_A_REVIEW: usize = 5;

/// What would judge the uses that are open, or those that were judged from a part of the drive where none is: a method,
/// where one is missing, else a review. What is missing of a use that is decided without it would change nothing.
fn next<'a>(verdicts: &[Verdict<'a>], results: &[&RunResult]) -> Option<Next<'a>> {
    let of = |is_meant: fn(&Verdict) -> bool, lacks: fn(&Check<'a>) -> Option<Lack<'a>>| {
        let mut open: Vec<Lack> = Vec::new();
        let meant = verdicts.iter().filter(|verdict| is_meant(verdict));
        for lack in meant.flat_map(|of| &of.checks).filter_map(lacks) {
            let is_known = |known: &Lack| known.source.method == lack.source.method;
            if !open.iter().any(is_known) {
                open.push(lack);
            }
        }
        open
    };
    let is_open = |of: &Verdict| of.standing == Standing::CannotBeSaid;
    let mut open = of(is_open, |check| check.to_run().copied());
    if open.is_empty() {
        open = of(|verdict| verdict.so_far(), Check::to_measure_whole);
    }
    match open[..] {
        [] => None,
        [one] => Some(Next::Run(one)),
        _ => {
            let mut methods: Vec<&str> = results.iter().map(|r| r.method.as_str()).collect();
            methods.sort_unstable();
            methods.dedup();
            let is_whole = methods.len() >= OF_A_REVIEW;
            Some(Next::Review(if is_whole {
                Scale::Full
            } else {
                Scale::Default
            }))
        }
    }
}

/// One of the measures that tell drives of a class apart at a glance.
#[derive(Debug)]
pub struct Measure {
    /// Its name in the texts (`measure-…`).
    pub id: &'static str,
    /// The figures for it, the most common first.
    pub sources: &'static [Source],
    /// The unit that it is shown in.
    pub unit: &'static str,
    pub better: Better,
}

/// Large files, one small read, writes after the cache, and the slowest of a thousand responses or of a hundred.
pub const MEASURES: &[Measure] = &[
    Measure {
        id: "sequential",
        sources: LARGE_READS,
        unit: "MB/s",
        better: Better::Higher,
    },
    Measure {
        id: "single",
        sources: SMALL_READS,
        unit: "MB/s",
        better: Better::Higher,
    },
    Measure {
        id: "after-cache",
        sources: LASTING_WRITES,
        unit: "MB/s",
        better: Better::Higher,
    },
    Measure {
        id: "tail",
        sources: &[Source::of("latency-watch", "loaded.p99.9")],
        unit: "ms",
        better: Better::Lower,
    },
    Measure {
        id: "tail-p99",
        sources: &[Source::of("latency-watch", "loaded.p99")],
        unit: "ms",
        better: Better::Lower,
    },
];

/// The measures that any of these drives has. Of the two tails it is one, the same of all: the slowest of a thousand
/// reads, or of a hundred where a disk gave fewer than a thousand in the time that it was watched.
pub fn measures(drives: &[Subject]) -> Vec<&'static Measure> {
    let count = |measure: &Measure| {
        let has = |drive: &&Subject| measure.of(&drive.results).is_some();
        drives.iter().filter(has).count()
    };
    let [others @ .., thousand, hundred] = MEASURES else {
        return Vec::new();
    };
    let tail = match count(thousand) < count(hundred) {
        true => hundred,
        false => thousand,
    };
    let measured = others.iter().chain([tail]);
    measured.filter(|measure| count(measure) > 0).collect()
}

/// What a drive has of a measure.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    /// Its figure.
    pub figure: &'a Figure,
    /// The result that it is of.
    pub result: &'a RunResult,
    /// Its value in the measure's unit.
    pub value: f64,
    /// The part that was measured, if the rule requires the whole drive.
    pub part: Option<Bytes>,
}

impl Measure {
    /// What a drive with these results has of it.
    pub fn of<'a>(&self, results: &[&'a RunResult]) -> Option<Measured<'a>> {
        self.sources.iter().find_map(|source| {
            let result = results.iter().find(|r| r.method == source.method)?;
            let figure = result.figures.iter().find(|f| f.key == source.key)?;
            let value = in_unit(figure.value?, &figure.unit, self.unit)?;
            Some(Measured {
                figure,
                result,
                value,
                part: part_of(source, result, figure).ok()?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    fn with(method: &str, figures: &[(&str, f64, &str)]) -> RunResult {
        let mut result = sample::review().swap_remove(0);
        result.target.identity.clear();
        result.method = method.to_owned();
        let figure = |(key, value, unit): &(&str, f64, &str)| {
            let mut figure = sample::figure(key, Some(*value), unit);
            figure.comparable_by.whole = true;
            figure.n = 5_000;
            figure
        };
        result.figures = figures.iter().map(figure).collect();
        result
    }

    #[test]
    fn the_furthest_beyond_its_bound_is_the_first_weakness_and_a_figure_is_said_once() {
        let results = [
            with("slc-fill", &[("whole.rate", 90.0, "MB/s")]),
            with(
                "latency-watch",
                &[
                    ("loaded.worst", 4_000.0, "ms"),
                    ("loaded.p99.9", 12.0, "ms"),
                ],
            ),
            with(
                "crystaldiskmark",
                &[("rnd4k-q1t1.read.median", 60.0, "MB/s")],
            ),
        ];
        let results: Vec<&RunResult> = results.iter().collect();
        let answer = answer(&results);
        let weak: Vec<&str> = answer
            .weaknesses
            .iter()
            .map(|p| p.figure.key.as_str())
            .collect();
        // Sustained writes are asked for by three uses, and said once.
        assert_eq!(weak, ["loaded.worst", "whole.rate"]);
        let strong: Vec<&str> = answer
            .strengths
            .iter()
            .map(|p| p.figure.key.as_str())
            .collect();
        assert_eq!(strong, ["rnd4k-q1t1.read.median", "loaded.p99.9"]);
    }

    #[test]
    fn what_one_use_blames_is_no_merit_for_another_though_it_is_not_among_the_worst() {
        let longest = [
            ("write.response.max", 190.0, "ms"),
            ("read.response.max", 2.0, "ms"),
        ];
        let slow = [
            ("rnd4k-q1t1.read.median", 1.0, "MB/s"),
            ("rnd4k-q1t1.write.median", 1.0, "MB/s"),
            ("seq1m-q8t1.read.median", 20.0, "MB/s"),
        ];
        let results = [with("quick-scan", &longest), with("crystaldiskmark", &slow)];
        let answer = answer(&results.iter().collect::<Vec<_>>());
        let has = |points: &[Point], key: &str| points.iter().any(|p| p.figure.key == key);
        assert!(!has(&answer.weaknesses, "write.response.max"));
        // An array takes it, and who records does not.
        assert!(!has(&answer.strengths, "write.response.max"));
        assert!(has(&answer.strengths, "read.response.max"));
    }

    #[test]
    fn a_shingled_disk_is_not_praised_for_what_its_cache_took() {
        let mut fill = with("slc-fill", &[("whole.rate", 400.0, "MB/s")]);
        let praised = |fill: &RunResult| {
            let answer = answer(&[fill]);
            answer
                .strengths
                .iter()
                .any(|p| p.figure.key == "whole.rate")
        };
        assert!(praised(&fill));
        let recording = (
            "recording".to_owned(),
            "shingled, managed by the drive".to_owned(),
        );
        fill.target.identity.extend([recording]);
        assert!(!praised(&fill));
    }

    #[test]
    fn a_drive_that_stutters_is_not_praised_for_a_calm_watch() {
        let watch = with(
            "latency-watch",
            &[
                ("loaded.worst", 4.0, "ms"),
                ("writing.stutters", 0.0, "/min"),
            ],
        );
        let praised = |watch: &RunResult| {
            let answer = answer(&[watch]);
            let mut strong = answer.strengths.iter().map(|p| p.figure.key.clone());
            (
                has(&answer.findings, "stutters"),
                strong.any(|key| key == "loaded.worst"),
            )
        };
        assert_eq!(praised(&watch), (false, true));
        let mut stands_still = watch.clone();
        let stall = |key: &str, value, unit: &str| {
            let mut figure = sample::figure(key, Some(value), unit);
            figure.comparable_by.whole = true;
            figure
        };
        stands_still.figures.extend([
            stall("writing.stalls", 30.0, "count"),
            stall("writing.longest-stall", 190.0, "ms"),
        ]);
        assert_eq!(praised(&stands_still), (true, false));
    }

    #[test]
    fn where_several_methods_are_missing_a_review_is_next() {
        let results = [with("latency-watch", &[("loaded.worst", 4.0, "ms")])];
        let results: Vec<&RunResult> = results.iter().collect();
        let next = answer(&results).next.unwrap();
        assert!(matches!(next, Next::Review(Scale::Default)), "{next:?}");
    }

    #[test]
    fn what_comes_next_decides_a_use_that_is_open() {
        let scan = |whole: bool| {
            let figures = [
                ("read.mean", 150.0, "MB/s"),
                ("read.innermost.bottom", 120.0, "MB/s"),
                ("read.response.max", 20.0, "ms"),
                ("read.errors", 0.0, "count"),
            ];
            let mut scan = with("full-scan", &figures);
            let target = &mut scan.target;
            target.info.as_mut().unwrap().capacity = Bytes::gib(400);
            for figure in &mut scan.figures {
                figure.comparable_by.whole = whole;
                figure.comparable_by.span = base::message::Message::as_it_stands("2 GiB from 0 B");
            }
            scan
        };
        // Reading is judged, and other uses are decided against the drive, so that nothing that they lack matters.
        let slow = with("slc-fill", &[("whole.rate", 20.0, "MB/s")]);
        let cdm = with(
            "crystaldiskmark",
            &[
                ("rnd4k-q1t1.read.median", 0.6, "MB/s"),
                ("seq1m-q8t1.read.median", 150.0, "MB/s"),
            ],
        );
        let next = |scan: &RunResult| {
            answer(&[scan, &slow, &cdm]).next.map(|next| match next {
                Next::Run(lack) => lack.source.method,
                Next::Review(_) => "review",
            })
        };
        assert_eq!(next(&scan(true)), None);
        assert_eq!(next(&scan(false)), Some("full-scan"));
    }

    #[test]
    fn what_is_left_after_a_cache_is_not_told_from_a_small_part() {
        let mut fill = with("slc-fill", &[("whole.rate", 1_800.0, "MB/s")]);
        fill.figures[0].comparable_by.span =
            base::message::Message::as_it_stands("64 MiB from 0 B");
        fill.figures[0].comparable_by.whole = false;
        assert!(MEASURES[2].of(&[&fill]).is_none());
    }

    #[test]
    fn drives_side_by_side_have_the_tail_that_all_of_them_have() {
        let drive = |p99: f64, thousand: &[(&str, f64, &str)], name: &str| {
            let mut figures = vec![("loaded.p99", p99, "ms")];
            figures.extend_from_slice(thousand);
            let mut result = with("latency-watch", &figures);
            result.target.title = base::message::Message::as_it_stands(name);
            result
        };
        let ssd = drive(0.4, &[("loaded.p99.9", 0.6, "ms")], "an SSD");
        let disk = drive(73.0, &[], "a disk");
        let ids = |results: &[RunResult]| -> Vec<&str> {
            let groups = crate::group::Groups::new(results);
            measures(&groups.subjects)
                .iter()
                .map(|measure| measure.id)
                .collect()
        };
        assert_eq!(ids(std::slice::from_ref(&ssd)), ["tail"]);
        assert_eq!(ids(std::slice::from_ref(&disk)), ["tail-p99"]);
        assert_eq!(ids(&[ssd, disk]), ["tail-p99"]);
        assert!(ids(&[]).is_empty());
    }

    #[test]
    fn a_measure_is_taken_from_the_first_source_that_there_is() {
        let classic = with(
            "crystaldiskmark-classic",
            &[("seq.read.median", 100.0, "MiB/s")],
        );
        let measured = MEASURES[0].of(&[&classic]).unwrap();
        assert_eq!(measured.figure.key, "seq.read.median");
        assert!((measured.value - 104.857_6).abs() < 1e-9);
        assert!(MEASURES[3].of(&[&classic]).is_none());
    }
}
