//! How fast large files, many small ones and a game are copied within the drive.

use results::{RunResult, Statement};

use super::figures::rate;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let said = Statement::new("answer-as-ssd-copy")
        .with("iso", rate(result, "iso_rate")?)
        .with("program", rate(result, "program_rate")?)
        .with("game", rate(result, "game_rate")?);
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn all_three_folders_are_needed() {
        let figures = [
            ("iso_rate", 300.0, "MB/s"),
            ("program_rate", 90.0, "MB/s"),
            ("game_rate", 200.0, "MB/s"),
        ];
        assert!(answer(&measured("as-ssd-copy", &figures)).is_some());
        assert_eq!(answer(&measured("as-ssd-copy", &figures[..2])), None);
    }
}
