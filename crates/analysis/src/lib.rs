//! Results in, conclusions out: everything that follows from measurements, independent of its presentation.
//!
//! | question | module |
//! |---|---|
//! | which results belong beside each other | [`group`] |
//! | may two figures be compared | [`conditions`] |
//! | which is the best, and the worst, of those that may | [`verdict`] |
//! | by how much do two differ, and may it be chance | [`compare`], [`effect`] |
//! | which figures cannot see what others see | [`blind`] |
//! | which figures are the link's, not the drive's | [`held`] |
//! | what is a modelled drive's tail worth | [`tails`] |
//! | what does a result answer, in a sentence | [`answers`] |
//! | what is the matter with a drive | [`findings`] |
//! | what stood between a drive and its figures | [`observer`] |
//! | what is a drive fit for | [`uses`] |
//! | which drives of a batch are accepted, and which is the outlier | [`screening`] |
//! | what people ask, and the reply | [`questions`] |
//! | where is a surface weak | [`surface`] |
//! | where does a rate or a latency step | [`change_points`] |

pub mod answer;
pub mod answers;
pub mod blind;
pub mod change_points;
pub mod compare;
pub mod conditions;
pub mod effect;
pub mod findings;
pub mod gate;
pub mod group;
pub mod held;
pub mod key;
mod long_responses;
pub mod observer;
pub mod questions;
pub mod screening;
pub mod surface;
pub mod tails;
pub mod uses;
pub mod verdict;
