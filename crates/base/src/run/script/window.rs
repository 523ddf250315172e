//! The steps of a script that are in memory: from the first unfinished one on.
//!
//! The dependents of each step are a linked list, in one arena whose entries are reused: nothing grows with the number
//! of finished steps.

use std::collections::VecDeque;

use crate::script::Step;
use crate::time::Instant;

/// No link.
const NONE: u32 = u32::MAX;

/// One step, and its state.
#[derive(Debug)]
pub(super) struct State {
    step: Step,
    /// Steps that it still waits for.
    pub(super) left: u32,
    /// When the last of the others was complete; of a step that is over, when it was.
    last: Instant,
    over: bool,
    /// The first link of the steps that wait for it.
    waiting: u32,
}

/// A step that waits for another, and the next one that waits for the same.
#[derive(Clone, Copy, Debug)]
struct Link {
    step: u32,
    next: u32,
}

/// The steps from a number on.
#[derive(Debug)]
pub(super) struct Window {
    first: u32,
    states: VecDeque<State>,
    links: Vec<Link>,
    free: Vec<u32>,
    began: Instant,
}

impl Window {
    pub(super) fn new(began: Instant) -> Window {
        Window {
            first: 0,
            states: VecDeque::new(),
            links: Vec::new(),
            free: Vec::new(),
            began,
        }
    }

    /// The number after the last step.
    pub(super) fn end(&self) -> u32 {
        self.first + self.states.len() as u32
    }

    /// A step that is not forgotten.
    pub(super) fn get(&self, step: u32) -> &Step {
        &self.get_state(step).step
    }

    pub(super) fn get_state(&self, step: u32) -> &State {
        &self.states[(step - self.first) as usize]
    }

    fn state_mut(&mut self, step: u32) -> Option<&mut State> {
        let at = step.checked_sub(self.first)?;
        self.states.get_mut(at as usize)
    }

    /// The steps from one on.
    pub(super) fn from(&self, step: u32) -> impl Iterator<Item = &Step> {
        let from = (step.saturating_sub(self.first) as usize).min(self.states.len());
        self.states.range(from..).map(|state| &state.step)
    }

    /// True where a step is complete.
    pub(super) fn is_over(&self, step: u32) -> bool {
        let at = step.checked_sub(self.first);
        at.is_none_or(|at| self.states.get(at as usize).is_some_and(|state| state.over))
    }

    /// When a step that waits for none any more is to be sent.
    pub(super) fn due(&self, step: u32) -> Instant {
        let state = self.get_state(step);
        state.last.saturating_add(state.step.think)
    }

    /// Adds a step; gives its number where it waits for none that is not complete. One that is
    /// forgotten was complete by `at`.
    pub(super) fn add(&mut self, step: &Step, after: &[u32], at: Instant) -> Option<u32> {
        let number = self.end();
        let (mut left, mut last) = (0, self.began);
        for other in after {
            let link = self.free.pop();
            let place = link.unwrap_or(self.links.len() as u32);
            match self.state_mut(*other) {
                Some(state) if !state.over => {
                    let link = Link {
                        step: number,
                        next: std::mem::replace(&mut state.waiting, place),
                    };
                    left += 1;
                    match self.links.get_mut(place as usize) {
                        Some(free) => *free = link,
                        None => self.links.push(link),
                    }
                }
                over => {
                    last = last.max(over.map_or(at, |state| state.last));
                    self.free.extend(link);
                }
            }
        }
        self.states.push_back(State {
            step: *step,
            left,
            last,
            over: false,
            waiting: NONE,
        });
        (left == 0).then_some(number)
    }

    /// A step is complete; gives the first link of those that waited for it.
    pub(super) fn over(&mut self, step: u32, at: Instant) -> u32 {
        match self.state_mut(step) {
            Some(state) => {
                state.over = true;
                state.last = at;
                std::mem::replace(&mut state.waiting, NONE)
            }
            None => NONE,
        }
    }

    /// The step of a link, which waits for one less since a moment, and the next link.
    pub(super) fn next_waiting(&mut self, link: u32, at: Instant) -> Option<(u32, u32)> {
        let Link { step, next } = *self.links.get(link as usize)?;
        self.free.push(link);
        let state = self.state_mut(step)?;
        state.left -= 1;
        state.last = state.last.max(at);
        Some((step, next))
    }

    /// Steps that are over and before all others are not needed any more.
    pub(super) fn forget_what_is_over(&mut self) {
        while self.states.front().is_some_and(|state| state.over) {
            self.states.pop_front();
            self.first += 1;
        }
    }

    /// Most steps that were in memory at once, about.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        self.states.capacity() + self.links.capacity()
    }
}
