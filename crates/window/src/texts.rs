//! The words of the page and of the menu: one text a key, in each language.
//!
//! They are read by the same mechanism as those of reports, from files of the window's own. A script fills in names and
//! numbers itself, so it gets each text with its arguments still open, as `{name}`.

use std::collections::BTreeMap;

use report::{Lang, Texts};

const ENGLISH: &str = include_str!("../assets/text/en.ftl");
const JAPANESE: &str = include_str!("../assets/text/ja.ftl");

const fn source(lang: Lang) -> &'static str {
    match lang {
        Lang::En => ENGLISH,
        Lang::Ja => JAPANESE,
    }
}

/// The texts of the window, for what is said by Rust.
pub fn texts(lang: Lang) -> Texts {
    Texts::of_source(lang, source(lang))
}

/// All texts of a language by key, with their arguments open.
pub fn open_texts(lang: Lang) -> BTreeMap<&'static str, String> {
    let texts = texts(lang);
    let of = |line: &'static str| {
        let (key, text) = line.split_once(" = ")?;
        let names = text
            .split("{ $")
            .skip(1)
            .filter_map(|rest| rest.split(' ').next());
        let open: Vec<(&str, String)> = names.map(|name| (name, format!("{{{name}}}"))).collect();
        let open: Vec<(&str, &str)> = open
            .iter()
            .map(|(name, open)| (*name, open.as_str()))
            .collect();
        Some((key, texts.with(key, &open)))
    };
    let lines = source(lang)
        .lines()
        .filter(|line| !line.starts_with(['#', ' ']));
    lines.filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASSETS: [&str; 9] = [
        include_str!("../assets/index.html"),
        include_str!("../assets/page.js"),
        include_str!("../assets/dom.js"),
        include_str!("../assets/drives.js"),
        include_str!("../assets/choose.js"),
        include_str!("../assets/watch.js"),
        include_str!("../assets/charts.js"),
        include_str!("../assets/names.js"),
        include_str!("../assets/results.js"),
    ];

    #[test]
    fn both_languages_have_the_same_texts_with_the_same_arguments() {
        let [english, japanese] = [Lang::En, Lang::Ja].map(open_texts);
        let arguments = |text: &str| {
            let mut names: Vec<String> = text.split('{').skip(1).map(str::to_owned).collect();
            names
                .iter_mut()
                .for_each(|name| name.truncate(name.find('}').unwrap_or(0)));
            names.sort();
            names
        };
        let keys =
            |texts: &BTreeMap<&'static str, String>| texts.keys().copied().collect::<Vec<_>>();
        assert_eq!(keys(&english), keys(&japanese));
        for (key, text) in &english {
            assert_eq!(arguments(text), arguments(&japanese[key]), "{key}");
        }
        assert!(english.len() > 50);
    }

    #[test]
    fn every_text_is_used_and_every_text_that_is_used_is_there() {
        let english = open_texts(Lang::En);
        let all = ASSETS.concat();
        for key in english.keys() {
            let is_used = all.contains(&format!("\"{key}\"")) || key.starts_with("menu-");
            assert!(is_used, "nobody says {key}");
        }
        for start in ["t(\"", "data-text=\""] {
            for (at, _) in all.match_indices(start) {
                // `split(` ends in the same letter.
                if all[..at].ends_with(char::is_alphanumeric) {
                    continue;
                }
                let key = all[at + start.len()..].split('"').next().unwrap();
                assert!(english.contains_key(key), "{key} has no words");
            }
        }
    }
}
