//! All that is wrong with a drive's file, found in one reading.
//!
//! Whoever writes a file by hand makes several mistakes in it, and wants to hear of all of them. Serde ends at the first;
//! so what it names is taken out, and the rest is read again, until nothing is wrong any more or what is left cannot be
//! read without it. Values outside their range, and those without a reason, are looked for in what could be read.

use super::inherited::{Inherited, Texts};
use super::{CatalogueError, DriveFile};
use crate::sheet::{Fault, faults, unbounded};

/// Mistakes that are told at once.
const MOST: usize = 40;

/// A drive's file whose every value may be used.
///
/// # Errors
/// All that is wrong with it, as far as it can be known at once.
pub(super) fn checked(texts: &Texts, whole: &Inherited<'_>) -> Result<DriveFile, CatalogueError> {
    if let Some(keys) = whole.keys_of_another_file() {
        let message = format!(
            "it is no drive's file: that has [drive], and this has {keys} (`drivelab new` writes one to begin with)"
        );
        return Err(texts.error_at(0..0, message));
    }
    let mut wrong = Vec::new();
    let mut left = whole.clone();
    let parsed = loop {
        match left.to_type::<DriveFile>() {
            Ok(parsed) => break Some(parsed),
            // Only a place in the file can be taken out of it, and what misses something may miss it for that.
            Err(refused) => {
                let taken = left.take_out_refused();
                if wrong.is_empty() || taken.is_some() {
                    wrong.push(match &taken {
                        Some(taken) => whole.error_at(taken.span.clone(), taken.words()),
                        None => refused,
                    });
                }
                if taken.is_none() || wrong.len() >= MOST {
                    break None;
                }
            }
        }
    };
    if let Some(parsed) = &parsed {
        let found = faults_of(parsed, texts);
        wrong.extend(found.map(|fault| whole.error_at(fault.span, fault.message)));
        if wrong.is_empty() && parsed.parts().is_none() {
            let message = "[ssd], [hdd], [block_mapped], [ram_drive] or [xpoint], one and only one of them, says what the drive is made of";
            wrong.push(texts.error_at(0..0, message.to_owned()));
        }
    }
    match (parsed, wrong.len()) {
        (Some(parsed), 0) => Ok(parsed),
        (_, 1) => Err(wrong.remove(0)),
        _ => Err(CatalogueError::Several(wrong)),
    }
}

/// What of a file can be read and may not be so.
fn faults_of(parsed: &DriveFile, texts: &Texts) -> impl Iterator<Item = Fault> + use<> {
    let mut sections = parsed
        .parts()
        .map_or_else(Vec::new, |parts| parts.sections());
    sections.extend(parsed.drive.section());
    let bounds = match texts.is_as_written() {
        true => unbounded(&sections),
        false => Vec::new(),
    };
    let mut found: Vec<Fault> = parsed.drive.fault().into_iter().collect();
    found.extend(parsed.rated.faults());
    found.extend(faults(&sections));
    found.extend(bounds);
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use crate::catalogue::describe;

    fn said_of(text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        let error = describe(path.to_str().unwrap()).unwrap_err().to_string();
        error.lines().map(str::to_owned).collect()
    }

    const HEAD: &str = "[drive]\nkind = \"sata-tlc\"\ntitle = \"x\"\nmaker = \"x\"\nyear = 2020\ncapacity_bytes = 500107862016\ninterface = \"sata-6\"\n";

    #[test]
    fn all_that_is_wrong_with_a_file_is_told_at_once_with_line_key_and_what_to_do() {
        let text = format!(
            "{HEAD}[ssd.nand]\n\
             dice = {{ value = 8, source = \"published\", why = \"x\" }}\n\
             read_us = {{ value = -5.0, source = \"published\", why = \"x\" }}\n\
             planes = {{ value = \"two\", source = \"published\", why = \"x\" }}\n\
             program_us = {{ value = 700.0, source = \"published\", why = \"\" }}\n\
             [rated]\nsequential_read_mb_s = {{ value = 0.0 }}\nrandom_read_iops = {{ value = 0.0 }}\n"
        );
        let said = said_of(&text);
        let has = |line: &str, words: &str| {
            let found = said
                .iter()
                .any(|one| one.contains(line) && one.contains(words));
            assert!(found, "{line}: {words} in {said:#?}");
        };
        assert_eq!(said.len(), 6, "{said:#?}");
        has(
            "line 9:",
            "there is no key ssd.nand.dice; did you mean dies?",
        );
        has("line 10:", "nand.read_us is -5");
        has("line 11:", "ssd.nand.planes");
        has("line 12:", "gives no reason");
        has("line 14:", "rated.sequential_read_mb_s");
        has("line 15:", "rated.random_read_iops");
    }

    #[test]
    fn a_file_of_something_else_is_told_in_one_line() {
        let plan = "title = \"Review\"\norder = \"shuffled\"\n[[step]]\nmethod = \"quick-scan\"\n";
        let said = said_of(plan);
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(
            said[0].contains(
                "it is no drive's file: that has [drive], and this has order, step, title"
            ),
            "{said:#?}"
        );
    }

    #[test]
    fn what_is_missing_since_it_could_not_be_read_is_not_told_beside() {
        let text = "[drive]\ntitle = \"x\"\nmaker = \"x\"\nyear = \"new\"\ncapacity_bytes = 500107862016\ninterface = \"sata-6\"\ndivergences = []\n[hdd]\n";
        let said = said_of(text);
        assert_eq!(said.len(), 1, "{said:#?}");
        assert!(said[0].contains("line 4: drive.year"), "{said:#?}");
    }
}
