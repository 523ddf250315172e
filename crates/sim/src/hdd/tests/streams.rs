//! Streams: what runs ahead of the medium, and what does not.

use super::*;

#[test]
fn a_stream_may_not_run_ahead_of_the_medium_by_more_than_its_run() {
    let ahead = |write_run_blocks| {
        let mut target = drive(with(disk(), |p| {
            p.write_cache.run_blocks = write_run_blocks
        }));
        // 64 KiB each; as long as they find room they take the time of the wire.
        let writes = (0..300).map(|i| one(&mut target, Duration::ZERO, write(i * 128, 128)));
        writes
            .take_while(|&took| took < Duration::from_micros(200))
            .count()
    };
    // 16 MiB of cache, and half a track of it written meanwhile; a run of 2 MiB.
    assert!(
        (240..=300).contains(&ahead(u64::MAX)),
        "{}",
        ahead(u64::MAX)
    );
    assert!((30..=34).contains(&ahead(4_096)), "{}", ahead(4_096));
    // Beside a stream that waits there is room for others.
    let limited = with(disk(), |p| p.write_cache.run_blocks = 4_096);
    let rate = |p, depth| iops(p, Op::Write, Order::Sequential, 64, depth, 20_000);
    assert!((rate(limited.clone(), 8) / rate(disk(), 8) - 1.0).abs() < 0.02);
    assert!((rate(limited, 1) / rate(disk(), 1) - 1.0).abs() < 0.02);
}
