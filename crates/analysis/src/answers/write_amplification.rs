//! How many bytes go to the flash for each byte of the host.

use results::{Quantity, RunResult, Statement};

use super::figures::value;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let of = |workload: &str| value(result, &format!("{workload}.waf")).map(Quantity::Factor);
    let said = match (of("random"), of("sequential")) {
        (Some(random), Some(sequential)) => Statement::new("answer-write-amplification")
            .with("random", random)
            .with("sequential", sequential),
        _ => {
            let random = result.figures.iter().find(|it| it.key == "random.waf")?;
            let why = Quantity::Why(random.why_not.clone()?);
            Statement::new("answer-write-amplification-not-told").with("why", why)
        }
    };
    // A figure of the whole drive has no spare flash but the drive's own.
    let part = result.figures.iter().find(|it| it.value.is_some());
    let part = part.filter(|it| !it.comparable_by.whole);
    let beside = part.map(|_| Statement::new("answer-write-amplification-part"));
    Some(std::iter::once(said).chain(beside).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn flash_writes_are_told_for_random_and_sequential_overwrites() {
        let key = |figures: &[(&str, f64, &str)]| {
            answer(&measured("write-amplification", figures)).map(|said| said[0].key)
        };
        let both = [
            ("random.waf", 3.2, "ratio"),
            ("sequential.waf", 1.0, "ratio"),
        ];
        assert_eq!(key(&both), Some("answer-write-amplification"));
        let mut result = measured("write-amplification", &both);
        for (whole, sentences) in [(true, 1), (false, 2)] {
            for figure in &mut result.figures {
                figure.comparable_by.whole = whole;
            }
            assert_eq!(answer(&result).map(|said| said.len()), Some(sentences));
        }
        assert_eq!(key(&[]), None);
    }
}
