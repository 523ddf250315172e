//! Links between the project's Markdown pages: each file that is named is there, and each heading.
//!
//! A moved page silently breaks links; so every relative link of every page is checked. An anchor is a heading's text
//! as GitHub spells it: lower case, spaces as hyphens, no punctuation.

use std::path::Path;

use anyhow::{Context, Result};

/// Pages at the root; those below `docs` are added.
const AT_THE_ROOT: &[&str] = &["README.md", "DESIGN.md", "CONTRIBUTING.md", "CHANGELOG.md"];
/// Where the others are.
const FOLDERS: &[&str] = &["docs", "docs/methods"];

/// Every link that leads nowhere, as `page:line: target`.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut pages: Vec<String> = AT_THE_ROOT.iter().map(|name| (*name).to_owned()).collect();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder))
            .with_context(|| format!("{folder} cannot be read"))?;
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                pages.push(format!("{folder}/{name}"));
            }
        }
    }
    pages.sort();
    let mut found = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(root.join(&page))
            .with_context(|| format!("{page} cannot be read"))?;
        for (line, target) in links(&text) {
            if !leads_somewhere(root, &page, &text, &target) {
                found.push(format!("{page}:{line}: the link to {target} leads nowhere"));
            }
        }
    }
    Ok(found)
}

/// The targets of all relative links outside of fenced blocks and code, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for rest in line.split("](").skip(1) {
            let target = rest.split(')').next().unwrap_or_default();
            if !target.contains("://") && !target.is_empty() {
                found.push((index + 1, target.to_owned()));
            }
        }
    }
    found
}

fn leads_somewhere(root: &Path, page: &str, text: &str, target: &str) -> bool {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let there = root.join(folder).join(file);
    if file.is_empty() {
        return has_heading(text, anchor);
    }
    if anchor.is_empty() {
        return there.exists();
    }
    std::fs::read_to_string(there).is_ok_and(|other| has_heading(&other, anchor))
}

fn has_heading(text: &str, anchor: &str) -> bool {
    text.lines()
        .filter(|line| line.starts_with('#'))
        .any(|line| spelled(line.trim_start_matches('#').trim()) == anchor)
}

/// A heading as an anchor.
fn spelled(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter(|sign| sign.is_alphanumeric() || [' ', '-', '_'].contains(sign))
        .map(|sign| if sign == ' ' { '-' } else { sign })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n\n[a](#what-it-isn-t) [b](other.md#x)\n```\n[not](one.md)\n```\n[out](https://a.b/c)\n";

    #[test]
    fn links_outside_of_blocks_are_found_with_their_lines() {
        let found = links(PAGE);
        assert_eq!(
            found,
            [
                (3, "#what-it-isn-t".to_owned()),
                (3, "other.md#x".to_owned())
            ]
        );
    }

    #[test]
    fn a_heading_is_spelled_as_an_anchor() {
        assert_eq!(
            spelled("Run fio and DiskSpd jobs"),
            "run-fio-and-diskspd-jobs"
        );
        assert_eq!(spelled("`[ssd.slc]`, and so on"), "ssdslc-and-so-on");
        assert!(has_heading(PAGE, "a-page"));
        assert!(!has_heading(PAGE, "what-it-isn-t"));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(leads_somewhere(root, "src/links.rs", PAGE, "main.rs"));
        assert!(leads_somewhere(root, "src/links.rs", PAGE, "../Cargo.toml"));
        assert!(!leads_somewhere(root, "src/links.rs", PAGE, "nowhere.md"));
        assert!(!leads_somewhere(root, "src/links.rs", PAGE, "main.rs#a"));
    }
}
