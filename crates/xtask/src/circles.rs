//! No circles within a room: of the modules that lie directly in a crate, none uses another that uses it.
//!
//! The manifests keep circles out between rooms; within one, the compiler allows everything. So the sources are read:
//! what a module's files (tests apart) name by `crate::` is what the module uses. Modules that need each other are one
//! module, in a folder, or have something in them that belongs below both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

/// What the modules of a crate use of each other, by name.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Every circle of the rooms, as a line.
///
/// # Errors
/// Where the sources cannot be read.
pub(crate) fn violations(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let rooms = root.join("crates");
    let mut folders: Vec<_> = std::fs::read_dir(&rooms)
        .with_context(|| rooms.display().to_string())?
        .collect::<Result<_, _>>()?;
    folders.sort_by_key(std::fs::DirEntry::file_name);
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        let sources = folder.path().join("src");
        if sources.is_dir() {
            let circles = circles(&uses(&sources)?);
            found.extend(circles.iter().map(|circle| {
                format!(
                    "{name}: the modules {} use each other in a circle",
                    circle.join(", ")
                )
            }));
        }
    }
    Ok(found)
}

fn uses(sources: &Path) -> Result<Uses> {
    let mut texts = Vec::new();
    gather(sources, &mut Vec::new(), &mut texts)?;
    let modules: BTreeSet<String> = texts.iter().map(|(module, _)| module.clone()).collect();
    let mut uses = Uses::new();
    for (module, text) in &texts {
        let named = named(text)
            .into_iter()
            .filter(|name| name != module && modules.contains(name));
        uses.entry(module.clone()).or_default().extend(named);
    }
    Ok(uses)
}

/// The sources below a folder with the module that lies directly in the crate; the crate's own root is none.
fn gather(folder: &Path, path: &mut Vec<String>, texts: &mut Vec<(String, String)>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            path.push(name);
            gather(&entry.path(), path, texts)?;
            path.pop();
        } else if let Some(stem) = name.strip_suffix(".rs") {
            let module = path.first().map_or(stem, String::as_str).to_owned();
            let is_root = path.is_empty() && ["lib", "main"].contains(&stem);
            let is_test = stem == "tests" || path.iter().any(|part| part == "tests");
            if !is_root && !is_test {
                let text = std::fs::read_to_string(entry.path())
                    .with_context(|| entry.path().display().to_string())?;
                texts.push((module, text));
            }
        }
    }
    Ok(())
}

/// The names behind each `crate::` of a text, remarks and tests left out.
fn named(text: &str) -> Vec<String> {
    let code = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let code: Vec<&str> = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let code = code.join("\n");
    let mut names = Vec::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                names.extend(list.split(',').map(|one| word(one.trim_start())));
            }
            None => names.push(word(after)),
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect()
}

/// The modules that reach each other, in groups.
fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = uses
        .keys()
        .map(|from| (from, reached_from(from, uses)))
        .collect();
    let mut found: Vec<Vec<String>> = Vec::new();
    for module in uses.keys() {
        if !reached[module].contains(module) || found.iter().flatten().any(|known| known == module)
        {
            continue;
        }
        let circle = reached[module]
            .iter()
            .filter(|other| reached[**other].contains(module));
        found.push(circle.map(|other| (*other).clone()).collect());
    }
    found
}

/// All that a module uses, and what that uses, and so on.
fn reached_from<'a>(from: &str, uses: &'a Uses) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&String> = uses.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if let Some((known, further)) = uses.get_key_value(module)
            && reached.insert(known)
        {
            next.extend(further);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(modules: &[(&str, &str)]) -> Vec<Vec<String>> {
        let names: Vec<&str> = modules.iter().map(|(name, _)| *name).collect();
        let uses = modules.iter().map(|(name, text)| {
            let used = named(text).into_iter();
            let used = used.filter(|used| used != name && names.contains(&used.as_str()));
            ((*name).to_owned(), used.collect())
        });
        circles(&uses.collect())
    }

    #[test]
    fn modules_that_use_each_other_over_a_third_are_a_circle() {
        let found = of(&[
            ("a", "use crate::b::X;"),
            ("b", "fn f() { crate::c::g() }"),
            ("c", "use crate::{d, a::Y};"),
            ("d", ""),
        ]);
        assert_eq!(found, [["a", "b", "c"]]);
    }

    #[test]
    fn remarks_tests_and_a_module_s_own_parts_make_no_circle() {
        let found = of(&[
            ("a", "use crate::b::X;"),
            (
                "b",
                "//! See [`crate::a`].\nuse crate::b::part;\n#[cfg(test)]\nmod tests {\n use crate::a::X;\n}",
            ),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
