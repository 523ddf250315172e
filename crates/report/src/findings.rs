//! Findings in words: what is wrong with a drive, what it means, and what to do.

use analysis::findings::{Behind, Found, Severity, Sureness, findings};
use results::RunResult;
use results::uses::{DriveFinding, FindingFigure};

use crate::lang::{Lang, Texts};

/// A finding as it is told.
pub(crate) struct Said {
    /// Its name, for a chip or a heading.
    pub(crate) name: String,
    /// Whether data are at risk.
    pub(crate) failing: bool,
    /// What was seen, and how sure that is.
    pub(crate) says: String,
    /// What it means for whom.
    pub(crate) means: String,
    /// What to do.
    pub(crate) does: String,
}

impl Said {
    /// All of it in a line.
    pub(crate) fn sentence(&self, texts: &Texts) -> String {
        [&self.says, &self.means, &self.does]
            .map(String::as_str)
            .join(&texts.say("sentence-separator"))
    }
}

/// What is said of the drives of these results that fail, a line each; empty where none does.
pub fn failing(results: &[RunResult], lang: Lang) -> Vec<String> {
    let texts = Texts::of(lang, results);
    let groups = texts.groups(results);
    let of_drive = |subject: &analysis::group::Subject| {
        let found = of(&findings(&subject.results), &texts);
        let grave = found.into_iter().find(|finding| finding.failing)?;
        Some(format!("{}: {}", subject.title, grave.sentence(&texts)))
    };
    groups.subjects.iter().filter_map(of_drive).collect()
}

/// All findings of a drive, in words.
pub(crate) fn of(findings: &[Found], texts: &Texts) -> Vec<Said> {
    let said = |found: &Found| {
        let id = found.of.id;
        let seen = texts.state(&found.says);
        Said {
            name: texts.say(&format!("finding-{id}")),
            failing: found.of.severity == Severity::Failing,
            says: match found.sure {
                Sureness::Seen => seen,
                Sureness::Likely => texts.with("finding-likely", &[("what", &seen)]),
                Sureness::Possible => texts.with("finding-possible", &[("what", &seen)]),
            },
            means: match &found.means {
                Some(means) => texts.state(means),
                None => texts.say(&format!("finding-{id}-means")),
            },
            does: match &found.does {
                Some(does) => texts.state(does),
                None => texts.say(&format!("finding-{id}-do")),
            },
        }
    };
    findings.iter().map(said).collect()
}

/// All findings of a drive for a document, in English.
pub(crate) fn documented(results: &[&RunResult], texts: &Texts) -> Vec<DriveFinding> {
    let found = findings(results);
    let said = of(&found, texts);
    let document = |(found, said): (&Found, Said)| DriveFinding {
        id: found.of.id,
        severity: found.of.severity.name(),
        sure: found.sure.name(),
        says: texts.state(&found.says),
        means: said.means,
        does: said.does,
        figures: found.figures.iter().map(figure).collect(),
    };
    found.iter().zip(said).map(document).collect()
}

fn figure(behind: &Behind) -> FindingFigure {
    FindingFigure {
        result: behind.result.id,
        method: behind.result.method.clone(),
        key: behind.figure.key.clone(),
        value: behind.result.in_all_repeats(behind.figure),
        unit: behind.figure.unit.clone(),
    }
}

#[cfg(test)]
mod tests {
    use analysis::findings::FINDINGS;

    use super::*;
    use crate::lang::Lang;

    #[test]
    fn every_finding_has_a_name_and_says_what_it_means_and_what_to_do_in_both_languages() {
        for lang in Lang::ALL {
            let texts = Texts::new(lang);
            for id in FINDINGS.iter().map(|finding| finding.id) {
                for key in [
                    format!("finding-{id}"),
                    format!("finding-{id}-means"),
                    format!("finding-{id}-do"),
                ] {
                    assert!(texts.find(&key, &[]).is_some(), "{key}");
                }
            }
        }
    }
}
