//! Drives drawn for `bench infer`: a drive of a family, its uncertain values, parts of its structure, and what is between.

use base::rng::{Rng, splitmix64};
use sim::catalogue::free::{OpenValue, free_parameters, open_values};
use sim::catalogue::{CatalogueError, DriveSheet, ModelOptions, describe, open};
use sim::halt::Extent;

use crate::prediction;

/// A drive that cannot be built is drawn again, so often at most.
const DRAWINGS: u64 = 50;

/// A family of drives.
pub(super) struct Family {
    pub(super) name: &'static str,
    /// Drives of the catalogue.
    drives: &'static [&'static str],
    /// Draws parts of the structure: values by their paths, and sections that are taken away.
    structure: fn(&mut Rng, &DriveSheet) -> Vec<(String, String)>,
}

pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "sata-dram",
        drives: &[
            "samsung-840-pro-512gb",
            "samsung-840-250gb",
            "samsung-840-evo-250gb",
            "samsung-860-evo-1tb",
            "crucial-mx200-250gb",
            "intel-545s-512gb",
            "wd-blue-3d-1tb",
        ],
        structure: flash,
    },
    Family {
        name: "nvme-no-dram",
        drives: &[
            "wd-black-sn770-1tb",
            "wd-black-sn770-2tb",
            "wd-blue-sn580-1tb",
            "toshiba-bg3-128gb",
        ],
        structure: flash,
    },
    Family {
        name: "nvme-dram",
        drives: &[
            "samsung-970-evo-plus-1tb",
            "crucial-p5-1tb",
            "samsung-970-pro-512gb",
            "cfd-pg3vnd-1tb",
        ],
        structure: flash,
    },
    Family {
        name: "qlc",
        drives: &[
            "solidigm-670p-1tb",
            "crucial-p1-1tb",
            "solidigm-p41-plus-2tb",
        ],
        structure: flash,
    },
    Family {
        name: "first-generation",
        drives: &[
            "crucial-c300-64gb",
            "intel-x25-m-g2-80gb",
            "ocz-vertex-2-50gb",
            "toshiba-hg2-64gb",
            "plextor-m2s-128gb",
        ],
        structure: |_, _| Vec::new(),
    },
    Family {
        name: "disk",
        drives: &[
            "hgst-deskstar-nas-hdn724030-3tb",
            "wd-red-wd30efrx-3tb",
            "samsung-hd502hj-500gb",
            "seagate-nas-st3000vn000-3tb",
            "wd-raptor-wd740gd-74gb",
            "seagate-ironwolf-pro-st18000ne000-18tb",
        ],
        structure: turns,
    },
    Family {
        name: "shingled-disk",
        drives: &["seagate-archive-st8000as0002-8tb", "wd-red-wd40efax-4tb"],
        structure: turns,
    },
];

/// What is between drivelab and the drive: faults that every machine has, by name.
const NOISE: [(&str, &str); 5] = [
    ("quiet", ""),
    ("late-in-5", "?delays=200000&delay=20us"),
    ("late-in-1000", "?delays=1000&delay=2ms"),
    ("stutter", "?stutter=50ms&stutter_every=5s"),
    ("errors", "?errors=200"),
];

/// Hosts, in turn.
const HOSTS: [&str; 2] = ["none", "linux-desktop"];

/// A drive to be asked.
#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) target: String,
    pub(super) noise: &'static str,
    /// The computer around it.
    pub(super) host: &'static str,
    /// Seeds the run and the specimen.
    pub(super) seed: u64,
    /// Its file, and what replaces values of it.
    pub(super) sheet: DriveSheet,
    pub(super) values: Vec<(String, String)>,
}

impl Drawn {
    /// A value as the drive has it, by section and key; nothing where it has none.
    pub(super) fn value(&self, section: &str, key: &str) -> Option<String> {
        let path = |kind: &str| format!("{kind}.{section}.{key}");
        let off = |kind: &str| format!("{kind}.{section}");
        for (name, value) in self.values.iter().rev() {
            if ["ssd", "hdd"].iter().any(|kind| *name == path(kind)) {
                return Some(value.clone());
            }
            if ["ssd", "hdd"].iter().any(|kind| *name == off(kind)) && value == "off" {
                return None;
            }
        }
        let sections = self.sheet.sections.iter();
        let rows = sections
            .filter(|known| known.name == section)
            .flat_map(|known| &known.rows);
        let mut rows = rows.filter(|row| row.key == key);
        rows.next().map(|row| row.value.clone())
    }

    /// The same as a number.
    pub(super) fn number(&self, section: &str, key: &str) -> Option<f64> {
        self.value(section, key)?.parse().ok()
    }

    /// Whether it has a section.
    pub(super) fn has(&self, section: &str) -> bool {
        let off = |(name, value): &(String, String)| {
            value == "off"
                && name
                    .split_once('.')
                    .is_some_and(|(_, name)| name == section)
        };
        self.sheet
            .sections
            .iter()
            .any(|known| known.name == section)
            && !self.values.iter().any(off)
    }
}

/// The n-th drive of a family.
///
/// # Errors
/// Where a file of the catalogue is wrong, or no drawing can be built.
pub(super) fn drawn(family: &Family, n: u64, seed: u64) -> Result<Drawn, CatalogueError> {
    let own = family
        .name
        .bytes()
        .fold(seed, |seed, byte| splitmix64(seed ^ u64::from(byte)));
    let drive = family.drives[(n % family.drives.len() as u64) as usize];
    let sheet = describe(drive)?;
    let uncertain = uncertain(drive)?;
    let mut failed = None;
    for drawing in 0..DRAWINGS {
        let mut rng = Rng::stream(own, n * DRAWINGS + drawing);
        let mut values = prediction::drawn(&uncertain, own, n * DRAWINGS + drawing);
        let structure = (family.structure)(&mut rng, &sheet);
        values.retain(|(key, _)| structure.iter().all(|(other, _)| other != key));
        values.extend(structure);
        match buildable(drive, &values) {
            Ok(()) => return Ok(between(drive, n, splitmix64(own ^ n), sheet, values)),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.expect("at least one drawing was tried"))
}

/// The values that a drive's file gives with a range: those of its class, and those that were fitted.
fn uncertain(drive: &str) -> Result<Vec<OpenValue>, CatalogueError> {
    let mut values = open_values(drive)?;
    let fitted = free_parameters(drive, &ModelOptions::default())?;
    // What takes multiples of more than one is structure.
    let single = fitted
        .into_iter()
        .filter(|value| value.step.is_none_or(|step| step == 1));
    values.extend(single.map(|value| OpenValue {
        key: value.key,
        value: value.value,
        within: value.within,
        whole: value.step.is_some(),
        flag: false,
    }));
    Ok(values)
}

/// Whether a drive with these values can be built.
fn buildable(drive: &str, values: &[(String, String)]) -> Result<(), CatalogueError> {
    let options = ModelOptions {
        extent: Extent::Outline,
        ..with(values)
    };
    open(drive, &options).map(drop)
}

/// A model's options with drawn values: `off` takes a section away.
pub(super) fn with(values: &[(String, String)]) -> ModelOptions {
    let all = values.iter().cloned();
    let (without, overrides): (Vec<_>, Vec<_>) = all.partition(|(_, value)| value == "off");
    ModelOptions {
        overrides,
        without: without.into_iter().map(|(section, _)| section).collect(),
        ..ModelOptions::default()
    }
}

fn between(
    drive: &str,
    n: u64,
    seed: u64,
    sheet: DriveSheet,
    values: Vec<(String, String)>,
) -> Drawn {
    let (noise, fault) = NOISE[(n % NOISE.len() as u64) as usize];
    let host = HOSTS[(n / NOISE.len() as u64 % HOSTS.len() as u64) as usize];
    let seed = seed >> 40;
    let options: String = values
        .iter()
        .map(|(key, value)| format!("&{key}={value}"))
        .collect();
    let model = format!("model:{drive}?host={host}&seed={seed}{options}");
    let target = match fault {
        "" => model,
        fault => format!("fault({model}){fault}&seed={seed}"),
    };
    Drawn {
        target,
        noise,
        host,
        seed,
        sheet,
        values,
    }
}

/// Evenly in the logarithm.
fn log_uniform(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low * libm::pow(high / low, rng.unit())
}

fn one_of<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.below(of.len() as u64) as usize]
}

/// Dies with as many blocks as keep the capacity, and memory for the map.
fn flash(rng: &mut Rng, sheet: &DriveSheet) -> Vec<(String, String)> {
    let mut values = Vec::new();
    let of = |key: &str| number(sheet, "nand", key);
    if let (Some(dies), Some(blocks)) = (of("dies"), of("blocks_a_plane")) {
        let other = f64::from(one_of(rng, &[8_u32, 12, 16, 24, 32, 40, 64]));
        let scaled = |blocks: f64| format!("{}", (blocks * dies / other).ceil());
        values.push(("ssd.nand.dies".to_owned(), format!("{other}")));
        values.push(("ssd.nand.blocks_a_plane".to_owned(), scaled(blocks)));
        if let Some(unused) = of("unused_blocks_a_plane") {
            values.push(("ssd.nand.unused_blocks_a_plane".to_owned(), scaled(unused)));
        }
    }
    if number(sheet, "map_cache", "memory_mib").is_some() {
        let whole = rng.unit() < 0.15;
        values.push(match whole {
            true => ("ssd.map_cache".to_owned(), "off".to_owned()),
            false => {
                let mib = log_uniform(rng, 8.0, 300.0).round();
                ("ssd.map_cache.memory_mib".to_owned(), format!("{mib}"))
            }
        });
    }
    values
}

/// Turns as sold, a thousandth off either way.
fn turns(rng: &mut Rng, _: &DriveSheet) -> Vec<(String, String)> {
    let rpm = f64::from(one_of(rng, &[5_400_u32, 5_900, 7_200, 10_000]));
    let rpm = (rpm * (1.0 + 0.002 * (rng.unit() - 0.5))).round();
    vec![("hdd.media.rpm".to_owned(), format!("{rpm}"))]
}

fn number(sheet: &DriveSheet, section: &str, key: &str) -> Option<f64> {
    let sections = sheet.sections.iter().filter(|known| known.name == section);
    let mut rows = sections
        .flat_map(|known| &known.rows)
        .filter(|row| row.key == key);
    rows.next()?.value.parse().ok()
}
