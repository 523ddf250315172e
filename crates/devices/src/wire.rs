//! The protocol between host and guest: one line of JSON each, over a virtio serial port.
//!
//! The guest sends [`FromGuest::Hello`] once it is up, then answers each [`Order`] when its command has ended. Orders
//! may overlap, so an answer names its order: a command that runs in the background is an order whose answer is
//! requested later.

use serde::{Deserialize, Serialize};

/// The port's name in the guest: udev and the kernel show it below `/dev/virtio-ports`.
pub(crate) const PORT: &str = "drivelab.agent";

/// The location of a command's output in the guest while it continues.
pub(crate) fn output_of(order: u64) -> String {
    format!("/run/output-{order}")
}

/// A command for the guest.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Order {
    /// Returned in the answer.
    pub(crate) id: u64,
    /// What `sh -c` is given.
    pub(crate) shell: String,
    /// After this many seconds it is ended, with exit code 124.
    pub(crate) limit_s: u64,
}

/// What comes from the guest.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromGuest {
    /// The guest is up: drives are found and named.
    Hello,
    /// A command has ended.
    Answer(Answer),
}

/// How a command ended.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The order's.
    pub(crate) id: u64,
    /// As a shell gives it: 124 when its time was up, 128 and the signal's number after a signal.
    pub(crate) exit: i32,
    /// Standard output and standard error as they came.
    pub(crate) output: String,
}
