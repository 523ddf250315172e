//! Jobs drawn from the language, run by fio and here: the same I/Os and bytes, in what is printed.
//!
//! A seed draws options that belong together. What fio itself leaves to chance (which of a mix is next, which of several
//! sizes) is compared by what chance does not change: the sum of both directions, the bytes, or a bound that both keep.
//! Rates are compared where a limit sets them; here they are in virtual time.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use base::rng::Rng;
use fio::file::{Nothing, read};
use fio::job::jobs;
use fio::output::{Form, Moment, entries, output};
use fio::prepared::{prepare, target};
use lab::opening::Consent;
use lab::progress::{Interrupt, Silent};
use serde_json::Value;

/// Job files of each kind, and jobs of a file.
const FILES: u64 = 4;
const JOBS: u64 = 16;

/// What of a job is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    /// I/Os and bytes of each direction.
    All,
    /// I/Os and bytes of all directions together.
    Sum,
    /// Bytes of each direction: I/Os are of several sizes.
    Bytes,
    /// Bytes are at least so many, and less than so many.
    Within(u64, u64),
    /// I/Os and bytes a second, within 3 %.
    Rates,
}

/// What jobs work on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    /// fio's null engine.
    Null,
    /// A file that is there.
    File,
    /// Files that are made.
    Made,
}

/// The file that is there: no multiple of any block but the smallest.
const FILE: u64 = 1_000_448;

struct Drawn {
    name: String,
    text: String,
    same: Same,
}

fn one_of<'a>(rng: &mut Rng, all: &[&'a str]) -> &'a str {
    all[rng.below(all.len() as u64) as usize]
}

fn one_in(rng: &mut Rng, n: u64) -> bool {
    rng.below(n) == 0
}

fn drawn(name: &str, on: On, rng: &mut Rng) -> Drawn {
    let mut text = format!("[{name}]\n");
    let mut add = |option: String| writeln!(text, "{option}").unwrap();
    let kinds: &[&str] = match on {
        On::Null => &[
            "read",
            "write",
            "randread",
            "randwrite",
            "rw",
            "randrw",
            "trim",
            "randtrim",
            "trimwrite",
            "randtrimwrite",
        ],
        _ => &["read", "write", "randread", "randwrite", "rw", "randrw"],
    };
    let rw = one_of(rng, kinds);
    let (random, mixed, pairs) = (
        rw.starts_with("rand"),
        rw.ends_with("rw"),
        rw.ends_with("trimwrite"),
    );
    let mut same = if mixed { Same::Sum } else { Same::All };
    let step = match (random, pairs, mixed) {
        (false, false, false) if one_in(rng, 5) => one_of(rng, &[":8k", ":64k", ":-16k"]),
        _ => "",
    };
    if mixed && one_in(rng, 4) {
        add(format!("rwmixread={}", one_of(rng, &["0", "100"])));
        same = Same::All;
    }
    // Where random I/Os follow each other, one that is over the end ends the job, sooner or later: no end is in a block.
    let in_runs = random && !pairs && !mixed && on != On::File && one_in(rng, 4);
    // Else a region of whole sectors that is rarely one of whole blocks.
    let size = match in_runs {
        true => (2 + rng.below(10)) * 65_536,
        false => (130 + rng.below(800)) * 512,
    };
    let run = in_runs && one_in(rng, 2);
    add(format!("rw={rw}{}", if run { ":5" } else { step }));
    let io_size = match rng.below(6) {
        0 => Some(512 * (1 + rng.below(size / 512))),
        1 => Some(size + 512 * rng.below(size / 512)),
        _ => None,
    };
    let several = step.is_empty() && !pairs && !in_runs && one_in(rng, 4);
    let no_map = random && one_in(rng, 3);
    match several {
        false => add(format!(
            "bs={}",
            one_of(rng, &["512", "3k", "4k", "4k", "8k", "16k", "64k"])
        )),
        true => {
            add(one_of(
                rng,
                &[
                    "bsrange=4k-32k",
                    "bssplit=4k/30:8k/30:16k/40",
                    "bsrange=1k-64k",
                    "bssplit=4k/10:64k",
                ],
            )
            .to_owned());
            same = match (no_map, mixed, io_size) {
                (false, false, None) => Same::Bytes,
                _ => Same::Within(
                    io_size.unwrap_or(size).min(size) - 4_095,
                    io_size.unwrap_or(size).max(size) + 65_536,
                ),
            };
        }
    }
    if no_map {
        add("norandommap".to_owned());
    }
    if on == On::File && one_in(rng, 3) {
        add(format!("size={}%", 10 + rng.below(70)));
        if let Some(_) = io_size {
            add(format!("io_size={}%\nbs=8k", 40 + rng.below(61)));
        }
        if let Same::Within(..) = same {
            same = Same::Within(0, FILE);
        }
    } else {
        add(format!("size={size}"));
        if let Some(bytes) = io_size {
            add(format!("io_size={bytes}"));
        }
    }
    // fio loses its way between the trim and the write of a pair behind an offset.
    if rw != "randtrimwrite" && one_in(rng, 4) {
        let percent = on == On::File && one_in(rng, 2);
        add(match percent {
            true => format!("offset={}%", 1 + rng.below(40)),
            false => format!("offset={}", 512 * rng.below(800)),
        });
    }
    let copies = if one_in(rng, 4) { 1 + rng.below(3) } else { 1 };
    if copies > 1 {
        add(format!("numjobs={copies}"));
        if one_in(rng, 2) {
            add("offset_increment=16k".to_owned());
        }
    }
    if one_in(rng, 5) && !several {
        add(format!("number_ios={}", 1 + rng.below(150)));
    }
    if one_in(rng, 5) && !several && (!mixed || io_size.is_none()) {
        add(format!("loops={}", 2 + rng.below(2)));
    }
    if on != On::File && one_in(rng, 5) && step.is_empty() && !several && !pairs && !in_runs {
        add("bs=4k".to_owned());
        add(format!("nrfiles={}", 2 + rng.below(3)));
        add(format!(
            "file_service_type={}",
            one_of(rng, &["roundrobin", "sequential", "random", "roundrobin:4"])
        ));
    } else if one_in(rng, 6) && !several && !mixed && !random && step.is_empty() && !pairs {
        add("zonemode=strided\nzonesize=32k\nzonerange=32k\nzoneskip=16k".to_owned());
    }
    if in_runs && !run {
        add("percentage_random=50".to_owned());
    }
    if on == On::Null && one_in(rng, 3) {
        add(format!("iodepth={}", 1 + rng.below(16)));
    }
    if on != On::Null && rw.ends_with("write") && one_in(rng, 3) {
        add(format!("fsync={}", 1 + rng.below(20)));
    }
    if !one_in(rng, 4) {
        add("stonewall".to_owned());
    }
    Drawn {
        name: name.to_owned(),
        text,
        same,
    }
}

/// Jobs whose rate is limited, all at once.
fn limited(n: u64, rng: &mut Rng) -> Drawn {
    let name = format!("rate{n}");
    let rw = one_of(rng, &["read", "randwrite", "randread", "write", "randtrim"]);
    let rate = match rng.below(3) {
        0 => format!("rate={}k", 400 + 4 * rng.below(1_000)),
        _ => format!("rate_iops={}", 100 + rng.below(1_500)),
    };
    let more = one_of(
        rng,
        &[
            "",
            "iodepth=4\n",
            "thinktime=500\nthinktime_blocks=20\n",
            "numjobs=2\n",
        ],
    );
    let text =
        format!("[{name}]\nrw={rw}\nbs=4k\nsize=1m\ntime_based\nruntime=1500ms\n{rate}\n{more}");
    Drawn {
        name,
        text,
        same: Same::Rates,
    }
}

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
    let named = target(&jobs, Some(on)).unwrap();
    let consent = Consent {
        destroy_data: true,
        confirm: Some(on.to_owned()),
    };
    let prepared = prepare(jobs, named, consent, 1).unwrap_or_else(|why| panic!("{why}\n{text}"));
    let (jobs, ran) = prepared.run(1, &mut Silent, &Interrupt::new()).unwrap();
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
            let all = ["iops", "bw_bytes"].map(|key| both(key));
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

fn all_alike(test: &str, on: On, seed: u64) {
    let mut all = Vec::new();
    let mut jobs = 0;
    for n in 0..FILES {
        let mut rng = Rng::new(seed + n);
        let folder = tempfile::tempdir().unwrap();
        let grouped = n == FILES - 1;
        let mut global = "[global]\n".to_owned();
        if grouped {
            global += "group_reporting\n";
        }
        let at = match on {
            On::Null => {
                global += "ioengine=null\n";
                "null:?service=1us".to_owned()
            }
            On::File => {
                let file = folder.path().join("file");
                std::fs::write(&file, vec![1; FILE as usize]).unwrap();
                global += &format!("filename={}\nfallocate=none\n", file.display());
                file.display().to_string()
            }
            On::Made => {
                global += &format!("directory={}\nfallocate=none\n", folder.path().display());
                folder.path().display().to_string()
            }
        };
        let mut drawn: Vec<Drawn> = (0..JOBS)
            .map(|job| self::drawn(&format!("j{job}"), on, &mut rng))
            .collect();
        if grouped {
            // Jobs of a line have one measure.
            drawn.retain(|drawn| matches!(drawn.same, Same::All | Same::Sum));
        }
        jobs += drawn.len();
        let text = drawn.iter().fold(global, |all, drawn| all + &drawn.text);
        let here = ours(&text, &at);
        let Some(fio) = fios(folder.path(), &text) else {
            return fixtures::skip::skip(test, "fio is missing");
        };
        all.extend(differences(&drawn, grouped, &fio, &here));
    }
    assert!(
        all.is_empty(),
        "{} of {jobs} jobs differ:\n{}",
        all.len(),
        all.join("\n")
    );
}

#[test]
fn drawn_jobs_on_the_null_engine_move_what_fio_moves() {
    all_alike(
        "drawn_jobs_on_the_null_engine_move_what_fio_moves",
        On::Null,
        100,
    );
}

#[test]
fn drawn_jobs_on_a_file_move_what_fio_moves() {
    all_alike("drawn_jobs_on_a_file_move_what_fio_moves", On::File, 200);
}

#[test]
fn drawn_jobs_on_files_of_their_own_move_what_fio_moves() {
    all_alike(
        "drawn_jobs_on_files_of_their_own_move_what_fio_moves",
        On::Made,
        300,
    );
}

#[test]
fn drawn_rates_are_those_of_fio() {
    let mut rng = Rng::new(400);
    let drawn: Vec<Drawn> = (0..12).map(|n| limited(n, &mut rng)).collect();
    let global = "[global]\nioengine=null\n".to_owned();
    let text = drawn.iter().fold(global, |all, drawn| all + &drawn.text);
    let here = ours(&text, "null:?service=1us");
    // fio keeps a rate by the machine's clock: where others kept it from its processor, it is asked again.
    let mut all = Vec::new();
    for _ in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let Some(fio) = fios(folder.path(), &text) else {
            return fixtures::skip::skip("drawn_rates_are_those_of_fio", "fio is missing");
        };
        all = differences(&drawn, false, &fio, &here);
        if all.is_empty() {
            return;
        }
    }
    panic!("{} differ:\n{}", all.len(), all.join("\n"));
}
