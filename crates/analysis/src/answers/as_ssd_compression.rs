//! Whether the controller compresses: data that compress are then written faster.

use results::{Quantity, RunResult, Statement};

use super::figures::{rate, value};

/// Faster by a tenth: less may be chance.
const COMPRESSES: f64 = 1.1;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let gain = value(result, "gain.write")?;
    let said = match gain > COMPRESSES {
        true => Statement::new("answer-as-ssd-compression-compresses")
            .with("gain", Quantity::Factor(gain))
            .with("best", rate(result, "100-percent.write")?),
        false => Statement::new("answer-as-ssd-compression-not"),
    };
    let plain = rate(result, "0-percent.write")?;
    Some(vec![said.with("plain", plain)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_tenth_more_is_no_compression() {
        let key = |gain: f64| {
            let figures = [
                ("gain.write", gain, "x"),
                ("0-percent.write", 90.0, "MB/s"),
                ("100-percent.write", 90.0 * gain, "MB/s"),
            ];
            answer(&measured("as-ssd-compression", &figures)).unwrap()[0].key
        };
        assert_eq!(key(1.1), "answer-as-ssd-compression-not");
        assert_eq!(key(1.11), "answer-as-ssd-compression-compresses");
    }
}
