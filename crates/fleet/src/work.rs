//! All hosts, some at a time: each is brought the program, begun, asked, fetched.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base::interrupt::Interrupt;
use sha2::{Digest, Sha256};

use crate::digest::{hexadecimal, sha256_of};
use crate::error::FleetError;
use crate::hosts::Host;
use crate::remote::{Arguments, Remote, State};
use crate::ssh::Ssh;

/// What is to be done on all of them.
#[derive(Clone, Debug)]
pub struct Order {
    pub ssh: Ssh,
    /// The program that runs there.
    pub program: PathBuf,
    /// The plan's file, here.
    pub plan: PathBuf,
    /// Further arguments of `drivelab run PLAN TARGET ...`: scale and seed.
    pub arguments: Vec<String>,
    /// Hosts side by side at most.
    pub at_once: usize,
    /// From one question to the next.
    pub between: Duration,
    /// How often a lost connection is tried again, one after another.
    pub tries: u32,
    /// Where what is fetched is left.
    pub folder: PathBuf,
}

/// What happens on a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The program was copied.
    Copied,
    Begun,
    /// The run had stopped without an end, as after a reboot, and goes on.
    Resumed,
    /// The last line of its log, where that is another.
    Says(String),
    /// The connection is lost, and tried again.
    Lost(String),
    Fetched,
}

/// A run that came to its end.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Its exit code there.
    pub code: u8,
    /// What it said last.
    pub said: String,
    /// Its stored results, here; none where it was refused before anything ran.
    pub store: Option<PathBuf>,
}

/// Works through all hosts; the outcomes are in their order.
pub fn run(
    order: &Order,
    hosts: &[Host],
    interrupt: &Interrupt,
    tell: &(dyn Fn(&Host, Event) + Sync),
) -> Result<Vec<Result<Ended, FleetError>>, FleetError> {
    let digest = sha256_of(&order.program)?;
    let plan = std::fs::read(&order.plan).map_err(|source| FleetError::File {
        path: order.plan.clone(),
        source,
    })?;
    let next = AtomicUsize::new(0);
    let outcomes: Vec<Mutex<Option<Result<Ended, FleetError>>>> =
        hosts.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..order.at_once.clamp(1, hosts.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(host) = hosts.get(at) else {
                        return;
                    };
                    let run = run_name(&plan, order, host);
                    let remote = Remote {
                        ssh: &order.ssh,
                        host,
                        digest: &digest,
                        run: &run,
                    };
                    let one = OneHost {
                        order,
                        remote,
                        interrupt,
                        tell: &|event| tell(host, event),
                    };
                    let outcome = one.work(&order.folder.join(format!("{at}.sqlite3")));
                    if let Ok(mut place) = outcomes[at].lock() {
                        *place = Some(outcome);
                    }
                }
            });
        }
    });
    let outcome = |place: Mutex<Option<Result<Ended, FleetError>>>| {
        place
            .into_inner()
            .ok()
            .flatten()
            .unwrap_or(Err(FleetError::Interrupted))
    };
    Ok(outcomes.into_iter().map(outcome).collect())
}

/// The name of a run's folder: the same for the same plan on the same drives.
fn run_name(plan: &[u8], order: &Order, host: &Host) -> String {
    let mut digest = Sha256::new();
    digest.update(plan);
    let words = [
        &order.arguments,
        &host.drives,
        &host.overwrite,
        &host.targets,
    ];
    for list in words {
        for word in list {
            digest.update(word);
            digest.update([0]);
        }
        digest.update([1]);
    }
    let name = hexadecimal(&digest.finalize());
    name[..16].to_owned()
}

/// A host under way.
struct OneHost<'a> {
    order: &'a Order,
    remote: Remote<'a>,
    interrupt: &'a Interrupt,
    tell: &'a dyn Fn(Event),
}

impl OneHost<'_> {
    fn work(&self, store: &Path) -> Result<Ended, FleetError> {
        if self.patiently(|| self.remote.bring_program(&self.order.program))? {
            (self.tell)(Event::Copied);
        }
        let code = self.to_its_end()?;
        let said = self.patiently(|| self.remote.last_words())?;
        // What was refused has stored nothing, or has not even a store.
        let fetched = self.patiently(|| self.remote.fetch(store));
        let store = match fetched {
            Ok(()) => {
                (self.tell)(Event::Fetched);
                Some(store.to_owned())
            }
            Err(FleetError::Remote { .. }) if code != 0 => None,
            Err(error) => return Err(error),
        };
        Ok(Ended { code, said, store })
    }

    /// Begins the run where it has not begun, and asks until it has ended.
    fn to_its_end(&self) -> Result<u8, FleetError> {
        let mut last = String::new();
        let mut resumed = 0;
        loop {
            match self.patiently(|| self.remote.state())? {
                State::Ended(code) => return Ok(code),
                State::New => {
                    let arguments = self.patiently(|| self.arguments())?;
                    self.patiently(|| self.remote.bring_run(&self.order.plan, &arguments))?;
                    self.patiently(|| self.remote.begin())?;
                    (self.tell)(Event::Begun);
                }
                // A run that is killed again and again would never end.
                State::Stopped if resumed == self.order.tries => {
                    let said = self.patiently(|| self.remote.last_words())?;
                    let doing = "the run, which stops again and again,";
                    return Err(FleetError::Remote { doing, said });
                }
                State::Stopped => {
                    resumed += 1;
                    self.patiently(|| self.remote.begin())?;
                    (self.tell)(Event::Resumed);
                }
                State::Running(line) if line != last => {
                    (self.tell)(Event::Says(line.clone()));
                    last = line;
                }
                State::Running(_) => {}
            }
            self.wait()?;
        }
    }

    fn arguments(&self) -> Result<Arguments, FleetError> {
        let mut run = self.remote.targets()?;
        run.extend(self.order.arguments.iter().cloned());
        let mut consent = Vec::new();
        for serial in &self.remote.host.overwrite {
            if consent.is_empty() {
                consent.push("--destroy-data".to_owned());
            }
            consent.extend(["--confirm".to_owned(), serial.clone()]);
        }
        Ok(Arguments { run, consent })
    }

    /// The same again while only the connection is at fault.
    fn patiently<T>(&self, what: impl Fn() -> Result<T, FleetError>) -> Result<T, FleetError> {
        let mut tries = 0;
        loop {
            match what() {
                Err(error) if error.is_of_the_connection() && tries < self.order.tries => {
                    if self.interrupt.wanted() {
                        return Err(FleetError::Interrupted);
                    }
                    tries += 1;
                    (self.tell)(Event::Lost(error.to_string()));
                    self.wait()?;
                }
                outcome => return outcome,
            }
        }
    }

    /// Waits until the next question; a stop is noticed within a tenth of a second.
    fn wait(&self) -> Result<(), FleetError> {
        let step = Duration::from_millis(100).min(self.order.between);
        let mut left = self.order.between;
        while !left.is_zero() {
            if self.interrupt.wanted() {
                return Err(FleetError::Interrupted);
            }
            std::thread::sleep(step);
            left = left.saturating_sub(step);
        }
        Ok(())
    }
}

/// Removes the folder of a run whose results are stored here.
///
/// # Errors
/// The host is not reached, or the folder cannot be removed.
pub fn clean(order: &Order, host: &Host) -> Result<(), FleetError> {
    let plan = std::fs::read(&order.plan).map_err(|source| FleetError::File {
        path: order.plan.clone(),
        source,
    })?;
    let remote = Remote {
        ssh: &order.ssh,
        host,
        digest: "",
        run: &run_name(&plan, order, host),
    };
    remote.clean()
}
