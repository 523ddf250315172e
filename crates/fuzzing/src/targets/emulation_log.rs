//! The log of a kept emulated drive.

use emulate::log::records;

pub(crate) fn run(input: &[u8]) {
    let mut last = None;
    let mut ended = false;
    for record in records(input) {
        assert!(!ended, "a record behind a damaged one");
        match record {
            Ok(record) => {
                assert!(last <= Some(record.at()), "time went back");
                last = Some(record.at());
            }
            Err(bad) => {
                ended = true;
                super::refusal(&bad);
            }
        }
    }
}
