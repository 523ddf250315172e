//! Whether to continue: asked while a drive is made.
//!
//! Making a drive in a state takes seconds, tens of them for the largest, and the user may not
//! want to wait. Nothing here looks at a clock or a signal: the one who asks for a drive
//! hands over a question, and each loop over the drive's pages asks it at least once every
//! [`PAGES`] of them.

use std::fmt;
use std::sync::Arc;

/// Pages of 4 KiB (or events, in a rest) after which a loop asks at the latest: some milliseconds.
pub const PAGES: u32 = 1 << 17;

/// Asks whether to stop; without a question the answer is no.
#[derive(Clone, Default)]
pub struct Halt(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

/// How much of a drive is made.
#[derive(Clone, Debug)]
pub enum Extent {
    /// The [outline](crate::outline::Outline) alone: all checks, no tables.
    Outline,
    /// All of it, unless asked to stop.
    Whole(Halt),
}

impl Default for Extent {
    fn default() -> Extent {
        Extent::Whole(Halt::default())
    }
}

/// The making was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped while the drive was being built")]
pub struct Halted;

impl Halt {
    /// Stops as soon as `wanted` says so.
    pub fn when(wanted: impl Fn() -> bool + Send + Sync + 'static) -> Halt {
        Halt(Some(Arc::new(wanted)))
    }

    /// Asks.
    ///
    /// # Errors
    /// Where it is time to stop.
    pub fn ask(&self) -> Result<(), Halted> {
        match &self.0 {
            Some(wanted) if wanted() => Err(Halted),
            _ => Ok(()),
        }
    }
}

/// Asks by the pages that a loop has been over.
#[derive(Debug)]
pub(crate) struct Pace<'a> {
    halt: &'a Halt,
    since: u32,
}

impl<'a> Pace<'a> {
    pub(crate) fn new(halt: &'a Halt) -> Pace<'a> {
        Pace { halt, since: 0 }
    }

    /// So many pages more were dealt with: asks where it is time to.
    #[inline]
    pub(crate) fn pages(&mut self, count: u32) -> Result<(), Halted> {
        self.since = self.since.saturating_add(count);
        if self.since < PAGES {
            return Ok(());
        }
        self.since = 0;
        self.halt.ask()
    }
}

impl fmt::Debug for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() {
            "Halt(asked)"
        } else {
            "Halt(never)"
        })
    }
}
