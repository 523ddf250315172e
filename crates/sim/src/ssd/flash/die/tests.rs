//! A read behind programs under each policy: how long it waits, and what becomes of the program.

use super::*;

fn rules(policy: ReadPolicy) -> Arbitration {
    Arbitration {
        policy,
        pulse: Duration::ZERO,
        suspend: Duration::from_micros(10),
        suspensions: 2,
        patience: Duration::from_millis(10),
        steps: 1,
        step_growth: 1_000,
    }
}
fn us(us: u64) -> Instant {
    Instant::from_nanos(us * 1_000)
}
fn of(takes: Duration, steps: u32) -> Programming {
    let erase = Duration::ZERO;
    Programming {
        takes,
        erase,
        steps,
    }
}
const READ: Duration = Duration::from_micros(60);
const PROGRAM: Duration = Duration::from_micros(1_000);

fn read_end_behind_two_programs(policy: ReadPolicy) -> (Instant, Die) {
    let rules = rules(policy);
    let mut die = Die::default();
    die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
    die.program(us(0), (2, false), of(PROGRAM, rules.steps), &rules);
    (die.read(us(100), 7, READ, &rules).end, die)
}

#[test]
fn a_read_waits_for_all_for_one_or_for_no_program() {
    assert_eq!(read_end_behind_two_programs(ReadPolicy::Fifo).0, us(2_060));
    assert_eq!(
        read_end_behind_two_programs(ReadPolicy::ReadFirst).0,
        us(1_060)
    );
    assert_eq!(read_end_behind_two_programs(ReadPolicy::Suspend).0, us(170));
}

#[test]
fn a_read_that_overtakes_waits_for_the_running_step_of_a_program_in_steps() {
    let rules = Arbitration {
        steps: 4,
        ..rules(ReadPolicy::ReadFirst)
    };
    let mut die = Die::default();
    die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
    let first = die.read(us(100), 7, READ, &rules);
    assert_eq!((first.end, first.pushed), (us(310), Some((1, us(1_060)))));
    // A second one in the same gap, and a third after the next step, with 250 us left.
    assert_eq!(die.read(us(260), 8, READ, &rules).end, us(370));
    let third = die.read(us(400), 9, READ, &rules);
    assert_eq!((third.end, third.pushed), (us(680), Some((1, us(1_180)))));
    // In the last step it waits for the end, and those after it behind it.
    assert_eq!(die.read(us(1_000), 10, READ, &rules).end, us(1_240));
    assert_eq!(die.read(us(1_001), 11, READ, &rules).end, us(1_300));
}

#[test]
fn a_read_waits_longest_in_the_last_and_longest_step() {
    let rules = Arbitration {
        steps: 3,
        step_growth: 2_000,
        ..rules(ReadPolicy::ReadFirst)
    };
    // An erase of 300 us, then steps of 100, 200 and 400 us.
    let what = Programming {
        takes: Duration::from_micros(1_000),
        erase: Duration::from_micros(300),
        steps: 3,
    };
    let begins = |at: u64| {
        let mut die = Die::default();
        die.program(us(0), (1, false), what, &rules);
        die.read(us(at), 7, READ, &rules).end.since(us(0) + READ)
    };
    let ends = [10, 299, 301, 399, 401, 599, 601, 999].map(|at| begins(at).as_nanos() / 1_000);
    assert_eq!(ends, [300, 300, 400, 400, 600, 600, 1_000, 1_000]);
}

#[test]
fn an_erase_may_stop_for_a_read_where_the_program_behind_it_does_not() {
    let rules = rules(ReadPolicy::SuspendErase);
    let mut die = Die::default();
    let what = Programming {
        takes: Duration::from_micros(4_000),
        erase: Duration::from_micros(3_000),
        steps: 1,
    };
    die.program(us(0), (1, false), what, &rules);
    let early = die.read(us(100), 7, READ, &rules);
    assert_eq!((early.end, early.pushed), (us(170), Some((1, us(4_070)))));
    // The erase ends later by the reading and by what stopping costs.
    assert_eq!(die.read(us(3_080), 8, READ, &rules).end, us(4_130));
}

#[test]
fn readings_between_steps_do_not_keep_a_program_for_ever() {
    let rules = Arbitration {
        steps: 3,
        patience: Duration::from_micros(200),
        ..rules(ReadPolicy::ReadFirst)
    };
    let mut die = Die::default();
    die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
    let ends: Vec<Instant> = (0..20)
        .filter_map(|n| die.read(us(10 + n), n as u32, READ, &rules).pushed)
        .map(|(_, end)| end)
        .collect();
    assert_eq!(ends, [us(1_060), us(1_120), us(1_180)]);
}

#[test]
fn a_program_that_waits_begins_after_the_reads_that_overtook_it() {
    let (_, mut die) = read_end_behind_two_programs(ReadPolicy::ReadFirst);
    let rules = rules(ReadPolicy::ReadFirst);
    assert_eq!(
        die.program_ended(us(1_000), &rules),
        Turn::Later(2, us(1_060))
    );
    assert_eq!(die.turn(us(1_060), &rules), Turn::Begun(2, us(2_060)));
}

#[test]
fn a_suspended_program_ends_later_by_what_it_lost() {
    let rules = rules(ReadPolicy::Suspend);
    let mut die = Die::default();
    assert_eq!(
        die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules),
        Turn::Begun(1, us(1_000))
    );
    let first = die.read(us(100), 7, READ, &rules);
    assert_eq!((first.end, first.pushed), (us(170), Some((1, us(1_070)))));
    // It is still stopped: the second one pays no second suspension.
    let second = die.read(us(120), 8, READ, &rules);
    assert_eq!((second.end, second.pushed), (us(230), Some((1, us(1_130)))));
    // A second suspension, and then no third.
    let third = die.read(us(300), 9, READ, &rules);
    assert_eq!((third.end, third.pushed), (us(370), Some((1, us(1_200)))));
    let fourth = die.read(us(500), 10, READ, &rules);
    assert_eq!((fourth.end, fourth.pushed), (us(1_260), None));
}

#[test]
fn pages_of_one_unit_asked_for_together_are_read_once() {
    let rules = rules(ReadPolicy::ReadFirst);
    let mut die = Die::default();
    assert_eq!(die.read(us(0), 7, READ, &rules).end, us(60));
    assert_eq!(die.read(us(0), 7, READ, &rules).end, us(60));
    assert_eq!(die.read(us(0), 8, READ, &rules).end, us(120));
    assert_eq!(die.read(us(9), 8, READ, &rules).end, us(180));
}

#[test]
fn readings_cannot_hold_a_program_back_for_ever() {
    let rules = rules(ReadPolicy::ReadFirst);
    let mut die = Die::default();
    die.read(us(0), 0, READ, &rules);
    assert_eq!(
        die.program(us(1), (5, false), of(PROGRAM, rules.steps), &rules),
        Turn::Later(5, us(60))
    );
    let mut at = us(60);
    for unit in 1..1_000 {
        die.read(Instant::from_nanos(at.as_nanos() - 1), unit, READ, &rules);
        match die.turn(at, &rules) {
            Turn::Later(5, next) => at = next,
            Turn::Begun(5, _) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(at >= us(10_000) && at < us(10_200), "{at:?}");
}

#[test]
fn a_program_stops_at_the_end_of_a_pulse_and_takes_no_longer_for_that() {
    let rules = Arbitration {
        pulse: Duration::from_micros(300),
        ..rules(ReadPolicy::Suspend)
    };
    let mut die = Die::default();
    die.program(us(0), (1, false), of(PROGRAM, rules.steps), &rules);
    // The pulse that is under way at 350 ends at 600; ten more until the cells can be read.
    let first = die.read(us(350), 7, READ, &rules);
    assert_eq!((first.end, first.pushed), (us(670), Some((1, us(1_070)))));
    // 330 of the program are left, 30 of the last whole pulse.
    let second = die.read(us(740), 8, READ, &rules);
    assert_eq!(second.end, us(1_040));
}
