//! A bench over any target, for tests: no store, no host.

use base::bench::{Bench, Stopped};
use base::io::Op;
use base::record::PhaseRecord;
use base::run::{Unwatched, run, run_script};
use base::script::Script;
use base::target::{Info, Target};
use base::time::Duration;
use base::workload::{Span, Workload};

pub(crate) struct BenchDouble<T> {
    pub(crate) target: T,
    pub(crate) writable: bool,
    pub(crate) phases: Vec<PhaseRecord>,
    /// What scripts wrote.
    pub(crate) script_writes: Vec<Span>,
}

impl<T: Target> BenchDouble<T> {
    pub(crate) fn new(target: T) -> BenchDouble<T> {
        BenchDouble {
            target,
            writable: true,
            phases: Vec::new(),
            script_writes: Vec::new(),
        }
    }
}

impl<T: Target> Bench for BenchDouble<T> {
    fn info(&self) -> Info {
        Info {
            writable: self.writable,
            ..self.target.info()
        }
    }

    fn phase(&mut self, name: &str, work: &Workload) -> Result<&PhaseRecord, Stopped> {
        assert!(
            self.phases.iter().all(|p| p.name != name),
            "phase '{name}' twice"
        );
        assert!(
            self.writable || !work.writes(),
            "phase '{name}' writes on a read-only target"
        );
        let record = run(&mut self.target, name, work, &mut Unwatched).map_err(|why| {
            Stopped::Unrunnable {
                phase: name.to_owned(),
                why,
            }
        })?;
        self.phases.push(record);
        Ok(&self.phases[self.phases.len() - 1])
    }

    fn script(&mut self, name: &str, script: &Script) -> Result<&PhaseRecord, Stopped> {
        assert!(
            self.phases.iter().all(|p| p.name != name),
            "phase '{name}' twice"
        );
        assert!(
            self.writable || !script.workload().writes(),
            "script '{name}' writes on a read-only target"
        );
        let writes = script.ios().filter(|io| io.op == Op::Write);
        self.script_writes
            .extend(writes.map(|io| Span::new(io.offset, io.len)));
        let played = run_script(&mut self.target, name, script, &mut Unwatched);
        let record = played.map_err(|why| Stopped::Unrunnable {
            phase: name.to_owned(),
            why,
        })?;
        self.phases.push(record);
        Ok(&self.phases[self.phases.len() - 1])
    }

    fn idle(&mut self, _: &str, time: Duration) -> Result<(), Stopped> {
        let until = self.target.now() + time;
        while self.target.now() < until {
            self.target.wait(Some(until), &mut Vec::new());
        }
        Ok(())
    }
}
