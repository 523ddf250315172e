//! A drive's health before, during and after a run.
//!
//! A modelled drive can be queried at any time, at no cost. A real device is queried through smartctl: everything
//! before and after the run, temperature and bytes written between phases, and during phases only if that does not
//! disturb: by default on NVMe only, where queries do not delay I/Os. Files, directories and loop devices are not
//! queried: the device below also serves others. The option `health` of the target's name overrides this: `off`, or a
//! period such as `60s`.

use base::{Argument, Chart, Curve, Instant, Message, Target};
use std::path::PathBuf;

use base::chart::designs;
use base::health::{Condition, Health, HealthReading, HealthSample};
use inspect::health::{LEAST_PERIOD, Watching, ask, ask_with_flash_counter};
use results::RunResult;

use targets::{Asking, Drive, ResolvedTarget};

/// Maximum number of samples of a modelled drive: a method may have thousands of phases.
const MOST_MODEL_SAMPLES: usize = 4_096;

/// Looks at the drive's health during one run.
#[derive(Default)]
pub(crate) struct HealthWatch {
    device: Option<PathBuf>,
    watching: Option<Watching>,
    before: Option<HealthReading>,
    during: Vec<HealthSample>,
    /// The last report of a modelled drive before it was replaced by another one.
    ended: Option<HealthReading>,
}

impl HealthWatch {
    /// Asks a real device everything, before it is opened.
    pub(crate) fn before(resolved: &ResolvedTarget) -> HealthWatch {
        let Some((device, asking)) = resolved.asked_device() else {
            return HealthWatch::default();
        };
        let before = ask(&device, None);
        let watching = before.health().map(|health| {
            let period = match asking {
                Asking::Every(period) => Some(period),
                Asking::Auto if health.protocol == "NVMe" => Some(LEAST_PERIOD),
                Asking::Auto | Asking::Off => None,
            };
            Watching::begin(&device, period)
        });
        HealthWatch {
            device: Some(device),
            watching,
            before: Some(before),
            during: Vec::new(),
            ended: None,
        }
    }

    /// Asks a modelled drive, before the first phase.
    pub(crate) fn opened(&mut self, drive: &Drive) {
        if let Drive::Model(model) = drive {
            self.before = of_model(model.as_ref());
        }
    }

    /// What the drive tells now, between phases; `None` where it cannot be asked.
    pub(crate) fn now(&self, drive: &Drive) -> Option<Health> {
        match drive {
            Drive::Model(model) => model.health(),
            // A device that did not answer before the run is not asked again.
            Drive::Real(_) => match (&self.device, &self.before) {
                (Some(device), Some(HealthReading::Read { .. })) => {
                    ask_with_flash_counter(device).health().cloned()
                }
                _ => None,
            },
        }
    }

    /// What it said of its temperature last, in degrees Celsius; the drive is not asked for it.
    pub(crate) fn temperature(&self) -> Option<i64> {
        let last = match &self.watching {
            Some(watching) => watching.last(),
            None => self.during.last().copied(),
        };
        let before = || self.before.as_ref()?.health()?.temperature_celsius;
        last.and_then(|last| last.temperature_celsius)
            .or_else(before)
    }

    /// A phase has ended: nothing is in flight.
    pub(crate) fn phase_ended(&mut self, drive: &Drive) {
        match drive {
            Drive::Real(_) => {
                if let Some(watching) = &self.watching {
                    watching.phase_ended();
                }
            }
            Drive::Model(model) => {
                let health = model.health();
                let at = model.now().since(Instant::ZERO);
                let sample = health.and_then(|health| health.sample(at));
                if self.ended.is_none() && self.during.len() < MOST_MODEL_SAMPLES {
                    self.during.extend(sample);
                }
            }
        }
    }

    /// A modelled drive is replaced by another one: its history ends here, and only that of the first one is reported.
    pub(crate) fn drive_ends(&mut self, drive: &Drive) {
        if let Drive::Model(model) = drive
            && self.ended.is_none()
        {
            self.ended = of_model(model.as_ref());
        }
    }

    /// Asks once more, and puts everything into the result.
    pub(crate) fn end(self, drive: &Drive, result: &mut RunResult) {
        result.health_after = match (drive, &self.device, &self.before) {
            (Drive::Model(model), _, _) => self.ended.or_else(|| of_model(model.as_ref())),
            (Drive::Real(_), Some(device), Some(HealthReading::Read { .. })) => {
                Some(ask(device, None))
            }
            _ => None,
        };
        result.health_during = match self.watching {
            Some(watching) => watching.end(),
            None => self.during,
        };
        result.health_before = self.before;
        result.charts.extend(heat_chart(&result.health_during));
        let last = result
            .health_after
            .as_ref()
            .or(result.health_before.as_ref());
        let assessment = last.map(HealthReading::assess);
        if let Some(assessment) = assessment.filter(|a| a.condition >= Condition::Suspect) {
            let key = match assessment.condition {
                Condition::Failing => "warning-drive-failing",
                _ => "warning-drive-suspect",
            };
            let reasons = Argument::clauses(assessment.reasons);
            result
                .warnings
                .push(Message::new(key, [("reasons", reasons)]));
        }
    }
}

/// The temperature over the run, if the drive reported it at least twice.
fn heat_chart(during: &[HealthSample]) -> Option<Chart> {
    let told: Vec<(f64, f64)> = during
        .iter()
        .filter_map(|s| Some((s.at.as_secs_f64(), s.temperature_celsius? as f64)))
        .collect();
    (told.len() > 1).then(|| {
        Chart::new(
            "temperature",
            designs::TEMPERATURE,
            vec![Curve::new(
                "temperature",
                told.iter().map(|(at, _)| *at).collect(),
                told.iter().map(|(_, heat)| Some(*heat)).collect(),
            )],
        )
    })
}

fn of_model(model: &dyn Target) -> Option<HealthReading> {
    let health = Box::new(model.health()?);
    Some(HealthReading::Read { health })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::time::Duration;

    #[test]
    fn the_temperature_is_drawn_over_the_run_where_the_drive_told_it() {
        let sample = |seconds, heat| HealthSample {
            at: Duration::from_secs(seconds),
            temperature_celsius: heat,
            host_written: None,
        };
        let during = [sample(0, Some(30)), sample(9, None), sample(20, Some(34))];
        let chart = heat_chart(&during).unwrap();
        assert_eq!(chart.curves[0].x, [0.0, 20.0]);
        assert_eq!(chart.curves[0].y, [Some(30.0), Some(34.0)]);
        assert!(heat_chart(&during[..2]).is_none());
    }
}
