//! The report: one HTML file that needs nothing else, neither network nor scripts.
//!
//! Everything is in the file: texts, style, pictures as SVG, the data as JSON, and a chart library
//! that is laid over the pictures where scripts run (hover, zoom). The page's own policy
//! (`Content-Security-Policy`) forbids every request. Hiding a drive and switching units work without
//! scripts, by check boxes that the style sheet looks at.

use base::result::RunResult;

use crate::group::{Groups, Section};
use crate::lang::{Lang, Texts};
use crate::number;
use crate::plots::{PlotGroup, plots};

mod charts;
mod data;
mod details;
mod drives;
pub(crate) mod escape;
mod grid;
pub(crate) mod shell;
mod verdict;

use data::Workloads;
use escape::{escape, escape_json};
use shell::{Allowed, head};

/// How many colours drives have in charts; after these they repeat.
pub(crate) const COLOURS: usize = 6;

const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");
const UPLOT_SCRIPT: &str = include_str!("../assets/vendor/uplot-1.6.32/uPlot.iife.min.js");
const UPLOT_STYLE: &str = include_str!("../assets/vendor/uplot-1.6.32/uPlot.min.css");
const UPLOT_LICENCE: &str = include_str!("../assets/vendor/uplot-1.6.32/LICENSE");
const UPLOT_VERSION: &str = "1.6.32";

/// How the page is written.
#[derive(Clone, Debug, Default)]
pub struct HtmlOptions {
    /// The language.
    pub lang: Lang,
    /// The page's title; a general one where there is none.
    pub title: Option<String>,
}

/// The results as a page. Equal results give an equal page.
pub fn html(results: &[RunResult], options: &HtmlOptions) -> String {
    let texts = Texts::new(options.lang);
    let groups = Groups::new(results);
    let page = Page {
        results,
        plots: all_plots(&groups, &texts),
        workloads: Workloads::of(results),
        title: options.title.clone().unwrap_or_else(|| texts.say("title")),
        groups,
        texts,
    };
    page.html()
}

/// Everything that the parts of the page draw on.
struct Page<'a> {
    results: &'a [RunResult],
    groups: Groups<'a>,
    /// The pictures of each section.
    plots: Vec<Vec<PlotGroup>>,
    workloads: Workloads,
    title: String,
    texts: Texts,
}

fn all_plots(groups: &Groups, texts: &Texts) -> Vec<Vec<PlotGroup>> {
    let mut next_id = 1;
    let of_section = |section: &Section| {
        let made = plots(section, &groups.subjects, texts, next_id);
        next_id += made.iter().map(|group| group.plots.len()).sum::<usize>();
        made
    };
    groups.sections.iter().map(of_section).collect()
}

impl Page<'_> {
    /// An escaped text.
    fn say(&self, key: &str) -> String {
        escape(&self.texts.say(key))
    }

    /// An escaped text with its arguments.
    fn with(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        escape(&self.texts.with(key, arguments))
    }

    fn html(&self) -> String {
        let sections: Vec<String> = (0..self.groups.sections.len())
            .map(|at| self.section(at))
            .collect();
        [
            self.head(),
            self.masthead(),
            drives::bar(self),
            "<main id=\"main\">".to_owned(),
            drives::cards(self),
            verdict::table(self),
            sections.concat(),
            details::workloads(self),
            self.raw(),
            "</main>".to_owned(),
            self.foot(),
        ]
        .concat()
    }

    fn head(&self) -> String {
        // Hiding drive N hides everything of class dN; the rules are as many as there are drives.
        let hide = |n: usize| format!("body:has(#show-{n}:not(:checked)) .d{n}{{display:none}}");
        let hides: String = (0..self.groups.subjects.len()).map(hide).collect();
        head(
            &self.texts,
            &escape(&self.title),
            Allowed::Scripts,
            &format!("{UPLOT_STYLE}\n"),
            &format!("\n{hides}"),
        )
    }

    fn masthead(&self) -> String {
        let version = self
            .results
            .first()
            .map_or("", |r| r.environment.drivelab.as_str());
        let last = self
            .results
            .iter()
            .map(|r| r.began_unix_ms)
            .max()
            .unwrap_or(0);
        let made = match number::date(last) {
            Some(when) => self.with("made", &[("when", &when), ("version", version)]),
            None => self.with("made-models", &[("version", version)]),
        };
        let lede = self.with(
            "lede",
            &[
                ("drives", &self.groups.subjects.len().to_string()),
                ("methods", &self.groups.sections.len().to_string()),
            ],
        );
        let links: String = self
            .groups
            .sections
            .iter()
            .enumerate()
            .map(|(at, section)| {
                format!(
                    "<li><a href=\"#m{at}\">{}</a></li>",
                    escape(&self.texts.method(section.method, section.title))
                )
            })
            .collect();
        format!(
            "<body>\n<a class=\"skip\" href=\"#verdict\">{skip}</a>\n<header class=\"masthead\">\
             <p class=\"kicker\">{kicker}</p><h1>{title}</h1><p class=\"made\">{made}</p>\
             <p class=\"lede\">{lede}</p><nav aria-label=\"{contents}\"><ul>\
             <li><a href=\"#verdict\">{verdict}</a></li>{links}\
             <li><a href=\"#raw\">{raw}</a></li></ul></nav></header>\n",
            skip = self.say("skip"),
            kicker = self.say("kicker"),
            title = escape(&self.title),
            contents = self.say("contents"),
            verdict = self.say("verdict"),
            raw = self.say("raw"),
        )
    }

    fn section(&self, at: usize) -> String {
        let section = &self.groups.sections[at];
        let lines: String = crate::terminal::standing(section, &self.groups.subjects, &self.texts)
            .iter()
            .map(|line| format!("<p class=\"standing\">{}</p>", escape(line)))
            .collect();
        let groups: String = self.plots[at]
            .iter()
            .map(|group| charts::group(self, group))
            .collect();
        format!(
            "<section class=\"method\" id=\"m{at}\" aria-labelledby=\"m{at}-h\">\
             <h2 id=\"m{at}-h\">{}</h2>{lines}{}{}{groups}{}{}</section>\n",
            escape(&self.texts.method(section.method, section.title)),
            details::remarks(self, section),
            grid::grid(self, section, at),
            details::figures(self, section),
            details::how(self, section),
        )
    }

    fn raw(&self) -> String {
        format!(
            "<section id=\"raw\" aria-labelledby=\"raw-h\"><h2 id=\"raw-h\">{raw}</h2>\
             <p>{explained}</p><p><button type=\"button\" id=\"download\" class=\"needs-script\">{download}</button></p>\
             <noscript><p>{noscript}</p></noscript></section>\n",
            raw = self.say("raw"),
            explained = self.say("raw-explained"),
            download = self.say("raw-download"),
            noscript = self.say("raw-noscript"),
        )
    }

    fn foot(&self) -> String {
        let version = self
            .results
            .first()
            .map_or("", |r| r.environment.drivelab.as_str());
        let about = self.with("about", &[("version", version), ("uplot", UPLOT_VERSION)]);
        let words: serde_json::Map<String, serde_json::Value> =
            ["zoom-in", "zoom-out", "zoom-reset", "chart-hint"]
                .iter()
                .map(|key| ((*key).to_owned(), self.texts.say(key).into()))
                .collect();
        let element = |id: &str, json: &str| {
            format!(
                "<script type=\"application/json\" id=\"{id}\">{}</script>\n",
                escape_json(json)
            )
        };
        format!(
            "<footer><p>{about}</p></footer>\n{data}{plots}{words}\
             <script>\n/* uPlot {UPLOT_VERSION}\n\n{UPLOT_LICENCE}\n*/\n{UPLOT_SCRIPT}\n</script>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            data = element(
                "drivelab-data",
                &data::document(self.results, &self.workloads)
            ),
            plots = element("drivelab-plots", &data::plots(&self.plots)),
            words = element(
                "drivelab-words",
                &serde_json::Value::from(words).to_string()
            ),
        )
    }
}
