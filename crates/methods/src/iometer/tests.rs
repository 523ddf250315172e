//! The shares of the specifications, the rates that follow from them, and those of a file.

use super::*;
use crate::tests::bench_double::BenchDouble;
use crate::tests::{drive, output_of, settings, value};
use base::method::Scale;
use base::workload::stream::Stream;
use std::collections::BTreeMap;

#[test]
fn the_shares_of_every_specification_are_whole_and_file_server_has_its_known_mean() {
    for spec in specifications("all") {
        let sum: u32 = spec.lines.iter().map(|line| line.1).sum();
        assert_eq!(sum, 100, "{}", spec.key);
    }
    let bytes: u64 = FILE_SERVER
        .lines
        .iter()
        .map(|line| line.0 * u64::from(line.1))
        .sum();
    // 11,346 bytes.
    assert_eq!((bytes + 50) / 100, 11_346);
}

#[test]
fn a_million_accesses_of_the_file_server_have_its_sizes_reads_and_sectors() {
    const ACCESSES: u32 = 1_000_000;
    let settings = settings("iometer", Scale::Full, &[]);
    let on = base::bench::Bench::info(&BenchDouble::new(drive()));
    let job = FILE_SERVER.job(Span::first(on.capacity), 32, &settings, &on);
    let mut stream = Stream::new(&job, 0, on.block, 1);
    let mut sizes = BTreeMap::<u64, u32>::new();
    let (mut reads, mut sectors) = (0, [0; 8]);
    for _ in 0..ACCESSES {
        let io = stream.draw().io;
        *sizes.entry(io.len.get()).or_default() += 1;
        reads += u32::from(io.op == Op::Read);
        assert!(io.offset.is_multiple_of(Bytes::SECTOR) && io.offset + io.len <= on.capacity);
        sectors[(io.offset.get() / 512 % 8) as usize] += 1;
    }
    let percent = |n: u32| 100.0 * f64::from(n) / f64::from(ACCESSES);
    let known = [
        (512, 10.0),
        (1_024, 5.0),
        (2_048, 5.0),
        (4_096, 60.0),
        (8_192, 2.0),
        (16_384, 4.0),
        (32_768, 4.0),
        (65_536, 10.0),
    ];
    assert_eq!(sizes.len(), known.len());
    for (size, share) in known {
        let drawn = percent(sizes[&size]);
        assert!((drawn - share).abs() < 0.1, "{size}: {drawn} %");
    }
    assert!((percent(reads) - 80.0).abs() < 0.1, "{reads}");
    // One I/O in eight begins at a page of 4 KiB.
    assert!(
        sectors.iter().all(|n| (percent(*n) - 12.5).abs() < 0.1),
        "{sectors:?}"
    );
}

#[test]
fn accesses_a_second_times_their_mean_size_are_the_rate() {
    let settings = settings("iometer", Scale::Quick, &["time=2s", "depth=32"]);
    let mut bench = BenchDouble::new(drive());
    let output = output_of("iometer", &settings, &mut bench);
    let of = |key: &str| value(&output, &format!("file-server.qd32.{key}"));
    // One I/O at a time, of 100 us each.
    assert!((of("total.iops") - 10_000.0).abs() < 50.0);
    for kind in ["total", "read", "write"] {
        let figure = format!("file-server.qd32.{kind}.iops");
        let ios = output.figures.iter().find(|f| f.key == figure).unwrap().n;
        let run = bench.phases.last().unwrap();
        let bytes = match kind {
            "total" => run.bytes(),
            "read" => run.of(Op::Read).bytes,
            _ => run.of(Op::Write).bytes,
        };
        let mean = bytes.get() as f64 / ios as f64;
        let rate = of(&format!("{kind}.iops")) * mean / f64::from(1 << 20);
        assert!(
            (of(&format!("{kind}.rate")) / rate - 1.0).abs() < 1e-9,
            "{kind}"
        );
        assert!((mean / 11_346.0 - 1.0).abs() < 0.05, "{mean}");
    }
}

#[test]
fn the_specifications_of_a_file_run_with_their_own_alignment_and_burst() {
    let icf = "'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\n\tOne,ALL\n'size,...\n\
4096,100,50,100,1,10,4096,0\n'Access specification name,default assignment\n\tTwo,NONE\n'size,...\n\
8192,100,100,0,0,1,0,0\n'END access specifications\n";
    let mut settings = settings(
        "iometer",
        Scale::Quick,
        &["spec-file=my.icf", "depth=1", "time=1s"],
    );
    let noted = base::input::Input {
        noted: 2.into(),
        ..base::input::Input::default()
    };
    settings.inputs.insert("spec-file".to_owned(), noted);
    let mut bench = BenchDouble::new(drive());
    bench.inputs.insert("spec-file".to_owned(), icf.to_owned());
    let output = output_of("iometer", &settings, &mut bench);
    // Ten I/Os of 100 us, then 1 ms: half of the time.
    assert!((value(&output, "one.qd1.total.iops") - 5_000.0).abs() < 30.0);
    assert!((value(&output, "two.qd1.total.iops") - 10_000.0).abs() < 30.0);
    let job = &bench.phases[1].workload.jobs[0];
    assert_eq!((job.name.as_str(), job.align), ("one", Bytes::kib(4)));
}

#[test]
fn lines_of_a_file_that_differ_run_in_one_mix_each_in_its_own_order() {
    let icf = "'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\n\tMix,NONE\n'size,...\n\
4096,60,100,100,0,1,4096,0\n65536,40,0,0,0,1,65536,0\n'END access specifications\n";
    let mut settings = settings(
        "iometer",
        Scale::Quick,
        &["spec-file=my.icf", "depth=1", "time=5s", "prepare=no"],
    );
    let noted = base::input::Input::default();
    settings.inputs.insert("spec-file".to_owned(), noted);
    let mut bench = BenchDouble::new(drive());
    bench.inputs.insert("spec-file".to_owned(), icf.to_owned());
    output_of("iometer", &settings, &mut bench);
    let record = &bench.phases[0];
    let (reads, writes) = (record.of(Op::Read), record.of(Op::Write));
    assert_eq!(reads.bytes, Bytes::kib(4) * reads.ios);
    assert_eq!(writes.bytes, Bytes::kib(64) * writes.ios);
    let share = reads.ios as f64 / record.ios() as f64;
    assert!((share - 0.6).abs() < 0.01, "{share}");
}
