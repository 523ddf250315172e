//! Whether the drive stutters: idle, under load, or during small writes alone.
//!
//! No stutter in a short watch is no guarantee for an hour, so the sentence states the time watched.

use base::time::Duration;
use results::{Quantity, RunResult, Statement};

use super::figures::{figure, setting, time, told_time, value, worth};

/// The parts of the watch by their keys.
const PARTS: [&str; 3] = ["alone", "loaded", "writing"];

/// A stutter, unless the run used another limit.
const STUTTER: Duration = Duration::from_millis(100);

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let stutters = |part: &str| value(result, &format!("{part}.stutters")).unwrap_or(0.0);
    let alone = told_time(result, "alone.worst")?;
    let [first, ..] = PARTS.map(|part| stutters(part) > 0.0);
    let Some(part) = PARTS.into_iter().find(|part| stutters(part) > 0.0) else {
        return Some(vec![quiet(result, alone)]);
    };
    let longest = figure(result, &format!("{part}.longest-stall"))
        .filter(|of| result.in_all_repeats(of) > Some(0.0))
        .or_else(|| figure(result, &format!("{part}.worst")))?;
    let length = Quantity::Time(time(result, &longest.key)?);
    let key = match part {
        "alone" => "answer-latency-watch-alone",
        "loaded" => "answer-latency-watch-loaded",
        _ => "answer-latency-watch-writing",
    };
    let mut said = vec![
        Statement::new(key)
            .with("stutters", Quantity::PerMinute(stutters(part)))
            .with("longest", worth(result, longest, length)),
    ];
    let beside = stutters("loaded");
    if first && beside > 0.0 {
        let also = Statement::new("answer-latency-watch-also");
        said.push(also.with("stutters", Quantity::PerMinute(beside)));
    }
    Some(said)
}

/// That nothing stood still for as long as it was watched.
fn quiet(result: &RunResult, alone: Quantity) -> Statement {
    let said = |key| {
        Statement::new(key)
            .with(
                "limit",
                Quantity::Time(setting(result, "stutter").unwrap_or(STUTTER)),
            )
            .with("watched", Quantity::Time(watched(result)))
    };
    match told_time(result, "loaded.worst") {
        Some(loaded) => {
            // The reservation of a model's tail is said once, of the last.
            let alone = time(result, "alone.worst").map_or(alone, Quantity::Time);
            said("answer-latency-watch-quiet")
                .with("alone", alone)
                .with("loaded", loaded)
        }
        None => said("answer-latency-watch-quiet-alone").with("alone", alone),
    }
}

/// Duration of the phases whose responses count.
fn watched(result: &RunResult) -> Duration {
    let parts = PARTS.map(|part| figure(result, &format!("{part}.worst")));
    let of_watch = |name: &String| {
        parts
            .iter()
            .flatten()
            .any(|part| part.phases.contains(name))
    };
    let phases = result.phases.iter().filter(|phase| of_watch(&phase.name));
    Duration::from_nanos(phases.map(|phase| phase.took.as_nanos()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn watched(alone: f64, loaded: f64, writing: f64) -> Vec<Statement> {
        let figures = [
            ("alone.stutters", alone, "per min"),
            ("alone.worst", 110.0, "ms"),
            ("loaded.stutters", loaded, "per min"),
            ("loaded.worst", 400.0, "ms"),
            ("loaded.longest-stall", 395.0, "ms"),
            ("writing.stutters", writing, "per min"),
            ("writing.worst", 500.0, "ms"),
            ("writing.longest-stall", 0.0, "ms"),
        ];
        answer(&measured("latency-watch", &figures)).unwrap()
    }

    #[test]
    fn where_it_stutters_first_is_what_is_told() {
        let key = |alone, loaded, writing| watched(alone, loaded, writing)[0].key;
        assert_eq!(key(0.0, 0.0, 0.0), "answer-latency-watch-quiet");
        assert_eq!(key(0.0, 3.0, 1.0), "answer-latency-watch-loaded");
        assert_eq!(key(0.0, 0.0, 0.1), "answer-latency-watch-writing");
        assert_eq!(key(1.0, 0.0, 0.0), "answer-latency-watch-alone");
        assert_eq!(watched(1.0, 3.0, 0.0).len(), 2);
    }

    #[test]
    fn a_stutter_in_one_of_several_repeats_is_told() {
        let figures = [
            ("alone.stutters", 0.0, "per min"),
            ("alone.worst", 110.0, "ms"),
        ];
        let mut result = measured("latency-watch", &figures);
        let values = [("alone.stutters".to_owned(), vec![0.0, 0.0, 6.0])];
        result.repeats = Some(results::Repeats {
            values: values.into(),
            ..results::Repeats::default()
        });
        let said = answer(&result).unwrap();
        assert_eq!(said[0].key, "answer-latency-watch-alone");
    }

    #[test]
    fn the_longest_is_the_standstill_where_one_was_seen_and_else_the_response() {
        let longest = |said: &[Statement]| said[0].quantity("longest").cloned();
        let millis = |n| Some(Quantity::Time(Duration::from_millis(n)));
        assert_eq!(longest(&watched(0.0, 3.0, 0.0)), millis(395));
        assert_eq!(longest(&watched(0.0, 0.0, 3.0)), millis(500));
    }

    #[test]
    fn a_watch_without_a_load_tells_of_no_load() {
        let alone = measured("latency-watch", &[("alone.worst", 2.0, "ms")]);
        let said = answer(&alone).unwrap();
        assert_eq!(said[0].key, "answer-latency-watch-quiet-alone");
    }
}
