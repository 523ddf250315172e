//! What a choice of the menu does.

use serde_json::Value;

use crate::asked::Start;

/// What a choice does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Action {
    Back,
    Open(Opened),
    Ask(Box<Start>),
    Begin(Box<Start>),
    Stop(u64),
    Connect(String),
    Off,
}

/// A page that is opened next; its documents are read then.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Opened {
    Interrupted,
    Drives,
    Drive(Value),
    Questions(String),
    Health(String),
    Run(u64),
    Runs,
    Network,
    Off,
}
