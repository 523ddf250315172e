//! PTS IOPS: random I/Os of eight sizes in seven mixes, in steady state.
//!
//! **What it measures.** IOPS of random I/Os from half a KiB to 1 MiB, from pure reads to pure writes, of a drive in
//! steady state.
//!
//! **Who published it.** SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1, Client 1.2, one
//! document since 2.0), the IOPS test.
//!
//! **Protocol.** The extent is purged (trimmed), and written twice sequentially, 128 KiB per I/O. Then rounds: for 100,
//! 95, 65, 50, 35, 5 and 0 % of reads, and in each for 1024, 128, 64, 32, 16, 8, 4 and 0.5 KiB, random I/Os for a
//! minute, aligned to their size. The pure 4 KiB writes are tracked: steady state is reached when over five rounds
//! their maximum and minimum IOPS differ by no more than 20 % of the mean, and the fitted line changes by no more than
//! 10 % of it. After 25 rounds the test ends regardless, with a warning. Figures are means over those five rounds.
//! Threads and queue depth are the operator's choice there and settings here; data is incompressible.
//!
//! **What it cannot tell.** Performance in a desktop, which is never in steady state. The purge is a trim, not a secure
//! erase, and the drive's write cache stays as it is (the enterprise test disables it). In a small extent a drive has
//! so much spare area that it never collects garbage: the shortened test reaches steady state early and at a high
//! level.

use base::{Better, Bytes, Card, Forecast, Group, Info, Settings, Stopped};

use crate::pts::grid::Grid;
use crate::pts::rounds::Measured;
use crate::pts::{
    DEPTH, EXTENT, NEEDS, PUBLISHER, ROUNDS, THREADS, TIME, begin, condition, in_rounds, random,
};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::extent;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

/// Percentage of reads.
const MIXES: [u8; 7] = [100, 95, 65, 50, 35, 5, 0];

/// Sizes of I/Os, in the order of the test.
const SIZES: [Bytes; 8] = [
    Bytes::kib(1_024),
    Bytes::kib(128),
    Bytes::kib(64),
    Bytes::kib(32),
    Bytes::kib(16),
    Bytes::kib(8),
    Bytes::kib(4),
    Bytes::SECTOR,
];

static CARD: Card = Card {
    id: "pts-iops",
    title: "SNIA PTS IOPS",
    publisher: PUBLISHER,
    summary: "Purge, precondition, then rounds of random I/Os of 8 sizes (0.5 to 1024 KiB) in 7 mixes of reads and writes until steady state: IOPS of each.",
    version: 1,
    group: Group::Standard,
    short: "IOPS by size and mix, in steady state",
    needs: NEEDS,
    shortest: &["extent=4MiB", "time=1ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        TIME.with_values(["2ms", "200ms", "60s"]),
        ROUNDS,
        THREADS,
        DEPTH,
    ],
    ..Card::PLAIN
};

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let stimuli = SIZES.len() * MIXES.len();
    let span = extent(settings, EXTENT.key, on);
    in_rounds(span, stimuli as u64, settings, on)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let main = ("rnd4k-r0.iops", "IOPS", Better::Higher);
    let Some((span, sizes)) = begin(&SIZES, main, run)? else {
        return Ok(());
    };
    let job = |size, mix| random(span, size, mix, settings);
    let grid = Grid::new(&sizes, &MIXES, settings, job);
    condition("", span, run)?;
    let iops = |measured: &Measured| measured.iops;
    let rounds = grid.rounds("IOPS", iops);
    rounds.make(run, |made, place| {
        let stimulus = &grid.stimuli[place];
        let key = format!("{}.iops", stimulus.key);
        let origin = made.origin(place, &stimulus.work);
        let start = origin.figure(&key, "IOPS", Better::Higher);
        vec![made.mean(start, place, iops)]
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive_of, output_of, settings, value};
    use base::io::Op;
    use base::method::Scale;
    use base::size::Bytes;
    use base::target::Target;
    use base::time::Duration;

    #[test]
    fn at_full_scale_it_is_the_specifications_own_order_sizes_mixes_and_minutes() {
        let settings = settings("pts-iops", Scale::Full, &["extent=16MiB", "time=1ms"]);
        let mut bench = BenchDouble::new(drive_of(Bytes::mib(16)));
        let output = output_of("pts-iops", &settings, &mut bench);
        // Purge, precondition, five rounds of seven mixes of eight sizes.
        assert_eq!(bench.phases.len(), 2 + 5 * 56);
        assert_eq!(bench.phases[0].of(Op::Trim).bytes, Bytes::mib(16));
        assert_eq!(bench.phases[1].of(Op::Write).bytes, Bytes::mib(32));
        assert_eq!(bench.phases[1].workload.jobs[0].largest(), Bytes::kib(128));
        assert_eq!(bench.phases[2].name, "round 1 rnd1m-r100");
        assert_eq!(bench.phases[9].name, "round 1 rnd512b-r100");
        assert_eq!(bench.phases[57].name, "round 1 rnd512b-r0");
        // One I/O at a time, 100 us each.
        assert!((value(&output, "steady.round") - 5.0).abs() < 1e-9);
        assert!((value(&output, "rnd4k-r0.iops") - 10_000.0).abs() < 1.0);
        assert!(value(&output, "steady.slope").abs() < 1e-9);
        assert_eq!(
            super::CARD.settings[1].by_scale[2].parse(),
            Ok(Duration::from_secs(60))
        );
        assert!(output.warnings.is_empty());
    }

    /// A drive of 4 KiB blocks.
    struct Blocks(base::null::Null);

    impl Target for Blocks {
        fn info(&self) -> base::target::Info {
            base::target::Info {
                block: Bytes::kib(4),
                ..self.0.info()
            }
        }
        fn now(&self) -> base::time::Instant {
            self.0.now()
        }
        fn submit(
            &mut self,
            tag: base::target::Tag,
            io: &base::io::Io,
        ) -> Result<(), base::target::Busy> {
            self.0.submit(tag, io)
        }
        fn wait(&mut self, until: Option<base::time::Instant>, done: &mut Vec<base::target::Done>) {
            self.0.wait(until, done);
        }
    }

    #[test]
    fn a_drive_of_blocks_of_4_kib_has_no_accesses_of_512_bytes_and_a_note_says_so() {
        let settings = settings("pts-iops", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(Blocks(drive_of(Bytes::gib(4))));
        let output = output_of("pts-iops", &settings, &mut bench);
        assert_eq!(bench.phases.len(), 2 + 5 * 49);
        assert!(output.figures.iter().all(|f| !f.key.contains("512b")));
        assert!(output.notes[0].contains("512 B"), "{}", output.notes[0]);
    }
}
