//! Every row is shown, what it is worth, and the score.

use super::*;
use crate::lang::Lang;
use results::reproduction::{ClaimScore, FailingChange};

fn reproduction() -> Reproduction {
    let row = |id: &str, category| ReproducedFigure {
        id: id.parse().unwrap(),
        document: "one.txt".to_owned(),
        drive: "drive <A>".to_owned(),
        capacity: "128GB".to_owned(),
        test: "mark".to_owned(),
        metric: "write".to_owned(),
        unit: "MB/s".to_owned(),
        published: "200.0".to_owned(),
        simulated: Some(210.0),
        error: Some(0.05),
        category,
        state: "fresh".to_owned(),
        host: "h".to_owned(),
        ..ReproducedFigure::default()
    };
    let guessed = ReproducedFigure {
        null: Some(300.0),
        null_error: Some(0.5),
        assumed: vec!["aligned".to_owned()],
        ..row("F001", Category::Predicted)
    };
    let claim = ReproducedFigure {
        published: "reads are faster".to_owned(),
        simulated: None,
        error: None,
        holds: Some(false),
        shows: vec![Shown {
            name: "ratio".to_owned(),
            value: Some(0.75),
        }],
        missing: Some("why reads are faster".to_owned()),
        ..row("F002", Category::Claim)
    };
    let idle = ReproducedFigure {
        holds: Some(true),
        failing_change: Some(FailingChange {
            changes: vec!["ssd.slc=off".to_owned()],
            holds: Some(true),
            not_run: None,
        }),
        can_fail: Some(false),
        missing: None,
        ..claim.clone()
    };
    let idle = ReproducedFigure {
        id: "F005".parse().unwrap(),
        ..idle
    };
    let not_run = ReproducedFigure {
        simulated: None,
        error: None,
        not_run: Some("method missing: boot".to_owned()),
        ..row("F004", Category::Predicted)
    };
    let errors = |median| ErrorScore {
        rows: 2,
        run: 1,
        bound: 0.25,
        median,
        within: median.map(|_| 1.0),
        count_within: usize::from(median.is_some()),
    };
    let score = Score {
        predicted: errors(Some(0.05)),
        null: errors(Some(0.5)),
        calibrated: errors(None),
        claims: ClaimScore {
            rows: 1,
            run: 1,
            held: 0,
            cannot_fail: 1,
        },
        stricter: vec![StricterScore {
            tolerances: false,
            dependent_on_drive: false,
            predicted: errors(Some(0.07)),
            null: errors(Some(0.6)),
        }],
    };
    let first = Score {
        predicted: errors(Some(0.2)),
        ..score.clone()
    };
    Reproduction {
        rows: vec![
            guessed,
            claim,
            row("F003", Category::Calibrated),
            not_run,
            idle,
        ],
        score,
        first,
        ..Reproduction::default()
    }
}

#[test]
fn the_terminal_shows_each_row_with_its_errors_and_the_score() {
    let text = text(&reproduction(), 140, Lang::En);
    let line = |id: &str| {
        text.lines()
            .find(|line| line.contains(id))
            .unwrap()
            .to_owned()
    };
    for part in [
        "drive <A> 128GB",
        "200.0",
        "210.0",
        "300.0",
        "5.0 %",
        "50.0 %",
    ] {
        assert!(line("F001").contains(part), "{text}");
    }
    assert!(line("F001").contains("mark: write, MB/s"), "{text}");
    assert!(line("F002").ends_with("does not hold"), "{text}");
    assert!(text.contains("reads are faster") && text.contains("ratio 0.750"));
    assert!(text.contains("Missing: why reads are faster"), "{text}");
    assert!(line("F004").ends_with("method missing: boot"), "{text}");
    assert!(line("all documents, now").contains("5.0 %"), "{text}");
    assert!(line("all documents, now").ends_with("0/1 (1)"), "{text}");
    assert!(line("all documents, first").contains("20.0 %"), "{text}");
    let strict = line("without tolerances");
    assert!(
        strict.contains("7.0 %") && strict.contains("60.0 %"),
        "{text}"
    );
    assert!(line("F005").ends_with("holds, but cannot fail"), "{text}");
    assert!(text.contains("Holds with ssd.slc=off as well"), "{text}");
    let predicted = text.find("F001").unwrap();
    assert!(
        predicted < text.find("F003").unwrap(),
        "predicted rows stand first"
    );
}

#[test]
fn lines_fit_the_terminal_where_the_numbers_allow_it() {
    let text = text(&reproduction(), 140, Lang::En);
    assert!(
        text.lines().all(|line| line.chars().count() <= 141),
        "{text}"
    );
}

#[test]
fn the_plane_has_a_dot_a_number_between_two_bands_and_no_rows_have_no_plane() {
    for lang in Lang::ALL {
        let plane = plane(&reproduction().rows, &Texts::new(lang)).into_string();
        assert_eq!(plane.matches("<circle").count(), 2);
        assert_eq!(plane.matches("class=\"band\"").count(), 2);
        assert!(plane.contains("drive &lt;A&gt;") && !plane.contains("<A>"));
        assert!(!plane.contains("NaN"));
    }
    assert!(plane(&[], &Texts::new(Lang::En)).into_string().is_empty());
}
