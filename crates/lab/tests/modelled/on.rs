//! A bench over a drive, without a store.

use base::bench::{Bench, Stopped};
use base::record::PhaseRecord;
use base::run::{PhaseInput, Unwatched, run_phase};
use base::target::{Info, Target};
use base::time::Duration;

pub(crate) struct On<T> {
    pub(crate) drive: T,
    pub(crate) phases: Vec<PhaseRecord>,
}

impl<T: Target> On<T> {
    pub(crate) fn new(drive: T) -> On<T> {
        On {
            drive,
            phases: Vec::new(),
        }
    }
}

impl<T: Target> Bench for On<T> {
    fn info(&self) -> Info {
        self.drive.info()
    }

    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped> {
        let record = run_phase(&mut self.drive, name, input, &mut Unwatched);
        self.phases
            .push(record.map_err(|why| Stopped::Failed(format!("{why:?}")))?);
        Ok(&self.phases[self.phases.len() - 1])
    }

    fn idle(&mut self, _: &str, time: Duration) -> Result<(), Stopped> {
        let until = self.drive.now() + time;
        while self.drive.now() < until {
            self.drive.wait(Some(until), &mut Vec::new());
        }
        Ok(())
    }
}
