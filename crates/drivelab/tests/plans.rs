//! Plans: one file, many runs; one prompt, resumed after any interruption, reported as one.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;
use serde_json::{Value, json};

/// A plan that takes a moment: two methods on two modelled drives.
const SMALL: &str = r#"
title = "Two drives"
targets = ["null:", "model:samsung-970-evo-plus-1tb"]
scale = "quick"

[[step]]
method = "latency-watch"
set = { time = "1s" }

[[step]]
method = "full-scan"
set = { extent = "16MiB", ops = "read-write" }
targets = ["model:samsung-970-evo-plus-1tb"]
repeat = 2
"#;

fn place_with(plan: &str) -> Place {
    let place = Place::new();
    std::fs::write(place.path("own.toml"), plan).unwrap();
    place
}

#[test]
fn a_plan_runs_every_step_and_leaves_one_account_and_one_page() {
    let place = place_with(SMALL);
    let dry = place.ok(&["run", "own.toml", "--dry-run"]);
    for words in [
        "3  full-scan on model:samsung-970-evo-plus-1tb",
        "of virtual time, simulated in about 1 s, writes 33.6 MB",
        "% of its rated endurance of 600 TB",
    ] {
        assert!(dry.stdout.contains(words), "{words}: {}", dry.stdout);
    }
    assert!(place.stored().is_empty(), "a dry run runs nothing");
    let ended = place.ok(&["run", "own.toml", "--json"]);
    let outcome = ended.json();
    assert_eq!(outcome["schema"], "drivelab.plan/1");
    assert_eq!(
        (&outcome["id"], &outcome["title"]),
        (&json!(1), &json!("Two drives"))
    );
    let steps = outcome["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 3);
    assert!(steps.iter().all(|step| step["state"] == "finished"));
    assert_eq!(outcome["results"].as_array().unwrap().len(), 3);
    assert_eq!(outcome["results"][2]["repeats"]["runs"], 2);
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(
        page.contains("<title>Two drives</title>"),
        "{}",
        &page[..400]
    );
    assert!(
        ended
            .stderr
            .contains("report: report.html; stored as plan-1")
    );
    let stored = place.stored();
    assert_eq!(stored[0]["plan"], json!({ "id": 1, "step": 3 }));
    place.fails(&["resume"], 1, &["plan 1 has ended", "report plan-1"]);
    let again = place.json(&["report", "plan-1", "--json"]);
    assert_eq!(again["results"], outcome["results"]);
    let text = place.ok(&["report", "plan-1"]).stdout;
    assert!(
        text.contains("Latency watch") && text.contains("Full scan"),
        "{text}"
    );
}

#[test]
fn a_ready_plan_takes_its_targets_and_its_scale_from_the_command_line() {
    let place = Place::new();
    let listing = place.json(&["plans", "--json"]);
    assert_eq!(listing["schema"], "drivelab.plans/1");
    for plan in listing["plans"].as_array().unwrap() {
        let name = plan["name"].as_str().unwrap();
        assert!(place.ok(&["plans"]).stdout.contains(name));
        let file = place.ok(&["plans", name]).stdout;
        // A document's plan has the drives of that document.
        if file.contains("beside_published") {
            place.ok(&["run", name, "--dry-run"]);
            place.fails(
                &["run", name, "null:", "--dry-run"],
                2,
                &[name, "own targets"],
            );
            continue;
        }
        std::fs::write(place.path("copy.toml"), file).unwrap();
        place.ok(&["run", "copy.toml", "null:", "--dry-run"]);
        place.fails(&["run", name], 2, &[name, "names no target"]);
    }
    let dry = place.ok(&["run", "quick", "null:", "null:?service=3us", "--dry-run"]);
    assert_eq!(
        dry.stdout.matches("latency-watch on null:").count(),
        2,
        "{dry:?}"
    );
    assert_ne!(
        place
            .ok(&["run", "quick", "null:", "--dry-run", "--scale", "full"])
            .stdout,
        place.ok(&["run", "quick", "null:", "--dry-run"]).stdout
    );
}

#[test]
fn what_cannot_be_is_refused_in_one_line_before_anything_runs() {
    let place = place_with(&SMALL.replace("latency-watch", "latncy-watch"));
    place.fails(
        &["run", "own.toml"],
        2,
        &["own.toml, line 7: there is no method 'latncy-watch'; did you mean latency-watch"],
    );
    place.fails(&["run", "nowhere.toml"], 1, &["nowhere.toml: No such file"]);
    place.fails(
        &["run", "quik", "null:"],
        2,
        &["there is no method 'quik'", "quick"],
    );
    place.fails(
        &["plans", "quik"],
        2,
        &["there is no plan 'quik'; did you mean quick"],
    );
    place.fails(&["run", "full-scan"], 2, &["full-scan needs a target"]);
    place.fails(&["run", "full-scan", "null:", "dir"], 1, &["dir"]);
    place.fails(
        &["run", "quick", "null:", "null:"],
        2,
        &["null: is named twice"],
    );
    place.fails(&["run", "quick", "./nothing"], 1, &["./nothing"]);
    let set = ["run", "quick", "null:", "--set", "block=4KiB"];
    place.fails(&set, 2, &["--set belongs to a method"]);
    place.fails(&["run", "quick", "null:", "--no-store"], 2, &["--no-store"]);
    place.fails(&["resume", "plan-7"], 1, &["there is no plan 7"]);
    place.fails(&["resume", "plan-x"], 2, &["plan-x"]);
    assert!(place.stored().is_empty());
}

#[test]
fn overwriting_is_confirmed_once_for_each_drive_and_what_is_read_is_not_asked_for() {
    let test = "overwriting_is_confirmed_once_for_each_drive_and_what_is_read_is_not_asked_for";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    for name in ["a.img", "b.img", "read.img"] {
        place.file(name, 2 << 20);
    }
    let before = std::fs::read(place.path("read.img")).unwrap();
    let plan = r#"
targets = ["./a.img", "./b.img", "./read.img"]
[[step]]
method = "full-scan"
set = { ops = "write" }
targets = ["./a.img", "./b.img"]
[[step]]
method = "full-scan"
set = { ops = "read" }
"#;
    std::fs::write(place.path("own.toml"), plan).unwrap();
    place.fails(
        &["run", "own.toml"],
        2,
        &[
            "full-scan would overwrite data on ./a.img",
            "--destroy-data",
        ],
    );
    let half = ["run", "own.toml", "--destroy-data", "--confirm", "./b.img"];
    let refused = place.run(&half);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let last = refused.stderr.lines().last().unwrap();
    assert!(
        last.contains("./a.img would be overwritten: add --confirm"),
        "{refused:?}"
    );
    assert!(place.stored().is_empty());
    let whole = [&half[..], &["--confirm", "./a.img", "--json"]].concat();
    let outcome = place.json(&whole);
    assert_eq!(outcome["results"].as_array().unwrap().len(), 5);
    assert!(std::fs::read(place.path("read.img")).unwrap() == before);
    assert!(outcome["forecast"]["real_hours"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_drive_that_goes_away_takes_no_part_any_more_and_the_others_go_on() {
    let plan = r#"
targets = ["fault(null:)?gone_after=50", "null:"]
order = "by-target"
scale = "quick"
[[step]]
method = "full-scan"
set = { extent = "16MiB" }
[[step]]
method = "latency-watch"
set = { time = "100ms" }
"#;
    let place = place_with(plan);
    for arguments in [&["run", "own.toml", "--json"][..], &["resume", "--json"]] {
        let ended = place.run(arguments);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let last = ended.stderr.lines().last().unwrap();
        assert!(last.contains("2 of 4 steps have no result"), "{ended:?}");
        let outcome = ended.json();
        let states: Vec<&Value> = outcome["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| &step["state"])
            .collect();
        assert_eq!(states, ["failed", "skipped", "finished", "finished"]);
        assert!(
            outcome["steps"][0]["why"]
                .as_str()
                .unwrap()
                .contains("went away")
        );
        // What it gave until then is among the results, and says so.
        let results = outcome["results"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        let early = results[0]["ended"].as_str().unwrap();
        assert!(early.contains("went away"), "{early}");
        assert_eq!(results[1]["ended"], "complete");
    }
    assert_eq!(place.stored().len(), 3, "no step has two runs");
}

#[test]
fn the_fortieth_writing_step_of_a_plan_issues_its_ios_as_the_first() {
    const TEST: &str = "the_fortieth_writing_step_of_a_plan_issues_its_ios_as_the_first";
    let Some(place) = Place::on_disk_or_skip(TEST) else {
        return;
    };
    place.file("a.img", 4 << 20);
    let step = "[[step]]\nmethod = 'full-scan'\nset = { extent = '1MiB', ops = 'read-write' }\n";
    let plan = format!("targets = ['./a.img']\n{}", step.repeat(40));
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let allowed = ["--destroy-data", "--confirm", "./a.img", "--json"];
    let outcome = place.json(&[&["run", "own.toml"][..], &allowed].concat());
    let results = outcome["results"].as_array().unwrap();
    let issued: Vec<&Value> = results.iter().map(|r| &r["target"]["path"]).collect();
    assert_eq!(issued.len(), 40);
    assert!(issued.iter().all(|path| *path == issued[0]), "{issued:?}");
}

#[test]
fn a_plan_that_is_resumed_goes_on_with_the_drive_that_went_away() {
    const TEST: &str = "a_plan_that_is_resumed_goes_on_with_the_drive_that_went_away";
    let Some(place) = Place::on_disk_or_skip(TEST) else {
        return;
    };
    place.file("drive.img", 16 << 20);
    let plan = r#"
targets = ["fault(./drive.img)?gone_after=50"]
[[step]]
method = "full-scan"
set = { extent = "16MiB", block = "256KiB" }
"#;
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let ended = place.run(&["run", "own.toml"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(place.stored()[0]["state"], "went away");
    let outcome = place.json(&["resume", "--json"]);
    assert_eq!(outcome["steps"][0]["state"], "finished");
    let job = &outcome["results"][0]["phases"][0]["jobs"][0];
    assert_eq!(
        (&job["ops"][0]["ios"], &job["errors"]["count"]),
        (&json!(64), &json!(0))
    );
    assert_eq!(place.stored().len(), 1, "no step has two runs");
}

#[test]
fn a_drive_that_is_carried_over_is_as_the_step_before_has_left_it() {
    let plan = |state: &str| {
        format!(
            "targets = ['model:samsung-840-evo-120gb']\nstate = '{state}'\nscale = 'quick'\n\
             [[step]]\nmethod = 'slc-fill'\n[[step]]\nmethod = 'slc-fill'\n\
             [[step]]\nmethod = 'slc-fill'\nrest = '10min'\n"
        )
    };
    let results = |state: &str| {
        let outcome = place_with(&plan(state)).json(&["run", "own.toml", "--json"]);
        outcome["results"].as_array().unwrap().clone()
    };
    let (anew, carried) = (results("anew"), results("carried-over"));
    assert_eq!(anew[0]["figures"], anew[1]["figures"]);
    assert_eq!(anew[0]["figures"], carried[0]["figures"]);
    assert_ne!(carried[0]["figures"], carried[1]["figures"]);
    assert_ne!(carried[1]["figures"], carried[2]["figures"], "it rested");
    assert_eq!(
        carried[2]["target"]["state"],
        "fresh, carried over after slc-fill, slc-fill"
    );
}

#[test]
fn targets_side_by_side_give_what_they_give_one_after_another() {
    let plan = |at_once: &str| {
        format!(
            "targets = ['null:', 'null:?service=3us', 'model:hgst-deskstar-nas-hdn724030-3tb']\n\
             at_once = {at_once}\nscale = 'quick'\n\
             [[step]]\nmethod = 'latency-watch'\n[[step]]\nmethod = 'quick-scan'\n"
        )
    };
    let results = |at_once: &str| {
        let place = place_with(&plan(at_once));
        let mut outcome = place.json(&["run", "own.toml", "--json"]);
        for result in outcome["results"].as_array_mut().unwrap() {
            result["id"] = json!(0); // in which order they begin is chance
        }
        outcome["results"].clone()
    };
    assert!(results("1") == results("'all'"));
}

#[test]
fn repeats_of_a_plan_end_when_the_intervals_are_narrow_or_at_the_cap() {
    let disk = "model:hgst-deskstar-nas-hdn724030-3tb";
    let scan = "set = { ops = 'read', regions = 64 }";
    let plan = format!(
        "targets = ['{disk}']\nscale = 'quick'\n\
         [[step]]\nmethod = 'quick-scan'\n{scan}\nrepeat = 'auto:100%,max=30'\n\
         [[step]]\nmethod = 'hd-tune-random-access'\nrepeat = 'auto:0.001%,max=7'\n"
    );
    let place = place_with(&plan);
    let outcome = place.json(&["run", "own.toml", "--json"]);
    let result = |at: usize| &outcome["results"][at];
    let repeats = |at: usize| &result(at)["repeats"];
    assert_eq!(repeats(0)["narrow_enough"], true, "{}", repeats(0)["runs"]);
    assert!(repeats(0)["runs"].as_u64().unwrap() < 30);
    assert_eq!(repeats(1)["runs"], 7);
    assert_eq!(repeats(1)["narrow_enough"], false);
    assert!(
        result(1)["warnings"]
            .to_string()
            .contains("the limit of auto:0.001%,max=7 ended")
    );
    let set = [
        "--set",
        "ops=read",
        "--set",
        "regions=64",
        "--scale",
        "quick",
    ];
    let alone = [
        "run",
        "quick-scan",
        disk,
        "--repeat",
        "auto:100%,max=30",
        "--json",
    ];
    let alone = place.json(&[&alone[..], &set].concat());
    assert_eq!(alone["figures"], result(0)["figures"]);
    let width = |figure: &Value| {
        let end = |end: &str| figure["interval"][end].as_f64().unwrap();
        (end("high") - end("low")) / figure["value"].as_f64().unwrap().abs().max(1e-300)
    };
    let figures = alone["figures"].as_array().unwrap().iter();
    // A band that its time is too short for is withheld.
    let told: Vec<&Value> = figures.filter(|f| !f["value"].is_null()).collect();
    assert!(told.len() > 4, "{told:?}");
    for figure in told {
        let statistic = figure["statistic"].as_str().unwrap();
        let extreme = statistic.ends_with(": max") || statistic.ends_with(": min");
        assert!(extreme || width(figure) <= 1.0, "{figure}");
    }
}

#[test]
fn a_batch_is_screened_and_a_drive_that_breaks_a_limit_is_rejected_and_the_odd_one_is_shown() {
    let place = Place::new();
    let disk = |number: usize, own: &str| {
        format!("model:hgst-deskstar-nas-hdn724030-3tb?host=none&seed={number}{own}")
    };
    // The ready plan with a scan that takes less than a minute of computing.
    let plan = place.ok(&["plans", "screen"]).stdout;
    let shorter = plan.replace(
        "method = \"full-scan\"\nset = { ops = \"read\" }",
        "method = \"full-scan\"\nset = { ops = \"read\", extent = \"64MiB\" }",
    );
    assert_ne!(plan, shorter);
    std::fs::write(place.path("own.toml"), shorter).unwrap();
    let slow = disk(4, "&hdd.media.rpm=5400");
    let (one, two, three) = (disk(1, ""), disk(2, ""), disk(3, ""));
    let alike = ["run", "own.toml", &one, &two, &three];
    let accepted = place.ok(&alike);
    assert!(
        accepted.stdout.contains("3 of 3 drives accepted"),
        "{accepted:?}"
    );
    assert!(
        accepted.stdout.contains("No drive is an outlier"),
        "{accepted:?}"
    );
    let five = disk(5, "");
    let ended = place.run(&[&alike[..], &[&slow, &five]].concat());
    assert_eq!(ended.code, Some(3), "{ended:?}");
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.contains("1 of 5 drives are rejected"), "{ended:?}");
    let odd = format!("{slow} is the outlier");
    for words in ["4 of 5 drives accepted", "below the batch from", &odd] {
        assert!(ended.stdout.contains(words), "{words}: {ended:?}");
    }
    let outcome = place.json(&["report", "plan-2", "--json"]);
    assert_eq!(outcome["screening"]["odd_one"], slow);
    let page = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    let (first, second) = (page("report.html"), page("report-2.html"));
    assert!(
        !first.contains("is the outlier"),
        "it is the first batch's still"
    );
    assert!(second.contains("id=\"screening\"") && second.contains("is the outlier"));
    assert!(place.stored().iter().all(|run| !run["method"].is_null()));
}

#[test]
fn a_batch_that_must_be_looked_at_has_an_exit_code_of_its_own_and_says_where() {
    let place = Place::new();
    std::fs::write(
        place.path("own.toml"),
        "at_once = \"all\"\n[[step]]\nmethod = \"full-scan\"\nset = { ops = \"read\", extent = \"10GB\" }\n[screen]\nerrors = 0\n",
    )
    .unwrap();
    let disk = |seed: u32| format!("model:wd-red-wd30efrx-3tb?seed={seed}");
    let slow = format!("fault({})?slow=7GB+5MB&slow_by=80ms", disk(3));
    let ended = place.run(&["run", "own.toml", &disk(1), &disk(2), &slow]);
    assert_eq!(ended.code, Some(4), "{ended:?}");
    let last = ended.stderr.lines().last().unwrap();
    assert!(last.contains("1 of 3 drives must be checked"), "{ended:?}");
    for words in [
        "2 of 3 drives accepted",
        "look at it",
        "Full scan: slow from 6.9924 GB to 7.0119 GB",
        "x░",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {ended:?}");
    }
    let japanese = place.run(&["report", "plan-1", "--lang", "ja"]).stdout;
    assert!(
        japanese.contains("要確認")
            && japanese.contains("フルスキャン: 6.9924 GB から 7.0119 GB が遅い"),
        "{japanese}"
    );
}

#[test]
fn what_is_not_comparable_is_refused_with_what_differs() {
    let place = Place::new();
    let watch = ["run", "latency-watch", "null:", "--scale", "quick"];
    place.ok(&watch);
    place.ok(&[&watch[..], &["--set", "size=1MiB"]].concat());
    place.ok(&["run", "quick-scan", "null:", "--scale", "quick"]);
    for (arguments, code, says) in [
        (
            ["compare", "1", "2"],
            1,
            "what was measured differs: span (1 MiB from 0 B",
        ),
        (
            ["compare", "1", "3"],
            1,
            "the results are of different methods: latency-watch, quick-scan",
        ),
    ] {
        let ended = place.run(&arguments);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.stderr.contains(says), "{says}: {ended:?}");
        assert!(!ended.stdout.contains("--repeat auto"), "{ended:?}");
    }
    place.fails(&["compare", "1"], 2, &["at least two results"]);
    place.ok(&["compare", "1", "1"]);
}
