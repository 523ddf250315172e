//! What all steps of a plan share.

use targets::Consent;

/// What all steps of a plan share.
#[derive(Clone, Debug)]
pub struct Context {
    /// What may be overwritten, for each target.
    pub consents: Vec<Consent>,
    /// The command line that began the plan, for the record.
    pub command: Vec<String>,
    /// Tells the time, in milliseconds of the Unix epoch, for the record.
    pub now_unix_ms: fn() -> u64,
}

impl Context {
    /// Nothing may be overwritten, for this number of targets.
    #[cfg(test)]
    pub(crate) fn reading(targets: usize) -> Context {
        Context {
            consents: vec![Consent::default(); targets],
            command: Vec::new(),
            now_unix_ms: || 0,
        }
    }
}
