//! The rows as CSV: one a published figure, for keeping beside later ones.

use results::reproduction::{ReproducedFigure, Reproduction, Shown};

const HEADS: [&str; 16] = [
    "id",
    "document",
    "worth",
    "published",
    "unit",
    "simulated",
    "null",
    "error",
    "null_error",
    "plain_error",
    "holds",
    "can_fail",
    "shows",
    "state",
    "not_run",
    "independent_of_drive",
];

/// All rows, in their order. Numbers have six significant digits: enough to see any change, few enough
/// to compare two files by eye.
pub fn csv(reproduction: &Reproduction) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(HEADS);
    for row in &reproduction.rows {
        let _ = writer.write_record(record(row));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn record(row: &ReproducedFigure) -> [String; 16] {
    let number = |value: Option<f64>| value.map_or_else(String::new, six_digits);
    let show = |shown: &Shown| format!("{}={}", shown.name, number(shown.value));
    let shows: Vec<String> = row.shows.iter().map(show).collect();
    [
        row.id.to_string(),
        row.document.clone(),
        row.category.name().to_owned(),
        row.published.clone(),
        row.unit.clone(),
        number(row.simulated),
        number(row.null),
        number(row.error),
        number(row.null_error),
        number(row.plain_error),
        yes_or_no(row.holds),
        yes_or_no(row.can_fail),
        shows.join(" "),
        row.state.clone(),
        row.not_run.clone().unwrap_or_default(),
        row.independent_of_drive.clone().unwrap_or_default(),
    ]
}

fn yes_or_no(value: Option<bool>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn six_digits(value: f64) -> String {
    let size = if value == 0.0 {
        0.0
    } else {
        libm::floor(libm::log10(value.abs()))
    };
    let decimals = (5.0 - size).clamp(0.0, 12.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}
