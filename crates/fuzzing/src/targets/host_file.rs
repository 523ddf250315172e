//! Files of modelled hosts, and the volumes of their file systems.

use base::size::Bytes;
use sim::catalogue::hosts;

pub(crate) fn run(input: &[u8]) {
    super::on_disk::with_file("host.toml", input, |path| {
        let name = path.to_string_lossy();
        let systems = match hosts::file_systems(&name) {
            Ok(systems) => systems,
            Err(bad) => return super::refusal(&bad),
        };
        for system in systems {
            for volume in [Bytes::SECTOR, Bytes::mib(100), Bytes::gib(750)] {
                if let Err(bad) = hosts::layout(&name, system, volume) {
                    super::refusal(&bad);
                }
            }
        }
    });
}
