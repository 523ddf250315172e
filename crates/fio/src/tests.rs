//! Job files as people write them, and any text: what they ask for, and what is refused.

use std::collections::BTreeMap;

use base::time::Duration;
use proptest::prelude::*;

use crate::error::Problems;
use crate::file::{Around, Nothing, read};
use crate::job::{Distribution, Job, jobs};
use crate::units::Amount;

fn parsed(text: &str) -> Result<Vec<Job>, Problems> {
    jobs(&read("a.fio", text, &Nothing)?)
}

fn one(text: &str) -> Job {
    parsed(&format!("[j]\n{text}")).unwrap().remove(0)
}

fn refused(text: &str) -> String {
    parsed(&format!("[j]\n{text}")).unwrap_err().to_string()
}

struct Two(BTreeMap<&'static str, &'static str>);

impl Around for Two {
    fn include(&self, path: &str) -> Result<String, String> {
        let text = self.0.get(path).ok_or("it is not there")?;
        Ok((*text).to_owned())
    }
    fn variable(&self, name: &str) -> Option<String> {
        (name == "SIZE").then(|| "64m".to_owned())
    }
    fn machine(&self, word: &str) -> Option<u64> {
        (word == "ncpus").then_some(4)
    }
}

#[test]
fn global_options_are_for_the_sections_behind_them() {
    let jobs =
        parsed("[global]\nbs=8k\n[a]\n[global]\nbs=16k ; larger\n[b]\n[c]\nbs=1k # own").unwrap();
    let sizes: Vec<u64> = jobs.iter().map(Job::least).collect();
    assert_eq!(sizes, [8192, 16384, 1024]);
}

#[test]
fn includes_and_the_environment_stand_in_for_text() {
    let around = Two(BTreeMap::from([(
        "more.inc",
        "size=${SIZE}\nnumjobs=$ncpus\n",
    )]));
    let file = read("a.fio", "[j]\ninclude more.inc\nrw=randwrite", &around).unwrap();
    let job = jobs(&file).unwrap().remove(0);
    assert_eq!((job.size, job.copies), (Some(Amount::Bytes(64 << 20)), 4));
    let around = Two(BTreeMap::from([("a", "include a")]));
    let endless = read("a", "[j]\ninclude a", &around).unwrap_err();
    assert!(endless.to_string().contains("deep"), "{endless}");
    let unset = read("a", "[j]\nsize=${NONE}", &around).unwrap_err();
    assert_eq!(
        unset.to_string(),
        "a:2: size: the variable NONE is not set: set it before drivelab (NONE=... drivelab fio ...)"
    );
}

#[test]
fn all_that_is_wrong_is_said_at_once_with_file_line_and_option() {
    let said =
        parsed("[global]\nverify=crc32c\nbs=1.5k\n[a]\niodpeth=4\nrw=up\n[b]\nrwmixread=120");
    let lines: Vec<String> = said
        .unwrap_err()
        .0
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        lines,
        [
            "a.fio:2: verify: not done here: nothing would be checked; `drivelab run verify` checks what was written",
            "a.fio:5: iodpeth: fio 3.33 has no such option; iodepth?",
        ]
    );
    let values = parsed("[global]\nbs=1.5k\n[a]\nrw=up\n[b]\nrwmixread=120").unwrap_err();
    assert_eq!(values.0.len(), 3, "{values}");
}

#[test]
fn a_value_that_is_left_out_is_the_one_before_it() {
    let job = one("bs=4k,64k\nrw=randrw\nrate_iops=100,200\n");
    assert_eq!(job.rate_iops, [Some(100), Some(200), Some(200)]);
    let job = one("bs=4k,64k\nrw=randrw");
    assert_eq!((job.least(), job.largest()), (4096, 65536));
    let job = one("bssplit=4k/10:64k/50:32k,8k/100");
    assert_eq!(job.sizes[0], [(4096, 10), (65536, 50), (32768, 40)]);
    assert_eq!(job.sizes[1], [(8192, 100)]);
    assert_eq!(one("bsrange=1k-4k").sizes[0].len(), 4);
}

#[test]
fn a_synchronous_engine_has_one_in_flight_whatever_the_depth() {
    assert_eq!(one("iodepth=32").depth, 1);
    assert_eq!(one("iodepth=32\nioengine=libaio").depth, 32);
    assert!(refused("ioengine=rbd").contains("no local drive"));
}

#[test]
fn times_flags_and_names_are_read_as_fio_reads_them() {
    let job = one(
        "runtime=1m\ntime_based\nstonewall\nthinktime=2ms\nstartdelay=1-3\nfilename=/dev/a:b\\:c\nreadwrite=randrw\nrwmixwrite=30",
    );
    assert_eq!(job.runtime, Some(Duration::from_secs(60)));
    assert_eq!(job.think, Duration::from_millis(2));
    assert_eq!(job.start_delay.1, Duration::from_secs(3));
    assert!(job.time_based && job.stonewall && !job.direct);
    assert_eq!(job.files, ["/dev/a", "b:c"]);
    assert_eq!(job.read_percent, 70);
}

#[test]
fn a_distribution_that_cannot_be_drawn_is_refused() {
    assert_eq!(
        one("random_distribution=zipf:0.9").distribution,
        Distribution::Zipf(0.9)
    );
    assert!(refused("random_distribution=zipf").contains("below 1"));
    let zones = one("random_distribution=zoned:60/10:40/90").distribution;
    assert_eq!(zones, Distribution::Zoned(vec![(60, 10), (40, 90)]));
    assert!(refused("random_distribution=zoned:60/10").contains("both are 100"));
}

#[test]
fn options_that_ask_for_nothing_pass_and_skipped_ones_are_named_once() {
    let file = read("a", "[a]\nverify=0\nnice=3\n[b]\nnice=4", &Nothing).unwrap();
    assert_eq!(file.skipped, [("nice", "the host's scheduling")]);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text: String) {
        drop(parsed(&text));
        drop(parsed(&format!("[j]\n{text}")));
    }

    #[test]
    fn no_value_of_an_option_makes_it_panic(
        option in proptest::sample::select(crate::options::names().collect::<Vec<_>>()),
        value in "[0-9a-zA-Z/:,.%()*^$\\{} -]{0,24}",
    ) {
        drop(parsed(&format!("[j]\n{option}={value}\n")));
    }
}
