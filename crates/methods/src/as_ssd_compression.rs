//! AS SSD's compression test: rate against compressibility.
//!
//! **What it measures.** The sequential rate of writing and reading data that is compressible by 0, 10, ... 100 %. A
//! controller that compresses (SandForce) gets faster with it; any other does not.
//!
//! **Who published it.** Alex Intelligent Software, AS SSD Benchmark 1.6 to 2.0; its workings are taken from third
//! parties' pages, not from its source.
//!
//! **Protocol.** For each share from 0 to 100 %: the test area is written sequentially, 16 MiB per I/O at queue depth
//! 1, with data in which that share of every 4 KiB is zeros and the rest is random; then it is read in the same way.
//! MB/s are 10^6 bytes per second. The verdict is the ratio of the rates at 100 % and at 0 %.
//!
//! **What it cannot tell.** The original's size and steps are not known; ours are settings. How well a controller
//! compresses data that is regular rather than half zeros is another question. A file system or host that compresses
//! would also show.

use base::chart::designs;
use base::io::FillKind;
use base::{
    Better, Bytes, Card, Chart, Curve, Fill, Forecast, Group, Info, Message, Needs, Op, Rate,
    Setting, Settings, Stopped, Workload, splitmix64,
};

use crate::areas::{ONE_PASS, forecast_of, in_order};
use crate::figures::{Origin, valued};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{extent, part};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

const OPS: [Op; 2] = [Op::Write, Op::Read];

static CARD: Card = Card {
    id: "as-ssd-compression",
    title: "AS SSD: compression test",
    publisher: "Alex Intelligent Software, AS SSD Benchmark 1.6 to 2.0",
    summary: "Sequential rate of data that is 0 to 100 % compressible: whether the controller compresses, and what it gains.",
    version: 1,
    group: Group::Program,
    short: "Rate against compressibility of the data",
    needs: &[Needs::Flash("it stores data uncompressed"), Needs::Writing],
    shortest: &["size=4MiB"],
    #[rustfmt::skip]
    settings: &[
        part("size", "bytes written and read at each share", ["16MiB", "256MiB", "1GiB"]),
        Setting::count("step", "per cent between two shares", 1..=100, ["25", "10", "10"]),
    ],
    ..Card::PLAIN
};

/// The shares in per cent; 100 is always the last.
fn shares(settings: &Settings) -> Vec<u8> {
    let step = usize::try_from(settings.count("step")).unwrap_or(100);
    (0..100).step_by(step).chain([100]).collect()
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let extent = extent(settings, "size", on);
    let ops: &[Op] = if on.writable { &OPS } else { &[] };
    forecast_of(extent, extent * shares(settings).len() as u64, ops)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    if !run.on.writable {
        return run.not_writable("gain.write", "x", Better::None);
    }
    let span = run.extent("size");
    let shares = shares(settings);
    let mut rates: [Vec<Option<f64>>; 2] = Default::default();
    let mut gained = Origin::default();
    for share in &shares {
        for (op, rates) in OPS.into_iter().zip(&mut rates) {
            let mut job = in_order(op.name(), op, span, Bytes::mib(16), 1);
            job.fill = Fill {
                kind: FillKind::Fresh,
                compressible_percent: *share,
            };
            let seed = splitmix64(settings.seed ^ u64::from(*share));
            let work = Workload::single(job, ONE_PASS, seed);
            let name = format!("{share} % {}", op.name());
            let record = run.bench.phase(&name, &work)?;

            let key = format!("{share}-percent.{}", op.name());
            let origin = Origin::of(record);
            rates.push(record.rate().map(Rate::mb_s));
            run.output.figures.push(origin.transfer_rate(&key, record));
            gained.by = origin.by;
        }
    }
    for (op, rates) in OPS.into_iter().zip(&rates) {
        let ends = rates.last().copied().flatten().zip(rates[0]);
        let key = format!("gain.{}", op.name());
        let gain = gained.figure(&key, "x", Better::None);
        let words = Message::of("made-compression-gain");
        let figure = valued(gain, ends.map(|(all, none)| all / none), words, 2);
        run.output.figures.push(figure);
    }
    run.output.charts.push(chart(&shares, rates));
    Ok(())
}

fn chart(shares: &[u8], rates: [Vec<Option<f64>>; 2]) -> Chart {
    let curve = |(op, rates): (Op, Vec<Option<f64>>)| {
        let shares = shares.iter().map(|share| f64::from(*share));
        Curve::through(op.name(), shares.zip(rates))
    };
    Chart::new(
        "compression",
        designs::COMPRESSION,
        OPS.into_iter().zip(rates).map(curve).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn every_share_is_written_with_such_data_and_read() {
        let settings = settings("as-ssd-compression", Scale::Quick, &["step=30"]);
        assert_eq!(shares(&settings), [0, 30, 60, 90, 100]);
        let mut bench = BenchDouble::new(drive());
        let output = output_of("as-ssd-compression", &settings, &mut bench);
        let fills: Vec<u8> = bench
            .phases
            .iter()
            .step_by(2)
            .map(|phase| phase.workload.jobs[0].fill.compressible_percent)
            .collect();
        assert_eq!(fills, shares(&settings));
        assert!((value(&output, "gain.write") - 1.0).abs() < 1e-9);
        assert_eq!(output.charts[0].curves[0].x.len(), 5);
    }
}
