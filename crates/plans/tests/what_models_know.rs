//! Methods recover parameters of a modelled drive: the sweep sets them, the method measures them.

#[path = "../../lab/tests/modelled/mod.rs"]
mod modelled;

use base::interrupt::Interrupt;
use base::method::Scale;
use modelled::value;
use plans::sweep::{SweepRequest, sweep};
use results::RunResult;
use results::sweep::{Sweep, SweptPoint};

fn result(method: &str, target: &str, set: &[&str]) -> RunResult {
    modelled::run(method, target, Scale::Full, set)
}

fn swept(method: &str, target: &str, vary: &str, figure: &str, set: &[&str]) -> Sweep {
    let request = SweepRequest {
        method: method.to_owned(),
        target: target.to_owned(),
        vary: vec![vary.to_owned()],
        figures: vec![figure.to_owned()],
        set: set.iter().map(|&s| s.to_owned()).collect(),
        scale: Scale::Full,
        seed: 1,
        jobs: 2,
    };
    sweep(&request, &Interrupt::new(), &|_, _| ()).unwrap_or_else(|e| panic!("{e}"))
}

/// Each varied number with the figure that was measured.
fn pairs(sweep: &Sweep) -> Vec<(f64, f64)> {
    let pair = |point: &SweptPoint| {
        let measured = point.figures[0].unwrap_or_else(|| panic!("{point:?}"));
        (
            point.values[0].parse().expect("a swept value is a number"),
            measured,
        )
    };
    sweep.points.iter().map(pair).collect()
}

/// What the drive takes at the fast rate: the cache, in whole superblocks, and what its write buffer
/// absorbs while it fills at the fast rate and drains at the slow one.
fn fast_gb(cache_gb: f64, superblock_gb: f64, buffer_gb: f64, rates: [f64; 2]) -> f64 {
    let superblocks = (cache_gb / superblock_gb).round();
    superblocks * superblock_gb + buffer_gb / (1.0 - rates[1] / rates[0])
}

#[test]
fn a_fill_finds_the_size_of_the_slc_cache() {
    let buffer = 32.0 * 1.048_576e-3;
    let fixed = swept(
        "slc-fill",
        "model:samsung-840-evo-750gb",
        "ssd.slc.size_gb=1.6,3,9",
        "cache.size",
        &["extent=60GB"],
    );
    // 48 dies of two planes; blocks of 64 one-bit pages of 16 KiB.
    let superblock = 48.0 * 2.0 * 64.0 * 16_384.0 / 1e9;
    for (gb, measured) in pairs(&fixed) {
        let known = fast_gb(gb, superblock, buffer, [520.0, 420.0]);
        assert!(
            (measured / known - 1.0).abs() < 0.03,
            "{gb}: {measured} for {known}"
        );
    }
    let dynamic = swept(
        "slc-fill",
        "model:cfd-pg3nf2-1tb",
        "ssd.slc.dynamic_gb=6,18.4,40",
        "cache.size",
        &["extent=120GB"],
    );
    // 16 dies of two planes; blocks of 512 one-bit pages of 16 KiB.
    let superblock = 16.0 * 2.0 * 512.0 * 16_384.0 / 1e9;
    for (gb, measured) in pairs(&dynamic) {
        let known = fast_gb(gb, superblock, buffer, [3_500.0, 1_055.0]);
        assert!(
            (measured / known - 1.0).abs() < 0.03,
            "{gb}: {measured} for {known}"
        );
    }
}

#[test]
fn a_fill_of_a_drive_without_a_cache_finds_none() {
    // A write buffer of 128 MB, which takes the first of it at the speed of the link.
    let none = swept(
        "slc-fill",
        "model:toshiba-hg2-64gb",
        "depth=4,32",
        "cache.size",
        &[],
    );
    let disk = swept(
        "slc-fill",
        "model:hitachi-hds721616plat80-160gb",
        "depth=1",
        "cache.size",
        &[],
    );
    for point in none.points.iter().chain(&disk.points) {
        assert_eq!(point.figures, [None], "{point:?}");
        assert!(point.why_not.is_none(), "{point:?}");
    }
}

#[test]
fn a_range_sweep_finds_what_the_map_cache_covers_within_one_step() {
    let knees = swept(
        "range-sweep",
        "model:wd-black-sn770-1tb?host=none",
        "ssd.map_cache.memory_mib=4,8,16",
        "knee",
        &["extent=64GiB", "time=100ms", "warm=500ms"],
    );
    for (mib, knee) in pairs(&knees) {
        // Four bytes for each 4 KiB: a MiB of map covers a GiB. Each step doubles the range.
        assert!((mib..=2.0 * mib).contains(&knee), "{mib}: {knee} GiB");
    }
}

#[test]
fn misalignment_costs_what_a_partition_at_a_wrong_place_costs() {
    let drive = "model:crucial-c300-64gb";
    let found = value(&result("alignment", drive, &[]), "ratio.write") / 100.0;
    let small_writes = |offset: &str| {
        let target = format!("{drive}?partition_offset={offset}");
        let set = ["size=1000MiB", "time=500ms", "runs=1"];
        value(
            &result("crystaldiskmark-classic", &target, &set),
            "4k.write",
        )
    };
    let known = small_writes("31.5KiB") / small_writes("1MiB");
    assert!((found / known - 1.0).abs() < 0.03, "{found} for {known}");
    // A drive that merges no parts of pages does not care.
    let indifferent = format!("{drive}?ssd.sub_unit=off");
    let none = value(&result("alignment", &indifferent, &[]), "ratio.write");
    assert!((none - 100.0).abs() < 2.0, "{none} %");
}

#[test]
fn a_full_scan_marks_the_zones_of_a_disk_within_one_per_cent() {
    let disk = "model:hitachi-hds721616plat80-160gb?hdd.media.zones=4&host=none";
    let scan = result("full-scan", disk, &["ops=read"]);
    // Zones of as many cylinders each, and sectors a track that fall off evenly, 1,394 to 710.
    let sectors = [1_394.0, 1_166.0, 938.0, 710.0];
    let capacity = scan.target.info.expect("a run knows its target").capacity;
    let of_a_sector = capacity.get() as f64 / sectors.iter().sum::<f64>();
    let mut behind = 0.0;
    let (mut at_s, mut at_byte) = (0.0, 0.0);
    let steps = &scan.change_points;
    assert_eq!(steps.len(), sectors.len() - 1, "{steps:?}");
    for (step, sectors) in steps.iter().zip(sectors) {
        behind += sectors * of_a_sector;
        at_byte += (step.x - at_s) * step.before * 1e6;
        at_s = step.x;
        assert!(
            (at_byte / behind - 1.0).abs() < 0.01,
            "{at_byte} for {behind}"
        );
    }
}

#[test]
fn the_ram_disks_share_is_taken_out_of_a_delay_ratio() {
    // A drive that takes a microsecond: reading and writing take the copy engine's own time and the
    // share, a copy within it the engine's own time alone.
    let ratio = |set: &[&str]| result("delay-ratio", "null:", set);
    let plain = ratio(&["w0=0s", "r0=0s"]);
    let shared = ratio(&["w0=2s", "r0=3s"]);
    for (key, share) in [("write_s", 2.0), ("read_s", 3.0), ("copy_s", 0.0)] {
        let more = value(&shared, key) - value(&plain, key);
        assert!(
            (more - share).abs() < 0.01 * share + 1e-6,
            "{key}: {more} s"
        );
    }
    let [plain, shared] = [plain, shared].map(|result| value(&result, "delay_ratio"));
    assert!((shared / plain - 1.0).abs() < 0.005, "{shared} for {plain}");
}
