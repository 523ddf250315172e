//! The mechanisms of SSDs.

use std::collections::BTreeSet;

use alien::{
    Alien, Collection, Credits, Inside, MapCache, Parity, Placement, Reads, Replacement, Slc,
    SsdDescription,
};
use base::io::{Io, Op};
use base::rng::Rng;
use base::size::Bytes;
use base::time::Duration;

use super::{MS, PAGE, US, all, anywhere, drive, each, mean, one, read, rest, write};

const PROGRAM: Duration = Duration::from_micros(600);
const READ: Duration = Duration::from_micros(60);

/// Sixteen dies, everything in memory, nothing special.
fn description() -> SsdDescription {
    SsdDescription {
        capacity: Bytes::mib(512),
        spare_percent: 10,
        dies: 16,
        page: PAGE,
        pages_a_block: 64,
        read: READ,
        program: PROGRAM,
        erase: MS(5),
        placement: Placement::Hash { stripe: PAGE },
        parity: None,
        map_cache: None,
        slc: None,
        collection: Collection::CostBenefit,
        buffer: Bytes::mib(1),
        reads: Reads::BehindOne,
        honours_trim: true,
        credits: None,
        filled: true,
    }
}

pub(super) fn plain() -> Inside {
    Inside::Ssd(description())
}

fn with(change: impl Fn(&mut SsdDescription)) -> Alien {
    let mut ssd = description();
    change(&mut ssd);
    drive(Inside::Ssd(ssd))
}

fn die(drive: &Alien, page: u64) -> u32 {
    drive.die_of(PAGE * page).unwrap()
}

#[test]
fn two_reads_of_one_die_take_twice_as_long_as_those_of_two() {
    let mut drive = with(|_| ());
    // The exclusive or of the digits to the base of 16: 0x11 is die 0, as 0 is, and 0x10 is die 1.
    assert_eq!(
        (die(&drive, 0), die(&drive, 0x11), die(&drive, 0x10)),
        (0, 0, 1)
    );
    let apart = all(&mut drive, 2, &[read(0), read(0x10)]);
    let together = all(&mut drive, 2, &[read(0), read(0x11)]);
    assert!(
        apart < READ + US(2) && together > READ * 2,
        "{apart} {together}"
    );
}

#[test]
fn a_hash_spreads_every_power_of_two_and_a_rewrite_stays_on_its_die() {
    let mut drive = with(|_| ());
    for bits in 0..13 {
        let dies: BTreeSet<u32> = (0..16).map(|i| die(&drive, i << bits)).collect();
        assert_eq!(dies.len(), 16, "step 2^{bits}");
    }
    let before: Vec<u32> = (0..1_000).map(|page| die(&drive, page)).collect();
    all(&mut drive, 8, &anywhere(5_000, Bytes::mib(4), 1, write));
    one(&mut drive, Io::flush());
    assert!((0..1_000).all(|page| die(&drive, page) == before[page as usize]));
}

#[test]
fn writes_land_where_a_die_is_free_and_differently_by_the_seed() {
    let placed = |seed| {
        let mut ssd = description();
        ssd.placement = Placement::FirstFree;
        let mut truth = drive(Inside::Ssd(ssd)).truth().clone();
        truth.seed = seed;
        let mut drive = Alien::new(truth);
        all(&mut drive, 16, &(0..16).map(write).collect::<Vec<_>>());
        one(&mut drive, Io::flush());
        let dies: Vec<u32> = (0..16).map(|page| die(&drive, page)).collect();
        assert_eq!(dies.iter().collect::<BTreeSet<_>>().len(), 16, "{dies:?}");
        dies
    };
    assert_ne!(placed(1), placed(2));
}

#[test]
fn streams_that_are_written_at_the_same_time_lie_on_different_dies() {
    let mut drive = with(|ssd| ssd.placement = Placement::ByStream { streams: 2 });
    let far = 10_000;
    let both: Vec<Io> = (0..64).flat_map(|i| [write(i), write(far + i)]).collect();
    all(&mut drive, 1, &both);
    one(&mut drive, Io::flush());
    let dies =
        |from| -> BTreeSet<u32> { (from..from + 64).map(|page| die(&drive, page)).collect() };
    assert_eq!((dies(0).len(), dies(far).len()), (8, 8));
    assert!(dies(0).is_disjoint(&dies(far)));
}

#[test]
fn a_parity_die_never_holds_data_and_parity_costs_its_share_of_the_writes() {
    let written = |parity, dies| {
        let mut drive = with(|ssd| {
            ssd.parity = parity;
            ssd.dies = dies;
            ssd.placement = Placement::FirstFree;
        });
        let took = all(&mut drive, 32, &anywhere(20_000, Bytes::mib(64), 1, write));
        assert!((0..10_000).all(|page| die(&drive, page) < dies));
        took.as_secs_f64()
    };
    let parity = |own_die| {
        Some(Parity {
            data_pages: 7,
            own_die,
        })
    };
    let plain = written(None, 8);
    let own = written(parity(true), 8);
    let wandering = written(parity(false), 8);
    assert!((own / plain - 1.0).abs() < 0.05, "{own} {plain}");
    assert!(
        (wandering / plain - 8.0 / 7.0).abs() < 0.06,
        "{wandering} {plain}"
    );
}

fn cached(replacement: Replacement, region: Option<Bytes>) -> Alien {
    with(|ssd| {
        ssd.map_cache = Some(MapCache {
            size: Bytes::kib(64),
            line: Bytes::new(64),
            miss: US(80),
            replacement,
            compressed_region: region,
        });
    })
}

/// The share of random reads of a span that miss, once it is warm.
fn misses(drive: &mut Alien, span: Bytes) -> f64 {
    each(drive, 1, &anywhere(20_000, span, 2, read));
    let took = each(drive, 1, &anywhere(4_000, span, 3, read));
    took.iter().filter(|took| **took > US(100)).count() as f64 / 4_000.0
}

#[test]
fn a_map_of_so_many_bytes_misses_beyond_what_it_maps_under_each_replacement() {
    for replacement in [
        Replacement::Random,
        Replacement::TwoRandom,
        Replacement::Fifo,
        Replacement::Segmented,
    ] {
        let mut drive = cached(replacement, None);
        let within = misses(&mut drive, Bytes::mib(60));
        let twice = misses(&mut drive, Bytes::mib(128));
        let eight = misses(&mut drive, Bytes::mib(512));
        assert!(within < 0.01, "{replacement:?}: {within}");
        assert!((0.4..0.62).contains(&twice), "{replacement:?}: {twice}");
        assert!((0.8..0.95).contains(&eight), "{replacement:?}: {eight}");
    }
}

#[test]
fn a_loop_a_little_too_long_always_misses_in_order_of_arrival_and_mostly_hits_at_random() {
    let looped = |replacement| {
        let mut drive = cached(replacement, None);
        let steps = (0..8).flat_map(|_| (0..1_100).map(|line| read(line * 16)));
        let took = each(&mut drive, 1, &steps.collect::<Vec<_>>());
        let late = &took[4 * 1_100..];
        late.iter().filter(|took| **took > US(100)).count() as f64 / late.len() as f64
    };
    assert!(looped(Replacement::Fifo) > 0.99);
    assert!(looped(Replacement::Random) < 0.4);
}

#[test]
fn a_region_written_in_order_needs_hardly_any_map_until_it_is_written_at_random() {
    let mut drive = cached(Replacement::Random, Some(Bytes::mib(1)));
    assert!(misses(&mut drive, Bytes::mib(512)) < 0.01);
    each(&mut drive, 8, &anywhere(4_000, Bytes::mib(512), 5, write));
    assert!(misses(&mut drive, Bytes::mib(512)) > 0.8);
    let in_order: Vec<Io> = (0..131_072).map(write).collect();
    each(&mut drive, 1, &in_order);
    assert!(misses(&mut drive, Bytes::mib(512)) < 0.01);
}

#[test]
fn only_small_writes_that_repeat_use_the_single_bit_cells() {
    let sustained = |slc, span| {
        let mut drive = with(|ssd| {
            ssd.slc = slc;
            ssd.buffer = Bytes::kib(256);
        });
        let took = each(&mut drive, 32, &anywhere(12_000, span, 4, write));
        mean(&took[6_000..]).as_secs_f64()
    };
    let slc = Some(Slc {
        size: Bytes::mib(8),
        program: US(100),
        read: US(25),
        small: Bytes::kib(16),
        hot_after: 4,
        memory: 2_000,
    });
    let (hot, cold) = (Bytes::mib(2), Bytes::mib(500));
    let gain = |span| sustained(None, span) / sustained(slc, span);
    assert!(gain(hot) > 4.0, "{}", gain(hot));
    assert!((0.95..1.05).contains(&gain(cold)), "{}", gain(cold));
}

#[test]
fn collection_slows_random_overwrites_and_in_order_of_age_more_on_skewed_ones() {
    let slowdown = |collection| {
        let mut drive = with(|ssd| {
            ssd.collection = collection;
            ssd.capacity = Bytes::mib(128);
        });
        let mut rng = Rng::new(9);
        // Nine of ten writes go to a tenth of the drive.
        let mut skewed = |count| -> Vec<Io> {
            let mut page = || match rng.below(10) {
                0 => rng.below(32_768),
                _ => rng.below(3_276),
            };
            (0..count).map(|_| write(page())).collect()
        };
        let fresh = all(&mut drive, 32, &skewed(2_000)).as_secs_f64() / 2_000.0;
        all(&mut drive, 32, &skewed(100_000));
        let steady = all(&mut drive, 32, &skewed(50_000)).as_secs_f64() / 50_000.0;
        steady / fresh
    };
    let (fifo, worth) = (
        slowdown(Collection::Fifo),
        slowdown(Collection::CostBenefit),
    );
    assert!(worth > 1.3 && fifo > worth * 1.05, "{fifo} {worth}");
}

#[test]
fn a_buffer_takes_writes_at_once_until_it_is_full() {
    let mut drive = with(|_| ());
    let took = each(&mut drive, 1, &(0..1_000).map(write).collect::<Vec<_>>());
    // 1 MiB is 256 pages, and one page leaves for each die every 600 us.
    assert!(took[..256].iter().all(|took| *took < US(2)));
    let late = mean(&took[600..]);
    assert!((US(30)..US(45)).contains(&late), "{late}");
    let mut drive = with(|ssd| ssd.buffer = Bytes::ZERO);
    assert!(one(&mut drive, write(0)) >= PROGRAM);
}

#[test]
fn a_read_behind_a_program_waits_for_all_for_one_or_suspends_it() {
    let waits = |reads| {
        let mut drive = with(|ssd| ssd.reads = reads);
        // Four programs of die 0, then a read of another of its pages.
        let same = [0x11, 0x22, 0x33, 0x44];
        each(&mut drive, 1, &same.map(write));
        let busy = one(&mut drive, read(0x55));
        rest(&mut drive, MS(10));
        assert!(one(&mut drive, read(0x66)) < READ + US(1));
        busy
    };
    let all = waits(Reads::InOrder);
    let behind_one = waits(Reads::BehindOne);
    let suspend = waits(Reads::Suspend { cost: US(20) });
    assert!(all > PROGRAM * 4, "{all}");
    assert!(
        (PROGRAM..PROGRAM + READ + US(1)).contains(&behind_one),
        "{behind_one}"
    );
    assert!((US(80)..US(82)).contains(&suspend), "{suspend}");
}

#[test]
fn trimmed_data_are_read_without_flash_unless_trim_is_ignored() {
    let trimmed = |honours| {
        let mut drive = with(|ssd| ssd.honours_trim = honours);
        let trim = Io {
            op: Op::Trim,
            ..write(8)
        };
        one(&mut drive, trim);
        one(&mut drive, read(8))
    };
    assert!(trimmed(true) < US(1) && trimmed(false) >= READ);
    let mut empty = with(|ssd| ssd.filled = false);
    assert!(one(&mut empty, read(8)) < US(1));
}

#[test]
fn power_credits_run_out_after_their_energy_and_return_with_the_rest() {
    let mut drive = with(|ssd| {
        ssd.credits = Some(Credits {
            millijoules: 100,
            refill_milliwatts: 100,
            read_uj: 50,
            write_uj: 100,
        });
    });
    let mut reads = |count| each(&mut drive, 1, &anywhere(count, Bytes::mib(64), 6, read));
    // A read costs 50 uJ and takes 60 us, in which 6 uJ come back: 100 mJ last for 2,270 reads.
    let slow = |took: &[Duration]| took.iter().position(|took| *took > US(100));
    let first = slow(&reads(4_000)).unwrap();
    assert!((2_250..2_300).contains(&first), "{first}");
    let throttled = mean(&reads(100));
    assert!((US(490)..US(570)).contains(&throttled), "{throttled}");
    // Half a second fills half of it.
    rest(&mut drive, MS(500));
    let again = slow(&each(
        &mut drive,
        1,
        &anywhere(4_000, Bytes::mib(64), 6, read),
    ))
    .unwrap();
    assert!((1_120..1_160).contains(&again), "{again}");
}
