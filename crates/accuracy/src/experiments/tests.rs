//! The compiled-in tables are whole and consistent, and a row that does not fit is refused with its line.

use super::*;

fn facts() -> Facts {
    Facts::published().unwrap()
}

/// A table with one experiment and these rows.
fn read(rows: &str) -> Result<Table, String> {
    let head = r#"
document = "000_cbc203d44e87477b.txt"
host = "windows-xp-2009"
state = "fresh"
state_because = "new"

[experiment.hg2]
target = "model:toshiba-hg2-128gb?@"
method = "crystaldiskmark-classic"
"#;
    let mut table = Table::default();
    let text = format!("{head}\n{rows}");
    table
        .add("rows.toml", &text, &facts())
        .map(|()| table)
        .map_err(|e| e.to_string())
}

#[test]
fn every_published_figure_but_the_inputs_has_its_row() {
    let facts = facts();
    let table = Table::published(&facts).unwrap();
    let missing: Vec<String> = facts
        .all()
        .filter(|row| row.role() != "input")
        .map(|row| row.fact().id)
        .filter(|id| !table.rows.contains_key(id))
        .map(|id| id.to_string())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_experiment_serves_a_row() {
    let table = Table::published(&facts()).unwrap();
    let used: Vec<&str> = table
        .rows
        .values()
        .flat_map(|row| row.terms.values())
        .map(|term| term.experiment.as_str())
        .collect();
    let idle: Vec<&String> = table
        .experiments
        .keys()
        .filter(|name| !used.contains(&name.as_str()))
        .collect();
    assert!(idle.is_empty(), "{idle:?}");
}

#[test]
fn arithmetic_that_a_row_is_derived_by_gives_the_printed_number() {
    let facts = facts();
    let table = Table::published(&facts).unwrap();
    let numbers = facts
        .all()
        .filter_map(|row| Some((row.fact().id.to_string(), row.fact().value.number()?)))
        .collect();
    let mut checked = 0;
    for row in table.rows.values() {
        let Plan::Derived {
            from,
            within_percent,
            ..
        } = &row.plan
        else {
            continue;
        };
        let Value::Number {
            value, half_digit, ..
        } = facts.get(row.id).unwrap().fact().value
        else {
            panic!("{} is derived, but no number", row.id);
        };
        let worked_out = from.number(&numbers);
        let off = ((worked_out - value).abs() - half_digit).max(0.0) / value;
        assert!(100.0 * off <= *within_percent, "{}: {worked_out}", row.id);
        checked += 1;
    }
    assert_eq!(checked, 39);
}

#[test]
fn a_state_and_a_host_go_into_every_drive_of_a_target() {
    let table = read("").unwrap();
    let hg2 = &table.experiments["hg2"];
    let target = "model:toshiba-hg2-128gb?state=fresh&host=windows-xp-2009";
    assert_eq!(hg2.experiment.target, target);
    assert_eq!(hg2.assumed, ["state fresh: new"]);
}

#[test]
fn one_number_may_stand_for_several() {
    let rows = "[[row]]\nids = [\"F007\"]\nexperiments = [\"hg2\"]\nfigures = [\"seq.read\", \"seq.write\"]\nvalue = \"x * 2\"\n";
    let table = read(rows).unwrap();
    let row = table.rows.values().next().unwrap();
    let Plan::Number { values, .. } = &row.plan else {
        panic!("{row:?}")
    };
    let numbers = [("x".to_owned(), 100.0), ("x1".to_owned(), 50.0)].into();
    let worth: Vec<f64> = values.iter().map(|v| v.number(&numbers)).collect();
    assert_eq!(worth, [200.0, 100.0]);
}

#[test]
fn a_row_that_does_not_fit_is_named_with_its_line() {
    for (row, why) in [
        (
            "ids = [\"F442\"]\nexperiments = [\"hg2\"]\nfigures = [\"seq.read\"]",
            "F442 is in another document",
        ),
        (
            "ids = [\"F011\"]\nexperiments = [\"hg2\"]\nfigures = [\"seq.read\"]",
            "F011 is a fact of construction",
        ),
        (
            "ids = [\"F007\"]\nexperiments = [\"hg3\"]\nfigures = [\"seq.read\"]",
            "no experiment 'hg3'",
        ),
        ("ids = [\"F007\"]", "neither a number nor what holds"),
        (
            "ids = [\"F329\"]\nexperiments = [\"hg2\"]\nfigures = [\"seq.read\"]",
            "says something in words",
        ),
        (
            "ids = [\"F329\"]\nholds = \"a > b\"",
            "'a' stands for no number",
        ),
        (
            "ids = [\"F016\"]\nexperiments = [\"hg2\"]\nfigures = [\"seq.read\"]",
            "F016 is derived",
        ),
    ] {
        let error = read(&format!("[[row]]\n{row}\n")).unwrap_err();
        assert!(
            error.starts_with("rows.toml, line 1") && error.contains(why),
            "{error}"
        );
    }
    let error = read("[[row]]\nids = [\"F7\"]\n").unwrap_err();
    assert!(error.contains("'F7' is not an id"), "{error}");
}

/// A claim over two experiments: the one of [`read`], and one on this target with these settings.
fn claim(target: &str, settings: &str, holds: &str) -> Result<Table, String> {
    let rows = format!(
        r#"
[experiment.other]
target = "{target}"
method = "crystaldiskmark-classic"
settings = [{settings}]

[[row]]
ids = ["F331"]
terms.a = "hg2: seq.read"
terms.b = "other: seq.read"
holds = "{holds}"
"#
    );
    read(&rows)
}

#[test]
fn a_claim_that_compares_an_experiment_with_itself_is_refused() {
    let hg2 = "model:toshiba-hg2-128gb?";
    for same in [
        format!("{hg2}@"),
        format!("{hg2}@&file_system=none"),
        format!("{hg2}host=windows-xp-2009&state=fresh"),
    ] {
        let refused = claim(&same, "", "same(a, b)").unwrap_err();
        assert!(
            refused.contains("F331: 'a' and 'b' are the same number of the same experiment"),
            "{same}: {refused}"
        );
    }
    // Anything that is not the same may be compared.
    for other in [
        "@&file_system=fat32",
        "@&firmware=AGTA0104",
        "state=full-in-order",
    ] {
        assert!(
            claim(&format!("{hg2}{other}"), "", "same(a, b)").is_ok(),
            "{other}"
        );
    }
    assert!(claim(&format!("{hg2}@"), "\"size=100MiB\"", "same(a, b)").is_ok());
    let refused = claim(&format!("{hg2}@"), "\"size=50MiB\"", "a > b and same(b, b)").unwrap_err();
    assert!(refused.contains("'b' is compared with itself"), "{refused}");
}

/// A table with a setting that is fitted, and these rows.
fn with_setting(setting: &str, rows: &str) -> Result<Table, String> {
    let text = format!(
        r#"
document = "002_8a9faade51de203d.txt"
host = "windows7-rst"
state = "fresh"
state_because = "new"

[setting]
{setting}

[experiment.boot]
target = "model:acard-ans-9010-14gb?@"
method = "os-boot"
settings = ["host=$host"]

{rows}"#
    );
    let mut table = Table::default();
    let added = table.add("rows.toml", &text, &facts());
    added.map(|()| table).map_err(|error| error.to_string())
}

const HOST: &str = r#"host = { value = 15.1, unit = "s", source = "fitted", within = [5.0, 16.0], facts = ["F187"], why = "x" }"#;

#[test]
fn a_setting_that_is_fitted_is_filled_in_and_may_be_tried_with_another_value() {
    let table = with_setting(HOST, "").unwrap();
    let settings = |table: &Table| table.experiments["boot"].experiment.settings.clone();
    assert_eq!(settings(&table), ["host=15.1s"]);
    let other = table.with_settings(&[("host".to_owned(), 14.25)].into());
    assert_eq!(settings(&other), ["host=14.25s"]);
    let parameter = table.settings["host"].parameter("host");
    assert_eq!(parameter.key, "setting.host");
    assert!(parameter.file.ends_with("published/rows.toml"));
}

#[test]
fn a_setting_outside_its_bounds_or_fitted_to_what_is_predicted_is_refused() {
    let refused = |from: &str, to: &str| with_setting(&HOST.replace(from, to), "").unwrap_err();
    assert!(refused("15.1", "17.5").contains("not within 5 to 16"));
    assert!(
        refused("F187", "F188").contains("F188 is not a figure that anything may be fitted to")
    );
    assert!(refused("host =", "hosts =").contains("there is no setting 'host'"));
    let row = "[[row]]\nids = [\"F197\"]\nexperiments = [\"boot\"]\nfigures = [\"boot_s\"]\nfitted = \"host\"";
    let said = with_setting(HOST, row).unwrap_err();
    assert!(
        said.contains("F197: the setting 'host' is not fitted to it"),
        "{said}"
    );
}

#[test]
fn every_setting_that_is_fitted_says_that_the_fit_found_it() {
    let table = Table::published(&facts()).unwrap();
    assert_eq!(table.settings.len(), 4);
    for (name, setting) in &table.settings {
        assert!(setting.by.is_some(), "{name}");
    }
}
