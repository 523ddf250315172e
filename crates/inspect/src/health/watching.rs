//! Temperature and bytes written on the time axis of a run.
//!
//! The drive is queried between phases, when nothing is in flight, and, if requested, also during a phase: by a
//! separate thread. That has a cost. On ATA the query is a non-queued command, for which the drive first finishes all
//! outstanding ones; on NVMe it uses the admin queue, in parallel with the I/Os. So the interval is the caller's
//! choice, and [`LEAST_PERIOD`] its minimum.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use base::health::{HealthReading, HealthSample};
use base::time::{Duration, Instant};
use uring::clock::Clock;

use super::ask_briefly;

/// The least time between two questions.
pub const LEAST_PERIOD: Duration = Duration::from_secs(10);
/// Maximum number of samples: eleven hours at the shortest interval. Then every second one is dropped.
const MOST_SAMPLES: usize = 4_096;

type Ask = dyn Fn() -> HealthReading + Send + Sync;

/// Asks a drive now and then.
pub struct Watching {
    shared: Arc<Shared>,
    /// Held so that the thread ends when it is dropped.
    _stop: Option<Sender<()>>,
}

struct Shared {
    clock: Clock,
    ask: Box<Ask>,
    least: Duration,
    samples: Mutex<Samples>,
}

#[derive(Default)]
struct Samples {
    kept: Vec<HealthSample>,
    last: Option<Instant>,
}

impl Watching {
    /// Begins the time axis; `period` is the interval of queries during phases, [`None`] to query only between them.
    pub fn begin(device: &Path, period: Option<Duration>) -> Watching {
        let device = device.to_owned();
        let ask = Box::new(move || ask_briefly(&device, None));
        Watching::asking(ask, LEAST_PERIOD, period.map(|p| p.max(LEAST_PERIOD)))
    }

    fn asking(ask: Box<Ask>, least: Duration, period: Option<Duration>) -> Watching {
        let shared = Arc::new(Shared {
            clock: Clock::starting_now(),
            ask,
            least,
            samples: Mutex::default(),
        });
        let stop = period.map(|period| {
            let (stop, stopped) = channel::<()>();
            let shared = Arc::clone(&shared);
            let period = std::time::Duration::from_nanos(period.as_nanos());
            thread::spawn(move || {
                while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                    shared.look();
                }
            });
            stop
        });
        Watching {
            shared,
            _stop: stop,
        }
    }

    /// A phase has ended: queries, unless the last answer is recent.
    pub fn phase_ended(&self) {
        self.shared.look();
    }

    /// The last sample so far. A query in progress is not waited for.
    pub fn last(&self) -> Option<HealthSample> {
        self.shared.samples().kept.last().copied()
    }

    /// The samples so far. A query in progress is not waited for.
    pub fn end(self) -> Vec<HealthSample> {
        std::mem::take(&mut self.shared.samples().kept)
    }
}

impl Shared {
    fn samples(&self) -> std::sync::MutexGuard<'_, Samples> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self) {
        let now = self.clock.now();
        let last = self.samples().last;
        if last.is_some_and(|last| now < last + self.least) {
            return;
        }
        let reading = (self.ask)();
        let at = self.clock.now();
        let sample = reading
            .health()
            .and_then(|health| health.sample(at.since(Instant::ZERO)));
        let mut samples = self.samples();
        samples.last = Some(at);
        samples.kept.extend(sample);
        if samples.kept.len() > MOST_SAMPLES {
            let mut index = 0;
            samples.kept.retain(|_| {
                index += 1;
                index % 2 == 1
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::health::Health;
    use std::sync::atomic::{AtomicI64, Ordering};

    fn warming() -> Box<Ask> {
        let heat = AtomicI64::new(30);
        Box::new(move || HealthReading::Read {
            health: Box::new(Health {
                temperature_celsius: Some(heat.fetch_add(1, Ordering::Relaxed)),
                ..Health::default()
            }),
        })
    }

    fn heat(samples: &[HealthSample]) -> Vec<i64> {
        samples
            .iter()
            .filter_map(|s| s.temperature_celsius)
            .collect()
    }

    #[test]
    fn between_phases_the_drive_is_asked_no_more_often_than_the_least_period() {
        let often = Watching::asking(warming(), Duration::ZERO, None);
        let seldom = Watching::asking(warming(), Duration::from_secs(3_600), None);
        for _ in 0..3 {
            often.phase_ended();
            seldom.phase_ended();
        }
        let often = often.end();
        assert_eq!(heat(&often), [30, 31, 32]);
        assert!(often.windows(2).all(|pair| pair[0].at <= pair[1].at));
        assert_eq!(heat(&seldom.end()), [30]);
    }

    #[test]
    fn a_thread_asks_while_a_phase_runs_and_a_drive_that_tells_nothing_leaves_no_sample() {
        let period = Duration::from_micros(100);
        let watching = Watching::asking(warming(), Duration::ZERO, Some(period));
        while watching.shared.samples().kept.len() < 3 {
            thread::yield_now();
        }
        assert!(heat(&watching.end()).starts_with(&[30, 31, 32]));
        let mute = Box::new(|| HealthReading::Read {
            health: Box::default(),
        });
        let watching = Watching::asking(mute, Duration::ZERO, None);
        watching.phase_ended();
        assert_eq!(watching.end(), []);
    }

    #[test]
    fn memory_is_bounded() {
        let watching = Watching::asking(warming(), Duration::ZERO, None);
        for _ in 0..MOST_SAMPLES + 10 {
            watching.phase_ended();
        }
        let samples = watching.end();
        assert!(samples.len() <= MOST_SAMPLES && samples.len() > MOST_SAMPLES / 4);
        assert_eq!(samples[0].temperature_celsius, Some(30));
    }
}
