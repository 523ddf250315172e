//! The controller's own time: firmware and engines that each command passes through.
//!
//! A pipeline: a command takes its *latency* from its arrival until flash or buffer is asked, but
//! the next one can enter after an *interval*, which is shorter where cores and engines share the
//! work. The interval limits the IOPS of many small commands, the latency determines the time of
//! a lone one. Each further page of a command, and each page that the drive moves on its
//! own behalf, takes a small time of the same pipeline: a busy collection slows reads and writes
//! alike. Where the drive's file says so, the latency of a command that finds the controller idle is
//! drawn about its mean ([`dispatch`](crate::ssd::scatter::dispatch)).

use base::io::Op;
use base::time::{Duration, Instant};

use crate::sheet::quantity::{MegabytesPerSecond, Microseconds};
use crate::sheet::table::parameters;
use crate::ssd::scatter::dispatch::Dispatch;

parameters! {
    /// What the controller takes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub ControllerTimes from ControllerConfig ["controller"] {
        /// From a read's arrival until the flash is asked.
        read_latency "read_latency_us": Microseconds in 0.0..=1_000.0;
        /// From a write's arrival until its data are asked for.
        write_latency "write_latency_us": Microseconds in 0.0..=1_000.0;
        /// Until the next command can follow a read.
        read_interval "read_interval_us": Microseconds in 0.0..=1_000.0;
        /// Until the next command can follow a write, a trim or a flush.
        write_interval "write_interval_us": Microseconds in 0.0..=1_000.0;
        /// For each further page of a command, and each page moved.
        page "page_us": Microseconds in 0.0..=100.0;
        /// The path of programs from DRAM to the channels.
        program_path "program_path_mb_s": MegabytesPerSecond in 1.0..=100_000.0;
    }
}

/// The controller and how far it is taken.
#[derive(Clone, Debug)]
pub struct Controller {
    times: ControllerTimes,
    free: Instant,
    dispatch: Option<Box<Dispatch>>,
}

impl Controller {
    /// An idle controller.
    pub(in crate::ssd) fn new(times: ControllerTimes, dispatch: Option<Dispatch>) -> Controller {
        Controller {
            times,
            free: Instant::ZERO,
            dispatch: dispatch.map(Box::new),
        }
    }

    /// The power has failed: it is idle.
    pub(in crate::ssd) fn power_cut(&mut self) {
        self.free = Instant::ZERO;
        if let Some(dispatch) = &mut self.dispatch {
            dispatch.power_cut();
        }
    }

    /// Takes a read of a number of pages; returns the time of the request to the flash.
    #[inline]
    pub fn read(&mut self, now: Instant, pages: u64) -> Instant {
        let further = self.further(pages);
        let ready = self.take(
            now,
            self.times.read_interval + further,
            self.times.read_latency,
        );
        match &mut self.dispatch {
            None => ready,
            Some(dispatch) => dispatch.read(ready),
        }
    }

    /// Takes a write of a number of pages; returns the time at which its data are requested.
    #[inline]
    pub fn write(&mut self, now: Instant, pages: u64) -> Instant {
        let further = self.further(pages);
        let behind_reads = self.keeps_order();
        let ready = self.take(
            now,
            self.times.write_interval + further,
            self.times.write_latency,
        );
        match &mut self.dispatch {
            None => ready,
            Some(dispatch) => dispatch.write(ready, behind_reads),
        }
    }

    /// The command that was taken last and the next one keep apart by so much at least.
    pub fn keep_apart(&mut self, op: Op, apart: Duration) {
        let interval = match op {
            Op::Read => self.times.read_interval,
            Op::Write | Op::Trim | Op::Flush => self.times.write_interval,
        };
        self.free += apart.saturating_sub(interval);
    }

    /// Nothing enters before a given time.
    pub fn held_until(&mut self, end: Instant) {
        self.free = self.free.max(end);
    }

    /// Moves pages on the drive's own behalf.
    pub fn move_pages(&mut self, now: Instant, pages: u64) {
        self.free = now.max(self.free) + self.times.page * pages;
    }

    /// Whether a write never asks the flash earlier than a read that came before it.
    pub fn keeps_order(&self) -> bool {
        self.times.write_latency >= self.times.read_latency
    }

    #[inline]
    fn further(&self, pages: u64) -> Duration {
        self.times.page * pages.saturating_sub(1)
    }

    #[inline]
    fn take(&mut self, now: Instant, interval: Duration, latency: Duration) -> Instant {
        let begin = now.max(self.free);
        let latency = match &mut self.dispatch {
            None => latency,
            Some(dispatch) => dispatch.latency(latency, now >= self.free),
        };
        self.free = begin + interval;
        begin + latency
    }
}
