//! A modelled drive that is passed from one run to the next in its current state.
//!
//! A single run creates its drive and discards it afterwards. If runs follow each other on one drive, as on a real one,
//! the drive is passed on, with its time, its cache and its wear; and the record of the next run says what it was
//! measured after, so that its figures are not compared with those of a fresh drive.

use base::{Duration, Interrupt, Stopped};

use crate::lab_bench::rest_of_model;
use targets::Drive;

/// The drive between two runs.
#[derive(Default)]
pub struct Carry {
    drive: Option<Drive>,
    /// The methods that it has been through.
    after: Vec<String>,
}

impl Carry {
    /// True where there is a drive that has been through a run.
    pub fn has_drive(&self) -> bool {
        self.drive.is_some()
    }

    /// Hands the drive over, with the methods that it has been through.
    pub(crate) fn take(&mut self) -> Option<(Drive, String)> {
        let drive = self.drive.take()?;
        Some((drive, self.after.join(", ")))
    }

    /// Keeps the drive of a run that has ended; a real one needs no keeping.
    pub fn keep(&mut self, drive: Drive, method: &str) {
        if let Drive::Model(_) = &drive {
            self.drive = Some(drive);
            self.after.push(method.to_owned());
        }
    }

    /// Idles the drive, in its own time.
    ///
    /// # Errors
    /// If a stop was requested.
    pub fn rest(&mut self, time: Duration, interrupt: &Interrupt) -> Result<(), Stopped> {
        match &mut self.drive {
            Some(Drive::Model(model)) => rest_of_model(model.as_mut(), time, interrupt),
            _ => Ok(()),
        }
    }
}
