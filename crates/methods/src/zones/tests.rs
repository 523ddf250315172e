//! The method on zones whose every time is known, and that refuse what is not in order.

use base::bench::Bench;
use base::io::{Io, Op};
use base::method::Scale;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Outcome, Tag, Target};
use base::time::{Duration, Instant};
use base::zone::{Condition, Management, Zone, ZoneError, ZoneKind, ZoneLimits, Zoned, Zoning};

use crate::bench_double::BenchDouble;
use crate::tests::{output_of, settings, value};
use crate::timed_double::Timed;

/// Eighteen zones of 16 MiB, of which two are conventional, and four may be open.
const ZONES: u64 = 18;

/// A target that has the zones of a drive, and times that are known; it checks that writes are in order.
struct ZonedDouble<T> {
    under: T,
    pointers: Vec<u64>,
    open: Vec<u64>,
    refused: Vec<Tag>,
}

impl<T> ZonedDouble<T> {
    fn takes(&mut self, io: &Io) -> bool {
        let zone = io.offset.get() >> 24;
        let inside = io.offset.get() & ((1 << 24) - 1);
        let pointer = &mut self.pointers[zone as usize];
        match (io.zone, io.op) {
            (Some(Zoning::Append), _) => *pointer += io.len.get(),
            (None, Op::Write) => {
                assert!(zone >= 2, "conventional zones are left alone");
                assert_eq!(inside, *pointer, "zone {zone}");
                *pointer += io.len.get();
            }
            (None, Op::Read) => assert!(inside + io.len.get() <= *pointer, "it was written"),
            (Some(Zoning::Open), _) => {
                if self.open.len() == 4 {
                    return false;
                }
                self.open.push(zone);
            }
            (Some(Zoning::Close), _) => self.open.retain(|open| *open != zone),
            (Some(Zoning::Finish), _) => *pointer = 1 << 24,
            (Some(Zoning::Reset), _) => *pointer = 0,
            _ => {}
        }
        true
    }
}

impl<T: Target> Target for ZonedDouble<T> {
    fn info(&self) -> Info {
        self.under.info()
    }
    fn now(&self) -> Instant {
        self.under.now()
    }
    fn submit(&mut self, tag: Tag, io: &Io) -> Result<(), Busy> {
        if !self.takes(io) {
            self.refused.push(tag);
        }
        self.under.submit(tag, io)
    }
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let before = done.len();
        self.under.wait(until, done);
        for done in &mut done[before..] {
            if let Some(at) = self.refused.iter().position(|tag| *tag == done.tag) {
                self.refused.remove(at);
                done.outcome = Outcome::Failed(ZoneError::TooManyOpen.errno());
            }
        }
    }
    fn zoned(&mut self) -> Option<&mut dyn Zoned> {
        Some(self)
    }
}

impl<T> Zoned for ZonedDouble<T> {
    fn limits(&self) -> ZoneLimits {
        ZoneLimits {
            management: Management::HostManaged,
            zones: ZONES,
            zone_length: Bytes::mib(16),
            max_open: Some(4),
            max_active: None,
            max_append: Some(Bytes::kib(128)),
        }
    }
    fn report(&mut self, _: Bytes, most: usize) -> Result<Vec<Zone>, i32> {
        let zone = |n: u64| Zone {
            start: Bytes::mib(16 * n),
            length: Bytes::mib(16),
            capacity: Bytes::mib(12),
            write_pointer: Bytes::mib(16 * n),
            kind: match n < 2 {
                true => ZoneKind::Conventional,
                false => ZoneKind::SequentialRequired,
            },
            condition: Condition::Empty,
        };
        Ok((0..ZONES).map(zone).take(most).collect())
    }
}

#[test]
fn zones_are_written_in_order_and_every_time_is_found_again() {
    let us = Duration::from_micros;
    let under = Timed::new(move |io, _| match (io.zone, io.op) {
        (Some(Zoning::Append), _) => us(40),
        (Some(Zoning::Reset), _) => us(3_000),
        (Some(Zoning::Finish), _) => us(9_000),
        (Some(_), _) => us(10),
        (None, Op::Write) => us(100),
        _ => us(80),
    });
    let mut bench = BenchDouble::new(ZonedDouble {
        under,
        pointers: vec![0; ZONES as usize],
        open: Vec::new(),
        refused: Vec::new(),
    });
    let settings = settings("zones", Scale::Quick, &["reads=64", "fill=8MiB"]);
    let output = output_of("zones", &settings, &mut bench);
    let near = |key: &str, wanted: f64| {
        let found = value(&output, key);
        assert!(
            (found / wanted - 1.0).abs() < 0.015,
            "{key}: {found}, not {wanted}"
        );
    };
    // 256 KiB each 100 us.
    near("fill.rate", 2_621.44);
    near("reset.filled", 3_000.0);
    near("finish.touched", 9_000.0);
    near("open", 10.0);
    near("reads.alone.p50", 80.0);
    near("reads.beside-reset.p50", 80.0);
    near("append.depth1.rate", 25_000.0);
    near("append.depth4.rate", 100_000.0);
    near("write.zones4.rate", 40_000.0);
    assert!(
        bench.target.pointers.iter().all(|at| *at == 0),
        "all are empty in the end"
    );
    assert!(bench.target.open.is_empty());
    // What is tried goes one beyond what the drive says of itself.
    let opens = bench.phases.iter().find(|p| p.name == "open").unwrap();
    assert_eq!(opens.of(Op::Trim).ios + opens.job().errors.count, 5);
    assert!(bench.info().writable);
}
