//! What is said of verdicts by use.

use super::*;
use fixtures::results as sample;

#[test]
fn what_is_missing_comes_with_the_command_that_measures_it() {
    let lack = |whole, why| Lack {
        source: Box::leak(Box::new(Source {
            whole,
            ..*USES[0].rules[0].sources.first().unwrap()
        })),
        result: None,
        why,
        can_be_run: true,
    };
    let method = USES[0].rules[0].sources[0].method;
    let mut target = sample::review().swap_remove(0).target;
    target.identity.clear();
    target.name = "model:x?state=fresh".to_owned();
    assert_eq!(
        remedy(
            &lack(
                true,
                Why::NotWhole(&base::message::Message::of("span-whole"))
            ),
            &target
        ),
        format!("drivelab run {method} 'model:x?state=fresh' --set extent=whole")
    );
}

#[test]
fn of_a_test_file_a_larger_one_is_asked_for_and_never_the_drive_that_it_lies_on() {
    let mut target = sample::review().swap_remove(0).target;
    let identity = &mut target.identity;
    identity.insert("file system".to_owned(), "ext4".to_owned());
    identity.insert("device".to_owned(), "sdz1".to_owned());
    identity.insert("test file".to_owned(), "1 GiB".to_owned());
    for (name, asked) in [
        ("./", "'./?size=4GiB'"),
        (
            "/home?size=1GiB&buffered=yes",
            "'/home?buffered=yes&size=4GiB'",
        ),
        ("fault(./)?errors=1", "'fault(./)?errors=1'"),
    ] {
        target.name = name.to_owned();
        for rule in USES.iter().flat_map(|of| of.rules) {
            for source in rule.sources {
                let lack = Lack {
                    source,
                    result: None,
                    why: Why::TestFile,
                    can_be_run: true,
                };
                let said = remedy(&lack, &target);
                assert!(!said.contains("/dev/"), "{said}");
                if source.method == "slc-fill" {
                    assert_eq!(said, format!("drivelab run slc-fill {asked}"));
                }
            }
        }
    }
}

#[test]
fn every_use_and_rule_is_explained_in_both_languages_and_the_reasoning_names_both_bounds() {
    for lang in Lang::ALL {
        let texts = Texts::new(lang);
        for of in USES {
            for key in [format!("use-{}", of.id), format!("use-{}-about", of.id)] {
                assert!(texts.find(&key, &[]).is_some(), "{}: {key}", lang.tag());
            }
            for rule in of.rules {
                let name = texts.find(&format!("rule-{}", rule.id), &[]);
                assert!(name.is_some(), "{}: {}", lang.tag(), rule.id);
                let why = texts.find(&format!("rule-{}-why", rule.id), &[]).unwrap();
                let (Bound::AtLeast(fit, limited) | Bound::AtMost(fit, limited)) = rule.bound;
                for bound in [fit, limited] {
                    assert!(why.contains(&bound_number(bound)), "{}: {why}", rule.id);
                }
            }
        }
    }
}

#[test]
fn no_text_of_a_use_or_rule_is_left_over() {
    let all: Vec<String> = USES
        .iter()
        .flat_map(|of| {
            let of_use = [format!("use-{}", of.id), format!("use-{}-about", of.id)];
            let of_rules = of
                .rules
                .iter()
                .flat_map(|r| ["", "-why", "-means"].map(|of| format!("rule-{}{of}", r.id)));
            of_use.into_iter().chain(of_rules)
        })
        .collect();
    for key in crate::lang::keys(Lang::En) {
        let ours = key.starts_with("rule-") || (key.starts_with("use-") && key != "use-bounds");
        assert!(!ours || all.iter().any(|k| k == key), "{key}");
    }
}

#[test]
fn the_page_of_the_rules_in_the_documentation_is_these_rules() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/uses.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(
        page == rules(Lang::En),
        "docs/uses.md is not what the rules say: \
         run `cargo run -p report --example uses > docs/uses.md`"
    );
}

#[test]
fn a_verdict_in_json_names_the_figure_or_the_method_to_run() {
    let results = sample::review();
    let document: serde_json::Value = serde_json::from_str(&json(&results).unwrap()).unwrap();
    assert_eq!(document["schema"], USES_SCHEMA);
    assert_eq!(document["uses"].as_array().unwrap().len(), USES.len());
    let os = &document["drives"][2]["verdicts"][0];
    assert_eq!(os["use"], "os-drive");
    assert_eq!(os["standing"], "unfit");
    assert_eq!(os["checks"][0]["key"], "rnd4k-q1t1.read.median");
    let nas = &document["drives"][0]["verdicts"][3];
    assert_eq!(nas["checks"][2]["run"], "drivelab run iometer ./");
}

#[test]
fn a_finding_in_json_has_its_words_and_the_figure_behind_it() {
    let mut results = sample::review();
    let first = |results: &[RunResult]| -> serde_json::Value {
        let document: serde_json::Value = serde_json::from_str(&json(results).unwrap()).unwrap();
        document["drives"][0]["findings"].clone()
    };
    assert_eq!(first(&results), serde_json::json!([]));
    let fill = &mut results[0];
    fill.method = "slc-fill".to_owned();
    let figures = [
        ("cache.size", 100.0, "GB"),
        ("before.rate", 400.0, "MB/s"),
        ("after.rate", 80.0, "MB/s"),
    ];
    let figures = figures.map(|(key, value, unit)| sample::figure(key, Some(value), unit));
    fill.figures = figures.to_vec();
    let found = &first(&results)[0];
    assert_eq!(
        (&found["id"], &found["sure"]),
        (&"cache-drop".into(), &"seen".into())
    );
    assert_eq!(found["figures"][2]["value"], 80.0, "{found}");
    assert!(found["says"].as_str().unwrap().contains("80"), "{found}");
    assert!(!found["do"].as_str().unwrap().is_empty());
}

#[test]
fn verdicts_are_said_on_the_terminal_in_both_languages() {
    let mut results = sample::review();
    results.truncate(1);
    for lang in Lang::ALL {
        let options = crate::terminal::TerminalOptions {
            lang,
            ..Default::default()
        };
        let said = text(&results, &options);
        let texts = Texts::new(lang);
        assert!(said.contains(&texts.say("use-nas")), "{said}");
        assert!(said.contains(&texts.say("standing-cannot-be-said")));
        assert!(said.contains("drivelab run latency-watch ./"), "{said}");
    }
}

#[test]
fn a_command_line_can_be_pasted_into_a_shell() {
    let words = ["drivelab", "run", "model:a?x=1&y=2", "it's"].map(quoted);
    assert_eq!(words.join(" "), r"drivelab run 'model:a?x=1&y=2' 'it'\''s'");
}
