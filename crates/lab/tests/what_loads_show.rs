//! Rates, depths and mixes on modelled drives whose limits are written in their files.

mod modelled;

use base::method::Scale;
use modelled::figure;
use results::RunResult;

const DRIVE: &str = "model:samsung-840-evo-750gb";
const PART: &str = "extent=64MiB";

fn result(method: &str, target: &str, set: &[&str]) -> RunResult {
    modelled::run(method, target, Scale::Full, set)
}

#[test]
fn a_sweep_of_depths_finds_the_controllers_limit_and_where_it_is_reached() {
    let knee = |interval: f64| {
        let target = format!("{DRIVE}?ssd.controller.read_interval_us={interval}");
        let set = [PART, "last=4KiB", "ops=read", "time=50ms"];
        let result = result("queue-depth-sweep", &target, &set);
        let of = |what: &str| figure(&result, &format!("rnd4k.read.{what}")).unwrap_or(0.0);
        // One read every so many microseconds, whatever the depth.
        let most = of("qd32.iops") * interval / 1e6;
        assert!((most - 1.0).abs() < 0.02, "{interval}: {most}");
        // Little's law: less in flight cannot be so fast.
        let alone = of("qd1.mean");
        let needed = of("knee.iops") * alone / 1e6;
        assert!(of("knee.depth") >= 0.99 * needed, "{needed}");
        of("knee.depth")
    };
    assert!(knee(40.0) < knee(10.204));
}

#[test]
fn a_sparse_rate_is_answered_as_fast_as_one_access_alone_and_a_dense_one_waits() {
    // Full, so that reads are not of its area of one bit a cell: 10,000 a second at a queue of one, as
    // its data sheet says.
    let full = format!("{DRIVE}?state=full-in-order");
    let set = ["prepare=no", "arrivals=even", "rate=1000", "time=1s"];
    let sparse = result("fixed-rate", &full, &set);
    let median = figure(&sparse, "stated.response.p50").unwrap_or(0.0);
    assert!((median / 100.0 - 1.0).abs() < 0.05, "{median}");
    let shares = result("fixed-rate", DRIVE, &[PART, "time=200ms"]);
    let of = |share: u32| figure(&shares, &format!("at-{share}.response.p99")).unwrap_or(0.0);
    assert!(of(90) > 1.2 * of(10), "{} {}", of(10), of(90));
    assert!(shares.warnings.is_empty(), "{:?}", shares.warnings);
    // More than it can do: responses leave service times behind.
    let dense = result("fixed-rate", DRIVE, &[PART, "rate=150000", "time=200ms"]);
    let of = |what: &str| figure(&dense, &format!("stated.{what}.p50")).unwrap_or(0.0);
    assert!(of("response") > 10.0 * of("service"));
    assert_eq!(dense.warnings.len(), 1);
}

#[test]
fn the_more_a_drive_writes_the_fewer_reads_it_serves_in_time() {
    let frontier = |bound: &str| {
        let bound = format!("bound={bound}");
        let set = [PART, "steps=4", "time=200ms", &bound];
        let result = result("mixed-plane", DRIVE, &set);
        [0, 25, 50, 75, 100].map(|writes| {
            let key = format!("w{writes}.frontier");
            figure(&result, &key).unwrap_or(0.0)
        })
    };
    let (loose, tight) = (frontier("10ms"), frontier("300us"));
    assert!(loose[0] > 50_000.0, "{loose:?}");
    assert!(loose.is_sorted_by(|a, b| a >= b), "{loose:?}");
    assert!(loose[4] < loose[0], "{loose:?}");
    assert!(tight.iter().zip(&loose).all(|(t, l)| t <= l), "{tight:?}");
    assert!(tight < loose, "{tight:?} {loose:?}");
}
