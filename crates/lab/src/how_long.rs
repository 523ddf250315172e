//! How long a run will take on a target, and how many bytes it will write.
//!
//! A method states the components of its duration ([`Takes`]): phases limited by time and idle time are known; the time
//! to move bytes and to access random positions depends on the drive. It is estimated from the performance of the
//! target's class, and marked as assumed: 150 MB/s and 15 ms for a disk (the mean over the LBA range of one of 2014 to
//! 2020; a seek and half a revolution), 500 MB/s and 0.2 ms for a SATA SSD, whose link carries 550, 3,000 MB/s and 0.1
//! ms on NVMe (the usable rate of PCIe 3.0 x4). If only time limits what is read or written, the estimate is as much as
//! such a drive can transfer in that time.
//!
//! For a modelled drive this is virtual time; the real time is that of a processor, which is proportional to the number
//! of I/Os to simulate.

use base::{Bytes, Duration, Forecast, Info, Method, Scale, Settings, Takes};

use targets::{DriveClass, ResolvedTarget};

/// What one run takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HowLong {
    /// Maximum in seconds, including idle time.
    pub seconds: f64,
    /// Bytes written at most.
    pub written: Bytes,
    /// Bytes read at most, those of a test file that is read back included.
    pub read: Bytes,
    /// Where it is no bound but an estimate: the rate that was assumed, in MB/s.
    pub assumed_mb_s: Option<f64>,
    /// Approximate processor seconds to simulate it.
    pub simulated_seconds: f64,
}

/// What a run of a method takes on a target.
pub fn of_run(
    method: &dyn Method,
    settings: &Settings,
    resolved: &ResolvedTarget,
    forecast: &Forecast,
    scale: Scale,
) -> HowLong {
    let Some((file, mut forecast)) = in_test_file(method, settings, resolved, forecast, scale)
    else {
        return of_forecast(forecast, resolved.class());
    };
    // Where a method does not write it first, its blocks are written before they are read.
    if forecast.reads_as_found {
        forecast.takes = forecast.takes.and_moving(file);
        forecast.writes = forecast.writes.map(|bytes| bytes.saturating_add(file));
    }
    of_forecast(&forecast, resolved.class())
}

/// The size of the test file that a run makes, and the forecast for it: of a directory the first one is made for
/// all that is free. Nothing where no test file is made.
pub fn in_test_file(
    method: &dyn Method,
    settings: &Settings,
    resolved: &ResolvedTarget,
    forecast: &Forecast,
    scale: Scale,
) -> Option<(Bytes, Forecast)> {
    let file = resolved.test_file_bytes(forecast, scale)?;
    let on = Info {
        capacity: file,
        ..resolved.provisional
    };
    Some((file, method.forecast(settings, &on)))
}

/// What a forecast means on a class of drives.
pub fn of_forecast(forecast: &Forecast, class: DriveClass) -> HowLong {
    let (mb_s, access) = speed(class);
    let moving = |bytes: Bytes| bytes.get() as f64 / (mb_s * 1e6);
    let takes = forecast.takes;
    let accesses = match class {
        DriveClass::Disk => takes.accesses - takes.not_on_disks,
        DriveClass::Sata | DriveClass::Nvme => takes.accesses,
    };
    let known = takes.known().as_secs_f64();
    let in_time = |time: Duration| Bytes::new((time.as_secs_f64() * mb_s * 1e6) as u64);
    let written = forecast.writes.unwrap_or_else(|| {
        if forecast.written.is_empty() {
            Bytes::ZERO
        } else {
            takes.written().saturating_add(in_time(takes.writing()))
        }
    });
    let read = forecast
        .reads
        .unwrap_or_else(|| takes.read.saturating_add(in_time(takes.reading)));
    let by_time = forecast.writes.is_none() && !written.is_zero();
    let assumed = by_time || !forecast.takes.is_known();
    let work = moving(takes.moved) + accesses as f64 * access.as_secs_f64();
    HowLong {
        seconds: known + (work - takes.spread.as_secs_f64()).max(0.0),
        written,
        read,
        assumed_mb_s: assumed.then_some(mb_s),
        simulated_seconds: simulated(&Takes { accesses, ..takes }, class),
    }
}

/// Approximate processor time per simulated I/O (`drivelab develop bench model`: 0.5 to 2 million per second).
const AN_IO: Duration = Duration::from_micros(1);
/// What is moved in order is moved in accesses of this size or more.
const IN_ORDER: f64 = 65_536.0;

/// Approximate processor seconds to simulate a run: a microsecond per I/O, and for a timed phase as many I/Os as the
/// class serves at depth with small I/Os (a million per second on NVMe, 100,000 on SATA, a few hundred for a disk,
/// whose queue is searched for each).
fn simulated(takes: &Takes, class: DriveClass) -> f64 {
    let a_second = match class {
        DriveClass::Disk => 1e4,
        DriveClass::Sata => 1e5,
        DriveClass::Nvme => 1e6,
    };
    let ios = takes.accesses as f64
        + takes.moved.get() as f64 / IN_ORDER
        + takes.timed.as_secs_f64() * a_second;
    ios * AN_IO.as_secs_f64()
}

/// Sequential rate in MB/s of a class of drives, and the time of a random I/O.
const fn speed(class: DriveClass) -> (f64, Duration) {
    match class {
        DriveClass::Disk => (150.0, Duration::from_millis(15)),
        DriveClass::Sata => (500.0, Duration::from_micros(200)),
        DriveClass::Nvme => (3_000.0, Duration::from_micros(100)),
    }
}

/// A time in a suitable unit.
pub fn span(seconds: f64) -> String {
    let units = [(3_600.0, "h"), (60.0, "min")];
    let unit = units.into_iter().find(|(unit, _)| seconds >= 2.0 * unit);
    let (unit, name) = unit.unwrap_or((1.0, "s"));
    format!("{} {name}", three(seconds / unit))
}

/// Three digits, at most two decimals.
pub fn three(value: f64) -> String {
    let decimals = match value.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.01 || v <= 0.0 => 2,
        _ => 5,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ios_sent_over_a_time_take_it_or_as_long_as_a_slower_drive_needs_for_them() {
        let takes = Takes::default().and_accesses(1_000);
        let forecast = Forecast {
            takes: takes.spread_over(Duration::from_secs(2)),
            ..Forecast::default()
        };
        let seconds = |class| of_forecast(&forecast, class).seconds;
        assert!((seconds(DriveClass::Nvme) - 2.0).abs() < 1e-9);
        assert!((seconds(DriveClass::Disk) - 15.0).abs() < 1e-9);
        assert!(
            of_forecast(&forecast, DriveClass::Nvme)
                .assumed_mb_s
                .is_some()
        );
    }

    #[test]
    fn a_disk_is_not_charged_for_accesses_that_only_flash_gets() {
        let of_flash = Takes::default().and_accesses(900).without_disks();
        let forecast = Forecast {
            takes: Takes::default().and_accesses(100).and(of_flash),
            ..Forecast::default()
        };
        let seconds = |class| of_forecast(&forecast, class).seconds;
        assert!((seconds(DriveClass::Disk) - 1.5).abs() < 1e-9);
        assert!((seconds(DriveClass::Sata) - 0.2).abs() < 1e-9);
    }
}
