//! `zonemode=zbd` on a modelled ZNS drive, which fails each I/O that a zone does not take.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod on_target;

use fio::file::{Nothing, read};
use fio::job::jobs;
use fio::running::Ran;
use targets::Consent;

const DRIVE: &str = "model:wd-ultrastar-dc-zn540-1tb";
const MIB: u64 = 1 << 20;

fn on(target: &str, text: &str) -> Result<Vec<Ran>, String> {
    let file = read("a.fio", text, &Nothing).unwrap();
    Ok(on_target::run(jobs(&file).unwrap(), target, Consent::default())?.1)
}

/// Runs jobs, none of whose I/Os fails; bytes read and written, and resets, of each.
fn ran(text: &str) -> Vec<(u64, u64, u64)> {
    let text = format!("[global]\nfilename=drive\nzonemode=zbd\nioengine=libaio\nbs=64k\n{text}");
    let ran = on(DRIVE, &text).unwrap();
    ran.iter()
        .for_each(|one| assert_eq!((one.kept.errors, one.kept.errno), (0, 0), "{text}"));
    let of = |one: &Ran| {
        (
            one.kept.ops[0].bytes,
            one.kept.ops[1].bytes,
            one.kept.zone_resets,
        )
    };
    ran.iter().map(of).collect()
}

fn refused(target: &str, text: &str) -> String {
    on(target, text).err().unwrap()
}

#[test]
fn writes_in_order_go_on_where_each_zone_ends() {
    // A zone of 2 GiB holds less: what is written is what the two hold.
    let both = ran("[a]\nrw=write\nbs=1m\niodepth=4\nsize=4g\n");
    let (_, written, resets) = both[0];
    assert!(written > 2_000 * MIB && written < 4_096 * MIB, "{written}");
    assert_eq!((written % MIB, resets), (0, 0));
}

#[test]
fn random_writes_go_to_write_pointers_and_keep_to_the_open_zones() {
    let limited = ran("[a]\nrw=randwrite\niodepth=16\nsize=200g\nio_size=64m\nmax_open_zones=4\n");
    assert_eq!(limited[0], (0, 64 * MIB, 0));
    // The drive's own limit holds where none is given.
    let of_drive = ran("[a]\nrw=randwrite\niodepth=32\nsize=200g\nio_size=64m\n");
    assert_eq!(of_drive[0], (0, 64 * MIB, 0));
}

#[test]
fn jobs_side_by_side_see_the_same_zones() {
    let text =
        "[a]\nrw=randwrite\niodepth=8\nnumjobs=3\nsize=20g\nio_size=16m\njob_max_open_zones=2\n";
    let three = ran(text);
    assert_eq!(three.len(), 3);
    assert!(three.iter().all(|one| one.1 == 16 * MIB), "{three:?}");
}

#[test]
fn reads_go_where_something_is_written() {
    let text = "[a]\nrw=write\nsize=20g\nio_size=32m\n[b]\nstonewall\nrw=randread\nsize=20g\nio_size=8m\niodepth=8\n";
    let two = ran(text);
    assert_eq!((two[0].1, two[1].0), (32 * MIB, 8 * MIB));
    // Where nothing is written there is nothing to read, but behind the write pointers.
    let fresh = format!("{DRIVE}?state=fresh");
    let job = "[a]\nzonemode=zbd\nrw=randread\nsize=20g\nio_size=8m\n";
    let read = |more: &str| on(&fresh, &format!("{job}{more}")).unwrap()[0].kept.ops[0].bytes;
    assert_eq!((read(""), read("read_beyond_wp=1\n")), (0, 8 * MIB));
}

#[test]
fn a_zone_that_is_full_is_reset_before_it_is_written_again() {
    let once = ran("[a]\nrw=write\nbs=1m\nsize=2g\nio_size=2g\n");
    assert_eq!((once[0].1, once[0].2), (2_048 * MIB, 1));
}

#[test]
fn zones_are_reset_now_and_then_above_the_threshold() {
    let text =
        "[a]\nrw=write\nsize=2g\nio_size=4m\nzone_reset_threshold=0\nzone_reset_frequency=0.25\n";
    // 64 writes, of which every fourth has its zone reset before the next one.
    assert_eq!(ran(text)[0], (0, 4 * MIB, 15));
}

#[test]
fn what_does_not_go_with_zones_is_refused_with_the_reason() {
    let job = |more: &str| format!("[a]\nsize=4g\n{more}\n");
    assert!(refused(DRIVE, &job("rw=write")).contains("zonemode=zbd"));
    assert!(refused("null:", &job("rw=write\nzonemode=zbd")).contains("has none"));
    assert!(refused(DRIVE, &job("rw=write\nzonemode=zbd\nzonesize=1g")).contains("leave it out"));
    assert!(refused(DRIVE, &job("rw=randtrim\nzonemode=zbd")).contains("trims"));
    assert!(refused(DRIVE, &job("rw=write\nzonemode=zbd\nmax_open_zones=999")).contains("at most"));
    assert!(refused(DRIVE, "[a]\nsize=1g\nrw=write\nzonemode=zbd").contains("whole zone"));
}

#[test]
fn a_number_of_zones_is_of_the_drives_or_of_those_that_a_job_works_in() {
    let job = "[a]\nrw=write\nbs=1m\niodepth=4\n";
    let zones = ran(&format!("{job}offset=2z\nsize=1z\nio_size=1z\n"));
    let bytes = ran(&format!("{job}offset=4g\nsize=2g\nio_size=2g\n"));
    assert_eq!((zones[0], zones[0].1), (bytes[0], 2_048 * MIB));
    let strided = "[a]\nzonemode=strided\nzonesize=64k\nzoneskip=1z\nsize=4z\n";
    let read = on("null:", strided).unwrap()[0].kept.ops[0].bytes;
    // The zones lie in the file, which goes on behind the size.
    assert_eq!(read, 256 << 10);
    let said = refused("null:", "[a]\nsize=4z\n");
    assert!(said.contains("a number of zones (4z)"), "{said}");
}
