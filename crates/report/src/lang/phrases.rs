//! What a result says of itself in English (conditions, states, names of phases), in the report's language.
//!
//! A result is stored once and read in any language, so its words are those of the method that wrote them. These come
//! in few forms: a condition is some phrases with commas between, each with numbers or names in its places, and a
//! phase is a word or two of the method's own before a word that all methods share. What has no form that is known
//! here stays as it is: half a translation would be worse than none.

use super::{Lang, Texts};

/// Phrases with places for what differs; what stands in a place is a phrase again.
const PHRASES: [(&str, &str); 35] = [
    (
        "{} of {} at {}: {}, beside {} reads and {} writes",
        "{1} {2}、位置 {3}: {4}、同時に読み込み {5}・書き込み {6}",
    ),
    ("level from {} to {} MB/s", "{1} から {2} MB/s に変化"),
    ("read", "読み込み"),
    ("write", "書き込み"),
    ("the first and the last {} of {}", "{2}の先頭と末尾の各 {1}"),
    ("{} regions of {}", "{2}の {1} 領域"),
    ("{} points of {}", "{2}の {1} 点"),
    ("{} regions", "{1} 領域"),
    ("{} from {}", "{2} から {1}"),
    ("whole surface", "全域"),
    ("fresh", "新品"),
    ("unknown", "不明"),
    ("default", "標準 (短縮)"),
    ("quick", "簡易 (短縮)"),
    ("full", "完全"),
    ("full-in-order", "全域を順に書き込み済み"),
    ("steady-random", "ランダム書き込み後の定常状態"),
    ("{}-in-order", "{1} を順に書き込み済み"),
    ("modelled host {}", "ホストモデル {1}"),
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
    ("pace of writes", "書き込みの間隔"),
    ("beside a load", "負荷時"),
];

/// Words of a phase's name that no figure has.
const WORDS: [(&str, &str); 6] = [
    // A start of a program, and its use: as parts of a figure the words mean something else.
    ("start", "アプリ起動"),
    ("use", "作業"),
    ("pace", "間隔"),
    ("precondition", "事前の書き込み"),
    ("refill", "再書き込み"),
    ("round", "ラウンド"),
];

/// Data of the fill: `fresh, 0 % compressible`.
const COMPRESSIBLE: &str = " % compressible";

impl Texts {
    /// The conditions of a figure, a drive's state, a span, in the report's language.
    pub(crate) fn condition(&self, text: &str) -> String {
        if self.lang == Lang::En {
            return text.to_owned();
        }
        // The fill of the data is one phrase, although it has a comma.
        if let Some(percent) = text
            .strip_prefix("fresh, ")
            .and_then(|rest| rest.strip_suffix(COMPRESSIBLE))
        {
            return format!("乱数、圧縮可能率 {percent} %");
        }
        let whole = phrase(text);
        if whole != text {
            return whole;
        }
        let phrases: Vec<String> = text.split(", ").map(phrase).collect();
        phrases.join("、")
    }

    /// The name of a phase, in the report's language.
    pub(crate) fn phase(&self, name: &str) -> String {
        match self.lang {
            Lang::En => name.to_owned(),
            Lang::Ja => self.japanese_phase(name),
        }
    }

    fn japanese_phase(&self, name: &str) -> String {
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
    for (english, japanese) in PHRASES {
        if let Some(within) = places(english, text) {
            let within: Vec<String> = within.into_iter().map(phrase).collect();
            return filled(japanese, &within);
        }
    }
    text.to_owned()
}

/// What stands in the places of a phrase, where the text has its form.
fn places<'a>(form: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut fixed = form.split("{}");
    let mut rest = text.strip_prefix(fixed.next()?)?;
    let mut found = Vec::new();
    let mut fixed = fixed.peekable();
    while let Some(part) = fixed.next() {
        let end = if fixed.peek().is_none() {
            rest.len().checked_sub(part.len())?
        } else {
            rest.find(part)?
        };
        if end == 0 || !rest.is_char_boundary(end) || !rest[end..].starts_with(part) {
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
        text = text.replace(&format!("{{{number}}}"), word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_states_are_said_in_the_report_s_language() {
        let japanese = Texts::new(Lang::Ja);
        for (english, said) in [
            ("1 GiB from 0 B", "0 B から 1 GiB"),
            ("64 regions of whole surface", "全域の 64 領域"),
            (
                "the first and the last 3726 MiB of 1.00 TB",
                "1.00 TBの先頭と末尾の各 3726 MiB",
            ),
            ("fresh, 0 % compressible", "乱数、圧縮可能率 0 %"),
            ("fresh", "新品"),
            ("default, ends=4", "標準 (短縮)、ends=4"),
            ("modelled host linux-uring", "ホストモデル linux-uring"),
            ("of a kind that is new", "of a kind that is new"),
            (
                "read of 4 KiB at 173 MB: 44.2 us, beside 0 reads and 1 writes",
                "読み込み 4 KiB、位置 173 MB: 44.2 us、同時に読み込み 0・書き込み 1",
            ),
        ] {
            assert_eq!(japanese.condition(english), said);
            assert_eq!(Texts::new(Lang::En).condition(english), english);
        }
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
    }
}
