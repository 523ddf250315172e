//! Generated jobs, run by fio and here: the printed I/Os and bytes must be the same.
//!
//! A seed selects options that belong together. What fio itself leaves to chance (the next direction of a mix, one of
//! several sizes) is compared by its invariants: the sum of both directions, the bytes, or a bound that both keep.
//! Rates are compared if a job sets its own pace, by a limit or by think time; here they are in virtual time. Intended
//! differences are in a list with reasons. `DRAWN_FILES=40` compares more job files than the default four.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod draw;
mod on_purpose;
#[path = "../on_target/mod.rs"]
mod on_target;

use std::path::Path;
use std::process::Command;

use base::rng::Rng;
use draw::{Drawn, FILE, On, Same};
use fio::file::{Nothing, read};
use fio::job::jobs;
use fio::output::{Form, Moment, entries, output};
use serde_json::Value;
use targets::Consent;

/// Files of jobs for each thing that they work on.
const FILES: u64 = 4;
/// Jobs of a file.
const JOBS: u64 = 16;
/// Jobs that set their own pace.
const PACED: u64 = 16;

/// What fio prints for a job file in a folder; nothing where there is no fio.
fn fios(folder: &Path, text: &str) -> Option<Value> {
    std::fs::write(folder.join("a.fio"), text).unwrap();
    let fio = Command::new("fio")
        .args(["--output-format=json", "a.fio"])
        .current_dir(folder)
        .output()
        .ok()?;
    let said = String::from_utf8(fio.stdout).unwrap();
    let json = said.find("{\n").map(|at| serde_json::from_str(&said[at..]));
    Some(
        json.unwrap_or_else(|| panic!("{said}{}\n{text}", String::from_utf8_lossy(&fio.stderr)))
            .unwrap(),
    )
}

fn ours(text: &str, on: &str) -> Value {
    let file = read("a.fio", text, &Nothing).unwrap();
    let jobs = jobs(&file).unwrap();
    let consent = Consent {
        destroy_data: true,
        confirm: Some(on.to_owned()),
    };
    let ran = on_target::run(jobs, on, consent);
    let (jobs, ran) = ran.unwrap_or_else(|why| panic!("{why}\n{text}"));
    let at = Moment {
        unix_ms: 0,
        text: String::new(),
    };
    serde_json::from_str(&output(Form::Json, &file, &entries(&jobs, &ran), &at)).unwrap()
}

/// I/Os and bytes of reads, writes and trims.
fn counts(job: &Value, key: &str) -> [u64; 3] {
    ["read", "write", "trim"].map(|op| job[op][key].as_f64().unwrap_or(0.0).round() as u64)
}

/// What differs between a job of fio's and ours.
fn difference(same: Same, fio: &Value, here: &Value) -> Option<String> {
    let both = |key: &str| (counts(fio, key), counts(here, key));
    let sum = |key: &str| {
        let (fio, here) = both(key);
        ([fio.iter().sum(), 0, 0], [here.iter().sum(), 0, 0])
    };
    let pairs = match same {
        Same::All => vec![both("total_ios"), both("io_bytes")],
        Same::Sum => vec![sum("total_ios"), sum("io_bytes")],
        Same::Bytes => vec![both("io_bytes")],
        Same::Within(least, most) => {
            let (fio, here) = sum("io_bytes");
            let fits = |bytes: u64| (least..most).contains(&bytes);
            let fine = fits(fio[0]) && fits(here[0]);
            return (!fine).then(|| format!("{} and {} from {least} to {most}", fio[0], here[0]));
        }
        Same::Rates => {
            let near = |(fio, here): (u64, u64)| fio.abs_diff(here) * 100 <= 3 * fio.max(here);
            let all = ["iops", "bw_bytes"].map(both);
            let fine = all
                .iter()
                .all(|(fio, here)| (0..3).all(|n| near((fio[n], here[n]))));
            return (!fine).then(|| format!("{all:?}"));
        }
    };
    pairs
        .iter()
        .any(|(fio, here)| fio != here)
        .then(|| format!("fio and here: {pairs:?}"))
}

/// Every difference between what fio and we print of drawn jobs.
fn differences(drawn: &[Drawn], grouped: bool, fio: &Value, here: &Value) -> Vec<String> {
    let (fio, here) = (
        fio["jobs"].as_array().unwrap(),
        here["jobs"].as_array().unwrap(),
    );
    let names = |jobs: &[Value]| {
        jobs.iter()
            .map(|job| job["jobname"].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(fio), names(here));
    let mut all = Vec::new();
    for (fio, here) in fio.iter().zip(here) {
        let of = drawn
            .iter()
            .find(|drawn| here["jobname"] == drawn.name.as_str())
            .unwrap();
        let same = match (grouped, of.same) {
            // A line of several jobs.
            (true, Same::All) => Same::Sum,
            (_, same) => same,
        };
        if let Some(what) = difference(same, fio, here) {
            let at = drawn.iter().position(|one| one.name == of.name).unwrap();
            let line = drawn[at..].iter().skip(1);
            let line = line.take_while(|one| grouped && !one.text.contains("stonewall"));
            let line: String = line.map(|one| one.text.as_str()).collect();
            all.push(format!("{}{line}{same:?}: {what}\n", of.text));
        }
    }
    all
}

fn files() -> u64 {
    let asked = std::env::var("DRAWN_FILES").ok();
    asked.map_or(FILES, |files| files.parse().unwrap())
}

/// The options that all jobs of a file have, and the target on which they run here.
fn common(on: On, folder: &Path) -> (String, String) {
    match on {
        On::Null => (
            "[global]\nioengine=null\n".to_owned(),
            "null:?service=1us".to_owned(),
        ),
        On::File => {
            let file = folder.join("file");
            std::fs::write(&file, vec![1; FILE as usize]).unwrap();
            let global = format!("[global]\nfilename={}\nfallocate=none\n", file.display());
            (global, file.display().to_string())
        }
        On::Made => {
            let global = format!("[global]\ndirectory={}\nfallocate=none\n", folder.display());
            (global, folder.display().to_string())
        }
    }
}

fn all_alike(test: &str, on: On, seed: u64) {
    let mut all = Vec::new();
    let (mut jobs, mut bounded) = (0, 0);
    for n in 0..files() {
        let mut rng = Rng::new(seed + n);
        let folder = tempfile::tempdir().unwrap();
        let grouped = n % FILES == FILES - 1;
        let (mut global, at) = common(on, folder.path());
        let mut drawn: Vec<Drawn> = (0..JOBS)
            .map(|job| draw::drawn(&format!("j{job}"), on, &mut rng))
            .collect();
        if grouped {
            global += "group_reporting\n";
            // Jobs of a line have one measure.
            drawn.retain(|drawn| matches!(drawn.same, Same::All | Same::Sum));
        }
        jobs += drawn.len();
        let in_bounds = drawn
            .iter()
            .filter(|one| matches!(one.same, Same::Within(..)));
        bounded += in_bounds.count();
        let text = drawn.iter().fold(global, |all, drawn| all + &drawn.text);
        let here = ours(&text, &at);
        let Some(fio) = fios(folder.path(), &text) else {
            return fixtures::skip::skip(test, "fio is missing");
        };
        all.extend(differences(&drawn, grouped, &fio, &here));
    }
    let different = all.len();
    eprintln!("{test}: {jobs} jobs, {bounded} of them by bounds; {different} differ");
    assert!(jobs >= 52, "only {jobs} jobs are compared");
    assert!(
        all.is_empty(),
        "{} of {jobs} jobs differ:\n{}",
        all.len(),
        all.join("\n")
    );
}

#[test]
fn drawn_jobs_on_the_null_engine_move_what_fio_moves() {
    let test = "drawn_jobs_on_the_null_engine_move_what_fio_moves";
    all_alike(test, On::Null, 100_000);
}

#[test]
fn drawn_jobs_on_a_file_move_what_fio_moves() {
    let test = "drawn_jobs_on_a_file_move_what_fio_moves";
    all_alike(test, On::File, 200_000);
}

#[test]
fn drawn_jobs_on_files_of_their_own_move_what_fio_moves() {
    let test = "drawn_jobs_on_files_of_their_own_move_what_fio_moves";
    all_alike(test, On::Made, 300_000);
}

/// Jobs that differed once, in more files than the everyday ones.
const FOUND: &[(On, &str)] = &[
    // Trims count for what is missing.
    (
        On::Null,
        "rw=trimwrite\nbs=16k\nsize=227840\nio_size=246272\noffset=197120",
    ),
    // The loops of an engine with a depth end with their bytes, others only with the file.
    (
        On::Null,
        "rw=trim:64k\nbs=4k\nsize=107008\nio_size=131072\nloops=3\niodepth=16",
    ),
    (
        On::Null,
        "rw=trim:64k\nbs=4k\nsize=107008\nio_size=131072\nloops=3",
    ),
    (
        On::Null,
        "rw=randtrimwrite\nbs=64k\nnorandommap\nsize=329216\nio_size=446464\niodepth=15",
    ),
    // A share of the size is not refilled by more loops.
    (
        On::File,
        "rw=read:64k\nbs=512\nsize=22%\nio_size=77%\nnumjobs=3",
    ),
    (
        On::File,
        "rw=write:8k\nbs=512\nsize=71%\nio_size=73%\nnumber_ios=105\nloops=2\nfsync=7",
    ),
    // The second copy has the last increment.
    (
        On::File,
        "rw=read\nbs=16k\nsize=76%\nnumjobs=3\noffset_increment=16k\nzonemode=strided\nzonesize=32k\nzonerange=32k\nzoneskip=16k",
    ),
];

#[test]
fn jobs_that_differed_once_are_alike() {
    let mut all = Vec::new();
    for (on, options) in FOUND {
        let folder = tempfile::tempdir().unwrap();
        let (global, at) = common(*on, folder.path());
        let text = format!("{global}[a]\n{options}\n");
        let here = ours(&text, &at);
        let Some(fio) = fios(folder.path(), &text) else {
            return fixtures::skip::skip("jobs_that_differed_once_are_alike", "fio is missing");
        };
        let drawn = Drawn {
            name: "a".to_owned(),
            text,
            same: Same::All,
        };
        all.extend(differences(&[drawn], false, &fio, &here));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn jobs_that_set_their_pace_have_the_rates_of_fio() {
    let test = "jobs_that_set_their_pace_have_the_rates_of_fio";
    let mut rng = Rng::new(400);
    let mut drawn: Vec<Drawn> = (0..PACED).map(|n| draw::paced(n, &mut rng)).collect();
    let mut all = Vec::new();
    // fio keeps its pace by the machine's clock: where others kept it from its processor, it is asked again.
    for _ in 0..8 {
        let global = "[global]\nioengine=null\n".to_owned();
        let text = drawn.iter().fold(global, |all, drawn| all + &drawn.text);
        let here = ours(&text, "null:?service=1us");
        let folder = tempfile::tempdir().unwrap();
        let Some(fio) = fios(folder.path(), &text) else {
            return fixtures::skip::skip(test, "fio is missing");
        };
        all = differences(&drawn, false, &fio, &here);
        drawn.retain(|one| all.iter().any(|what| what.starts_with(&one.text)));
        if drawn.is_empty() {
            return;
        }
    }
    panic!("{} differ:\n{}", all.len(), all.join("\n"));
}

#[test]
fn what_differs_on_purpose_differs_still() {
    for one in on_purpose::DIFFERENCES {
        assert!(on_purpose::differs(one.example), "{}", one.why);
        let text = format!("[global]\nioengine=null\n[a]\n{}\n", one.example);
        let here = ours(&text, "null:?service=1us");
        let folder = tempfile::tempdir().unwrap();
        let Some(fio) = fios(folder.path(), &text) else {
            return fixtures::skip::skip("what_differs_on_purpose_differs_still", "fio is missing");
        };
        let drawn = Drawn {
            name: "a".to_owned(),
            text,
            same: Same::All,
        };
        let found = differences(&[drawn], false, &fio, &here);
        // A later fio may have mended it: then the entry goes.
        let is_known = fio["fio version"] == "fio-3.33";
        assert!(!is_known || !found.is_empty(), "no more: {}", one.why);
    }
}

#[test]
fn what_is_refused_on_purpose_is_named() {
    for [why, options, named] in on_purpose::REFUSALS {
        let file = read("a.fio", &format!("[a]\n{options}\n"), &Nothing);
        let said = file
            .and_then(|file| jobs(&file))
            .map_err(|why| why.to_string())
            .and_then(|jobs| on_target::work(jobs, "null:", &Consent::default()));
        let said = said.map(|_| ()).unwrap_err();
        assert!(said.contains(named), "{why}: {said}");
    }
}
