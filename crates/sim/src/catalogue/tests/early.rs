//! The drives of 2008 to 2011: their fitted values give back the figures that they were fitted to.
//!
//! The figures are CrystalDiskMark's, so the runs are cut as it cuts them: some seconds long, since a
//! drive that gathers small writes in DRAM is at its own speed only when the DRAM is full, with a
//! flush in each run's time, and the best of several.

use super::*;

/// MB/s of the fastest of `runs` closed runs over 1,000 MiB that were written in order, after one
/// that is not counted.
fn speed(drive: &str, host: &str, op: Op, order: Order, size: Bytes, stop: Stop, runs: u64) -> f64 {
    let options = ModelOptions {
        host: Some(host.to_owned()),
        seed: 1,
        ..ModelOptions::default()
    };
    let mut target = Virtual::new(open(drive, &options).unwrap().model);
    let span = Span::new(Bytes::mib(64), Bytes::mib(1_000));
    let mut once = |op, order, size, stop, seed| {
        let job = Job::closed("early", op, order, span, size, 1);
        let mut work = Workload::single(job, stop, seed);
        work.flush_at_end = op == Op::Write;
        let record = run(&mut target, "early", &work, &mut Unwatched).unwrap();
        let bytes = record.jobs[0].ops[op as usize].bytes.get();
        bytes as f64 / 1e6 / record.took.as_secs_f64()
    };
    let in_order = Order::Sequential;
    once(Op::Write, in_order, Bytes::mib(1), one_pass(), 1);
    once(op, order, size, stop, 2);
    (0..runs)
        .map(|run| once(op, order, size, stop, 3 + run))
        .fold(0.0, f64::max)
}

fn one_pass() -> Stop {
    Stop {
        passes: Some(1),
        ..Stop::default()
    }
}

fn five_seconds() -> Stop {
    Stop {
        time: Some(Duration::from_secs(5)),
        look: Look::EveryIos(160),
        ..Stop::default()
    }
}

fn near(got: f64, published: f64, share: f64) {
    assert!(
        (got / published - 1.0).abs() <= share,
        "{got} and {published}"
    );
}

#[test]
fn small_writes_of_the_drives_of_2009_to_2011_take_what_was_published() {
    let write = |drive, host| {
        let random = Order::Random;
        speed(
            drive,
            host,
            Op::Write,
            random,
            Bytes::kib(4),
            five_seconds(),
            5,
        )
    };
    for (drive, published) in [
        ("crucial-c300-64gb", 59.84),
        ("kingston-svp100s2-96gb", 41.05),
        ("ocz-vertex-2-50gb", 71.11),
        ("toshiba-hg2-64gb", 14.54),
        ("intel-x25-m-g2-80gb", 50.4),
        ("plextor-m2s-128gb", 47.56),
        ("a-data-s592-32gb", 9.164),
    ] {
        near(write(drive, "windows7-rst"), published, 0.03);
    }
    near(
        write("kingston-svp100s2-96gb", "windows-xp-ide"),
        40.1,
        0.03,
    );
}

#[test]
fn in_order_speeds_of_the_drives_of_2009_to_2011_are_what_was_published() {
    let of = |drive, host, op| {
        let in_order = Order::Sequential;
        speed(drive, host, op, in_order, Bytes::mib(1), one_pass(), 1)
    };
    let xp = "windows-xp-ide";
    near(of("toshiba-hg2-128gb", xp, Op::Read), 233.3, 0.02);
    // Fitted to a copy of 4 GiB as well, which says 6 % less: each is missed by a little.
    near(of("toshiba-hg2-128gb", xp, Op::Write), 195.2, 0.045);
    near(
        of("plextor-m2s-256gb", "windows7-rst", Op::Write),
        300.0,
        0.02,
    );
}

#[test]
fn firmware_of_the_hg2_differs_by_trim() {
    let trim = |firmware: Option<&str>| {
        let options = ModelOptions {
            firmware: firmware.map(str::to_owned),
            ..ModelOptions::default()
        };
        let drive = open_ssd("toshiba-hg2-128gb", &options).unwrap();
        drive.parameters().trim
    };
    assert!(!trim(None));
    assert!(!trim(Some("AGTA0104")));
    assert!(trim(Some("AGYA0201")));
}
