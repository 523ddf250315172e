//! No run takes longer, or moves more, than its method forecast.

use base::null::Null;
use base::{
    Bench, Bytes, Duration, Instant, Method, Order, PhaseRecord, Scale, Settings, Takes, Target,
};

use crate::METHODS;
use crate::tests::SERVICE;
use crate::tests::bench_double::BenchDouble;

/// The duration of a phase, classified as in a forecast; for scripts and traces, the bytes moved.
fn taken(phase: &PhaseRecord) -> Takes {
    if phase.script.is_some() || phase.traced.is_some() {
        return Takes::moving(phase.bytes());
    }
    let work = &phase.workload;
    if let Some(time) = work.stop.time {
        return Takes::timed(time);
    }
    let in_order = work.jobs.iter().all(|job| job.order == Order::Sequential);
    let accesses = if in_order { 0 } else { phase.ios() };
    Takes::moving(phase.bytes()).and_accesses(accesses)
}

/// Where a run took more than it may, in words.
fn beyond(method: &dyn Method, writable: bool) -> Option<String> {
    let settings = Settings::new(method.card(), Scale::Quick, 1, &[]).unwrap();
    let mut bench = BenchDouble::new(Null::new(Bytes::gib(4), SERVICE));
    bench.writable = writable;
    let forecast = method.forecast(&settings, &bench.info()).takes;
    method.run(&settings, &mut bench).unwrap();
    let is_traced = |phase: &&PhaseRecord| phase.traced.is_some();
    let of_traces = bench.phases.iter().any(|phase| is_traced(&phase));
    let all = bench.phases.iter().map(taken);
    let taken = all.fold(Takes::default(), Takes::and).and_idle(bench.idled);
    let within = taken.timed <= forecast.timed
        && taken.idle <= forecast.idle
        && (taken.moved <= forecast.moved || of_traces)
        && taken.accesses <= forecast.accesses;
    // The target's own time, whatever a phase says: an I/O takes what it takes on this target, and what
    // is in flight when a time is over comes back.
    let untimed = bench
        .phases
        .iter()
        .filter(|p| p.workload.stop.time.is_none());
    let ios: u64 = untimed.map(|phase| phase.ios() + 1).sum();
    let ios = ios + forecast.accesses + 10 * bench.phases.len() as u64;
    let took = bench.target.now().since(Instant::ZERO);
    let in_time = took <= forecast.known() + SERVICE * ios;
    let id = method.card().id;
    (!within || !in_time).then(|| format!("{id}: {forecast:?}, and took {taken:?} in {took}"))
}

#[test]
fn no_run_takes_more_of_anything_than_its_forecast() {
    let both = METHODS.iter().flat_map(|method| {
        let method = *method;
        [true, false].map(|writable| beyond(method, writable))
    });
    let wrong: Vec<String> = both.flatten().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_depends_on_no_drive_is_known_beforehand() {
    let of = |id: &str, given: &[&str]| {
        let method = crate::find(id).unwrap_or_else(|_| panic!("{id}"));
        let given: Vec<String> = given.iter().map(|&g| g.to_owned()).collect();
        let settings = Settings::new(method.card(), Scale::Full, 1, &given).unwrap();
        let mut bench = BenchDouble::new(Null::new(Bytes::gib(4), Duration::from_micros(1)));
        bench.writable = false;
        method.forecast(&settings, &bench.info()).takes
    };
    let (hour, pace) = (Duration::from_secs(3_600), Duration::from_millis(500));
    let watch = of("latency-watch", &["time=1h"]);
    assert!(watch.is_known() && watch.known() == hour * 2 + pace);
    let alone = of("latency-watch", &["time=1h", "load=none"]);
    assert_eq!(alone.known(), hour + pace);
    let quick_scan = of("quick-scan", &["regions=10", "dwell=36s"]);
    // One of ten may be read again.
    assert_eq!(quick_scan.known(), Duration::from_secs(360 + 36));
}
