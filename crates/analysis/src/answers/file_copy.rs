//! How fast folders are copied to the drive, and again from memory.

use results::{Quantity, RunResult, Statement};

use super::figures::{between, mb_s, setting, time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let rated = |folder: &&str| mb_s(result, &format!("{folder}.first_rate"));
    let folders = between(result, "", ".first_rate");
    let mut folders: Vec<(&str, f64)> = folders
        .into_iter()
        .filter_map(|folder| Some((folder, rated(&folder)?)))
        .collect();
    folders.sort_by(|a, b| a.1.total_cmp(&b.1));
    let told = |said: Statement, (folder, rate): &(&str, f64)| {
        said.with("folder", part_of(result, folder))
            .with("rate", Quantity::MegabytesPerSecond(*rate))
    };
    let slowest = folders.first()?;
    if let [_, .., fastest] = folders.as_slice() {
        let said = told(Statement::new("answer-file-copy-several"), slowest)
            .with("best-folder", part_of(result, fastest.0))
            .with("best", Quantity::MegabytesPerSecond(fastest.1));
        return Some(vec![said]);
    }
    let first = time(result, &format!("{}.first_s", slowest.0))?;
    let said = told(Statement::new("answer-file-copy"), slowest);
    let said = said.with("first", Quantity::Time(first));
    let again = time(result, &format!("{}.second_s", slowest.0));
    Some(vec![match again {
        Some(again) => Statement {
            key: "answer-file-copy-twice",
            ..said
        }
        .with("again", Quantity::Time(again)),
        None => said,
    }])
}

/// The folder, or that it was a part of it: the time of a part is none of the whole.
fn part_of(result: &RunResult, folder: &str) -> Quantity {
    let whole = Quantity::name(folder);
    match setting::<f64>(result, "percent").filter(|percent| *percent < 100.0) {
        Some(percent) => Quantity::Said(vec![
            Statement::new("answer-file-copy-part")
                .with("share", Quantity::Percent(percent))
                .with("whole", whole),
        ]),
        None => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn of_several_folders_the_slowest_and_the_fastest_are_told() {
        let mut figures = vec![
            ("small.first_rate", 90.0, "MB/s"),
            ("small.first_s", 30.0, "s"),
        ];
        let key =
            |figures: &[(&str, f64, &str)]| answer(&measured("file-copy", figures)).unwrap()[0].key;
        assert_eq!(key(&figures), "answer-file-copy");
        figures.push(("small.second_s", 5.0, "s"));
        assert_eq!(key(&figures), "answer-file-copy-twice");
        figures.push(("films.first_rate", 400.0, "MB/s"));
        assert_eq!(key(&figures), "answer-file-copy-several");
    }

    #[test]
    fn a_part_of_a_folder_is_told_as_a_part() {
        let mut result = measured("file-copy", &[]);
        let percent = ("percent".to_owned(), "100".to_owned());
        result.settings.values.extend([percent]);
        assert_eq!(part_of(&result, "films"), Quantity::name("films"));
        let percent = ("percent".to_owned(), "1".to_owned());
        result.settings.values.extend([percent]);
        assert!(matches!(part_of(&result, "films"), Quantity::Said(_)));
    }
}
