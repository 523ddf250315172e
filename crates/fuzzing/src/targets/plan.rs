//! Plan files; a parsed plan is stored as JSON, and read from that.

use plans::Plan;
use plans::file;

pub(crate) const WORDS: &[&str] = &[
    "title",
    "targets",
    "scale",
    "seed",
    "order",
    "state",
    "at_once",
    "repeat",
    "rest",
    "[[step]]\n",
    "[screen]\n",
    "method",
    "set",
    "quick",
    "default",
    "full",
    "\"auto:5%,max=20\"",
    "\"1min\"",
    "rated_endurance",
    "response_max",
    "condition",
    "\"full-scan\"",
    "\"crystaldiskmark\"",
    " = ",
    "{",
    "}",
    "[",
    "]",
    "\"",
];

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    match file::parse("fuzz", "fuzz.toml", text) {
        Err(bad) => super::refusal(&bad),
        Ok(plan) => {
            let stored = serde_json::to_string(&plan).expect("a plan is stored as JSON");
            let back: Plan = serde_json::from_str(&stored).expect("a stored plan is read");
            assert_eq!(back, plan);
        }
    }
}
