//! What a modelled drive is made with: its seed, and how much of it is made.

use base::state::State;
use sim::halt::{Extent, Halt};

use base::interrupt::Interrupt;

/// How a modelled drive is made.
#[derive(Clone, Debug)]
pub(crate) struct Making {
    /// Draws all that is drawn in it.
    pub(crate) seed: u64,
    /// How much of it.
    pub(crate) extent: Extent,
    /// The state of drives whose names do not specify one.
    pub(crate) state: State,
}

impl Making {
    /// Its own description.
    pub(crate) fn outline(seed: u64) -> Making {
        Making {
            seed,
            extent: Extent::Outline,
            state: State::default(),
        }
    }

    /// The whole drive, unless a stop is requested.
    pub(crate) fn whole(seed: u64, interrupt: &Interrupt) -> Making {
        let interrupt = interrupt.clone();
        Making {
            seed,
            extent: Extent::Whole(Halt::when(move || interrupt.wanted())),
            state: State::default(),
        }
    }

    /// The same in another state, if the name does not specify one.
    pub(crate) fn in_state(self, state: State) -> Making {
        Making { state, ..self }
    }

    /// The same with another seed.
    pub(crate) fn seeded(&self, seed: u64) -> Making {
        Making {
            seed,
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use base::exit::Exit;
    use base::method::{Forecast, Scale};

    use super::*;
    use crate::{Consent, resolve};

    const USED: [&str; 2] = [
        "model:samsung-840-evo-120gb?state=steady-random",
        "raid0(model:plextor-m2s-128gb?state=50%-in-order,model:plextor-m2s-128gb)",
    ];

    #[test]
    fn a_drive_that_nobody_waits_for_is_not_made_and_that_is_an_interrupt() {
        let interrupt = Interrupt::new();
        interrupt.flag().store(true, Ordering::Relaxed);
        let consent = Consent::default();
        for target in USED.into_iter().chain(["model:wd-red-wd30efrx-3tb"]) {
            let Ok(resolved) = resolve(target, &consent, 1) else {
                panic!("{target}: names are understood, whoever wants to stop")
            };
            let admitted = resolved.admit("test", &Forecast::default(), &consent);
            let opened = admitted.unwrap().open(Scale::Quick, &interrupt);
            let Err(error) = opened else {
                panic!("{target}: was made")
            };
            assert_eq!(error.exit(), Exit::Interrupted, "{target}: {error}");
        }
    }

    #[test]
    fn what_a_name_says_of_its_drive_is_what_the_drive_says() {
        let consent = Consent::default();
        let drives = sim::catalogue::DRIVES.iter();
        let each = drives.map(|entry| format!("model:{}", entry.slug));
        let layered = [
            "rapid(model:ocz-core-v2-30gb)?memory=512MiB",
            "raid0(model:ocz-core-v2-30gb,model:ocz-core-v2-30gb)?stripe=64KiB",
            "contents(model:ocz-core-v2-30gb?host=windows-xp-2009)?file_system=ntfs",
            "model:ocz-core-v2-30gb?partition_offset=31.5KiB",
        ];
        for target in each.chain(layered.map(str::to_owned)) {
            let resolved = resolve(&target, &consent, 1).unwrap();
            let said = resolved.provisional;
            let admitted = resolved.admit("test", &Forecast::default(), &consent);
            let opened = admitted.unwrap().open(Scale::Quick, &Interrupt::new());
            assert_eq!(opened.unwrap().info, said, "{target}");
        }
    }

    #[test]
    fn a_state_that_a_drive_cannot_be_in_is_refused_before_it_is_made() {
        for target in [
            "model:samsung-840-evo-120gb?state=fresh,temperature=5C",
            "model:ocz-core-v2-30gb?state=fresh,wear=50%",
            "model:wd-red-wd30efrx-3tb?state=fresh,trimmed",
        ] {
            let refused = resolve(target, &Consent::default(), 1).err();
            let said = refused.map(|error| error.to_string()).unwrap_or_default();
            assert!(said.contains("not modelled"), "{target}: {said}");
        }
    }
}
