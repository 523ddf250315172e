//! An independent reader of fio's JSON and logs plots our output: fio-plot, from Python's package index.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod on_target;

use std::path::Path;
use std::process::Command;

use fio::file::{Nothing, read};
use fio::job::jobs;
use fio::output::{Form, Moment, entries, output};
use targets::Consent;

/// A run's JSON and logs in a directory, under the names that fio-plot expects.
fn measure(depth: u32, folder: &Path) {
    let log = format!("randread-iodepth-{depth}-numjobs-1");
    let text = format!(
        "[global]\nioengine=libaio\nbs=4k\nrw=randread\nsize=64m\niodepth={depth}\nnumjobs=1\ntime_based\nruntime=3\n\
         log_avg_msec=250\nwrite_bw_log={log}\nwrite_lat_log={log}\nwrite_iops_log={log}\n[randread]\n"
    );
    let file = read("a.fio", &text, &Nothing).unwrap();
    let target = "model:samsung-840-evo-750gb";
    let (jobs, ran) = on_target::run(jobs(&file).unwrap(), target, Consent::default()).unwrap();
    let at = Moment {
        unix_ms: 1_795_431_560_310,
        text: "Mon Nov 23 10:59:20 2026".to_owned(),
    };
    let json = output(Form::Json, &file, &entries(&jobs, &ran), &at);
    std::fs::write(folder.join(format!("randread-{depth}-1.json")), json).unwrap();
    for log in ran.iter().flat_map(|ran| &ran.logs) {
        std::fs::write(folder.join(&log.name), &log.text).unwrap();
    }
}

#[test]
fn fio_plot_draws_bars_a_landscape_and_lines_from_our_output() {
    let program = std::env::var("FIO_PLOT").unwrap_or("fio-plot".to_owned());
    if Command::new(&program).arg("--help").output().is_err() {
        return fixtures::skip::skip(
            "fio_plot_draws_bars_a_landscape_and_lines_from_our_output",
            "fio-plot is missing (pip install fio-plot; FIO_PLOT names it)",
        );
    }
    let folder = tempfile::tempdir().unwrap();
    for depth in [1, 4, 16] {
        measure(depth, folder.path());
    }
    for (name, kind) in [
        ("bars.png", &["-l", "-d", "1", "4", "16"][..]),
        ("landscape.png", &["-L", "-t", "iops"][..]),
        (
            "lines.png",
            &["-g", "-t", "iops", "lat", "-d", "1", "4", "16", "-n", "1"][..],
        ),
        (
            "bandwidth.png",
            &["-g", "-t", "bw", "-d", "16", "-n", "1"][..],
        ),
    ] {
        let picture = folder.path().join(name);
        let drawn = Command::new(&program)
            .args(["-T", "drivelab", "-r", "randread", "-i"])
            .arg(folder.path())
            .arg("-o")
            .arg(&picture)
            .args(kind)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&drawn.stdout).into_owned()
            + &String::from_utf8_lossy(&drawn.stderr);
        let size = std::fs::metadata(&picture).map_or(0, |file| file.len());
        assert!(
            drawn.status.success() && size > 10_000,
            "{name}: {size} bytes; {said}"
        );
    }
}
