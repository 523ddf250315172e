//! A model beside measured drives: a table for the terminal, and a page with both distributions of response times
//! for each drive.
//!
//! A demerit figure says how far two distributions are apart, the picture where. Both are drawn as the
//! share of responses that took no longer than a time, on a logarithmic axis of time, so that hits in a
//! buffer and revolutions of a disc are seen at once. The page needs no scripts.

use maud::{Markup, html};
use results::validation::{Agreement, ValidatedDisk, Validation};

use crate::chart::{Axis, Drawing, Line, Plot, Reading, Scale};
use crate::html::HtmlOptions;
use crate::html::shell::{self, still_page};
use crate::lang::Texts;
use crate::svg::{WIDE, svg};

/// Points of a curve: more than a screen has pixels for would show nothing more.
const POINTS: usize = 500;

/// The table for the terminal.
pub fn text(validation: &Validation) -> String {
    let mut out = format!(
        "{:34} {:>9} {:>13} {:>12} {:>11} {:>11}\n",
        "responses in ms", "requests", "simulated", "measured", "demerit", "DiskSim"
    );
    for disk in &validation.disks {
        let disksim = disk
            .disksim_demerit_ms
            .map_or_else(|| "-".to_owned(), |ms| format!("{ms:.3}"));
        out.push_str(&format!(
            "{} {disksim:>11}\n",
            text_row(&disk.name, &disk.all)
        ));
        for class in &disk.classes {
            let name = format!("  {}", class.class.name());
            out.push_str(&format!("{}\n", text_row(&name, &class.agreement)));
        }
    }
    out.push_str(
        "demerit: root mean square distance between the two distributions of response times\n",
    );
    for why in &validation.unusable {
        out.push_str(&format!("not validated: {why}\n"));
    }
    out
}

fn text_row(name: &str, all: &Agreement) -> String {
    format!(
        "{name:34} {:>9} {:>13.3} {:>12.3} {:>11.3}",
        all.requests, all.mean_ms, all.measured_mean_ms, all.demerit_ms
    )
}

/// The page. Equal validations give an equal page.
pub fn html(validation: &Validation, options: &HtmlOptions) -> String {
    let texts = Texts::new(options.lang);
    let title = options.title.clone();
    let title = title.unwrap_or_else(|| texts.say("validate-title"));
    let main = html! {
        @for (at, disk) in validation.disks.iter().enumerate() { (section(at, disk, &texts)) }
        @if !validation.unusable.is_empty() {
            section class="method" {
                h2 { (texts.say("validate-unusable")) }
                ul { @for why in &validation.unusable { li { (why) } } }
            }
        }
    };
    still_page(&texts, &title, &[&texts.say("validate-lede")], &main)
}

fn section(at: usize, disk: &ValidatedDisk, texts: &Texts) -> Markup {
    let keys = [
        ("drive-0", "validate-measured"),
        ("drive-1", "validate-simulated"),
    ]
    .map(|(colour, key)| (colour.to_owned(), texts.say(key)));
    let content = html! {
        (table(disk, texts))
        (shell::figure(&keys, &svg(&plot(at, disk, texts), WIDE)))
    };
    shell::section(&format!("v{at}"), &disk.name, &content)
}

fn table(disk: &ValidatedDisk, texts: &Texts) -> Markup {
    let heads = [
        "validate-requests-kind",
        "validate-requests",
        "validate-simulated-mean",
        "validate-measured-mean",
        "validate-demerit",
        "validate-disksim",
    ]
    .map(|key| texts.say(key));
    let rows = html! {
        (table_row(&texts.say("validate-all"), &disk.all, disk.disksim_demerit_ms))
        @for class in &disk.classes { (table_row(class.class.name(), &class.agreement, None)) }
    };
    shell::table(&heads, &rows)
}

fn table_row(name: &str, all: &Agreement, disksim_ms: Option<f64>) -> Markup {
    let ms = |value: f64| format!("{value:.3}");
    html! {
        tr {
            th scope="row" { (name) }
            td { (all.requests) }
            td { (ms(all.mean_ms)) }
            td { (ms(all.measured_mean_ms)) }
            td { (ms(all.demerit_ms)) }
            td { @if let Some(demerit) = disksim_ms { (ms(demerit)) } }
        }
    }
}

fn plot(at: usize, disk: &ValidatedDisk, texts: &Texts) -> Plot {
    let ends = |times: &[f64]| (times.first().copied(), times.last().copied());
    let (low_s, high_s) = ends(&disk.simulated_ms);
    let (low_m, high_m) = ends(&disk.measured_ms);
    let least = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).fold(f64::MAX, f64::min);
    let low = least(low_s, low_m).clamp(1e-3, 1e6);
    let high = high_s.into_iter().chain(high_m).fold(low * 2.0, f64::max);
    let curve = |number: usize, key: &str, letter: &str, times: &[f64]| Line {
        colour: format!("drive-{number}"),
        subject: 0,
        name: texts.say(key),
        letter: letter.to_owned(),
        x: quantiles(times).map(|(time, _)| time.max(low)).collect(),
        y: quantiles(times).map(|(_, share)| Some(share)).collect(),
        band: None,
        drawing: Drawing::Line,
        gb_a_unit: None,
        on_right: false,
    };
    Plot {
        id: format!("v{at}-plot"),
        subject: None,
        title: disk.name.clone(),
        description: texts.say("validate-picture"),
        x: Axis {
            label: texts.say("validate-axis-time"),
            scale: Scale::Log,
            reading: Reading::Millis,
            low,
            high,
        },
        y: Axis {
            label: texts.say("validate-axis-share"),
            scale: Scale::Linear,
            reading: Reading::Percent,
            low: 0.0,
            high: 100.0,
        },
        right: None,
        lines: vec![
            curve(0, "validate-measured", "", &disk.measured_ms),
            curve(1, "validate-simulated", "", &disk.simulated_ms),
        ],
        marks: Vec::new(),
    }
}

/// Points of a cumulative distribution: a time, and the per cent of responses up to it.
fn quantiles(times: &[f64]) -> impl Iterator<Item = (f64, f64)> + '_ {
    let points = POINTS.min(times.len());
    (1..=points).map(move |point| {
        let rank = point * times.len() / points;
        (times[rank - 1], rank as f64 * 100.0 / times.len() as f64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
    use results::validation::{RequestClass, VALIDATION_SCHEMA, ValidatedClass};

    fn validation(disks: usize) -> Validation {
        let all = Agreement {
            requests: 3,
            mean_ms: 5.0,
            measured_mean_ms: 5.5,
            demerit_ms: 0.25,
        };
        let writes = ValidatedClass {
            class: RequestClass::Write,
            agreement: Agreement { requests: 1, ..all },
        };
        let disk = ValidatedDisk {
            name: "disk <1>".to_owned(),
            all,
            disksim_demerit_ms: Some(0.31),
            classes: vec![writes],
            simulated_ms: vec![0.5, 4.0, 10.5],
            measured_ms: vec![0.6, 5.0, 10.9],
        };
        Validation {
            schema: VALIDATION_SCHEMA,
            disks: vec![disk; disks],
            unusable: Vec::new(),
        }
    }

    #[test]
    fn the_table_has_a_line_a_disk_and_one_a_kind_of_request() {
        let text = text(&validation(1));
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!(
            lines[1],
            ["disk", "<1>", "3", "5.000", "5.500", "0.250", "0.310"]
        );
        assert_eq!(lines[2], ["write", "1", "5.000", "5.500", "0.250"]);
    }

    #[test]
    fn the_page_shows_each_drive_with_its_figures_and_both_distributions() {
        for lang in Lang::ALL {
            let options = HtmlOptions { lang, title: None };
            let page = html(&validation(2), &options);
            assert_eq!(page.matches("<svg").count(), 2);
            assert_eq!(page.matches("class=\"stroke\"").count(), 4);
            assert!(page.contains("disk &lt;1&gt;") && !page.contains("<1>"));
            assert!(page.contains("<td>0.250</td><td>0.310</td>"));
            assert!(!page.contains("NaN") && !page.contains("<script"));
            assert!(page.contains("<meta name=\"generator\" content=\"drivelab"));
        }
    }

    #[test]
    fn a_drive_without_responses_makes_no_picture_of_nothing() {
        let mut nothing = validation(0);
        nothing.disks.push(ValidatedDisk::default());
        let page = html(&nothing, &HtmlOptions::default());
        assert!(!page.contains("NaN") && !page.contains("inf"));
    }

    #[test]
    fn a_disk_that_could_not_be_used_is_named_in_the_table_and_on_the_page() {
        let mut one = validation(1);
        one.unusable.push("b.toml:3: <key>: no number".to_owned());
        assert!(text(&one).contains("not validated: b.toml:3: <key>: no number\n"));
        let page = html(&one, &HtmlOptions::default());
        assert!(page.contains("<li>b.toml:3: &lt;key&gt;: no number</li>"));
    }

    #[test]
    fn a_distribution_ends_at_its_longest_response() {
        let times: Vec<f64> = (1..=10_000).map(f64::from).collect();
        let points: Vec<(f64, f64)> = quantiles(&times).collect();
        assert_eq!(points.len(), POINTS);
        assert_eq!(points.last(), Some(&(10_000.0, 100.0)));
    }
}
