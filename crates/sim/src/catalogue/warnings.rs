//! What may be a mistake in a drive's file: allowed, and worth a second look.
//!
//! A value outside the range that the drive's class spans may be what is special about the drive, or a unit that was
//! read wrongly. And a disk whose actuator needs longer to the next track, and the head to be still enough to write, than
//! the skew between tracks leaves, loses a revolution at every track of a sequential write: no maker builds that, but
//! a seek time for writes that was taken for the settle time makes it.

use super::inherited::{Inherited, Texts};
use super::{DriveFile, Parts};
use crate::sheet::{Row, Section, Source};

/// All of them, in words.
pub(super) fn of(texts: &Texts, file: &DriveFile) -> Vec<String> {
    let Some(parts) = file.parts() else {
        return Vec::new();
    };
    let sections = parts.sections();
    let mut warnings = outside_class(texts, &parts, &sections);
    warnings.extend(missed_skew(&sections));
    warnings
}

/// Values that the drive's own file gives, outside of the range of the class.
fn outside_class(texts: &Texts, parts: &Parts<'_>, sections: &[Section]) -> Vec<String> {
    let rows = sections
        .iter()
        .flat_map(|section| section.rows.iter().map(move |row| (section.name, row)));
    let outside = rows.filter_map(|(section, row)| {
        // What was fitted keeps inside by itself, or says why not.
        if matches!(row.source, Source::Class | Source::Fitted) {
            return None;
        }
        let value: f64 = row.value.parse().ok()?;
        let path = parts.path(section, row.key);
        let [low, high] = Inherited::class_range(texts, &path)?;
        (value < low || value > high).then(|| {
            format!(
                "{path} is {value} {unit}, drives of its class have {low} to {high} {unit}: right where the drive is known for it, else look at the unit",
                unit = row.unit
            )
        })
    });
    outside.collect()
}

/// A disk that loses a revolution at each track, or at each change of surface, of a sequential write.
fn missed_skew(sections: &[Section]) -> Vec<String> {
    let number = |section: &str, key: &str| -> Option<f64> {
        let section = sections.iter().find(|found| found.name == section)?;
        let row: &Row = section.rows.iter().find(|row| row.key == key)?;
        row.value.parse().ok()
    };
    let found = || -> Option<Vec<String>> {
        let turn_ms = 60_000.0 / number("media", "rpm")?;
        let settle = number("arm", "write_settle_ms")?;
        let track = number("arm", "one_cylinder")? * number("arm", "mean_seek_ms")?;
        let head = number("arm", "head_switch_ms")?;
        let moves = [
            ("the next track", track, "track_skew"),
            ("another surface", head, "head_skew"),
        ];
        let missed = moves.into_iter().filter_map(|(to, takes, skew)| {
            let leaves = number("media", skew)? * turn_ms;
            let needs = takes + settle;
            (needs > leaves).then(|| {
                format!(
                    "a write that goes on at {to} needs {needs:.2} ms (hdd.arm, with write_settle_ms = {settle}), and hdd.media.{skew} leaves {leaves:.2} ms: it loses a turn of {turn_ms:.1} ms each time; write_settle_ms is what a write needs beyond a read, not a seek time"
                )
            })
        });
        Some(missed.collect())
    };
    found().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::catalogue::{DRIVES, SHEET_DRIVES, describe};

    fn warnings_of(text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        describe(path.to_str().unwrap()).unwrap().warnings
    }

    fn disk(arm: &str) -> String {
        format!(
            "[drive]\nkind = \"disk-desktop\"\ntitle = \"x\"\nmaker = \"x\"\nyear = 2010\ncapacity_bytes = 500107862016\ninterface = \"sata-3\"\n[hdd.arm]\n{arm}\n"
        )
    }

    #[test]
    fn a_write_seek_that_was_taken_for_the_settle_time_is_warned_of() {
        let settle = |ms: &str| {
            let given = format!(
                "write_settle_ms = {{ value = {ms}, source = \"published\", why = \"x\" }}"
            );
            warnings_of(&disk(&given))
        };
        assert_eq!(settle("0.1"), Vec::<String>::new());
        let said = settle("9.5").join("\n");
        assert!(said.contains("loses a turn of 8.3 ms"), "{said}");
        assert!(
            said.contains("drives of its class have 0.05 to 0.1 ms"),
            "{said}"
        );
    }

    #[test]
    fn no_catalogued_disk_but_one_loses_a_turn_at_each_track() {
        // Its settle time and its skew are estimates of two origins; its sequential write rate was never published.
        const ESTIMATED: &str = "hitachi-travelstar-7k100-100gb";
        for entry in DRIVES.iter().chain(SHEET_DRIVES) {
            let warnings = describe(entry.slug).unwrap().warnings;
            let lost = warnings.iter().any(|said| said.contains("loses a turn"));
            assert_eq!(
                lost,
                entry.slug == ESTIMATED,
                "{}: {warnings:?}",
                entry.slug
            );
        }
    }
}
