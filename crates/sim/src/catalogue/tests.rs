//! The catalogue's own drives, files with faults in them, and the layers that options add.

use super::*;
use base::io::Op;
use base::run::{Unwatched, run};
use base::time::Duration;
use base::workload::{Job, Look, Order, Span, Stop, Workload};

use crate::virtual_time::Virtual;

mod disks;
mod early;
mod memory;
mod parity;
mod sheet_drives;
mod shingled;
mod slips;

const EVO: &str = "samsung-840-evo-750gb";
/// A solid-state drive that says everything in its own file.
const WHOLE: &str = "crucial-p5-1tb";

/// The drive's file with something changed, and perhaps a family below it.
fn read_changed(
    change: impl Fn(&str) -> String,
    family: &str,
    options: &ModelOptions,
) -> Result<DriveFile, CatalogueError> {
    let (_, file, text) = find(WHOLE, "drive", &[DRIVES]).unwrap();
    let first = Text {
        file,
        text: change(&text),
    };
    let find_family = |what: Above, name: &str| match name {
        "kin" => Ok(Text {
            file: "kin.toml".to_owned(),
            text: family.to_owned(),
        }),
        other => above_text(WHOLE, what, other),
    };
    let texts = Texts::read(first, find_family, options)?;
    let whole = Inherited::join(&texts, options.firmware.as_deref())?;
    checked(&texts, &whole)
}

fn refused(change: impl Fn(&str) -> String) -> String {
    read_changed(change, "", &ModelOptions::default())
        .unwrap_err()
        .to_string()
}

fn of_the_kin(text: &str) -> String {
    text.replacen("[drive]", "[drive]\nfamily = \"kin\"", 1)
}

fn read_latency(file: &DriveFile) -> String {
    let sections = file.parts().unwrap().sections();
    let row = sections[1]
        .rows
        .iter()
        .find(|row| row.key == "read_latency_us");
    row.unwrap().value.clone()
}

#[test]
fn a_drive_takes_from_its_family_what_it_does_not_say_itself() {
    let of_family = "[ssd.nand]\nchannels = { value = 4, source = \"construction\", why = \"x\" }\n\
                     [ssd.controller]\nread_latency_us = { value = 7.5, source = \"estimated\", why = \"x\" }\n";
    let without_latency = |text: &str| {
        let own: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with("read_latency_us"))
            .collect();
        of_the_kin(&own.join("\n"))
    };
    let file = read_changed(without_latency, of_family, &ModelOptions::default()).unwrap();
    assert_eq!(read_latency(&file), "7.5");
    let sections = file.parts().unwrap().sections();
    let nand = sections
        .iter()
        .find(|section| section.name == "nand")
        .unwrap();
    assert_eq!(
        (nand.rows[0].key, nand.rows[0].value.as_str()),
        ("channels", "8")
    );
}

#[test]
fn an_error_in_a_family_names_the_familys_file_and_line() {
    let wrong = "[ssd.controller]\n\nread_latency = 4\n";
    let error = read_changed(of_the_kin, wrong, &ModelOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("kin.toml, line 3"), "{error}");
    let circle = "[drive]\nfamily = \"kin\"\n";
    let error = read_changed(of_the_kin, circle, &ModelOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("inherits from itself"), "{error}");
    let nobody = refused(|text| text.replacen("[drive]", "[drive]\nfamily = \"evo\"", 1));
    assert!(nobody.contains("there is no family 'evo'"), "{nobody}");
}

#[test]
fn a_firmware_changes_what_it_says_and_is_named() {
    let with_firmware = |text: &str| {
        text.replacen(
            "[drive.identity]",
            "[drive.identity]\nfirmware = \"1.0\"",
            1,
        ) + "\n[firmware.\"2.0\".ssd.controller]\nread_latency_us = { value = 5.5, source = \"estimated\", why = \"x\" }\n"
    };
    let of = |firmware: &str| {
        let options = ModelOptions {
            firmware: Some(firmware.to_owned()),
            ..ModelOptions::default()
        };
        read_changed(with_firmware, "", &options)
    };
    assert_eq!(read_latency(&of("2.0").unwrap()), "5.5");
    assert_eq!(of("2.0").unwrap().drive.identity["firmware"], "2.0");
    assert_ne!(read_latency(&of("1.0").unwrap()), "5.5");
    let error = of("3.0").unwrap_err().to_string();
    assert!(error.contains("it has 1.0 and 2.0"), "{error}");
}

#[test]
fn a_number_takes_the_place_of_a_value_and_is_checked_like_it() {
    let with = with_given;
    let file = with("ssd.controller.read_latency_us", "33").unwrap();
    assert_eq!(read_latency(&file), "33");
    assert_eq!(
        with("drive.capacity_bytes", "4096.0")
            .unwrap()
            .drive
            .capacity(),
        Bytes::kib(4)
    );
    let told = |key: &str, value: &str| with(key, value).unwrap_err().to_string();
    assert!(told("ssd.nand.dies", "8.5").contains("takes whole numbers, not '8.5'"));
    let few = told("ssd.nand.channels", "1");
    assert!(
        few.starts_with("ssd.nand.channels cannot be set: "),
        "{few}"
    );
    assert!(few.contains("allowed is 2 to 64"), "{few}");
    for bytes in ["0", "513"] {
        let message = told("drive.capacity_bytes", bytes);
        assert!(message.contains("whole sectors of 512 bytes"), "{message}");
    }
    assert!(told("ssd.nand.dice", "8").contains("did you mean ssd.nand.dies"));
    assert!(told("ssd.nand", "8").contains("it is a section"));
    let no_number = "ssd.controller.page_us cannot be set: it takes numbers, not 'NaN'";
    assert_eq!(told("ssd.controller.page_us", "NaN"), no_number);
}

/// The drive with something in place of one value.
fn with_given(key: &str, text: &str) -> Result<DriveFile, CatalogueError> {
    let options = ModelOptions {
        overrides: vec![(key.to_owned(), text.to_owned())],
        ..ModelOptions::default()
    };
    read_changed(str::to_owned, "", &options)
}

/// A value of a section, as the sheet has it.
fn value_of(file: &DriveFile, section: &str, key: &str) -> String {
    let sections = file.parts().unwrap().sections();
    let section = sections.iter().find(|s| s.name == section).unwrap();
    let row = section.rows.iter().find(|row| row.key == key);
    row.unwrap().value.clone()
}

#[test]
fn a_word_takes_the_place_of_a_word_and_an_unknown_one_is_met_with_the_nearest() {
    let key = "ssd.dies.read_policy";
    let file = with_given(key, "fifo").unwrap();
    assert_eq!(value_of(&file, "dies", "read_policy"), "fifo");
    let told = with_given(key, "suspand").unwrap_err().to_string();
    let says = "ssd.dies.read_policy cannot be set: it takes ";
    assert!(told.starts_with(says), "{told}");
    for part in ["fifo", "not 'suspand'", "did you mean suspend"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn true_or_false_take_the_place_of_true_or_false() {
    for (given, is) in [("true", "true"), ("false", "false"), ("1", "true")] {
        let file = with_given("ssd.read_ahead.write_ends", given).unwrap();
        assert_eq!(value_of(&file, "read_ahead", "write_ends"), is);
    }
    let told = with_given("ssd.read_ahead.write_ends", "perhaps").unwrap_err();
    let says = "ssd.read_ahead.write_ends cannot be set: it takes true or false, not 'perhaps'";
    assert_eq!(told.to_string(), says);
}

#[test]
fn a_value_that_the_file_leaves_out_can_be_given_where_its_section_is_there() {
    let file = with_given("ssd.dies.program_steps", "3").unwrap();
    assert_eq!(value_of(&file, "dies", "program_steps"), "3");
    let none = with_given("ssd.dies.program_step", "3")
        .unwrap_err()
        .to_string();
    let says = "no value 'ssd.dies.program_step'; did you mean ssd.dies.program_steps";
    assert!(none.contains(says), "{none}");
    let kind = with_given("ssd.dies.program_steps", "three")
        .unwrap_err()
        .to_string();
    assert!(
        kind.starts_with("ssd.dies.program_steps cannot be set"),
        "{kind}"
    );
    let nowhere = with_given("ssd.teeth.number", "3").unwrap_err().to_string();
    assert!(nowhere.contains("ssd.teeth.number"), "{nowhere}");
}

#[test]
fn a_section_that_is_false_is_taken_away() {
    let family = "[ssd.nonsense]\na = 1\n";
    let away = |text: &str| of_the_kin(text) + "\n[ssd]\nnonsense = false\n";
    assert!(read_changed(away, family, &ModelOptions::default()).is_ok());
    assert!(read_changed(of_the_kin, family, &ModelOptions::default()).is_err());
}

#[test]
fn a_mechanism_can_be_taken_away_by_name() {
    let without = |section: &str| {
        let options = ModelOptions {
            without: vec![section.to_owned()],
            ..ModelOptions::default()
        };
        read_changed(str::to_owned, "", &options)
    };
    let names = |file: &DriveFile| -> Vec<&str> {
        let sections = file.parts().unwrap().sections();
        sections.iter().map(|section| section.name).collect()
    };
    let whole = read_changed(str::to_owned, "", &ModelOptions::default()).unwrap();
    assert!(names(&whole).contains(&"slc"));
    assert!(!names(&without("ssd.slc").unwrap()).contains(&"slc"));
    let error = without("ssd.map_cash").unwrap_err().to_string();
    assert!(error.contains("no section 'ssd.map_cash'"), "{error}");
    let missed = without("ssd.nand.dies").unwrap_err().to_string();
    assert!(missed.contains("dies"), "{missed}");
    let needed = without("ssd.nand").unwrap_err().to_string();
    assert!(needed.contains("nand"), "{needed}");
}

#[test]
fn the_free_parameters_are_the_fitted_values() {
    for card in drives().unwrap() {
        let free = free::free_parameters(&card.slug, &ModelOptions::default()).unwrap();
        for parameter in free {
            let [low, high] = parameter.within;
            assert!(low <= parameter.value && parameter.value <= high);
            assert!(!parameter.facts.is_empty());
            let parts = parameter.value / f64::from(parameter.step.unwrap_or(1));
            let whole = (parts - parts.round()).abs() < 1e-9;
            assert!(parameter.step.is_none() || whole, "{parameter:?}");
            assert!(parameter.file.starts_with("catalog/"), "{parameter:?}");
            // A value that no program found is none yet: `drivelab develop fit` finds and writes it.
            assert!(parameter.by.is_some(), "{parameter:?}");
            let options = ModelOptions {
                overrides: vec![(parameter.key.clone(), parameter.value.to_string())],
                ..ModelOptions::default()
            };
            let same = free::free_parameters(&card.slug, &options).unwrap();
            assert!(same.contains(&parameter), "{parameter:?}");
        }
    }
}

#[test]
fn every_drive_and_host_of_the_catalogue_is_well_formed_and_opens() {
    for card in drives().unwrap() {
        let sheet = describe(&card.slug).unwrap();
        assert!(!sheet.sections.is_empty() && !sheet.divergences.is_empty());
        for host in host_names() {
            let options = ModelOptions {
                host: Some(host.to_owned()),
                ..ModelOptions::default()
            };
            match open(&card.slug, &options) {
                Ok(opened) => assert_eq!(opened.model.info().capacity, card.capacity),
                // An old computer has no driver for a new drive.
                Err(error) => assert!(error.to_string().contains("no driver"), "{error}"),
            }
        }
    }
}

#[test]
fn a_mistyped_name_offers_the_nearest() {
    let error = describe("samsung-840-evo-750").unwrap_err().to_string();
    assert!(
        error.contains("did you mean samsung-840-evo-750gb"),
        "{error}"
    );
    let options = ModelOptions {
        host: Some("linux".to_owned()),
        ..ModelOptions::default()
    };
    let error = open(EVO, &options).unwrap_err().to_string();
    assert!(error.contains("linux-uring"), "{error}");
}

#[test]
fn an_error_names_file_line_key_and_range() {
    let unknown = refused(|text| text.replace("read_us =", "raed_us ="));
    assert!(
        unknown.contains("raed_us") && unknown.contains("line "),
        "{unknown}"
    );
    assert!(
        unknown.starts_with("catalog/drives/crucial-p5-1tb.toml"),
        "{unknown}"
    );
    let range = refused(|text| text.replace("channels = { value = 8", "channels = { value = 1"));
    assert!(
        range.contains("nand.channels is 1") && range.contains("2 to 64"),
        "{range}"
    );
    let kind = refused(|text| text.replace("\"suspend\"", "\"random\""));
    assert!(
        kind.contains("not 'random'") && kind.contains("fifo"),
        "{kind}"
    );
}

#[test]
fn only_a_fitted_value_says_how_it_was_fitted() {
    let with = |source: &str| {
        let changed = format!("source = \"{source}\", by = \"likelihood\", ");
        refused(|text| text.replacen("source = \"estimated\", ", &changed, 1))
    };
    let told = with("estimated");
    assert!(
        told.contains("`by` is for a value that is fitted"),
        "{told}"
    );
    let unknown =
        refused(|text| text.replacen("\"estimated\", ", "\"fitted\", by = \"hand\", ", 1));
    let says = "it takes calibrate, likelihood, rated or twin, not 'hand'";
    assert!(unknown.contains(says), "{unknown}");
}

#[test]
fn an_option_or_state_that_is_not_to_be_had_is_refused() {
    let bad = |options: ModelOptions| open(EVO, &options).unwrap_err().to_string();
    let link = bad(ModelOptions {
        link: Some("pcie3x4".to_owned()),
        ..ModelOptions::default()
    });
    assert!(link.contains("sata-3"), "{link}");
    let firmware = bad(ModelOptions {
        firmware: Some("1.0".to_owned()),
        ..ModelOptions::default()
    });
    assert!(firmware.contains("firmware=1.0"), "{firmware}");
    let disk = ModelOptions {
        state: "fresh,wear=50%".parse().unwrap(),
        ..ModelOptions::default()
    };
    let disk = open("hgst-deskstar-nas-hdn724030-3tb", &disk);
    let state = disk.unwrap_err().to_string();
    assert!(
        state.contains("wear=50%") && state.contains("not modelled yet"),
        "{state}"
    );
    let offset = bad(ModelOptions {
        partition_offset: Some(Bytes::new(100)),
        ..ModelOptions::default()
    });
    assert!(offset.contains("512 B"), "{offset}");
}

/// MB/s of a closed workload, and the mean latency in us.
fn measure(op: Op, order: Order, size: Bytes, depth: u32, ios: u64, state: &str) -> (f64, f64) {
    let options = ModelOptions {
        state: state.parse().unwrap(),
        seed: 1,
        ..ModelOptions::default()
    };
    let mut target = Virtual::new(open(EVO, &options).unwrap().model);
    let job = Job::closed("a", op, order, Span::first(Bytes::gib(16)), size, depth);
    let stop = Stop {
        ios: Some(ios),
        ..Stop::default()
    };
    let work = Workload::single(job, stop, 7);
    let record = run(&mut target, "a", &work, &mut Unwatched).unwrap();
    let done = &record.jobs[0].ops[op as usize];
    let seconds = record.took.as_secs_f64();
    (
        done.bytes.get() as f64 / 1e6 / seconds,
        seconds * 1e6 / done.ios as f64,
    )
}

/// The closed forms that the values marked `fitted` were taken from, run through the model.
#[test]
fn the_fitted_rates_come_out_of_the_model() {
    let near = |got: f64, wanted: f64| assert!((got / wanted - 1.0).abs() < 0.01, "{got} {wanted}");
    let kib = Bytes::kib;
    let (mb_s, _) = measure(
        Op::Read,
        Order::Sequential,
        kib(128),
        32,
        20_000,
        "full-in-order",
    );
    near(mb_s, 540.0);
    let (mb_s, _) = measure(Op::Write, Order::Sequential, kib(128), 32, 20_000, "fresh");
    near(mb_s, 520.0);
    let (_, us) = measure(Op::Read, Order::Random, kib(4), 1, 20_000, "full-in-order");
    near(us, 100.0);
    let (_, us) = measure(Op::Write, Order::Random, kib(4), 1, 20_000, "fresh");
    near(1e6 / us, 33_000.0);
    let (_, us) = measure(
        Op::Read,
        Order::Random,
        kib(4),
        32,
        200_000,
        "full-in-order",
    );
    near(1e6 / us, 98_000.0);
    let (_, us) = measure(Op::Write, Order::Random, kib(4), 32, 200_000, "fresh");
    near(1e6 / us, 90_000.0);
}

/// Sequential reading in 128 KiB at a queue of 32, MB/s, in a slot; no driver cuts the accesses.
fn reading_in(link: Option<&str>) -> f64 {
    let options = ModelOptions {
        state: "full-in-order".parse().unwrap(),
        link: link.map(str::to_owned),
        host: Some("none".to_owned()),
        ..ModelOptions::default()
    };
    let mut target = Virtual::new(open(EVO, &options).unwrap().model);
    let span = Span::first(Bytes::gib(1));
    let job = Job::closed("a", Op::Read, Order::Sequential, span, Bytes::kib(128), 32);
    let stop = Stop {
        ios: Some(2_000),
        ..Stop::default()
    };
    let record = run(
        &mut target,
        "a",
        &Workload::single(job, stop, 7),
        &mut Unwatched,
    )
    .unwrap();
    2_000.0 * 131_072.0 / 1e6 / record.took.as_secs_f64()
}

#[test]
fn a_slower_slot_or_a_bridge_is_the_ceiling() {
    let near = |got: f64, wanted: f64| assert!((got / wanted - 1.0).abs() < 0.03, "{got} {wanted}");
    near(reading_in(None), 540.0);
    near(reading_in(Some("sata-6")), 540.0);
    near(reading_in(Some("sata-3")), 277.0);
    near(reading_in(Some("sata-1.5")), 139.0);
    // 128 KiB at 42 MB/s, 250 us of packets, and the drive's own time, one at a time.
    near(
        reading_in(Some("usb-2")),
        131_072.0 / (3_120.0 + 250.0 + 105.0),
    );
}

#[test]
fn every_solid_state_drive_holds_its_capacity_in_order_with_and_without_a_rest() {
    for card in drives().unwrap() {
        if card.kind != Kind::Ssd {
            continue;
        }
        for state in ["full-in-order", "full-in-order,idle=0s", "70%-in-order"] {
            let options = ModelOptions {
                state: state.parse().unwrap(),
                ..ModelOptions::default()
            };
            let Ok(drive) = open_ssd(&card.slug, &options) else {
                // Not of flash behind a page map.
                continue;
            };
            let map = &drive.ftl().l2p;
            let share = if state.starts_with("70") { 70 } else { 100 };
            let pages = u64::from(map.pages()) * share / 100;
            for page in [0, pages / 3, pages / 2, pages - 1] {
                let at = map.get(page as u32);
                assert_ne!(
                    at,
                    crate::ssd::flash::layout::NONE,
                    "{} {state} {page}",
                    card.slug
                );
            }
            drive.ftl().pool.check().unwrap();
        }
    }
}

#[test]
fn a_drive_with_less_flash_than_capacity_is_not_shown() {
    let file = tempfile::Builder::new().suffix(".toml").tempfile().unwrap();
    let text = include_str!("../../../../catalog/drives/cfd-pg3nf2-1tb.toml");
    let family = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../catalog/families/cfd-phison-e16.toml"
    );
    let text = text
        .replace(
            "family = \"cfd-phison-e16\"",
            &format!("family = {family:?}"),
        )
        .replace("capacity_bytes = 1_", "capacity_bytes = 2_");
    std::fs::write(&file, text).unwrap();
    let refused = describe(file.path().to_str().unwrap())
        .unwrap_err()
        .to_string();
    assert!(refused.contains("hold no 2"), "{refused}");
}

/// Two drives say that they gather as HG2 does, by its controller and by its DRAM: a fit of HG2 that goes on without
/// them leaves their reasons false.
#[test]
fn drives_that_gather_as_hg2_by_their_reasons_follow_its_fit() {
    let gathered = |drive: &str| -> f64 {
        let rows = describe(drive).unwrap().sections.into_iter();
        let row = rows
            .flat_map(|section| section.rows)
            .find(|row| row.key == "gather_kib");
        row.unwrap().value.parse().unwrap()
    };
    let hg2 = gathered("toshiba-hg2-128gb");
    assert_eq!(gathered("kingston-svp100s2-96gb").to_bits(), hg2.to_bits());
    assert_eq!(
        gathered("kingston-snv125-s2-30gb").to_bits(),
        (hg2 / 2.0).to_bits()
    );
}

#[test]
fn a_number_of_a_kind_lies_in_the_range_that_the_kind_gives_it() {
    for kind in new_file::kinds().unwrap() {
        let entry = KINDS.iter().find(|entry| entry.slug == kind.slug).unwrap();
        let table: toml::Table = entry.text.parse().unwrap();
        let mut ranges = 0;
        let mut tables: Vec<&toml::Table> = vec![&table];
        while let Some(table) = tables.pop() {
            tables.extend(table.values().filter_map(toml::Value::as_table));
            let (Some(value), Some(within)) = (table.get("value"), table.get("within")) else {
                continue;
            };
            let number = |value: &toml::Value| {
                let flag = value.as_bool().map(|so| f64::from(u8::from(so)));
                let whole = value.as_integer().map(|whole| whole as f64);
                value.as_float().or(whole).or(flag).unwrap()
            };
            let [low, high] = [0, 1].map(|at| number(&within.as_array().unwrap()[at]));
            assert!(low < high, "{} {table:?}", kind.slug);
            assert!(
                (low..=high).contains(&number(value)),
                "{} {table:?}",
                kind.slug
            );
            assert_eq!(
                table["source"].as_str(),
                Some("class"),
                "{} {table:?}",
                kind.slug
            );
            ranges += 1;
        }
        assert!(ranges > 3, "{}", kind.slug);
    }
}

#[test]
fn a_kind_lies_under_a_drives_family() {
    let of_kind = |text: &str| of_the_kin(&text.replacen("[ssd.wear]", "[ssd.unknown]", 0));
    let family = "[drive]\nkind = \"sata-tlc\"\n";
    let file = read_changed(of_kind, family, &ModelOptions::default()).unwrap();
    assert_eq!(file.kind.unwrap().title, "SATA, TLC with DRAM");
    let sections = file.ssd.unwrap().sections();
    assert!(
        sections
            .iter()
            .any(|section| section.name == "scatter.map_journal")
    );
}
