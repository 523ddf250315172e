//! The report: one HTML file that needs nothing else, neither network nor scripts.
//!
//! Everything is in the file: texts, style, pictures as SVG, the data as JSON, and a chart library
//! that is laid over the pictures where scripts run (hover, zoom). The page's own policy
//! (`Content-Security-Policy`) forbids every request. Hiding a drive and switching units work without
//! scripts, by check boxes that the style sheet looks at.

use results::RunResult;

use crate::lang::{Lang, Texts};
use crate::number;
use crate::plots::{PlotGroup, plots};
use analysis::group::{Groups, Section};

mod charts;
mod data;
mod details;
mod downloads;
mod drives;
mod grid;
mod health;
pub(crate) mod shell;
mod uses;
mod verdict;

use crate::escape::{escape, escape_json};
use data::Workloads;
use shell::{Allowed, head};

pub(crate) use downloads::{file_name, plot_name};

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

/// A page beside this one.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// What it is called.
    pub(crate) text: String,
    /// Its file's name.
    pub(crate) file: String,
}

/// The results as a page. Equal results give an equal page.
pub fn html(results: &[RunResult], options: &HtmlOptions) -> String {
    page(results, options, &[], 0, "")
}

/// The same with a section in front of all others, which is HTML already.
pub fn html_with_front(results: &[RunResult], options: &HtmlOptions, front: &str) -> String {
    page(results, options, &[], 0, front)
}

/// The results as the page number `here` of several, which it leads to.
pub(crate) fn with_links(
    results: &[RunResult],
    options: &HtmlOptions,
    links: &[Link],
    here: usize,
) -> String {
    page(results, options, links, here, "")
}

fn page(
    results: &[RunResult],
    options: &HtmlOptions,
    links: &[Link],
    here: usize,
    front: &str,
) -> String {
    let texts = Texts::new(options.lang);
    let groups = Groups::new(results);
    let page = Page {
        results,
        plots: all_plots(&groups, &texts),
        workloads: Workloads::of(results),
        title: options.title.clone().unwrap_or_else(|| texts.say("title")),
        groups,
        texts,
        links,
        here,
        front,
    };
    page.html()
}

/// One result for a page that shows it among others: the drive's card, notes, pictures, figures, health,
/// and how it was made.
pub(crate) fn detail(result: &RunResult, options: &HtmlOptions) -> String {
    let texts = Texts::new(options.lang);
    let results = std::slice::from_ref(result);
    let groups = Groups::new(results);
    let page = Page {
        results,
        plots: all_plots(&groups, &texts),
        workloads: Workloads::of(results),
        title: String::new(),
        groups,
        texts,
        links: &[],
        here: 0,
        front: "",
    };
    let sections: String = (0..page.groups.sections.len())
        .map(|at| page.section(at))
        .collect();
    [
        drives::cards(&page),
        sections,
        health::section(&page),
        details::workloads(&page),
    ]
    .concat()
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
    /// The pages that it leads to, and which of them it is itself.
    links: &'a [Link],
    here: usize,
    /// A section in front of all others.
    front: &'a str,
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
            self.front.to_owned(),
            drives::cards(self),
            uses::section(self),
            verdict::table(self),
            sections.concat(),
            health::section(self),
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
        let has_health = |r: &RunResult| r.health_before.is_some() || r.health_after.is_some();
        let link_to = |key: &str, is_there: bool| {
            if is_there {
                format!("<li><a href=\"#{key}\">{}</a></li>", self.say(key))
            } else {
                String::new()
            }
        };
        let links: String = self
            .groups
            .sections
            .iter()
            .enumerate()
            .map(|(at, section)| {
                format!(
                    "<li><a href=\"#m{at}\">{}</a></li>",
                    escape(self.texts.title(section.titles))
                )
            })
            .collect();
        format!(
            "<body>\n<a class=\"skip\" href=\"#verdict\">{skip}</a>\n{pages}<header class=\"masthead\">\
             <p class=\"kicker\">{kicker}</p><h1>{title}</h1><p class=\"made\">{made}</p>\
             <p class=\"lede\">{lede}</p><nav aria-label=\"{contents}\"><ul>\
             {uses}<li><a href=\"#verdict\">{verdict}</a></li>{links}{health}\
             <li><a href=\"#raw\">{raw}</a></li></ul></nav></header>\n",
            skip = self.say("skip"),
            kicker = self.say("kicker"),
            title = escape(&self.title),
            contents = self.say("contents"),
            verdict = self.say("verdict"),
            raw = self.say("raw"),
            pages = self.pages(),
            uses = link_to("uses", !self.groups.subjects.is_empty()),
            health = link_to("health", self.results.iter().any(has_health)),
        )
    }

    /// The bar of pages; nothing where this is the only one.
    fn pages(&self) -> String {
        if self.links.is_empty() {
            return String::new();
        }
        let links: String = self
            .links
            .iter()
            .enumerate()
            .map(|(at, link)| {
                let current = if at == self.here {
                    " aria-current=\"page\""
                } else {
                    ""
                };
                format!(
                    "<li><a href=\"{}\"{current}>{}</a></li>",
                    escape(&link.file),
                    escape(&link.text)
                )
            })
            .collect();
        format!(
            "<nav class=\"pages\" aria-label=\"{}\"><ul>{links}</ul></nav>\n",
            self.say("pages")
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
            .map(|group| charts::group(self, section.method, group))
            .collect();
        format!(
            "<section class=\"method\" id=\"m{at}\" aria-labelledby=\"m{at}-h\">\
             <h2 id=\"m{at}-h\">{}</h2>{lines}{}{}{groups}{}{}</section>\n",
            escape(self.texts.title(section.titles)),
            details::remarks(self, section),
            grid::grid(self, section, at),
            details::figures(self, section),
            details::how(self, section),
        )
    }

    fn raw(&self) -> String {
        format!(
            "<section id=\"raw\" aria-labelledby=\"raw-h\"><h2 id=\"raw-h\">{raw}</h2>\
             <p>{explained}</p>{tables}<p><button type=\"button\" id=\"download\" class=\"needs-script\">{download}</button></p>\
             <noscript><p>{noscript}</p></noscript></section>\n",
            raw = self.say("raw"),
            explained = self.say("raw-explained"),
            tables = downloads::tables(self),
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
            ["zoom-in", "zoom-out", "zoom-reset", "chart-hint", "save-as"]
                .iter()
                .map(|key| ((*key).to_owned(), self.texts.say(key).into()))
                .chain([("plot-style".to_owned(), crate::svg::style().into())])
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
