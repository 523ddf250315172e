//! The program in the guest that carries out the laboratory's orders.
//!
//! It opens the virtio serial port, says hello, and passes each order to its own shell, in its own thread: a command
//! that hangs on a dead drive does not delay others. `timeout` ends commands that take too long. Output goes to a file
//! rather than a pipe, so that a background process does not delay an answer.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};

use crate::wire::{Answer, FromGuest, Order, PORT, output_of};

/// More of a command's output than this is cut off: the port is slow.
const LONGEST_OUTPUT: usize = 2 << 20;

/// Answers orders until the port is closed.
pub(crate) fn serve() -> Result<()> {
    let path = format!("/dev/virtio-ports/{PORT}");
    let port = File::options()
        .read(true)
        .write(true)
        .open(&path)
        .with_context(|| format!("{path} cannot be opened: this runs in the laboratory's guest"))?;
    // A port is opened by one at a time; the second handle is the same open file.
    let answers = Arc::new(Mutex::new(port.try_clone()?));
    say(&answers, &FromGuest::Hello)?;
    for line in BufReader::new(port).lines() {
        let order: Order = serde_json::from_str(&line?).context("an order is not understood")?;
        let answers = Arc::clone(&answers);
        std::thread::spawn(move || {
            // Where the laboratory has gone away nobody waits for the answer.
            let _ = say(&answers, &FromGuest::Answer(carry_out(&order)));
        });
    }
    Ok(())
}

fn say(port: &Mutex<File>, what: &FromGuest) -> Result<()> {
    let mut line = serde_json::to_string(what)?;
    line.push('\n');
    let mut port = port
        .lock()
        .map_err(|_| anyhow::anyhow!("a thread died while it spoke"))?;
    Ok(port.write_all(line.as_bytes())?)
}

fn carry_out(order: &Order) -> Answer {
    let (exit, output) = match run(order) {
        Ok(ended) => ended,
        Err(error) => (127, format!("the guest cannot run it: {error:#}\n")),
    };
    Answer {
        id: order.id,
        exit,
        output,
    }
}

fn run(order: &Order) -> Result<(i32, String)> {
    let place = output_of(order.id);
    let output = File::create(&place)?;
    let status = Command::new("timeout")
        .args(["-k", "5"])
        .arg(order.limit_s.to_string())
        .args(["sh", "-c", &order.shell])
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .status()?;
    let mut bytes = std::fs::read(&place)?;
    bytes.truncate(LONGEST_OUTPUT);
    std::fs::remove_file(&place)?;
    Ok((
        exit_code(status),
        String::from_utf8_lossy(&bytes).into_owned(),
    ))
}

fn exit_code(status: ExitStatus) -> i32 {
    status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}
