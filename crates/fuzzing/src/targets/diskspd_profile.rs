//! DiskSpd's XML profiles: a parsed profile is printed, and parsed to the same value.

use diskspd::profile::Profile;
use diskspd::xml::{printed, read};

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    match read("profile.xml", text) {
        Err(why) => super::refusal(&why),
        Ok(profile) => {
            let again =
                read("again.xml", &printed(&profile)).expect("what is printed is a profile");
            // What is left out is not printed.
            let same = Profile {
                skipped: Vec::new(),
                ..again
            };
            let first = Profile {
                skipped: Vec::new(),
                ..profile
            };
            assert_eq!(same, first);
        }
    }
}
