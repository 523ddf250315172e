//! Values by likelihood: what the bottoms of five disks' transfer curves say of surfaces and rare events.
//!
//! A bottom is the slowest of many intervals, a matter of chance: a search that simulates would fit the
//! seed of its one run. So these values are not searched with the others. They are the most likely ones
//! ([`crate::calibration::bands`]), of all five disks at once, which a scan with the same tester has
//! shown: where a family of one of them is calibrated, they are found anew and written like the rest.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::calibration::bands::{By, End, Found, Law, Scanned, most_likely};
use crate::published::{Calibrate, Facts};
use results::reproduction::FactId;
use sim::catalogue::describe;
use sim::catalogue::free::FreeParameter;

/// A disk whose bands were published.
struct Disk {
    slug: &'static str,
    /// Figures: tops of the bands outside and inside.
    tops: [&'static str; 2],
    /// Bottoms of reads and of writes, outside and inside.
    bottoms: [[&'static str; 2]; 2],
}

const DISKS: [Disk; 5] = [
    Disk {
        slug: "hgst-deskstar-nas-hdn724030-3tb",
        tops: ["F249", "F251"],
        bottoms: [["F400", "F401"], ["F402", "F403"]],
    },
    Disk {
        slug: "seagate-nas-st3000vn000-3tb",
        tops: ["F255", "F257"],
        bottoms: [["F406", "F407"], ["F408", "F409"]],
    },
    Disk {
        slug: "seagate-enterprise-nas-st3000vn0001-3tb",
        tops: ["F261", "F263"],
        bottoms: [["F412", "F413"], ["F414", "F415"]],
    },
    Disk {
        slug: "wd-red-wd30efrx-3tb",
        tops: ["F267", "F269"],
        bottoms: [["F418", "F419"], ["F420", "F421"]],
    },
    Disk {
        slug: "wd-red-pro-wd3001ffsx-3tb",
        tops: ["F273", "F275"],
        bottoms: [["F424", "F425"], ["F426", "F427"]],
    },
];

/// Megabytes of a position of a scan in 1,024, on disks of 3,000,592,982,016 bytes.
const POSITION_MB: f64 = 3_000_592.982_016 / 1_024.0;
/// Milliseconds of an interval of the band, as `full-scan` has them.
const INTERVAL_MS: f64 = 300.0;

impl Disk {
    /// The file that holds its values.
    fn file(&self) -> String {
        format!("catalog/drives/{}.toml", self.slug)
    }

    /// A number of its medium, as its file has it.
    fn medium(&self, key: &str) -> Option<f64> {
        let sheet = describe(self.slug).ok()?;
        let media = sheet.sections.iter().find(|part| part.name == "media")?;
        let row = media.rows.iter().find(|row| row.key == key)?;
        row.value.parse().ok()
    }
}

/// The most likely value of a parameter, where it is one of these.
pub(super) fn likely(free: &FreeParameter, facts: &Facts) -> Option<f64> {
    static FOUND: OnceLock<Option<BTreeMap<&'static str, Law>>> = OnceLock::new();
    let disk = DISKS.iter().find(|disk| disk.file() == free.file)?;
    let laws = FOUND.get_or_init(|| {
        let found = fitted(facts, INTERVAL_MS, By::Seconds)?;
        Some(DISKS.iter().map(|disk| disk.slug).zip(found.laws).collect())
    });
    let law = laws.as_ref()?.get(disk.slug)?;
    match free.key.as_str() {
        "hdd.media.density_spread" => Some(law.spread[0]),
        "hdd.media.density_spread_inner" => Some(law.spread[1]),
        "hdd.rare.gap_s" => Some(law.gap),
        "hdd.rare.turns" => Some(law.turns),
        _ => None,
    }
}

/// The most likely laws of all five with an interval; none where a figure is not to calibrate to.
fn fitted(facts: &Facts, interval_ms: f64, by: By) -> Option<Found> {
    let disks: Option<Vec<Scanned>> = DISKS
        .iter()
        .map(|disk| scanned(facts, disk, interval_ms))
        .collect();
    Some(most_likely(&disks?, by))
}

fn scanned(facts: &Facts, disk: &Disk, interval_ms: f64) -> Option<Scanned> {
    let end = |at: usize| {
        let [reads, writes] = disk.bottoms[at];
        let top = figure(facts, disk.tops[at])?;
        Some(End::of(top, figure(facts, reads)?, figure(facts, writes)?))
    };
    Some(Scanned {
        turn_ms: 60_000.0 / disk.medium("rpm")?,
        heads: disk.medium("heads")? as u32,
        interval_ms,
        position_mb: POSITION_MB,
        ends: [end(0)?, end(1)?],
    })
}

fn figure<'a>(facts: &'a Facts, id: &str) -> Option<&'a Calibrate> {
    let id: FactId = id.parse().ok()?;
    facts.calibrate().find(|figure| figure.fact().id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::catalogue::free::{FittedBy, free_parameters};
    use sim::catalogue::{ModelOptions, drives};

    #[test]
    fn the_files_of_five_disks_hold_the_most_likely_values_and_say_so() {
        let facts = Facts::published().unwrap();
        let mut values = 0;
        for card in drives().unwrap() {
            for free in free_parameters(&card.slug, &ModelOptions::default()).unwrap() {
                if let Some(likely) = likely(&free, &facts) {
                    assert!((free.value - likely).abs() < 1e-9, "{free:?} {likely}");
                    assert_eq!(free.by, Some(FittedBy::Likelihood), "{free:?}");
                    values += 1;
                }
            }
        }
        assert_eq!(values, 4 * DISKS.len());
    }

    #[test]
    fn the_interval_of_the_band_and_the_clock_are_the_most_likely_ones() {
        let facts = Facts::published().unwrap();
        let log = |interval, by| fitted(&facts, interval, by).unwrap().log_likelihood;
        let best = log(INTERVAL_MS, By::Seconds);
        assert!(log(INTERVAL_MS, By::Megabytes) < best);
        for other in [200.0, 400.0, 500.0] {
            assert!(log(other, By::Seconds) < best, "{other}");
        }
    }
}
