//! External input may be anything: every parser, behind one function that takes bytes.
//!
//! A fuzz target is a function that parses bytes as one kind of input and asserts the invariants of the result: no
//! panic in any case, and if it can be printed and parsed again, the same value. Two programs feed them. `make fuzz`
//! builds them with libFuzzer (the directory `fuzz`, a separate workspace), which observes which branches an input
//! takes and keeps inputs that reach new ones: the corpus, in `fuzz/corpus/TARGET`. `make test` builds them without
//! instrumentation, and runs the corpus and seeded mutations of it (`tests/mutated`): no clock, the same inputs each
//! time.
//!
//! A parser also has a memory limit ([`MOST_MEMORY`]); both programs count allocations.

use base::size::Bytes;

mod targets;

/// Maximum memory for any input, in addition to the program's own.
pub const MOST_MEMORY: Bytes = Bytes::mib(256);

/// The longest input; no format has more state than this reaches.
pub const LONGEST: usize = 64 << 10;

/// A parser and what must hold of it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, that of its file, and of its corpus.
    pub name: &'static str,
    /// Takes one input.
    ///
    /// # Panics
    /// Where something does not hold: a finding.
    pub run: fn(&[u8]),
}

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Calls a macro with the name of each target and its number of mutated inputs in `make test`, some seconds' worth: a
/// file in `targets` and a line here make a target.
#[macro_export]
macro_rules! each_target {
    ($do:ident) => {
        $do! {
            diskspd_options 20_000
            diskspd_profile 10_000
            drive_file 400
            emulation_log 20_000
            expression 40_000
            fio_jobs 4_000
            host_file 400
            icf 20_000
            imported_file 10_000
            kept_folder 2_000
            label 20_000
            machine 400
            network_block_device 20_000
            packed_trace 1_000
            plan 4_000
            published 2_000
            published_rows 300
            questions 20_000
            rescue_map 20_000
            result 1_000
            served_client 2_000
            settings 20_000
            signature 4_000
            smartctl 4_000
            stored 4_000
            sweep 10_000
            target_name 5_000
            trace 10_000
            units 60_000
            virtual_disk 4_000
            window_request 20_000
        }
    };
}

macro_rules! list {
    ($($name:ident $inputs:literal)*) => {
        /// Every target, by name.
        pub static TARGETS: &[Target] = &[$(Target {
            name: stringify!($name),
            run: targets::$name::run,
        }),*];
    };
}

each_target!(list);
