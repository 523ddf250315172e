//! A rescue of block devices: read sector by sector, and never written without permission.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
mod loop_device;

use command::Place;
use loop_device::LoopDevice;

#[test]
fn a_device_is_copied_to_a_file_and_to_another_device_that_was_named() {
    const TEST: &str = "a_device_is_copied_to_a_file_and_to_another_device_that_was_named";
    let place = Place::new();
    let (Some(source), Some(sink)) = (
        LoopDevice::attach_or_skip(TEST, 4),
        LoopDevice::attach_or_skip(TEST, 5),
    ) else {
        return;
    };
    let before = source.content();
    place.ok(&["rescue", source.node(), "copy.img", "--block", "64KiB"]);
    assert!(std::fs::read(place.path("copy.img")).unwrap() == before);
    let damaged = format!("fault({})?bad=1MiB+512", source.node());
    let map = ["--map", "device.map"];
    let refused = ["rescue", &damaged, sink.node(), map[0], map[1]];
    let untouched = sink.content();
    place.fails(&refused, 2, &["--destroy-data"]);
    assert!(sink.content() == untouched);
    let mut allowed = refused.to_vec();
    allowed.extend(["--destroy-data", "--confirm", sink.backing()]);
    let ended = place.run(&allowed);
    if ended
        .stderr
        .contains("cannot determine who else has it open")
    {
        eprintln!("{TEST}: refused, since this machine does not show who holds the device open");
        assert_eq!(ended.code, Some(2));
        ended.is_one_line(&["is not overwritten"]);
        assert!(sink.content() == untouched, "a refused rescue wrote");
        return;
    }
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let (mut expected, lost) = (before.clone(), 1 << 20..(1 << 20) + 512);
    let after = sink.content();
    // On a device, what is lost keeps what was there.
    expected[lost.clone()].copy_from_slice(&untouched[lost]);
    assert!(after[..before.len()] == expected);
    assert!(after[before.len()..] == untouched[before.len()..]);
    assert!(source.content() == before, "the source was written");
}

#[test]
fn a_device_that_copies_go_to_is_known_by_another_path_and_another_device_of_its_path_is_not() {
    const TEST: &str =
        "a_device_that_copies_go_to_is_known_by_another_path_and_another_device_of_its_path_is_not";
    let place = Place::new();
    let (Some(source), Some(sink), Some(other)) = (
        LoopDevice::attach_or_skip(TEST, 4),
        LoopDevice::attach_or_skip(TEST, 5),
        LoopDevice::attach_or_skip(TEST, 5),
    ) else {
        return;
    };
    let untouched = other.content();
    let link = place.path("link");
    let link = link.to_str().unwrap();
    let to = |destination: &str, confirm: &str| {
        let ends = ["rescue", source.node(), destination, "--map", "device.map"];
        place.run(&[&ends[..], &["--destroy-data", "--confirm", confirm]].concat())
    };
    std::os::unix::fs::symlink(sink.node(), link).unwrap();
    // Where nobody can tell who holds the device open it is not written, but the map is there.
    to(link, sink.backing());
    assert!(place.path("device.map").exists());
    let again = to(sink.node(), sink.backing());
    assert!(!again.stderr.contains("did not make it"), "{again:?}");
    std::fs::remove_file(link).unwrap();
    std::os::unix::fs::symlink(other.node(), link).unwrap();
    let elsewhere = to(link, other.backing());
    assert_eq!(elsewhere.code, Some(2), "{elsewhere:?}");
    elsewhere.is_one_line(&["did not make it"]);
    assert!(other.content() == untouched, "a refused rescue wrote");
}

#[test]
fn the_file_behind_a_device_a_smaller_one_and_the_device_itself_are_refused() {
    const TEST: &str = "the_file_behind_a_device_a_smaller_one_and_the_device_itself_are_refused";
    let place = Place::new();
    let (Some(source), Some(small)) = (
        LoopDevice::attach_or_skip(TEST, 4),
        LoopDevice::attach_or_skip(TEST, 2),
    ) else {
        return;
    };
    let before = (source.content(), small.content());
    let to = |destination: &str, says: &str| {
        let arguments = ["rescue", source.node(), destination, "--map", "m"];
        let mut allowed = arguments.to_vec();
        allowed.extend(["--destroy-data", "--confirm", destination]);
        place.fails(&allowed, 2, &[says]);
    };
    to(source.backing(), "is the file behind");
    to(source.node(), "another drive");
    to(small.node(), "name a larger destination");
    assert!((source.content(), small.content()) == before);
}
