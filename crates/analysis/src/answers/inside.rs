//! What is inside a drive, as the method `explain` found it: each finding with the part that it is about and how certain it
//! is.
//!
//! The method gives numbers, or says why it has none. A finding chooses the sentence that a number stands for (an SSD that
//! writes zeros twice as fast *compresses*) and says how certain that is: found, found between wide bounds, looked for and
//! not there, not visible, open, not asked. *Not visible* is weaker than *not there*: the effect may be hidden by a cache or
//! by the host.
//!
//! A new finding is a function that chooses its sentence, and a line in `FINDINGS`; the texts have its wording, what it
//! means for a user, what it rules out, and what would settle it.

use base::{Bytes, Duration};
use results::explanation::{Certainty, Part};
use results::{Quantity, RunEnd, RunResult, Statement};

use crate::answers::figures::{count, figure, time, why_not};

mod both;
mod disk;
mod flash;
#[cfg(test)]
mod tests;

/// An interval that is wider, as a share of its value, bounds more than it tells.
const WIDE: f64 = 0.6;
/// A lone read that takes longer comes from a disk.
const FLASH_BELOW: Duration = Duration::from_millis(1);

/// A finding that is known of.
struct Known {
    /// What the texts call it.
    id: &'static str,
    part: Part,
    /// What the keys of its figures begin with.
    figures: &'static str,
    /// The figure that it stands and falls with.
    main: &'static str,
    of: Kind,
    writes: Writes,
    says: fn(&RunResult) -> Option<Statement>,
    /// The sentence with the reason where its main figure has no value; none where `says` has it.
    without: Option<&'static str>,
}

impl Known {
    const fn without(self, without: &'static str) -> Known {
        let without = Some(without);
        Known { without, ..self }
    }

    fn said(&self, result: &RunResult) -> Option<Statement> {
        (self.says)(result).or_else(|| without(result, self.main, self.without?))
    }

    /// The part of such a drive: a disk has neither a map nor dies.
    fn part(&self, turns: bool) -> Part {
        match self.part {
            Part::Map if turns => Part::Discs,
            Part::Dies if turns => Part::Arm,
            part => part,
        }
    }
}

/// Which drives have it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Disk,
    /// Disks that put random writes somewhere else first.
    Elsewhere,
    Flash,
    Both,
}

/// What has to be written for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// A few gigabytes.
    Bounded,
    /// All of the drive.
    Whole,
}

const fn known(
    id: &'static str,
    part: Part,
    [figures, main]: [&'static str; 2],
    of: Kind,
    writes: Writes,
    says: fn(&RunResult) -> Option<Statement>,
) -> Known {
    Known {
        id,
        part,
        figures,
        main,
        of,
        writes,
        says,
        without: None,
    }
}

/// All findings, in the order in which they are told: what a user feels most comes first.
#[rustfmt::skip]
const FINDINGS: &[Known] = {
    use Kind::{Both, Disk, Elsewhere, Flash};
    use Part::{Arm, Controller, Dies, Discs, Link, Map, ReadCache, SlcCache, WriteCache};
    use Writes::{Bounded, Nothing, Whole};
    &[
        known("rotation", Discs, ["rotation.", "rotation.speed"], Disk, Nothing, disk::rotation)
            .without("answer-explain-rotation-not-visible"),
        known("seek", Arm, ["seek.", "seek.mean"], Disk, Nothing, disk::seek)
            .without("answer-explain-seek-not-visible"),
        known("transfer", Discs, ["transfer.", "transfer.outer"], Disk, Nothing, disk::transfer)
            .without("answer-explain-transfer-not-visible"),
        known("surfaces", Discs, ["transfer.surface", "transfer.surface-fast"], Disk, Nothing, disk::surfaces),
        known("map", Map, ["map.", "map.coverage"], Flash, Nothing, flash::map),
        known("read-ahead", Controller, ["ahead.", "ahead.in-order"], Both, Nothing, both::read_ahead),
        known("streams", ReadCache, ["segments.streams", "segments.streams"], Disk, Nothing, disk::streams)
            .without("answer-explain-streams-not-visible"),
        known("ahead-by", ReadCache, ["segments.ahead", "segments.ahead"], Disk, Nothing, disk::ahead_by)
            .without("answer-explain-ahead-by-not-visible"),
        known("queue", Controller, ["depth.", "depth.gain"], Both, Nothing, both::queue),
        known("again", ReadCache, ["again.", "again.read"], Both, Nothing, both::again),
        known("host-cache", Link, ["host-cache.", "host-cache.kept"], Both, Nothing, both::host_cache),
        known("members", Link, ["members.", "members.number"], Disk, Nothing, disk::members)
            .without("answer-explain-members-not-visible"),
        known("wake", Link, ["wake.", "wake.longer"], Both, Nothing, both::wake),
        known("sustained", Controller, ["sustained.", "sustained.after"], Both, Nothing, both::sustained),
        known("passing", Controller, ["passing.", "passing.ends"], Both, Nothing, both::passing),
        known("long-responses", Controller, ["long-responses.", "long-responses.every"], Both, Nothing, both::long_responses),
        known("floor", Link, ["floor.", "floor.at-most"], Both, Nothing, both::floor),
        known("capacity", Map, ["capacity.", "capacity.kept"], Both, Whole, both::capacity),
        known("elsewhere", Discs, ["elsewhere.", "elsewhere.write"], Disk, Bounded, disk::elsewhere)
            .without("answer-explain-writes-not-told"),
        known("media-cache", Discs, ["media-cache.", "media-cache.size"], Elsewhere, Whole, disk::media_cache)
            .without("answer-explain-media-cache-not-visible"),
        known("write-cache", WriteCache, ["write-cache.", "write-cache.first"], Disk, Bounded, disk::write_cache)
            .without("answer-explain-write-cache-not-visible"),
        known("unit", Map, ["unit.", "unit.misaligned"], Both, Bounded, flash::unit),
        known("compression", Controller, ["zeros.", "zeros.faster"], Flash, Bounded, flash::compression),
        known("beside", Dies, ["beside.", "beside.writes"], Both, Bounded, both::beside),
        known("stripe", Dies, ["stripe.", "stripe.pages"], Flash, Bounded, flash::stripe)
            .without("answer-explain-stripe-not-visible"),
        known("trim", Map, ["trim.", "trim.read"], Flash, Bounded, flash::trim)
            .without("answer-explain-trim-not-asked"),
        known("buffer", WriteCache, ["buffer.", "buffer.at-least"], Flash, Bounded, flash::buffer)
            .without("answer-explain-buffer-not-visible"),
        known("slc", SlcCache, ["slc.", "slc.size"], Flash, Whole, flash::slc)
            .without("answer-explain-slc-not-visible"),
        known("rest", SlcCache, ["rest.", "rest.onset"], Flash, Whole, flash::rest)
            .without("answer-explain-rest-not-visible"),
        known("full", SlcCache, ["nearly-full.", "nearly-full.size"], Flash, Whole, flash::full)
            .without("answer-explain-full-not-visible"),
        known("spare", Dies, ["spare.", "spare.at-full-rate"], Flash, Whole, flash::spare)
            .without("answer-explain-spare-not-visible"),
        known("reclaim", Dies, ["spare.row", "spare.row"], Flash, Whole, flash::reclaim)
            .without("answer-explain-reclaim-not-visible"),
    ]
};

/// A finding of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What the texts call it.
    pub id: &'static str,
    /// The part that it is about.
    pub part: Part,
    /// How certain it is.
    pub certainty: Certainty,
    /// What was found.
    pub said: Statement,
    /// What the keys of the figures behind it begin with.
    pub figures: &'static str,
}

impl Finding {
    /// The finding as a sentence that stands alone, with what it is about.
    pub fn sentence(&self) -> Statement {
        let of = Statement::new("answer-explain-finding").with("of", Quantity::Figure(self.of()));
        of.with("said", Quantity::Said(vec![self.said.clone()]))
    }

    fn of(&self) -> String {
        format!("explain-{}", self.id)
    }
}

/// What was found of the inside of a drive, in the order in which it is told; empty for results of other methods.
pub fn findings(result: &RunResult) -> Vec<Finding> {
    if result.method != "explain" {
        return Vec::new();
    }
    let turns = turns(result) == Some(true);
    let found = FINDINGS.iter().filter_map(|known| {
        let said = known.said(result)?;
        Some(Finding {
            id: known.id,
            part: known.part(turns),
            certainty: certainty(&said, is_wide(result, known.main)),
            said,
            figures: known.figures,
        })
    });
    found.collect()
}

/// The findings that cost whoever uses the drive most, three at most.
pub fn costs(found: &[Finding]) -> Vec<&Finding> {
    let of_key = |key: &&str| found.iter().find(|finding| finding.said.key == *key);
    COSTS.iter().filter_map(of_key).take(3).collect()
}

/// What could have been asked of such a drive and was not, with what would have to be written for it.
pub fn not_asked(result: &RunResult) -> Vec<(&'static str, Part, Writes)> {
    let turns = turns(result);
    let suits = |of: Kind| match of {
        Kind::Both => true,
        Kind::Disk => turns == Some(true),
        Kind::Elsewhere => turns == Some(true) && disk::writes_elsewhere(result),
        Kind::Flash => turns == Some(false),
    };
    let has = |begins: &str| {
        let mut keys = result.figures.iter().map(|figure| &figure.key);
        keys.any(|key| key.starts_with(begins))
    };
    let open = FINDINGS
        .iter()
        .filter(|known| suits(known.of) && !has(known.figures));
    // All of it was written: what follows from a one-bit cache has none to follow from.
    let open = open.filter(|known| known.part != Part::SlcCache || !has("slc."));
    // What only reads is always asked where it suits, if the run comes to it.
    let is_early = ended_early(result);
    let open = open.filter(|known| is_early || known.writes != Writes::Nothing);
    open.map(|known| (known.id, known.part(turns == Some(true)), known.writes))
        .collect()
}

/// Whether the run ended before all questions were asked.
pub fn ended_early(result: &RunResult) -> bool {
    matches!(result.ended, RunEnd::Early(_))
}

/// Whether it is a disk, by a lone read; nothing where none was read.
fn turns(result: &RunResult) -> Option<bool> {
    time(result, "lone.read").map(|lone| lone > FLASH_BELOW)
}

/// A size in GB (10^9).
fn gigabytes(gb: f64) -> Quantity {
    Quantity::Size(Bytes::new((gb.max(0.0) * 1e9) as u64))
}

/// A time in seconds.
fn seconds(seconds: f64) -> Quantity {
    Quantity::Time(Duration::from_secs_f64(seconds.max(0.0)))
}

/// The sentence that there is no figure, with the reason; nothing where it was not asked.
fn without(result: &RunResult, figure: &str, sentence: &'static str) -> Option<Statement> {
    let why = why_not(result, figure)?;
    Some(Statement::new(sentence).with("why", why))
}

/// What the next best explanation loses by: strong evidence at least, or there were no answer.
fn lost_by(result: &RunResult, key: &str) -> Quantity {
    const STRONG: u64 = 6;
    Quantity::Count(count(result, key).unwrap_or(STRONG).max(STRONG))
}

fn is_wide(result: &RunResult, main: &str) -> bool {
    let between = figure(result, main).and_then(|figure| Some((figure.value?, figure.interval?)));
    between.is_some_and(|(value, it)| it.high - it.low > WIDE * value.abs())
}

/// How certain a sentence is, by the sentence and by the reason that it gives.
fn certainty(said: &Statement, is_wide: bool) -> Certainty {
    match (said.key, said.quantity("why")) {
        (key, _) if ABSENT.contains(&key) => Certainty::Absent,
        (key, _) if OPEN.contains(&key) => Certainty::Open,
        (key, None) if HIDDEN.contains(&key) => Certainty::NotVisible,
        (key, _) if BOUNDED.contains(&key) => Certainty::Bounded,
        (_, Some(Quantity::Why(why))) => match why.key() {
            Some(why) if UNASKED.contains(&why) => Certainty::NotAsked,
            Some(why) if UNDECIDED.contains(&why) => Certainty::Open,
            _ => Certainty::NotVisible,
        },
        _ if is_wide => Certainty::Bounded,
        _ => Certainty::Found,
    }
}

/// Sentences that say that something is not there.
const ABSENT: &[&str] = &[
    "answer-explain-no-read-ahead",
    "answer-explain-queue-gains-nothing",
    "answer-explain-read-again-not-kept",
    "answer-explain-awake",
    "answer-explain-no-throttling",
    "answer-explain-no-passing",
    "answer-explain-no-long-response",
    "answer-explain-writes-in-place",
    "answer-explain-write-cache-off",
    "answer-explain-trim-ignored",
];
/// Sentences that leave it open.
const OPEN: &[&str] = &[
    "answer-explain-read-ahead-open",
    "answer-explain-read-again-open",
    "answer-explain-host-cache-small",
    "answer-explain-host-cache-open",
    "answer-explain-writes-open",
    "answer-explain-write-cache-open",
    "answer-explain-trim-open",
    "answer-explain-slc-or-heat",
    "answer-explain-full-open",
    "answer-explain-few-long-responses",
    "answer-explain-keeps-neighbours",
];
/// Sentences of effects that do not stand out.
const HIDDEN: &[&str] = &[
    "answer-explain-unit-not-visible",
    "answer-explain-compression-not-visible",
];
/// Sentences that bound something: a write cache is there, though not how large it is.
const BOUNDED: &[&str] = &[
    "answer-explain-floor",
    "answer-explain-floor-loose",
    "answer-explain-write-cache-on",
    "answer-explain-spare-at-least",
];
/// Reasons for which it could not be asked.
const UNASKED: &[&str] = &[
    "why-too-small-to-ask",
    "why-no-trim",
    "why-blocks",
    "why-nothing-completed",
    "why-not-emptied",
    "why-not-filled",
    "why-not-filled-whole",
    "why-no-trim-to-tell",
    "why-too-slow-to-overwrite",
    "why-few-passes",
    "why-few-looks",
    "why-no-data-kept",
    "why-not-a-whole-drive",
];
/// Reasons that leave several answers.
const UNDECIDED: &[&str] = &[
    "why-wake-open",
    "why-rest-open",
    "why-not-given-back",
    "why-uneven",
    "why-kept-at-random",
    "why-not-a-buffer",
    "why-rate-rises",
    "why-falls-late",
    "why-no-width",
    "why-die-or-channel",
    "why-covers-less",
    "why-few-seeks",
    "why-no-level",
    "why-not-back-after-trim",
    "why-rate-uneven",
    "why-not-back",
    "why-fell-once",
    "why-looks-uneven",
    "why-end-failed",
    "why-behind-a-cache",
    "why-looks-differ",
    "why-comb-of-a-cache",
];
/// What costs a user something, the gravest first.
const COSTS: &[&str] = &[
    "answer-explain-capacity-missing",
    "answer-explain-slow-place",
    "answer-explain-stutter",
    "answer-explain-media-cache",
    "answer-explain-writes-elsewhere",
    "answer-explain-write-cache-off",
    "answer-explain-slc",
    "answer-explain-slc-or-heat",
    "answer-explain-full-shrinks",
    "answer-explain-spare",
    "answer-explain-spare-counted",
    "answer-explain-spare-at-least",
    "answer-explain-throttles",
    "answer-explain-passing",
    "answer-explain-long-responses",
    "answer-explain-beside-waits",
    "answer-explain-map",
    "answer-explain-wakes",
    "answer-explain-wakes-drive",
    "answer-explain-wakes-host",
    "answer-explain-trim-ignored",
    "answer-explain-compresses",
    "answer-explain-unit",
    "answer-explain-host-cache",
    "answer-explain-host-cache-at-least",
    "answer-explain-read-again-kept",
    "answer-explain-rotation",
    "answer-explain-transfer",
    "answer-explain-streams",
    "answer-explain-beside-stops",
    "answer-explain-queue-gains-nothing",
    "answer-explain-queue",
];
