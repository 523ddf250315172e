//! Shingled disks: where the cliff is, how fast the disk is behind it, and what rest does.

use super::super::drive::shingled::{Shingled, Shingles, Shown};
use super::*;
use base::state::Written;

/// Blocks of a MiB.
const MIB: u64 = 2_048;

/// Blocks of the map's saving.
const SAVED: u64 = 1_280;

const RULES: Shingled = Shingled {
    cache_blocks: 512 * MIB,
    entries: 2_000,
    band_blocks: 16 * MIB,
    direct_blocks: 64 * MIB,
    map_save_blocks: SAVED,
    idle_ns: 5_000_000_000,
    safe_copy: true,
    trim: false,
};

fn shingled(rules: Shingled, written: Written) -> Parameters {
    let conventional = disk();
    Parameters {
        blocks: conventional.blocks - rules.extra_blocks(),
        shingled: Some(Shingles { rules, written }),
        ..conventional
    }
}

fn shown(target: &mut Virtual<Hdd>) -> Shown {
    target.model().shingled().unwrap()
}

fn at_once(target: &mut Virtual<Hdd>, io: Io) -> u64 {
    one(target, Duration::ZERO, io).as_nanos()
}

/// Random chunks, written one after the other, each with a flush behind it if so; gives how many were written
/// when the first band was cleaned.
fn chunks_until_the_cliff(rules: Shingled, chunk: u64, flushed: bool) -> u64 {
    let mut target = drive(shingled(rules, Written::Fresh));
    let places = (target.info().capacity.get() / 512 - chunk) / 8;
    let mut rng = Rng::new(11);
    for chunks in 0.. {
        if shown(&mut target).cleaned > 0 {
            return chunks;
        }
        let first = rng.below(places) * 8;
        for at in (0..chunk).step_by(MIB as usize) {
            at_once(&mut target, write(first + at, (chunk - at).min(MIB)));
        }
        if flushed {
            at_once(&mut target, Io::flush());
        }
    }
    unreachable!("the cliff comes");
}

#[test]
fn flushed_chunks_come_to_the_cliff_when_they_and_the_saved_maps_fill_the_cache() {
    for mib in [1, 4, 16, 32] {
        let chunks = chunks_until_the_cliff(RULES, mib * MIB, true);
        // Beside the map, as many sectors of the inner track are left out as pass before the record.
        let record = mib * MIB + SAVED;
        let most = RULES.cache_blocks / record + 2;
        let least = RULES.cache_blocks / (record + 1_600);
        assert!(
            (least..=most).contains(&chunks),
            "{mib}: {chunks} {least} {most}"
        );
    }
}

#[test]
fn small_writes_come_to_the_cliff_when_the_map_is_full() {
    for entries in [500, 2_000] {
        let rules = Shingled { entries, ..RULES };
        let writes = chunks_until_the_cliff(rules, 8, false);
        // Two entries are kept free, and the buffer holds some more writes.
        let least = u64::from(entries) - 2;
        assert!((least..=least + 140).contains(&writes), "{writes}");
    }
}

/// Behind the cliff each small write waits for one cleaning: home read, copied to a safe place, written home,
/// three passes over a band with a seek and half a turn each, and a piece fetched.
#[test]
fn behind_the_cliff_a_write_takes_a_cleaning() {
    for (band_mib, safe_copy) in [(16, true), (16, false), (32, true)] {
        let rules = Shingled {
            band_blocks: band_mib * MIB,
            safe_copy,
            // Few among thousands of bands: hardly one has two pieces.
            entries: 200,
            ..RULES
        };
        let mut target = drive(shingled(rules, Written::SteadyRandom(100)));
        let blocks = target.info().capacity.get() / 512;
        let mut rng = Rng::new(2);
        // The buffer fills first.
        for _ in 0..300 {
            at_once(&mut target, write(rng.below(blocks / 8) * 8, 8));
        }
        let (began, before) = (target.now(), shown(&mut target).cleaned);
        let writes = 200_u64;
        for _ in 0..writes {
            at_once(&mut target, write(rng.below(blocks / 8) * 8, 8));
        }
        let cleaned = shown(&mut target).cleaned - before;
        let took = target.now().since(began).as_secs_f64() / cleaned as f64;
        assert!(cleaned.abs_diff(writes) <= writes / 10, "{cleaned}");
        // Two thirds of the blocks are in the zone of 3,000 sectors; the safe place is in that of 1,600.
        let turn = TURN / 1e9 * 1.15;
        let share = 3_000.0 / 4_600.0;
        let turns = |sectors: f64| (band_mib * MIB) as f64 / sectors * turn;
        let home = share * turns(3_000.0) + (1.0 - share) * turns(1_600.0);
        let passes = 2.0 * home + if safe_copy { turns(1_600.0) } else { 0.0 };
        let ways = if safe_copy { 5.0 } else { 4.0 } * (0.0082 + TURN / 2e9);
        let expected = passes + ways;
        assert!((took / expected - 1.0).abs() < 0.1, "{took} {expected}");
    }
}

#[test]
fn a_rest_cleans_and_the_disk_is_fast_again() {
    let mut target = drive(shingled(RULES, Written::SteadyRandom(100)));
    let blocks = target.info().capacity.get() / 512;
    let rate = |target: &mut Virtual<Hdd>, seed: u64| {
        let mut rng = Rng::new(seed);
        let began = target.now();
        for _ in 0..1_800 {
            at_once(target, write(rng.below(blocks / 8) * 8, 8));
        }
        1_800.0 / target.now().since(began).as_secs_f64()
    };
    let full = rate(&mut target, 1);
    let dirty = shown(&mut target).dirty_bands;
    assert!(dirty > 1_000, "{dirty}");
    // Below the time after which it cleans, nothing happens but that the buffer is emptied.
    one(&mut target, Duration::from_secs(4), read(0, 8));
    assert!(shown(&mut target).dirty_bands + 140 > dirty);
    one(&mut target, Duration::from_secs(7_200), read(0, 8));
    let after = shown(&mut target);
    assert_eq!((after.entries, after.used_blocks), (0, 0));
    let rested = rate(&mut target, 2);
    let fresh = rate(&mut drive(shingled(RULES, Written::Fresh)), 2);
    assert!(full < 10.0 && rested > 20.0 * full, "{full} {rested}");
    assert!((rested / fresh - 1.0).abs() < 0.1, "{rested} {fresh}");
}

#[test]
fn a_long_stream_goes_straight_to_its_bands_at_the_pace_of_the_medium() {
    let ios = 8_000;
    let got = iops(
        shingled(RULES, Written::Fresh),
        Op::Write,
        Order::Sequential,
        1024,
        1,
        ios,
    );
    let conventional = iops(disk(), Op::Write, Order::Sequential, 1024, 1, ios);
    assert!(
        (got / conventional - 1.0).abs() < 0.03,
        "{got} {conventional}"
    );
    let mut target = drive(shingled(RULES, Written::Fresh));
    for at in 0..2_000 {
        at_once(&mut target, write(at * MIB, MIB));
    }
    let after = shown(&mut target);
    let in_log = RULES.direct_blocks + 16 * MIB;
    assert!((1..=in_log).contains(&after.used_blocks), "{after:?}");
    assert_eq!(after.cleaned, 0);
    // With a flush between, the same stream goes through the cache.
    let mut target = drive(shingled(RULES, Written::Fresh));
    for at in 0..200 {
        at_once(&mut target, write(at * MIB, MIB));
        at_once(&mut target, Io::flush());
    }
    assert!(shown(&mut target).used_blocks > 200 * MIB);
}

/// Seconds that reading 64 MiB from the beginning takes.
fn reading(target: &mut Virtual<Hdd>) -> f64 {
    let began = target.now();
    for at in 0..1_024 {
        at_once(target, read(at * 128, 128));
    }
    target.now().since(began).as_secs_f64()
}

#[test]
fn reading_in_order_after_random_writes_is_slow_until_they_are_cleaned() {
    let mut target = drive(shingled(RULES, Written::InOrder(100)));
    let clean = reading(&mut target);
    let mut rng = Rng::new(9);
    for _ in 0..300 {
        at_once(&mut target, write(rng.below(64 * MIB / 8) * 8, 8));
    }
    at_once(&mut target, Io::flush());
    let scattered = reading(&mut target);
    // Some 300 detours there and back.
    assert!(scattered > clean + 300.0 * 0.015, "{clean} {scattered}");
    one(&mut target, Duration::from_secs(600), read(1_000_000, 8));
    let again = reading(&mut target);
    assert!((again / clean - 1.0).abs() < 0.05, "{clean} {again}");
}

#[test]
fn what_is_in_the_log_is_a_seek_away_and_then_comes_from_there() {
    let mut target = drive(shingled(RULES, Written::InOrder(100)));
    one(&mut target, Duration::from_secs(1), write(0, 8));
    at_once(&mut target, Io::flush());
    // The head stands over the log: its neighbour at home, the outermost track, is a full stroke away.
    let from_log = at_once(&mut target, read(0, 8));
    let home = at_once(&mut target, read(100_000, 8));
    assert!(
        from_log < 11_000_000 && home > 13_000_000,
        "{from_log} {home}"
    );
}

#[test]
fn a_power_cut_takes_the_buffer_and_leaves_the_log() {
    let mut disk = Hdd::new(shingled(RULES, Written::SteadyRandom(100)));
    let before = disk.shingled().unwrap();
    disk.power_cut(Instant::from_nanos(1_000));
    assert_eq!(disk.shingled().unwrap(), before);
    assert!(disk.lost().is_empty());
    // In the middle of a cleaning nothing of the band has left the log.
    let mut target = drive(shingled(RULES, Written::SteadyRandom(100)));
    let mut done = Vec::new();
    target.wait(Some(Instant::from_nanos(5_300_000_000)), &mut done);
    let mut disk = target.model().clone();
    disk.power_cut(Instant::from_nanos(5_300_000_000));
    assert_eq!(disk.shingled().unwrap(), before);
    // Three writes, the power gone before they are in the log.
    let mut target = drive(shingled(RULES, Written::Fresh));
    for block in [0, 800, 1_600] {
        at_once(&mut target, write(block, 8));
    }
    let now = target.now();
    let mut disk = target.model().clone();
    disk.power_cut(now);
    assert_eq!(disk.lost().len(), 3);
    assert_eq!(disk.shingled().unwrap().entries, 0);
}

#[test]
fn what_is_not_mapped_is_read_without_the_disc() {
    let rules = Shingled {
        trim: true,
        ..RULES
    };
    let mut target = drive(shingled(rules, Written::Fresh));
    let trim = |block: u64, blocks: u64| Io {
        op: Op::Trim,
        ..read(block, blocks)
    };
    let quick = |target: &mut Virtual<Hdd>, io: Io| {
        one(target, Duration::from_millis(300), io).as_nanos() < 200_000
    };
    assert!(quick(&mut target, read(4_000_000, 8)));
    at_once(&mut target, write(4_000_000, 8));
    at_once(&mut target, Io::flush());
    assert!(!quick(&mut target, read(4_000_000, 8)));
    assert!(quick(&mut target, trim(4_000_000, 8)));
    assert!(quick(&mut target, read(4_000_000, 8)));
    assert_eq!(shown(&mut target).entries, 0);
    // Written in order, all is mapped; a disk without trim refuses it.
    let mut target = drive(shingled(rules, Written::InOrder(50)));
    assert!(!quick(&mut target, read(4_000_000, 8)));
    let mut target = drive(shingled(RULES, Written::Fresh));
    assert!(!quick(&mut target, read(4_000_000, 8)));
    target.submit(Tag(0), &trim(0, 8)).unwrap();
    let mut done: Vec<Done> = Vec::new();
    target.wait(None, &mut done);
    assert_eq!(done[0].outcome, Outcome::Failed(95));
}

#[test]
fn a_disk_in_steady_random_work_has_a_full_map_and_the_bands_of_as_many_random_pieces() {
    let rules = Shingled {
        entries: 20_000,
        ..RULES
    };
    let p = shingled(rules, Written::SteadyRandom(100));
    let bands = p.blocks as f64 / rules.band_blocks as f64;
    let after = Hdd::new(p).shingled().unwrap();
    assert!((19_990..=20_000).contains(&after.entries), "{after:?}");
    let expected = bands * (1.0 - libm::exp(-(after.entries as f64) / bands));
    let dirty = after.dirty_bands as f64;
    assert!((dirty / expected - 1.0).abs() < 0.02, "{dirty} {expected}");
    for written in [Written::Fresh, Written::InOrder(100)] {
        assert_eq!(
            Hdd::new(shingled(rules, written))
                .shingled()
                .unwrap()
                .entries,
            0
        );
    }
}

#[test]
fn the_same_work_takes_the_same_time_and_a_write_cache_that_is_off_makes_each_write_durable() {
    let rate = |p: Parameters| iops(p, Op::Write, Order::Random, 4, 8, 3_000).to_bits();
    let p = || shingled(RULES, Written::SteadyRandom(100));
    assert_eq!(rate(p()), rate(p()));
    let through = with(shingled(RULES, Written::Fresh), |p| {
        p.write_cache.on = false
    });
    let mut target = drive(through);
    at_once(&mut target, write(0, 8));
    assert_eq!(shown(&mut target).entries, 1);
}
