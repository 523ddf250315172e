//! The three charts that tell a drive at a glance, open before all tables and in print: the transfer curve, what a fill
//! does to the rate, and how long accesses take.

use maud::{Markup, html};

use super::{Page, charts};

/// Methods whose first chart is one; of several of a kind that one which was measured at most places is shown, so that a
/// scan of both ends does not stand for the surface.
const SIGNATURES: [&[&str]; 3] = [
    &["full-scan", "quick-scan", "hd-tune"],
    &["slc-fill"],
    &["latency-watch"],
];

/// The charts; nothing on the page of a single method, where they are open anyway.
pub(super) fn section(page: &Page) -> Markup {
    let all = signatures(page);
    html! {
        @if !all.is_empty() {
            section #signature aria-labelledby="signature-h" {
                h2 #signature-h { (page.say("signature")) }
                @for at in all {
                    @let section = &page.groups.sections[at];
                    div.of {
                        h3 { (page.texts.title(section.titles)) }
                        (charts::group(page, section.method, &page.plots[at][0]))
                    }
                }
            }
        }
    }
}

/// Whether a chart of a section stands among them, and so not there.
pub(super) fn has(page: &Page, section: usize, chart: usize) -> bool {
    chart == 0 && signatures(page).contains(&section)
}

/// The sections whose first chart is one.
fn signatures(page: &Page) -> Vec<usize> {
    let sections = &page.groups.sections;
    if sections.len() < 2 {
        return Vec::new();
    }
    let points = |at: usize| -> usize {
        let lines = page.plots[at].iter().take(1).flat_map(|group| &group.plots);
        let values = lines
            .flat_map(|plot| &plot.lines)
            .map(|line| line.y.iter().flatten().count());
        values.max().unwrap_or(0)
    };
    let most = |methods: &&[&str]| {
        let with_chart = |at: &usize| methods.contains(&sections[*at].method) && points(*at) > 0;
        // The first of equals: sections stand in the order of the review.
        (0..sections.len())
            .rev()
            .filter(with_chart)
            .max_by_key(|at| points(*at))
    };
    SIGNATURES.iter().filter_map(most).collect()
}

#[cfg(test)]
mod tests {
    use fixtures::results as sample;

    use crate::html::{HtmlOptions, html};

    /// The first heading of the charts on a page with a full and a quick scan of so many places.
    fn first_of(full: usize, quick: usize) -> String {
        let mut results = sample::review();
        results.retain(|result| result.method == "full-scan");
        results.truncate(1);
        results.push(results[0].clone());
        results[1].method = "quick-scan".to_owned();
        results[1].method_title = "Quick scan".to_owned();
        for (result, places) in results.iter_mut().zip([full, quick]) {
            for curve in &mut result.charts[0].curves {
                curve.x.truncate(places);
                curve.y.truncate(places);
                (curve.low, curve.high) = (None, None);
            }
        }
        let page = html(&results, &HtmlOptions::default());
        let charts = page.split("id=\"signature\"").nth(1).unwrap();
        let heading = charts.split("<h3>").nth(1).unwrap();
        heading.split("</h3>").next().unwrap().to_owned()
    }

    #[test]
    fn a_scan_of_both_ends_does_not_stand_for_the_surface() {
        assert_eq!(first_of(4, 16), "Quick scan");
        assert_eq!(first_of(16, 4), "Full scan");
        assert_eq!(first_of(16, 16), "Full scan");
    }
}
