//! What the program says, in Japanese: its messages, and the help.
//!
//! A message is found by its English form (`assets/messages.ja`), as notes of results are in reports. The help is the
//! same definition of the arguments, with other texts.
//!
//! Texts are found by the English ones (`assets/help.ja`), so that no argument is listed twice. Values are typed by
//! their definition, and clap lets nobody reword what a type says of its values: so the Japanese definition is there
//! for the help alone, and what was typed is read by the English one.

use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, Command};
use report::Lang;

use crate::paragraph::{length, pieces};

/// Texts of the help and their Japanese.
static TEXTS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| report::forms(include_str!("../assets/help.ja")));
/// Forms of messages and their Japanese.
static MESSAGES: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| report::forms(include_str!("../assets/messages.ja")));
/// Texts of the lists (methods, drives, devices) and their Japanese.
static LISTS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| report::forms(include_str!("../assets/lists.ja")));

/// A message in Japanese; its notes as a report says them; as it is where neither has its form.
pub(crate) fn message(text: &str) -> String {
    if let Some(program) = text.strip_prefix("drivelab: ") {
        return format!("drivelab: {}", message(program));
    }
    // Words that are typed stay as they are.
    if let Some(words) = text.strip_prefix("one of ") {
        return format!("{words} のいずれか");
    }
    report::filled_form(&MESSAGES, text, &message).unwrap_or_else(|| report::said(text, Lang::Ja))
}

/// A text of a list or an explanation (methods, drives, devices, plans) in Japanese; as a message where it is no such
/// text.
pub(crate) fn listed(text: &str) -> String {
    // What stands in a place is a name or a value, and is typed as it is.
    let in_a_list = report::filled_form(&LISTS, text, &str::to_owned);
    in_a_list.unwrap_or_else(|| match title(text) {
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

/// Whether a text of a list has Japanese words of its own.
#[cfg(test)]
pub(crate) fn has_words_for(text: &str) -> bool {
    LISTS.iter().any(|(english, _)| *english == text)
}

/// The name of a phase in Japanese.
pub(crate) fn phase(name: &str) -> String {
    report::phase(name, Lang::Ja)
}

/// What clap itself writes around them.
const FRAME: [(&str, &str); 16] = [
    ("Usage: ", "使い方: "),
    ("[OPTIONS]", "[オプション]"),
    ("<COMMAND>", "<コマンド>"),
    ("\nCommands:\n", "\nコマンド:\n"),
    ("\nArguments:\n", "\n引数:\n"),
    ("\nOptions:\n", "\nオプション:\n"),
    ("Possible values:\n", "指定できる値:\n"),
    ("[possible values: ", "[指定できる値: "),
    ("[default: ", "[既定値: "),
    ("[aliases: ", "[別名: "),
    (
        "Print help (see a summary with '-h')",
        "ヘルプを表示する (要約は '-h')",
    ),
    (
        "Print help (see more with '--help')",
        "ヘルプを表示する (詳細は '--help')",
    ),
    ("Print help", "ヘルプを表示する"),
    ("Print version", "バージョンを表示する"),
    (
        "Print this message or the help of the given subcommand(s)",
        "このメッセージ、または指定したコマンドのヘルプを表示する",
    ),
    (
        "For more information, try '--help'.",
        "詳細は '--help' を参照。",
    ),
];

/// Columns of a text beside or below an option, and of one that stands alone.
const BESIDE: usize = 64;
const ALONE: usize = 78;

/// A text in Japanese, a paragraph at a time; as it is where it has none.
fn said(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let found = TEXTS.iter().find(|(english, _)| *english == paragraph);
        found.map_or(paragraph, |(_, japanese)| japanese)
    });
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

/// The text broken into lines: between letters, but not within a Latin word, nor before what closes.
fn broken(text: &str, columns: usize) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for piece in pieces(text) {
        if piece == "\n" || length(&line) + length(piece.trim_end()) > columns {
            lines.push_str(line.trim_end());
            lines.push('\n');
            line.clear();
        }
        if piece != "\n" {
            line.push_str(if line.is_empty() {
                piece.trim_start()
            } else {
                piece
            });
        }
    }
    lines + &line
}

/// The definition with Japanese texts, for the help alone.
pub(crate) fn definition(command: Command) -> Command {
    let about = command
        .get_about()
        .map(|text| broken(&said(&text.to_string()), BESIDE));
    let after = command
        .get_after_help()
        .map(|text| broken(&said(&text.to_string()), ALONE));
    let mut command = command.mut_args(argument);
    if let Some(about) = about {
        command = command.about(about);
    }
    if let Some(after) = after {
        command = command.after_help(after);
    }
    command.mut_subcommands(definition)
}

fn argument(arg: Arg) -> Arg {
    let help = arg
        .get_help()
        .map(|text| broken(&said(&text.to_string()), BESIDE));
    let values = arg.get_possible_values();
    let is_explained = values.iter().any(|value| value.get_help().is_some());
    let arg = match help {
        Some(help) => arg.help(help),
        None => arg,
    };
    if !is_explained {
        return arg;
    }
    let values = values.iter().map(|value| {
        let help = value.get_help().map(|text| said(&text.to_string()));
        PossibleValue::new(value.get_name().to_owned()).help(help.unwrap_or_default())
    });
    arg.value_parser(PossibleValuesParser::new(values))
}

/// What clap says, in Japanese.
pub(crate) fn of_clap(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let text = match refused(error) {
        // What was wrong is one line; usage and hints come after it.
        Some(line) => {
            let rest = rendered.split_once('\n').map_or("", |(_, rest)| rest);
            let rest: Vec<&str> = rest
                .lines()
                .skip_while(|line| !line.starts_with("Usage"))
                .collect();
            format!("エラー: {line}\n\n{}\n", rest.join("\n"))
        }
        None => rendered,
    };
    FRAME.iter().fold(text, |text, (english, japanese)| {
        text.replace(english, japanese)
    })
}

/// Why the arguments are refused, where it is one of the usual reasons.
fn refused(error: &clap::Error) -> Option<String> {
    let told = |kind| error.get(kind).map(ToString::to_string);
    let hint = |kind| match told(kind) {
        Some(near) => format!("。もしかして: {near}"),
        None => String::new(),
    };
    Some(match error.kind() {
        ErrorKind::UnknownArgument => {
            let near = hint(ContextKind::SuggestedArg);
            format!(
                "'{}' という引数はない{near}",
                told(ContextKind::InvalidArg)?
            )
        }
        ErrorKind::InvalidSubcommand => {
            let near = hint(ContextKind::SuggestedSubcommand);
            format!(
                "'{}' というコマンドはない{near}",
                told(ContextKind::InvalidSubcommand)?
            )
        }
        ErrorKind::MissingRequiredArgument => {
            format!("必要な引数がない: {}", told(ContextKind::InvalidArg)?)
        }
        ErrorKind::InvalidValue => {
            let near = hint(ContextKind::SuggestedValue);
            let (arg, value) = (
                told(ContextKind::InvalidArg)?,
                told(ContextKind::InvalidValue)?,
            );
            match value.is_empty() {
                true => format!("'{arg}' に値がない"),
                false => format!("'{arg}' に '{value}' は指定できない{near}"),
            }
        }
        ErrorKind::ArgumentConflict => format!(
            "'{}' は '{}' と同時に指定できない",
            told(ContextKind::InvalidArg)?,
            told(ContextKind::PriorArg)?
        ),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;

    /// Every text of the help: of commands, of arguments, of values.
    fn texts_of(command: &Command, into: &mut Vec<String>) {
        let own = [command.get_about(), command.get_after_help()];
        into.extend(own.into_iter().flatten().map(ToString::to_string));
        for arg in command.get_arguments() {
            into.extend(arg.get_help().map(ToString::to_string));
            let values = arg.get_possible_values();
            into.extend(
                values
                    .iter()
                    .filter_map(|v| Some(v.get_help()?.to_string())),
            );
        }
        // What the program starts itself is shown to nobody.
        for command in command
            .get_subcommands()
            .filter(|c| c.get_name() != "engine-leg")
        {
            texts_of(command, into);
        }
    }

    #[test]
    fn every_text_of_the_help_has_a_japanese_one() {
        let mut texts = Vec::new();
        texts_of(&Arguments::definition(), &mut texts);
        let paragraphs: std::collections::BTreeSet<&str> =
            texts.iter().flat_map(|text| text.split("\n\n")).collect();
        let missing: Vec<&&str> = paragraphs
            .iter()
            .filter(|text| !TEXTS.iter().any(|(english, _)| *english == **text))
            .collect();
        assert!(missing.is_empty(), "{missing:#?}");
        let unused: Vec<&&str> = TEXTS
            .iter()
            .map(|(english, _)| english)
            .filter(|english| !paragraphs.contains(*english))
            .collect();
        assert!(unused.is_empty(), "{unused:#?}");
    }

    #[test]
    fn the_japanese_help_of_every_command_has_no_english_line_and_fits() {
        fn check(command: &mut Command) {
            let help = command.clone().render_long_help().to_string();
            let help = FRAME
                .iter()
                .fold(help, |text, (en, ja)| text.replace(en, ja));
            for line in help.lines() {
                let words = line
                    .split(' ')
                    .filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase()));
                assert!(words.count() < 4, "{}: {line}", command.get_name());
            }
            let names: Vec<String> = command
                .get_subcommands()
                .filter(|c| c.get_name() != "engine-leg")
                .map(|c| c.get_name().to_owned())
                .collect();
            for name in names {
                check(command.find_subcommand_mut(&name).expect("it was listed"));
            }
        }
        check(&mut definition(Arguments::definition()));
    }

    #[test]
    fn a_message_is_said_in_japanese_with_its_names() {
        for (english, japanese) in [
            (
                "drivelab: there is no method 'x'; `drivelab methods` lists them",
                "drivelab: 'x' という測定方法はない。`drivelab methods` で一覧を表示する",
            ),
            ("report: a.html", "レポート: a.html"),
            (
                "drivelab: atto: invalid setting 'ops=x': expected one of read, write",
                "drivelab: atto: 設定 'ops=x' は無効である。指定できるもの: read, write のいずれか",
            ),
            (
                "drivelab: there is no drive 'x'; did you mean y?",
                "drivelab: 'x' というドライブはない。もしかして: y",
            ),
            (
                "interrupted as run 4: continue with `drivelab resume 4`",
                "中断した (測定 4)。続きは `drivelab resume 4` で行う",
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
            // A list is asked before messages are: both may have the same form.
            let listed = report::filled_form(&LISTS, &text, &str::to_owned);
            assert!(listed.is_none() || listed == said, "{listed:?}: {text}");
        }
        for form in LISTS.iter() {
            let text = example(form.0);
            let said = report::filled_form(&LISTS, &text, &str::to_owned);
            assert_eq!(said, own(*form, &text), "{text}");
        }
    }

    #[test]
    fn a_line_is_broken_between_letters_and_never_before_what_closes() {
        assert_eq!(
            broken("これは model:x である。", 8),
            "これは\nmodel:x\nである。"
        );
        assert_eq!(broken("一二三四。五", 8), "一二三\n四。五");
        assert_eq!(broken("a b\n\nc", 80), "a b\n\nc");
    }

    #[test]
    fn a_wrong_argument_is_told_in_japanese_with_what_was_meant() {
        let error = Arguments::definition()
            .try_get_matches_from(["drivelab", "run", "--scael", "quick"])
            .expect_err("there is no such option");
        let told = of_clap(&error);
        assert!(
            told.starts_with("エラー: '--scael' という引数はない。もしかして: --scale"),
            "{told}"
        );
        assert!(
            told.contains("使い方: ") && told.contains("詳細は '--help'"),
            "{told}"
        );
    }
}
