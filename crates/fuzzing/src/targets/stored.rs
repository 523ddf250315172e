//! Documents of the store but for results: plans, workloads, records of phases. The first byte chooses which.

use base::record::PhaseRecord;
use base::workload::Workload;
use plans::Plan;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn run(input: &[u8]) {
    let Some((choice, document)) = input.split_first() else {
        return;
    };
    match choice % 3 {
        0 => drop(same_again::<Plan>(document)),
        1 => drop(same_again::<Workload>(document)),
        _ => drop(same_again::<PhaseRecord>(document)),
    }
}

/// Types whose values are written as they were read.
fn same_again<T: Serialize + DeserializeOwned>(document: &[u8]) -> Option<T> {
    let read: T = serde_json::from_slice(document).ok()?;
    let written = serde_json::to_string(&read).expect("a document is written as JSON");
    let back: T = serde_json::from_str(&written).expect("a document is read as it is written");
    assert_eq!(serde_json::to_string(&back).expect("as before"), written);
    Some(back)
}
