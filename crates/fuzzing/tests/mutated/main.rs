//! Every fuzz target takes its corpus, and mutations of it, without a panic and within a bound of memory.
//!
//! A failure is one input: it is written to a file whose name is in the message. Put it into the target's corpus as
//! `found-WHAT`, fix the parser, and it stays a test.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::alloc::System;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use cap::Cap;
use corpus::{corpus, dictionary};
use fuzzing::{MOST_MEMORY, Target, target};
use mutation::Mutator;

mod corpus;
mod mutation;

/// Counts what all tests that run side by side hold: ends the program at four times the bound.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, 4 * MOST_MEMORY.get() as usize);

fn hold(name: &str, inputs: u64) {
    let target = target(name).unwrap();
    let corpus = corpus(name).unwrap();
    assert!(!corpus.is_empty(), "fuzz/corpus/{name} is empty");
    for input in &corpus {
        take(target, input);
    }
    let words = dictionary(name).unwrap();
    let mut mutator = Mutator::new(&corpus, &words, 1);
    for _ in 0..inputs {
        take(target, &mutator.next_input());
    }
}

fn take(target: &Target, input: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        eprintln!(
            "fuzz target {}: see {}",
            target.name,
            kept(target, input).display()
        );
        resume_unwind(panic);
    }
    let most = MEMORY.max_allocated() as u64;
    assert!(
        most <= MOST_MEMORY.get(),
        "fuzz target {}: {most} bytes held at once with {}, or with what ran beside it",
        target.name,
        kept(target, input).display()
    );
}

/// Saves an input for investigation.
fn kept(target: &Target, input: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("found-{}", target.name));
    std::fs::write(&path, input).unwrap();
    path
}

macro_rules! tests {
    ($($name:ident $inputs:literal)*) => {
        $(
            #[test]
            fn $name() {
                hold(stringify!($name), $inputs);
            }
        )*
    };
}

mod takes_anything {
    use super::hold;

    fuzzing::each_target!(tests);
}
