//! What a drive's tables take of the computer's memory.

use super::*;

fn in_state(drive: &str, state: &str) -> Drive {
    let options = ModelOptions {
        state: state.parse().unwrap(),
        seed: 1,
        ..ModelOptions::default()
    };
    open_ssd(drive, &options).unwrap()
}

#[test]
fn a_mapped_page_takes_nine_bytes_at_most() {
    let drive = in_state("crucial-c300-64gb", "steady-random");
    let pages = drive.ftl().pool.valid();
    assert_eq!(pages, drive.parameters().logical_pages());
    let each = drive.memory() as f64 / pages as f64;
    assert!((8.0..9.0).contains(&each), "{each}");
}

#[test]
fn a_large_drive_that_was_written_in_order_takes_less_than_32_mib() {
    for name in [
        "samsung-970-evo-plus-2tb",
        "wd-black-sn770-2tb",
        "solidigm-670p-2tb",
    ] {
        let drive = in_state(name, "full-in-order");
        assert!(drive.memory() < 32 << 20, "{name}: {}", drive.memory());
    }
}
