//! The main job: one real drive and two modelled ones, side by side.
//!
//! The models are simulated first, so that nothing runs beside the measurement.

use base::method::Scale;
use results::RunResult;
use stats::repeat::Repeat;
use store::Store;

use crate::error::PlanError;
use lab::opening::Consent;
use lab::progress::{Interrupt, Progress};
use lab::running::{Request, prepare};

/// The drives that a review sets beside the real one.
pub const BESIDE: [&str; 2] = [
    "model:samsung-840-evo-750gb",
    "model:hgst-deskstar-nas-hdn724030-3tb",
];

/// Methods of a review, by scale: a full scan takes hours on a real disk, and belongs to a full
/// review alone.
pub fn methods_of(scale: Scale) -> &'static [&'static str] {
    match scale {
        Scale::Full => &[
            "crystaldiskmark",
            "crystaldiskmark-classic",
            "quick-scan",
            "full-scan",
            "latency-watch",
        ],
        _ => &[
            "crystaldiskmark",
            "crystaldiskmark-classic",
            "quick-scan",
            "latency-watch",
        ],
    }
}

/// What is to be reviewed.
#[derive(Clone, Debug)]
pub struct Review {
    /// The target's name.
    pub target: String,
    /// Modelled drives (or other targets) beside it.
    pub beside: Vec<String>,
    /// How long.
    pub scale: Scale,
    /// Seeds everything random.
    pub seed: u64,
    /// What may be overwritten.
    pub consent: Consent,
    /// The command line, for the record.
    pub command: Vec<String>,
    /// Tells the time, in milliseconds of the Unix epoch.
    pub now_unix_ms: fn() -> u64,
}

impl Review {
    fn request(&self, method: &str, target: &str, consent: &Consent) -> Request {
        Request {
            method: method.to_owned(),
            target: target.to_owned(),
            scale: self.scale,
            seed: self.seed,
            repeat: Repeat::default(),
            set: Vec::new(),
            consent: consent.clone(),
            command: self.command.clone(),
            now_unix_ms: self.now_unix_ms,
        }
    }

    /// Every request of the review: the modelled drives', then the real one's.
    fn requests(&self) -> Vec<Request> {
        let nobody = Consent::default();
        let beside = self.beside.iter().map(|target| (target, &nobody));
        let all = beside.chain([(&self.target, &self.consent)]);
        all.flat_map(|(target, consent)| {
            methods_of(self.scale)
                .iter()
                .map(move |method| self.request(method, target, consent))
        })
        .collect()
    }

    /// What the review would write.
    ///
    /// # Errors
    /// As [`prepare`].
    pub fn dry_run(&self) -> Result<Vec<String>, PlanError> {
        let mut lines = Vec::new();
        for method in methods_of(self.scale) {
            lines.extend(prepare(self.request(method, &self.target, &self.consent))?.dry_run());
        }
        Ok(lines)
    }

    /// Checks all that its runs check before their first phases. Nothing is made, claimed or written.
    ///
    /// # Errors
    /// The first thing that would be refused.
    pub fn would_run(&self) -> Result<(), PlanError> {
        // The reviewed target's first: it is what the user typed.
        let mut requests = self.requests().into_iter().rev();
        requests.try_for_each(|request| Ok(prepare(request)?.would_run()?))
    }

    /// Runs the review. The results are those of the reviewed target first.
    ///
    /// # Errors
    /// The first thing that went wrong; everything is checked before anything is measured.
    pub fn run(
        &self,
        store: Option<&Store>,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Vec<RunResult>, PlanError> {
        // The reviewed target's first: it is what the user typed.
        for request in self.requests().into_iter().rev() {
            prepare(request)?;
        }
        let requests = self.requests();
        let steps = requests.len();
        let mut results = Vec::new();
        for (step, request) in requests.into_iter().enumerate() {
            progress.say(&format!(
                "{} of {steps}: {} on {}",
                step + 1,
                request.method,
                request.target
            ));
            results.push(prepare(request)?.run(store, progress, interrupt)?);
        }
        let own = results.len() - methods_of(self.scale).len();
        results.rotate_left(own);
        Ok(results)
    }
}
