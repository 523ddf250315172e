//! The link is slower than the drive: an NVMe drive for PCIe 4.0 in a slot of 3.0, a SATA drive at 3 Gbit/s, a USB box.
//!
//! What is measured then is the slot, and the same drive elsewhere is faster. A SATA drive that fills its own 6 Gbit/s
//! link is as its maker sold it: that is no finding.

use results::{Quantity, Statement};

use super::{Behind, Evidence, Finding, Found, Severity, Sureness};
use crate::answers::figures::mb_s;
use crate::key;
use base::io::Op;

pub(super) const FINDING: Finding = Finding::new("link-limited", Severity::Caution, look);

/// From this share of the link's rate on, the link is the limit: a bridge takes a tenth of a megabyte's time for its
/// command.
const FILLS: f64 = 0.85;

/// Where a link shows first.
const RATES: [&str; 2] = ["seq1m-q8t1.read", "seq1m-q8t1.write"];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let link = evidence.fact("link")?;
    let (own, slot) = slower_slot(link)?;
    let by_link = |behind: &Behind| fills_link(behind) == Some(true);
    let rates = evidence.figures("crystaldiskmark", &RATES);
    let measured = !rates.is_empty();
    let shown: Vec<Behind> = rates.into_iter().filter(by_link).collect();
    // A disk that does not fill the slower slot is not held back by it.
    if measured && shown.is_empty() {
        return None;
    }
    let says = Statement::new("finding-link-limited-says")
        .with("own", Quantity::name(own))
        .with("slot", Quantity::name(slot));
    Some(Found {
        sure: if shown.is_empty() {
            Sureness::Likely
        } else {
            Sureness::Seen
        },
        figures: shown,
        ..FINDING.found(says)
    })
}

/// Whether a rate is near the link's in its direction; `None` if that is not known.
fn fills_link(behind: &Behind) -> Option<bool> {
    let link = behind.result.target.link?;
    let carries = match key::direction(&behind.figure.key)? {
        Op::Read => link.read_mb_s,
        Op::Write => link.write_mb_s,
        Op::Trim | Op::Flush => return None,
    };
    let rate = mb_s(behind.result, &behind.figure.key)?;
    Some(rate >= FILLS * carries)
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
