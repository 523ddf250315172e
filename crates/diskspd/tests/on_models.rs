//! Profiles on targets with known latencies, and their output.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use base::interrupt::Interrupt;
use diskspd::arguments::{Around, read};
use diskspd::output::{Machine, output};
use diskspd::profile::Profile;
use diskspd::running::Ran;
use diskspd::work::{On, Spans, named};
use lab::progress::Silent;
use lab::running::{Request, prepare_work};
use targets::{Consent, resolve};

struct Finished {
    profile: Profile,
    ran: Vec<Ran>,
}

fn ran(line: &str) -> Result<Finished, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let around = Around {
        file: &|path| std::fs::read_to_string(path).map_err(|why| why.to_string()),
        seed: 1,
    };
    let said = |why: &dyn std::fmt::Display| why.to_string();
    let profile = read(&words, &around).map_err(|why| said(&why))?;
    let target = profile.target(None).map_err(|why| said(&why))?;
    let target = named(&profile, &target).map_err(|why| said(&why))?;
    let resolved = resolve(&target, &Consent::default(), 1).map_err(|why| said(&why))?;
    let on = On {
        name: &target,
        info: resolved.provisional,
        is_made: resolved.is_a_test_file(),
        is_the_users_own: resolved.is_the_users_own(),
        is_a_model: resolved.is_a_model(),
    };
    let work = Spans::new(profile, &on).map_err(|why| said(&why))?;
    let settings = work.settings();
    let request = Request::new("diskspd", &target, settings.scale, settings.seed);
    let prepared = prepare_work(&work, settings, request).map_err(|why| said(&why))?;
    let ended = prepared.run(None, &mut Silent, &Interrupt::new());
    ended.map_err(|why| said(&why))?;
    Ok(Finished {
        profile: work.profile().clone(),
        ran: work.ran(),
    })
}

fn printed(line: &str) -> String {
    let finished = ran(line).unwrap();
    let machine = Machine {
        program: "drivelab".to_owned(),
        began: "2026/11/23 10:59:20 UTC".to_owned(),
        processors: 4,
    };
    output(&finished.profile, &finished.ran, &machine)
}

/// Reads and writes of each thread.
fn counted(line: &str) -> Vec<(u64, u64)> {
    let finished = ran(line).unwrap();
    let threads = finished.ran.iter().flat_map(|ran| &ran.threads);
    threads
        .map(|kept| (kept.reads.ios, kept.writes.ios))
        .collect()
}

fn about(count: u64, wanted: u64) {
    assert!(
        count.abs_diff(wanted) <= 1 + wanted / 200,
        "{count} instead of {wanted}"
    );
}

#[test]
fn only_what_ends_while_it_measures_is_counted() {
    // 100 us an I/O, two at a time: 20,000 a second, whatever is warmed up or cooled down.
    about(counted("-b4K -W1 -d2 -C1 null:?service=100us")[0].0, 40_000);
    about(
        counted("-b4K -W0 -d2 -o1 -w100 null:?service=100us")[0].1,
        20_000,
    );
}

#[test]
fn threads_and_requests_are_those_of_the_profile() {
    let four = counted("-b4K -W0 -d1 -o8 -t4 -r null:?service=1ms");
    assert_eq!(four.len(), 4);
    four.iter().for_each(|(reads, _)| about(*reads, 8_000));
    let pool = counted("-b4K -W0 -d1 -F3 -O2 null:?service=1ms");
    assert_eq!(pool.len(), 3);
    pool.iter().for_each(|(reads, _)| about(*reads, 2_000));
}

#[test]
fn a_throttle_holds_the_mean_rate() {
    about(
        counted("-b4K -W0 -d10 -o4 -g300i null:?service=100us")[0].0,
        3_000,
    );
    // 4,096 bytes a millisecond: a block each.
    about(
        counted("-b4K -W0 -d10 -o4 -g4096 null:?service=100us")[0].0,
        10_000,
    );
}

#[test]
fn a_burst_is_followed_by_a_rest() {
    // Ten of 1 ms, then 90 ms: ten in every 100 ms.
    about(
        counted("-b4K -W0 -d10 -o1 -i10 -j90 null:?service=1ms")[0].0,
        1_000,
    );
}

#[test]
fn a_share_of_writes_is_drawn() {
    let (reads, writes) = counted("-b4K -W0 -d5 -w30 -r null:?service=100us")[0];
    let share = writes as f64 / (reads + writes) as f64;
    assert!((share - 0.3).abs() < 0.01, "{share}");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let line = "-b4K -W0 -d1 -r -w50 -o8 -L model:samsung-840-evo-120gb";
    let results = |text: &str| text.split_once("Results for").unwrap().1.to_owned();
    assert_eq!(printed(line), printed(line));
    assert_ne!(
        results(&printed(line)),
        results(&printed(&format!("-z9 {line}")))
    );
}

#[test]
fn a_target_that_does_not_fit_is_refused() {
    let said = |line: &str| ran(line).err().unwrap().to_string();
    assert!(said("-b1000 null:").contains("blocks of"));
    assert!(said("-B2T null:").contains("no room"));
    assert!(said("-b4K ./not-there.dat").contains("-c<size>"));
    assert!(said("-b4K -w10 model:wd-ultrastar-dc-zn540-1tb").contains("zones"));
}

#[test]
fn a_file_that_is_made_is_gone_behind_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dat");
    let line = format!("-b4K -c4M -W0 -d1 -r -w50 -o4 -L {}", path.display());
    let text = printed(&line);
    assert!(text.contains("a.dat (4MiB)"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_text_is_laid_out_as_diskspds() {
    insta::assert_snapshot!(printed(
        "-b4K -W1 -d2 -o4 -t2 -r -w25 -L -D500 -Sh null:?service=100us"
    ));
}

#[test]
fn the_document_is_laid_out_as_diskspds() {
    let text = printed("-b64K -W0 -d1 -o1 -D500 -L -Rxml null:?service=1ms");
    // A bucket a per cent, all alike: the first ones stand for the rest.
    let (before, rest) = text.split_once("<Percentile>2</Percentile>").unwrap();
    let (_, behind) = rest.split_once("<Percentile>100</Percentile>").unwrap();
    insta::assert_snapshot!(format!("{before}...{behind}"));
}

#[test]
fn time_spans_run_one_behind_the_other_and_have_totals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.xml");
    let span = |block: u32| {
        format!(
            "<TimeSpan><Warmup>0</Warmup><Duration>1</Duration><Targets><Target><Path>*1</Path><BlockSize>{block}</BlockSize></Target></Targets></TimeSpan>"
        )
    };
    let profile = format!(
        "<Profile><TimeSpans>{}{}</TimeSpans></Profile>",
        span(4096),
        span(65_536)
    );
    std::fs::write(&path, profile).unwrap();
    let text = printed(&format!("-X{} null:?service=1ms", path.display()));
    assert!(text.contains("Results for timespan 2:") && text.contains("\ntotal test time:\t2.00s"));
    assert!(
        text.lines().any(|line| line.starts_with("total  |")),
        "{text}"
    );
}
