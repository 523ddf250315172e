//! `drivelab new`: a file for a drive that the catalogue lacks, to be filled in from its data sheet.

use std::fmt::Write as _;

use std::path::Path;

use lab::new_drive::{NewDrive, kinds, path_of, write, write_text};

use crate::arguments::NewArguments;
use crate::output::{Failure, failed, print, say, text_columns};
use crate::paragraph::hanging;

/// Writes the file, or lists the kinds.
pub(crate) fn new(arguments: &NewArguments) -> Result<(), Failure> {
    let (Some(name), Some(kind)) = (&arguments.name, &arguments.kind) else {
        return print(&listed()?);
    };
    if kind == HOST {
        return new_host(name, arguments);
    }
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
    for warning in lab::listing::sheet(&path_in_here(&path.to_string()))?.warnings {
        say(&format!("check: {warning}"));
    }
    say(&format!(
        "written: {path}; fill in the ratings of the data sheet, then run `drivelab calibrate {path}`"
    ));
    Ok(())
}

/// A file's path as the catalogue accepts it: a bare name would be a drive of the catalogue.
fn path_in_here(path: &str) -> String {
    match path.contains('/') {
        true => path.to_owned(),
        false => format!("./{path}"),
    }
}

/// The kind that is this computer.
const HOST: &str = "host";

/// Measures this computer, and writes its file.
fn new_host(name: &str, arguments: &NewArguments) -> Result<(), Failure> {
    let title = arguments.title.clone().unwrap_or_else(|| name.to_owned());
    say("measuring this computer, with a test file of 64 MiB in this folder");
    let text = benchmarks::host_file::measured(&title, Path::new(".")).map_err(failed)?;
    let path = write_text(name, &text)?;
    let path = path.display();
    say(&format!(
        "written: {path}; `model:DRIVE?host=./{path}` stands on it"
    ));
    Ok(())
}

fn listed() -> Result<String, Failure> {
    let mut text = "`drivelab new NAME --kind KIND` writes a drive's file. Kinds:\n\n".to_owned();
    for kind in kinds()? {
        let line = format!("{}: {}", kind.title, kind.about);
        let _ = writeln!(
            text,
            "{}",
            hanging(&format!("{:<20}", kind.slug), &line, 20, text_columns())
        );
    }
    let host =
        "This computer, measured: processor time an I/O, interruptions (model:DRIVE?host=FILE)";
    let _ = writeln!(
        text,
        "{}",
        hanging(&format!("{HOST:<20}"), host, 20, text_columns())
    );
    Ok(text)
}

/// The year of the Gregorian calendar, to within a day at its ends.
fn this_year() -> u32 {
    let days = super::now_unix_ms() / 86_400_000;
    1970 + (days as f64 / 365.2425) as u32
}
