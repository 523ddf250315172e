//! The three charts that tell a drive at a glance, open before all tables and in print: the transfer curve, what a fill
//! does to the rate, and how long accesses take.

use maud::{Markup, html};

use super::{Page, charts};

/// Methods whose first chart is one, the best of each kind first.
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
                    h3 { (page.texts.title(section.titles)) }
                    (charts::group(page, section.method, &page.plots[at][0]))
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
    let of = |method: &&str| {
        let with_chart =
            |at: &usize| sections[*at].method == *method && !page.plots[*at].is_empty();
        (0..sections.len()).find(with_chart)
    };
    let first = |methods: &&[&str]| methods.iter().find_map(of);
    SIGNATURES.iter().filter_map(first).collect()
}
