//! How many bytes go to the flash for each byte of the host.

use results::RunResult;
use results::statement::{Quantity, Statement};

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
    Some(vec![said])
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
        assert_eq!(key(&[]), None);
    }
}
