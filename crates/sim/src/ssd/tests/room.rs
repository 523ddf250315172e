//! Space: the SLC area, trim, collection, and that nothing is lost.

use super::*;
use crate::model::Model;
use crate::ssd::flash::layout::NONE;
use crate::ssd::ftl::block_pool::State;
use crate::ssd::state::construct::victim_share;
use base::io::Io;
use base::target::Tag;
use proptest::prelude::*;

fn with_slc() -> Parameters {
    let mut p = small(120, 30_000);
    // 20 superblocks of 128 pages: 10 MiB.
    p.slc.fixed = 20;
    p
}

#[test]
fn writes_fall_to_the_speed_of_all_bits_when_the_slc_area_is_full_and_recover_at_rest() {
    let mut p = with_slc();
    p.timings.erase = US(100);
    let mut drive = drive(p);
    let direct = 4.0 * 98_304.0 / 2_000.0;
    let link = 131_072.0 / 264.144;
    // 80 writes of 128 KiB fill the area; nothing is overwritten.
    let mut from = 0;
    let mut next = |drive: &mut Virtual<Drive>, ios: u64| {
        let mut job = job(Op::Write, Order::Sequential, Bytes::kib(128), 4, drive);
        job.span = Span::new(Bytes::kib(128 * from), Bytes::kib(128 * ios));
        from += ios;
        rate(&go(drive, job, ios))
    };
    let fast = next(&mut drive, 70);
    near(fast, link, 0.05);
    next(&mut drive, 100);
    near(next(&mut drive, 200), direct, 0.03);
    assert_eq!(drive.model().counters().folded_pages, 0);
    rest(&mut drive, Duration::from_secs(20));
    let counters = drive.model().counters();
    assert!(counters.folded_pages > 0 && !drive.model().ftl().pool.slc_touched());
    // Each die erases its block before it writes there again, which costs a little.
    near(next(&mut drive, 70), fast, 0.2);
    drive.model().ftl().check().unwrap();
}

#[test]
fn a_fold_that_is_disturbed_goes_on_at_the_next_rest() {
    let mut drive = drive(with_slc());
    writes(&mut drive, Order::Random, 4, 4, 2_500);
    for _ in 0..40 {
        rest(&mut drive, Duration::from_millis(110));
        reads(&mut drive, Order::Random, 4, 1, 3);
    }
    rest(&mut drive, Duration::from_secs(2));
    assert!(!drive.model().ftl().pool.slc_touched());
    assert!(!drive.model().ftl().pool.slc_in_use());
    drive.model().ftl().check().unwrap();
}

#[test]
fn a_trimmed_drive_is_as_good_as_new_but_for_the_erases() {
    let mut drive = drive(small(100, 30_000));
    fill(&mut drive);
    writes(&mut drive, Order::Random, 4, 8, 20_000);
    let capacity = drive.info().capacity;
    let trim = Io {
        op: Op::Trim,
        ..Io::read(Bytes::ZERO, capacity)
    };
    drive.submit(Tag(0), &trim).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    rest(&mut drive, Duration::from_secs(1));
    let t = drive.model().ftl();
    t.check().unwrap();
    assert!((0..t.l2p.pages()).all(|lpn| t.l2p.get(lpn) == NONE));
    // All but what is open or has a group that is not complete.
    assert!(t.pool.free() >= 98, "{}", t.pool.free());
    let before = drive.model().counters().collected_pages;
    writes(&mut drive, Order::Random, 4, 8, 20_000);
    assert_eq!(drive.model().counters().collected_pages, before);
}

/// Write amplification of uniform random writes in the steady state, and what greedy theory says of
/// the share of valid pages in all that is written: what is free, in open superblocks too, is left out.
fn amplification(spare_percent: u32) -> (f64, f64) {
    // Large superblocks: in small ones the victim would be emptier by chance than theory has it.
    let closed = 240;
    let mut p = small(closed + 4, 0);
    p.geometry.rows = 144;
    let pages = p.geometry.superblock_pages();
    let logical = u64::from(closed * pages) * 100 / u64::from(100 + spare_percent) + 4_500;
    p.capacity = Bytes::new(logical * PAGE);
    let mut drive = in_state(p, "steady-random");
    writes(&mut drive, Order::Random, 4, 32, 2 * logical);
    let before = drive.model().counters();
    let (mut valid, mut written) = (0.0, 0.0);
    for _ in 0..20 {
        writes(&mut drive, Order::Random, 4, 32, logical / 10);
        let blocks = drive.model().ftl().pool.blocks();
        for block in blocks
            .iter()
            .filter(|block| matches!(block.state, State::Closed | State::Open))
        {
            valid += f64::from(block.valid);
            written += f64::from(block.written);
        }
    }
    let after = drive.model().counters();
    drive.model().ftl().check().unwrap();
    let host = (after.host_pages - before.host_pages) as f64;
    let moved = (after.collected_pages - before.collected_pages) as f64;
    let theory = 1.0 / (1.0 - victim_share(valid / written));
    near(
        written / valid,
        f64::from(100 + spare_percent) / 100.0,
        0.01,
    );
    (1.0 + moved / host, theory)
}

#[test]
fn random_overwriting_is_amplified_as_greedy_theory_says() {
    for spare_percent in [5, 7, 12, 20, 28, 50] {
        let (got, theory) = amplification(spare_percent);
        near(got, theory, 0.01);
    }
}

#[test]
fn a_constructed_state_is_the_written_one() {
    let p = || small(360, 110_000);
    let mut written = drive(p());
    fill(&mut written);
    writes(&mut written, Order::Random, 4, 32, 700_000);
    rest(&mut written, Duration::from_secs(5));
    let mut made = in_state(p(), "steady-random");
    made.model().ftl().check().unwrap();
    let pair = |f: &mut dyn FnMut(&mut Virtual<Drive>) -> f64,
                written: &mut Virtual<Drive>,
                made: &mut Virtual<Drive>| {
        near(f(made), f(written), 0.01);
    };
    pair(
        &mut |d| reads(d, Order::Random, 4, 8, 100_000),
        &mut written,
        &mut made,
    );
    pair(
        &mut |d| reads(d, Order::Sequential, 128, 8, 3_000),
        &mut written,
        &mut made,
    );
    pair(
        &mut |d| writes(d, Order::Random, 4, 32, 400_000),
        &mut written,
        &mut made,
    );
}

#[test]
fn a_state_that_has_rested_is_the_one_left_by_the_last_write_after_its_rest() {
    let with = |state: &str| {
        let mut p = with_slc();
        p.reserves.collect_idle_below = 12;
        let mut drive = in_state(p, state);
        let t = drive.model().ftl();
        t.check().unwrap();
        let seen = (t.pool.free(), t.pool.slc().used());
        let reads = reads(&mut drive, Order::Random, 4, 8, 50_000);
        (
            seen,
            reads,
            writes(&mut drive, Order::Random, 4, 32, 100_000),
        )
    };
    for base in ["steady-random", "full-in-order"] {
        let (seen, read, written) = with(base);
        let (seen_after, read_after, written_after) = with(&format!("{base},idle=1d"));
        // Collection at rest may leave a superblock open that was not counted.
        assert!(
            seen.0.abs_diff(seen_after.0) <= 1,
            "{seen:?} {seen_after:?}"
        );
        assert_eq!((seen.1, seen_after.1), (0, 0));
        near(read, read_after, 0.01);
        near(written, written_after, 0.01);
        let ((free, used), _, _) = with(&format!("{base},idle=0s"));
        assert!(
            used == 20 && (base == "full-in-order" || free == 5),
            "{free} {used}"
        );
    }
}

#[test]
fn data_in_the_cache_are_where_writing_in_order_left_them() {
    for (policy, pages) in [(0, 21_000), (300, 21_000), (300, 30_000)] {
        let p = || {
            let mut p = with_slc();
            p.slc.dynamic_per_mille = policy;
            p.slc.dynamic_most = u32::MAX;
            p.reserves.collect_idle_below = 5;
            p
        };
        let mut written = drive(p());
        let mut job = job(Op::Write, Order::Sequential, Bytes::kib(128), 8, &written);
        job.span = Span::first(Bytes::kib(4 * pages));
        go(&mut written, job, pages / 32);
        let state = format!("{}%-in-order,idle=0s", pages / 300);
        let mut made = in_state(p(), &state);
        made.model().ftl().check().unwrap();
        let cached = |drive: &mut Virtual<Drive>| {
            let t = drive.model().ftl();
            let slc = |lpn: &u32| t.pool.block(t.layout.place(t.l2p.get(*lpn)).0).slc;
            let all: Vec<u32> = (0..pages as u32 - 300).filter(slc).collect();
            (
                all.len() as f64,
                f64::from(all[0]),
                f64::from(all[all.len() - 1]),
            )
        };
        let (a, b) = (cached(&mut written), cached(&mut made));
        near(a.0, b.0, 0.06);
        near(a.1 + 1_000.0, b.1 + 1_000.0, 0.5);
        near(a.2, b.2, 0.06);
    }
}

#[test]
fn a_drive_filled_in_order_is_the_constructed_one() {
    let p = || small(360, 110_000);
    let mut written = drive(p());
    fill(&mut written);
    rest(&mut written, Duration::from_secs(5));
    let mut made = in_state(p(), "full-in-order");
    made.model().ftl().check().unwrap();
    near(
        reads(&mut made, Order::Sequential, 128, 8, 3_000),
        reads(&mut written, Order::Sequential, 128, 8, 3_000),
        0.01,
    );
    near(
        reads(&mut made, Order::Random, 4, 8, 50_000),
        reads(&mut written, Order::Random, 4, 8, 50_000),
        0.01,
    );
}

#[test]
fn two_terabytes_written_in_order_stay_under_32_mib() {
    let mut p = small(1, 0);
    p.capacity = Bytes::gb(2_000);
    p.geometry = Geometry {
        channels: 8,
        dies: 32,
        rows: 768,
        superblocks: 2_600,
        ..p.geometry
    };
    p.buffer = Bytes::mib(64);
    let made = Drive::in_state(p.clone(), 1, &"full-in-order".parse().unwrap()).unwrap();
    assert!(made.memory() < 32 << 20, "{}", made.memory());
    // Written, a part of it: what each GB takes does not grow.
    let mut written = drive(p);
    let before = written.model().memory();
    writes(&mut written, Order::Sequential, 128, 32, 100_000);
    let grown = written.model().memory() - before;
    assert!(grown < 100_000, "{grown}");
}

#[test]
fn a_full_drive_takes_any_mix_without_losing_an_io() {
    for read_percent in [0, 30, 70] {
        for (superblocks, logical) in [(87, 30_000), (100, 30_000)] {
            let mut p = small(superblocks + 6, logical);
            p.slc.fixed = 6;
            let mut drive = in_state(p, "steady-random");
            let job = mixed(read_percent, 4, 32, &drive);
            go(&mut drive, job, 60_000);
            rest(&mut drive, Duration::from_secs(10));
            drive.model().ftl().check().unwrap();
        }
    }
}

#[test]
fn a_power_cut_leaves_a_drive_that_works() {
    let mut drive = Drive::in_state(with_slc(), 1, &"steady-random".parse().unwrap()).unwrap();
    let mut rng = base::rng::Rng::new(4);
    let mut done = Vec::new();
    for round in 1..6_u64 {
        let from = Instant::from_nanos(round * 10_000_000_000);
        for tag in 0..32 {
            let page = rng.below(30_000);
            drive.start(
                from,
                Tag(tag),
                &Io::write(Bytes::kib(4 * page), Bytes::kib(4), page),
            );
        }
        for _ in 0..round * 20 {
            drive.step(&mut done);
        }
        let cut = drive.next().unwrap_or(from);
        drive.power_cut(cut);
        assert_eq!(drive.next(), None);
        drive.ftl().check().unwrap();
    }
    writes(&mut Virtual::new(drive), Order::Random, 4, 8, 10_000);
}

/// One I/O, in sectors, or a rest.
#[derive(Clone, Copy, Debug)]
enum Act {
    Do { op: Op, sector: u64, sectors: u64 },
    Rest,
}

const SECTORS: u64 = 8_000 * 8;

impl Act {
    fn io(self) -> Option<Io> {
        let Act::Do {
            op,
            sector,
            sectors,
        } = self
        else {
            return None;
        };
        if op == Op::Flush {
            return Some(Io::flush());
        }
        let sectors = sectors.min(SECTORS - sector);
        let io = Io::write(Bytes::new(sector * 512), Bytes::new(sectors * 512), 1);
        Some(Io { op, ..io })
    }
}

fn act() -> impl Strategy<Value = Act> {
    let place = || (0..SECTORS, 1_u64..300);
    let act = |op, times| {
        move |(sector, sectors)| Act::Do {
            op,
            sector,
            sectors: sectors * times,
        }
    };
    prop_oneof![
        6 => place().prop_map(act(Op::Write, 1)),
        1 => place().prop_map(act(Op::Trim, 20)),
        2 => place().prop_map(act(Op::Read, 1)),
        1 => place().prop_map(act(Op::Flush, 1)),
        1 => Just(Act::Rest),
    ]
}

/// Waits until nothing is in flight.
fn drain(drive: &mut Virtual<Drive>, in_flight: &mut u32) {
    let mut done = Vec::new();
    while *in_flight > 0 {
        drive.wait(None, &mut done);
        *in_flight -= done.len() as u32;
        done.clear();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Writes, trims, reads, flushes and rests of any alignment, eight at once, against a plain list
    /// of which pages hold data.
    #[test]
    fn the_drive_remembers_what_a_plain_list_does(acts in prop::collection::vec(act(), 50..600)) {
        let mut p = small(34, 8_000);
        p.slc.fixed = 4;
        let mut drive = drive(p);
        let mut plain = vec![false; 8_000];
        let mut in_flight = 0;
        for act in &acts {
            let Some(io) = act.io() else {
                drain(&mut drive, &mut in_flight);
                rest(&mut drive, Duration::from_millis(500));
                continue;
            };
            let (first, end) = (io.offset.get(), io.end().get());
            match io.op {
                Op::Write => plain[(first / PAGE) as usize..end.div_ceil(PAGE) as usize].fill(true),
                Op::Trim if first.div_ceil(PAGE) < end / PAGE => {
                    plain[first.div_ceil(PAGE) as usize..(end / PAGE) as usize].fill(false);
                }
                _ => {}
            }
            // Trims and writes overtake each other: a trim is alone.
            if in_flight == 8 || io.op == Op::Trim {
                drain(&mut drive, &mut in_flight);
            }
            drive.submit(Tag(in_flight), &io).unwrap();
            in_flight += 1;
            if io.op == Op::Trim {
                drain(&mut drive, &mut in_flight);
            }
        }
        drain(&mut drive, &mut in_flight);
        rest(&mut drive, Duration::from_secs(30));
        let t = drive.model().ftl();
        t.check().unwrap();
        for (lpn, mapped) in plain.iter().enumerate() {
            prop_assert_eq!(t.l2p.get(lpn as u32) != NONE, *mapped, "page {}", lpn);
        }
    }
}
