//! Style as a test: each ban names its replacement, so that the message is the rule.
//!
//! The rules apply to the text of the files that git tracks (or would track). Files copied from elsewhere (vendored
//! scripts, recorded trees, golden output, licences, the lock file) are exempt.
//!
//! The patterns are built with `concat!`, so that this file does not contain what it searches for.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The longest Rust source file, in lines.
const LONGEST: usize = 600;
/// Names that do not describe a module.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager"];
/// The files that may hold `unsafe`, by the beginning of their path.
const UNSAFE_FILES: &[&str] = &["crates/uring/src/raw"];
/// Folders of a machine that the product must not know.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];
/// Inputs of the fuzz targets: half of them are wrong on purpose, and a program made them.
const CORPUS: &str = "fuzz/corpus/";
/// Hosts of package registries.
const REGISTRIES: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("npm", "js."),
];
/// Public items that need documentation. A self-explanatory field or variant does not.
const DOCUMENTED: &[&str] = &["fn", "struct", "enum", "trait", "type", "static", "const"];
/// Marks of unfinished work in any file, and in Rust alone.
const UNFINISHED: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME")];
const UNFINISHED_RUST: &[&str] = &[concat!("todo", "!("), concat!("unimplemented", "!(")];

/// Looks at every file of the work tree.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for path in tracked(root)? {
        let Ok(bytes) = std::fs::read(root.join(&path)) else {
            continue;
        }; // deleted, not yet committed
        if let Ok(text) = std::str::from_utf8(&bytes) {
            found.extend(judge(&path, text));
        }
    }
    Ok(found)
}

fn tracked(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        // A checkout that belongs to someone else (a container's mount) may still be listed.
        .args([
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .output()
        .context("git does not start: the tidy rules look at what git tracks")?;
    if !output.status.success() {
        bail!(
            "git ls-files failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let names = String::from_utf8_lossy(&output.stdout);
    Ok(names
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_string)
        .collect())
}

/// All findings in one file, as `path:line: what: what to do instead`.
fn judge(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if path.starts_with(CORPUS) {
        return found;
    }
    let mut say = |line: usize, what: &str| found.push(format!("{path}:{line}: {what}"));
    let rust = path.ends_with(".rs");
    let foreign = keeps_its_own_shape(path);
    if rust && !foreign {
        judge_rust_file(path, text, &mut say);
    }
    for (index, line) in text.lines().enumerate() {
        let mut say = |what: &str| say(index + 1, what);
        if !foreign {
            judge_spacing(path, line, &mut say);
            judge_unfinished(line, rust, &mut say);
        }
        if rust {
            judge_unsafe(path, line, &mut say);
        }
        if !is_lock(path) && !path.contains("/vendor/") {
            judge_places(line, &mut say);
        }
    }
    found
}

fn keeps_its_own_shape(path: &str) -> bool {
    let folders = ["vendor", "recorded", "golden", "snapshots"];
    is_lock(path)
        || path.ends_with("LICENSE")
        || path.ends_with(".snap")
        || path.split('/').any(|folder| folders.contains(&folder))
}

/// Public items without documentation.
fn judge_documentation(text: &str, say: &mut impl FnMut(usize, &str)) {
    let product = text.split("#[cfg(test)]\nmod tests {").next();
    let lines: Vec<&str> = product.unwrap_or_default().lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate() {
        let mut words = line.strip_prefix("pub ").unwrap_or_default().split(' ');
        let kind = words.find(|word| !["unsafe", "async"].contains(word));
        if !kind.is_some_and(|kind| DOCUMENTED.contains(&kind)) {
            continue;
        }
        let ends_above = |line: &&&str| {
            !line.starts_with("//") && (line.is_empty() || line.ends_with(['{', '}', ';']))
        };
        let above = lines[..index]
            .iter()
            .rev()
            .take_while(|line| !ends_above(line));
        let mut above = above.chain(std::iter::once(line));
        if !above.any(|line| line.starts_with("///") || line.starts_with("$(#[")) {
            say(
                index + 1,
                "a public item without documentation: say what it means, in which unit, what fails",
            );
        }
    }
}

fn is_lock(path: &str) -> bool {
    path.ends_with(".lock")
}

fn judge_rust_file(path: &str, text: &str, say: &mut impl FnMut(usize, &str)) {
    let lines = text.lines().count();
    if lines > LONGEST {
        say(
            LONGEST,
            &format!("{lines} lines: cut the file where its subject changes ({LONGEST} at most)"),
        );
    }
    if !text.trim_start().starts_with("//!") {
        say(
            1,
            "no //! paragraph at the head: say what mechanism this file holds",
        );
    }
    if path.contains("/src/") && !path.contains("/fixtures/") && !path.contains("/tests") {
        judge_documentation(text, say);
    }
    let named = path
        .trim_end_matches(".rs")
        .split('/')
        .find(|part| EMPTY_NAMES.contains(part));
    if let Some(name) = named {
        say(
            1,
            &format!("a module called {name}: name it after what it does"),
        );
    }
}

fn judge_spacing(path: &str, line: &str, say: &mut impl FnMut(&str)) {
    if line.ends_with([' ', '\t', '\r']) {
        say("space at the end of the line: remove it");
    }
    let made_by_make = path.ends_with("Makefile") || path.ends_with(".mk");
    if line.contains('\t') && !made_by_make {
        say("a tab: indent with spaces, write \\t in a string");
    }
}

fn judge_unfinished(line: &str, rust: bool, say: &mut impl FnMut(&str)) {
    let marks = UNFINISHED.iter().any(|mark| has_word(line, mark));
    let macros = rust && UNFINISHED_RUST.iter().any(|mark| line.contains(mark));
    if marks || macros {
        say("unfinished work: do it, or open an issue and describe the limit in the documentation");
    }
}

fn judge_unsafe(path: &str, line: &str, say: &mut impl FnMut(&str)) {
    let code = line.split("//").next().unwrap_or_default();
    let opens = ["{", "fn", "impl", "extern", "trait", "("]
        .iter()
        .any(|next| {
            let needle = concat!("uns", "afe");
            code.match_indices(needle).any(|(at, _)| {
                stands_alone(code, at, needle.len())
                    && code[at + needle.len()..].trim_start().starts_with(next)
            })
        });
    let opens = opens || code.contains(concat!("allow(uns", "afe_code"));
    if opens && !UNSAFE_FILES.iter().any(|allowed| path.starts_with(allowed)) {
        say(
            "unsafe code outside of uring's innermost file: use a safe crate, or put it there with its argument",
        );
    }
}

fn judge_places(line: &str, say: &mut impl FnMut(&str)) {
    for place in MACHINE_PATHS {
        // Only an absolute path counts: "/x/" of "example.org/x/" or "a/x/" stands after a name. A name of one
        // or two letters below it is an example, as in a table of mounts ("x", "me").
        let absolute = line.match_indices(place).any(|(at, _)| {
            let after_name = line[..at]
                .ends_with(|before: char| before.is_alphanumeric() || "._-*/".contains(before));
            let below = line[at + place.len()..]
                .chars()
                .take_while(|&c| c.is_alphanumeric() || "._-".contains(c))
                .count();
            !after_name && !(1..=2).contains(&below)
        });
        if absolute {
            say(&format!(
                "the path {place} of one machine: use a relative path, or the environment"
            ));
        }
    }
    if REGISTRIES.iter().any(|host| line.contains(host)) {
        say("the host of a package registry: name the package only");
    }
}

fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word)
        .any(|(at, _)| stands_alone(line, at, word.len()))
}

fn stands_alone(line: &str, at: usize, length: usize) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    !line[..at].ends_with(part_of_word) && !line[at + length..].starts_with(part_of_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//! What this is.\n";

    fn findings(path: &str, body: &str) -> Vec<String> {
        judge(path, &format!("{HEAD}{body}"))
    }

    fn assert_one(path: &str, body: &str, what: &str) {
        let found = findings(path, body);
        assert!(
            found.len() == 1 && found[0].contains(what),
            "{path}: {body:?}: {found:?}"
        );
    }

    #[test]
    fn tidy_source_is_good() {
        let body = "fn f() -> u8 {\n    // unsafe { is only spoken of here }\n    1\n}\n";
        assert_eq!(findings("crates/base/src/x.rs", body), Vec::<String>::new());
    }

    #[test]
    fn a_long_file_is_told_to_be_cut() {
        assert!(findings("a.rs", &"fn f();\n".repeat(LONGEST - 1)).is_empty());
        assert_one("a.rs", &"fn f();\n".repeat(LONGEST), "601 lines");
        assert!(findings("long.md", &"x\n".repeat(LONGEST)).is_empty());
    }

    #[test]
    fn empty_module_names_are_banned_as_file_and_as_folder() {
        assert_one("crates/base/src/utils.rs", "", "a module called utils");
        assert_one(
            "crates/base/tests/common/mod.rs",
            "",
            "a module called common",
        );
        assert!(findings("crates/base/src/uncommon.rs", "").is_empty());
    }

    #[test]
    fn a_file_without_its_paragraph_is_told() {
        let found = judge("a.rs", "fn f() {}\n");
        assert!(
            found.len() == 1 && found[0].contains("no //! paragraph"),
            "{found:?}"
        );
    }

    #[test]
    fn a_public_item_needs_words_and_its_fields_need_none() {
        let path = "crates/base/src/x.rs";
        let good = "/// A range.\n#[derive(Debug)]\npub struct Span {\n    pub start: u64,\n}\n\nimpl Span {\n    /// Whether none.\n    pub const fn is_empty(&self) -> bool {\n        true\n    }\n}\n";
        assert_eq!(findings(path, good), Vec::<String>::new());
        let bare = "/// A range.\npub struct Span;\n\nimpl Span {\n    pub fn len(&self) -> u64 {\n        0\n    }\n}\n";
        assert_one(path, bare, "without documentation");
        assert!(findings("crates/base/tests/x.rs", bare).is_empty());
    }

    #[test]
    fn unfinished_work_is_told_in_any_file() {
        for mark in UNFINISHED {
            assert_one("notes.md", &format!("{mark}: later\n"), "unfinished work");
        }
        for mark in UNFINISHED_RUST {
            assert_one("a.rs", &format!("{mark})\n"), "unfinished work");
        }
        assert!(findings("notes.md", &format!("MY_{}_LIST\n", UNFINISHED[0])).is_empty());
    }

    #[test]
    fn tabs_and_trailing_spaces_are_told_but_make_needs_its_tabs() {
        assert_one("a.toml", "a = 1 \n", "space at the end");
        assert_one("a.rs", "\tlet a;\n", "a tab");
        assert!(findings("Makefile", "\techo\n").is_empty());
        assert!(findings("crates/x/tests/recorded/proc/mounts", "a\tb \n").is_empty());
    }

    #[test]
    fn unsafe_belongs_in_the_innermost_file() {
        let block = format!("let a = {} {{ f() }};\n", concat!("uns", "afe"));
        assert_one("crates/sim/src/x.rs", &block, "unsafe code outside");
        assert!(findings("crates/uring/src/raw.rs", &block).is_empty());
        assert!(findings("crates/uring/src/raw_ring.rs", &block).is_empty());
    }

    #[test]
    fn absolute_paths_of_a_machine_are_told_and_addresses_are_not() {
        for place in MACHINE_PATHS {
            assert_one("a.md", &format!("see {place}someone/x\n"), "of one machine");
            assert!(findings("a.md", &format!("https://example.org{place}someone\n")).is_empty());
            assert!(findings("a.md", &format!("mounted on {place}x\n")).is_empty());
            assert_one("a.txt", &format!("-e {place}w-x/y\n"), "of one machine");
        }
    }

    #[test]
    fn inputs_of_fuzz_targets_may_be_anything() {
        assert!(findings("fuzz/corpus/plan/a", "\tx \n").is_empty());
        assert_one("fuzz/Cargo.toml", "a = 1 \n", "space at the end");
    }

    #[test]
    fn registry_hosts_are_told_except_in_the_lock_file() {
        for host in REGISTRIES {
            assert_one("a.md", &format!("https://{host}/x\n"), "package registry");
            assert!(findings("Cargo.lock", &format!("https://{host}/x\n")).is_empty());
        }
    }
}
