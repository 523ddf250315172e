//! Values by likelihood: what the lower edges of five disks' transfer curves say about surfaces and rare events.
//!
//! A bottom is the slowest of many intervals, a matter of chance: a search that simulates would fit the
//! seed of its one run. So these values are not searched with the others. They are the most likely ones
//! ([`bands`]), of all five disks at once, which a scan with the same tester has
//! shown. The files hold them with `by = "likelihood"`, and this test finds them anew.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod bands;

use std::collections::BTreeMap;

use accuracy::reference::{Calibrate, Facts};
use bands::{By, End, Found, Law, Scanned, most_likely};
use results::reproduction::FactId;
use serde::Deserialize;
use sim::catalogue::free::{FittedBy, FreeParameter, free_parameters};
use sim::catalogue::{ModelOptions, describe, drives};

/// The disks and their figures, compiled in.
const BANDS: &str = include_str!("bands.toml");

/// Disks whose bands were published.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bands {
    /// Megabytes of a position of a scan.
    position_mb: f64,
    /// Milliseconds of an interval of the band.
    interval_ms: f64,
    disk: Vec<Disk>,
}

impl Bands {
    fn published() -> Bands {
        toml::from_str(BANDS).unwrap()
    }
}

/// A disk whose bands were published.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Disk {
    /// Its slug.
    drive: String,
    /// Figures: tops of the bands outside and inside.
    tops: [FactId; 2],
    /// Bottoms of reads and of writes, outside and inside.
    bottoms: [[FactId; 2]; 2],
}

impl Disk {
    /// The file that holds its values.
    fn file(&self) -> String {
        format!("catalog/drives/{}.toml", self.drive)
    }

    /// A number of its medium, as its file has it.
    fn medium(&self, key: &str) -> Option<f64> {
        let sheet = describe(&self.drive).ok()?;
        let media = sheet.sections.iter().find(|part| part.name == "media")?;
        let row = media.rows.iter().find(|row| row.key == key)?;
        row.value.parse().ok()
    }
}

/// The most likely values of all disks, by file.
fn laws(facts: &Facts, bands: &Bands) -> BTreeMap<String, Law> {
    let found = fitted(facts, bands, bands.interval_ms, By::Seconds).unwrap();
    let files = bands.disk.iter().map(Disk::file);
    files.zip(found.laws).collect()
}

/// The value of a parameter in a law, where it is one of these.
fn value(law: &Law, free: &FreeParameter) -> Option<f64> {
    match free.key.as_str() {
        "hdd.media.density_spread" => Some(law.spread[0]),
        "hdd.media.density_spread_inner" => Some(law.spread[1]),
        "hdd.rare.gap_s" => Some(law.gap),
        "hdd.rare.turns" => Some(law.turns),
        _ => None,
    }
}

/// The most likely laws of all disks with an interval; `None` if a figure is not to calibrate to.
fn fitted(facts: &Facts, bands: &Bands, interval_ms: f64, by: By) -> Option<Found> {
    let scanned = |disk: &Disk| {
        let end = |at: usize| {
            let [reads, writes] = disk.bottoms[at];
            let top = figure(facts, disk.tops[at])?;
            Some(End::of(top, figure(facts, reads)?, figure(facts, writes)?))
        };
        Some(Scanned {
            turn_ms: 60_000.0 / disk.medium("rpm")?,
            heads: disk.medium("heads")? as u32,
            interval_ms,
            position_mb: bands.position_mb,
            ends: [end(0)?, end(1)?],
        })
    };
    let disks: Option<Vec<Scanned>> = bands.disk.iter().map(scanned).collect();
    Some(most_likely(&disks?, by))
}

fn figure(facts: &Facts, id: FactId) -> Option<&Calibrate> {
    facts.calibrate().find(|figure| figure.fact().id == id)
}

#[test]
fn the_files_of_five_disks_hold_the_most_likely_values_and_say_so() {
    let (facts, bands) = (Facts::published().unwrap(), Bands::published());
    let laws = laws(&facts, &bands);
    let mut values = 0;
    for card in drives().unwrap() {
        for free in free_parameters(&card.slug, &ModelOptions::default()).unwrap() {
            let law = laws.get(&free.file);
            if let Some(likely) = law.and_then(|law| value(law, &free)) {
                assert!((free.value - likely).abs() < 1e-9, "{free:?} {likely}");
                assert_eq!(free.by, Some(FittedBy::Likelihood), "{free:?}");
                values += 1;
            }
        }
    }
    assert_eq!(values, 4 * bands.disk.len());
}

#[test]
fn the_interval_of_the_band_and_the_clock_are_the_most_likely_ones() {
    let facts = Facts::published().unwrap();
    let bands = Bands::published();
    let log = |interval, by| {
        let found = fitted(&facts, &bands, interval, by);
        found.unwrap().log_likelihood
    };
    let best = log(bands.interval_ms, By::Seconds);
    assert!(log(bands.interval_ms, By::Megabytes) < best);
    for other in [200.0, 400.0, 500.0] {
        assert!(log(other, By::Seconds) < best, "{other}");
    }
}
