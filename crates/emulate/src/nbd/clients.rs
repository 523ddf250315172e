//! All NBD clients of a drive: accepted, read, parsed, answered.
//!
//! Neither a client's error nor too many clients affect the drive: there are limits on connections, on pending output
//! of each (`client`) and on the input of all; clients beyond them wait.

use std::collections::BTreeMap;
use std::io;

use base::time::{Duration, Instant};
use rustix::event::{PollFd, PollFlags};
use rustix::process::{Resource, getrlimit};

use super::Export;
use super::client::{Client, PORTION, Room, Stage};
use super::handshake::Progress;
use super::request::{Wants, take};
use crate::drive::{Answer, Emulated};
use crate::frontend::{Asks, Frontend, Trouble};
use crate::transport::{Listener, Stream, Taken};

/// Clients that are served at once, where the process may have that many files.
const MOST_CLIENTS: usize = 256;
/// Files that the process needs in addition to its clients.
const OTHER_FILES: u64 = 64;
/// Time during which no client is accepted after resources ran out.
const NOBODY_FOR: Duration = Duration::from_millis(100);

/// The clients of a drive.
pub struct Clients {
    export: Export,
    listener: Option<Listener>,
    pub(crate) clients: BTreeMap<u64, Client>,
    next_client: u64,
    portion: Vec<u8>,
    room: Room,
    pub(crate) most_clients: usize,
    /// Nobody is taken before.
    full_until: Instant,
    /// The clock at the time of the last read.
    now: Instant,
}

impl Clients {
    /// Clients of the export; none yet.
    pub fn new(export: Export) -> Clients {
        Clients {
            export,
            listener: None,
            clients: BTreeMap::new(),
            next_client: 0,
            portion: vec![0; PORTION],
            room: Room::default(),
            most_clients: most_clients(),
            full_until: Instant::ZERO,
            now: Instant::ZERO,
        }
    }

    /// From now on they come in here.
    pub fn listen(&mut self, listener: Listener) {
        self.listener = Some(listener);
    }

    /// Adds a connected client.
    pub fn admit(&mut self, stream: Stream) {
        let client = Client::new(stream, self.now);
        self.clients.insert(self.next_client, client);
        self.next_client += 1;
    }

    /// Whether all have left.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// The listener, if there may be more clients. (Polling it each turn is expensive: the kernel creates a socket
    /// before it finds that no client is waiting, and its cleanup delays the replies.)
    fn open_listener(&self) -> Option<&Listener> {
        let has_room = self.clients.len() < self.most_clients && self.now >= self.full_until;
        self.listener.as_ref().filter(|_| has_room)
    }

    /// Accepts waiting clients, as far as there is room for them.
    fn take_clients(&mut self) -> io::Result<Option<Trouble>> {
        while self.clients.len() < self.most_clients {
            let Some(listener) = &self.listener else {
                return Ok(None);
            };
            match listener.take()? {
                Taken::Client(stream) => self.admit(stream),
                Taken::Nobody => return Ok(None),
                Taken::NotNow(why) => {
                    self.full_until = self.now + NOBODY_FOR;
                    return Ok(Some(Trouble::NoRoom(why)));
                }
            }
        }
        Ok(Some(Trouble::Most(self.most_clients)))
    }

    /// Drops clients that have disconnected, and those that hold room which others wait for.
    fn part_with_those_that_are_over(&mut self) {
        if self.clients.values().any(Client::waits_for_room) {
            let now = self.now;
            let keeping = self.clients.values_mut();
            keeping
                .filter(|client| client.keeps_room(now))
                .for_each(Client::gone);
        }
        let room = &mut self.room;
        self.clients.retain(|_, client| {
            let is_over = client.is_over();
            if is_over {
                client.gives_back(room);
            }
            !is_over
        });
        for client in self.clients.values_mut() {
            if client.waits_for_room() && !client.finds_room(room) {
                break;
            }
        }
    }
}

/// For one that has disconnected and has no pending output yet, the system would report it again and again.
fn is_polled(client: &Client) -> bool {
    !client.has_left() || client.has_unsent()
}

impl Frontend for Clients {
    fn polls<'a>(&'a self, takes_more: bool, polled: &mut Vec<PollFd<'a>>) {
        for client in self.clients.values().filter(|client| is_polled(client)) {
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::IN, takes_more && client.may_speak());
            wanted.set(PollFlags::OUT, client.has_unsent());
            polled.push(PollFd::new(&client.stream, wanted));
        }
        let listener = self.open_listener();
        polled.extend(listener.map(|listener| PollFd::new(listener, PollFlags::IN)));
    }

    fn hear(&mut self, ready: &[bool], now: Instant) -> io::Result<Option<Trouble>> {
        self.now = now;
        let (portion, room) = (&mut self.portion, &mut self.room);
        let polled = self.clients.values_mut().filter(|client| is_polled(client));
        let mut rest = ready.iter();
        for (client, is_ready) in polled.zip(&mut rest) {
            if *is_ready {
                client.fetch(portion, room, now);
            }
        }
        match rest.next() {
            Some(true) => self.take_clients(),
            _ => Ok(None),
        }
    }

    fn ask(&mut self, asks: &mut Asks<'_>) -> io::Result<()> {
        self.part_with_those_that_are_over();
        for (number, client) in &mut self.clients {
            if client.has_spoken || client.is_held_back && client.may_ask() {
                understand(*number, client, &self.export, &mut self.room, asks);
            }
        }
        Ok(())
    }

    fn reply(&mut self, answer: &Answer, drive: &Emulated) -> io::Result<()> {
        if let Some(client) = self.clients.get_mut(&answer.asker.connection) {
            client.open -= 1;
            if !client.is_broken {
                client.reply(answer, drive.image());
            }
        }
        Ok(())
    }

    fn send(&mut self, drive: &Emulated) -> io::Result<bool> {
        let mut has_sent = false;
        for client in self.clients.values_mut() {
            let unsent = client.unsent();
            client.send(drive.image());
            has_sent |= client.unsent() < unsent;
        }
        Ok(has_sent)
    }
}

/// Parses a client's input, and sends its requests to the drive.
fn understand(
    number: u64,
    client: &mut Client,
    export: &Export,
    room: &mut Room,
    asks: &mut Asks<'_>,
) {
    let mut taken = 0;
    client.has_spoken = false;
    client.is_held_back = false;
    loop {
        let input = &client.input[taken..];
        if let Stage::Handshake(handshake) = &mut client.stage {
            match handshake.take(input, export, &mut client.out) {
                Ok((bytes, Progress::More)) => {
                    taken += bytes;
                    break;
                }
                Ok((bytes, Progress::Over(agreed))) => {
                    client.stage = Stage::Requests(agreed);
                    taken += bytes;
                }
                Err(closed) => {
                    client.leave(closed);
                    break;
                }
            }
        } else {
            match understand_request(number, client, taken, export, asks) {
                0 => break,
                bytes => taken += bytes,
            }
        }
    }
    client.took(taken, room);
}

/// Parses the request at a position of a client's input, and sends it to the drive; returns its length, or `None` if it
/// may not be sent yet, is incomplete, or is invalid.
fn understand_request(
    number: u64,
    client: &mut Client,
    at: usize,
    export: &Export,
    asks: &mut Asks<'_>,
) -> usize {
    let input = &client.input[at..];
    let Stage::Requests(agreed) = client.stage else {
        return 0;
    };
    if !input.is_empty() && (!client.may_ask() || !asks.takes_more()) {
        client.is_held_back = true;
        return 0;
    }
    let (bytes, request) = match take(input, export) {
        Ok(Some(found)) => found,
        Ok(None) => return 0,
        Err(closed) => {
            client.leave(closed);
            return 0;
        }
    };
    match request.wants {
        Wants::Drive(asked) => {
            client.asks(&asked);
            asks.ask(number, request.cookie, asked);
        }
        other => client.at_once(agreed, request.cookie, &other, asks.drive()),
    }
    bytes
}

/// How many clients the process has files for.
fn most_clients() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    let files = files.map_or(MOST_CLIENTS as u64, |files| {
        files.saturating_sub(OTHER_FILES)
    });
    files.clamp(1, MOST_CLIENTS as u64) as usize
}
