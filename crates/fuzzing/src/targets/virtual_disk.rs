//! The machine's side of a virtual disk: messages with files, and the contents of the guest's memory.
//!
//! The input is a list of actions of the machine's program and its guest, one byte each followed by its arguments: a
//! message of any kind and content, a correctly set up ring, bytes written into the memory, an offered chain of
//! descriptors, bytes that are not a message.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use base::null::Null;
use base::size::Bytes;
use base::time::Duration;
use emulate::drive::Emulated;
use emulate::frontend::{Asks, Frontend};
use emulate::image::Image;
use emulate::nbd::Export;
use emulate::vhost_user::VirtualDisk;
use tempfile::TempDir;
use vmm_sys_util::eventfd::{EFD_NONBLOCK, EventFd};
use vmm_sys_util::sock_ctrl_msg::ScmSocket;

const CAPACITY: Bytes = Bytes::kib(64);
/// Bytes of the guest's memory, and where the machine's program has it.
const MEMORY: u64 = 128 << 10;
const PROGRAM: u64 = 0x10_0000;
/// Numbers of messages.
const SET_FEATURES: u8 = 2;
const SET_MEMORY: u8 = 5;
const SET_PLACES: u8 = 8;
const SET_ADDRESSES: u8 = 9;
const SET_KICK: u8 = 12;
const SET_CALL: u8 = 13;
const ENABLE: u8 = 18;
/// Features: tables of descriptors, fewer kicks, the present standard, the protocol's own.
const FEATURES: u64 = 1 << 28 | 1 << 29 | 1 << 32 | 1 << 30;
/// Addresses of the descriptors, the available and the used part of a correctly set up ring.
const RING: [u64; 3] = [0, 0x1000, 0x2000];

pub(crate) fn run(input: &[u8]) {
    let mut machine = Machine::new().expect("a socket and two files are to be had");
    let mut input = Input(input);
    while let Some(what) = input.byte() {
        machine.does(what, &mut input);
        machine.turn();
    }
    machine.stream = None;
    machine.turn();
}

/// The rest of the input; zeros after its end.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> u64 {
        u64::from(self.byte().unwrap_or(0)) << 8 | u64::from(self.byte().unwrap_or(0))
    }

    fn bytes(&mut self) -> Vec<u8> {
        let many = usize::from(self.byte().unwrap_or(0)).min(self.0.len());
        let (bytes, rest) = self.0.split_at(many);
        self.0 = rest;
        bytes.to_vec()
    }
}

struct Machine {
    _folder: TempDir,
    path: PathBuf,
    disk: VirtualDisk,
    drive: Emulated,
    memory: File,
    event: EventFd,
    stream: Option<UnixStream>,
    /// Chains that were offered.
    offered: u16,
}

impl Machine {
    fn new() -> std::io::Result<Machine> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("disk");
        let export = Export {
            capacity: CAPACITY,
            block: Bytes::SECTOR,
            preferred: Bytes::kib(4),
            read_only: false,
            rotational: false,
            description: String::new(),
        };
        let image = Image::new(tempfile::tempfile()?, CAPACITY)?;
        let memory = tempfile::tempfile()?;
        memory.set_len(MEMORY)?;
        Ok(Machine {
            disk: VirtualDisk::listen(&path, &export)?,
            drive: Emulated::new(Box::new(Null::new(CAPACITY, Duration::ZERO)), image),
            memory,
            event: EventFd::new(EFD_NONBLOCK)?,
            stream: None,
            offered: 0,
            path,
            _folder: folder,
        })
    }

    fn does(&mut self, what: u8, input: &mut Input<'_>) {
        match what % 6 {
            0 => {
                let (kind, files) = (input.byte().unwrap_or(0), input.byte().unwrap_or(0));
                let body = input.bytes();
                self.message(kind, files, &body);
            }
            1 => {
                let (ring, places) = (input.byte().unwrap_or(0), input.byte().unwrap_or(0));
                self.set_up(ring, places);
            }
            2 => {
                let (at, bytes) = (input.number() * 2, input.bytes());
                let _ = self.memory.write_all_at(&bytes, at % (MEMORY - 255));
            }
            3 => self.offer(input),
            4 => {
                let _ = self.event.write(1);
            }
            _ => {
                let bytes = input.bytes();
                if let Some(mut stream) = self.stream.take() {
                    let _ = stream.write_all(&bytes);
                }
            }
        }
    }

    /// Sends a message with files, each the memory or an event's.
    fn message(&mut self, kind: u8, files: u8, body: &[u8]) {
        let Some(stream) = self.connected() else {
            return;
        };
        let head = [u32::from(kind), 1, body.len() as u32].map(u32::to_le_bytes);
        let message = [&head.concat(), body].concat();
        let (memory, event) = (self.memory.as_raw_fd(), self.event.as_raw_fd());
        let sent: Vec<RawFd> = (0..files % 4)
            .map(|file| match files >> (2 + file) & 1 {
                0 => memory,
                _ => event,
            })
            .collect();
        let _ = stream.send_with_fds(&[&message[..]], &sent);
    }

    fn connected(&mut self) -> Option<UnixStream> {
        if self.stream.is_none() {
            let stream = UnixStream::connect(&self.path).ok()?;
            stream.set_nonblocking(true).ok()?;
            self.stream = Some(stream);
            self.turn();
        }
        self.stream.as_ref()?.try_clone().ok()
    }

    /// Sets a ring up as it should be.
    fn set_up(&mut self, ring: u8, places: u8) {
        const MEMORY_FILE: u8 = 1;
        const EVENT_FILE: u8 = 1 | 1 << 2;
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let ring = u64::from(ring % 4);
        let places = 1_u64 << (places % 11);
        let at = RING.map(|at| at + PROGRAM);
        let said: [(u8, u8, Vec<u8>); 7] = [
            (SET_FEATURES, 0, words(&[FEATURES])),
            (SET_MEMORY, MEMORY_FILE, words(&[1, 0, MEMORY, PROGRAM, 0])),
            (SET_PLACES, 0, words(&[ring | places << 32])),
            // Descriptors, answers, what is offered.
            (SET_ADDRESSES, 0, words(&[ring, at[0], at[2], at[1], 0])),
            (SET_KICK, EVENT_FILE, words(&[ring])),
            (SET_CALL, EVENT_FILE, words(&[ring])),
            (ENABLE, 0, words(&[ring | 1 << 32])),
        ];
        for (kind, files, body) in said {
            self.message(kind, files, &body);
            self.turn();
        }
    }

    /// Offers a chain of up to four descriptors at the ring that is set up as it should be.
    fn offer(&mut self, input: &mut Input<'_>) {
        let many = 1 + u16::from(input.byte().unwrap_or(0)) % 4;
        for place in 0..many {
            let (at, length) = (input.number() * 2, input.number() as u32);
            let next = u16::from(place + 1 < many);
            let flags = u16::from(input.byte().unwrap_or(0)) & !1 | next;
            let [at, length] = [at.to_le_bytes().to_vec(), length.to_le_bytes().to_vec()];
            let behind = [flags, place + 1].map(u16::to_le_bytes).concat();
            let descriptor = [at, length, behind].concat();
            let _ = self
                .memory
                .write_all_at(&descriptor, RING[0] + 16 * u64::from(place));
        }
        // Every place of what is offered leads to the first descriptor.
        self.offered = self.offered.wrapping_add(1);
        let _ = self
            .memory
            .write_all_at(&self.offered.to_le_bytes(), RING[1] + 2);
        let _ = self.event.write(1);
    }

    /// The server's turn: reads, uses the drive, replies.
    fn turn(&mut self) {
        for _ in 0..2 {
            let now = self.drive.now();
            let heard = self.disk.hear(&[true], now);
            heard.expect("no machine breaks the server");
            let at = || now;
            let mut asks = Asks::new(&mut self.drive, 0, &at);
            self.disk.ask(&mut asks).expect("as before");
            self.answer();
            self.disk.send(&self.drive).expect("as before");
            self.disk.may_sleep();
        }
        // What the server says is fetched, and not looked at.
        if let Some(stream) = &mut self.stream {
            let _ = stream.read(&mut [0; 4096]);
        }
    }

    fn answer(&mut self) {
        let mut answers = Vec::new();
        let now = self.drive.now();
        self.drive.advance(now, &mut answers).expect("as before");
        for answer in &answers {
            self.disk.reply(answer, &self.drive).expect("as before");
        }
    }
}
