//! Settings of methods: the first byte chooses the method, the second the scale and the drive; each line after them is a
//! pair of `--set`. What is taken is forecast.

use base::method::{Scale, Settings};
use base::size::Bytes;
use base::target::Info;

/// From a floppy to more than any drive has.
const CAPACITIES: [Bytes; 4] = [
    Bytes::kib(1_440),
    Bytes::gib(8),
    Bytes::gib(20 << 10),
    Bytes::gib(1 << 20),
];

pub(crate) fn run(input: &[u8]) {
    let ([method, drive], rest) = match input {
        [method, drive, rest @ ..] => ([*method, *drive], rest),
        _ => return,
    };
    let Some(text) = super::text(rest) else {
        return;
    };
    let method = methods::METHODS[usize::from(method) % methods::METHODS.len()];
    let set: Vec<String> = text.lines().map(str::to_owned).collect();
    let scale = Scale::ALL[usize::from(drive) % 3];
    let settings = match Settings::new(method.card(), scale, 1, &set) {
        Err(bad) => return super::refusal(&bad),
        Ok(settings) => settings,
    };
    let on = Info {
        capacity: CAPACITIES[usize::from(drive >> 2) % 4],
        block: [Bytes::SECTOR, Bytes::kib(4)][usize::from(drive >> 4) % 2],
        max_in_flight: 256,
        writable: drive & 64 == 0,
    };
    drop(method.forecast(&settings, &on));
}
