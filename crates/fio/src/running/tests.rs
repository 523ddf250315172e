//! What each I/O costs where there are many copies: how often one is looked at, which no machine's speed changes.

use base::null::Null;
use base::run::{Unwatched, new_record};
use base::target::Target as _;
use base::workload::{Job as Streams, Keep, Order, Span, Stop, Workload};

use super::*;
use crate::file::{Nothing, read};
use crate::job::jobs;
use crate::layout::layout;

/// Looks at a copy for each I/O of `copies` that send `each`, one at a time, of sections behind one another.
fn looks_an_io(sections: usize, copies: u32, each: u64) -> f64 {
    let global = format!(
        "[global]\nrw=randread\nbs=4k\nsize=64m\nfilename=f\nnumjobs={copies}\nnumber_ios={each}\nioengine=io_uring\ndirect=1\n"
    );
    let section = |n| format!("[s{n}]\nstonewall\n");
    let text: String = std::iter::once(global)
        .chain((0..sections).map(section))
        .collect();
    let jobs = jobs(&read("a.fio", &text, &Nothing).unwrap()).unwrap();
    let capacity = Bytes::mib(64);
    let mut target = Null::new(capacity, Duration::from_micros(50));
    let (places, _) = layout(&jobs, capacity, true).unwrap();
    let streams = Workload {
        jobs: vec![Streams::closed(
            "all",
            Op::Read,
            Order::Random,
            Span::first(capacity),
            Bytes::kib(4),
            copies,
        )],
        stop: Stop::after_passes(1),
        keep: Keep::default(),
        flush_at_end: false,
        seed: 1,
    };
    let mut lanes = Lanes::new(&target, &jobs, &places, None, (1, None));
    let mut record = new_record("jobs", &streams, target.now(), target.info().block);
    let one = record.jobs.remove(0);
    record.jobs = vec![one; jobs.len()];
    lanes.run(&mut target, record, &mut Unwatched);
    let looks = lanes.looks as f64;
    let ran = lanes.into_ran();
    let ios: u64 = ran
        .iter()
        .map(|ran| ran.kept.ops.iter().map(|op| op.ios).sum::<u64>())
        .sum();
    assert_eq!(ios, each * u64::from(copies) * sections as u64);
    looks / ios as f64
}

#[test]
fn an_io_of_one_copy_costs_no_look_at_the_others() {
    let (one, many) = (looks_an_io(1, 1, 10_000), looks_an_io(1, 64, 10_000));
    assert!(many < 2.0 * one, "{one} {many}");
    // Behind a wall hundreds wait for their turn.
    let behind_walls = looks_an_io(36, 8, 1_000);
    assert!(behind_walls < 2.0 * one, "{one} {behind_walls}");
}
