//! Preconditions drives whose names do not specify a state, for methods that read blocks that they have not written.
//!
//! A drive that was never written answers a read from its map: flash is not accessed, and the figure says nothing about
//! the drive. A reviewer fills a drive before reading it. A modelled drive is constructed in that state at once if its
//! name leaves the state open; an explicit state is respected.

use base::state::{State, Written};

use crate::error::TargetError;
use crate::file_system;
use crate::grammar::Spec;
use crate::making::Making;
use crate::resolved::{Found, ResolvedTarget, beneath_faults};

impl ResolvedTarget {
    /// The same with sequentially preconditioned drives wherever their names specify no state; `None` if the target is
    /// not a model, or all its drives have explicit states.
    ///
    /// # Errors
    /// A drive that cannot be in that state.
    pub fn written_over(&self) -> Result<Option<ResolvedTarget>, TargetError> {
        let Found::Model(outline) = &self.found else {
            return Ok(None);
        };
        if !leaves_a_state_open(&self.spec) {
            return Ok(None);
        }
        let usual = State {
            written: Written::InOrder(100),
            ..State::default()
        };
        let (under, _) = beneath_faults(&self.spec);
        let making = Making::outline(self.seed).in_state(usual);
        let mut stack = file_system::stack(&self.spec.to_string(), under, &making)?;
        stack.tails = outline.tails.clone();
        Ok(Some(ResolvedTarget {
            spec: self.spec.clone(),
            provisional: self.provisional,
            found: Found::Model(Box::new(stack)),
            faults: self.faults.clone(),
            seed: self.seed,
            usual,
        }))
    }
}

/// Whether the name of some modelled drive does not specify its state.
fn leaves_a_state_open(spec: &Spec) -> bool {
    match spec {
        Spec::Model { options, .. } => options.iter().all(|(key, _)| key != "state"),
        Spec::Layer { members, .. } => members.iter().any(leaves_a_state_open),
        Spec::Path { .. } | Spec::Null { .. } => false,
    }
}
