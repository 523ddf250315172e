//! A new drive's file: what its data sheet gives is asked for, what its kind has stands beside as comments.
//!
//! Whoever wants to know a drive that the catalogue lacks has its data sheet and perhaps a teardown. The file that is
//! made here runs as it stands, with the values of the kind; its writer puts in what the sheet says, has the rest fitted
//! to that (`drivelab calibrate FILE`), and takes the comment sign off a value that is known better.

use std::fmt::Write as _;

use base::size::Bytes;

use super::rated::RatedFigure;
use super::text::Text;
use super::{CatalogueError, Entry, KINDS, checked};
use super::{Inherited, Texts, above_text};
use crate::interface::Interface;
use crate::sheet::Row;

/// What is known of a drive before its file is written.
#[derive(Clone, Debug)]
pub struct NewDrive {
    /// Its name for people.
    pub title: String,
    /// The name of its kind.
    pub kind: String,
    /// Bytes that can be addressed.
    pub capacity: Bytes,
    /// How it is attached; as most drives of the kind where nothing is said.
    pub interface: Option<Interface>,
    /// The year that it came out.
    pub year: u32,
}

/// A kind of drives, for a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindCard {
    /// Its name.
    pub slug: &'static str,
    /// Its name for people.
    pub title: String,
    /// What drives are meant.
    pub about: String,
}

/// The kinds that there are.
///
/// # Errors
/// Where a file of the catalogue is wrong: a test keeps that from happening.
pub fn kinds() -> Result<Vec<KindCard>, CatalogueError> {
    let card = |entry: &Entry| {
        let file = of_kind(entry.slug, Bytes::new(1_000_204_886_016), None)?;
        let head = file.kind.ok_or_else(|| no_kind(entry.slug))?;
        Ok(KindCard {
            slug: entry.slug,
            title: head.title,
            about: head.about,
        })
    };
    KINDS.iter().map(card).collect()
}

/// The text of a new drive's file.
///
/// # Errors
/// Where there is no such kind, or the drive cannot be of it.
pub fn new_file(new: &NewDrive) -> Result<String, CatalogueError> {
    let file = of_kind(&new.kind, new.capacity, new.interface)?;
    let head = file.kind.as_ref().ok_or_else(|| no_kind(&new.kind))?;
    let interface = file.drive.interface;
    let mut text = String::new();
    let title = quoted(&new.title);
    // A string takes what is written to it.
    let _ = write!(
        text,
        "# {}: {}\n#\n\
         # 1. Say below what its data sheet gives, and take the comment signs off.\n\
         # 2. `drivelab calibrate FILE` fits what its kind leaves open to that.\n\
         # 3. `drivelab run METHOD model:FILE`; `drivelab show FILE` lists every value with its source.\n\n\
         [drive]\nkind = {}\ntitle = {title}\nmaker = \"unknown\"\nyear = {}\ncapacity_bytes = {}\ninterface = \"{interface}\"\n\n\
         # What its maker rates, with conditions of its own: {{ value = 98000.0, block_kib = 4, depth = 32, jobs = 1 }}.\n[rated]\n",
        new.title.replace(char::is_control, " "),
        head.title,
        quoted(&new.kind),
        new.year,
        new.capacity.get(),
    );
    for figure in RatedFigure::ALL {
        let _ = writeln!(
            text,
            "# {} = {{ value = 0.0 }} # {}",
            figure.key(),
            figure.meaning()
        );
    }
    text.push_str("\n# What drives of the kind have; a line without its comment sign takes the place of it.\n");
    if let Some(parts) = file.parts() {
        for section in parts.sections() {
            let _ = writeln!(text, "# [{}]", parts.table(section.name));
            for row in &section.rows {
                let _ = writeln!(text, "# {}", line(row));
            }
        }
    }
    Ok(text)
}

/// A value as its line in a file.
fn line(row: &Row) -> String {
    let value = match row.value.parse::<f64>() {
        Ok(_) => row.value.clone(),
        Err(_) if row.value == "true" || row.value == "false" => row.value.clone(),
        Err(_) => quoted(&row.value),
    };
    let within = match row.within {
        Some([low, high]) => format!(", {low} to {high}"),
        None => String::new(),
    };
    let unit = if row.unit.is_empty() { "" } else { " " };
    format!(
        "{} = {{ value = {value}, source = \"published\", why = \"\" }} #{unit}{}{within}: {}",
        row.key, row.unit, row.why
    )
}

/// A drive of a kind, known by no more than its capacity and its link.
fn of_kind(
    kind: &str,
    capacity: Bytes,
    interface: Option<Interface>,
) -> Result<super::DriveFile, CatalogueError> {
    let entry = KINDS.iter().find(|entry| entry.slug == kind);
    let entry = entry.ok_or_else(|| no_kind(kind))?;
    let interface = match interface {
        Some(interface) => interface.to_string(),
        None => own_interface(entry.text).unwrap_or_else(|| "sata-6".to_owned()),
    };
    let text = format!(
        "[drive]\nkind = {}\ntitle = \"x\"\nmaker = \"x\"\nyear = 2000\ncapacity_bytes = {}\ninterface = {}\n",
        quoted(kind),
        capacity.get(),
        quoted(&interface)
    );
    let first = Text {
        file: "the new file".to_owned(),
        text,
    };
    let above = |what, name: &str| above_text("", what, name);
    let texts = Texts::read(first, above, &super::ModelOptions::default())?;
    checked(&texts, &Inherited::join(&texts, None)?)
}

fn own_interface(kind: &str) -> Option<String> {
    let table: toml::Table = kind.parse().ok()?;
    let interface = table.get("kind")?.get("interface")?;
    Some(interface.as_str()?.to_owned())
}

fn no_kind(kind: &str) -> CatalogueError {
    let slugs: Vec<&str> = KINDS.iter().map(|entry| entry.slug).collect();
    CatalogueError::Unknown {
        what: "kind",
        name: kind.to_owned(),
        nearest: base::nearest::nearest(kind, &slugs),
    }
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{ModelOptions, describe, open};

    fn new(kind: &str) -> NewDrive {
        NewDrive {
            title: "A drive of \"mine\"".to_owned(),
            kind: kind.to_owned(),
            capacity: Bytes::new(match kind {
                // 52 heads would make no disk that anybody built.
                "disk-10k" => 74_025_197_568,
                _ => 960_197_124_096,
            }),
            interface: None,
            year: 2026,
        }
    }

    #[test]
    fn every_kind_makes_a_file_that_opens_as_a_drive() {
        let folder = tempfile::tempdir().unwrap();
        for kind in kinds().unwrap() {
            let path = folder.path().join(format!("{}.toml", kind.slug));
            std::fs::write(&path, new_file(&new(kind.slug)).unwrap()).unwrap();
            let name = path.to_str().unwrap();
            let opened = open(name, &ModelOptions::default());
            assert!(opened.is_ok(), "{}: {:?}", kind.slug, opened.err());
            assert_eq!(describe(name).unwrap().card.title, "A drive of \"mine\"");
        }
    }

    #[test]
    fn every_line_of_a_new_file_may_be_used_without_its_comment_sign() {
        let folder = tempfile::tempdir().unwrap();
        for kind in kinds().unwrap() {
            let text = new_file(&new(kind.slug)).unwrap();
            let (head, lines) = text.split_once("[rated]\n").unwrap();
            let used: Vec<String> = (lines.lines())
                .map(|line| line.strip_prefix("# ").unwrap_or(line))
                .filter(|line| line.starts_with('[') || line.contains(" = {"))
                .map(|line| line.replace("value = 0.0 }", "value = 1.0 }"))
                .map(|line| line.replace("why = \"\"", "why = \"x\""))
                .collect();
            let path = folder.path().join("used.toml");
            std::fs::write(&path, format!("{head}[rated]\n{}\n", used.join("\n"))).unwrap();
            let sheet = describe(path.to_str().unwrap());
            assert!(sheet.is_ok(), "{}: {:?}", kind.slug, sheet.err());
        }
    }

    #[test]
    fn a_disks_file_has_a_disks_sections() {
        let text = new_file(&new("disk-desktop")).unwrap();
        assert!(text.contains("# [hdd.media]\n"), "{text}");
        assert!(text.contains("# heads = { value = 4, "), "{text}");
        assert!(!text.contains("ssd."), "{text}");
    }

    #[test]
    fn a_kind_that_is_not_there_is_named_with_the_nearest() {
        let error = new_file(&new("nvme-tcl")).unwrap_err().to_string();
        assert!(error.contains("nvme-tlc"), "{error}");
    }
}
