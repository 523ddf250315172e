//! `rapid(target)`: a cache in the host's memory that writes back, as Samsung's RAPID.

use base::message::Message;
use base::size::{Bytes, PicosPerByte};
use results::tails::Tails;
use sim::layer::rapid::{Rapid, RapidParameters};

use crate::error::TargetError;
use crate::grammar::Options;
use crate::options::{
    FLUSH, OptionOf, TIME, option, option_error, put, put_flush, put_some, put_time, read,
};
use crate::stack::{Layer, Over, Stack};

pub(crate) const RAPID: Layer = Layer {
    name: "rapid",
    over: Over::One(rapid),
};

/// Its description; by default half of the memory may be dirty.
struct Asked {
    cache: RapidParameters,
    dirty: Option<Bytes>,
}

const TABLE: &[OptionOf<Asked>] = &[
    option("memory", "a size, such as 1GiB", |asked, value| {
        put(&mut asked.cache.memory, value)
    }),
    option("dirty", "a size, such as 512MiB", |asked, value| {
        put_some(&mut asked.dirty, value)
    }),
    option("delay", TIME, |asked, value| {
        put_time(&mut asked.cache.delay, value)
    }),
    option("flush", FLUSH, |asked, value| {
        put_flush(&mut asked.cache.honours_flush, value)
    }),
    option(
        "copy",
        "the memory's copy rate in bytes per second, 1MiB at least, such as 6GB",
        |asked, value| {
            let a_second: Bytes = value.parse().ok().filter(|rate| *rate >= Bytes::mib(1))?;
            asked.cache.copy = PicosPerByte::from_mb_s(a_second.get() as f64 / 1e6);
            Some(())
        },
    ),
    option("each", TIME, |asked, value| {
        put_time(&mut asked.cache.each, value)
    }),
];

fn rapid(target: &str, under: Stack, options: &Options) -> Result<Stack, TargetError> {
    let mut asked = Asked {
        cache: RapidParameters::usual(),
        dirty: None,
    };
    read(target, options, TABLE, &mut asked)?;
    let mut cache = asked.cache;
    let memory = cache.memory;
    cache.dirty_limit = asked.dirty.unwrap_or(Bytes::new(memory.get() / 2));
    let model = Rapid::new(under.model, cache).map_err(|e| option_error(target, e.to_string()))?;
    Ok(Stack {
        model: Box::new(model),
        title: Message::new(
            "title-cached",
            [("drive", under.title.into()), ("memory", memory.into())],
        ),
        path: Message::new(
            "path-cached",
            [("path", under.path.into()), ("memory", memory.into())],
        ),
        tails: Tails::NotCompared,
        ..under
    })
}
