//! A batch that was screened: which drives are accepted, to be checked or rejected, why, and which one is
//! the outlier.
//!
//! The same table on the terminal and at the head of the plan's page. Below it is a map of the surface of each drive
//! that is not accepted on the terminal, and of every drive on the page.

use maud::{Markup, html};
use results::screening::{Acceptance, Deviation, Evidence, Measured, Reason, Screened, Screening};

use crate::html::{HtmlOptions, Part, shell};
use crate::lang::{Lang, Texts};
use crate::surface;
use crate::text_table::indented;

fn verdict(batch: &Screening, texts: &Texts) -> String {
    let count = |verdict| batch.count(verdict).to_string();
    texts.with(
        "screen-verdict",
        &[
            ("accepted", &count(Acceptance::Accept)),
            ("look", &count(Acceptance::Look)),
            ("rejected", &count(Acceptance::Reject)),
            ("drives", &batch.drives.len().to_string()),
        ],
    )
}

/// The outlier, and what was compared with what.
fn odd(batch: &Screening, texts: &Texts) -> String {
    let odd = outlier(batch, texts);
    match batch.models {
        0 | 1 => odd,
        models => {
            let all = [("models", &*models.to_string()), ("odd", &*odd)];
            texts.with("screen-models", &all)
        }
    }
}

fn outlier(batch: &Screening, texts: &Texts) -> String {
    match (&batch.odd_one, batch.odd_beyond) {
        (Some(target), Some(limit)) => texts.with(
            "screen-odd-one",
            &[("target", target), ("limit", &format!("{limit:.1}"))],
        ),
        (_, Some(limit)) => texts.with("screen-odd-none", &[("limit", &format!("{limit:.1}"))]),
        _ => texts.say("screen-odd-few"),
    }
}

fn word(verdict: Acceptance, texts: &Texts) -> String {
    texts.say(match verdict {
        Acceptance::Accept => "screen-accept",
        Acceptance::Look => "screen-look",
        Acceptance::Reject => "screen-reject",
    })
}

/// Something with the method that found it before it.
fn of_method(method: &Measured, says: &str, texts: &Texts) -> String {
    let title = texts.title(method.titles.each_ref().map(String::as_str));
    match &method.phase {
        None => texts.with("screen-of-method", &[("method", title), ("says", says)]),
        Some(phase) => {
            let phase = texts.phase(phase);
            let all = [("method", title), ("phase", phase.as_str()), ("says", says)];
            texts.with("screen-of-phase", &all)
        }
    }
}

fn reason(reason: &Reason, texts: &Texts) -> String {
    let mut says = texts.state(&reason.says);
    if !reason.because.is_empty() {
        let because: Vec<String> = reason
            .because
            .iter()
            .map(|why| texts.message(why))
            .collect();
        let because = because.join(&texts.say("map-separator"));
        says = texts.with("screen-because", &[("says", &says), ("because", &because)]);
    }
    match &reason.method {
        Some(method) => of_method(method, &says, texts),
        None => says,
    }
}

fn deviation(deviation: &Deviation, texts: &Texts) -> String {
    let what = texts.figure(&deviation.key);
    let what = match deviation.kind {
        Evidence::Figure | Evidence::Curve => what,
        Evidence::Response => texts.with("screen-responses", &[("op", &what)]),
    };
    let z = deviation.z;
    of_method(&deviation.method, &format!("{what} {z:+.1}"), texts)
}

/// Reasons, and below them what stands off furthest.
fn lines_of(drive: &Screened, texts: &Texts) -> [Vec<String>; 2] {
    [
        reasons(drive, texts),
        drive
            .furthest
            .iter()
            .map(|one| deviation(one, texts))
            .collect(),
    ]
}

/// Why a drive is not accepted.
pub(crate) fn reasons(drive: &Screened, texts: &Texts) -> Vec<String> {
    drive.reasons.iter().map(|one| reason(one, texts)).collect()
}

/// A batch of more drives shows those that are not accepted alone: a thousand lines hide three.
const MOST_SHOWN: usize = 48;

/// Whether a drive of the batch is shown by itself.
fn is_shown(batch: &Screening, drive: &Screened) -> bool {
    batch.drives.len() <= MOST_SHOWN || drive.verdict != Acceptance::Accept
}

/// For a terminal, `columns` wide.
pub fn text(batch: &Screening, columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let mut out = format!("{}\n\n", verdict(batch, &texts));
    for drive in batch.drives.iter().filter(|drive| is_shown(batch, drive)) {
        let oddness = drive
            .oddness
            .map_or_else(|| "-".to_owned(), |z| format!("{z:.1}"));
        out.push_str(&format!(
            "{}  {} ({})  {} {oddness}\n",
            word(drive.verdict, &texts),
            drive.title,
            drive.target,
            texts.say("screen-oddness"),
        ));
        for line in lines_of(drive, &texts).concat() {
            out.push_str(&indented(8, &line, columns));
        }
        let shown = drive.verdict != Acceptance::Accept;
        for surface in drive.surfaces.iter().filter(|_| shown) {
            let map = surface::text(surface, columns.saturating_sub(8), &texts);
            map.lines()
                .for_each(|line| out.push_str(&format!("        {line}\n")));
        }
    }
    out.push_str(&format!("\n{}\n\n", odd(batch, &texts)));
    out
}

/// A part for the head of a page.
pub fn html(batch: &Screening, options: &HtmlOptions) -> Part {
    let texts = Texts::new(options.lang);
    let title = texts.say("screen-title");
    Part(section("screening", &title, batch, &texts))
}

/// A page of several batches, each under what its drives have in common.
pub fn html_of_batches(
    batches: &[(&str, &Screening)],
    title: &str,
    options: &HtmlOptions,
) -> String {
    let texts = Texts::new(options.lang);
    let main = html! {
        @for (at, (kind, batch)) in batches.iter().enumerate() {
            @let heading = match kind.is_empty() {
                true => texts.say("screen-not-measured"),
                false => (*kind).to_owned(),
            };
            (section(&format!("batch-{at}"), &heading, batch, &texts))
        }
    };
    shell::still_page(&texts, title, &[], &main)
}

fn section(id: &str, title: &str, batch: &Screening, texts: &Texts) -> Markup {
    let heads = [
        texts.say("screen-drive"),
        texts.say("screen-judged"),
        texts.say("screen-reasons"),
        texts.say("screen-oddness"),
        texts.say("screen-furthest"),
    ];
    let shown = || batch.drives.iter().filter(|drive| is_shown(batch, drive));
    let rows = html! { @for drive in shown() { (row(drive, texts)) } };
    let content = html! {
        p.standing { (verdict(batch, texts)) }
        @if shown().next().is_some() { (shell::table(&heads, &rows)) }
        p { (odd(batch, texts)) }
        p.explanation { (texts.say("screen-explained")) }
        @for drive in shown().filter(|drive| !drive.surfaces.is_empty()) {
            details open[drive.verdict != Acceptance::Accept] {
                summary { (drive.title) " " code { (drive.target) } ": " (word(drive.verdict, texts)) }
                @for one in &drive.surfaces { (surface::maps(one, texts)) }
            }
        }
    };
    shell::section(id, title, &content)
}

fn row(drive: &Screened, texts: &Texts) -> Markup {
    let [reasons, furthest] = lines_of(drive, texts);
    html! {
        tr {
            th scope="row" { (drive.title) " " code { (drive.target) } }
            td { (word(drive.verdict, texts)) }
            td { (lines(&reasons)) }
            td { @if let Some(z) = drive.oddness { (format!("{z:.1}")) } }
            td { (lines(&furthest)) }
        }
    }
}

/// One line below the other.
fn lines(lines: &[String]) -> Markup {
    html! {
        @for (at, line) in lines.iter().enumerate() {
            @if at > 0 { br; }
            (line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;
    use base::message::Message;
    use base::size::Bytes;
    use base::time::Duration;
    use base::workload::Span;
    use results::statement::{Quantity, Statement};
    use results::surface::{Mark, Region, Surface};

    fn measured(id: &str, titles: [&str; 2]) -> Measured {
        Measured {
            id: id.to_owned(),
            titles: titles.map(str::to_owned),
            phase: None,
        }
    }

    fn reasons(verdict: Acceptance) -> Vec<Reason> {
        let count = |key, n| {
            let quantities = [("count", n), ("most", 0)];
            Statement {
                key,
                quantities: quantities
                    .map(|(name, n)| (name, Quantity::Count(n)))
                    .into(),
            }
        };
        let method = Some(measured("full-scan", ["Full scan", "フルスキャン"]));
        let (method, says, because) = match verdict {
            Acceptance::Accept => return Vec::new(),
            Acceptance::Look => (
                None,
                Statement::new("acceptance-suspect"),
                vec!["it <aches>"],
            ),
            Acceptance::Reject => (method, count("acceptance-failed-reads", 2), Vec::new()),
        };
        vec![Reason {
            verdict,
            method,
            says,
            because: because.into_iter().map(Message::as_it_stands).collect(),
        }]
    }

    /// Twelve places of a gigabyte: the fifth is slow, the sixth failed, in the eighth one read took long, nobody was in
    /// the last.
    fn surface() -> Surface {
        let region = |at: u64| Region {
            span: Span::new(Bytes::new(at * 1_000_000_000), Bytes::new(1_000_000_000)),
            ios: 100,
            mean: (at < 11).then(|| Duration::from_micros(if at == 4 { 9_000 } else { 400 })),
            worst: (at < 11).then(|| Duration::from_millis(if at == 7 { 80 } else { 10 })),
            failed: u64::from(at == 5),
            mark: [Mark::Slow, Mark::Failed, Mark::Sound, Mark::Unvisited][[4, 5, at.min(10)]
                .iter()
                .position(|one| *one == at)
                .unwrap_or(3)],
        };
        Surface {
            op: Op::Read,
            visited: Bytes::new(3_000_000_000),
            regions: (0..12).map(region).collect(),
            weak: Vec::new(),
        }
    }

    fn batch() -> Screening {
        let drive = |number: usize, verdict: Acceptance| Screened {
            target: format!("/dev/sd{}", ["b", "c", "d"][number]),
            title: format!("Disk <{number}>"),
            verdict,
            reasons: reasons(verdict),
            oddness: Some(number as f64 * 12.0),
            furthest: vec![Deviation {
                method: measured("quick-scan", ["Quick scan", "クイックスキャン"]),
                kind: Evidence::Figure,
                key: "read.innermost.bottom".to_owned(),
                z: -24.0,
            }],
            surfaces: vec![surface()],
            ..Screened::default()
        };
        Screening {
            drives: vec![
                drive(0, Acceptance::Accept),
                drive(1, Acceptance::Look),
                drive(2, Acceptance::Reject),
            ],
            odd_beyond: Some(21.0),
            odd_one: Some("/dev/sdd".to_owned()),
            ..Screening::default()
        }
    }

    #[test]
    fn the_table_says_who_is_accepted_why_not_and_who_is_odd() {
        let text = text(&batch(), 80, Lang::En);
        for words in [
            "1 of 3 drives accepted; 1 to look at, 1 rejected",
            "accepted  Disk <0> (/dev/sdb)",
            "look at it  Disk <1> (/dev/sdc)",
            "        health: suspect: it <aches>",
            "rejected  Disk <2> (/dev/sdd)",
            "        Full scan: failed reads: 2 (at most 0)",
            "        Quick scan: read innermost bottom -24.0",
            "        ░░░░x!░░░░░·\n",
            "        ░░░░x!░▓░░░·\n",
            "of which 25 % was visited",
            "/dev/sdd is the outlier",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let japanese = super::text(&batch(), 80, Lang::Ja);
        for words in [
            "要確認  Disk <1>",
            "フルスキャン: 読み込み失敗 2 件 (許容 0 件)",
            "クイックスキャン: 読み込み 最内周",
        ] {
            assert!(japanese.contains(words), "{words}: {japanese}");
        }
        let mut few = batch();
        (few.odd_beyond, few.odd_one) = (None, None);
        assert!(
            super::text(&few, 80, Lang::En).contains("three drives"),
            "{few:?}"
        );
    }

    #[test]
    fn the_section_is_html_in_both_languages() {
        for lang in Lang::ALL {
            let options = HtmlOptions { lang, title: None };
            let section = html(&batch(), &options).0.into_string();
            assert!(section.contains("Disk &lt;2&gt;"), "{section}");
            assert_eq!(section.matches("<tr>").count(), 4);
            // Two maps of twelve squares for each drive.
            assert_eq!(section.matches("<rect").count(), 3 * 2 * 12);
            assert_eq!(section.matches("<details open").count(), 2);
            assert!(!section.contains("<aches>"), "{section}");
            assert!(
                !["\"screen-", ">screen-", "acceptance-", ">map-"]
                    .iter()
                    .any(|key| section.contains(key)),
                "every text is there: {section}"
            );
        }
    }
}
