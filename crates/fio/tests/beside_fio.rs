//! Jobs on modelled drives, and their output compared with fio's own.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod on_target;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use fio::file::{Around, JobFile, read};
use fio::job::{Job, jobs};
use fio::output::{Form, Moment, entries, output};
use fio::running::Ran;
use targets::Consent;

struct Beside(PathBuf);

impl Around for Beside {
    fn include(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(self.0.join(path)).map_err(|why| why.to_string())
    }
    fn variable(&self, _: &str) -> Option<String> {
        Some("4k".to_owned())
    }
    fn machine(&self, _: &str) -> Option<u64> {
        Some(4)
    }
}

fn on_model(jobs: Vec<Job>, target: &str) -> Result<(Vec<Job>, Vec<Ran>), String> {
    on_target::run(jobs, target, Consent::default())
}

fn ran(text: &str) -> (JobFile, Vec<Job>, Vec<Ran>) {
    let file = read("a.fio", text, &Beside(PathBuf::new())).unwrap();
    let (jobs, ran) = on_model(jobs(&file).unwrap(), "null:?service=100us").unwrap();
    (file, jobs, ran)
}

fn printed(text: &str, form: Form) -> String {
    let (file, jobs, ran) = ran(text);
    let at = Moment {
        unix_ms: 1_795_431_560_310,
        text: "Mon Nov 23 10:59:20 2026".to_owned(),
    };
    output(form, &file, &entries(&jobs, &ran), &at)
}

#[test]
fn a_job_ends_by_bytes_by_ios_or_by_time() {
    let (_, _, ran) = ran(
        "[global]\nsize=1m\n[a]\nrw=randwrite\n[b]\nnumber_ios=7\n[c]\nruntime=1\ntime_based\n[d]\nloops=3\n[e]\nio_size=64k",
    );
    let moved: Vec<u64> = ran
        .iter()
        .map(|one| one.kept.ops[0].ios + one.kept.ops[1].ios)
        .collect();
    assert_eq!(moved[..2], [256, 7]);
    assert_eq!(moved[3..], [768, 16]);
    assert_eq!(ran[2].kept.runtime.as_nanos() / 1_000_000, 1_000);
}

#[test]
fn a_wall_a_delay_and_a_ramp_are_kept() {
    let (_, jobs, ran) = ran(
        "[global]\nsize=1m\nruntime=1\ntime_based\n[a]\n[b]\nstartdelay=2\n[c]\nstonewall\nramp_time=1",
    );
    let seconds: Vec<f64> = ran.iter().map(|one| one.elapsed.as_secs_f64()).collect();
    let near = seconds.iter().zip([1.0, 3.0, 5.0]);
    assert!(
        near.clone().all(|(a, b)| (a - b).abs() < 0.01),
        "{seconds:?}"
    );
    assert_eq!(ran[2].kept.runtime.as_nanos() / 1_000_000, 1_000);
    let groups: Vec<u32> = entries(&jobs, &ran)
        .iter()
        .map(|entry| entry.group)
        .collect();
    assert_eq!(groups, [0, 0, 1]);
}

#[test]
fn flushes_come_after_so_many_writes_and_mixes_are_as_asked() {
    let (_, _, ran) =
        ran("[a]\nsize=4m\nrw=randrw\nrwmixread=75\nfsync=8\nioengine=libaio\niodepth=4");
    let [reads, writes, _, flushes] = &ran[0].kept.ops;
    assert_eq!(reads.ios + writes.ios, 1024);
    assert!((700..=836).contains(&reads.ios), "{}", reads.ios);
    assert!(flushes.ios.abs_diff(writes.ios / 8) <= 1);
}

#[test]
fn a_paced_workload_has_the_rate_that_fio_has() {
    let text = "[a]\nsize=4m\nrw=randrw\nrate_iops=200,100\nruntime=2\ntime_based\n";
    let (_, _, ran) = ran(text);
    let ours = [0, 1].map(|n| ran[0].kept.ops[n].ios);
    for (got, rate) in ours.into_iter().zip([400_u64, 200]) {
        assert!(got.abs_diff(rate) <= 2, "{got} for {rate}");
    }
    // fio keeps to real time, and falls behind beside other programs: it is asked again then. More than it is asked for it
    // never does.
    let mut seen = Vec::new();
    for _ in 0..6 {
        let Some(theirs) = fios(text) else { return };
        let total = |name: &str| theirs["jobs"][0][name]["total_ios"].as_u64().unwrap();
        let got = ["read", "write"].map(total);
        let agrees = |n: usize| got[n].abs_diff(ours[n]) <= 4 + ours[n] / 50;
        assert!((0..2).all(|n| agrees(n) || got[n] < ours[n]), "{got:?}");
        if agrees(0) && agrees(1) {
            return;
        }
        seen.push(got);
    }
    panic!("fio {seen:?}, here {ours:?}");
}

/// The output of fio for jobs on their own file; `None` without fio.
fn fios(text: &str) -> Option<serde_json::Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.fio");
    std::fs::write(&file, text).unwrap();
    let ran = Command::new("fio")
        .arg("--output-format=json+")
        .arg(&file)
        .current_dir(folder.path())
        .output();
    let Ok(ran) = ran else {
        eprintln!("skipped: there is no fio here");
        return None;
    };
    let text = String::from_utf8(ran.stdout).unwrap();
    Some(serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap())
}

/// Every path of keys with its type; buckets, which are data, are merged.
fn paths(value: &serde_json::Value, at: &str, into: &mut BTreeMap<String, &'static str>) {
    use serde_json::Value::{Array, Number, Object, String};
    let kind = match value {
        Object(pairs) => {
            for (key, value) in pairs {
                let key = if at.ends_with(".bins") { "*" } else { key };
                paths(value, &format!("{at}.{key}"), into);
            }
            "object"
        }
        Array(list) => {
            for value in list {
                paths(value, &format!("{at}[]"), into);
            }
            "list"
        }
        Number(n) if n.is_f64() => "number",
        Number(_) => "whole",
        String(_) => "text",
        _ => "other",
    };
    into.insert(at.to_owned(), kind);
}

/// Paths that fio has and we do not, with the reason.
const EXCEPTIONS: [(&str, &str); 1] = [(
    ".disk_util[]",
    "the kernel's counters of a device: no target has them here",
)];

#[test]
fn every_key_of_fios_json_is_there_with_its_type() {
    let text = "[global]\nsize=4m\n[a]\nrw=randrw\nrate_iops=200\nruntime=1\ntime_based\nfsync=16\ndescription=x\n";
    let Some(theirs) = fios(text) else { return };
    let ours: serde_json::Value = serde_json::from_str(&printed(text, Form::JsonPlus)).unwrap();
    let (mut fio, mut here) = (BTreeMap::new(), BTreeMap::new());
    paths(&theirs, "", &mut fio);
    paths(&ours, "", &mut here);
    let missing: Vec<_> = fio
        .iter()
        .filter(|(path, _)| !EXCEPTIONS.iter().any(|(known, _)| path.starts_with(known)))
        .filter(|(path, kind)| here.get(*path) != Some(*kind))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
    eprintln!("{} key paths of fio, all here", fio.len());
}

#[test]
fn a_terse_line_has_the_fields_of_version_3() {
    let line = printed("[a]\nsize=4m\nrw=randrw\nnumber_ios=64\n", Form::Terse);
    // Behind them fio has nine fields for each device of the kernel's.
    assert_eq!(line.trim().split(';').count(), 121, "{line}");
    assert!(line.starts_with("3;fio-3.33;a;0;0;"));
}

#[test]
fn the_normal_output_has_fios_lines() {
    let text = printed("[a]\nsize=1m\nrw=write\nbs=64k\n", Form::Normal);
    for part in [
        "a: (g=0): rw=write, bs=(R) 65536B-65536B, (W) 65536B-65536B",
        "issued rwts: total=0,16,0,0",
        "Run status group 0 (all jobs):",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

/// The examples of fio's package: `FIO_EXAMPLES` names their folder.
fn examples() -> Vec<PathBuf> {
    let named = std::env::var("FIO_EXAMPLES").unwrap_or("/usr/share/doc/fio/examples".to_owned());
    let Ok(files) = std::fs::read_dir(named) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "fio"));
    files.sort();
    files
}

/// Shortened, so that a modelled drive runs each quickly. With zones the positions stay the example's.
fn shortened(mut jobs: Vec<Job>) -> Vec<Job> {
    for job in &mut jobs {
        job.ios = Some(64);
        if job.zbd.is_some() {
            continue;
        }
        let files = job.files.count.max(job.files.names.len() as u32);
        let bytes = job.largest().max(1 << 20) * u64::from(files);
        job.region.size = Some(fio::units::Amount::Bytes(bytes));
        job.region.io_size = None;
        job.region.file_size = None;
        job.region.offset = fio::units::Amount::Bytes(0);
        job.copies = job.copies.min(2);
        job.start_delay = Default::default();
        job.ramp = base::time::Duration::ZERO;
        job.loops = job.loops.min(2);
        job.runtime = job
            .runtime
            .map(|time| time.min(base::time::Duration::from_secs(20)));
    }
    jobs
}

/// The requirements of an example: zones (of 256 MiB, as the examples use them), stored data, or just completions.
fn target_of(jobs: &[Job]) -> &'static str {
    if jobs.iter().any(|job| job.zbd.is_some()) {
        return "model:wd-ultrastar-dc-hc620-14tb";
    }
    match jobs.iter().any(|job| job.verify.is_some()) {
        true => "model:samsung-840-evo-750gb",
        false => "null:?service=100us",
    }
}

/// The expected reason for refusing a file: an engine without a drive, an option that cannot work.
fn reason(said: &str) -> &'static str {
    let reasons = [
        ("drives no local drive", "its engine drives no local drive"),
        ("is not set", "a variable of the environment is not set"),
        ("has no size", "it does not say how large its files are"),
        ("not done here", "an option that is not done"),
        ("rw: '4k' is none of", "a value that fio refuses, too"),
        (
            "fio 3.33 has no such option",
            "an option that fio 3.33 has not",
        ),
    ];
    let found = reasons.into_iter().find(|(part, _)| said.contains(part));
    found.map_or("another", |(_, reason)| reason)
}

#[test]
fn the_examples_of_fio_run_or_are_refused_with_a_reason() {
    let (mut run, mut parsed) = (0, 0);
    let mut refused: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut failed = Vec::new();
    for path in examples() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let beside = Beside(path.parent().unwrap_or(Path::new(".")).to_owned());
        match read(&name, &text, &beside).and_then(|file| jobs(&file)) {
            Err(why) => refused
                .entry(reason(&why.to_string()))
                .or_default()
                .push(why.to_string()),
            Ok(jobs) => {
                parsed += 1;
                match on_model(shortened(jobs.clone()), target_of(&jobs)) {
                    Ok(_) => run += 1,
                    Err(why) => failed.push(format!("{name}: {why}")),
                }
            }
        }
    }
    let no: usize = refused.values().map(Vec::len).sum();
    if parsed + no == 0 {
        let test = "the_examples_of_fio_run_or_are_refused_with_a_reason";
        return fixtures::skip::skip(
            test,
            "fio-examples is missing (FIO_EXAMPLES names its folder)",
        );
    }
    eprintln!(
        "of {} examples {parsed} are read, {run} of these run, {no} are refused:",
        parsed + no
    );
    for (reason, files) in &refused {
        eprintln!(
            "{}: {reason}\n  {}",
            files.len(),
            files.join("\n").replace('\n', "\n  ")
        );
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(
        !refused.contains_key("another"),
        "{:#?}",
        refused["another"]
    );
}
