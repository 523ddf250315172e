//! Files of modelled drives; small ones are also built, since any file within the bounds must give a drive.

use base::size::Bytes;
use sim::catalogue::{self, ModelOptions};
use sim::halt::Extent;

/// Drives up to here are built.
const SMALL: Bytes = Bytes::mib(64);

pub(crate) fn run(input: &[u8]) {
    super::on_disk::with_file("drive.toml", input, |path| {
        let name = path.to_string_lossy();
        let sheet = match catalogue::describe(&name) {
            Ok(sheet) => sheet,
            Err(bad) => return super::refusal(&bad),
        };
        let options = ModelOptions {
            seed: 1,
            ..ModelOptions::default()
        };
        let outline = ModelOptions {
            extent: Extent::Outline,
            ..options.clone()
        };
        if let Err(bad) = catalogue::open(&name, &outline) {
            super::refusal(&bad);
        }
        if sheet.card.capacity <= SMALL
            && let Err(bad) = catalogue::open(&name, &options)
        {
            super::refusal(&bad);
        }
    });
}
