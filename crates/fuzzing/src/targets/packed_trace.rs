//! A compressed trace as `replay` gets it: detected by its name, surveyed to its end.

use base::method::Scale;
use lab::running::{Request, prepare};

pub(crate) const WORDS: &[&str] = &["\x1f", "1000 0 8 16 1\n"];

pub(crate) fn run(input: &[u8]) {
    super::on_disk::with_file("trace.gz", input, |path| {
        let request = Request {
            method: "replay".to_owned(),
            target: "null:".to_owned(),
            scale: Scale::Full,
            seed: 1,
            repeat: Default::default(),
            set: vec![format!("trace={}", path.display())],
            consent: Default::default(),
            command: Vec::new(),
            now_unix_ms: || 0,
        };
        if let Err(bad) = prepare(request) {
            super::refusal(&bad);
        }
    });
}
