//! Drives that have been through something, made at once ([`construct`]).

pub mod construct;
mod slc_prefill;
mod steady_fill;
