//! How everything was made: notes and warnings in the open, the rest to be unfolded.

use base::result::Figure;
use results::RunResult;

use crate::number;
use analysis::group::Section;

use super::Page;
use super::drives::{code, definitions, letter, name};
use crate::escape::escape;

/// Notes and warnings of a method's results, each once, with the drives that they are about.
pub(super) fn remarks(page: &Page, section: &Section) -> String {
    let notes = gather(section, |result| &result.notes);
    let warnings = gather(section, |result| &result.warnings);
    let list = |class: &str, key: &str, remarks: &[(String, Vec<usize>)]| {
        if remarks.is_empty() {
            return String::new();
        }
        let all = section.results.len();
        let item = |(text, of): &(String, Vec<usize>)| {
            let whose: String = if of.len() == all {
                String::new()
            } else {
                let letters = of.iter().map(|s| letter(&page.groups.subjects[*s]));
                letters.collect::<Vec<_>>().concat() + " "
            };
            format!("<li>{whose}{}</li>", escape(text))
        };
        let items: String = remarks.iter().map(item).collect();
        format!(
            "<div class=\"{class}\" role=\"note\"><p><strong>{}</strong></p><ul lang=\"en\">{items}</ul></div>",
            page.say(key)
        )
    };
    list("warnings", "warnings", &warnings) + &list("notes", "notes", &notes)
}

fn gather(section: &Section, of: fn(&RunResult) -> &Vec<String>) -> Vec<(String, Vec<usize>)> {
    let mut gathered: Vec<(String, Vec<usize>)> = Vec::new();
    for (subject, result) in &section.results {
        for text in of(result) {
            match gathered.iter_mut().find(|(known, _)| known == text) {
                Some((_, whose)) => whose.push(*subject),
                None => gathered.push((text.clone(), vec![*subject])),
            }
        }
    }
    gathered
}

/// All figures of a section with how each was made.
pub(super) fn figures(page: &Page, section: &Section) -> String {
    let keys = analysis::verdict::Table::new(section, analysis::verdict::Reference::Majority);
    let rows: String = keys
        .rows
        .iter()
        .flat_map(|row| {
            section.results.iter().filter_map(|(subject, result)| {
                let figure = result.figures.iter().find(|f| f.key == row.key)?;
                Some(figure_row(page, *subject, result, figure))
            })
        })
        .collect();
    let heads: String = [
        "figure",
        "drive",
        "value",
        "statistic",
        "samples",
        "interval",
        "conditions",
        "phases",
    ]
    .iter()
    .map(|key| format!("<th scope=\"col\">{}</th>", page.say(key)))
    .collect();
    format!(
        "<details class=\"all-figures\"><summary>{summary}</summary><div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{summary}\">\
         <table class=\"figures\"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div></details>",
        summary = page.say("all-figures"),
    )
}

fn figure_row(page: &Page, subject: usize, result: &RunResult, figure: &Figure) -> String {
    let value = match figure.value {
        Some(value) => format!(
            "{} {}",
            escape(&number::value(value, &figure.unit)),
            escape(&page.texts.unit(&figure.unit))
        ),
        None => format!(
            "{} ({})",
            page.say("no-value"),
            escape(figure.why_not.as_deref().unwrap_or(""))
        ),
    };
    let interval = figure.interval.map_or(String::new(), |interval| {
        let low = number::value(interval.low, &figure.unit);
        let high = number::value(interval.high, &figure.unit);
        let percent = interval.confidence_percent.to_string();
        page.with(
            "interval-text",
            &[("low", &low), ("high", &high), ("percent", &percent)],
        )
    });
    let by = &figure.comparable_by;
    let conditions: Vec<&str> = [&by.span, &by.data, &by.alignment, &by.state, &by.scale]
        .into_iter()
        .map(String::as_str)
        .filter(|condition| !condition.is_empty())
        .collect();
    format!(
        "<tr class=\"d{subject}\"><th scope=\"row\">{name}<br><code>{key}</code></th><td>{letter}</td>\
         <td class=\"number\">{value}</td><td>{statistic}</td><td class=\"number\">{n}</td><td>{interval}</td>\
         <td>{conditions}</td><td>{phases}</td></tr>",
        name = escape(&page.texts.figure(&figure.key)),
        key = escape(&figure.key),
        letter = letter(&page.groups.subjects[subject]),
        statistic = escape(&page.texts.statistic(&figure.statistic)),
        n = number::with_commas(&figure.n.to_string()),
        conditions = escape(&conditions.join("; ")),
        phases = phases(page, result, figure),
    )
}

/// The phases of a figure, and links to the workloads that they ran.
fn phases(page: &Page, result: &RunResult, figure: &Figure) -> String {
    let named = match figure.phases.as_slice() {
        [] => return String::new(),
        [one] => escape(one),
        [first, .., last] => page.with(
            "phases-many",
            &[
                ("first", first),
                ("last", last),
                ("count", &figure.phases.len().to_string()),
            ],
        ),
    };
    let links: String = page
        .workloads
        .of_phases(result, &figure.phases)
        .into_iter()
        .map(|n| format!(" <a href=\"#w{n}\">W{n}</a>"))
        .collect();
    named + &links
}

/// Command line, settings and environment of each result of a section.
pub(super) fn how(page: &Page, section: &Section) -> String {
    let parts: String = section
        .results
        .iter()
        .map(|(subject, result)| how_one(page, *subject, result))
        .collect();
    format!(
        "<details class=\"how\"><summary>{}</summary>{parts}</details>",
        page.say("how")
    )
}

fn how_one(page: &Page, subject: usize, result: &RunResult) -> String {
    let settings: Vec<(String, String)> = result
        .settings
        .values
        .iter()
        .map(|(key, value)| {
            let given = if result.settings.given.contains(key) {
                format!(" <em>({})</em>", page.say("given"))
            } else {
                String::new()
            };
            (escape(key), code(value) + &given)
        })
        .chain([(
            escape(&page.texts.fact("seed")),
            code(&result.settings.seed.to_string()),
        )])
        .collect();
    let mut environment: Vec<(String, String)> =
        vec![("drivelab".to_owned(), escape(&result.environment.drivelab))];
    let host = result.environment.host.iter();
    environment.extend(host.map(|(key, value)| (escape(&page.texts.fact(key)), escape(value))));
    environment.push((page.say("issued"), escape(&result.target.path)));
    environment.push((page.say("state-before"), escape(&result.target.state)));
    let links: String = page
        .workloads
        .counted(result)
        .into_iter()
        .map(|(n, first_phase, count)| {
            let said = page.with(
                "workload-phases",
                &[("name", &first_phase), ("count", &count.to_string())],
            );
            format!("<li><a href=\"#w{n}\">W{n}</a>: {said}</li>")
        })
        .collect();
    format!(
        "<div class=\"d{subject} made-by\"><h4>{name}</h4><p>{command}: {line}</p>\
         <div class=\"columns\"><div><h5>{settings_head}</h5>{settings}</div>\
         <div><h5>{environment_head}</h5>{environment}</div>\
         <div><h5>{workloads_head}</h5><ul>{links}</ul></div></div></div>",
        name = name(page, &page.groups.subjects[subject]),
        command = page.say("command"),
        line = code(&command_line(&result.environment.command)),
        settings_head = page.say("settings"),
        settings = definitions(&settings),
        environment_head = page.say("environment"),
        environment = definitions(&environment),
        workloads_head = page.say("workloads"),
    )
}

/// The words of a command as a shell takes them.
fn command_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    let quoted: Vec<String> = words
        .iter()
        .map(|word| {
            if !word.is_empty() && word.chars().all(plain) {
                word.clone()
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        })
        .collect();
    quoted.join(" ")
}

/// Every workload of the page once, in words and exactly.
pub(super) fn workloads(page: &Page) -> String {
    let items: String = page
        .workloads
        .all()
        .iter()
        .enumerate()
        .map(|(i, kind)| {
            let n = i + 1;
            let words = crate::words::workload(&kind.example, &kind.span_words(&page.texts), &page.texts);
            format!(
                "<li id=\"w{n}\"><span class=\"w\">W{n}</span> {}<details><summary>JSON</summary><pre>{}</pre></details></li>",
                escape(&words),
                escape(&kind.json())
            )
        })
        .collect();
    format!(
        "<section aria-labelledby=\"work-h\"><h2 id=\"work-h\">{head}</h2>\
         <details class=\"workloads\"><summary>{head} (W1–W{count})</summary><ul>{items}</ul></details></section>\n",
        head = page.say("workloads"),
        count = page.workloads.all().len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let words = ["drivelab", "run", "model:a?x=1&y=2", "it's"].map(str::to_owned);
        assert_eq!(
            command_line(&words),
            r"drivelab run 'model:a?x=1&y=2' 'it'\''s'"
        );
    }
}
