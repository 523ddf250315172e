//! Drives known from little more than their data sheets: that they are found, and that what they say has a source.

use super::*;

#[test]
fn each_opens_by_its_name_behind_a_host_of_its_link() {
    for card in sheet_drives().unwrap() {
        let options = ModelOptions {
            host: Some("none".to_owned()),
            extent: Extent::Outline,
            ..ModelOptions::default()
        };
        let opened = open(&card.slug, &options);
        let opened = opened.unwrap_or_else(|error| panic!("{}: {error}", card.slug));
        // Zones may hold less than their length: then addresses reach further.
        let mut model = opened.model;
        let capacity = match model.zoned() {
            None => model.info().capacity,
            Some(zoned) => {
                let zones = zoned.report(Bytes::ZERO, usize::MAX).unwrap();
                zones
                    .iter()
                    .fold(Bytes::ZERO, |sum, zone| sum + zone.capacity)
            }
        };
        assert_eq!(capacity, card.capacity, "{}", card.slug);
        assert!(!opened.divergences.is_empty(), "{}", card.slug);
        assert!(is_known_by_data_sheet(&card.slug));
    }
}

#[test]
fn each_is_of_a_kind_and_has_ratings_or_a_disks_figures() {
    for card in sheet_drives().unwrap() {
        let (rated, kind) = ratings(&card.slug, &ModelOptions::default()).unwrap();
        assert!(kind.is_some(), "{}", card.slug);
        let own = own_values(&card.slug);
        let of_a_disk = ["hdd.media.rpm", "hdd.media.heads", "hdd.arm.mean_seek_ms"];
        let has_figures = of_a_disk.iter().all(|key| own.contains_key(*key));
        // No public sheet rates zoned flash: it is known by what others measured, its zones before all.
        let is_zoned = own.contains_key("ssd.zoned.zone_mib");
        match card.kind {
            Kind::Ssd if is_zoned => {}
            Kind::Ssd => assert!(rated.figures().len() > 1, "{}", card.slug),
            Kind::Hdd => assert!(has_figures, "{}", card.slug),
        }
    }
}

#[test]
fn what_a_file_says_beyond_its_kind_has_a_source_and_nothing_is_fitted_to_a_measured_figure() {
    for card in sheet_drives().unwrap() {
        let own = own_values(&card.slug);
        assert!(!own.is_empty(), "{}", card.slug);
        for (key, value) in own {
            let text = |name: &str| value.get(name).and_then(toml::Value::as_str);
            match text("source").unwrap() {
                "fitted" => assert_eq!(text("by"), Some("rated"), "{} {key}", card.slug),
                "class" => assert!(value.contains_key("within"), "{} {key}", card.slug),
                source => {
                    let known = ["published", "construction", "estimated"];
                    assert!(known.contains(&source), "{} {key}", card.slug);
                }
            }
        }
    }
}

#[test]
fn none_is_in_both_lists() {
    for entry in SHEET_DRIVES {
        assert!(DRIVES.iter().all(|known| known.slug != entry.slug));
    }
    assert!(!is_known_by_data_sheet(EVO));
}

#[test]
fn a_mistyped_name_of_one_offers_the_nearest() {
    let error = describe("samsung-pm883-480").unwrap_err().to_string();
    assert!(
        error.contains("did you mean samsung-pm883-480gb"),
        "{error}"
    );
}

/// The values of a drive's own file, by their paths.
fn own_values(slug: &str) -> BTreeMap<String, toml::Table> {
    let entry = SHEET_DRIVES
        .iter()
        .find(|entry| entry.slug == slug)
        .unwrap();
    let mut tables = vec![(String::new(), entry.text.parse::<toml::Table>().unwrap())];
    let mut values = BTreeMap::new();
    while let Some((path, table)) = tables.pop() {
        for (key, value) in table {
            let toml::Value::Table(inner) = value else {
                continue;
            };
            let path = match path.is_empty() {
                true => key,
                false => format!("{path}.{key}"),
            };
            match inner.contains_key("source") {
                true => drop(values.insert(path, inner)),
                false => tables.push((path, inner)),
            }
        }
    }
    values
}
