//! Drives whose names do not say what they have been through, for methods that read what they have not written.
//!
//! A drive that was never written answers a read from its map: no flash is asked, and the figure says nothing of the
//! drive. A reviewer fills a drive before reading it. A modelled drive is constructed so at once, where its name leaves
//! the state open; a name that gives one is believed.

use sim::state::{State, Written};

use crate::error::TargetError;
use crate::file_system;
use crate::grammar::Spec;
use crate::making::Making;
use crate::resolved::{Found, ResolvedTarget, beneath_faults};

impl ResolvedTarget {
    /// The same with drives that were written over in order where their names say nothing of what they have been
    /// through; nothing of a target that is no model, or whose drives' states are all named.
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

/// Whether the name of some modelled drive does not say what it has been through.
fn leaves_a_state_open(spec: &Spec) -> bool {
    match spec {
        Spec::Model { options, .. } => options.iter().all(|(key, _)| key != "state"),
        Spec::Layer { members, .. } => members.iter().any(leaves_a_state_open),
        Spec::Path { .. } | Spec::Null { .. } => false,
    }
}
