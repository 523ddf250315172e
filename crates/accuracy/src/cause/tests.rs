//! Pairs of drives whose difference has a known cause, and what is asked wrongly.

use super::*;
use results::cause::{CauseVerdict as V, DriveMechanism as M};

fn ask(a: &str, b: &str, method: &str, set: &[&str], figure: &str) -> AskCause {
    AskCause {
        a: a.to_owned(),
        b: b.to_owned(),
        method: method.to_owned(),
        set: set.iter().map(|one| (*one).to_owned()).collect(),
        figure: figure.to_owned(),
        scale: Scale::Quick,
        seed: 1,
        jobs: 2,
        measured: [None, None],
    }
}

fn found(ask: &AskCause) -> Cause {
    cause(ask, &Interrupt::new(), &|_, _| ()).unwrap()
}

fn refused(ask: &AskCause) -> String {
    let found = cause(ask, &Interrupt::new(), &|_, _| ());
    found.err().map(|why| why.to_string()).unwrap_or_default()
}

/// The share of a mechanism, in per cent of the difference.
fn percent(found: &Cause, mechanism: M) -> f64 {
    let mut groups = found.groups.iter();
    let group = groups.find(|group| group.mechanisms.contains(&mechanism));
    group.map_or(f64::NAN, |group| group.share_percent)
}

fn shares_add_up(found: &Cause) {
    let total: f64 = found.groups.iter().map(|group| group.share).sum();
    let difference = found.b.value - found.a.value;
    let carried = found.carried.unwrap();
    assert!(
        (total - carried).abs() < 1e-6 * difference.abs(),
        "{found:?}"
    );
    let rest = difference - carried - found.rest.unwrap();
    assert!(rest.abs() < 1e-6 * difference.abs(), "{found:?}");
}

/// Random reads of the two sizes of one drive, over a part of both.
fn reads_of_the_sn770(range: &str, depth: &str, figure: &str) -> AskCause {
    let target = |size: &str| format!("model:wd-black-sn770-{size}?host=none&state=full-in-order");
    let (first, extent) = (format!("first={range}"), format!("extent={range}"));
    let depth = format!("depth={depth}");
    let set = [
        "written=not",
        &first,
        &extent,
        &depth,
        "warm=200ms",
        "time=100ms",
    ];
    ask(&target("1tb"), &target("2tb"), "range-sweep", &set, figure)
}

#[test]
fn the_larger_of_two_sizes_reads_faster_by_its_dies_alone_where_the_map_covers_the_range() {
    let found = found(&reads_of_the_sn770("32GiB", "32", "range.32gib"));
    assert_eq!(found.verdict, V::Explained);
    assert!(found.b.value > 1.3 * found.a.value, "{found:?}");
    assert!((percent(&found, M::Dies) - 100.0).abs() < 3.0, "{found:?}");
    assert!(percent(&found, M::Capacity).abs() < 3.0, "{found:?}");
    shares_add_up(&found);
}

#[test]
fn over_the_whole_drive_both_sizes_lose_by_the_map_and_the_larger_one_more() {
    let found = found(&reads_of_the_sn770("whole", "32", "plateau"));
    assert!(percent(&found, M::Dies) > 100.0, "{found:?}");
    assert!(percent(&found, M::Capacity) < 0.0, "{found:?}");
    let map = found
        .common
        .iter()
        .find(|one| one.mechanism == M::MapMemory)
        .unwrap();
    assert!(map.a.unwrap() > 1.2 * found.a.value, "{found:?}");
    assert!(map.b.unwrap() > 1.2 * found.b.value, "{found:?}");
}

#[test]
fn at_depth_one_the_two_sizes_have_no_difference_to_explain() {
    let found = found(&reads_of_the_sn770("838GiB", "1", "range.838gib"));
    assert_eq!(found.verdict, V::NoDifference);
    assert!(found.groups.is_empty() && found.rest.is_none());
}

#[test]
fn the_840_evo_writes_what_the_840_does_not_by_its_one_bit_cache() {
    let (a, b) = (
        "model:samsung-840-250gb?host=none",
        "model:samsung-840-evo-250gb?host=none",
    );
    let found = found(&ask(a, b, "slc-fill", &["extent=2GiB"], "whole.rate"));
    assert_eq!(found.verdict, V::Explained);
    let cache = percent(&found, M::OneBitCache);
    assert!((90.0..=115.0).contains(&cache), "{found:?}");
    // The 840's own cells program more slowly; those of the EVO would help it, but not behind the cache.
    assert!(
        (5.0..=25.0).contains(&percent(&found, M::Cells)),
        "{found:?}"
    );
    let mut groups = found.groups.iter();
    let cells = groups.find(|group| group.mechanisms == [M::Cells]).unwrap();
    assert!(cells.alone_from_b.abs() < 1.0, "{found:?}");
    shares_add_up(&found);
}

#[test]
fn what_a_drive_loses_and_gains_is_the_same_from_either_side() {
    let (a, b) = (
        "model:samsung-840-250gb?host=none",
        "model:samsung-840-evo-250gb?host=none",
    );
    let there = found(&ask(a, b, "slc-fill", &["extent=2GiB"], "whole.rate"));
    let back = found(&ask(b, a, "slc-fill", &["extent=2GiB"], "whole.rate"));
    let (one, other) = (
        percent(&there, M::OneBitCache),
        percent(&back, M::OneBitCache),
    );
    assert!((one - other).abs() < 1.0, "{one} {other}");
}

/// Random writes of a C300 whose partition begins anywhere, compared with an aligned one of these options.
fn a_misaligned_c300_and(other: &str) -> AskCause {
    let a = "model:crucial-c300-64gb?host=none&partition_offset=31.5KiB";
    let b = format!("model:crucial-c300-64gb?host=none{other}");
    ask(a, &b, "crystaldiskmark", &["ops=write"], "rnd4k-q1t1.write")
}

#[test]
fn a_misaligned_partition_costs_by_the_unit_that_is_read_before_it_is_written() {
    let found = found(&a_misaligned_c300_and(""));
    assert!(found.b.value > 3.0 * found.a.value, "{found:?}");
    assert!((percent(&found, M::PartitionOffset) - 100.0).abs() < 1.0);
    let unit = found
        .common
        .iter()
        .find(|one| one.mechanism == M::MapUnit)
        .unwrap();
    assert!(
        unit.of_difference_percent.unwrap().abs() < 30.0,
        "{found:?}"
    );
}

#[test]
fn an_offset_and_the_unit_each_seem_the_whole_cause_and_share_it() {
    let found = found(&a_misaligned_c300_and("&ssd.sub_unit=off"));
    let [offset, unit] = [M::PartitionOffset, M::MapUnit].map(|mechanism| {
        let mut groups = found.groups.iter();
        groups
            .find(|group| group.mechanisms == [mechanism])
            .unwrap()
    });
    let difference = found.b.value - found.a.value;
    assert!(
        offset.alone_from_a + unit.alone_from_a > 1.5 * difference,
        "{found:?}"
    );
    assert!(
        (offset.share_percent + unit.share_percent - 100.0).abs() < 1.0,
        "{found:?}"
    );
    let interaction = found.interaction.clone().unwrap();
    assert!(interaction.value < -0.5 * difference, "{found:?}");
}

#[test]
fn a_drive_mapped_by_whole_blocks_is_no_other_drive_changed() {
    let target = |name: &str| format!("model:{name}?host=none&state=full-in-order");
    let set = ["ops=write", "size=1GiB", "time=5s"];
    let figure = "rnd4k-q1t1.write.worst";
    let (a, b) = (target("ocz-vertex-30gb"), target("ocz-core-v2-30gb"));
    let found = found(&ask(&a, &b, "crystaldiskmark", &set, figure));
    assert!(found.b.value > 10.0 * found.a.value, "{found:?}");
    let mechanisms: Vec<&M> = found
        .groups
        .iter()
        .flat_map(|one| &one.mechanisms)
        .collect();
    assert_eq!(mechanisms, [&M::Design]);
    assert!((percent(&found, M::Design) - 100.0).abs() < 1.0);
}

#[test]
fn a_disk_in_the_cold_is_slow_by_its_state_through_what_it_does_in_the_cold() {
    let target = |celsius: &str| {
        format!(
            "model:seagate-enterprise-nas-st3000vn0001-3tb?host=none&state=fresh,power-on=0s,temperature={celsius}"
        )
    };
    let found = found(&ask(
        &target("25C"),
        &target("0C"),
        "quick-scan",
        &[],
        "read.mean",
    ));
    assert!(found.b.value < 0.6 * found.a.value, "{found:?}");
    assert!((percent(&found, M::State) - 100.0).abs() < 1.0);
    let cold = found
        .common
        .iter()
        .find(|one| one.mechanism == M::Cold)
        .unwrap();
    assert!(cold.of_difference_percent.unwrap().abs() < 5.0, "{found:?}");
}

#[test]
fn every_value_of_a_drive_can_be_that_of_another_one_so_that_nothing_is_left() {
    let target = |name: &str| format!("model:{name}?host=none&state=full-in-order");
    let pairs = [
        ("samsung-860-evo-1tb", "samsung-970-evo-plus-1tb"),
        ("solidigm-670p-1tb", "wd-black-sn770-1tb"),
    ];
    for (a, b) in pairs.map(|(a, b)| (target(a), target(b))) {
        let set = ["ops=read", "time=20ms"];
        let found = found(&ask(&a, &b, "crystaldiskmark", &set, "rnd4k-q1t1.read"));
        let difference = found.b.value - found.a.value;
        assert!(
            found.rest.unwrap().abs() < 0.02 * difference.abs(),
            "{found:?}"
        );
        assert!(
            found.groups.len() <= ALL_SETS || found.orders.is_some(),
            "{found:?}"
        );
        shares_add_up(&found);
    }
}

#[test]
fn models_that_miss_what_was_measured_explain_nothing() {
    let (a, b) = (
        "model:samsung-840-250gb?host=none",
        "model:samsung-840-evo-250gb?host=none",
    );
    let mut asked = ask(a, b, "slc-fill", &["extent=2GiB"], "whole.rate");
    let values = found(&asked);
    asked.measured = [Some(values.a.value * 1.05), Some(values.b.value * 0.95)];
    assert_eq!(found(&asked).verdict, V::Explained);
    asked.measured[1] = Some(values.b.value * 0.8);
    let missed = found(&asked);
    assert_eq!(missed.verdict, V::ModelsMiss);
    assert!(missed.groups.is_empty() && missed.runs == 2, "{missed:?}");
}

#[test]
fn what_is_mistyped_is_told_with_the_nearest_name() {
    let (a, b) = ("model:samsung-840-250gb", "model:samsung-840-evo-250gb");
    let says = |ask: AskCause, expected: &str| {
        let said = refused(&ask);
        assert!(said.contains(expected), "{said}");
    };
    says(ask(a, b, "slc-fil", &[], "whole.rate"), "slc-fill");
    says(
        ask(a, b, "slc-fill", &[], "whole.rat"),
        "did you mean whole.rate",
    );
    says(
        ask(a, b, "slc-fill", &["extend=1GiB"], "whole.rate"),
        "extent",
    );
    says(
        ask(
            a,
            "model:samsung-840-ev-250gb",
            "slc-fill",
            &[],
            "whole.rate",
        ),
        "samsung-840-evo-250gb",
    );
    says(
        ask(a, "null:", "slc-fill", &[], "whole.rate"),
        "modelled drive",
    );
    says(ask(a, b, "slc-fill", &[], "?"), "not a figure's key");
}

/// A result of a real drive that calls itself so, or as the model of it does.
fn result_of(model: Option<&str>) -> RunResult {
    let target = "model:samsung-840-250gb?host=none";
    let set = vec!["extent=64MiB".to_owned()];
    let point = lab::point::Point::new("slc-fill", target, Scale::Quick, 1, set);
    let run = point.run(&mut lab::progress::Silent, &Interrupt::new());
    let mut result = run.unwrap();
    result.target.kind = TargetKind::Real;
    let model = model.map(|model| ("model".to_owned(), model.to_owned()));
    result.target.identity.extend(model);
    result
}

#[test]
fn a_stored_result_of_a_real_drive_is_its_model_and_what_was_measured() {
    let result = result_of(None);
    let (model, measured) = stored(&result, "slc-fill", "whole.rate").unwrap();
    assert_eq!(model, "model:samsung-840-250gb");
    assert!(measured.is_some_and(|rate| rate > 100.0), "{measured:?}");
    let other = stored(&result, "full-scan", "whole.rate").unwrap_err();
    assert!(
        other.to_string().contains("of slc-fill, not of full-scan"),
        "{other}"
    );
    let unknown = stored(
        &result_of(Some("Samsung SSD 840 Serie")),
        "slc-fill",
        "whole.rate",
    );
    let unknown = unknown.unwrap_err().to_string();
    assert!(
        unknown.contains("not modelled; did you mean Samsung SSD 840"),
        "{unknown}"
    );
}
