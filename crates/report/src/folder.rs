//! A review as a folder: the comparison, a page for each drive, the tables as CSV, and every picture as
//! an SVG file. It can be published as a web site; each page is complete on its own.
//!
//! | file | what |
//! |---|---|
//! | `index.html` | all drives side by side |
//! | `drive-a-….html` | one drive, with its verdicts unfolded |
//! | `verdict.csv`, `figures.csv` | the verdict table; all figures with their conditions |
//! | `plots/*.svg` | the comparison's pictures |

use results::RunResult;

use crate::html::grid::{self, Layout};
use crate::html::{HtmlOptions, Link, plot_name, with_links};
use crate::lang::Texts;
use crate::plots::plots;
use analysis::group::{Groups, Section};

/// One file of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path below the folder, with `/` between.
    pub path: String,
    pub content: String,
}

/// The files of a review. Equal results give equal files.
///
/// # Errors
/// Never: the CSV writer's buffer is memory; the error is the csv crate's.
pub fn folder(results: &[RunResult], options: &HtmlOptions) -> Result<Vec<File>, csv::Error> {
    let texts = Texts::new(options.lang);
    let groups = texts.groups(results);
    let names: Vec<String> = groups
        .subjects
        .iter()
        .map(|s| {
            let name = crate::html::file_name(&s.title);
            format!("drive-{}-{name}.html", s.letter().to_lowercase())
        })
        .collect();
    let mut links = vec![Link {
        text: texts.say("comparison"),
        file: "index.html".to_owned(),
    }];
    links.extend(groups.subjects.iter().zip(&names).map(|(s, name)| Link {
        text: s.title.clone(),
        file: name.clone(),
    }));
    let mut files = vec![File {
        path: "index.html".to_owned(),
        content: with_links(results, options, &links, 0),
    }];
    for (at, (subject, name)) in groups.subjects.iter().zip(&names).enumerate() {
        let own: Vec<RunResult> = subject.results.iter().map(|r| (*r).clone()).collect();
        let options = HtmlOptions {
            lang: options.lang,
            title: Some(subject.title.clone()),
        };
        files.push(File {
            path: name.clone(),
            content: with_links(&own, &options, &links, at + 1),
        });
    }
    files.push(File {
        path: "verdict.csv".to_owned(),
        content: crate::csv::table(results, options.lang)?,
    });
    files.push(File {
        path: "figures.csv".to_owned(),
        content: crate::csv::figures(results)?,
    });
    let mut pictures = pictures(results, options);
    pictures
        .iter_mut()
        .for_each(|file| file.path.insert_str(0, "plots/"));
    files.extend(pictures);
    Ok(files)
}

/// Every picture of a report as an SVG file of its own: title, legend, white paper.
pub fn pictures(results: &[RunResult], options: &HtmlOptions) -> Vec<File> {
    let texts = Texts::new(options.lang);
    let groups = texts.groups(results);
    let mut next_id = 1;
    let mut files = Vec::new();
    for section in &groups.sections {
        let made = plots(section, &groups.subjects, &texts, next_id);
        for (plot, size) in made
            .iter()
            .flat_map(|group| group.plots.iter().map(move |plot| (plot, group.size())))
        {
            files.push(File {
                path: format!("{}.svg", plot_name(section.method, plot)),
                content: crate::svg::file(plot, size),
            });
            next_id += 1;
        }
        files.extend(grids(section, &groups, &texts));
    }
    files
}

/// The grid of each drive, for methods that have one.
fn grids(section: &Section, groups: &Groups, texts: &Texts) -> Vec<File> {
    let layout = Layout::of(section);
    let of_drive = |(subject, result): &(usize, &RunResult)| {
        let subject = &groups.subjects[*subject];
        let content = grid::picture::file(subject, result, &layout, texts)?;
        let name = format!("grid {} {}", section.method, subject.title);
        let path = format!("{}.svg", crate::html::file_name(&name));
        Some(File { path, content })
    };
    section.results.iter().filter_map(of_drive).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    #[test]
    fn a_folder_has_a_page_a_drive_and_every_file_once() {
        let files = folder(&sample::review(), &HtmlOptions::default()).unwrap();
        let paths: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(
            paths[..6],
            [
                "index.html",
                "drive-a-example-nvme-1tb-test-file.html",
                "drive-b-samsung-840-evo-750gb.html",
                "drive-c-hgst-deskstar-nas-3tb.html",
                "verdict.csv",
                "figures.csv"
            ]
        );
        let mut sorted = paths.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), paths.len());
        let pictures = paths.iter().filter(|p| p.starts_with("plots/p")).count();
        let shown = files[0].content.matches("<svg class=\"plot\"").count();
        assert_eq!(pictures, shown);
    }

    #[test]
    fn pages_lead_to_each_other_and_say_where_one_is() {
        let files = folder(&sample::review(), &HtmlOptions::default()).unwrap();
        for (at, file) in files[..4].iter().enumerate() {
            for other in &files[..4] {
                assert!(file.content.contains(&format!("href=\"{}\"", other.path)));
            }
            let here = format!("<a href=\"{}\" aria-current=\"page\">", files[at].path);
            assert!(file.content.contains(&here), "{}", file.path);
        }
    }
}
