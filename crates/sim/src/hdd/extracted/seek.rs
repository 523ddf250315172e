//! The arm of an extracted disk: a curve of measured points, or a formula with a table for short moves.

use super::super::seek::{Actuator, SeekCurve};
use super::file::{BadDisk, DiskFile, SeekType};
use super::ns;

/// The longest time that a seek may take, in milliseconds.
const LONGEST_MS: f64 = 4_000.0;

impl DiskFile {
    /// What moves the heads, for a disk of so many cylinders.
    pub(super) fn actuator(&self, cylinders: u32) -> Result<Actuator, BadDisk> {
        let m = &self.mechanics;
        let (key, points) = match m.seek_type {
            SeekType::Extracted => {
                let points = &m.seek_curve_cylinders_ms;
                let points: Vec<(u32, f64)> = points.iter().map(|p| (p.0, p.1)).collect();
                ("seek_curve_cylinders_ms", points)
            }
            SeekType::Hplplus10 => ("hpl_seek_equation_values", self.formula(cylinders)?),
        };
        if let Some(&(distance, ms)) = points
            .iter()
            .find(|(_, ms)| !(0.0..=LONGEST_MS).contains(ms))
        {
            let what = format!("{ms} ms over {distance} cylinders is not a seek time");
            return Err(self.bad(key, what));
        }
        let points: Vec<(u32, u64)> = points.into_iter().map(|(d, ms)| (d, ns(ms))).collect();
        Ok(Actuator {
            curve: SeekCurve::through(cylinders, &points)
                .map_err(|why| self.bad(key, why.to_string()))?,
            head_switch_ns: ns(m.head_switch_time),
            write_settle_ns: (m.add_write_settling_delay * 1e6) as i64,
        })
    }

    /// Ten measured times, then `v1 + v2 sqrt(d)` below `v0` cylinders and `v3 + v4 d` from there on
    /// (DiskSim 4.0 reference manual, section on disk modules).
    fn formula(&self, cylinders: u32) -> Result<Vec<(u32, f64)>, BadDisk> {
        let m = &self.mechanics;
        let [v0, v1, v2, v3, v4, ..] = m.hpl_seek_equation_values[..] else {
            let what = "a formula has five or six values".to_owned();
            return Err(self.bad("hpl_seek_equation_values", what));
        };
        let short = &m.first_ten_seek_times;
        let time = |d: u32| match short.get(d as usize - 1) {
            Some(&ms) if d <= 10 => ms,
            _ if f64::from(d) < v0 => v1 + v2 * libm::sqrt(f64::from(d)),
            _ => v3 + v4 * f64::from(d),
        };
        Ok((1..cylinders.max(2)).map(|d| (d, time(d))).collect())
    }
}
