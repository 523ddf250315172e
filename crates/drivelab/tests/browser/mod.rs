//! A browser without a screen, driven over its DevTools protocol: messages of JSON through two pipes, each ended by a
//! zero byte, so that no driver, no port and no WebSocket is needed.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    orders: File,
    answers: BufReader<File>,
    last: u64,
    session: String,
    /// What the page's console said of mistakes.
    pub(crate) complaints: Vec<String>,
    _folder: tempfile::TempDir,
}

/// The machine's browser, if it has one.
pub(crate) fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|file| file.is_file())
}

impl Browser {
    pub(crate) fn start(program: &Path) -> Browser {
        let folder = tempfile::tempdir().unwrap();
        let pipes = ["orders", "answers"].map(|name| folder.path().join(name));
        assert!(
            Command::new("mkfifo")
                .args(&pipes)
                .status()
                .unwrap()
                .success()
        );
        let script = "exec \"$0\" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --no-first-run \
             --user-data-dir=profile --remote-debugging-pipe about:blank 3<orders 4>answers";
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Each waits for the other end, in the order in which the shell opens them.
        let orders = File::options().write(true).open(&pipes[0]).unwrap();
        let answers = BufReader::new(File::open(&pipes[1]).unwrap());
        let mut browser = Browser {
            child,
            orders,
            answers,
            last: 0,
            session: String::new(),
            complaints: Vec::new(),
            _folder: folder,
        };
        let page = browser.order("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let attached = browser.order("Target.attachToTarget", attach);
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.order(domain, json!({}));
        }
        browser
    }

    /// Sends an order and waits for its answer.
    pub(crate) fn order(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.ordered(method, parameters);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn ordered(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.last += 1;
        let mut order = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.session.is_empty() {
            order["sessionId"] = self.session.as_str().into();
        }
        let mut text = order.to_string().into_bytes();
        text.push(0);
        self.orders.write_all(&text).unwrap();
        loop {
            let mut text = Vec::new();
            self.answers.read_until(0, &mut text).unwrap();
            assert_eq!(text.pop(), Some(0), "the browser has ended at {method}");
            let answer: Value = serde_json::from_slice(&text).unwrap();
            if answer["id"] == self.last {
                return match &answer["error"] {
                    Value::Null => Ok(answer["result"].clone()),
                    error => Err(error.to_string()),
                };
            }
            self.hear(&answer);
        }
    }

    fn hear(&mut self, event: &Value) {
        let said = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => &event["params"]["exceptionDetails"],
            // A refusal of the program is an answer, which the page shows.
            Some("Log.entryAdded")
                if event["params"]["entry"]["level"] == "error"
                    && event["params"]["entry"]["source"] != "network" =>
            {
                &event["params"]["entry"]
            }
            _ => return,
        };
        self.complaints.push(said.to_string());
    }

    pub(crate) fn open(&mut self, address: &str) {
        self.order("Page.navigate", json!({ "url": address }));
    }

    /// The value of an expression in the page; of the next page where the one that was asked is just left.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let asked =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let is_left = |why: &String| why.contains("navigated") || why.contains("context");
        let mut answer = self.ordered("Runtime.evaluate", asked.clone());
        for _ in 0..100 {
            if !answer.as_ref().is_err_and(is_left) {
                break;
            }
            std::thread::sleep(LOOK);
            answer = self.ordered("Runtime.evaluate", asked.clone());
        }
        let answer = answer.unwrap();
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true in the page.
    #[allow(
        clippy::disallowed_methods,
        reason = "a test that waits for a page must end some day"
    )]
    pub(crate) fn until(&mut self, expression: &str) {
        let began = Instant::now();
        while self.value(&format!("Boolean({expression})")) != true {
            let seen = || "document.body.innerText.slice(0, 2000)".to_owned();
            if began.elapsed() > PATIENCE {
                let (text, complaints) = (self.value(&seen()), self.complaints.clone());
                panic!("in vain: {expression}\n{text}\n{complaints:?}");
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits until the page says this.
    pub(crate) fn until_said(&mut self, words: &str) {
        self.until(&format!(
            "document.body?.innerText.includes({})",
            json!(words)
        ));
    }

    /// Clicks the first element of a selector whose text contains this.
    pub(crate) fn click(&mut self, selector: &str, text: &str) {
        let found = format!(
            "[...document.querySelectorAll({})].find((one) => one.textContent.includes({}))",
            json!(selector),
            json!(text)
        );
        self.until(&found);
        self.value(&format!("{found}.click()"));
    }

    pub(crate) fn key(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            " " => 32,
            "ArrowDown" => 40,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event =
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if let ("keyDown", "Enter" | " ") = (kind, key) {
                event["text"] = if key == "Enter" { "\r" } else { " " }.into();
            }
            self.order("Input.dispatchKeyEvent", event);
        }
    }

    pub(crate) fn size(&mut self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.order("Emulation.setDeviceMetricsOverride", metrics);
    }

    pub(crate) fn dark(&mut self, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.order("Emulation.setEmulatedMedia", features);
    }

    pub(crate) fn picture(&mut self, file: &Path) {
        let taken = self.order("Page.captureScreenshot", json!({ "format": "png" }));
        let text = taken["data"].as_str().unwrap();
        let png = base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap();
        std::fs::write(file, png).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
