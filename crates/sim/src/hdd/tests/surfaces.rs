//! Surfaces of different density, on and off: what a scan sees of them.

use super::super::geometry::surfaces::Surfaces;
use super::*;

/// One zone of 3,000 sectors a track on the densest of four surfaces, 60 tracks a band.
fn uneven(spread: f64) -> Parameters {
    let share = Angle::share(15, 100);
    let surfaces = Surfaces {
        heads: 4,
        densest: 0,
        spread: [spread; 2],
        band_cylinders: 60,
        whole: 8,
        track_skew: share,
        head_skew: share,
        // Back over a band's tracks takes 2.1 ms.
        band_skew: Angle::share(3, 10),
    };
    let geometry = Geometry::new(4, 1, false, surfaces.layouts(&[3_000], 1_000)).unwrap();
    let actuator = Actuator {
        curve: SeekCurve::from_mean(24_000, 8_200_000, 0.11).unwrap(),
        head_switch_ns: 1_000_000,
        write_settle_ns: 100_000,
        write_more_q16: 0,
    };
    Parameters {
        blocks: geometry.blocks(),
        mechanics: Mechanics::new(geometry, actuator, Spindle::new(7_200)),
        ..disk()
    }
}

/// Least and greatest rate in MB/s over slices of 10 MiB of the first 400 MiB.
fn band(p: Parameters, write: bool) -> (f64, f64) {
    let mut target = drive(p);
    let mut done: Vec<Done> = Vec::new();
    let (mut least, mut most) = (f64::MAX, 0_f64);
    let mut before = Instant::ZERO;
    for access in 1..=6_400_u64 {
        let (offset, len) = (Bytes::kib(64 * (access - 1)), Bytes::kib(64));
        let io = if write {
            Io::write(offset, len, 0)
        } else {
            Io::read(offset, len)
        };
        target.submit(Tag(0), &io).unwrap();
        while done.is_empty() {
            target.wait(None, &mut done);
        }
        let now = done.pop().unwrap().at;
        if access % 160 == 0 {
            // The first slices fill the write cache.
            if access > 640 {
                let rate = 10.485_76 / now.since(before).as_secs_f64();
                (least, most) = (least.min(rate), most.max(rate));
            }
            before = now;
        }
    }
    (least, most)
}

#[test]
fn a_scan_shows_the_spread_as_a_band_the_same_for_reads_and_writes() {
    let densest = 3_000.0 * 512.0 / (TURN * 1.15 / 1e3);
    for write in [false, true] {
        let (least, most) = band(uneven(0.2), write);
        assert!(
            (most / densest - 1.0).abs() < 0.03,
            "{write} {most} {densest}"
        );
        assert!(
            (least / densest / 0.8 - 1.0).abs() < 0.03,
            "{write} {least}"
        );
        let (least, most) = band(uneven(0.0), write);
        assert!(least / most > 0.94, "{write} {least} {most}");
    }
}
