//! `drivelab methods`: a list that fits a terminal, and one method with all that can be set.

use std::fmt::Write as _;

use base::method::Group;
use results::listing::{MethodListing, SettingListing};

use crate::arguments::MethodsArguments;
use crate::output::{Failure, print, print_json, text_columns};
use crate::paragraph::{hanging, length, padded, paragraph};

/// Lists the methods, or explains one.
pub(crate) fn methods(arguments: &MethodsArguments) -> Result<(), Failure> {
    let mut listing = lab::listing::methods();
    if let Some(name) = &arguments.name {
        let known = methods_named(name)?;
        listing.methods.retain(|method| method.id == known);
    }
    if arguments.json {
        return print_json(&listing);
    }
    match (&arguments.name, &listing.methods[..]) {
        (Some(_), [method]) => print(&explained(method, text_columns())),
        _ => print(&listed(&listing.methods)),
    }
}

/// The name of a method, where it is one.
fn methods_named(name: &str) -> Result<&'static str, Failure> {
    let found = lab::running::method(name)?;
    Ok(found.card().id)
}

/// All of them, a line each, under their headings.
fn listed(methods: &[MethodListing]) -> String {
    let width = methods.iter().map(|m| m.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for group in Group::ALL {
        let _ = writeln!(text, "{}", group.title());
        for method in methods.iter().filter(|m| m.group == group.name()) {
            let _ = writeln!(text, "  {:width$}  {}", method.id, method.short);
        }
        text.push('\n');
    }
    for line in [
        "`drivelab methods METHOD` explains one, with its settings;",
        "`drivelab run METHOD .` runs it on a test file here.",
    ] {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// One method: what it measures, its targets, and every setting with its value at each scale.
fn explained(method: &MethodListing, columns: usize) -> String {
    let mut text = format!("{}: {}\n\n", method.id, method.title);
    text.push_str(&paragraph(method.summary, 2, columns));
    text.push('\n');
    let page = format!("docs/methods/{}.md (version {})", method.id, method.version);
    for (head, said) in [
        ("Publisher", method.publisher),
        ("Targets", &targets(method)),
        ("Zoned", method.on_zoned),
        ("Protocol", &page),
    ] {
        let head = format!("  {}  ", padded(head, 9));
        text.push_str(&hanging(&head, said, 13, columns));
    }
    if method.settings.is_empty() {
        text.push_str("\nIt has no settings.\n");
        return text;
    }
    text.push_str(&settings(&method.settings, columns));
    let example = &method.settings[0];
    text.push('\n');
    text.push_str(&paragraph(
        "`--scale quick`, `default` or `full` (the original's own) chooses a column; for example:",
        0,
        columns,
    ));
    let _ = writeln!(
        text,
        "  drivelab run {} {} --set {}={}",
        method.id,
        if method.models_only {
            "model:samsung-840-evo-750gb"
        } else {
            "."
        },
        example.key,
        example.default,
    );
    text
}

/// The targets it runs on.
fn targets(method: &MethodListing) -> String {
    let needs = |what: &str| method.needs.contains(&what);
    if method.models_only {
        let kinds = match needs("flash") {
            true => "modelled drives of SSDs alone",
            false => "modelled drives alone",
        };
        return format!("{kinds}: it would ruin a real one");
    }
    let own = match (method.writes, needs("writing")) {
        (_, true) => "a device or file of yours only with --destroy-data, since it has to write",
        (true, false) => "a device or file of yours, read only unless --destroy-data is given",
        (false, false) => "a device or file of yours, which is only read",
    };
    let disks = if needs("flash") {
        "; refused on hard disks"
    } else {
        ""
    };
    let folder = if method.files {
        "a directory (in a test file),"
    } else {
        ""
    };
    let kinds = [folder, "a modelled drive,", own].into_iter();
    let kinds: Vec<&str> = kinds.filter(|kind| !kind.is_empty()).collect();
    kinds.join(" ") + disks
}

/// The settings: the three columns of values, and below each its meaning and its allowed values.
fn settings(settings: &[SettingListing], columns: usize) -> String {
    let widest = |of: fn(&SettingListing) -> &str, least: usize| {
        let all = settings.iter().map(of).map(length);
        all.max().unwrap_or(0).max(least)
    };
    let key = widest(|s| s.key, 7);
    let (quick, default) = (widest(|s| s.quick, 5), widest(|s| s.default, 7));
    let full = widest(|s| s.full, 4);
    if (key + 2).max(13) + quick + default + full + 8 > columns {
        return narrow(settings, columns);
    }
    let mut text = format!(
        "\n{}  {}  {}  full\n",
        padded("--set KEY=VALUE", key + 4),
        padded("quick", quick),
        padded("default", default),
    );
    for setting in settings {
        let _ = writeln!(
            text,
            "  {}  {}  {}  {}",
            padded(setting.key, (key + 2).max(13)),
            padded(setting.quick, quick),
            padded(setting.default, default),
            setting.full,
        );
        let said = format!("{} ({})", setting.help, setting.takes);
        text.push_str(&paragraph(&said, 6, columns));
    }
    text
}

/// The same where the columns of values do not fit.
fn narrow(settings: &[SettingListing], columns: usize) -> String {
    let mut text = "\n--set KEY=VALUE\n".to_owned();
    for setting in settings {
        let _ = writeln!(text, "  {}", setting.key);
        let values = format!(
            "quick {}, default {}, full {}",
            setting.quick, setting.default, setting.full
        );
        text.push_str(&paragraph(&values, 6, columns));
        let said = format!("{} ({})", setting.help, setting.takes);
        text.push_str(&paragraph(&said, 6, columns));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_every_method_fit_eighty_columns_and_nothing_is_left_out() {
        let all = lab::listing::methods().methods;
        let list = listed(&all);
        for method in &all {
            assert!(list.contains(&format!("  {} ", method.id)), "{}", method.id);
            let text = explained(method, 80);
            for line in text.lines().chain(list.lines()) {
                assert!(length(line) <= 80, "{}: {line}", method.id);
            }
            for setting in &method.settings {
                let head = format!("\n  {}", setting.key);
                assert!(text.contains(&head), "{text}");
            }
        }
        assert_eq!(
            list.lines().count(),
            all.len() + 3 * Group::ALL.len() - Group::ALL.len() + 2
        );
    }

    #[test]
    fn what_a_method_is_refused_on_is_said() {
        let all = lab::listing::methods().methods;
        let of = |id: &str| targets(all.iter().find(|m| m.id == id).unwrap());
        assert!(of("ageing").ends_with("refused on hard disks"));
        assert!(of("slc-fill").contains("only with --destroy-data"));
        assert!(of("wear-out").contains("alone"));
        assert!(of("quick-scan").contains("read only unless"));
    }
}
