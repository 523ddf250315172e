//! The disk is shingled (SMR): its tracks overlap, and random writes go to a cache first, which must be emptied by
//! rewriting whole bands.
//!
//! Until the cache on the disk is full, random writes are faster than any disk could place them: the cache takes them
//! as a log, at thousands per second where seeks allow a hundred. After it, and wherever a band is rewritten, writes
//! are slower than reads of the same area and single ones take a second. Each sign alone has other causes (a hybrid
//! disk, a large write cache); together they have no usual one. A rebuild writes for days, and array controllers drop
//! disks with such response times.

use results::{Quantity, Standing, Statement};

use super::{Evidence, Finding, Found, Severity, Sureness};

pub(super) const FINDING: Finding = Finding::new("shingled", Severity::Weakness, look);

/// On a shingled disk, the writes of a rebuild and of several users exceed the cache.
const STANDING: &[(&str, Standing)] = &[
    ("nas", Standing::Unfit),
    ("os-drive", Standing::Unfit),
    ("video-editing", Standing::Limited),
    ("continuous-recording", Standing::Limited),
];

/// By how many times random writes are faster than random reads, at least: write caches in memory make two of one.
const WRITES_TO_READS: f64 = 4.0;
/// The share of reading's rate that writing in order still has, at most: on other disks both are alike.
const IN_ORDER: f64 = 0.9;
/// The share of the outermost rate that the innermost has, at most: it is half on any disk. Where they are alike, a link or
/// a cache sets the rates, which may be another for reads than for writes, or a part of the disk was measured.
const INWARDS: f64 = 0.9;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let told = evidence
        .fact("recording")
        .is_some_and(|how| how.starts_with("shingled"));
    // Zones that a host must write in order are what shingling asks of a disk.
    let is_zoned = evidence.is_disk() == Some(true)
        && evidence
            .fact("zones")
            .is_some_and(|zones| zones.starts_with("host-"));
    if told || is_zoned {
        let managed =
            (evidence.fact("zones")).is_some_and(|zones| zones.starts_with("host-managed"));
        let told = found(Sureness::Seen, "finding-shingled-told", Vec::new());
        // Without a cache of the disk's own nothing waits for its cleaning.
        return Some(match managed {
            true => Found {
                says: Statement::new("finding-shingled-managed"),
                means: Some(Statement::new("finding-shingled-managed-means")),
                does: Some(Statement::new("finding-shingled-managed-do")),
                ..told
            },
            false => told,
        });
    }
    if evidence.is_disk() != Some(true) {
        return None;
    }
    let cdm = |key| evidence.value("crystaldiskmark", key);
    let (reads, writes) = (
        cdm("rnd4k-q1t1.read.median")?,
        cdm("rnd4k-q1t1.write.median")?,
    );
    let (read_mean, write_mean) = (
        evidence.mb_s("quick-scan", "read.mean")?,
        evidence.mb_s("quick-scan", "write.mean")?,
    );
    let (outermost, innermost) = (
        evidence.mb_s("quick-scan", "read.outermost.top")?,
        evidence.mb_s("quick-scan", "read.innermost.top")?,
    );
    let by_the_medium = innermost <= INWARDS * outermost;
    let written = writes >= WRITES_TO_READS * reads && write_mean <= IN_ORDER * read_mean;
    if !written || !by_the_medium {
        return None;
    }
    let says = [
        ("factor", Quantity::Factor(writes / reads)),
        ("share", Quantity::Percent(write_mean / read_mean * 100.0)),
    ];
    Some(found(
        Sureness::Likely,
        "finding-shingled-shown",
        says.into(),
    ))
}

fn found<'a>(
    sure: Sureness,
    key: &'static str,
    quantities: Vec<(&'static str, Quantity)>,
) -> Found<'a> {
    Found {
        sure,
        standing: STANDING,
        ..FINDING.found(Statement { key, quantities })
    }
}

#[cfg(test)]
mod tests {
    use crate::answers::figures::measured;
    use crate::findings::findings;

    /// Whether a disk with these rates at both ends of it, for reads and writes, is called shingled.
    fn is_shingled(reads: [f64; 2], writes: f64) -> bool {
        let [outermost, innermost] = reads;
        let small = [
            ("rnd4k-q1t1.read.median", 0.8, "MB/s"),
            ("rnd4k-q1t1.write.median", 6.0, "MB/s"),
        ];
        let surface = [
            ("read.mean", (outermost + innermost) / 2.0, "MB/s"),
            ("write.mean", writes, "MB/s"),
            ("read.outermost.top", outermost, "MB/s"),
            ("read.innermost.top", innermost, "MB/s"),
        ];
        let mut results = [
            measured("crystaldiskmark", &small),
            measured("quick-scan", &surface),
        ];
        for result in &mut results {
            let turns = ("rotational".to_owned(), "yes".to_owned());
            result.target.identity = [turns].into();
        }
        let found = findings(&results.each_ref());
        found.iter().any(|found| found.of.id == "shingled")
    }

    #[test]
    fn a_disk_is_called_shingled_by_what_its_medium_does_and_not_its_link() {
        assert!(is_shingled([190.0, 90.0], 60.0));
        assert!(!is_shingled([190.0, 90.0], 138.0));
        // A slow link carries as much inside as outside, and less in one direction.
        assert!(!is_shingled([36.0, 36.0], 28.0));
    }
}
