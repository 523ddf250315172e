//! Written data is read back and checked sector by sector, on modelled drives and in a real file.

mod modelled;

use base::method::Scale;
use modelled::value;
use results::RunResult;

fn verified(target: &str, set: &[&str]) -> RunResult {
    modelled::run("verify", target, Scale::Quick, set)
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
            let differing = value(&result, &format!("{key}.differing"));
            assert!(differing < 0.5, "{target}: {key} {differing}");
        }
        let lost_mib = value(&result, "unflushed.lost") / 2_048.0;
        let all = value(&result, "unflushed.differing") / 2_048.0;
        assert!(
            (lost_mib - all).abs() < 1e-9,
            "{target}: {lost_mib} of {all}"
        );
        assert!(lost_mib <= most_mib, "{target}: {lost_mib}");
    }
    // The host's cache holds all of it back.
    let cached = verified("rapid(model:samsung-840-evo-750gb)", &["extent=16MiB"]);
    assert!(value(&cached, "unflushed.lost") > 0.0);
    // Nor is it flushed where the cache ignores what it is told.
    let careless = verified(
        "rapid(model:samsung-840-evo-750gb)?flush=ignored",
        &["extent=16MiB"],
    );
    assert!(value(&careless, "power-cut.differing") > 0.0);
    assert!(!careless.notes.is_empty(), "{:?}", careless.notes);
}

#[test]
fn a_drive_that_keeps_less_than_it_claims_is_found_by_the_fast_look_and_by_verify() {
    let model = "model:samsung-840-evo-750gb";
    // Of 1,024 pieces of 732 MB, 13 are kept.
    let fast = modelled::run(
        "capacity",
        &format!("fault({model})?keeps=10GB"),
        Scale::Quick,
        &[],
    );
    assert!((9.0..=10.0).contains(&value(&fast, "kept.size")));
    let lost = value(&fast, "claimed.size") - value(&fast, "kept.size");
    assert!((value(&fast, "lost.size") - lost).abs() < 1e-9);
    let whole = modelled::run("capacity", model, Scale::Quick, &[]);
    assert!(value(&whole, "lost.size").abs() < 1e-9);
    // Its own part alone: the rest of the drive is not looked at.
    let set = ["extent=64MiB", "power-cut=no"];
    let by_all = verified(&format!("fault({model})?keeps=16MiB"), &set);
    assert!((value(&by_all, "kept.size") - 0.016_777_216).abs() < 1e-9);
    assert!((value(&by_all, "lost.size") - 0.050_331_648).abs() < 1e-9);
}

#[test]
fn in_a_real_file_every_sector_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let target = format!("{}?size=16MiB", folder.path().display());
    let Ok(spec) = target.parse::<targets::grammar::Spec>() else {
        panic!("{target}")
    };
    let result = verified(&spec.to_string(), &["extent=16MiB"]);
    for key in ["in-order", "overwritten"] {
        for kind in ["differing", "unwritten", "corrupt", "read-errors"] {
            let found = value(&result, &format!("{key}.{kind}"));
            assert!(found < 0.5, "{key}.{kind}: {found}");
        }
    }
    let note = result.notes.iter().any(|note| note.contains("by hand"));
    assert!(note, "{:?}", result.notes);
}
