//! Waiting at a fixed rate below saturation, against the formula for a queue with one server.
//!
//! Arrivals at random, one server, a constant service time `s`: the mean wait is
//! `rho s / (2 (1 - rho))` (Pollaczek and Khinchine; "M/D/1").

use super::*;
use base::workload::{Arrivals, Pacing};

/// Mean ns of 4 KiB random reads that arrive at random, at a share of what one server takes.
fn response(p: &Parameters, rho: f64, service: Duration) -> f64 {
    let mut drive = in_state(p.clone(), "full-in-order");
    let mut job = job(Op::Read, Order::Random, Bytes::kib(4), 1, &drive);
    job.pacing = Pacing::Open {
        per_second: rho / service.as_secs_f64(),
        arrivals: Arrivals::Poisson,
    };
    let record = go(&mut drive, job, 400_000);
    let reads = &record.jobs[0].ops[Op::Read as usize];
    reads.response.mean().unwrap().as_nanos() as f64
}

fn waits_as_the_formula_says(p: &Parameters, service: Duration, alone: f64) {
    for rho in [0.3, 0.5, 0.7, 0.85] {
        let s = service.as_nanos() as f64;
        let wait = rho * s / (2.0 * (1.0 - rho));
        near(response(p, rho, service) - alone, wait, 0.04);
    }
}

#[test]
fn the_controller_is_one_server() {
    let mut p = small(100, 30_000);
    // All else is short: 100 us a command in the controller, 20 us more until the flash is asked.
    p.queue = 256;
    p.controller.read_interval = US(100);
    p.controller.read_latency = US(120);
    p.controller.write_latency = US(120);
    p.timings.read = Duration::from_nanos(100);
    p.timings.bus = PicosPerByte::new(10);
    p.link.read = PicosPerByte::new(10);
    p.link.command = Duration::ZERO;
    p.link.status = Duration::ZERO;
    waits_as_the_formula_says(&p, US(100), 120_000.0 + 100.0 + 41.0 + 41.0);
}

#[test]
fn the_link_is_one_server() {
    let mut p = small(100, 30_000);
    p.queue = 256;
    p.controller.read_interval = Duration::ZERO;
    p.controller.read_latency = US(1);
    p.controller.write_latency = US(1);
    p.timings.read = Duration::from_nanos(100);
    p.timings.bus = PicosPerByte::new(10);
    p.link.command = Duration::ZERO;
    p.link.status = Duration::ZERO;
    // 4 KiB at 40 MB/s.
    p.link.read = PicosPerByte::new(25_000);
    let service = Duration::from_nanos(102_400);
    waits_as_the_formula_says(&p, service, 1_000.0 + 100.0 + 41.0 + 102_400.0);
}
