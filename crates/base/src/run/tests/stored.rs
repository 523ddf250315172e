//! Records as a damaged store holds them.

use serde_json::{Value, json};

use super::*;

/// Every counter and every time but those of histograms, which are checked when they are read.
fn filled(value: &mut Value) {
    const NAMES: [&str; 8] = [
        "took", "ios", "bytes", "sum", "count", "total", "at", "time",
    ];
    match value {
        Value::Object(members) if !members.contains_key("buckets_ns") => {
            for (name, member) in members {
                match member.is_u64() && NAMES.contains(&name.as_str()) {
                    true => *member = json!(u64::MAX),
                    false => filled(member),
                }
            }
        }
        Value::Array(members) => members.iter_mut().for_each(filled),
        _ => {}
    }
}

#[test]
fn a_stored_record_of_absurd_numbers_is_summed_and_gone_on_with_all_the_same() {
    let faults = Faults {
        errors_per_million: 40_000,
        ..Faults::default()
    };
    let job = reads(Order::Sequential, 2);
    let mut work = Workload::single(job, ios(2_000), 1);
    work.keep.bins = Some(16);
    let mut target = Faulty::new(Null::new(Bytes::gib(1), SERVICE), faults);
    let whole = go(&mut target, &work);
    let mut stored = serde_json::to_value(&whole).unwrap();
    for name in ["jobs", "took", "pauses"] {
        if let Some(member) = stored.get_mut(name) {
            match name {
                "took" => *member = json!(u64::MAX),
                _ => filled(member),
            }
        }
    }
    let absurd: PhaseRecord = serde_json::from_value(stored.clone()).unwrap();
    let mut both = absurd.clone();
    both.append(&absurd);
    assert_eq!((both.ios(), both.bytes()), (u64::MAX, Bytes::new(u64::MAX)));
    assert_eq!(both.errors(), u64::MAX);
    assert_eq!(both.of(Op::Read).ios, u64::MAX);
    stored["jobs"][0]["errors"]["count"] = json!(0);
    let mut none: PhaseRecord = serde_json::from_value(stored).unwrap();
    none.forget_errors_from(Bytes::ZERO);
    assert_eq!(none.errors(), 0);
}
