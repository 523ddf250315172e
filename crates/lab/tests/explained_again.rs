//! What `explain` says does not depend on what does not matter: where a partition begins, what chance drew, how fast the
//! clock runs.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

#[path = "modelled/on.rs"]
mod on;

use base::io::Io;
use base::method::{Scale, Settings};
use base::result::Figure;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Tag, Target};
use base::time::Instant;
use on::On;
use sim::catalogue::{ModelOptions, open};
use sim::virtual_time::Virtual;

const DRIVES: [&str; 4] = [
    "wd-black-sn770-1tb",
    "samsung-840-pro-512gb",
    "hgst-deskstar-nas-hdn724030-3tb",
    "wd-raptor-wd740gd-74gb",
];

/// A drive all of whose times are twice as long.
struct Slower<T>(T);

fn slower(at: Instant) -> Instant {
    Instant::from_nanos(at.as_nanos().saturating_mul(2))
}

impl<T: Target> Target for Slower<T> {
    fn info(&self) -> Info {
        self.0.info()
    }

    fn beneath(&self) -> Option<&dyn Target> {
        Some(&self.0)
    }

    fn beneath_mut(&mut self) -> Option<&mut dyn Target> {
        Some(&mut self.0)
    }

    fn now(&self) -> Instant {
        slower(self.0.now())
    }

    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        self.0.submit(tag, io)
    }

    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let mut own = Vec::new();
        let until = until.map(|until| Instant::from_nanos(until.as_nanos().div_ceil(2)));
        self.0.wait(until, &mut own);
        done.extend(own.into_iter().map(|it| Done {
            sent: slower(it.sent),
            at: slower(it.at),
            ..it
        }));
    }

    fn next(&self) -> Option<Instant> {
        self.0.next().map(slower)
    }
}

fn opened(drive: &str, options: ModelOptions) -> impl Target {
    let host = Some("none".to_owned());
    let opened = open(drive, &ModelOptions { host, ..options });
    Virtual::new(opened.unwrap().model)
}

fn explained(drive: impl Target, seed: u64) -> Vec<Figure> {
    let method = methods::find("explain").unwrap();
    let settings = Settings::new(method.card(), Scale::Default, seed, &[]).unwrap();
    method.run(&settings, &mut On::new(drive)).unwrap().figures
}

/// What makes two figures differ that times in one of them are so many times as long: by the unit, and whether it is a time
/// of the drive's or one that was chosen.
fn times(figure: &Figure, longer: f64) -> f64 {
    match (&*figure.key, &*figure.unit) {
        ("wake.shortest-rest" | "wake.longest-rest" | "sustained.read-for", _) => 1.0,
        (_, "us" | "ms" | "s") => longer,
        (_, "IOPS" | "MB/s" | "1/min") => 1.0 / longer,
        _ => 1.0,
    }
}

/// Two sets of figures tell the same: those that are there in both lie within the intervals of each other, or within a
/// tenth; what is told in one alone is no other answer, but few may be.
fn agree(a: &[Figure], b: &[Figure], longer: f64, of: &str) {
    let mut alone = 0;
    for (a, b) in a.iter().zip(b) {
        assert_eq!(a.key, b.key);
        // Times of rests, which stay as long, and of I/Os; what is long for a person; how strong the evidence is.
        let is_of_the_run = a.key == "passing.watched" || a.key.starts_with("long-responses.");
        if is_of_the_run || a.key.ends_with(".lost-by") {
            continue;
        }
        let (Some(first), Some(second)) = (a.value, b.value) else {
            alone += usize::from(a.value.is_some() != b.value.is_some());
            continue;
        };
        let expected = first * times(a, longer);
        // Depths are powers of two.
        let within = if a.key == "depth.enough" { 1.0 } else { 0.1 };
        let near = (second - expected).abs() <= within * expected.abs().min(second.abs()).max(0.1);
        let ends = |of: &Figure, times: f64| {
            let interval = of.interval.as_ref()?;
            Some([interval.low * times, interval.high * times])
        };
        let meet = ends(a, times(a, longer))
            .zip(ends(b, 1.0))
            .is_some_and(|(a, b)| a[0] <= b[1] && b[0] <= a[1]);
        assert!(near || meet, "{of} {}: {expected} and {second}", a.key);
    }
    assert!(alone <= 2, "{of}: {alone} are told once only");
}

#[test]
fn another_seed_tells_the_same() {
    for drive in DRIVES {
        let of = |seed| explained(opened(drive, ModelOptions::default()), seed);
        agree(&of(1), &of(2), 1.0, drive);
    }
}

#[test]
fn a_partition_that_begins_elsewhere_tells_the_same() {
    for drive in DRIVES {
        let of = |offset| {
            let partition_offset = Some(offset);
            let options = ModelOptions {
                partition_offset,
                ..ModelOptions::default()
            };
            explained(opened(drive, options), 1)
        };
        agree(&of(Bytes::mib(1)), &of(Bytes::gib(5)), 1.0, drive);
    }
}

#[test]
fn a_drive_that_takes_twice_as_long_for_everything_has_the_same_sizes() {
    for drive in DRIVES {
        let usual = explained(opened(drive, ModelOptions::default()), 1);
        let slower = explained(Slower(opened(drive, ModelOptions::default())), 1);
        agree(&usual, &slower, 2.0, drive);
    }
}
