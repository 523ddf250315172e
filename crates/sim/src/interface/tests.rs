//! Names, rates and slots.

use super::*;

fn interface(name: &str) -> Interface {
    Interface::parse(name).unwrap()
}

fn read_mb_s(name: &str) -> f64 {
    interface(name).rates().0
}

#[test]
fn a_name_is_read_as_it_is_written() {
    for name in [
        "sata-1.5", "sata-3", "sata-6", "pata-33", "pata-66", "pata-100", "pata-133", "usb-2",
        "usb-3", "sas-6", "sas-12", "pcie1x1", "pcie3x4", "pcie4x2", "pcie5x8",
    ] {
        assert_eq!(interface(name).to_string(), name);
    }
    for name in [
        "sata", "sata-12", "sas-3", "pcie3", "pcie6x4", "pcie3x3", "pata-1",
    ] {
        assert_eq!(Interface::parse(name), None, "{name}");
    }
}

#[test]
fn a_generation_is_twice_the_one_before_it() {
    let twice = |slow: &str, fast: &str| {
        let share = read_mb_s(fast) / read_mb_s(slow);
        assert!((share - 2.0).abs() < 1e-9, "{slow} {fast} {share}");
    };
    twice("sata-1.5", "sata-3");
    twice("sata-3", "sata-6");
    twice("sas-6", "sas-12");
    twice("pcie1x4", "pcie2x4");
    twice("pcie3x4", "pcie4x4");
    twice("pcie3x2", "pcie3x4");
    assert!((read_mb_s("sata-6") - 558.0).abs() < 0.1);
    // 4 lanes of 984.6 MB/s, 89.8 % of them.
    assert!((read_mb_s("pcie3x4") - 3_536.7).abs() < 0.1);
}

#[test]
fn the_slower_of_drive_and_slot_sets_the_rate() {
    let drive = LinkTimes {
        read: PicosPerByte::from_mb_s(540.0),
        ..interface("sata-6").link()
    };
    let own = interface("sata-6");
    let none = Slot::of(own, None).unwrap();
    assert_eq!(none.narrows(drive), drive);
    let slow = Slot::of(own, Some("sata-3")).unwrap();
    assert_eq!(slow.narrows(drive).read, interface("sata-3").link().read);
    assert_eq!(
        slow.narrows(drive).command,
        interface("sata-3").link().command
    );
    assert_eq!(slow.queue(32), 32);
    // A faster slot changes nothing.
    let old = interface("sata-3").link();
    let fast = Slot::of(interface("sata-3"), Some("sata-6")).unwrap();
    assert_eq!(fast.narrows(old), old);
}

#[test]
fn a_bridge_adds_its_time_and_takes_the_queue_away() {
    let own = interface("sata-6");
    let bridge = Slot::of(own, Some("usb-2")).unwrap();
    let link = bridge.narrows(own.link());
    assert_eq!(bridge.queue(32), 1);
    assert_eq!(link.read, PicosPerByte::from_mb_s(42.0));
    assert_eq!(
        link.command,
        own.link().command + Duration::from_micros(125)
    );
    assert_eq!(bridge.bridge_ns(), 250_000);
    let nvme = Slot::of(interface("pcie3x4"), Some("usb-3")).unwrap();
    assert_eq!(
        nvme.narrows(interface("pcie3x4").link()).duplex,
        Duplex::Half
    );
}

#[test]
fn a_slot_that_the_drive_does_not_fit_is_refused_with_those_that_it_fits() {
    let error = Slot::of(interface("sata-6"), Some("pcie3x4")).unwrap_err();
    assert!(error.to_string().contains("sata-3"), "{error}");
    let error = Slot::of(interface("pcie3x4"), Some("sata-6")).unwrap_err();
    assert!(error.to_string().contains("pcie5x8"), "{error}");
    assert!(Slot::of(interface("pata-133"), Some("sata-6")).is_ok());
}

#[test]
fn a_sata_line_is_full_at_as_many_small_reads_as_drives_reach() {
    let reads_a_second = |name: &str| {
        let link = interface(name).link();
        let data = link.read.time_for(base::size::Bytes::kib(4));
        1.0 / (link.command + data + link.status).as_secs_f64()
    };
    let three = reads_a_second("sata-3");
    assert!((52_000.0..53_000.0).contains(&three), "{three}");
    let six = reads_a_second("sata-6");
    assert!((97_000.0..101_000.0).contains(&six), "{six}");
    // Twice as long at half the rate, but for what the line has no part in.
    let one = reads_a_second("sata-1.5");
    assert!((26_000.0..28_000.0).contains(&one), "{one}");
}
