//! Names of phases.
//!
//! They are written once and looked for by others, as by a script. A phase is a word or two of the method's own before a
//! word that all methods share. What has no form that is known here stays as it is: half a translation would be worse
//! than none.

use super::{Lang, Texts};

/// Phrases with places for what differs; what stands in a place is a phrase again.
const PHRASES: &[(&str, &str)] = &[
    ("restore the image", "イメージの復元"),
    ("make the {} folder", "{1} フォルダーの作成"),
    ("copy the {} folder", "{1} フォルダーのコピー"),
    ("make the file", "ファイルの作成"),
    ("iso", "ISO"),
    ("program", "プログラム"),
    ("overwrite before a power cut", "電源断直前の上書き"),
    ("read after a power cut", "電源断後の読み込み"),
    ("read what was not flushed", "未フラッシュ分の読み込み"),
    ("overwrite without a flush", "フラッシュなしの上書き"),
    ("read everything", "全域の読み込み"),
    ("look at the end", "末尾の確認"),
    ("look {}", "確認 {1}"),
    ("read back {}", "読み戻し ({1})"),
    ("read after {} days", "{1} 日後の読み込み"),
    ("lies until {} days old", "{1} 日後まで放置"),
    ("rest after start {}", "起動 {1} 後の休止"),
    ("rest after {}", "休止 ({1} の後)"),
    ("write pass {}", "書き込み {1} 周目"),
    ("use up to {} %", "使用 {1} % まで"),
    ("reads over {}", "{1} の範囲の読み込み"),
    ("watch {}", "{1} の監視"),
    ("read", "読み込み"),
    ("write", "書き込み"),
    ("{} run {} (discarded)", "{1} {2} 回目 (集計対象外)"),
    ("{} run {}", "{1} {2} 回目"),
    ("{} region {}", "{1} 領域 {2}"),
    ("{} point {} seek", "{1} {2} 点目 (シーク)"),
    ("{} point {}", "{1} {2} 点目"),
    ("{} the first part", "{1} 先頭部"),
    ("{} the last part", "{1} 末尾部"),
    ("{} the rest", "{1} 残り"),
    ("{} in order", "{1} (順に)"),
    ("{} at random", "{1} (ランダム)"),
    ("{} ramp", "{1} (助走)"),
    ("{} warm-up", "{1} (助走)"),
    ("{} access time", "{1} アクセス時間"),
    ("{} burst", "{1} バースト"),
    ("flush after {}", "{1} の後のフラッシュ"),
    ("pace of writes", "書き込みの間隔"),
    ("beside a load", "負荷時"),
];

/// Words of a phase's name that no figure has.
const WORDS: [(&str, &str); 7] = [
    // A start of a program, and its use: as parts of a figure the words mean something else.
    ("start", "アプリ起動"),
    ("use", "作業"),
    ("load", "負荷の"),
    ("pace", "間隔"),
    ("precondition", "事前の書き込み"),
    ("refill", "再書き込み"),
    ("round", "ラウンド"),
];

/// The name of a phase as a report in this language says it.
pub fn phase(name: &str, lang: Lang) -> String {
    Texts::new(lang).phase(name)
}

impl Texts {
    /// A phrase in the report's language.
    pub(crate) fn condition(&self, text: &str) -> String {
        if self.lang == Lang::En {
            return text.to_owned();
        }
        let whole = phrase(text);
        if whole != text {
            return whole;
        }
        // A list of which nothing is known stays a list: its commas are part of a name.
        let phrases: Vec<String> = text.split(", ").map(phrase).collect();
        let said = phrases.join("、");
        if said == text.replace(", ", "、") {
            return text.to_owned();
        }
        said
    }

    /// The name of a phase, in the report's language.
    pub(crate) fn phase(&self, name: &str) -> String {
        match self.lang {
            Lang::En => name.to_owned(),
            Lang::Ja => self.japanese_phase(name),
        }
    }

    fn japanese_phase(&self, name: &str) -> String {
        // A phase of one of several targets begins with that one's name.
        if let Some((of, phase)) = name.split_once(": ") {
            return format!("{}: {}", self.figure(of), self.japanese_phase(phase));
        }
        let found = PHRASES
            .iter()
            .find_map(|(english, japanese)| Some((places(english, name)?, *japanese)));
        if let Some((within, japanese)) = found {
            let within: Vec<String> = within.iter().map(|w| self.japanese_phase(w)).collect();
            return filled(japanese, &within);
        }
        let word = |word: &str| {
            let own = WORDS.iter().find(|(english, _)| *english == word);
            own.map_or_else(|| self.figure(word), |(_, japanese)| (*japanese).to_owned())
        };
        name.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }
}

/// One phrase in Japanese; itself where its form is not known.
fn phrase(text: &str) -> String {
    for (english, japanese) in PHRASES.iter().copied() {
        if let Some(within) = places(english, text) {
            let within: Vec<String> = within.into_iter().map(phrase).collect();
            return filled(japanese, &within);
        }
    }
    text.to_owned()
}

/// What stands in the places of a phrase, where the text has its form: anything in `{}`, what begins with a digit in
/// `{#}`, one word in `{.}`. Forms of few words take such places, so that they fit no other sentence.
fn places<'a>(form: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut fixed = form.split(['{', '}']);
    let mut rest = text.strip_prefix(fixed.next()?)?;
    let mut found = Vec::new();
    while let (Some(kind), Some(part)) = (fixed.next(), fixed.next()) {
        let is_last = fixed.clone().next().is_none();
        let end = if is_last {
            rest.len().checked_sub(part.len())?
        } else {
            rest.find(part)?
        };
        if end == 0 || !rest.is_char_boundary(end) || !rest[end..].starts_with(part) {
            return None;
        }
        let fits = match kind {
            "#" => rest.starts_with(|c: char| c.is_ascii_digit()),
            "." => !rest[..end].contains(' '),
            _ => true,
        };
        if !fits {
            return None;
        }
        found.push(&rest[..end]);
        rest = &rest[end + part.len()..];
    }
    rest.is_empty().then_some(found)
}

fn filled(form: &str, within: &[String]) -> String {
    let mut text = form.to_owned();
    for (number, word) in (1..).zip(within) {
        text = text.replace(&format!("{{{number}}}"), &format!("{BEGIN}{word}{END}"));
    }
    spaced(&text)
}

/// What stands before and behind what was filled in (the marks that Fluent sets), until spaces are right.
const BEGIN: char = '\u{2068}';
const END: char = '\u{2069}';

/// The text without the marks around what was filled in. Behind a Latin word or a number stands a space, and behind a
/// Japanese word none beside a particle: what is filled in may be either, and no form can know.
pub(super) fn spaced(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([BEGIN, END]) {
        said.push_str(&rest[..at]);
        let is_end = rest[at..].starts_with(END);
        rest = &rest[at + BEGIN.len_utf8()..];
        let (Some(last), Some(next)) = (said.chars().next_back(), rest.chars().next()) else {
            continue;
        };
        let has_space = next == ' ';
        let after = rest.trim_start_matches(' ').chars().next();
        if is_end && has_space && is_japanese(last) && after.is_some_and(is_hiragana) {
            rest = rest.trim_start_matches(' ');
        } else if !is_end && is_japanese(next) && said.trim_end().ends_with(is_hiragana) {
            said.truncate(said.trim_end().len());
        } else if is_japanese(next) && is_latin(last) || is_japanese(last) && is_latin(next) {
            said.push(' ');
        }
    }
    said + rest
}

fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{3096}').contains(&c)
}

/// Letters of words, not marks between them.
fn is_japanese(c: char) -> bool {
    is_hiragana(c)
        || ('\u{30a1}'..='\u{30fa}').contains(&c)
        || matches!(c, 'ー' | '々')
        || ('\u{4e00}'..='\u{9fff}').contains(&c)
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '%' | 'µ' | '°')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_another_sense_in_a_figure_s_name() {
        let japanese = Texts::new(Lang::Ja);
        let bandwidth = japanese.figure("system.start.bandwidth");
        assert_eq!(bandwidth.split(' ').nth(1), Some("アプリ起動"));
        assert_eq!(japanese.figure("read.start"), "読み込み 始端");
    }

    #[test]
    fn names_of_phases_are_said_in_the_report_s_language() {
        let japanese = Texts::new(Lang::Ja);
        for (english, said) in [
            (
                "seq1m-q8t1 read run 0 (discarded)",
                "SEQ1M Q8T1 読み込み 0 回目 (集計対象外)",
            ),
            ("read region 005", "読み込み 領域 005"),
            ("write the first part", "書き込み 先頭部"),
            ("file-server qd32 ramp", "ファイルサーバー QD32 (助走)"),
            ("beside a load", "負荷時"),
            ("full-system game 3", "システム全体 ゲーム 3"),
        ] {
            assert_eq!(japanese.phase(english), said);
            assert_eq!(Texts::new(Lang::En).phase(english), english);
        }
    }

    #[test]
    fn a_form_has_its_places_filled_or_does_not_fit() {
        assert_eq!(
            places("{} from {}", "4 KiB from 0 B"),
            Some(vec!["4 KiB", "0 B"])
        );
        assert_eq!(places("{} the rest", "the rest"), None);
        assert_eq!(places("fresh", "fresher"), None);
        assert_eq!(
            places("{.} on {.}", "atto on model:a"),
            Some(vec!["atto", "model:a"])
        );
        assert_eq!(places("{.} on {.}", "the store is on the drive"), None);
        assert_eq!(places("{#} left", "4.0 s left"), Some(vec!["4.0 s"]));
        assert_eq!(places("{#} left", "nothing left"), None);
    }

    #[test]
    fn spaces_stand_between_latin_and_japanese_and_not_before_a_particle() {
        let filled = |form, word: &str| filled(form, &[word.to_owned()]);
        assert_eq!(
            filled("{1} は未実施", "フルスキャン"),
            "フルスキャンは未実施"
        );
        assert_eq!(filled("{1} は未実施", "DelayRatio"), "DelayRatio は未実施");
        assert_eq!(filled("{1}の先頭", "1.00 TB"), "1.00 TB の先頭");
        assert_eq!(filled("{1}の先頭", "全域"), "全域の先頭");
        assert_eq!(filled("平均 {1}、最長", "5.0 ms"), "平均 5.0 ms、最長");
        assert_eq!(filled("QD{1} で", "32"), "QD32 で");
        assert_eq!(filled("{1} 領域", "書き込み"), "書き込み 領域");
        assert_eq!(filled("(他は {1})", "新品"), "(他は新品)");
        assert_eq!(filled("(他は {1})", "0 B"), "(他は 0 B)");
    }
}
