//! The window: who may talk to it, what it starts and stops, and what it never does.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

mod command;
mod window_client;

use command::{Place, wait_until};
use window_client::served;

/// Goes on for longer than any test.
const LONG: &str = r#"{"run":{"what":"latency-watch","targets":["model:hgst-deskstar-nas-hdn724030-3tb"],"set":{"time":"24h"}}}"#;
const SHORT: &str =
    r#"{"run":{"what":"quick-scan","targets":["model:samsung-840-evo-750gb"],"scale":"quick"}}"#;

#[test]
fn nobody_without_the_secret_from_another_host_or_page_is_answered() {
    let place = Place::new();
    let window = served(&place, &[]);
    let cookie = format!("drivelab-{}={}", window.port(), window.secret);
    let own_origin = format!("http://{}", window.host);
    let host = ("Host", &*window.host);
    let own = ("Cookie", &*cookie);
    for path in [
        "/",
        "/style.css",
        "/api/look/devices",
        "/api/runs",
        "/report?of=1",
        "/?key=0",
        "/nothing",
    ] {
        let answer = window.raw(&format!("GET {path}"), &[host], "");
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    let evil = ("Host", "evil.example");
    assert_eq!(window.raw("GET /", &[evil, own], "").status, 403);
    let link = format!("GET /?key={}", window.secret);
    assert_eq!(window.raw(&link, &[evil], "").status, 403);
    let foreign = ("Origin", "http://evil.example");
    assert_eq!(
        window
            .raw("GET /api/runs", &[host, own, foreign], "")
            .status,
        403
    );
    for origin in [foreign, ("Origin", "null"), ("X-Other", "none")] {
        let answer = window.raw("POST /api/runs", &[host, own, origin], SHORT);
        assert_eq!(answer.status, 403, "{origin:?}: {answer:?}");
    }
    // The printed address is what opens it, and leaves a cookie that no script and no other site has.
    let opened = window.raw(&link, &[host], "");
    assert_eq!(opened.status, 200, "{opened:?}");
    for word in [
        "httponly",
        "samesite=strict",
        "content-security-policy: default-src 'none'",
    ] {
        assert!(opened.headers.contains(word), "{word}: {}", opened.headers);
    }
    assert_eq!(
        window.get("/api/runs").json()["runs"],
        serde_json::json!([])
    );
    let answer = window.raw(
        "POST /api/runs",
        &[host, own, ("Origin", &own_origin)],
        "{}",
    );
    assert_eq!(answer.status, 400, "{answer:?}");
}

#[test]
fn get_changes_nothing() {
    let place = Place::new();
    let window = served(&place, &[]);
    for path in ["/api/forecast", "/api/runs/1/stop", "/api/label"] {
        let answer = window.get(path);
        assert_eq!(answer.status, 405, "{path}: {answer:?}");
    }
    window.get("/api/look/devices");
    window.get("/api/look/runs");
    assert_eq!(window.get("/api/look/passwords").status, 404);
    assert_eq!(
        place.names_in(""),
        ["config", "store"]
            .into_iter()
            .filter(|name| place.path(name).exists())
            .collect::<Vec<_>>()
    );
    assert!(place.stored().is_empty());
}

#[test]
fn what_would_overwrite_is_refused_whatever_is_asked() {
    let place = Place::new();
    place.file("own.img", 4 << 20);
    let window = served(&place, &[]);
    for request in [
        r#"{"run":{"what":"crystaldiskmark","targets":["./own.img"],"destroy_data":true}}"#,
        r#"{"run":{"what":"crystaldiskmark","targets":["./own.img","--destroy-data"]}}"#,
        r#"{"run":{"what":"crystaldiskmark","targets":["--confirm=own.img"]}}"#,
    ] {
        for path in ["/api/runs", "/api/forecast"] {
            let answer = window.post(path, request);
            assert_eq!(answer.status, 400, "{answer:?}");
            assert!(
                answer.refused().contains("confirmed in a terminal"),
                "{answer:?}"
            );
        }
    }
    // The command line says what it would take, and the page what to type for it.
    let asked = r#"{"run":{"what":"full-scan","targets":["./own.img"],"set":{"ops":"write"},"scale":"quick"}}"#;
    let forecast = window.post("/api/forecast", asked);
    assert!(
        forecast.refused().contains("add --destroy-data"),
        "{forecast:?}"
    );
    assert_eq!(forecast.json()["typed"][0], "run");
    let id = window.begins(asked);
    let over = window.events(id, None).until_over(id);
    assert_eq!(over["code"], 2, "{over}");
    assert!(
        over["words"][0]
            .as_str()
            .unwrap()
            .contains("add --destroy-data"),
        "{over}"
    );
    assert_eq!(
        std::fs::read(place.path("own.img")).unwrap(),
        command::content(4 << 20)
    );
}

#[test]
fn a_refusal_is_the_command_lines_word_for_word() {
    let place = Place::new();
    let window = served(&place, &[]);
    let asked = r#"{"run":{"what":"no-such-method","targets":["null:"]}}"#;
    let typed = place.run(&["run", "--dry-run", "no-such-method", "null:"]);
    let answer = window.post("/api/forecast", asked);
    assert_eq!(
        (answer.status, answer.json()["code"].as_i64()),
        (422, Some(2))
    );
    assert_eq!(answer.refused(), typed.stderr.trim());
}

#[test]
fn a_forecast_is_told_before_anything_starts() {
    let place = Place::new();
    let window = served(&place, &[]);
    let answer = window.post(
        "/api/forecast",
        r#"{"run":{"what":"crystaldiskmark","targets":["."],"scale":"quick"}}"#,
    );
    let forecast = &answer.json()["dry_run"]["forecast"];
    assert_eq!(forecast["steps"][0]["test_file"], 64 << 20, "{answer:?}");
    assert!(forecast["targets"][0]["written"].as_u64().unwrap() > 64 << 20);
    let both = r#"{"run":{"what":"quick-scan","targets":["model:samsung-840-evo-750gb","null:"],"scale":"quick"}}"#;
    let answer = window.post("/api/forecast", both);
    assert_eq!(
        answer.json()["dry_run"]["forecast"]["steps"]
            .as_array()
            .unwrap()
            .len(),
        2,
        "{answer:?}"
    );
    for request in [
        r#"{"review":{"target":"model:samsung-840-evo-750gb","scale":"quick"}}"#,
        r#"{"ask":{"question":"cache","targets":["model:samsung-840-evo-750gb"],"scale":"quick"}}"#,
        r#"{"run":{"what":"quick","targets":["null:"],"scale":"quick"}}"#,
    ] {
        assert_eq!(
            window.post("/api/forecast", request).status,
            200,
            "{request}"
        );
    }
    assert!(place.stored().is_empty());
}

#[test]
fn a_run_is_seen_by_whoever_comes_outlives_them_and_is_stored() {
    let place = Place::new();
    let window = served(&place, &[]);
    let id = window.begins(LONG);
    let mut first = window.events(id, None);
    let lines =
        first.until(|event| event.name == "lines" && event.data["lines"][0]["since"].is_object());
    assert_eq!(lines.data["run"], id);
    // A second page sees the same from the beginning; one that was cut off what it has not seen.
    let mut second = window.events(id, None);
    let again = second.until(|event| event.name == "lines");
    assert_eq!(again.data["lines"][0], lines.data["lines"][0]);
    let mut third = window.events(id, Some(&lines.id));
    let later = third.until(|event| event.name == "lines");
    assert!(later.id.parse::<u64>().unwrap() > lines.id.parse().unwrap());
    drop((first, second, third));
    let runs = window.get("/api/runs").json();
    assert_eq!(runs["runs"][0]["state"], "running", "{runs}");
    // Stopped, it keeps what it has measured.
    assert_eq!(window.post(&format!("/api/runs/{id}/stop"), "").status, 200);
    let over = window.events(id, None).until_over(id);
    assert_eq!(over["code"], 130, "{over}");
    assert_eq!(place.last_state(), "interrupted");
    let id = window.begins(SHORT);
    let over = window.events(id, None).until_over(id);
    assert_eq!(over["code"], 0, "{over}");
    let stored = place.stored();
    assert_eq!(over["results"][0], stored[0]["id"]);
    assert_eq!(window.post("/api/runs/99/stop", "").status, 409);
}

#[test]
fn results_are_labelled_compared_and_reported() {
    let place = Place::new();
    for drive in [
        "model:samsung-840-evo-750gb",
        "model:samsung-970-evo-plus-1tb",
    ] {
        place.ok(&["run", "quick-scan", drive, "--scale", "quick"]);
    }
    let window = served(&place, &[]);
    let label = r#"{"results":["1"],"name":"before","tag":["desk"],"note":"-- first"}"#;
    let answer = window.post("/api/label", label);
    assert_eq!(answer.status, 200, "{answer:?}");
    let runs = window.get("/api/look/runs").json();
    assert_eq!(runs["results"][1]["name"], "before");
    let comparison = window.get("/api/look/comparison?of=1,2").json();
    assert_eq!(
        comparison["methods"][0]["results"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let report = window.get("/report?of=1,2&lang=ja");
    assert!(
        report.headers.contains("content-security-policy: sandbox"),
        "{}",
        report.headers
    );
    assert!(
        report.body.contains("<html lang=\"ja\""),
        "{}",
        &report.body[..200]
    );
    let page = window.get("/?lang=ja");
    assert!(page.body.contains("実行状況"));
}

#[test]
fn ctrl_c_ends_the_window_and_stops_its_runs_which_keep_what_they_have() {
    let place = Place::new();
    let window = served(&place, &[]);
    let id = window.begins(LONG);
    let mut events = window.events(id, None);
    events.until(|event| event.name == "lines" && event.data["lines"][0]["since"].is_object());
    window.under_way.signal("INT");
    assert!(std::iter::from_fn(|| events.next()).count() < 1000);
    let ended = window.under_way.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.stderr.contains("stopping 1 of the window's runs"),
        "{ended:?}"
    );
    assert_eq!(place.last_state(), "interrupted");
}

#[test]
fn a_window_that_is_killed_leaves_its_runs_alone() {
    let place = Place::new();
    let window = served(&place, &[]);
    let id = window.begins(r#"{"run":{"what":"latency-watch","targets":["model:samsung-840-evo-750gb"],"set":{"time":"1min"}}}"#);
    window.events(id, None).until(|event| event.name == "lines");
    window.under_way.kill();
    wait_until("the run ends by itself and is stored", || {
        place.last_state() == "finished"
    });
}

#[test]
fn more_than_the_loopback_is_told_on_standard_error() {
    let place = Place::new();
    let window = served(&place, &["--listen", "0.0.0.0:0"]);
    assert!(
        window.under_way.said().contains("open to everybody"),
        "{}",
        window.under_way.said()
    );
    let ended = place.run(&["window", "--listen", "example.org"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("127.0.0.1:8321"), "{ended:?}");
}
