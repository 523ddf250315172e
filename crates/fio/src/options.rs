//! Every option of fio 3.33, and what becomes of it here.
//!
//! An option that is silently ignored gives another measurement under the same name. So each has one of three fates, in
//! `data/options.txt`: it works; it is skipped, and named once, because it has no effect here; or the file is refused,
//! with the reason, since without it the result would be another. A refused option may have values without effect
//! (`verify=0`): these pass.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It works as in fio.
    Works,
    /// It cannot matter here, for this reason.
    Skipped(&'static str),
    /// Without it the result would be another, for this reason, unless it has one of these values.
    Refused {
        /// Values without effect, separated by commas.
        harmless: &'static str,
        /// Why it is refused.
        why: &'static str,
    },
}

const TABLE: &str = include_str!("../data/options.txt");

static OPTIONS: LazyLock<BTreeMap<&'static str, (&'static str, Fate)>> = LazyLock::new(|| {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split('|').collect()).collect();
    let mut all = BTreeMap::new();
    for row in &rows {
        let cell = |n: usize| row.get(n).copied().unwrap_or_default();
        let (name, fate) = match cell(1) {
            "same" => (cell(3), Fate::Works),
            "skipped" => (cell(0), Fate::Skipped(cell(3))),
            "refused" => (
                cell(0),
                Fate::Refused {
                    harmless: cell(2),
                    why: cell(3),
                },
            ),
            _ => (cell(0), Fate::Works),
        };
        all.insert(cell(0), (name, fate));
    }
    // Another name has the fate of the first.
    for row in rows.iter().filter(|row| row.get(1) == Some(&"same")) {
        let first = row.get(3).and_then(|name| all.get(name)).copied();
        if let (Some(first), Some(name)) = (first, row.first()) {
            all.insert(name, first);
        }
    }
    all
});

/// The first name of an option, and its fate.
pub fn find(name: &str) -> Option<(&'static str, Fate)> {
    OPTIONS.get(name).copied()
}

/// All names, other names of the same option among them.
pub fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS.keys().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_that_fio_lists_is_known() {
        let Ok(listed) = std::process::Command::new("fio")
            .arg("--cmdhelp=all")
            .output()
        else {
            eprintln!("skipped: there is no fio here");
            return;
        };
        let text = String::from_utf8_lossy(&listed.stdout);
        let options: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, _)| name.trim())
            .filter(|name| !name.is_empty())
            .collect();
        let missing: Vec<_> = options.iter().filter(|name| find(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(options.len() > 200, "{}", options.len());
    }

    #[test]
    fn an_option_that_is_not_done_says_why() {
        for name in names() {
            match find(name) {
                Some((_, Fate::Skipped(why) | Fate::Refused { why, .. })) => {
                    assert!(!why.is_empty(), "{name}");
                }
                Some((first, Fate::Works)) => assert!(find(first).is_some(), "{name}: {first}"),
                None => panic!("{name}"),
            }
        }
        assert_eq!(find("blocksize"), Some(("bs", Fate::Works)));
    }
}
