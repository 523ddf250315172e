//! Signs: indications about a drive, or its answer, outside the counters.
//!
//! Tools summarise what they find (smartctl does so in its exit status), and a summary may say things that no counter
//! repeats: an attribute below its threshold in a damaged table, a log of which only the existence is known. A sign
//! counts by itself, so that bad news is not lost together with its source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Condition;
use crate::message::Message;

/// An indication outside the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// Attributes that predict failure are at or below their thresholds.
    BelowThreshold,
    /// Attributes were at or below their thresholds in the past.
    WasBelowThreshold,
    /// The log of self-tests has failures that nothing outdates.
    SelfTestLog,
    /// The log of errors has entries.
    ErrorLog,
    /// SMART is switched off: nothing is counted, and nothing is predicted.
    SwitchedOff,
    /// The used endurance is reported as 255, which means more than 254 per cent or nothing.
    EnduranceUnclear,
    /// Something that bears on the verdict could not be read.
    Incomplete,
    /// A command to the drive failed; what bears on the verdict was read.
    CommandFailed,
}

impl Sign {
    /// The best that a drive with this sign can be called.
    pub(super) const fn condition(self) -> Condition {
        match self {
            Sign::BelowThreshold => Condition::Failing,
            Sign::WasBelowThreshold | Sign::SelfTestLog | Sign::ErrorLog => Condition::Suspect,
            Sign::SwitchedOff | Sign::EnduranceUnclear | Sign::Incomplete => Condition::Unknown,
            Sign::CommandFailed => Condition::Good,
        }
    }

    /// In words.
    pub(super) fn said(self) -> Message {
        Message::of(match self {
            Sign::BelowThreshold => "health-sign-below-threshold",
            Sign::WasBelowThreshold => "health-sign-was-below",
            Sign::SelfTestLog => "health-sign-self-tests",
            Sign::ErrorLog => "health-sign-error-log",
            Sign::SwitchedOff => "health-sign-switched-off",
            Sign::EnduranceUnclear => "health-sign-endurance",
            Sign::Incomplete => "health-sign-incomplete",
            Sign::CommandFailed => "health-sign-command-failed",
        })
    }
}
