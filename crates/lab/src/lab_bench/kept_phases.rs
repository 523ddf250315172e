//! The phases of a run, and the store that receives them as they complete.
//!
//! Stored phases of an interrupted run are found here when its method requests the same phase again. A store that does
//! not accept writes (its disk is full) is no reason to stop measuring: this is reported once, and retried after the
//! next phase.

use std::collections::HashMap;

use base::{Argument, Message, MethodOutput, PhaseRecord, Stopped, Workload};
use store::{Run, StoredPhase};

use crate::progress::Progress;

/// Phases so far.
pub(crate) struct KeptPhases<'a> {
    /// The store for phases as they complete: none if a resume could not use them.
    pub(crate) store: Option<&'a Run>,
    /// What an interrupted run had stored, by phase.
    pub(crate) stored: HashMap<String, StoredPhase>,
    pub(crate) phases: Vec<PhaseRecord>,
    /// What the method had found by then, where it says so.
    pub(crate) so_far: MethodOutput,
    /// How many of them the store has.
    in_store: usize,
}

/// What the store already has of a phase.
pub(super) enum Earlier {
    Nothing,
    Part(Box<PhaseRecord>),
    Whole(Box<PhaseRecord>),
}

impl<'a> KeptPhases<'a> {
    /// None yet, but those that an interrupted run had stored.
    pub(crate) fn new(store: Option<&'a Run>, stored: HashMap<String, StoredPhase>) -> Self {
        KeptPhases {
            store,
            stored,
            phases: Vec::new(),
            so_far: MethodOutput::default(),
            in_store: 0,
        }
    }

    /// What an interrupted run had of a phase with the same workload.
    ///
    /// # Errors
    /// A stored record that cannot be read.
    pub(super) fn earlier(&mut self, name: &str, work: &Workload) -> Result<Earlier, Stopped> {
        let Some(stored) = self.stored.remove(name) else {
            return Ok(Earlier::Nothing);
        };
        let unreadable = |why: serde_json::Error| {
            Stopped::Store(format!("the stored phase '{name}' cannot be read: {why}"))
        };
        let same = serde_json::from_str::<Workload>(&stored.workload).is_ok_and(|w| w == *work);
        if !same {
            return Ok(Earlier::Nothing);
        }
        let record: PhaseRecord = serde_json::from_str(&stored.record).map_err(unreadable)?;
        if record.jobs.len() != work.jobs.len() {
            return Err(Stopped::Store(format!(
                "the stored phase '{name}' does not fit its workload: the store is damaged; run the method anew"
            )));
        }
        Ok(match (stored.done, record.done_below) {
            (true, _) => Earlier::Whole(Box::new(record)),
            (false, Some(_)) if work.stop.passes == Some(1) => Earlier::Part(Box::new(record)),
            _ => Earlier::Nothing,
        })
    }

    /// Stores the phases that the store does not have yet.
    pub(super) fn store_all(&mut self, progress: &mut dyn Progress) {
        let Some(run) = self.store else { return };
        while let Some(record) = self.phases.get(self.in_store) {
            if let Err(why) = store_phase(run, record) {
                if self.in_store + 1 == self.phases.len() {
                    let phase = Argument::Phase(record.name.clone());
                    progress.say(&Message::new(
                        "phase-not-stored",
                        [("phase", phase), ("why", Argument::text(why))],
                    ));
                }
                return;
            }
            self.in_store += 1;
        }
    }

    /// Stores an interrupted phase with what was measured so far, so that a scan can resume there.
    pub(super) fn store_part(&self, record: &PhaseRecord) {
        if let Some(run) = self.store {
            let workload = serde_json::to_string(&record.workload).unwrap_or_default();
            let so_far = record.clone();
            let document = move || serde_json::to_string(&so_far).unwrap_or_default();
            run.phase_progress(&record.name, &workload, document);
        }
    }
}

fn store_phase(run: &Run, record: &PhaseRecord) -> Result<(), String> {
    let text = |value: serde_json::Result<String>| value.map_err(|e| e.to_string());
    let workload = text(serde_json::to_string(&record.workload))?;
    let document = text(serde_json::to_string(record))?;
    run.phase_done(&record.name, &workload, &document)
        .map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use base::{Bytes, Instant, Job, Op, Order, Span, Stop};

    use super::*;

    #[test]
    fn a_stored_phase_that_its_workload_cannot_have_is_refused_in_one_line() {
        let span = Span::first(Bytes::mib(4));
        let job = Job::closed("a", Op::Read, Order::Sequential, span, Bytes::kib(4), 1);
        let work = Workload::single(job, Stop::after_passes(1), 1);
        let record = base::run::new_record("scan", &work, Instant::ZERO, Bytes::SECTOR);
        let found = |record: &PhaseRecord| {
            let stored = StoredPhase {
                name: "scan".to_owned(),
                workload: serde_json::to_string(&work).unwrap(),
                record: serde_json::to_string(record).unwrap(),
                done: true,
            };
            let stored = HashMap::from([("scan".to_owned(), stored)]);
            KeptPhases::new(None, stored).earlier("scan", &work)
        };
        assert!(matches!(found(&record), Ok(Earlier::Whole(_))));
        let damaged = PhaseRecord {
            jobs: Vec::new(),
            ..record
        };
        let said = match found(&damaged) {
            Err(Stopped::Store(said)) => said,
            _ => panic!("it has no job, and is taken"),
        };
        assert!(said.contains("phase 'scan' does not fit"), "{said}");
    }
}
