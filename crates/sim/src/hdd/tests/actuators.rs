//! Two actuators: each half of the addresses is a disk of its own, over one link.

use super::*;
use crate::hdd::config::actuators::ManyActuators;

/// Two disks of made-up geometry as the halves of one, and where the second begins.
fn halves() -> (Virtual<ManyActuators>, Bytes) {
    let half = || Hdd::new(disk());
    let start = half().info().capacity;
    (
        Virtual::new(ManyActuators::new(vec![half(), half()])),
        start,
    )
}

/// MB/s of streams in order, 64 KiB each read and four in flight, from where each begins.
fn streams_mb_s(target: &mut impl Target, starts: &[Bytes]) -> f64 {
    let jobs = starts.iter().enumerate().map(|(n, start)| {
        let span = Span::new(*start, Bytes::gib(1));
        let name = format!("stream {n}");
        Job::closed(&name, Op::Read, Order::Sequential, span, Bytes::kib(64), 4)
    });
    let mut work = Workload::single(
        Job::closed(
            "none",
            Op::Read,
            Order::Sequential,
            Span::first(Bytes::gib(1)),
            Bytes::kib(64),
            4,
        ),
        Stop {
            ios: Some(8_000),
            ..Stop::default()
        },
        1,
    );
    work.jobs = jobs.collect();
    let record = run(target, "read", &work, &mut Unwatched).unwrap();
    record.rate().unwrap().mb_s()
}

#[test]
fn streams_in_both_halves_have_twice_the_rate_of_one_and_in_one_half_no_more_than_one() {
    let one = streams_mb_s(&mut drive(disk()), &[Bytes::ZERO]);
    // 3,000 sectors a turn but for a change of head after each: 15 % of a turn.
    let closed_form = 3_000.0 * 512.0 / (1.15 * TURN) * 1e3;
    assert!(
        (one / closed_form - 1.0).abs() < 0.02,
        "{one} {closed_form}"
    );
    let (mut target, second) = halves();
    let both = streams_mb_s(&mut target, &[Bytes::ZERO, second]);
    assert!((both / one - 2.0).abs() < 0.03, "{both} {one}");
    let (mut target, second) = halves();
    let in_second = streams_mb_s(&mut target, &[second]);
    assert!((in_second / one - 1.0).abs() < 0.01, "{in_second} {one}");
    let apart = [Bytes::ZERO, Bytes::gib(20)];
    let (mut target, _) = halves();
    let in_one_half = streams_mb_s(&mut target, &apart);
    let on_one_arm = streams_mb_s(&mut drive(disk()), &apart);
    assert!(
        (in_one_half / on_one_arm - 1.0).abs() < 1e-9,
        "{in_one_half} {on_one_arm}"
    );
    assert!(in_one_half <= one, "{in_one_half} {one}");
}

#[test]
fn a_link_that_is_too_narrow_for_both_arms_is_shared() {
    let narrow = || {
        Hdd::new(Parameters {
            // 200 MB/s.
            wire_block_picos: 2_560_000,
            wire_write_block_picos: 2_560_000,
            ..disk()
        })
    };
    let second = narrow().info().capacity;
    let mut target = Virtual::new(ManyActuators::new(vec![narrow(), narrow()]));
    let both = streams_mb_s(&mut target, &[Bytes::ZERO, second]);
    assert!((190.0..=200.1).contains(&both), "{both}");
}

#[test]
fn an_access_across_the_border_ends_with_the_later_half_and_what_lies_beyond_is_refused() {
    let (mut target, second) = halves();
    let capacity = target.info().capacity;
    assert_eq!(capacity, second + second);
    let mut ended = |io: Io| {
        let mut done: Vec<Done> = Vec::new();
        let sent = target.now();
        target.submit(Tag(0), &io).unwrap();
        while done.is_empty() {
            target.wait(None, &mut done);
        }
        assert_eq!(done.len(), 1);
        (done[0].outcome, done[0].at.since(sent))
    };
    let kib = Bytes::kib;
    let (outcome, took) = ended(Io::read(second.saturating_sub(kib(4)), kib(8)));
    assert_eq!(outcome, Outcome::Complete);
    // The first half's arm has to go all the way in.
    assert!(took > Duration::from_millis(8), "{took:?}");
    assert_eq!(ended(Io::flush()).0, Outcome::Complete);
    for beyond in [
        Io::read(capacity, kib(4)),
        Io::read(capacity.saturating_sub(kib(4)), kib(8)),
        Io::read(Bytes::ZERO, capacity + kib(4)),
    ] {
        assert_eq!(ended(beyond).0, Outcome::Failed(5));
    }
    assert_eq!(
        ended(Io::read(Bytes::new(100), kib(4))).0,
        Outcome::Failed(22)
    );
}

#[test]
fn one_part_alone_is_the_disk_itself_to_the_nanosecond() {
    let random = |target: &mut dyn Target| {
        let span = Span::first(target.info().capacity);
        let job = Job::closed("test", Op::Read, Order::Random, span, Bytes::kib(4), 8);
        let stop = Stop {
            ios: Some(500),
            ..Stop::default()
        };
        run(
            target,
            "read",
            &Workload::single(job, stop, 1),
            &mut Unwatched,
        )
        .unwrap()
        .took
    };
    let alone = random(&mut drive(disk()));
    let part = random(&mut Virtual::new(ManyActuators::new(vec![
        Hdd::new(disk()),
    ])));
    assert_eq!(alone, part);
}

#[test]
fn a_power_cut_loses_what_waited_in_either_half_at_its_own_address() {
    let (mut target, second) = halves();
    for (tag, at) in (0..).zip([Bytes::ZERO, second]) {
        target
            .submit(Tag(tag), &Io::write(at, Bytes::kib(4), 1))
            .unwrap();
    }
    let mut done: Vec<Done> = Vec::new();
    while done.len() < 2 {
        target.wait(None, &mut done);
    }
    let at = target.now();
    target.model().power_cut(at);
    let lost: Vec<Bytes> = target
        .model()
        .lost()
        .iter()
        .map(|span| span.start)
        .collect();
    assert_eq!(lost, [Bytes::ZERO, second]);
}
