//! Reading a document without a guaranteed field: by path, with the expected type, or not at all.

use base::printable::printable;
use base::size::Bytes;
use serde_json::Value;

/// The value at a path of keys.
pub(super) fn at<'a>(answer: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(answer, |value, key| value.get(key))
}

/// A text at a path, without blanks around it; nothing for an empty one.
pub(super) fn text_at(answer: &Value, path: &[&str]) -> Option<String> {
    let text = at(answer, path)?.as_str()?.trim();
    (!text.is_empty()).then(|| printable(text).into_owned())
}

/// The members of a list at a path; none where there is no list.
pub(super) fn list_at<'a>(
    answer: &'a Value,
    path: &[&str],
) -> impl Iterator<Item = &'a Value> + use<'a> {
    at(answer, path)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// A number that is not negative, at a path.
pub(super) fn count_at(answer: &Value, path: &[&str]) -> Option<u64> {
    if let Some(count) = at(answer, path).and_then(count) {
        return Some(count);
    }
    // Counters beyond 64 bits (NVMe has them of 128) have a text beside them.
    let (last, before) = path.split_last()?;
    count(at(answer, before)?.get(format!("{last}_s"))?)
}

fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| {
            let float = number.as_f64()?;
            (0.0..MOST).contains(&float).then_some(float as u64)
        }),
        Value::String(text) => leading_count(text),
        _ => None,
    }
    .filter(|count| !ALL_ONES.contains(count))
}

/// 2^64: from here on a number does not fit.
const MOST: f64 = 18_446_744_073_709_551_616.0;

/// Fields of 32, 48 and 64 bits with all bits set: nothing was ever put into them.
const ALL_ONES: [u64; 3] = [(1 << 32) - 1, (1 << 48) - 1, u64::MAX];

/// Degrees Celsius at a path. 0 K, the limits of a byte, and 0, the value of an unused register, are not temperatures;
/// drives are made for -40 to 95.
pub(super) fn celsius_at(answer: &Value, path: &[&str]) -> Option<i64> {
    at(answer, path)?.as_i64().filter(|t| is_told(*t))
}

/// Whether this may be a drive's temperature, in degrees Celsius.
pub(super) fn is_told(celsius: i64) -> bool {
    celsius != 0 && (-60..=125).contains(&celsius)
}

/// A share in per cent at a path, of a whole that cannot be exceeded.
pub(super) fn percent_at(answer: &Value, path: &[&str]) -> Option<f64> {
    let share = count_at(answer, path).filter(|share| *share <= 100)?;
    Some(share as f64)
}

/// A truth value at a path, also as a text or a number.
pub(super) fn truth_at(answer: &Value, path: &[&str]) -> Option<bool> {
    truth(at(answer, path)?)
}

/// The same of a value.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) => match number.as_u64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        _ => None,
    }
}

/// A number of bytes at a path.
pub(super) fn bytes_at(answer: &Value, path: &[&str]) -> Option<Bytes> {
    count_at(answer, path).map(Bytes::new)
}

/// The number at the beginning of a text: `25 (Min/Max 19/39)`, `12345h+22m`, `1,234` is 1.
pub(super) fn leading_count(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// A decimal number in a text (`73889.776`), in units of `unit` bytes.
pub(super) fn decimal_bytes(text: &str, unit: f64) -> Option<Bytes> {
    let value: f64 = text.trim().parse().ok()?;
    (value.is_finite() && value >= 0.0).then(|| Bytes::new((value * unit).round() as u64))
}
