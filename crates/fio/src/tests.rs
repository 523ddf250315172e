//! Realistic job files, and arbitrary text: how they are parsed, and what is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::io::FillKind;
use base::size::Bytes;
use base::time::Duration;
use proptest::prelude::*;

use crate::error::Problems;
use crate::file::{Around, Nothing, read};
use crate::job::ends::Along;
use crate::job::law::{Distribution, Zone};
use crate::job::{Job, jobs};
use crate::layout::layout;
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
fn sections_share_the_global_options_until_they_change() {
    let file = read(
        "a",
        "[global]\nbs=8k\nbs=16k\n[a]\n[b]\n[global]\nrw=write\n[c]\n",
        &Nothing,
    )
    .unwrap();
    let [a, b, c] = &file.sections[..] else {
        panic!("there are three");
    };
    assert!(Arc::ptr_eq(&a.global, &b.global) && !Arc::ptr_eq(&b.global, &c.global));
    // The last of a name alone; the file has all.
    assert_eq!(
        (a.global.len(), c.global.len(), file.global.len()),
        (1, 2, 3)
    );
    assert_eq!(a.get("bs").and_then(|bs| bs.value.as_deref()), Some("16k"));
}

#[test]
fn an_unknown_option_of_any_length_is_cut_in_its_message() {
    let what = refused(&"x".repeat(900_000));
    assert!(what.contains("xxx...: fio 3.33 has no such option") && what.len() < 200);
    assert!(refused("blocksise=4k").contains("blocksize?"));
}

#[test]
fn a_mark_of_the_byte_order_changes_nothing() {
    assert_eq!(parsed("\u{feff}[j]\nbs=8k"), parsed("[j]\nbs=8k"));
}

#[test]
fn many_files_are_laid_out_and_too_many_refused() {
    let laid = |copies: u32, files: u32| {
        let text = format!("[j]\nnumjobs={copies}\nnrfiles={files}\nsize=16m\n");
        layout(&parsed(&text).unwrap(), Bytes::gib(1_024), true)
    };
    let (places, _) = laid(16, 4_096).unwrap();
    assert_eq!((places.len(), places[15].regions.len()), (16, 4_096));
    let regions = places.iter().flat_map(|place| &place.regions);
    let starts: std::collections::BTreeSet<u64> = regions.map(|region| region.start).collect();
    assert_eq!(starts.len(), 16 * 4_096);
    let why = laid(4_096, 4_096).unwrap_err().to_string();
    assert!(why.contains("16777216 files"), "{why}");
}

#[test]
fn includes_and_the_environment_stand_in_for_text() {
    let around = Two(BTreeMap::from([(
        "more.inc",
        "size=${SIZE}\nnumjobs=$ncpus\n",
    )]));
    let file = read("a.fio", "[j]\ninclude more.inc\nrw=randwrite", &around).unwrap();
    let job = jobs(&file).unwrap().remove(0);
    assert_eq!(
        (job.region.size, job.copies),
        (Some(Amount::Bytes(64 << 20)), 4)
    );
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
        parsed("[global]\nlockfile=exclusive\nbs=1.5k\n[a]\niodpeth=4\nrw=up\n[b]\nrwmixread=120");
    let lines: Vec<String> = said
        .unwrap_err()
        .0
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        lines,
        [
            "a.fio:2: lockfile: not done here: files are not locked, so jobs would not wait for each other",
            "a.fio:5: iodpeth: fio 3.33 has no such option; iodepth?",
        ]
    );
    let values = parsed("[global]\nbs=1.5k\n[a]\nrw=up\n[b]\nrwmixread=120").unwrap_err();
    assert_eq!(values.0.len(), 3, "{values}");
}

#[test]
fn a_value_that_is_left_out_is_the_one_before_it() {
    let job = one("bs=4k,64k\nrw=randrw\nrate_iops=100,200\n");
    assert_eq!(job.pace.rate_iops, [Some(100), Some(200), Some(200)]);
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
    assert_eq!(job.pace.rest, Duration::from_millis(2));
    assert_eq!(job.start_delay.1, Duration::from_secs(3));
    assert!(job.time_based && job.stonewall && !job.direct);
    assert_eq!(job.files.names, ["/dev/a", "b:c"]);
    assert_eq!(job.read_percent, 70);
}

#[test]
fn distributions_have_their_values_and_their_centre() {
    let law = |text: &str| one(&format!("random_distribution={text}")).distribution;
    assert_eq!(law("zipf"), Distribution::Zipf(1.1, None));
    assert_eq!(law("zipf:0.9:0.25"), Distribution::Zipf(0.9, Some(0.25)));
    assert_eq!(law("pareto:0.3"), Distribution::Pareto(0.3, None));
    assert!(refused("random_distribution=zipf:1").contains("refused by fio"));
    assert!(refused("random_distribution=pareto:2").contains("below 1"));
    assert!(refused("random_distribution=zipf:0.9:7").contains("0 to 1"));
}

#[test]
fn zones_that_are_left_open_share_the_rest_and_operations_may_have_their_own() {
    let zone = |accesses, size| Zone { accesses, size };
    let Distribution::Zoned(zones) = one("random_distribution=zoned:50/5:30/15:20/").distribution
    else {
        panic!("no zones");
    };
    assert_eq!(zones[0][2], zone(20, Amount::Percent(80)));
    assert_eq!(zones[1], zones[0]);
    let Distribution::Zoned(zones) =
        one("random_distribution=zoned_abs:95/50G:5/100G,100/1g").distribution
    else {
        panic!("no zones");
    };
    assert_eq!(zones[0][1], zone(5, Amount::Bytes(100 << 30)));
    assert_eq!(zones[1], [zone(100, Amount::Bytes(1 << 30))]);
    assert!(refused("random_distribution=zoned:60/10").contains("together it is 100"));
    assert!(refused("random_distribution=zoned:60").contains("ACCESSES/SIZE"));
}

#[test]
fn a_number_behind_the_kind_is_a_step_or_a_count() {
    assert_eq!(one("rw=write:8k").kind.steps.bytes, 8192);
    assert_eq!(one("rw=read:-(4k*2)").kind.steps.bytes, -8192);
    let random = one("rw=randread:8\nrw_sequencer=identical").kind;
    assert_eq!((random.steps.every, random.steps.stays), (8, true));
    assert!(refused("rw=randread:-8").contains("negative"));
}

#[test]
fn patterns_are_bytes_in_the_order_in_which_they_stand() {
    let pattern = |text: &str| one(&format!("buffer_pattern={text}")).fill.kind;
    let of = |bytes: &[u8]| {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        FillKind::Pattern {
            bytes: u64::from_le_bytes(eight),
            len: bytes.len() as u8,
        }
    };
    assert_eq!(pattern("0xdeadbe"), of(&[0xde, 0xad, 0xbe]));
    assert_eq!(pattern("\"ab\"0x010x02"), of(&[b'a', b'b', 1, 2]));
    assert_eq!(pattern("258"), of(&[2, 1]));
    assert_eq!(
        (pattern("0x00"), pattern("0xffff")),
        (FillKind::Zeros, FillKind::Ones)
    );
    assert!(refused("buffer_pattern='file'").contains("up to 8 bytes"));
    assert!(refused("buffer_pattern=0x010203040506070809").contains("up to 8 bytes"));
}

#[test]
fn errors_that_a_job_outlives_are_told_by_kind_and_by_name() {
    let job = one("continue_on_error=write,verify\nignore_error=,ENOSPC:5");
    assert_eq!(job.ends.goes_on.on, [false, true, true]);
    assert_eq!(job.ends.goes_on.ignored[1], [28, 5]);
    assert!(refused("ignore_error=ENONE").contains("ENONE"));
    assert_eq!(one("exitall\nexit_what=all").ends.with_it, Along::All);
    assert_eq!(one("exit_what=all").ends.with_it, Along::Nobody);
}

#[test]
fn verification_needs_whole_labels() {
    assert!(one("verify=crc32c").verify.is_some());
    assert_eq!(one("verify=null").verify, None);
    assert_eq!(one("verify=md5\nverify_backlog=8").verify.unwrap().batch, 8);
    assert!(refused("verify=md5\nbs=700").contains("512"));
    assert!(refused("verify=rot13").contains("none of fio's checksums"));
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
