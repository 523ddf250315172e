//! The longest response of a run, which no model of one drive can tell.
//!
//! It is one I/O of millions, and what it waited for (a chore of the firmware, the host) comes at its own times: two runs of
//! one drive differ by more than two drives do. Simulated maxima correlated by 0.2 with the measured ones in the first
//! blind test, and a constant was nearer. So a drive of flash gets what its class had: the 10th, 50th and 90th
//! percentile of the longest responses in a minute of 4 KiB I/Os at depths 1 to 32, each drive with the same weight. On
//! one of the hosts some of 2 to 9 ms were the host's own; the longest of a flush is taken alike.
//! A disk's longest response grows with its queue, which its model knows: there the median of the drawn drives counts.

use sim::catalogue::describe;

use super::questions::{Asked, Response};

/// With capacitors, in microseconds: D3-S4610, PM883, DC500M (72 runs).
const PROTECTED: [f64; 3] = [760.0, 2_970.0, 9_420.0];
/// Without: MX200, 860 PRO (24 runs). The longest flushes of five such drives were 1.9, 7.6, 22 and 51 ms.
const UNPROTECTED: [f64; 3] = [1_510.0, 7_560.0, 28_300.0];

/// What the drive's class has, if it is of flash and its longest response is asked for.
pub(super) fn of_class(drive: &str, asked: &Asked) -> Option<[f64; 3]> {
    if asked.what() != Some(Response::Longest) {
        return None;
    }
    let sheet = describe(drive).ok()?;
    sheet
        .sections
        .iter()
        .find(|section| section.name == "nand")?;
    Some(match super::is_protected(drive) {
        true => PROTECTED,
        false => UNPROTECTED,
    })
}

/// The middle of the drawn drives' figures; `None` without drawings.
pub(super) fn median(drawings: &[f64]) -> Option<f64> {
    let mut sorted = drawings.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(depth: u32) -> Asked {
        Asked::Random {
            read_percent: 100,
            writes: false,
            depth,
            file: None,
            what: Response::Longest,
        }
    }

    #[test]
    fn a_drive_of_flash_has_its_class_s_longest_response_and_a_disk_has_its_own() {
        let of = |drive: &str| of_class(drive, &longest(1));
        assert_eq!(of("samsung-pm883-480gb"), Some(PROTECTED));
        assert_eq!(of("samsung-860-evo-1tb"), Some(UNPROTECTED));
        assert_eq!(of("samsung-hd103uj-1tb"), None);
        assert_eq!(of("intel-optane-900p-280gb"), None);
        let median_asked = Asked::Random {
            read_percent: 100,
            writes: false,
            depth: 1,
            file: None,
            what: Response::Median,
        };
        assert_eq!(of_class("samsung-pm883-480gb", &median_asked), None);
    }

    #[test]
    fn the_middle_of_drawn_maxima_does_not_follow_one_of_them() {
        assert_eq!(median(&[3.0, 900.0, 1.0]), Some(3.0));
        assert_eq!(median(&[]), None);
    }
}
