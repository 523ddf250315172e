//! The surfaces and the rare events of the five disks for network storage: the files hold what the fit
//! gives, and the fit sees figures to calibrate to and nothing else.

use judge::calibration::bands::{By, End, Found, Law, Scanned, most_likely};
use judge::published::{Calibrate, FactId, Facts};
use sim::catalogue::ModelOptions;
use sim::catalogue::free::free_parameters;

/// A disk: its slug, turns a minute, surfaces, tops outside and inside, bottoms of reads and writes
/// outside and inside.
struct Disk {
    slug: &'static str,
    rpm: f64,
    heads: u32,
    tops: [&'static str; 2],
    bottoms: [[&'static str; 2]; 2],
}

const DISKS: [Disk; 5] = [
    Disk {
        slug: "hgst-deskstar-nas-hdn724030-3tb",
        rpm: 7_200.0,
        heads: 8,
        tops: ["F249", "F251"],
        bottoms: [["F400", "F401"], ["F402", "F403"]],
    },
    Disk {
        slug: "seagate-nas-st3000vn000-3tb",
        rpm: 5_900.0,
        heads: 6,
        tops: ["F255", "F257"],
        bottoms: [["F406", "F407"], ["F408", "F409"]],
    },
    Disk {
        slug: "seagate-enterprise-nas-st3000vn0001-3tb",
        rpm: 7_200.0,
        heads: 6,
        tops: ["F261", "F263"],
        bottoms: [["F412", "F413"], ["F414", "F415"]],
    },
    Disk {
        slug: "wd-red-wd30efrx-3tb",
        rpm: 5_400.0,
        heads: 6,
        tops: ["F267", "F269"],
        bottoms: [["F418", "F419"], ["F420", "F421"]],
    },
    Disk {
        slug: "wd-red-pro-wd3001ffsx-3tb",
        rpm: 7_200.0,
        heads: 10,
        tops: ["F273", "F275"],
        bottoms: [["F424", "F425"], ["F426", "F427"]],
    },
];

/// The position of a scan in 1,024: 3,000,592,982,016 bytes.
const POSITION_MB: f64 = 3_000_592.982_016 / 1_024.0;

fn scanned(facts: &Facts, disk: &Disk, interval_ms: f64) -> Scanned {
    let figure = |id: &str| -> &Calibrate {
        let id: FactId = id.parse().expect("an id of a figure");
        let is = |figure: &&Calibrate| figure.fact().id == id;
        facts
            .calibrate()
            .find(is)
            .expect("a figure to calibrate to")
    };
    Scanned {
        turn_ms: 60_000.0 / disk.rpm,
        heads: disk.heads,
        interval_ms,
        position_mb: POSITION_MB,
        ends: [0, 1].map(|end| {
            let [reads, writes] = disk.bottoms[end];
            End::of(figure(disk.tops[end]), figure(reads), figure(writes))
        }),
    }
}

fn fitted(interval_ms: f64, by: By) -> Found {
    let facts = Facts::published().expect("the figures that are compiled in");
    let disks: Vec<Scanned> = DISKS
        .iter()
        .map(|disk| scanned(&facts, disk, interval_ms))
        .collect();
    most_likely(&disks, by)
}

#[test]
fn the_files_hold_the_most_likely_surfaces_and_events() {
    let found = fitted(300.0, By::Seconds);
    for (disk, law) in DISKS.iter().zip(&found.laws) {
        let free = free_parameters(disk.slug, &ModelOptions::default()).unwrap();
        let value = |key: &str| {
            let free = free.iter().find(|free| free.key == key);
            free.expect("a fitted value").value
        };
        let of_file = Law {
            spread: [
                value("hdd.media.density_spread"),
                value("hdd.media.density_spread_inner"),
            ],
            gap: value("hdd.rare.gap_s"),
            turns: value("hdd.rare.turns"),
        };
        let values = |law: &Law| [law.spread[0], law.spread[1], law.gap, law.turns];
        for (file, fit) in values(&of_file).iter().zip(values(law)) {
            assert!(
                (file - fit).abs() < 1e-9,
                "{}: {of_file:?} {law:?}",
                disk.slug
            );
        }
    }
}

#[test]
fn the_interval_of_the_band_and_the_clock_are_the_most_likely_ones() {
    let best = fitted(300.0, By::Seconds).log_likelihood;
    assert!(fitted(300.0, By::Megabytes).log_likelihood < best);
    for tenths in [2, 4, 5] {
        let other = fitted(f64::from(tenths) * 100.0, By::Seconds);
        assert!(other.log_likelihood < best, "{tenths}: {other:?}");
    }
}
