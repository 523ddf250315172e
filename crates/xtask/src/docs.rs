//! The pages in `docs/methods`, generated from the documentation at the head of each method's file.
//!
//! A method's `//!` text has a title and four headings ([`HEADINGS`]), in this order and complete: the page is that
//! text, so it always matches the code's own documentation. `docs` writes the pages, `check` fails if one is missing,
//! stale or left over, or if a method's text is incomplete.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

/// Where methods are, one a file.
const METHODS: &str = "crates/methods/src";
/// Where their pages are.
const PAGES: &str = "docs/methods";
/// The headings of every method, in this order.
const HEADINGS: [&str; 4] = [
    "What it measures",
    "Who published it",
    "Protocol",
    "What it cannot tell",
];
/// What identifies a file with a method: its description.
const CARD: &str = "CARD: Card =";

/// Pages by file name, and errors in the sources.
#[derive(Debug, Default)]
struct Made {
    pages: BTreeMap<String, String>,
    faults: Vec<String>,
}

/// Writes every page and removes those that belong to no method; returns errors in the sources.
pub(crate) fn write(root: &Path) -> Result<Vec<String>> {
    let made = make(&sources(root)?);
    let folder = root.join(PAGES);
    std::fs::create_dir_all(&folder).with_context(|| format!("{PAGES} cannot be made"))?;
    for name in present(root)?
        .keys()
        .filter(|name| !made.pages.contains_key(*name))
    {
        std::fs::remove_file(folder.join(name))
            .with_context(|| format!("{PAGES}/{name} cannot be removed"))?;
    }
    for (name, page) in &made.pages {
        std::fs::write(folder.join(name), page)
            .with_context(|| format!("{PAGES}/{name} cannot be written"))?;
    }
    Ok(made.faults)
}

/// Errors in the sources, and every page that does not match them.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let made = make(&sources(root)?);
    let differences = differences(&made.pages, &present(root)?);
    Ok(made.faults.into_iter().chain(differences).collect())
}

fn differences(
    wanted: &BTreeMap<String, String>,
    present: &BTreeMap<String, String>,
) -> Vec<String> {
    const REMEDY: &str = "run `cargo run -p xtask -- docs`";
    let mut found = Vec::new();
    for (name, page) in wanted {
        match present.get(name) {
            None => found.push(format!("{PAGES}/{name}: missing: {REMEDY}")),
            Some(there) if there != page => found.push(format!(
                "{PAGES}/{name}: not what the method's file says: {REMEDY}"
            )),
            Some(_) => {}
        }
    }
    let left_over = present.keys().filter(|name| !wanted.contains_key(*name));
    found.extend(left_over.map(|name| format!("{PAGES}/{name}: belongs to no method: {REMEDY}")));
    found
}

/// Every Rust file of the crate `methods`, by its name without the ending.
fn sources(root: &Path) -> Result<BTreeMap<String, String>> {
    texts(&root.join(METHODS), ".rs")
}

fn is_a_method(source: &str) -> bool {
    source.contains(CARD)
}

/// The pages that are there.
fn present(root: &Path) -> Result<BTreeMap<String, String>> {
    let folder = root.join(PAGES);
    if !folder.is_dir() {
        return Ok(BTreeMap::new());
    }
    let pages = texts(&folder, ".md")?;
    Ok(pages
        .into_iter()
        .map(|(stem, text)| (stem + ".md", text))
        .collect())
}

fn texts(folder: &Path, ending: &str) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    let reading = || format!("{} cannot be read", folder.display());
    for entry in std::fs::read_dir(folder).with_context(reading)? {
        let path = entry.with_context(reading)?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if let Some(stem) = name.strip_suffix(ending) {
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            texts.insert(stem.to_owned(), text);
        }
    }
    Ok(texts)
}

fn make(sources: &BTreeMap<String, String>) -> Made {
    let mut made = Made::default();
    let mut index = format!(
        "{}# Methods\n\nOne page a method. `drivelab methods` lists the settings of each.\n\n",
        made_from("the files")
    );
    for (stem, source) in sources.iter().filter(|(_, source)| is_a_method(source)) {
        let said = own_words(source);
        if let Some(heading) = first_missing_heading(&said) {
            made.faults.push(format!(
                "{METHODS}/{stem}.rs: its //! text lacks **{heading}.** at its place (in order: {})",
                HEADINGS.join(", ")
            ));
        }
        let id = stem.replace('_', "-");
        index.push_str(&format!("- [`{id}`]({id}.md): {}\n", title(&said)));
        made.pages
            .insert(format!("{id}.md"), page(stem, &id, &said));
    }
    made.pages.insert("README.md".to_owned(), index);
    made
}

fn made_from(what: &str) -> String {
    format!(
        "<!-- Made by `cargo run -p xtask -- docs` from {what} in {METHODS}: edit there. -->\n\n"
    )
}

/// The text of the `//!` lines at the head of a file.
fn own_words(source: &str) -> String {
    let lines = source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

/// The first paragraph, without its full stop.
fn title(said: &str) -> String {
    let paragraph = said.split("\n\n").next().unwrap_or_default();
    paragraph
        .replace('\n', " ")
        .trim_end_matches('.')
        .to_owned()
}

/// The beginning of a paragraph with a heading.
fn opening(heading: &str) -> String {
    format!("**{heading}.** ")
}

/// The first heading that does not come after the one before it.
fn first_missing_heading(said: &str) -> Option<&'static str> {
    let mut from = 0;
    HEADINGS.into_iter().find(|heading| {
        let needle = format!("\n\n{}", opening(heading));
        match said[from..].find(&needle) {
            Some(at) => {
                from += at + needle.len();
                false
            }
            None => true,
        }
    })
}

fn page(stem: &str, id: &str, said: &str) -> String {
    let mut page = format!("{}# {}\n", made_from(&format!("`{stem}.rs`")), title(said));
    page.push_str(&format!(
        "\n```\ndrivelab run {id} TARGET\n```\n\n`drivelab methods` lists its settings with their values at each scale.\n"
    ));
    for paragraph in said.split("\n\n").skip(1) {
        page.push_str(&format!("\n{}\n", headed(paragraph)));
    }
    page
}

/// `**Protocol.** The surface ...` with the heading on a separate line.
fn headed(paragraph: &str) -> String {
    for heading in HEADINGS {
        if let Some(rest) = paragraph.strip_prefix(&opening(heading)) {
            return format!("## {heading}\n\n{rest}");
        }
    }
    paragraph.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "//! Quick scan: heads of\n//! regions.\n//!\n//! **What it measures.** Rates\n//! by position.\n//!\n//! **Who published it.** Somebody.\n//!\n//! **Protocol.** In order.\n//!\n//! More of it.\n//!\n//! **What it cannot tell.** The rest.\n\nstatic CARD: Card = Card::PLAIN;\n";

    fn made_of(stem: &str, source: &str) -> Made {
        make(&BTreeMap::from([(stem.to_owned(), source.to_owned())]))
    }

    #[test]
    fn a_page_is_the_files_own_text_under_headings() {
        let made = made_of("quick_scan", WHOLE);
        assert_eq!(made.faults, Vec::<String>::new());
        let page = &made.pages["quick-scan.md"];
        assert!(
            page.contains("\n# Quick scan: heads of regions\n"),
            "{page}"
        );
        assert!(page.contains("drivelab run quick-scan TARGET"), "{page}");
        assert!(
            page.ends_with(
                "\n## Protocol\n\nIn order.\n\nMore of it.\n\n## What it cannot tell\n\nThe rest.\n"
            ),
            "{page}"
        );
        assert!(made.pages["README.md"].contains("- [`quick-scan`](quick-scan.md): Quick scan"));
    }

    #[test]
    fn a_method_that_leaves_a_heading_out_is_named() {
        for heading in HEADINGS {
            let made = made_of("a", &WHOLE.replace(heading, "Something else"));
            assert_eq!(made.faults.len(), 1, "{heading}: {:?}", made.faults);
            assert!(
                made.faults[0].contains(&format!("a.rs: its //! text lacks **{heading}.**")),
                "{:?}",
                made.faults
            );
        }
    }

    #[test]
    fn headings_in_another_order_are_told() {
        let swapped = WHOLE
            .replace("Protocol", "X")
            .replace("Who published it", "Protocol")
            .replace("**X.", "**Who published it.");
        assert_eq!(made_of("a", &swapped).faults.len(), 1);
    }

    #[test]
    fn what_methods_share_gets_no_page() {
        let made = made_of(
            "figures",
            "//! Making figures.\n\npub(crate) fn figure() {}\n",
        );
        assert_eq!(made.pages.keys().collect::<Vec<_>>(), ["README.md"]);
        assert_eq!(made.faults, Vec::<String>::new());
    }

    #[test]
    fn missing_stale_and_left_over_pages_are_told_apart() {
        let pages = |list: &[(&str, &str)]| {
            let owned = list
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            owned.collect::<BTreeMap<_, _>>()
        };
        let wanted = pages(&[("a.md", "1"), ("b.md", "2"), ("c.md", "3")]);
        let found = differences(
            &wanted,
            &pages(&[("a.md", "1"), ("b.md", "old"), ("d.md", "4")]),
        );
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("b.md: not what"), "{found:?}");
        assert!(found[1].contains("c.md: missing"), "{found:?}");
        assert!(found[2].contains("d.md: belongs to no method"), "{found:?}");
        assert_eq!(differences(&wanted, &wanted), Vec::<String>::new());
    }
}
