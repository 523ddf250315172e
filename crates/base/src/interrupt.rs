//! A stop request, which workers poll between steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish to stop, from a signal or a button; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    wanted: Arc<AtomicBool>,
    heard: Arc<AtomicBool>,
}

impl Interrupt {
    /// No stop requested yet.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }
    /// The flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.wanted)
    }

    /// True if a stop was requested.
    pub fn wanted(&self) -> bool {
        let wanted = self.wanted.load(Ordering::Relaxed);
        if wanted {
            self.heard.store(true, Ordering::Relaxed);
        }
        wanted
    }

    /// True once a worker has been told of the request: one that waits for the system never asks.
    pub fn is_heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }
}
