//! What a run has said, kept within bounds.
//!
//! A page that is opened late shall show the whole curve, and a run of a day says half a million lines. So when there are
//! too many, neighbours of the older half are merged two by two: a stretch from the beginning of the first to the end of
//! the second, its rate the mean over both, its tail the longer one, the long I/Os of both. Each merge halves the
//! resolution of what is long ago; the newest lines stay as they came. Messages are kept as they are, the first and the
//! last of them where there are very many. A line keeps its number, so that a reader who has seen up to a number is sent
//! what came after it.

use std::collections::VecDeque;

use serde_json::{Value, json};

/// Lines of a run at most.
const MOST: usize = 4000;
/// Messages among them at most.
const MOST_MESSAGES: usize = 500;
/// Long I/Os of a merged line at most, as on one that was not merged.
const MOST_WORST: usize = 10;

/// A line with its number, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its number; that of the later one where two were merged.
    pub number: u64,
    /// `drivelab.progress/2`, with `message` alone for a line of words.
    pub value: Value,
}

/// The lines of a run.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    all: VecDeque<Line>,
    said: u64,
    messages: usize,
}

impl Lines {
    /// Takes a line as the child wrote it.
    pub(crate) fn take(&mut self, text: &str) {
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        let value = match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() => value,
            _ => json!({ "message": text }),
        };
        if value["message"].is_string() {
            self.messages += 1;
        }
        self.said += 1;
        let number = self.said;
        self.all.push_back(Line { number, value });
        if self.messages > MOST_MESSAGES {
            self.leave_out_a_message();
        }
        if self.all.len() > MOST {
            self.thin();
        }
    }

    /// Those after this number.
    pub(crate) fn after(&self, number: u64) -> Vec<Line> {
        let from = self.all.partition_point(|line| line.number <= number);
        self.all.range(from..).cloned().collect()
    }

    /// The last one that is progress.
    pub(crate) fn progress(&self) -> Option<&Value> {
        let values = self.all.iter().rev().map(|line| &line.value);
        values
            .into_iter()
            .find(|value| !value["message"].is_string())
    }

    /// The longest response that was said, in ms.
    pub(crate) fn longest_ms(&self) -> Option<f64> {
        let of = |line: &Line| line.value["since"]["longest_ms"].as_f64();
        self.all.iter().filter_map(of).reduce(f64::max)
    }

    /// The last words.
    pub(crate) fn words(&self, most: usize) -> Vec<String> {
        let words = self.all.iter().rev();
        let words = words.filter_map(|line| line.value["message"].as_str());
        let mut words: Vec<String> = words.take(most).map(str::to_owned).collect();
        words.reverse();
        words
    }

    /// The one in the middle: how it began and how it ended is what is read.
    fn leave_out_a_message(&mut self) {
        let all = self.all.iter().enumerate();
        let messages = all.filter(|(_, line)| line.value["message"].is_string());
        let middle = messages.map(|(at, _)| at).nth(MOST_MESSAGES / 2);
        if let Some(at) = middle {
            self.all.remove(at);
            self.messages -= 1;
        }
    }

    fn thin(&mut self) {
        let newest = self.all.split_off(MOST / 2);
        let mut thinned: VecDeque<Line> = VecDeque::with_capacity(MOST);
        let mut is_whole = false;
        for line in std::mem::take(&mut self.all) {
            let merged = match thinned.back() {
                Some(before) if is_whole => merged(&before.value, &line.value),
                _ => None,
            };
            match merged {
                Some(value) => {
                    thinned.pop_back();
                    thinned.push_back(Line { value, ..line });
                    is_whole = false;
                }
                None => {
                    thinned.push_back(line);
                    is_whole = true;
                }
            }
        }
        // Phases of one line each cannot be merged: then the oldest go, some at once.
        let surplus = (thinned.len() + newest.len()).saturating_sub(MOST / 8 * 7);
        thinned.drain(..surplus.min(thinned.len()));
        thinned.extend(newest);
        self.messages = thinned
            .iter()
            .filter(|line| line.value["message"].is_string())
            .count();
        self.all = thinned;
    }
}

/// Two lines of one phase as one; nothing of two phases, or of words.
fn merged(before: &Value, after: &Value) -> Option<Value> {
    let is_progress = |line: &Value| line["since"].is_object() && !line["message"].is_string();
    let same = ["step", "target", "method", "phase"];
    let is_one_phase = same.iter().all(|key| before[key] == after[key]);
    if !is_one_phase || !is_progress(before) || !is_progress(after) {
        return None;
    }
    let mut one = after.clone();
    one["since"] = stretch(&before["since"], &after["since"]);
    let long = [before, after].map(|line| line["worst"].as_array().cloned());
    let mut long: Vec<Value> = long.into_iter().flatten().flatten().collect();
    let ms = |io: &Value| io["ms"].as_f64().unwrap_or_default();
    long.sort_by(|a, b| ms(b).total_cmp(&ms(a)));
    long.truncate(MOST_WORST);
    if !long.is_empty() {
        one["worst"] = Value::Array(long);
    }
    Some(one)
}

fn stretch(before: &Value, after: &Value) -> Value {
    let number = |stretch: &Value, key: &str| stretch[key].as_f64();
    let seconds = |stretch: &Value| {
        let [from, to] = ["from_seconds", "to_seconds"].map(|key| number(stretch, key));
        (to.unwrap_or_default() - from.unwrap_or_default()).max(1e-12)
    };
    let mut one = after.clone();
    for key in ["from_seconds", "from_byte"] {
        one[key] = before[key].clone();
    }
    let (early, late) = (seconds(before), seconds(after));
    for key in ["mb_s", "iops", "p50_ms"] {
        if let (Some(a), Some(b)) = (number(before, key), number(after, key)) {
            one[key] = ((a * early + b * late) / (early + late)).into();
        }
    }
    for key in ["p99_ms", "longest_ms"] {
        let both = [before, after]
            .into_iter()
            .filter_map(|one| number(one, key));
        if let Some(greater) = both.reduce(f64::max) {
            one[key] = greater.into();
        }
    }
    if let Some(fields) = one.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(phase: &str, second: u64) -> String {
        json!({
            "schema": "drivelab.progress/2", "phase": phase,
            "since": {
                "from_seconds": second, "to_seconds": second + 1,
                "from_byte": second * 100, "to_byte": second * 100 + 100,
                "mb_s": 100.0 + (second % 2) as f64, "iops": 10.0, "longest_ms": second as f64,
            },
            "worst": [{ "at_seconds": second, "op": "read", "byte": 0, "ms": second as f64 }],
        })
        .to_string()
    }

    #[test]
    fn a_day_of_lines_stays_a_whole_curve_with_its_longest_io() {
        let mut lines = Lines::default();
        for second in 0..50_000 {
            lines.take(&progress("scan", second));
        }
        let all = lines.after(0);
        assert!(all.len() <= MOST, "{}", all.len());
        let since = |line: &Line, key: &str| line.value["since"][key].as_f64().unwrap();
        assert!(since(&all[0], "from_seconds") < 1e-9);
        for two in all.windows(2) {
            let gap = since(&two[0], "to_seconds") - since(&two[1], "from_seconds");
            assert!(gap.abs() < 1e-9 && two[0].number < two[1].number);
        }
        let longest = all.iter().map(|line| since(line, "longest_ms"));
        assert!((longest.fold(0.0, f64::max) - 49_999.0).abs() < 1e-9);
        assert!((since(&all[0], "mb_s") - 100.5).abs() < 0.01);
        assert_eq!(all.last().unwrap().number, 50_000);
        assert_eq!(lines.after(49_998).len(), 2);
    }

    #[test]
    fn words_are_kept_as_they_are_and_phases_apart() {
        let mut lines = Lines::default();
        lines.take("a warning of the program");
        lines.take(&progress("one", 0));
        lines.take(&progress("other", 0));
        lines.take("\n");
        let all = lines.after(0);
        assert_eq!(
            all[0].value,
            json!({ "message": "a warning of the program" })
        );
        assert_eq!(merged(&all[1].value, &all[2].value), None);
        assert_eq!(merged(&all[0].value, &all[1].value), None);
        assert_eq!(all.len(), 3);
        assert_eq!(lines.progress().unwrap()["phase"], "other");
        assert_eq!(lines.words(9), ["a warning of the program"]);
    }

    #[test]
    fn a_run_that_says_nothing_but_words_or_phases_stays_within_bounds() {
        let mut lines = Lines::default();
        for number in 0..20_000 {
            lines.take(&format!("{number}"));
            lines.take(&progress(&number.to_string(), 0));
        }
        assert!(lines.after(0).len() <= MOST);
        assert_eq!(lines.words(1), ["19999"]);
    }
}
