//! What the hosts of the catalogue do to a drive's figures.

use base::io::Op;
use base::run::{Unwatched, run};
use base::size::Bytes;
use base::workload::{Job, Order, Span, Stop, Workload};

use crate::catalogue::{ModelOptions, open};
use crate::virtual_time::Virtual;

const DRIVE: &str = "samsung-840-evo-750gb";

fn on_host(host: &str) -> ModelOptions {
    ModelOptions {
        state: "full-in-order".parse().unwrap(),
        host: Some(host.to_owned()),
        seed: 1,
        ..ModelOptions::default()
    }
}

/// Mean time of a read in us, reading for a while.
fn read_us(host: &str, order: Order, size: Bytes, depth: u32) -> f64 {
    let mut target = Virtual::new(open(DRIVE, &on_host(host)).unwrap().model);
    let job = Job::closed(
        "a",
        Op::Read,
        order,
        Span::first(Bytes::gib(8)),
        size,
        depth,
    );
    let stop = Stop {
        ios: Some(4_000),
        ..Stop::default()
    };
    let record = run(
        &mut target,
        "a",
        &Workload::single(job, stop, 7),
        &mut Unwatched,
    )
    .unwrap();
    record.took.as_secs_f64() * 1e6 / record.jobs[0].ops[Op::Read as usize].ios as f64
}

#[test]
fn ide_mode_gains_nothing_from_a_queue_and_ahci_does() {
    let four = Bytes::kib(4);
    let one = read_us("windows-xp-ide", Order::Random, four, 1);
    let deep = read_us("windows-xp-ide", Order::Random, four, 32);
    assert!(deep > 0.75 * one, "{one} us alone, {deep} us queued");
    let ahci = read_us("windows-xp-2009", Order::Random, four, 32);
    assert!(ahci < 0.3 * one, "{one} us alone, {ahci} us queued");
}

#[test]
fn the_computers_port_is_a_ceiling_for_the_drive() {
    let mb_s = |host| 131_072.0 / read_us(host, Order::Sequential, Bytes::kib(128), 32);
    let (old, new) = (mb_s("windows-xp-2009"), mb_s("windows7-ahci"));
    assert!(old < 300.0 && new > 1.8 * old, "{old} and {new} MB/s");
}

#[test]
fn a_lone_read_takes_as_much_longer_as_the_computer_is_slower() {
    let alone = |host| read_us(host, Order::Random, Bytes::kib(4), 1);
    let none = alone("none");
    for (host, least, most) in [
        ("hdt-201a", 1.0, 4.0),
        ("linux-uring", 8.0, 12.0),
        ("windows7-ahci", 12.0, 20.0),
        ("windows7-rst", 12.0, 20.0),
        ("windows11-nvme", 12.0, 20.0),
    ] {
        let more = alone(host) - none;
        assert!((least..=most).contains(&more), "{host}: {more} us more");
    }
}

#[test]
fn a_long_access_is_cut_where_the_driver_cuts_it() {
    let mib = Bytes::mib(1);
    // Here and there, since a drive reads ahead of one that continues.
    let ide = read_us("windows-xp-ide", Order::Random, mib, 1);
    let ahci = read_us("windows-xp-2009", Order::Random, mib, 1);
    // Eight commands in turn against eight side by side: each waits once more for its first data, which come
    // the sooner the less the dies are in step (4,318 us with cells that all take their mean, 4,229 as they are).
    assert!(
        ide > 1.07 * ahci,
        "{ide} us in IDE mode, {ahci} us with AHCI"
    );
}
