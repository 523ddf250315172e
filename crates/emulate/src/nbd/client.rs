//! A client: its unprocessed input, and its pending replies.
//!
//! Memory is the server's, and a client decides how much is requested: it may request gigabytes and fetch nothing, or
//! send all of a long write except its last byte. So a completed read is not bytes but a range, of which the next
//! portion is read when the socket has taken the previous one. (The client has no reply until then, so it may well get
//! what was written in between.) And a long request reserves room for all of it from a pool for all clients ([`Room`])
//! before it is fetched; a client that has room and sends nothing is disconnected when another one waits for it.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use base::{Bytes, Duration, Instant, Span};

use super::handshake::{Agreed, Handshake};
use super::request::{Wants, expected};
use super::{Closed, reply};
use crate::drive::{Answer, Asked, Emulated};
use crate::image::Image;
use crate::transport::Stream;

/// Bytes that are fetched from a socket at once, and read for one.
pub(crate) const PORTION: usize = 256 << 10;
/// The same before the handshake is finished: an option of a few bytes may have a long reply.
const HANDSHAKE_PORTION: usize = 4 << 10;
/// A client with this much pending output is not read from until it has fetched some.
const MOST_UNSENT: usize = 1 << 20;
/// Requests of one client that may be open or wait to be fetched: more wait in its socket.
const MOST_OPEN: usize = 4_096;
/// Bytes that its outstanding reads may total: a drive has a queue, and other clients' requests come after all of that.
const MOST_ASKED: u64 = 128 << 20;
/// What half-sent requests of all clients may hold that are longer than a portion.
const MOST_HALF_SENT: usize = 64 << 20;
/// Time that a client may send nothing of a long request while others wait for its room.
const PATIENCE: Duration = Duration::from_secs(10);

/// Room for long requests, of all clients.
#[derive(Debug)]
pub(crate) struct Room {
    free: usize,
}

impl Default for Room {
    fn default() -> Room {
        Room {
            free: MOST_HALF_SENT,
        }
    }
}

/// What is owed to a client.
enum Owed {
    Reply(Answer),
    /// These bytes.
    Bytes(Vec<u8>),
}

/// Data that follows the header of the current reply.
struct Following {
    span: Span,
    is_hole: bool,
}

pub(crate) struct Client {
    pub(crate) stream: Stream,
    pub(crate) stage: Stage,
    pub(crate) input: Vec<u8>,
    pub(crate) out: Vec<u8>,
    sent: usize,
    following: Option<Following>,
    owed: VecDeque<Owed>,
    /// Bytes in `owed`.
    queued: usize,
    pub(crate) open: usize,
    /// Bytes of its reads that are open, or whose replies have not begun.
    asked: u64,
    /// Its input has something new.
    pub(crate) has_spoken: bool,
    /// Its input has requests that could be understood and may not yet.
    pub(crate) is_held_back: bool,
    /// Room that it has for a long request.
    has_room: usize,
    /// Room that it needs for one, which is not available.
    wants_room: Option<usize>,
    /// When it last sent something.
    spoke: Instant,
    /// Nothing more is read from it.
    left: bool,
    /// Its socket is broken: its replies have no recipient.
    pub(crate) is_broken: bool,
}

pub(crate) enum Stage {
    Handshake(Handshake),
    Requests(Agreed),
}

impl Client {
    /// One that has just connected, and is greeted.
    pub(crate) fn new(stream: Stream, now: Instant) -> Client {
        let mut out = Vec::new();
        let stage = Stage::Handshake(Handshake::greet(&mut out));
        Client {
            stream,
            stage,
            input: Vec::new(),
            out,
            sent: 0,
            following: None,
            owed: VecDeque::new(),
            queued: 0,
            open: 0,
            asked: 0,
            has_spoken: false,
            is_held_back: false,
            has_room: 0,
            wants_room: None,
            spoke: now,
            left: false,
            is_broken: false,
        }
    }

    /// The drive has completed one of its requests.
    pub(crate) fn reply(&mut self, answer: &Answer, image: &Image) {
        self.owed.push_back(Owed::Reply(*answer));
        self.fill(image);
    }

    /// Answers what needs no drive.
    pub(crate) fn at_once(&mut self, agreed: Agreed, cookie: u64, wants: &Wants, drive: &Emulated) {
        let mut bytes = Vec::new();
        at_once(&mut bytes, agreed, cookie, wants, drive);
        self.queued += bytes.len();
        self.owed.push_back(Owed::Bytes(bytes));
        self.fill(drive.image());
    }

    /// Moves the next pending replies to the output buffer, as long as that is short.
    fn fill(&mut self, image: &Image) {
        while self.out.len() - self.sent < PORTION && !self.is_broken {
            if let Some(following) = self.following.take() {
                self.follow(following, image);
                continue;
            }
            match self.owed.pop_front() {
                Some(Owed::Bytes(bytes)) => {
                    self.queued -= bytes.len();
                    self.out.extend_from_slice(&bytes);
                }
                Some(Owed::Reply(answer)) => self.begin(&answer, image),
                None => return,
            }
        }
    }

    /// Begins with a reply; the data of a long one follow.
    fn begin(&mut self, answer: &Answer, image: &Image) {
        let Stage::Requests(agreed) = self.stage else {
            return;
        };
        let cookie = answer.asker.cookie;
        self.asked -= answer.asked.get();
        let out = &mut self.out;
        let Some(span) = answer.read else {
            return match answer.error {
                0 => reply::plain(out, cookie, 0),
                error => reply::failed(out, agreed, cookie, error),
            };
        };
        let is_hole = image.is_hole(span).unwrap_or(false);
        if is_hole && agreed.structured {
            reply::zeros(out, agreed, cookie, span);
        } else if span.len.get() <= PORTION as u64 && !is_hole {
            reply::data(out, agreed, cookie, span, |into| {
                image.read(span.start, into)
            });
        } else {
            reply::head_of_data(out, agreed, cookie, span);
            self.following = Some(Following { span, is_hole });
        }
    }

    /// The next portion of a reply's data.
    fn follow(&mut self, following: Following, image: &Image) {
        let Following { span, is_hole } = following;
        let part = Span::new(span.start, span.len.min(Bytes::new(PORTION as u64)));
        let from = self.out.len();
        self.out.resize(from + part.len.get() as usize, 0);
        if !is_hole && image.read(part.start, &mut self.out[from..]).is_err() {
            // The reply has said that all is well: there is no other way to take it back.
            return self.gone();
        }
        let rest = Span::new(part.end(), span.len - part.len);
        if !rest.len.is_zero() {
            self.following = Some(Following {
                span: rest,
                is_hole,
            });
        }
    }

    pub(crate) fn unsent(&self) -> usize {
        self.out.len() - self.sent + self.queued
    }

    pub(crate) fn has_unsent(&self) -> bool {
        self.out.len() > self.sent
    }

    /// Whether another request of it may be understood.
    pub(crate) fn may_ask(&self) -> bool {
        self.unsent() < MOST_UNSENT
            && self.open + self.owed.len() < MOST_OPEN
            && self.asked < MOST_ASKED
    }

    /// Its request to the drive.
    pub(crate) fn asks(&mut self, asked: &Asked) {
        self.open += 1;
        if let Asked::Read(span) = asked {
            self.asked += span.len.get();
        }
    }

    /// Whether nothing more is read from its socket.
    pub(crate) fn has_left(&self) -> bool {
        self.left
    }

    /// Whether anything is read from its socket.
    pub(crate) fn may_speak(&self) -> bool {
        !self.left && !self.is_held_back && self.wants_room.is_none() && self.may_ask()
    }

    /// Sends what the socket accepts.
    pub(crate) fn send(&mut self, image: &Image) {
        while self.has_unsent() {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(0) => return self.gone(),
                Ok(bytes) => self.sent += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return self.gone(),
            }
            // What is left moves to the front where that is the smaller part: so the buffer stays as long as what is
            // unsent, and in the processor's cache, of a client that always has something on its way.
            if self.sent * 2 >= self.out.len() {
                self.out.drain(..self.sent);
                self.sent = 0;
            }
            self.fill(image);
        }
    }

    /// Reads from the socket: a portion, or the rest of a longer request that has room.
    pub(crate) fn fetch(&mut self, portion: &mut [u8], room: &mut Room, now: Instant) {
        self.has_spoken = true;
        loop {
            let most = match self.stage {
                Stage::Handshake(_) => HANDSHAKE_PORTION,
                Stage::Requests(_) => portion.len(),
            };
            match self.stream.read(&mut portion[..most]) {
                Ok(0) => {
                    self.left = true;
                    return;
                }
                Ok(bytes) => self.input.extend_from_slice(&portion[..bytes]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return self.gone(),
            }
            self.spoke = now;
            if !self.is_half_sent() || !self.finds_room(room) {
                return;
            }
        }
    }

    /// Whether its input ends in the middle of its first request.
    fn is_half_sent(&self) -> bool {
        matches!(self.stage, Stage::Requests(_)) && expected(&self.input) > self.input.len()
    }

    /// Reserves room for the long request at the front of its input; false if there is none.
    pub(crate) fn finds_room(&mut self, room: &mut Room) -> bool {
        let wanted = expected(&self.input);
        if wanted > PORTION && self.has_room == 0 {
            if room.free < wanted {
                self.wants_room = Some(wanted);
                return false;
            }
            room.free -= wanted;
            self.has_room = wanted;
            self.input.reserve_exact(wanted - self.input.len());
        }
        self.wants_room = None;
        true
    }

    /// Whether it waits for room.
    pub(crate) fn waits_for_room(&self) -> bool {
        self.wants_room.is_some()
    }

    /// Whether it holds room that others wait for, and sends nothing.
    pub(crate) fn keeps_room(&self, now: Instant) -> bool {
        self.has_room > 0 && now.since(self.spoke) > PATIENCE
    }

    /// This much of its input was processed: a long request's room is free again.
    pub(crate) fn took(&mut self, bytes: usize, room: &mut Room) {
        // Of one that has left nothing is kept.
        self.input.drain(..bytes.min(self.input.len()));
        if bytes > 0 && self.has_room > 0 {
            self.gives_back(room);
            self.input.shrink_to(PORTION);
        }
        if self.is_half_sent() && !self.left {
            self.finds_room(room);
        }
    }

    /// Returns its room.
    pub(crate) fn gives_back(&mut self, room: &mut Room) {
        room.free += self.has_room;
        self.has_room = 0;
        self.wants_room = None;
    }

    /// It has disconnected, or sent something invalid: earlier requests are still answered.
    pub(crate) fn leave(&mut self, _why: Closed) {
        self.left = true;
        self.is_held_back = false;
        self.wants_room = None;
        self.input = Vec::new();
    }

    /// The socket is broken.
    pub(crate) fn gone(&mut self) {
        self.left = true;
        self.is_broken = true;
        self.is_held_back = false;
        self.input = Vec::new();
        self.out = Vec::new();
        self.owed = VecDeque::new();
        self.following = None;
        (self.sent, self.queued) = (0, 0);
    }

    /// Nothing is left to be done for it. Its earlier requests still go to the drive.
    pub(crate) fn is_over(&self) -> bool {
        let is_owed = self.has_unsent() || !self.owed.is_empty() || self.following.is_some();
        let asks = self.has_spoken || self.is_held_back;
        self.is_broken || self.left && self.open == 0 && !asks && !is_owed
    }
}

/// Answers what needs no drive.
fn at_once(out: &mut Vec<u8>, agreed: Agreed, cookie: u64, wants: &Wants, drive: &Emulated) {
    const EINVAL: i32 = 22;
    /// The protocol allows a server to report less than the requested range.
    const MOST_EXTENTS: usize = 2_048;
    match wants {
        Wants::Extents { .. } if !agreed.allocation => reply::failed(out, agreed, cookie, EINVAL),
        Wants::Extents { span, one } => {
            let most = if *one { 1 } else { MOST_EXTENTS };
            match drive.image().extents(*span, most) {
                Ok(found) if !found.is_empty() => {
                    reply::extents(out, cookie, &found[..most.min(found.len())]);
                }
                Ok(_) => reply::failed(out, agreed, cookie, EINVAL),
                Err(error) => {
                    reply::failed(out, agreed, cookie, error.raw_os_error().unwrap_or(5));
                }
            }
        }
        Wants::Refused(error) => reply::failed(out, agreed, cookie, *error),
        Wants::Nothing | Wants::Drive(Asked::Flush) => reply::plain(out, cookie, 0),
        Wants::Drive(_) => {}
    }
}
