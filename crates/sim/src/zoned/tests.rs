//! Zones against what ZBC and ZNS say, and what commands to them take against closed forms.

use super::*;
use crate::layer::tests::even::Even;
use base::zone::ZoneKind;

const MIB: u64 = 1 << 20;

fn mib(n: u64) -> Bytes {
    Bytes::mib(n)
}

fn rules() -> Rules {
    Rules {
        length: mib(4),
        capacity: mib(3),
        zones: 8,
        conventional: 1,
        max_open: Some(2),
        max_active: Some(3),
        max_append: Some(mib(1)),
        unrestricted_reads: false,
    }
}

fn table() -> ZoneTable {
    ZoneTable::new(rules(), false)
}

fn conditions(table: &mut ZoneTable) -> Vec<Condition> {
    let zones = table.report(Bytes::ZERO, 8).unwrap();
    zones.iter().map(|zone| zone.condition).collect()
}

#[test]
fn a_write_is_taken_at_the_pointer_and_nowhere_else() {
    let mut table = table();
    let four = Bytes::kib(4);
    assert_eq!(
        table.write(mib(4) + four, four),
        Err(ZoneError::UnalignedWrite)
    );
    assert!(table.write(mib(4), four).is_ok());
    assert_eq!(table.write(mib(4), four), Err(ZoneError::UnalignedWrite));
    assert!(table.write(mib(4) + four, four).is_ok());
    let zone = table.report(mib(5), 1).unwrap()[0];
    assert_eq!(
        (zone.start, zone.write_pointer),
        (mib(4), mib(4) + Bytes::kib(8))
    );
    assert_eq!(zone.condition, Condition::ImplicitOpen);
    // A conventional zone is written anywhere.
    assert!(table.write(mib(1), four).is_ok() && table.write(Bytes::ZERO, four).is_ok());
    assert_eq!(
        table.report(Bytes::ZERO, 1).unwrap()[0].kind,
        ZoneKind::Conventional
    );
}

#[test]
fn a_zone_is_full_at_its_capacity_and_takes_nothing_before_a_reset() {
    let mut table = table();
    assert_eq!(table.write(mib(4), mib(4)), Err(ZoneError::Boundary));
    assert!(table.write(mib(4), mib(3)).is_ok());
    assert_eq!(conditions(&mut table)[1], Condition::Full);
    assert_eq!(table.in_use(), (0, 0));
    assert_eq!(table.write(mib(4), Bytes::kib(4)), Err(ZoneError::Full));
    let found = table.command(Zoning::Reset, mib(4)).unwrap();
    assert_eq!((found.was, found.written), (Condition::Full, 3 * MIB));
    assert!(table.write(mib(4), Bytes::kib(4)).is_ok());
}

#[test]
fn reads_end_at_the_pointer_unless_the_drive_lets_them() {
    let mut table = table();
    table.write(mib(4), mib(1)).unwrap();
    assert!(table.read(mib(4), mib(1)).is_ok());
    assert_eq!(table.read(mib(4), mib(2)), Err(ZoneError::ReadInvalidData));
    assert_eq!(table.read(mib(6), mib(2)), Err(ZoneError::Boundary));
    let free = Rules {
        unrestricted_reads: true,
        ..rules()
    };
    assert!(ZoneTable::new(free, false).read(mib(6), mib(2)).is_ok());
}

#[test]
fn a_write_beyond_the_open_limit_closes_what_a_write_opened_longest_ago() {
    let mut table = table();
    for zone in [1, 2, 3] {
        table.write(mib(4 * zone), Bytes::kib(4)).unwrap();
    }
    let now = conditions(&mut table);
    assert_eq!(now[1], Condition::Closed);
    assert_eq!(now[2..4], [Condition::ImplicitOpen; 2]);
    assert_eq!(table.in_use(), (2, 3));
    // Closed zones stay active: there is no fourth.
    assert_eq!(
        table.write(mib(16), Bytes::kib(4)),
        Err(ZoneError::TooManyActive)
    );
    table.command(Zoning::Finish, mib(4)).unwrap();
    assert!(table.write(mib(16), Bytes::kib(4)).is_ok());
}

#[test]
fn zones_that_commands_have_opened_are_not_closed_for_others() {
    let mut table = table();
    table.command(Zoning::Open, mib(4)).unwrap();
    table.command(Zoning::Open, mib(8)).unwrap();
    assert_eq!(
        table.command(Zoning::Open, mib(12)),
        Err(ZoneError::TooManyOpen)
    );
    assert_eq!(
        table.write(mib(12), Bytes::kib(4)),
        Err(ZoneError::TooManyOpen)
    );
    table.command(Zoning::Close, mib(4)).unwrap();
    assert_eq!(conditions(&mut table)[1], Condition::Empty);
    assert!(table.write(mib(12), Bytes::kib(4)).is_ok());
    assert_eq!(
        table.command(Zoning::Reset, mib(5)),
        Err(ZoneError::InvalidTransition)
    );
    assert_eq!(
        table.command(Zoning::Close, mib(16)),
        Err(ZoneError::InvalidTransition)
    );
    assert_eq!(
        table.command(Zoning::Reset, Bytes::ZERO),
        Err(ZoneError::InvalidTransition)
    );
}

#[test]
fn appends_follow_each_other_at_the_places_that_the_drive_gives_out() {
    let mut table = table();
    let places = [0; 3].map(|_| table.append(mib(4), mib(1)).unwrap().1);
    assert_eq!(places, [mib(4), mib(5), mib(6)]);
    assert_eq!(table.append(mib(4), mib(1)), Err(ZoneError::Full));
    assert_eq!(
        table.append(mib(8), mib(2)),
        Err(ZoneError::InvalidTransition)
    );
}

#[test]
fn after_a_power_cut_nothing_is_open_and_pointers_stand_before_what_was_lost() {
    let mut table = table();
    table.write(mib(4), mib(2)).unwrap();
    table.command(Zoning::Open, mib(8)).unwrap();
    // What was lost is known by its place in the drive: the second zone begins after 3 MiB.
    table.power_cut([mib(4)].into_iter());
    let zones = table.report(mib(4), 2).unwrap();
    assert_eq!(zones[0].condition, Condition::Closed);
    assert_eq!(zones[0].write_pointer, mib(5));
    assert_eq!(zones[1].condition, Condition::Empty);
    assert_eq!(table.in_use(), (0, 1));
}

fn zones() -> Zones {
    Zones {
        length: mib(4),
        capacity: Some(mib(3)),
        conventional: 0,
        max_open: 2,
        max_active: 2,
        max_append: MIB,
        unrestricted_reads: true,
        manage: Duration::from_micros(10),
        first_write: Duration::from_micros(2),
        append: Duration::from_micros(3),
        append_interval: Duration::from_micros(8),
        zone_rate: None,
        reset_empty: Duration::from_millis(2),
        reset_written: Duration::from_millis(4),
        reset_full: Duration::from_millis(12),
        reset_gives_way: 0.5,
        finish: Duration::from_millis(1),
        finish_fills: true,
    }
}

/// Over a drive that takes any I/O in 100 us, any number at a time.
fn drive() -> ZonedDrive<Even> {
    ZonedDrive::new(
        Even::new(mib(24), Duration::from_micros(100)),
        zones(),
        false,
    )
}

/// How long an I/O takes alone, in microseconds, and how it ends.
fn alone(drive: &mut ZonedDrive<Even>, now: &mut Instant, io: &Io) -> (u64, Outcome) {
    let began = *now;
    drive.start(*now, Tag(0), io);
    let mut done = Vec::new();
    while done.is_empty() {
        *now = drive.next().expect("an I/O is in flight");
        drive.step(&mut done);
    }
    (done[0].at.since(began).as_nanos() / 1_000, done[0].outcome)
}

fn zone_io(what: Zoning, zone: u64) -> Io {
    Io::zone(what, mib(4 * zone), Bytes::kib(4))
}

#[test]
fn a_reset_takes_as_long_as_what_is_written_of_the_zone_asks_for() {
    let (mut drive, mut now) = (drive(), Instant::ZERO);
    let us = |drive: &mut _, now: &mut _, io| alone(drive, now, &io).0;
    assert_eq!(us(&mut drive, &mut now, zone_io(Zoning::Reset, 1)), 2_000);
    assert_eq!(us(&mut drive, &mut now, Io::write(mib(4), mib(1), 1)), 102);
    assert_eq!(us(&mut drive, &mut now, Io::write(mib(5), mib(1), 1)), 100);
    // Two thirds of it are written.
    assert_eq!(us(&mut drive, &mut now, zone_io(Zoning::Reset, 1)), 12_000);
}

#[test]
fn a_finish_fills_the_rest_of_the_zone_and_what_was_not_written_needs_no_erasing() {
    let (mut drive, mut now) = (drive(), Instant::ZERO);
    alone(&mut drive, &mut now, &Io::write(mib(4), mib(1), 1));
    // 2 MiB in pieces of 256 KiB, eight at a time: one round of 100 us.
    let (us, outcome) = alone(&mut drive, &mut now, &zone_io(Zoning::Finish, 1));
    assert_eq!((us, outcome), (1_100, Outcome::Complete));
    let (_, outcome) = alone(&mut drive, &mut now, &Io::write(mib(5), Bytes::kib(4), 1));
    assert_eq!(outcome, Outcome::Failed(ZoneError::Full.errno()));
    let (us, _) = alone(&mut drive, &mut now, &zone_io(Zoning::Reset, 1));
    assert_eq!(us, 8_000, "one third was written");
    assert_eq!(
        alone(&mut drive, &mut now, &zone_io(Zoning::Finish, 2)).0,
        10
    );
}

#[test]
fn a_reset_beside_other_io_takes_longer() {
    let (mut drive, mut now) = (drive(), Instant::ZERO);
    alone(&mut drive, &mut now, &Io::write(mib(4), mib(3), 1));
    let began = now;
    drive.start(now, Tag(1), &Io::read(mib(8), Bytes::kib(4)));
    drive.start(now, Tag(0), &zone_io(Zoning::Reset, 1));
    let mut done = Vec::new();
    while done.len() < 2 {
        drive.step(&mut done);
    }
    assert_eq!(done[1].at.since(began), Duration::from_millis(24));
}

#[test]
fn appends_pass_one_after_the_other() {
    let mut drive = drive();
    for tag in 0..4 {
        drive.start(
            Instant::ZERO,
            Tag(tag),
            &Io::append(mib(4), Bytes::kib(4), 1),
        );
    }
    let mut done = Vec::new();
    while done.len() < 4 {
        drive.step(&mut done);
    }
    let us: Vec<u64> = done.iter().map(|d| d.at.as_nanos() / 1_000).collect();
    // The first one opens the zone: 2 us more, and 3 us each; 8 us from one to the next.
    assert_eq!(us, [105, 111, 119, 127]);
}

#[test]
fn an_open_zone_too_many_is_answered_with_the_error_that_linux_gives() {
    let (mut drive, mut now) = (drive(), Instant::ZERO);
    for zone in [1, 2] {
        let (_, outcome) = alone(&mut drive, &mut now, &zone_io(Zoning::Open, zone));
        assert_eq!(outcome, Outcome::Complete);
    }
    let (_, outcome) = alone(&mut drive, &mut now, &zone_io(Zoning::Open, 3));
    assert_eq!(outcome, Outcome::Failed(ZoneError::TooManyActive.errno()));
}

#[test]
fn the_addresses_of_a_drive_reach_over_what_zones_do_not_hold() {
    let drive = drive();
    assert_eq!(drive.info().capacity, mib(32));
    // Nine tags are the drive's own.
    let inner = drive.inner.info().max_in_flight;
    assert_eq!(drive.info().max_in_flight, inner - 9);
}

#[test]
fn a_zone_on_few_dies_is_written_no_faster_than_they_are_and_others_beside_it() {
    let of = Zones {
        // 1 MiB takes 10 ms.
        zone_rate: Some(base::size::PicosPerByte::new(9_536)),
        first_write: Duration::ZERO,
        ..zones()
    };
    let inner = Even::new(mib(24), Duration::from_micros(100));
    let mut drive = ZonedDrive::new(inner, of, false);
    drive.start(Instant::ZERO, Tag(0), &Io::write(mib(4), mib(1), 1));
    drive.start(Instant::ZERO, Tag(1), &Io::write(mib(5), mib(1), 1));
    drive.start(Instant::ZERO, Tag(2), &Io::write(mib(8), mib(1), 1));
    let mut done = Vec::new();
    while done.len() < 3 {
        drive.step(&mut done);
    }
    let ms = |tag: u32| {
        let at = done.iter().find(|d| d.tag == Tag(tag)).unwrap().at;
        at.as_nanos() as f64 / 1e6
    };
    assert!((ms(0) - 0.1).abs() < 0.01 && (ms(2) - 0.1).abs() < 0.01);
    assert!((ms(1) - 10.1).abs() < 0.01, "{}", ms(1));
}

const DISK: &str = "wd-ultrastar-dc-hc620-14tb";
const FLASH: &str = "wd-ultrastar-dc-zn540-1tb";

fn opened(name: &str, without: &[&str]) -> Box<dyn Model> {
    let options = crate::catalogue::ModelOptions {
        without: without.iter().map(|&section| section.to_owned()).collect(),
        host: Some("none".to_owned()),
        ..Default::default()
    };
    crate::catalogue::open(name, &options).unwrap().model
}

/// How long each of some I/Os takes, one after the other, in microseconds, and how the last one ends.
fn one_by_one(model: &mut dyn Model, ios: impl Iterator<Item = Io>) -> (Vec<f64>, Outcome) {
    let (mut now, mut last) = (Instant::ZERO, Outcome::Complete);
    let took = ios.map(|io| {
        let (began, mut done) = (now, Vec::new());
        model.start(now, Tag(0), &io);
        while done.is_empty() {
            now = model.next().expect("an I/O is in flight");
            model.step(&mut done);
        }
        last = done[0].outcome;
        done[0].at.since(began).as_nanos() as f64 / 1e3
    });
    let took: Vec<f64> = took.collect();
    (took, last)
}

#[test]
fn catalogued_drives_have_the_zones_that_are_published_of_them() {
    let limits = |name: &str| opened(name, &[]).zoned().unwrap().limits();
    let disk = limits(DISK);
    assert_eq!((disk.zones, disk.zone_length), (52_156, mib(256)));
    assert_eq!((disk.max_open, disk.max_active), (Some(128), None));
    let flash = limits(FLASH);
    assert_eq!((flash.zones, flash.zone_length), (904, mib(2_048)));
    assert_eq!((flash.max_open, flash.max_active), (Some(14), Some(14)));
    assert_eq!(opened(FLASH, &[]).info().capacity, mib(904 * 2_048));
}

#[test]
fn without_its_zones_a_drive_is_the_same_one_written_anywhere() {
    for (name, section) in [(DISK, "hdd.zoned"), (FLASH, "ssd.zoned")] {
        // Behind the conventional zones, not at a pointer.
        let write = Io::write(mib(512 * 1_024 + 4), Bytes::kib(64), 1);
        let (_, refused) = one_by_one(&mut opened(name, &[]), std::iter::once(write));
        assert_eq!(
            refused,
            Outcome::Failed(ZoneError::UnalignedWrite.errno()),
            "{name}"
        );
        let mut plain = opened(name, &[section]);
        assert!(plain.zoned().is_none());
        let (_, taken) = one_by_one(&mut plain, std::iter::once(write));
        assert_eq!(taken, Outcome::Complete, "{name}");
    }
}

#[test]
fn in_order_a_zoned_disk_is_written_as_fast_as_the_same_one_without_zones() {
    let start = mib(512 * 1_024);
    let writes = || (0..128).map(move |i| Io::write(start + mib(i), mib(1), i));
    let total = |without: &[&str]| -> f64 {
        let (took, outcome) = one_by_one(&mut opened(DISK, without), writes());
        assert_eq!(outcome, Outcome::Complete);
        took.iter().sum()
    };
    let (zoned, plain) = (total(&[]), total(&["hdd.zoned"]));
    assert!(
        (zoned / plain - 1.0).abs() < 0.01,
        "{zoned} us against {plain}"
    );
}

#[test]
fn flash_finishes_a_zone_as_fast_as_it_is_written_and_resets_it_by_what_is_in_it() {
    let mut drive = opened(FLASH, &[]);
    let one = Io::write(Bytes::ZERO, Bytes::kib(4), 1);
    let finish = Io::zone(Zoning::Finish, Bytes::ZERO, Bytes::kib(4));
    let reset = Io::zone(Zoning::Reset, Bytes::ZERO, Bytes::kib(4));
    let (took, outcome) = one_by_one(&mut drive, [one, finish, reset].into_iter());
    assert_eq!(outcome, Outcome::Complete);
    // 1,077 MiB at the 1,230 MB/s of the way to the dies: 918 ms, where 908 were measured.
    assert!((took[1] / 908e3 - 1.0).abs() < 0.1, "{} us", took[1]);
    // One block of 275,712 was written.
    assert!((took[2] / 4_600.0 - 1.0).abs() < 0.01, "{} us", took[2]);
}
