//! Two controllers over one arm: the one of the catalogue's disks, with a queue of one command, and the one
//! without a queue that disks are extracted with.
//!
//! Geometry, seeks, discs and the passing of tracks are one code ([`TrackPass`](super::super::track_pass)), so a read off
//! the medium takes the same time under both, to the nanosecond. What differs is the controller's: a written sector goes
//! over the wire before the arm is sent for it under the one, and while the arm moves under the other.

use super::super::ahead::AheadRule;
use super::super::bus::SharedBus;
use super::super::overheads::{After, Overheads};
use super::super::unqueued::Unqueued;
use super::*;

const OVERHEAD: u64 = 60_000;
/// A block on the wire.
const WIRE: u64 = 1_000;

/// A disk that neither reads ahead nor holds anything back, with sectors of 512 bytes.
fn plain() -> Parameters {
    Parameters {
        physical_blocks: 1,
        queue_depth: 1,
        read_overhead_ns: OVERHEAD,
        write_overhead_ns: OVERHEAD,
        wire_block_picos: WIRE * 1_000,
        wire_write_block_picos: WIRE * 1_000,
        wire_frame_blocks: 1,
        zero_latency: false,
        read_ahead_blocks: 0,
        read_on_below_blocks: 0,
        write_back: false,
        ..disk()
    }
}

/// The same disk under a controller without a queue.
fn without_a_queue() -> Parameters {
    let each = After {
        read_ns: OVERHEAD,
        write_ns: OVERHEAD,
    };
    let rules = Unqueued {
        bus: SharedBus {
            read_block_ns: WIRE,
            write_block_ns: WIRE,
            hold: true,
            never_disconnect: false,
            read_mark_millionths: 0,
            preparation_ns: 0,
            reselect_ns: 0,
        },
        overheads: Overheads {
            read_hit: each,
            read_miss: each,
            write: each,
            ..Overheads::default()
        },
        ahead: AheadRule::None,
        ahead_on_idle_hit: false,
        stop_in_sector: true,
        caching: false,
        fast_write: false,
        combine_writes: false,
        write_segment: false,
        hits_on_written: false,
        zero_latency_write: false,
        least_write_move_ns: 0,
        extra_disconnect: None,
    };
    Parameters {
        unqueued: Some(rules),
        ..plain()
    }
}

/// What single blocks at random take, one after the other, in nanoseconds.
fn times(p: Parameters, op: Op) -> Vec<u64> {
    let blocks = p.blocks;
    let mut target = drive(p);
    let mut rng = Rng::new(11);
    (0..300)
        .map(|_| {
            let block = rng.below(blocks);
            let io = match op {
                Op::Write => write(block, 1),
                _ => read(block, 1),
            };
            one(&mut target, Duration::from_millis(3), io).as_nanos()
        })
        .collect()
}

#[test]
fn reads_off_the_medium_take_the_same_under_both_controllers() {
    assert_eq!(times(plain(), Op::Read), times(without_a_queue(), Op::Read));
}

#[test]
fn a_write_waits_for_its_data_before_the_arm_moves_or_meanwhile() {
    let [queued, other] = [plain(), without_a_queue()].map(|p| times(p, Op::Write));
    let turn = TURN as u64;
    let mut by_a_turn = 0;
    for (a, b) in queued.iter().zip(&other) {
        // What the arm does later by a block's time on the wire costs that, or the sector is just missed.
        let apart = a.abs_diff(*b);
        let missed = apart.abs_diff(turn) <= 2 * WIRE;
        by_a_turn += u32::from(missed);
        assert!(apart <= 2 * WIRE || missed, "{a} {b}");
    }
    assert!(by_a_turn <= 3, "{by_a_turn}");
}
