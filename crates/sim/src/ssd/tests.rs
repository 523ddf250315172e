//! A small drive in the laboratory: what its mechanisms do, checked against arithmetic.

use base::io::Op;
use base::record::PhaseRecord;
use base::run::{Unwatched, run};
use base::size::{Bytes, PicosPerByte};
use base::target::Target;
use base::time::{Duration, Instant};
use base::workload::{Access, Job, Order, Span, Stop, Workload};

use super::drive::Drive;
use super::flash::die::{Arbitration, ReadPolicy};
use super::flash::layout::{Geometry, PAGE};
use super::flash::timings::Timings;
use super::front::controller::ControllerTimes;
use super::front::flush::FlushConfig;
use super::ftl::block_pool::Reserves;
use super::ftl::slc::SlcPolicy;
use super::parameters::Parameters;
use crate::interface::link::{Duplex, LinkTimes};
use crate::virtual_time::Virtual;

mod ageing;
mod audit;
mod back_pressure;
mod below_saturation;
mod cache;
mod compression;
mod drain;
mod flushes;
mod halting;
mod health;
mod invariants;
mod links;
mod map_cache;
mod page_types;
mod parity;
mod partial_writes;
mod planes;
mod power;
mod queueing;
mod read_ahead;
mod room;
mod sameness;
mod scatter;
mod streams;
mod thermal;
mod times;

const US: fn(u64) -> Duration = Duration::from_micros;

/// Two channels, four dies, superblocks of 384 pages (1.5 MiB): `superblocks` of them hold
/// `logical` pages.
fn small(superblocks: u32, logical: u64) -> Parameters {
    Parameters {
        capacity: Bytes::new(logical * PAGE),
        queue: 32,
        link: LinkTimes {
            read: PicosPerByte::new(2_000),
            write: PicosPerByte::new(2_000),
            command: US(1),
            status: US(1),
            duplex: Duplex::Half,
            transfer_ready: Duration::ZERO,
        },
        controller: ControllerTimes {
            read_latency: US(10),
            write_latency: US(12),
            read_interval: US(5),
            write_interval: US(6),
            page: Duration::from_nanos(100),
            program_path: PicosPerByte::new(500),
        },
        buffer: Bytes::mib(4),
        protected: false,
        write_back: true,
        durable_writes: true,
        flush: FlushConfig::default().parameters(),
        independent_planes: false,
        geometry: Geometry {
            channels: 2,
            dies: 4,
            planes: 2,
            page_bytes: 16_384,
            rows: 12,
            superblocks,
            bits: 3,
            stripe: 0,
        },
        timings: Timings {
            read: US(60),
            read_slc: US(30),
            program: US(2_000),
            program_slc: US(300),
            erase: US(4_000),
            bus: PicosPerByte::new(2_500),
            program_passes: 1,
        },
        arbitration: Arbitration {
            policy: ReadPolicy::ReadFirst,
            suspend: US(20),
            pulse: Duration::ZERO,
            suspensions: 8,
            patience: US(20_000),
            steps: 1,
            step_growth: 1_000,
        },
        slc: SlcPolicy::default(),
        wear: None,
        bit_errors: None,
        retention: None,
        trim: true,
        idle_after: Duration::from_millis(100),
        reserves: Reserves {
            for_moves: 2,
            collect_below: 5,
            collect_idle_below: 5,
            collect_step: 0,
        },
        moves_apart: true,
        partial_write: None,
        compression: None,
        unused_superblocks: 0,
        map_cache: None,
        read_ahead: None,
        page_types: None,
        thermal: None,
        scatter: super::scatter::Scatter::default(),
    }
}

fn drive(p: Parameters) -> Virtual<Drive> {
    Virtual::new(Drive::new(p, 1).unwrap())
}

fn in_state(p: Parameters, state: &str) -> Virtual<Drive> {
    Virtual::new(Drive::in_state(p, 1, &state.parse().unwrap()).unwrap())
}

/// A closed job over the whole drive.
fn job(op: Op, order: Order, size: Bytes, depth: u32, drive: &Virtual<Drive>) -> Job {
    let capacity = drive.info().capacity.round_down(size);
    Job::closed("test", op, order, Span::first(capacity), size, depth)
}

fn go(drive: &mut Virtual<Drive>, job: Job, ios: u64) -> PhaseRecord {
    let stop = Stop {
        ios: Some(ios),
        ..Stop::default()
    };
    // Another seed each time, or the same pages would be written again.
    let work = Workload::single(job, stop, drive.now().as_nanos());
    let record = run(drive, "test", &work, &mut Unwatched).unwrap();
    let served: u64 = record.jobs[0].ops.iter().map(|op| op.ios).sum();
    assert_eq!(served, ios, "I/Os served and issued");
    record
}

fn writes(drive: &mut Virtual<Drive>, order: Order, kib: u64, depth: u32, ios: u64) -> f64 {
    let job = job(Op::Write, order, Bytes::kib(kib), depth, drive);
    rate(&go(drive, job, ios))
}

fn reads(drive: &mut Virtual<Drive>, order: Order, kib: u64, depth: u32, ios: u64) -> f64 {
    let job = job(Op::Read, order, Bytes::kib(kib), depth, drive);
    rate(&go(drive, job, ios))
}

/// MB/s over all of a record.
fn rate(record: &PhaseRecord) -> f64 {
    let bytes: u64 = record.jobs[0].ops.iter().map(|op| op.bytes.get()).sum();
    bytes as f64 / 1e6 / record.took.as_secs_f64()
}

/// Lets time pass.
fn rest(drive: &mut Virtual<Drive>, time: Duration) {
    let until = drive.now().saturating_add(time);
    let mut done = Vec::new();
    while drive.now() < until {
        drive.wait(Some(until), &mut done);
    }
    assert!(done.is_empty());
}

/// All of the drive once, in order.
fn fill(drive: &mut Virtual<Drive>) {
    let ios = drive.info().capacity.get() / (128 << 10);
    writes(drive, Order::Sequential, 128, 8, ios);
}

fn near(got: f64, wanted: f64, share: f64) {
    assert!(
        (got / wanted - 1.0).abs() <= share,
        "{got} is not within {share} of {wanted}"
    );
}

fn mixed(read_percent: u8, kib: u64, depth: u32, drive: &Virtual<Drive>) -> Job {
    let mut job = job(Op::Read, Order::Random, Bytes::kib(kib), depth, drive);
    job.accesses = vec![Access {
        weight: 1,
        size: Bytes::kib(kib),
        read_percent,
        trims: false,
    }];
    job
}

fn at(drive: &Virtual<Drive>) -> Instant {
    drive.now()
}
