//! Test files of a run: the file systems that its target has, and the drive anew on each.
//!
//! A modelled drive is made again, in the state and from the seed of the run, with the test file on
//! another of its host's file systems: so figures differ by the file system alone. A directory is on
//! the file system that it is on.

use base::bench::{Files, Stopped};
use base::method::Forecast;

use crate::error::LabError;
use crate::grammar::Spec;
use crate::lab_bench::LabBench;
use crate::opening::{Opened, look_up, placed_on};
use crate::running::Request;

/// Makes a modelled drive on a file system, from a seed.
pub(crate) type Anew<'a> = dyn Fn(&str, u64) -> Result<Opened, LabError> + 'a;

/// Where the test files of a run can lie.
pub(crate) struct TestFiles<'a> {
    /// The names of the file systems; none for a bare drive.
    pub(crate) systems: Vec<String>,
    /// Makes the modelled drive; a directory has none of that.
    pub(crate) anew: Option<&'a Anew<'a>>,
}

/// The target of a request with its test file on another file system.
///
/// # Errors
/// As [`look_up`], and as opening it.
pub(crate) fn on_file_system(
    request: &Request,
    forecast: &Forecast,
    system: &str,
    seed: u64,
) -> Result<Opened, LabError> {
    let spec: Spec = request.target.parse()?;
    let target = placed_on(&spec, system).to_string();
    let looked = look_up(&target, &request.consent, seed)?;
    looked.open(forecast, request.scale, &request.consent)
}

impl Files for LabBench<'_> {
    fn systems(&self) -> Vec<String> {
        self.test_files.systems.clone()
    }

    fn on(&mut self, system: &str) -> Result<(), Stopped> {
        if !self.test_files.systems.iter().any(|known| known == system) {
            return Err(Stopped::Failed(format!(
                "there is no file system {system} here, only {}",
                self.test_files.systems.join(", ")
            )));
        }
        let Some(anew) = self.test_files.anew else {
            return Ok(());
        };
        let opened = anew(system, self.seed).map_err(|e| Stopped::Failed(e.to_string()))?;
        if !self.phases.is_empty() {
            self.health.drive_ends(self.drive);
        }
        *self.drive = opened.drive;
        self.info = opened.info;
        Ok(())
    }
}
