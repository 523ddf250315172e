//! The page `docs/drive-files.md`: every key that a drive's file may have, made from the definitions.
//!
//! A mechanism's parameters are a table in its own file (`parameters! { ... }`): meaning, key, quantity, range, and
//! whether it is optional. This page is generated from these tables, with the unit of the quantity and the values of
//! the catalogue's kinds, so that it cannot name a key that does not exist. `docs` writes it, `check` fails if it is
//! stale.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const PAGE: &str = "docs/drive-files.md";
const HEAD: &str = include_str!("drive_files.head.md");

/// Sources of the tables: a title, the table of the file (none if its sections are the file's own), and the folder of
/// its mechanisms or the one file.
const PARTS: [(&str, &str, &str); 3] = [
    ("Solid-state drives", "ssd", "crates/sim/src/ssd"),
    ("Hard disks", "hdd", "crates/sim/src/hdd"),
    ("3D XPoint", "", "crates/sim/src/xpoint.rs"),
];

/// One key.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    name: String,
    unit: String,
    range: String,
    meaning: String,
    may_be_left_out: bool,
}

/// Writes the page.
pub(crate) fn write(root: &Path) -> Result<()> {
    std::fs::write(root.join(PAGE), page(root)?)
        .with_context(|| format!("{PAGE} cannot be written"))
}

/// Whether the page matches the definitions.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let there = std::fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    Ok(match there == page(root)? {
        true => Vec::new(),
        false => vec![format!(
            "{PAGE}: not what the definitions say: run `cargo run -p xtask -- docs`"
        )],
    })
}

fn page(root: &Path) -> Result<String> {
    let units = units(root)?;
    let kinds = kinds(root)?;
    let mut page = HEAD.to_owned();
    for (title, table, folder) in PARTS {
        let mut sections = BTreeMap::new();
        for file in rust_files(&root.join(folder))? {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            sections.extend(sections_of(&text, &units));
        }
        // A string takes what is written to it.
        let _ = writeln!(page, "\n## {title}");
        for (section, keys) in sections {
            let path = match table {
                "" => section,
                table => format!("{table}.{section}"),
            };
            let _ = writeln!(page, "\n### `[{path}]`\n");
            page.push_str("| key | unit | from, to | meaning | class |\n|---|---|---|---|---|\n");
            for key in keys {
                page.push_str(&line(&path, &key, &kinds));
            }
        }
    }
    Ok(page)
}

fn line(section: &str, key: &Key, kinds: &BTreeMap<String, Vec<String>>) -> String {
    let optional = if key.may_be_left_out {
        " *(may be left out)*"
    } else {
        ""
    };
    let class = kinds.get(&format!("{section}.{}", key.name));
    let class = class.map(|all| all.join("; ")).unwrap_or_default();
    format!(
        "| `{}` | {} | {} | {}{optional} | {class} |\n",
        key.name, key.unit, key.range, key.meaning
    )
}

/// The sources below a folder, or the named one.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("{} cannot be read", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The unit of each quantity, from the tables of quantities.
fn units(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut units = BTreeMap::new();
    for file in rust_files(&root.join("crates/sim/src"))? {
        let text = std::fs::read_to_string(file)?;
        for block in blocks(&text, "quantities! {") {
            let lines = block.lines().filter(|line| line.contains("=>"));
            units.extend(lines.filter_map(|line| {
                let (name, rest) = line.split_once(": ")?;
                let name = name.split_whitespace().last()?;
                Some((name.to_owned(), quoted(rest)?.to_owned()))
            }));
        }
    }
    Ok(units)
}

/// The sections that a file defines.
fn sections_of(text: &str, units: &BTreeMap<String, String>) -> Vec<(String, Vec<Key>)> {
    let mut sections = Vec::new();
    for block in blocks(text, "parameters! {") {
        let Some((head, body)) = block.split_once("] {\n") else {
            continue;
        };
        let Some(section) = head
            .rsplit_once("[\"")
            .map(|(_, name)| name.trim_end_matches('"'))
        else {
            continue;
        };
        sections.push((section.to_owned(), keys(body, units)));
    }
    sections
}

/// The blocks of a file that begin with `opening` at the start of a line, up to a closing brace there.
fn blocks<'a>(text: &'a str, opening: &str) -> Vec<&'a str> {
    let start = format!("\n{opening}\n");
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(&start) {
        rest = &rest[at + start.len()..];
        let end = rest.find("\n}").unwrap_or(rest.len());
        blocks.push(&rest[..end]);
        rest = &rest[end..];
    }
    blocks
}

/// The keys of a table's body: each has its meaning in the comment above, and ends with a semicolon.
fn keys(body: &str, units: &BTreeMap<String, String>) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut meaning = String::new();
    let mut definition = String::new();
    for line in body.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            if !meaning.is_empty() {
                meaning.push(' ');
            }
            meaning.push_str(comment.trim());
            continue;
        }
        definition.push_str(line);
        if line.ends_with(';') {
            keys.extend(key(&definition, std::mem::take(&mut meaning), units));
            definition.clear();
        }
    }
    keys
}

/// One definition: `window "window_kib": Kibibytes in 16..=16_384, maybe;`.
fn key(definition: &str, meaning: String, units: &BTreeMap<String, String>) -> Option<Key> {
    let (name, rest) = definition.split_once("\": ")?;
    let name = name.rsplit_once('"')?.1;
    let rest = rest.trim_end_matches(';');
    let quantity_end = rest.find(['(', '<', ' ', ',']).unwrap_or(rest.len());
    let quantity = &rest[..quantity_end];
    let own_unit = rest[quantity_end..]
        .starts_with('(')
        .then(|| quoted(rest))
        .flatten();
    let unit = match (own_unit, quantity) {
        (Some(unit), _) => unit.to_owned(),
        (None, "Flag") => "true or false".to_owned(),
        (None, "Word") => "a word".to_owned(),
        (None, quantity) => units.get(quantity).cloned().unwrap_or_default(),
    };
    let range = rest.split_once(" in ").map_or(String::new(), |(_, range)| {
        let range = range.split(',').next().unwrap_or(range);
        range.replace("..=", " to ").replace('_', ",")
    });
    Some(Key {
        name: name.to_owned(),
        unit,
        range,
        meaning: meaning.replace('|', "\\|"),
        may_be_left_out: rest.contains(", or") || rest.contains(", maybe"),
    })
}

/// The first text in quotes.
fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('"')?;
    Some(rest.split_once('"')?.0)
}

/// What the kinds have, by the path of the value: `ssd.nand.read_us` and `sata-plp 62 (45 to 85)`.
fn kinds(root: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(root.join("catalog/kinds"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    for file in files {
        let kind = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let table: toml::Table = std::fs::read_to_string(&file)?
            .parse()
            .with_context(|| format!("{} is no TOML", file.display()))?;
        values(&table, "", &mut |path, value, within| {
            let range = within.map_or(String::new(), |range| format!(" ({range})"));
            let text = format!("{kind} {value}{range}");
            found.entry(path.to_owned()).or_default().push(text);
        });
    }
    Ok(found)
}

fn values(table: &toml::Table, above: &str, found: &mut dyn FnMut(&str, String, Option<String>)) {
    for (name, inner) in table {
        let path = if above.is_empty() {
            name.clone()
        } else {
            format!("{above}.{name}")
        };
        let Some(inner) = inner.as_table() else {
            continue;
        };
        match inner.get("value") {
            None => values(inner, &path, found),
            Some(value) => {
                let within = inner.get("within").and_then(toml::Value::as_array);
                let within = within.map(|ends| {
                    let ends: Vec<String> = ends.iter().map(plain).collect();
                    ends.join(" to ")
                });
                found(&path, plain(value), within);
            }
        }
    }
}

/// A value as a person writes it.
fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::Float(number) => format!("{number}"),
        toml::Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_gives_key_unit_range_and_meaning() {
        let units = BTreeMap::from([("Kibibytes".to_owned(), "KiB".to_owned())]);
        let text = "\nparameters! {\n    /// About.\n    pub A from B [\"read_ahead\"] {\n        \
                    /// Bytes fetched\n        /// ahead.\n        window \"window_kib\": Kibibytes in 16..=16_384;\n        \
                    /// Ends.\n        ends \"write_ends\": Flag, or false;\n        \
                    /// Share.\n        share \"dynamic_share\": PerMille(\"of the flash\") in 0.0..=1.0, maybe;\n    }\n}\n";
        let sections = sections_of(text, &units);
        let [(name, keys)] = &sections[..] else {
            panic!("{sections:?}")
        };
        assert_eq!(name, "read_ahead");
        let told = |key: &Key| {
            format!(
                "{} {} {} {} {}",
                key.name, key.unit, key.range, key.meaning, key.may_be_left_out
            )
        };
        let told: Vec<String> = keys.iter().map(told).collect();
        assert_eq!(
            told,
            [
                "window_kib KiB 16 to 16,384 Bytes fetched ahead. false",
                "write_ends true or false  Ends. true",
                "dynamic_share of the flash 0.0 to 1.0 Share. true",
            ]
        );
    }
}
