//! What is inside a drive: what was found, how sure it is, and what it means for whoever uses the drive.

use base::size::Bytes;
use base::time::Duration;
use results::RunResult;
use results::statement::{Quantity, Statement};

use super::explain_write_path::{buffer, rest, slc};
use super::figures::{count, figure, part_of, per_second, rate, size, time, value, why_not};

/// A read in order that takes less of a random one than this did not go to the medium.
const FETCHED: f64 = 0.6;
/// One that takes more went there as a random one does.
const NOT_FETCHED: f64 = 0.8;
/// In reverse, nothing is read ahead: so much longer than in order says that something is.
const REVERSE_LONGER: f64 = 2.0;
/// A random write that takes less of a read went somewhere else first; one that takes more did not.
const ELSEWHERE: f64 = 0.15;
const IN_PLACE: f64 = 0.25;
/// First writes that take less of a turn were taken by a write cache; those that take more went to the medium.
const CACHE_ON: f64 = 0.1;
const CACHE_OFF: f64 = 0.3;
/// Misaligned writes that take longer by less show no unit.
const LEAST_MISALIGNED: f64 = 1.25;
/// Reads that wait longer beside writes wait for whole programs.
const WAITS_FOR_PROGRAMS: Duration = Duration::from_micros(300);
/// A lone read that takes longer comes from a disk.
const FLASH_BELOW: Duration = Duration::from_millis(1);
/// A read of a trimmed page that takes less of another one did not go to the flash; one that takes more did.
const NOT_READ: f64 = 0.6;
const READ_AS_BEFORE: f64 = 0.9;
/// A second read that takes less of a first one came from a cache; one that takes more did not.
const KEPT: f64 = 0.5;
const NOT_KEPT: f64 = 0.75;
/// Zeros that are written faster by less show no compression.
const LEAST_COMPRESSED: f64 = 1.15;
/// A queue that gains less gains nothing.
const LEAST_GAIN: f64 = 1.1;

pub(super) fn answer(result: &RunResult) -> Option<Vec<Statement>> {
    let said = [
        rotation(result),
        seek(result),
        transfer(result),
        surfaces(result),
        map(result),
        read_ahead(result),
        streams(result),
        ahead_by(result),
        queue(result),
        again(result),
        wake(result),
        elsewhere(result),
        write_cache(result),
        unit(result),
        compression(result),
        beside(result),
        stripe(result),
        trim(result),
        buffer(result),
        slc(result),
        rest(result),
    ];
    let said: Vec<Statement> = said.into_iter().flatten().collect();
    (!said.is_empty()).then_some(said)
}

/// Turns, tracks and skew of a disk.
fn rotation(result: &RunResult) -> Option<Statement> {
    let Some(speed) = value(result, "rotation.speed") else {
        let why = why_not(result, "rotation.speed")?;
        return Some(Statement::new("answer-explain-rotation-not-visible").with("why", why));
    };
    let track = value(result, "rotation.track")?;
    let half_turn = Duration::from_secs_f64(30.0 / speed);
    Some(
        Statement::new("answer-explain-rotation")
            .with("speed", Quantity::Count(speed.round() as u64))
            .with("track", Quantity::Length(part_of(track, Bytes::kib(1))))
            .with("wait", Quantity::Time(half_turn)),
    )
}

/// How long the arm takes.
fn seek(result: &RunResult) -> Option<Statement> {
    let Some(mean) = figure(result, "seek.mean") else {
        let why = why_not(result, "seek.mean")?;
        return Some(Statement::new("answer-explain-seek-not-visible").with("why", why));
    };
    let between = mean.interval?;
    let ms = |ms: f64| Quantity::Time(Duration::from_secs_f64(ms.max(0.0) / 1e3));
    let of = |key: &str| time(result, key).map(Quantity::Time);
    Some(
        Statement::new("answer-explain-seek")
            .with("mean", of("seek.mean")?)
            .with("low", ms(between.low))
            .with("high", ms(between.high))
            .with("third", of("seek.third")?)
            .with("shortest", of("seek.shortest")?)
            .with("full", of("seek.full")?),
    )
}

/// How fast it streams, outside and inside.
fn transfer(result: &RunResult) -> Option<Statement> {
    let Some(outer) = rate(result, "transfer.outer") else {
        let why = why_not(result, "transfer.outer")?;
        return Some(Statement::new("answer-explain-transfer-not-visible").with("why", why));
    };
    Some(
        Statement::new("answer-explain-transfer")
            .with("outer", outer)
            .with("inner", rate(result, "transfer.inner")?)
            .with("mean", rate(result, "transfer.mean")?),
    )
}

/// Whether its surfaces are unlike: nothing where not even a rate was found.
fn surfaces(result: &RunResult) -> Option<Statement> {
    figure(result, "transfer.outer")?;
    let Some(fast) = rate(result, "transfer.surface-fast") else {
        let why = why_not(result, "transfer.surface-fast")?;
        return Some(Statement::new("answer-explain-surfaces-not-visible").with("why", why));
    };
    Some(
        Statement::new("answer-explain-surfaces")
            .with("fast", fast)
            .with("slow", rate(result, "transfer.surface-slow")?),
    )
}

/// The part of the address map in memory, and what a read outside it costs.
fn map(result: &RunResult) -> Option<Statement> {
    let Some(covered) = figure(result, "map.coverage") else {
        let why = why_not(result, "map.coverage")?;
        let key = match &why {
            Quantity::Why(why) if why.key() == Some("why-no-step") => {
                "answer-explain-map-not-visible"
            }
            _ => "answer-explain-map-not-asked",
        };
        return Some(Statement::new(key).with("why", why));
    };
    let (miss, hit) = (time(result, "map.miss")?, time(result, "map.hit")?);
    let length = |gib: f64| Quantity::Length(part_of(gib, Bytes::gib(1)));
    let mut said = Statement::new("answer-explain-map")
        .with("covered", length(covered.value?))
        .with("miss", Quantity::Time(miss))
        .with("hit", Quantity::Time(hit));
    if let Some(interval) = covered.interval {
        said = said
            .with("low", length(interval.low))
            .with("high", length(interval.high));
    }
    Some(said)
}

/// Whether reads in order are fetched before they are asked for.
fn read_ahead(result: &RunResult) -> Option<Statement> {
    let up = value(result, "ahead.in-order")?;
    let down = value(result, "ahead.in-reverse")?;
    let key = match (up, down) {
        (up, down) if up < FETCHED && down > REVERSE_LONGER * up => "answer-explain-reads-ahead",
        (up, down) if up < FETCHED && down < FETCHED => "answer-explain-keeps-neighbours",
        (up, _) if up > NOT_FETCHED => "answer-explain-no-read-ahead",
        _ => "answer-explain-read-ahead-open",
    };
    Some(
        Statement::new(key)
            .with("up", Quantity::Percent(100.0 * up))
            .with("down", Quantity::Percent(100.0 * down)),
    )
}

/// How many streams a disk's read cache follows.
fn streams(result: &RunResult) -> Option<Statement> {
    let Some(streams) = count(result, "segments.streams") else {
        let why = why_not(result, "segments.streams")?;
        return Some(Statement::new("answer-explain-streams-not-visible").with("why", why));
    };
    Some(Statement::new("answer-explain-streams").with("streams", Quantity::Count(streams)))
}

/// How far a disk reads ahead.
fn ahead_by(result: &RunResult) -> Option<Statement> {
    let Some(ahead) = size(result, "segments.ahead") else {
        let why = why_not(result, "segments.ahead")?;
        return Some(Statement::new("answer-explain-ahead-by-not-visible").with("why", why));
    };
    Some(Statement::new("answer-explain-ahead-by").with("ahead", Quantity::Length(ahead)))
}

/// What more than one read in flight gains.
fn queue(result: &RunResult) -> Option<Statement> {
    let gain = value(result, "depth.gain")?;
    let key = match gain < LEAST_GAIN {
        true => "answer-explain-queue-gains-nothing",
        false => "answer-explain-queue",
    };
    Some(
        Statement::new(key)
            .with("gain", Quantity::Factor(gain))
            .with("ceiling", per_second(result, "depth.ceiling")?)
            .with("depth", Quantity::Count(count(result, "depth.enough")?)),
    )
}

/// Whether what was read is read again from a cache.
fn again(result: &RunResult) -> Option<Statement> {
    let share = figure(result, "again.read")?;
    let [low, high] = share.interval.as_ref().map(|it| [it.low, it.high])?;
    let key = match share.value? {
        _ if high < KEPT => "answer-explain-read-again-kept",
        _ if low > NOT_KEPT => "answer-explain-read-again-not-kept",
        _ => "answer-explain-read-again-open",
    };
    Some(Statement::new(key).with("share", Quantity::Percent(100.0 * share.value?)))
}

/// Whether the first read after a rest takes longer.
fn wake(result: &RunResult) -> Option<Statement> {
    if let Some(longer) = time(result, "wake.longer") {
        let rest = Duration::from_secs_f64(value(result, "wake.rest")?);
        let said = Statement::new("answer-explain-wakes").with("rest", Quantity::Time(rest));
        return Some(said.with("longer", Quantity::Time(longer)));
    }
    match why_not(result, "wake.longer")? {
        Quantity::Why(why) if why.key() == Some("why-no-wake") => {
            let longest = Duration::from_secs_f64(value(result, "wake.longest-rest")?);
            Some(Statement::new("answer-explain-awake").with("rest", Quantity::Time(longest)))
        }
        _ => None,
    }
}

/// Whether zeros are written faster than random data.
fn compression(result: &RunResult) -> Option<Statement> {
    let faster = figure(result, "zeros.faster")?;
    let ratio = faster.value?;
    let certain = faster.interval.is_some_and(|it| it.low > 1.0);
    Some(match ratio > LEAST_COMPRESSED && certain {
        true => Statement::new("answer-explain-compresses").with("ratio", Quantity::Factor(ratio)),
        false => Statement::new("answer-explain-compression-not-visible"),
    })
}

/// Whether a disk writes at random somewhere else first.
fn elsewhere(result: &RunResult) -> Option<Statement> {
    let Some(share) = value(result, "elsewhere.write") else {
        let why = why_not(result, "elsewhere.write")?;
        return Some(Statement::new("answer-explain-writes-not-told").with("why", why));
    };
    let key = match share {
        share if share < ELSEWHERE => "answer-explain-writes-elsewhere",
        share if share > IN_PLACE => "answer-explain-writes-in-place",
        _ => "answer-explain-writes-open",
    };
    Some(Statement::new(key).with("share", Quantity::Percent(100.0 * share)))
}

/// Whether a disk's write cache is on, and how much it takes.
fn write_cache(result: &RunResult) -> Option<Statement> {
    let Some(share) = value(result, "write-cache.first") else {
        let why = why_not(result, "write-cache.first")?;
        return Some(Statement::new("answer-explain-write-cache-not-visible").with("why", why));
    };
    let of_a_turn = Quantity::Percent(100.0 * share);
    if share > CACHE_OFF {
        return Some(Statement::new("answer-explain-write-cache-off").with("share", of_a_turn));
    }
    if share > CACHE_ON {
        return Some(Statement::new("answer-explain-write-cache-open").with("share", of_a_turn));
    }
    let entries = count(result, "write-cache.entries").map(Quantity::Count);
    let bytes = value(result, "write-cache.bytes");
    let bytes = bytes.map(|mib| Quantity::Length(part_of(mib.max(1.0), Bytes::mib(1))));
    let said = match (&entries, &bytes) {
        (Some(_), Some(_)) => Statement::new("answer-explain-write-cache"),
        (Some(_), None) => Statement::new("answer-explain-write-cache-entries"),
        (None, Some(_)) => Statement::new("answer-explain-write-cache-bytes"),
        (None, None) => {
            let why = why_not(result, "write-cache.entries")?;
            Statement::new("answer-explain-write-cache-on").with("why", why)
        }
    };
    let limits = [("entries", entries), ("bytes", bytes)];
    let known = limits
        .into_iter()
        .filter_map(|(key, limit)| Some((key, limit?)));
    Some(known.fold(said, |said, (key, limit)| said.with(key, limit)))
}

/// What misaligned writes cost.
fn unit(result: &RunResult) -> Option<Statement> {
    let found = figure(result, "unit.misaligned")?;
    let ratio = found.value?;
    let certain = found.interval.is_some_and(|it| it.low > 1.0);
    Some(match ratio > LEAST_MISALIGNED && certain {
        true => Statement::new("answer-explain-unit").with("ratio", Quantity::Factor(ratio)),
        false => Statement::new("answer-explain-unit-not-visible"),
    })
}

/// What reads wait for beside writes.
fn beside(result: &RunResult) -> Option<Statement> {
    let (alone, beside) = (
        time(result, "beside.alone")?,
        time(result, "beside.writes")?,
    );
    let turns = time(result, "lone.read").is_none_or(|lone| lone > FLASH_BELOW);
    let key = match beside.saturating_sub(alone) > WAITS_FOR_PROGRAMS {
        _ if turns => "answer-explain-beside-disk",
        true => "answer-explain-beside-waits",
        false => "answer-explain-beside-stops",
    };
    let said = Statement::new(key).with("alone", Quantity::Time(alone));
    Some(said.with("beside", Quantity::Time(beside)))
}

/// How pages lie on the dies.
fn stripe(result: &RunResult) -> Option<Statement> {
    let Some(pages) = count(result, "stripe.pages") else {
        let why = why_not(result, "stripe.pages")?;
        return Some(Statement::new("answer-explain-stripe-not-visible").with("why", why));
    };
    let Some(planes) = count(result, "stripe.side-by-side") else {
        let said = Statement::new("answer-explain-stripe-of-unknown-width");
        return Some(said.with("pages", Quantity::Count(pages)));
    };
    Some(
        Statement::new("answer-explain-stripe")
            .with("pages", Quantity::Count(pages))
            .with("planes", Quantity::Count(planes))
            .with("dies", Quantity::Count(pages / planes.max(1))),
    )
}

/// Whether TRIM is obeyed.
fn trim(result: &RunResult) -> Option<Statement> {
    let Some(share) = value(result, "trim.read") else {
        let why = why_not(result, "trim.read")?;
        return Some(Statement::new("answer-explain-trim-not-asked").with("why", why));
    };
    let key = match share {
        share if share < NOT_READ => "answer-explain-trim",
        share if share > READ_AS_BEFORE => "answer-explain-trim-ignored",
        _ => "answer-explain-trim-open",
    };
    Some(Statement::new(key).with("share", Quantity::Percent(100.0 * share)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::figures::measured;
    use base::health::HealthSample;
    use base::result::Interval;

    fn keys(figures: &[(&str, f64, &str)]) -> Vec<&'static str> {
        let said = answer(&measured("explain", figures)).unwrap_or_default();
        said.iter().map(|said| said.key).collect()
    }

    #[test]
    fn each_finding_has_its_sentence() {
        let disk = [
            ("rotation.speed", 7_200.2, "1/min"),
            ("rotation.track", 1_420.0, "KiB"),
            ("depth.gain", 2.1, "ratio"),
            ("depth.ceiling", 160.0, "IOPS"),
            ("depth.enough", 32.0, "count"),
        ];
        assert_eq!(
            keys(&disk),
            ["answer-explain-rotation", "answer-explain-queue"]
        );
        let flat = [
            ("depth.gain", 1.02, "ratio"),
            ("depth.ceiling", 123.0, "IOPS"),
            ("depth.enough", 1.0, "count"),
        ];
        assert_eq!(keys(&flat), ["answer-explain-queue-gains-nothing"]);
        let flash = [
            ("map.hit", 70.0, "us"),
            ("map.coverage", 62.0, "GiB"),
            ("map.miss", 24.0, "us"),
        ];
        assert_eq!(keys(&flash), ["answer-explain-map"]);
    }

    #[test]
    fn what_writes_show_has_its_sentence() {
        let of = |key, value, unit| keys(&[("lone.read", 80.0, "us"), (key, value, unit)]);
        assert_eq!(
            of("elsewhere.write", 0.01, "ratio"),
            ["answer-explain-writes-elsewhere"]
        );
        assert_eq!(
            of("elsewhere.write", 0.7, "ratio"),
            ["answer-explain-writes-in-place"]
        );
        assert_eq!(
            of("elsewhere.write", 0.2, "ratio"),
            ["answer-explain-writes-open"]
        );
        // Without an interval nothing is certain.
        assert_eq!(
            of("unit.misaligned", 5.0, "ratio"),
            ["answer-explain-unit-not-visible"]
        );
        assert_eq!(of("trim.read", 0.1, "ratio"), ["answer-explain-trim"]);
        assert_eq!(
            of("trim.read", 1.0, "ratio"),
            ["answer-explain-trim-ignored"]
        );
        let beside = |lone, writes| {
            let figures = [
                ("lone.read", lone, "us"),
                ("beside.alone", 120.0, "us"),
                ("beside.writes", writes, "us"),
            ];
            keys(&figures)
        };
        assert_eq!(beside(80.0, 150.0), ["answer-explain-beside-stops"]);
        assert_eq!(beside(80.0, 1_700.0), ["answer-explain-beside-waits"]);
        assert_eq!(beside(8_000.0, 30_000.0), ["answer-explain-beside-disk"]);
        let stripe = [
            ("stripe.pages", 32.0, "count"),
            ("stripe.side-by-side", 2.0, "count"),
        ];
        assert_eq!(keys(&stripe), ["answer-explain-stripe"]);
    }

    #[test]
    fn each_part_of_a_disk_has_its_sentence() {
        let mut seek = measured(
            "explain",
            &[
                ("seek.mean", 8.2, "ms"),
                ("seek.third", 8.5, "ms"),
                ("seek.shortest", 1.0, "ms"),
                ("seek.full", 15.6, "ms"),
            ],
        );
        // Without an interval no mean is told.
        assert!(answer(&seek).is_none());
        seek.figures[0].interval = Some(base::result::Interval {
            low: 7.8,
            high: 8.6,
            confidence_percent: 95.0,
        });
        let said = answer(&seek).unwrap();
        assert_eq!(said[0].key, "answer-explain-seek");
        let transfer = [
            ("transfer.outer", 164.0, "MB/s"),
            ("transfer.inner", 88.0, "MB/s"),
            ("transfer.mean", 127.0, "MB/s"),
            ("transfer.surface-fast", 181.0, "MB/s"),
            ("transfer.surface-slow", 147.0, "MB/s"),
        ];
        let [rates, surfaces] = ["answer-explain-transfer", "answer-explain-surfaces"];
        assert_eq!(keys(&transfer), [rates, surfaces]);
        assert_eq!(keys(&transfer[..3]), [rates]);
        let cache = [
            ("segments.streams", 16.0, "count"),
            ("segments.ahead", 1_024.0, "KiB"),
        ];
        let [streams, ahead] = ["answer-explain-streams", "answer-explain-ahead-by"];
        assert_eq!(keys(&cache), [streams, ahead]);
    }

    #[test]
    fn a_write_cache_is_on_with_what_it_takes_or_off_or_open() {
        let of = |first, limits: &[(&str, f64, &str)]| {
            let mut figures = vec![("write-cache.first", first, "ratio")];
            figures.extend(limits);
            keys(&figures)
        };
        let (entries, bytes) = (
            ("write-cache.entries", 128.0, "count"),
            ("write-cache.bytes", 24.2, "MiB"),
        );
        assert_eq!(of(0.01, &[entries, bytes]), ["answer-explain-write-cache"]);
        assert_eq!(of(0.01, &[entries]), ["answer-explain-write-cache-entries"]);
        assert_eq!(of(0.01, &[bytes]), ["answer-explain-write-cache-bytes"]);
        assert_eq!(of(0.2, &[]), ["answer-explain-write-cache-open"]);
        assert_eq!(of(0.7, &[]), ["answer-explain-write-cache-off"]);
    }

    #[test]
    fn the_write_path_has_its_sentences_where_there_are_intervals() {
        let mut found = measured(
            "explain",
            &[
                ("buffer.at-least", 22.0, "MiB"),
                ("buffer.at-most", 25.5, "MiB"),
                ("slc.size", 42.0, "GB"),
                ("slc.before", 3_300.0, "MB/s"),
                ("slc.after", 1_310.0, "MB/s"),
                ("rest.onset", 10.0, "s"),
                ("rest.gives-back", 1_200.0, "MB/s"),
            ],
        );
        assert!(answer(&found).is_none());
        for figure in &mut found.figures {
            let of = figure.value.unwrap();
            figure.interval = Some(Interval {
                low: 0.9 * of,
                high: 1.1 * of,
                confidence_percent: 95.0,
            });
        }
        let mut said_at = |celsius| {
            found.health_during = vec![HealthSample {
                at: Duration::ZERO,
                temperature_celsius: celsius,
                host_written: None,
            }];
            let said = answer(&found).unwrap();
            said.iter().map(|said| said.key).collect::<Vec<&str>>()
        };
        let with = |slc| ["answer-explain-buffer", slc, "answer-explain-rest"];
        // Hot, or with no temperature, it may as well throttle.
        assert_eq!(said_at(Some(45)), with("answer-explain-slc"));
        for celsius in [Some(78), None] {
            assert_eq!(said_at(celsius), with("answer-explain-slc-or-heat"));
        }
    }

    #[test]
    fn caches_sleep_and_compression_have_their_sentences() {
        let mut read_again = measured("explain", &[("again.read", 0.1, "ratio")]);
        // Without an interval nothing is certain.
        assert!(answer(&read_again).is_none());
        let mut between = |low, high| {
            read_again.figures[0].interval = Some(Interval {
                low,
                high,
                confidence_percent: 95.0,
            });
            answer(&read_again).unwrap()[0].key
        };
        assert_eq!(between(0.05, 0.2), "answer-explain-read-again-kept");
        assert_eq!(between(0.9, 1.1), "answer-explain-read-again-not-kept");
        assert_eq!(between(0.4, 0.9), "answer-explain-read-again-open");
        let wakes = [("wake.rest", 0.1, "s"), ("wake.longer", 1_230.0, "us")];
        assert_eq!(keys(&wakes), ["answer-explain-wakes"]);
        assert_eq!(
            keys(&[("zeros.faster", 2.0, "ratio")]),
            ["answer-explain-compression-not-visible"]
        );
    }

    #[test]
    fn read_ahead_is_told_from_what_is_kept_and_from_neither() {
        let of = |up, down| {
            keys(&[
                ("ahead.in-order", up, "ratio"),
                ("ahead.in-reverse", down, "ratio"),
            ])
        };
        assert_eq!(of(0.1, 1.0), ["answer-explain-reads-ahead"]);
        assert_eq!(of(0.01, 0.5), ["answer-explain-reads-ahead"]);
        assert_eq!(of(0.3, 0.3), ["answer-explain-keeps-neighbours"]);
        assert_eq!(of(1.0, 1.0), ["answer-explain-no-read-ahead"]);
        assert_eq!(of(0.7, 0.9), ["answer-explain-read-ahead-open"]);
    }
}
