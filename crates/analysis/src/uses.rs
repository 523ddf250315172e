//! Verdicts by use: what a drive is fit for, and the figures behind it.
//!
//! A use is a list of rules; a rule compares one figure with two bounds. Above the first (or below it, if less is
//! better) the figure is **fit**, between the two it is **limited**, beyond the second **unfit**. The verdict of a use
//! is that of its worst rule: there are no weights and no points, so that each verdict can be traced to a figure. If a
//! figure is missing, nothing is guessed: the verdict is **not determined**, unless another figure makes the drive
//! unfit anyway, and the method that would give the figure is named.
//!
//! A figure may come from several methods; a rule lists them, the strictest first, and uses the first available one. A
//! source may require that the whole drive was measured (a cache that was not filled says nothing about sustained
//! writes), or a minimum number of samples: the longest of a hundred responses is not a worst case.
//!
//! Most users have a file system on their drive, and cannot overwrite all of it. So a part that is large enough to be
//! meaningful is judged as well, and the verdict holds **so far**: for that part.
//!
//! A part is never the whole: if it is too small a share of the drive it does not count, the slowest position can only
//! be at the end, and each row states how much of the drive its figure covers. A mean measured at positions across a
//! disk includes the seeks between them; it decides only if it would decide the same without them.
//!
//! The tail of a modelled drive is taken at the upper end of its error, as found by comparison with a real drive. One
//! that was never compared is taken as it is, and the verdict says so: **by the model**, long responses unverified.
//!
//! What is the matter with a drive ([`crate::findings`]) bears on its uses: a disk that fails is fit for nothing, and a
//! shingled one for no rebuild, whatever rates it shows.
//!
//! What falls short and was measured on a busy computer or over a slow link is **provisional**
//! ([`crate::observer`]): it is not held against the drive.
//!
//! Bounds are those of the task, not of any drive: data rates of a stream, a network line, human patience. Each has its
//! rationale in both languages (`rule-…-why` in `assets/text`), which the page prints next to it, and which names both
//! bounds.
//!
//! Adding a use is a file in `uses/` and a line in `USES`.

use base::{Bytes, Figure, Message};
use results::{FILE_SYSTEM, RunResult, Standing, TailMark};

use crate::answers::figures::{setting, share_of_drive};
use crate::findings::{Found as Finding, findings};
use crate::observer::{Figures, is_worsened};

mod continuous_play_out;
mod continuous_recording;
mod game_load;
mod measured;
mod nas;
mod os_drive;
mod video_editing;

use measured::answer;
pub(crate) use measured::{in_unit, part_of};

/// All uses, in the order in which they are shown.
pub const USES: &[&Use] = &[
    &os_drive::USE,
    &game_load::USE,
    &video_editing::USE,
    &nas::USE,
    &continuous_recording::USE,
    &continuous_play_out::USE,
];

/// A drive's sustained write rate: the rate after the cache, if the speed dropped; else the rate of the whole drive, or
/// of the zones that were filled.
pub const LASTING_WRITES: &[Source] = &[
    Source::lasting("slc-fill", "after.rate"),
    Source::lasting("slc-fill", "whole.rate"),
    Source::lasting("full-scan", "write.mean"),
    Source::lasting("zones", "fill.rate"),
];

/// Large files, a few at a time.
pub const LARGE_READS: &[Source] = &[
    Source::of("crystaldiskmark", "seq1m-q8t1.read.median"),
    Source::of("datasheet", "seq128k-qd32.read"),
    Source::of("crystaldiskmark-classic", "seq.read.median"),
    Source::of("as-ssd", "seq.read"),
];

/// 4 KiB, one at a time.
pub const SMALL_READS: &[Source] = &[
    Source::of("crystaldiskmark", "rnd4k-q1t1.read.median"),
    Source::of("crystaldiskmark-classic", "4k.read.median"),
    Source::of("as-ssd", "4k.read"),
];

/// The minimum part that represents a drive if no more may be used: a file of this size is spread over many of its
/// blocks, and takes seconds to read and write.
const TELLING: Bytes = Bytes::gib(1);

/// The minimum share that represents a drive, in per cent: an end below that is one zone of a disk, or a few blocks of
/// flash. A file has no share, since its file system chooses its location.
const TELLING_SHARE: f64 = 0.5;

/// The minimum part for sustained writes: more than drives hold in DRAM, or a slow SLC cache holds at once. SLC caches
/// may be larger, which is why such a verdict holds so far.
const TELLING_OF_WRITES: Bytes = Bytes::gib(4);

/// The samples that a longest response or a high percentile needs: with 1,000 without a longer one, such a response is
/// rarer than 1 in 333 (95 % confidence, the rule of three).
pub const ENOUGH: u64 = 1_000;

/// What the identity of a target has where its zones are known.
const ZONES: &str = "zones";

/// The methods that write zones in order, and so write at all where the host has to mind them.
const IN_ZONES: [&str; 2] = ["full-scan", "zones"];

/// What a drive may be used for.
#[derive(Debug)]
pub struct Use {
    /// Its name in the texts (`use-…`) and in documents.
    pub id: &'static str,
    /// The requirement.
    pub rules: &'static [Rule],
}

/// What one figure must be.
#[derive(Debug)]
pub struct Rule {
    /// Its name in the texts (`rule-…`, `rule-…-why`) and in documents.
    pub id: &'static str,
    /// The figures for it, the strictest method first.
    pub sources: &'static [Source],
    /// The unit of the bounds.
    pub unit: &'static str,
    pub bound: Bound,
    /// What a figure means for a person.
    pub means: Means,
}

/// What a figure means for a person: the number in the text `rule-…-means`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Means {
    /// The figure itself.
    Itself,
    /// So many MB of work (10^6), done in seconds.
    Seconds(f64),
    /// Number of streams or lines of this many MB/s each.
    Times(f64),
}

impl Means {
    /// The number for a value in the rule's unit.
    pub fn of(self, value: f64) -> f64 {
        match self {
            Means::Itself => value,
            Means::Seconds(megabytes) => megabytes / value,
            Means::Times(each) => value / each,
        }
    }
}

/// Two bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// More is better: fit from the first on, limited from the second on.
    AtLeast(f64, f64),
    /// Less is better: fit up to the first, limited up to the second.
    AtMost(f64, f64),
}

/// A figure for a rule.
#[derive(Debug)]
pub struct Source {
    pub method: &'static str,
    /// The figure's key.
    pub key: &'static str,
    /// True where the whole drive must have been measured, for more than a verdict so far.
    pub whole: bool,
    /// The least part of it that is judged so far.
    pub part: Bytes,
    /// The least share of it, in per cent, that is judged so far.
    pub share: f64,
    /// True where the figure is of the end of the surface: a part without the end does not have it.
    pub at_the_end: bool,
    /// Its minimum number of samples.
    pub samples: u64,
}

impl Source {
    /// A figure as it comes.
    pub const fn of(method: &'static str, key: &'static str) -> Source {
        Source {
            method,
            key,
            whole: false,
            part: Bytes::ZERO,
            share: 0.0,
            at_the_end: false,
            samples: 0,
        }
    }

    /// A figure that counts where the whole drive was measured, and so far where a telling part of it was.
    pub const fn whole(method: &'static str, key: &'static str) -> Source {
        Source {
            whole: true,
            part: TELLING,
            share: TELLING_SHARE,
            ..Source::of(method, key)
        }
    }

    /// The same for a figure of the end of the surface.
    pub const fn at_the_end(method: &'static str, key: &'static str) -> Source {
        Source {
            at_the_end: true,
            ..Source::whole(method, key)
        }
    }

    /// The same for sustained writes.
    pub const fn lasting(method: &'static str, key: &'static str) -> Source {
        Source {
            part: TELLING_OF_WRITES,
            share: 0.0,
            ..Source::whole(method, key)
        }
    }

    /// A figure that counts only with `ENOUGH` samples.
    pub const fn sampled(method: &'static str, key: &'static str) -> Source {
        Source {
            samples: ENOUGH,
            ..Source::of(method, key)
        }
    }
}

/// A drive judged for a use.
#[derive(Debug)]
pub struct Verdict<'a> {
    /// The use that is judged.
    pub of: &'static Use,
    pub standing: Standing,
    /// Each rule with its outcome.
    pub checks: Vec<Check<'a>>,
    /// The findings that leave no more than this, by their ids.
    pub because: Vec<&'static str>,
}

impl Verdict<'_> {
    /// True if it depends on unverified long responses of a model, and would change if they are longer.
    pub fn unverified(&self) -> bool {
        let can_change = matches!(self.standing, Standing::Fit | Standing::Limited);
        can_change && self.checks.iter().any(Check::is_unverified)
    }

    /// True if it could not be determined since shortfalls are not held against the drive.
    pub fn is_provisional(&self) -> bool {
        let open = self.standing == Standing::CannotBeSaid;
        open && self.checks.iter().any(|check| check.provisional)
    }

    /// True if a part of the drive represents all of it, and all of it might give another verdict: unfit in a part is
    /// unfit.
    pub fn so_far(&self) -> bool {
        let can_change = matches!(self.standing, Standing::Fit | Standing::Limited);
        can_change && self.checks.iter().any(|check| check.part().is_some())
    }
}

/// A rule and its outcome.
#[derive(Debug)]
pub struct Check<'a> {
    pub rule: &'static Rule,
    pub found: Found<'a>,
    /// Whether it falls short and is of a kind that what stood around the run makes worse than the drive is
    /// ([`crate::observer`]): then it is not held against the drive.
    pub provisional: bool,
}

/// The source used for a rule.
#[derive(Debug)]
pub enum Found<'a> {
    /// A figure.
    Value {
        /// The result that it is of.
        result: &'a RunResult,
        figure: &'a Figure,
        /// Its value in the rule's unit.
        value: f64,
        /// What it is worth, where it is of a modelled drive's tail.
        tail: Option<TailMark>,
        standing: Standing,
        /// The part that was measured, if the whole drive is required.
        part: Option<Bytes>,
    },
    /// Nothing, and why, source by source.
    Nothing(Vec<Lack<'a>>),
}

/// Why a source does not count.
#[derive(Clone, Copy, Debug)]
pub struct Lack<'a> {
    /// Where the figure would come from.
    pub source: &'static Source,
    /// The method's result, if it has been run.
    pub result: Option<&'a RunResult>,
    /// What is missing or in the way.
    pub why: Why<'a>,
    /// Whether the method could give the figure for this drive: false if it ran and explained why there is no value, or
    /// if it does not apply because of the drive's zones, or lack of them.
    pub can_be_run: bool,
}

/// Why a source does not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why<'a> {
    /// The method has not been run on the drive.
    NotRun,
    /// It was run, and the result does not have the figure.
    NotMeasured,
    /// The figure has no value, for this reason.
    NoValue(Option<&'a Message>),
    /// A part of the drive was measured: this.
    NotWhole(&'a Message),
    /// The whole drive is required, and a test file was measured.
    TestFile,
    /// The number of samples.
    TooFew(u64),
    /// So little was measured at each position that the seek to it dominates.
    Seeks,
}

impl<'a> Check<'a> {
    fn new(rule: &'static Rule, found: Found<'a>) -> Check<'a> {
        let provisional = match &found {
            Found::Value {
                result,
                figure,
                standing,
                ..
            } => {
                let figures = Figures::of(figure, result);
                let is_worsened = figures.is_some_and(|figures| is_worsened(figures, result));
                *standing != Standing::Fit && is_worsened
            }
            Found::Nothing(_) => false,
        };
        Check {
            rule,
            found,
            provisional,
        }
    }

    /// What is missing of it that a run could give: the strictest of its sources that can.
    pub fn to_run(&self) -> Option<&Lack<'a>> {
        match &self.found {
            Found::Value { .. } => None,
            Found::Nothing(lacks) => {
                // A longer stay at each place is sooner done than all of the surface.
                let stay = lacks
                    .iter()
                    .find(|lack| lack.can_be_run && lack.why == Why::Seeks);
                stay.or_else(|| lacks.iter().find(|lack| lack.can_be_run))
            }
        }
    }

    /// Whether it depends on a long response of a model with unknown error.
    pub fn is_unverified(&self) -> bool {
        match self.found {
            Found::Value { value, tail, .. } => {
                let open = |mark: TailMark| !mark.at_worst(value).is_finite();
                tail.is_some_and(|mark| !mark.is_known_miss() && open(mark))
            }
            Found::Nothing(_) => false,
        }
    }

    /// The drive's verdict by this rule.
    pub fn standing(&self) -> Standing {
        match self.found {
            Found::Value { .. } if self.provisional => Standing::CannotBeSaid,
            Found::Value { standing, .. } => standing,
            Found::Nothing(_) => Standing::CannotBeSaid,
        }
    }

    /// The part that was measured, if the whole drive is required.
    pub fn part(&self) -> Option<Bytes> {
        match self.found {
            Found::Value { part, .. } => part,
            Found::Nothing(_) => None,
        }
    }

    /// That part in per cent of the drive; nothing where a test file was measured, which is no share of anything.
    pub fn share(&self) -> Option<f64> {
        let Found::Value { result, part, .. } = &self.found else {
            return None;
        };
        let is_file = result.target.identity.contains_key(FILE_SYSTEM);
        part.filter(|_| !is_file)
            .and_then(|part| share_of_drive(result, part))
    }

    /// What would measure all of the drive, where a part of it speaks for all: nothing for a test file.
    pub fn to_measure_whole(&self) -> Option<Lack<'a>> {
        let Found::Value { result, figure, .. } = self.found else {
            return None;
        };
        self.share()?;
        let mut sources = self.rule.sources.iter();
        let source = sources.find(|of| of.method == result.method && of.key == figure.key)?;
        Some(Lack {
            source,
            result: Some(result),
            why: Why::NotWhole(&figure.comparable_by.span),
            can_be_run: !result.target.is_imported(),
        })
    }
}

impl Bound {
    /// Whether a fit drive has none of it: errors, stutters.
    pub fn is_of_none(self) -> bool {
        matches!(self, Bound::AtMost(fit, _) if fit <= 0.0)
    }

    /// The one that a fit drive keeps, and the one that a drive with limits keeps.
    pub fn limits(self) -> [f64; 2] {
        let (Bound::AtLeast(fit, limited) | Bound::AtMost(fit, limited)) = self;
        [fit, limited]
    }

    /// The verdict of a value.
    pub fn standing(self, value: f64) -> Standing {
        let (fit, limited) = match self {
            Bound::AtLeast(fit, limited) => (value >= fit, value >= limited),
            Bound::AtMost(fit, limited) => (value <= fit, value <= limited),
        };
        match (fit, limited) {
            (true, _) => Standing::Fit,
            (false, true) => Standing::Limited,
            (false, false) => Standing::Unfit,
        }
    }
}

/// The verdicts on a drive with these results.
pub fn verdicts<'a>(results: &[&'a RunResult]) -> Vec<Verdict<'a>> {
    verdicts_with(results, &findings(results))
}

/// The same, given its findings.
pub fn verdicts_with<'a>(results: &[&'a RunResult], found: &[Finding]) -> Vec<Verdict<'a>> {
    let verdict = |of: &&'static Use| verdict(of, results, found);
    USES.iter().map(verdict).collect()
}

fn verdict<'a>(of: &'static Use, results: &[&'a RunResult], found: &[Finding]) -> Verdict<'a> {
    let checks: Vec<Check> = of.rules.iter().map(|rule| check(rule, results)).collect();
    let worst = checks.iter().map(Check::standing).max();
    let by_rules = worst.unwrap_or(Standing::CannotBeSaid);
    let leaves = |finding: &Finding| {
        let mut uses = finding.standing.iter();
        uses.find(|(id, _)| *id == of.id)
            .map(|(_, standing)| *standing)
    };
    let by_findings = found.iter().filter_map(leaves).max();
    let standing = by_findings.map_or(by_rules, |most| most.max(by_rules));
    let decides = |finding: &&Finding| leaves(finding) == Some(standing);
    Verdict {
        of,
        standing,
        checks,
        because: found
            .iter()
            .filter(decides)
            .map(|finding| finding.of.id)
            .collect(),
    }
}

fn check<'a>(rule: &'static Rule, results: &[&'a RunResult]) -> Check<'a> {
    let mut lacks = Vec::new();
    let mut of_a_part = None;
    for source in rule.sources {
        match answer(rule, source, results) {
            Ok(found @ Found::Value { part: None, .. }) => return Check::new(rule, found),
            // What was measured of all of the drive is better than a stricter method's part.
            Ok(found) => of_a_part = of_a_part.or(Some(found)),
            Err(why) => lacks.push(Lack {
                source,
                result: results.iter().copied().find(|r| r.method == source.method),
                why,
                can_be_run: could_tell(why, source, results) && may_run(source.method, results),
            }),
        }
    }
    // A drive without zones is not told of what only zones can say.
    lacks.retain(|lack| lack.source.method != "zones" || lack.can_be_run || lack.result.is_some());
    Check::new(rule, of_a_part.unwrap_or(Found::Nothing(lacks)))
}

/// Whether another run of a method could help: it did not explain why it cannot, and has not already used its full
/// time.
fn could_tell(why: Why, source: &Source, results: &[&RunResult]) -> bool {
    let mut of_method = results
        .iter()
        .filter(|result| result.method == source.method);
    let dwells = |result: &&RunResult| setting::<String>(result, "dwell");
    match why {
        Why::NoValue(_) => false,
        Why::Seeks => of_method.next().and_then(dwells).as_deref() != Some("3s"),
        _ => true,
    }
}

/// Whether a method that writes for a use's figures may run on the drive of these results; where another tool's file was
/// imported, the drive is not here.
fn may_run(method: &str, results: &[&RunResult]) -> bool {
    if results.iter().any(|result| result.target.is_imported()) {
        return false;
    }
    let mut zones = results.iter().filter_map(|r| r.target.identity.get(ZONES));
    match zones.next() {
        Some(zones) if zones.starts_with("host-managed") => IN_ZONES.contains(&method),
        Some(_) => true,
        None => method != "zones",
    }
}

#[cfg(test)]
mod tests;
