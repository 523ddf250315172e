//! `drivelab drives` and `show`: the catalogue of modelled drives.

use std::fmt::Write as _;

use results::listing::{DriveListing, Sheet, SheetValue};

use crate::arguments::{DriveKind, DriveLink, DrivesArguments, ShowArguments};
use crate::output::{Failure, print, print_as, print_json, say, text_columns};
use crate::paragraph::{hanging, length, padded, paragraph};

/// Lists the requested modelled drives.
pub(crate) fn drives(arguments: &DrivesArguments) -> Result<(), Failure> {
    let mut listing = lab::listing::drives()?;
    listing
        .drives
        .retain(|drive| is_asked_for(drive, arguments));
    if arguments.json {
        return print_json(&listing);
    }
    if listing.drives.is_empty() {
        say("no matching modelled drive: `drivelab drives` lists all");
    }
    print(&listed(&listing.drives))
}

fn is_asked_for(drive: &DriveListing, arguments: &DrivesArguments) -> bool {
    let all = format!("{} {} {}", drive.slug, drive.title, drive.maker).to_lowercase();
    let is_kind = |kind: DriveKind| match kind {
        DriveKind::Ssd => drive.kind == "ssd",
        DriveKind::Hdd => drive.kind == "hdd",
    };
    let is_link = |link: DriveLink| match link {
        DriveLink::Sata => drive.link.starts_with("sata"),
        DriveLink::Nvme => drive.link.starts_with("pcie"),
        DriveLink::Pata => drive.link.starts_with("pata"),
        DriveLink::Usb => drive.link.starts_with("usb"),
    };
    let is_maker = |maker: &String| drive.maker.to_lowercase().contains(&maker.to_lowercase());
    arguments.kind.is_none_or(is_kind)
        && arguments.link.is_none_or(is_link)
        && arguments.maker.as_ref().is_none_or(is_maker)
        && (arguments.words.iter()).all(|word| all.contains(&word.to_lowercase()))
}

fn listed(drives: &[DriveListing]) -> String {
    if drives.is_empty() {
        return String::new();
    }
    let width = |of: &dyn Fn(&DriveListing) -> usize| drives.iter().map(of).max().unwrap_or(0);
    let name = width(&|d| d.slug.len() + "model:".len());
    let heads = ["target", "type", "link", "capacity", "year"];
    let [target, kind, link_head, capacity_head, year] = heads;
    let link = width(&|d| d.link.len()).max(length(link_head));
    let capacity = width(&|d| length(&d.capacity.to_string())).max(length(capacity_head));
    let mut text = format!(
        "{}  {}  {}  {}{capacity_head}  {year}\n",
        padded(target, name),
        padded(kind, 4),
        padded(link_head, link),
        " ".repeat(capacity - length(capacity_head)),
    );
    for drive in drives {
        let mark = if is_by_data_sheet(drive) { " *" } else { "" };
        let _ = writeln!(
            text,
            "{}  {:4}  {}  {:>capacity$}  {}{mark}",
            padded(&format!("model:{}", drive.slug), name),
            drive.kind,
            padded(&drive.link, link),
            drive.capacity.to_string(),
            drive.year
        );
    }
    if drives.iter().any(is_by_data_sheet) {
        text.push_str(
            "* little more than its data sheet is known: no yardstick for other drives\n",
        );
    }
    text
}

fn is_by_data_sheet(drive: &DriveListing) -> bool {
    drive.known_by == "data sheet"
}

/// Shows a modelled drive.
pub(crate) fn show(arguments: &ShowArguments) -> Result<(), Failure> {
    let sheet = lab::listing::sheet(&arguments.drive)?;
    print_as(&sheet, arguments.json, |it| sheet_text(it, text_columns()))
}

/// A sheet for the terminal.
fn sheet_text(sheet: &Sheet, columns: usize) -> String {
    let drive = &sheet.drive;
    let mut text = format!(
        "{} ({}), {}, {}, {}\n",
        drive.title, drive.year, drive.kind, drive.link, drive.capacity
    );
    let mut section = "";
    for value in &sheet.values {
        if value.section != section {
            section = value.section;
            let _ = write!(text, "\n[{section}]\n");
        }
        let said = format!("{} {}", value.value, value.unit);
        text.push_str(&hanging(&format!("{} = ", value.key), &said, 4, columns));
        text.push_str(&paragraph(
            &format!("{}: {}", origin(value), value.why),
            4,
            columns,
        ));
    }
    text.push_str("\nDivergence from the real drive\n");
    for divergence in &sheet.divergences {
        text.push_str(&hanging("- ", divergence, 2, columns));
    }
    if !sheet.warnings.is_empty() {
        text.push_str("\nCheck\n");
        for warning in &sheet.warnings {
            text.push_str(&hanging("- ", warning, 2, columns));
        }
    }
    text
}

/// Where a value comes from: `fitted by calibrate within 120 to 320 to F008 F013`.
fn origin(value: &SheetValue) -> String {
    let mut origin = value.source.to_owned();
    if let Some(by) = value.by {
        let _ = write!(origin, " by {by}");
    }
    if let Some([low, high]) = value.within {
        let _ = write!(origin, " within {low} to {high}, to");
    }
    if !value.facts.is_empty() {
        let _ = write!(origin, " {}", value.facts.join(" "));
    }
    origin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str], kind: Option<DriveKind>, link: Option<DriveLink>) -> Vec<String> {
        let arguments = DrivesArguments {
            words: words.iter().map(|&word| word.to_owned()).collect(),
            kind,
            link,
            maker: None,
            json: false,
        };
        let all = lab::listing::drives().unwrap().drives;
        let kept = all
            .into_iter()
            .filter(|drive| is_asked_for(drive, &arguments));
        kept.map(|drive| drive.slug).collect()
    }

    #[test]
    fn the_list_and_every_sheet_fit_eighty_columns() {
        let drives = lab::listing::drives().unwrap().drives;
        let list = listed(&drives);
        assert_eq!(list.lines().count(), drives.len() + 2);
        let marked = list.lines().filter(|line| line.ends_with(" *")).count();
        let by_sheet = drives.iter().filter(|drive| is_by_data_sheet(drive));
        assert_eq!(marked, by_sheet.count());
        assert!(0 < marked && marked < drives.len());
        for line in list.lines() {
            assert!(length(line) <= 80, "{line}");
        }
        for drive in &drives {
            let sheet = lab::listing::sheet(&drive.slug).unwrap();
            for line in sheet_text(&sheet, 80).lines() {
                assert!(length(line) <= 80, "{}: {line}", drive.slug);
            }
        }
    }

    #[test]
    fn filters_keep_what_is_of_the_kind_the_link_and_the_words() {
        let all = asked(&[], None, None).len();
        let ssds = asked(&[], Some(DriveKind::Ssd), None);
        let disks = asked(&[], Some(DriveKind::Hdd), None);
        assert_eq!(ssds.len() + disks.len(), all);
        assert!(disks.contains(&"wd-red-wd30efrx-3tb".to_owned()));
        let nvme = asked(&["samsung"], Some(DriveKind::Ssd), Some(DriveLink::Nvme));
        assert!(nvme.contains(&"samsung-970-evo-plus-1tb".to_owned()));
        assert!(
            nvme.iter()
                .all(|slug| slug.contains("samsung") && !slug.contains("-840-"))
        );
        assert!(asked(&["no such maker"], None, None).is_empty());
    }
}
