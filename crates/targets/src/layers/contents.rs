//! `contents(target)`: written data is stored and read back, with the flaws of bad drives if requested.

use base::message::Message;
use base::size::Bytes;
use sim::layer::contents::{Contents, Flaws};

use crate::error::TargetError;
use crate::grammar::Options;
use crate::options::{FLUSH, OptionOf, SPANS, option, put_flush, put_spans, read};
use crate::stack::{Layer, Over, Stack};

pub(crate) const CONTENTS: Layer = Layer {
    name: "contents",
    over: Over::One(contents),
};

const TABLE: &[OptionOf<Flaws>] = &[
    option(
        "wraps",
        "how much of its capacity the drive has, 512 B at least",
        |flaws, value| {
            flaws.wraps = Some(value.parse().ok().filter(|kept| *kept >= Bytes::SECTOR)?);
            Some(())
        },
    ),
    option("flush", FLUSH, |flaws, value| {
        let mut honoured = true;
        put_flush(&mut honoured, value)?;
        flaws.ignores_flush = !honoured;
        Some(())
    }),
    option("corrupt", SPANS, |flaws, value| {
        put_spans(&mut flaws.corrupt, value)
    }),
];

fn contents(target: &str, under: Stack, options: &Options) -> Result<Stack, TargetError> {
    let mut flaws = Flaws::default();
    read(target, options, TABLE, &mut flaws)?;
    let path = match flaws == Flaws::default() {
        true => "path-contents",
        false => "path-contents-some",
    };
    Ok(Stack {
        model: Box::new(Contents::with_flaws(under.model, flaws)),
        path: Message::new(path, [("path", under.path.into())]),
        ..under
    })
}
