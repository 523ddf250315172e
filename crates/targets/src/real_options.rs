//! The options of a path: a device, a file, a directory.

use base::size::Bytes;
use uring::open::{Engine, Options, Sync};

use crate::asking::{ASKING, Asking};
use crate::error::TargetError;
use crate::grammar::Options as NameOptions;
use crate::options::{
    OptionOf, YES_OR_NO, option, option_error, put, put_some, put_yes_or_no, read,
};

/// Options of a real path.
#[derive(Clone, Debug, Default)]
pub(crate) struct RealOptions {
    pub(crate) size: Option<Bytes>,
    pub(crate) span: Option<Bytes>,
    pub(crate) buffered: bool,
    pub(crate) sync: bool,
    pub(crate) engine: Engine,
    /// How the drive's health is queried during a run.
    pub(crate) health: Asking,
}

const TABLE: &[OptionOf<RealOptions>] = &[
    option("size", "a size, such as 1GiB", |real, value| {
        put_some(&mut real.size, value)
    }),
    option("buffered", YES_OR_NO, |real, value| {
        put_yes_or_no(&mut real.buffered, value)
    }),
    option("span", "a size, such as 1GiB", |real, value| {
        put_some(&mut real.span, value)
    }),
    option("sync", YES_OR_NO, |real, value| {
        put_yes_or_no(&mut real.sync, value)
    }),
    option("engine", "auto, uring or psync", |real, value| {
        real.engine = match value {
            "auto" => Engine::Auto,
            "uring" => Engine::Uring,
            "psync" => Engine::Psync,
            _ => return None,
        };
        Some(())
    }),
    option("health", ASKING, |real, value| put(&mut real.health, value)),
];

impl RealOptions {
    /// The options of a path.
    ///
    /// # Errors
    /// An unknown option, or a value that cannot be.
    pub(crate) fn of(target: &str, options: &NameOptions) -> Result<RealOptions, TargetError> {
        let mut real = RealOptions::default();
        read(target, options, TABLE, &mut real)?;
        Ok(real)
    }

    /// Checks the sizes against what there is: `has` bytes of a device or a file of the user's, or a
    /// directory (`None`). A size that does not fit is an error, never silently another one.
    pub(crate) fn check(&self, target: &str, has: Option<Bytes>) -> Result<(), TargetError> {
        let refuse = |what: String| Err(option_error(target, what));
        let nothing = Some(Bytes::ZERO);
        match (has, self.size, self.span) {
            (_, size, span) if size == nothing || span == nothing => {
                refuse("a size of 0 leaves nothing to measure".to_owned())
            }
            (None, _, Some(_)) => refuse(
                "span is a part of a device or of a file of yours; for a directory, size says how large the test file is".to_owned(),
            ),
            (Some(_), Some(_), _) => refuse(
                "size is for a test file in a directory; for a device or a file of yours, span is the part that is used".to_owned(),
            ),
            (Some(has), _, Some(span)) if span > has => {
                refuse(format!("a span of {span} does not fit: there are {has}"))
            }
            _ => Ok(()),
        }
    }

    /// How the engine of such a target is opened.
    pub(crate) fn engine(&self, read_only: bool) -> Options {
        let sync = if self.sync { Sync::OSync } else { Sync::None };
        Options {
            buffered: self.buffered,
            sync,
            read_only,
            engine: self.engine,
            ..Options::default()
        }
    }
}
