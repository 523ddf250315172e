//! Boot by phases: what is read and written when, during a boot and after it.
//!
//! **What it measures.** Bytes read and written against the time since power-on; separately for the boot up to the
//! desktop and for the following period, in which the system only writes.
//!
//! **Who published it.** Reviewers who recorded a system's I/Os and found that a drive on which the desktop appears
//! quickly may be busy for long afterwards: the system's deferred writes come then.
//!
//! **Protocol.** The boot of `os-boot`, with its trace and its settings. The boot consists of all requests up to the
//! desktop; the writes after it are those requested from then on, and their phase lasts from the desktop until the last
//! of them completes. Aligned and misaligned are two targets: the second is the first with `partition_offset=31.5KiB`.
//! The host's share is a setting, taken from a boot off a RAM drive (`model:` of the kind RAM drive): the time that
//! remains there.
//!
//! **What it cannot tell.** As `os-boot`. Deferred writes that are still waiting when the desktop appears count as part
//! of the boot, although the drive does them later.

use base::chart::{Mark, designs};
use base::{
    Better, Bytes, Card, Chart, Curve, Duration, Figure, Fill, Forecast, Group, Info, Message, Op,
    PhaseRecord, Script, Settings, Stopped,
};

use crate::areas::forecast;
use crate::chart::rate_over_time;
use crate::figures::{Origin, was_served};
use crate::os_boot::{self, ACCESSES, HOST, SYSTEM, WRITE_PERCENT};
use crate::run::{PlainMethod, Run};
use crate::shared_settings::{PREPARE, extent, prepares};

pub(crate) static METHOD: PlainMethod = PlainMethod::new(&CARD, cost, perform);

static CARD: Card = Card {
    id: "boot-phases",
    title: "Boot by phases",
    publisher: "after reviewers; the trace is drivelab's own",
    summary: "Bytes read and written over time through a boot, and the deferred writes after the desktop.",
    version: 1,
    group: Group::Work,
    short: "Bytes over time through a boot",
    shortest: &["system=8MiB", "host=10ms"],
    #[rustfmt::skip]
    settings: &[ACCESSES, WRITE_PERCENT, HOST, SYSTEM, PREPARE],
    ..Card::PLAIN
};

/// Settings of `os-boot`: those that are not settings here keep its values.
fn of_the_boot(settings: &Settings) -> Settings {
    let mut boot = settings.clone();
    for setting in os_boot::CARD.settings {
        let by_scale = setting.by_scale[settings.scale as usize];
        let value = boot.values.entry(setting.key.to_owned());
        value.or_insert_with(|| by_scale.to_owned());
    }
    boot
}

fn cost(settings: &Settings, on: &Info) -> Forecast {
    let takes = os_boot::takes(&of_the_boot(settings), on);
    forecast(extent(settings, "system", on), on.writable, takes)
}

fn perform(run: &mut Run<'_>) -> Result<(), Stopped> {
    let settings = run.settings;
    let span = run.extent("system");
    if prepares(settings, &run.on) {
        run.write_in_order("restore the image", span, Fill::FRESH)?;
    }
    let script = os_boot::script(span, &of_the_boot(settings), &run.on);
    let late = late_writes(&script);
    let record = run.bench.script("boot", &script)?;
    let (host, output) = (settings.time("host"), &mut run.output);
    output.figures = figures(record, late, host);
    output.charts = vec![so_far(record), rate_over_time("boot.rate", record.job())];
    output
        .notes
        .push(Message::new("note-host-work", [("time", host.into())]));
    run.tell_grown(&[Bytes::kib(4)]);
    Ok(())
}

/// Number and bytes of the writes after the desktop: those after the mark.
fn late_writes(script: &Script) -> (u64, Bytes) {
    let late = script.ios_after_mark().filter(|io| io.op == Op::Write);
    late.fold((0, Bytes::ZERO), |(n, bytes), io| (n + 1, bytes + io.len))
}

fn figures(record: &PhaseRecord, (late, late_bytes): (u64, Bytes), host: Duration) -> Vec<Figure> {
    let origin = Origin::of(record);
    let marks = record.script.as_ref().map(|script| &script.marks);
    let desktop = marks.and_then(|marks| marks.last().copied());
    let after = desktop.map(|at| record.took.saturating_sub(at));
    let [reads, writes] = [Op::Read, Op::Write].map(|op| record.of(op));
    let early = writes.bytes.saturating_sub(late_bytes);
    let megabytes = |bytes: Bytes| bytes.get() as f64 / 1e6;
    let seconds = |time: Option<Duration>| time.map(Duration::as_secs_f64);
    let rate = |bytes: Bytes, time: Option<Duration>| {
        let seconds = seconds(time).filter(|seconds| *seconds > 0.0);
        seconds.map(|seconds| megabytes(bytes) / seconds)
    };
    let (all, late) = if was_served(record) {
        (reads.ios + writes.ios, late)
    } else {
        (0, 0)
    };
    let accesses = desktop.map(|at| at.saturating_sub(host));
    let (read, written) = (megabytes(reads.bytes), megabytes(early));
    let (lower, none) = (Better::Lower, Better::None);
    #[rustfmt::skip]
    let rows = [
        ("boot_s", "s", lower, seconds(desktop), "made-to-desktop", all),
        ("boot.accesses_s", "s", lower, seconds(accesses), "made-without-host", all),
        ("boot.read", "MB", none, Some(read), "made-asked-to-desktop", reads.ios),
        ("boot.written", "MB", none, Some(written), "made-asked-to-desktop", writes.ios - late.min(writes.ios)),
        ("boot.read-rate", "MB/s", none, rate(reads.bytes, desktop), "made-over-time-to-desktop", reads.ios),
        ("after_s", "s", lower, seconds(after), "made-from-desktop", late),
        ("after.written", "MB", none, Some(megabytes(late_bytes)), "made-asked-after-desktop", late),
        ("after.write-rate", "MB/s", none, rate(late_bytes, after), "made-over-time-after-desktop", late),
    ];
    origin.table("", &rows)
}

/// GB read and written so far, against time, with the desktop marked.
fn so_far(record: &PhaseRecord) -> Chart {
    let series = &record.job().series;
    let seconds = series.interval.as_secs_f64();
    let curve = |op: Op| {
        let mut bytes = 0_u64;
        let sum = series.points.iter().map(|point| {
            let cell = point.of(op);
            bytes += cell.bytes.get();
            Some(bytes as f64 / 1e9)
        });
        let y: Vec<Option<f64>> = std::iter::once(Some(0.0)).chain(sum).collect();
        let points = y.into_iter().enumerate();
        Curve::through(op.name(), points.map(|(i, y)| (i as f64 * seconds, y)))
    };
    let curves: Vec<Curve> = [Op::Read, Op::Write].map(curve).to_vec();
    let marks = record.script.iter().flat_map(|script| &script.marks);
    let read_by = |seconds: f64| {
        let reads = &curves[0];
        let at = reads.x.iter().rposition(|x| *x <= seconds).unwrap_or(0);
        reads.y[at].unwrap_or(0.0)
    };
    let marks = marks.map(|at| Mark {
        curve: Some(Op::Read.name().to_owned()),
        x: at.as_secs_f64(),
        y: read_by(at.as_secs_f64()).max(1e-6),
        label: Message::new("mark-desktop", [("time", (*at).into())]),
    });
    Chart {
        key: "boot.volume".to_owned(),
        design: designs::VOLUME,
        marks: marks.collect(),
        curves,
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::bench_double::BenchDouble;
    use crate::tests::{drive, output_of, settings, value};
    use base::method::Scale;

    #[test]
    fn the_phases_have_together_what_the_boot_has() {
        let given = ["accesses=2000", "write-percent=40", "host=2s"];
        let run = |method: &str| {
            let settings = settings(method, Scale::Quick, &given);
            output_of(method, &settings, &mut BenchDouble::new(drive()))
        };
        let (phases, boot) = (run("boot-phases"), run("os-boot"));
        let sum = value(&phases, "boot.written") + value(&phases, "after.written");
        assert!((sum - value(&boot, "written")).abs() < 1e-6);
        assert!((value(&phases, "boot.read") - value(&boot, "read")).abs() < 1e-6);
        assert!((value(&phases, "boot_s") - value(&boot, "boot_s")).abs() < 1e-9);
        // Of 800 writes, 30 of 100 come after the desktop.
        let after = phases.figures.iter().find(|f| f.key == "after.written");
        assert_eq!(after.unwrap().n, 240);
        let volume = &phases.charts[0];
        let last = volume.curves[0].y.last().copied().flatten().unwrap();
        assert!((last * 1e3 - value(&phases, "boot.read")).abs() < 1e-9);
        assert_eq!(volume.marks.len(), 1);
    }
}
