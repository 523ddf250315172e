//! PTS throughput: access in order, 128 KiB and 1 MiB, when the drive is steady.
//!
//! **What it measures.** MB/s of reads in order and of writes in order, of a drive that has been
//! written until nothing changes any more.
//!
//! **Who published it.** SNIA, Solid State Storage Performance Test Specification (Enterprise 1.1,
//! Client 1.2, one document since 2.0), the throughput test.
//!
//! **Protocol.** For 128 KiB, and again for 1024 KiB an access: the extent is purged (trimmed), and
//! written twice in order, 128 KiB an access. Then rounds: a minute of reads in order, a minute of
//! writes in order. The writes are followed: the drive is steady when over five rounds their greatest
//! and least MB/s differ by no more than 20 % of the mean, and the fitted line moves by no more than
//! 10 % of it. After 25 rounds it is taken as it is, and a warning says so. Figures are means over those
//! five rounds. One thread; the accesses in flight are the operator's choice. MB are 10^6 bytes.
//!
//! **What it cannot tell.** The whole surface: every minute begins at the head of the extent, and goes as
//! far as a minute goes. The purge is a trim, not a secure erase, and the drive's write cache stays as
//! it is.

use base::bench::{Bench, Stopped};
use base::io::Op;
use base::method::{Card, Forecast, Method, Setting, Settings};
use base::result::{Better, MethodOutput};
use base::size::Bytes;
use base::target::Info;
use base::workload::Span;

use crate::areas::{in_order, not_writable, without_number};
use crate::figures::{conditions, figure};
use crate::pts::rounds::{Measured, Rounds, Stimulus};
use crate::pts::{
    EXTENT, LENGTH, PUBLISHER, ROUNDS, in_rounds, key_of, possible, precondition, purge, timed,
};
use crate::shared_settings::extent;

/// The method.
pub(crate) struct PtsThroughput;

const SIZES: [Bytes; 2] = [Bytes::kib(128), Bytes::kib(1_024)];

static CARD: Card = Card {
    id: "pts-throughput",
    title: "SNIA PTS throughput",
    title_ja: "SNIA PTS スループット",
    publisher: PUBLISHER,
    summary: "Purge, precondition, then rounds of reads and writes in order until the drive is steady, at 128 KiB and at 1024 KiB: MB/s of each.",
    version: 1,
    writes: true,
    files: true,
    models_only: false,
    shortest: &["extent=4MiB", "time=5ms"],
    #[rustfmt::skip]
    settings: &[
        EXTENT,
        Setting::time("time", "length of the reads, and of the writes, in a round", LENGTH, ["20ms", "2s", "60s"]),
        ROUNDS,
        Setting::count("depth", "accesses in flight (the operator's choice)", 1..=256, ["32"; 3]),
    ],
};

/// Reads, then writes.
fn stimuli(span: Span, size: Bytes, settings: &Settings) -> Vec<Stimulus> {
    let depth = u32::try_from(settings.count("depth")).unwrap_or(32);
    let of = |op: Op| Stimulus {
        key: format!("seq{}.{}", key_of(size), op.name()),
        work: timed(
            in_order("access", op, span, size, depth),
            settings.time("time"),
            settings.seed,
        ),
    };
    vec![of(Op::Read), of(Op::Write)]
}

impl Method for PtsThroughput {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn forecast(&self, settings: &Settings, on: &Info) -> Forecast {
        let span = extent(settings, EXTENT.key, on);
        let of_a_size = in_rounds(span, 2, settings, on);
        Forecast {
            takes: of_a_size.takes.times(SIZES.len() as u64),
            ..of_a_size
        }
    }

    fn run(&self, settings: &Settings, bench: &mut dyn Bench) -> Result<MethodOutput, Stopped> {
        let info = bench.info();
        if !info.writable {
            return Ok(not_writable("seq128k.write", "MB/s", Better::Higher));
        }
        let span = Span::first(extent(settings, EXTENT.key, &info));
        let (sizes, left_out) = possible(&SIZES, span.len, &info);
        if sizes.is_empty() {
            let why = "the part in use is smaller than any access";
            return Ok(without_number("seq128k.write", "MB/s", Better::Higher, why));
        }
        let mut output = MethodOutput::default();
        output.notes.extend(left_out);
        for size in sizes {
            measure(span, size, settings, bench, &mut output)?;
        }
        Ok(output)
    }
}

/// One size: purge, preconditioning, rounds.
fn measure(
    span: Span,
    size: Bytes,
    settings: &Settings,
    bench: &mut dyn Bench,
    into: &mut MethodOutput,
) -> Result<(), Stopped> {
    let key = format!("seq{}", key_of(size));
    let unpurged = purge(bench, &format!("{key} purge"), span, settings.seed)?;
    let new = |warning: &String| !into.warnings.contains(warning);
    let unpurged: Vec<String> = unpurged.into_iter().filter(new).collect();
    into.warnings.extend(unpurged);
    precondition(bench, &format!("{key} precondition"), span, settings.seed)?;
    let stimuli = stimuli(span, size, settings);
    let followed = stimuli.len() - 1;
    let rate = |measured: &Measured| measured.rate;
    let made = Rounds {
        prefix: "",
        stimuli: &stimuli,
        followed,
        follow: rate,
        most: settings.count(ROUNDS.key),
    }
    .make(bench)?;
    for (place, stimulus) in stimuli.iter().enumerate() {
        let by = conditions(&stimulus.work);
        let phases = made.phases(place);
        let start = figure(&stimulus.key, "MB/s", Better::Higher, &by, &phases);
        into.figures.push(made.mean(start, place, rate));
    }
    let steadiness = &made.steadiness;
    let by = conditions(&stimuli[followed].work);
    let phases = made.phases(followed);
    into.figures
        .extend(steadiness.figures(&format!("{key}."), &by, &phases));
    into.warnings.extend(steadiness.warning(&key));
    let curves: Vec<(String, Vec<(u64, f64)>)> = ["read", "write"]
        .iter()
        .enumerate()
        .map(|(place, name)| ((*name).to_owned(), made.values(place, rate)))
        .collect();
    into.charts
        .push(steadiness.chart(&format!("{key}.rounds"), &curves));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;
    use base::size::Bytes;

    #[test]
    fn each_size_is_purged_preconditioned_and_measured_for_itself() {
        let settings = settings("pts-throughput", Scale::Quick, &[]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("pts-throughput", &settings, &mut bench);
        assert_eq!(bench.phases.len(), 2 * (2 + 5 * 2));
        assert_eq!(bench.phases[13].bytes(), Bytes::mib(32));
        // One access at a time, 100 us each.
        for (key, rate) in [("seq128k.read", 1_310.72), ("seq1m.write", 10_485.76)] {
            assert!((value(&output, key) / rate - 1.0).abs() < 1e-6, "{key}");
        }
        assert!((value(&output, "seq1m.steady.round") - 5.0).abs() < 1e-9);
    }
}
