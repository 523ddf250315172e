//! `drivelab methods`, `drives` and `show`: what there is.

use std::fmt::Write as _;

use crate::arguments::ShowArguments;
use crate::output::{Failure, print, print_json};

/// Lists the methods.
pub(crate) fn methods(json: bool) -> Result<(), Failure> {
    let listing = lab::listing::methods();
    if json {
        return print_json(&listing);
    }
    let mut text = String::new();
    for method in &listing.methods {
        let _ = writeln!(
            text,
            "{}  {}{}",
            method.id,
            method.title,
            if method.writes { " (writes)" } else { "" }
        );
        let _ = writeln!(text, "    {}", method.summary);
        for setting in &method.settings {
            let _ = writeln!(
                text,
                "    --set {}=...  {} ({}; quick {}, default {}, full {})",
                setting.key,
                setting.help,
                setting.takes,
                setting.quick,
                setting.default,
                setting.full
            );
        }
    }
    print(&text)
}

/// Lists the modelled drives.
pub(crate) fn drives(json: bool) -> Result<(), Failure> {
    let listing = lab::listing::drives()?;
    if json {
        return print_json(&listing);
    }
    let width = listing
        .drives
        .iter()
        .map(|d| d.slug.len())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for drive in &listing.drives {
        let _ = writeln!(
            text,
            "model:{:width$}  {}, {} ({})",
            drive.slug, drive.title, drive.capacity, drive.year
        );
    }
    print(&text)
}

/// Shows a modelled drive.
pub(crate) fn show(arguments: &ShowArguments) -> Result<(), Failure> {
    let sheet = lab::listing::sheet(&arguments.drive)?;
    if arguments.json {
        print_json(&sheet)
    } else {
        print(&lab::listing::sheet_text(&sheet))
    }
}
