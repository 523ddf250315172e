//! Which result stands beside which: results of one method make a section, a drive keeps its column,
//! its colour and its number through all of them.

use results::{RunResult, TargetKind, TargetRecord};

/// What is judged: a column of every table. A drive that was measured twice by the same method is two
/// subjects.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Its number, counted from 0 in the order of the results; the same in all sections.
    pub index: usize,
    /// What was judged, as its first result has it.
    pub target: &'a TargetRecord,
    /// Its name in tables: unique among the subjects.
    pub title: String,
    /// All its results.
    pub results: Vec<&'a RunResult>,
    /// How often the same drive came before.
    again: usize,
}

impl Subject<'_> {
    /// True for a drive that exists as a thing, false for a modelled one.
    pub fn is_real(&self) -> bool {
        self.target.kind == TargetKind::Real
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
        let title = if result.target.title.is_empty() {
            &result.target.name
        } else {
            &result.target.title
        };
        self.subjects.push(Subject {
            index: self.subjects.len(),
            target: &result.target,
            title: title.clone(),
            results: Vec::new(),
            again,
        });
        self.subjects.len() - 1
    }

    /// Two subjects of the same title are told apart by the options that they were named with, and
    /// where these are the same by a number.
    fn make_titles_unique(&mut self) {
        for i in 0..self.subjects.len() {
            let title = self.subjects[i].title.clone();
            let is_shared = self.subjects.iter().filter(|s| s.title == title).count() > 1;
            if let (true, Some(options)) = (is_shared, options(self.subjects[i].target)) {
                self.subjects[i].title = format!("{title} ({options})");
            }
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
}

/// What stands behind the name of a model: `state=steady-random`.
fn options(target: &TargetRecord) -> Option<&str> {
    let (_, options) = target.name.split_once('?')?;
    (target.kind == TargetKind::Model && !options.is_empty()).then_some(options)
}

/// True for the same drive under the same name: what stands in the name (a state, a link) is part of it.
fn same(a: &TargetRecord, b: &TargetRecord) -> bool {
    a.name == b.name && a.title == b.title && a.kind == b.kind
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
