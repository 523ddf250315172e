//! The catalogue: from a drive's file to the drive.
//!
//! A drive is one readable TOML file in `catalog/drives` and one line in [`DRIVES`], or in [`SHEET_DRIVES`] where little
//! more than its data sheet is known; a host is one
//! in `catalog/hosts` and one line in [`HOSTS`]. The files are compiled in, so that a drive is the
//! same drive wherever the program runs; a path in place of a name opens a file of one's own. A
//! file's `[drive]` table says what the drive is, and where the model differs from it as far as we
//! know; the sections of its kind follow (`[ssd.*]` or `[hdd.*]`), every value with its source
//! ([`crate::sheet`]). Unknown fields are refused, and errors name file, line, key and allowed range.

use std::collections::BTreeMap;

use base::nearest::nearest;
use base::size::Bytes;
use base::target::{HostRates, Info, LinkRates};
use base::whole_file;
use serde::Deserialize;

use crate::block_mapped::drive::BlockMappedConfig;
use crate::halt::{Extent, Halt};
use crate::hdd::config::HddConfig;
use crate::interface::{Interface, Slot};
use crate::layer::host::{Computer, Host};
use crate::layer::partition::Partition;
use crate::model::Model;
use crate::ram_drive::RamDriveConfig;
use crate::sheet::reading::Placed;
use crate::sheet::{Fault, Section, Sourced, first_fault};
use crate::ssd::config::SsdConfig;
use crate::ssd::drive::Drive;
use crate::ssd::parameters::{DriveError, Parameters};
use crate::xpoint::XPointConfig;
use base::state::State;

mod disks;
mod error;
mod faults;
pub mod free;
pub mod hosts;
mod inherited;
pub mod kind;
mod lists;
pub mod new_file;
pub mod rated;
mod sheets;
mod switched_on;
mod taken_from;
mod taken_out;
mod text;
mod warnings;
mod words;
mod written;
mod zoning;

pub use crate::catalogue_files::{DRIVES, Entry, FAMILIES, HOSTS, KINDS, SHEET_DRIVES};
pub use disks::open_hdd;
pub use error::CatalogueError;
use faults::checked;
use hosts::{DEFAULT_HOST, HostFile};
use inherited::{Above, Inherited, Texts};
pub use lists::{drives, host_names, host_text, is_known_by_data_sheet, sheet_drives};
pub use sheets::{describe, describe_with};
use text::Text;
pub use written::{written, written_of_host};

/// The most that is read of a file of one's own; the longest that is compiled in has 10 KB.
pub const MOST_TEXT: Bytes = Bytes::mib(1);

/// What kind of drive it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Flash, or memory in its place.
    Ssd,
    /// Discs.
    Hdd,
}

impl Kind {
    /// The kind's name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Ssd => "ssd",
            Kind::Hdd => "hdd",
        }
    }
}

/// A line of the list of drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriveCard {
    /// Its name: maker-model-capacity in lower case.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// Who made it.
    pub maker: String,
    /// Bytes that can be addressed.
    pub capacity: Bytes,
    /// Flash or discs.
    pub kind: Kind,
    /// The year it came out.
    pub year: u32,
    /// How it is attached.
    pub interface: Interface,
}

/// A drive's whole file: for people to read.
#[derive(Clone, Debug)]
pub struct DriveSheet {
    /// Its line in the list.
    pub card: DriveCard,
    /// What it says of itself.
    pub identity: BTreeMap<String, String>,
    /// Every value of the model, with unit, source and reason.
    pub sections: Vec<Section>,
    /// Where the model differs from the real drive, as far as we know.
    pub divergences: Vec<String>,
    /// What may be a mistake, in words: a value outside the range of the drive's class, or that costs something silly.
    pub warnings: Vec<String>,
}

/// How a modelled drive is opened.
#[derive(Clone, Debug, Default)]
pub struct ModelOptions {
    /// What it has been through; fresh where nothing is said.
    pub state: State,
    /// The computer around it; [`DEFAULT_HOST`] where nothing is said.
    pub host: Option<String>,
    /// The slot that it is in; the host's own where nothing is said.
    pub link: Option<String>,
    /// Where the partition begins that stands for the drive.
    pub partition_offset: Option<Bytes>,
    /// The firmware, where the drive has more than one.
    pub firmware: Option<String>,
    /// How many times faster than a real one it ages: each erase and each day that data lie counts so often.
    pub ageing: Option<u32>,
    /// Draws all that is drawn in it.
    pub seed: u64,
    /// What takes the place of values of its file, by their paths, as it would be written there:
    /// `ssd.nand.dies` and `8`, `ssd.sub_unit.fills` and `in-turn`.
    pub overrides: Vec<(String, String)>,
    /// Sections of its file that are taken away (`ssd.map_cache`): mechanisms switched off.
    pub without: Vec<String>,
    /// Sections that its file lacks and that it gets, with the values of a class (`hdd.media_scan`); one that it has stays
    /// as it is.
    pub with: Vec<String>,
    /// Sections that it gets as another drive has them, in place of its own: section and drive.
    pub taken_from: Vec<(String, String)>,
    /// How much of it is made.
    pub extent: Extent,
}

/// A modelled drive, ready to be run.
pub struct Opened {
    /// The drive with its layers.
    pub model: Box<dyn Model>,
    /// Its name for people.
    pub title: String,
    /// What it says of itself.
    pub identity: BTreeMap<String, String>,
    /// What its link carries in its slot.
    pub link: LinkRates,
    /// The state it is in, as it is written.
    pub state: String,
    /// The host around it.
    pub host: String,
    /// What that host lets through, where it limits anything.
    pub host_rates: Option<HostRates>,
    /// Where the model differs from the real drive.
    pub divergences: Vec<String>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened")
            .field("title", &self.title)
            .field("state", &self.state)
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

/// A drive's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DriveFile {
    drive: Head,
    /// The head of its kind's file, where it has one.
    kind: Option<kind::KindHead>,
    /// What its maker rates it at.
    #[serde(default)]
    rated: rated::Rated,
    ssd: Option<SsdConfig>,
    hdd: Option<HddConfig>,
    block_mapped: Option<BlockMappedConfig>,
    ram_drive: Option<RamDriveConfig>,
    xpoint: Option<XPointConfig>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    title: String,
    maker: String,
    year: u32,
    capacity_bytes: Placed<u64>,
    interface: Interface,
    #[serde(default)]
    identity: BTreeMap<String, String>,
    divergences: Vec<String>,
    /// What the maker warrants to be written, in TB of 10^12 bytes; no part of the model.
    rated_endurance_tb: Option<Sourced<f64>>,
}

impl Head {
    /// What is said of the drive as a whole, beside its model.
    fn section(&self) -> Option<Section> {
        let endurance = self.rated_endurance_tb.as_ref()?;
        let row = endurance.row("rated_endurance_tb", "TB", 1.0..=1e6);
        Some(Section::new("drive", vec![row]))
    }

    fn capacity(&self) -> Bytes {
        Bytes::new(self.capacity_bytes.value)
    }

    /// Why the capacity is none.
    fn fault(&self) -> Option<Fault> {
        let capacity = self.capacity();
        let whole = !capacity.is_zero() && capacity.is_multiple_of(Bytes::SECTOR);
        (!whole).then(|| Fault {
            message: format!(
                "drive.capacity_bytes is {}, allowed are whole sectors of 512 bytes, one at least",
                capacity.get()
            ),
            span: self.capacity_bytes.span.clone(),
        })
    }
}

/// The parts of a file that belong to its kind of drive.
enum Parts<'a> {
    Ssd(&'a SsdConfig),
    Hdd(&'a HddConfig),
    BlockMapped(&'a BlockMappedConfig),
    RamDrive(&'a RamDriveConfig),
    XPoint(&'a XPointConfig),
}

impl DriveFile {
    /// The one kind that the file describes.
    fn parts(&self) -> Option<Parts<'_>> {
        let mut parts = [
            self.ssd.as_ref().map(Parts::Ssd),
            self.hdd.as_ref().map(Parts::Hdd),
            self.block_mapped.as_ref().map(Parts::BlockMapped),
            self.ram_drive.as_ref().map(Parts::RamDrive),
            self.xpoint.as_ref().map(Parts::XPoint),
        ]
        .into_iter()
        .flatten();
        let first = parts.next();
        first.filter(|_| parts.next().is_none())
    }
}

impl Parts<'_> {
    fn kind(&self) -> Kind {
        match self {
            Parts::Hdd(_) => Kind::Hdd,
            Parts::Ssd(_) | Parts::BlockMapped(_) | Parts::RamDrive(_) | Parts::XPoint(_) => {
                Kind::Ssd
            }
        }
    }

    /// What a real drive of its kind tells the host, under the same names as of a real one.
    fn facts(&self) -> Vec<(String, String)> {
        let facts = match self {
            Parts::Hdd(config) => config.facts(),
            Parts::Ssd(_) | Parts::BlockMapped(_) | Parts::RamDrive(_) | Parts::XPoint(_) => {
                vec![("rotational", "no")]
            }
        };
        let owned = |(name, what): (&str, &str)| (name.to_owned(), what.to_owned());
        facts.into_iter().map(owned).collect()
    }

    fn sections(&self) -> Vec<Section> {
        match self {
            Parts::Ssd(config) => config.sections(),
            Parts::Hdd(config) => config.sections(),
            Parts::BlockMapped(config) => vec![config.section()],
            Parts::RamDrive(config) => vec![config.section()],
            Parts::XPoint(config) => vec![config.section()],
        }
    }

    /// Where a value is in the file.
    fn path(&self, section: &str, key: &str) -> String {
        format!("{}.{key}", self.table(section))
    }

    /// Where a section is in the file.
    fn table(&self, section: &str) -> String {
        match self {
            Parts::Ssd(_) => format!("ssd.{section}"),
            Parts::Hdd(_) => format!("hdd.{section}"),
            // One section alone: it is the table itself.
            Parts::BlockMapped(_) | Parts::RamDrive(_) | Parts::XPoint(_) => section.to_owned(),
        }
    }

    /// The drive, or its outline.
    fn build(&self, head: &Head, options: &ModelOptions) -> Result<Box<dyn Model>, CatalogueError> {
        let Extent::Whole(halt) = &options.extent else {
            return Ok(Box::new(self.outline(head, options)?));
        };
        halt.ask().map_err(DriveError::from)?;
        let slot = Slot::of(head.interface, options.link.as_deref())?;
        let (capacity, own) = (head.capacity(), head.interface);
        Ok(match self {
            Parts::Ssd(config) => self.in_zones(build_ssd(config, head, options, halt)?, options),
            Parts::Hdd(config) => self.disk(config, head, options)?,
            Parts::BlockMapped(config) => {
                let flash = config.parameters();
                Box::new(flash.build(capacity, own, &slot, &options.state)?)
            }
            Parts::RamDrive(config) => Box::new(config.parameters().build(capacity, own, &slot)),
            Parts::XPoint(config) => config.build(capacity, own, &slot, options.seed),
        })
    }

    fn info_without_zones(
        &self,
        head: &Head,
        options: &ModelOptions,
    ) -> Result<Info, CatalogueError> {
        let slot = Slot::of(head.interface, options.link.as_deref())?;
        let (capacity, own) = (head.capacity(), head.interface);
        Ok(match self {
            Parts::Ssd(config) => {
                let p = ssd_parameters(config, head, &slot).ageing(options.ageing)?;
                p.check()?;
                p.check_state(&options.state)?;
                p.info()
            }
            Parts::Hdd(config) => config.info(capacity, &slot, options.seed, &options.state)?,
            Parts::BlockMapped(config) => {
                let flash = config.parameters();
                flash.checked(capacity, own, &slot, &options.state)?.info()
            }
            Parts::RamDrive(config) => config.parameters().build(capacity, own, &slot).info(),
            Parts::XPoint(config) => config.build(capacity, own, &slot, 0).info(),
        })
    }
}

fn build_ssd(
    config: &SsdConfig,
    head: &Head,
    options: &ModelOptions,
    halt: &Halt,
) -> Result<Drive, CatalogueError> {
    let slot = Slot::of(head.interface, options.link.as_deref())?;
    let p = ssd_parameters(config, head, &slot).ageing(options.ageing)?;
    let drive = Drive::in_state_unless(halt, p, options.seed, &options.state)?;
    Ok(drive)
}

/// An SSD's numbers in a slot.
fn ssd_parameters(config: &SsdConfig, head: &Head, slot: &Slot) -> Parameters {
    let mut p = config.parameters(head.capacity(), head.interface);
    p.link = slot.narrows(p.link);
    p.queue = slot.queue(p.queue);
    p
}

/// A solid-state drive itself, without layers: for benchmarks that call it directly.
///
/// # Errors
/// As [`open`], and where the drive is of another kind.
pub fn open_ssd(name: &str, options: &ModelOptions) -> Result<Drive, CatalogueError> {
    let (_, file) = read_drive(name, options)?;
    match file.parts() {
        Some(Parts::Ssd(config)) => build_ssd(config, &file.drive, options, &Halt::default()),
        _ => Err(CatalogueError::Unknown {
            what: "solid-state drive",
            name: name.to_owned(),
            nearest: Vec::new(),
        }),
    }
}

/// What a drive's maker rates it at, and the head of its kind's file where it has one.
///
/// # Errors
/// As [`describe`].
pub fn ratings(
    name: &str,
    options: &ModelOptions,
) -> Result<(rated::Rated, Option<kind::KindHead>), CatalogueError> {
    let (_, file) = read_drive(name, options)?;
    Ok((file.rated, file.kind))
}

/// What a drive's maker warrants to be written to it, where its file says so; nothing for an unknown
/// drive.
pub fn rated_endurance(name: &str) -> Option<Bytes> {
    let (_, file) = read_drive(name, &ModelOptions::default()).ok()?;
    let terabytes = file.drive.rated_endurance_tb?.get();
    Some(Bytes::new((terabytes * 1e12) as u64))
}

/// Opens a drive by its name or by the path of its file, behind its host; or its outline.
///
/// # Errors
/// Where there is no such drive or host, a file is wrong, or an option or state is not to be had.
pub fn open(name: &str, options: &ModelOptions) -> Result<Opened, CatalogueError> {
    let (mut opened, computer) = open_without_host(name, options)?;
    if let Some(computer) = computer {
        opened.model = Box::new(Host::new(opened.model, computer));
    }
    Ok(opened)
}

/// Opens a drive that is not behind its host yet, and tells what the host will add: the members of
/// an array are behind one host together.
///
/// # Errors
/// As [`open`].
pub fn open_without_host(
    name: &str,
    options: &ModelOptions,
) -> Result<(Opened, Option<Computer>), CatalogueError> {
    let (_, file) = read_drive(name, options)?;
    let head = &file.drive;
    let host_name = options.host.as_deref().unwrap_or(DEFAULT_HOST);
    let host = read_host(host_name)?;
    let Some(parts) = file.parts() else {
        return Err(CatalogueError::Unknown {
            what: "drive",
            name: name.to_owned(),
            nearest: Vec::new(),
        });
    };
    let link = options.link.clone().or_else(|| host.slot(head.interface));
    let slot = Slot::of(head.interface, link.as_deref())?;
    let computer = host.computer(host_name, slot.interface.protocol(), options.seed)?;
    let in_slot = ModelOptions {
        link,
        ..options.clone()
    };
    if let (Some(times), false) = (options.ageing, matches!(parts, Parts::Ssd(_))) {
        return Err(DriveError::DoesNotAge(times).into());
    }
    let mut model = parts.build(head, &in_slot)?;
    if let Some(offset) = options.partition_offset {
        model = Box::new(Partition::new(model, offset)?);
    }
    let opened = Opened {
        model,
        title: head.title.clone(),
        identity: (head.identity.clone().into_iter())
            .chain([("link".to_owned(), slot.attachment(head.interface))])
            .chain(parts.facts())
            .chain(partition_start(options))
            .collect(),
        link: slot.rates(head.interface),
        state: options.state.to_string(),
        host: host_name.to_owned(),
        host_rates: computer.as_ref().and_then(Computer::rates),
        divergences: head.divergences.clone(),
    };
    Ok((opened, computer))
}

/// Where the partition begins that is measured, if one is.
fn partition_start(options: &ModelOptions) -> Option<(String, String)> {
    let start = options.partition_offset?;
    Some(("partition start".to_owned(), start.get().to_string() + " B"))
}

fn read_drive(name: &str, options: &ModelOptions) -> Result<(String, DriveFile), CatalogueError> {
    let (slug, texts) = drive_texts(name, options)?;
    let whole = Inherited::join(&texts, options.firmware.as_deref())?;
    Ok((slug, checked(&texts, &whole)?))
}

/// A drive's file and those of its families.
fn drive_texts(name: &str, options: &ModelOptions) -> Result<(String, Texts), CatalogueError> {
    let (slug, file, text) = find(name, "drive", &[DRIVES, SHEET_DRIVES])?;
    let above = |what: Above, above: &str| above_text(name, what, above);
    let mut texts = Texts::read(Text { file, text }, above, options)?;
    for (section, drive) in &options.taken_from {
        texts.put_in_place(section, taken_from::section_of(drive, section)?);
    }
    Ok((slug, texts))
}

/// A family or a kind by its name, or by the path of its file, which is meant from the drive's file on.
fn above_text(drive: &str, what: Above, above: &str) -> Result<Text, CatalogueError> {
    let near = match (drive.rsplit_once('/'), above.ends_with(".toml")) {
        (Some((folder, _)), true) if !above.starts_with('/') => format!("{folder}/{above}"),
        _ => above.to_owned(),
    };
    let entries = match what {
        Above::Family => FAMILIES,
        Above::Kind => KINDS,
    };
    let (_, file, text) = find(&near, what.name(), &[entries])?;
    Ok(Text { file, text })
}

fn read_host(name: &str) -> Result<HostFile, CatalogueError> {
    let (_, file, text) = find(name, "host", &[HOSTS])?;
    let no_family = |_: Above, family: &str| {
        Err(CatalogueError::Unknown {
            what: "family of hosts",
            name: family.to_owned(),
            nearest: Vec::new(),
        })
    };
    let texts = Texts::read(Text { file, text }, no_family, &ModelOptions::default())?;
    let parsed: HostFile = Inherited::join(&texts, None)?.to_type()?;
    match first_fault(&parsed.sections()) {
        None => Ok(parsed),
        Some(fault) => Err(texts.error_at(fault.span, fault.message)),
    }
}

/// A compiled-in file by its name, or one's own by its path: its name, where it is, its text.
fn find(
    name: &str,
    what: &'static str,
    lists: &[&[Entry]],
) -> Result<(String, String, String), CatalogueError> {
    let entries = || lists.iter().copied().flatten();
    if let Some(entry) = entries().find(|entry| entry.slug == name) {
        return Ok((
            entry.slug.to_owned(),
            entry.file.to_owned(),
            entry.text.to_owned(),
        ));
    }
    if !name.contains('/') && !name.ends_with(".toml") {
        let slugs: Vec<&str> = entries().map(|entry| entry.slug).collect();
        return Err(CatalogueError::Unknown {
            what,
            name: name.to_owned(),
            nearest: nearest(name, &slugs),
        });
    }
    let text =
        whole_file::text(name.as_ref(), MOST_TEXT).map_err(|cause| CatalogueError::Unreadable {
            path: name.to_owned(),
            cause,
        })?;
    let slug = name.rsplit('/').next().unwrap_or(name);
    let slug = slug.strip_suffix(".toml").unwrap_or(slug);
    Ok((slug.to_owned(), name.to_owned(), text))
}

#[cfg(test)]
mod tests;
