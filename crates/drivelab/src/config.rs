//! The user's own settings: `$XDG_CONFIG_HOME/drivelab/config.toml`, else `~/.config/drivelab/config.toml`.
//!
//! ```toml
//! language = "ja"                      # en or ja
//! store = "/srv/drivelab.sqlite3"      # the database of results
//! neighbours = ["model:wd-black-sn770-1tb", "model:samsung-970-evo-plus-1tb"]   # what a review sets beside
//! author = "Test bench 3"              # stands in the title of reports
//! ```
//!
//! Arguments take precedence over the environment, that over this file, and this over built-in defaults. An unknown key
//! is an error: silently ignoring it would mislead.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use base::size::Bytes;
use serde::Deserialize;

use crate::arguments::Language;
use crate::output::Failure;

/// The most that is read of the file.
const MOST: Bytes = Bytes::kib(64);

/// The settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    language: Option<String>,
    /// The database of results.
    pub(crate) store: Option<PathBuf>,
    /// The targets that a review is compared with.
    pub(crate) neighbours: Option<Vec<String>>,
    /// Who makes the reports.
    pub(crate) author: Option<String>,
}

impl Config {
    /// Reads the file; without one, nothing is set.
    ///
    /// # Errors
    /// A file that cannot be read, or a mistake in it, with its line.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<OsString>) -> Result<Config, Failure> {
        let Some(path) = place(variable) else {
            return Ok(Config::default());
        };
        if !path.exists() {
            return Ok(Config::default());
        }
        let text = base::whole_file::text(&path, MOST)
            .map_err(|e| Failure::Usage(format!("{}: {e}", path.display())))?;
        Config::parse(&text, &path)
    }

    fn parse(text: &str, path: &Path) -> Result<Config, Failure> {
        let mistake = |line: Option<usize>, what: &str| {
            let line = line.map_or_else(String::new, |line| format!(", line {line}"));
            let what = what.replace('\n', " ");
            Failure::Usage(format!("{}{line}: {}", path.display(), what.trim()))
        };
        let config: Config = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map(|span| text[..span.start].matches('\n').count() + 1);
            mistake(line, error.message())
        })?;
        if let Some(word) = &config.language
            && language_of(word).is_none()
        {
            return Err(mistake(
                None,
                &format!("language = \"{word}\": write \"en\" or \"ja\""),
            ));
        }
        Ok(config)
    }

    /// The language: from the arguments, else this file, else the environment, else English.
    pub(crate) fn language(
        &self,
        asked: Option<Language>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Language {
        let of_file = || self.language.as_deref().and_then(language_of);
        asked
            .or_else(of_file)
            .unwrap_or_else(|| language_of_environment(variable))
    }
}

fn place(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let folder = folder.or_else(|| Some(set("HOME")?.join(".config")))?;
    Some(folder.join("drivelab/config.toml"))
}

fn language_of(word: &str) -> Option<Language> {
    match word {
        "en" => Some(Language::En),
        "ja" => Some(Language::Ja),
        _ => None,
    }
}

/// `LC_ALL` comes before `LC_MESSAGES` and that before `LANG` (POSIX, 8.2).
fn language_of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Language {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
    let first = names
        .iter()
        .find_map(|name| variable(name).filter(|v| !v.is_empty()));
    let first = first.unwrap_or_default();
    let first = first.to_string_lossy();
    match first.split(['_', '.', '@']).next() {
        Some("ja") => Language::Ja,
        _ => Language::En,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        move |name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        }
    }

    #[test]
    fn the_file_lies_in_the_users_configuration_folder() {
        let at = |variables: &[(&str, &str)]| place(environment(variables));
        let own = at(&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")]);
        assert_eq!(own.unwrap(), Path::new("/x/drivelab/config.toml"));
        let home = at(&[("XDG_CONFIG_HOME", "relative"), ("HOME", "/h")]);
        assert_eq!(home.unwrap(), Path::new("/h/.config/drivelab/config.toml"));
        assert_eq!(at(&[]), None);
    }

    #[test]
    fn the_language_is_what_was_asked_for_then_the_file_s_then_the_environment_s() {
        let japanese = environment(&[("LANG", "ja_JP.UTF-8")]);
        let file = Config::parse("language = \"en\"", Path::new("c")).unwrap();
        let none = Config::default();
        assert_eq!(none.language(None, &japanese), Language::Ja);
        assert_eq!(file.language(None, &japanese), Language::En);
        assert_eq!(file.language(Some(Language::Ja), &japanese), Language::Ja);
        let all = environment(&[("LC_ALL", "C"), ("LANG", "ja_JP.UTF-8")]);
        assert_eq!(none.language(None, all), Language::En);
        let java = environment(&[("LANG", "jaw")]);
        assert_eq!(none.language(None, java), Language::En);
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_no_key_is_ignored() {
        let said = |text: &str| match Config::parse(text, Path::new("config.toml")) {
            Err(Failure::Usage(said)) => said,
            other => panic!("{other:?}"),
        };
        let unknown = said("author = \"A\"\nlanguag = \"ja\"\n");
        assert!(unknown.starts_with("config.toml, line 2: "), "{unknown}");
        assert!(unknown.contains("languag"), "{unknown}");
        assert!(said("language = \"de\"").contains("\"en\" or \"ja\""));
        assert!(!said("store = \n").contains('\n'));
    }
}
