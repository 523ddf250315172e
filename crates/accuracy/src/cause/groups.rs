//! What differs between two drives, by the mechanism that it belongs to.

use std::collections::BTreeMap;

use base::state::State;
use results::cause::{CauseChange, DriveMechanism as M};
use sim::catalogue::DriveSheet;
use sim::sheet::{Row, Section};
use targets::grammar::FILE_SYSTEM;
use targets::is_of_the_file;

use super::side::{Side, flash_of};

/// The mechanism of a section or of one key of it: the first line that a path begins with. What is in none belongs to
/// [`M::Other`].
const MECHANISMS: [(&str, M); 71] = [
    ("drive.interface", M::Link),
    ("drive.capacity_bytes", M::Capacity),
    ("ssd.link", M::Link),
    ("hdd.link", M::Link),
    ("ssd.nand.dies", M::Dies),
    ("ssd.nand.planes", M::Dies),
    ("ssd.nand.independent_planes", M::Dies),
    ("ssd.nand.page_kib", M::Dies),
    ("ssd.nand.pages_a_block", M::Dies),
    ("ssd.nand.channels", M::Channels),
    ("ssd.nand.bus_mb_s", M::Channels),
    ("ssd.nand.read_slc_us", M::OneBitCache),
    ("ssd.nand.program_slc_us", M::OneBitCache),
    ("ssd.nand", M::Cells),
    ("ssd.page_types", M::Cells),
    ("ssd.scatter.cells", M::Cells),
    ("ssd.slc", M::OneBitCache),
    ("ssd.map_cache", M::MapMemory),
    ("ssd.sub_unit", M::MapUnit),
    ("ssd.buffer", M::WriteBuffer),
    ("ssd.flush", M::WriteBuffer),
    ("ssd.controller", M::Controller),
    ("ssd.scatter.dispatch", M::Controller),
    ("ssd.dies", M::DieOrder),
    ("ssd.background", M::Collection),
    ("ssd.trim", M::Collection),
    ("ssd.scatter.map_journal", M::Housekeeping),
    ("ssd.scatter.housekeeping", M::Housekeeping),
    ("ssd.scatter.read_retry", M::Wear),
    ("ssd.wear", M::Wear),
    ("ssd.retention", M::Wear),
    ("ssd.bit_errors", M::Wear),
    ("ageing", M::Wear),
    ("ssd.read_ahead", M::ReadAhead),
    ("ssd.compression", M::Compression),
    ("ssd.thermal", M::Heat),
    ("ssd.zoned", M::Zones),
    ("hdd.zoned", M::Zones),
    ("block_mapped.log_blocks", M::LogBlocks),
    ("block_mapped.usable_pages", M::LogBlocks),
    ("block_mapped.copy_us", M::Merging),
    ("block_mapped.idle_merge_ms", M::Merging),
    ("block_mapped.read_us", M::Cells),
    ("block_mapped.program_us", M::Cells),
    ("block_mapped.erase_us", M::Cells),
    ("block_mapped.page_kib", M::Dies),
    ("block_mapped.pages_a_block", M::Dies),
    ("block_mapped.read_mb_s", M::Channels),
    ("block_mapped.write_mb_s", M::Channels),
    ("block_mapped.command_us", M::Controller),
    ("block_mapped.queue", M::CommandOrder),
    ("block_mapped", M::Design),
    ("hdd.media.rpm", M::Rotation),
    ("hdd.media", M::Tracks),
    ("hdd.arm", M::Seeks),
    ("hdd.actuators", M::Seeks),
    ("hdd.queue", M::CommandOrder),
    ("hdd.read_cache", M::ReadCache),
    ("hdd.write_cache", M::WriteCache),
    ("hdd.shingled", M::Shingles),
    ("hdd.cold_start", M::Cold),
    ("hdd.rare", M::Defects),
    ("hdd.spares", M::Defects),
    ("hdd.recovery", M::Defects),
    ("hdd.vibration", M::Defects),
    ("hdd.media_scan", M::Defects),
    ("state", M::State),
    ("partition_offset", M::PartitionOffset),
    ("link", M::Link),
    ("host", M::Host),
    (FILE_SYSTEM, M::FileSystem),
];

/// The mechanism of a path of a drive's file, or of an option of a target.
pub(super) fn mechanism(path: &str) -> M {
    let begins = |known: &str| {
        let rest = path.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let found = MECHANISMS.iter().find(|(known, _)| begins(known));
    found.map_or(M::Other, |(_, mechanism)| *mechanism)
}

/// Keys of the flash that follow from the capacity and the dies: `pair` works them out for each set of groups.
const FOLLOWING: [&str; 2] = ["ssd.nand.blocks_a_plane", "ssd.nand.unused_blocks_a_plane"];

/// Sections that are no part of the model's file: what follows from the interface, and what the maker warrants.
const NOT_IN_THE_MODEL: [&str; 2] = ["interface", "drive"];

/// Drives whose whole file is one section: nothing of theirs can stand in another kind of drive.
const WHOLE_KINDS: [&str; 3] = ["block_mapped", "ram_drive", "xpoint"];

/// Differences that are switched together.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) mechanisms: Vec<M>,
    pub(super) changes: Vec<CauseChange>,
    /// Options that make A as B in this: key and value; without a value the option is taken away.
    pub(super) options: Vec<(String, Option<String>)>,
    /// A becomes B as a whole, but for the options of the targets.
    pub(super) whole: bool,
    /// Joined, since none of it does anything alone.
    pub(super) is_idle: bool,
}

impl Group {
    /// Both at once.
    pub(super) fn join(&mut self, other: Group) {
        for mechanism in other.mechanisms {
            if !self.mechanisms.contains(&mechanism) {
                self.mechanisms.push(mechanism);
            }
        }
        self.changes.extend(other.changes);
        self.options.extend(other.options);
        self.whole |= other.whole;
    }

    /// Whether it is of the drives' files, not of the targets' options.
    pub(super) fn is_of_the_files(&self) -> bool {
        let of_a_file = |(key, _): &(String, Option<String>)| is_of_the_file(key);
        self.whole || self.mechanisms.contains(&M::Spare) || self.options.iter().any(of_a_file)
    }
}

/// Collects differences by their mechanisms.
#[derive(Default)]
struct Groups(BTreeMap<M, Group>);

impl Groups {
    fn add(&mut self, path: &str, [a, b]: [Option<String>; 2], option: Option<String>) {
        self.add_to(mechanism(path), path, [a, b], Some((path, option)));
    }

    fn add_to(
        &mut self,
        mechanism: M,
        path: &str,
        [a, b]: [Option<String>; 2],
        option: Option<(&str, Option<String>)>,
    ) {
        let group = self.0.entry(mechanism).or_default();
        group.mechanisms = vec![mechanism];
        let key = path.to_owned();
        group.changes.push(CauseChange { key, a, b });
        let option = option.map(|(key, value)| (key.to_owned(), value));
        group.options.extend(option);
    }
}

/// All differences between two sides.
pub(super) fn differences(a: &Side, b: &Side) -> Vec<Group> {
    let mut groups = Groups::default();
    if root(&a.sheet) != root(&b.sheet) {
        let names = [&a.sheet, &b.sheet].map(|sheet| Some(root(sheet).to_owned()));
        groups.add_to(M::Design, "drive", names, None);
        if let Some(group) = groups.0.get_mut(&M::Design) {
            group.whole = true;
        }
    } else {
        heads(a, b, &mut groups);
        sections(a, b, &mut groups);
        flash(a, b, &mut groups);
    }
    options(a, b, &mut groups);
    groups.0.into_values().collect()
}

/// The kind of a drive's file.
fn root(sheet: &DriveSheet) -> &'static str {
    let whole = WHOLE_KINDS.iter().find(|kind| {
        let mut sections = sheet.sections.iter();
        sections.any(|section| section.name == **kind)
    });
    whole.copied().unwrap_or(sheet.card.kind.name())
}

fn heads(a: &Side, b: &Side, groups: &mut Groups) {
    let capacity = |side: &Side| side.sheet.card.capacity.get().to_string();
    let interface = |side: &Side| side.sheet.card.interface.to_string();
    for (path, [of_a, of_b]) in [
        ("drive.capacity_bytes", [capacity(a), capacity(b)]),
        ("drive.interface", [interface(a), interface(b)]),
    ] {
        if of_a != of_b {
            groups.add(path, [Some(of_a), Some(of_b.clone())], Some(of_b));
        }
    }
}

/// Where a section is in the file.
pub(super) fn path_of(sheet: &DriveSheet, section: &str) -> String {
    if WHOLE_KINDS.contains(&section) {
        return section.to_owned();
    }
    format!("{}.{section}", sheet.card.kind.name())
}

fn of_model(sheet: &DriveSheet) -> impl Iterator<Item = &Section> {
    let sections = sheet.sections.iter();
    sections.filter(|section| !NOT_IN_THE_MODEL.contains(&section.name))
}

fn sections(a: &Side, b: &Side, groups: &mut Groups) {
    let find = |side: &Side, name: &str| of_model(&side.sheet).find(|s| s.name == name).cloned();
    for section in of_model(&a.sheet) {
        let path = path_of(&a.sheet, section.name);
        match find(b, section.name) {
            Some(other) => rows(&path, section, &other, groups),
            None => {
                let off = Some("off".to_owned());
                groups.add(&path, [Some(main_value(section)), None], off);
            }
        }
    }
    for section in of_model(&b.sheet) {
        if find(a, section.name).is_none() {
            added(b, section, groups);
        }
    }
}

/// A section that B alone has: as in its file, with what its own target's name changes.
fn added(b: &Side, section: &Section, groups: &mut Groups) {
    let path = path_of(&b.sheet, section.name);
    let given = b.option(&path).filter(|value| value != "off");
    let from = given.unwrap_or_else(|| format!("from:{}", b.name));
    groups.add(&path, [None, Some(main_value(section))], Some(from));
    let Some(group) = groups.0.get_mut(&mechanism(&path)) else {
        return;
    };
    // `from:` takes the section of the drive's first firmware and without the target's options: say each value.
    let rows = section.rows.iter();
    let values = rows.map(|row| (format!("{path}.{}", row.key), Some(row.value.clone())));
    if b.option("firmware").is_some() || b.options.iter().any(|(key, _)| is_within(key, &path)) {
        group.options.extend(values);
    }
}

fn is_within(key: &str, section: &str) -> bool {
    key.strip_prefix(section)
        .is_some_and(|rest| rest.starts_with('.'))
}

/// What a section is known by: its first value.
fn main_value(section: &Section) -> String {
    let first = section.rows.first();
    first.map_or_else(
        || "on".to_owned(),
        |row| format!("{} {}", row.key, said(row)),
    )
}

fn said(row: &Row) -> String {
    match row.unit {
        "" => row.value.clone(),
        unit => format!("{} {unit}", row.value),
    }
}

fn rows(path: &str, a: &Section, b: &Section, groups: &mut Groups) {
    let find = |section: &Section, key: &str| section.rows.iter().find(|r| r.key == key).cloned();
    for row in &a.rows {
        let key = format!("{path}.{}", row.key);
        if FOLLOWING.contains(&key.as_str()) {
            continue;
        }
        match find(b, row.key) {
            Some(other) if other.value == row.value => {}
            Some(other) => {
                let values = [Some(said(row)), Some(said(&other))];
                groups.add(&key, values, Some(other.value.clone()));
            }
            None => groups.add(&key, [Some(said(row)), None], Some("off".to_owned())),
        }
    }
    for row in &b.rows {
        let key = format!("{path}.{}", row.key);
        if find(a, row.key).is_none() && !FOLLOWING.contains(&key.as_str()) {
            groups.add(&key, [None, Some(said(row))], Some(row.value.clone()));
        }
    }
}

/// Raw flash belongs to the capacity where that differs; else it is spare.
fn flash(a: &Side, b: &Side, groups: &mut Groups) {
    let (Some(of_a), Some(of_b)) = (flash_of(&a.sheet), flash_of(&b.sheet)) else {
        return;
    };
    let same_capacity = a.sheet.card.capacity == b.sheet.card.capacity;
    let [raw_a, raw_b] = [of_a, of_b].map(|flash| flash.raw_kib());
    let differs = raw_a.abs_diff(raw_b) > raw_a / 1_000;
    if same_capacity && (differs || (of_a != of_b && of_a.has_the_dies_of(&of_b))) {
        let gib = |kib: u64| Some(format!("{:.1} GiB", kib as f64 / (1 << 20) as f64));
        groups.add_to(M::Spare, "raw flash", [gib(raw_a), gib(raw_b)], None);
    }
}

/// What an option is where a target does not say it.
fn unsaid(key: &str) -> Option<String> {
    (key == "state").then(|| State::default().to_string())
}

/// Options of the targets that are no values of the drives' files. A firmware shows in the values.
fn options(a: &Side, b: &Side, groups: &mut Groups) {
    let mut keys: Vec<&String> = a.options.iter().chain(&b.options).map(|(k, _)| k).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        if is_of_the_file(key) || ["seed", "firmware"].contains(&key.as_str()) {
            continue;
        }
        let values = [a, b].map(|side| side.option(key).or_else(|| unsaid(key)));
        if values[0] != values[1] {
            groups.add(key, values, b.option(key));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_the_mechanism_of_its_section_unless_it_has_one_of_its_own() {
        for (path, expected) in [
            ("ssd.nand.dies", M::Dies),
            ("ssd.nand.read_us", M::Cells),
            ("ssd.nand.program_slc_us", M::OneBitCache),
            ("ssd.map_cache", M::MapMemory),
            ("ssd.dies.suspend_us", M::DieOrder),
            ("hdd.media.rpm", M::Rotation),
            ("hdd.media.outer_sectors", M::Tracks),
            ("block_mapped.copy_us", M::Merging),
            ("state", M::State),
            ("ssd.new_part.key", M::Other),
            ("ssd.slcx", M::Other),
        ] {
            assert_eq!(mechanism(path), expected, "{path}");
        }
    }
}
