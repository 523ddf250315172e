//! Drives a real Chromium from a test, with nothing between: no driver program, no network port.
//!
//! With `--remote-debugging-pipe` Chromium reads commands from file descriptor 3 and answers on 4: JSON
//! messages of the DevTools protocol, each ended by a NUL byte. A command carries an id, its answer carries the
//! same id, and events (console messages, requests, the end of loading) come in between without one. A small
//! shell line moves the child's standard streams to 3 and 4, so no descriptor is passed by unsafe means.
//!
//! A test begins with [`Browser::start_or_skip`], which names the test as skipped where no Chromium is
//! installed. Whatever goes wrong after that is a panic with the browser's own words.
#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Longer than any answer takes on a busy machine: reached only by a browser that hangs.
const PATIENCE: Duration = Duration::from_secs(120);
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
const FLAGS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox", // root has none; and the only pages opened are the project's own
    "--disable-gpu",
    "--disable-dev-shm-usage", // a container's /dev/shm may be too small
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// A browser with one page, closed when dropped.
pub(crate) struct Browser {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<Value>,
    last_id: u64,
    session: String,
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// A browser with an empty page; or none, and `test` is named as skipped (see `crates/xtask`).
    pub(crate) fn start_or_skip(test: &str) -> Option<Browser> {
        let Some(program) = installed() else {
            let line = format!("skipped: {test}: no Chromium is installed\n");
            eprint!("{line}");
            if let Some(path) = std::env::var_os("DRIVELAB_SKIPS") {
                let mut file = std::fs::OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open(path)
                    .unwrap();
                file.write_all(line.as_bytes()).unwrap();
            }
            return None;
        };
        Some(Browser::start(&program))
    }

    fn start(program: &Path) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null"#, "sh"])
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take();
        let from = messages(child.stdout.take().unwrap());
        let session = String::new();
        let mut browser = Browser {
            child,
            to,
            from,
            last_id: 0,
            session,
            events: Vec::new(),
            _profile: profile,
        };
        let page = browser.ask("Target.createTarget", json!({"url": "about:blank"}));
        let page = browser.ask(
            "Target.attachToTarget",
            json!({"targetId": page["targetId"], "flatten": true}),
        );
        browser.session = page["sessionId"].as_str().unwrap().to_string();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        browser.window(1200, 900);
        browser
    }

    /// Sends one command of the DevTools protocol and waits for its answer; events on the way are kept.
    pub(crate) fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let to = self.to.as_mut().expect("it is closed by drop alone");
        to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.receive(method);
            if answer["id"] != self.last_id {
                self.events.push(answer);
            } else if answer["error"].is_null() {
                return answer["result"].take();
            } else {
                panic!("{method}: {}", answer["error"]);
            }
        }
    }

    fn receive(&self, waiting_for: &str) -> Value {
        let message = self.from.recv_timeout(PATIENCE);
        message.unwrap_or_else(|error| {
            panic!("the browser hangs or has died, waiting for {waiting_for}: {error}")
        })
    }

    /// Opens a file and waits until it has loaded. Messages of the page before are forgotten.
    pub(crate) fn open(&mut self, file: &Path) {
        self.events.clear();
        let address = format!("file://{}", std::fs::canonicalize(file).unwrap().display());
        let answer = self.ask("Page.navigate", json!({"url": address}));
        assert!(
            answer["errorText"].is_null(),
            "{address}: {}",
            answer["errorText"]
        );
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            let event = self.receive("the page to load");
            self.events.push(event);
        }
    }

    /// The value of an expression (a promise is waited for), as JSON; an exception in it is a panic.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.ask("Runtime.evaluate", parameters);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].take()
    }

    /// Errors and warnings of the page since it was opened: console messages, exceptions that nobody caught,
    /// and what the browser itself complains of (a missing file, a blocked request).
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        self.evaluate("new Promise(done => setTimeout(done, 0))"); // what is under way comes before this answer
        self.events.iter().filter_map(complaint).collect()
    }

    /// The addresses of everything that the page has asked for and that does not lie in the page itself.
    pub(crate) fn requests(&mut self) -> Vec<String> {
        self.evaluate("0");
        let asked = self
            .events
            .iter()
            .filter(|event| event["method"] == "Network.requestWillBeSent");
        let addresses = asked.filter_map(|event| event["params"]["request"]["url"].as_str());
        addresses
            .filter(|address| !address.starts_with("data:"))
            .map(str::to_string)
            .collect()
    }

    /// Sets the size of the window, in CSS pixels.
    pub(crate) fn window(&mut self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }

    /// Shows the page as on a `screen` or in `print`, with the colour scheme `light` or `dark`.
    pub(crate) fn media(&mut self, medium: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.ask(
            "Emulation.setEmulatedMedia",
            json!({"media": medium, "features": features}),
        );
    }

    /// Turns the page's scripts off or on; holds from the next page on. ([`Browser::evaluate`] works still.)
    pub(crate) fn scripts(&mut self, on: bool) {
        self.ask(
            "Emulation.setScriptExecutionDisabled",
            json!({"value": !on}),
        );
    }

    /// Scrolls to the first element that the CSS selector finds and clicks into its middle with the mouse.
    pub(crate) fn click(&mut self, selector: &str) {
        let middle = self.evaluate(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); if (!e) return null;
             e.scrollIntoView({{block: 'center', behavior: 'instant'}}); const r = e.getBoundingClientRect();
             return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        assert!(middle.is_array(), "no element {selector}");
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let event = json!({"type": kind, "x": middle[0], "y": middle[1], "button": button, "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses and releases a key by its name in the DOM: `Tab`, `Enter`, `Escape`, `ArrowLeft`, ` ` ...
    pub(crate) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            " " => (32, " "),
            "End" => (35, ""),
            "Home" => (36, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            _ => panic!("add the key {key} with its code here"),
        };
        for kind in [
            if text.is_empty() {
                "rawKeyDown"
            } else {
                "keyDown"
            },
            "keyUp",
        ] {
            let text = if kind == "keyUp" { "" } else { text };
            let event =
                json!({"type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text});
            self.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// The whole page as a PNG file's bytes.
    pub(crate) fn screenshot(&mut self) -> Vec<u8> {
        let answer = self.ask(
            "Page.captureScreenshot",
            json!({"format": "png", "captureBeyondViewport": true}),
        );
        decode_base64(answer["data"].as_str().unwrap())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The end of its command pipe is the browser's order to leave; it then ends its own processes.
        drop(self.to.take());
        while self.from.recv_timeout(Duration::from_secs(10)).is_ok() {}
        // A browser that has left takes no notice; one that hangs ends here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn installed() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// Reads messages in a thread of its own, so that waiting for the next one can end.
fn messages(from: ChildStdout) -> Receiver<Value> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        for message in BufReader::new(from).split(0).map_while(Result::ok) {
            if send
                .send(serde_json::from_slice(&message).unwrap())
                .is_err()
            {
                break;
            }
        }
    });
    receive
}

fn complaint(event: &Value) -> Option<String> {
    let details = &event["params"];
    match event["method"].as_str()? {
        "Runtime.consoleAPICalled"
            if ["error", "warning", "assert"].contains(&details["type"].as_str()?) =>
        {
            Some(format!("console: {}", details["args"]))
        }
        "Runtime.exceptionThrown" => Some(format!("exception: {}", details["exceptionDetails"])),
        "Log.entryAdded" if ["error", "warning"].contains(&details["entry"]["level"].as_str()?) => {
            Some(format!("browser: {}", details["entry"]))
        }
        _ => None,
    }
}

/// RFC 4648, section 4: six bits a letter, the first letter highest; `=` fills up the end.
fn decode_base64(text: &str) -> Vec<u8> {
    let six_bits = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("not base64"),
    };
    let letters = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    for group in letters.chunks(4) {
        let bits = (0..4).fold(0, |bits, at| {
            bits << 6 | group.get(at).map_or(0, |&l| u32::from(six_bits(l)))
        });
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}
