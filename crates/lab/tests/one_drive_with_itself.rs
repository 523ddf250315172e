//! Methods that compare a drive with itself find what its model contains.

mod modelled;

use base::method::Scale;
use modelled::value;
use results::RunResult;

fn run(method: &str, target: &str, set: &[&str]) -> RunResult {
    modelled::run(method, target, Scale::Quick, set)
}

#[test]
fn a_fast_cache_comes_back_with_rest_and_never_more_than_there_is() {
    let target = "model:samsung-840-evo-750gb?ssd.slc.size_gb=3";
    let set = ["extent=26GB", "shortest=2s", "longest=64s"];
    let result = run("slc-recovery", target, &set);
    let size = value(&result, "cache.size");
    let after = |rest: &str| value(&result, &format!("after-{rest}s.volume"));
    let volumes: Vec<f64> = ["2", "4", "8", "16", "32", "64"].map(after).to_vec();
    assert!(
        volumes.is_sorted_by(|a, b| *a <= b + 0.05),
        "{volumes:?} of {size}"
    );
    assert!(volumes[0] < 0.6 * size, "{volumes:?} of {size}");
    assert!(
        (volumes[5] / size - 1.0).abs() < 0.05,
        "{volumes:?} of {size}"
    );
}

#[test]
fn a_disk_reads_back_by_address_whatever_the_queue_was() {
    let disk = "model:hitachi-hds721616plat80-160gb";
    let result = run("queued-read-back", disk, &["span=8MiB"]);
    assert!((value(&result, "ratio") - 1.0).abs() < 0.05);
    assert!((value(&result, "ratio-to-in-order") - 1.0).abs() < 0.05);
}

#[test]
fn a_disk_below_its_threshold_is_slow_at_first_and_one_above_it_is_not() {
    let disk = "model:seagate-enterprise-nas-st3000vn0001-3tb?state=fresh";
    let ratios = |celsius: &str| {
        let set = [celsius, "regions=6", "dwell=1s"];
        let result = run("cold-start", disk, &set);
        assert!(result.notes.is_empty(), "{:?}", result.notes);
        ["read", "write"].map(|op| value(&result, &format!("{op}.cold-to-warm")))
    };
    // Writes are verified, a turn more a track; reads are retried now and then.
    let [reads, writes] = ratios("celsius=0");
    assert!(
        (0.5..0.95).contains(&reads) && writes < 0.7,
        "{reads} {writes}"
    );
    let mild = ratios("celsius=20");
    assert!(
        mild.iter().all(|ratio| (ratio - 1.0).abs() < 0.01),
        "{mild:?}"
    );
    // A drive that knows of no cold is not switched off.
    let ssd = run(
        "cold-start",
        "model:ocz-core-v2-30gb?state=fresh",
        &["regions=2"],
    );
    assert!(ssd.notes[0].contains("not power-cycled"), "{:?}", ssd.notes);
}

/// A catalogued drive whose data fade: no figure of that is published of any, so it is made for the
/// test.
fn fading(folder: &std::path::Path) -> String {
    let catalogue = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    let drive = catalogue.join("drives/samsung-840-evo-750gb.toml");
    let known = std::fs::read_to_string(drive).unwrap_or_else(|e| panic!("{e}"));
    let value = |key: &str, value: &str| {
        format!(
            "{key} = {{ value = {value}, source = \"estimated\", why = \"made for a test\" }}\n"
        )
    };
    let retention: String = [
        ("reads_well_days", "20.0"),
        ("retry_each_days", "20.0"),
        ("most_retries", "40"),
        ("retry_us", "100.0"),
        ("lost_after_days", "400.0"),
    ]
    .map(|(key, number)| value(key, number))
    .concat();
    let file = folder.join("fading.toml");
    let text = format!("{known}\n[ssd.retention]\n{retention}");
    std::fs::write(&file, text).unwrap_or_else(|e| panic!("{e}"));
    format!("model:{}", file.display())
}

#[test]
fn old_data_are_read_slowly_and_whole_and_at_last_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let target = fading(folder.path());
    let result = run("retention", &target, &["extent=32MiB", "last=480"]);
    let of = |days: u32, key: &str| value(&result, &format!("after-{days}d.{key}"));
    for days in [0, 30, 240] {
        for key in ["read-errors", "differing"] {
            assert!(of(days, key) < 0.5, "{days} {key}");
        }
    }
    assert!(of(240, "rate") < 0.7 * of(0, "rate"));
    assert!(of(30, "rate") > of(240, "rate"));
    // Beyond the limit all that still comes is what DRAM kept of the last reading.
    let failed = of(480, "read-errors");
    assert!((245.0..=256.0).contains(&failed), "{failed}");
    // The catalogued drive is known for it.
    let set = ["extent=32MiB", "last=240"];
    let result = run("retention", "model:samsung-840-evo-750gb", &set);
    let old_to_new = value(&result, "old-to-new");
    assert!(old_to_new < 0.8, "{old_to_new}");
}

#[test]
fn a_controller_that_compresses_gains_and_another_does_not() {
    let gain = |drive: &str| {
        let set = ["size=64MiB", "step=50"];
        value(&run("as-ssd-compression", drive, &set), "gain.write")
    };
    let (does, does_not) = (
        gain("model:ocz-vertex-2-50gb"),
        gain("model:samsung-840-evo-750gb"),
    );
    assert!(
        does > 1.5 && (does_not - 1.0).abs() < 0.02,
        "{does} {does_not}"
    );
}

#[test]
fn after_the_desktop_a_slow_writer_is_busy_for_longer() {
    let set = ["accesses=2000", "write-percent=40", "host=1s"];
    let after = |drive: &str| value(&run("boot-phases", drive, &set), "after_s");
    let (slow, fast) = (
        after("model:ocz-core-v2-30gb"),
        after("model:samsung-840-evo-750gb"),
    );
    // The system asks for one of the 240 writes each millisecond.
    assert!(
        (fast - 0.24).abs() < 0.005 && slow > 1.2 * fast,
        "{slow} {fast}"
    );
}

#[test]
fn access_times_of_a_disk_grow_with_the_size_of_the_access() {
    let disk = "model:hitachi-hds721616plat80-160gb";
    let result = run("hd-tune-random-access", disk, &["accesses=300", "ops=read"]);
    let mean = |row: &str| value(&result, &format!("{row}.read.mean"));
    // Seek and half a turn, and then the data: at 1 MiB these take as long again.
    assert!((8.0..20.0).contains(&mean("512b")), "{}", mean("512b"));
    assert!(mean("1m") > mean("64k") && mean("64k") > mean("512b"));
    let row = value(&result, "1m.read.rate") / value(&result, "1m.read.iops");
    assert!((row - 1.048_576).abs() < 1e-6);
}
