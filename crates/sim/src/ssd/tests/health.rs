//! What the drive says of its health is what it was made to do.

use super::*;
use base::health::{Condition, Health};

fn health(drive: &Virtual<Drive>) -> Health {
    drive.health().unwrap()
}

fn host_written(drive: &Virtual<Drive>) -> u64 {
    health(drive).host_written.unwrap().bytes.unwrap().get()
}

fn flash_written(drive: &Virtual<Drive>) -> u64 {
    health(drive).nand_written.unwrap().bytes.unwrap().get()
}

#[test]
fn a_new_drive_has_written_nothing_and_reading_changes_nothing() {
    let mut drive = drive(small(360, 110_000));
    reads(&mut drive, Order::Random, 4, 4, 1_000);
    assert_eq!((host_written(&drive), flash_written(&drive)), (0, 0));
    assert!(health(&drive).mean_erases.unwrap() < f64::EPSILON);
    assert_eq!(health(&drive).assess().condition, Condition::Good);
}

#[test]
fn the_hosts_bytes_are_counted_to_the_byte_and_the_flash_holds_no_fewer() {
    let mut drive = drive(small(360, 110_000));
    writes(&mut drive, Order::Sequential, 128, 4, 800);
    assert_eq!(host_written(&drive), 800 * 128 * 1_024);
    let sectors = job(Op::Write, Order::Random, Bytes::SECTOR, 4, &drive);
    go(&mut drive, sectors, 1_000);
    assert_eq!(host_written(&drive), 800 * 128 * 1_024 + 1_000 * 512);
    rest(&mut drive, Duration::from_secs(1));
    assert!(flash_written(&drive) >= 800 * 128 * 1_024);
}

#[test]
fn random_overwriting_wears_the_flash_more_than_the_host_writes() {
    let mut drive = in_state(small(360, 110_000), "full-in-order");
    writes(&mut drive, Order::Random, 4, 32, 440_000);
    let before = (host_written(&drive), flash_written(&drive));
    let erases = health(&drive).mean_erases.unwrap();
    writes(&mut drive, Order::Random, 4, 32, 220_000);
    let host = (host_written(&drive) - before.0) as f64;
    let flash = (flash_written(&drive) - before.1) as f64;
    assert!(flash / host > 2.0, "{}", flash / host);
    // Each erase makes room for a block of 384 pages over four dies.
    let erased = health(&drive).mean_erases.unwrap() - erases;
    let room = erased * 360.0 * 384.0 * PAGE as f64;
    near(flash / room, 1.0, 0.02);
}
