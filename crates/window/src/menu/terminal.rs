//! A terminal: keys in, whole screens out.
//!
//! In raw mode the terminal passes each byte on as it is typed and shows none of them; a key such as an arrow is three
//! bytes that begin with ESC. Ctrl-C stays a signal for whoever started the program from a shell. Screens are drawn from
//! the top left, each line is cleared behind its end, so that nothing flickers.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::termios::{self, LocalModes, OptionalActions, Termios};

/// Columns and rows where a terminal does not tell, as serial lines do not.
const USUAL: (usize, usize) = (80, 24);

/// What was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Up,
    Down,
    Enter,
    Digit(usize),
    Letter(char),
}

/// An open terminal.
pub(super) struct Terminal {
    file: File,
    before: Termios,
    keys: Receiver<Key>,
    shown: String,
}

impl Terminal {
    /// Takes a terminal over, until it is dropped.
    pub(super) fn open(path: &Path) -> std::io::Result<Terminal> {
        let no_control = OFlags::NOCTTY.bits().cast_signed();
        let mut options = File::options();
        options.read(true).write(true).custom_flags(no_control);
        let file = options.open(path)?;
        let before = termios::tcgetattr(&file)?;
        let mut raw = before.clone();
        raw.local_modes
            .remove(LocalModes::ICANON | LocalModes::ECHO);
        termios::tcsetattr(&file, OptionalActions::Now, &raw)?;
        let keys = listen(file.try_clone()?);
        Ok(Terminal {
            file,
            before,
            keys,
            shown: String::new(),
        })
    }

    /// The next key, if one is pressed in that time.
    pub(super) fn key(&self, within: Duration) -> Option<Key> {
        match self.keys.recv_timeout(within) {
            Ok(key) => Some(key),
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => None,
            // A terminal that has gone away says nothing at once, for ever.
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                std::thread::sleep(within);
                None
            }
        }
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> (usize, usize) {
        match termios::tcgetwinsize(&self.file) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                (usize::from(size.ws_col), usize::from(size.ws_row))
            }
            _ => USUAL,
        }
    }

    /// Draws a screen, unless it is there already.
    pub(super) fn draw(&mut self, lines: &[String]) {
        let mut screen = String::from("\x1b[?25l\x1b[H");
        screen.push_str(&lines.join("\x1b[K\r\n"));
        screen.push_str("\x1b[K\x1b[J");
        if screen == self.shown {
            return;
        }
        // One that has gone away shows nothing.
        let _ = self.file.write_all(screen.as_bytes());
        self.shown = screen;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.file.write_all(b"\x1b[?25h\r\n");
        let _ = termios::tcsetattr(&self.file, OptionalActions::Now, &self.before);
    }
}

fn listen(mut file: File) -> Receiver<Key> {
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let (mut bytes, mut keys) = ([0; 64], Keys::default());
        while let Ok(length @ 1..) = file.read(&mut bytes) {
            let pressed = bytes[..length].iter().filter_map(|byte| keys.take(*byte));
            for key in pressed {
                if send.send(key).is_err() {
                    return;
                }
            }
        }
    });
    receive
}

/// Where in a key's bytes we are.
#[derive(Debug, Default)]
enum Keys {
    #[default]
    Outside,
    Escape,
    Sequence,
}

impl Keys {
    fn take(&mut self, byte: u8) -> Option<Key> {
        let before = std::mem::take(self);
        match (before, byte) {
            (_, 0x1b) => *self = Keys::Escape,
            (Keys::Escape, b'[' | b'O') => *self = Keys::Sequence,
            (Keys::Sequence, b'A') => return Some(Key::Up),
            (Keys::Sequence, b'B') => return Some(Key::Down),
            // Numbers of a longer sequence, such as that of Delete.
            (Keys::Sequence, b'0'..=b'9' | b';') => *self = Keys::Sequence,
            (Keys::Sequence, _) => {}
            (_, b'\r' | b'\n') => return Some(Key::Enter),
            (_, b'0'..=b'9') => return Some(Key::Digit(usize::from(byte - b'0'))),
            (_, b'a'..=b'z' | b'A'..=b'Z') => {
                return Some(Key::Letter(char::from(byte.to_ascii_lowercase())));
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_is_one_key_and_other_sequences_are_none() {
        let mut keys = Keys::default();
        let typed = b"12\x1b[A\x1bOB\x1b[3~S\r";
        let pressed: Vec<Key> = typed.iter().filter_map(|byte| keys.take(*byte)).collect();
        assert_eq!(
            pressed,
            [
                Key::Digit(1),
                Key::Digit(2),
                Key::Up,
                Key::Down,
                Key::Letter('s'),
                Key::Enter
            ]
        );
    }
}
