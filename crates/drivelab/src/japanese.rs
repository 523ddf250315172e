//! What is announced before a run, said while it runs and told of a drive's health, in Japanese.
//!
//! Help, errors and lists are English: they are what people search for and paste, as in every tool of this field.

use std::sync::LazyLock;

use report::Lang;

/// Forms of messages and their Japanese.
static MESSAGES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| report::forms(include_str!("../assets/messages.ja")));
/// Titles of plans, forecasts and words of a drive's health, and their Japanese.
static TEXTS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| report::forms(include_str!("../assets/forecasts.ja")));

/// A message in Japanese; its notes as a report says them; as it is where neither has its form.
pub(crate) fn message(text: &str) -> String {
    report::filled_form(&MESSAGES, text, &message).unwrap_or_else(|| report::said(text, Lang::Ja))
}

/// A line of a forecast or of a drive's health, or a plan's title in Japanese; as a message where it is none of them.
pub(crate) fn told(text: &str) -> String {
    // What stands in a place is a name or a value, and is typed as it is.
    let own = report::filled_form(&TEXTS, text, &str::to_owned);
    own.unwrap_or_else(|| match title(text) {
        Some(title) => title.to_owned(),
        None => message(text),
    })
}

/// Titles of methods, English and Japanese. The progress line asks for them all the time.
static TITLES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let listed = lab::listing::methods().methods.into_iter();
    let with_both = listed.filter_map(|method| {
        let card = lab::running::method(method.id).ok()?.card();
        Some((card.title, card.title_ja))
    });
    with_both.collect()
});

/// A method's title, by its English one.
fn title(english: &str) -> Option<&'static str> {
    let found = TITLES.iter().find(|(title, _)| *title == english);
    found.map(|(_, japanese)| *japanese)
}

/// The name of a phase in Japanese.
pub(crate) fn phase(name: &str) -> String {
    report::phase(name, Lang::Ja)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_said_in_japanese_with_its_names() {
        for (english, japanese) in [
            ("report: a.html", "レポート: a.html"),
            (
                "resuming run 4: 1 phase is already stored",
                "測定 4 を再開する: 1 フェーズは保存済み",
            ),
            ("what has no form", "what has no form"),
        ] {
            assert_eq!(message(english), japanese);
        }
        for (form, japanese) in MESSAGES.iter() {
            assert!(!japanese.is_ascii(), "{form}");
            let places = form.matches('{').count();
            let has_all = (1..=places).all(|n| japanese.contains(&format!("{{{n}}}")));
            assert!(has_all, "{form}");
        }
    }

    #[test]
    fn no_form_is_so_loose_that_it_takes_what_another_one_says() {
        let example = |form: &str| {
            let form = form.replace("{}", "two words");
            form.replace("{#}", "7 s").replace("{.}", "word")
        };
        let own = |form: (&'static str, &'static str), text: &str| {
            report::filled_form(&[form], text, &str::to_owned)
        };
        for form in MESSAGES.iter() {
            let text = example(form.0);
            let said = report::filled_form(&MESSAGES, &text, &str::to_owned);
            assert_eq!(said, own(*form, &text), "{text}");
            // Forecasts are asked before messages are: both may have the same form.
            let told = report::filled_form(&TEXTS, &text, &str::to_owned);
            assert!(told.is_none() || told == said, "{told:?}: {text}");
        }
        for form in TEXTS.iter() {
            let text = example(form.0);
            let said = report::filled_form(&TEXTS, &text, &str::to_owned);
            assert_eq!(said, own(*form, &text), "{text}");
        }
    }
}
