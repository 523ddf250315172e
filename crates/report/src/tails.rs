//! The validity of the tail of a modelled drive, in words: a sign behind each figure, and a line for the drives.

use analysis::group::Subject;
use analysis::tails::{is_modelled_tail, standing};
use results::tails::{TailErrors, TailMark, Tails};

use crate::lang::Texts;
use crate::number;

/// The sign behind a figure: `~` not compared, `~13%` and `~x1.5` off by so much; what was published, where the model is
/// known to miss it.
pub(crate) fn sign(mark: TailMark, texts: &Texts) -> String {
    match mark {
        TailMark::NotCompared => "~".to_owned(),
        TailMark::OffPercent(percent) => format!("~{percent:.0}%"),
        TailMark::OffFactor(factor) => format!("~x{factor:.1}"),
        TailMark::MissesPublished {
            published: Some(published),
            ..
        } => texts.with(
            "tail-published",
            &[("value", &number::value(published, ""))],
        ),
        TailMark::MissesPublished { factor, .. } => {
            texts.with("tail-missed", &[("factor", &format!("{factor:.1}"))])
        }
    }
}

/// What the signs of a table mean, a line for each kind that there is.
pub(crate) fn legend(marks: impl Iterator<Item = TailMark>, texts: &Texts) -> Vec<String> {
    let (missed, others): (Vec<TailMark>, Vec<TailMark>) =
        marks.partition(|mark| mark.is_known_miss());
    let kinds = [(others, "terminal-tails"), (missed, "terminal-misses")];
    let there = kinds.into_iter().filter(|(marks, _)| !marks.is_empty());
    there.map(|(_, key)| texts.say(key)).collect()
}

/// What the sign says.
pub(crate) fn sentence(mark: TailMark, texts: &Texts) -> String {
    match mark {
        TailMark::NotCompared => texts.say("tail-not-compared"),
        TailMark::OffPercent(percent) => {
            texts.with("tail-off-percent", &[("percent", &format!("{percent:.0}"))])
        }
        TailMark::OffFactor(factor) => {
            texts.with("tail-off-factor", &[("factor", &format!("{factor:.1}"))])
        }
        TailMark::MissesPublished { published, factor } => {
            let factor = format!("{factor:.1}");
            match published {
                Some(published) => texts.with(
                    "tail-misses-published",
                    &[
                        ("value", &number::value(published, "")),
                        ("factor", &factor),
                    ],
                ),
                None => texts.with("tail-misses", &[("factor", &factor)]),
            }
        }
    }
}

/// What is known of the tails of the modelled drives among these, in one line; nothing where no result has
/// a figure of such a tail.
pub(crate) fn line(subjects: &[Subject], texts: &Texts) -> Option<String> {
    let has_tails = |subject: &&Subject| {
        let figures = subject.results.iter().flat_map(|result| &result.figures);
        figures
            .into_iter()
            .any(|figure| is_modelled_tail(figure, subject.target))
    };
    let shown: Vec<&Subject> = subjects.iter().filter(has_tails).collect();
    let (mut said, mut others) = (Vec::new(), Vec::new());
    for subject in shown {
        match standing(subject.target) {
            Some(Tails::Compared { errors }) => said.push(of_drive(&subject.title, errors, texts)),
            _ => others.push(subject.title.as_str()),
        }
    }
    if !others.is_empty() {
        said.push(texts.with("tails-not-compared", &[("drives", &texts.list(&others))]));
    }
    (!said.is_empty()).then(|| texts.with("tails-of-models", &[("said", &texts.clauses(&said))]))
}

fn of_drive(title: &str, errors: &[TailErrors], texts: &Texts) -> String {
    let of_op = |of: &TailErrors| {
        texts.with(
            "tails-off",
            &[
                ("op", &texts.say(&format!("part-{}", of.op.name()))),
                ("p99", &format!("{:.0}", of.p99_percent)),
                ("p99-9", &format!("{:.0}", of.p99_9_percent)),
                ("longest", &format!("{:.1}", of.longest_factor)),
            ],
        )
    };
    let ops: Vec<String> = errors.iter().map(of_op).collect();
    let how = if errors.iter().any(|of| of.tuned) {
        "tails-tuned"
    } else {
        "tails-predicted"
    };
    texts.with(how, &[("drive", title), ("ops", &texts.list(&ops))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use analysis::group::Groups;
    use base::io::Op;
    use fixtures::results as sample;

    #[test]
    fn one_line_says_which_modelled_tails_were_compared_and_how_well() {
        let mut results = sample::review();
        results.retain(|r| r.method == "latency-watch");
        let errors = vec![TailErrors {
            op: Op::Read,
            tuned: false,
            rate_percent: 1.0,
            median_percent: 2.0,
            p99_percent: 13.4,
            p99_9_percent: 9.3,
            longest_factor: 1.5,
        }];
        results[1].target.tails = Some(Tails::Compared { errors });
        let groups = Groups::new(&results);
        let said = |lang| line(&groups.subjects, &Texts::new(lang)).unwrap();
        insta::assert_snapshot!(said(Lang::En), @"High percentiles, longest responses and standstills of modelled drives: Samsung 840 EVO 750GB compared with a real drive, off by 13 % at p99, 9 % at p99.9 and a factor of 1.5 at the longest (read); HGST Deskstar NAS 3TB not compared with any real drive.");
        insta::assert_snapshot!(said(Lang::Ja), @"モデルの高パーセンタイル、最長応答、停止時間: Samsung 840 EVO 750GB は実機と比較済み、誤差 読み込み p99 13 %、p99.9 9 %、最長 1.5 倍／HGST Deskstar NAS 3TB は実機と未比較。");
        let real = Groups::new(&results[..1]);
        assert_eq!(line(&real.subjects, &Texts::new(Lang::En)), None);
    }

    #[test]
    fn what_was_published_and_missed_stands_behind_the_figure_everywhere_and_has_no_rank() {
        let mut results = sample::review();
        results.retain(|r| r.method == "latency-watch");
        results[2].target.known_misses = vec![results::tails::KnownMiss {
            key: "alone.worst".to_owned(),
            published: Some(10.7),
            unit: "ms".to_owned(),
            factor: 7.84,
        }];
        let worst = results[2].figures.iter().find(|f| f.key == "alone.worst");
        let worst = worst.unwrap().value.unwrap();
        let factor = worst.max(10.7) / worst.min(10.7);
        for (lang, words) in [
            (Lang::En, "(published 10.70)"),
            (Lang::Ja, "(公表値 10.70)"),
        ] {
            let options = crate::terminal::TerminalOptions {
                lang,
                columns: 1_000,
                ..crate::terminal::TerminalOptions::default()
            };
            let html = crate::html(&results, &crate::HtmlOptions { lang, title: None });
            let pages = [
                crate::terminal::summary(&results, &options),
                crate::compare::text(&results, &options),
                crate::main_table::markdown(&results, lang),
                html,
            ];
            for page in &pages {
                assert!(page.contains(words), "{words}: {page}");
            }
            let line = pages[0].lines().find(|line| line.contains(words)).unwrap();
            assert!(!line.contains(&format!("{words} -")), "{line}");
            assert!(pages[3].contains(&format!("{factor:.1}")), "of this figure");
        }
        assert!(crate::csv::figures(&results).unwrap().contains(&format!(
            "published 10.7, missed by a factor of {factor:.2}"
        )));
        results[2].target.known_misses[0].published = None;
        let said = crate::terminal::summary(&results, &crate::terminal::TerminalOptions::default());
        assert!(said.contains("(known to be off x7.8)"), "{said}");
    }
}
