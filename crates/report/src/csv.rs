//! Figures as CSV: a line for each figure of each result, for spreadsheets and statistics programs.
//!
//! Numbers have six significant digits, more than anything is measured to (JSON has them in full), and a point; a missing number is an empty field, with its reason in
//! `why_not`. The columns are documented by their names, which are those of the JSON schema.

use analysis::group::Groups;
use base::result::{Better, Figure};
use results::{RunResult, TailMark};

use crate::lang::{Lang, Texts};
use analysis::tails::tail_mark;
use analysis::verdict::{Cell, Reference, Row, Table};

const COLUMNS: [&str; 23] = [
    "result",
    "method",
    "method_version",
    "target",
    "title",
    "kind",
    "key",
    "value",
    "unit",
    "better",
    "statistic",
    "n",
    "interval_low",
    "interval_high",
    "interval_confidence_percent",
    "span",
    "data",
    "alignment",
    "state",
    "scale",
    "stands_beside_published",
    "why_not",
    "tail",
];

/// All figures of the results, with a head line.
///
/// # Errors
/// Never: the writer's buffer is memory; the error is the csv crate's.
pub fn figures(results: &[RunResult]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for result in results {
        for figure in &result.figures {
            writer.write_record(record(result, figure))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The histograms of response times: a line for each bucket that holds anything, of each kind of I/O of each phase.
///
/// # Errors
/// Never: the writer's buffer is memory; the error is the csv crate's.
pub fn histograms(results: &[RunResult]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "result", "method", "target", "phase", "op", "from_ns", "below_ns", "count",
    ])?;
    for result in results {
        for phase in &result.phases {
            for (op, times) in crate::hdr_log::histograms(phase) {
                for (low, width, count) in times.buckets() {
                    let (id, low) = (result.id.to_string(), low.as_nanos());
                    writer.write_record([
                        id.as_str(),
                        &result.method,
                        &result.target.name,
                        &phase.name,
                        op.name(),
                        &low.to_string(),
                        &(low + width.as_nanos()).to_string(),
                        &count.to_string(),
                    ])?;
                }
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The verdict table: a line for each figure, a column for each drive; what cannot be compared, or has no
/// value, is an empty field.
///
/// # Errors
/// Never: the writer's buffer is memory; the error is the csv crate's.
pub fn table(results: &[RunResult], lang: Lang) -> Result<String, csv::Error> {
    let texts = Texts::of(lang, results);
    let groups = texts.groups(results);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut head = ["method", "key", "figure", "unit", "better"]
        .map(str::to_owned)
        .to_vec();
    head.extend(groups.subjects.iter().map(|s| as_text(&s.title)));
    head.push("tails".to_owned());
    writer.write_record(head)?;
    for section in &groups.sections {
        let table = Table::new(section, Reference::Majority);
        for row in &table.rows {
            let mut record = vec![
                as_text(texts.title(section.titles)),
                as_text(row.key),
                as_text(&texts.figure(row.key)),
                row.unit.to_owned(),
                better(row.better).to_owned(),
            ];
            record.extend(groups.subjects.iter().map(|subject| {
                let place = table.columns.iter().position(|c| *c == subject.index);
                match place.map(|place| &row.cells[place]) {
                    Some(Cell::Value { figure, .. }) => number(figure.value),
                    _ => String::new(),
                }
            }));
            record.push(tails(row, &table, &groups));
            writer.write_record(record)?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What the modelled tails of a row are worth, each with its drive.
fn tails(row: &Row, table: &Table, groups: &Groups) -> String {
    let marked = row.tails.iter().zip(&table.columns);
    let said = marked.filter_map(|(mark, subject)| {
        Some(format!(
            "{}: {}",
            groups.subjects[*subject].title,
            worth((*mark)?)
        ))
    });
    as_text(&said.collect::<Vec<_>>().join("; "))
}

/// Six significant digits, without noughts at the end.
fn number(value: Option<f64>) -> String {
    let near = |v: f64| format!("{v:.5e}").parse().unwrap_or(v);
    value.map_or(String::new(), |v| near(v).to_string())
}

fn better(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher",
        Better::Lower => "lower",
        Better::None => "none",
    }
}

fn record(result: &RunResult, figure: &Figure) -> [String; 23] {
    let interval = figure.interval;
    let by = &figure.comparable_by;
    [
        result.id.to_string(),
        result.method.clone(),
        result.method_version.to_string(),
        as_text(&result.target.name),
        as_text(&result.target.title),
        result.target.kind.name().to_owned(),
        figure.key.clone(),
        number(figure.value),
        figure.unit.clone(),
        better(figure.better).to_owned(),
        figure.statistic.to_string(),
        figure.n.to_string(),
        number(interval.map(|i| i.low)),
        number(interval.map(|i| i.high)),
        number(interval.map(|i| i.confidence_percent)),
        by.span.to_string(),
        by.data.to_string(),
        by.alignment.clone(),
        by.state.clone(),
        by.scale.clone(),
        result.stands_beside_published.to_string(),
        as_text(figure.why_not.as_deref().unwrap_or("")),
        tail_mark(figure, &result.target).map_or(String::new(), worth),
    ]
}

/// What a modelled drive's tail is worth; empty for all other figures.
fn worth(mark: TailMark) -> String {
    match mark {
        TailMark::NotCompared => "not compared".to_owned(),
        TailMark::OffPercent(percent) => format!("off by {percent} %"),
        TailMark::OffFactor(factor) => format!("off by a factor of {factor}"),
        TailMark::MissesPublished { published, factor } => {
            let told = published.map_or(String::new(), |value| format!("published {value}, "));
            format!("{told}missed by a factor of {factor:.2}")
        }
    }
}

/// A text that comes from a drive or a path: one that a spreadsheet would take for a formula is
/// written with an apostrophe before it.
pub(crate) fn as_text(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::message::Message;
    use fixtures::results as sample;

    #[test]
    fn figures_are_written_to_six_digits_with_their_conditions() {
        let mut results = sample::review();
        results.truncate(1);
        results[0].figures.truncate(2);
        results[0].figures[0].value = Some(3_480.123_456_789);
        results[0].figures[1].value = None;
        results[0].figures[1].why_not =
            Some(base::message::Message::as_it_stands("said \"no\", twice"));
        insta::assert_snapshot!(figures(&results).unwrap(), @r#"
        result,method,method_version,target,title,kind,key,value,unit,better,statistic,n,interval_low,interval_high,interval_confidence_percent,span,data,alignment,state,scale,stands_beside_published,why_not,tail
        1,crystaldiskmark,1,./,Example NVMe 1TB (test file),real,seq1m-q8t1.read,3480.12,MB/s,higher,best of 3,3,,,,1 GiB from 0 B,"fresh, 0 % compressible",4 KiB,unknown,default,false,,
        1,crystaldiskmark,1,./,Example NVMe 1TB (test file),real,seq1m-q8t1.read.median,,MB/s,higher,median of 3,3,3375.6,3480,75,1 GiB from 0 B,"fresh, 0 % compressible",4 KiB,unknown,default,false,"said ""no"", twice",
        "#);
    }

    #[test]
    fn the_table_has_a_column_a_drive_and_leaves_out_what_cannot_be_compared() {
        let mut results = sample::review();
        results.truncate(3);
        results
            .iter_mut()
            .for_each(|result| result.figures.truncate(1));
        results[1].figures[0].comparable_by.span =
            base::message::Message::as_it_stands("512 MiB from 0 B");
        insta::assert_snapshot!(table(&results, Lang::En).unwrap(), @r"
        method,key,figure,unit,better,Example NVMe 1TB (test file),Samsung 840 EVO 750GB,HGST Deskstar NAS 3TB,tails
        CrystalDiskMark 8/9,seq1m-q8t1.read,SEQ1M Q8T1 read,MB/s,higher,3480,,174,
        ");
    }

    #[test]
    fn a_name_that_a_spreadsheet_would_run_is_defused() {
        let mut results = sample::review();
        results.truncate(1);
        results[0].figures.truncate(1);
        results[0].target.title = Message::as_it_stands("=HYPERLINK(1)");
        assert!(figures(&results).unwrap().contains(",'=HYPERLINK(1),"));
    }

    #[test]
    fn a_modelled_tail_says_in_both_files_what_it_is_worth() {
        let mut results = sample::review();
        results.retain(|r| r.method == "latency-watch" && !r.target.name.starts_with('.'));
        results
            .iter_mut()
            .for_each(|result| result.figures.retain(|f| f.key == "alone.p99.9"));
        let said = figures(&results).unwrap();
        assert_eq!(said.matches(",not compared\n").count(), 2, "{said}");
        let said = table(&results, Lang::En).unwrap();
        let both = "Samsung 840 EVO 750GB: not compared; HGST Deskstar NAS 3TB: not compared\n";
        assert!(said.contains(both), "{said}");
    }
}
