//! A bench over any target, for tests: no store, no host.

use std::collections::BTreeMap;

use base::bench::ModelledDrive;
use base::health::Health;
use base::input::Reader;
use base::run::{NotRun, PhaseInput, Unwatched, run_phase};
use base::zone::Zoned;
use base::{Bench, Duration, Info, Op, PhaseRecord, Span, Stopped, Target};

pub(crate) struct BenchDouble<T> {
    pub(crate) target: T,
    pub(crate) writable: bool,
    pub(crate) phases: Vec<PhaseRecord>,
    /// What scripts wrote.
    pub(crate) script_writes: Vec<Span>,
    /// What the files hold that settings name.
    pub(crate) inputs: BTreeMap<String, String>,
    /// Labelled reads are checked.
    pub(crate) keeps_contents: bool,
    /// Whether the method used operations of modelled drives.
    pub(crate) asked_model: bool,
    /// Total idle time.
    pub(crate) idled: Duration,
}

impl<T: Target> BenchDouble<T> {
    pub(crate) fn new(target: T) -> BenchDouble<T> {
        BenchDouble {
            target,
            writable: true,
            phases: Vec::new(),
            script_writes: Vec::new(),
            inputs: BTreeMap::new(),
            keeps_contents: false,
            asked_model: false,
            idled: Duration::ZERO,
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

    fn run_phase(&mut self, name: &str, input: PhaseInput<'_>) -> Result<&PhaseRecord, Stopped> {
        assert!(
            self.phases.iter().all(|p| p.name != name),
            "phase '{name}' twice"
        );
        assert!(
            self.writable || !input.workload().writes(),
            "phase '{name}' writes on a read-only target"
        );
        if let PhaseInput::Script(script) = &input {
            script.each_io(|io| {
                if io.op == Op::Write {
                    self.script_writes.push(Span::new(io.offset, io.len));
                }
            });
        }
        let ran = run_phase(&mut self.target, name, input, &mut Unwatched);
        self.phases.push(ran.map_err(|why| match why {
            NotRun::Unrunnable(why) => Stopped::Unrunnable {
                phase: name.to_owned(),
                why,
            },
            NotRun::Trace(bad) => Stopped::Failed(bad.to_string()),
        })?);
        Ok(&self.phases[self.phases.len() - 1])
    }

    fn input(&mut self, key: &str) -> Result<Reader, Stopped> {
        let text = self.inputs.get(key).expect("a test gives its files");
        let text = std::io::Cursor::new(text.clone());
        Ok(Box::new(std::io::BufReader::new(text)))
    }

    fn idle(&mut self, _: &str, time: Duration) -> Result<(), Stopped> {
        self.idled += time;
        let until = self.target.now() + time;
        while self.target.now() < until {
            self.target.wait(Some(until), &mut Vec::new());
        }
        Ok(())
    }

    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        self.target.zoned()
    }

    fn health(&mut self) -> Option<Health> {
        self.target.health()
    }

    fn model(&mut self) -> Option<&mut dyn ModelledDrive> {
        self.asked_model = true;
        Some(self)
    }
}

impl<T: Target> ModelledDrive for BenchDouble<T> {
    fn keep_contents(&mut self) -> Result<bool, Stopped> {
        Ok(self.keeps_contents)
    }

    fn power_cut(&mut self) -> bool {
        self.target.power_cut()
    }

    fn switch_on(&mut self, _: Option<i32>) -> Result<bool, Stopped> {
        Ok(false)
    }
}
