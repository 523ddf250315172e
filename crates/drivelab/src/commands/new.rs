//! `drivelab new`: a file for a drive that the catalogue lacks, to be filled in from its data sheet.

use std::fmt::Write as _;

use lab::new_drive::{NewDrive, kinds, path_of, write};

use crate::arguments::NewArguments;
use crate::output::{Failure, print, say, text_columns};
use crate::paragraph::hanging;

/// Writes the file, or lists the kinds.
pub(crate) fn new(arguments: &NewArguments) -> Result<(), Failure> {
    let (Some(name), Some(kind)) = (&arguments.name, &arguments.kind) else {
        return print(&listed()?);
    };
    let path = path_of(name);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let new = NewDrive {
        title: arguments
            .title
            .clone()
            .unwrap_or_else(|| stem.replace('-', " ")),
        kind: kind.clone(),
        capacity: arguments.capacity,
        interface: arguments.link,
        year: this_year(),
    };
    let path = write(name, &new)?;
    let path = path.display();
    say(&format!(
        "written: {path}; fill in what its data sheet rates, then `drivelab calibrate {path}`"
    ));
    Ok(())
}

fn listed() -> Result<String, Failure> {
    let mut text =
        String::from("`drivelab new NAME --kind KIND` writes a drive's file. Kinds:\n\n");
    for kind in kinds()? {
        let line = format!("{}: {}", kind.title, kind.about);
        let _ = writeln!(
            text,
            "{}",
            hanging(&format!("{:<20}", kind.slug), &line, 20, text_columns())
        );
    }
    Ok(text)
}

/// The year of the Gregorian calendar, to within a day at its ends.
fn this_year() -> u32 {
    let days = super::now_unix_ms() / 86_400_000;
    1970 + (days as f64 / 365.2425) as u32
}
