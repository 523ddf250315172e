//! Methods recover what a modelled drive knows of itself: the sweep sets it, the method measures it.

use base::method::Scale;
use lab::progress::Interrupt;
use lab::sweep::{Sweep, SweepRequest, sweep};

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
    let pair = |point: &lab::sweep::Point| {
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
