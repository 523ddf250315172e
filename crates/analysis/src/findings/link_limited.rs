//! The link is slower than the drive: an NVMe drive for PCIe 4.0 in a slot of 3.0, a SATA drive at 3 Gbit/s, a USB box.
//!
//! What is measured then is the slot, and the same drive elsewhere is faster. A SATA drive that fills its own 6 Gbit/s
//! link is as its maker sold it: that is no finding.

use results::statement::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity, Sureness};
use crate::held::{Held, held};

pub(super) const FINDING: Finding = Finding {
    id: "link-limited",
    severity: Severity::Caution,
    look,
};

/// Where a link shows first.
const RATES: [&str; 2] = ["seq1m-q8t1.read", "seq1m-q8t1.write"];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let link = evidence.fact("link")?;
    let (own, slot) = slower_slot(link)?;
    let by_link = |behind: &Behind| held(behind.figure, behind.result) == Some(Held::ByLink);
    let rates = evidence.figures("crystaldiskmark", &RATES);
    let measured = !rates.is_empty();
    let shown: Vec<Behind> = rates.into_iter().filter(by_link).collect();
    // A disk that does not fill the slower slot is not held back by it.
    if measured && shown.is_empty() {
        return None;
    }
    Some(Found {
        of: &FINDING,
        sure: if shown.is_empty() {
            Sureness::Likely
        } else {
            Sureness::Seen
        },
        standing: &[],
        says: Statement::new("finding-link-limited-says")
            .with("own", Quantity::Name(own.to_owned()))
            .with("slot", Quantity::Name(slot.to_owned())),
        does: None,
        figures: shown,
    })
}

/// A link in words, where the drive could more than its slot: `sata-6 in sata-3` of a model, `PCIe 3.0 x4 of 4.0 x4` of
/// a real drive.
fn slower_slot(link: &str) -> Option<(&str, &str)> {
    if let Some((own, slot)) = link.split_once(" in ") {
        return Some((own, slot));
    }
    let (slot, own) = link.split_once(" of ")?;
    Some((own, slot))
}
