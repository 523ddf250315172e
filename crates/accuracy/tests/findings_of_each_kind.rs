//! A row of each kind of the table of expected findings, selected by defect and speed; `make findings` runs all of it.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::collections::BTreeSet;

use accuracy::expected::run::{Asked, judge};
use accuracy::expected::{Expected, rows};
use analysis::findings::FINDINGS;
use base::interrupt::Interrupt;
use base::method::Scale;

/// Of healthy drives and of each finding that a small drive can have.
const ROWS: [&str; 14] = [
    "model:acard-ans-9010-14gb",
    "model:intel-x25-m-g2-80gb",
    "model:seagate-st3500418as-500gb",
    "model:ocz-apex-120gb",
    "model:ocz-core-v2-30gb",
    "model:ocz-vertex-2-50gb",
    "model:samsung-840-120gb",
    "model:toshiba-bg3-128gb",
    "model:wd-raptor-wd740gd-74gb",
    "model:wd-red-wd40efax-4tb",
    "model:wd-ultrastar-dc-hc620-14tb",
    "fault(model:hitachi-travelstar-7k100-100gb)?unreadable=10GB+64KiB,20GB+4KiB,33GB+1MiB,40GB+4KiB,57GB+32KiB,70GB+512KiB,81GB+4KiB,99GB+4KiB",
    "fault(model:kingston-snv125-s2-30gb)?keeps=8GB",
    "model:toshiba-hg2-64gb?state=fresh,wear=99%",
];

/// Findings that no modelled drive can have: below a file only, a flush fails that is not the drive's.
const NEVER_OF_A_MODEL: [&str; 1] = ["flush-failed"];

#[test]
fn drives_of_each_kind_have_the_findings_that_an_expert_expects() {
    let asked = Asked {
        only: ROWS.map(str::to_owned).to_vec(),
        scale: Scale::Default,
        jobs: 2,
        seed: 1,
    };
    let score = judge(&asked, &Interrupt::default(), &|_, _| ()).unwrap();
    assert_eq!(score.rows.len(), ROWS.len());
    for row in &score.rows {
        assert!(row.is_right(), "{}", row.line());
    }
}

#[test]
fn every_finding_is_expected_of_some_drive() {
    let rows = rows().unwrap();
    let expected: BTreeSet<&str> = FINDINGS
        .iter()
        .map(|finding| finding.id)
        .filter(|id| rows.iter().any(|row| row.expects(id) == Expected::Yes))
        .collect();
    let missing = FINDINGS.iter().map(|finding| finding.id);
    let missing: Vec<&str> = missing.filter(|id| !expected.contains(id)).collect();
    assert_eq!(missing, NEVER_OF_A_MODEL);
}
