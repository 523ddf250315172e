//! Output of `smartctl --json`: the parsed report is stored as JSON, and read from that.

use base::health::HealthReading;
use base::message::Message;
use inspect::health::interpret;

pub(crate) fn run(input: &[u8]) {
    let (status, document) = match input.split_first() {
        Some((status, document)) if *status < b' ' => (Some(*status), document),
        _ => (None, input),
    };
    let reading = interpret(document, status);
    let stored = serde_json::to_string(&reading).expect("a reading is stored as JSON");
    let back: HealthReading = serde_json::from_str(&stored).expect("a stored reading is read");
    // A sentence is stored as it was said; its key stands with the result, and is not here.
    let mut said = reading;
    for sentence in said.sentences() {
        *sentence = Message::as_it_stands(sentence.as_str());
    }
    assert_eq!(back, said);
}
