//! Requests become arguments, or are refused in one line.

use proptest::prelude::*;

use super::*;

fn arguments(json: &str) -> Result<String, Refused> {
    let start = Start::read(json.as_bytes())?;
    Ok(start.arguments()?.join(" "))
}

#[test]
fn each_kind_of_start_becomes_the_command_that_a_terminal_takes() {
    let cases = [
        (
            r#"{"run":{"what":"quick-scan","targets":["model:a","./d?size=1GiB"],"set":{"spots":"9"},"scale":"quick","seed":3,"repeat":"auto:5%"}}"#,
            "run --scale=quick --set=spots=9 --seed=3 --repeat=auto:5% --json --progress=json --no-html -- quick-scan model:a ./d?size=1GiB",
        ),
        (
            r#"{"ask":{"question":"good","targets":["/dev/sda"]}}"#,
            "ask --progress=json -- good /dev/sda",
        ),
        (
            r#"{"review":{"target":".","beside":["model:b"],"scale":"full"}}"#,
            "review --scale=full --beside=model:b --json --progress=json --no-html -- .",
        ),
        (
            r#"{"resume":{"run":"plan-2"}}"#,
            "resume --json --progress=json -- plan-2",
        ),
    ];
    for (json, expected) in cases {
        assert_eq!(arguments(json).as_deref(), Ok(expected));
    }
}

#[test]
fn a_forecast_is_a_dry_run_of_the_same() {
    let start = Start::read(br#"{"run":{"what":"m","targets":["t"]}}"#).unwrap();
    let expected = ["run", "--dry-run", "--json", "--no-html", "--", "m", "t"];
    assert_eq!(start.forecast().unwrap(), expected);
    assert_eq!(start.typed().unwrap(), ["run", "--", "m", "t"]);
}

#[test]
fn nothing_allows_to_overwrite_a_drive_in_any_spelling() {
    let tries = [
        r#"{"run":{"what":"m","targets":["/dev/sda"],"destroy_data":true}}"#,
        r#"{"run":{"what":"m","targets":["/dev/sda","--destroy-data"]}}"#,
        r#"{"run":{"what":"m","targets":[" --confirm=S1"]}}"#,
        r#"{"run":{"what":"--destroy-data","targets":[]}}"#,
        r#"{"review":{"target":".","confirm":["x"]}}"#,
        r#"{"run":{"what":"m","set":{"--destroy-data":"x"}}}"#,
        r#"{"destroy-data":{}}"#,
    ];
    for json in tries {
        assert_eq!(arguments(json), Err(Refused::Consent), "{json}");
    }
}

#[test]
fn a_name_that_would_be_an_option_is_refused() {
    let tries = [
        r#"{"run":{"what":"m","targets":["--no-store"]}}"#,
        r#"{"run":{"what":"-h"}}"#,
        r#"{"run":{"what":"m","set":{"-a":"b"}}}"#,
        r#"{"run":{"what":"m","set":{"a":"--b"}}}"#,
        r#"{"run":{"what":"m","repeat":"-1"}}"#,
        r#"{"resume":{"run":"--json"}}"#,
    ];
    for json in tries {
        let refused = arguments(json).unwrap_err();
        assert!(matches!(refused, Refused::LikeAnOption { .. }), "{json}");
    }
    assert!(Look::named("health", "-d").is_err());
    assert!(Look::named("comparison", "1,--json").is_err());
}

#[test]
fn what_no_command_line_holds_is_refused() {
    let long = "x".repeat(LONGEST_NAME + 1);
    let many = vec!["\"t\""; MOST + 1].join(",");
    let tries = [
        "".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#"{"run":{"what":""}}"#.to_owned(),
        r#"{"run":{"what":"a\u0000b"}}"#.to_owned(),
        r#"{"run":{"what":"m","targets":["a\nb"]}}"#.to_owned(),
        r#"{"run":{"what":"m","what":"n"}}"#.to_owned(),
        r#"{"run":{"what":"m","html":"x"}}"#.to_owned(),
        r#"{"run":{"what":"m","two\nlines":"x"}}"#.to_owned(),
        r#"{"run":{"what":"m"},"ask":{}}"#.to_owned(),
        format!(r#"{{"run":{{"what":"{long}"}}}}"#),
        format!(r#"{{"run":{{"what":"m","targets":[{many}]}}}}"#),
        " ".repeat(LONGEST_REQUEST + 1),
    ];
    for json in tries {
        let refused = arguments(&json).unwrap_err().to_string();
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
    let refused = Look::named("passwords", "").unwrap_err();
    assert_eq!(refused, Refused::Unknown("passwords".to_owned()));
    assert_eq!(Look::named("results", " , "), Err(Refused::Missing("of")));
}

#[test]
fn labels_may_say_anything_but_names_stay_names() {
    let label = Label::read(
        r#"{"results":["7"],"name":"","tag":["desk"],"untag":["old"],"note":"-- two\nlines"}"#
            .as_bytes(),
    );
    let expected = [
        "label",
        "--name=",
        "--note=-- two\nlines",
        "--tag=desk",
        "--untag=old",
        "--",
        "7",
    ];
    assert_eq!(label.unwrap().arguments().unwrap(), expected);
    assert!(Label::read(br#"{"results":[]}"#).is_err());
    assert!(Label::read(br#"{"results":["7"],"tag":["-x"]}"#).is_err());
}

#[test]
fn what_is_looked_at_is_printed_as_json_and_a_summary_in_words() {
    let line = |name, of| {
        Look::named(name, of)
            .unwrap()
            .arguments()
            .unwrap()
            .join(" ")
    };
    assert_eq!(line("devices", ""), "devices --json");
    assert_eq!(line("health", "/dev/sda"), "health --json -- /dev/sda");
    assert_eq!(line("summary", "plan-2"), "report -- plan-2");
    assert_eq!(
        line("comparison", "3, plan-2"),
        "compare --json -- 3 plan-2"
    );
}

proptest! {
    #[test]
    fn whatever_is_named_stands_behind_the_options(what in ".{0,20}", target in ".{0,20}", key in ".{0,8}", value in ".{0,8}") {
        let run = Run {
            what,
            targets: vec![target],
            set: [(key, value)].into(),
            ..Run::default()
        };
        if let Ok(all) = Start::Run(run).arguments() {
            let apart = all.iter().position(|word| word == "--").unwrap();
            prop_assert_eq!(&all[0], "run");
            let known = ["--set=", "--json", "--progress=json", "--no-html"];
            let is_known = |word: &String| known.iter().any(|known| word.starts_with(known));
            prop_assert!(all[1..apart].iter().all(is_known));
            prop_assert!(all[apart + 1..].iter().all(|name| !name.starts_with('-')));
        }
    }
}
