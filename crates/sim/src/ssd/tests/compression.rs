//! What compression changes: the dies' part of writing, and nothing else.

use super::*;
use crate::ssd::ftl::compression::CompressionRules;
use base::io::{Fill, FillKind};

fn with(rules: Option<CompressionRules>) -> Parameters {
    let mut p = small(400, 120_000);
    p.geometry.bits = 1;
    p.timings.program = US(1_200);
    p.compression = rules;
    p
}

const SANDFORCE: CompressionRules = CompressionRules {
    constant_share: 0.14,
    parity_share: 0.07,
};

/// MB/s of in-order writing.
fn speed(rules: Option<CompressionRules>, fill: Fill) -> f64 {
    let mut drive = drive(with(rules));
    let mut job = job(Op::Write, Order::Sequential, Bytes::kib(128), 8, &drive);
    job.fill = fill;
    rate(&go(&mut drive, job, 3_000))
}

#[test]
fn zeros_are_written_at_the_speed_of_the_link_and_random_data_at_that_of_the_dies() {
    let half = Fill {
        kind: FillKind::Fresh,
        compressible_percent: 50,
    };
    let (dies, link) = (4.0 * 32_768.0 / 1_200.0, 131_072.0 / 264.144);
    near(speed(Some(SANDFORCE), Fill::ZEROS), link, 0.02);
    near(speed(Some(SANDFORCE), Fill::FRESH), dies / 1.07, 0.03);
    // Half of it shrinks to 0.14: 0.57 in all.
    near(speed(Some(SANDFORCE), half), dies / (0.57 * 1.07), 0.03);
    // Off: data are data.
    near(speed(None, Fill::ZEROS), dies, 0.03);
}

#[test]
fn amplification_is_below_one_where_data_can_be_compressed() {
    let amplification = |fill| {
        let mut drive = drive(with(Some(SANDFORCE)));
        let mut job = job(Op::Write, Order::Random, Bytes::kib(4), 8, &drive);
        job.fill = fill;
        go(&mut drive, job, 80_000);
        let counters = drive.model().counters();
        drive.model().ftl().check().unwrap();
        counters.programmed_pages as f64 / counters.host_pages as f64
    };
    near(amplification(Fill::ZEROS), 0.14 * 1.07, 0.02);
    near(amplification(Fill::FRESH), 1.07, 0.02);
}

#[test]
fn collection_of_compressed_data_is_shrunk_too() {
    let mut p = with(Some(SANDFORCE));
    p.geometry.superblocks = 340;
    let mut drive = in_state(p, "full-in-order");
    let mut job = job(Op::Write, Order::Random, Bytes::kib(4), 8, &drive);
    job.fill = Fill::ZEROS;
    go(&mut drive, job, 100_000);
    let counters = drive.model().counters();
    drive.model().ftl().check().unwrap();
    assert!(counters.collected_pages > 10_000, "{counters:?}");
    let placed = (counters.host_pages + counters.collected_pages) as f64;
    near(counters.programmed_pages as f64 / placed, 0.15, 0.05);
}
