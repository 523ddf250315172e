//! A case cannot run here, with the reason: what the guest lacks, or what the program does not support yet. It is
//! reported in the summary, and is neither passed nor failed.

/// Why a case was not tried.
#[derive(Debug)]
pub(crate) struct Skipped(pub(crate) String);

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Skipped {}
