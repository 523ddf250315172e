//! What `explain` says of modelled drives that it may write whole: right, or not visible; never certain and wrong.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod modelled;

use base::method::Scale;
use base::result::Figure;
use modelled::{between, figure, value};
use results::RunResult;

/// The same where all of the drive may be written, or the first part of it.
fn of_the_whole(target: &str, extent: &str) -> RunResult {
    let extent = format!("extent={extent}");
    let set = ["writes=whole", &extent];
    modelled::run("explain", target, Scale::Default, &set)
}

#[test]
fn one_bit_caches_take_what_their_files_say_and_what_rests_give_back_is_told() {
    for (drive, extent, gb, onset_s, gives_back_mb_s) in [
        ("samsung-970-evo-plus-1tb", "128GiB", 42.0, 10.1, None),
        ("samsung-840-evo-250gb", "8GiB", 3.0, 0.5, Some(317.0)),
        ("cfd-pg3vnd-1tb", "64GiB", 27.6, 10.1, None),
    ] {
        let result = of_the_whole(&format!("model:{drive}"), extent);
        let size = value(&result, "slc.size");
        assert!((size / gb - 1.0).abs() < 0.04, "{drive}: {size} for {gb}");
        let [before, after] = ["slc.before", "slc.after"].map(|key| value(&result, key));
        assert!(after < 0.6 * before, "{drive}: {after} after {before}");
        let [low, high] = between(&result, "rest.onset");
        assert!(
            low <= onset_s && onset_s <= high,
            "{drive}: {low} to {high}"
        );
        let Some(truth) = gives_back_mb_s else {
            continue;
        };
        let found = value(&result, "rest.gives-back");
        assert!((found / truth - 1.0).abs() < 0.15, "{drive}: {found}");
    }
}

#[test]
fn without_a_one_bit_cache_none_is_seen_and_nothing_is_filled_that_was_not_asked_for() {
    for drive in [
        "samsung-840-250gb",
        "crucial-mx200-250gb",
        "samsung-840-pro-512gb",
    ] {
        let result = of_the_whole(&format!("model:{drive}"), "16GiB");
        assert_eq!(figure(&result, "slc.size"), None, "{drive}");
        let is_asked = |figure: &base::result::Figure| figure.key.starts_with("rest.");
        assert!(!result.figures.iter().any(is_asked), "{drive}");
    }
    // Unless it is asked for, no more than the beginning is written.
    let bounded = modelled::run(
        "explain",
        "model:samsung-840-evo-250gb",
        Scale::Default,
        &[],
    );
    assert!(
        bounded
            .figures
            .iter()
            .all(|figure| !figure.key.starts_with("slc."))
    );
}

#[test]
fn what_is_left_of_a_cache_and_what_a_shingled_disk_takes_are_as_their_files_say() {
    let result = of_the_whole("model:samsung-840-evo-250gb", "whole");
    // A fixed area.
    let [low, high] = between(&result, "nearly-full.size");
    assert!(low <= 3.0 && high >= 3.0, "{low} to {high}");
    // Its fall may be the end of that.
    let [low, _] = between(&result, "spare.at-full-rate");
    assert!(low < 0.134 * 250.1, "{low}");
    assert_eq!(figure(&result, "spare.share"), None);
    let disk = of_the_whole("model:seagate-archive-st8000as0002-8tb", "whole");
    let [low, high] = between(&disk, "media-cache.size");
    let cache = 32.0 * 1.073_741_824;
    assert!(low <= cache && high >= cache, "{low} to {high}");
    let usual = of_the_whole("model:wd-red-wd30efrx-3tb", "1GiB");
    let asked = |figure: &Figure| figure.key.starts_with("media-cache.");
    assert!(!usual.figures.iter().any(asked));
}

#[test]
fn capacity_that_is_not_there_is_found_and_bad_sectors_are_none_of_it() {
    let asked = |target: &str| {
        // No longer than it takes to come to the end.
        let set = ["writes=whole", "fill=no", "patience=1s"];
        modelled::run("explain", target, Scale::Quick, &set)
    };
    let (flash, disk) = ("samsung-840-evo-120gb", "wd-raptor-wd740gd-74gb");
    let contents = |drive: &str, flaws: &str| format!("contents(model:{drive}){flaws}");
    let small = 32.0 * 1.073_741_824;
    for target in [
        contents(flash, "?wraps=32GiB"),
        contents(disk, "?wraps=34359767040B"),
        format!("fault({})?keeps=32GiB", contents(flash, "")),
        format!("fault({})?errors=200", contents(flash, "?wraps=32GiB")),
    ] {
        let result = asked(&target);
        let [low, high] = between(&result, "capacity.kept");
        assert!(
            low <= small + 1e-3 && small <= high,
            "{target}: {low} to {high}"
        );
    }
    for target in [
        contents(disk, ""),
        contents(flash, "?corrupt=0B+1MiB,40GiB+1MiB"),
        format!("fault({})?errors=200", contents(flash, "")),
    ] {
        let result = asked(&target);
        let [kept, claimed] =
            ["kept", "claimed"].map(|key| value(&result, &format!("capacity.{key}")));
        assert!(
            (kept - claimed).abs() < 1e-9,
            "{target}: {kept} of {claimed}"
        );
    }
    for drive in [flash, disk] {
        // Nothing is known of what keeps no data.
        let plain = asked(&format!("model:{drive}"));
        assert_eq!(figure(&plain, "capacity.kept"), None, "{drive}");
    }
}

#[test]
fn spare_flash_is_what_is_overwritten_until_collection_begins() {
    let result = of_the_whole("model:crucial-c300-64gb", "whole");
    let [low, high] = between(&result, "spare.share");
    let truth = 100.0 * (16.0 * 2.0 * 2_018.0 * 1.048_576 / 64_023.26 - 1.0);
    assert!(low < truth && truth < high, "{low} to {high} for {truth}");
    assert!(low > 0.8 * truth, "{low} for {truth}");
    // Its counters say how much is moved: 1 / (1 - exp(-u)) where a share u was overwritten.
    assert!(high < 2.0 * truth, "{high} for {truth}");
    let times = value(&result, "spare.amplification");
    assert!((11.0..15.0).contains(&times), "{times}");
    let [before, after] = ["spare.before", "spare.after"].map(|key| value(&result, key));
    assert!(after < before / 8.0, "{before} to {after}");
    // A row is a block of 1 MiB in each of two planes of 16 dies.
    let [low, high] = between(&result, "spare.row");
    assert!(low <= 32.0 && 32.0 <= high, "{low} to {high}");
    // What is not filled is spare as well.
    let part = of_the_whole("model:crucial-c300-64gb", "8GiB");
    assert_eq!(figure(&part, "spare.share"), None);
}
