//! Each mechanism switched on and off on a made-up disk whose times follow in closed form.

use base::io::Io;
use base::size::Bytes;
use base::target::Tag;
use base::time::Instant;

use super::super::extracted::file::DiskFile;
use super::super::overheads::After;
use super::super::parameters::Parameters;
use super::*;
use crate::model::Model;

/// A revolution of 10 ms, 100 sectors a track, 0.2 ms a block on the bus, no skew, seeks of 5 ms.
const DISK: &str = r#"
name = "made up"
number_of_data_surfaces = 2
[mechanics]
access_time_type = "trackSwitchPlusRotation"
seek_type = "extracted"
seek_curve_cylinders_ms = [[1, 5.0], [90, 5.0]]
head_switch_time = 1.0
rotation_speed_in_rpms = 6000
[controller]
number_of_buffer_segments = 2
segment_size_in_blks = 150
bulk_sector_transfer_time = 0.2
enable_caching_in_buffer = 1
read_hit_over_after_read = 0.1
read_hit_over_after_write = 0.4
read_miss_over_after_read = 0.3
read_miss_over_after_write = 0.3
write_hit_over_after_read = 0.5
write_hit_over_after_write = 0.6
[layout]
lbn_to_pbn_mapping_scheme = 0
sparing_scheme_used = 7
[[layout.zones]]
first_cylinder_number = 0
last_cylinder_number = 99
blocks_per_track = 100
"#;

fn with(change: impl FnOnce(&mut Unqueued)) -> Hdd {
    let mut p: Parameters = DiskFile::read(DISK, "made up")
        .unwrap()
        .parameters()
        .unwrap();
    let mut rules = p.unqueued.unwrap();
    change(&mut rules);
    p.unqueued = Some(rules);
    Hdd::new(p)
}

/// Milliseconds that each request takes that comes at a given time: (ms, op, block, blocks). A time
/// before the end of the one before means right after it.
fn run(disk: &mut Hdd, requests: &[(f64, Op, u64, u64)]) -> Vec<f64> {
    let mut free = 0;
    let mut done = Vec::new();
    requests
        .iter()
        .map(|&(at, op, block, blocks)| {
            let (offset, len) = (Bytes::new(block * 512), Bytes::new(blocks * 512));
            let io = match op {
                Op::Write => Io::write(offset, len, 0),
                _ => Io::read(offset, len),
            };
            let now = free.max((at * 1e6) as u64);
            disk.start(Instant::from_nanos(now), Tag(0), &io);
            while done.is_empty() {
                disk.step(&mut done);
            }
            let end = done.drain(..).map(|d| d.at.as_nanos()).max().unwrap();
            free = end;
            (end - now) as f64 / 1e6
        })
        .collect()
}

fn assert_times(got: &[f64], expected: &[f64]) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() < 0.001;
    let same = got.len() == expected.len() && got.iter().zip(expected).all(close);
    assert!(same, "{got:?} {expected:?}");
}

use Op::{Read, Write};

#[test]
fn a_miss_waits_for_its_sector_and_a_hit_pays_only_the_bus() {
    // At 0.3 ms the head is over sector 3: sector 20 begins at 2 ms and has passed at 2.1 ms.
    let got = run(
        &mut with(|_| ()),
        &[(0.0, Read, 20, 2), (20.0, Read, 21, 1)],
    );
    assert_times(&got, &[2.1 + 0.4, 0.1 + 0.2]);
    let mut off = with(|r| r.caching = false);
    let got = run(&mut off, &[(0.0, Read, 20, 2), (20.0, Read, 21, 1)]);
    assert_times(&got, &[2.5, 2.2 + 0.2]);
}

#[test]
fn overheads_depend_on_the_command_before() {
    let requests = [
        (0.0, Read, 20, 2),
        (40.0, Write, 500, 1),
        (80.0, Write, 300, 1),
        (120.0, Read, 20, 1),
    ];
    let mut disk = with(|r| {
        r.fast_write = true;
        r.overheads.write = After {
            read_ns: 500_000,
            write_ns: 600_000,
        };
    });
    let got = run(&mut disk, &requests);
    assert_times(&got[1..], &[0.5 + 0.2, 0.6 + 0.2, 0.4 + 0.2]);
}

#[test]
fn reading_ahead_serves_the_next_read_and_stops_at_its_limit() {
    let next = [(0.0, Read, 20, 2), (20.0, Read, 22, 4), (40.0, Read, 40, 1)];
    let ahead = run(&mut with(|r| r.ahead = AheadRule::Blocks(10)), &next);
    assert_times(&ahead, &[2.5, 0.1 + 0.8, 4.0 + 0.1 + 0.2]);
    let none = run(&mut with(|_| ()), &next);
    assert_times(&none, &[2.5, 2.3 + 0.8, 4.1 + 0.2]);
}

#[test]
fn a_read_that_the_stream_has_half_read_is_sent_as_it_comes() {
    // At 5 ms the head has passed sector 49: 30 of 40 blocks are there, the rest long before the
    // bus.
    let requests = [(0.0, Read, 0, 1), (14.99, Read, 20, 40)];
    let got = run(&mut with(|r| r.ahead = AheadRule::Track), &requests);
    assert_times(&got[1..], &[0.1 + 8.0]);
}

#[test]
fn stopping_inside_a_sector_saves_the_rest_of_it() {
    // Overhead and head change after 14.955 ms end at 19.865 ms, in time for the sector at 19.9 ms.
    // After the end of the sector under way, at 15 ms, they end at 19.91 ms: a revolution later.
    let requests = [(0.0, Read, 0, 1), (14.955, Read, 199, 1)];
    for (in_sector, expected) in [(true, 20.2), (false, 30.2)] {
        let mut disk = with(|r| {
            r.ahead = AheadRule::Track;
            r.stop_in_sector = in_sector;
            r.overheads.read_miss.read_ns = 3_910_000;
        });
        assert_times(&run(&mut disk, &requests)[1..], &[expected - 14.955]);
    }
}

#[test]
fn a_fast_write_ends_with_the_bus_and_everything_else_waits_for_the_medium() {
    let requests = [(0.0, Write, 50, 2), (0.0, Read, 500, 1)];
    let fast = run(&mut with(|r| r.fast_write = true), &requests);
    // On the medium at 5.2 ms; then overhead, seek, and sector 0 at 20 ms.
    assert_times(&fast, &[0.0 + 0.4, 20.1 + 0.2 - 0.4]);
    let slow = run(&mut with(|_| ()), &requests);
    assert_times(&slow[..1], &[5.2]);
}

#[test]
fn a_write_that_goes_on_joins_the_one_under_way_and_loses_revolutions_to_a_slow_bus() {
    let requests = [
        (0.0, Write, 50, 2),
        (0.0, Write, 52, 2),
        (0.0, Read, 500, 1),
    ];
    let joined = run(
        &mut with(|r| {
            r.fast_write = true;
            r.combine_writes = true;
        }),
        &requests,
    );
    assert_times(&joined[..2], &[0.4, 0.4]);
    let apart = run(&mut with(|r| r.fast_write = true), &requests);
    // The second begins when the first is on the medium.
    assert_times(&apart[..2], &[0.4, 5.2 - 0.4 + 0.4]);
    // 20 blocks take 4 ms on the bus and 2 ms under the head: the arm is there before the last
    // ones.
    let late = run(&mut with(|_| ()), &[(0.0, Write, 5, 20)]);
    let early = run(
        &mut with(|r| r.bus.write_block_ns = 0),
        &[(0.0, Write, 5, 20)],
    );
    assert_times(&early, &[2.5]);
    assert!(late[0] > early[0] + 9.9, "{late:?}");
}

#[test]
fn written_data_answer_reads_only_where_they_may() {
    let requests = [(0.0, Write, 50, 2), (40.0, Read, 50, 2)];
    for (hits, expected) in [(true, 0.4 + 0.4), (false, 5.1 + 0.4)] {
        let mut disk = with(|r| r.hits_on_written = hits);
        assert_times(&run(&mut disk, &requests)[1..], &[expected]);
    }
}

#[test]
fn a_head_that_lands_behind_keeps_the_track_up_to_the_wanted_sector() {
    let requests = [(0.5, Read, 4, 2), (40.0, Read, 0, 2)];
    for (keeps, expected) in [(true, 0.1 + 0.4), (false, 10.1 + 0.4)] {
        let mut disk = with(|_| ());
        disk.p.look_behind = keeps;
        assert_times(&run(&mut disk, &requests)[1..], &[expected]);
    }
}

#[test]
fn with_zero_latency_a_whole_track_takes_no_more_than_a_revolution() {
    for (zero, expected) in [(false, 20.0), (true, 13.0)] {
        let mut disk = with(|r| r.bus.read_block_ns = 0);
        disk.p.zero_latency = zero;
        // From 3 ms on: the first 30 sectors have passed at 13 ms.
        assert_times(
            &run(&mut disk, &[(2.695, Read, 0, 100)]),
            &[expected - 2.695],
        );
    }
    for (zero, expected) in [(false, 20.0), (true, 13.0)] {
        let mut disk = with(|r| {
            r.bus.write_block_ns = 0;
            r.overheads.write.read_ns = 300_000;
            r.zero_latency_write = zero;
        });
        assert_times(
            &run(&mut disk, &[(2.695, Write, 0, 100)]),
            &[expected - 2.695],
        );
    }
}

#[test]
fn a_power_cut_loses_a_fast_write_that_is_not_on_the_medium() {
    let mut disk = with(|r| r.fast_write = true);
    run(&mut disk, &[(0.0, Write, 50, 2)]);
    let mut later = disk.clone();
    disk.power_cut(Instant::from_nanos(2_000_000));
    assert_eq!(disk.lost(), [(Bytes::new(50 * 512), Bytes::new(2 * 512))]);
    later.power_cut(Instant::from_nanos(6_000_000));
    assert!(later.lost().is_empty());
}

#[test]
fn a_write_after_another_leaves_the_bus_once_more_unless_it_adjoins_it() {
    let extra = |bus_ms: f64| {
        with(|r| {
            r.extra_disconnect = Some(ExtraDisconnect {
                arm_ns: 1_000_000,
                bus_ns: (bus_ms * 1e6) as u64,
                second_disconnect_ns: 0,
            });
        })
    };
    let apart = [(0.0, Write, 20, 1), (40.0, Write, 300, 1)];
    // The arm is there at 45 ms, the sector at 50.
    assert_times(&run(&mut with(|_| ()), &apart), &[2.1, 10.1]);
    assert_times(&run(&mut extra(9.7), &apart), &[2.1, 10.1]);
    // The block comes 0.1 ms too late: a revolution is lost.
    assert_times(&run(&mut extra(9.9), &apart), &[2.1, 20.1]);
    let adjoining = [(0.0, Write, 20, 1), (40.0, Write, 21, 1)];
    assert_times(&run(&mut extra(9.9), &adjoining), &[2.1, 2.2]);
    // Of 45 blocks, 15 have to be there: at 50.5 ms.
    let long = [(0.0, Write, 20, 1), (40.0, Write, 300, 45)];
    assert_times(&run(&mut extra(7.5), &long), &[2.1, 24.5]);
}

#[test]
fn the_block_of_a_remapped_sector_is_read_from_its_spare() {
    // Sector 50 of a track on cylinder 49.
    for defects in ["defects = [20, 9950]", "defects = [[20, 9950], [7, 7]]"] {
        let disk = || {
            let text = format!("{DISK}{defects}\n");
            Hdd::new(
                DiskFile::read(&text, "made up")
                    .unwrap()
                    .parameters()
                    .unwrap(),
            )
        };
        // The arm is at the spare at 5.3 ms, its sector has just passed.
        assert_times(&run(&mut disk(), &[(0.0, Read, 20, 1)]), &[15.1 + 0.2]);
        // 19 at 2.0 ms, there by 7.0, 20 at 15.1, back by 20.1, 21 at 22.2.
        assert_times(&run(&mut disk(), &[(0.0, Read, 19, 3)]), &[22.2 + 0.2]);
        assert_times(&run(&mut disk(), &[(0.0, Read, 30, 1)]), &[3.1 + 0.2]);
    }
    assert_times(&run(&mut with(|_| ()), &[(0.0, Read, 19, 3)]), &[2.6]);
}
