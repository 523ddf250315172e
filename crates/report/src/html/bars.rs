//! Bars across drives: a quantity of all of them, the best first, with the reviewed one marked.
//!
//! Reviews of many drives are read like this: one glance shows where the reviewed one stands. A bar begins at zero, so
//! that twice as long is twice as much; where the shortest would be a dot (a disk beside memory), all are logarithmic, as
//! a note says. The first drive of a page is the reviewed one; it is framed, and named
//! for those who do not see the frame.

use std::cmp::Ordering;

use analysis::group::{Section, Subject};
use analysis::verdict::{Cell, Reference, Table};
use base::result::Better;
use maud::{Markup, html};

use super::Page;
use super::drives::letter;
use crate::number;

/// With this many drives or more, bars are easier to read than the row of a table.
const MANY: usize = 4;
/// Beside a bar this many times as long, a bar on a linear scale is a dot.
const DOT: f64 = 50.0;

/// Figures of a method that are drawn; the table has all.
const MOST: usize = 8;

/// A drive's bar.
pub(super) struct Bar<'a> {
    pub(super) subject: &'a Subject<'a>,
    /// Its length; nothing for a drive without a value.
    pub(super) value: Option<f64>,
    /// The value as it is printed.
    pub(super) shown: String,
    /// What is behind it.
    pub(super) reserve: Option<String>,
}

/// The better value first, those without one last.
fn by_rank(a: Option<f64>, b: Option<f64>, better: Better) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if better == Better::Lower => a.total_cmp(&b),
        (Some(a), Some(b)) => b.total_cmp(&a),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// How long bars are.
struct Scale {
    most: f64,
    /// On a logarithmic scale all bars begin this many decades below the longest one.
    decades: Option<f64>,
}

impl Scale {
    fn of(values: &[f64]) -> Scale {
        let most = values.iter().copied().fold(0.0, f64::max);
        let positive = values.iter().copied().filter(|value| *value > 0.0);
        let least = positive.fold(f64::INFINITY, f64::min);
        let factor = most / least;
        Scale {
            most,
            decades: (factor > DOT).then(|| libm::ceil(libm::log10(factor)) + 1.0),
        }
    }

    fn percent(&self, value: f64) -> f64 {
        match self.decades {
            _ if self.most <= 0.0 || value <= 0.0 => 0.0,
            None => 100.0 * value / self.most,
            Some(decades) => 100.0 + 100.0 * libm::log10(value / self.most) / decades,
        }
    }
}

/// One quantity of all drives; nothing where no drive has it.
pub(super) fn picture(
    page: &Page,
    (title, unit): (&str, &str),
    better: Better,
    mut bars: Vec<Bar>,
) -> Markup {
    let values: Vec<f64> = bars.iter().filter_map(|bar| bar.value).collect();
    // A picture without a bar would say nothing.
    if values.is_empty() {
        return html! {};
    }
    let scale = Scale::of(&values);
    let share = |value: f64| scale.percent(value);
    let all = bars.len();
    bars.sort_by(|a, b| by_rank(a.value, b.value, better));
    let is_reviewed = |subject: &Subject| all > 1 && subject.index == 0;
    let mut caption = vec![page.texts.unit(unit), page.texts.better(better)];
    caption.extend(scale.decades.map(|_| page.say("bars-logarithmic")));
    html! {
        figure.measure {
            figcaption {
                (title) " "
                span.unit { (page.texts.list(&caption)) }
            }
            ul {
                @for bar in &bars {
                    @let subject = bar.subject;
                    li class={ "d" (subject.index) @if is_reviewed(subject) { " reviewed" } } {
                        (letter(subject))
                        span.unseen { (subject.title) @if is_reviewed(subject) { " (" (page.say("reviewed")) ")" } }
                        svg.track viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                            @if let Some(value) = bar.value {
                                rect class={ "fill drive-" (subject.index % crate::chart::COLOURS) } x="0" y="0" height="10" width={ (format!("{:.2}", share(value))) } {}
                            }
                        }
                        b { (bar.shown) }
                        @if let Some(reserve) = &bar.reserve { small { (reserve) } }
                    }
                }
            }
        }
    }
}

/// The main figures of a method as bars, folded; nothing for few drives.
pub(super) fn of_method(page: &Page, section: &Section) -> Markup {
    if section.results.len() < MANY {
        return html! {};
    }
    let table = Table::new(section, Reference::Majority);
    let ranked = table.main_rows().filter(|row| row.better != Better::None);
    html! {
        details.across {
            summary { (page.say("bars-across")) }
            div.measures {
                @for row in ranked.take(MOST) {
                    @let bars = table.columns.iter().zip(&row.cells).zip(&row.tails).map(|((subject, cell), tail)| {
                        let value = match cell {
                            Cell::Value { figure, .. } => figure.value,
                            // A value that is not comparable with the others has no bar beside theirs.
                            Cell::Absent | Cell::WhyNot(_) | Cell::Apart(..) => None,
                        };
                        Bar {
                            subject: &page.groups.subjects[*subject],
                            value,
                            shown: value.map_or_else(|| page.say("no-value"), |value| number::value(value, row.unit)),
                            reserve: tail.filter(|_| value.is_some()).map(|mark| crate::tails::sign(mark, &page.texts)),
                        }
                    });
                    (picture(page, (&page.texts.figure(row.key), row.unit), row.better, bars.collect()))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::{HtmlOptions, html};
    use base::message::Message;
    use fixtures::results as sample;

    #[test]
    fn the_best_comes_first_and_a_drive_without_a_value_last() {
        let mut values = [None, Some(1.0), Some(3.0)];
        values.sort_by(|a, b| by_rank(*a, *b, Better::Higher));
        assert_eq!(values, [Some(3.0), Some(1.0), None]);
        values.sort_by(|a, b| by_rank(*a, *b, Better::Lower));
        assert_eq!(values, [Some(1.0), Some(3.0), None]);
    }

    #[test]
    fn a_bar_that_would_be_a_dot_makes_all_logarithmic() {
        let near = Scale::of(&[100.0, 50.0, 2.0]);
        assert!((near.percent(50.0) - 50.0).abs() < 1e-9);
        let far = Scale::of(&[10_000.0, 1.0, 0.0]);
        assert_eq!(far.decades, Some(5.0));
        assert!((far.percent(10_000.0) - 100.0).abs() < 1e-9);
        assert!((far.percent(1.0) - 20.0).abs() < 1e-9);
        assert!(far.percent(0.0).abs() < 1e-9);
    }

    #[test]
    fn many_drives_have_bars_in_each_method_and_few_have_none() {
        let mut results = sample::review();
        let one = results[0].clone();
        results.retain(|result| result.method == one.method);
        results.truncate(1);
        assert!(!html(&results, &HtmlOptions::default()).contains("class=\"across\""));
        for n in 1..5 {
            let mut other = one.clone();
            other.target.name = format!("./drive-{n}");
            other.target.title = Message::as_it_stands(format!("Drive {n}"));
            results.push(other);
        }
        let page = html(&results, &HtmlOptions::default());
        assert_eq!(page.matches("class=\"across\"").count(), 1);
        let bars = page.split("class=\"across\"").nth(1).unwrap();
        let first = bars.split("</figure>").next().unwrap();
        assert_eq!(first.matches("<li").count(), 5, "{first}");
        assert_eq!(first.matches(" reviewed\"").count(), 1, "{first}");
    }
}
