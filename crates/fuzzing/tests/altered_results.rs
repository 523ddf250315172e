//! A stored result may have been altered by hand, cut, or written by another version: whatever its values are, it is
//! refused as it is read, or everything that is made of results takes it.
//!
//! The corpus of the target `result` has short results. Here are whole ones, of every method on a flash drive and on a
//! disk, with values exchanged where they stand in the document: numbers at the edges of their types, empty lists,
//! names of other figures, parts of another result; and every number, once each, the greatest of its type.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::alloc::System;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use base::interrupt::Interrupt;
use base::method::Scale;
use base::rng::Rng;
use cap::Cap;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use report::terminal::TerminalOptions;
use report::{HtmlOptions, Lang};
use results::RunResult;
use results::screening::Limits;
use serde_json::{Value, json};

/// Ends the program at a gigabyte.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, 1 << 30);

/// Altered results that are tried.
const TRIES: usize = 60;

static DOCUMENTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let drives = ["model:samsung-840-evo-750gb", "model:wd-red-wd30efrx-3tb"];
    drives.into_iter().flat_map(results_of).collect()
});

/// The document that is tried: where a panic or the end of memory ends a test, this is what did it. Each test has its own.
fn tried() -> PathBuf {
    let test = std::thread::current();
    let name = format!("altered-{}.json", test.name().unwrap_or("result"));
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A result of every method that runs on this drive with nothing set.
fn results_of(drive: &str) -> Vec<Value> {
    let runs = methods::METHODS.iter().filter_map(|method| {
        let request = Request::new(method.card().id, drive, Scale::Quick, 1);
        let result = prepare(request)
            .ok()?
            .run(None, &mut Silent, &Interrupt::new());
        Some(serde_json::to_value(result.unwrap()).unwrap())
    });
    runs.collect()
}

/// Changes values of documents; the same seed changes them alike.
struct Altering<'a> {
    rng: Rng,
    documents: &'a [Value],
}

impl Altering<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n.max(1) as u64) as usize
    }

    fn document(&mut self) -> Value {
        let at = self.below(self.documents.len());
        self.documents[at].clone()
    }

    /// A path to a value, and its end: at each step any of the children.
    fn place<'v>(&mut self, document: &'v mut Value) -> &'v mut Value {
        let mut at = document;
        loop {
            let children = match at {
                Value::Array(list) => list.len(),
                Value::Object(map) => map.len(),
                _ => 0,
            };
            if children == 0 || self.below(12) == 0 {
                return at;
            }
            let child = self.below(children);
            at = match at {
                Value::Array(list) => &mut list[child],
                Value::Object(map) => map.values_mut().nth(child).unwrap(),
                _ => unreachable!("it has children"),
            };
        }
    }

    /// Exchanges a value for another, most often of its type: others are refused as the document is read.
    fn alter(&mut self, document: &mut Value) {
        let choice = self.below(16);
        let (whole, any) = (self.below(WHOLE.len()), self.below(ANY.len()));
        let mut other = self.document();
        let other = self.place(&mut other).take();
        let place = self.place(document);
        match place {
            _ if choice == 0 => *place = other,
            Value::Number(number) if number.is_u64() && choice > 1 => *place = json!(WHOLE[whole]),
            Value::Number(_) => *place = json!(ANY[any]),
            Value::Array(list) if choice > 8 => list.clear(),
            Value::Array(list) if choice > 4 => list.truncate(choice - 4),
            Value::Array(list) => list.reverse(),
            Value::Bool(is) => *is = !*is,
            Value::String(text) if choice > 8 => text.clear(),
            Value::String(text) => text.push_str(".99"),
            Value::Object(map) if choice > 8 => {
                let key = map.keys().nth(choice % map.len().max(1)).cloned();
                key.map(|key| map.remove(&key));
            }
            _ => *place = Value::Null,
        }
    }
}

/// Whole numbers at the edges of types and of sense.
const WHOLE: [u64; 9] = [
    0,
    1,
    2,
    1000,
    u32::MAX as u64,
    1 << 53,
    i64::MAX as u64,
    u64::MAX - 1,
    u64::MAX,
];

/// Numbers of any kind.
const ANY: [f64; 9] = [0.0, -0.0, 1.0, -1.0, 0.5, 1e15, 1e308, -1e308, 1e-308];

/// Everything that is made of results.
fn take(results: &[RunResult], lang: Lang, columns: usize) {
    let (terminal, html) = (
        TerminalOptions {
            columns,
            colour: false,
            lang,
        },
        HtmlOptions { lang, title: None },
    );
    let refs: Vec<&RunResult> = results.iter().collect();
    for result in results {
        drop(analysis::surface::weak_areas(result, &refs));
        drop(analysis::answers::inside::findings(result));
        drop(analysis::answers::inside::not_asked(result));
        drop(report::hdr_log::log(result));
        drop(report::reserved::of_result(result, lang));
        drop(report::json::result(result).unwrap());
        analysis::change_points::mark(&mut result.clone());
    }
    drop(report::terminal::summary(results, &terminal));
    drop(report::compare::text(results, &terminal));
    drop(report::uses::text(results, &terminal));
    drop(report::uses::json(results).unwrap());
    drop(report::answer::text(results, &terminal));
    drop(report::findings::failing(results, lang));
    drop(report::standing::text(
        &results[..1],
        &results[1..],
        &terminal,
    ));
    drop(report::inside::json(results).unwrap());
    drop(report::inside::of_all(results, columns, lang));
    drop(report::metrics::of_results(results));
    drop(report::main_table::markdown(results, lang));
    drop(report::folder(results, &html).unwrap());
    drop(report::html_of_review(&results[..1], &results[1..], &html));
    drop(report::csv::figures(results).unwrap());
    drop(report::csv::histograms(results).unwrap());
    drop(report::csv::table(results, lang).unwrap());
    drop(report::iometer_csv::results(results));
    drop(report::crystaldiskmark_text::results(results, &|_| {
        String::new()
    }));
    drop(accuracy::twin::measured::Measured::of(results));
    drop(accuracy::twin::structure::Structure::of(results));
    let candidate = |result| analysis::screening::Candidate {
        target: "a",
        title: None,
        steps: 1,
        results: vec![result],
    };
    let batch: Vec<_> = results.iter().map(candidate).collect();
    let screening = analysis::screening::screen(&Limits::default(), &batch);
    drop(report::screening::text(&screening, columns, lang));
    drop(report::screening::html(&screening, &html));
}

/// A pointer to each number of a document, by the names on the way: of the items of a list the first that has it.
fn numbers(value: &Value, names: &str, pointer: &str, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Number(_) => {
            let first = || pointer.to_owned();
            found.entry(names.to_owned()).or_insert_with(first);
        }
        Value::Array(list) => {
            for (index, one) in list.iter().enumerate() {
                numbers(one, names, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(map) => {
            for (name, one) in map {
                let step = name.replace('~', "~0").replace('/', "~1");
                let (names, pointer) = (format!("{names}/{name}"), format!("{pointer}/{step}"));
                numbers(one, &names, &pointer, found);
            }
        }
        _ => {}
    }
}

#[test]
fn any_number_of_a_stored_result_may_be_the_greatest() {
    let mut seen = BTreeSet::new();
    let mut taken = 0;
    for document in DOCUMENTS.iter() {
        let mut found = BTreeMap::new();
        numbers(document, "", "", &mut found);
        for (names, pointer) in found {
            if !seen.insert(names) {
                continue;
            }
            for greatest in [json!(u64::MAX), json!(1e308)] {
                let mut altered = document.clone();
                *altered.pointer_mut(&pointer).unwrap() = greatest;
                std::fs::write(tried(), altered.to_string()).unwrap();
                if let Ok(result) = serde_json::from_value::<RunResult>(altered) {
                    take(&[result.clone(), result], Lang::En, 80);
                    taken += 1;
                }
            }
        }
    }
    assert!(taken > seen.len() / 2, "{taken} of {}", seen.len());
}

#[test]
fn whatever_a_stored_result_contains_it_is_refused_or_all_that_is_made_of_it_takes_it() {
    let mut altering = Altering {
        rng: Rng::new(1),
        documents: &DOCUMENTS,
    };
    let mut taken = 0;
    for number in 0..TRIES {
        let mut document = altering.document();
        for _ in 0..=altering.below(2) {
            altering.alter(&mut document);
        }
        let beside: RunResult = serde_json::from_value(altering.document()).unwrap();
        let Ok(result) = serde_json::from_value::<RunResult>(document.clone()) else {
            continue;
        };
        std::fs::write(tried(), document.to_string()).unwrap();
        let lang = [Lang::En, Lang::Ja][number % 2];
        let columns = [80, 1, 0, 200][number % 4];
        take(&[result.clone(), beside, result], lang, columns);
        taken += 1;
    }
    assert!(
        taken > TRIES / 4,
        "{taken} of {TRIES} results are read at all"
    );
}
