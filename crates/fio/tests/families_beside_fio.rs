//! Families of options compared with fio itself: the same positions in the same order, the same counts, logs of the
//! same form.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod on_target;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use fio::file::{Nothing, read};
use fio::job::jobs;
use fio::running::Ran;
use targets::Consent;

/// A small modelled drive with its contents, in virtual time.
const MODEL: &str = "contents(model:samsung-840-evo-750gb)";

fn on(text: &str, target: &str) -> Vec<Ran> {
    let file = read("a.fio", text, &Nothing).unwrap();
    let ran = on_target::run(jobs(&file).unwrap(), target, Consent::default());
    ran.unwrap().1
}

fn on_null(text: &str) -> Vec<Ran> {
    on(text, "null:?service=100us")
}

fn counts(ran: &Ran) -> (u64, u64, i32) {
    let ops = &ran.kept.ops;
    (ops[0].ios, ops[1].ios, ran.kept.errno)
}

/// The result of fio for jobs in their own directory: its JSON, and the files it left.
fn fios(text: &str, test: &str) -> Option<(serde_json::Value, BTreeMap<String, String>)> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.fio"), text).unwrap();
    let ran = Command::new("fio")
        .args(["--output-format=json", "a.fio"])
        .current_dir(folder.path())
        .output();
    let Ok(ran) = ran else {
        fixtures::skip::skip(test, "fio is missing");
        return None;
    };
    let said = String::from_utf8(ran.stdout).unwrap();
    let said = serde_json::from_str(&said[said.find("{\n").unwrap()..]).unwrap();
    let logs = std::fs::read_dir(folder.path()).unwrap().flatten();
    let logs = logs.filter(|file| {
        Path::new(&file.path())
            .extension()
            .is_some_and(|e| e == "log")
    });
    let logs = logs.map(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(file.path()).unwrap())
    });
    Some((said, logs.collect()))
}

/// Operations with their blocks of 4 KiB, as an iolog has them.
fn places(iolog: &str) -> Vec<(String, u64)> {
    let lines = iolog
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .filter(|words| words.len() == 5 && words[2] != "sync")
        .map(|words| (words[2].to_owned(), words[3].parse::<u64>().unwrap() / 4096))
        .collect()
}

fn our_places(text: &str) -> Vec<(String, u64)> {
    let ran = on(text, MODEL);
    places(&ran[0].logs.last().unwrap().text)
}

#[test]
fn places_in_order_are_those_of_fio_with_steps_and_strides_too() {
    for options in [
        "size=64k\nrw=write:8k",
        "size=64k\nrw=read:-8k",
        "size=64k\nrw=read:-8k\nio_size=128k",
        "size=96k\nrw=read\nnumber_ios=7",
        "size=128k\nrw=read\nzonemode=strided\nzonerange=32k\nzonesize=16k\nzoneskip=8k",
        "size=128k\nio_size=128k\nrw=read\nzonemode=strided\nzonerange=32k\nzonesize=16k\nzoneskip=8k",
        "size=128k\nrw=read\nzonemode=strided\nzonesize=16k\nzoneskip=16k",
        "size=64k\nrw=write\nverify=md5",
        "size=64k\nrw=write\nverify=crc32c\nverify_backlog=4",
        "size=64k\nrw=write\nverify=crc32c\nverify_backlog=8\nverify_backlog_batch=4",
        "size=32k\nrw=write\nverify=sha256\nloops=2",
    ] {
        let text = format!("[a]\nbs=4k\nwrite_iolog=a.log\n{options}\n");
        let test = "places_in_order_are_those_of_fio_with_steps_and_strides_too";
        let Some((_, logs)) = fios(&text, test) else {
            return;
        };
        // A file as long as its job asks for, as fio makes it.
        let folder = tempfile::tempdir().unwrap();
        let ran = on(&text, &folder.path().display().to_string());
        let ours = places(&ran[0].logs.last().unwrap().text);
        assert_eq!(ours, places(&logs["a.log"]), "{options}");
    }
}

#[test]
fn random_places_come_in_runs_as_with_fio() {
    let runs = |all: &[(String, u64)], by: u64| {
        let three: Vec<u64> = all.iter().map(|(_, at)| *at).collect();
        three
            .chunks(3)
            .filter(|run| run.windows(2).all(|two| two[1] == two[0] + by))
            .count()
    };
    let follow = our_places("[a]\nsize=1m\nrw=randread:3\nnumber_ios=60\nwrite_iolog=a\n");
    assert!(runs(&follow, 1) >= 18, "{follow:?}");
    let stay = our_places(
        "[a]\nsize=1m\nrw=randread:3\nrw_sequencer=identical\nnumber_ios=60\nwrite_iolog=a\n",
    );
    assert_eq!(runs(&stay, 0), 20);
}

#[test]
fn what_was_written_is_verified_as_often_as_by_fio() {
    for options in [
        "rw=randwrite\nverify=crc32c",
        "rw=randwrite\nverify=crc32c\nverify_backlog=5",
        "rw=write\nverify=meta\ndo_verify=0",
        "rw=write\nverify=pattern\nverify_pattern=0xdeadbeef\nloops=3",
        "rw=write\nverify=xxhash\nioengine=libaio\niodepth=8",
    ] {
        let text = format!("[a]\nbs=4k\nsize=64k\n{options}\n");
        let Some((said, _)) = fios(&text, "what_was_written_is_verified_as_often_as_by_fio") else {
            return;
        };
        let job = &said["jobs"][0];
        let theirs = |op: &str| job[op]["total_ios"].as_u64().unwrap();
        let ran = on(&text, MODEL);
        assert_eq!(
            counts(&ran[0]),
            (theirs("read"), theirs("write"), 0),
            "{options}"
        );
    }
}

#[test]
fn a_place_that_is_written_again_is_verified_once() {
    let ran = on(
        "[a]\nsize=64k\nrw=randwrite\nnorandommap\nverify=crc32c\nioengine=libaio\niodepth=4\n",
        MODEL,
    );
    let (reads, writes, error) = counts(&ran[0]);
    assert_eq!((writes, error), (16, 0));
    assert!((6..16).contains(&reads), "{reads}");
}

#[test]
fn a_job_that_only_reads_verifies_what_another_wrote() {
    let text = "[global]\nsize=64k\nfilename=x\nverify=crc32c\n[w]\nrw=write\ndo_verify=0\n[r]\nstonewall\nrw=randread\n";
    let ran = on(text, MODEL);
    assert_eq!(
        ran.iter().map(counts).collect::<Vec<_>>(),
        [(0, 16, 0), (16, 0, 0)]
    );
    // Nobody wrote it: the first read differs, and ends the job unless it goes on.
    let unwritten = "[r]\nsize=64k\nrw=read\nverify=crc32c\n";
    let target = "contents(model:samsung-840-evo-750gb?state=fresh)";
    assert_eq!(counts(&on(unwritten, target)[0]), (0, 0, 84));
    let ran = on(&format!("{unwritten}continue_on_error=verify\n"), target);
    assert_eq!(ran[0].kept.errors, 16);
}

#[test]
fn jobs_with_a_flow_keep_its_shares() {
    let ran = on_null(
        "[global]\nsize=4m\ntime_based\nruntime=1\nioengine=libaio\niodepth=4\n[a]\nrw=randread\nflow=8\n[b]\nrw=write\nflow=1\n",
    );
    let (reads, writes) = (counts(&ran[0]).0, counts(&ran[1]).1);
    assert!(reads.abs_diff(writes * 8) <= 8, "{reads} {writes}");
}

#[test]
fn a_job_ends_by_a_slow_io_and_takes_its_group_along() {
    let ran =
        on_null("[global]\nsize=4m\ntime_based\nruntime=2\n[a]\nmax_latency=50\n[b]\nrw=read\n");
    assert_eq!(counts(&ran[0]), (1, 0, 110));
    assert!(ran[1].kept.runtime.as_secs_f64() > 1.9);
    let ran = on_null(
        "[global]\nsize=4m\ntime_based\nruntime=2\n[a]\nnumber_ios=5\ntime_based=0\nexitall\n[b]\nrw=read\n[c]\nnew_group\n",
    );
    assert_eq!(counts(&ran[0]).0, 5);
    assert!(counts(&ran[1]).0 < 20, "{:?}", counts(&ran[1]));
    assert!(ran[2].kept.runtime.as_secs_f64() > 1.9);
}

#[test]
fn a_rate_that_is_not_reached_ends_a_job() {
    // 100 us an I/O: 10,000 a second.
    let ran = on_null("[a]\nsize=4m\ntime_based\nruntime=5\nrate_iops_min=11000\n");
    assert_eq!(counts(&ran[0]).2, 5);
    assert!(ran[0].kept.runtime.as_secs_f64() < 1.2);
    let ran = on_null("[a]\nsize=4m\ntime_based\nruntime=5\nrate_iops_min=9000\n");
    assert_eq!(counts(&ran[0]).2, 0);
}

#[test]
fn rests_come_after_so_many_ios_or_so_much_time() {
    let seconds = |text: &str| on_null(text)[0].kept.runtime.as_secs_f64();
    let by_ios = seconds("[a]\nsize=4m\nnumber_ios=100\nthinktime=10ms\nthinktime_blocks=10\n");
    assert!((by_ios - 0.1).abs() < 0.012, "{by_ios}");
    let by_time = seconds("[a]\nsize=4m\nnumber_ios=100\nthinktime=10ms\nthinktime_iotime=5ms\n");
    assert!((by_time - 0.02).abs() < 0.012, "{by_time}");
}

#[test]
fn a_steady_rate_ends_a_job_as_with_fio() {
    let text = "[a]\nsize=64k\nrw=randread\nrate_iops=100\ntime_based\nruntime=30\nss=iops:10%\nss_dur=2\nss_ramp=1\n";
    let ran = on_null(text);
    let found = ran[0].kept.steadiness.clone().unwrap();
    assert!(found.attained && found.iops.len() == 2, "{found:?}");
    assert!((2.9..=4.2).contains(&ran[0].kept.runtime.as_secs_f64()));
    let Some((said, _)) = fios(text, "a_steady_rate_ends_a_job_as_with_fio") else {
        return;
    };
    let theirs = &said["jobs"][0]["steadystate"];
    assert_eq!(theirs["attained"], 1);
    let iops = theirs["data"]["iops_mean"].as_u64().unwrap();
    assert!(iops.abs_diff(100) <= 5);
}

#[test]
fn the_depth_that_a_latency_allows_is_found() {
    let text = "[a]\nsize=4m\nrw=randread\nioengine=libaio\niodepth=64\ntime_based\nruntime=60\nlatency_target=5000\nlatency_window=100000\nlatency_percentile=99\n";
    let ran = on(text, "model:samsung-840-evo-750gb");
    let depth = ran[0].kept.depth_found.unwrap();
    assert!(depth > 1 && ran[0].kept.errno == 0, "{depth}");
    let tight = text.replace("latency_target=5000", "latency_target=1");
    assert_eq!(on(&tight, "model:samsung-840-evo-750gb")[0].kept.errno, 110);
}

#[test]
fn logs_have_fios_names_and_columns() {
    let text = "[a]\nsize=64k\nrw=randrw\nrate_iops=100\ntime_based\nruntime=2\nwrite_bw_log\nwrite_lat_log=l\nwrite_iops_log=i\nlog_avg_msec=500\n\
        [b]\nsize=64k\nrw=read\nwrite_bw_log=b\nlog_offset=1\n";
    let Some((_, theirs)) = fios(text, "logs_have_fios_names_and_columns") else {
        return;
    };
    let ran = on_null(text);
    let ours: BTreeMap<String, String> = ran
        .into_iter()
        .flat_map(|ran| ran.logs)
        .map(|log| (log.name, log.text))
        .collect();
    assert_eq!(
        ours.keys().collect::<Vec<_>>(),
        theirs.keys().collect::<Vec<_>>()
    );
    for (name, text) in &theirs {
        let columns = |text: &str| text.lines().map(|line| line.split(", ").count()).max();
        assert_eq!(columns(&ours[name]), columns(text), "{name}");
    }
    // fio's last value is of what was left of the time.
    let [ours, mut theirs] = [&ours, &theirs].map(|logs| -> Vec<f64> {
        let lines = logs["i_iops.1.log"].lines();
        let values = lines.map(|line| line.split(", ").nth(1).unwrap().parse().unwrap());
        values.collect()
    });
    theirs.sort_by(f64::total_cmp);
    let there = theirs[theirs.len() / 2];
    // Each of ours, the last one, too.
    assert!(
        ours.iter().all(|here| (here - there).abs() <= 10.0),
        "{ours:?} {theirs:?}"
    );
}

#[test]
fn a_log_is_replayed_at_its_times_as_by_fio() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("v3");
    let lines: String = (1..=20_u64)
        .map(|n| format!("{} x read {} 4096\n", n * 10_000, n * 8192))
        .collect();
    std::fs::write(
        &log,
        format!("fio version 3 iolog\n0 x add\n0 x open\n{lines}200000 x close\n"),
    )
    .unwrap();
    let text = format!("[a]\nread_iolog={}\nwrite_iolog=out\n", log.display());
    let ran = on_null(&text);
    assert_eq!(counts(&ran[0]), (20, 0, 0));
    assert!((ran[0].kept.runtime.as_secs_f64() - 0.2).abs() < 0.001);
    let at: Vec<u64> = places(&ran[0].logs[0].text)
        .iter()
        .map(|(_, at)| *at)
        .collect();
    assert_eq!(at, (1..=20).map(|n| n * 2).collect::<Vec<u64>>());
    let fast = on_null(&format!("{text}replay_no_stall=1\n"));
    assert!(fast[0].kept.runtime.as_secs_f64() < 0.003);
    let half = on_null(&format!("{text}replay_time_scale=50\n"));
    assert!((half[0].kept.runtime.as_secs_f64() - 0.4).abs() < 0.001);
}

#[test]
fn a_job_waits_for_nothing_where_it_may_go_on() {
    // 100 us an I/O: whatever a job waits for has happened, and the next I/O goes out in the same moment.
    let took = |text: &str| -> Vec<u64> {
        let ran = on_null(text);
        let micros = |ran: &Ran| ran.kept.runtime.as_nanos() / 1_000;
        ran.iter().map(micros).collect()
    };
    let global = "[global]\nsize=40k\nrw=write\n";
    for (jobs, expected) in [
        ("[a]\n[b]\nstonewall\nsize=400k\n", vec![1_000, 10_000]),
        ("[a]\n[b]\nwait_for=a\n", vec![1_000, 1_000]),
        ("[a]\nloops=3\n", vec![3_000]),
        ("[a]\nend_fsync=1\nloops=2\n", vec![2_200]),
        ("[a]\nexitall\n[b]\nstonewall\n", vec![1_000, 1_000]),
        ("[a]\nstartdelay=1\n[b]\nstonewall\n", vec![1_000, 1_000]),
    ] {
        assert_eq!(took(&format!("{global}{jobs}")), expected, "{jobs}");
    }
}

#[test]
fn a_delay_counts_from_the_beginning_of_the_run_also_behind_a_wall() {
    let text =
        "[global]\nsize=40k\nioengine=null\n[a]\nrate_iops=20\n[b]\nstonewall\nstartdelay=1\n";
    let ran = on_null(text);
    let ends: Vec<f64> = ran.iter().map(|ran| ran.elapsed.as_secs_f64()).collect();
    assert!(
        (ends[0] - 0.45).abs() < 0.01 && (ends[1] - 1.0).abs() < 0.01,
        "{ends:?}"
    );
}

#[test]
fn logs_begin_where_counting_begins_behind_the_ramp() {
    let text = "[l]\nsize=1m\nramp_time=1\nruntime=2\ntime_based\nrate_iops=20\nwrite_lat_log=r\n\
        [w]\nsize=1m\nramp_time=1\nruntime=2\ntime_based\nrate_iops=20\nwrite_iops_log=w\nlog_avg_msec=500\n";
    let ran = on_null(text);
    let times = |log: &str| -> Vec<u64> {
        let first = |line: &str| line.split(',').next().unwrap().parse().unwrap();
        log.lines().map(first).collect()
    };
    let named = |name: &str| {
        let all = ran.iter().flat_map(|ran| &ran.logs);
        times(&all.clone().find(|log| log.name == name).unwrap().text)
    };
    let single = named("r_lat.1.log");
    assert!(
        single[0] <= 50 && *single.last().unwrap() < 2_000,
        "{single:?}"
    );
    assert_eq!(named("w_iops.2.log"), [500, 1_000, 1_500, 2_000]);
}

#[test]
fn a_log_that_writes_makes_its_job_one_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let read_job = |line: &str| {
        let text = format!("fio version 3 iolog\n0 t add\n0 t open\n{line}\n9000 t close\n");
        std::fs::write(&path, text).unwrap();
        let text = format!("[r]\nrw=read\nread_iolog={}\n", path.display());
        jobs(&read("a.fio", &text, &Nothing).unwrap()).unwrap()
    };
    let unread = read_job("100 t read 0 4096");
    // Until the log is read it may write: nobody is to believe otherwise.
    assert!(unread[0].writes());
    assert!(!fio::script::with_logs(unread).unwrap()[0].writes());
    let writing = fio::script::with_logs(read_job("100 t write 0 4096")).unwrap();
    assert!(writing[0].writes());
}

#[test]
fn a_share_is_of_the_file_that_the_jobs_before_have_made_and_of_the_size() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "[global]\ndirectory={}\nfilename=t\nrw=write\nbs=4k\nstonewall\n\
        [s]\nsize=320k\nio_size=50%\n[u]\nsize=50%\nio_size=100%\n[v]\noffset=50%\nio_size=50%\n\
        [w]\noffset=33%\nsize=50%\n[x]\nnumjobs=2\noffset_increment=45%\nsize=10%\n[y]\nfilesize=100k\nsize=50%\n",
        folder.path().display()
    );
    let ran = on(&text, &folder.path().display().to_string());
    let writes: Vec<u64> = ran.iter().map(|ran| counts(ran).1).collect();
    assert_eq!(writes, [40, 40, 20, 40, 8, 8, 12]);
    let test = "a_share_is_of_the_file_that_the_jobs_before_have_made_and_of_the_size";
    let Some((said, _)) = fios(&text, test) else {
        return;
    };
    let theirs = said["jobs"].as_array().unwrap().iter();
    let theirs: Vec<u64> = theirs
        .map(|job| job["write"]["total_ios"].as_u64().unwrap())
        .collect();
    assert_eq!(writes, theirs);
}

#[test]
fn a_dry_run_says_how_far_blocks_reach_that_do_not_divide_the_region() {
    let job = |text: &str| {
        let text = format!("[a]\nrw=write\nbs=64k\n{text}");
        let all = jobs(&read("a.fio", &text, &Nothing).unwrap()).unwrap();
        let work = on_target::work(all, "null:", &Consent::default()).unwrap();
        let prepared = on_target::prepared(&work, "null:", Consent::default());
        prepared.unwrap().dry_run()[1].trim().to_owned()
    };
    assert_eq!(job("size=100k"), "writes bytes 0 to 131072 (128 KiB)");
    assert_eq!(
        job("bsrange=4k-64k\nsize=100k"),
        "writes bytes 0 to 102400 (100 KiB)"
    );
}
