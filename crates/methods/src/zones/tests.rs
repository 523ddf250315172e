//! The method on zones with known latencies, which refuse non-sequential writes.

use base::bench::Bench;
use base::io::{Io, Op};
use base::method::Scale;
use base::size::Bytes;
use base::target::{Busy, Done, Info, Outcome, Tag, Target};
use base::time::{Duration, Instant};
use base::zone::{Condition, Management, Zone, ZoneError, ZoneKind, ZoneLimits, Zoned, Zoning};

use crate::tests::bench_double::BenchDouble;
use crate::tests::timed_double::Timed;
use crate::tests::{output_of, settings, value};

/// Eighteen zones of 16 MiB, of which two are conventional, and at most four open.
const ZONES: u64 = 18;

/// A target that has the zones of a drive, and times that are known; it checks that writes are in order.
struct ZonedDouble<T> {
    under: T,
    pointers: Vec<u64>,
    open: Vec<u64>,
    refused: Vec<Tag>,
    /// Outstanding reads.
    reading: Vec<Tag>,
    /// For each reset of a written zone: whether a read was outstanding.
    beside_reads: Vec<bool>,
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
            (Some(Zoning::Reset), _) => {
                *pointer = 0;
                self.beside_reads.push(!self.reading.is_empty());
            }
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
        if io.op == Op::Read {
            self.reading.push(tag);
        }
        self.under.submit(tag, io)
    }
    fn wait(&mut self, until: Option<Instant>, done: &mut Vec<Done>) {
        let before = done.len();
        self.under.wait(until, done);
        for done in &mut done[before..] {
            self.reading.retain(|tag| *tag != done.tag);
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
        reading: Vec::new(),
        beside_reads: Vec::new(),
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
    // 256 KiB each 100 us, and the flush of 80 us behind them.
    near("fill.rate", 8.0 * 1_048.576 / (32.0 * 0.1 + 0.08));
    near("reset.filled", 3_000.0);
    near("finish.touched", 9_000.0);
    near("open.time", 10.0);
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

/// A target whose resets take 3 ms and whose reads 80 us, for phases by name.
fn run_to_the_end() -> BenchDouble<ZonedDouble<impl Target>> {
    let us = Duration::from_micros;
    let under = Timed::new(move |io, _| match (io.zone, io.op) {
        (Some(Zoning::Reset), _) => us(3_000),
        (Some(Zoning::Finish), _) => us(9_000),
        _ => us(80),
    });
    let mut bench = BenchDouble::new(ZonedDouble {
        under,
        pointers: vec![0; ZONES as usize],
        open: Vec::new(),
        refused: Vec::new(),
        reading: Vec::new(),
        beside_reads: Vec::new(),
    });
    let settings = settings("zones", Scale::Quick, &["reads=400", "fill=8MiB"]);
    output_of("zones", &settings, &mut bench);
    bench
}

#[test]
fn a_reset_beside_reads_finds_a_read_under_way_and_reads_go_on_as_long_as_it_takes() {
    let bench = run_to_the_end();
    let beside = bench.phases.iter().find(|p| p.name == "reads beside reset");
    let beside = beside.unwrap();
    let (reads, resets) = (beside.of(Op::Read).ios, beside.of(Op::Trim).ios);
    // 3 ms are 38 reads of 80 us, and 400 reads are ten such rounds.
    assert_eq!((reads, resets), (380, 10));
    let found = bench.target.beside_reads.iter().filter(|read| **read);
    assert_eq!(found.count(), 10, "those alone find none");
}

#[test]
fn a_fill_ends_when_it_is_flushed_and_what_was_written_is_flushed_before_small_writes() {
    let bench = run_to_the_end();
    let flushes = |name: &str| {
        let phase = bench.phases.iter().find(|phase| phase.name == name);
        phase.unwrap().of(Op::Flush).ios
    };
    assert_eq!(flushes("fill zone 1"), 1);
    for before in ["reads", "write in 1 zones", "append at depth 8"] {
        assert_eq!(flushes(&format!("settle before {before}")), 1, "{before}");
    }
}
