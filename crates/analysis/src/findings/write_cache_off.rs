//! The disk's write cache is off: each write waits for the medium.
//!
//! Without it a write in order misses its turn and waits for the next one, some 8 to 11 ms: a tenth of the rate that
//! the same disk has with it. Some bridges and servers switch it off; data in flight are safer for it.

use results::{Quantity, Statement};

use super::{Evidence, Finding, Found, Severity, Sureness};

pub(super) const FINDING: Finding = Finding::new("write-cache-off", Severity::Caution, look);

/// The share of reading's rate that writing in order still has, at most.
const IN_ORDER: f64 = 0.4;

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    if evidence.is_disk() != Some(true) || evidence.fact("zones").is_some() {
        return None;
    }
    let reads = evidence.mb_s("quick-scan", "read.mean");
    let writes = evidence.mb_s("quick-scan", "write.mean");
    let waits = reads
        .zip(writes)
        .filter(|(reads, writes)| *writes < IN_ORDER * reads);
    let told = evidence.fact("write cache") == Some("write through");
    let single = |op| evidence.value("crystaldiskmark", &format!("rnd4k-q1t1.{op}.median"));
    let as_slow = single("write")
        .zip(single("read"))
        .is_some_and(|(write, read)| write < read);
    let sure = match (told, waits.is_some() && as_slow) {
        (true, _) => Sureness::Seen,
        (false, true) => Sureness::Likely,
        (false, false) => return None,
    };
    let says = match waits {
        Some((reads, writes)) => Statement::new("finding-write-cache-off-shown")
            .with("writes", Quantity::MegabytesPerSecond(writes))
            .with("reads", Quantity::MegabytesPerSecond(reads)),
        None => Statement::new("finding-write-cache-off-told"),
    };
    Some(Found {
        sure,
        figures: evidence.figures("quick-scan", &["write.mean", "read.mean"]),
        ..FINDING.found(says)
    })
}
