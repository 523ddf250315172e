//! A result's figures in the quantities of sentences: looked up by key, in the unit that a sentence states.

use base::result::Figure;
use base::size::Bytes;
use base::time::Duration;
use results::RunResult;

/// The figure of this key that has a finite value.
pub(crate) fn figure<'a>(result: &'a RunResult, key: &str) -> Option<&'a Figure> {
    let of_key = |figure: &&Figure| figure.key == key;
    let found = result.figures.iter().find(of_key)?;
    found.value.filter(|value| value.is_finite())?;
    Some(found)
}

/// Its value, whatever its unit.
pub(crate) fn value(result: &RunResult, key: &str) -> Option<f64> {
    figure(result, key)?.value
}

/// A rate of bytes in megabytes (10^6) a second.
pub(crate) fn mb_s(result: &RunResult, key: &str) -> Option<f64> {
    let figure = figure(result, key)?;
    let scale = match figure.unit.as_str() {
        "MB/s" => 1.0,
        "MiB/s" => 1.048_576,
        _ => return None,
    };
    Some(figure.value? * scale)
}

/// A time.
pub(crate) fn time(result: &RunResult, key: &str) -> Option<Duration> {
    let figure = figure(result, key)?;
    let seconds = match figure.unit.as_str() {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3_600.0,
        _ => return None,
    };
    let value = figure.value?;
    (value >= 0.0).then(|| Duration::from_secs_f64(value * seconds))
}

/// An amount of data.
pub(crate) fn size(result: &RunResult, key: &str) -> Option<Bytes> {
    let figure = figure(result, key)?;
    let scale = match figure.unit.as_str() {
        "B" => 1.0,
        "KiB" => 1_024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => return None,
    };
    let value = figure.value?;
    (value >= 0.0).then(|| Bytes::new((value * scale) as u64))
}
