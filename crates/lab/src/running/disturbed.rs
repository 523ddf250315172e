//! What else the computer does around a run on a real drive.

use base::message::Message;
use std::path::Path;

use base::surroundings::HostActivity;
use inspect::busy_host::{self, ProcessorTime};

use targets::{ResolvedTarget, served_by};

/// What was found before a run.
pub(super) struct Disturbed {
    before: HostActivity,
    processors: Option<ProcessorTime>,
}

impl Disturbed {
    /// Looks; not where a modelled drive is measured, which nothing disturbs.
    pub(super) fn before(resolved: &ResolvedTarget) -> Option<Disturbed> {
        let machine = Path::new("/");
        let look = || busy_host::activity(machine, served_by(resolved), std::thread::sleep);
        (!resolved.is_a_model()).then(|| Disturbed {
            before: look(),
            processors: ProcessorTime::now(machine),
        })
    }

    /// The message about it.
    pub(super) fn warning(&self) -> Option<Message> {
        busy_host::warning(&self.before)
    }

    /// All of it, at the end of the run.
    pub(super) fn over(self) -> HostActivity {
        let now = ProcessorTime::now(Path::new("/"));
        let both = now.zip(self.processors);
        HostActivity {
            stolen_percent: both.and_then(|(now, before)| now.stolen_percent(before)),
            ..self.before
        }
    }
}
