//! A compressed trace as `replay` gets it: detected by its name, surveyed to its end.

use base::method::Scale;
use lab::running::{Request, prepare};

pub(crate) fn run(input: &[u8]) {
    super::on_disk::with_file("trace.gz", input, |path| {
        let request = Request {
            set: vec![format!("trace={}", path.display())],
            ..Request::new("replay", "null:", Scale::Full, 1)
        };
        if let Err(bad) = prepare(request) {
            super::refusal(&bad);
        }
    });
}
