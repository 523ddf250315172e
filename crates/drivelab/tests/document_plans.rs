//! Plans that reproduce the tables of a published document: they match the document, and show its figures next to ours.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::collections::BTreeSet;

use accuracy::cause::{AskCause, cause};
use accuracy::compare::{Plans, Selection};
use accuracy::experiments::Table;
use accuracy::reference::Facts;
use base::interrupt::Interrupt;
use command::Place;
use plans::Plan;
use plans::causes::PlannedCause;
use plans::ready::READY;
use results::cause::{Cause, CauseVerdict, DriveMechanism as M};
use targets::{Consent, resolve};

fn of_documents() -> Vec<Plan> {
    let plans = READY.iter().map(|ready| ready.plan().unwrap());
    plans
        .filter(|plan| plan.beside_published.is_some())
        .collect()
}

/// Target, method and settings in the order of their keys.
type Run = (String, String, Vec<String>);

fn run(target: &str, method: &str, settings: &[String]) -> Run {
    let mut settings = settings.to_vec();
    settings.sort_unstable();
    (target.to_owned(), method.to_owned(), settings)
}

#[test]
fn each_document_has_a_plan_whose_runs_are_those_of_its_row_table() {
    let facts = Facts::published().unwrap();
    let table = Table::published(&facts).unwrap();
    let plans = of_documents();
    let documents: BTreeSet<&str> = (facts.all())
        .map(|row| row.fact().document.as_str())
        .collect();
    let planned: BTreeSet<&str> = (plans.iter())
        .filter_map(|plan| plan.beside_published.as_deref())
        .collect();
    assert_eq!(planned, documents);
    for plan in &plans {
        let selection = Selection {
            document: plan.beside_published.clone(),
            ..Selection::default()
        };
        let rows = Plans::new(&facts, &table, &selection, BTreeSet::new()).unwrap();
        // A power cut is asked of the model itself: no method can.
        let experiments = rows.experiments().into_iter();
        let asked: BTreeSet<Run> = experiments
            .filter(|experiment| experiment.method != "power-cut")
            .map(|e| run(&e.target, &e.method, &e.settings))
            .collect();
        let steps = plan.schedule().into_iter().map(|step| {
            let method = &plan.steps[step.method];
            run(&plan.targets[step.target].name, &method.method, &method.set)
        });
        assert_eq!(steps.collect::<BTreeSet<Run>>(), asked, "{}", plan.name);
        for target in &plan.targets {
            let resolved = resolve(&target.name, &Consent::default(), 1);
            assert!(resolved.is_ok(), "{}: {:?}", target.name, resolved.err());
        }
    }
}

/// What an expert says to each question, and through which mechanism that acts or what costs both.
const SAID: [(&str, usize, Option<M>, Option<M>); 9] = [
    ("840-evo-2013", 1, Some(M::OneBitCache), None),
    ("boot-2011", 1, Some(M::PartitionOffset), Some(M::MapUnit)),
    ("boot-2011", 2, None, None),
    ("gen4-2022", 1, Some(M::MapMemory), None),
    ("gen4-2022", 2, Some(M::Dies), Some(M::MapMemory)),
    ("hg2-2009", 1, Some(M::Design), None),
    ("hg2-2009", 2, Some(M::LogBlocks), None),
    ("nas-disks-2016", 1, Some(M::State), Some(M::Cold)),
    ("nas-disks-2016", 2, Some(M::Cold), None),
];

fn found(asked: &PlannedCause) -> Cause {
    let ask = AskCause {
        a: asked.a.clone(),
        b: asked.b.clone(),
        method: asked.method.clone(),
        set: asked.set.clone(),
        figure: asked.figure.clone(),
        scale: asked.scale,
        seed: 1,
        jobs: 2,
        measured: [None, None],
    };
    cause(&ask, &Interrupt::new(), &|_, _| ()).unwrap()
}

#[test]
fn each_document_asks_what_an_expert_answers_and_the_models_answer_the_same() {
    let plans = of_documents();
    let asked: usize = plans.iter().map(|plan| plan.causes.len()).sum();
    assert_eq!(asked, SAID.len());
    for (name, number, leading, through) in SAID {
        let plan = plans.iter().find(|plan| plan.name == name).unwrap();
        let found = found(&plan.causes[number - 1]);
        let Some(leading) = leading else {
            assert_eq!(found.verdict, CauseVerdict::NoDifference, "{name}");
            continue;
        };
        assert_eq!(found.verdict, CauseVerdict::Explained, "{name} {number}");
        assert_eq!(found.groups[0].mechanisms, [leading], "{found:?}");
        let through_it = found
            .common
            .iter()
            .any(|one| Some(one.mechanism) == through);
        assert_eq!(through_it, through.is_some(), "{found:?}");
    }
}

#[test]
fn a_plans_answers_are_printed_last_and_stand_in_its_report_and_json() {
    let place = Place::new();
    let plan = "targets = ['null:']\nscale = 'quick'\n[[step]]\nmethod = 'latency-watch'\n\
        [[cause]]\nask = 'Why does the EVO write so fast?'\n\
        a = 'model:samsung-840-250gb'\nb = 'model:samsung-840-evo-250gb'\n\
        method = 'slc-fill'\nset = { extent = '2GiB' }\nfigure = 'whole.rate'\n";
    std::fs::write(place.path("own.toml"), plan).unwrap();
    let ended = place.ok(&["run", "own.toml"]);
    let (_, answer) = ended
        .stdout
        .split_once("Why does the EVO write so fast?\n")
        .unwrap();
    assert!(
        answer.starts_with("Samsung 840 EVO 250GB is ahead"),
        "{answer}"
    );
    let outcome = place.json(&["report", "plan-1", "--json"]);
    let cause = &outcome["causes"][0]["cause"];
    assert_eq!(cause["groups"][0]["mechanisms"][0], "one-bit-cache");
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(page.contains("Why does the EVO write so fast?"));
    let place = Place::new();
    let slip = plan.replace("whole.rate", "whole.rat");
    std::fs::write(place.path("own.toml"), slip).unwrap();
    let says = ["own.toml, line 11:", "did you mean whole.rate"];
    place.fails(&["run", "own.toml"], 2, &says);
    place.fails(&["run", "own.toml", "--dry-run"], 2, &says);
}

#[test]
fn a_documents_plan_has_its_published_figures_beside_the_simulated_ones() {
    let place = Place::new();
    let ended = place.ok(&["run", "nas-disks-2016", "--scale", "quick"]);
    for words in [
        "WD Red Pro WD3001FFSX",
        "182-148",
        "F255",
        "fitted to",
        "shortened",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    let outcome = place.json(&["report", "plan-1", "--json"]);
    assert_eq!(outcome["document"], "004_05c6c87ba1e27910.txt");
    let published = outcome["published"].as_array().unwrap();
    let outermost = published.iter().find(|row| row["id"] == "F400").unwrap();
    assert_eq!(outermost["published"], "148");
    assert!(outermost["simulated"].is_number(), "{outermost}");
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(page.contains("published 182-148"), "the page has them, too");
    let other = place.ok(&["run", "latency-watch", "null:", "--scale", "quick"]);
    assert!(!other.stdout.contains("fitted to"), "{}", other.stdout);
}
