//! Everything that is known of one drive, to look for findings in.

use std::cell::OnceCell;

use base::{Bytes, Duration, Op, PhaseRecord};
use results::{RunResult, TargetRecord};

use super::Behind;
use super::damage::Damage;
use crate::answers::figures;

/// A small random read of a drive with moving parts takes milliseconds, of one without them a fraction: the fastest
/// disks need 3 ms for it (half a turn at 15,000 a minute and a short seek).
const OF_A_DISK: Duration = Duration::from_micros(2_500);

/// The results of one drive.
#[derive(Debug)]
pub struct Evidence<'a> {
    pub results: Vec<&'a RunResult>,
    /// The drive.
    pub target: &'a TargetRecord,
    damage: OnceCell<Damage>,
}

impl<'a> Evidence<'a> {
    /// What these results of one drive tell; nothing where there are none.
    pub fn of(results: &[&'a RunResult]) -> Option<Evidence<'a>> {
        let first = results.first()?;
        Some(Evidence {
            results: results.to_vec(),
            target: &first.target,
            damage: OnceCell::new(),
        })
    }

    /// The results of a method.
    pub fn method(&self, method: &'static str) -> impl Iterator<Item = &'a RunResult> + '_ {
        let all = self.results.iter().copied();
        all.filter(move |result| result.method == method)
    }

    /// A figure that has a value: of the method's first result that has it.
    pub fn figure(&self, method: &'static str, key: &str) -> Option<Behind<'a>> {
        self.method(method).find_map(|result| {
            let figure = figures::figure(result, key)?;
            Some(Behind { result, figure })
        })
    }

    /// Those of a method's figures that there are.
    pub fn figures(&self, method: &'static str, keys: &[&str]) -> Vec<Behind<'a>> {
        keys.iter()
            .filter_map(|key| self.figure(method, key))
            .collect()
    }

    /// A figure's value, in whatever unit it has.
    pub fn value(&self, method: &'static str, key: &str) -> Option<f64> {
        figures::value(self.figure(method, key)?.result, key)
    }

    /// A rate of bytes, in megabytes (10^6) a second.
    pub fn mb_s(&self, method: &'static str, key: &str) -> Option<f64> {
        figures::mb_s(self.figure(method, key)?.result, key)
    }

    /// A time.
    pub fn time(&self, method: &'static str, key: &str) -> Option<Duration> {
        figures::time(self.figure(method, key)?.result, key)
    }

    /// A fact of the drive: reported by it or by its file.
    pub fn fact(&self, name: &str) -> Option<&'a str> {
        let target: &'a TargetRecord = self.target;
        target.identity.get(name).map(String::as_str)
    }

    /// The drive's size, where it is known.
    pub fn capacity(&self) -> Option<Bytes> {
        self.target.info.as_ref().map(|info| info.capacity)
    }

    /// Whether it has moving parts: it says so, or its small reads take as long as a seek. `None` if neither is known.
    pub fn is_disk(&self) -> Option<bool> {
        match self.fact("rotational") {
            // A virtual machine says "yes" of any disk image: what it takes decides.
            Some("yes") | None => self
                .small_read()
                .map_or(self.fact("rotational").map(|_| true), |read| {
                    Some(read >= OF_A_DISK)
                }),
            Some(_) => Some(false),
        }
    }

    /// The time of a small random read at queue depth 1.
    fn small_read(&self) -> Option<Duration> {
        let watched = self.time("latency-watch", "alone.median");
        let from_rate = || {
            let rate = self.mb_s("crystaldiskmark", "rnd4k-q1t1.read.median")?;
            (rate > 0.0).then(|| Duration::from_secs_f64(4_096.0 / (rate * 1e6)))
        };
        watched.or_else(from_rate)
    }

    /// What failed.
    pub fn damage(&self) -> &Damage {
        self.damage.get_or_init(|| Damage::of(&self.results))
    }

    /// Bytes that were moved by reads, or by writes.
    pub fn moved(&self, op: Op) -> Bytes {
        let phases = self.results.iter().flat_map(|result| &result.phases);
        let of = |phase: &PhaseRecord| phase.of(op).bytes.get();
        Bytes::new(phases.map(of).sum())
    }
}
