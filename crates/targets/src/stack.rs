//! A modelled drive with layers over it, while it is put together.
//!
//! A layer is one file in `layers` with its options' table, and one line in the list of [`crate::layers`].

use std::collections::BTreeMap;

use base::message::Message;
use base::target::{HostRates, LinkRates};
use base::zone::ZoneLimits;
use results::tails::Tails;
use sim::catalogue;
use sim::model::Model;

use crate::error::TargetError;
use crate::grammar::{Options, Spec};
use crate::making::Making;

/// A layer of the grammar: `NAME(target)?options`.
pub(crate) struct Layer {
    pub(crate) name: &'static str,
    pub(crate) over: Over,
}

/// The target below a layer.
pub(crate) enum Over {
    /// One target, which is built.
    One(fn(target: &str, under: Stack, options: &Options) -> Result<Stack, TargetError>),
    /// Several drives in one computer, which it builds itself.
    Several(
        fn(
            target: &str,
            members: &[Spec],
            options: &Options,
            making: &Making,
        ) -> Result<Stack, TargetError>,
    ),
    /// Everything else, also real targets: it is opened last.
    All,
}

/// A modelled drive with its layers, and its description in the result.
pub(crate) struct Stack {
    pub(crate) model: Box<dyn Model>,
    pub(crate) title: Message,
    pub(crate) identity: BTreeMap<String, String>,
    /// The bandwidth of the drive's link; `None` for several drives.
    pub(crate) link: Option<LinkRates>,
    /// The I/O rate of its host; `None` for several drives.
    pub(crate) host_rates: Option<HostRates>,
    pub(crate) state: String,
    /// The host's name, and the layers over the drive.
    pub(crate) path: Message,
    /// The computer around it.
    pub(crate) host: String,
    /// How far its long responses have been held against a real drive's.
    pub(crate) tails: Tails,
    /// The zones of the drive below all layers, if it has any.
    pub(crate) zones: Option<ZoneLimits>,
}

impl Stack {
    /// A drive without layers.
    pub(crate) fn plain(mut opened: catalogue::Opened, tails: Tails) -> Stack {
        let zones = opened.model.zoned().map(|zoned| zoned.limits());
        let told = zones.map(|zones| ("zones".to_owned(), zones.to_string()));
        opened.identity.extend(told);
        Stack {
            zones,
            model: opened.model,
            title: Message::as_it_stands(opened.title),
            identity: opened.identity,
            link: Some(opened.link),
            host_rates: opened.host_rates,
            state: opened.state,
            path: Message::new("path-host", [("host", (&opened.host).into())]),
            host: opened.host,
            tails,
        }
    }
}
