//! The measuring engine's own cost: 4K random reads of a file in the page cache, with the run loop
//! and the recorder, as I/Os a second of processor time.
//!
//! `cargo run --release -p uring --example engine_bench -- FILE [DEPTH] [SECONDS] [psync]`; without a
//! depth, both yardsticks (32 and 1) and the bare ring.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;
use std::path::Path;

use base::io::Op;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::target::Target as _;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};
use uring::floor::{CpuTime, noop_rate};
use uring::open::{Engine, Options, open};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("name a file of 4 MiB or so")?;
    let depth = arguments.get(1).map(|text| text.parse()).transpose()?;
    let seconds = arguments.get(2).map_or(Ok(3), |text| text.parse())?;
    let engine = match arguments.get(3).map(String::as_str) {
        Some("psync") => Engine::Psync,
        _ => Engine::Auto,
    };
    for depth in depth.map_or(vec![32, 1], |depth| vec![depth]) {
        leg(Path::new(path), depth, Duration::from_secs(seconds), engine)?;
        let floor = noop_rate(depth, Duration::from_secs(1))?;
        println!(
            "     no-ops: {:.2} M a CPU-second",
            floor.per_cpu_second() / 1e6
        );
    }
    Ok(())
}

fn leg(path: &Path, depth: u32, time: Duration, engine: Engine) -> Result<(), Box<dyn Error>> {
    let options = Options {
        buffered: true,
        depth,
        largest_io: Bytes::kib(4),
        engine,
        ..Options::default()
    };
    let mut target = open(path, &options)?;
    let span = Span::first(target.info().capacity);
    let job = Job::closed("bench", Op::Read, Order::Random, span, Bytes::kib(4), depth);
    let stop = Stop::after_time(time);
    let work = Workload::single(job, stop, 1);
    let before = CpuTime::of_this_process();
    let record = run(&mut target, "bench", &work, &mut Unwatched)?;
    let cpu = CpuTime::of_this_process().since(before);
    let ios = record.ios() as f64;
    println!(
        "QD{depth}: {:.3} M IOPS a CPU-second, user {:.1} ns, system {:.1} ns an I/O ({}; {} errors)",
        ios / cpu.total().as_secs_f64() / 1e6,
        cpu.user.as_nanos() as f64 / ios,
        cpu.system.as_nanos() as f64 / ios,
        target.describe(),
        record.errors(),
    );
    Ok(())
}
