//! What `explain` says of modelled drives whose inside is known: right, or not visible; never certain and wrong.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod modelled;

use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use base::exit::Exit;
use base::interrupt::Interrupt;
use base::message::Message;
use base::method::Scale;
use base::result::Figure;
use lab::progress::{Progress, Silent, Standing};
use lab::running::{Request, prepare};
use modelled::{between, figure, value};
use results::RunResult;

fn explained(target: &str) -> RunResult {
    modelled::run("explain", target, Scale::Default, &[])
}

#[test]
fn the_part_of_the_map_in_memory_is_found_and_a_drive_that_holds_all_of_it_shows_none() {
    for (drive, gib) in [
        ("wd-black-sn770-1tb", 64.0),
        ("wd-black-sn770-1tb?ssd.map_cache.memory_mib=200", 200.0),
        ("solidigm-670p-1tb", 192.0),
    ] {
        let result = explained(&format!("model:{drive}"));
        let [low, high] = between(&result, "map.coverage");
        assert!(
            low <= gib && gib <= high,
            "{drive}: {low} to {high} for {gib}"
        );
        let found = value(&result, "map.coverage");
        assert!(
            (found / gib - 1.0).abs() < 0.15,
            "{drive}: {found} for {gib}"
        );
    }
    for drive in [
        "samsung-970-evo-plus-1tb",
        "wd-black-sn770-1tb?ssd.map_cache=off",
        "samsung-840-pro-512gb",
    ] {
        let result = explained(&format!("model:{drive}"));
        assert_eq!(figure(&result, "map.coverage"), None, "{drive}");
    }
}

#[test]
fn turns_and_tracks_of_disks_are_those_of_their_files() {
    for (drive, rpm, sectors) in [
        ("hgst-deskstar-nas-hdn724030-3tb", 7_200.0, 3_400.0),
        ("wd-raptor-wd740gd-74gb", 10_000.0, 1_058.0),
        ("seagate-archive-st8000as0002-8tb", 5_900.0, 4_336.0),
    ] {
        for host in ["none", "linux-desktop"] {
            let result = explained(&format!("model:{drive}?host={host}"));
            let [low, high] = between(&result, "rotation.speed");
            assert!(low <= rpm && rpm <= high, "{drive} {host}: {low} to {high}");
            let track = value(&result, "rotation.track") * 2.0;
            assert!(
                (track / sectors - 1.0).abs() < 0.01,
                "{drive} {host}: {track}"
            );
        }
    }
}

#[test]
fn a_drive_that_sleeps_is_told_from_a_processor_that_does() {
    for (target, rest, longer) in [
        ("model:wd-black-sn770-1tb?host=linux-desktop", 0.1, 1_500.0),
        (
            "fault(model:samsung-970-evo-plus-1tb)?sleeps_after=500ms&wakes_in=5ms",
            1.0,
            5_000.0,
        ),
    ] {
        let result = modelled::run("explain", target, Scale::Default, &["writes=no"]);
        assert!(
            (value(&result, "wake.rest") - rest).abs() < 1e-9,
            "{target}"
        );
        for key in ["wake.longer", "wake.processor-awake"] {
            let found = value(&result, key);
            assert!(
                (found / longer - 1.0).abs() < 0.1,
                "{target} {key}: {found}"
            );
        }
    }
}

#[test]
fn pages_on_dies_are_found_or_not_visible() {
    for (drive, pages, planes) in [
        ("wd-black-sn770-1tb", 32, 2),
        ("wd-black-sn770-2tb", 64, 2),
        // Just filled: after a rest it has a small cache, which holds a part of what is written.
        ("solidigm-670p-1tb?state=full-in-order,idle=0s", 32, 4),
        ("samsung-840-evo-250gb", 32, 2),
    ] {
        let result = explained(&format!("model:{drive}"));
        let found = ["stripe.pages", "stripe.side-by-side"].map(|key| value(&result, key) as u64);
        assert_eq!(found, [pages, planes], "{drive}");
    }
    for drive in [
        "crucial-c300-64gb",
        // The ten channels of its slow bus show at every fifth page of 16 KiB; its dies come as they are free.
        "intel-x25-m-g2-80gb",
        "ocz-core-v2-30gb",
    ] {
        let result = explained(&format!("model:{drive}"));
        assert_eq!(figure(&result, "stripe.pages"), None, "{drive}");
    }
}

#[test]
fn what_writes_show_is_told_apart() {
    let of = |drive: &str, key: &str| value(&explained(&format!("model:{drive}")), key);
    // TRIM obeyed and ignored.
    assert!(of("samsung-840-pro-512gb", "trim.read") < 0.6);
    assert!(of("ocz-core-v2-30gb", "trim.read") > 0.9);
    // Shingled or not.
    for disk in ["seagate-archive-st8000as0002-8tb", "wd-red-wd40efax-4tb"] {
        assert!(of(disk, "elsewhere.write") < 0.05, "{disk}");
    }
    for disk in ["wd-red-wd30efrx-3tb", "hgst-deskstar-nas-hdn724030-3tb"] {
        assert!(of(disk, "elsewhere.write") > 0.15, "{disk}");
    }
    // A mapping unit of 4 KiB and one of 512 bytes.
    assert!(of("samsung-840-pro-512gb", "unit.misaligned") > 2.0);
    assert!(of("intel-x25-m-g2-80gb", "unit.misaligned") < 1.25);
    // Programs that stop for reads, and that do not.
    let excess = |drive: &str| {
        let result = explained(&format!("model:{drive}"));
        value(&result, "beside.writes") - value(&result, "beside.alone")
    };
    assert!(excess("wd-black-sn770-1tb") < 300.0);
    assert!(excess("samsung-840-250gb") > 1_000.0);
}

#[test]
fn no_read_of_a_healthy_disk_waits_for_what_an_earlier_question_wrote() {
    for disk in [
        "hgst-deskstar-nas-hdn724030-3tb",
        "wd-red-wd30efrx-3tb",
        "seagate-nas-st3000vn000-3tb",
    ] {
        let result = explained(&format!("model:{disk}"));
        let reads = result
            .phases
            .iter()
            .filter(|phase| phase.name.contains("reads alone"));
        let longest = reads
            .flat_map(|phase| &phase.jobs)
            .map(|job| job.stalls.longest);
        let longest = longest.max().unwrap();
        assert!(
            longest < base::time::Duration::from_millis(250),
            "{disk}: {longest}"
        );
        let alone = value(&result, "beside.alone");
        assert!(alone < 50_000.0, "{disk}: {alone}");
    }
}

#[test]
fn a_second_drive_of_the_same_file_agrees_within_the_intervals() {
    let of = |seed: &str| explained(&format!("model:wd-black-sn770-1tb?seed={seed}"));
    let both = [of("1"), of("2")];
    let [a, b] = both.map(|result| between(&result, "map.coverage"));
    assert!(a[0] < b[1] && b[0] < a[1], "{a:?} {b:?}");
}

/// Interrupts a run when a phase begins.
struct StopsAt(&'static str, Interrupt);

impl Progress for StopsAt {
    fn show(&mut self, standing: &Standing<'_>) {
        if standing.phase.starts_with(self.0) {
            self.1.flag().store(true, Ordering::Relaxed);
        }
    }

    fn say(&mut self, _: &Message) {}
}

#[test]
fn what_was_found_before_an_interrupt_is_kept() {
    let interrupt = Interrupt::new();
    let mut stops = StopsAt("map", interrupt.clone());
    let target = "model:wd-black-sn770-1tb";
    let prepared = prepare(modelled::request("explain", target, Scale::Default, &[])).unwrap();
    let ended = prepared.run(None, &mut stops, &interrupt).unwrap_err();
    assert_eq!(ended.exit(), Exit::Interrupted);
    let kept = ended.into_measured().unwrap();
    let whole = explained(target);
    let before = whole
        .figures
        .iter()
        .position(|it| it.key.starts_with("map."));
    let of = |figures: &[Figure]| -> Vec<(String, Option<f64>)> {
        figures
            .iter()
            .map(|it| (it.key.clone(), it.value))
            .collect()
    };
    assert_eq!(of(&kept.figures), of(&whole.figures[..before.unwrap()]));
}

#[test]
fn a_drive_that_is_still_at_work_after_the_longest_rest_is_said_to_be() {
    let of = |drive: &str, scale| {
        let result = modelled::run("explain", &format!("model:{drive}"), scale, &[]);
        let all = result.warnings.iter().filter_map(Message::key);
        all.filter(|key| *key == "warning-not-settled").count()
    };
    let worn = "intel-x25-m-g2-80gb?state=steady-random";
    assert_eq!(of(worn, Scale::Quick), 1);
    for rested in ["samsung-840-pro-512gb", "wd-raptor-wd740gd-74gb"] {
        assert_eq!(of(rested, Scale::Default), 0, "{rested}");
    }
}

/// A disk, what its file says of its inside, and what was found on it, with three seeds and two hosts.
struct Disk {
    name: &'static str,
    mean_seek_ms: f64,
    streams: f64,
    ahead_kib: f64,
    /// Writes and MiB that its write cache takes, where it is on: as many as the table of what is unwritten has entries, or
    /// as there are pages of the buffer.
    takes: Option<[f64; 2]>,
}

#[rustfmt::skip]
const DISKS: [Disk; 8] = [
    Disk { name: "hgst-deskstar-nas-hdn724030-3tb", mean_seek_ms: 8.2, streams: 16.0, ahead_kib: 1_024.0, takes: Some([128.0, 24.0]) },
    Disk { name: "wd-raptor-wd740gd-74gb", mean_seek_ms: 4.9, streams: 8.0, ahead_kib: 384.0, takes: Some([32.0, 4.0]) },
    Disk { name: "wd-red-wd30efrx-3tb", mean_seek_ms: 13.0, streams: 16.0, ahead_kib: 1_024.0, takes: Some([128.0, 24.0]) },
    Disk { name: "seagate-nas-st3000vn000-3tb", mean_seek_ms: 11.0, streams: 16.0, ahead_kib: 1_024.0, takes: Some([128.0, 24.0]) },
    Disk { name: "samsung-hd103uj-1tb", mean_seek_ms: 9.8, streams: 16.0, ahead_kib: 384.0, takes: Some([96.0, 12.0]) },
    Disk { name: "seagate-exos-x20-20tb", mean_seek_ms: 8.4, streams: 64.0, ahead_kib: 1_536.0, takes: Some([768.0, 96.0]) },
    Disk { name: "hitachi-travelstar-7k100-100gb", mean_seek_ms: 12.3, streams: 8.0, ahead_kib: 256.0, takes: None },
    Disk { name: "wd-red-pro-wd3001ffsx-3tb", mean_seek_ms: 8.5, streams: 16.0, ahead_kib: 1_024.0, takes: Some([128.0, 24.0]) },
];

fn with_seed(target: &str, seed: u64) -> RunResult {
    let request = Request {
        seed,
        ..modelled::request("explain", target, Scale::Default, &[])
    };
    let prepared = prepare(request).unwrap();
    prepared.run(None, &mut Silent, &Interrupt::new()).unwrap()
}

/// Each disk with what was found on it.
static FOUND_ON_DISKS: LazyLock<Vec<(&Disk, RunResult)>> = LazyLock::new(|| {
    let mut found = Vec::new();
    for disk in &DISKS {
        // No host of today has a controller for the disk with a parallel interface.
        let hosts = match disk.name.starts_with("hitachi") {
            true => &["none"][..],
            false => &["none", "linux-desktop"],
        };
        for host in hosts {
            let target = format!("model:{}?host={host}", disk.name);
            found.extend((1..=3).map(|seed| (disk, with_seed(&target, seed))));
        }
    }
    found
});

/// A figure is within a share of the truth, and its interval has it, or it is not visible; gives whether it is.
fn is_right(disk: &Disk, result: &RunResult, key: &str, truth: f64, within: f64) -> bool {
    let Some(found) = figure(result, key) else {
        return false;
    };
    let name = disk.name;
    assert!(
        (found / truth - 1.0).abs() <= within,
        "{name} {key}: {found} for {truth}"
    );
    let [low, high] = between(result, key);
    assert!(
        low <= truth && truth <= high,
        "{name} {key}: {low} to {high} for {truth}"
    );
    true
}

#[test]
fn seeks_of_disks_take_what_their_files_say() {
    for (disk, result) in &*FOUND_ON_DISKS {
        assert!(is_right(disk, result, "seek.mean", disk.mean_seek_ms, 0.05));
        let of = |key| value(result, key);
        let [shortest, third, full] = ["seek.shortest", "seek.third", "seek.full"].map(of);
        assert!(
            shortest < 0.25 * third && third < 0.7 * full,
            "{}",
            disk.name
        );
    }
    // Two sets of arms have no one seek curve.
    let two = explained("model:seagate-exos-2x14-14tb");
    assert_eq!(figure(&two, "seek.mean"), None);
}

#[test]
fn disks_stream_as_fast_as_their_tracks_and_skews_make_them_and_unlike_surfaces_stand_out() {
    // Sectors of the densest surface outside and inside, the spread of the surfaces at both ends, and the turn and the skew.
    for (drive, outside, inside, [fast, slow], turn_ms, skew) in [
        (
            "hgst-deskstar-nas-hdn724030-3tb",
            3_400.0,
            1_736.0,
            [0.18875, 0.11375],
            8.333,
            0.15,
        ),
        (
            "wd-red-pro-wd3001ffsx-3tb",
            3_592.0,
            2_168.0,
            [0.14375, 0.03875],
            8.333,
            0.15,
        ),
        (
            "seagate-archive-st8000as0002-8tb",
            4_336.0,
            2_512.0,
            [0.0; 2],
            10.169,
            0.15,
        ),
    ] {
        let rate = |sectors: f64| sectors * 512.0 / (turn_ms * 1e3) / (1.0 + skew);
        for seed in 1..=3 {
            let result = with_seed(&format!("model:{drive}?host=none"), seed);
            for (key, sectors, spread) in [
                ("transfer.outer", outside, fast),
                ("transfer.inner", inside, slow),
            ] {
                let truth = rate(sectors) * (1.0 - spread / 2.0);
                let found = value(&result, key);
                assert!(
                    (found / truth - 1.0).abs() < 0.04,
                    "{drive} {key}: {found} for {truth}"
                );
            }
            let surfaces =
                ["transfer.surface-fast", "transfer.surface-slow"].map(|key| figure(&result, key));
            let [Some(densest), Some(sparsest)] = surfaces else {
                assert!(fast.abs() < 1e-9, "{drive}: {fast}");
                continue;
            };
            assert!(fast > 0.0, "{drive}: {densest} {sparsest}");
            assert!(
                (densest / rate(outside) - 1.0).abs() < 0.04,
                "{drive}: {densest}"
            );
            assert!(
                (sparsest / rate(outside) / (1.0 - fast) - 1.0).abs() < 0.04,
                "{drive}: {sparsest}"
            );
        }
    }
}

#[test]
fn segments_and_read_ahead_of_disks_are_exact_or_not_visible() {
    let mut seen = 0;
    for (disk, result) in &*FOUND_ON_DISKS {
        let streams = is_right(disk, result, "segments.streams", disk.streams, 0.0);
        let ahead = is_right(disk, result, "segments.ahead", disk.ahead_kib, 0.0);
        seen += u32::from(streams) + u32::from(ahead);
    }
    let all = 2 * FOUND_ON_DISKS.len() as u32;
    assert!(seen * 10 >= 9 * all, "{seen} of {all}");
}

#[test]
fn write_caches_of_disks_take_what_their_files_say_or_it_is_not_visible() {
    let (mut seen, mut all) = (0, 0);
    for (disk, result) in &*FOUND_ON_DISKS {
        let first = value(result, "write-cache.first");
        let limits = ["write-cache.entries", "write-cache.bytes"];
        let Some(takes) = disk.takes else {
            assert!(first > 0.3, "{}: {first}", disk.name);
            assert_eq!(
                limits.map(|key| figure(result, key)),
                [None; 2],
                "{}",
                disk.name
            );
            continue;
        };
        assert!(first < 0.1, "{}: {first}", disk.name);
        for (key, truth) in limits.into_iter().zip(takes) {
            all += 1;
            seen += u32::from(is_right(disk, result, key, truth, 0.1));
        }
    }
    assert!(seen * 5 >= 4 * all, "{seen} of {all}");
    // Shingled disks take random writes without end, and one that saves its cache need not empty it for a flush.
    for drive in ["wd-red-wd40efax-4tb", "wd-ultrastar-dc-hc560-20tb"] {
        let result = explained(&format!("model:{drive}"));
        assert_eq!(figure(&result, "write-cache.bytes"), None, "{drive}");
    }
}

#[test]
fn write_buffers_hold_what_their_files_say_or_drain_as_fast_as_they_are_filled() {
    for (drive, mib) in [
        ("samsung-840-250gb", 32.0),
        ("crucial-c300-64gb", 2.0),
        // Into its cache it writes as fast as its link.
        ("solidigm-670p-1tb?state=full-in-order,idle=0s", 24.0),
    ] {
        let result = explained(&format!("model:{drive}"));
        let [low, _] = between(&result, "buffer.at-least");
        let [_, high] = between(&result, "buffer.at-most");
        assert!(low <= mib && mib <= high, "{drive}: {low} to {high}");
        assert!(high < 3.0 * mib, "{drive}: {high}");
    }
    for drive in [
        "samsung-840-evo-250gb",
        "samsung-970-evo-plus-1tb",
        "cfd-pg3vnd-1tb",
    ] {
        let result = explained(&format!("model:{drive}"));
        assert_eq!(figure(&result, "buffer.at-most"), None, "{drive}");
    }
}

#[test]
fn what_is_between_the_host_and_the_drive_is_told() {
    let reading = |target: &str| modelled::run("explain", target, Scale::Default, &["writes=no"]);
    let disk = "model:wd-red-wd30efrx-3tb";
    for (members, kib) in [(2, 128.0), (4, 64.0)] {
        let all: Vec<String> = (1..=members).map(|n| format!("{disk}?seed={n}")).collect();
        let array = format!("raid0({})?stripe={kib}KiB", all.join(","));
        let result = reading(&array);
        let found = ["members.number", "members.chunk"].map(|key| value(&result, key));
        assert_eq!(found.map(|it| it as u64), [members, kib as u64], "{array}");
    }
    let cached = reading("rapid(model:samsung-840-evo-250gb)");
    let kept = value(&cached, "host-cache.kept");
    assert!((kept / 1_024.0 - 1.0).abs() < 0.01, "{kept}");
    // The rate of the cache is none of the drive.
    let sustained = |figure: &Figure| figure.key.starts_with("sustained.");
    assert!(!cached.figures.iter().any(sustained));
    let is_found = |result: &RunResult, key: &str| {
        let mut figures = result.figures.iter();
        figures.any(|figure| figure.key == key && figure.value.is_some())
    };
    for single in [
        disk,
        "model:samsung-840-evo-250gb",
        "model:acard-ans-9010-14gb",
    ] {
        let result = reading(single);
        let wrong = ["members.number", "host-cache.kept"].map(|key| is_found(&result, key));
        assert_eq!(wrong, [false; 2], "{single}");
    }
}

#[test]
fn what_every_response_has_in_it_is_in_the_shortest_one() {
    let drive = "model:samsung-970-evo-plus-1tb?host=none";
    let floor = |target: &str| value(&explained(target), "floor.at-most");
    let alone = floor(drive);
    let behind = floor(&format!("fault({drive})?delays=1000000&delay=50us"));
    assert!((behind - alone - 50.0).abs() < 2.0, "{alone} {behind}");
    // What a cache in front of the drive has ready went over no link.
    let behind = explained("rapid(model:samsung-840-evo-250gb)");
    let floor_of = |figure: &Figure| figure.key.starts_with("floor.");
    assert!(!behind.figures.iter().any(floor_of));
    // A disk has what it read ahead ready.
    let disk = explained("model:wd-red-wd30efrx-3tb");
    assert!(value(&disk, "floor.at-most") < 0.05 * value(&disk, "lone.read"));
}

#[test]
fn a_state_that_passes_and_one_that_comes_back_under_load_are_told_apart() {
    let reading = |target: &str| modelled::run("explain", target, Scale::Default, &["writes=no"]);
    let cold = "seagate-enterprise-nas-st3000vn0001-3tb?state=fresh,temperature=8C,power-on=8m";
    let result = reading(&format!("model:{cold}"));
    // Cold for ten minutes.
    let [low, high] = between(&result, "passing.ends");
    assert!(low <= 121.0 && high >= 119.0, "{low} to {high}");
    assert_eq!(figure(&result, "sustained.after"), None);
    let hot = "samsung-970-evo-plus-1tb?ssd.thermal.resistance_k_w=12&ssd.thermal.heat_j_k=2";
    let result = reading(&format!("model:{hot}"));
    assert!(figure(&result, "sustained.after").is_some());
    for usual in ["samsung-970-evo-plus-1tb", "wd-red-wd30efrx-3tb"] {
        let result = reading(&format!("model:{usual}"));
        let found = ["passing.ends", "sustained.after"].map(|key| figure(&result, key));
        assert_eq!(found, [None; 2], "{usual}");
    }
}

#[test]
fn a_stutter_that_goes_by_a_clock_is_told_and_its_period() {
    for (drive, stutter, every) in [
        ("samsung-970-evo-plus-1tb", "50ms", 5.0),
        ("samsung-840-250gb?host=linux-desktop", "100ms", 7.0),
        ("wd-red-wd30efrx-3tb", "300ms", 3.0),
    ] {
        let target = format!("fault(model:{drive})?stutter={stutter}&stutter_every={every}s");
        let result = modelled::run("explain", &target, Scale::Default, &["writes=no"]);
        let [low, high] = between(&result, "long-responses.every");
        assert!(low <= every && every <= high, "{drive}: {low} to {high}");
    }
    // What comes round by itself: nothing, what sleeps in the pauses of a question, and a place that is read again and again.
    for target in [
        "model:samsung-840-250gb?host=linux-desktop",
        "model:seagate-nas-st3000vn000-3tb?host=linux-desktop",
        "fault(model:samsung-970-evo-plus-1tb)?sleeps_after=5s&wakes_in=300ms",
        "fault(model:wd-red-wd30efrx-3tb)?sleeps_after=8s&wakes_in=2s",
        "fault(model:samsung-970-evo-plus-1tb)?slow=100MiB+1MiB&slow_by=50ms",
    ] {
        let result = modelled::run("explain", target, Scale::Default, &["writes=no"]);
        assert_eq!(figure(&result, "long-responses.every"), None, "{target}");
        let keys = result.figures.iter().map(|figure| &*figure.key);
        let longest = keys.filter(|key| *key == "long-responses.longest").count();
        let is_weak = target.contains("slow=");
        assert_eq!(longest, usize::from(is_weak), "{target}");
    }
}

#[test]
fn of_a_part_of_a_disk_that_is_too_small_for_the_medium_the_rest_is_told() {
    for extent in ["extent=3500MiB", "extent=4GiB", "extent=7GiB"] {
        let disk = "model:wd-red-wd30efrx-3tb";
        let result = modelled::run("explain", disk, Scale::Quick, &[extent]);
        let outer = result
            .figures
            .iter()
            .find(|figure| figure.key == "transfer.outer");
        let is_told = outer.is_some_and(|figure| figure.value.is_some());
        assert_eq!(is_told, extent == "extent=7GiB", "{extent}: {outer:?}");
    }
}
