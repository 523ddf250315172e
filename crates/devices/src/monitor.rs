//! QEMU's machine protocol (QMP): one line of JSON per command, its answer, and asynchronous events.
//!
//! Commands are answered in order, so whatever comes before the answer is an event. Unplugging is answered at once and
//! done later: the guest releases the device, then `DEVICE_DELETED` comes.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// A conversation with one QEMU.
pub(crate) struct Monitor {
    lines: BufReader<UnixStream>,
    events: Vec<Value>,
}

impl Monitor {
    /// Takes up the conversation.
    pub(crate) fn open(socket: &Path) -> Result<Monitor> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let mut monitor = Monitor {
            lines: BufReader::new(stream),
            events: Vec::new(),
        };
        monitor.read()?; // QEMU's greeting
        monitor.ask("qmp_capabilities", &json!({}))?;
        Ok(monitor)
    }

    /// Sends a command, and waits for its answer.
    pub(crate) fn ask(&mut self, command: &str, arguments: &Value) -> Result<Value> {
        let line = json!({ "execute": command, "arguments": arguments });
        self.lines
            .get_mut()
            .write_all(format!("{line}\n").as_bytes())
            .context("QEMU's monitor is gone")?;
        loop {
            let message = self.read()?;
            if let Some(error) = message.get("error") {
                bail!("QEMU refuses {command}: {error}");
            }
            if let Some(answer) = message.get("return") {
                return Ok(answer.clone());
            }
            self.events.push(message);
        }
    }

    /// Waits for an event about a device.
    pub(crate) fn wait_for(&mut self, event: &str, device: &str) -> Result<()> {
        let is_it =
            |message: &Value| message["event"] == event && message["data"]["device"] == device;
        loop {
            if let Some(at) = self.events.iter().position(is_it) {
                self.events.remove(at);
                return Ok(());
            }
            let message = self
                .read()
                .with_context(|| format!("no {event} of {device} came"))?;
            self.events.push(message);
        }
    }

    fn read(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            bail!("QEMU has ended");
        }
        serde_json::from_str(&line).with_context(|| format!("QEMU said {line:?}"))
    }
}
