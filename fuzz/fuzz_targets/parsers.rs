//! Any of the targets under libFuzzer: `FUZZ_TARGET` names the one.
//!
//! One program for all of them, since all are linked from the same crates: building and linking one a target takes
//! longer than fuzzing it. What an input holds at once is bounded by the allocator, so that an input that wants more
//! ends the program, and libFuzzer keeps it.
#![no_main]

use std::alloc::System;
use std::sync::OnceLock;

use cap::Cap;
use fuzzing::{MOST_MEMORY, Target};
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, MOST_MEMORY.get() as usize);

static TARGET: OnceLock<&'static Target> = OnceLock::new();

fn named() -> &'static Target {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    fuzzing::target(&name).unwrap_or_else(|| panic!("FUZZ_TARGET={name} is no target"))
}

fuzz_target!(|input: &[u8]| (TARGET.get_or_init(named).run)(input));
