//! Both forms show every figure with its name and role, ours beside theirs.

use super::*;
use crate::html::HtmlOptions;
use crate::lang::Lang;
use results::plan::{Between, PLAN_SCHEMA, StepOrder};

fn row(id: &str, drive: &str, metric: &str, published: &str, simulated: f64) -> ReproducedFigure {
    ReproducedFigure {
        id: id.parse().unwrap(),
        drive: drive.to_owned(),
        test: "full scan".to_owned(),
        condition: "new; at the end position".to_owned(),
        metric: metric.to_owned(),
        unit: "MB/s".to_owned(),
        published: published.to_owned(),
        simulated: Some(simulated),
        error: Some((simulated - published.parse::<f64>().unwrap()).abs() / simulated),
        role: "calibrate",
        category: Category::Calibrated,
        ..ReproducedFigure::default()
    }
}

fn outcome() -> PlanOutcome {
    let claim = ReproducedFigure {
        published: "A is faster than <B>".to_owned(),
        simulated: None,
        error: None,
        holds: Some(false),
        missing: Some("what makes A fast".to_owned()),
        category: Category::Claim,
        role: "predict",
        ..row("F005", "order", "behaviour", "1", 1.0)
    };
    PlanOutcome {
        schema: PLAN_SCHEMA,
        id: 1,
        name: "disks".to_owned(),
        title: "Disks".to_owned(),
        order: StepOrder::AsListed,
        state: Between::Anew,
        seed: 1,
        at_once: 1,
        forecast: None,
        steps: Vec::new(),
        screening: None,
        document: Some("004.txt".to_owned()),
        causes: Vec::new(),
        published: vec![
            row("F001", "A", "read, bottom of the band", "148", 148.2),
            row("F002", "A", "read, top of the band", "182", 182.0),
            row("F003", "B", "read, top of the band", "100", 125.0),
            claim,
        ],
        results: fixtures::results::review(),
    }
}

#[test]
fn a_range_is_one_cell_from_top_to_bottom_with_both_figures_names() {
    let outcome = outcome();
    let tables = tables(&outcome.published, &Texts::new(Lang::En));
    assert_eq!(tables.len(), 1);
    let table = &tables[0];
    assert_eq!((table.drives.len(), table.measures.len()), (2, 1));
    assert_eq!(
        table.measures[0].name,
        "new: read, top-bottom of the band, MB/s"
    );
    let cell = table.cell(0, 0);
    assert_eq!(ours(&cell, &table.measures[0]), "182.0-148.2");
    assert_eq!(theirs(&cell, &table.measures[0]), "182-148");
    let texts = Texts::new(Lang::En);
    assert_eq!(names(&cell, false, &texts), "F002 F001, fitted to");
    assert_eq!(
        names(&cell, true, &texts),
        "F002 F001, fitted to in full runs"
    );
}

#[test]
fn the_terminal_has_every_figure_in_eighty_columns() {
    let text = text(&outcome(), 80, Lang::En);
    for words in [
        "182-148",
        "F003, fitted to in full",
        "20 % off",
        "F005, predicted",
        "does not hold",
        "what makes A fast",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(text.contains("shortened"), "{text}");
}

#[test]
fn the_page_has_ours_beside_theirs_in_both_languages() {
    for lang in Lang::ALL {
        let options = HtmlOptions { lang, title: None };
        let section = html(&outcome(), &options).0.into_string();
        assert!(
            section.contains("182.0-148.2") && section.contains("182-148"),
            "{section}"
        );
        assert!(section.contains("A is faster than &lt;B&gt;"), "{section}");
        let no_heading = section.replace("published-h", "");
        let missing = no_heading.contains("published-");
        assert!(!missing, "every text is there: {section}");
    }
}
