//! Skipped and spare sectors on a disk of the catalogue, on and off.

use base::io::Io;
use base::target::{Done, Outcome, Tag, Target};

use super::*;

/// A disk of the catalogue with more in its file: microseconds for its first 400 MiB, read in order.
fn scanned(more: &str) -> (Bytes, f64) {
    let text = include_str!("../../../../../catalog/drives/hgst-deskstar-nas-hdn724030-3tb.toml");
    let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    std::fs::write(&file, format!("{text}{more}")).unwrap();
    let options = ModelOptions {
        host: Some("none".to_owned()),
        ..ModelOptions::default()
    };
    let opened = open(file.path().to_str().unwrap(), &options);
    let mut target = Virtual::new(opened.unwrap().model);
    let capacity = target.info().capacity;
    let mut done: Vec<Done> = Vec::new();
    let offsets = (0..6_400).map(|piece| Bytes::kib(64) * piece);
    let last = capacity.saturating_sub(Bytes::kib(64));
    let mut took = 0.0;
    for offset in offsets.chain([last]) {
        took = target.now().as_nanos() as f64 / 1e3;
        target
            .submit(Tag(0), &Io::read(offset, Bytes::kib(64)))
            .unwrap();
        while done.is_empty() {
            target.wait(None, &mut done);
        }
        assert_eq!(done.pop().unwrap().outcome, Outcome::Complete);
    }
    (capacity, took)
}

#[test]
fn a_skipped_sector_costs_its_own_time_and_capacity_stays_what_the_file_says() {
    let spares = |slips: &str| {
        format!(
            "\n[hdd.spares]\n\
             slips_per_million = {{ value = {slips}, source = \"estimated\", why = \"a test\" }}\n\
             zone_sectors = {{ value = 100000, source = \"estimated\", why = \"a test\" }}\n"
        )
    };
    let (capacity, off) = scanned("");
    let (same, on) = scanned(&spares("1000.0"));
    assert_eq!(capacity, same);
    // One sector in a thousand passes for nothing.
    let longer = on / off - 1.0;
    assert!((0.000_6..0.001_6).contains(&longer), "{longer}");
    let (_, none) = scanned(&spares("0.0"));
    assert!((none / off - 1.0).abs() < 0.000_3, "{none} {off}");
}
