//! What the binary prints: documents on their schemas, golden texts, help, completions, man page.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::process::{Command, Stdio};

use command::Place;
use command::documented::is_documented;
use serde_json::{Value, json};

const COMMANDS: &[&str] = &[
    "review",
    "run",
    "record",
    "rescue",
    "resume",
    "methods",
    "plans",
    "drives",
    "show",
    "health",
    "devices",
    "results",
    "label",
    "delete",
    "report",
    "compare",
    "sweep",
    "cause",
    "new",
    "predict",
    "fio",
    "emulate",
    "calibrate",
    "twin",
    "schema",
    "completions",
    "man",
];
/// Tools for developers.
const TOOLS: &[&str] = &[
    "develop",
    "develop reproduce",
    "develop fit",
    "develop bench engine",
    "develop bench model",
];
const SSD: &str = "model:samsung-840-evo-750gb";

fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// Two results of the null target, which take no time.
fn place_with_two_results() -> Place {
    let place = Place::new();
    place.ok(&["run", "latency-watch", "null:", "--scale", "quick"]);
    place.ok(&[
        "run",
        "latency-watch",
        "null:?service=3us",
        "--scale",
        "quick",
    ]);
    place
}

#[test]
fn the_methods_are_listed_on_their_schema() {
    let listing = Place::new().json(&["methods", "--json"]);
    assert_eq!(listing["schema"], "drivelab.methods/1");
    let methods = listing["methods"].as_array().unwrap();
    let ids: Vec<&str> = methods.iter().map(|m| m["id"].as_str().unwrap()).collect();
    for id in [
        "crystaldiskmark",
        "crystaldiskmark-classic",
        "full-scan",
        "quick-scan",
        "latency-watch",
    ] {
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }
    for method in methods {
        assert!(!method["title"].as_str().unwrap().is_empty());
        assert!(method["writes"].is_boolean() && method["files"].is_boolean());
        for setting in method["settings"].as_array().unwrap() {
            for key in ["key", "help", "takes", "quick", "default", "full"] {
                assert!(setting[key].is_string(), "{key} of {setting}");
            }
        }
    }
}

#[test]
fn a_setting_that_is_listed_is_taken_with_each_scales_own_value() {
    let place = Place::new();
    let listing = place.json(&["methods", "--json"]);
    for method in listing["methods"].as_array().unwrap() {
        let zoned = method["needs"]
            .as_array()
            .unwrap()
            .contains(&"zones".into());
        let target = if zoned {
            "model:wd-ultrastar-dc-zn540-1tb"
        } else {
            "null:"
        };
        let mut arguments = vec!["run", method["id"].as_str().unwrap(), target, "--dry-run"];
        let settings: Vec<String> = method["settings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| {
                format!(
                    "--set={}={}",
                    s["key"].as_str().unwrap(),
                    s["full"].as_str().unwrap()
                )
            })
            .collect();
        arguments.extend(settings.iter().map(String::as_str));
        place.ok(&arguments);
    }
}

#[test]
fn every_listed_drive_can_be_shown_and_every_value_has_a_source() {
    let place = Place::new();
    let listing = place.json(&["drives", "--json"]);
    assert_eq!(listing["schema"], "drivelab.drives/1");
    let drives = listing["drives"].as_array().unwrap();
    assert!(drives.len() >= 2, "{listing}");
    for drive in drives {
        let slug = drive["slug"].as_str().unwrap();
        let sheet = place.json(&["show", slug, "--json"]);
        assert_eq!(sheet["schema"], "drivelab.drive/1");
        assert_eq!(sheet["capacity"], drive["capacity"]);
        assert!(
            !sheet["divergences"].as_array().unwrap().is_empty(),
            "{slug}"
        );
        let sources = ["published", "construction", "estimated", "fitted", "class"];
        for value in sheet["values"].as_array().unwrap() {
            assert!(
                sources.contains(&value["source"].as_str().unwrap()),
                "{value}"
            );
        }
        let text = place.ok(&["show", slug]).stdout;
        assert!(text.contains("Divergence from the real drive"));
        assert!(place.ok(&["drives"]).stdout.contains(slug));
    }
}

#[test]
fn every_json_answer_is_one_document_and_nothing_else() {
    let place = place_with_two_results();
    let run = place.json(&[
        "run",
        "latency-watch",
        "null:",
        "--scale",
        "quick",
        "--json",
    ]);
    assert_eq!(run["schema"], "drivelab.result/2");
    assert_eq!(run["id"], 3);
    assert_eq!(run["ended"], "complete");
    let results = place.json(&["results", "--json"]);
    assert_eq!(results["schema"], "drivelab.runs/1");
    assert_eq!(results["results"].as_array().unwrap().len(), 3);
    assert_eq!(
        keys(&results["results"][0]),
        [
            "began", "figure", "id", "method", "scale", "state", "target"
        ]
    );
    let report = place.json(&["report", "3", "1", "--json"]);
    let ids: Vec<&Value> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["id"])
        .collect();
    assert_eq!(ids, [&json!(3), &json!(1)]);
    let comparison = place.json(&["compare", "1", "2", "--json"]);
    assert!(
        comparison["schema"]
            .as_str()
            .unwrap()
            .starts_with("drivelab.")
    );
    let not_stored = place.json(&[
        "run",
        "latency-watch",
        "null:",
        "--scale",
        "quick",
        "--json",
        "--no-store",
    ]);
    assert_eq!(not_stored["id"], 0);
    assert_eq!(place.stored().len(), 3);
}

#[test]
fn every_command_that_a_schema_names_is_there_and_takes_its_option() {
    let place = Place::new();
    let listed = place.ok(&["schema"]).stdout;
    let documents = listed.lines().take_while(|line| !line.is_empty());
    let mut looked_at = 0;
    for line in documents {
        for command in line.split_once(' ').unwrap().1.split(", ") {
            let mut words = command.split_whitespace().skip(1);
            let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
            let names: Vec<&str> = words.by_ref().take_while(is_name).collect();
            let help = place.ok(&[&names[..], &["--help"]].concat()).stdout;
            let options = command
                .split_whitespace()
                .filter(|word| word.starts_with("--"));
            for option in options {
                assert!(help.contains(option), "{command}: {help}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 24, "{listed}");
}

#[test]
fn every_command_prints_what_its_schema_says() {
    let place = place_with_two_results();
    place.file("own.img", 1 << 20);
    let rescue = [
        "rescue",
        "fault(./own.img)?bad=64KiB+4KiB",
        "copy.img",
        "--json",
    ];
    let links = "link=sata-3,sata-6";
    for (arguments, schema) in [
        (&["report", "last", "--uses", "--json"][..], "uses"),
        (&["plans", "--json"], "plans"),
        (
            &["run", "quick", "null:", "--scale", "quick", "--json"],
            "plan",
        ),
        (
            &["review", "null:", "--scale", "quick", "--json"],
            "results",
        ),
        (&["compare", "1", "2", "--json"], "comparison"),
        (&["health", SSD, "--json"], "health"),
        (&["health", "own.img", "--json"], "health"),
        (
            &[
                "sweep",
                "quick-scan",
                SSD,
                "--scale",
                "quick",
                "--vary",
                links,
                "--json",
            ],
            "sweep",
        ),
        (&rescue, "rescue"),
        // Failed I/Os, and why a figure has no value.
        (
            &[
                "run",
                "quick-scan",
                "fault(null:)?bad=0+4KiB",
                "--scale",
                "quick",
                "--json",
            ],
            "result",
        ),
        // A script, and repeats.
        (
            &[
                "run", "os-boot", SSD, "--scale", "quick", "--repeat", "2", "--json",
            ],
            "result",
        ),
    ] {
        let ended = place.run(arguments);
        let document = ended.json();
        let name = document["schema"].as_str().unwrap();
        assert!(name.starts_with(&format!("drivelab.{schema}/")), "{name}");
    }
}

#[test]
fn a_field_that_nobody_has_documented_is_found_and_one_that_is_missing() {
    let place = Place::new();
    let plans = place.json(&["plans", "--json"]);
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut changed = plans.clone();
        change(&mut changed);
        is_documented(&changed).unwrap_err()
    };
    let added = refused(&|plans| plans["plans"][0]["colour"] = json!("red"));
    assert_eq!(added, "drivelab.plans/1.plans[0].colour is not documented");
    let other = refused(&|plans| plans["plans"][0]["writes"] = json!(1));
    assert!(
        other.starts_with("drivelab.plans/1.plans[0].writes: 1 is not"),
        "{other}"
    );
    let missing = refused(&|plans| {
        plans["plans"][0].as_object_mut().unwrap().remove("title");
    });
    assert_eq!(missing, "drivelab.plans/1.plans[0].title is missing");
}

#[test]
fn what_was_stored_is_what_was_printed() {
    let place = Place::new();
    let printed = place.json(&[
        "run",
        "full-scan",
        "null:",
        "--scale",
        "quick",
        "--set",
        "extent=64MiB",
        "--json",
    ]);
    let stored = place.json(&["report", "last", "--json"]);
    assert_eq!(stored["results"][0], printed);
}

#[test]
fn the_methods_read_as_the_golden_text() {
    insta::assert_snapshot!(Place::new().ok(&["methods"]).stdout);
}

#[test]
fn the_help_of_every_command_reads_as_the_golden_text() {
    let place = Place::new();
    let mut text = place.ok(&["--help"]).stdout;
    for command in COMMANDS {
        let help = place.ok(&[command, "--help"]);
        assert_eq!(help.stderr, "");
        text.push_str(&format!(
            "\n\n===== drivelab {command} --help\n{}",
            help.stdout
        ));
    }
    for tool in TOOLS {
        let arguments: Vec<&str> = tool.split(' ').chain(["--help"]).collect();
        let help = place.ok(&arguments).stdout;
        text.push_str(&format!("\n\n===== drivelab {tool} --help\n{help}"));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn tools_for_developers_are_not_on_the_first_screen() {
    let place = Place::new();
    let first_screen = place.ok(&["--help"]).stdout;
    assert!(!first_screen.contains("develop"), "{first_screen}");
}

#[test]
fn every_command_is_in_the_completions_and_in_the_man_page() {
    let place = Place::new();
    let offered = |words: &[&str]| {
        let mut command = place.command(&[&["--", "drivelab"][..], words].concat());
        command.env("DRIVELAB_COMPLETE", "bash");
        command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        let ended = place.start(command).end();
        assert_eq!(
            (ended.code, ended.stderr.as_str()),
            (Some(0), ""),
            "{words:?}"
        );
        ended
            .stdout
            .split(['\n', '\u{b}'])
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    for shell in ["bash", "zsh", "fish"] {
        let script = place.ok(&["completions", shell]).stdout;
        assert!(script.contains("DRIVELAB_COMPLETE"), "{shell}: {script}");
    }
    let commands = offered(&[""]);
    for command in COMMANDS {
        assert!(
            commands.iter().any(|one| one == command),
            "{command}: {commands:?}"
        );
    }
    assert!(!commands.contains(&"engine-leg".to_owned()), "it is hidden");
    assert_eq!(offered(&["run", "quick-s"]), ["quick-scan"]);
    assert!(offered(&["run", "revi"]).contains(&"review-ssd".to_owned()));
    assert!(offered(&["methods", "slc"]).contains(&"slc-fill".to_owned()));
    assert!(offered(&["show", "wd-red-wd"]).contains(&"wd-red-wd30efrx-3tb".to_owned()));
    let models = offered(&["run", "quick-scan", "model:wd-red-wd"]);
    assert!(
        models
            .iter()
            .any(|one| one.ends_with("wd-red-wd30efrx-3tb")),
        "{models:?}"
    );
    place.ok(&["run", "latency-watch", "null:", "--scale", "quick"]);
    place.ok(&["label", "1", "--name", "before"]);
    assert!(offered(&["report", "bef"]).contains(&"before".to_owned()));
    let page = place.ok(&["man"]).stdout;
    assert!(page.contains(".TH drivelab 1"), "{page}");
    for command in COMMANDS {
        assert!(
            page.contains(&format!("drivelab\\-{command}(1)")),
            "{command}"
        );
    }
    assert!(
        !page.contains("engine"),
        "the man page lists the commands alone"
    );
    place.ok(&["man", "pages"]);
    let pages = place.names_in("pages");
    for command in COMMANDS {
        assert!(
            pages.contains(&format!("drivelab-{command}.1")),
            "{command}: {pages:?}"
        );
    }
}

#[test]
fn the_same_seed_on_a_model_prints_the_same_bytes_and_the_golden_ones() {
    let place = Place::new();
    let arguments = [
        "run",
        "latency-watch",
        SSD,
        "--scale",
        "quick",
        "--no-store",
    ];
    let first = place.ok(&arguments);
    assert_eq!(first.stdout, place.ok(&arguments).stdout);
    insta::assert_snapshot!(first.stdout);
}

#[test]
fn the_null_target_gives_the_golden_figures() {
    let place = Place::new();
    let scan = place.ok(&[
        "run",
        "full-scan",
        "null:",
        "--scale",
        "quick",
        "--set",
        "extent=64MiB",
    ]);
    insta::assert_snapshot!(scan.stdout);
    let classic = place.ok(&[
        "run",
        "crystaldiskmark-classic",
        "null:?service=10us",
        "--scale",
        "quick",
    ]);
    insta::assert_snapshot!(classic.stdout);
    let japanese = place.ok(&["--lang", "ja", "report", "last"]);
    insta::assert_snapshot!(japanese.stdout);
}

#[test]
fn the_same_seed_on_a_model_gives_the_same_document_apart_from_command_and_number() {
    let place = Place::new();
    let same = |seed: &str, extra: &[&str]| {
        let mut arguments = vec![
            "run",
            "latency-watch",
            SSD,
            "--scale",
            "quick",
            "--json",
            "--seed",
            seed,
        ];
        arguments.extend(extra);
        let mut document = place.json(&arguments);
        document["environment"] = Value::Null;
        document["id"] = Value::Null;
        document
    };
    let first = same("7", &[]);
    assert_eq!(first, same("7", &["--no-store"]));
    assert_ne!(
        first["phases"],
        same("8", &[])["phases"],
        "another seed, other places"
    );
}

#[test]
fn a_stored_result_comes_as_table_csv_json_and_page() {
    let place = place_with_two_results();
    let table = place.ok(&["report", "last"]).stdout;
    assert!(table.contains("Latency watch") && table.contains("null target, 3.00 us"));
    let csv = place.ok(&["report", "last", "--csv"]).stdout;
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().starts_with("result,method,"));
    let figures = place.json(&["report", "last", "--json"])["results"][0]["figures"].clone();
    assert_eq!(lines.count(), figures.as_array().unwrap().len());
    let page = place.ok(&["report", "1", "2", "--html", "both.html"]);
    assert_eq!(page.stdout, "", "a page alone was asked for");
    let html = std::fs::read_to_string(place.path("both.html")).unwrap();
    assert!(html.contains("null target, 3.00 us"));
    place.ok(&["report", "last", "--html", "both.html"]);
    let replaced = std::fs::read_to_string(place.path("both.html")).unwrap();
    assert_ne!(replaced, html, "our own page is replaced");
}

#[test]
fn a_comparison_marks_what_cannot_be_compared_and_says_why() {
    let place = Place::new();
    let watch = |setting: &str| {
        place.ok(&[
            "run",
            "latency-watch",
            "null:",
            "--scale",
            "quick",
            "--set",
            setting,
        ]);
    };
    watch("size=64MiB");
    watch("size=32MiB");
    let refused = place.run(&["compare", "1", "2"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    let said = refused.stderr.lines().last().unwrap();
    assert!(
        said.contains("nothing can be compared") && said.contains("span ("),
        "{said}"
    );
    let text = refused.stdout;
    let median = text
        .lines()
        .find(|line| line.contains("alone median"))
        .unwrap();
    assert!(median.contains('[') && !median.contains(" x"), "{text}");
    assert!(
        text.contains("64 MiB from 0 B") && text.contains("32 MiB from 0 B"),
        "{text}"
    );
    let same = place.ok(&["compare", "1", "1"]).stdout;
    assert!(same.contains("x1.00"), "{same}");
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let place = place_with_two_results();
    for arguments in [
        "methods",
        "methods --json",
        "drives",
        "show samsung-840-evo-750gb",
        "results",
        "report last",
        "report last --json",
        "report last --csv",
        "compare 1 2",
        "completions bash",
        "man",
        "--help",
        "run latency-watch null: --scale quick --no-store",
        "run latency-watch null: --scale quick --no-store --json",
    ] {
        // The reader closes the pipe before the command can write a byte.
        let line =
            format!("{{ \"$0\" {arguments}; echo $? >&3; }} 3>code 2>said | true; cat code said");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_drivelab")]);
        place.at_home(&mut shell);
        let output = shell.stdout(Stdio::piped()).output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "0\n",
            "{arguments}"
        );
    }
}
