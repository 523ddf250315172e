//! Thermal throttling: a drive that is too hot accepts commands at a lower rate.
//!
//! The drive is one body with a heat capacity and a resistance to the air around it (a first-order
//! network, as in every text on electronic cooling): moving a byte heats it, idle time cools it towards
//! `ambient + idle power x resistance` with the time constant `capacity x resistance`. Above one
//! temperature the firmware spaces commands so that their data come to a lower rate, until a lower
//! temperature is reached. Both are in every maker's data sheets as "composite temperature" limits;
//! the energy a byte follows from the active power and the rate that the data sheet gives.
//!
//! Only the host's bytes heat; what the drive moves by itself is part of the energy of a written
//! one. The temperature is worked out once a millisecond at most: a command between adds its energy, and
//! finds the drive as hot as the last one that looked did. A state says how hot the drive is when it is
//! switched on (`temperature=`); by default it is as warm as when idle.

use base::io::Op;
use base::size::Bytes;
use base::time::{Duration, Instant};

use crate::sheet::quantity::{MegabytesPerSecond, Number, quantities};
use crate::sheet::table::parameters;
use crate::ssd::drive::Drive;

/// The temperature is worked out once in so long at most: bodies of some grams change by hundredths of a
/// kelvin meanwhile.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);

quantities! {
    /// An energy per byte in nanojoules, in a model in joules.
    pub Nanojoules: f64, "nJ/B" => f64 = |nanojoules| nanojoules * 1e-9;
}

parameters! {
    /// How a drive heats and what it does then.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub Heating from ThermalConfig ["thermal"] {
        /// Joules per byte read, beyond idle power.
        read_j "read_nj": Nanojoules in 0.0..=1_000.0;
        /// Joules per byte written, beyond idle power.
        write_j "write_nj": Nanojoules in 0.0..=1_000.0;
        /// Watts without a command.
        idle "idle_w": Number("W") in 0.0..=50.0;
        /// Joules per kelvin: the heat capacity of drive and heat sink.
        heat "heat_j_k": Number("J/K") in 0.1..=10_000.0;
        /// Kelvins per watt, from the drive to the air.
        resistance "resistance_k_w": Number("K/W") in 0.01..=1_000.0;
        /// Degrees Celsius of the air.
        ambient "ambient_c": Number("C") in -40.0..=85.0;
        /// Throttled above so many degrees.
        throttle "throttle_c": Number("C") in 0.0..=150.0;
        /// Until below so many.
        resume "resume_c": Number("C") in 0.0..=150.0;
        /// The rate meanwhile.
        throttled "throttled_mb_s": MegabytesPerSecond in 1.0..=20_000.0;
    }
}

impl Heating {
    /// Degrees Celsius at rest.
    pub fn rest(&self) -> f64 {
        self.ambient + self.idle * self.resistance
    }
}

/// How hot it is.
#[derive(Clone, Debug)]
pub(in crate::ssd) struct Thermal {
    heating: Heating,
    celsius: f64,
    at: Instant,
    /// Joules that came since then.
    joules: f64,
    throttles: bool,
}

impl Thermal {
    pub(in crate::ssd) fn new(heating: Heating) -> Thermal {
        Thermal {
            celsius: heating.rest(),
            heating,
            at: Instant::ZERO,
            joules: 0.0,
            throttles: false,
        }
    }

    /// It was switched on so hot.
    pub(in crate::ssd) fn switched_on_at(&mut self, celsius: i32) {
        self.celsius = f64::from(celsius);
        self.throttles = self.celsius > self.heating.throttle;
    }

    /// Degrees at a given time, after cooling since the last command.
    fn at(&self, now: Instant) -> f64 {
        let h = &self.heating;
        let since = now.since(self.at).as_secs_f64();
        let left = libm::exp(-since / (h.heat * h.resistance));
        let rest = h.rest();
        rest + (self.celsius + self.joules / h.heat - rest) * left
    }

    /// A command moves bytes; gives how far the next one must keep from it.
    fn moves(&mut self, now: Instant, op: Op, bytes: Bytes) -> Duration {
        let a_byte = match op {
            Op::Read => self.heating.read_j,
            Op::Write => self.heating.write_j,
            Op::Trim | Op::Flush => return Duration::ZERO,
        };
        if now >= self.at + BETWEEN_LOOKS {
            self.look(now);
        }
        self.joules += bytes.get() as f64 * a_byte;
        if self.throttles {
            self.heating.throttled.time_for(bytes)
        } else {
            Duration::ZERO
        }
    }
}

impl Thermal {
    /// Works out how hot it is, and whether that is too hot.
    fn look(&mut self, now: Instant) {
        self.celsius = self.at(now);
        self.joules = 0.0;
        self.at = now;
        let limit = if self.throttles {
            self.heating.resume
        } else {
            self.heating.throttle
        };
        self.throttles = self.celsius > limit;
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

    /// Degrees Celsius, rounded, after its last command, where the drive's heat is modelled.
    pub(in crate::ssd) fn last_celsius(&self) -> Option<i64> {
        let thermal = self.mechanisms.thermal.as_ref()?;
        Some(libm::round(thermal.at(thermal.at)) as i64)
    }

    /// Degrees Celsius at a given time, where the drive's heat is modelled.
    pub fn celsius(&self, now: Instant) -> Option<f64> {
        self.mechanisms
            .thermal
            .as_ref()
            .map(|thermal| thermal.at(now))
    }
}
