//! The report: one HTML file that needs nothing else, neither network nor scripts.
//!
//! Everything is in the file: texts, style, pictures as SVG, the data as JSON, and a chart library
//! that is laid over the pictures where scripts run (hover, zoom). The page's own policy
//! (`Content-Security-Policy`) forbids every request. Hiding a drive and switching units work without
//! scripts, by check boxes that the style sheet looks at.

use maud::{Markup, html};
use results::RunResult;

use crate::lang::{Lang, Texts};
use crate::plots::{PlotGroup, plots};
use crate::surface;
use analysis::group::{Groups, Section};

mod answer;
mod bars;
mod charts;
mod data;
mod details;
mod downloads;
mod drives;
pub(crate) mod grid;
mod health;
mod inside;
pub(crate) mod shell;
mod signature;
mod standing;
mod uses;
mod verdict;

use data::Workloads;
use shell::{Allowed, document, script};

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

/// The heading of a review's page: the drive by its own name, in the page's language; nothing without results.
pub fn review_title(results: &[RunResult], lang: Lang) -> Option<String> {
    let texts = Texts::new(lang);
    let groups = texts.groups(results);
    let drive = &groups.subjects.first()?.title;
    Some(texts.with("review-of", &[("drive", drive)]))
}

/// The results as a page. Equal results give an equal page.
pub fn html(results: &[RunResult], options: &HtmlOptions) -> String {
    Page::new(results, options, Around::default()).html()
}

/// A review, with where its drive stands among the drives of its class, if these were run.
pub fn html_of_review(results: &[RunResult], class: &[RunResult], options: &HtmlOptions) -> String {
    let around = Around {
        standing: standing::section(results, class, options.lang),
        of_a_review: true,
        ..Around::default()
    };
    Page::new(results, options, around).html()
}

/// Sections that are of more than the page's results, as markup.
#[derive(Default)]
struct Around<'a> {
    /// In front of all others, and what the page is for (a batch's acceptance, a document's figures beside ours): a
    /// fitness for uses, drive by drive, would bury it.
    front: Option<Markup>,
    /// Behind the answer.
    standing: Markup,
    /// Whether the page is a review of its first drive.
    of_a_review: bool,
    /// The pages that it leads to, and which of them it is itself.
    links: &'a [Link],
    here: usize,
}

/// A part of a page.
#[derive(Debug)]
pub struct Part(pub(crate) Markup);

/// The same with a part in front of all others, if there is one.
pub fn html_with_front(
    results: &[RunResult],
    options: &HtmlOptions,
    front: Option<Part>,
) -> String {
    let around = Around {
        front: front.map(|part| part.0),
        ..Around::default()
    };
    Page::new(results, options, around).html()
}

/// The results as the page number `here` of several, which it leads to.
pub(crate) fn with_links(
    results: &[RunResult],
    options: &HtmlOptions,
    links: &[Link],
    here: usize,
) -> String {
    let around = Around {
        links,
        here,
        ..Around::default()
    };
    Page::new(results, options, around).html()
}

/// The heading of an untitled page: the name of a single method, or of a single drive.
fn title_of(groups: &Groups, texts: &Texts) -> String {
    let method = match groups.sections.as_slice() {
        [only] => Some(texts.title(only.titles)),
        _ => None,
    };
    let drive = match groups.subjects.as_slice() {
        [only] => Some(only.title.as_str()),
        _ => None,
    };
    match (method, drive) {
        (Some(method), Some(drive)) => format!("{method}: {drive}"),
        (Some(method), None) => {
            let drives = groups.subjects.len().to_string();
            texts.with(
                "title-of-method",
                &[("method", method), ("drives", &drives)],
            )
        }
        (None, Some(drive)) => drive.to_owned(),
        (None, None) => texts.say("title"),
    }
}

/// One result for a page that shows it among others: the drive's card, notes, pictures, figures, health,
/// and how it was made.
pub(crate) fn detail(result: &RunResult, options: &HtmlOptions) -> Markup {
    let page = Page::new(std::slice::from_ref(result), options, Around::default());
    html! {
        (drives::cards(&page))
        @for at in 0..page.groups.sections.len() { (page.section(at)) }
        (health::section(&page))
        (details::workloads(&page))
    }
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
    around: Around<'a>,
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

impl<'a> Page<'a> {
    fn new(results: &'a [RunResult], options: &HtmlOptions, around: Around<'a>) -> Page<'a> {
        let texts = Texts::of(options.lang, results);
        let groups = texts.groups(results);
        Page {
            results,
            plots: all_plots(&groups, &texts),
            workloads: Workloads::of(results),
            title: (options.title.clone()).unwrap_or_else(|| title_of(&groups, &texts)),
            groups,
            texts,
            around,
        }
    }

    fn say(&self, key: &str) -> String {
        self.texts.say(key)
    }

    fn with(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        self.texts.with(key, arguments)
    }

    fn html(&self) -> String {
        // Hiding drive N hides everything of class dN; the rules are as many as there are drives.
        let hide = |n: usize| format!("body:has(#show-{n}:not(:checked)) .d{n}{{display:none}}");
        let hides: String = (0..self.groups.subjects.len()).map(hide).collect();
        let body = html! {
            body {
                a.skip href="#main" { (self.say("skip")) }
                @if !self.around.links.is_empty() { (self.pages()) }
                (self.masthead())
                (drives::bar(self))
                main #main {
                    @match &self.around.front {
                        Some(front) => { (front) }
                        None => { (answer::section(self)) }
                    }
                    (signature::section(self))
                    (self.around.standing)
                    // Of one method people look at the charts first; of many the table is what leads to them.
                    @if self.is_of_one_method() { (self.section(0)) }
                    (verdict::table(self))
                    (uses::section(self))
                    @if !self.is_of_one_method() {
                        @for at in 0..self.groups.sections.len() { (self.section(at)) }
                    }
                    (health::section(self))
                    p.print-only { (self.say("print-folds")) }
                    (drives::cards(self))
                    (details::workloads(self))
                    (self.raw())
                }
                footer { p { (self.with("about", &[("version", self.version()), ("uplot", UPLOT_VERSION)])) } }
                (self.scripts())
            }
        };
        let styles = [&format!("{UPLOT_STYLE}\n"), hides.as_str()];
        document(&self.texts, &self.title, Allowed::Scripts, styles, &body)
    }

    /// The key of the table's heading: figures stand side by side where there are several drives.
    fn table_name(&self) -> &'static str {
        match self.groups.subjects.as_slice() {
            [_] => "verdict-alone",
            _ => "verdict",
        }
    }

    fn is_of_one_method(&self) -> bool {
        self.groups.sections.len() == 1
    }

    /// The version of drivelab that made the first result.
    fn version(&self) -> &str {
        let first = self.results.first();
        first.map_or("", |r| r.environment.drivelab.as_str())
    }

    /// When imported files say that they were measured, as they write it; each once.
    fn dates_of_files(&self) -> String {
        let stated = self
            .results
            .iter()
            .filter_map(|r| r.imported.as_ref()?.when.clone());
        let mut dates: Vec<String> = stated.collect();
        dates.dedup();
        match dates.is_empty() {
            true => self.say("not-stated"),
            false => self.texts.list(&dates),
        }
    }

    fn masthead(&self) -> Markup {
        let last = self.results.iter().map(|r| r.began_unix_ms).max();
        let version = ("version", self.version());
        let made = match results::date(last.unwrap_or(0)) {
            Some(when) => self.with("made", &[("when", &when), version]),
            None if self.results.iter().any(|r| r.imported.is_some()) => self.with(
                "made-imported",
                &[("when", &self.dates_of_files()), version],
            ),
            None => self.with("made-models", &[version]),
        };
        let lede = self.with(
            "lede",
            &[
                ("drives", &drives::count(self)),
                ("methods", &self.groups.sections.len().to_string()),
            ],
        );
        html! {
            header.masthead {
                p.kicker { (self.say("kicker")) }
                h1 { (self.title) }
                p.made { (made) }
                p.lede { (lede) }
                (self.contents())
            }
        }
    }

    fn contents(&self) -> Markup {
        let has_health = |r: &RunResult| r.health_before.is_some() || r.health_after.is_some();
        let link = |key: &str| html! { li { a href={ "#" (key) } { (self.say(key)) } } };
        let methods = || {
            html! {
                @for (at, section) in self.groups.sections.iter().enumerate() {
                    li { a href={ "#m" (at) } { (self.texts.title(section.titles)) } }
                }
            }
        };
        html! {
            nav aria-label=(self.say("contents")) {
                ul {
                    @if !self.groups.subjects.is_empty() && self.around.front.is_none() { (link("answer")) }
                    // In the order of the page.
                    @if self.is_of_one_method() { (methods()) }
                    li { a href="#verdict" { (self.say(self.table_name())) } }
                    @if uses::is_shown(self) { (link("uses")) }
                    @if !self.is_of_one_method() { (methods()) }
                    @if self.results.iter().any(has_health) { (link("health")) }
                    (link("raw"))
                }
            }
        }
    }

    /// The bar of pages.
    fn pages(&self) -> Markup {
        html! {
            nav.pages aria-label=(self.say("pages")) {
                ul {
                    @for (at, link) in self.around.links.iter().enumerate() {
                        li { a href=(link.file) aria-current=[(at == self.around.here).then_some("page")] { (link.text) } }
                    }
                }
            }
        }
    }

    fn section(&self, at: usize) -> Markup {
        let section = &self.groups.sections[at];
        let id = format!("m{at}");
        let title = self.texts.title(section.titles);
        let alone = self.is_of_one_method();
        html! {
            details.fold open[alone] {
                summary { h2 id={ (id) "-h" } { (title) } }
            section.method id=(id) aria-labelledby={ (id) "-h" } {
                // The page of one method has begun with its answer.
                @let is_inside = section.results.iter().any(|(_, it)| crate::inside::has(it));
                @for (subject, answer) in crate::answers::of_section(section, &self.groups.subjects, &self.texts).into_iter().filter(|_| !alone && !is_inside) {
                    p class={ "reply d" (subject.index) } {
                        @if self.groups.subjects.len() > 1 { (drives::letter(subject)) " " }
                        (answer)
                    }
                }
                @for line in crate::terminal::standing(section, &self.groups.subjects, &self.texts) {
                    p.standing { (line) }
                }
                (inside::tables(self, section))
                (details::remarks(self, section))
                (grid::grid(self, section, at))
                (bars::of_method(self, section))
                @for (of_it, group) in self.plots[at].iter().enumerate() {
                    @if signature::has(self, at, of_it) {
                        p { a href="#signature" { (self.say("signature-above")) } }
                    } @else { (charts::group(self, section.method, group)) }
                }
                @if let ([_], [(_, result)]) = (&self.groups.subjects[..], &section.results[..]) {
                    (surface::maps_of(result, &self.texts))
                }
                (details::figures(self, section))
                (details::how(self, section))
            }
            }
        }
    }

    fn raw(&self) -> Markup {
        html! {
            section #raw aria-labelledby="raw-h" {
                h2 #raw-h { (self.say("raw")) }
                p { (self.say("raw-explained")) }
                (downloads::tables(self))
                p { button.needs-script type="button" id="download" { (self.say("raw-download")) } }
                noscript { p { (self.say("raw-noscript")) } }
            }
        }
    }

    fn scripts(&self) -> Markup {
        let words: serde_json::Map<String, serde_json::Value> =
            ["zoom-in", "zoom-out", "zoom-reset", "chart-hint", "save-as"]
                .iter()
                .map(|key| ((*key).to_owned(), self.texts.say(key).into()))
                .chain([("plot-style".to_owned(), crate::svg::style().into())])
                .collect();
        let words = serde_json::Value::from(words).to_string();
        let methods: Vec<&str> = self.groups.sections.iter().map(|s| s.method).collect();
        let library = format!("/* uPlot {UPLOT_VERSION}\n\n{UPLOT_LICENCE}\n*/\n{UPLOT_SCRIPT}\n");
        html! {
            (shell::data("drivelab-data", &data::document(self.results, &self.workloads)))
            (shell::data("drivelab-plots", &data::plots(&self.plots, &methods)))
            (shell::data("drivelab-words", &words))
            (script(&library))
            (script(SCRIPT))
        }
    }
}
