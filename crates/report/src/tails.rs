//! What the tail of a modelled drive is worth, in words: a sign behind each figure, and a line for the drives.

use analysis::group::Subject;
use analysis::tails::{is_modelled_tail, standing};
use results::tails::{TailErrors, TailMark, Tails};

use crate::lang::Texts;

/// The sign behind a figure, in plain ASCII: `~` not compared, `~13%` and `~x1.5` off by so much.
pub(crate) fn sign(mark: TailMark) -> String {
    match mark {
        TailMark::NotCompared => "~".to_owned(),
        TailMark::OffPercent(percent) => format!("~{percent:.0}%"),
        TailMark::OffFactor(factor) => format!("~x{factor:.1}"),
    }
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
        said.push(texts.with("tails-not-compared", &[("drives", &others.join(", "))]));
    }
    (!said.is_empty()).then(|| texts.with("tails-of-models", &[("said", &said.join("; "))]))
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
    texts.with(how, &[("drive", title), ("ops", &ops.join(", "))])
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
        insta::assert_snapshot!(said(Lang::En), @"High percentiles, longest responses and standstills of modelled drives: Samsung 840 EVO 750GB compared with a real drive, off by 13 % at p99, 9 % at p99.9 and a factor of 1.5 in the longest (read); HGST Deskstar NAS 3TB not compared with any real drive.");
        insta::assert_snapshot!(said(Lang::Ja), @"モデルの高パーセンタイル、最長応答、停止時間: Samsung 840 EVO 750GB は実機と比較済み、誤差 読み込み p99 13 %、p99.9 9 %、最長 1.5 倍; HGST Deskstar NAS 3TB は実機との比較なし。");
        let real = Groups::new(&results[..1]);
        assert_eq!(line(&real.subjects, &Texts::new(Lang::En)), None);
    }
}
