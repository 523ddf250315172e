//! `drivelab results`, `report` and `compare`: stored results.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;

use ::results::RunResult;
use ::results::listing::ResultListing;
use base::message::{Argument, Message};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::arguments::{
    CompareArguments, CsvTable, PastedTable, ReportArguments, ResultsArguments,
};
use crate::commands::{Session, instant, plan, report_at, write};
use crate::output::{Failure, failed, print, print_json, print_json_text, say, tell, text_columns};
use crate::paragraph::{cut, length, padded, paragraph};

/// Lists the stored runs, the latest first, or the selected ones.
pub(crate) fn list(session: &Session, arguments: &ResultsArguments) -> Result<(), Failure> {
    let store = session.open_store_to_read()?;
    let mut listing = lab::listing::results(&store)?;
    if !arguments.results.is_empty() {
        let chosen = lab::choose(&store, &arguments.results)?;
        let is_chosen = |id: i64| chosen.iter().any(|run| run.0 == id);
        listing.results.retain(|run| is_chosen(run.id));
    }
    if arguments.json {
        return print_json(&listing);
    }
    if listing.results.is_empty() {
        say(match arguments.results.is_empty() {
            true => "no results yet: `drivelab review` makes some",
            false => "no matching results",
        });
    }
    // A name is cut for a terminal alone: a file or a pipe has room.
    let columns = match std::io::stdout().is_terminal() {
        true => text_columns(),
        false => usize::MAX,
    };
    print(&listed(&listing.results, &TimeZone::system(), columns))
}

/// One line per result, in this many columns: number, local time, method, scale, target, and the figure or state; a
/// second one for the user's note.
fn listed(runs: &[ResultListing], zone: &TimeZone, columns: usize) -> String {
    let widest = |of: &dyn Fn(&ResultListing) -> usize| runs.iter().map(of).max().unwrap_or(0);
    let id = widest(&|run| run.id.to_string().len());
    let method = widest(&|run| length(&run.method));
    let outcome = widest(&|run| length(&outcome_of(run)));
    // Number, time, method, scale and figure, with two blanks behind each.
    let others = id + 16 + method + 7 + outcome + 10;
    let target = widest(&|run| length(&run.target)).min(columns.saturating_sub(others).max(12));
    let mut text = String::new();
    for run in runs {
        let _ = writeln!(
            text,
            "{:>id$}  {}  {}  {:7}  {}  {:>outcome$}",
            run.id,
            local(&run.began, zone),
            padded(&run.method, method),
            run.scale.as_deref().unwrap_or_default(),
            padded(&cut(&run.target, target), target),
            outcome_of(run),
        );
        text.push_str(&said(run, id + 2, columns));
    }
    text.push_str(&plans_of(runs, columns));
    text
}

/// Which of them are steps of plans: `plan-1: 1 to 12`.
fn plans_of(runs: &[ResultListing], columns: usize) -> String {
    let mut plans: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
    for run in runs {
        if let Some(plan) = &run.plan {
            let ends = plans.entry(plan.id).or_insert((run.id, run.id));
            *ends = (ends.0.min(run.id), ends.1.max(run.id));
        }
    }
    let each = plans
        .iter()
        .rev()
        .map(|(plan, (from, to))| format!("plan-{plan}: {from} to {to}"));
    let each: Vec<String> = each.collect();
    match each.is_empty() {
        true => String::new(),
        false => paragraph(&each.join("; "), 0, columns),
    }
}

/// Its figure, or its state if it has none.
fn outcome_of(run: &ResultListing) -> String {
    match &run.figure {
        Some(figure) if run.state == "finished" => {
            let value = lab::how_long::three(figure.value);
            format!("{value} {}", figure.unit)
        }
        _ => run.state.clone(),
    }
}

/// Name, tags and note, where there are any.
fn said(run: &ResultListing, indent: usize, columns: usize) -> String {
    let mut parts = Vec::new();
    parts.extend(run.name.clone());
    parts.extend(run.tags.iter().map(|tag| format!("#{tag}")));
    parts.extend(run.note.clone());
    match parts.is_empty() {
        true => String::new(),
        false => paragraph(&parts.join(", "), indent, columns),
    }
}

/// A UTC date of the listing in the local time zone: `2026-11-21 13:23`.
fn local(began: &str, zone: &TimeZone) -> String {
    match began.parse::<Timestamp>() {
        Ok(time) => {
            let there = time.to_zoned(zone.clone());
            there.strftime("%Y-%m-%d %H:%M").to_string()
        }
        Err(_) => cut(began, 16),
    }
}

/// The stored results that names mean.
pub(crate) fn stored(session: &Session, names: &[String]) -> Result<Vec<RunResult>, Failure> {
    let store = session.open_store_to_read()?;
    let mut results: Vec<RunResult> = Vec::new();
    for name in names {
        if let Some(id) = plans::prepared::named(name)? {
            results.extend(plans::outcome::stored_outcome(&store, id)?.results);
            continue;
        }
        let runs = lab::choose(&store, std::slice::from_ref(name))?;
        for run in &runs {
            // Of what means several, none comes twice; who names one twice means that.
            if runs.len() > 1 && results.iter().any(|known| known.id == run.0) {
                continue;
            }
            match lab::running::stored_result(&store, lab::Which::Id(*run)) {
                Ok(result) => results.push(result),
                // Of several, those that have none are left out.
                Err(why) if runs.len() > 1 => {
                    tell(&Message::new("left-out", [("why", Argument::text(why))]))
                }
                Err(why) => return Err(why.into()),
            }
        }
        if runs.is_empty() {
            say(&format!("{name}: no matching results"));
        }
    }
    if results.is_empty() {
        return Err(Failure::Failed("no result to report".to_owned()));
    }
    Ok(results)
}

/// Makes a report of stored results.
pub(crate) fn report(session: &Session, arguments: &ReportArguments) -> Result<(), Failure> {
    if arguments.results.is_empty() {
        return super::browse::all(session, arguments);
    }
    if arguments.open && arguments.html.is_none() && arguments.folder.is_none() {
        return Err(Failure::Usage(
            "--open opens what is written: add --html FILE or --folder DIR".to_owned(),
        ));
    }
    if let ([name], false) = (&arguments.results[..], has_other_form(arguments))
        && let Some(id) = plans::prepared::named(name)?
    {
        let store = session.open_store_to_read()?;
        let outcome = plan::stored_outcome(session, &store, id)?;
        return plan::show(session, &outcome, arguments.html.as_deref(), arguments.json);
    }
    let results = stored(session, &arguments.results)?;
    write_pages(session, arguments, &results)?;
    if arguments.json {
        let text = match (arguments.uses, arguments.explain) {
            (true, _) => report::uses::json(&results),
            (_, true) => report::inside::json(&results),
            _ => report::json::results(&results, None),
        };
        return print_json_text(&text.map_err(failed)?);
    }
    if let Some(text) = form(session, arguments, &results)? {
        return print(&text);
    }
    let written = [
        &arguments.html,
        &arguments.folder,
        &arguments.plots,
        &arguments.hdr_log,
        &arguments.metrics,
    ];
    if written.iter().all(|place| place.is_none()) {
        print(&report::terminal::summary(&results, &session.terminal()))?;
        // Where a drive is measured, these end the command with its exit code.
        for line in report::findings::failing(&results, session.lang) {
            say(&line);
        }
    }
    Ok(())
}

/// The results in the form that is requested: verdicts on uses, a table, or another program's format; nothing where
/// none is.
fn form(
    session: &Session,
    arguments: &ReportArguments,
    results: &[RunResult],
) -> Result<Option<String>, Failure> {
    if arguments.uses {
        return Ok(Some(report::uses::text(results, &session.terminal())));
    }
    if arguments.explain {
        let terminal = session.terminal();
        let text = report::inside::of_all(results, terminal.columns, terminal.lang);
        return match text.is_empty() {
            true => Err(Failure::Usage(
                "none of these is a result of `explain`: `drivelab results` lists them".to_owned(),
            )),
            false => Ok(Some(text)),
        };
    }
    if let Some(table) = arguments.csv {
        let text = match table {
            CsvTable::Figures => report::csv::figures(results),
            CsvTable::Histograms => report::csv::histograms(results),
            CsvTable::Verdict => report::csv::table(results, session.lang),
        };
        return Ok(Some(text.map_err(failed)?));
    }
    if let Some(table) = arguments.table {
        return Ok(Some(match table {
            PastedTable::Markdown => report::main_table::markdown(results, session.lang),
            PastedTable::Html => report::main_table::fragment(results, session.lang),
        }));
    }
    if arguments.iometer_csv {
        let text = report::iometer_csv::results(results);
        return Ok(Some(text.map_err(failed)?));
    }
    if arguments.crystaldiskmark_text {
        let text = report::crystaldiskmark_text::results(results, &crystaldiskmark_date);
        return Ok(Some(text.map_err(Failure::Usage)?));
    }
    Ok(None)
}

/// A local time as CrystalDiskMark writes it: `2026/11/21 13:23:26`.
fn crystaldiskmark_date(unix_ms: u64) -> String {
    instant(unix_ms)
        .to_zoned(TimeZone::system())
        .strftime("%Y/%m/%d %H:%M:%S")
        .to_string()
}

/// True if something other than the summary of a plan, its page or its JSON is requested.
fn has_other_form(arguments: &ReportArguments) -> bool {
    let files = arguments.folder.is_some() || arguments.plots.is_some();
    let texts = arguments.iometer_csv || arguments.crystaldiskmark_text;
    let files = files || arguments.hdr_log.is_some() || arguments.metrics.is_some();
    let tables = arguments.csv.is_some() || arguments.table.is_some() || texts;
    files || tables || arguments.uses || arguments.explain || arguments.open
}

/// Output to files: a page, a folder, pictures.
fn write_pages(
    session: &Session,
    arguments: &ReportArguments,
    results: &[RunResult],
) -> Result<(), Failure> {
    let options = session.html_options(None);
    if let Some(path) = &arguments.html {
        lab::check_report_place(path)?;
        session.write_html(path, results)?;
        tell(&report_at(path));
    }
    if let Some(folder) = &arguments.folder {
        let files = report::folder(results, &options);
        write_files(session, folder, &files.map_err(failed)?)?;
        tell(&report_at(&folder.join("index.html")));
    }
    if let Some(folder) = &arguments.plots {
        let files = report::pictures(results, &options);
        write_files(session, folder, &files)?;
        let (pictures, folder) = (files.len().into(), Argument::text(folder.display()));
        tell(&Message::new(
            "pictures-in",
            [("pictures", pictures), ("folder", folder)],
        ));
    }
    if let Some(path) = &arguments.hdr_log {
        let [result] = results else {
            return Err(Failure::Usage(format!(
                "--hdr-log takes one result, and {} are named: its phases are the intervals of the log",
                results.len()
            )));
        };
        write(
            path,
            &report::hdr_log::log(result).map_err(Failure::Failed)?,
        )?;
    }
    if let Some(path) = &arguments.metrics {
        write(path, &report::metrics::of_results(results))?;
    }
    if arguments.open {
        let folder = arguments.folder.as_ref().map(|f| f.join("index.html"));
        if let Some(page) = arguments.html.clone().or(folder) {
            super::browse::open(&page);
        }
    }
    Ok(())
}

/// Writes the files, and each picture also as PNG.
fn write_files(session: &Session, folder: &Path, files: &[report::File]) -> Result<(), Failure> {
    let drawn = as_png(session, files);
    let svg_alone =
        cfg!(not(feature = "png")) && files.iter().any(|file| file.path.ends_with(".svg"));
    let written = files
        .iter()
        .map(|file| (file.path.as_str(), file.content.as_bytes()));
    let drawn = drawn.iter().map(|(path, png)| (path.as_str(), &png[..]));
    let all: Vec<(&str, &[u8])> = written.chain(drawn).collect();
    lab::replace_folder(folder, &all)?;
    if svg_alone {
        say(
            "pictures are SVG; for PNG beside them: `cargo install --path crates/drivelab --features png`",
        );
    }
    Ok(())
}

/// The pictures among the files as PNG; missing fonts are reported once.
#[cfg(feature = "png")]
fn as_png(session: &Session, files: &[report::File]) -> Vec<(String, Vec<u8>)> {
    let mut pictures = files
        .iter()
        .filter_map(|file| Some((file.path.strip_suffix(".svg")?, &file.content)))
        .peekable();
    if pictures.peek().is_none() {
        return Vec::new();
    }
    let fonts = report::png::Fonts::of_the_system();
    if let Some(gap) = fonts.gap(session.html_options(None).lang) {
        say(&gap);
    }
    let draw = |(name, svg): (&str, &String)| {
        Some((format!("{name}.png"), report::png::png(svg, &fonts)?))
    };
    pictures.filter_map(draw).collect()
}

/// Built without the feature `png`: SVG alone.
#[cfg(not(feature = "png"))]
fn as_png(_: &Session, _: &[report::File]) -> Vec<(String, Vec<u8>)> {
    Vec::new()
}

/// Sets stored results side by side.
pub(crate) fn compare(session: &Session, arguments: &CompareArguments) -> Result<(), Failure> {
    let results = stored(session, &arguments.results)?;
    let comparison = analysis::compare::compare(&results);
    if results.len() < 2 {
        let alone = analysis::compare::refusal(&comparison).unwrap_or_default();
        return Err(Failure::Usage(alone));
    }
    if arguments.json {
        print_json_text(&report::compare::json(&comparison).map_err(failed)?)?;
    } else {
        print(&report::compare::text(&results, &session.terminal()))?;
    }
    match analysis::compare::refusal(&comparison) {
        None => Ok(()),
        Some(why) => Err(Failure::Failed(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::results::listing::{ListedFigure, StepListing};

    #[test]
    fn a_result_is_a_line_of_eighty_columns_with_local_time_scale_and_figure() {
        let run = |id: i64, target: &str| ResultListing {
            id,
            method: "pts-host-idle-recovery".to_owned(),
            target: target.to_owned(),
            serial: None,
            began: "2026-11-21T12:23:26Z".to_owned(),
            state: "finished".to_owned(),
            scale: Some("default".to_owned()),
            figure: Some(ListedFigure {
                key: "seq1m-q8t1.read".to_owned(),
                value: 3_480.25,
                unit: "MB/s".to_owned(),
            }),
            name: (id == 7).then(|| "before".to_owned()),
            tags: vec!["desk".to_owned()],
            note: None,
            plan: (id == 7).then_some(StepListing { id: 2, step: 3 }),
        };
        let japan = TimeZone::fixed(jiff::tz::offset(9));
        let runs = [
            run(7, "model:samsung-970-evo-plus-1tb?state=steady-random"),
            run(6, "."),
        ];
        let text = listed(&runs, &japan, 80);
        assert!(text.lines().all(|line| length(line) <= 80), "{text}");
        assert!(text.contains("7  2026-11-21 21:23  pts-host"), "{text}");
        assert!(text.contains("before, #desk\n"), "{text}");
        assert!(
            text.contains("default") && text.contains("3480 MB/s"),
            "{text}"
        );
    }
}
