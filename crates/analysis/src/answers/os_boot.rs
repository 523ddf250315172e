//! How long a start takes, and how much of it the drive is waited for.

use results::{Quantity, RunResult, Statement};

use super::figures::{figure, samples_of_one_run, time};

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let boot = time(result, "boot_s")?;
    let said = Statement::new("answer-os-boot")
        .with("boot", Quantity::Time(boot))
        .with("drive", Quantity::Time(time(result, "accesses_s")?))
        .with(
            "accesses",
            Quantity::Count(samples_of_one_run(result, figure(result, "boot_s")?)),
        );
    Some(vec![said])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    #[test]
    fn a_start_is_told_with_the_number_of_its_accesses_since_a_short_one_is_no_whole_start() {
        let figures = [("boot_s", 21.0, "s"), ("accesses_s", 9.0, "s")];
        let said = answer(&measured("os-boot", &figures)).unwrap();
        assert_eq!(said[0].quantity("accesses"), Some(&Quantity::Count(5_000)));
        assert_eq!(answer(&measured("os-boot", &figures[..1])), None);
    }
}
