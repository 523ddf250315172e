//! What the host wrote to each drive over the time of a run, as the drive itself counted it.
//!
//! The drive's temperature comes as a chart of the result; the bytes are in `health_during`, and
//! are drawn relative to the start of each drive's counter. A drive whose counter did not move, or was
//! read less than twice, has no line. A short run has no picture: it would show no more than its settings.

use base::chart::{Axis, Chart, Curve, Design, Text, designs};
use base::health::HealthSample;

/// x: seconds since the run began; y: GB (10^9) since then.
const HOST_WRITES: Design = Design::overlaid(
    Text::new("Host writes over time", "ホスト書き込み量の推移"),
    Text::new(
        "What the host wrote to each drive since the run began, by the drive's own counter.",
        "測定開始からホストが各ドライブに書き込んだ量。ドライブ自身のカウンターによる。",
    ),
    Axis::linear(designs::ELAPSED, "s"),
    Axis::linear(Text::new("Written", "書き込み量"), "GB"),
);

/// A run that is over sooner has no picture.
const SHORTEST_DRAWN: f64 = 120.0;

/// The chart of one run; `None` where the counter did not move, or not for long.
pub(super) fn host_writes(samples: &[HealthSample]) -> Option<Chart> {
    let read: Vec<(f64, f64)> = samples
        .iter()
        .filter_map(|s| Some((s.at.as_secs_f64(), s.host_written?.get() as f64 / 1e9)))
        .collect();
    let (first, last) = (read.first()?.1, read.last()?.1);
    let (x, y) = read.iter().map(|(at, gb)| (*at, Some(gb - first))).unzip();
    let curve = Curve::new("host-writes", x, y);
    let seconds = samples.last()?.at.as_secs_f64();
    (last > first && seconds >= SHORTEST_DRAWN)
        .then(|| Chart::new("host-writes", HOST_WRITES, vec![curve]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Scale;
    use crate::lang::Lang;
    use crate::lang::Texts;
    use analysis::group::Groups;
    use base::size::Bytes;
    use base::time::Duration;
    use fixtures::results as sample;

    #[test]
    fn host_writes_are_drawn_from_the_run_s_own_beginning_and_only_where_they_grow() {
        let told = |seconds, gb: u64| HealthSample {
            at: Duration::from_secs(seconds),
            temperature_celsius: None,
            host_written: Some(Bytes::new(gb * 1_000_000_000)),
        };
        let mut results = sample::review();
        results.truncate(2);
        results[0].health_during = vec![told(0, 500), told(120, 512)];
        results[1].health_during = vec![told(0, 7), told(120, 7)];
        let groups = Groups::new(&results);
        let texts = Texts::new(Lang::En);
        let groups = super::super::plots(&groups.sections[0], &groups.subjects, &texts, 1);
        let group = groups.last().unwrap();
        assert_eq!(group.title, "Host writes over time");
        let lines = &group.plots[0].lines;
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].y, [Some(0.0), Some(12.0)]);
        let y = &group.plots[0].y;
        assert!(y.label.contains("GB") && y.scale == Scale::Linear && y.low.abs() < 1e-12);
    }
}
