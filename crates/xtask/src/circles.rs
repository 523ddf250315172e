//! No cycles within a crate: among sibling modules, at any depth, none uses another that uses it.
//!
//! The manifests prevent cycles between crates; within one, the compiler allows everything. So the sources are scanned:
//! a module uses what its files (except tests) name by `crate::`, `super::` and `self::`. Modules that need each other
//! are one module, in a folder, or contain something that belongs below both.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

/// A module, by its path in the crate.
type Module = Vec<String>;
/// What the modules below one another use of each other, by name.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// The one object of a crate whose methods are in folders by topic: the modules below this one are separated by topic,
/// and not by their dependencies.
const ONE_OBJECT: [&str; 1] = ["sim: ssd"];

/// Every circle of the crates, as a line.
///
/// # Errors
/// Where the sources cannot be read.
pub(crate) fn violations(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let crates = root.join("crates");
    let mut folders: Vec<_> = std::fs::read_dir(&crates)
        .with_context(|| crates.display().to_string())?
        .collect::<Result<_, _>>()?;
    folders.sort_by_key(std::fs::DirEntry::file_name);
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        let sources = folder.path().join("src");
        if sources.is_dir() {
            let mut texts = BTreeMap::new();
            gather(&sources, &mut Vec::new(), &mut texts)?;
            found.extend(circles_of(&name, &texts));
        }
    }
    Ok(found)
}

fn circles_of(name: &str, texts: &BTreeMap<Module, String>) -> Vec<String> {
    let mut found = Vec::new();
    for (below, uses) in uses(texts) {
        let place = format!("{name}: {}", below.join("::"));
        let place = place.trim_end_matches([':', ' ']);
        if ONE_OBJECT.contains(&place) {
            continue;
        }
        found.extend(circles(&uses).iter().map(|circle| {
            let circle = circle.join(", ");
            format!("{place}: the modules {circle} use each other in a circle")
        }));
    }
    found
}

/// The sources below a folder by their modules, tests apart.
fn gather(folder: &Path, path: &mut Module, texts: &mut BTreeMap<Module, String>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            path.push(name);
            gather(&entry.path(), path, texts)?;
            path.pop();
        } else if let Some(stem) = name.strip_suffix(".rs") {
            let mut module = path.clone();
            if !["lib", "main", "mod"].contains(&stem) {
                module.push(stem.to_owned());
            }
            if !module.iter().any(|part| part == "tests") {
                let text = std::fs::read_to_string(entry.path())
                    .with_context(|| entry.path().display().to_string())?;
                texts.insert(module, text);
            }
        }
    }
    Ok(())
}

/// Uses between sibling modules, by their parent module. A parent and its child are one: what the parts share may be in
/// the parent.
fn uses(texts: &BTreeMap<Module, String>) -> BTreeMap<Module, Uses> {
    let mut found: BTreeMap<Module, Uses> = BTreeMap::new();
    for (from, text) in texts {
        for path in named(text) {
            let to = module_of(from, &path, texts);
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(from_part), Some(to_part)) = (from.get(shared), to.get(shared)) {
                let uses = found.entry(from[..shared].to_vec()).or_default();
                let used = uses.entry(from_part.clone()).or_default();
                used.insert(to_part.clone());
            }
        }
    }
    found
}

/// The module of what a path names.
fn module_of(from: &[String], path: &[String], texts: &BTreeMap<Module, String>) -> Module {
    let mut module = match path.first().map(String::as_str) {
        Some("crate") => Vec::new(),
        _ => from.to_vec(),
    };
    for part in path {
        match part.as_str() {
            "crate" | "self" => {}
            "super" => {
                module.pop();
            }
            name => {
                module.push(name.to_owned());
                if !texts.contains_key(&module) {
                    module.pop();
                    return module;
                }
            }
        }
    }
    module
}

/// The paths of a text that begin with `crate`, `super` or `self`, remarks and tests left out.
fn named(text: &str) -> Vec<Vec<String>> {
    let code = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = code.unwrap_or_default().lines();
    let code: Vec<&str> = lines
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let code = code.join("\n");
    let mut words = words(&code).into_iter().peekable();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        if ["crate", "super", "self"].contains(&word) && words.peek() == Some(&"::") {
            tree(vec![word.to_owned()], &mut words, &mut found);
        }
    }
    found
}

type Words<'a> = std::iter::Peekable<std::vec::IntoIter<&'a str>>;

/// The paths of a `use` tree, after its first part.
fn tree(mut path: Vec<String>, words: &mut Words<'_>, found: &mut Vec<Vec<String>>) {
    while words.next_if_eq(&"::").is_some() {
        if words.next_if_eq(&"{").is_some() {
            while words.peek().is_some_and(|word| *word != "}") {
                match words.next() {
                    Some(",") | None => {}
                    Some(word) => {
                        let mut longer = path.clone();
                        longer.push(word.to_owned());
                        tree(longer, words, found);
                    }
                }
            }
            words.next();
            return;
        }
        path.extend(words.next().map(str::to_owned));
    }
    found.push(path);
}

/// Names, `::` and single characters.
fn words(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = if is_name(first) {
            rest.find(|c| !is_name(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(end);
        if !word.trim().is_empty() {
            found.push(word);
        }
        rest = behind;
    }
    found
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

    fn of(modules: &[(&str, &str)]) -> Vec<String> {
        let path = |name: &str| name.split("::").map(str::to_owned).collect();
        let texts = modules.iter();
        let texts = texts.map(|(name, text)| (path(name), (*text).to_owned()));
        circles_of("sim", &texts.collect())
    }

    #[test]
    fn modules_that_use_each_other_over_a_third_are_a_circle() {
        let found = of(&[
            ("a", "use crate::b::X;"),
            ("b", "fn f() { crate::c::g() }"),
            ("c", "use crate::{d, a::Y};"),
            ("d", ""),
        ]);
        assert_eq!(
            found,
            ["sim: the modules a, b, c use each other in a circle"]
        );
    }

    #[test]
    fn a_circle_is_found_at_any_depth_and_between_folders() {
        let found = of(&[
            ("a", ""),
            ("a::b", "use super::c::{d::X, e};"),
            ("a::c", ""),
            ("a::c::d", "use super::super::b::Y;"),
            ("a::c::e", ""),
        ]);
        assert_eq!(
            found,
            ["sim: a: the modules b, c use each other in a circle"]
        );
    }

    #[test]
    fn remarks_tests_and_a_module_s_own_parts_make_no_circle() {
        let found = of(&[
            ("a", "use crate::b::X;\nmod part;\nuse part::Y;"),
            ("a::part", "use super::Z;"),
            (
                "b",
                "//! See [`crate::a`].\nuse crate::b::part;\n#[cfg(test)]\nmod tests {\n use crate::a::X;\n}",
            ),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
