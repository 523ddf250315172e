//! A trace replayed on a model, judged: means, demerits, and the two distributions.

use results::validation::{Agreement, RequestClass, ValidatedClass, ValidatedDisk};

use crate::class::classes;
use crate::demerit::{demerit, mean, sorted};
use crate::trace::Measured;

/// Replays a trace by `simulate`, which gives the response of each request in milliseconds, and judges
/// what comes back. `None` if the simulation did not answer each request once.
///
/// # Errors
/// Where the simulation fails.
pub fn validate<E>(
    name: &str,
    trace: &[Measured],
    simulate: impl FnOnce(&[Measured]) -> Result<Vec<f64>, E>,
) -> Result<Option<ValidatedDisk>, E> {
    let simulated = simulate(trace)?;
    if simulated.len() != trace.len() {
        return Ok(None);
    }
    let measured: Vec<f64> = trace.iter().map(|request| request.response_ms).collect();
    let kinds = classes(trace);
    let of_class = |class: RequestClass| {
        let of = |times: &[f64]| -> Vec<f64> {
            let both = times.iter().zip(&kinds);
            both.filter(|(_, kind)| **kind == class)
                .map(|(time, _)| *time)
                .collect()
        };
        let agreement = agreement(&of(&simulated), &of(&measured))?;
        Some(ValidatedClass { class, agreement })
    };
    let classes = RequestClass::ALL.into_iter().filter_map(of_class).collect();
    Ok(agreement(&simulated, &measured).map(|all| ValidatedDisk {
        name: name.to_owned(),
        all,
        disksim_demerit_ms: None,
        classes,
        simulated_ms: sorted(&simulated),
        measured_ms: sorted(&measured),
    }))
}

fn agreement(simulated: &[f64], measured: &[f64]) -> Option<Agreement> {
    Some(Agreement {
        requests: simulated.len(),
        mean_ms: mean(simulated)?,
        measured_mean_ms: mean(measured)?,
        demerit_ms: demerit(simulated, measured)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::io::Op;

    fn trace() -> Vec<Measured> {
        [(Op::Read, 0, 5.0), (Op::Read, 8, 1.0), (Op::Write, 0, 3.0)]
            .map(|(op, block, response_ms)| Measured {
                op,
                block,
                blocks: 8,
                response_ms,
                think_ms: 0.0,
            })
            .to_vec()
    }

    #[test]
    fn each_kind_has_a_score_of_its_own() {
        let simulate = |_: &[Measured]| Ok::<_, ()>(vec![1.0, 5.0, 3.5]);
        let made = validate("a", &trace(), simulate).unwrap().unwrap();
        // By rank the two reads are exact; by kind they are not.
        assert!((made.all.demerit_ms - libm::sqrt(0.25 / 3.0)).abs() < 1e-12);
        let names: Vec<&str> = made.classes.iter().map(|c| c.class.name()).collect();
        assert_eq!(names, ["random-read", "sequential-read", "write"]);
        assert!((made.classes[0].agreement.demerit_ms - 4.0).abs() < 1e-12);
        assert_eq!(made.simulated_ms, [1.0, 3.5, 5.0]);
    }

    #[test]
    fn a_simulation_that_answers_too_little_is_not_judged() {
        let simulate = |_: &[Measured]| Ok::<_, ()>(vec![1.0]);
        assert_eq!(validate("a", &trace(), simulate).unwrap(), None);
        assert_eq!(validate("a", &trace(), |_| Err("no")).unwrap_err(), "no");
    }
}
