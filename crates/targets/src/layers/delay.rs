//! `delay(target)`: delays completions, like `dm-delay`.

use base::message::Message;
use base::time::Duration;
use results::tails::Tails;
use sim::layer::delay::Delay;

use crate::error::TargetError;
use crate::grammar::Options;
use crate::options::{OptionOf, TIME, option, put_time, read};
use crate::stack::{Layer, Over, Stack};

pub(crate) const DELAY: Layer = Layer {
    name: "delay",
    over: Over::One(delay),
};

#[derive(Default)]
struct Later {
    read: Duration,
    write: Duration,
}

const TABLE: &[OptionOf<Later>] = &[
    option("read", TIME, |later, value| {
        put_time(&mut later.read, value)
    }),
    option("write", TIME, |later, value| {
        put_time(&mut later.write, value)
    }),
];

fn delay(target: &str, under: Stack, options: &Options) -> Result<Stack, TargetError> {
    let mut later = Later::default();
    read(target, options, TABLE, &mut later)?;
    let Later { read, write } = later;
    Ok(Stack {
        model: Box::new(Delay::new(under.model, read, write)),
        path: Message::new(
            "path-delayed",
            [
                ("path", under.path.into()),
                ("read", read.into()),
                ("write", write.into()),
            ],
        ),
        tails: Tails::NotCompared,
        ..under
    })
}
