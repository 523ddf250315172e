//! Every method answers its question in a sentence, in both languages: each is run on a suitable drive, and the first
//! lines of the report are checked.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::interrupt::Interrupt;
use base::method::Scale;
use lab::progress::Silent;
use lab::running::{Request, prepare};
use report::Lang;
use report::answers::first_sentence;
use results::RunResult;

/// A method runs on the first of these that it makes sense on: flash, a disk, zones.
const DRIVES: [&str; 3] = [
    "model:samsung-840-evo-750gb",
    "model:hgst-deskstar-nas-hdn724030-3tb",
    "model:wd-ultrastar-dc-zn540-1tb",
];

/// As many characters are read at a glance.
const LONGEST: usize = 160;

fn measured(method: &str) -> RunResult {
    let set = match method {
        "file-system" => vec!["method=os-boot".to_owned()],
        _ => Vec::new(),
    };
    let request = |target: &str| Request {
        set: set.clone(),
        ..Request::new(method, target, Scale::Quick, 1)
    };
    let mut ready = DRIVES
        .iter()
        .filter_map(|target| prepare(request(target)).ok());
    let prepared = ready
        .next()
        .unwrap_or_else(|| panic!("{method} runs nowhere"));
    prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
}

#[test]
fn every_method_has_an_answer_and_none_is_for_a_method_that_there_is_not() {
    let listed = lab::listing::methods().methods;
    let methods: Vec<&str> = listed.iter().map(|method| method.id).collect();
    let answered: Vec<&str> = analysis::answers::answered().collect();
    assert_eq!(methods, answered);
}

#[test]
fn the_first_sentence_of_every_methods_answer_is_whole_in_both_languages() {
    let mut wrong = Vec::new();
    for method in lab::listing::methods().methods {
        let result = measured(method.id);
        for lang in Lang::ALL {
            let said = first_sentence(&result, lang).unwrap_or_default();
            let too_long = lang == Lang::En && said.chars().count() > LONGEST;
            let unfilled = said.contains("{$") || said.contains("{ $");
            if said.trim().is_empty() || too_long || unfilled || said.contains("answer-") {
                wrong.push(format!("{}: {said:?}", method.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
