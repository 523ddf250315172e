//! Arrangement of results: results of one method make a section, a drive keeps its column, its colour and its number
//! through all of them.

use results::{RunResult, TargetKind, TargetRecord};

/// What is judged: a column of every table. A drive that was measured twice by the same method is two
/// subjects.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Its number, counted from 0 in the order of the results; the same in all sections.
    pub index: usize,
    /// What was judged, as its first result has it.
    pub target: &'a TargetRecord,
    /// The drive's own name, without what distinguishes it from others of the same name.
    pub drive: String,
    /// Its name in tables: that of the drive, and what makes it unique among the subjects.
    pub title: String,
    pub results: Vec<&'a RunResult>,
    /// How often the same drive came before.
    again: usize,
}

impl Subject<'_> {
    /// True for a drive that exists as a thing, false for a modelled one.
    pub fn is_real(&self) -> bool {
        self.target.kind == TargetKind::Real
    }

    /// Which specimen of its model a modelled drive is, by its seed: two of them are two drives, and no states of one.
    pub fn specimen(&self) -> &str {
        let model = self.target.name.split("model:").nth(1).unwrap_or_default();
        let own = model.split([')', ',']).next().unwrap_or_default();
        let mut options = own.split(['?', '&']).skip(1);
        options
            .find_map(|option| option.strip_prefix("seed="))
            .unwrap_or_default()
    }

    /// The distinction from others of the same name: a state, a link, a setting; empty if not needed.
    pub fn variant(&self) -> &str {
        self.title[self.drive.len()..].trim()
    }

    /// A short name for the ends of lines: A, B, C; numbers where the letters are used up.
    pub fn letter(&self) -> String {
        match u8::try_from(self.index) {
            Ok(index @ 0..=25) => char::from(b'A' + index).to_string(),
            _ => (self.index + 1).to_string(),
        }
    }
}

/// The results of one method.
#[derive(Debug)]
pub struct Section<'a> {
    /// The method's name.
    pub method: &'a str,
    /// The method's title, in English and in Japanese.
    pub titles: [&'a str; 2],
    /// Results with the numbers of their subjects, ascending.
    pub results: Vec<(usize, &'a RunResult)>,
}

/// Results, sorted.
#[derive(Debug)]
pub struct Groups<'a> {
    /// What was judged, in the order of the results.
    pub subjects: Vec<Subject<'a>>,
    /// By method, in the order of the results.
    pub sections: Vec<Section<'a>>,
}

impl<'a> Groups<'a> {
    /// Sorts results by drive and method.
    pub fn new(results: &'a [RunResult]) -> Groups<'a> {
        let mut groups = Groups {
            subjects: Vec::new(),
            sections: Vec::new(),
        };
        for result in results {
            groups.add(result);
        }
        groups.make_titles_unique();
        groups
    }

    fn add(&mut self, result: &'a RunResult) {
        let section = self.section_of(result);
        let again = self.sections[section]
            .results
            .iter()
            .filter(|(subject, _)| same(self.subjects[*subject].target, &result.target))
            .count();
        let subject = self.subject_of(result, again);
        self.subjects[subject].results.push(result);
        let results = &mut self.sections[section].results;
        results.push((subject, result));
        results.sort_by_key(|(subject, _)| *subject);
    }

    fn section_of(&mut self, result: &'a RunResult) -> usize {
        if let Some(found) = self.sections.iter().position(|s| s.method == result.method) {
            return found;
        }
        self.sections.push(Section {
            method: &result.method,
            titles: [&result.method_title, &result.method_title_ja],
            results: Vec::new(),
        });
        self.sections.len() - 1
    }

    fn subject_of(&mut self, result: &'a RunResult, again: usize) -> usize {
        let known = |s: &Subject| s.again == again && same(s.target, &result.target);
        if let Some(found) = self.subjects.iter().position(known) {
            return found;
        }
        let drive = match result.target.title.as_str() {
            "" => result.target.name.clone(),
            title => title.to_owned(),
        };
        self.subjects.push(Subject {
            index: self.subjects.len(),
            target: &result.target,
            title: drive.clone(),
            drive,
            results: Vec::new(),
            again,
        });
        self.subjects.len() - 1
    }

    /// Subjects of the same title are distinguished by what differs in their target names (a link, a state, a layer):
    /// common parts are omitted. If nothing differs there, they are distinguished by their labels, by the settings of
    /// their runs or by their dates, and otherwise by a number.
    fn make_titles_unique(&mut self) {
        let titles: Vec<String> = self.subjects.iter().map(|s| s.title.clone()).collect();
        for (i, title) in titles.iter().enumerate() {
            let alike: Vec<Vec<String>> = (self.subjects.iter().zip(&titles))
                .filter(|(_, other)| *other == title)
                .map(|(subject, _)| named_with(subject.target))
                .collect();
            let is_common = |word: &String| alike.iter().all(|words| words.contains(word));
            let mut own = named_with(self.subjects[i].target);
            own.retain(|word| !is_common(word));
            if alike.len() > 1 && !own.is_empty() {
                self.subjects[i].title = format!("{title} ({})", own.join(", "));
            }
        }
        for tell in [label, settings, date] {
            self.tell_apart(tell);
        }
        for i in 0..self.subjects.len() {
            let title = self.subjects[i].title.clone();
            let before = self.subjects[..i]
                .iter()
                .filter(|s| s.title == title || s.title.starts_with(&format!("{title} #")));
            let before = before.count();
            if before > 0 {
                self.subjects[i].title = format!("{title} #{}", before + 1);
            }
        }
    }

    /// Appends the distinction to subjects of one title, if no two of them have the same.
    fn tell_apart(&mut self, tell: fn(&Subject, &[&Subject]) -> Option<String>) {
        let titles: Vec<Option<String>> = self
            .subjects
            .iter()
            .map(|subject| {
                let alike = self.subjects.iter().filter(|s| s.title == subject.title);
                let alike: Vec<&Subject> = alike.collect();
                let words: Vec<Option<String>> = alike.iter().map(|s| tell(s, &alike)).collect();
                let is_own = |words_of: &Option<String>| {
                    words.iter().filter(|other| *other == words_of).count() == 1
                };
                let told = alike.len() > 1 && words.iter().all(is_own);
                let own = tell(subject, &alike).filter(|_| told)?;
                Some(format!("{} ({own})", subject.title))
            })
            .collect();
        for (subject, title) in self.subjects.iter_mut().zip(titles) {
            subject.title = title.unwrap_or(std::mem::take(&mut subject.title));
        }
    }
}

/// The user's label of the results.
fn label(subject: &Subject, _: &[&Subject]) -> Option<String> {
    subject
        .results
        .iter()
        .find_map(|result| result.label.clone())
}

/// The scale and the given settings that differ from another one's.
fn settings(subject: &Subject, alike: &[&Subject]) -> Option<String> {
    let first = subject.results.first()?;
    let words = |result: &RunResult| -> Vec<String> {
        let given = result.settings.given.iter();
        let given =
            given.filter_map(|key| Some(format!("{key}={}", result.settings.values.get(key)?)));
        std::iter::once(result.scale.name().to_owned())
            .chain(given)
            .collect()
    };
    let others = alike.iter().filter_map(|other| other.results.first());
    let others: Vec<Vec<String>> = others.map(|other| words(other)).collect();
    let own = words(first);
    let differ = own
        .iter()
        .filter(|word| others.iter().any(|other| !other.contains(word)));
    let differ: Vec<&str> = differ.map(String::as_str).collect();
    (!differ.is_empty()).then(|| differ.join(", "))
}

/// When its first result began, to the minute, in UTC; a model has no date.
fn date(subject: &Subject, _: &[&Subject]) -> Option<String> {
    results::date(subject.results.first()?.began_unix_ms)
}

/// The parts of a modelled drive's name besides the drive: its layers and options, `fault`, `link=pcie3x4`, as written,
/// with a list split into its words.
fn named_with(target: &TargetRecord) -> Vec<String> {
    if target.kind != TargetKind::Model {
        return Vec::new();
    }
    // A list is one value of the name, and escapes the signs that would end it.
    let unescaped = (target.name.replace("%2C", ",").replace("%26", "&")).replace("%25", "%");
    let words = unescaped.split(['(', ')', ',', '?', '&']);
    let words = words.map(str::trim).filter(|word| !word.is_empty());
    let words = words.filter(|word| !word.starts_with("model:"));
    words.map(str::to_owned).collect()
}

/// True for the same drive under the same name: the options in the name (a state, a link) are part of it.
pub(crate) fn same(a: &TargetRecord, b: &TargetRecord) -> bool {
    a.name == b.name && a.title.as_str() == b.title.as_str() && a.kind == b.kind
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::results as sample;

    #[test]
    fn results_of_a_method_make_a_section_and_a_drive_keeps_its_number() {
        let results = sample::review();
        let groups = Groups::new(&results);
        assert_eq!(groups.subjects.len(), 3);
        assert_eq!(groups.sections.len(), 4);
        for section in &groups.sections {
            let subjects: Vec<usize> = section.results.iter().map(|(s, _)| *s).collect();
            assert_eq!(subjects, [0, 1, 2], "{}", section.method);
        }
        assert!(groups.subjects[0].is_real());
        assert!(!groups.subjects[1].is_real());
    }

    /// A modelled drive under a name.
    fn named(name: &str) -> RunResult {
        let mut result = sample::review().swap_remove(1);
        result.target.name = name.to_owned();
        result
    }

    #[test]
    fn one_model_in_two_states_is_told_apart_by_its_options() {
        let model = sample::review().swap_remove(1);
        let mut aged = model.clone();
        aged.target.name.push_str("?state=steady-random");
        let results = [model, aged];
        let groups = Groups::new(&results);
        let titles: Vec<&str> = groups.subjects.iter().map(|s| s.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "Samsung 840 EVO 750GB",
                "Samsung 840 EVO 750GB (state=steady-random)"
            ]
        );
    }

    #[test]
    fn specimens_of_a_model_are_told_by_their_own_seeds_and_not_by_those_of_layers() {
        let results = [
            named("model:a?state=fresh&seed=2"),
            named("fault(model:a?seed=3)?bad=1GB&seed=9"),
            named("fault(model:a)?seed=9"),
            named("model:a"),
        ];
        let groups = Groups::new(&results);
        let specimens: Vec<&str> = groups.subjects.iter().map(Subject::specimen).collect();
        assert_eq!(specimens, ["2", "3", "", ""]);
    }

    #[test]
    fn columns_are_told_apart_by_what_differs_and_not_by_what_they_share() {
        let results = [
            named("model:a?host=windows11-nvme"),
            named("model:a?host=windows11-nvme,link=pcie3x4"),
            named("fault(model:a?host=windows11-nvme)"),
        ];
        let groups = Groups::new(&results);
        let titles: Vec<&str> = groups.subjects.iter().map(|s| s.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "Samsung 840 EVO 750GB",
                "Samsung 840 EVO 750GB (link=pcie3x4)",
                "Samsung 840 EVO 750GB (fault)"
            ]
        );
    }

    #[test]
    fn a_list_of_states_is_told_in_its_words_and_only_those_that_differ() {
        let results = [
            named("model:a?state=fresh&host=hdt-201a"),
            named("model:a?state=fresh%2Cpower-on=26min%2Ctemperature=8C&host=hdt-201a"),
        ];
        let groups = Groups::new(&results);
        let of = |at: usize| {
            (
                groups.subjects[at].drive.as_str(),
                groups.subjects[at].variant(),
            )
        };
        assert_eq!(of(0), ("Samsung 840 EVO 750GB", ""));
        assert_eq!(
            of(1),
            ("Samsung 840 EVO 750GB", "(power-on=26min, temperature=8C)")
        );
    }

    #[test]
    fn a_drive_measured_twice_is_told_apart_by_labels_settings_or_dates() {
        let one = sample::review().swap_remove(0);
        let titles = |results: &[RunResult]| -> Vec<String> {
            let groups = Groups::new(results);
            groups
                .subjects
                .iter()
                .map(|s| s.title.replace(results[0].target.title.as_str(), "X"))
                .collect()
        };
        let mut two = [one.clone(), one.clone()];
        two[1].began_unix_ms += 3_600_000;
        let dated = titles(&two);
        assert!(
            dated.iter().all(|title| title.ends_with(" UTC)")),
            "{dated:?}"
        );
        two[1].scale = base::method::Scale::Full;
        two[0].scale = base::method::Scale::Quick;
        assert_eq!(titles(&two), ["X (quick)", "X (full)"]);
        two[0].label = Some("before".to_owned());
        two[1].label = Some("after".to_owned());
        assert_eq!(titles(&two), ["X (before)", "X (after)"]);
        two[1].label = Some("before".to_owned());
        assert_eq!(titles(&two), ["X (quick)", "X (full)"]);
    }

    #[test]
    fn a_drive_measured_twice_is_two_columns() {
        let one = sample::review().swap_remove(0);
        let results = [one.clone(), one];
        let groups = Groups::new(&results);
        assert_eq!(groups.subjects.len(), 2);
        assert_eq!(groups.sections.len(), 1);
        assert_eq!(
            groups.subjects[1].title,
            format!("{} #2", groups.subjects[0].title)
        );
    }
}
