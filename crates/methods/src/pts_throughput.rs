//! PTS throughput: sequential I/O, 128 KiB and 1 MiB, in steady state.
//!
//! **What it measures.** MB/s of sequential reads and sequential writes of a drive in steady state.
//!
//! **Who published it.** SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1, Client 1.2, one
//! document since 2.0), the throughput test.
//!
//! **Protocol.** For 128 KiB, and again for 1024 KiB per I/O: the extent is purged (trimmed), and written twice
//! sequentially, 128 KiB per I/O. Then rounds: a minute of sequential reads, a minute of sequential writes. The writes
//! are tracked: steady state is reached when over five rounds their maximum and minimum MB/s differ by no more than 20
//! % of the mean, and the fitted line changes by no more than 10 % of it. After 25 rounds the test ends regardless,
//! with a warning. Figures are means over those five rounds. One thread; the queue depth is the operator's choice. MB
//! are 10^6 bytes.
//!
//! **What it cannot tell.** The full LBA range: every minute starts at the beginning of the extent, and gets as far as
//! it does in a minute. The purge is a trim, not a secure erase, and the drive's write cache stays as it is.

use base::{Better, Bytes, Card, Forecast, Group, Info, Op, Setting, Settings, Span, Stopped};

use crate::areas::in_order;
use crate::figures::key_of;
use crate::pts::rounds::{Measured, Rounds, Stimulus};
use crate::pts::{EXTENT, LENGTH, NEEDS, PUBLISHER, ROUNDS, begin, condition, in_rounds, timed};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::extent;

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

const SIZES: [Bytes; 2] = [Bytes::kib(128), Bytes::kib(1_024)];

static CARD: Card = Card {
    id: "pts-throughput",
    title: "SNIA PTS throughput",
    publisher: PUBLISHER,
    summary: "Purge, precondition, then rounds of sequential reads and writes until steady state, at 128 KiB and at 1024 KiB: MB/s of each.",
    version: 1,
    group: Group::Standard,
    short: "Sequential MB/s in steady state",
    needs: NEEDS,
    shortest: &["extent=4MiB", "time=5ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        Setting::time("time", "length of the reads, and of the writes, in a round", LENGTH, ["20ms", "2s", "60s"]),
        ROUNDS,
        Setting::count("depth", "queue depth (the operator's choice)", 1..=256, ["32"; 3]),
    ],
    ..Card::PLAIN
};

/// Reads, then writes.
fn stimuli(name: &str, span: Span, size: Bytes, settings: &Settings) -> Vec<Stimulus> {
    let depth = u32::try_from(settings.count("depth")).unwrap_or(32);
    let of = |op: Op| Stimulus {
        key: format!("{name}.{}", op.name()),
        curve: Some(op.name().to_owned()),
        work: timed(
            in_order("access", op, span, size, depth),
            settings.time("time"),
            settings.seed,
        ),
    };
    vec![of(Op::Read), of(Op::Write)]
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let span = extent(settings, EXTENT.key, on);
    let of_a_size = in_rounds(span, 2, settings, on);
    Forecast {
        takes: of_a_size.takes.times(SIZES.len() as u64),
        ..of_a_size
    }
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let main = ("seq128k.write", "MB/s", Better::Higher);
    let Some((span, sizes)) = begin(&SIZES, main, run)? else {
        return Ok(());
    };
    let rate = |measured: &Measured| measured.rate;
    for size in sizes {
        let name = format!("seq{}", key_of(size));
        condition(&name, span, run)?;
        let stimuli = stimuli(&name, span, size, settings);
        let rounds = Rounds {
            name: &name,
            of: &name,
            stimuli: &stimuli,
            followed: stimuli.len() - 1,
            follow: rate,
        };
        rounds.make(run, |made, place| {
            let stimulus = &stimuli[place];
            let origin = made.origin(place, &stimulus.work);
            let start = origin.figure(&stimulus.key, "MB/s", Better::Higher);
            vec![made.mean(start, place, rate)]
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive_of, output_of, settings, value};
    use base::method::Scale;
    use base::size::Bytes;

    #[test]
    fn each_size_is_purged_preconditioned_and_measured_for_itself() {
        let settings = settings("pts-throughput", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive_of(Bytes::mib(16)));
        let output = output_of("pts-throughput", &settings, &mut bench);
        assert_eq!(bench.phases.len(), 2 * (2 + 5 * 2));
        assert_eq!(bench.phases[13].bytes(), Bytes::mib(32));
        // One I/O at a time, 100 us each.
        for (key, rate) in [("seq128k.read", 1_310.72), ("seq1m.write", 10_485.76)] {
            assert!((value(&output, key) / rate - 1.0).abs() < 1e-6, "{key}");
        }
        assert!((value(&output, "seq1m.steady.round") - 5.0).abs() < 1e-9);
    }
}
