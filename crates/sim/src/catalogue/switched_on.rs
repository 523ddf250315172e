//! Mechanisms switched on: a section that a drive's file lacks, laid under it with what drives of its class have.
//!
//! A file leaves out what nothing is known of, and then the drive has no such mechanism. What it would do to a figure can be
//! asked all the same: `?hdd.media_scan=on` puts the section of `catalog/sections.toml` under the file, below its kind, so
//! that whatever the file says itself takes the place of it.

use std::collections::BTreeSet;

use base::nearest::nearest;

use super::CatalogueError;
use super::text::Text;
use crate::catalogue_files::SECTIONS;

/// The text of a section for a drive whose files have these tables; lines stand where they stand in its file.
///
/// # Errors
/// Where there is no such section, or not for such a drive.
pub(super) fn text_of(section: &str, kinds: &BTreeSet<String>) -> Result<Text, CatalogueError> {
    let of_the_drive: Vec<&str> = (SECTIONS.text.lines())
        .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'))
        .filter(|name| {
            name.split('.')
                .next()
                .is_some_and(|kind| kinds.contains(kind))
        })
        .collect();
    if !of_the_drive.contains(&section) {
        return Err(CatalogueError::Unknown {
            what: "section that can be switched on",
            name: section.to_owned(),
            nearest: nearest(section, &of_the_drive),
        });
    }
    let head = format!("[{section}]");
    let mut inside = false;
    let mut text = String::new();
    for line in SECTIONS.text.lines() {
        if line.starts_with('[') {
            inside = line == head;
        }
        if inside {
            text.push_str(line);
        }
        text.push('\n');
    }
    Ok(Text {
        file: SECTIONS.file.to_owned(),
        text,
    })
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{ModelOptions, open};

    fn with(section: &str) -> ModelOptions {
        ModelOptions {
            with: vec![section.to_owned()],
            ..ModelOptions::default()
        }
    }

    #[test]
    fn a_disk_that_lacks_a_section_gets_it_and_one_that_has_it_keeps_its_own() {
        let info = |name: &str, section: &str| open(name, &with(section)).map(|o| o.model.info());
        let x20 = "seagate-exos-x20-20tb";
        for section in ["hdd.media_scan", "hdd.recovery", "hdd.actuators"] {
            assert!(info(x20, section).is_ok(), "{section}");
        }
        let said = |name: &str, section: &str| info(name, section).unwrap_err().to_string();
        assert!(said(x20, "hdd.media_scam").contains("hdd.media_scan"));
        assert!(said("crucial-p5-1tb", "hdd.recovery").contains("hdd.recovery"));
        assert!(info("hgst-deskstar-nas-hdn724030-3tb", "hdd.recovery").is_ok());
    }

    #[test]
    fn a_drive_with_a_section_switched_on_and_off_is_itself() {
        let plain = open("seagate-exos-x20-20tb", &ModelOptions::default()).unwrap();
        let mut both = with("hdd.media_scan");
        both.without = vec!["hdd.media_scan".to_owned()];
        let again = open("seagate-exos-x20-20tb", &both).unwrap();
        assert_eq!(plain.model.info(), again.model.info());
    }
}
