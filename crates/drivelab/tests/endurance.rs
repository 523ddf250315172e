//! A shortened `bench endurance`: an hour of each method, twenty kills.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;

use command::Place;

#[test]
fn an_hour_takes_no_more_memory_at_its_end_and_twenty_kills_lose_nothing() {
    let test = "an_hour_takes_no_more_memory_at_its_end_and_twenty_kills_lose_nothing";
    let Some(place) = Place::on_disk_or_skip(test) else {
        return;
    };
    let arguments = [
        "develop",
        "bench",
        "endurance",
        ".",
        "--hours",
        "1",
        "--kills",
        "20",
        "--json",
    ];
    let bench = place.json(&arguments);
    for day in bench["days"].as_array().unwrap() {
        assert!(day["hours"].as_f64().unwrap() >= 1.0, "{day}");
        assert!(day["ios"].as_u64().unwrap() > 500_000, "{day}");
        assert!(day["points"].as_u64().unwrap() <= 4_096, "{day}");
        let memory: Vec<u64> = day["memory"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bytes| bytes.as_u64().unwrap())
            .collect();
        assert!(memory[2] < memory[0] + (32 << 20), "{day}");
        assert!(day["store_bytes"].as_u64().unwrap() < 8 << 20, "{day}");
    }
    let kills = &bench["kills"];
    assert_eq!(kills["kills"], 20);
    assert_eq!(kills["lost"], 0, "{kills}");
    assert!(kills["runs"].as_u64().unwrap() >= 1, "{kills}");
    assert!(place.names_in("").is_empty(), "nothing is left behind");
}
