//! A window that is served, and a client that says exactly what a test wants it to say.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::command::{Place, UnderWay};

/// A window of a place's store, at a port that was free.
pub(crate) struct Served {
    pub(crate) under_way: UnderWay,
    /// Address and port.
    pub(crate) host: String,
    pub(crate) secret: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In small letters, a line each.
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// The words of a refusal.
    pub(crate) fn refused(&self) -> String {
        self.json()["refused"].as_str().unwrap().to_owned()
    }
}

/// Opens a window in this place.
pub(crate) fn served(place: &Place, more: &[&str]) -> Served {
    let arguments = [&["window", "--no-open"], more].concat();
    let mut under_way = place.start(place.command(&arguments));
    under_way.wait_for("Ctrl-C");
    let said = under_way.said();
    let link = said
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    let (host, secret) = link.unwrap()["http://".len()..]
        .split_once("/?key=")
        .unwrap();
    Served {
        host: host.to_owned(),
        secret: secret.to_owned(),
        under_way,
    }
}

impl Served {
    pub(crate) fn link(&self) -> String {
        format!("http://{}/?key={}", self.host, self.secret)
    }

    pub(crate) fn port(&self) -> &str {
        self.host.rsplit_once(':').unwrap().1
    }

    fn connected(&self, head: &str, headers: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut text = format!(
            "{head} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream
            .write_all(format!("{text}\r\n{body}").as_bytes())
            .unwrap();
        BufReader::new(stream)
    }

    /// With these headers and no others.
    pub(crate) fn raw(&self, head: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut text = String::new();
        self.connected(head, headers, body)
            .read_to_string(&mut text)
            .unwrap();
        let (headers, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
        let headers = headers.to_lowercase();
        Answer {
            status,
            headers,
            body: body.to_owned(),
        }
    }

    fn own(&self) -> [(String, String); 3] {
        let cookie = format!("drivelab-{}={}", self.port(), self.secret);
        [
            ("Host".to_owned(), self.host.clone()),
            ("Cookie".to_owned(), cookie),
            ("Origin".to_owned(), format!("http://{}", self.host)),
        ]
    }

    /// As the window's own page does.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let own = self.own();
        let own: Vec<(&str, &str)> = own[..2].iter().map(|(a, b)| (&**a, &**b)).collect();
        self.raw(&format!("GET {path}"), &own, "")
    }

    /// The same for what changes something.
    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        let own = self.own();
        let own: Vec<(&str, &str)> = own.iter().map(|(a, b)| (&**a, &**b)).collect();
        self.raw(&format!("POST {path}"), &own, body)
    }

    /// Starts a run; its number.
    pub(crate) fn begins(&self, request: &str) -> u64 {
        let answer = self.post("/api/runs", request);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["id"].as_u64().unwrap()
    }

    /// Events of a page that follows this run and has seen up to this line.
    pub(crate) fn events(&self, run: u64, seen: Option<&str>) -> Events {
        let own = self.own();
        let mut headers: Vec<(&str, &str)> = own[..2].iter().map(|(a, b)| (&**a, &**b)).collect();
        headers.extend(seen.map(|id| ("Last-Event-ID", id)));
        let stream = self.connected(&format!("GET /api/events?run={run}"), &headers, "");
        Events { stream }
    }
}

/// A stream of events.
pub(crate) struct Events {
    stream: BufReader<TcpStream>,
}

/// One event.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Events {
    /// The next event; nothing where the stream ends.
    pub(crate) fn next(&mut self) -> Option<Event> {
        let mut event = ["", "", ""].map(str::to_owned);
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            for (field, name) in event.iter_mut().zip(["event: ", "id: ", "data: "]) {
                if let Some(value) = line.strip_prefix(name) {
                    *field = value.trim_end().to_owned();
                }
            }
            let [name, id, data] = &event;
            if line.trim().is_empty() && !data.is_empty() {
                let data = serde_json::from_str(data).unwrap();
                return Some(Event {
                    name: name.clone(),
                    id: id.clone(),
                    data,
                });
            }
        }
    }

    /// The next event for which this holds.
    pub(crate) fn until(&mut self, holds: impl Fn(&Event) -> bool) -> Event {
        loop {
            let event = self.next().expect("the stream has ended");
            if holds(&event) {
                return event;
            }
        }
    }

    /// The list of runs once this one is over.
    pub(crate) fn until_over(&mut self, run: u64) -> Value {
        let of = |event: &Event| {
            let runs = event.data["runs"].as_array().cloned().unwrap_or_default();
            runs.into_iter().find(|one| one["id"] == run)
        };
        let over = self.until(|event| of(event).is_some_and(|one| one["state"] == "ended"));
        of(&over).unwrap()
    }
}
