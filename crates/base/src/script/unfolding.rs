//! Scripts whose steps are made while they are played.

use std::fmt;
use std::sync::Arc;

use super::{Script, StepId, Whole};

/// Makes the steps of a script in order, a few at a time.
pub trait Unfold {
    /// Adds the next few steps; false where none are left after them.
    fn more(&mut self, script: &mut Script) -> bool;

    /// A step that all the next ones wait for, themselves or through others: they are made when it is
    /// complete, which then changes nothing. At once where there is none.
    fn waits_for(&self) -> Option<StepId>;
}

type Make = dyn Fn() -> Box<dyn Unfold> + Send + Sync;

/// How a script unfolds, and what comes of it.
#[derive(Clone)]
pub(super) struct Unfolding {
    make: Arc<Make>,
    pub(super) whole: Whole,
}

impl Unfolding {
    pub(super) fn new(make: impl Fn() -> Box<dyn Unfold> + Send + Sync + 'static) -> Unfolding {
        Unfolding {
            make: Arc::new(make),
            whole: Whole::default(),
        }
    }

    pub(super) fn begin(&self) -> Box<dyn Unfold> {
        (self.make)()
    }
}

impl fmt::Debug for Unfolding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unfolding")
            .field("whole", &self.whole)
            .finish_non_exhaustive()
    }
}
