//! Other programs' languages: their output, and that their runs are stored like all others.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::{Place, wait_until};

const MODEL: &str = "model:samsung-840-evo-120gb";

#[test]
fn a_run_of_diskspd_is_printed_stored_and_shown() {
    let place = Place::new();
    let ended = place.ok(&[
        "diskspd", "-b4K", "-W0", "-d1", "-o4", "-r", "-w30", "-L", "-P", MODEL,
    ]);
    assert!(
        ended.stdout.contains("Results for timespan 1:"),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("-P is skipped") && ended.stderr.contains("stored as 1"));
    let listed = place.json(&["results", "--json"]);
    assert_eq!(listed["results"][0]["method"], "diskspd");
    assert_eq!(listed["results"][0]["figure"]["key"], "timespan-1.read");
    let shown = place.ok(&["report", "last"]).stdout;
    assert!(shown.contains("DiskSpd"), "{shown}");
    let result = place.json(&["report", "last", "--json"]);
    let keys = result["results"][0]["figures"].as_array().unwrap();
    let has = |key: &str| keys.iter().any(|figure| figure["key"] == key);
    assert!(
        has("timespan-1.write.iops") && has("timespan-1.read.p99.9"),
        "{keys:?}"
    );
    place.ok(&["report", "last", "--html", "page.html"]);
    place.ok(&["diskspd", "--no-store", "-b4K", "-W0", "-d1", "null:"]);
    assert_eq!(place.stored().len(), 1);
}

#[test]
fn a_profile_alone_is_printed_and_errors_are_one_line() {
    let place = Place::new();
    let text = place.ok(&["diskspd", "-b4K", "-Rpxml", "#1"]).stdout;
    std::fs::write(place.path("p.xml"), &text).unwrap();
    let again = place.ok(&["diskspd", "-Xp.xml", "-Rpxml"]).stdout;
    assert_eq!(text, again);
    place.fails(&["diskspd", "-b4K", "#1"], 2, &["--target"]);
    place.fails(&["diskspd", "-Sm", "null:"], 2, &["memory-mapped"]);
    place.file("own.dat", 1 << 20);
    place.fails(
        &["diskspd", "-w100", "-d1", "own.dat"],
        2,
        &["--destroy-data"],
    );
}

#[test]
fn an_option_of_diskspds_that_is_ours_elsewhere_is_diskspds() {
    let place = Place::new();
    let options = ["-h", "-b4K", "-W0", "-d1", "null:"];
    for ours in [&[][..], &["--no-store"]] {
        let ended = place.ok(&[&["diskspd"], ours, &options].concat());
        let said = &ended.stdout;
        assert!(said.contains("Results for timespan 1:"), "{ended:?}");
        assert!(said.contains("software cache disabled"), "{said}");
    }
    let help = place.ok(&["diskspd", "--help"]).stdout;
    assert!(help.contains("DISKSPD'S OPTIONS"), "{help}");
}

#[test]
fn a_log_that_writes_may_overwrite_what_is_named() {
    let place = Place::new();
    place.file("t", 1 << 20);
    let log = "fio version 3 iolog\n0 t add\n0 t open\n100 t read 0 4096\n200 t write 8192 4096\n900 t close\n";
    std::fs::write(place.path("log"), log).unwrap();
    let job = "[r]\nfilename=t\nrw=read\nread_iolog=log\nreplay_no_stall=1\n";
    std::fs::write(place.path("r.fio"), job).unwrap();
    place.fails(&["fio", "r.fio"], 2, &["--destroy-data"]);
    let allowed = ["--destroy-data", "--confirm", "./t"];
    place.ok(&[&["fio", "r.fio", "--no-store"][..], &allowed].concat());
}

#[test]
fn a_run_of_fio_is_stored_and_shown() {
    let place = Place::new();
    let jobs = "[global]\nsize=64m\nruntime=1\ntime_based\n[fast]\nrw=randread\n[slow]\nrw=write\nrate=1m\n";
    std::fs::write(place.path("a.fio"), jobs).unwrap();
    let ended = place.ok(&["fio", "a.fio", "--target", MODEL]);
    assert!(ended.stderr.contains("stored as 1"), "{ended:?}");
    let result = place.json(&["report", "last", "--json"]);
    let figures = result["results"][0]["figures"].as_array().unwrap();
    let value = |key: &str| {
        let found = figures.iter().find(|figure| figure["key"] == key);
        found.and_then(|figure| figure["value"].as_f64()).unwrap()
    };
    assert!((value("slow.write") - 1.05).abs() < 0.05, "{figures:?}");
    assert!(value("fast.read.iops") > 1_000.0);
    place.ok(&["fio", "a.fio", "--target", MODEL, "--no-store"]);
    assert_eq!(place.stored().len(), 1);
}

#[test]
fn a_result_of_crystaldiskmark_is_the_text_that_it_copies() {
    let place = Place::new();
    let quick = [
        "run",
        "crystaldiskmark",
        MODEL,
        "--scale",
        "quick",
        "--set",
        "mix=70",
    ];
    place.ok(&quick);
    let text = place
        .ok(&["report", "last", "--crystaldiskmark-text"])
        .stdout;
    // The version changes with each release.
    let text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(text);
    place.ok(&["run", "latency-watch", "null:", "--scale", "quick"]);
    place.fails(
        &["report", "last", "--crystaldiskmark-text"],
        2,
        &["latency-watch"],
    );
}

#[test]
fn jobs_that_meet_an_unreadable_place_call_the_drive_failing_and_say_what_to_do() {
    let place = Place::new();
    let job = "[a]\nrw=read\nbs=64k\nsize=16m\ncontinue_on_error=all\n";
    std::fs::write(place.path("a.fio"), job).unwrap();
    let bad = "fault(model:samsung-840-evo-120gb)?unreadable=1MiB+64KiB";
    let ended = place.run(&["fio", "a.fio", "--target", bad]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    for said in ["an I/O failed", "drivelab rescue"] {
        assert!(ended.stderr.contains(said), "{said}: {ended:?}");
    }
    let whole = place.ok(&["fio", "a.fio", "--target", "model:samsung-840-evo-120gb"]);
    assert!(!whole.stderr.contains("rescue"), "{whole:?}");
}

#[test]
fn jobs_through_the_page_cache_say_that_it_is_not_the_drives_speed() {
    let place = Place::new();
    place.file("own.img", 4 << 20);
    std::fs::write(place.path("a.fio"), "[a]\nrw=read\nsize=4m\n").unwrap();
    let ended = place.ok(&["fio", "a.fio", "--target", "./own.img"]);
    assert!(ended.stderr.contains("page cache"), "{ended:?}");
}

/// Jobs on a real file and on a modelled drive that take an hour of its time.
const LONG: &str = "[global]\nsize=2m\nruntime=1h\ntime_based\n[first]\nrw=randread\n[second]\nstonewall\nrw=randread\n";

#[test]
fn jobs_that_are_interrupted_print_what_was_measured_store_it_and_exit_130() {
    for (words, printed) in [
        (&["fio", "a.fio", "--target", "./own.img"][..], "first: ("),
        (
            &["fio", "a.fio", "--target", "null:?service=1us"],
            "first: (",
        ),
        (
            &["diskspd", "-b4K", "-W0", "-d3600", "-o4", "-r", "./own.img"],
            "Results for timespan 1:",
        ),
    ] {
        let place = Place::new();
        place.file("own.img", 4 << 20);
        std::fs::write(place.path("a.fio"), LONG).unwrap();
        let mut under_way = place.start(place.command(words));
        place.wait_for_a_run(&mut under_way);
        std::thread::sleep(std::time::Duration::from_millis(500));
        under_way.signal("INT");
        let ended = under_way.end();
        assert_eq!(ended.code, Some(130), "{words:?}: {ended:?}");
        assert!(ended.stdout.contains(printed), "{words:?}: {ended:?}");
        assert!(ended.stderr.contains("is result 1"), "{words:?}: {ended:?}");
        let result = place.json(&["report", "last", "--json"]);
        let figures = result["results"][0]["figures"].as_array().unwrap();
        let ios = figures.iter().filter_map(|figure| figure["n"].as_u64());
        assert!(ios.sum::<u64>() > 0, "{words:?}: {figures:?}");
        assert_eq!(place.last_state(), "ended early");
        // There is no going on: the jobs are in the command.
        place.fails(&["resume", "1"], 2, &["again"]);
    }
}

/// Two jobs around the page cache that take an hour of the drive's time.
const BESIDE: &str = "[global]\nioengine=libaio\ndirect=1\nsize=2m\nruntime=1h\ntime_based\nrw=randread\n[first]\n[second]\n";

#[test]
fn jobs_that_have_nothing_to_do_with_each_other_have_a_ring_each() {
    let test = "jobs_that_have_nothing_to_do_with_each_other_have_a_ring_each";
    let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.file("own.img", 4 << 20);
    std::fs::write(place.path("two.fio"), BESIDE).unwrap();
    std::fs::write(place.path("wall.fio"), format!("{BESIDE}stonewall\n")).unwrap();
    let fio = |file| ["fio", file, "--target", "./own.img"].map(str::to_owned);
    let diskspd = |how| {
        [
            "diskspd",
            "-b4K",
            "-Su",
            "-t3",
            "-W0",
            "-d3600",
            how,
            "./own.img",
        ]
    };
    for (words, rings, printed) in [
        (fio("two.fio").to_vec(), 2, &["first: (", "second: ("][..]),
        (fio("wall.fio").to_vec(), 1, &["first: ("]),
        (diskspd("-r").map(str::to_owned).to_vec(), 3, &["     2 |"]),
        (diskspd("-si").map(str::to_owned).to_vec(), 1, &["     2 |"]),
    ] {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let before = place.stored().len();
        let under_way = place.start(place.command(&words));
        wait_until("the run begins", || place.stored().len() > before);
        let rings = rings.min(processors);
        wait_until("the rings are open", || under_way.rings() == rings);
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(under_way.rings(), rings, "{words:?}");
        under_way.signal("INT");
        let ended = under_way.end();
        assert_eq!(ended.code, Some(130), "{words:?}: {ended:?}");
        for printed in printed {
            assert!(ended.stdout.contains(printed), "{words:?}: {ended:?}");
        }
    }
}

#[test]
fn jobs_on_rings_of_their_own_move_all_that_they_should_and_end_each_for_itself() {
    let test = "jobs_on_rings_of_their_own_move_all_that_they_should_and_end_each_for_itself";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    place.file("own.img", 4 << 20);
    let all = "[global]\nioengine=libaio\niodepth=4\ndirect=1\nrw=randread\n";
    let jobs = "[short]\nfilename=a\nsize=1m\nnumjobs=3\n[long]\nfilename=a\nsize=2m\ntime_based\nruntime=1\n";
    std::fs::write(place.path("a.fio"), format!("{all}{jobs}")).unwrap();
    let words = [
        "fio",
        "a.fio",
        "--target",
        "./own.img",
        "--output-format=json",
    ];
    let ended = place.ok(&words);
    let printed: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let jobs = printed["jobs"].as_array().unwrap();
    let read = |job: usize, what: &str| jobs[job]["read"][what].as_u64().unwrap();
    for (short, job) in jobs.iter().enumerate().take(3) {
        assert_eq!(job["jobname"], "short");
        assert_eq!(read(short, "total_ios"), 256, "{printed}");
    }
    assert_eq!((jobs.len(), &jobs[3]["jobname"]), (4, &"long".into()));
    assert!((1_000..1_100).contains(&read(3, "runtime")), "{printed}");
    // What is stored is of all copies together.
    let result = place.json(&["report", "last", "--json"]);
    let figures = result["results"][0]["figures"].as_array().unwrap();
    let n = |key: &str| {
        let figure = figures.iter().find(|figure| figure["key"] == key);
        figure.unwrap()["n"].as_u64().unwrap()
    };
    assert_eq!(n("short.read"), 3 * 256);
    assert_eq!(n("long.read"), read(3, "total_ios"));
}

#[test]
fn jobs_whose_drive_goes_away_keep_what_was_measured_and_fail() {
    let gone = "fault(null:?service=100us)?gone_after=1000";
    for (words, printed) in [
        (&["fio", "a.fio", "--target", gone][..], "first: ("),
        (
            &["diskspd", "-b4K", "-W0", "-d3600", "-r", gone],
            "Results for timespan 1:",
        ),
    ] {
        let place = Place::new();
        std::fs::write(place.path("a.fio"), LONG).unwrap();
        let ended = place.run(words);
        assert_eq!(ended.code, Some(1), "{words:?}: {ended:?}");
        let is_kept = ended.stderr.contains("went away") && ended.stderr.contains("result 1");
        assert!(is_kept, "{words:?}: {ended:?}");
        assert!(ended.stdout.contains(printed), "{words:?}: {ended:?}");
        let result = place.json(&["report", "last", "--json"]);
        assert!(result["results"][0]["ended"].to_string().contains("away"));
        assert_eq!(place.last_state(), "ended early");
    }
}
