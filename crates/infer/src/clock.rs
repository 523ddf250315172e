//! A target with the time that was spent on it, and what took long: a real target's own clock starts anew with each phase.

use base::health::Health;
use base::run::PhaseInput;
use base::{Bench, Duration, Info, Message, MethodOutput, PhaseRecord, Stopped};

use crate::floor::Floor;
use crate::long_responses::Watch;

/// A target, and the time of all phases and rests on it.
pub(crate) struct Clock<'a> {
    bench: &'a mut dyn Bench,
    spent: Duration,
    watch: Watch,
    floor: Floor,
}

impl<'a> Clock<'a> {
    /// Nothing was spent on it.
    pub(crate) fn new(bench: &'a mut dyn Bench) -> Clock<'a> {
        Clock {
            bench,
            spent: Duration::ZERO,
            watch: Watch::default(),
            floor: Floor::default(),
        }
    }

    /// What was spent so far.
    pub(crate) fn spent(&self) -> Duration {
        self.spent
    }

    /// What took long since it was asked last.
    pub(crate) fn watched(&mut self) -> Watch {
        std::mem::take(&mut self.watch)
    }

    /// The shortest lone reads since it was asked last.
    pub(crate) fn floor(&mut self) -> Floor {
        std::mem::take(&mut self.floor)
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
        self.watch.keep(self.spent, record);
        self.floor.look(record);
        self.spent += record.took;
        Ok(record)
    }

    fn idle(&mut self, name: &str, time: Duration) -> Result<(), Stopped> {
        self.spent += time;
        self.bench.idle(name, time)
    }

    fn health(&mut self) -> Option<Health> {
        self.bench.health()
    }

    fn so_far(&mut self, output: &MethodOutput) {
        self.bench.so_far(output);
    }
}
