//! A flush of a file failed, and nothing else did.
//!
//! On a bare drive a failed flush is the drive's failure ([`super::failing`]). Below a file there are other causes:
//! Linux returns EIO from a flush if a metadata write elsewhere failed, and if direct writes met pages of the same file
//! in the page cache ("Page cache invalidation failure on direct I/O"). The drive may be fine then. The kernel log says
//! which it was.

use results::{FILE_SYSTEM, Quantity, Standing, Statement};

use super::{Evidence, Finding, Found, Severity};
pub(super) const FINDING: Finding = Finding::new("flush-failed", Severity::Weakness, look);

/// Until the cause is known.
const STANDING: &[(&str, Standing)] =
    &[("os-drive", Standing::Limited), ("nas", Standing::Limited)];

/// Whether failed flushes may come from a layer between the drive and its file.
pub(super) fn may_be_of_the_host(evidence: &Evidence) -> bool {
    let damage = evidence.damage();
    let on_the_medium = [&damage.unreadable, &damage.unwritable, &damage.differing];
    evidence.fact(FILE_SYSTEM).is_some() && on_the_medium.iter().all(|failures| failures.is_empty())
}

fn look<'a>(evidence: &Evidence<'a>) -> Option<Found<'a>> {
    let flushes = evidence.damage().unflushed;
    if flushes == 0 || !may_be_of_the_host(evidence) {
        return None;
    }
    let says =
        Statement::new("finding-flush-failed-says").with("flushes", Quantity::Count(flushes));
    Some(Found {
        standing: STANDING,
        ..FINDING.found(says)
    })
}

#[cfg(test)]
mod tests {
    use base::io::Op;
    use base::record::IoError;
    use base::size::Bytes;
    use base::time::Duration;
    use fixtures::results as sample;

    use crate::findings::findings;

    /// What is found where an I/O of this kind failed, on a file or on a bare drive.
    fn found(op: Op, on_a_file: bool) -> Vec<&'static str> {
        let mut result = sample::review().swap_remove(0);
        result.target.identity.clear();
        if on_a_file {
            let system = (results::FILE_SYSTEM.to_owned(), "ext4".to_owned());
            result.target.identity.extend([system]);
        }
        let errors = &mut result.phases[0].jobs[0].errors;
        errors.count = 1;
        errors.first = vec![IoError {
            op,
            offset: Bytes::ZERO,
            len: Bytes::ZERO,
            errno: 5,
            moved: Bytes::ZERO,
            differs: None,
            after: Duration::from_millis(1),
            at: Duration::ZERO,
        }];
        findings(&[&result])
            .iter()
            .map(|found| found.of.id)
            .collect()
    }

    #[test]
    fn a_flush_that_fails_is_the_drives_failure_unless_a_file_system_lies_between() {
        assert_eq!(found(Op::Flush, false), ["failing"]);
        assert_eq!(found(Op::Flush, true), ["flush-failed"]);
        assert_eq!(found(Op::Write, true), ["failing"]);
    }
}
