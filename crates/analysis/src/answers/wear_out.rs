//! How much is written until the drive refuses, and whether it can be read then.

use results::{Quantity, RunResult, Statement};

use super::figures::{moved_by, size, value};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let readable = value(result, "readable").map(Quantity::Percent);
    let said = match (size(result, "written"), readable) {
        (Some(written), Some(readable)) => Statement::new("answer-wear-out-refuses")
            .with("written", Quantity::Size(written))
            .with("readable", readable),
        (Some(written), None) => Statement::new("answer-wear-out-refuses-unread")
            .with("written", Quantity::Size(written)),
        (None, Some(_)) => {
            let written = moved_by(result, base::io::Op::Write);
            Statement::new("answer-wear-out-not").with("written", Quantity::Size(written))
        }
        (None, None) => return None,
    };
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_drive_that_was_not_worn_out_has_no_endurance_told() {
        let readable = ("readable", 100.0, "%");
        let written = ("written", 72_000.0, "GB");
        let key = |figures: &[(&str, f64, &str)]| {
            answer(&measured("wear-out", figures)).map(|said| said[0].key)
        };
        assert_eq!(key(&[readable]), Some("answer-wear-out-not"));
        assert_eq!(key(&[written, readable]), Some("answer-wear-out-refuses"));
        assert_eq!(key(&[written]), Some("answer-wear-out-refuses-unread"));
        assert_eq!(key(&[]), None);
    }
}
