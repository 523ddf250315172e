//! What idle time recovers on a drive in steady state.

use base::time::Duration;
use results::{Quantity, RunResult, Statement};

use super::figures::{between, per_second, value};
use super::steady::in_its_state;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let steady = per_second(result, "steady.iops")?;
    let rests = between(result, "rest-", ".iops").into_iter();
    let rests = rests.filter_map(|rest| Some((rest.parse::<Duration>().ok()?, rest)));
    let (length, rest) = rests.max_by_key(|(length, _)| *length)?;
    let said = match value(result, &format!("rest-{rest}.of-steady")) {
        Some(share) => {
            Statement::new("answer-pts-host-idle-recovery").with("share", Quantity::Percent(share))
        }
        None => Statement::new("answer-pts-host-idle-recovery-rate")
            .with("bursts", per_second(result, &format!("rest-{rest}.iops"))?),
    };
    let said = said
        .with("rest", Quantity::Time(length))
        .with("steady", steady);
    Some(in_its_state(result, "", said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn the_longest_rest_is_told_and_a_share_only_where_there_is_one() {
        let mut figures = vec![
            ("steady.iops", 5_000.0, "IOPS"),
            ("rest-5s.iops", 6_000.0, "IOPS"),
            ("rest-50s.iops", 9_000.0, "IOPS"),
        ];
        let said = |figures: &[(&str, f64, &str)]| {
            let said = answer(&measured("pts-host-idle-recovery", figures)).unwrap();
            match said[0].quantity("said") {
                Some(Quantity::Said(inner)) => inner[0].clone(),
                other => panic!("{other:?}"),
            }
        };
        let without = said(&figures);
        assert_eq!(without.key, "answer-pts-host-idle-recovery-rate");
        let rest = Quantity::Time(Duration::from_secs(50));
        assert_eq!(without.quantity("rest"), Some(&rest));
        figures.push(("rest-50s.of-steady", 180.0, "%"));
        assert_eq!(said(&figures).key, "answer-pts-host-idle-recovery");
    }
}
