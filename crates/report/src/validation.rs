//! A model beside measured drives: one page with both distributions of response times for each.
//!
//! A demerit figure says how far two distributions are apart, the picture where. Both are drawn as the
//! share of responses that took no longer than a time, on a logarithmic axis of time, so that hits in a
//! buffer and revolutions of a disc are seen at once. The page needs no scripts.

use crate::chart::{Axis, Line, Plot, Reading, Scale};
use crate::escape::escape;
use crate::html::HtmlOptions;
use crate::html::shell::still_page;
use crate::lang::Texts;
use crate::svg::{WIDE, svg};

/// Points of a curve: more than a screen has pixels for would show nothing more.
const POINTS: usize = 500;

/// One drive.
#[derive(Clone, Debug, Default)]
pub struct ValidatedDrive {
    /// Its name.
    pub name: String,
    /// All requests first (without a name), then each kind of request.
    pub rows: Vec<ValidationRow>,
    /// Simulated responses in milliseconds, growing.
    pub simulated_ms: Vec<f64>,
    /// Measured responses in milliseconds, growing.
    pub measured_ms: Vec<f64>,
}

/// The figures of all requests or of one kind.
#[derive(Clone, Debug, Default)]
pub struct ValidationRow {
    /// The kind; empty for all.
    pub class: String,
    /// Requests.
    pub requests: usize,
    /// Mean simulated response.
    pub mean_ms: f64,
    /// Mean measured response.
    pub measured_mean_ms: f64,
    /// The demerit figure.
    pub demerit_ms: f64,
    /// The demerit figure of another simulator, where it is known.
    pub disksim_demerit_ms: Option<f64>,
}

/// The page. Equal drives give an equal page.
pub fn html(drives: &[ValidatedDrive], options: &HtmlOptions) -> String {
    let texts = Texts::new(options.lang);
    let title = options.title.clone();
    let title = title.unwrap_or_else(|| texts.say("validate-title"));
    let sections: String = drives
        .iter()
        .enumerate()
        .map(|(at, drive)| section(at, drive, &texts))
        .collect();
    still_page(&texts, &title, &[&texts.say("validate-lede")], &sections)
}

fn section(at: usize, drive: &ValidatedDrive, texts: &Texts) -> String {
    format!(
        "<section class=\"method\" id=\"v{at}\" aria-labelledby=\"v{at}-h\">\
         <h2 id=\"v{at}-h\">{name}</h2>{table}\
         <figure class=\"chart\"><p class=\"legend\">{key_m}{key_s}</p>\
         <div class=\"scroll picture\">{picture}</div></figure></section>\n",
        name = escape(&drive.name),
        table = table(drive, texts),
        key_m = key("drive-0", &texts.say("validate-measured")),
        key_s = key("drive-1", &texts.say("validate-simulated")),
        picture = svg(&plot(at, drive, texts), WIDE),
    )
}

fn key(colour: &str, name: &str) -> String {
    let name = escape(name);
    format!("<span><span class=\"key {colour}\" aria-hidden=\"true\"></span> {name}</span> ")
}

fn table(drive: &ValidatedDrive, texts: &Texts) -> String {
    let keys = [
        "validate-requests-kind",
        "validate-requests",
        "validate-simulated-mean",
        "validate-measured-mean",
        "validate-demerit",
        "validate-disksim",
    ];
    let heads: String = keys
        .iter()
        .map(|key| format!("<th scope=\"col\">{}</th>", escape(&texts.say(key))))
        .collect();
    let rows: String = drive.rows.iter().map(|row| table_row(row, texts)).collect();
    format!(
        "<div class=\"scroll\"><table class=\"figures\"><thead><tr>{heads}</tr></thead>\
         <tbody>{rows}</tbody></table></div>"
    )
}

fn table_row(row: &ValidationRow, texts: &Texts) -> String {
    let class = if row.class.is_empty() {
        texts.say("validate-all")
    } else {
        row.class.clone()
    };
    let ms = |value: f64| format!("{value:.3}");
    let cells = [
        row.requests.to_string(),
        ms(row.mean_ms),
        ms(row.measured_mean_ms),
        ms(row.demerit_ms),
        row.disksim_demerit_ms.map_or_else(String::new, ms),
    ];
    let cells: String = cells.iter().map(|c| format!("<td>{c}</td>")).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(&class))
}

fn plot(at: usize, drive: &ValidatedDrive, texts: &Texts) -> Plot {
    let ends = |times: &[f64]| (times.first().copied(), times.last().copied());
    let (low_s, high_s) = ends(&drive.simulated_ms);
    let (low_m, high_m) = ends(&drive.measured_ms);
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
        is_histogram: false,
        gb_a_unit: None,
    };
    Plot {
        id: format!("v{at}-plot"),
        subject: None,
        title: drive.name.clone(),
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
        lines: vec![
            curve(0, "validate-measured", "", &drive.measured_ms),
            curve(1, "validate-simulated", "", &drive.simulated_ms),
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

    fn drive() -> ValidatedDrive {
        ValidatedDrive {
            name: "disk <1>".to_owned(),
            rows: vec![
                ValidationRow {
                    requests: 3,
                    mean_ms: 5.0,
                    measured_mean_ms: 5.5,
                    demerit_ms: 0.25,
                    disksim_demerit_ms: Some(0.31),
                    ..ValidationRow::default()
                },
                ValidationRow {
                    class: "write".to_owned(),
                    requests: 1,
                    ..ValidationRow::default()
                },
            ],
            simulated_ms: vec![0.5, 4.0, 10.5],
            measured_ms: vec![0.6, 5.0, 10.9],
        }
    }

    #[test]
    fn the_page_shows_each_drive_with_its_figures_and_both_distributions() {
        for lang in Lang::ALL {
            let options = HtmlOptions { lang, title: None };
            let page = html(&[drive(), drive()], &options);
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
        let page = html(&[ValidatedDrive::default()], &HtmlOptions::default());
        assert!(!page.contains("NaN") && !page.contains("inf"));
    }

    #[test]
    fn a_distribution_ends_at_its_longest_response() {
        let times: Vec<f64> = (1..=10_000).map(f64::from).collect();
        let points: Vec<(f64, f64)> = quantiles(&times).collect();
        assert_eq!(points.len(), POINTS);
        assert_eq!(points.last(), Some(&(10_000.0, 100.0)));
    }
}
