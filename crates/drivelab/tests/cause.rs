//! `drivelab cause`: what makes the difference between two drives in a figure.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;

const A: &str = "model:samsung-840-250gb?host=none";
const B: &str = "model:samsung-840-evo-250gb?host=none";
const FIGURE: [&str; 6] = [
    "--method",
    "slc-fill",
    "--set",
    "extent=2GiB",
    "--scale",
    "quick",
];

fn cause<'a>(a: &'a str, b: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["cause", a, b][..], &FIGURE, more].concat()
}

/// The lines before the table, as one.
fn conclusion(said: &str, between: &str) -> String {
    let lines: Vec<&str> = said.lines().take_while(|line| !line.is_empty()).collect();
    lines.join(between)
}

#[test]
fn a_conclusion_comes_first_in_either_language_and_a_table_after_it() {
    let place = Place::new();
    let rate = ["--figure", "whole.rate"];
    let said = place.ok(&cause(A, B, &rate)).stdout;
    let first = conclusion(&said, " ");
    for part in [
        "Samsung 840 EVO 250GB is ahead of Samsung 840 250GB",
        "MB/s against",
        "from the SLC cache (3 GB against none)",
        "No part in it:",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert!(said.contains("ssd.slc none → size_gb 3 GB"), "{said}");
    let said = place.ok(&cause(A, B, &[&rate[..], &["--lang", "ja"]].concat()));
    let first = conclusion(&said.stdout, "");
    assert!(
        first.contains("SLC キャッシュ (なしに対し 3 GB)"),
        "{first}"
    );
    assert!(first.contains("より優れている。"), "{first}");
}

#[test]
fn the_document_has_shares_that_add_up_to_the_difference() {
    let place = Place::new();
    let document = place.json(&cause(A, B, &["--figure", "whole.rate", "--json"]));
    assert_eq!(document["schema"], "drivelab.cause/1");
    assert_eq!(document["verdict"], "explained");
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let groups = document["groups"].as_array().unwrap();
    let total: f64 = groups.iter().map(|group| number(&group["share"])).sum();
    let difference = number(&document["b"]["value"]) - number(&document["a"]["value"]);
    let rest = number(&document["rest"]);
    assert!(
        (total + rest - difference).abs() < 1e-6 * difference.abs(),
        "{document:#}"
    );
}

#[test]
fn what_is_no_explanation_is_told_as_that() {
    let place = Place::new();
    let same = place.ok(&cause(A, A, &["--figure", "whole.rate"]));
    assert!(
        same.stdout.starts_with("No difference to explain"),
        "{same:?}"
    );
    let measured = ["--figure", "whole.rate", "--measured-a", "100"];
    let missed = place.ok(&cause(A, B, &measured));
    assert!(
        missed.stdout.starts_with("The models do not explain"),
        "{missed:?}"
    );
    let said = conclusion(&missed.stdout, " ");
    assert!(said.contains("100.0 MB/s measured"), "{said}");
}

#[test]
fn a_stored_result_stands_for_its_drive() {
    let place = Place::new();
    let run = [
        "run",
        "slc-fill",
        A,
        "--set",
        "extent=2GiB",
        "--scale",
        "quick",
    ];
    place.ok(&run);
    let said = place.ok(&cause("last", B, &["--figure", "whole.rate"]));
    let first = conclusion(&said.stdout, " ");
    assert!(first.contains("the SLC cache"), "{first}");
    place.fails(
        &cause("7", B, &["--figure", "whole.rate"]),
        1,
        &["no run 7"],
    );
}

#[test]
fn what_is_mistyped_is_refused_with_the_nearest_name() {
    let place = Place::new();
    let rate = ["--figure", "whole.rate"];
    let slip = ["--figure", "whole.rat"];
    place.fails(&cause(A, B, &slip), 2, &["did you mean whole.rate"]);
    let drive = "model:samsung-840-ev-250gb";
    place.fails(&cause(A, drive, &rate), 2, &["samsung-840-evo-250gb"]);
    place.fails(&cause(A, "null:", &rate), 2, &["modelled drive"]);
    let method = [
        "cause",
        A,
        B,
        "--method",
        "slc-fil",
        "--figure",
        "whole.rate",
    ];
    place.fails(&method, 2, &["slc-fill"]);
    let zero = ["--figure", "whole.rate", "--measured-b", "0"];
    place.fails(&cause(A, B, &zero), 2, &["other than 0"]);
}
