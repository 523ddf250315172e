//! Plan files; a parsed plan is stored as JSON, and read from that.

use plans::Plan;
use plans::file;

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
