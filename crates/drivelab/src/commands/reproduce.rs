//! `drivelab reproduce`: the modelled drives beside what was published of the real ones.

use std::io::IsTerminal;

use accuracy::reproduce::{Errors, Independence, Reproduce, Reproduction, RowResult, Score};
use report::HtmlOptions;
use report::reproduction::{Reproduced, ReproducedRow, ReproducedScore, ScoredErrors, Worth};

use super::Session;
use crate::arguments::ReproduceArguments;
use crate::output::{Failure, columns, print, print_json, say};

/// Runs what the selected rows need, and prints every row and the score.
pub(crate) fn reproduce(session: &Session, arguments: &ReproduceArguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.html {
        lab::check_report_place(path)?;
    }
    crate::signals::watch(&session.interrupt)?;
    let jobs = arguments.jobs.threads();
    let asked = Reproduce {
        drive: arguments.drive.clone(),
        document: arguments.seed_doc.clone(),
        role: arguments.role.clone(),
        rows: arguments.row.clone(),
        changes: arguments.change.clone(),
        jobs,
        seed: arguments.seed,
    };
    let shows = std::io::stderr().is_terminal();
    let done = |finished: usize, all: usize| {
        if shows {
            say(&format!("{finished} of {all} experiments"));
        }
    };
    let reproduction = accuracy::reproduce::reproduce(&asked, &session.interrupt, &done)?;
    if let Some(path) = &arguments.html {
        let options = HtmlOptions {
            lang: session.lang,
            title: None,
        };
        let page = report::reproduction::html(&shown(&reproduction), &options);
        lab::replace_report(path, &page)?;
        say(&format!("page: {}", path.display()));
    }
    if arguments.json {
        print_json(&reproduction)
    } else if arguments.csv {
        print(&report::reproduction::csv(&shown(&reproduction)))
    } else {
        let text = report::reproduction::text(&shown(&reproduction), columns(), session.lang);
        print(&text)
    }
}

fn shown(reproduction: &Reproduction) -> Reproduced {
    let all = std::iter::once(score("", &reproduction.score));
    let documents = reproduction.documents.iter();
    Reproduced {
        rows: reproduction.rows.iter().map(row).collect(),
        scores: all
            .chain(documents.map(|d| score(&d.document, &d.score)))
            .collect(),
    }
}

fn row(row: &RowResult) -> ReproducedRow {
    let join = |parts: [&String; 2], between: &str| {
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(between)
    };
    let test = join([&row.test, &row.condition], ", ");
    ReproducedRow {
        id: row.id.to_string(),
        document: row.document.clone(),
        drive: join([&row.drive, &row.capacity], " "),
        what: join([&test, &row.metric], ": "),
        unit: row.unit.clone(),
        published: row.published.clone(),
        published_number: row.published.parse().ok(),
        simulated: row.simulated,
        null: row.null,
        error: row.error,
        null_error: row.null_error,
        holds: row.holds,
        shows: row
            .shows
            .iter()
            .map(|shown| (shown.name.clone(), shown.value))
            .collect(),
        worth: worth(row),
        state: row.state.clone(),
        host: row.host.clone(),
        assumed: row.assumed.clone(),
        not_run: row.not_run.clone(),
        missing: row.missing.clone(),
    }
}

fn worth(row: &RowResult) -> Worth {
    match (row.role, row.independence) {
        ("calibrate", _) if row.exactly_determined => Worth::Exact,
        ("calibrate", _) => Worth::Calibrated,
        (_, Some(Independence::Own)) if row.null.is_some() => Worth::Predicted,
        (_, Some(Independence::Own)) => Worth::Claim,
        (_, Some(Independence::Trivial)) => Worth::Trivial,
        (_, Some(Independence::Derived)) => Worth::Derived,
        _ => Worth::Range,
    }
}

fn score(document: &str, score: &Score) -> ReproducedScore {
    let errors = |errors: &Errors| ScoredErrors {
        rows: errors.rows,
        run: errors.run,
        bound: errors.bound,
        median: errors.median,
        within: errors.within,
    };
    let claims = score.claims;
    ReproducedScore {
        document: document.to_owned(),
        calibrated: errors(&score.calibrated),
        predicted: errors(&score.predicted),
        null: errors(&score.null),
        claims: [claims.rows, claims.run, claims.held],
    }
}
