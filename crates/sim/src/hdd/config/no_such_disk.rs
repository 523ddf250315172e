//! Why there is no such disk: what its file says fits no disk that could be built, or no model of one.

use super::{MOST_CYLINDERS, MOST_RUNS};
use crate::hdd::geometry::NotADisk;
use crate::hdd::seek::NotACurve;

/// Why there is no such disk.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchDisk {
    /// Zones that do not fit.
    #[error("no such disk: {0}")]
    Geometry(#[from] NotADisk),
    /// Too few cylinders for a seek curve.
    #[error("no such disk: {0}")]
    Curve(#[from] NotACurve),
    /// More sectors on inner tracks than on outer ones.
    #[error("no such disk: {inner} sectors on the innermost track, but {outer} on the outermost")]
    InsideOut {
        /// Sectors on the outermost track.
        outer: u32,
        /// Sectors on the innermost one.
        inner: u32,
    },
    /// More cylinders than any disk has: the capacity does not fit the tracks.
    #[error(
        "no such disk: {zones} zones of {cylinders} cylinders would be needed, {MOST_CYLINDERS} cylinders is the most; check capacity, heads and sectors a track"
    )]
    TooManyCylinders {
        zones: usize,
        /// Cylinders that each would need.
        cylinders: u64,
    },
    /// Bands too short for surfaces that differ.
    #[error(
        "no such disk: bands of {band_cylinders} tracks on surfaces of different density make {runs} runs of tracks, {MOST_RUNS} is the most; check band_cylinders"
    )]
    TooManyRuns {
        /// Tracks of a band on one surface.
        band_cylinders: u32,
        /// Runs that they make.
        runs: u64,
    },
    /// Surfaces that do not divide among the actuators.
    #[error("no such disk: {heads} surfaces for {count} actuators; as many for each")]
    Actuators {
        /// Surfaces that hold data.
        heads: u32,
        /// Actuators.
        count: u32,
    },
    /// Retries that take longer than any disk would.
    #[error(
        "no such disk: retries take more than a turn for a thousand sectors, or ten turns for each under way; check rare.gap_mb, rare.gap_s and rare.turns"
    )]
    Retries,
    /// A state that this kind of drive has no mechanism for yet.
    #[error("the state '{0}' is not modelled yet on a hard disk")]
    StateNotModelled(String),
}
