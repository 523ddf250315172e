//! `drivelab ask`: each question on drives with known answers.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;

const RED: &str = "model:wd-red-wd30efrx-3tb";
const SMALL: &str = "model:hitachi-travelstar-7k100-100gb";
const SHINGLED: &str = "model:wd-red-wd40efax-4tb";
const SN770: &str = "model:wd-black-sn770-1tb";

/// Asks, sees that the reply is short, and returns it.
fn asked(question: &str, targets: &[&str], code: i32) -> String {
    replied(question, targets, code, "en")
}

fn replied(question: &str, targets: &[&str], code: i32, lang: &str) -> String {
    let place = Place::new();
    let ended = place.run(&[&["ask", question], targets, &["--lang", lang]].concat());
    assert_eq!(ended.code, Some(code), "{ended:?}");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!((2..=12).contains(&lines.len()), "{ended:?}");
    let narrow = |line: &&str| line.chars().count() <= 100 && !line.contains("{ $");
    assert!(lines.iter().all(narrow), "{ended:?}");
    ended.stdout
}

/// The reply's first word or figure, under the question.
fn second_line(said: &str) -> &str {
    said.lines().nth(1).unwrap()
}

#[test]
fn a_shingled_disk_is_told_from_one_that_is_not_and_from_flash() {
    let is_it = |target| second_line(&asked("shingled", &[target], 0)).to_owned();
    assert!(is_it(SHINGLED).starts_with("Yes."));
    assert!(is_it(RED).starts_with("No."));
    assert!(is_it(SN770).starts_with("No. This is flash"));
}

#[test]
fn what_a_shingled_disks_cache_took_is_no_rate_of_its_tracks() {
    let said = asked("shingled", &[SHINGLED, "--scale", "quick"], 0);
    assert!(second_line(&said).starts_with("Yes."), "{said}");
    assert!(said.contains("its cache took the overwrites"), "{said}");
}

#[test]
fn a_cache_is_told_with_its_size_and_what_comes_after_it() {
    let said = asked("cache", &["model:solidigm-670p-1tb"], 0);
    let first = second_line(&said);
    assert!(
        first.starts_with("140 GB at 3.5 GB/s, then 283 MB/s"),
        "{said}"
    );
}

#[test]
fn the_first_controllers_stutter_under_a_database_and_a_drive_for_servers_does_not() {
    let of = |target| second_line(&asked("database", &[target], 0)).to_owned();
    assert!(of("model:ocz-core-v2-30gb").starts_with("Yes. It stutters"));
    assert!(of("model:intel-d3-s4610-480gb").starts_with("No."));
}

#[test]
fn the_drive_that_loads_games_faster_is_named_and_none_where_nobody_feels_it() {
    let of = |other| second_line(&asked("games", &[SN770, other], 0)).to_owned();
    let faster = of("model:samsung-840-evo-120gb");
    assert!(
        faster.starts_with("WD_BLACK SN770 1TB: games load faster"),
        "{faster}"
    );
    let alike = of("model:wd-black-sn770-1tb?seed=2");
    assert!(alike.starts_with("Either"), "{alike}");
}

#[test]
fn a_rebuild_is_trusted_to_a_sound_disk_alone() {
    let of = |target, code| second_line(&asked("rebuild", &[target], code)).to_owned();
    assert!(of(SMALL, 0).starts_with("Yes. All of it was read"));
    let bad = format!("fault({SMALL})?bad=50GB+64KiB");
    assert!(of(&bad, 3).starts_with("No. This drive is failing"));
    let weak = format!("fault({SMALL})?slow=50GB+1GB&slow_by=80ms");
    // As the full scan saw it, and not between the heads of the quick one's regions.
    let said = of(&weak, 0);
    let place = said
        .strip_prefix("No. From ")
        .unwrap_or_else(|| panic!("{said}"));
    assert!(
        place.starts_with("49.9") || place.starts_with("50 GB"),
        "{said}"
    );
    assert!(
        place.contains(" to 51 GB") || place.contains(" to 51.0"),
        "{said}"
    );
    let japanese = replied("rebuild", &[&weak], 0, "ja");
    assert!(
        second_line(&japanese).starts_with("いいえ。") && japanese.contains(" GB から"),
        "{japanese}"
    );
}

#[test]
fn a_shingled_disk_is_not_trusted_with_a_rebuild() {
    let said = asked("rebuild", &[SHINGLED, "--scale", "quick"], 0);
    assert!(
        second_line(&said).starts_with("No. The disk is shingled"),
        "{said}"
    );
}

#[test]
fn the_bad_drive_of_a_batch_is_named_to_be_rejected() {
    let seeded = |seed: u32| format!("{SMALL}?seed={seed}");
    let bad = format!("fault({})?bad=50GB+64KiB", seeded(2));
    let (one, three, four) = (seeded(1), seeded(3), seeded(4));
    let said = asked("reject", &[&one, &bad, &three, &four], 3);
    assert!(second_line(&said).starts_with("Of 4 drives 1 to reject, 0 to look at."));
    let first = said.lines().nth(2).unwrap();
    assert!(first.contains(&format!("reject {bad}:")), "{said}");
    let said = asked("reject", &[&one, &three, &four], 0);
    assert!(
        second_line(&said).starts_with("Of 3 drives 0 to reject"),
        "{said}"
    );
}

#[test]
fn a_failing_drive_is_told_to_fail_whatever_is_asked_of_it() {
    // What was not measured to its end has failed; what was shows a drive to be rejected.
    for (question, fault, code) in [
        ("database", "gone_after=2000", 1),
        ("database", "read_only_after=500", 3),
        ("database", "bad=1MiB+64KiB", 3),
        ("link", "gone_after=200", 1),
        ("cache", "read_only_after=500", 3),
    ] {
        let drive = format!("fault(model:samsung-840-evo-120gb)?{fault}");
        let place = Place::new();
        let ended = place.run(&["ask", question, &drive, "--scale", "quick"]);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        let lines: Vec<&str> = ended.stdout.lines().collect();
        assert!(lines[1].starts_with("This drive is failing"), "{ended:?}");
        let undecided = lines.iter().any(|line| line.starts_with("Undecided."));
        assert!(undecided, "{ended:?}");
    }
}

#[test]
fn a_drive_that_fails_is_nobodys_better_one() {
    let bad = "fault(model:samsung-840-evo-120gb)?read_only_after=50";
    let said = asked("games", &[bad, RED, "--scale", "quick"], 3);
    assert!(
        said.contains("Samsung 840 EVO 120GB: This drive is failing"),
        "{said}"
    );
    assert!(said.contains("the other one is failing"), "{said}");
}

#[test]
fn what_was_not_looked_at_is_not_acquitted() {
    let quick = |question, targets: &[&str]| {
        let said = asked(question, &[targets, &["--scale", "quick"]].concat(), 0);
        assert!(second_line(&said).starts_with("Undecided."), "{said}");
        said
    };
    quick("database", &["model:ocz-core-v2-30gb"]);
    let said = quick("reject", &[RED, "model:wd-red-wd30efrx-3tb?seed=2"]);
    assert!(
        said.contains("Only a part of the surface was read."),
        "{said}"
    );
    let file = Place::new();
    let folder = file.path("").to_str().unwrap().to_owned();
    let said = quick("fake", &[&folder]);
    assert!(said.contains("a file on a drive"), "{said}");
}

#[test]
fn a_disk_on_which_a_database_waits_is_said_to_stutter_under_it() {
    let said = asked("database", &[RED], 0);
    assert!(second_line(&said).starts_with("Yes."), "{said}");
    assert!(said.contains("drivelab run verify"), "{said}");
}

#[test]
fn a_zoned_disk_is_answered_by_what_only_reads() {
    let zoned = "model:wd-ultrastar-dc-hc620-14tb";
    let said = asked("shingled", &[zoned, "--scale", "quick"], 0);
    assert!(
        second_line(&said).starts_with("Yes. The disk is shingled (SMR) and host-managed"),
        "{said}"
    );
}

#[test]
fn a_counterfeit_is_told_with_what_it_keeps() {
    let of = |target, code| second_line(&asked("fake", &[target], code)).to_owned();
    assert!(of(SN770, 0).starts_with("No. All of the 1 TB"));
    let wraps = format!("contents({SN770})?wraps=64GiB");
    assert!(of(&wraps, 3).starts_with("Yes. It stores only about 68.4 GB"));
    let drops = format!("fault({SN770})?keeps=100GB");
    assert!(of(&drops, 3).starts_with("Yes. It stores only about 99.6 GB"));
}

#[test]
fn firmware_that_changed_something_is_told_from_one_that_did_not() {
    let place = Place::new();
    let ask = ["ask", "firmware", SN770];
    let first = place.ok(&ask).stdout;
    assert!(
        second_line(&first).starts_with("Undecided. This is the first"),
        "{first}"
    );
    let again = place.ok(&ask).stdout;
    assert!(
        second_line(&again).starts_with("No. None of the"),
        "{again}"
    );
    let old = "model:samsung-840-evo-120gb";
    let new = "model:samsung-840-evo-120gb?ssd.retention.reads_well_days=400";
    let said = asked("firmware", &[old, new], 0);
    assert!(second_line(&said).starts_with("Yes."), "{said}");
    let seeded = asked("firmware", &[old, "model:samsung-840-evo-120gb?seed=2"], 0);
    assert!(second_line(&seeded).starts_with("No."), "{seeded}");
    let two = asked("firmware", &[old, "model:samsung-840-evo-250gb"], 0);
    assert!(
        second_line(&two).starts_with("Undecided. These are two different drives"),
        "{two}"
    );
}

#[test]
fn a_slot_that_holds_a_drive_back_is_told_from_its_own() {
    let of = |target| second_line(&asked("link", &[target], 0)).to_owned();
    let slow = format!("{SN770}?link=pcie3x4");
    assert!(of(&slow).starts_with("Yes. The drive supports"));
    assert!(of(SN770).starts_with("No. It runs at its own link"));
}

#[test]
fn what_cannot_be_asked_is_said_in_one_line() {
    let place = Place::new();
    place.fails(&["ask", "shinglde", RED], 2, &["did you mean shingled"]);
    place.fails(
        &["ask", "games", RED],
        2,
        &["'games' takes two drives; given: 1"],
    );
    let listed = place.ok(&["ask"]).stdout;
    assert_eq!(listed.lines().count(), 9);
}
