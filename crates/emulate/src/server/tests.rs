//! The server and its clients, without a network.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use base::null::Null;

use super::*;
use crate::drive::{Asked, Asker};
use crate::image::Image;
use crate::nbd::client::Client;
use base::size::Bytes;

/// A read of the first sector, as a client sends it after the shortest handshake.
const READ: &[u8] = b"\x25\x60\x95\x13\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\x02\0";
const HANDSHAKE: &[u8] = b"\0\0\0\x03IHAVEOPT\0\0\0\x01\0\0\0\0";

#[test]
fn a_client_whose_socket_breaks_with_reads_on_their_way_does_not_end_the_server() {
    let capacity = Bytes::mib(1);
    let image = Image::new(tempfile::tempfile().unwrap(), capacity).unwrap();
    let drive = Null::new(capacity, Duration::from_millis(20));
    let export = Export {
        capacity,
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: true,
        rotational: false,
        description: String::new(),
    };
    let drive = Emulated::new(Box::new(drive), image);
    let (mut server, time) = Server::in_virtual_time(drive, export);
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    server.clients.admit(Stream::Unix(theirs));
    ours.write_all(&[HANDSHAKE, READ, READ].concat()).unwrap();
    while server.drive.open() < 2 {
        server.turn().unwrap();
    }
    server.clients.clients.values_mut().for_each(Client::gone);
    time.pass(Duration::from_millis(60));
    server.answer().unwrap();
    server.turn().unwrap();
    assert!(server.clients.is_empty());
    assert_eq!(server.drive.open(), 0);
}

#[test]
fn a_client_that_has_left_with_a_read_open_does_not_keep_the_server_awake() {
    let capacity = Bytes::mib(64);
    let image = Image::new(tempfile::tempfile().unwrap(), capacity).unwrap();
    let drive = Null::new(capacity, Duration::from_millis(20));
    let drive = Emulated::new(Box::new(drive), image);
    let (mut server, _) = Server::in_virtual_time(drive, export());
    let mut client = connected(&mut server);
    client.write_all(&request(0, 1, 512)).unwrap();
    while server.drive.open() == 0 {
        server.turn().unwrap();
    }
    drop(client);
    // Virtual time goes on only where nobody wants anything.
    turns(&mut server, 4);
    assert_eq!(server.drive.open(), 0);
}

#[test]
fn a_client_that_always_has_something_on_its_way_does_not_make_its_buffer_grow() {
    let (mut theirs, ours) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    let mut client = Client::new(Stream::Unix(ours), Instant::ZERO);
    let image = Image::new(tempfile::tempfile().unwrap(), Bytes::mib(1)).unwrap();
    let mut fetched = vec![0; 60_000];
    for _ in 0..1_000 {
        // More than a socket takes, and never all of it.
        let missing = 400_000 - client.unsent();
        client.out.resize(client.out.len() + missing, 7);
        client.send(&image);
        assert!(client.has_unsent() && client.out.len() <= 800_000);
        theirs.read_exact(&mut fetched).unwrap();
    }
}

/// A server of 64 MiB without latency.
fn server() -> Server {
    let export = export();
    let image = Image::new(tempfile::tempfile().unwrap(), export.capacity).unwrap();
    let drive = Null::new(export.capacity, Duration::from_micros(1));
    Server::starting_now(Emulated::new(Box::new(drive), image), export)
}

fn export() -> Export {
    Export {
        capacity: Bytes::mib(64),
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: false,
        rotational: false,
        description: String::new(),
    }
}

/// A client of it whose handshake is over.
fn connected(server: &mut Server) -> UnixStream {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    server.clients.admit(Stream::Unix(theirs));
    ours.write_all(HANDSHAKE).unwrap();
    for _ in 0..3 {
        server.turn().unwrap();
    }
    // The greeting, and the export's length and flags.
    ours.set_read_timeout(Some(std::time::Duration::from_secs(20)))
        .unwrap();
    ours.read_exact(&mut [0; 18 + 10]).unwrap();
    ours
}

/// A request of this kind, of this many bytes from the first one on.
fn request(kind: u8, cookie: u8, len: u32) -> Vec<u8> {
    let head = [0x25, 0x60, 0x95, 0x13, 0, 0, 0, kind];
    let mut bytes = [&head[..], &[0; 7], &[cookie], &[0; 8]].concat();
    bytes.extend_from_slice(&len.to_be_bytes());
    bytes
}

/// What the server holds of memory for its clients.
fn held(server: &Server) -> usize {
    let of = |client: &Client| client.input.capacity() + client.out.capacity();
    server.clients.clients.values().map(of).sum()
}

fn turns(server: &mut Server, many: u32) {
    for _ in 0..many {
        server.turn().unwrap();
    }
}

#[test]
fn replies_that_nobody_fetches_take_a_portion_each_and_come_whole_when_they_are_fetched() {
    const LONG: u32 = 32 << 20;
    let mut server = server();
    server.drive.ask(
        Instant::ZERO,
        Asker {
            frontend: 0,
            connection: 99,
            cookie: 0,
        },
        Asked::Write {
            offset: Bytes::ZERO,
            bytes: vec![7; LONG as usize],
            durable: false,
        },
    );
    let mut client = connected(&mut server);
    for cookie in 0..50 {
        client.write_all(&request(0, cookie, LONG)).unwrap();
    }
    turns(&mut server, 8);
    assert!(held(&server) < 2 << 20, "{}", held(&server));
    // No more than a few of them are the drive's to do: another client need not wait for all.
    let open: usize = server
        .clients
        .clients
        .values()
        .map(|client| client.open)
        .sum();
    assert!(open <= 4, "{open}");
    let fetching = std::thread::spawn(move || {
        for cookie in 0..3 {
            let mut head = [0; 16];
            client.read_exact(&mut head).unwrap();
            assert_eq!(head[15], cookie);
            let mut data = vec![0; LONG as usize];
            client.read_exact(&mut data).unwrap();
            assert!(data.iter().all(|byte| *byte == 7));
        }
    });
    while !fetching.is_finished() {
        server.turn().unwrap();
    }
    fetching.join().unwrap();
}

#[test]
fn half_sent_writes_of_many_clients_have_a_bound_and_a_client_that_waits_gets_room() {
    const LONG: u32 = 32 << 20;
    let mut server = server();
    let mut all: Vec<UnixStream> = (0..20).map(|_| connected(&mut server)).collect();
    for client in &mut all {
        client.set_nonblocking(true).unwrap();
        client.write_all(&request(1, 1, LONG)).unwrap();
        let _ = client.write(&vec![1; 100_000]);
    }
    turns(&mut server, 8);
    assert!(held(&server) < 80 << 20, "{}", held(&server));
    // A short request of another client passes by.
    let mut other = connected(&mut server);
    other.write_all(&request(3, 5, 0)).unwrap();
    turns(&mut server, 4);
    let mut reply = [0; 16];
    other.read_exact(&mut reply).unwrap();
    assert_eq!(reply[15], 5);
    // Those that have room and send nothing are left when their time is over.
    let waiting = |server: &Server| {
        server
            .clients
            .clients
            .values()
            .filter(|c| c.waits_for_room())
            .count()
    };
    let before = waiting(&server);
    assert!(before > 0);
    server.pace = Pace::Machine(
        server.pace.now() + Duration::from_secs(20),
        Clock::starting_now(),
    );
    turns(&mut server, 2);
    assert!(waiting(&server) < before);
    assert!(server.clients.clients.len() < 21);
}

#[test]
fn questions_that_are_answered_at_once_wait_until_their_answers_are_fetched() {
    let mut server = server();
    let mut client = connected(&mut server);
    client.set_nonblocking(true).unwrap();
    let question = request(5, 1, 0);
    let mut asked = 0;
    for _ in 0..12 {
        while client.write(&question.repeat(1_000)).is_ok_and(|bytes| {
            asked += bytes;
            true
        }) {}
        server.turn().unwrap();
    }
    assert!(asked > 1 << 20);
    assert!(held(&server) < 4 << 20, "{}", held(&server));
}

#[test]
fn more_clients_than_there_may_be_wait_and_come_in_when_another_leaves() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("socket");
    let listener = Listener::listen(&crate::transport::Address::Unix(path.clone())).unwrap();
    let mut server = server();
    server.clients.most_clients = 2;
    let told = std::rc::Rc::new(std::cell::Cell::new(0));
    let tells = std::rc::Rc::clone(&told);
    server.tells(move |_| tells.set(tells.get() + 1));
    let mut all: Vec<UnixStream> = (0..3)
        .map(|_| UnixStream::connect(&path).unwrap())
        .collect();
    server.clients.listen(listener);
    let round = |server: &mut Server| {
        for _ in 0..4 {
            server.turn().unwrap();
        }
    };
    round(&mut server);
    assert_eq!((server.clients.clients.len(), told.get()), (2, 1));
    drop(all.remove(0));
    round(&mut server);
    assert_eq!(server.clients.clients.len(), 2);
    let last = all.last_mut().unwrap();
    last.read_exact(&mut [0; 18]).unwrap();
}
