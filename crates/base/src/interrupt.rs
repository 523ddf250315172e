//! A stop request, which workers poll between steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish to stop, from a signal or a button; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// No stop requested yet.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }
    /// The flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
    /// True if a stop was requested.
    pub fn wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
