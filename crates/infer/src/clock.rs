//! A target with the time that was spent on it: a real target's own clock starts anew with each phase.

use base::bench::{Bench, Stopped};
use base::message::Message;
use base::record::PhaseRecord;
use base::result::MethodOutput;
use base::run::PhaseInput;
use base::target::Info;
use base::time::Duration;

/// A target, and the time of all phases and rests on it.
pub(crate) struct Clock<'a> {
    bench: &'a mut dyn Bench,
    spent: Duration,
}

impl<'a> Clock<'a> {
    /// Nothing was spent on it.
    pub(crate) fn new(bench: &'a mut dyn Bench) -> Clock<'a> {
        Clock {
            bench,
            spent: Duration::ZERO,
        }
    }

    /// What was spent so far.
    pub(crate) fn spent(&self) -> Duration {
        self.spent
    }
}

impl Bench for Clock<'_> {
    fn info(&self) -> Info {
        self.bench.info()
    }

    fn whole(&self) -> Message {
        self.bench.whole()
    }

    fn checks_labels(&self) -> bool {
        self.bench.checks_labels()
    }

    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped> {
        let record = self.bench.run_phase(name, input)?;
        self.spent += record.took;
        Ok(record)
    }

    fn idle(&mut self, name: &str, time: Duration) -> Result<(), Stopped> {
        self.spent += time;
        self.bench.idle(name, time)
    }

    fn so_far(&mut self, output: &MethodOutput) {
        self.bench.so_far(output);
    }
}
