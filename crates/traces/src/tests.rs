//! Every format: what is accepted, the errors of what is refused, and what is written and read back.

use super::*;
use base::rng::Rng;
use base::time::Instant;

fn read(text: &str) -> Result<Vec<Traced>, BadTrace> {
    Reader::new(text.as_bytes(), None)?.0.collect()
}

fn format_of(text: &str) -> Option<Format> {
    Format::of_text(text)
}

/// Operation, offset, length and time in ns of each.
fn plain(traced: &[Traced]) -> Vec<(Op, u64, u64, u64)> {
    let plain = |t: &Traced| {
        (
            t.io.op,
            t.io.offset.get(),
            t.io.len.get(),
            t.sent.at.as_nanos(),
        )
    };
    traced.iter().map(plain).collect()
}

#[test]
fn the_text_of_blkparse_gives_issues_with_their_completions() {
    let text = "\
  8,0    3        1     0.000000000   697  Q   R 512 + 8 [cat]
  8,0    3        2     0.000001000   697  G   R 512 + 8 [cat]
  8,0    3        3     0.000002500   697  D   R 512 + 8 [cat]
  8,0    1        1     0.000100000     0  m   N cfq697A / activate rq
  8,0    3        4     0.000200000   697  D  WS 4096 + 16 (   55) [cat]
  8,0    3        5     0.000300000   697  D  FN [cat]
  8,0    3        6     0.000400000     0  C   R 512 + 8 [0]
  8,0    3        7     0.000500000     0  C  FN 0 [0]
  8,0    3        8     1.000000000   697  D   D 8192 + 2048 [fstrim]
CPU0 (sda):
 Reads Queued:           1,        4KiB\t Writes Queued:           0,        0KiB
";
    assert_eq!(format_of(text), Some(Format::Blkparse));
    let traced = read(text).unwrap();
    assert_eq!(
        plain(&traced),
        [
            (Op::Read, 512 * 512, 4_096, 2_500),
            (Op::Write, 4_096 * 512, 8_192, 200_000),
            (Op::Flush, 0, 0, 300_000),
            (Op::Trim, 8_192 * 512, 1 << 20, 1_000_000_000),
        ]
    );
    let done: Vec<_> = traced.iter().map(|t| t.done.map(|d| d.line)).collect();
    assert_eq!(done, [Some(7), None, Some(8), None]);
}

/// An I/O of blkparse and its completion 1.2 ms later.
fn pair(seconds: u64, sector: u64) -> String {
    format!(
        "  8,0    1       22  {seconds:5}.000000000  1238  D   R {sector} + 8 [x]\n  8,0    1       25  {seconds:5}.001200000     0  C   R {sector} + 8 [0]\n"
    )
}

const SUMMARY: &str = "CPU0 (8,0):\n Reads Queued:           1,        4KiB\t Writes Queued:           0,        0KiB\n Read depth:             2\n IO unplugs:             0\nTotal (8,0):\n Reads Queued:           1,        4KiB\nThroughput (R/W): 4KiB/s / 0KiB/s\nEvents (8,0): 4 entries\nSkips: 0 forward (0 -   0.0%)\n";

#[test]
fn what_blktraces_tools_print_before_between_and_behind_the_lines_is_passed_over() {
    let ios = pair(0, 700_000);
    let heads = [
        "=== sda ===\n  CPU  0:                    2 events,        1 KiB data\n",
        "Input file sda.blktrace.0 added\nInput file sda.blktrace.1 added\n",
        "\n\n  \n",
        SUMMARY,
        "\u{feff}",
        "",
    ];
    let plainly = read(&ios).unwrap();
    for head in heads {
        for text in [
            format!("{head}{ios}{SUMMARY}"),
            format!("{head}{ios}").replace('\n', "\r\n"),
        ] {
            assert_eq!(format_of(&text), Some(Format::Blkparse), "{text}");
            assert_eq!(plain(&read(&text).unwrap()), plain(&plainly), "{text}");
        }
    }
}

#[test]
fn traces_of_blkparse_that_were_joined_follow_one_another() {
    let read_at =
        |sector: u64, seconds: u64| (Op::Read, sector * 512, 4_096, seconds * 1_000_000_000);
    // One trace with a summary in the middle: its times go on.
    let goes_on = pair(0, 8) + SUMMARY + &pair(1, 16);
    let traced = read(&goes_on).unwrap();
    assert_eq!(plain(&traced), [read_at(8, 0), read_at(16, 1)]);
    // Two of them: the second begins when the first has ended, and completes nothing of it.
    let lost = "  8,0    1       22     2.000000000  1238  D   R 8 + 8 [x]\n";
    let two = pair(1, 16) + lost + SUMMARY + &pair(0, 8) + &pair(3, 24);
    let traced = read(&two).unwrap();
    assert_eq!(
        plain(&traced),
        [read_at(16, 1), read_at(8, 2), read_at(8, 2), read_at(24, 5)]
    );
    let done: Vec<bool> = traced.iter().map(|t| t.done.is_some()).collect();
    assert_eq!(done, [true, false, true, true]);
}

#[test]
fn logs_of_fio_and_tables_of_msr_that_were_joined_follow_one_another() {
    let v3 = "fio version 3 iolog\n2 a add\n872 a read 0 4096\n900 a close\n";
    let v2 = "fio version 2 iolog\na add\na wait 50 0\na read 4096 4096\na close\n";
    let traced = read(&[v3, v2, v3].concat()).unwrap();
    let times: Vec<u64> = traced
        .iter()
        .map(|t| t.sent.at.as_nanos() / 1_000)
        .collect();
    assert_eq!(times, [872, 950, 1_822]);
    let msr = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,1,Read,0,512,1331\n";
    assert_eq!(read(&[msr, msr].concat()).unwrap().len(), 2);
}

#[test]
fn in_every_format_a_mark_empty_lines_and_returned_carriages_change_nothing() {
    let texts = [
        pair(0, 8),
        "fio version 2 iolog\na add\na wait 5 0\na read 0 4096\n".to_owned(),
        "fio version 3 iolog\n2 a add\n5 a read 0 4096\n".to_owned(),
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,1,Read,0,512,1331\n".to_owned(),
        "1000 0 8 16 1\n".to_owned(),
        "0.000000 0 8 16 1\n".to_owned(),
        "1456135200.003238000,0.006548000,R,4,512,4096\n".to_owned(),
        "0,R,512,4096,1577808000000046\n".to_owned(),
        "1538323200,1,8,0,1360\n".to_owned(),
        "1,1,4096,R,0.551706,Example/Host\n".to_owned(),
    ];
    assert_eq!(texts.len(), Format::ALL.len());
    for (text, format) in texts.iter().zip(Format::ALL) {
        let dressed = format!("\u{feff}\n# of somebody\n\n{text}").replace('\n', "\r\n");
        assert_eq!(format_of(&dressed), Some(format), "{dressed}");
        assert_eq!(plain(&read(&dressed).unwrap()), plain(&read(text).unwrap()));
    }
    let wide: Vec<u8> = "\u{feff}1 0 8 16 1\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let Err(bad) = Reader::new(wide.as_slice(), None) else {
        panic!("letters of 16 bits are no text here");
    };
    assert!(bad.what.contains("iconv"), "{bad}");
    // A process may be called by any bytes.
    let mut named = pair(0, 8).into_bytes();
    named
        .iter_mut()
        .filter(|byte| **byte == b'x')
        .for_each(|byte| *byte = 0xe9);
    assert_eq!(
        Reader::new(named.as_slice(), None)
            .unwrap()
            .0
            .filter(Result::is_ok)
            .count(),
        1
    );
}

#[test]
fn a_blkparse_text_of_queueings_alone_is_read_by_them() {
    let text = "8,0 0 1 0.5 1 Q R 8 + 8 [x]\n8,0 0 2 0.75 1 Q W 16 + 8 [x]\n";
    let traced = read(text).unwrap();
    assert_eq!(traced.len(), 2);
    assert_eq!(traced[1].sent.at.as_nanos(), 750_000_000);
}

#[test]
fn of_many_ios_at_one_place_without_completions_each_is_read() {
    let text = "8,0 0 1 0.5 1 Q R 8 + 8 [x]\n".repeat(150_000);
    assert_eq!(read(&text).unwrap().len(), 150_000);
}

#[test]
fn a_trace_in_small_pieces_is_the_trace_in_one_piece() {
    let text = "8,0 0 1 0.5 1 Q R 8 + 8 [x]\n8,0 0 2 0.75 1 D R 8 + 8 [x]\n";
    let pieces = std::io::BufReader::with_capacity(7, text.as_bytes());
    let (reader, format) = Reader::new(pieces, None).unwrap();
    assert_eq!(format, Format::Blkparse);
    let traced: Vec<_> = reader.collect::<Result<_, _>>().unwrap();
    assert_eq!(traced, read(text).unwrap());
    assert_eq!(plain(&traced), [(Op::Read, 4_096, 4_096, 750_000_000)]);
}

#[test]
fn both_versions_of_fios_iolog_are_read() {
    let v2 = "fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x read 0 4096\n/dev/x wait 150 0\n/dev/x write 4096 8192\n/dev/x sync 0 0\n/dev/x wait 50 0\n/dev/x trim 0 65536\n/dev/x close\n";
    assert_eq!(
        plain(&read(v2).unwrap()),
        [
            (Op::Read, 0, 4_096, 0),
            (Op::Write, 4_096, 8_192, 150_000),
            (Op::Flush, 0, 0, 150_000),
            (Op::Trim, 0, 65_536, 200_000),
        ]
    );
    let v3 = "fio version 3 iolog\n2 a add\n872 a open\n878 a write 0 16384\n888 a datasync 0 0\n10001677 a close\n";
    assert_eq!(
        plain(&read(v3).unwrap()),
        [(Op::Write, 0, 16_384, 878_000), (Op::Flush, 0, 0, 888_000)]
    );
}

#[test]
fn the_csv_of_msr_is_read_with_its_response_times_and_put_in_order() {
    let text = "\
128166372003061629,hm,1,Read,383496192,32768,1331
128166372003061700,hm,1,Write,512,512,10
128166372003061650,hm,1,Read,0,4096,20
";
    let traced = read(text).unwrap();
    assert_eq!(
        plain(&traced),
        [
            (Op::Read, 383_496_192, 32_768, 0),
            (Op::Read, 0, 4_096, 2_100),
            (Op::Write, 512, 512, 7_100),
        ]
    );
    assert_eq!(traced[0].done.unwrap().at.as_nanos(), 133_100);
    let named = format!("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n{text}");
    assert_eq!(read(&named).unwrap().len(), 3);
}

#[test]
fn a_trace_whose_first_line_is_not_the_earliest_begins_with_the_earliest() {
    let lines = [
        [
            "1000000000 0 0 8 1\n",
            "0 0 8 8 1\n",
            "500000000 0 16 8 1\n",
        ],
        ["7000.0 0 0 8 1\n", "6000.0 0 8 8 1\n", "6500.0 0 16 8 1\n"],
        [
            "1456135201.0,0.5,R,4,0,4096\n",
            "1456135200.0,0.5,R,4,4096,4096\n",
            "1456135200.5,0.5,R,4,8192,4096\n",
        ],
        [
            "0,R,0,4096,1577808001000000\n",
            "0,R,4096,4096,1577808000000000\n",
            "0,R,8192,4096,1577808000500000\n",
        ],
        [
            "128166372010000000,hm,1,Read,0,4096,20\n",
            "128166372000000000,hm,1,Read,4096,4096,20\n",
            "128166372005000000,hm,1,Read,8192,4096,20\n",
        ],
    ];
    let at = |place: u64, ms: u64| (Op::Read, place, 4_096, ms * 1_000_000);
    for [last, first, middle] in lines {
        let traced = read(&[last, first, middle].concat()).unwrap();
        let sorted = read(&[first, middle, last].concat()).unwrap();
        let expected = [at(4_096, 0), at(8_192, 500), at(0, 1_000)];
        assert_eq!(plain(&traced), expected, "{last}");
        assert_eq!(plain(&sorted), expected, "{last}");
        let done = |traced: &[Traced]| -> Vec<_> {
            traced.iter().map(|t| t.done.map(|done| done.at)).collect()
        };
        assert_eq!(done(&traced), done(&sorted), "{last}");
    }
}

#[test]
fn an_io_that_stands_too_far_behind_later_ones_is_sent_with_the_last_of_them_and_counted() {
    // As drivelab writes MSR's csv, as I/Os complete: one of half a second among 20,000 of 50 us.
    let line = |at: u64, took: u64| format!("{at},hm,1,Read,{},4096,{took}\n", 4_096 * at);
    let behind = |lines: usize| {
        let mut log: Vec<String> = (0..20_000).map(|n| line(500 * n, 500)).collect();
        log.insert(lines, line(1, 5_000_000));
        read(&log.concat()).unwrap()
    };
    let (near, far) = (behind(4_000), behind(10_000));
    assert_eq!((near.len(), far.len()), (20_001, 20_001));
    assert_eq!(near[1].sent.at, Duration::from_nanos(100));
    assert!(near.iter().all(|io| !io.late));
    let late: Vec<&Traced> = far.iter().filter(|io| io.late).collect();
    let [late] = late[..] else {
        panic!("{late:?}");
    };
    assert!(late.sent.at > Duration::from_millis(200));
    let survey = Survey::of(far.iter().copied().map(Ok)).unwrap();
    assert_eq!((survey.late, survey.ios()), (1, 20_001));
}

#[test]
fn the_public_collections_are_read_in_their_units() {
    let systor = "\
Timestamp,Response,IOType,LUN,Offset,Size
1456135200.003238000,0.006548000,R,4,106182975488,512
1456135200.064413000,0.001421000,,4,660254796288,65536
1456135200.016004000,0.007035000,W,4,129985375232,65536
";
    assert_eq!(format_of(systor), Some(Format::Systor));
    assert_eq!(
        format_of("1456135200.064413000,,,4,660254796288,65536\n"),
        Some(Format::Systor)
    );
    let traced = read(systor).unwrap();
    // A line without its kind is no I/O that could be replayed.
    assert_eq!(
        plain(&traced),
        [
            (Op::Read, 106_182_975_488, 512, 0),
            (Op::Write, 129_985_375_232, 65_536, 12_766_000),
        ]
    );
    assert_eq!(
        traced[1].done.unwrap().at.as_nanos(),
        12_766_000 + 7_035_000
    );

    let alibaba = "0,R,135705296896,512,1577808000000046\n1,w,4096,12288,1577808000000073\n";
    assert_eq!(format_of(alibaba), Some(Format::Alibaba));
    let traced = read(alibaba).unwrap();
    assert_eq!(
        plain(&traced),
        [
            (Op::Read, 135_705_296_896, 512, 0),
            (Op::Write, 4_096, 12_288, 27_000)
        ]
    );
    assert!(traced[0].done.is_none() && traced[0].device != traced[1].device);

    let tencent = "1538323200,881391734,128,1,1360\n1538323201,8,8,0,1360\n";
    assert_eq!(format_of(tencent), Some(Format::Tencent));
    assert_eq!(
        plain(&read(tencent).unwrap()),
        [
            (Op::Write, 881_391_734 * 512, 128 * 512, 0),
            (Op::Read, 8 * 512, 8 * 512, 1_000_000_000),
        ]
    );

    let spc =
        "1,10463105,15872,W,0.551706,Example/Host\n0, 6896915, 512, r, 0.75,0x1a2,4.75,note\n";
    assert_eq!(format_of(spc), Some(Format::Spc));
    // Times are the trace's own: it began at 0.
    assert_eq!(
        plain(&read(spc).unwrap()),
        [
            (Op::Write, 10_463_105 * 512, 15_872, 551_706_000),
            (Op::Read, 6_896_915 * 512, 512, 750_000_000),
        ]
    );
    assert_eq!(
        format_of("2,1,512,R,0.5,a,b,c,d\n"),
        Some(Format::Spc),
        "free fields make it no trace of MSR"
    );
    let typo = read("1,1,512,W,0.5\n2,1,512,W,2 448003\n").unwrap_err();
    assert_eq!(typo.line, 2);
    assert!(typo.what.contains("'2 448003' is not a time"), "{typo}");
}

#[test]
fn a_clock_of_whole_seconds_is_told_and_no_clock_is_not_one() {
    let told = |text: &str| {
        let reader = Reader::new(text.as_bytes(), None).unwrap().0;
        Survey::of(reader).unwrap().has_whole_seconds()
    };
    let second = |at: u64| format!("{at},8,8,0,1\n{at},16,8,1,1\n");
    assert!(told(
        &[second(1_538_323_200), second(1_538_323_203)].concat()
    ));
    assert!(!told(
        "0,R,0,512,1577808000000000\n0,R,512,512,1577808000500000\n"
    ));
    assert!(!told(
        "fio version 2 iolog\na add\na read 0 4096\na read 4096 4096\n"
    ));
    // One I/O a second has nothing to queue behind.
    assert!(!told("0.0 0 8 16 1\n1.0 0 8 16 1\n2.0 0 8 16 1\n"));
}

#[test]
fn formats_that_are_only_read_have_no_writer() {
    let written = Format::ALL
        .iter()
        .filter(|format| Writer::new(**format).is_some());
    assert_eq!(written.count(), Format::WRITTEN.len());
}

#[test]
fn the_simulators_formats_are_told_apart_by_the_point_in_their_times() {
    let mqsim = "1000 0 8 16 1\n2500 0 64 8 0\n";
    assert_eq!(format_of(mqsim), Some(Format::Mqsim));
    assert_eq!(
        plain(&read(mqsim).unwrap()),
        [
            (Op::Read, 4_096, 8_192, 0),
            (Op::Write, 32_768, 4_096, 1_500)
        ]
    );
    let disksim = "0.000000 0 8 16 1\n12.345678 0 64 8 0\n13.0 0 64 8 A3\n";
    assert_eq!(format_of(disksim), Some(Format::Disksim));
    let traced = read(disksim).unwrap();
    assert_eq!(plain(&traced)[1], (Op::Write, 32_768, 4_096, 12_345_678));
    assert_eq!(traced[2].io.op, Op::Read);
}

#[test]
fn a_line_that_makes_no_sense_is_named_with_what_was_expected() {
    let cases = [
        (
            "1000 0 8 16 1\n\n2000 0 eight 8 0\n",
            3,
            "'eight' is not a first sector",
        ),
        ("0.5 0 8 16 1\nx 0 8 8 1\n", 2, "'x' is not a time in ms"),
        ("1,h,0,Erase,0,512,1\n", 1, "'Erase' is not Read or Write"),
        ("1,h,0,Read,0,512,\n", 1, "'' is not a response time"),
        (
            "fio version 3 iolog\n5 a red 0 1\n",
            2,
            "'red' is not an action",
        ),
        ("fio version 2 iolog\na read 0\n", 2, "length is missing"),
        ("8,0 0 1 0.x 1 D R 8 + 8\n", 1, "format cannot be detected"),
        (
            "8,0 0 1 0.1 1 D R 8 + 8\nnonsense\n",
            2,
            "'nonsense' is not MAJOR,MINOR",
        ),
        ("1 0 9223372036854775807 8 1\n", 1, "is not a first sector"),
        ("1 0 4611686018427387903 8 1\n", 1, "beyond any drive"),
        ("hello world\n", 1, "format cannot be detected"),
        ("", 1, "format cannot be detected"),
    ];
    for (text, line, what) in cases {
        let bad = read(text).unwrap_err();
        assert_eq!(bad.line, line, "{text}: {bad}");
        assert!(bad.what.contains(what), "{text}: {bad}");
        assert!(!bad.to_string().contains('\n'));
    }
    let long = format!("1 0 8 8 1\n{}\n", "9".repeat(100_000));
    assert!(read(&long).unwrap_err().what.contains("longer than"));
}

#[test]
fn no_text_makes_a_reader_panic() {
    let mut rng = Rng::new(5);
    let pieces = [
        "fio version 3 iolog\n",
        "8,0 0 1 0.1 1 D R 8 + 8\n",
        "8,0 0 1 0.1 1 C R 8 + 8 [0]\n",
        "1 0 8 16 1\n",
        "0.5 0 8 8 1\n",
        "1,h,0,Read,0,512,1\n",
        "1.5,0.1,,4,512,512\n",
        "1.5,0.1,R,4,512,512\n",
        "0,R,512,512,7\n",
        "7,1,8,0,3\n",
        "1, 1, 512, w, 0.5, x\n",
        "-1 ",
        "18446744073709551615 ",
        ",",
        ".",
        "\u{fffd}",
        "#\n",
        " ",
        "a wait 99999999999999999 0\n",
        "99999999999999999999\n",
    ];
    for _ in 0..3_000 {
        let n = 1 + rng.below(6);
        let text: String = (0..n)
            .map(|_| pieces[rng.below(pieces.len() as u64) as usize])
            .collect();
        for format in Format::ALL {
            if let Ok((reader, _)) = Reader::new(text.as_bytes(), Some(format)) {
                let _ = reader.take_while(Result::is_ok).count();
            }
        }
    }
}

#[test]
fn what_is_written_in_a_format_is_read_back_from_it() {
    let us = |us: u64| Instant::from_nanos(us * 1_000);
    let mut ios = Vec::new();
    let mut rng = Rng::new(9);
    for i in 0..500_u64 {
        let place = Bytes::new(512 * rng.below(1 << 30));
        let len = Bytes::new(512 * (1 + rng.below(64)));
        let io = if rng.below(2) == 0 {
            Io::read(place, len)
        } else {
            Io::write(place, len, i)
        };
        ios.push((us(i * 30), io));
    }
    for format in Format::WRITTEN {
        let mut writer = Writer::new(format).unwrap();
        let mut text = writer.head();
        for &(at, io) in &ios {
            writer.event(&Event::Sent { at, io }, &mut text);
            let done = Event::Done {
                sent: at,
                at: at.saturating_add(Duration::from_micros(20)),
                io,
                failed: false,
            };
            writer.event(&done, &mut text);
        }
        text.push_str(&writer.tail());
        let (reader, detected) = Reader::new(text.as_bytes(), None).unwrap();
        assert_eq!(detected, format, "{}", format.name());
        let back: Vec<Traced> = reader.map(Result::unwrap).collect();
        let expected: Vec<_> = ios
            .iter()
            .map(|(at, io)| (io.op, io.offset.get(), io.len.get(), at.as_nanos()))
            .collect();
        assert_eq!(plain(&back), expected, "{}", format.name());
        let knows = matches!(format, Format::Blkparse | Format::Msr);
        assert!(back.iter().all(|t| t.done.is_some() == knows));
        assert_eq!(writer.left_out(), 0);
    }
    let mut writer = Writer::new(Format::Msr).unwrap();
    let mut text = String::new();
    let at = us(0);
    writer.event(
        &Event::Sent {
            at,
            io: Io::flush(),
        },
        &mut text,
    );
    assert_eq!((writer.left_out(), text.as_str()), (1, ""));
}

#[test]
fn a_survey_counts_what_there_is() {
    let text = "1000 0 8 16 1\n2500 1 64 8 0\n9000 0 0 8 1\n";
    let (reader, _) = Reader::new(text.as_bytes(), None).unwrap();
    let survey = Survey::of(reader).unwrap();
    assert_eq!((survey.reads, survey.writes, survey.drives), (2, 1, 2));
    assert_eq!(survey.read_bytes, Bytes::kib(12));
    assert_eq!((survey.start, survey.end), (Bytes::ZERO, Bytes::kib(36)));
    assert_eq!(survey.largest, Bytes::kib(8));
    assert_eq!(survey.granule, Bytes::kib(4));
    assert_eq!(survey.clone().in_blocks(Bytes::kib(4)), survey);
    let grown = survey.clone().in_blocks(Bytes::kib(16));
    assert_eq!(grown.largest, Bytes::kib(32));
    assert_eq!(survey.lasts.as_nanos(), 8_000);
    let sizes = [(Bytes::kib(4), 2, 1), (Bytes::kib(8), 1, 1)];
    assert_eq!(survey.sizes, sizes);
}
