//! Arguments and profiles as people write them, and any text.

use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

use crate::arguments::{Around, read};
use crate::error::DiskSpdError;
use crate::profile::{Cache, Content, Profile, Throttle, TimeSpan, Work};
use crate::xml;

fn parsed(line: &str) -> Result<Profile, DiskSpdError> {
    let file = |_: &str| Ok(PROFILE.to_owned());
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    read(
        &words,
        &Around {
            file: &file,
            seed: 77,
        },
    )
}

fn span(line: &str) -> TimeSpan {
    parsed(&format!("{line} a.dat")).unwrap().spans.remove(0)
}

fn work(line: &str) -> Work {
    span(line).works.remove(0)
}

fn refused(line: &str) -> String {
    parsed(line).unwrap_err().to_string()
}

const PROFILE: &str = r#"<?xml version="1.0"?>
<Profile>
  <ResultFormat>xml</ResultFormat>
  <TimeSpans>
    <TimeSpan>
      <Warmup>1</Warmup><Duration>4</Duration><MeasureLatency>true</MeasureLatency>
      <Targets>
        <Target>
          <Path>*1</Path><BlockSize>4096</BlockSize><Random>8192</Random><RandomRatio>30</RandomRatio>
          <DisableAllCache>true</DisableAllCache><WriteRatio>40</WriteRatio><RequestCount>16</RequestCount>
          <Throughput unit="IOPS">500</Throughput>
          <WriteBufferContent><Pattern>random</Pattern>
            <RandomDataSource><SizeInBytes>1048576</SizeInBytes></RandomDataSource></WriteBufferContent>
        </Target>
      </Targets>
    </TimeSpan>
    <TimeSpan><Targets><Target><Path>*1</Path></Target></Targets></TimeSpan>
  </TimeSpans>
</Profile>"#;

#[test]
fn without_options_diskspd_reads_in_order_for_ten_seconds_behind_five() {
    let span = span("");
    assert_eq!(
        (span.duration, span.warm_up, span.cool_down, span.seed),
        (10, 5, 0, 0)
    );
    assert_eq!(span.works, [Work::on("a.dat")]);
    assert_eq!((span.works[0].block, span.works[0].requests), (65_536, 2));
}

#[test]
fn each_option_says_what_it_says_in_diskspd() {
    let base = || Work::on("a.dat");
    let table: [(&str, Work); 21] = [
        (
            "-b4K",
            Work {
                block: 4096,
                ..base()
            },
        ),
        (
            "-B2b -b4K",
            Work {
                block: 4096,
                base: 8192,
                ..base()
            },
        ),
        (
            "-c1G",
            Work {
                create: Some(1 << 30),
                ..base()
            },
        ),
        (
            "-f1M",
            Work {
                end: Some(1 << 20),
                ..base()
            },
        ),
        (
            "-g2000",
            Work {
                throttle: Some(Throttle::BytesPerMs(2_000)),
                ..base()
            },
        ),
        (
            "-g300i",
            Work {
                throttle: Some(Throttle::Iops(300)),
                ..base()
            },
        ),
        (
            "-h",
            Work {
                cache: Cache::None,
                write_through: true,
                ..base()
            },
        ),
        (
            "-i8 -j20",
            Work {
                burst: 8,
                think_ms: 20,
                ..base()
            },
        ),
        (
            "-o32",
            Work {
                requests: 32,
                ..base()
            },
        ),
        (
            "-p",
            Work {
                parallel: true,
                ..base()
            },
        ),
        (
            "-r",
            Work {
                random_percent: 100,
                stride: Some(65_536),
                ..base()
            },
        ),
        (
            "-r4K -b8K",
            Work {
                random_percent: 100,
                stride: Some(4096),
                block: 8192,
                ..base()
            },
        ),
        (
            "-rs25 -r4K",
            Work {
                random_percent: 25,
                stride: Some(4096),
                ..base()
            },
        ),
        ("-s", base()),
        (
            "-s2b",
            Work {
                stride: Some(131_072),
                ..base()
            },
        ),
        (
            "-si4K -b4K",
            Work {
                interlocked: true,
                stride: Some(4096),
                block: 4096,
                ..base()
            },
        ),
        (
            "-Sh",
            Work {
                cache: Cache::None,
                write_through: true,
                ..base()
            },
        ),
        (
            "-Swu",
            Work {
                cache: Cache::None,
                write_through: true,
                ..base()
            },
        ),
        (
            "-S",
            Work {
                cache: Cache::None,
                ..base()
            },
        ),
        (
            "-t4 -T1M -w30",
            Work {
                threads: 4,
                thread_stride: 1 << 20,
                write_percent: 30,
                ..base()
            },
        ),
        (
            "-Z1M",
            Work {
                content: Content::Random(1 << 20),
                ..base()
            },
        ),
    ];
    for (line, wanted) in table {
        assert_eq!(work(line), wanted, "{line}");
    }
    let all = span("-d3 -W1 -C2 -z5 -L -D250 -F4 -O8 -Zr -n -x");
    let wanted = TimeSpan {
        duration: 3,
        warm_up: 1,
        cool_down: 2,
        seed: 5,
        measures_latency: true,
        interval_ms: Some(250),
        threads: Some(4),
        requests: Some(8),
        fresh_data: true,
        without_affinity: true,
        completion_routines: true,
        works: vec![Work::on("a.dat")],
    };
    assert_eq!(all, wanted);
    assert_eq!((span("-z").seed, span("-D").interval_ms), (77, Some(1_000)));
}

#[test]
fn what_cannot_matter_is_named_once_and_skipped() {
    let profile = parsed("-ag0,0,1 -a1 -ePROCESS -I1 -l -P100 -fr -x a.dat").unwrap();
    let names: Vec<&str> = profile
        .skipped
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["-a, -n", "-e", "-I", "-l", "-P", "-frst", "-x"]);
}

#[test]
fn what_would_change_the_result_is_refused_with_the_reason() {
    let table = [
        ("-Sm a", "memory-mapped"),
        ("-Sr a", "other computers"),
        ("-Nv a", "-Sm"),
        ("-rdpct10/90:90/10 a", "zoned_abs"),
        ("-yrGO a", "events"),
        ("-Z1M,data.bin a", "data of a file"),
        ("-Q a", "no such option"),
        ("-b0 a", "4 GiB"),
        ("-b4KB a", "no size"),
        ("-o0 a", "1 at least"),
        ("-w101 a", "per cent"),
        ("-w a", "'' is no"),
        ("-s -r a", "-s asks"),
        ("-r -s a", "-r asks"),
        ("-Sbu a", "contradicts"),
        ("-t2 -F2 a", "all threads"),
        ("-O2 a", "-F"),
        ("-si -T4K a", "-T"),
        ("-f64K -B64K a", "holds no I/O"),
        ("a -b4K", "before the target"),
        ("-b4K", "missing target"),
        ("-Xa.xml -b4K a", "beside -X"),
    ];
    for (line, why) in table {
        let said = refused(line);
        assert!(said.contains(why) && !said.contains('\n'), "{line}: {said}");
    }
}

#[test]
fn intervals_are_bounded_over_all_threads() {
    assert_eq!(span("-t4 -d1000 -D1").interval_ms, Some(1));
    let what = refused("-t64 -d1000 -D1 a.dat");
    assert!(what.contains("intervals at most, of all threads"), "{what}");
    assert!(refused("-t4 -d600 -D1 a.dat b.dat").contains("of all threads"));
}

#[test]
fn a_profile_in_xml_says_the_same_and_arguments_stand_over_its_times() {
    let profile = parsed("-Xprofile.xml -d2 -Rtext model:a").unwrap();
    assert_eq!(profile.spans.len(), 2);
    let first = &profile.spans[0];
    assert_eq!(
        (first.duration, first.warm_up, first.measures_latency),
        (2, 1, true)
    );
    let wanted = Work {
        block: 4096,
        stride: Some(8192),
        random_percent: 30,
        cache: Cache::None,
        write_through: true,
        write_percent: 40,
        requests: 16,
        throttle: Some(Throttle::Iops(500)),
        content: Content::Random(1 << 20),
        ..Work::on("model:a")
    };
    assert_eq!(first.works, [wanted]);
    assert_eq!(profile.spans[1].works, [Work::on("model:a")]);
}

/// Every element that a profile may have, with a value without effect.
const NOTHING_ASKED: &str = r#"<Profile>
  <Progress>0</Progress><ResultFormat>text</ResultFormat><Verbose>false</Verbose><PrecreateFiles>None</PrecreateFiles>
  <ETW/>
  <TimeSpans><TimeSpan>
    <CompletionRoutines>false</CompletionRoutines><MeasureLatency>false</MeasureLatency>
    <CalculateIopsStdDev>false</CalculateIopsStdDev><DisableAffinity>false</DisableAffinity><Affinity/>
    <Duration>10</Duration><Warmup>5</Warmup><Cooldown>0</Cooldown><ThreadCount>0</ThreadCount>
    <RequestCount>0</RequestCount><IoBucketDuration>1000</IoBucketDuration><RandSeed>0</RandSeed>
    <RandomWriteData>false</RandomWriteData>
    <Targets><Target>
      <Path>*1</Path><BlockSize>65536</BlockSize><StrideSize>65536</StrideSize>
      <InterlockedSequential>false</InterlockedSequential><BaseFileOffset>0</BaseFileOffset>
      <SequentialScan>false</SequentialScan><RandomAccess>false</RandomAccess><TemporaryFile>false</TemporaryFile>
      <UseLargePages>false</UseLargePages><DisableAllCache>false</DisableAllCache>
      <DisableOSCache>false</DisableOSCache><DisableLocalCache>false</DisableLocalCache>
      <WriteThrough>false</WriteThrough><MemoryMappedIo>false</MemoryMappedIo><FlushType>ViewOfFile</FlushType>
      <WriteBufferContent><Pattern>sequential</Pattern>
        <RandomDataSource><SizeInBytes>65536</SizeInBytes><FilePath></FilePath></RandomDataSource>
      </WriteBufferContent>
      <ParallelAsyncIO>false</ParallelAsyncIO><FileSize>0</FileSize><BurstSize>0</BurstSize><ThinkTime>0</ThinkTime>
      <RandomRatio>0</RandomRatio><Distribution/><ThreadStride>0</ThreadStride><MaxFileSize>0</MaxFileSize>
      <RequestCount>2</RequestCount><WriteRatio>0</WriteRatio><Throughput>0</Throughput>
      <ThreadsPerFile>1</ThreadsPerFile><ThreadTargets/><IOPriority>3</IOPriority><Weight>1</Weight>
    </Target></Targets>
  </TimeSpan></TimeSpans>
</Profile>"#;

#[test]
fn a_value_that_asks_for_nothing_is_not_the_feature() {
    let profile = xml::read("p.xml", NOTHING_ASKED).unwrap();
    let work = Work {
        stride: Some(65_536),
        ..Work::on("*1")
    };
    let wanted = TimeSpan {
        works: vec![work],
        ..TimeSpan::default()
    };
    assert_eq!(profile.spans, [wanted]);
    for (nothing, asked, why) in [
        ("<Weight>1", "<Weight>2", "weights"),
        (
            "<ThreadTargets/>",
            "<ThreadTargets><ThreadTarget/></ThreadTargets>",
            "weights",
        ),
        (
            "<Distribution/>",
            "<Distribution><Percent/></Distribution>",
            "distributions",
        ),
        (
            "<MemoryMappedIo>false",
            "<MemoryMappedIo>true",
            "not done here",
        ),
        (
            "<DisableLocalCache>false",
            "<DisableLocalCache>true",
            "not done here",
        ),
        ("<FilePath>", "<FilePath>a.dat", "data of a file"),
    ] {
        let text = NOTHING_ASKED.replace(nothing, asked);
        let said = xml::read("p.xml", &text).unwrap_err().to_string();
        assert!(said.contains(why), "{asked}: {said}");
    }
}

#[test]
fn an_error_in_a_profile_has_its_line_and_element() {
    let wrong = PROFILE.replace("<BlockSize>4096", "<BlockSize>4K");
    let said = xml::read("p.xml", &wrong).unwrap_err().to_string();
    assert_eq!(
        said,
        "p.xml:9: <BlockSize>: '4K' is no number that fits here"
    );
    let wrong = PROFILE.replace("Random>", "Rando>");
    let said = xml::read("p.xml", &wrong).unwrap_err().to_string();
    assert!(
        said.contains("<Rando>: DiskSpd's profiles have no such element"),
        "{said}"
    );
    let entities = "<!DOCTYPE a [<!ENTITY b 'c'>]><Profile/>";
    assert!(xml::read("p.xml", entities).is_err());
}

#[test]
fn a_target_of_windows_has_to_be_named_anew() {
    for path in ["#1", "D:", "*1", "C:\\a.dat"] {
        let profile = parsed(path).unwrap();
        assert!(profile.target(None).is_err(), "{path}");
        assert_eq!(profile.target(Some("model:a")).unwrap(), "model:a");
    }
    assert!(
        parsed("a b")
            .unwrap()
            .target(None)
            .unwrap_err()
            .to_string()
            .contains("one target")
    );
}

proptest! {
    #[test]
    fn any_words_are_read_or_refused_in_one_line(words in proptest::collection::vec("-?[a-zA-Z]{0,2}[0-9a-zA-Z]{0,6}", 0..6)) {
        match parsed(&words.join(" ")) {
            Ok(profile) => prop_assert!(!profile.spans.is_empty()),
            Err(why) => prop_assert!(!why.to_string().contains('\n')),
        }
    }

    #[test]
    fn a_profile_is_printed_as_it_is_read(
        block in 512_u64..100_000, stride in proptest::option::of(1_u64..100_000), random in 0_u8..=100,
        write in 0_u8..=100, requests in 1_u32..99, through: bool, path in "[a-z<&\"]{1,8}",
        iops in proptest::option::of(1_u32..99), zeros: bool,
    ) {
        let work = Work {
            block, random_percent: random, write_percent: write, requests, write_through: through,
            stride: if random > 0 { Some(stride.unwrap_or(block)) } else { stride },
            throttle: iops.map(Throttle::Iops),
            content: if zeros { Content::Zeros } else { Content::Counting },
            ..Work::on(&path)
        };
        let span = TimeSpan { works: vec![work], ..TimeSpan::default() };
        let profile = Profile { spans: vec![span], ..Profile::default() };
        let again = xml::read("p", &xml::printed(&profile)).unwrap();
        prop_assert_eq!(again, profile);
    }
}
