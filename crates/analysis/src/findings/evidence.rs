//! Everything that is known of one drive, to look for findings in.

use base::size::Bytes;
use results::{RunResult, TargetRecord};

use super::Behind;
use crate::answers::figures;

/// The results of one drive.
#[derive(Debug)]
pub struct Evidence<'a> {
    /// All of them.
    pub results: Vec<&'a RunResult>,
    /// The drive.
    pub target: &'a TargetRecord,
}

impl<'a> Evidence<'a> {
    /// What these results of one drive tell; nothing where there are none.
    pub fn of(results: &[&'a RunResult]) -> Option<Evidence<'a>> {
        Some(Evidence {
            results: results.to_vec(),
            target: super::target(results)?,
        })
    }

    /// The results of a method.
    pub fn method(&self, method: &'static str) -> impl Iterator<Item = &'a RunResult> + '_ {
        let all = self.results.iter().copied();
        all.filter(move |result| result.method == method)
    }

    /// A figure that has a value: of the method's first result that has it.
    pub fn figure(&self, method: &'static str, key: &str) -> Option<Behind<'a>> {
        self.method(method).find_map(|result| {
            let figure = figures::figure(result, key)?;
            Some(Behind { result, figure })
        })
    }

    /// The drive's size, where it is known.
    pub fn capacity(&self) -> Option<Bytes> {
        self.target.info.as_ref().map(|info| info.capacity)
    }
}
