//! The disk model beside six real disks.
//!
//! Programs can find out nearly everything of a disk by timing its answers: where blocks lie, the seek curve
//! point by point, what the buffer does. The validation set of DiskSim 4.0 has such descriptions of six SCSI
//! disks of the 1990s, and ten thousand requests on each with the response times that the real disk had. Their
//! zones, seek curves and spindles are put into the model that the catalogue's disks have
//! ([`sim::hdd::geometry`], [`sim::hdd::seek`], [`sim::hdd::track_pass`]), under a controller of their time
//! ([`controller`]), and the requests are replayed: one at a time, the next one as long after the *simulated*
//! end of this one as it was after the real end. No value is fitted to a trace.
//!
//! How far two distributions of response times are apart is the demerit figure of Ruemmler and Wilkes ("An
//! introduction to disk drive modeling", IEEE Computer 27(3), 1994): both lists sorted, the root mean square of
//! the differences by rank.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in a test a panic is the finding"
)]

mod buffer;
mod controller;
mod disk;
mod file;

use std::io::Read;

use file::DiskFile;

/// What a model that reads the same files reaches, in milliseconds.
const BARS: [(&str, f64); 6] = [
    ("hp-c3323a", 0.289),
    ("ibm-18es-dnes-309170w", 0.136),
    ("quantum-atlas-10k", 0.159),
    ("quantum-atlas-iii", 0.378),
    ("seagate-barracuda-4lp-st32171w", 0.348),
    ("seagate-cheetah-9lp-st39102lw", 0.107),
];

fn data(file: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/measured_disks/data");
    std::fs::read(format!("{folder}/{file}")).unwrap()
}

fn read_file(name: &str) -> DiskFile {
    toml::from_str(&String::from_utf8(data(&format!("{name}.toml"))).unwrap()).unwrap()
}

/// Replays a disk's trace; gives the simulated and the measured responses in milliseconds.
fn replay(name: &str) -> (Vec<f64>, Vec<f64>) {
    let packed = data(&format!("{name}.csv.gz"));
    let mut text = String::new();
    let mut unpacked = flate2::read::MultiGzDecoder::new(packed.as_slice());
    unpacked.read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("op,lba_512,blocks,response_us,think_us"));
    let mut disk = read_file(name).disk();
    let mut now = 0;
    let both = lines.map(|line| {
        let columns: Vec<&str> = line.split(',').collect();
        let number = |index: usize| columns[index].parse::<f64>().unwrap();
        let (block, blocks) = (number(1) as u64, number(2) as u64);
        let end = match columns[0] {
            "R" => disk.read(now, (block, block + blocks)),
            "W" => disk.write(now, (block, block + blocks)),
            other => panic!("op is '{other}', not R or W"),
        };
        let simulated = (end - now) as f64 / 1e6;
        now = end + (number(4) * 1e3 + 0.5) as u64;
        (simulated, number(3) / 1e3)
    });
    both.unzip()
}

fn demerit((mut simulated, mut measured): (Vec<f64>, Vec<f64>)) -> f64 {
    simulated.sort_unstable_by(f64::total_cmp);
    measured.sort_unstable_by(f64::total_cmp);
    let pairs = simulated.iter().zip(&measured);
    let squares: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
    libm::sqrt(squares / measured.len() as f64)
}

#[test]
fn the_model_comes_as_near_to_six_real_disks_as_their_parameters_allow() {
    for (name, bar) in BARS {
        let demerit = demerit(replay(name));
        assert!(demerit <= 1.02 * bar, "{name}: {demerit} above {bar}");
    }
}

#[test]
fn the_zones_hold_as_many_blocks_as_the_files_say() {
    for (name, _) in BARS {
        let file = read_file(name);
        let held = file.geometry().blocks();
        assert_eq!(held, file.layout_block_count, "{name}");
    }
}
