//! Catalogued drives cut down to a few dozen blocks a plane: what takes hours to fill is written over in
//! a second, and all mechanisms are there.

use sim::catalogue::DriveSheet;

/// The table of a drive's file that its sections stand in: `ssd.`, `hdd.`, or none for a kind that is
/// one table.
pub(crate) fn prefix(sheet: &DriveSheet) -> &'static str {
    let has = |name: &str| sheet.sections.iter().any(|section| section.name == name);
    if has("nand") {
        "ssd."
    } else if has("media") {
        "hdd."
    } else {
        ""
    }
}

/// Overrides that make a flash drive of the same build with so many blocks a plane, of whose capacity
/// the given share is addressed.
pub(crate) fn cut_down(sheet: &DriveSheet, blocks: u32, addressed: f64) -> Vec<(String, String)> {
    let value = |section: &str, key: &str| {
        let found = sheet.sections.iter().find(|s| s.name == section)?;
        let row = found.rows.iter().find(|row| row.key == key)?;
        row.value.parse::<f64>().ok()
    };
    let all = value("nand", "blocks_a_plane").expect("a flash drive says how many blocks it has");
    let few = f64::from(blocks).min(all);
    let share = few / all;
    let unused = value("nand", "unused_blocks_a_plane").unwrap_or(0.0) * share;
    let pages = sheet.card.capacity.get() as f64 * share * addressed / 4_096.0;
    let mut cut = vec![
        ("ssd.nand.blocks_a_plane".to_owned(), few),
        ("ssd.nand.unused_blocks_a_plane".to_owned(), unused.floor()),
        ("drive.capacity_bytes".to_owned(), pages.floor() * 4_096.0),
    ];
    for key in ["size_gb", "dynamic_gb"] {
        let scaled = value("slc", key).map(|gb| gb * share);
        cut.extend(scaled.map(|gb| (format!("ssd.slc.{key}"), gb)));
    }
    let written = cut
        .into_iter()
        .map(|(key, number)| (key, number.to_string()));
    written.collect()
}
