//! Each reader on a file of its tool with invented numbers: the figures are the file's to the last digit.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::result::Figure;
use imports::{Imported, Source, When, into_result};

fn read(bytes: &[u8]) -> Imported {
    imports::read(bytes).unwrap()
}

fn of<'a>(imported: &'a Imported, key: &str) -> &'a Figure {
    let named = imported.figures.iter().find(|figure| figure.key == key);
    named.unwrap_or_else(|| panic!("{key} is not among the figures"))
}

/// Value, unit and statistic of a figure.
fn told<'a>(imported: &'a Imported, key: &str) -> (Option<f64>, &'a str, &'a str) {
    let figure = of(imported, key);
    (figure.value, &figure.unit, figure.statistic.as_str())
}

#[test]
fn crystaldiskmark_8_has_the_keys_and_conditions_of_the_method() {
    let imported = read(include_bytes!("files/crystaldiskmark-8.txt"));
    assert_eq!(imported.version.as_deref(), Some("8.0.5"));
    assert_eq!(imported.figures.len(), 24);
    let best = |value| Some(value);
    let cell = "seq1m-q8t1.read";
    assert_eq!(told(&imported, cell), (best(561.25), "MB/s", "best of 5"));
    assert_eq!(told(&imported, "seq1m-q8t1.read.iops").0, Some(535.2));
    assert_eq!(
        told(&imported, "seq1m-q8t1.read.latency").0,
        Some(14_911.07)
    );
    let failed = of(&imported, "rnd4k-q1t1.write");
    assert_eq!(failed.value, None);
    assert!(
        failed
            .why_not
            .as_deref()
            .unwrap()
            .contains("the file has 0")
    );
    let by = &of(&imported, "rnd4k-q32t1.write").comparable_by;
    assert_eq!(by.span, "1 GiB from 0 B");
    assert_eq!(by.data, "fresh, 0 % compressible");
    assert_eq!(by.alignment, "4 KiB");
    assert_eq!(imported.when, When::Local("2024/06/01 10:20:30".to_owned()));
    assert!(imported.changed.is_empty(), "{:?}", imported.changed);
}

#[test]
fn crystaldiskmark_7_is_read_from_utf_16_and_has_no_method() {
    let imported = read(include_bytes!("files/crystaldiskmark-7-utf16.txt"));
    let cell = "rnd4k-q32t16.read.latency";
    assert_eq!(told(&imported, cell), (Some(635_043.04), "us", "best of 3"));
    assert_eq!(told(&imported, "rnd4k-q32t16.mix-r70").0, Some(0.611));
    assert_eq!(
        of(&imported, "rnd4k-q32t16.mix-r70").comparable_by.data,
        "zeros"
    );
    assert_eq!(result(imported).method, "import");
}

#[test]
fn crystaldiskmark_6_does_not_say_how_large_its_sequential_accesses_are() {
    let imported = read(include_bytes!("files/crystaldiskmark-6.txt"));
    assert_eq!(told(&imported, "seq-q32t1.read").0, Some(560.127));
    assert_eq!(told(&imported, "rnd4k-q8t8.write.iops").0, Some(85_450.2));
    assert_eq!(
        of(&imported, "seq-q32t1.read").comparable_by.alignment,
        "not stated"
    );
}

#[test]
fn crystaldiskmark_3_is_the_classic_method_in_any_encoding() {
    let imported = read(include_bytes!("files/crystaldiskmark-3-cp932.txt"));
    assert_eq!(
        told(&imported, "512k.write"),
        (Some(188.011), "MB/s", "best of 5")
    );
    assert_eq!(told(&imported, "4k-qd32.read.iops").0, Some(31_960.2));
    assert_eq!(
        of(&imported, "seq.write").comparable_by.span,
        "1000 MiB from 0 B"
    );
    assert_eq!(result(imported).method, "crystaldiskmark-classic");
}

#[test]
fn a_megabyte_of_kdiskmark_is_1024000_bytes() {
    let imported = read(include_bytes!("files/kdiskmark-3.txt"));
    assert_eq!(told(&imported, "seq1m-q8t1.read").0, Some(3471.2064));
    // 15,000 accesses of 4096 bytes a second.
    assert_eq!(told(&imported, "rnd4k-q1t1.read").0, Some(61.44));
    assert_eq!(imported.identity["model"], "SAMPLE NVME 1TB");
}

#[test]
fn fio_3_gives_nanoseconds_and_bytes_and_its_bins_are_drawn() {
    let imported = read(include_bytes!("files/fio-3-json-plus.json"));
    assert_eq!(imported.when, When::UnixMs(1_700_000_000_123));
    assert_eq!(imported.target, "/srv/bench/a.dat");
    let told = |key: &str| told(&imported, key);
    assert_eq!(told("rand-read.read"), (Some(4.093953), "MB/s", "mean"));
    assert_eq!(told("rand-read.read.iops").0, Some(999.50025));
    assert_eq!(
        told("rand-read.read.latency"),
        (Some(163.7348178), "us", "mean")
    );
    assert_eq!(told("rand-read.read.worst").0, Some(2_040.111));
    assert_eq!(
        told("rand-read.read.clat.p99"),
        (Some(1_204.224), "us", "p99")
    );
    // Of 2000 I/Os the 99.99th percentile is the longest of all.
    assert_eq!(told("rand-read.read.clat.p99.99").0, None);
    let drawn: f64 = imported.charts[0].curves[0].y.iter().flatten().sum();
    assert!((drawn - 2_000.0).abs() < 1e-9, "{drawn}");
    assert!(
        !imported
            .figures
            .iter()
            .any(|figure| figure.key.contains("write"))
    );
}

#[test]
fn fio_2_gives_microseconds_and_kib() {
    let imported = read(include_bytes!("files/fio-2.json"));
    assert_eq!(told(&imported, "seq.read").0, Some(3.641344));
    assert_eq!(
        told(&imported, "seq.read.latency"),
        (Some(119.4), "us", "mean")
    );
    assert_eq!(told(&imported, "seq.read.clat.p99").0, Some(227.0));
    // No options are in the file: nobody knows what was asked for.
    let result = result(imported);
    assert_eq!(result.figures[0].comparable_by.scale, "not stated");
}

#[test]
fn diskspd_has_bytes_and_seconds_of_which_rates_are_made() {
    let imported = read(include_bytes!("files/diskspd-2.xml"));
    assert_eq!(imported.when, When::UnixMs(1_646_370_367_000));
    let told = |key: &str| told(&imported, key);
    assert_eq!(told("timespan-1.read"), (Some(61.44), "MB/s", "mean"));
    assert_eq!(told("timespan-1.read.iops").0, Some(7_500.0));
    assert_eq!(told("timespan-1.read.latency"), (Some(125.0), "us", "mean"));
    assert_eq!(told("timespan-1.read.p99").0, Some(507.0));
    assert_eq!(told("timespan-1.read.worst"), (Some(3_019.0), "us", "max"));
}

#[test]
fn the_text_of_diskspd_gives_what_its_xml_gives() {
    // The tool indents with tabs.
    let text = include_str!("files/diskspd-2.txt").replace("    ", "\t");
    let imported = read(text.as_bytes());
    assert_eq!(imported.when, When::UnixMs(1_717_237_230_000));
    assert_eq!(imported.target, r"E:\any.dat");
    assert_eq!(imported.host["computer"], "ANY-PC");
    assert_eq!(imported.settings["block size"], "4KiB");
    assert!(!imported.settings.contains_key("cpu count"));
    let told = |key: &str| told(&imported, key);
    assert_eq!(told("timespan-1.read"), (Some(16.384), "MB/s", "mean"));
    assert_eq!(told("timespan-1.read.iops").0, Some(4_000.0));
    assert_eq!(
        told("timespan-1.read.latency"),
        (Some(3_990.0), "us", "mean")
    );
    assert_eq!(told("timespan-1.read.p99").0, Some(6_650.0));
    assert_eq!(told("timespan-1.read.worst"), (Some(27_150.0), "us", "max"));
    // Nothing was written, and a table of zeros is no measurement.
    assert_eq!(imported.figures.len(), 7);
    let cut = text.replace("10.00s", "");
    assert!(imports::read(cut.as_bytes()).is_err());
}

#[test]
fn as_ssd_has_the_keys_of_the_method_in_both_views_and_any_language() {
    let imported = read(include_bytes!("files/as-ssd.txt"));
    assert_eq!(imported.version.as_deref(), Some("2.0.7316.34247"));
    assert_eq!(imported.identity["model"], "ANY SSD 500GB");
    assert_eq!(told(&imported, "seq.read").0, Some(2_711.4));
    assert_eq!(told(&imported, "seq.read").1, "MiB/s");
    assert_eq!(told(&imported, "access.write").0, Some(0.029));
    assert_eq!(told(&imported, "score.total").0, Some(3_052.0));
    assert_eq!(of(&imported, "4k-64thrd.write").value, None);
    let told_of = |key: &str| imported.notes.iter().any(|note| note.key() == Some(key));
    assert!(told_of("note-import-misaligned"));
    let result = result(imported);
    assert_eq!(result.method, "as-ssd");
    assert!(!result.stands_beside_published, "the size is not stated");

    let iops = read(include_bytes!("files/as-ssd-iops.txt"));
    assert_eq!(
        told(&iops, "seq.write.iops"),
        (Some(138.04), "IOPS", "as AS SSD Benchmark computes it")
    );
    assert_eq!(told(&iops, "access.read.iops").0, Some(12_346.0));
    let both = include_str!("files/as-ssd.txt").replace("2711,40", "2.711,40");
    assert!(
        imports::read(both.as_bytes()).is_err(),
        "a comma and a point"
    );
}

#[test]
fn iometer_of_before_has_rates_that_its_iops_explain() {
    let imported = read(include_bytes!("files/iometer-2006.csv"));
    assert_eq!(imported.version.as_deref(), Some("2006.07.27"));
    // 10 of 2^20 bytes: 1280 I/Os of 8 KiB a second.
    assert_eq!(
        told(&imported, "test-1.read"),
        (Some(10.48576), "MB/s", "mean")
    );
    assert_eq!(
        told(&imported, "test-1.read.worst"),
        (Some(9.25), "ms", "max")
    );
    assert_eq!(told(&imported, "test-1.errors").0, Some(0.0));
    assert!(
        !imported
            .figures
            .iter()
            .any(|figure| figure.key == "test-1.write.iops")
    );
}

#[test]
fn hd_tune_does_not_say_what_its_megabyte_is() {
    let imported = read(include_bytes!("files/hd-tune.txt"));
    assert_eq!(
        told(&imported, "read.mean"),
        (Some(61.4), "MB/sec", "mean of the points")
    );
    assert_eq!(told(&imported, "read.access-time").0, Some(15.9));
    assert_eq!(imported.identity["model"], "SAMPLE HDD 320GB");
}

#[test]
fn a_log_of_fio_has_values_without_a_unit() {
    let imported = read(include_bytes!("files/fio-lat.log"));
    assert_eq!(told(&imported, "read.lines").0, Some(3.0));
    assert_eq!(
        told(&imported, "read.value.max"),
        (Some(120_500.0), "", "max")
    );
    assert_eq!(told(&imported, "write.value.mean").0, Some(230_100.0));
}

#[test]
fn a_map_says_how_many_bytes_arrived() {
    let imported = read(include_bytes!("files/ddrescue.map"));
    assert_eq!(
        told(&imported, "copied.bytes"),
        (Some(2_096_128.0), "B", "count")
    );
    assert_eq!(told(&imported, "bad.bytes").0, Some(1_024.0));
    assert_eq!(told(&imported, "copied.areas").0, Some(2.0));
}

#[test]
fn drive_days_are_counted_by_model() {
    let imported = read(include_bytes!("files/backblaze.csv"));
    assert_eq!(told(&imported, "MAKER A100.drive-days").0, Some(3.0));
    assert_eq!(told(&imported, "MAKER A100.failures").0, Some(1.0));
    assert_eq!(
        imported.when,
        When::Local("2021-07-08 to 2021-07-09".to_owned())
    );
}

fn result(imported: Imported) -> results::RunResult {
    let source = Source {
        file: "desk.txt",
        bytes: b"abc",
        drivelab: "0.1.0",
        command: &[],
    };
    into_result(imported, source)
}

#[test]
fn a_result_says_where_it_comes_from_and_what_is_not_known() {
    let result = result(read(include_bytes!("files/crystaldiskmark-8.txt")));
    assert_eq!(result.method, "crystaldiskmark");
    let from = result.imported.unwrap();
    assert_eq!(from.tool, "CrystalDiskMark");
    assert!(
        from.sha256.starts_with("ba7816bf8f01cfea"),
        "{}",
        from.sha256
    );
    assert_eq!(from.when.as_deref(), Some("2024/06/01 10:20:30"));
    assert_eq!(
        (result.began_unix_ms, &*result.target.state),
        (0, "unknown")
    );
    assert_eq!(result.target.name, "desk.txt#ba7816bf");
    let by = &result.figures[0].comparable_by;
    assert_eq!((&*by.state, &*by.scale), ("unknown", "full"));
    let first = "read from desk.txt, a file of CrystalDiskMark (version 8.0.5); drivelab did not measure this";
    assert_eq!(result.notes[0], first);
    let last = result.notes.last().unwrap();
    assert!(last.contains("the state of the drive"), "{last}");
}

#[test]
fn what_is_known_and_not_read_is_refused_by_its_name() {
    let refused = |text: &str| imports::read(text.as_bytes()).unwrap_err().to_string();
    let ioping = "4 KiB <<< . (ext4 /dev/sdx1 9 GiB): request=1 time=312.4 us (warmup)\n";
    assert!(refused(ioping).starts_with("this is the output of ioping: not supported"));
    let dd = "16+0 records in\n16+0 records out\n16777216 bytes (17 MB) copied, 0.01 s, 2 GB/s\n";
    assert!(refused(dd).starts_with("this is the output of dd: not supported"));
    let unknown = refused("Dear reader,\n");
    assert!(
        unknown.contains("CrystalDiskMark 3 to 9 (text)"),
        "{unknown}"
    );
}
