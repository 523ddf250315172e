//! A mechanism as another drive has it: `?ssd.slc=from:samsung-840-evo-250gb` adds that drive's section, or puts it in
//! the place of the own one, with all that it inherits. So what a drive would be with another's part can be asked.

use super::inherited::Inherited;
use super::text::Text;
use super::{CatalogueError, ModelOptions, drive_texts};

/// A section as a drive has it, with all that it inherits.
pub(super) fn section_of(drive: &str, section: &str) -> Result<Text, CatalogueError> {
    let (_, texts) = drive_texts(drive, &ModelOptions::default())?;
    let whole: toml::Table = Inherited::join(&texts, None)?.to_type()?;
    let unknown = || CatalogueError::Unknown {
        what: "section",
        name: format!("{section} of {drive}"),
        nearest: Vec::new(),
    };
    let (kind, names) = section.split_once('.').ok_or_else(unknown)?;
    // A section may lie in another one: `ssd.scatter.read_retry`.
    let names = names.split('.');
    let values = names
        .clone()
        .try_fold(whole.get(kind).ok_or_else(unknown)?, |at, name| {
            at.get(name)
        })
        .filter(|values| values.is_table())
        .ok_or_else(unknown)?;
    let sections = names.rev().fold(values.clone(), |values, name| {
        toml::Value::Table(toml::Table::from_iter([(name.to_owned(), values)]))
    });
    let table = toml::Table::from_iter([(kind.to_owned(), sections)]);
    Ok(Text {
        file: format!("{section} of {drive}"),
        text: table.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::catalogue::read_drive;
    use crate::sheet::Section;

    #[test]
    fn a_section_of_another_drive_is_added_or_takes_the_place_of_the_own_one() {
        let evo = "samsung-840-evo-250gb";
        let sections = |name: &str, from: &[(&str, &str)]| {
            let owned = |(section, drive): &(&str, &str)| (section.to_string(), drive.to_string());
            let options = ModelOptions {
                taken_from: from.iter().map(owned).collect(),
                ..ModelOptions::default()
            };
            let (_, file) = read_drive(name, &options)?;
            let sections = file
                .parts()
                .map(|parts| parts.sections())
                .unwrap_or_default();
            let values = |section: Section| {
                let values = section.rows.iter().map(|row| (row.key, row.value.clone()));
                (section.name, values.collect::<Vec<_>>())
            };
            Ok::<_, CatalogueError>(sections.into_iter().map(values).collect::<BTreeMap<_, _>>())
        };
        let of_the_evo = sections(evo, &[]).unwrap();
        let plain = sections("samsung-840-250gb", &[]).unwrap();
        assert!(!plain.contains_key("slc"));
        let added = sections("samsung-840-250gb", &[("ssd.slc", evo)]).unwrap();
        assert_eq!(added["slc"], of_the_evo["slc"]);
        assert_eq!(added["nand"], plain["nand"]);
        let sn770 = sections("wd-black-sn770-1tb", &[("ssd.slc", evo)]).unwrap();
        assert_eq!(sn770["slc"], of_the_evo["slc"]);
        let retry = "scatter.read_retry";
        let within = sections(evo, &[("ssd.scatter.read_retry", "wd-black-sn770-1tb")]).unwrap();
        assert_eq!(
            within[retry],
            sections("wd-black-sn770-1tb", &[]).unwrap()[retry]
        );
        assert_ne!(within[retry], of_the_evo[retry]);
        let refused = |name, section, from| {
            let asked = sections(name, &[(section, from)]);
            asked.unwrap_err().to_string()
        };
        assert!(refused(evo, "ssd.slc", "samsung-840-250gb").contains("ssd.slc"));
        assert!(refused("wd-red-wd30efrx-3tb", "ssd.slc", evo).contains("ssd.slc"));
        assert!(refused(evo, "ssd.slc", "samsung-840-evo").contains(evo));
    }
}
