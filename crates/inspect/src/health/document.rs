//! A document of smartctl, as much of it as can be read.
//!
//! Serial numbers come from the drive byte by byte and need not be text; a broken pipe leaves half a document; a
//! wrapper prints a line before or after. The intact part is read: the text is cut after the last complete value, and
//! open brackets are closed. Anything that affects the verdict and has an unexpected type is named ([`misfits`]):
//! without it a drive is not good.

use base::message::{Argument, Message};
use serde_json::Value;

use super::answer::{at, list_at, truth};

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The document: an object.
    pub answer: Value,
    /// What is wrong with its text, in words.
    pub damage: Option<Message>,
    /// Part of it is missing.
    pub lost: bool,
}

/// Cuts that are tried.
const TRIES: usize = 64;

/// Reads a document as far as it is intact.
///
/// # Errors
/// Why nothing of it can be read.
pub(super) fn read(bytes: &[u8]) -> Result<Document, Message> {
    let text = String::from_utf8_lossy(bytes);
    let no_text = text
        .chars()
        .any(|c| c == char::REPLACEMENT_CHARACTER || is_control(c));
    let text: String = text
        .chars()
        .map(|c| if c < ' ' { ' ' } else { c })
        .collect();
    if text.trim().is_empty() {
        return Err(Message::of("health-no-answer"));
    }
    let why = match serde_json::from_str(&text) {
        Ok(answer @ Value::Object(_)) => {
            let damage = no_text.then(|| Message::of("health-no-text"));
            let lost = false;
            return Ok(Document {
                answer,
                damage,
                lost,
            });
        }
        Ok(_) => return Err(Message::of("health-no-document")),
        Err(why) => why,
    };
    let reason = if why.is_eof() {
        Message::new("health-breaks-off", [("bytes", bytes.len().into())])
    } else {
        Message::new("health-no-json", [("why", Argument::text(why))])
    };
    let Some(begin) = text.find('{') else {
        return Err(reason);
    };
    let body = &text[begin..];
    let around = Message::of("health-text-around");
    let mut values = serde_json::Deserializer::from_str(body).into_iter::<Value>();
    let (answer, lost) = match values.next() {
        Some(Ok(answer)) => (Some(answer), false),
        Some(Err(why)) => (first_part(body, why.column()), true),
        None => (None, true),
    };
    let answer = answer.filter(|answer| answer.as_object().is_some_and(|o| !o.is_empty()));
    let damage = Some(if lost { reason.clone() } else { around });
    match answer {
        Some(answer) => Ok(Document {
            answer,
            damage,
            lost,
        }),
        None => Err(reason),
    }
}

fn is_control(letter: char) -> bool {
    letter < ' ' && !letter.is_ascii_whitespace()
}

/// What is complete before a byte.
fn first_part(body: &str, until: usize) -> Option<Value> {
    let mut limit = until.saturating_add(1).min(body.len() + 1);
    for _ in 0..TRIES {
        let cut = last_whole(body.as_bytes(), limit)?;
        let closing: String = open_at(&body.as_bytes()[..cut]).into_iter().rev().collect();
        if let Ok(answer) = serde_json::from_str(&format!("{}{closing}", &body[..cut])) {
            return Some(answer);
        }
        limit = cut;
    }
    None
}

/// Goes through the bytes that are not within a text.
fn outside_of_texts(text: &[u8], mut at: impl FnMut(usize, u8)) {
    let (mut within, mut escaped) = (false, false);
    for (index, byte) in text.iter().enumerate() {
        if within {
            within = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
        } else {
            within = *byte == b'"';
            at(index, *byte);
        }
    }
}

/// Where, before the limit, the last complete value ends; it may be an empty list or object.
fn last_whole(text: &[u8], limit: usize) -> Option<usize> {
    let mut cut = None;
    outside_of_texts(&text[..limit.min(text.len())], |at, byte| match byte {
        b',' if at < limit => cut = Some(at),
        b'{' | b'[' | b'}' | b']' if at + 1 < limit => cut = Some(at + 1),
        _ => {}
    });
    cut
}

/// What would close all that is open at the end, the outermost first.
fn open_at(text: &[u8]) -> Vec<char> {
    let mut open = Vec::new();
    outside_of_texts(text, |_, byte| match byte {
        b'{' => open.push('}'),
        b'[' => open.push(']'),
        b'}' | b']' => drop(open.pop()),
        _ => {}
    });
    open
}

/// A kind of value that is wanted somewhere.
type Fits = fn(&Value) -> bool;

/// The fields that affect the verdict, with their expected types.
const EXPECTED: [(&[&str], Fits); 14] = [
    (&["smartctl", "exit_status"], is_byte),
    (&["smart_status"], Value::is_object),
    (&["smart_status", "passed"], is_truth),
    (&["smart_support", "enabled"], is_truth),
    (&["ata_smart_attributes"], Value::is_object),
    (&["ata_smart_attributes", "table"], are_attributes),
    (&["ata_smart_error_log"], Value::is_object),
    (&["ata_smart_self_test_log"], Value::is_object),
    (&["nvme_smart_health_information_log"], Value::is_object),
    (
        &["nvme_smart_health_information_log", "critical_warning"],
        is_byte,
    ),
    (
        &["nvme_smart_health_information_log", "media_errors"],
        is_count,
    ),
    (&["nvme_self_test_log"], Value::is_object),
    (&["scsi_grown_defect_list"], is_count),
    (&["scsi_error_counter_log"], Value::is_object),
];

fn is_truth(value: &Value) -> bool {
    truth(value).is_some()
}

/// All ones are not warnings but an unused register.
fn is_byte(value: &Value) -> bool {
    value.as_u64().is_some_and(|byte| byte < 255)
}

fn is_count(value: &Value) -> bool {
    value.is_number() || value.is_string()
}

fn are_attributes(value: &Value) -> bool {
    let is_one = |row: &Value| {
        let number = |key: &str| row.get(key).is_some_and(Value::is_number);
        number("id")
            && row.get("name").is_some_and(Value::is_string)
            && row.get("when_failed").is_none_or(Value::is_string)
            && row.get("raw").is_none_or(Value::is_object)
    };
    value.as_array().is_some_and(|rows| rows.iter().all(is_one))
}

/// The fields that affect the verdict and have an unexpected type.
pub(super) fn misfits(answer: &Value) -> Vec<String> {
    let wrong =
        |(path, fits): &&(&[&str], Fits)| at(answer, path).is_some_and(|value| !fits(value));
    let mut places: Vec<String> = EXPECTED
        .iter()
        .filter(wrong)
        .map(|(path, _)| path.join("."))
        .collect();
    let logs = ["extended", "standard"];
    let tests = logs.map(|log| ["ata_smart_self_test_log", log, "table"]);
    for path in tests {
        if list_at(answer, &path).any(|test| !test.get("status").is_some_and(Value::is_object)) {
            places.push(path.join("."));
        }
    }
    places
}
