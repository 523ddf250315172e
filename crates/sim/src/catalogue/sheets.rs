//! A drive's sheet: all that its file says, as it is or as options make it.

use super::inherited::Inherited;
use super::{
    CatalogueError, DriveCard, DriveSheet, Kind, ModelOptions, Parts, checked, drive_texts,
    warnings,
};

/// A drive's sheet, by its name or by the path of its file.
///
/// # Errors
/// Where there is no such drive, or its file is wrong.
pub fn describe(name: &str) -> Result<DriveSheet, CatalogueError> {
    describe_with(name, &ModelOptions::default())
}

/// A drive's sheet as options make it: with another firmware, other values, mechanisms that are off or another drive's.
///
/// # Errors
/// As [`describe`], and where an option is not to be had.
pub fn describe_with(name: &str, options: &ModelOptions) -> Result<DriveSheet, CatalogueError> {
    let (slug, texts) = drive_texts(name, options)?;
    let whole = Inherited::join(&texts, options.firmware.as_deref())?;
    let file = checked(&texts, &whole)?;
    if let Some(parts) = file.parts() {
        parts.info(&file.drive, options)?;
    }
    let warnings = warnings::of(&texts, &file);
    let kind = file.parts().map_or(Kind::Ssd, |parts| parts.kind());
    let mut sections = vec![file.drive.interface.section()];
    sections.extend(file.drive.section());
    sections.extend(file.parts().iter().flat_map(Parts::sections));
    let head = file.drive;
    let capacity = head.capacity();
    Ok(DriveSheet {
        card: DriveCard {
            slug,
            title: head.title,
            maker: head.maker,
            capacity,
            kind,
            year: head.year,
            interface: head.interface,
        },
        identity: head.identity,
        sections,
        divergences: head.divergences,
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_what_options_change_in_it() {
        let with = |options: &ModelOptions| {
            let sheet = describe_with("samsung-840-evo-250gb", options).unwrap();
            let sections = sheet.sections.into_iter();
            let rows = sections.flat_map(|section| {
                let rows = section.rows.into_iter();
                rows.map(move |row| (format!("{}.{}", section.name, row.key), row.value))
            });
            rows.collect::<std::collections::BTreeMap<String, String>>()
        };
        let plain = with(&ModelOptions::default());
        let changed = with(&ModelOptions {
            overrides: vec![
                ("ssd.nand.read_us".to_owned(), "61.5".to_owned()),
                ("drive.interface".to_owned(), "sata-3".to_owned()),
            ],
            // A value that the file need not give, and a section.
            without: vec!["ssd.link.queue".to_owned(), "ssd.slc".to_owned()],
            ..ModelOptions::default()
        });
        assert_eq!(changed["nand.read_us"], "61.5");
        assert_ne!(changed["interface.read_mb_s"], plain["interface.read_mb_s"]);
        assert!(plain.contains_key("slc.size_gb") && !changed.contains_key("slc.size_gb"));
        assert!(plain.contains_key("link.queue") && !changed.contains_key("link.queue"));
        assert_eq!(plain["nand.dies"], changed["nand.dies"]);
    }
}
