//! User labels of a run: a name, tags, a note; and the selectors of runs on the command line.
//!
//! A name belongs to one run, and must differ from numbers and selectors. Several runs may share a tag. Neither is part
//! of a result: a result says what was measured, labels say what the user thinks of it, so they may be changed at any
//! time.

use rusqlite::params;

use crate::{PlanId, RunId, Store, StoreError, Which};

/// The longest name or tag, in letters.
const LONGEST: usize = 60;

/// A change of a run's labels; `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The name; an empty one takes it away.
    pub name: Option<String>,
    /// The note; an empty one takes it away.
    pub note: Option<String>,
    /// Tags that are given.
    pub tag: Vec<String>,
    /// Tags to remove.
    pub untag: Vec<String>,
}

/// A selection of runs, as given by one word on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    All,
    /// `last:3`: the newest three; `last` is `last:1`.
    Last(usize),
    /// `9-12`: from one number to another, both included; `9` is `9-9`.
    Range(i64, i64),
    /// `plan-2`: the runs of a plan.
    Plan(PlanId),
    /// `tag:WORD`: all runs that have the tag.
    Tagged(String),
    /// The run of a name.
    Named(String),
}

impl Chosen {
    /// Reads a word. What is none of the others is a name.
    ///
    /// # Errors
    /// [`StoreError::NotARunName`] where it cannot be one either.
    pub fn read(word: &str) -> Result<Chosen, StoreError> {
        let wrong = || StoreError::NotARunName {
            text: word.to_owned(),
        };
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number > 0);
        if word == "all" {
            return Ok(Chosen::All);
        }
        if word == "last" {
            return Ok(Chosen::Last(1));
        }
        if let Some(count) = word.strip_prefix("last:") {
            let count = count.parse().ok().filter(|count| *count > 0);
            return count.map(Chosen::Last).ok_or_else(wrong);
        }
        if let Some(id) = word.strip_prefix("plan-") {
            let id = number(id).ok_or_else(wrong)?;
            return Ok(Chosen::Plan(PlanId(id)));
        }
        if let Some(tag) = word.strip_prefix("tag:") {
            return Ok(Chosen::Tagged(label(tag).ok_or_else(wrong)?));
        }
        if let Some(one) = number(word) {
            return Ok(Chosen::Range(one, one));
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let ends = word.split_once('-');
            let ends = ends.and_then(|(from, to)| Some((number(from)?, number(to)?)));
            return match ends {
                Some((from, to)) if from <= to => Ok(Chosen::Range(from, to)),
                _ => Err(wrong()),
            };
        }
        label(word).map(Chosen::Named).ok_or_else(wrong)
    }
}

/// A name or a tag, where it can be one: it begins with a letter and has no blanks or control characters in it.
fn label(text: &str) -> Option<String> {
    let begins = text.starts_with(|c: char| c.is_alphabetic());
    let fits = (1..=LONGEST).contains(&text.chars().count());
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == ':');
    (begins && fits && plain).then(|| text.to_owned())
}

/// A name that is taken, with a number behind it: `before-2`.
pub(crate) fn numbered(name: &str, number: u32) -> String {
    let number = format!("-{number}");
    let kept: String = name.chars().take(LONGEST - number.len()).collect();
    kept + &number
}

/// Tags as they are stored.
pub(crate) fn words(stored: Option<&str>) -> Vec<String> {
    let words = stored.unwrap_or_default().split(' ');
    words.filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

impl Store {
    /// The runs that the words mean, in their order, none of them twice.
    ///
    /// # Errors
    /// A word that means nothing; a number, a name or a plan that is not there; no run at all for `last` and
    /// `all`.
    pub fn choose(&self, words: &[String]) -> Result<Vec<RunId>, StoreError> {
        let mut chosen: Vec<RunId> = Vec::new();
        for word in words {
            for run in self.chosen_by(word)? {
                if !chosen.contains(&run) {
                    chosen.push(run);
                }
            }
        }
        Ok(chosen)
    }

    fn chosen_by(&self, word: &str) -> Result<Vec<RunId>, StoreError> {
        let runs = self.list()?;
        let mut ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
        let found = match Chosen::read(word)? {
            Chosen::All => {
                ids.reverse();
                ids
            }
            Chosen::Last(count) => {
                ids.truncate(count);
                ids.reverse();
                ids
            }
            Chosen::Range(one, other) if one == other => vec![self.run(Which::Id(RunId(one)))?.id],
            Chosen::Range(from, to) => {
                ids.retain(|id| (from..=to).contains(&id.0));
                ids.reverse();
                if ids.is_empty() {
                    self.run(Which::Id(RunId(from)))?;
                }
                ids
            }
            Chosen::Plan(plan) => {
                self.plan(plan)?;
                self.steps(plan)?.into_iter().map(|step| step.run).collect()
            }
            Chosen::Tagged(tag) => {
                let tagged = runs.iter().rev().filter(|run| run.tags.contains(&tag));
                tagged.map(|run| run.id).collect()
            }
            Chosen::Named(name) => {
                let named = runs.iter().find(|run| run.name.as_deref() == Some(&name));
                vec![
                    named
                        .map(|run| run.id)
                        .ok_or(StoreError::NoSuchName { name })?,
                ]
            }
        };
        if found.is_empty() && matches!(word, "all" | "last") {
            return Err(StoreError::Empty {
                path: self.path().to_path_buf(),
            });
        }
        Ok(found)
    }

    /// Changes the labels of a run.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`]; a name or tag that cannot be one, or a name that another run has.
    pub fn label(&self, id: RunId, labels: &Labels) -> Result<(), StoreError> {
        let run = self.run(Which::Id(id))?;
        let mut name = run.name;
        if let Some(given) = &labels.name {
            name = match given.as_str() {
                "" => None,
                given => Some(self.free_name(given, id)?),
            };
        }
        let mut tags = run.tags;
        tags.retain(|tag| !labels.untag.contains(tag));
        for tag in &labels.tag {
            let tag = label(tag).ok_or_else(|| StoreError::NotALabel { text: tag.clone() })?;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let note = labels.note.clone().or(run.note);
        let note = note.filter(|note| !note.trim().is_empty());
        self.connection
            .execute(
                "UPDATE runs SET name = ?2, tags = ?3, note = ?4 WHERE id = ?1",
                params![id.0, name, tags.join(" "), note],
            )
            .map_err(|error| self.cannot("labelling a run", error))?;
        Ok(())
    }

    /// A name that means this run and nothing else.
    fn free_name(&self, given: &str, id: RunId) -> Result<String, StoreError> {
        let Ok(Chosen::Named(name)) = Chosen::read(given) else {
            return Err(StoreError::NotALabel {
                text: given.to_owned(),
            });
        };
        let runs = self.list()?;
        let other = (runs.iter()).find(|run| run.id != id && run.name.as_ref() == Some(&name));
        match other {
            Some(other) => Err(StoreError::NameTaken { name, by: other.id }),
            None => Ok(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunHeader;

    fn store_with(runs: usize) -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("results.sqlite3")).unwrap();
        let header = RunHeader {
            method: "full-scan",
            target: "null:",
            settings: "{}",
            environment: "{}",
            started_unix_ms: 0,
        };
        for _ in 0..runs {
            store.begin_run(&header).unwrap().finish("{}").unwrap();
        }
        (dir, store)
    }

    fn chosen(store: &Store, words: &[&str]) -> Vec<i64> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let runs = store.choose(&words).unwrap();
        runs.into_iter().map(|run| run.0).collect()
    }

    #[test]
    fn runs_are_chosen_by_number_range_place_tag_and_name_and_none_comes_twice() {
        let (_dir, store) = store_with(6);
        store.delete(RunId(3)).unwrap();
        let labels = Labels {
            name: Some("before".to_owned()),
            tag: vec!["desk".to_owned()],
            ..Labels::default()
        };
        store.label(RunId(2), &labels).unwrap();
        assert_eq!(chosen(&store, &["all"]), [1, 2, 4, 5, 6]);
        assert_eq!(chosen(&store, &["last"]), [6]);
        assert_eq!(chosen(&store, &["last:2"]), [5, 6]);
        assert_eq!(chosen(&store, &["2-4", "last:9"]), [2, 4, 1, 5, 6]);
        assert_eq!(chosen(&store, &["before", "tag:desk", "4"]), [2, 4]);
        for (word, said) in [
            ("3", "no run 3"),
            ("3-3", "no run 3"),
            ("7-9", "no run 7"),
            ("plan-1", "plan 1"),
            ("after", "'after'"),
        ] {
            let error = store.choose(&[word.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(said), "{word}: {error}");
        }
    }

    #[test]
    fn a_name_is_one_run_s_alone_and_no_number_range_or_word_of_ours() {
        let (_dir, store) = store_with(2);
        let named = |name: &str| Labels {
            name: Some(name.to_owned()),
            ..Labels::default()
        };
        store.label(RunId(1), &named("new-drive")).unwrap();
        let taken = store.label(RunId(2), &named("new-drive")).unwrap_err();
        assert!(taken.to_string().contains("run 1"), "{taken}");
        for name in [
            "7", "1-2", "9x", "last", "all", "plan-1", "tag:x", "a b", "-x", "a:b",
        ] {
            assert!(store.label(RunId(2), &named(name)).is_err(), "{name}");
        }
        store.label(RunId(1), &named("")).unwrap();
        store.label(RunId(2), &named("new-drive")).unwrap();
        assert_eq!(chosen(&store, &["new-drive"]), [2]);
    }

    #[test]
    fn tags_and_notes_are_added_and_taken_away_and_what_is_not_named_stays() {
        let (_dir, store) = store_with(1);
        let tags = |tag: &[&str], untag: &[&str]| Labels {
            tag: tag.iter().map(|&t| t.to_owned()).collect(),
            untag: untag.iter().map(|&t| t.to_owned()).collect(),
            ..Labels::default()
        };
        store.label(RunId(1), &tags(&["b", "a", "b"], &[])).unwrap();
        let note = Labels {
            note: Some("with the new cable".to_owned()),
            ..Labels::default()
        };
        store.label(RunId(1), &note).unwrap();
        store.label(RunId(1), &tags(&["c"], &["b"])).unwrap();
        let run = store.run(Which::Last).unwrap();
        assert_eq!(run.tags, ["a", "c"]);
        assert_eq!(run.note.as_deref(), Some("with the new cable"));
        assert!(store.label(RunId(1), &tags(&["two words"], &[])).is_err());
    }

    #[test]
    fn no_word_is_read_as_something_that_it_does_not_say() {
        for (word, is) in [
            ("all", Some(Chosen::All)),
            ("last:12", Some(Chosen::Last(12))),
            ("9-12", Some(Chosen::Range(9, 12))),
            ("12-9", None),
            ("0", None),
            ("-3", None),
            ("last:0", None),
            ("last:x", None),
            ("9-", None),
            ("", None),
            ("soon", Some(Chosen::Named("soon".to_owned()))),
        ] {
            assert_eq!(Chosen::read(word).ok(), is, "{word}");
        }
    }
}
