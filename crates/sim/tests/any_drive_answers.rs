//! Whatever the parameters and the state: a drive cannot be had, and one line says why, or it answers
//! every I/O.
//!
//! Two ways to look for what breaks that. Each value of a catalogued drive is put to either end of the
//! range that its file may have; and drives are drawn: a catalogued one cut down to a few dozen blocks
//! a plane, with some values moved and some mechanisms switched off, in a drawn state. Small ones,
//! since only a drive that has been written several times over shows what its space accounting does.
//!
//! Both take their cases in turns, by number; `ANY_DRIVE=from..to` runs others than the usual ones.

use std::ops::Range;
use std::panic::AssertUnwindSafe;

use base::io::Io;
use base::rng::Rng;
use base::size::Bytes;
use base::target::{Tag, Target};
use sim::catalogue::{self, CatalogueError, DRIVES, DriveSheet, ModelOptions};
use sim::sheet::{Row, Section};
use sim::virtual_time::Virtual;

use load::{Load, run};
use small::{cut_down, prefix};

#[path = "any_drive/load.rs"]
mod load;
#[path = "any_drive/small.rs"]
mod small;

const STATES: [&str; 12] = [
    "fresh",
    "full-in-order",
    "steady-random",
    "steady-random,trimmed",
    "full-in-order,idle=0s",
    "steady-random,idle=0s",
    "50%-in-order,idle=5s",
    "steady-random:60%,idle=3s",
    "full-in-order,age=400d",
    "1%-in-order,idle=400d",
    "full-in-order,wear=99%",
    "steady-random,wear=100%",
];

/// The cases of this run: those that were asked for, or the usual ones.
fn cases(usual: Range<u64>) -> Range<u64> {
    let asked = std::env::var("ANY_DRIVE").ok();
    let bounds = asked.as_deref().and_then(|text| text.split_once(".."));
    let parsed = bounds.and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed.unwrap_or(usual)
}

/// Opens a drive and works on it: false where there is no such drive, what went wrong where something
/// did.
fn answers(slug: &str, options: &ModelOptions, load: Load) -> Result<bool, String> {
    let opened = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let mut opened = match catalogue::open(slug, options) {
            Ok(opened) => opened,
            Err(error) => return says_why(&error).map(|()| false),
        };
        run(&mut *opened.model, load).map(|()| true)
    }));
    let outcome = opened.unwrap_or_else(|_| Err("it panics".to_owned()));
    outcome.map_err(|what| format!("{slug} {options:?} {load:?}: {what}"))
}

/// A refusal is one line.
fn says_why(error: &CatalogueError) -> Result<(), String> {
    let text = error.to_string();
    if text.trim().is_empty() || text.contains('\n') {
        return Err(format!("the refusal is not one line: {text}"));
    }
    Ok(())
}

/// The two ends of a value's range, where it is a number.
fn ends(row: &Row) -> Option<[f64; 2]> {
    row.value.parse::<f64>().ok()?;
    let (low, high) = row.allowed.as_deref()?.split_once(" to ")?;
    Some([low.parse().ok()?, high.parse().ok()?])
}

/// Every number of a drive's sheet with its path.
fn numbers(sheet: &DriveSheet) -> Vec<(String, &Row)> {
    let prefix = prefix(sheet);
    let of_the_file = |section: &&Section| section.name != "interface" || prefix == "hdd.";
    let sections = sheet.sections.iter().filter(of_the_file);
    let rows = sections.flat_map(|section| section.rows.iter().map(move |row| (section, row)));
    rows.filter(|(_, row)| ends(row).is_some())
        .map(|(section, row)| (format!("{prefix}{}.{}", section.name, row.key), row))
        .collect()
}

#[test]
fn a_value_at_either_end_of_its_range_makes_a_drive_that_answers_or_is_refused() {
    let mut built = 0;
    let usual = cases(0..300);
    for case in usual.clone() {
        let mut rng = Rng::stream(case, 0x0e4d);
        let slug = DRIVES[(case % DRIVES.len() as u64) as usize].slug;
        let sheet = catalogue::describe(slug).unwrap();
        let numbers = numbers(&sheet);
        let (key, row) = &numbers[rng.below(numbers.len() as u64) as usize];
        let end = ends(row).unwrap()[rng.below(2) as usize];
        let states = ["fresh", "full-in-order", "full-in-order,idle=0s"];
        let options = ModelOptions {
            state: states[rng.below(3) as usize].parse().unwrap(),
            overrides: vec![(key.clone(), end.to_string())],
            seed: case,
            ..ModelOptions::default()
        };
        let load = Load {
            ios: 300,
            depth: [1, 32][rng.below(2) as usize],
            crooked: true,
            seed: case,
        };
        match answers(slug, &options, load) {
            Ok(there) => built += u64::from(there),
            Err(what) => panic!("case {case}: {what}"),
        }
    }
    assert!(2 * built > usual.end - usual.start, "{built} were there");
}

/// A drawn drive: overrides and sections taken away.
fn drawn(sheet: &DriveSheet, rng: &mut Rng) -> (Vec<(String, String)>, Vec<String>) {
    let mut overrides = if prefix(sheet) == "ssd." {
        let mut small = cut_down(sheet, 40 + rng.below(120) as u32, 0.5 + 0.5 * rng.unit());
        // So few erases that the drive wears out under the load.
        let wears = sheet.sections.iter().any(|section| section.name == "wear");
        if wears && rng.below(3) == 0 {
            small.push(("ssd.wear.cycles".to_owned(), (1 + rng.below(4)).to_string()));
        }
        small
    } else {
        Vec::new()
    };
    for (key, row) in numbers(sheet) {
        let moved = overrides.iter().any(|(other, _)| *other == key);
        if !moved && rng.below(12) == 0 {
            overrides.extend(moved_value(row, rng).map(|value| (key, value.to_string())));
        }
    }
    let needless = |section: &&Section| {
        let names = "map_cache read_ahead sub_unit compression page_types thermal \
                     wear retention trim slc cold_start";
        names.split_whitespace().any(|name| name == section.name)
    };
    let sections = sheet.sections.iter().filter(needless);
    let off = sections.filter(|_| rng.below(10) == 0);
    let without: Vec<String> = off
        .map(|section| format!("{}{}", prefix(sheet), section.name))
        .collect();
    overrides.retain(|(key, _)| {
        let inside = |section: &String| key.starts_with(&format!("{section}."));
        !without.iter().any(inside)
    });
    (overrides, without)
}

/// A value of a row's range: its least, twice or half of what it was, or its greatest.
fn moved_value(row: &Row, rng: &mut Rng) -> Option<f64> {
    let was: f64 = row.value.parse().ok()?;
    let [low, high] = ends(row)?;
    let moved = match rng.below(4) {
        0 => low,
        1 => (was * 2.0).min(high),
        2 => (was / 2.0).max(low),
        _ if high < 2_000.0 => high,
        _ => (was * 4.0).min(high),
    };
    let whole = !row
        .allowed
        .as_deref()
        .is_some_and(|text| text.contains('.'))
        && was.fract() == 0.0;
    Some(if whole { moved.round() } else { moved })
}

#[test]
fn a_drawn_drive_in_a_drawn_state_answers_or_is_refused() {
    let mut built = 0;
    let usual = cases(0..30);
    for case in usual.clone() {
        let mut rng = Rng::stream(case, 77);
        let slug = DRIVES[rng.below(DRIVES.len() as u64) as usize].slug;
        let sheet = catalogue::describe(slug).unwrap();
        let (overrides, without) = drawn(&sheet, &mut rng);
        let offset = (rng.below(4) == 0).then_some(Bytes::new(63 * 512));
        let options = ModelOptions {
            state: STATES[rng.below(STATES.len() as u64) as usize]
                .parse()
                .unwrap(),
            host: ["none", "linux-uring"]
                .get(rng.below(3) as usize)
                .map(|host| (*host).to_owned()),
            partition_offset: offset,
            seed: case,
            overrides,
            without,
            ..ModelOptions::default()
        };
        let load = Load {
            ios: 3_000,
            depth: [1, 4, 32, 256][rng.below(4) as usize],
            crooked: case % 3 == 0,
            seed: case,
        };
        match answers(slug, &options, load) {
            Ok(there) => built += u64::from(there),
            Err(what) => panic!("case {case}: {what}"),
        }
    }
    assert!(3 * built > usual.end - usual.start, "{built} were there");
}

/// What broke a drive once.
#[test]
fn a_dynamic_cache_on_one_bit_cells_long_map_pages_and_a_worn_drive_with_an_slc_area_work() {
    for (slug, state, overrides) in [
        (
            "wd-black-sn770-1tb",
            "full-in-order,idle=0s",
            vec![("ssd.nand.bits_a_cell", "1")],
        ),
        (
            "wd-black-sn770-1tb",
            "full-in-order",
            vec![("ssd.map_cache.page_kib", "1024")],
        ),
        ("solidigm-670p-1tb", "5%-in-order,wear=100%", vec![]),
    ] {
        let options = ModelOptions {
            state: state.parse().unwrap(),
            overrides: overrides
                .into_iter()
                .map(|(key, value): (&str, &str)| (key.to_owned(), value.to_owned()))
                .collect(),
            ..ModelOptions::default()
        };
        let load = Load {
            ios: 200,
            depth: 32,
            crooked: true,
            seed: 1,
        };
        assert_eq!(answers(slug, &options, load), Ok(true));
    }
}

/// What broke a drive once: parts of tracks were merged while the task of a write in parts was busy, and
/// took the operations that were kept for commands.
#[test]
fn a_flush_of_gathered_tracks_beside_a_write_in_parts_leaves_every_command_its_operation() {
    let ios = [
        Io::write(Bytes::new(641_394_176), Bytes::kib(4), 1),
        Io::write(Bytes::new(494_529_536), Bytes::kib(128), 2),
        Io::write(Bytes::new(64_028_350_464), Bytes::mib(1), 3),
        Io::flush(),
        Io::write(Bytes::new(969_061_888), Bytes::SECTOR, 4),
        Io::write(Bytes::new(112_132_571_136), Bytes::SECTOR, 5),
    ];
    let options = ModelOptions {
        state: "steady-random".parse().unwrap(),
        ..ModelOptions::default()
    };
    let opened = catalogue::open("toshiba-hg2-128gb", &options).unwrap();
    let mut drive = Virtual::new(opened.model);
    for (tag, io) in (0..).zip(&ios) {
        drive.submit(Tag(tag), io).unwrap();
    }
    let mut done = Vec::new();
    while done.len() < ios.len() {
        let before = (drive.now(), done.len());
        drive.wait(None, &mut done);
        assert!((drive.now(), done.len()) != before, "it stands still");
    }
}
