//! What the host wrote to each drive over the time of a run, as the drive itself counted it.
//!
//! The drive's temperature comes as a chart of the result; the bytes stand in `health_during`, and
//! are drawn from where each drive's counter began. A drive whose counter did not move, or that told
//! it less than twice, has no line.

use base::health::HealthSample;
use base::result::Curve;

use super::{PlotGroup, range};
use crate::chart::{Axis, Line, Plot, Reading, Scale, nice_end};
use crate::lang::Texts;
use analysis::group::{Section, Subject};

/// The picture, or nothing where no drive has a line.
pub(super) fn group(section: &Section, subjects: &[Subject], texts: &Texts) -> Option<PlotGroup> {
    let lines: Vec<Line> = section
        .results
        .iter()
        .filter_map(|(subject, result)| {
            let curve = curve(&result.health_during)?;
            Some(super::transfer::drive_line(&subjects[*subject], &curve))
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    let end = lines.iter().filter_map(|line| line.x.last().copied());
    let x = Axis {
        label: texts.say("seconds-axis"),
        scale: Scale::Linear,
        reading: Reading::Number,
        low: 0.0,
        high: end.fold(0.0, f64::max).max(1e-3),
    };
    // A count that begins at 0 is drawn from 0, whatever lies between the drives.
    let most = lines.iter().flat_map(|line| &line.y).flatten();
    let y = Axis {
        label: texts.say("host-writes-axis"),
        scale: Scale::Linear,
        reading: Reading::Number,
        low: 0.0,
        high: nice_end(most.copied().fold(0.0, f64::max)),
    };
    let ranges: Vec<String> = lines.iter().map(|l| range(l, y.reading, texts)).collect();
    let title = texts.say("chart-host-writes");
    Some(PlotGroup {
        title: title.clone(),
        explanation: texts.say("desc-host-writes"),
        plots: vec![Plot {
            id: String::new(),
            subject: None,
            title,
            description: format!("{} ({})", ranges.join("; "), y.label),
            x,
            y,
            lines,
            marks: Vec::new(),
        }],
    })
}

/// GB (10^9) since the first sample; nothing where the counter stood still.
fn curve(samples: &[HealthSample]) -> Option<Curve> {
    let told: Vec<(f64, f64)> = samples
        .iter()
        .filter_map(|s| Some((s.at.as_secs_f64(), s.host_written?.get() as f64 / 1e9)))
        .collect();
    let (first, last) = (told.first()?.1, told.last()?.1);
    (last > first).then(|| Curve {
        name: "write".to_owned(),
        x: told.iter().map(|(at, _)| *at).collect(),
        y: told.iter().map(|(_, gb)| Some(gb - first)).collect(),
        low: None,
        high: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Lang;
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
        results[0].health_during = vec![told(0, 500), told(10, 512)];
        results[1].health_during = vec![told(0, 7), told(10, 7)];
        let groups = Groups::new(&results);
        let texts = Texts::new(Lang::En);
        let group = group(&groups.sections[0], &groups.subjects, &texts).unwrap();
        let lines = &group.plots[0].lines;
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].y, [Some(0.0), Some(12.0)]);
        let y = &group.plots[0].y;
        assert!(y.label.contains("GB") && y.scale == Scale::Linear && y.low.abs() < 1e-12);
    }
}
