//! Where the reviewed drive stands among all modelled drives of its class: a sentence and sorted bars for each figure.

use analysis::group::{Groups, Subject};
use maud::{Markup, html};
use results::RunResult;

use crate::lang::{Lang, Texts};
use crate::number;
use crate::standing::{Ranking, of_one_method, rankings, sentence};

/// The section; empty where no drive of the class was run.
pub(super) fn section(reviewed: &[RunResult], class: &[RunResult], lang: Lang) -> Markup {
    let all = of_one_method(reviewed, class);
    let texts = Texts::of(lang, &all);
    let groups = texts.groups(&all);
    let rankings = rankings(&groups);
    let by_sheet = (groups.subjects.iter()).any(|s| s.target.is_known_by_data_sheet());
    let own = Groups::new(reviewed);
    let letters: Vec<(&str, String)> = (own.subjects.iter())
        .map(|subject| (subject.target.name.as_str(), subject.letter()))
        .collect();
    html! {
        @if !rankings.is_empty() {
            section #standing aria-labelledby="standing-h" {
                h2 #standing-h { (texts.say("standing")) }
                p {
                    (texts.say("standing-explained"))
                    @if by_sheet { " " (texts.say("standing-by-sheet")) }
                }
                div.standings {
                    @for ranking in &rankings { (picture(ranking, &groups.subjects, &letters, &texts)) }
                }
            }
        }
    }
}

/// A bar for each drive, the best first; those of the page's own columns in their colours.
fn picture(
    ranking: &Ranking,
    subjects: &[Subject],
    letters: &[(&str, String)],
    texts: &Texts,
) -> Markup {
    let most = ranking
        .drives
        .iter()
        .map(|(_, value)| *value)
        .fold(0.0, f64::max);
    let share = |value: f64| match most > 0.0 {
        true => 100.0 * value / most,
        false => 0.0,
    };
    html! {
        figure.measure.ranking {
            figcaption {
                (texts.figure(ranking.key)) " "
                span.unit { (texts.list(&[texts.unit(ranking.unit), texts.better(ranking.better)])) }
            }
            p.standing { (sentence(ranking, subjects, texts)) }
            ul {
                @for (drive, value) in &ranking.drives {
                    @let subject = &subjects[*drive];
                    @let own = letters.iter().position(|(name, _)| *name == subject.target.name);
                    li class={ @if own == Some(0) { "reviewed" } @else if own.is_some() { "neighbour" } } {
                        span.of title=(subject.title) {
                            (subject.title)
                            @if subject.target.is_known_by_data_sheet() { " *" }
                            @if own == Some(0) { span.unseen { " (" (texts.say("reviewed")) ")" } }
                        }
                        svg.track viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                            rect class={ "fill " @match own { Some(n) => { "drive-" (n % crate::chart::COLOURS) } None => "other" } }
                                x="0" y="0" height="10" width={ (format!("{:.2}", share(*value))) } {}
                        }
                        b { (number::value(*value, ranking.unit)) }
                    }
                }
            }
        }
    }
}
