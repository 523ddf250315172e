//! The trace that drivelab ships: made by a seeded program, the same on every machine.
//!
//! Four clients of a small server over ten seconds, in 256 MiB. A client works in bursts: 1 to 16 I/Os, each sent when
//! the previous one completes, then a pause of 20 ms on average, exponentially distributed. One burst in four is
//! sequential with 64 KiB per I/O from some position on; the others are of 4 KiB (three in four) or 16 KiB, four in
//! five of them in the first eighth of the area. Seven bursts in ten read. A burst of the first client that wrote ends
//! with a flush. An I/O completes 90 us (a read) or 35 us (a write) after submission, plus 2 ns per byte: so the trace
//! shows which I/O followed which. It does not represent any drive or measured workload; it exists so that a replay can
//! be tried and tested without a file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::trace::{BadTrace, Moment, Traced};
use base::{Bytes, Duration, Io, Op, Rng};

/// The area that is touched.
pub(super) const AREA: Bytes = Bytes::mib(256);
/// Sends stop here.
const LASTS: Duration = Duration::from_secs(10);
const CLIENTS: u64 = 4;
const SEED: u64 = 2_026;
const MEAN_PAUSE_NANOS: f64 = 20e6;

/// The trace, I/O by I/O.
pub(super) struct Shipped {
    clients: Vec<Client>,
    /// When each client sends next, earliest first.
    due: BinaryHeap<Reverse<(u64, usize)>>,
    line: u64,
}

struct Client {
    rng: Rng,
    /// I/Os left in the burst.
    left: u64,
    op: Op,
    size: Bytes,
    /// Where a sequential burst continues.
    next: Option<Bytes>,
    flushes: bool,
}

impl Shipped {
    pub(super) fn new() -> Shipped {
        let client = |index: u64| Client {
            rng: Rng::stream(SEED, index),
            left: 0,
            op: Op::Read,
            size: Bytes::kib(4),
            next: None,
            flushes: false,
        };
        let mut clients: Vec<Client> = (0..CLIENTS).map(client).collect();
        let mut due = BinaryHeap::new();
        for (index, client) in clients.iter_mut().enumerate() {
            due.push(Reverse((client.pause(), index)));
        }
        Shipped {
            clients,
            due,
            line: 0,
        }
    }
}

impl Client {
    fn pause(&mut self) -> u64 {
        (self.rng.exponential() * MEAN_PAUSE_NANOS) as u64
    }

    fn begin_burst(&mut self) {
        self.left = 1 + self.rng.below(16);
        let reads = self.rng.below(10) < 7;
        self.op = if reads { Op::Read } else { Op::Write };
        let in_order = self.rng.below(4) == 0;
        self.size = match (in_order, self.rng.below(4)) {
            (true, _) => Bytes::kib(64),
            (false, 0) => Bytes::kib(16),
            _ => Bytes::kib(4),
        };
        self.next = in_order.then(|| {
            let places = AREA.get() / Bytes::mib(1).get();
            Bytes::mib(self.rng.below(places - 1))
        });
    }

    fn io(&mut self) -> Io {
        let offset = match &mut self.next {
            Some(next) => {
                let here = *next;
                *next += self.size;
                here
            }
            None => {
                let hot = self.rng.below(5) < 4;
                let area = if hot { AREA.get() / 8 } else { AREA.get() };
                self.size * self.rng.below(area / self.size.get())
            }
        };
        match self.op {
            Op::Read => Io::read(offset, self.size),
            _ => Io::write(offset, self.size, 0),
        }
    }
}

impl Iterator for Shipped {
    type Item = Result<Traced, BadTrace>;

    fn next(&mut self) -> Option<Result<Traced, BadTrace>> {
        let Reverse((at, index)) = self.due.pop()?;
        if at >= LASTS.as_nanos() {
            return None;
        }
        let client = &mut self.clients[index];
        let io = if std::mem::take(&mut client.flushes) {
            Io::flush()
        } else {
            if client.left == 0 {
                client.begin_burst();
            }
            client.left -= 1;
            client.flushes = client.left == 0 && client.op == Op::Write && index == 0;
            client.io()
        };
        let service = match io.op {
            Op::Read => 90_000,
            _ => 35_000,
        } + 2 * io.len.get();
        let done = at + service;
        let burst_over = client.left == 0 && !client.flushes;
        let pause = if burst_over { client.pause() } else { 0 };
        self.due.push(Reverse((done + pause, index)));
        self.line += 1;
        let moment = |nanos, line| Moment {
            at: Duration::from_nanos(nanos),
            line,
        };
        Some(Ok(Traced {
            sent: moment(at, self.line),
            done: Some(moment(done, 0)),
            io,
            device: 0,
            late: false,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use traces::Survey;

    #[test]
    fn the_shipped_trace_is_what_its_documentation_says() {
        let all: Vec<Traced> = Shipped::new().map(Result::unwrap).collect();
        assert!(all.windows(2).all(|w| w[0].sent < w[1].sent));
        let survey = Survey::of(all.into_iter().map(Ok)).unwrap();
        assert!((5_000..30_000).contains(&survey.ios()), "{survey:?}");
        assert!(survey.end <= AREA && survey.flushes > 0);
        assert!(survey.lasts < LASTS && survey.lasts > Duration::from_secs(9));
        let reads = survey.reads as f64 / survey.ios() as f64;
        assert!((reads - 0.7).abs() < 0.05, "{reads}");
        assert_eq!(survey.sizes.len(), 3);
        assert_eq!(survey.completions, survey.ios() + survey.flushes);
    }
}
