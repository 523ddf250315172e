//! The catalogue's own drives, files with faults in them, and the layers that options add.

use super::*;
use base::io::Op;
use base::run::{Unwatched, run};
use base::workload::{Job, Order, Span, Stop, Workload};

use crate::virtual_time::Virtual;

const EVO: &str = "samsung-840-evo-750gb";

fn refused(change: impl Fn(&str) -> String) -> String {
    let (_, file, text) = find(EVO, "drive", DRIVES).unwrap();
    let text = change(&text);
    let read = parse::<DriveFile>(&file, &text).and_then(|parsed| {
        let parts = parsed.parts().unwrap();
        check(&file, &text, &parts.sections())
    });
    read.unwrap_err().to_string()
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
            let opened = open(&card.slug, &options).unwrap();
            assert_eq!(opened.model.info().capacity, card.capacity);
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
        unknown.starts_with("catalog/drives/samsung-840-evo-750gb.toml"),
        "{unknown}"
    );
    let range = refused(|text| text.replace("channels = { value = 8", "channels = { value = 1"));
    assert!(
        range.contains("nand.channels is 1") && range.contains("2 to 64"),
        "{range}"
    );
    let kind = refused(|text| text.replace("\"read-first\"", "\"random\""));
    assert!(kind.contains("random") && kind.contains("fifo"), "{kind}");
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
    assert!(firmware.contains("firmware '1.0'"), "{firmware}");
    let state = bad(ModelOptions {
        state: "fresh,age=365d".parse().unwrap(),
        ..ModelOptions::default()
    });
    assert!(
        state.contains("age=365d") && state.contains("not modelled yet"),
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

/// Sequential reading in 128 KiB at a queue of 8, MB/s, in a slot.
fn reading_in(link: Option<&str>) -> f64 {
    let options = ModelOptions {
        state: "full-in-order".parse().unwrap(),
        link: link.map(str::to_owned),
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
