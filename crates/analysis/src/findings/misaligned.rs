//! The partition does not begin on a boundary of the drive's pages or sectors.
//!
//! Drives keep 4 KiB sectors (disks) or pages of several KiB (flash). A partition that begins at sector 63, as systems
//! made them until 2008, lets every small write of a file system straddle two of them: the drive reads both, changes
//! them and writes both. Setting the partition anew at 1 MiB mends it.

use results::{Quantity, Standing, Statement};

use super::{Evidence, Finding, Found, Severity};
use crate::answers::alignment::misaligned_start;

pub(super) const FINDING: Finding = Finding::new("misaligned", Severity::Caution, look);

/// It costs most where small writes are most of the work.
const STANDING: &[(&str, Standing)] = &[("os-drive", Standing::Limited)];

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let start = Quantity::Length(misaligned_start(evidence.target)?);
    Some(Found {
        standing: STANDING,
        figures: evidence.figures("alignment", &["ratio.write"]),
        ..FINDING.found(Statement::new("finding-misaligned-says").with("start", start))
    })
}
