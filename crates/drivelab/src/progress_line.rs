//! One line on the terminal that says where a run stands: phase, speed, time left, p99.
//!
//! It goes to standard error, and only where that is a terminal; elsewhere each step is one line.

use std::io::IsTerminal;

use base::printable::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::progress::{Progress, Standing};

/// The progress line.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
}

impl ProgressLine {
    /// A line on standard error, where that is a terminal.
    pub(crate) fn new() -> ProgressLine {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(1_000), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{bar:18} {wide_msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar
        });
        ProgressLine { bar }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for ProgressLine {
    fn show(&mut self, standing: &Standing<'_>) {
        let Some(bar) = &self.bar else { return };
        bar.set_position((standing.fraction.unwrap_or(0.0) * 1_000.0) as u64);
        bar.set_message(printable(&words(standing)).into_owned());
    }

    fn building(&mut self, target: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(printable(&format!("building {target}")).into_owned());
        }
    }

    fn say(&mut self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| crate::output::say(line)),
            None => crate::output::say(line),
        }
    }
}

/// `Quick scan: read region 012 | 512 MB/s, 7,800 IOPS | p99 1.20 ms | 42 s left`.
fn words(standing: &Standing<'_>) -> String {
    let mut parts = vec![format!("{}: {}", standing.method, standing.phase)];
    if let (Some(mb_s), Some(iops)) = (standing.mb_s, standing.iops) {
        parts.push(format!("{mb_s:.1} MB/s, {iops:.0} IOPS"));
    }
    if let Some(p99) = standing.p99 {
        parts.push(format!("p99 {p99}"));
    }
    if let Some(left) = standing.left {
        parts.push(format!("{left} left"));
    }
    parts.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::time::Duration;

    #[test]
    fn the_line_says_phase_speed_tail_and_time_left() {
        let standing = Standing {
            target: "a drive",
            method: "Quick scan",
            phase: "read region 012",
            mb_s: Some(512.25),
            iops: Some(7_816.4),
            p99: Some(Duration::from_micros(1_200)),
            fraction: Some(0.5),
            left: Some(Duration::from_secs(42)),
        };
        assert_eq!(
            words(&standing),
            "Quick scan: read region 012 | 512.2 MB/s, 7816 IOPS | p99 1.20 ms | 42.0 s left"
        );
    }
}
