//! A rescue copies every readable sector, lists the others exactly, continues from any point, and never writes to the
//! source.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::path::{Path, PathBuf};

use base::interrupt::Interrupt;
use base::rng::Rng;
use base::size::Bytes;
use lab::progress::{Progress, Silent, Standing};
use rescue::error::RescueError;
use rescue::{Map, RescueRequest, Status, prepare};
use results::rescue::Rescued;
use targets::Consent;

const SIZE: usize = (6 << 20) + 1_000;

struct Place {
    folder: tempfile::TempDir,
    content: Vec<u8>,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let mut rng = Rng::new(4);
        let content: Vec<u8> = (0..SIZE).map(|_| rng.below(256) as u8).collect();
        std::fs::write(folder.path().join("source.img"), &content).unwrap();
        Place { folder, content }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn request(&self, faults: &str) -> RescueRequest {
        let source = self.text("source.img");
        RescueRequest {
            source: if faults.is_empty() {
                source
            } else {
                format!("fault({source})?{faults}")
            },
            destination: self.text("copy.img"),
            map: None,
            block: Bytes::kib(64),
            retries: 1,
            adopt: false,
            consent: Consent::default(),
        }
    }

    fn map(&self) -> Map {
        let text = std::fs::read_to_string(self.path("copy.img.map")).unwrap();
        Map::read(&text, SIZE as u64).unwrap().0
    }

    /// The copy equals the source except for losses, which are zeros.
    fn check_copy(&self, lost: &[(usize, usize)]) {
        let mut expected = self.content.clone();
        for &(start, len) in lost {
            expected[start..(start + len).min(SIZE)].fill(0);
        }
        assert!(std::fs::read(self.path("copy.img")).unwrap() == expected);
        let source = std::fs::read(self.path("source.img")).unwrap();
        assert!(source == self.content, "the source was written");
    }
}

fn go(request: RescueRequest) -> Rescued {
    let prepared = prepare(request).unwrap();
    prepared.run(&mut Silent, &Interrupt::new()).unwrap()
}

fn refused(request: RescueRequest) -> String {
    match prepare(request) {
        Ok(_) => panic!("it is taken"),
        Err(error) => {
            let said = error.to_string();
            assert!(!said.contains('\n'));
            assert_eq!(error.exit(), base::exit::Exit::Invalid, "{said}");
            said
        }
    }
}

const BAD: &str = "bad=0+512,1MiB+1KiB,3145216+66048,6291456+2000";
const LOST: [(usize, usize); 4] = [
    (0, 512),
    (1 << 20, 1_024),
    (3_145_216, 66_048),
    (6 << 20, 1_000),
];

#[test]
fn every_readable_sector_arrives_and_the_lost_ones_are_listed_exactly() {
    let place = Place::new();
    let rescued = go(place.request(BAD));
    let lost: Vec<(usize, usize)> = rescued
        .areas
        .iter()
        .map(|(start, len)| (*start as usize, *len as usize))
        .collect();
    assert_eq!(lost, LOST);
    assert_eq!(rescued.arrived + rescued.lost, SIZE as u64);
    place.check_copy(&LOST);
    let text = std::fs::read_to_string(place.path("copy.img.map")).unwrap();
    assert!(text.contains("0x00100000  0x00000400  -\n"), "{text}");
    assert!(rescued.to_string().contains("1024 bytes from 1048576 on"));
    // A second time there is nothing left to do but to try the bad ones no more.
    let again = go(place.request(BAD));
    assert!(again.resumed && again.reads == (0, 0));
}

#[test]
fn a_healthy_source_is_copied_whole() {
    let place = Place::new();
    let rescued = go(place.request(""));
    assert_eq!((rescued.lost, rescued.areas.len()), (0, 0));
    place.check_copy(&[]);
}

/// Stops the rescue when it has been shown so often.
struct StopAfter<'a> {
    shows: u64,
    interrupt: &'a Interrupt,
}

impl Progress for StopAfter<'_> {
    fn show(&mut self, _: &Standing<'_>) {
        self.shows = self.shows.saturating_sub(1);
        if self.shows == 0 {
            let flag = self.interrupt.flag();
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
    fn say(&mut self, _: &base::message::Message) {}
}

#[test]
fn stopped_again_and_again_or_with_a_map_from_before_it_ends_the_same() {
    let place = Place::new();
    let mut stops = 0;
    let mut rng = Rng::new(8);
    let mut older = None;
    let rescued = loop {
        let interrupt = Interrupt::new();
        let mut progress = StopAfter {
            shows: 1 + rng.below(3),
            interrupt: &interrupt,
        };
        match prepare(place.request(BAD))
            .unwrap()
            .run(&mut progress, &interrupt)
        {
            Ok(rescued) => break rescued,
            Err(error) => assert_eq!(error.exit(), base::exit::Exit::Interrupted),
        }
        stops += 1;
        // As after a kill: bytes have arrived that the map does not know of.
        if let Some(map) = older.take() {
            std::fs::write(place.path("copy.img.map"), map).unwrap();
        } else if rng.below(2) == 0 {
            older = Some(std::fs::read(place.path("copy.img.map")).unwrap());
        }
        assert!(stops < 200);
    };
    assert!(stops >= 2, "{stops}");
    assert!(rescued.resumed);
    place.check_copy(&LOST);
    assert!(place.map().is_done());
    assert_eq!(place.map().bytes(Status::Bad), rescued.lost);
}

#[test]
fn a_source_that_goes_away_leaves_a_map_from_which_it_goes_on() {
    let place = Place::new();
    let prepared = prepare(place.request("gone_after=20")).unwrap();
    let error = prepared.run(&mut Silent, &Interrupt::new()).unwrap_err();
    assert!(error.to_string().contains("no longer there"), "{error}");
    assert!(error.to_string().contains("the map is kept"), "{error}");
    assert_eq!(
        error.exit(),
        base::exit::Exit::Failed,
        "nothing was asked for that cannot be"
    );
    assert_eq!(place.map().bytes(Status::Arrived), 20 * (64 << 10));
    // It is the same drive under the layer: the map is taken.
    let rescued = go(place.request(""));
    assert!(rescued.resumed && rescued.lost == 0);
    place.check_copy(&[]);
}

#[test]
fn ends_that_are_not_apart_and_what_nobody_allowed_are_refused() {
    let place = Place::new();
    let to = |destination: String| RescueRequest {
        destination,
        ..place.request("")
    };
    assert!(refused(to(place.text("source.img"))).contains(" is "));
    let link = place.path("link");
    std::fs::hard_link(place.path("source.img"), &link).unwrap();
    assert!(refused(to(place.text("link"))).contains("another drive"));
    assert!(refused(to(place.folder.path().display().to_string())).contains("is a directory"));
    std::fs::write(place.path("other.img"), b"mine").unwrap();
    assert!(refused(to(place.text("other.img"))).contains("--destroy-data"));
    assert!(refused(to("null:".to_owned())).contains("name a file or a device"));
    let mut map = place.request("");
    map.map = Some(place.path("source.img"));
    assert!(refused(map).contains(" is "));
    let mut directory = place.request("");
    directory.source = place.folder.path().display().to_string();
    assert!(refused(directory).contains("is a directory"));
    assert_eq!(std::fs::read(place.path("other.img")).unwrap(), b"mine");
    place_is_untouched(&place);
}

fn place_is_untouched(place: &Place) {
    assert!(!place.path("copy.img").exists() && !place.path("copy.img.map").exists());
    assert!(std::fs::read(place.path("source.img")).unwrap() == place.content);
}

#[test]
fn a_file_that_was_allowed_is_overwritten_and_a_map_of_something_else_is_refused() {
    let place = Place::new();
    std::fs::write(place.path("copy.img"), b"old").unwrap();
    let mut request = place.request(BAD);
    request.consent = Consent {
        destroy_data: true,
        confirm: Some(place.text("copy.img")),
    };
    go(request);
    place.check_copy(&LOST);
    std::fs::write(place.path("second.img"), vec![7; SIZE]).unwrap();
    let mut other = place.request("");
    other.source = place.text("second.img");
    assert!(refused(other.clone()).contains("did not make it"));
    // It names its source, and that is another one.
    other.adopt = true;
    assert!(refused(other).contains("another source"));
    std::fs::write(place.path("copy.img.map"), "0x0 ? 1\n0x0 0x10 +\n").unwrap();
    assert!(refused(place.request("")).contains("areas end at 16"));
}

/// A map as GNU ddrescue leaves one: no word of either end.
fn foreign(areas: &[(u64, u64, char)]) -> String {
    let head = "# Mapfile. Created by GNU ddrescue version 1.27\n# Command line: ddrescue src dst map\n0x0000F000     ?               1\n";
    let row =
        |(start, len, sign): &(u64, u64, char)| format!("0x{start:08X}  0x{len:08X}  {sign}\n");
    head.to_owned() + &areas.iter().map(row).collect::<String>()
}

#[test]
fn a_map_of_another_program_is_adopted_where_that_is_asked_for_and_what_was_copied_is_not_read_again()
 {
    let place = Place::new();
    let (half, all) = (SIZE as u64 / 2, SIZE as u64);
    let map = foreign(&[(0, half, '+'), (half, all - half, '?')]);
    let begin = |map: &str, copied: usize| {
        std::fs::write(place.path("copy.img.map"), map).unwrap();
        std::fs::write(place.path("copy.img"), &place.content[..copied]).unwrap();
    };
    let adopting = RescueRequest {
        adopt: true,
        ..place.request("")
    };
    begin(&map, SIZE / 2);
    assert!(refused(place.request("")).contains("--adopt"));
    let dry = prepare(adopting.clone()).unwrap().dry_run();
    let dry: Vec<&str> = dry.iter().map(|line| line.as_str()).collect();
    let dry = dry.join("\n");
    assert!(dry.contains(&format!("cover all {all} bytes")), "{dry}");
    let rescued = go(adopting.clone());
    assert!(rescued.resumed && rescued.lost == 0);
    assert_eq!(rescued.reads.0, (all - half).div_ceil(64 << 10));
    place.check_copy(&[]);
    // From here on it is this rescue's own.
    assert!(go(place.request("")).resumed);
}

#[test]
fn a_map_that_does_not_belong_to_source_and_copy_is_not_adopted() {
    let place = Place::new();
    let (half, all) = (SIZE as u64 / 2, SIZE as u64);
    let map = foreign(&[(0, half, '+'), (half, all - half, '?')]);
    let adopting = RescueRequest {
        adopt: true,
        ..place.request("")
    };
    assert!(refused(adopting.clone()).contains("no map to adopt"));
    let with = |map: &str, copy: &[u8]| {
        std::fs::write(place.path("copy.img.map"), map).unwrap();
        std::fs::write(place.path("copy.img"), copy).unwrap();
        prepare(adopting.clone())
            .and_then(|prepared| prepared.run(&mut Silent, &Interrupt::new()))
            .unwrap_err()
            .to_string()
    };
    for (map, copy, why) in [
        (foreign(&[(0, half, '+')]), SIZE / 2, "areas end at"),
        (
            foreign(&[(half, half, '?'), (0, half, '+')]),
            SIZE / 2,
            "follow one another",
        ),
        (
            foreign(&[(0, half, '+'), (half - 512, all, '?')]),
            SIZE / 2,
            "follow one another",
        ),
        (map.clone(), SIZE / 2 - 1, "at least"),
    ] {
        let said = with(&map, &place.content[..copy]);
        assert!(said.contains(why), "{said}");
    }
    let longer = [&place.content[..], b"more"].concat();
    assert!(with(&map, &longer).contains("at least"));
    let mut other = place.content.clone();
    other[..SIZE / 2].fill(0xa5);
    assert!(with(&map, &other).contains("source and copy differ"));
    assert!(std::fs::read(place.path("copy.img")).unwrap() == other);
    // By a map by which nothing has arrived, no file is anybody's copy.
    let untried = foreign(&[(0, all, '?')]);
    assert!(with(&untried, &other).contains("--destroy-data"));
    assert!(std::fs::read(place.path("copy.img")).unwrap() == other);
}

#[test]
fn sectors_that_a_foreign_map_divides_are_read_again() {
    let place = Place::new();
    let all = SIZE as u64;
    let map = foreign(&[(0, 1_000, '+'), (1_000, 24, '-'), (1_024, all - 1_024, '+')]);
    std::fs::write(place.path("copy.img.map"), map).unwrap();
    let mut copy = place.content.clone();
    copy[512..1_024].fill(0);
    std::fs::write(place.path("copy.img"), copy).unwrap();
    let rescued = go(RescueRequest {
        adopt: true,
        ..place.request("")
    });
    assert_eq!((rescued.lost, rescued.reads), (0, (1, 0)));
    place.check_copy(&[]);
}

#[test]
fn a_modelled_drive_is_copied_in_its_own_time_to_another_or_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let model = "model:samsung-840-evo-750gb?state=full-in-order";
    let request = |destination: &str, map: &Path| RescueRequest {
        source: format!("fault({model})?bad=100GiB+64KiB"),
        destination: destination.to_owned(),
        map: Some(map.to_owned()),
        block: Bytes::mib(64),
        retries: 0,
        adopt: false,
        consent: Consent::default(),
    };
    let map = folder.path().join("rescue.map");
    let rescued = go(request("null:", &map));
    assert_eq!(rescued.areas, [(100 << 30, 64 << 10)]);
    // 750 GB at about 540 MB/s.
    let took = rescued.took_s.unwrap();
    assert!((1_300.0..1_800.0).contains(&took), "{took}");
    let file = folder.path().join("copy.img").display().to_string();
    let other = folder.path().join("other.map");
    assert!(refused(request(&file, &other)).contains("keeps no bytes"));
    let small = refused(request("model:ocz-core-v2-30gb", &other));
    assert!(small.contains("name a larger destination"), "{small}");
    let zoned = refused(request("model:wd-ultrastar-dc-zn540-1tb", &other));
    assert!(zoned.contains("name another drive, or a file"), "{zoned}");
    let error: Result<_, RescueError> = prepare(request("null:", &map));
    assert!(error.err().unwrap().to_string().contains("another map"));
}
