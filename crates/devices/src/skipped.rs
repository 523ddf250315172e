//! That a case cannot be tried here, and why: what the guest lacks, or what the program does not do yet. It is told in the
//! summary, and is neither good nor bad.

/// Why a case was not tried.
#[derive(Debug)]
pub(crate) struct Skipped(pub(crate) String);

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Skipped {}
