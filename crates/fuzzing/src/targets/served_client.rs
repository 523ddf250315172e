//! A client of the server of an emulated drive: the bytes of its whole life, over a socket.
//!
//! Whatever it sends, the server finally drops it, and each request that was parsed gets exactly one reply.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use base::null::Null;
use base::size::Bytes;
use base::time::Duration;
use emulate::drive::{Asked, Emulated};
use emulate::image::Image;
use emulate::nbd::Export;
use emulate::nbd::handshake::{Agreed, Handshake, Progress};
use emulate::nbd::request::{Wants, take};
use emulate::server::Server;
use emulate::transport::Stream;

/// Small, so that thousands of reads of all of it are sent in no time.
const CAPACITY: Bytes = Bytes::kib(16);

pub(crate) fn run(input: &[u8]) {
    let export = Export {
        capacity: CAPACITY,
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: input.len() % 2 == 1,
        rotational: false,
        description: String::new(),
    };
    let got = served(input, &export);
    let mut greeted = Vec::new();
    let mut handshake = Handshake::greet(&mut greeted);
    let Ok((taken, Progress::Over(agreed))) = handshake.take(input, &export, &mut greeted) else {
        return;
    };
    let replies = got.strip_prefix(&greeted[..]);
    let replies = replies.expect("the handshake's answers come first");
    let asked = asked(&input[taken..], &export);
    // Of two with one number nobody can say which is answered.
    if asked.iter().all(|(_, requests)| requests.len() == 1) {
        answered(replies, agreed, asked);
    }
}

/// What the server sends a client that sends this and then nothing more.
fn served(input: &[u8], export: &Export) -> Vec<u8> {
    let data = tempfile::tempfile().expect("a temporary file is to be had");
    let image = Image::new(data, CAPACITY).expect("it takes a few bytes");
    let drive = Emulated::new(Box::new(Null::new(CAPACITY, Duration::ZERO)), image);
    let mut server = Server::starting_now(drive, export.clone());
    let (ours, theirs) = UnixStream::pair().expect("two sockets are to be had");
    theirs.set_nonblocking(true).expect("a socket may be so");
    let mut got = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // A server that has enough of it closes the socket.
            let _ = (&ours).write_all(input);
            let _ = ours.shutdown(Shutdown::Write);
        });
        scope.spawn(|| (&ours).read_to_end(&mut got));
        server
            .serve_one(Stream::Unix(theirs))
            .expect("no client breaks the server");
    });
    got
}

/// The requests by their numbers: whether each reads, and how much.
fn asked(mut input: &[u8], export: &Export) -> BTreeMap<u64, Vec<Option<Bytes>>> {
    let mut asked: BTreeMap<u64, Vec<Option<Bytes>>> = BTreeMap::new();
    while let Ok(Some((bytes, request))) = take(input, export) {
        let reads = match request.wants {
            Wants::Drive(Asked::Read(span)) => Some(span.len),
            _ => None,
        };
        asked.entry(request.cookie).or_default().push(reads);
        input = &input[bytes..];
    }
    asked
}

/// Each request is completed.
fn answered(mut replies: &[u8], agreed: Agreed, mut asked: BTreeMap<u64, Vec<Option<Bytes>>>) {
    const SIMPLE: [u8; 4] = 0x6744_6698_u32.to_be_bytes();
    while !replies.is_empty() {
        let number = |at: usize, bytes: usize| {
            let bytes = replies[at..at + bytes].iter();
            bytes.fold(0, |sum: u64, byte| sum << 8 | u64::from(*byte))
        };
        let cookie = number(8, 8);
        let reads = asked.remove(&cookie).expect("an answer to no request")[0];
        let length = if replies[..4] == SIMPLE {
            let has_data = number(4, 4) == 0 && !agreed.structured;
            16 + reads.filter(|_| has_data).map_or(0, Bytes::get)
        } else {
            20 + number(16, 4)
        };
        replies = &replies[length as usize..];
    }
    assert!(asked.is_empty(), "requests without an answer: {asked:?}");
}
