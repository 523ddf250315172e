//! Traces of all formats. The first byte selects one, or automatic detection.
//!
//! A trace is the same however its bytes are cut into pieces, and its survey counts each of its I/Os.

use std::io::BufReader;

use base::trace::{BadTrace, Traced};
use traces::{Format, Reader, Survey};

pub(crate) fn run(input: &[u8]) {
    let Some((&choice, text)) = input.split_first() else {
        return;
    };
    let format = Format::ALL.get(usize::from(choice % 8)).copied();
    let whole = read(text, format);
    let in_pieces = read(BufReader::with_capacity(7, text), format);
    assert_eq!(whole, in_pieces);
    let Ok((_, traced, bad)) = whole else {
        return;
    };
    if let Some(bad) = bad {
        super::refusal(&bad);
    }
    let again = traced.iter().copied().map(Ok::<Traced, BadTrace>);
    let survey = Survey::of(again).expect("no line is bad");
    assert_eq!(survey.ios() + survey.flushes, traced.len() as u64);
    assert_eq!(Survey::of_note(&survey.note()), Some(survey));
}

type Whole = (Format, Vec<Traced>, Option<BadTrace>);

fn read(from: impl std::io::BufRead, format: Option<Format>) -> Result<Whole, BadTrace> {
    let (reader, format) = Reader::new(from, format)?;
    let mut traced = Vec::new();
    for one in reader {
        match one {
            Ok(one) => traced.push(one),
            Err(bad) => return Ok((format, traced, Some(bad))),
        }
    }
    Ok((format, traced, None))
}
