//! The catalogue's disk: what its file fixes in closed form, and its faults in words.

use base::io::Io;
use base::target::{Outcome, Tag, Target};

use super::*;

const DESKSTAR: &str = "hgst-deskstar-nas-hdn724030-3tb";

fn opened(state: &str) -> Result<Virtual<Box<dyn Model>>, String> {
    let options = ModelOptions {
        state: state.parse().unwrap(),
        host: Some("none".to_owned()),
        ..ModelOptions::default()
    };
    let opened = open(DESKSTAR, &options).map_err(|error| error.to_string())?;
    Ok(Virtual::new(opened.model))
}

/// The closed form that the sectors of the outermost and innermost zone are fitted by.
#[test]
fn the_two_ends_stream_at_sectors_over_turn_and_skew() {
    let sheet = describe(DESKSTAR).unwrap();
    let value = |section: &str, key: &str| -> f64 {
        let rows = sheet.sections.iter().find(|s| s.name == section).unwrap();
        let row = rows.rows.iter().find(|r| r.key == key).unwrap();
        row.value.parse().unwrap()
    };
    let turn = 60.0 / value("media", "rpm") * (1.0 + value("media", "head_skew"));
    let rate = |key: &str| value("media", key) * 512.0 / turn / 1e6;
    assert!((rate("outer_sectors") - 182.0).abs() < 0.5);
    assert!((rate("inner_sectors") - 93.0).abs() < 0.5);
}

/// The same of every disk of the catalogue: what it does is what its file says, without rare events.
#[test]
fn every_disk_streams_at_its_ends_at_sectors_over_turn_and_skew() {
    let disks = drives().unwrap().into_iter();
    for card in disks.filter(|card| card.kind == Kind::Hdd) {
        let sheet = describe(&card.slug).unwrap();
        let value = |section: &str, key: &str| -> f64 {
            let rows = sheet.sections.iter().find(|s| s.name == section).unwrap();
            let row = rows.rows.iter().find(|r| r.key == key).unwrap();
            row.value.parse().unwrap()
        };
        let of_bands = value("media", "band_cylinders") > 1.0;
        let skew = value("media", if of_bands { "track_skew" } else { "head_skew" });
        let turn = 60.0 / value("media", "rpm") * (1.0 + skew);
        for (key, first) in [
            ("outer_sectors", 0),
            ("inner_sectors", card.capacity.get() - (5 << 29)),
        ] {
            let expected = value("media", key) * 512.0 / turn / 1e6;
            let got = fastest_of_streams(&card.slug, first);
            let off = got / expected - 1.0;
            assert!(off.abs() < 0.025, "{} {key}: {got} {expected}", card.slug);
        }
    }
}

/// MB/s of the fastest of forty streams of 32 MiB, one each 60 MiB from an address on: some of them
/// lie on the densest surface and meet no rare event.
fn fastest_of_streams(slug: &str, first: u64) -> f64 {
    let options = ModelOptions {
        host: Some("none".to_owned()),
        ..ModelOptions::default()
    };
    let mut target = Virtual::new(open(slug, &options).unwrap().model);
    let mut done = Vec::new();
    let mut fastest = 0_f64;
    for stream in 0..40_u64 {
        let mut began = target.now();
        for piece in 0..65_u64 {
            let at = first / 65_536 * 65_536 + (stream * 120 + piece) * 524_288;
            let io = Io::read(Bytes::new(at), Bytes::kib(512));
            target.submit(Tag(0), &io).unwrap();
            while done.is_empty() {
                target.wait(None, &mut done);
            }
            done.clear();
            if piece == 0 {
                began = target.now();
            }
        }
        let took = target.now().since(began).as_secs_f64();
        fastest = fastest.max(64.0 * 0.524_288 / took);
    }
    fastest
}

#[test]
fn a_disk_with_a_mode_at_low_temperature_is_slower_for_ten_minutes() {
    let rate = |state: &str| {
        let options = ModelOptions {
            state: state.parse().unwrap(),
            host: Some("none".to_owned()),
            ..ModelOptions::default()
        };
        let opened = open("seagate-enterprise-nas-st3000vn0001-3tb", &options).unwrap();
        let mut target = Virtual::new(opened.model);
        let span = Span::first(target.info().capacity);
        let job = Job::closed("job", Op::Write, Order::Sequential, span, Bytes::kib(64), 1);
        let stop = Stop {
            ios: Some(10_000),
            ..Stop::default()
        };
        let work = Workload::single(job, stop, 5);
        let record = run(&mut target, "phase", &work, &mut Unwatched).unwrap();
        1.0 / record.took.as_secs_f64()
    };
    let warm = rate("fresh");
    assert!(rate("fresh,power-on=0s,temperature=10C") < 0.7 * warm);
    for state in [
        "fresh,power-on=0s,temperature=11C",
        "fresh,power-on=10min,temperature=5C",
        "fresh,temperature=5C",
    ] {
        assert!((rate(state) / warm - 1.0).abs() < 1e-9, "{state}");
    }
}

#[test]
fn how_it_was_written_is_no_state_of_a_disk_and_suffixes_are_refused() {
    for state in ["fresh", "full-in-order", "30%-in-order", "steady-random"] {
        assert!(opened(state).is_ok(), "{state}");
    }
    // The disk has no mode at low temperature: it may be told how cold it is.
    assert!(opened("fresh,power-on=1min,temperature=-5C").is_ok());
    for state in ["fresh,idle=10s", "fresh,age=1d", "full-in-order,trimmed"] {
        let error = opened(state).map(|_| ()).unwrap_err();
        assert!(error.contains("not modelled yet on a hard disk"), "{error}");
    }
}

#[test]
fn the_last_block_can_be_read_and_lies_in_the_innermost_zone() {
    let mut target = opened("fresh").unwrap();
    let capacity = target.info().capacity;
    assert_eq!(capacity, Bytes::new(3_000_592_982_016));
    let last = Io::read(capacity.saturating_sub(Bytes::kib(64)), Bytes::kib(64));
    target.submit(Tag(0), &last).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        target.wait(None, &mut done);
    }
    assert_eq!(done[0].outcome, Outcome::Complete);
}

#[test]
fn a_file_that_describes_no_disk_is_refused_in_words() {
    let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    let text = include_str!("../../../../../catalog/drives/hgst-deskstar-nas-hdn724030-3tb.toml");
    let refused = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        std::fs::write(&file, changed).unwrap();
        let path = file.path().to_str().unwrap();
        let error = open(path, &ModelOptions::default()).map(|_| ());
        error.unwrap_err().to_string()
    };
    let inner = refused(
        "inner_sectors = { value = 1736, source = \"fitted\", by = \"calibrate\"",
        "inner_sectors = { value = 4000, source = \"estimated\"",
    );
    assert!(
        inner.contains("4000 sectors on the innermost track"),
        "{inner}"
    );
    let large = refused("3_000_592_982_016 ", "9_000_000_000_000_000_000 ");
    assert!(large.contains("check capacity, heads"), "{large}");
    let bands = refused(
        "band_cylinders = { value = 100,",
        "band_cylinders = { value = 1,",
    );
    assert!(bands.contains("bands of 1 tracks"), "{bands}");
    let rpm = refused("rpm = { value = 7200", "rpm = { value = 0");
    assert!(
        rpm.contains("media.rpm is 0") && rpm.contains("1000 to 30000"),
        "{rpm}"
    );
}
