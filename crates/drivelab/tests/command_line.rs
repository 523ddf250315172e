//! The command line as people use it: several targets, names for results, the user's settings, progress.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;
use serde_json::Value;

const QUICK: [&str; 2] = ["--scale", "quick"];

fn run<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&["run", "latency-watch"], words, &QUICK].concat()
}

#[test]
fn several_targets_give_a_result_each_and_the_comparison() {
    let place = Place::new();
    let ended = place.ok(&run(&["null:", "null:?service=3us"]));
    assert!(ended.stdout.contains("slower (+200"), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("2 of 2: latency-watch on null:?service=3us"),
        "{ended:?}"
    );
    assert_eq!(place.stored().len(), 2);
    assert!(
        !place.path("report.html").exists(),
        "nobody asked for a page"
    );
    let json = place.json(&[run(&["null:", "null:?service=2us"]), vec!["--json"]].concat());
    assert_eq!(json["results"].as_array().unwrap().len(), 2);
    // What one of them is refused by stops all of it before anything is run.
    let before = place.stored().len();
    let disk = "model:wd-red-wd30efrx-3tb";
    place.fails(
        &["run", "range-sweep", "null:", disk],
        2,
        &["does not apply to hard disks", disk],
    );
    place.fails(&run(&["null:", "null:"]), 2, &["named twice"]);
    assert_eq!(place.stored().len(), before);
}

#[test]
fn a_drive_of_the_catalogue_without_its_prefix_is_told_its_whole_name() {
    let place = Place::new();
    let drive = "wd-red-wd30efrx-3tb";
    let meant = format!("the modelled drive is model:{drive}");
    place.fails(&run(&[drive]), 2, &[&meant]);
    place.fails(&run(&["wd-red"]), 1, &["check the name"]);
}

#[test]
fn results_are_named_tagged_annotated_and_deleted_and_asked_for_in_many_ways() {
    let place = Place::new();
    for service in ["1us", "2us", "3us", "4us"] {
        place.ok(&run(&[&format!("null:?service={service}")]));
    }
    place.ok(&[
        "label",
        "1",
        "--name",
        "before",
        "--note",
        "with the old cable",
    ]);
    place.ok(&["label", "2-3", "--tag", "desk"]);
    let listed = place.ok(&["results"]).stdout;
    for words in [
        "quick",
        "null:?service=2us",
        "ms",
        "before, with the old cable",
        "#desk",
    ] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    let numbers = |words: &[&str]| {
        let all = place.json(&[&["results", "--json"], words].concat());
        let all = all["results"].as_array().unwrap().clone();
        all.iter()
            .map(|run| run["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&["before", "tag:desk"]), [3, 2, 1]);
    assert_eq!(numbers(&["last:2"]), [4, 3]);
    let reported = |words: &[&str]| {
        let all = place.json(&[&["report", "--json"], words].concat());
        all["results"].as_array().unwrap().len()
    };
    assert_eq!(
        (
            reported(&["2-3"]),
            reported(&["all"]),
            reported(&["before", "all"])
        ),
        (2, 4, 4)
    );
    assert!(
        place
            .ok(&["compare", "before", "2"])
            .stdout
            .contains("slower")
    );
    place.fails(
        &["label", "2", "--name", "before"],
        2,
        &["'before'", "run 1"],
    );
    place.fails(
        &["label", "2-3", "--name", "one"],
        2,
        &["belongs to one result"],
    );
    place.fails(&["label", "2"], 2, &["--name"]);
    place.fails(
        &["delete", "2-3"],
        2,
        &["results 2, 3 would be deleted", "--yes"],
    );
    assert_eq!(numbers(&[]).len(), 4);
    place.ok(&["delete", "2-3", "before", "--yes"]);
    assert_eq!(numbers(&[]), [4]);
    place.fails(&["report", "before"], 2, &["no run is called 'before'"]);
}

#[test]
fn the_users_settings_and_the_environment_are_kept_to_and_arguments_come_first() {
    let place = Place::new();
    let own = place.path("own.sqlite3");
    std::fs::create_dir_all(place.path("config/drivelab")).unwrap();
    let write =
        |text: &str| std::fs::write(place.path("config/drivelab/config.toml"), text).unwrap();
    write(&format!(
        "language = 'ja'\nstore = '{}'\nneighbours = ['null:?service=7us']\nauthor = 'Bench 3'\n",
        own.display()
    ));
    let mut review = place.command(&["review", "null:", "--scale", "quick"]);
    review.env_remove("DRIVELAB_STORE");
    let ended = place.start(review).end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(own.is_file(), "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("null:?service=7us を latency-watch で測定"),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("として保存"), "{ended:?}");
    assert!(ended.stdout.contains("応答時間"), "{ended:?}");
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(page.contains("(Bench 3)"));
    let english = place.ok(&[run(&["null:"]), vec!["--lang", "en"]].concat());
    assert!(english.stdout.contains("Latency watch"), "{english:?}");
    write("langage = 'ja'\n");
    place.fails(&["results"], 2, &["config.toml, line 1", "langage"]);
    std::fs::remove_file(place.path("config/drivelab/config.toml")).unwrap();
    let mut japanese = place.command(&run(&["null:"]));
    japanese.env("LC_ALL", "ja_JP.UTF-8");
    assert!(place.start(japanese).end().stdout.contains("応答時間"));
}

#[test]
fn help_errors_and_lists_are_english_and_forecasts_are_in_the_language_that_is_asked_for() {
    let place = Place::new();
    for words in [
        "--help",
        "run --help",
        "run --scael quick null:",
        "run no-such-method null:",
        "methods",
        "methods quick-scan",
        "drives",
        "show samsung-840-evo-120gb",
        "devices",
        "plans",
        "new",
        "results",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let asked = place.run(&[&words[..], &["--lang", "ja"]].concat());
        let english = place.run(&[&words[..], &["--lang", "en"]].concat());
        assert_eq!(
            (&asked.stdout, &asked.stderr),
            (&english.stdout, &english.stderr),
            "{words:?}"
        );
    }
    let dry = ["run", "quick-scan", "null:", "--dry-run", "--lang", "ja"];
    let forecast = place.ok(&dry).stdout;
    assert!(forecast.contains("所要時間: "), "{forecast}");
}

#[test]
fn a_stored_result_says_its_notes_in_the_language_of_the_report() {
    let place = Place::new();
    place.ok(&["run", "crystaldiskmark", "null:", "--scale", "quick"]);
    let says = "the response-time chart shows the counted runs of RND4K Q1T1";
    let stored = place.json(&["report", "last", "--json"]);
    let note = &stored["results"][0]["notes"][1];
    assert_eq!(note, says);
    for (lang, says) in [
        ("en", says),
        ("ja", "応答時間のグラフは RND4K Q1T1 の集計対象を示す"),
    ] {
        place.ok(&["report", "last", "--html", "page.html", "--lang", lang]);
        let page = std::fs::read_to_string(place.path("page.html")).unwrap();
        assert!(page.contains(says), "{lang}");
    }
}

#[test]
fn progress_is_streamed_as_a_line_of_json_an_update() {
    let place = Place::new();
    let words = run(&["null:", "null:?service=2us"]);
    let ended = place.ok(&[words, vec!["--progress", "json"]].concat());
    let lines = ended.stderr.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!lines.is_empty(), "{ended:?}");
    for line in &lines {
        command::documented::is_documented(line).unwrap_or_else(|why| panic!("{why}: {line}"));
    }
    let steps: Vec<&Value> = lines.iter().filter(|line| line["of"] == 2).collect();
    assert!(
        steps.iter().all(|line| line["method"] == "Latency watch"),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line["message"].is_string()),
        "{lines:?}"
    );
}

#[test]
fn devices_are_listed_without_asking_for_anything() {
    let place = Place::new();
    let listing = place.json(&["devices", "--json"]);
    let devices = listing["devices"].as_array().unwrap();
    let text = place.ok(&["devices"]).stdout;
    for device in devices {
        assert!(text.contains(device["path"].as_str().unwrap()), "{text}");
        assert!(device["capacity"].as_u64().unwrap() > 0);
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

/// The size of the test file and the end of the written range, from a dry run.
fn announced(said: &str) -> (u64, u64) {
    let number = |text: &str| text.split(' ').next().unwrap().parse::<u64>().unwrap();
    let size = said.split("in a new test file of ").nth(1).unwrap();
    let size = size.split(',').next().unwrap();
    let size: base::size::Bytes = size.replace(' ', "").parse().unwrap();
    let ends = said
        .lines()
        .filter_map(|line| line.split_once("writes bytes ")?.1.split_once(" to "));
    (
        size.get(),
        ends.map(|(_, end)| number(end)).max().unwrap_or(0),
    )
}

#[test]
fn a_dry_run_in_a_directory_announces_the_file_and_the_writes_that_the_run_makes() {
    let test = "a_dry_run_in_a_directory_announces_the_file_and_the_writes_that_the_run_makes";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.directory("dir");
    let methods = place.json(&["methods", "--json"]);
    for method in methods["methods"].as_array().unwrap() {
        let zoned = method["needs"]
            .as_array()
            .unwrap()
            .contains(&"zones".into());
        if method["models_only"] == true || zoned {
            continue;
        }
        let mut words = vec!["run", method["id"].as_str().unwrap(), "./dir?size=16MiB"];
        words.extend(QUICK);
        for setting in method["shortest"].as_array().unwrap() {
            words.extend(["--set", setting.as_str().unwrap()]);
        }
        // Those that take the whole of a target are shortened by the file alone.
        let whole = ["full-scan", "quick-scan", "slc-fill", "range-sweep"];
        if whole.contains(&words[1]) {
            words[2] = "./dir";
            words.retain(|word| *word != "extent=16MiB" && *word != "extent=8MiB");
            let dangling = |at: usize, words: &[&str]| {
                words[at] == "--set" && words.get(at + 1).is_none_or(|w| *w == "--set")
            };
            let kept = (0..words.len()).filter(|&at| !dangling(at, &words));
            words = kept.map(|at| words[at]).collect();
        }
        let dry = place.ok(&[&words[..], &["--dry-run"]].concat()).stdout;
        let (size, end) = announced(&dry);
        let result = place.json(&[&words[..], &["--json", "--no-store"]].concat());
        assert_eq!(
            result["target"]["info"]["capacity"], size,
            "{words:?}: {dry}"
        );
        let mut written = 0;
        for phase in result["phases"].as_array().unwrap() {
            let jobs = phase["workload"]["jobs"].as_array().unwrap();
            for (at, job) in jobs.iter().enumerate() {
                let writes = phase["jobs"][at]["ops"][1]["ios"].as_u64().unwrap_or(0) > 0;
                let name = phase["name"].as_str().unwrap();
                if writes && !name.ends_with("fill the test file") {
                    let span = &job["span"];
                    let (start, len) = (span["start"].as_u64(), span["len"].as_u64());
                    written = written.max(start.unwrap() + len.unwrap());
                }
            }
        }
        assert!(written <= end, "{words:?}: {written} of {end}\n{dry}");
    }
}

#[test]
fn what_is_installed_lies_where_shells_and_man_look_for_it() {
    let place = Place::new();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../setup/install-program.sh"
    );
    let prefix = place.path("prefix");
    let installed = std::process::Command::new("sh")
        .args([script, env!("CARGO_BIN_EXE_drivelab")])
        .arg(&prefix)
        .output()
        .unwrap();
    assert!(installed.status.success(), "{installed:?}");
    for file in [
        "bin/drivelab",
        "share/man/man1/drivelab.1",
        "share/man/man1/drivelab-run.1",
        "share/bash-completion/completions/drivelab",
        "share/zsh/site-functions/_drivelab",
        "share/fish/vendor_completions.d/drivelab.fish",
    ] {
        let found = std::fs::metadata(prefix.join(file));
        assert!(found.is_ok_and(|found| found.len() > 0), "{file}");
    }
}
