//! Whatever the host, its file system and the drive beneath: a test file answers every I/O once, in the
//! order of time, and comes to rest.
//!
//! The work is mixed: small and long, at any sector, reads, writes, trims and flushes, with as many in
//! flight as the drive takes.

use load::{Load, run};
use sim::catalogue::{self, ModelOptions, hosts};
use sim::layer::file_system::FileSystem;

#[path = "any_drive/load.rs"]
mod load;

/// A hybrid-mapped, a page-mapped and a rotating drive, one behind each kind of link.
const DRIVES: [&str; 4] = [
    "ocz-core-v2-30gb",
    "toshiba-hg2-64gb",
    "hitachi-hds721616plat80-160gb",
    "wd-black-sn770-1tb",
];

/// Works on a test file on a fresh drive; nothing where the computer has no place for the drive.
fn answers(host: &str, system: &str, drive: &str, crooked: bool) -> Option<Result<(), String>> {
    let options = ModelOptions {
        host: Some(host.to_owned()),
        seed: 1,
        ..ModelOptions::default()
    };
    let opened = catalogue::open(drive, &options).ok()?;
    let volume = opened.model.info().capacity;
    let layout = hosts::layout(host, system, volume).expect("it fits every catalogued drive");
    let mut file = FileSystem::new(opened.model, layout).expect("it fits their blocks");
    let load = Load {
        ios: 300,
        depth: 64,
        crooked,
        seed: 3,
    };
    Some(run(&mut file, load))
}

#[test]
fn a_test_file_on_any_file_system_answers_every_io() {
    let mut seen = 0;
    for host in catalogue::host_names() {
        for system in hosts::file_systems(host).unwrap() {
            for (drive, crooked) in DRIVES.into_iter().flat_map(|d| [(d, false), (d, true)]) {
                let Some(outcome) = answers(host, system, drive, crooked) else {
                    continue;
                };
                assert_eq!(outcome, Ok(()), "{system} of {host} on {drive}");
                seen += 1;
            }
        }
    }
    assert!(seen > 60, "{seen}");
}
