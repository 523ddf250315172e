//! Rows are judged as described in the README of the data.

use super::*;
use crate::metric::Measured;

const HEAD: &str =
    "id,document,drive,capacity,firmware,test,condition,metric,value,unit,role,note,independence\n";

/// Five figures of one drive.
fn facts() -> Facts {
    let rows = "F001,one.txt,A,,,mark,,read,200.0,MB/s,calibrate,,\n\
                F002,one.txt,A,,,mark,,write,100,MB/s,predict,,own\n\
                F003,one.txt,A,,,mark,,behaviour,reads are faster,,predict,,own\n\
                F004,one.txt,A,,,boot,,time,18.0,s,predict,,own\n\
                F005,two.txt,B,,,sweep,,range,64,GB,predict,,own\n\
                F006,two.txt,B,,,mark,,sum,300,MB/s,predict,,derived\n\
                F007,one.txt,A,,,boot,,time,16.0,s,calibrate,,\n\
                F008,two.txt,B,,,mark,,both,>150,MB/s,range,,\n";
    let nulls = "id,null,rule\nF002,200,copied\nF004,16,no excess\nF005,1000,never\n";
    Facts::read(&format!("{HEAD}{rows}"), nulls).unwrap()
}

const ONE: &str = r#"
document = "one.txt"
host = "h"
state = "fresh"
state_because = "new"
[experiment.mark]
target = "model:a?@"
method = "mark"
assumed = ["aligned"]
[experiment.boot]
target = "model:a?@"
method = "boot"
[experiment.ram]
target = "model:ram?@"
method = "boot"
[[row]]
ids = ["F001"]
missing = "nothing"
experiments = ["mark"]
figures = ["seq.read"]
[[row]]
ids = ["F002"]
experiments = ["mark"]
figures = ["seq.write"]
[[row]]
ids = ["F003"]
terms.r = "mark: seq.read"
terms.w = "mark: seq.write"
holds = "above(r, w)"
shows.ratio = "r / w"
[[row]]
ids = ["F004"]
experiments = ["boot"]
figures = ["boot"]
excess_over = "F007"
tolerance = 0.3
[[row]]
ids = ["F007"]
experiments = ["ram"]
figures = ["boot"]
tolerance = 0.3
"#;

const TWO: &str = r#"
document = "two.txt"
host = "h"
state = "fresh"
state_because = "new"
[experiment.sweep]
target = "raid0(model:b?@,model:b?@)"
method = "sweep"
[[row]]
ids = ["F005"]
experiments = ["sweep"]
figures = ["knee"]
value = "or(x, 1000)"
tolerance_factor = 2
[[derived]]
ids = ["F006"]
from = "F001 + F002"
within_percent = 1
[[row]]
ids = ["F008"]
missing = "a slower side"
experiments = ["mark"]
figures = ["seq.read", "seq.write"]
"#;

fn table(facts: &Facts) -> Table {
    let mut table = Table::default();
    table.add("one.toml", ONE, facts).unwrap();
    table.add("two.toml", TWO, facts).unwrap();
    table
}

/// Reads at 210, writes at 95 MB/s, boots in 18.9 s where RAM takes 16.5; no knee.
fn simulate(experiment: &Experiment) -> Result<Outcome, String> {
    let figure = |key: &str, value: Option<f64>, unit: &str| {
        let measured = Measured {
            value,
            unit: unit.to_owned(),
            why_not: None,
        };
        (key.to_owned(), measured)
    };
    let ram = experiment.target.contains("model:ram");
    let figures = match experiment.method.as_str() {
        "mark" => vec![
            figure("seq.read", Some(210.0), "MB/s"),
            figure("seq.write", Some(95.0), "MB/s"),
        ],
        "boot" => vec![figure("boot", Some(if ram { 16.5 } else { 18.9 }), "s")],
        "sweep" => vec![figure("knee", None, "GB")],
        other => return Err(format!("no method {other}")),
    };
    Ok(Outcome {
        figures: figures.into_iter().collect(),
        charts: Vec::new(),
    })
}

fn reproduced(selection: &Selection, exactly: &[&str]) -> Reproduction {
    let facts = facts();
    let table = table(&facts);
    let exactly = exactly.iter().map(|slug| (*slug).to_owned()).collect();
    let plans = Plans::new(&facts, &table, selection, exactly).unwrap();
    plans.reproduce(2, &simulate, &|_, _| {})
}

fn row<'a>(of: &'a Reproduction, id: &str) -> &'a ReproducedFigure {
    of.rows.iter().find(|row| row.id.to_string() == id).unwrap()
}

fn near(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value - expected).abs() < 1e-9)
}

#[test]
fn an_error_is_the_distance_to_what_would_have_been_printed_so() {
    let all = reproduced(&Selection::default(), &[]);
    assert!(near(row(&all, "F001").error, 9.95 / 200.0));
    assert!(near(row(&all, "F002").error, 4.5 / 100.0));
    assert!(near(row(&all, "F002").null_error, 99.5 / 100.0));
}

#[test]
fn a_row_may_be_judged_by_what_it_takes_beyond_another() {
    let all = reproduced(&Selection::default(), &[]);
    let boot = row(&all, "F004");
    // 2.4 s beyond the RAM drive where 2.0 were published, 0.3 of them open.
    assert!(near(boot.error, 0.1 / 2.0), "{boot:?}");
    assert!(near(boot.null_error, 1.7 / 2.0));
    assert!(near(boot.simulated, 18.9));
    assert_eq!(boot.excess.map(|excess| excess.over), "F007".parse().ok());
}

#[test]
fn a_speed_that_never_falls_is_a_number_where_the_row_says_which() {
    let all = reproduced(&Selection::default(), &[]);
    let sweep = row(&all, "F005");
    assert!(near(sweep.simulated, 1000.0));
    assert!(near(sweep.error, (1000.0 - 128.0) / 64.0));
}

#[test]
fn the_number_that_is_furthest_off_stands_for_several() {
    let all = reproduced(&Selection::default(), &[]);
    assert!(near(row(&all, "F008").simulated, 95.0));
    assert!(near(row(&all, "F008").error, 55.0 / 150.0));
    assert_eq!(row(&all, "F006").shows[0].value, Some(300.0));
}

#[test]
fn what_the_model_lacks_is_said_where_a_row_is_missed() {
    let all = reproduced(&Selection::default(), &[]);
    let (met, missed) = (row(&all, "F001"), row(&all, "F008"));
    assert!(!verdict::is_missed(met) && met.missing.is_none());
    assert!(verdict::is_missed(missed));
    assert_eq!(missed.missing.as_deref(), Some("a slower side"));
}

#[test]
fn only_what_counts_is_scored() {
    let all = reproduced(&Selection::default(), &[]);
    let score = &all.score;
    assert_eq!((score.calibrated.rows, score.calibrated.run), (2, 2));
    assert_eq!(
        (score.predicted.rows, score.predicted.run, score.null.run),
        (3, 3, 3)
    );
    assert!(near(score.predicted.median, 0.05));
    assert!(near(score.predicted.within, 2.0 / 3.0));
    assert_eq!(
        score.claims,
        results::reproduction::ClaimScore {
            rows: 1,
            run: 1,
            held: 1,
            cannot_fail: 0,
        }
    );
    assert_eq!(all.documents.len(), 2);
    let exact = reproduced(&Selection::default(), &["a"]);
    assert_eq!(exact.score.calibrated.rows, 1);
    assert!(row(&exact, "F001").exactly_determined && !row(&exact, "F001").counts);
}

#[test]
fn without_tolerances_the_printed_value_itself_is_the_target() {
    let all = reproduced(&Selection::default(), &[]);
    let stricter = &all.score.stricter;
    assert_eq!(stricter.len(), 3);
    for row in all.rows.iter().filter(|row| row.counts) {
        let (Some(error), Some(plain)) = (row.error, row.plain_error) else {
            continue;
        };
        assert!(plain >= error, "{}: {plain} {error}", row.id);
    }
    let sweep = row(&all, "F005");
    assert!(sweep.plain_error > sweep.error, "{sweep:?}");
    assert!(!stricter[0].tolerances && !stricter[0].dependent_on_drive);
    assert!(stricter[0].predicted.median >= all.score.predicted.median);
}

/// The table with a change for its claim, tried on drives that read faster than they write unless their target says
/// `slow`.
fn tried(fails_with: &str) -> ReproducedFigure {
    let facts = facts();
    let mut tables = Table::default();
    let named = format!("ids = [\"F003\"]\n{fails_with}\n");
    let one = ONE.replace("ids = [\"F003\"]\n", &named);
    tables.add("one.toml", &one, &facts).unwrap();
    let all = Selection::default();
    let plans = Plans::new(&facts, &tables, &all, BTreeSet::new()).unwrap();
    let simulate = |experiment: &Experiment| {
        let read = if experiment.target.contains("slow") {
            50.0
        } else {
            200.0
        };
        let figure = |value| Measured {
            value: Some(value),
            unit: "MB/s".to_owned(),
            why_not: None,
        };
        let figures = [("seq.read", figure(read)), ("seq.write", figure(100.0))];
        Ok(Outcome {
            figures: figures.map(|(key, figure)| (key.to_owned(), figure)).into(),
            charts: Vec::new(),
        })
    };
    let result = plans
        .with_claims_tried()
        .reproduce(1, &simulate, &|_, _| {});
    let claims = result.score.claims;
    let row = row(&result, "F003").clone();
    assert_eq!(claims.held, usize::from(row.can_fail == Some(true)));
    assert_eq!(claims.held + claims.cannot_fail, 1);
    row
}

#[test]
fn a_claim_is_held_only_if_its_change_makes_it_fail() {
    let fails = tried("fails_with = [\"a: ssd.slow=1\"]");
    assert_eq!(fails.can_fail, Some(true));
    assert_eq!(fails.failing_change.unwrap().holds, Some(false));
    let holds = tried("fails_with = [\"a: ssd.other=1\"]");
    assert_eq!((holds.holds, holds.can_fail), (Some(true), Some(false)));
    assert_eq!(holds.failing_change.unwrap().holds, Some(true));
    let unnamed = tried("");
    assert_eq!(
        (unnamed.can_fail, unnamed.failing_change),
        (Some(false), None)
    );
}

#[test]
fn a_selection_runs_what_its_rows_need_and_no_more() {
    let facts = facts();
    let table = table(&facts);
    let drive = Selection {
        drive: Some("b".to_owned()),
        ..Selection::default()
    };
    let plans = Plans::new(&facts, &table, &drive, BTreeSet::new()).unwrap();
    assert_eq!(plans.experiments().len(), 1);
    let document = Selection {
        document: Some("one".to_owned()),
        ..Selection::default()
    };
    let calibrate = Selection {
        role: Some("calibrate".to_owned()),
        ..Selection::default()
    };
    assert_eq!(reproduced(&calibrate, &[]).rows.len(), 2);
    assert_eq!(reproduced(&document, &[]).rows.len(), 5);
    let named = |id: &str| Selection {
        ids: BTreeSet::from([id.parse().unwrap()]),
        ..Selection::default()
    };
    assert_eq!(reproduced(&named("F004"), &[]).rows.len(), 1);
    let Err(error) = Plans::new(&facts, &table, &named("F999"), BTreeSet::new()) else {
        panic!("there is no F999")
    };
    assert!(error.to_string().contains("F999"), "{error}");
    for (drive, document, why) in [
        (Some("aa"), None, "did you mean a"),
        (None, Some("three"), "available: one.txt, two.txt"),
        (Some("ram"), Some("two"), "no row matches all"),
    ] {
        let selection = Selection {
            drive: drive.map(str::to_owned),
            document: document.map(str::to_owned),
            ..Selection::default()
        };
        let Err(error) = Plans::new(&facts, &table, &selection, BTreeSet::new()) else {
            panic!("{selection:?} selects something")
        };
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn what_was_not_run_says_why_and_is_no_number() {
    let facts = facts();
    let table = table(&facts);
    let plans = Plans::new(&facts, &table, &Selection::default(), BTreeSet::new()).unwrap();
    let all = plans.reproduce(1, &|_| Err("no such method".to_owned()), &|_, _| {});
    let not_run = all
        .rows
        .iter()
        .filter(|row| row.not_run.as_deref() == Some("no such method"));
    assert_eq!(not_run.count(), 7, "{:#?}", all.rows);
    let boot = row(&all, "F004");
    assert!(
        boot.not_run
            .as_ref()
            .is_some_and(|why| why.contains("no such method"))
    );
    assert_eq!((all.score.predicted.rows, all.score.predicted.run), (3, 0));
    assert_eq!(all.score.predicted.median, None);
}

#[test]
fn a_figure_in_another_unit_is_not_taken_for_the_published_one() {
    let facts = facts();
    let table = table(&facts);
    let plans = Plans::new(&facts, &table, &Selection::default(), BTreeSet::new()).unwrap();
    let in_mib = |experiment: &Experiment| {
        let mut outcome = simulate(experiment)?;
        for figure in outcome.figures.values_mut() {
            figure.unit = "MiB/s".to_owned();
        }
        Ok(outcome)
    };
    let all = plans.reproduce(1, &in_mib, &|_, _| {});
    let why = row(&all, "F001").not_run.clone().unwrap();
    assert_eq!(why, "the method gives MiB/s, published are MB/s");
}

#[test]
fn the_compiled_in_tables_select_by_drive_and_document() {
    let facts = Facts::published().unwrap();
    let table = Table::published(&facts).unwrap();
    let all = Plans::new(&facts, &table, &Selection::default(), BTreeSet::new()).unwrap();
    let judged = facts
        .all()
        .filter(|row| !matches!(row, Published::Input(_)));
    assert_eq!(all.rows.len(), judged.count());
    let boots = Selection {
        drive: Some("ocz-apex-120gb".to_owned()),
        document: Some("002".to_owned()),
        ..Selection::default()
    };
    let plans = Plans::new(&facts, &table, &boots, BTreeSet::new()).unwrap();
    // The boot and the order that it stands in; with the latter come all boots.
    assert_eq!(plans.rows.len(), 2);
}
