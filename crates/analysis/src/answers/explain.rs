//! What is inside a drive: what was found, how sure it is, and what it means for whoever uses the drive.

use base::result::Figure;
use base::size::Bytes;
use base::time::Duration;
use results::RunResult;
use results::statement::{Quantity, Statement};

use super::figures::{count, figure, per_second, time, value};

/// A read in order that takes less of a random one than this did not go to the medium.
const FETCHED: f64 = 0.6;
/// One that takes more went there as a random one does.
const NOT_FETCHED: f64 = 0.8;
/// In reverse, nothing is read ahead: so much longer than in order says that something is.
const REVERSE_LONGER: f64 = 2.0;
/// A queue that gains less gains nothing.
const LEAST_GAIN: f64 = 1.1;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let said = [
        rotation(result),
        map(result),
        read_ahead(result),
        queue(result),
    ];
    let said: Vec<Statement> = said.into_iter().flatten().collect();
    (!said.is_empty()).then_some(said)
}

/// Turns, tracks and skew of a disk.
fn rotation(result: &RunResult) -> Option<Statement> {
    let Some(speed) = value(result, "rotation.speed") else {
        let why = why_not(result, "rotation.speed")?;
        return Some(Statement::new("explain-rotation-not-visible").with("why", why));
    };
    let track = value(result, "rotation.track")?;
    let half_turn = Duration::from_secs_f64(30.0 / speed);
    Some(
        Statement::new("explain-rotation")
            .with("speed", Quantity::Count(speed.round() as u64))
            .with("track", Quantity::Length(part_of(track, Bytes::kib(1))))
            .with("wait", Quantity::Time(half_turn)),
    )
}

/// The part of the address map in memory, and what a read outside it costs.
fn map(result: &RunResult) -> Option<Statement> {
    let Some(covered) = figure(result, "map.coverage") else {
        let why = why_not(result, "map.coverage")?;
        return Some(Statement::new("explain-map-not-visible").with("why", why));
    };
    let (miss, hit) = (time(result, "map.miss")?, time(result, "map.hit")?);
    let length = |gib: f64| Quantity::Length(part_of(gib, Bytes::gib(1)));
    let mut said = Statement::new("explain-map")
        .with("covered", length(covered.value?))
        .with("miss", Quantity::Time(miss))
        .with("hit", Quantity::Time(hit));
    if let Some(interval) = covered.interval {
        said = said
            .with("low", length(interval.low))
            .with("high", length(interval.high));
    }
    Some(said)
}

/// Whether reads in order are fetched before they are asked for.
fn read_ahead(result: &RunResult) -> Option<Statement> {
    let up = value(result, "ahead.in-order")?;
    let down = value(result, "ahead.in-reverse")?;
    let key = match (up, down) {
        (up, down) if up < FETCHED && down > REVERSE_LONGER * up => "explain-reads-ahead",
        (up, down) if up < FETCHED && down < FETCHED => "explain-keeps-neighbours",
        (up, _) if up > NOT_FETCHED => "explain-no-read-ahead",
        _ => "explain-read-ahead-open",
    };
    Some(
        Statement::new(key)
            .with("up", Quantity::Percent(100.0 * up))
            .with("down", Quantity::Percent(100.0 * down)),
    )
}

/// What more than one read in flight gains.
fn queue(result: &RunResult) -> Option<Statement> {
    let gain = value(result, "depth.gain")?;
    let key = match gain < LEAST_GAIN {
        true => "explain-queue-gains-nothing",
        false => "explain-queue",
    };
    Some(
        Statement::new(key)
            .with("gain", Quantity::Factor(gain))
            .with("ceiling", per_second(result, "depth.ceiling")?)
            .with("depth", Quantity::Count(count(result, "depth.enough")?)),
    )
}

fn why_not(result: &RunResult, key: &str) -> Option<Quantity> {
    let of_key = |figure: &&Figure| figure.key == key;
    let found = result.figures.iter().find(of_key)?;
    found.why_not.clone().map(Quantity::Why)
}

/// So many units, to the whole unit.
fn part_of(many: f64, unit: Bytes) -> Bytes {
    Bytes::new(many.round().max(0.0) as u64 * unit.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;

    fn keys(figures: &[(&str, f64, &str)]) -> Vec<&'static str> {
        let said = answer(&measured("explain", figures)).unwrap_or_default();
        said.iter().map(|said| said.key).collect()
    }

    #[test]
    fn each_finding_has_its_sentence() {
        let disk = [
            ("rotation.speed", 7_200.2, "1/min"),
            ("rotation.track", 1_420.0, "KiB"),
            ("depth.gain", 2.1, "ratio"),
            ("depth.ceiling", 160.0, "IOPS"),
            ("depth.enough", 32.0, "count"),
        ];
        assert_eq!(keys(&disk), ["explain-rotation", "explain-queue"]);
        let flat = [
            ("depth.gain", 1.02, "ratio"),
            ("depth.ceiling", 123.0, "IOPS"),
            ("depth.enough", 1.0, "count"),
        ];
        assert_eq!(keys(&flat), ["explain-queue-gains-nothing"]);
        let flash = [
            ("map.hit", 70.0, "us"),
            ("map.coverage", 62.0, "GiB"),
            ("map.miss", 24.0, "us"),
        ];
        assert_eq!(keys(&flash), ["explain-map"]);
    }

    #[test]
    fn read_ahead_is_told_from_what_is_kept_and_from_neither() {
        let of = |up, down| {
            keys(&[
                ("ahead.in-order", up, "ratio"),
                ("ahead.in-reverse", down, "ratio"),
            ])
        };
        assert_eq!(of(0.1, 1.0), ["explain-reads-ahead"]);
        assert_eq!(of(0.01, 0.5), ["explain-reads-ahead"]);
        assert_eq!(of(0.3, 0.3), ["explain-keeps-neighbours"]);
        assert_eq!(of(1.0, 1.0), ["explain-no-read-ahead"]);
        assert_eq!(of(0.7, 0.9), ["explain-read-ahead-open"]);
    }
}
