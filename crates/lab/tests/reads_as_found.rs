//! Unwritten blocks say nothing about a drive: methods that only read existing data get a preconditioned drive.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod modelled;

use base::method::Scale;
use results::RunResult;

const ACCESSES: &[&str] = &["ops=read"];

fn seeks(target: &str) -> RunResult {
    modelled::run("hd-tune-random-access", target, Scale::Quick, ACCESSES)
}

/// Mean time of a read of 4 KiB somewhere.
fn access(result: &RunResult) -> f64 {
    modelled::value(result, "4k.read.mean")
}

#[test]
fn a_method_that_reads_what_it_has_not_written_finds_a_drive_that_was_written_over() {
    for slug in ["samsung-970-evo-plus-1tb", "samsung-840-evo-750gb"] {
        let usual = seeks(&format!("model:{slug}"));
        let full = seeks(&format!("model:{slug}?state=full-in-order"));
        let fresh = seeks(&format!("model:{slug}?state=fresh"));
        assert_eq!(usual.target.state, "full-in-order");
        assert_eq!(
            usual.target.name,
            format!("model:{slug}"),
            "the name is the user's"
        );
        assert!(
            usual
                .notes
                .iter()
                .any(|note| note.contains("state=full-in-order"))
        );
        assert_eq!(fresh.target.state, "fresh");
        assert!(
            fresh
                .notes
                .iter()
                .all(|note| !note.contains("full-in-order"))
        );
        let same = (access(&usual) - access(&full)).abs() < f64::EPSILON;
        assert!(
            same && access(&usual) > 2.0 * access(&fresh),
            "{slug}: {}",
            access(&usual)
        );
    }
}

#[test]
fn a_method_that_writes_first_finds_the_drive_as_it_was() {
    let target = "model:samsung-840-evo-750gb";
    let marked = modelled::run("crystaldiskmark", target, Scale::Quick, &[]);
    assert_eq!(marked.target.state, "fresh");
    let written = modelled::run(
        "hd-tune-random-access",
        target,
        Scale::Quick,
        &["ops=write"],
    );
    assert_eq!(written.target.state, "fresh");
}

#[test]
fn addresses_that_no_zone_holds_are_no_bad_sectors() {
    let scan = |target| modelled::run("full-scan", target, Scale::Default, &["ends=4", "ops=read"]);
    let flash = scan("model:wd-ultrastar-dc-zn540-1tb");
    let mean = flash.figures.iter().find(|f| f.key == "read.mean");
    let why = mean.and_then(|figure| figure.why_not.as_deref());
    assert!(
        why.is_some_and(|why| why.starts_with("zones hold")),
        "{why:?}"
    );
    assert!(flash.warnings.is_empty(), "{:?}", flash.warnings);
    // A disk's zones hold all of their addresses: both of its ends are read.
    let disk = scan("model:wd-ultrastar-dc-hc620-14tb");
    let end = modelled::figure(&disk, "read.innermost.top");
    assert!(end.is_some_and(|rate| rate > 100.0), "{end:?}");
}
