//! Weak areas of modelled drives: they are found where a fault is, and nowhere else.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use analysis::findings::Sureness;
use analysis::surface::{Mark, WeakArea, surfaces, weak_areas};
use base::Duration;
use base::interrupt::Interrupt;
use base::io::Op;
use base::method::Scale;
use base::surroundings::{Layer, LayerKind};
use lab::progress::Silent;
use lab::running::{Request, prepare};
use results::RunResult;
use results::statement::Quantity;

const DISK: &str = "model:wd-red-wd30efrx-3tb";

fn run(method: &str, target: &str, set: &[&str]) -> RunResult {
    let request = Request {
        set: set.iter().map(|one| (*one).to_owned()).collect(),
        ..Request::new(method, target, Scale::Default, 1)
    };
    let prepared = prepare(request).unwrap();
    prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
}

/// A full scan of the first 30 GB, reads only: positions of 29.3 MB.
fn scanned(target: &str) -> RunResult {
    run("full-scan", target, &["ops=read", "extent=30GB"])
}

fn faulty(seed: u32, fault: &str) -> RunResult {
    scanned(&format!("fault({DISK}?seed={seed})?{fault}"))
}

fn lies_in(area: &WeakArea, from: u64, to: u64) -> bool {
    area.from.get() <= from && area.to.get() >= to && area.to.get() - area.from.get() < 90_000_000
}

#[test]
fn healthy_drives_of_every_kind_have_no_weak_place() {
    for drive in [
        DISK,
        "model:seagate-exos-x20-20tb",
        "model:seagate-archive-st8000as0002-8tb",
        "model:wd-black-sn770-1tb",
        "model:wd-black-sn770-1tb?state=50%-in-order",
        "model:samsung-840-evo-250gb",
        "model:samsung-840-evo-250gb?state=full-in-order,age=120d",
        "model:solidigm-670p-1tb?state=90%-in-order",
        "model:solidigm-670p-1tb?state=steady-random:50%",
    ] {
        let quick = run("quick-scan", drive, &[]);
        for result in [quick, scanned(drive)] {
            let weak = weak_areas(&result, &[]);
            assert!(weak.is_empty(), "{drive}, {}: {weak:?}", result.method);
            let surfaces = surfaces(&result, &[]);
            assert_eq!(surfaces[0].op, Op::Read);
            let regions = surfaces.iter().flat_map(|one| &one.regions);
            assert!(regions.into_iter().all(|region| region.mark == Mark::Sound));
        }
    }
}

#[test]
fn a_slow_place_is_found_in_one_drive_alone_with_its_factor_and_its_longest_read() {
    let result = faulty(5, "slow=12GB+2MB&slow_by=80ms");
    let weak = weak_areas(&result, &[]);
    assert_eq!(weak.len(), 1, "{weak:?}");
    assert!(
        lies_in(&weak[0], 12_000_000_000, 12_002_000_000),
        "{weak:?}"
    );
    assert!(weak[0].factor > 5.0 && weak[0].worst.as_millis_f64() > 80.0);
    assert!((20..=32).contains(&weak[0].reads), "{weak:?}");
    let marked = &surfaces(&result, &[])[0].regions;
    let slow = marked.iter().filter(|region| region.mark == Mark::Slow);
    assert_eq!(slow.count(), 1);
}

#[test]
fn a_few_reads_of_300_ms_in_one_place_are_retries_and_one_alone_is_chance() {
    // A place holds 447 reads of 64 KiB, which take 0.2 s.
    let weak = weak_areas(&faulty(2, "slow=20GB+640KiB&slow_by=300ms"), &[]);
    assert_eq!(weak.len(), 1, "{weak:?}");
    assert!(
        lies_in(&weak[0], 20_000_000_000, 20_000_655_360),
        "{weak:?}"
    );
    let chance = weak_areas(&faulty(2, "slow=20GB+512&slow_by=300ms"), &[]);
    assert!(chance.is_empty(), "{chance:?}");
}

#[test]
fn a_drive_that_stutters_everywhere_has_no_weak_place() {
    let weak = weak_areas(&faulty(7, "stutter=300ms&stutter_every=10s"), &[]);
    assert!(weak.is_empty(), "{weak:?}");
}

#[test]
fn a_place_at_the_end_of_a_surface_counts_too_and_a_failed_one_is_marked_as_such() {
    let weak = weak_areas(&faulty(3, "slow=29980MB+10MB&slow_by=80ms"), &[]);
    assert_eq!(weak.len(), 1, "{weak:?}");
    let result = faulty(4, "bad=10GB+64KiB");
    assert!(weak_areas(&result, &[]).is_empty());
    let surface = surfaces(&result, &[]).remove(0);
    let failed: Vec<_> = surface.regions.iter().filter(|r| r.failed > 0).collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].mark, Mark::Failed);
    assert!(failed[0].span.end().get() > 10_000_000_000);
}

#[test]
fn beside_like_drives_a_place_of_any_width_stands_off_and_a_drive_slower_everywhere_has_none() {
    let siblings = [1, 2, 3].map(|seed| scanned(&format!("{DISK}?seed={seed}")));
    let beside: Vec<&RunResult> = siblings.iter().collect();
    // A third of what was scanned.
    let wide = faulty(5, "slow=10GB+10GB&slow_by=1ms");
    let weak = weak_areas(&wide, &beside);
    assert_eq!(weak.len(), 1, "{weak:?}");
    let width = weak[0].to.get() - weak[0].from.get();
    assert!(
        (10_000_000_000..10_060_000_000).contains(&width),
        "{weak:?}"
    );
    let slower = scanned(&format!("{DISK}?hdd.media.rpm=3600"));
    assert!(weak_areas(&slower, &beside).is_empty());
    let healthy = scanned(&format!("{DISK}?seed=9"));
    assert!(weak_areas(&healthy, &beside).is_empty());
}

#[test]
fn a_weak_place_is_told_where_the_closest_scan_saw_it_and_between_its_heads_where_none_did() {
    let drive = "fault(model:hitachi-travelstar-7k100-100gb)?slow=40GB+1GB&slow_by=50ms";
    let [quick, full] = ["quick-scan", "full-scan"].map(|scan| run(scan, drive, &["ops=read"]));
    let told = |results: &[&RunResult]| {
        let found = analysis::findings::findings(results);
        let weak = found.into_iter().find(|one| one.of.id == "weak-area");
        let says = weak.unwrap().says;
        let place = |name: &str| match says.quantity(name) {
            Some(Quantity::Place(at)) => at.get() as f64 / 1e9,
            other => panic!("{other:?}"),
        };
        (says.key, place("from"), place("to"))
    };
    let (key, from, to) = told(&[&quick]);
    assert_eq!(key, "finding-weak-area-says-between");
    assert!(from < 40.0 && to > 41.0 && to - from < 5.0, "{from} {to}");
    for both in [[&quick, &full], [&full, &quick]] {
        let (key, from, to) = told(&both);
        assert_eq!(key, "finding-weak-area-says");
        assert!(
            (39.8..=40.0).contains(&from) && (41.0..=41.2).contains(&to),
            "{from} {to}"
        );
    }
}

#[test]
fn what_was_slow_once_and_not_when_it_was_read_again_is_no_weak_place() {
    let mut result = faulty(5, "slow=12GB+2MB&slow_by=80ms");
    let names: Vec<&str> = result.phases.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["read", "read again 1", "read the rest"]);
    let job = &result.phases[1].workload.jobs[0];
    assert!(job.span.start.get() <= 12_000_000_000 && job.span.end().get() >= 12_002_000_000);
    assert_eq!(weak_areas(&result, &[]).len(), 1);
    let bins = result.phases[1].jobs[0].bins.as_mut().unwrap();
    bins.bins[0].sum = Duration::from_micros(400) * bins.bins[0].ios;
    bins.bins[0].worst = Duration::from_millis(1);
    assert!(weak_areas(&result, &[]).is_empty());
    // Read again it is left after a second.
    let very_slow = faulty(5, "slow=12GB+2MB&slow_by=2s");
    assert_eq!(weak_areas(&very_slow, &[]).len(), 1);
    // Where others are read before, they take no place of the map.
    let last = faulty(5, "slow=29.9GB+2MB&slow_by=80ms");
    assert!(last.phases.iter().any(|phase| phase.name == "read others"));
    assert_eq!(weak_areas(&last, &[]).len(), 1);
    assert_eq!(
        surfaces(&last, &[])[0].regions.len(),
        surfaces(&result, &[])[0].regions.len()
    );
    let healthy = scanned(DISK);
    let again = |phase: &base::PhaseRecord| phase.name.contains("again");
    assert!(!healthy.phases.iter().any(again));
}

/// Six scans of a healthy virtual disk found six slow places, each elsewhere.
#[test]
fn a_slow_place_on_a_virtual_disk_is_only_possible_and_decides_nothing() {
    let mut result = faulty(2, "slow=12GB+2MB&slow_by=80ms");
    let weak = |result: &RunResult| {
        let found = analysis::findings::findings(&[result]).into_iter();
        let mut weak = found.filter(|one| one.of.id == "weak-area").map(|one| {
            let does = one.does.map(|does| does.key);
            (one.sure, one.standing.len(), does)
        });
        weak.next_back().unwrap()
    };
    assert_eq!(weak(&result), (Sureness::Seen, 2, None));
    let (kind, name) = (LayerKind::VirtualDisk, "vda".to_owned());
    result.target.beneath = vec![Layer { kind, name }];
    let on_host = Some("finding-weak-area-do-on-host");
    assert_eq!(weak(&result), (Sureness::Possible, 0, on_host));
}
