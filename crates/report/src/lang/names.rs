//! Names in the report's language: phases, the states of drives, scales, facts.
//!
//! They are written once, in English, and others look for them: a phase's name a script, a state in a target's name. So
//! each is read by the parser of what it is ([`base::phase_name`], [`base::state`], [`base::method`]) and said part by
//! part, by key. What its parser does not know stays as it is.

use analysis::group::Groups;
use base::message::Message;
use base::phase_name::{Part, parts};
use results::RunResult;

use super::{Lang, Texts};

/// The name of a phase as a report in this language says it.
pub fn phase(name: &str, lang: Lang) -> String {
    Texts::new(lang).phase(name)
}

impl Texts {
    /// The name of a phase, in the report's language.
    pub(crate) fn phase(&self, name: &str) -> String {
        if self.lang == Lang::En {
            return name.to_owned();
        }
        // A phase of one of several targets begins with that one's name.
        if let Some((of, phase)) = name.split_once(": ") {
            return format!("{}: {}", self.figure(of), self.phase(phase));
        }
        let parts: Vec<String> = parts(name)
            .iter()
            .map(|part| self.phase_part(part))
            .collect();
        parts.join(" ")
    }

    fn phase_part(&self, part: &Part) -> String {
        let (key, places) = match part {
            Part::Word(word) => return self.figure(word),
            Part::Form { key, places } => (key, places),
        };
        let places = places.iter().map(|(place, what)| {
            let said = match *place {
                "n" => (*what).to_owned(),
                _ => self.phase(what),
            };
            ((*place).to_owned(), said.into())
        });
        self.filled(key, places)
            .unwrap_or_else(|| (*key).to_owned())
    }

    /// A drive's state as it is recorded.
    pub(crate) fn drive_state(&self, text: &str) -> String {
        self.known(base::state::told(text), text)
    }

    /// The scale of a run as it is recorded, with the settings that were changed.
    pub(crate) fn recorded_scale(&self, text: &str) -> String {
        self.known(base::method::told_scale(text), text)
    }

    /// The value of a fact about a drive.
    pub(crate) fn fact_value(&self, text: &str) -> String {
        let key = match text {
            "yes" => "fact-value-yes",
            "no" => "fact-value-no",
            "shingled, managed by the drive" => "fact-value-shingled",
            "write back" => "fact-value-write-back",
            "write through" => "fact-value-write-through",
            results::DATA_SHEET => "fact-value-data-sheet",
            _ => return text.to_owned(),
        };
        self.say(key)
    }

    fn known(&self, said: Option<Message>, text: &str) -> String {
        match said {
            Some(said) if self.lang == Lang::Ja => self.message(&said),
            _ => text.to_owned(),
        }
    }

    /// Results sorted by drive; what tells one state of a drive from another is in the report's language, and a label
    /// stays as its writer has it.
    pub(crate) fn groups<'a>(&self, results: &'a [RunResult]) -> Groups<'a> {
        let mut groups = Groups::new(results);
        if self.lang == Lang::En {
            return groups;
        }
        for subject in &mut groups.subjects {
            if !subject.target.title.is_empty() {
                let variant = subject.title.split_off(subject.drive.len());
                subject.drive = self.message(&subject.target.title);
                subject.title = format!("{}{variant}", subject.drive);
            }
            let own = (subject.variant().strip_prefix('(')).and_then(|own| own.strip_suffix(')'));
            let is_label =
                |own: &&str| (subject.results.iter()).any(|r| r.label.as_deref() == Some(*own));
            if let Some(own) = own.filter(|own| !is_label(own)) {
                let told: Vec<String> = own.split(", ").map(|word| self.option(word)).collect();
                subject.title = format!("{} ({})", subject.drive, self.list(&told));
            }
        }
        groups
    }

    /// A word of a target's name or a run's settings: a part of a state, a scale, or an option as it is typed.
    fn option(&self, word: &str) -> String {
        let state = word.strip_prefix("state=").unwrap_or(word);
        match base::state::told(state) {
            Some(state) => self.message(&state),
            None => self.recorded_scale(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_two_states_of_a_drive_apart_is_in_the_reports_language_and_a_label_is_not() {
        let model = fixtures::results::review().swap_remove(1);
        let mut cold = model.clone();
        (cold.target.name).push_str("?state=fresh%2Cpower-on=0s%2Ctemperature=8C");
        let titles = |results: &[RunResult]| -> Vec<String> {
            let groups = Texts::new(Lang::Ja).groups(results);
            groups.subjects.iter().map(|s| s.title.clone()).collect()
        };
        let of = titles(&[model.clone(), cold])[1].clone();
        assert_eq!(of, "Samsung 840 EVO 750GB (新品、電源投入直後、温度 8 °C)");
        let mut labelled = model.clone();
        labelled.label = Some("fresh".to_owned());
        assert_eq!(
            titles(&[model, labelled])[1],
            "Samsung 840 EVO 750GB (fresh)"
        );
    }

    #[test]
    fn states_scales_and_facts_are_said_in_the_report_s_language() {
        let (japanese, english) = (Texts::new(Lang::Ja), Texts::new(Lang::En));
        for (state, said) in [
            ("fresh", "新品"),
            ("unknown", "不明"),
            (
                "fresh,power-on=0s,temperature=8C",
                "新品、電源投入直後、温度 8 °C",
            ),
            (
                "steady-random:50%,trimmed,idle=5min",
                "先頭 50 % がランダム書き込み後の定常状態、TRIM 済み、休止 5 分",
            ),
            (
                "fresh, carried over after slc-fill, slc-fill",
                "新品 (slc-fill, slc-fill の後を引き継ぎ)",
            ),
            ("fresh,of a kind", "fresh,of a kind"),
        ] {
            assert_eq!(japanese.drive_state(state), said);
            assert_eq!(english.drive_state(state), state);
        }
        for (scale, said) in [
            ("quick", "簡易"),
            ("default, ends=4", "標準、ends=4"),
            ("not stated", "not stated"),
        ] {
            assert_eq!(japanese.recorded_scale(scale), said);
            assert_eq!(english.recorded_scale(scale), scale);
        }
        assert_eq!(japanese.fact_value("no"), "いいえ");
        let flash = "BiCS5 TLC, 112 layers";
        assert_eq!(japanese.fact_value(flash), flash);
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
            ("flush after write run 2", "書き込み 2 回目の後のフラッシュ"),
            ("reads over 1 GiB warm-up", "1 GiB の範囲の読み込み (助走)"),
            ("fat32: make the iso folder", "fat32: ISO フォルダーの作成"),
            ("beside a load", "負荷時"),
            ("full-system game 3", "システム全体 ゲーム 3"),
        ] {
            assert_eq!(japanese.phase(english), said);
            assert_eq!(Texts::new(Lang::En).phase(english), english);
        }
    }
}
