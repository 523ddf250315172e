//! Drawing a description by a seed: every parameter log-uniform in the range that stands beside its name here.
//!
//! Each parameter has a random number of its own, by its name: one more parameter changes no other, and a seed that a
//! test has recorded stays the same drive. Log-uniform, since 50 us and 100 us are as different as 500 us and 1 ms.

use base::rng::Rng;
use base::size::{Bytes, PicosPerByte};
use base::time::Duration;

use crate::description::{
    Collection, Credits, Description, DiskDescription, Inside, Link, MapCache, MediaCache, Order,
    Parity, Placement, ReadCache, Reads, Replacement, Seek, Slc, SsdDescription, Tracks,
    WriteCache,
};

/// What kind of drive is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// An SSD behind SATA: 32 commands, one direction at a time.
    Sata,
    /// An SSD behind PCI Express: many commands, both directions.
    Nvme,
    /// A disk behind SATA.
    Disk,
}

pub(crate) fn description(family: Family, seed: u64) -> Description {
    let draws = Draws {
        seed: Rng::stream(seed, family as u64).next_u64(),
    };
    let d = &draws;
    let link = match family {
        Family::Nvme => Link {
            queue: d.whole("queue", 64, 512) as u32,
            command: Duration::from_nanos(d.whole("command ns", 800, 8_000)),
            rate: PicosPerByte::from_mb_s(d.between("link MB/s", 900.0, 7_500.0)),
            both_ways: true,
        },
        Family::Sata | Family::Disk => Link {
            queue: 32,
            command: Duration::from_nanos(d.whole("command ns", 5_000, 60_000)),
            rate: PicosPerByte::from_mb_s(d.between("link MB/s", 130.0, 560.0)),
            both_ways: false,
        },
    };
    let inside = match family {
        Family::Disk => Inside::Disk(disk(d)),
        Family::Sata | Family::Nvme => Inside::Ssd(ssd(d)),
    };
    Description { seed, link, inside }
}

fn ssd(d: &Draws) -> SsdDescription {
    let dies: u32 = 1 << d.whole("dies, bits", 3, 5);
    let program_us = d.whole("program us", 250, 2_000);
    let capacity = Bytes::gib(d.whole("capacity GiB", 2, 16));
    let spare_percent = d.whole("spare per cent", 7, 28);
    // Planes of a die work together: two of 8 KiB to four of 16 KiB.
    let page = Bytes::kib(16 << d.of("page, bits", 3));
    // At least eight spare blocks on each die, else they are all that it has to collect with.
    let spare_pages = capacity.get() * spare_percent / 100 / u64::from(dies) / page.get();
    let pages_a_block = d.whole("pages a block", 64, 512).min(spare_pages / 8);
    SsdDescription {
        capacity,
        spare_percent: spare_percent as u32,
        dies,
        page,
        pages_a_block: pages_a_block as u32,
        read: Duration::from_micros(d.whole("read us", 30, 120)),
        program: Duration::from_micros(program_us),
        erase: Duration::from_micros(d.whole("erase us", 2_000, 10_000)),
        placement: placement(d),
        parity: d.one_in("parity", 3).then(|| parity(d)),
        map_cache: d.one_in("map cache", 2).then(|| map_cache(d)),
        slc: d.one_in("slc", 3).then(|| slc(d, program_us)),
        collection: [Collection::Fifo, Collection::CostBenefit][d.of("collection", 2)],
        buffer: match d.one_in("no buffer", 8) {
            true => Bytes::ZERO,
            false => Bytes::kib(d.whole("buffer KiB", 1_024, 65_536)),
        },
        reads: reads(d),
        honours_trim: !d.one_in("ignores trim", 4),
        credits: d.one_in("credits", 4).then(|| Credits {
            millijoules: d.whole("bucket mJ", 500, 30_000),
            refill_milliwatts: d.whole("refill mW", 500, 5_000),
            read_uj: d.whole("read uJ", 4, 30),
            write_uj: d.whole("write uJ", 15, 120),
        }),
        filled: true,
    }
}

fn placement(d: &Draws) -> Placement {
    match d.of("placement", 3) {
        0 => Placement::Hash {
            stripe: Bytes::kib(4 << d.of("stripe, bits", 5)),
        },
        1 => Placement::FirstFree,
        _ => Placement::ByStream {
            streams: d.whole("streams", 2, 4) as u32,
        },
    }
}

fn parity(d: &Draws) -> Parity {
    Parity {
        data_pages: d.whole("data pages of a stripe", 3, 63) as u32,
        own_die: d.one_in("parity die", 2),
    }
}

fn slc(d: &Draws, program_us: u64) -> Slc {
    Slc {
        size: Bytes::mib(d.whole("slc MiB", 16, 1_024)),
        program: Duration::from_micros(program_us / d.whole("slc times faster", 3, 8)),
        read: Duration::from_micros(d.whole("slc read us", 15, 50)),
        small: Bytes::kib(4 << d.of("small, bits", 5)),
        hot_after: d.whole("hot after writes", 1, 8) as u32,
        memory: d.whole("memory in writes", 1_000, 100_000) as u32,
    }
}

fn reads(d: &Draws) -> Reads {
    match d.of("reads", 3) {
        0 => Reads::InOrder,
        1 => Reads::BehindOne,
        _ => Reads::Suspend {
            cost: Duration::from_micros(d.whole("suspend us", 5, 60)),
        },
    }
}

fn map_cache(d: &Draws) -> MapCache {
    let replacement = [
        Replacement::Random,
        Replacement::TwoRandom,
        Replacement::Fifo,
        Replacement::Segmented,
    ][d.of("replacement", 4)];
    MapCache {
        size: Bytes::kib(d.whole("map cache KiB", 64, 8_192)),
        line: Bytes::new(64 << d.of("line, bits", 7)),
        miss: Duration::from_micros(d.whole("miss us", 25, 120)),
        replacement,
        compressed_region: d
            .one_in("compressed", 3)
            .then(|| Bytes::kib(256 << d.of("region, bits", 5))),
    }
}

fn disk(d: &Draws) -> DiskDescription {
    let rpm = d.whole("rpm", 4_000, 15_000);
    let outer = d.whole("outer sectors", 800, 5_000) as u32;
    let tracks = match d.one_in("constant", 4) {
        true => Tracks::Constant { sectors: outer },
        false => Tracks::Zoned {
            outer_sectors: outer,
            inner_sectors: (f64::from(outer) * d.between("inner share", 0.4, 0.8)) as u32,
            zones: d.whole("zones", 4, 30) as u32,
        },
    };
    let switch_us = d.whole("track switch us", 400, 2_000);
    let single_us = d.whole("single seek us", 400, 2_500);
    let skew = switch_us as f64 * d.between("skew of the switch", 1.02, 2.0);
    DiskDescription {
        capacity: Bytes::gb(d.whole("capacity GB", 40, 2_000)),
        rpm: rpm as u32,
        surfaces: d.whole("surfaces", 1, 10) as u32,
        tracks,
        track_switch: Duration::from_micros(switch_us),
        skew: Duration::from_micros(skew as u64),
        seek: Seek {
            single: Duration::from_micros(single_us),
            full: Duration::from_micros(single_us * d.whole("full seek in singles", 5, 20)),
            exponent: d.between("seek exponent", 0.4, 0.9),
            write_settle: Duration::from_micros(d.whole("write settle us", 50, 800)),
        },
        read_cache: (!d.one_in("no read cache", 8)).then(|| ReadCache {
            size: Bytes::kib(d.whole("read cache KiB", 1_024, 65_536)),
            least_segment: Bytes::kib(d.whole("least segment KiB", 32, 512)),
        }),
        write_cache: (!d.one_in("no write cache", 4)).then(|| WriteCache {
            size: Bytes::kib(d.whole("write cache KiB", 1_024, 65_536)),
            extents: d.whole("extents", 32, 1_024) as u32,
            write_back_after: Duration::from_micros(d.whole("write back after us", 1_000, 500_000)),
        }),
        media_cache: d.one_in("media cache", 3).then(|| MediaCache {
            size: Bytes::mib(d.whole("band MiB", 16, 2_048)),
            small: Bytes::kib(16 << d.of("small, bits", 5)),
            rest: Duration::from_millis(d.whole("rest ms", 100, 5_000)),
        }),
        order: [Order::FirstCome, Order::AccessTime][d.of("order", 2)],
    }
}

struct Draws {
    seed: u64,
}

impl Draws {
    /// The random number of a parameter.
    fn unit(&self, name: &str) -> f64 {
        let by_letter = |hash, letter| base::rng::splitmix64(hash ^ u64::from(letter));
        Rng::stream(self.seed, name.bytes().fold(0, by_letter)).unit()
    }

    fn between(&self, name: &str, low: f64, high: f64) -> f64 {
        low * libm::pow(high / low, self.unit(name))
    }

    /// A whole number, both ends included.
    fn whole(&self, name: &str, low: u64, high: u64) -> u64 {
        let drawn = self.between(name, low as f64, (high + 1) as f64) as u64;
        drawn.clamp(low, high)
    }

    /// One of `n` alternatives, all as likely.
    fn of(&self, name: &str, n: u32) -> usize {
        ((self.unit(name) * f64::from(n)) as usize).min(n as usize - 1)
    }

    fn one_in(&self, name: &str, n: u32) -> bool {
        self.of(name, n) == 0
    }
}
