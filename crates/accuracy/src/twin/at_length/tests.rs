//! A small drive that was overwritten at the same addresses again and again, and who finds out how it collects.

use base::interrupt::Interrupt;
use base::size::Bytes;
use base::time::Duration;
use base::workload::{Job, Order, Span, Stop, Workload};

use super::super::MakeTwin;
use super::super::candidate::Candidate;
use super::super::measured::{Given, Session, Step};
use super::super::structure::Structure;
use super::*;

const CAPACITY: u64 = 8_000_000_000;

/// A drive of 8 GB; with so many streams of writes, where that is said.
fn small_drive(folder: &std::path::Path, streams: Option<u32>) -> Candidate {
    let value = |key: &str, value: u32| {
        format!("{key} = {{ value = {value}, source = \"estimated\", why = \"small\" }}\n")
    };
    let head = "[drive]\nkind = \"sata-tlc\"\ntitle = \"x\"\nmaker = \"x\"\nyear = 2020\ninterface = \"sata-6\"\n";
    let nand = value("channels", 4) + &value("dies", 4) + &value("blocks_a_plane", 116);
    let slc = value("size_gb", 0) + &value("dynamic_share", 0);
    let background = streams.map_or(String::new(), |streams| {
        format!("[ssd.background]\n{}", value("write_streams", streams))
    });
    let head = format!(
        "{head}capacity_bytes = {CAPACITY}\n[ssd.nand]\n{nand}[ssd.slc]\n{slc}{background}"
    );
    let path = folder.join(format!("{streams:?}.toml"));
    std::fs::write(&path, &head).unwrap();
    Candidate {
        kind: "sata-tlc".to_owned(),
        title: "x".to_owned(),
        interface: "sata-6".parse().unwrap(),
        has_discs: false,
        path: path.to_str().unwrap().to_owned(),
        head,
        structure: Vec::new(),
        is_admitted: true,
    }
}

/// Runs of 20 s that write the same addresses, as benchmarks with one seed do; every other one counts.
fn overwritten_again() -> Measured {
    let block = Bytes::kib(4);
    let span = Span::first(Bytes::new(CAPACITY).round_down(block));
    let job = Job::closed("again", Op::Write, Order::Random, span, block, 8);
    let stop = Stop {
        time: Some(Duration::from_secs(20)),
        ..Stop::default()
    };
    let mut measured = Measured {
        name: "x".to_owned(),
        capacity: Bytes::new(CAPACITY),
        rotational: Some(false),
        link: "sata-6".to_owned(),
        host: None,
        sessions: Vec::new(),
        workloads: Vec::new(),
        figures: Vec::new(),
        fill: None,
        structure: Structure::default(),
        left_out: Vec::new(),
    };
    let step = |gives| Step {
        work: Workload::single(job.clone(), stop, 1),
        gives,
    };
    let mut whole = Vec::new();
    for run in 0..4 {
        let rate = Given {
            op: Op::Write,
            what: Statistic::Rate,
            value: 1.0,
            noise: 0.0,
        };
        let gives = measured.add_workload(run, "again", &[rate]);
        whole.extend([step(None), step(Some(gives))]);
    }
    measured.sessions.push(Session {
        state: "steady-random".parse().unwrap(),
        steps: whole.clone(),
        whole,
    });
    measured
}

/// What is found at full length of a drive whose file says so many streams.
fn found_of(streams: Option<u32>) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (asked, interrupt) = (MakeTwin::default(), Interrupt::new());
    let mut measured = overwritten_again();
    let hidden = small_drive(folder.path(), streams);
    let gave = Bench::new(&measured, &hidden, &asked, &interrupt)
        .whole(&[])
        .unwrap();
    for (figure, gave) in measured.figures.iter_mut().zip(gave) {
        figure.measured = gave;
    }
    let plain = small_drive(folder.path(), None);
    let bench = Bench::new(&measured, &plain, &asked, &interrupt);
    let mut found = Found::default();
    at_length(&measured, &bench, &mut found).unwrap();
    found.values().into_iter().map(|(key, _)| key).collect()
}

#[test]
fn a_drive_that_writes_what_it_moves_beside_the_hosts_data_is_found_so_at_full_length() {
    assert_eq!(found_of(Some(1)), ["ssd.background.write_streams"]);
}

#[test]
fn a_drive_that_collects_as_its_kind_does_is_left_alone() {
    assert_eq!(found_of(None), Vec::<String>::new());
}
