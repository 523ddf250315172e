//! Valid combinations of layers, and how results describe them.

use super::*;
use base::interrupt::Interrupt;
use base::size::Bytes;
use results::tails::Tails;

const EVO: &str = "model:samsung-840-evo-750gb";

fn opened(text: &str) -> Stack {
    let text = text.replace("EVO", EVO);
    match stack(
        &text,
        &text.parse().unwrap(),
        &Making::whole(1, &Interrupt::new()),
    ) {
        Ok(stack) => stack,
        Err(error) => panic!("{text}: {error}"),
    }
}

fn refused(text: &str) -> String {
    let text = text.replace("EVO", EVO);
    match stack(
        &text,
        &text.parse().unwrap(),
        &Making::whole(1, &Interrupt::new()),
    ) {
        Ok(_) => panic!("{text} was opened"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_array_holds_twice_as_much_and_names_its_members() {
    let one = opened("EVO").model.info().capacity;
    let raid = opened("raid0(EVO,EVO)?stripe=64KiB");
    let rows = Bytes::new(one.get() / 65_536 * 65_536);
    assert_eq!(raid.model.info().capacity, rows * 2);
    assert!(
        raid.title.starts_with("RAID 0 of 2 x Samsung"),
        "{}",
        raid.title
    );
    assert_eq!(raid.identity["member 1"], raid.identity["member 2"]);
    assert_eq!(raid.state, "fresh");
    assert!(
        raid.path.contains("linux-uring") && raid.path.contains("64 KiB"),
        "{}",
        raid.path
    );
    let mixed = opened("raid0(EVO?state=full-in-order,EVO)");
    assert_eq!(mixed.state, "full-in-order; fresh");
}

#[test]
fn what_cannot_be_an_array_is_refused_in_words() {
    for (text, part) in [
        ("raid0(EVO)", "two members"),
        ("raid0(EVO,EVO)?stripe=100", "512 B"),
        ("raid0(EVO,EVO)?stripe=1TiB", "whole member"),
        ("delay(EVO)?read=2h", "a time of 1h at most"),
        ("EVO?state=fresh,idle=40000d", "36500d"),
        ("raid0(EVO,EVO)?chunk=64KiB", "no option 'chunk'"),
        ("raid0(EVO,EVO)?host=none", "raid0(model:DRIVE?host=...)"),
        ("raid0(EVO,./file)", "real drives"),
        ("raid0(./a,./b)", "real drives"),
        ("raid0(EVO,null:)", "model:NAME"),
        ("raid0(EVO?host=none,EVO)", "one computer"),
        ("fault(fault(EVO))", "outermost layer"),
        ("raid5(EVO,EVO)", "no layer 'raid5'"),
        ("rapid(EVO,EVO)", "one target, not 2"),
        ("rapid(./file)", "real one"),
        ("rapid(null:)", "null:"),
        (
            "rapid(EVO)?memory=1MiB&dirty=2MiB",
            "no more than the memory",
        ),
        ("rapid(EVO)?flush=no", "honoured or ignored"),
        ("rapid(EVO)?copy=6", "6GB"),
        ("rapid(EVO)?size=6", "no option 'size'"),
        ("contents(EVO)?size=1", "no option 'size'"),
        ("contents(EVO)?wraps=1", "512 B at least"),
        ("contents(EVO)?flush=no", "honoured or ignored"),
        ("contents(EVO)?corrupt=1", "START+LENGTH"),
        ("delay(EVO)?flush=1us", "no option 'flush'"),
        ("raid0(rapid(EVO),EVO)", "stand over the array"),
    ] {
        let error = refused(text);
        assert!(
            error.contains(part) && !error.contains('\n'),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_number_of_the_drives_file_can_be_replaced_in_its_name() {
    assert!(refused("EVO?ssd.nand.dice=8").contains("dice"));
    assert!(refused("EVO?ssd.nand.channels=8000").contains("8000"));
    opened("EVO?ssd.buffer.size_mib=16");
}

#[test]
fn layers_stand_on_layers() {
    let stack =
        opened("delay(contents(rapid(raid0(EVO,EVO))?memory=256MiB&flush=ignored))?read=1ms");
    assert!(stack.title.ends_with("with 256 MiB of host cache"));
    assert_eq!(
        stack.path,
        "modelled host linux-uring, RAID 0 with stripes of 128 KiB, \
         write-back cache of 256 MiB, contents kept, reads 1.00 ms and writes 0 s later"
    );
}

/// MB/s of sequential reading, 1 MiB at a queue of 8.
fn reading(text: &str) -> f64 {
    use base::io::Op;
    use base::run::{Unwatched, run};
    use base::workload::{Job, Order, Span, Stop, Workload};
    let mut target = sim::virtual_time::Virtual::new(opened(text).model);
    let span = Span::first(Bytes::gib(4));
    let job = Job::closed("a", Op::Read, Order::Sequential, span, Bytes::mib(1), 8);
    let stop = Stop::after_ios(1_000);
    let record = run(
        &mut target,
        "a",
        &Workload::single(job, stop, 7),
        &mut Unwatched,
    )
    .unwrap();
    1_000.0 * 1.048_576 / record.took.as_secs_f64()
}

#[test]
fn two_drives_side_by_side_read_twice_as_fast() {
    let one = reading("EVO?state=full-in-order");
    let two = reading("raid0(EVO?state=full-in-order,EVO?state=full-in-order)");
    assert!((1.9..2.1).contains(&(two / one)), "{one} and {two} MB/s");
}

#[test]
fn a_host_cache_reads_what_it_has_read_at_the_speed_of_memory() {
    let slow = reading("EVO?state=full-in-order");
    // The second pass over a span that the memory holds.
    let text = "rapid(EVO?state=full-in-order)?memory=8GiB";
    assert!(
        reading(text) < 1.1 * slow,
        "the first pass comes from the drive"
    );
}

#[test]
fn only_a_drive_as_its_file_has_it_was_compared_with_a_real_one() {
    const PRO: &str = "model:samsung-860-pro-512gb";
    let tails = |text: &str| {
        let text = text.replace("PRO", PRO);
        let made = stack(&text, &text.parse().unwrap(), &Making::outline(1));
        made.map(|stack| stack.tails)
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let compared = |text: &str| matches!(tails(text), Tails::Compared { .. });
    assert!(compared("PRO") && compared("PRO?state=full-in-order&seed=2"));
    for other in [
        "EVO".replace("EVO", EVO).as_str(),
        "PRO?ssd.nand.read_us=60",
        "PRO?ssd.scatter=off",
        "delay(PRO)?read=1us",
        "rapid(PRO)",
        "raid0(PRO,PRO)",
    ] {
        assert!(!compared(other), "{other}");
    }
}

#[test]
fn a_drive_of_which_only_the_data_sheet_is_known_says_so() {
    let known_by = |name: &str| {
        let text = format!("model:{name}");
        let made = stack(&text, &text.parse().unwrap(), &Making::outline(1)).unwrap();
        made.identity.get(results::KNOWN_BY).cloned()
    };
    let of_sheets = sim::catalogue::sheet_drives().unwrap();
    let first = known_by(&of_sheets[0].slug);
    assert_eq!(first.as_deref(), Some(results::DATA_SHEET));
    assert_eq!(known_by("samsung-840-evo-750gb"), None);
}
