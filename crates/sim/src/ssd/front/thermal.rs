//! Thermal throttling: a drive that is too hot lets commands in more slowly.
//!
//! The drive is one body with a heat capacity and a resistance to the air around it (a first-order
//! network, as in every text on electronic cooling): moving a byte heats it, rest cools it towards
//! `ambient + idle power x resistance` with the time constant `capacity x resistance`. Above one
//! temperature the firmware spaces commands so that their data come to a lower rate, until a lower
//! temperature is reached. Both are in every maker's data sheets as "composite temperature" limits;
//! the energy a byte follows from the active power and the rate that the data sheet gives.
//!
//! | parameter | unit | meaning |
//! |---|---|---|
//! | `read_nj`, `write_nj` | nJ/B | energy of a byte beyond idle power |
//! | `idle_w` | W | power at rest |
//! | `heat_j_k` | J/K | heat capacity of drive and heat sink |
//! | `resistance_k_w` | K/W | from the drive to the air |
//! | `ambient_c` | C | the air |
//! | `throttle_c`, `resume_c` | C | throttled above the first, until below the second |
//! | `throttled_mb_s` | MB/s | the rate meanwhile |
//!
//! Only the host's bytes heat; what the drive moves by itself is part of the energy of a written one.

use base::io::Op;
use base::size::{Bytes, PicosPerByte};
use base::time::{Duration, Instant};
use serde::Deserialize;

use crate::sheet::{Section, Sourced};
use crate::ssd::drive::Drive;

/// The section `[ssd.thermal]` of a drive's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThermalConfig {
    read_nj: Sourced<f64>,
    write_nj: Sourced<f64>,
    idle_w: Sourced<f64>,
    heat_j_k: Sourced<f64>,
    resistance_k_w: Sourced<f64>,
    ambient_c: Sourced<f64>,
    throttle_c: Sourced<f64>,
    resume_c: Sourced<f64>,
    throttled_mb_s: Sourced<f64>,
}

impl ThermalConfig {
    /// The values with units, sources and ranges.
    pub fn section(&self) -> Section {
        Section::new(
            "thermal",
            vec![
                self.read_nj.row("read_nj", "nJ/B", 0.0..=1_000.0),
                self.write_nj.row("write_nj", "nJ/B", 0.0..=1_000.0),
                self.idle_w.row("idle_w", "W", 0.0..=50.0),
                self.heat_j_k.row("heat_j_k", "J/K", 0.1..=10_000.0),
                self.resistance_k_w
                    .row("resistance_k_w", "K/W", 0.01..=1_000.0),
                self.ambient_c.row("ambient_c", "C", -40.0..=85.0),
                self.throttle_c.row("throttle_c", "C", 0.0..=150.0),
                self.resume_c.row("resume_c", "C", 0.0..=150.0),
                self.throttled_mb_s
                    .row("throttled_mb_s", "MB/s", 1.0..=20_000.0),
            ],
        )
    }

    /// The plain numbers.
    pub fn parameters(&self) -> Heating {
        Heating {
            read_j: self.read_nj.get() * 1e-9,
            write_j: self.write_nj.get() * 1e-9,
            heat: self.heat_j_k.get(),
            resistance: self.resistance_k_w.get(),
            rest: self.ambient_c.get() + self.idle_w.get() * self.resistance_k_w.get(),
            throttle: self.throttle_c.get(),
            resume: self.resume_c.get(),
            throttled: PicosPerByte::from_mb_s(self.throttled_mb_s.get()),
        }
    }
}

/// How a drive heats and what it does then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heating {
    /// Joules a byte read.
    pub read_j: f64,
    /// Joules a byte written.
    pub write_j: f64,
    /// Joules a kelvin.
    pub heat: f64,
    /// Kelvins a watt.
    pub resistance: f64,
    /// Degrees Celsius at rest.
    pub rest: f64,
    /// Throttled above so many degrees.
    pub throttle: f64,
    /// Until below so many.
    pub resume: f64,
    /// The rate meanwhile.
    pub throttled: PicosPerByte,
}

/// How hot it is.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct Thermal {
    heating: Heating,
    celsius: f64,
    at: Instant,
    throttles: bool,
}

impl Thermal {
    pub(in crate::ssd) fn new(heating: Heating) -> Thermal {
        Thermal {
            celsius: heating.rest,
            heating,
            at: Instant::ZERO,
            throttles: false,
        }
    }

    /// Degrees at a moment, after cooling since the last command.
    fn at(&self, now: Instant) -> f64 {
        let h = &self.heating;
        let since = now.since(self.at).as_secs_f64();
        let left = libm::exp(-since / (h.heat * h.resistance));
        h.rest + (self.celsius - h.rest) * left
    }

    /// A command moves bytes; gives how far the next one must keep from it.
    fn moves(&mut self, now: Instant, op: Op, bytes: Bytes) -> Duration {
        let a_byte = match op {
            Op::Read => self.heating.read_j,
            Op::Write => self.heating.write_j,
            Op::Trim | Op::Flush => return Duration::ZERO,
        };
        self.celsius = self.at(now) + bytes.get() as f64 * a_byte / self.heating.heat;
        self.at = self.at.max(now);
        let limit = if self.throttles {
            self.heating.resume
        } else {
            self.heating.throttle
        };
        self.throttles = self.celsius > limit;
        if self.throttles {
            self.heating.throttled.time_for(bytes)
        } else {
            Duration::ZERO
        }
    }
}

impl Drive {
    /// A command of the host goes through the controller: it heats the drive, and where that is too
    /// hot the next one has to wait.
    #[inline]
    pub(in crate::ssd) fn heat(&mut self, now: Instant, op: Op, bytes: Bytes) {
        if let Some(thermal) = &mut self.mechanisms.thermal {
            let apart = thermal.moves(now, op, bytes);
            self.front.controller.keep_apart(op, apart);
        }
    }

    /// Degrees Celsius at a moment, where the drive's heat is modelled.
    pub fn celsius(&self, now: Instant) -> Option<f64> {
        self.mechanisms
            .thermal
            .as_ref()
            .map(|thermal| thermal.at(now))
    }
}
