//! Progress messages of a run.

use base::{Bytes, Duration, Message, PhaseRecord};

/// Progress of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing<'a> {
    /// The target, for people.
    pub target: &'a str,
    /// The method's title, in English and in Japanese.
    pub method: [&'a str; 2],
    pub phase: &'a str,
    /// Rate of the phase so far, in MB/s (10^6).
    pub mb_s: Option<f64>,
    /// I/Os a second of the phase so far.
    pub iops: Option<f64>,
    /// 99th percentile of the phase's latencies so far.
    pub p99: Option<Duration>,
    /// Progress of the method, 0 to 1, if known.
    pub fraction: Option<f64>,
    /// Time left for the method, if known; virtual time on a modelled drive.
    pub left: Option<Duration>,
    /// True for a modelled drive, whose time is not the computer's.
    pub simulated: bool,
    /// The phase so far, where it is one of I/Os: of several rings the first one's.
    pub record: Option<&'a PhaseRecord>,
    /// I/Os and bytes completed in the phase so far, of all rings.
    pub done: (u64, Bytes),
    /// What the drive said of its temperature last, in degrees Celsius.
    pub temperature: Option<i64>,
}

/// Which of several runs begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOfMany<'a> {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are.
    pub of: usize,
    /// The method's name.
    pub method: &'a str,
    /// The target's name.
    pub target: &'a str,
    /// True for a modelled drive.
    pub simulated: bool,
    /// Forecast time of the following runs on real drives.
    pub real_left: Duration,
    /// Number of following runs on modelled drives.
    pub simulated_left: usize,
}

/// Whoever shows it.
pub trait Progress {
    /// Reports progress; called at most about ten times a second.
    fn show(&mut self, standing: &Standing<'_>);
    /// One of several runs begins.
    fn begins(&mut self, run: &RunOfMany<'_>) {
        let _ = run;
    }
    /// A modelled drive is built now, which takes seconds for a large one in a used state.
    fn building(&mut self, target: &str) {
        let _ = target;
    }
    /// Something that the user should read, once.
    fn say(&mut self, said: &Message);
}

/// Shows nothing.
#[derive(Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn show(&mut self, _: &Standing<'_>) {}
    fn say(&mut self, _: &Message) {}
}
