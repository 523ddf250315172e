//! Plans that reproduce the tables of a published document: they match the document, and show its figures next to ours.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use std::collections::BTreeSet;

use accuracy::compare::{Plans, Selection};
use accuracy::experiments::Table;
use accuracy::reference::Facts;
use command::Place;
use plans::Plan;
use plans::ready::READY;
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
