//! A kept drive served for long in virtual time, to clients that come and go, with power cuts and restarts.
//!
//! Resource use must not grow with what was served: memory, descriptors, the undo file. `DRIVELAB_SOAK=1000` runs a
//! thousand lives of ten minutes instead of a few, and prints the usage after each tenth of them.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the finding")]

use std::alloc::System;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use base::interrupt::Interrupt;
use base::rng::Rng;
use base::time::Duration;
use cap::Cap;
use emulate::offer::{Offer, Wanted, offer};
use emulate::server::{Server, VirtualTime};
use emulate::transport::{Address, Listener};

/// Measures resource use.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Blocks that are written, and their length.
const BLOCKS: u64 = 256;
const BLOCK: usize = 4096;
/// Clients in a life, requests of each, and idle time between two clients: ten minutes in total.
const CLIENTS: u64 = 20;
const REQUESTS: u64 = 100;
const REST: Duration = Duration::from_secs(30);
/// Kinds of requests.
const READ: u16 = 0;
const WRITE: u16 = 1;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const ZEROS: u16 = 6;

/// What is held.
#[derive(Clone, Copy, Debug)]
struct Held {
    memory: usize,
    files: usize,
}

impl Held {
    fn now() -> Held {
        Held {
            memory: MEMORY.allocated(),
            files: std::fs::read_dir("/proc/self/fd").unwrap().count(),
        }
    }
}

fn had(folder: &Path) -> Offer {
    let wanted = Wanted {
        target: "model:samsung-840-evo-250gb",
        seed: 7,
        folder: Some(folder),
        ignores_flushes: false,
        read_only: false,
    };
    offer(&wanted, &Interrupt::new()).unwrap()
}

struct Client {
    stream: UnixStream,
    cookie: u64,
}

impl Client {
    fn new(socket: &Path) -> Client {
        let mut stream = UnixStream::connect(socket).unwrap();
        // The shortest handshake: flags, and the export by its name.
        stream
            .write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x01\0\0\0\0")
            .unwrap();
        stream.read_exact(&mut [0; 28]).unwrap();
        Client { stream, cookie: 0 }
    }

    fn sends(&mut self, kind: u16, durable: bool, block: u64, value: u8) {
        self.cookie += 1;
        let length = if kind == FLUSH { 0 } else { BLOCK as u32 };
        let head = [
            &0x2560_9513_u32.to_be_bytes()[..],
            &u16::from(durable).to_be_bytes(),
            &kind.to_be_bytes(),
            &self.cookie.to_be_bytes(),
            &(block * u64::from(length)).to_be_bytes(),
            &length.to_be_bytes(),
        ];
        self.stream.write_all(&head.concat()).unwrap();
        if kind == WRITE {
            self.stream.write_all(&[value; BLOCK]).unwrap();
        }
    }

    fn asks(&mut self, kind: u16, durable: bool, block: u64, value: u8) {
        self.sends(kind, durable, block, value);
        let mut reply = [0; 16];
        self.stream.read_exact(&mut reply).unwrap();
        assert_eq!(reply[4..8], [0; 4], "an error");
    }

    fn reads(&mut self, block: u64) -> u8 {
        self.asks(READ, false, block, 0);
        let mut bytes = [0; BLOCK];
        self.stream.read_exact(&mut bytes).unwrap();
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "torn");
        bytes[0]
    }
}

/// A life's clients, one after another, which find what is durable (of a block with a zero nothing is known); returns
/// the usage when a quarter of them had been there, and at the end.
fn clients(socket: &Path, time: &VirtualTime, rng: &mut Rng, durable: &mut [u8]) -> [Held; 2] {
    let mut first = Client::new(socket);
    let mut newest: Vec<u8> = (0..BLOCKS).map(|block| first.reads(block)).collect();
    for (block, value) in durable.iter().enumerate() {
        assert!(*value == 0 || newest[block] == *value, "block {block}");
    }
    let mut held = Vec::new();
    for number in 0..CLIENTS {
        let mut client = Client::new(socket);
        for _ in 0..REQUESTS {
            let (block, value) = (rng.below(BLOCKS), 1 + rng.below(255) as u8);
            let kind = [WRITE, WRITE, WRITE, ZEROS, TRIM, READ][rng.below(6) as usize];
            if kind == READ {
                client.reads(block);
                continue;
            }
            let is_durable = kind == WRITE && rng.below(3) == 0;
            client.asks(kind, is_durable, block, value);
            newest[block as usize] = if kind == WRITE { value } else { 0 };
            durable[block as usize] = if is_durable { value } else { 0 };
        }
        if rng.below(2) == 0 {
            client.asks(FLUSH, false, 0, 0);
            durable.copy_from_slice(&newest);
        }
        // It leaves in the middle of things.
        client.sends(READ, false, 0, 0);
        client.stream.write_all(&[0x25, 0x60]).unwrap();
        drop(client);
        time.pass(REST);
        // Meanwhile the server has seen that the other one has left.
        for _ in 0..3 {
            first.reads(0);
        }
        if number == CLIENTS / 4 || number == CLIENTS - 1 {
            held.push(Held::now());
        }
    }
    [held[0], held[1]]
}

/// One life of the drive, which ends with a power cut or is switched off.
fn life(place: &Path, number: u64, durable: &mut [u8]) -> [Held; 2] {
    let folder = place.join("drive");
    let socket = place.join("socket");
    let offered = had(&folder);
    let listener = Listener::listen(&Address::Unix(socket.clone())).unwrap();
    let (mut server, time) = Server::in_virtual_time(offered.drive, offered.export);
    let is_over = AtomicBool::new(false);
    let is_switched_off = number.is_multiple_of(3);
    let mut rng = Rng::new(number);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let held = clients(&socket, &time, &mut rng, durable);
            is_over.store(true, Ordering::Release);
            held
        });
        let ends = || is_over.load(Ordering::Acquire) || asking.is_finished();
        if is_switched_off {
            server.serve(listener, &ends).unwrap();
        } else {
            server.serve_until(listener, &ends).unwrap();
        }
        asking.join().unwrap()
    })
}

#[test]
fn what_a_drive_holds_does_not_grow_with_what_it_was_asked() {
    let lives = std::env::var("DRIVELAB_SOAK").map_or(6, |lives| lives.parse().unwrap());
    let place = tempfile::tempdir().unwrap();
    let mut durable = vec![0; BLOCKS as usize];
    let mut first = None;
    for number in 1..=lives {
        let before = Held::now();
        let [early, late] = life(place.path(), number, &mut durable);
        let after = Held::now();
        let undo = std::fs::metadata(place.path().join("drive/undo")).unwrap();
        if lives > 10 && number % (lives / 10) == 0 {
            eprintln!(
                "life {number}: {early:?} {late:?} after it {after:?}, undo {} B",
                undo.blocks() * 512
            );
        }
        // What a life holds is given back, and does not grow while it lasts.
        assert_eq!(before.files, after.files, "life {number}");
        assert_eq!(early.files, late.files, "life {number}");
        assert!(
            late.memory < early.memory + (256 << 10),
            "life {number}: {early:?} {late:?}"
        );
        let first = *first.get_or_insert(late);
        assert!(
            late.memory < first.memory + (4 << 20),
            "life {number}: {first:?} {late:?}"
        );
    }
}
