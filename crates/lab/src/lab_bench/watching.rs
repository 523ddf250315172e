//! A running phase: progress updates, intermediate storing, and polling for a stop.

use base::run::{Live, Verdict, Watcher};
use base::{Duration, Latencies, Op, PhaseRecord, Rate};
use store::Run;

use super::Shown;
use super::hung::Hung;
use crate::execute::Beside;
use crate::health_watch::HealthWatch;
use crate::progress::Standing;

/// Shows a phase while it runs, and hands it to the store.
pub(super) struct PhaseWatcher<'w, 'a> {
    pub(super) shown: &'w mut Shown<'a>,
    pub(super) store: Option<&'a Run>,
    pub(super) workload: String,
    pub(super) part: Option<&'w PhaseRecord>,
    /// What other rings do meanwhile.
    pub(super) beside: &'w Beside,
    pub(super) every: Duration,
    pub(super) hung: Hung,
    /// Whether the drive is a modelled one.
    pub(super) simulated: bool,
    pub(super) health: &'w HealthWatch,
}

impl Watcher for PhaseWatcher<'_, '_> {
    fn every(&self) -> Duration {
        self.every
    }

    fn look(&mut self, live: &Live<'_>) -> Verdict {
        let record = live.record;
        let stops = self.shown.interrupt.wanted();
        if let Some(run) = self.store.filter(|run| stops || run.wants_progress()) {
            self.hand_over(run, record);
        }
        let fraction = self.fraction(record);
        let mut felt = Latencies::default();
        for job in &record.jobs {
            for op in [Op::Read, Op::Write] {
                felt.merge(job.ops[op as usize].felt());
            }
        }
        let (ios_beside, bytes_beside) = self.beside.so_far();
        let done = (record.ios() + ios_beside, record.bytes() + bytes_beside);
        let seconds = record.took.as_secs_f64();
        self.shown.progress.show(&Standing {
            target: self.shown.target,
            method: self.shown.method,
            phase: &record.name,
            mb_s: Rate::of(done.1, record.took).map(|r| r.mb_s()),
            iops: (seconds > 0.0).then(|| done.0 as f64 / seconds),
            p99: felt.percentile(99.0),
            fraction,
            left: fraction.and_then(|f| self.left(record, f)),
            simulated: self.simulated,
            record: Some(record),
            done,
            temperature: self.health.temperature(),
        });
        if !stops {
            return Verdict::Continue;
        }
        if let Some(line) = self.hung.since_the_wish(self.shown.target, live) {
            self.shown.progress.say(&line);
        }
        Verdict::Stop
    }

    fn wants_to_stop(&self) -> bool {
        self.shown.interrupt.wanted()
    }
}

impl PhaseWatcher<'_, '_> {
    fn hand_over(&self, run: &Run, record: &PhaseRecord) {
        let mut so_far = record.clone();
        if let Some(part) = self.part {
            let mut whole = part.clone();
            whole.append(&so_far);
            so_far = whole;
        }
        let document = move || serde_json::to_string(&so_far).unwrap_or_default();
        run.phase_progress(&record.name, &self.workload, document);
    }

    /// How far: the method by its forecast where it has one, else this phase by its stop rule.
    fn fraction(&self, record: &PhaseRecord) -> Option<f64> {
        if let Some(expected) = self.shown.expected.filter(|e| !e.is_zero()) {
            return Some(
                ((self.shown.spent + record.took).as_secs_f64() / expected.as_secs_f64()).min(1.0),
            );
        }
        let stop = &record.workload.stop;
        if let Some(time) = stop.time {
            return Some((record.took.as_secs_f64() / time.as_secs_f64()).min(1.0));
        }
        let job = record.workload.jobs.first()?;
        let at = record.done_below?;
        let done = at.saturating_sub(job.span.start).get() as f64;
        Some((done / job.span.len.get().max(1) as f64).min(1.0))
    }

    fn left(&self, record: &PhaseRecord, fraction: f64) -> Option<Duration> {
        if let Some(expected) = self.shown.expected {
            return Some(expected.saturating_sub(self.shown.spent + record.took));
        }
        let resumed_at = match (
            self.part.and_then(|p| p.done_below),
            record.workload.jobs.first(),
        ) {
            (Some(at), Some(job)) => {
                at.saturating_sub(job.span.start).get() as f64 / job.span.len.get().max(1) as f64
            }
            _ => 0.0,
        };
        let pace = (fraction - resumed_at) / record.took.as_secs_f64().max(1e-9);
        (pace > 0.0).then(|| Duration::from_secs_f64((1.0 - fraction) / pace))
    }
}
