//! How long until the desktop, and how long the drive is busy after it.

use results::{Quantity, RunResult, Statement};

use super::figures::{size, time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let boot = Quantity::Time(time(result, "boot_s")?);
    let said = match (time(result, "after_s"), size(result, "after.written")) {
        (Some(after), Some(written)) => Statement::new("answer-boot-phases")
            .with("after", Quantity::Time(after))
            .with("written", Quantity::Size(written)),
        _ => Statement::new("answer-boot-phases-desktop"),
    };
    Some(vec![said.with("boot", boot)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn what_comes_after_the_desktop_is_told_where_it_was_seen() {
        let figures = [
            ("boot_s", 21.0, "s"),
            ("after_s", 4.0, "s"),
            ("after.written", 30.0, "MB"),
        ];
        let key = |n| answer(&measured("boot-phases", &figures[..n])).unwrap()[0].key;
        assert_eq!(key(3), "answer-boot-phases");
        assert_eq!(key(1), "answer-boot-phases-desktop");
    }
}
