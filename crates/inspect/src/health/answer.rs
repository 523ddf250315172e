//! Reading a document of which no field is certain: by path, with the type that is wanted, or not
//! at all.

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
            // A cast of a float saturates.
            (float >= 0.0).then_some(float as u64)
        }),
        Value::String(text) => leading_count(text),
        _ => None,
    }
}

/// An integer at a path: a temperature may be negative.
pub(super) fn integer_at(answer: &Value, path: &[&str]) -> Option<i64> {
    at(answer, path)?.as_i64()
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
