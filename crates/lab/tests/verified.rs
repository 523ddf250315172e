//! What is written is read back, looked at sector by sector, on modelled drives and in a real file.

use base::method::Scale;
use base::result::RunResult;
use base::stats::repeat::Repeat;
use lab::opening::Consent;
use lab::progress::{Interrupt, Silent};
use lab::running::{Request, prepare};

fn verified(target: &str, set: &[&str]) -> RunResult {
    let request = Request {
        method: "verify".to_owned(),
        target: target.to_owned(),
        scale: Scale::Quick,
        seed: 1,
        repeat: Repeat::Times(1),
        set: set.iter().map(|&s| s.to_owned()).collect(),
        consent: Consent::default(),
        command: Vec::new(),
        now_unix_ms: || 0,
    };
    let prepared = prepare(request).unwrap_or_else(|e| panic!("{target}: {e}"));
    let run = prepared.run(None, &mut Silent, &Interrupt::new());
    run.unwrap_or_else(|e| panic!("{target}: {e}"))
}

fn count(result: &RunResult, key: &str) -> f64 {
    let figure = result.figures.iter().find(|figure| figure.key == key);
    let figure = figure.unwrap_or_else(|| panic!("no {key}"));
    figure.value.unwrap_or_else(|| panic!("{figure:?}"))
}

#[test]
fn a_power_cut_takes_from_a_modelled_drive_only_what_was_not_flushed() {
    for (target, most_mib) in [
        // A disk with 8 MB of write cache, a drive with a buffer, and 1 GiB of the host's memory.
        ("model:hitachi-hds721616plat80-160gb", 8.0),
        ("model:samsung-840-evo-750gb?file_system=ext4", 256.0),
        ("rapid(model:samsung-840-evo-750gb)", 64.0),
    ] {
        let result = verified(target, &["extent=64MiB", "depth=8"]);
        for key in ["in-order", "overwritten", "power-cut"] {
            let differing = count(&result, &format!("{key}.differing"));
            assert!(differing < 0.5, "{target}: {key} {differing}");
        }
        let lost_mib = count(&result, "unflushed.lost") / 2_048.0;
        let all = count(&result, "unflushed.differing") / 2_048.0;
        assert!(
            (lost_mib - all).abs() < 1e-9,
            "{target}: {lost_mib} of {all}"
        );
        assert!(lost_mib <= most_mib, "{target}: {lost_mib}");
    }
    // The host's cache holds all of it back.
    let cached = verified("rapid(model:samsung-840-evo-750gb)", &["extent=16MiB"]);
    assert!(count(&cached, "unflushed.lost") > 0.0);
    // Nor is it flushed where the cache ignores what it is told.
    let careless = verified(
        "rapid(model:samsung-840-evo-750gb)?flush=ignored",
        &["extent=16MiB"],
    );
    assert!(count(&careless, "power-cut.differing") > 0.0);
    assert!(!careless.notes.is_empty(), "{:?}", careless.notes);
}

#[test]
fn in_a_real_file_every_sector_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let target = format!("{}?size=16MiB", folder.path().display());
    let Ok(spec) = target.parse::<lab::grammar::Spec>() else {
        panic!("{target}")
    };
    let result = verified(&spec.to_string(), &["extent=16MiB"]);
    for key in ["in-order", "overwritten"] {
        for kind in ["differing", "unwritten", "corrupt", "read-errors"] {
            let found = count(&result, &format!("{key}.{kind}"));
            assert!(found < 0.5, "{key}.{kind}: {found}");
        }
    }
    let note = result.notes.iter().any(|note| note.contains("by hand"));
    assert!(note, "{:?}", result.notes);
}
