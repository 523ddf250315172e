//! What there is: methods, modelled drives, stored results.

use std::collections::BTreeMap;

use base::size::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema of the list of methods.
pub const METHODS_SCHEMA: &str = "drivelab.methods/1";
/// The schema of the list of modelled drives.
pub const DRIVES_SCHEMA: &str = "drivelab.drives/1";
/// The schema of a modelled drive's sheet.
pub const DRIVE_SCHEMA: &str = "drivelab.drive/1";
/// The schema of the list of stored runs.
pub const RUNS_SCHEMA: &str = "drivelab.runs/1";

/// All methods.
///
/// ```json
/// {
///   "schema": "drivelab.methods/1",
///   "methods": [
///     {
///       "id": "crystaldiskmark",
///       "title": "CrystalDiskMark 8/9",
///       "title_ja": "CrystalDiskMark 8/9",
///       "group": "program",
///       "short": "Sequential and random, deep queue and single",
///       "short_ja": "シーケンシャルとランダム、深いキューと QD1",
///       "publisher": "hiyohiyo, CrystalDiskMark 8 and 9 (over Microsoft DiskSpd)",
///       "summary": "Sequential and random rates in a test file at the familiar block sizes, ...",
///       "summary_ja": "テストファイルに対し、おなじみのブロックサイズ、...",
///       "version": 1,
///       "writes": true,
///       "files": true,
///       "models_only": false,
///       "needs": [],
///       "shortest": ["size=16MiB", "time=10ms"],
///       "settings": [
///         {
///           "key": "size",
///           "help": "size of the test file",
///           "takes": "a size from 16 MiB to 64 GiB",
///           "quick": "64MiB",
///           "default": "256MiB",
///           "full": "1GiB"
///         }
///       ]
///     }
///   ]
/// }
/// ```
#[derive(Debug, Serialize, JsonSchema)]
pub struct Methods {
    /// The schema.
    pub schema: &'static str,
    /// Methods by id.
    pub methods: Vec<MethodListing>,
}

/// One method.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MethodListing {
    /// Its name on the command line.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The same in Japanese.
    pub title_ja: &'static str,
    /// Under which heading it is listed: `program`, `surface`, `response`, `inside`, `work` or `standard`.
    pub group: &'static str,
    /// What it measures in one short line.
    pub short: &'static str,
    /// The same in Japanese.
    pub short_ja: &'static str,
    /// Who published it.
    pub publisher: &'static str,
    /// What it measures.
    pub summary: &'static str,
    /// The same in Japanese.
    pub summary_ja: &'static str,
    /// Its version, as `method_version` of a result.
    pub version: u32,
    /// Whether it may write to the target.
    pub writes: bool,
    /// Whether it works in a test file.
    pub files: bool,
    /// Whether it would ruin a real drive, and is refused on one.
    pub models_only: bool,
    /// What a target must be, else the method is refused on it: `flash` (no hard disk), `writing` (it may be
    /// written).
    pub needs: Vec<&'static str>,
    /// What becomes of it on a drive whose zones are written in order.
    pub on_zoned: &'static str,
    /// The settings of its shortest run that still gives figures, on a target of 16 MiB, each `key=value`.
    pub shortest: &'static [&'static str],
    /// What can be set.
    pub settings: Vec<SettingListing>,
}

/// One setting.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingListing {
    /// Its name.
    pub key: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Which values it takes, in words.
    pub takes: String,
    /// Its value at quick scale.
    pub quick: &'static str,
    /// Its value at default scale.
    pub default: &'static str,
    /// Its value at full scale.
    pub full: &'static str,
}

/// All modelled drives.
///
/// ```json
/// {
///   "schema": "drivelab.drives/1",
///   "drives": [
///     {
///       "slug": "samsung-840-evo-750gb",
///       "title": "Samsung 840 EVO 750GB",
///       "maker": "Samsung",
///       "capacity": 750156374016,
///       "kind": "ssd",
///       "link": "sata-6",
///       "year": 2013,
///       "known_by": "figures"
///     }
///   ]
/// }
/// ```
#[derive(Debug, Serialize, JsonSchema)]
pub struct Drives {
    /// The schema.
    pub schema: &'static str,
    /// Drives of the catalogue by name.
    pub drives: Vec<DriveListing>,
}

/// One modelled drive.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DriveListing {
    /// Its name after `model:`.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// Who made it.
    pub maker: String,
    /// Bytes that it holds.
    pub capacity: Bytes,
    /// `ssd` or `hdd`.
    pub kind: &'static str,
    /// Its interface: `sata-1.5` to `sata-6`, `pata-33` to `pata-133`, `usb-2`, `usb-3`, `pcie3x4` and so on.
    pub link: String,
    /// The year it came out.
    pub year: u32,
    /// The basis of its model: `figures`, published or measured ones in addition to its components; or `data sheet`,
    /// little more than that, so that it is no reference for other drives.
    pub known_by: &'static str,
}

/// The complete contents of a modelled drive's file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sheet {
    /// The schema.
    pub schema: &'static str,
    /// What the catalogue lists of it.
    #[serde(flatten)]
    pub drive: DriveListing,
    /// Its properties.
    pub identity: BTreeMap<String, String>,
    /// Every value of the model.
    pub values: Vec<SheetValue>,
    /// Where the model differs from the real drive.
    pub divergences: Vec<String>,
    /// What may be a mistake in its file: a value outside the range of its class, or that costs something silly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// One value of a modelled drive.
///
/// ```json
/// {
///   "section": "link",
///   "key": "read_mb_s",
///   "value": "544.6",
///   "unit": "MB/s",
///   "source": "fitted",
///   "by": "calibrate",
///   "within": [525.0, 570.0],
///   "facts": ["F047"],
///   "why": "sequential read 540 MB/s is the link: 128 KiB in 242.73 us, less 2 us of frames. 92-94 % of the 600 MB/s on the wire would be 552-564"
/// }
/// ```
#[derive(Debug, Serialize, JsonSchema)]
pub struct SheetValue {
    /// The section of the file.
    pub section: &'static str,
    /// Its name.
    pub key: &'static str,
    /// The value as text.
    pub value: String,
    /// Its unit.
    pub unit: &'static str,
    /// `published`, `construction`, `estimated` or `fitted`.
    pub source: &'static str,
    /// Of a fitted value: `calibrate` (the program) or `likelihood`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    /// Of a fitted value: the least and the greatest that is physically possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<[f64; 2]>,
    /// The facts behind it.
    pub facts: Vec<String>,
    /// Why it is believed.
    pub why: String,
}

/// All stored runs.
///
/// ```json
/// {
///   "schema": "drivelab.runs/1",
///   "results": [
///     {
///       "id": 2,
///       "method": "crystaldiskmark",
///       "target": "null:",
///       "began": "2026-11-21T12:23:26Z",
///       "state": "finished",
///       "scale": "default",
///       "figure": { "key": "seq1m-q8t1.read", "value": 1048.6, "unit": "MB/s" },
///       "name": "before the update",
///       "tags": ["desk", "slot-2"]
///     }
///   ]
/// }
/// ```
#[derive(Debug, Serialize, JsonSchema)]
pub struct StoredRuns {
    /// The schema.
    pub schema: &'static str,
    /// The runs, the latest first.
    pub results: Vec<ResultListing>,
}

/// One stored run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResultListing {
    /// Its number.
    pub id: i64,
    /// The method's name.
    pub method: String,
    /// The target's name.
    pub target: String,
    /// The serial number of the drive that it was, where it has one: after a restart a path may be another drive's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// When it began, UTC.
    pub began: String,
    /// `finished`, `ended early`, `running`, `interrupted`, `went away` or `failed`.
    pub state: String,
    /// Its scale: `quick`, `default` or `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
    /// The first of its figures that has a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<ListedFigure>,
    /// Its name, usable as a selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tags that it was given, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The user's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The plan that it is a step of, and which step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<StepListing>,
}

impl ResultListing {
    /// Whether it has a result, be it of a part: what was measured until its drive went away, or until jobs were cut off.
    pub fn has_result(&self) -> bool {
        matches!(&*self.state, "finished" | "ended early" | "went away")
    }
}

/// A figure of a listed run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedFigure {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: f64,
    /// Its unit.
    pub unit: String,
}

/// Which step of a plan a run is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StepListing {
    /// The plan's number.
    pub id: i64,
    /// The step's number, from 1.
    pub step: u32,
}
