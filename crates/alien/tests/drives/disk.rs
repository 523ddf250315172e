//! The mechanisms of disks.

use alien::{
    Alien, DiskDescription, Inside, MediaCache, Order, ReadCache, Seek, Tracks, WriteCache,
};
use base::io::Io;
use base::size::Bytes;
use base::target::Target;
use base::time::Duration;

use super::{MS, PAGE, US, all, anywhere, drive, each, mean, one, read, rest, write};

/// 6,000 turns a minute of 10 ms, tracks of 512 KiB, no caches.
fn description() -> DiskDescription {
    DiskDescription {
        capacity: Bytes::gib(100),
        rpm: 6_000,
        surfaces: 2,
        tracks: Tracks::Constant { sectors: 1_024 },
        track_switch: US(900),
        skew: MS(1),
        seek: Seek {
            single: MS(1),
            full: MS(15),
            exponent: 0.5,
            write_settle: US(300),
        },
        read_cache: None,
        write_cache: None,
        media_cache: None,
        order: Order::FirstCome,
    }
}

fn with(change: impl Fn(&mut DiskDescription)) -> Alien {
    let mut disk = description();
    change(&mut disk);
    drive(Inside::Disk(disk))
}

const WRITE_CACHE: WriteCache = WriteCache {
    size: Bytes::mib(8),
    extents: 512,
    write_back_after: Duration::from_millis(50),
};
const BAND: MediaCache = MediaCache {
    size: Bytes::mib(16),
    small: Bytes::kib(64),
    rest: Duration::from_millis(200),
};

fn in_order(count: u64, len: Bytes) -> Vec<Io> {
    (0..count).map(|i| Io::read(len * i, len)).collect()
}

#[test]
fn the_same_sector_is_met_again_after_a_whole_turn_of_the_speed() {
    for (rpm, turn) in [(6_000, MS(10)), (7_200, US(8_333)), (13_000, US(4_615))] {
        let mut drive = with(|disk| disk.rpm = rpm);
        let took = each(&mut drive, 1, &[read(5), read(5), read(5)]);
        let off = took[1].as_micros_f64() - turn.as_micros_f64();
        assert!(off.abs() < 1.0 && took[1] == took[2], "{rpm}: {took:?}");
    }
}

#[test]
fn a_track_and_its_skew_take_a_turn_and_the_skew_and_a_short_skew_loses_a_turn() {
    let took = |skew| {
        let mut drive = with(|disk| disk.skew = skew);
        // Four tracks in one read, from the sector under the head.
        all(&mut drive, 1, &[Io::read(Bytes::ZERO, Bytes::kib(4 * 512))])
    };
    let good = took(MS(1));
    let short = took(US(500));
    // Three switches between four tracks, and a turn until the first one begins again.
    assert!((US(52_999)..=US(53_001)).contains(&good), "{good}");
    assert!((US(81_499)..=US(81_501)).contains(&short), "{short}");
}

#[test]
fn outer_zones_are_faster_by_their_sectors() {
    let mut drive = with(|disk| {
        disk.tracks = Tracks::Zoned {
            outer_sectors: 2_000,
            inner_sectors: 1_000,
            zones: 8,
        }
    });
    let big = Bytes::mib(64);
    let outer = one(&mut drive, Io::read(Bytes::ZERO, big)).as_secs_f64();
    let inner = one(&mut drive, Io::read(Bytes::gib(100) - big, big)).as_secs_f64();
    assert!((inner / outer - 2.0).abs() < 0.05, "{inner} {outer}");
}

#[test]
fn a_far_seek_takes_longer_by_the_curve() {
    let least = |mib: u64| {
        let mut drive = with(|_| ());
        let turns = (0..400).flat_map(|i| [read(0), read(mib * 256 + i * 7)]);
        let took = each(&mut drive, 1, &turns.collect::<Vec<_>>());
        took.into_iter().skip(1).step_by(2).min().unwrap()
    };
    let (near, quarter, far) = (least(2), least(25 * 1_024), least(99 * 1_024));
    // Of a share of the way the seek has its root: 1 ms and 14 ms times 0.5, and 15 ms.
    assert!((MS(1)..MS(2)).contains(&near), "{near}");
    assert!((MS(8)..MS(9)).contains(&quarter), "{quarter}");
    assert!((MS(14)..MS(16)).contains(&far), "{far}");
}

#[test]
fn reading_on_gives_a_slow_reader_the_rate_of_the_platter() {
    let rate = |cache: Option<ReadCache>| {
        let mut drive = with(|disk| disk.read_cache = cache);
        let began = drive.now();
        for io in in_order(512, Bytes::kib(64)) {
            one(&mut drive, io);
            rest(&mut drive, US(500));
        }
        drive.now().since(began).as_secs_f64()
    };
    let cache = ReadCache {
        size: Bytes::mib(8),
        least_segment: Bytes::kib(128),
    };
    // 32 MiB are 64 tracks of 11 ms; without reading on each of 512 reads waits for a turn.
    assert!(
        (0.68..0.75).contains(&rate(Some(cache))),
        "{}",
        rate(Some(cache))
    );
    assert!(rate(None) > 5.0, "{}", rate(None));
}

#[test]
fn segments_shrink_under_random_reads_and_grow_under_a_stream() {
    let cache = Some(ReadCache {
        size: Bytes::mib(4),
        least_segment: Bytes::kib(64),
    });
    // How much of what follows a read is there, long after it.
    let follows = |drive: &mut Alien, from: Bytes| {
        rest(drive, MS(500));
        let step = Bytes::kib(64);
        let last =
            (1..64).take_while(|i| one(drive, Io::read(from + step * (i - 1), step)) < US(50));
        step * last.count() as u64
    };
    let mut drive = with(|disk| disk.read_cache = cache);
    each(&mut drive, 1, &anywhere(200, Bytes::gib(90), 1, read));
    one(&mut drive, Io::read(Bytes::gib(95), PAGE));
    one(&mut drive, read(0));
    let after_random = follows(&mut drive, PAGE);
    each(&mut drive, 1, &in_order(64, Bytes::kib(64)));
    let after_stream = follows(&mut drive, Bytes::kib(64 * 64));
    assert!(after_random <= Bytes::kib(512), "{after_random}");
    assert!(
        after_stream >= after_random * 2,
        "{after_stream} {after_random}"
    );
}

#[test]
fn a_write_cache_takes_writes_at_once_and_a_flush_waits_for_them() {
    let mut drive = with(|disk| disk.write_cache = Some(WRITE_CACHE));
    let took = each(&mut drive, 1, &anywhere(100, Bytes::gib(90), 1, write));
    assert!(took.iter().all(|took| *took < US(2)));
    let flush = one(&mut drive, Io::flush());
    assert!(flush > MS(200), "{flush}");
    let mut through = with(|_| ());
    let took = each(&mut through, 1, &anywhere(100, Bytes::gib(90), 1, write));
    assert!(mean(&took) > MS(10) && one(&mut through, Io::flush()) < US(2));
}

#[test]
fn the_write_cache_is_written_back_at_rest_and_full_it_is_as_slow_as_the_head() {
    let mut drive = with(|disk| disk.write_cache = Some(WRITE_CACHE));
    let took = each(&mut drive, 1, &anywhere(2_000, Bytes::gib(90), 1, write));
    assert!(mean(&took[..256]) < US(2) && mean(&took[1_000..]) > MS(1));
    rest(&mut drive, Duration::from_secs(20));
    assert!(one(&mut drive, Io::flush()) < US(2));
}

#[test]
fn a_queue_by_access_time_serves_more_than_one_by_arrival() {
    let served = |order| {
        let mut drive = with(|disk| disk.order = order);
        all(&mut drive, 32, &anywhere(1_000, Bytes::gib(90), 1, read)).as_secs_f64()
    };
    let gain = served(Order::FirstCome) / served(Order::AccessTime);
    assert!(gain > 2.0, "{gain}");
}

#[test]
fn a_media_cache_writes_faster_than_the_disk_reads_until_it_is_full_and_again_after_a_rest() {
    let mut drive = with(|disk| disk.media_cache = Some(BAND));
    let reads = mean(&each(&mut drive, 1, &anywhere(50, Bytes::gib(90), 2, read)));
    let took = each(&mut drive, 1, &anywhere(6_000, Bytes::gib(90), 1, write));
    let (early, late) = (mean(&took[..500]), mean(&took[5_500..]));
    assert!(early * 5 < reads, "{early} {reads}");
    assert!(late * 10 > reads * 8, "{late} {reads}");
    rest(&mut drive, Duration::from_secs(120));
    let again = mean(&each(
        &mut drive,
        1,
        &anywhere(200, Bytes::gib(90), 3, write),
    ));
    assert!(again * 5 < reads, "{again}");
}

#[test]
fn what_is_in_the_band_is_read_there_until_it_went_home() {
    let mut drive = with(|disk| disk.media_cache = Some(BAND));
    let far: Vec<u64> = (1..20).map(|i| i * 1_000_000).collect();
    let writes: Vec<Io> = far.iter().map(|page| write(*page)).collect();
    let reads: Vec<Io> = far.iter().rev().map(|page| read(*page)).collect();
    each(&mut drive, 1, &writes);
    // A turn at most, and no seek: they lie side by side.
    let in_band = each(&mut drive, 1, &reads);
    assert!(in_band.iter().all(|took| *took < MS(11)), "{in_band:?}");
    rest(&mut drive, Duration::from_secs(5));
    let at_home = each(&mut drive, 1, &reads);
    assert!(
        at_home[1..].iter().all(|took| *took >= MS(12)),
        "{at_home:?}"
    );
}
