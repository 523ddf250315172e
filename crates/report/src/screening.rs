//! A batch that was screened: which drives accepted, why not, and which one is the outlier.
//!
//! The same table on the terminal and at the head of the plan's page. Reasons and names of measures come
//! from the lab as they are; only the words around them are translated.

use maud::{Markup, html};
use results::screening::{Screened, Screening};

use crate::html::{HtmlOptions, Part, shell};
use crate::lang::{Lang, Texts};
use crate::text_table::wrap;

fn verdict(batch: &Screening, texts: &Texts) -> String {
    let all = batch.drives.len();
    texts.with(
        "screen-verdict",
        &[
            ("accepted", &(all - batch.refused()).to_string()),
            ("drives", &all.to_string()),
        ],
    )
}

fn odd(batch: &Screening, texts: &Texts) -> String {
    match (&batch.odd_one, batch.odd_beyond) {
        (Some(target), Some(limit)) => texts.with(
            "screen-odd-one",
            &[("target", target), ("limit", &format!("{limit:.1}"))],
        ),
        (_, Some(limit)) => texts.with("screen-odd-none", &[("limit", &format!("{limit:.1}"))]),
        _ => texts.say("screen-odd-few"),
    }
}

fn word(drive: &Screened, texts: &Texts) -> String {
    if drive.accepted {
        texts.say("screen-accepted")
    } else {
        texts.say("screen-refused")
    }
}

/// For a terminal of so many columns.
pub fn text(batch: &Screening, columns: usize, lang: Lang) -> String {
    let texts = Texts::new(lang);
    let mut out = format!("{}\n\n", verdict(batch, &texts));
    for drive in &batch.drives {
        let oddness = drive
            .oddness
            .map_or_else(|| "-".to_owned(), |z| format!("{z:.1}"));
        out.push_str(&format!(
            "{}  {} ({})  {} {oddness}\n",
            word(drive, &texts),
            drive.title,
            drive.target,
            texts.say("screen-oddness"),
        ));
        for line in drive.reasons.iter().chain(&drive.furthest) {
            for part in wrap(line, columns.saturating_sub(8).max(20)) {
                out.push_str(&format!("        {part}\n"));
            }
        }
    }
    out.push_str(&format!("\n{}\n\n", odd(batch, &texts)));
    out
}

/// A part for the head of a page.
pub fn html(batch: &Screening, options: &HtmlOptions) -> Part {
    let texts = Texts::new(options.lang);
    let heads = [
        texts.say("screen-drive"),
        texts.say("screen-judged"),
        texts.say("screen-reasons"),
        texts.say("screen-oddness"),
        texts.say("screen-furthest"),
    ];
    let rows = html! { @for drive in &batch.drives { (row(drive, &texts)) } };
    let content = html! {
        p.standing { (verdict(batch, &texts)) }
        (shell::table(&heads, &rows))
        p { (odd(batch, &texts)) }
        p.explanation { (texts.say("screen-explained")) }
    };
    Part(shell::section(
        "screening",
        &texts.say("screen-title"),
        &content,
    ))
}

fn row(drive: &Screened, texts: &Texts) -> Markup {
    html! {
        tr {
            th scope="row" { (drive.title) " " code { (drive.target) } }
            td { (word(drive, texts)) }
            td { (lines(&drive.reasons)) }
            td { @if let Some(z) = drive.oddness { (format!("{z:.1}")) } }
            td { (lines(&drive.furthest)) }
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

    fn batch() -> Screening {
        let drive = |number: usize, accepted: bool| Screened {
            target: format!("/dev/sd{}", ["b", "c", "d"][number]),
            title: format!("Disk <{number}>"),
            accepted,
            reasons: if accepted {
                Vec::new()
            } else {
                vec!["pending: 3 (at most 0)".to_owned()]
            },
            oddness: Some(number as f64 * 12.0),
            figures_z: None,
            curves_z: None,
            responses_z: None,
            furthest: vec!["quick-scan read.mean -24.0".to_owned()],
        };
        Screening {
            drives: vec![drive(0, true), drive(1, true), drive(2, false)],
            odd_beyond: Some(21.0),
            odd_one: Some("/dev/sdd".to_owned()),
            ..Screening::default()
        }
    }

    #[test]
    fn the_table_says_who_is_accepted_why_not_and_who_is_odd() {
        let text = text(&batch(), 80, Lang::En);
        for words in [
            "2 of 3 drives accepted",
            "rejected  Disk <2> (/dev/sdd)",
            "        pending: 3 (at most 0)",
            "/dev/sdd is the outlier",
        ] {
            assert!(text.contains(words), "{words}: {text}");
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
            assert!(
                !section.contains("screen-"),
                "every text is there: {section}"
            );
        }
    }
}
