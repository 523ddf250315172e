//! What a modelled drive is made with: its seed, and whether to stop.

use sim::catalogue::CatalogueError;
use sim::halt::Halt;
use sim::ssd::parameters::DriveError;

use crate::error::LabError;
use crate::progress::Interrupt;

/// How a modelled drive is made.
#[derive(Clone, Debug, Default)]
pub struct Making {
    /// Draws all that is drawn in it.
    pub seed: u64,
    /// Asked while it is made.
    pub halt: Halt,
}

impl Making {
    /// From a seed, unless somebody wants to stop.
    pub fn unless(interrupt: &Interrupt, seed: u64) -> Making {
        let interrupt = interrupt.clone();
        Making {
            seed,
            halt: Halt::when(move || interrupt.wanted()),
        }
    }

    /// The same with another seed.
    pub fn seeded(&self, seed: u64) -> Making {
        Making {
            seed,
            halt: self.halt.clone(),
        }
    }
}

impl From<u64> for Making {
    fn from(seed: u64) -> Making {
        Making {
            seed,
            halt: Halt::default(),
        }
    }
}

impl From<CatalogueError> for LabError {
    fn from(error: CatalogueError) -> LabError {
        match error {
            CatalogueError::Drive(DriveError::Halted(_)) => {
                LabError::Stopped(base::bench::Stopped::Interrupted)
            }
            other => LabError::Catalogue(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::opening::{Consent, look_up_unless};

    #[test]
    fn a_drive_that_nobody_waits_for_is_not_made_and_that_is_an_interrupt() {
        let interrupt = Interrupt::new();
        let made = |target: &str| {
            let making = Making::unless(&interrupt, 1);
            look_up_unless(target, &Consent::default(), &making).map(|_| ())
        };
        let drive = "model:ocz-core-v2-30gb";
        let targets = [
            "model:samsung-840-evo-120gb?state=steady-random".to_owned(),
            "raid0(model:plextor-m2s-128gb?state=50%-in-order,model:plextor-m2s-128gb)".to_owned(),
        ];
        assert!(made(drive).is_ok());
        interrupt.flag().store(true, Ordering::Relaxed);
        for target in targets {
            let error = made(&target).unwrap_err();
            assert_eq!(error.exit_code(), 130, "{target}: {error}");
        }
    }
}
