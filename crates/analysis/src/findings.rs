//! Findings: problems of a drive in the terms of the field, whichever method detected them.
//!
//! A figure says how much; a finding says *what*: the drive fails, it stutters, its cache ends here, it is shingled,
//! its slot limits it. Each considers everything known about one drive, since a drive that fails in the fill has failed
//! in the review, whichever table has the figure. A finding has its figures, its certainty, its meaning and advice; and
//! it affects what the drive is fit for ([`Found::standing`]).
//!
//! Adding one is a file in `findings/` and a line in `FINDINGS`; its words are `finding-ID` (its name), the sentence
//! that it states, `finding-ID-means` and `finding-ID-do` in the texts of the reports.

use results::{RunResult, Standing, Statement};

mod cache_drop;
mod compresses;
pub mod damage;
pub mod evidence;
mod failing;
mod flush_failed;
mod host_cache;
mod link_limited;
mod loses_writes;
mod misaligned;
mod missing_capacity;
mod shingled;
mod slow_old_data;
mod stutters;
mod throttles;
mod unhealthy;
mod wakes_slowly;
mod weak_area;
mod write_cache_off;
mod zoned;

pub use crate::effect::Behind;
pub use evidence::Evidence;

/// All findings, the gravest first.
pub const FINDINGS: &[&Finding] = &[
    &failing::FINDING,
    &missing_capacity::FINDING,
    &loses_writes::FINDING,
    &unhealthy::FINDING,
    &flush_failed::FINDING,
    &weak_area::FINDING,
    &stutters::FINDING,
    &shingled::FINDING,
    &slow_old_data::FINDING,
    &misaligned::FINDING,
    &throttles::FINDING,
    &cache_drop::FINDING,
    &write_cache_off::FINDING,
    &link_limited::FINDING,
    &host_cache::FINDING,
    &wakes_slowly::FINDING,
    &zoned::FINDING,
    &compresses::FINDING,
];

/// What a drive with such a finding is fit for: nothing.
const FOR_NOTHING: &[(&str, Standing)] = &[
    ("os-drive", Standing::Unfit),
    ("game-load", Standing::Unfit),
    ("video-editing", Standing::Unfit),
    ("nas", Standing::Unfit),
    ("continuous-recording", Standing::Unfit),
    ("continuous-play-out", Standing::Unfit),
];

/// Something that may be the matter with a drive.
#[derive(Debug)]
pub struct Finding {
    /// Its name in the texts and in documents: `cache-drop`.
    pub id: &'static str,
    /// How grave it is.
    pub severity: Severity,
    pub look: Look,
}

/// Looks for a finding in everything that is known about a drive.
pub type Look = for<'a> fn(&Evidence<'a>) -> Option<Found<'a>>;

impl Finding {
    const fn new(id: &'static str, severity: Severity, look: Look) -> Finding {
        Finding { id, severity, look }
    }

    /// This finding as observed, with its own advice and without an effect on uses.
    fn found<'a>(&'static self, says: Statement) -> Found<'a> {
        Found {
            of: self,
            sure: Sureness::Seen,
            standing: &[],
            says,
            means: None,
            does: None,
            figures: Vec::new(),
        }
    }
}

/// How grave a finding is, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Data are lost or about to be: nothing else matters before that.
    Failing,
    /// People will feel it.
    Weakness,
    /// It matters for some work, or under some conditions.
    Caution,
    /// How the drive is, or what stood around it: neither good nor bad.
    Trait,
}

impl Severity {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Failing => "failing",
            Severity::Weakness => "weakness",
            Severity::Caution => "caution",
            Severity::Trait => "trait",
        }
    }
}

impl Sureness {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Sureness::Seen => "seen",
            Sureness::Likely => "likely",
            Sureness::Possible => "possible",
        }
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sureness {
    /// It was observed, or the drive reports it.
    Seen,
    /// The figures have no other usual cause.
    Likely,
    /// The figures fit it, and other causes too.
    Possible,
}

/// A finding that a drive has.
#[derive(Debug)]
pub struct Found<'a> {
    pub of: &'static Finding,
    pub sure: Sureness,
    /// What is left of uses at best, by their ids.
    pub standing: &'static [(&'static str, Standing)],
    /// What was seen, in a sentence.
    pub says: Statement,
    /// What follows, if it depends on what was observed; else the text `finding-ID-means`.
    pub means: Option<Statement>,
    /// The advice, if it depends on what was observed; else the text `finding-ID-do`.
    pub does: Option<Statement>,
    /// The figures that it is based on.
    pub figures: Vec<Behind<'a>>,
}

/// What is the matter with the drive of these results, the gravest first.
pub fn findings<'a>(results: &[&'a RunResult]) -> Vec<Found<'a>> {
    let Some(evidence) = Evidence::of(results) else {
        return Vec::new();
    };
    let all = FINDINGS.iter().filter_map(|of| (of.look)(&evidence));
    let mut found: Vec<Found> = all.collect();
    found.sort_by_key(|found| found.of.severity);
    found
}
