//! The server: one thread between the clients' sockets, or a block device's queue, and the drive.
//!
//! Each turn of the loop leads the drive to the present, sends what it has answered, and sleeps until the drive
//! answers next or a client sends something. The kernel wakes a sleeper some tens of microseconds late, so the last
//! bit of the way is not slept but looked at again and again.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use base::size::Bytes;
use base::time::{Duration, Instant};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use uring::clock::Clock;

use crate::drive::{Answer, Asked, Asker, Emulated, LONGEST_REST};
use crate::lateness::Lateness;
use crate::nbd::handshake::{Agreed, Handshake, Progress};
use crate::nbd::request::{Wants, expected, take};
use crate::nbd::{Closed, Export, reply};
use crate::transport::{Listener, Stream};
use crate::ublk::Attached;
use crate::vhost_user::VirtualDisk;

/// The last bit before an answer is due, which is not slept.
const AWAKE_BEFORE: Duration = Duration::from_micros(60);
/// Whoever has got a reply often asks again at once: so long nobody is waited for asleep.
const AWAKE_AFTER: Duration = Duration::from_micros(50);
/// Bytes that are fetched from a socket at once.
const PORTION: usize = 256 << 10;
/// A client with so much on its way to it is not read from until it has fetched some.
const MOST_UNSENT: usize = 64 << 20;
/// Requests of one client that may be open: more wait in its socket.
const MOST_OPEN: usize = 4_096;
/// Bytes of writes that may wait for the drive, of all clients: while there are more, nothing is read from any.
const MOST_HELD: Bytes = Bytes::mib(256);
/// Who asks by the block device: no client ever has this number.
const BLOCK_DEVICE: u64 = u64::MAX;
/// Who asks by the virtual machine's disk.
const VIRTUAL_DISK: u64 = u64::MAX - 1;

/// Serves one drive.
pub struct Server {
    drive: Emulated,
    export: Export,
    clock: Clock,
    /// The drive's time at the clock's zero.
    origin: Instant,
    clients: BTreeMap<u64, Client>,
    next_client: u64,
    device: Option<Attached>,
    disk: Option<VirtualDisk>,
    answers: Vec<Answer>,
    lateness: Lateness,
    /// When the last reply left, or a part of one.
    replied: Instant,
    portion: Vec<u8>,
}

/// Who wants something.
struct Spoke {
    /// Clients that have sent something, or left.
    clients: Vec<u64>,
    /// True where somebody wants to connect.
    connects: bool,
    /// True where the virtual machine's disk is to be attended to.
    disk: bool,
}

struct Client {
    stream: Stream,
    stage: Stage,
    input: Vec<u8>,
    out: Vec<u8>,
    sent: usize,
    open: usize,
    /// Nothing more is read from it.
    left: bool,
    /// Its socket is broken: nobody waits for what it asked.
    is_broken: bool,
}

enum Stage {
    Handshake(Handshake),
    Requests(Agreed),
}

impl Server {
    /// A server of a drive, without clients. The drive's time goes on from now.
    pub fn starting_now(drive: Emulated, export: Export) -> Server {
        Server {
            origin: drive.now(),
            replied: drive.now(),
            drive,
            export,
            clock: Clock::starting_now(),
            clients: BTreeMap::new(),
            next_client: 0,
            device: None,
            disk: None,
            answers: Vec::new(),
            lateness: Lateness::default(),
            portion: vec![0; PORTION],
        }
    }

    /// Serves a block device, too, whose queue was made by this thread.
    pub fn attach(&mut self, device: Attached) {
        self.device = Some(device);
    }

    /// Serves a virtual machine's disk, too.
    pub fn attach_disk(&mut self, disk: VirtualDisk) {
        self.disk = Some(disk);
    }

    /// How late its replies left.
    pub fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    fn now(&self) -> Instant {
        self.origin + self.clock.now().since(Instant::ZERO)
    }

    /// Serves clients until told to end, and switches the drive off.
    ///
    /// # Errors
    /// Those of the listener, and of the drive's files: what it cannot store it does not acknowledge.
    pub fn serve(&mut self, listener: &Listener, ends: &dyn Fn() -> bool) -> io::Result<()> {
        while !ends() {
            if self.turn(Some(listener))? {
                while let Some(stream) = listener.take()? {
                    self.admit(stream);
                }
            }
        }
        let now = self.now();
        self.drive.switch_off(now)
    }

    /// Serves one client until it leaves.
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub fn serve_one(&mut self, stream: Stream) -> io::Result<()> {
        self.admit(stream);
        while !self.clients.is_empty() {
            self.turn(None)?;
        }
        Ok(())
    }

    fn admit(&mut self, stream: Stream) {
        self.clients.insert(self.next_client, Client::new(stream));
        self.next_client += 1;
    }

    /// One turn of the loop; true where somebody wants to connect. (To ask the listener each time is dear: the
    /// kernel makes a socket before it finds that nobody is there, and its clearing away holds up the replies.)
    fn turn(&mut self, listener: Option<&Listener>) -> io::Result<bool> {
        self.answer()?;
        self.send();
        self.clients.retain(|_, client| !client.is_over());
        let spoke = self.rest(listener)?;
        for number in spoke.clients {
            self.listen_to(number)?;
        }
        self.take_from_device()?;
        self.take_from_disk(spoke.disk)?;
        Ok(spoke.connects)
    }

    /// Takes what is asked of the virtual machine's disk, and asks the drive.
    fn take_from_disk(&mut self, has_event: bool) -> io::Result<()> {
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        if has_event || disk.has_message() {
            disk.attend()?;
        }
        while self.drive.held() < MOST_HELD
            && let Some((cookie, asked)) = disk.take()
        {
            let asker = Asker {
                connection: VIRTUAL_DISK,
                cookie,
            };
            let now = self.origin + self.clock.now().since(Instant::ZERO);
            self.drive.ask(now, asker, asked)?;
        }
        Ok(())
    }

    /// Takes what is asked of the block device, and asks the drive.
    fn take_from_device(&mut self) -> io::Result<()> {
        let Some(device) = &mut self.device else {
            return Ok(());
        };
        while self.drive.held() < MOST_HELD
            && let Some((tag, asked)) = device.take(&self.export)?
        {
            let asker = Asker {
                connection: BLOCK_DEVICE,
                cookie: u64::from(tag),
            };
            let now = self.origin + self.clock.now().since(Instant::ZERO);
            self.drive.ask(now, asker, asked)?;
        }
        Ok(())
    }

    /// What the drive has answered goes to whoever asked.
    fn answer(&mut self) -> io::Result<()> {
        let now = self.now();
        self.drive.advance(now, &mut self.answers)?;
        if self.answers.is_empty() {
            return Ok(());
        }
        for answer in &self.answers {
            if let Some(device) = &mut self.device
                && answer.asker.connection == BLOCK_DEVICE
            {
                device.reply(answer, &self.drive)?;
                continue;
            }
            if let Some(disk) = &mut self.disk
                && answer.asker.connection == VIRTUAL_DISK
            {
                disk.reply(answer, &self.drive);
                continue;
            }
            let Some(client) = self.clients.get_mut(&answer.asker.connection) else {
                continue;
            };
            client.open -= 1;
            if !client.is_broken {
                client.reply(answer, &self.drive);
            }
        }
        if let Some(device) = &mut self.device {
            device.send()?;
        }
        if let Some(disk) = &mut self.disk {
            disk.send();
        }
        self.send();
        let left = self.now();
        self.replied = left;
        for answer in self.answers.drain(..) {
            self.lateness.note(answer.at, left);
        }
        Ok(())
    }

    /// Sends what the clients' sockets take.
    fn send(&mut self) {
        let mut has_sent = false;
        for client in self.clients.values_mut() {
            let unsent = client.unsent();
            client.send();
            has_sent |= client.unsent() < unsent;
        }
        if has_sent {
            self.replied = self.now();
        }
    }

    /// How long nothing is to be done: no time at all where something will be soon.
    fn may_sleep(&self) -> Duration {
        let until = self.drive.next().unwrap_or(Instant::MAX).since(self.now());
        let replied = self.now().since(self.replied);
        if until <= AWAKE_BEFORE || replied <= AWAKE_AFTER {
            Duration::ZERO
        } else {
            until.saturating_sub(AWAKE_BEFORE).min(LONGEST_REST)
        }
    }

    /// Sleeps until something is to be done; gives those that want something.
    fn rest(&mut self, listener: Option<&Listener>) -> io::Result<Spoke> {
        let mut sleep = self.may_sleep();
        let takes_more = self.drive.held() < MOST_HELD;
        let sleeping_disk = self
            .disk
            .as_mut()
            .filter(|_| takes_more && !sleep.is_zero());
        if let Some(disk) = sleeping_disk
            && disk.wants_to_be_kicked()
        {
            sleep = Duration::ZERO;
        }
        let mut polled: Vec<PollFd<'_>> = Vec::with_capacity(self.clients.len() + 3);
        for client in self.clients.values() {
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::IN, takes_more && client.may_ask());
            wanted.set(PollFlags::OUT, client.has_unsent());
            polled.push(PollFd::new(&client.stream, wanted));
        }
        let before = polled.len();
        polled.extend(listener.map(|listener| PollFd::new(listener, PollFlags::IN)));
        let disk = self.disk.as_ref().filter(|_| takes_more);
        polled.extend(disk.map(|disk| PollFd::new(disk, PollFlags::IN)));
        let device = self.device.as_ref().filter(|_| takes_more);
        polled.extend(device.map(|device| PollFd::new(device, PollFlags::IN)));
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: sleep.as_nanos() as i64,
        };
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let spoke = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        let spoke = |polled: &PollFd<'_>| polled.revents().intersects(spoke);
        let numbers = self.clients.keys().zip(&polled);
        Ok(Spoke {
            clients: numbers
                .filter(|(_, polled)| spoke(polled))
                .map(|(number, _)| *number)
                .collect(),
            connects: listener.is_some() && polled.get(before).is_some_and(spoke),
            disk: disk.is_some()
                && polled
                    .get(before + usize::from(listener.is_some()))
                    .is_some_and(spoke),
        })
    }

    /// Takes what a client has sent, and asks the drive.
    fn listen_to(&mut self, number: u64) -> io::Result<()> {
        let Some(mut client) = self.clients.remove(&number) else {
            return Ok(());
        };
        client.fetch(&mut self.portion);
        let done = self.understand(number, &mut client);
        self.clients.insert(number, client);
        done
    }

    fn understand(&mut self, number: u64, client: &mut Client) -> io::Result<()> {
        let mut taken = 0;
        loop {
            let input = &client.input[taken..];
            let used = match &mut client.stage {
                Stage::Handshake(handshake) => {
                    match handshake.take(input, &self.export, &mut client.out) {
                        Ok((bytes, Progress::More)) => {
                            taken += bytes;
                            break;
                        }
                        Ok((bytes, Progress::Over(agreed))) => {
                            client.stage = Stage::Requests(agreed);
                            bytes
                        }
                        Err(closed) => {
                            client.leave(closed);
                            return Ok(());
                        }
                    }
                }
                Stage::Requests(agreed) => match take(input, &self.export) {
                    Ok(None) => break,
                    Err(closed) => {
                        client.leave(closed);
                        return Ok(());
                    }
                    Ok(Some((bytes, request))) => {
                        let asker = Asker {
                            connection: number,
                            cookie: request.cookie,
                        };
                        match request.wants {
                            Wants::Drive(asked) => {
                                client.open += 1;
                                let now = self.origin + self.clock.now().since(Instant::ZERO);
                                self.drive.ask(now, asker, asked)?;
                            }
                            other => {
                                at_once(&mut client.out, *agreed, asker.cookie, &other, &self.drive)
                            }
                        }
                        bytes
                    }
                },
            };
            taken += used;
        }
        client.input.drain(..taken);
        Ok(())
    }
}

/// Answers what needs no drive.
fn at_once(out: &mut Vec<u8>, agreed: Agreed, cookie: u64, wants: &Wants, drive: &Emulated) {
    const EINVAL: i32 = 22;
    match wants {
        Wants::Extents { .. } if !agreed.allocation => reply::failed(out, agreed, cookie, EINVAL),
        Wants::Extents { span, one } => match drive.image().extents(*span) {
            Ok(found) if !found.is_empty() => {
                let many = if *one { 1 } else { found.len() };
                reply::extents(out, cookie, &found[..many]);
            }
            Ok(_) => reply::failed(out, agreed, cookie, EINVAL),
            Err(error) => {
                reply::failed(out, agreed, cookie, error.raw_os_error().unwrap_or(5));
            }
        },
        Wants::Refused(error) => reply::failed(out, agreed, cookie, *error),
        Wants::Nothing | Wants::Drive(Asked::Flush) => reply::plain(out, cookie, 0),
        Wants::Drive(_) => {}
    }
}

impl Client {
    /// One that has just connected, and is greeted.
    fn new(stream: Stream) -> Client {
        let mut out = Vec::new();
        let stage = Stage::Handshake(Handshake::greet(&mut out));
        Client {
            stream,
            stage,
            input: Vec::new(),
            out,
            sent: 0,
            open: 0,
            left: false,
            is_broken: false,
        }
    }

    fn reply(&mut self, answer: &Answer, drive: &Emulated) {
        let Stage::Requests(agreed) = self.stage else {
            return;
        };
        let cookie = answer.asker.cookie;
        let image = drive.image();
        let out = &mut self.out;
        match answer.read {
            Some(span) => match image.is_hole(span) {
                Ok(true) => reply::zeros(out, agreed, cookie, span),
                _ => reply::data(out, agreed, cookie, span, |into| {
                    image.read(span.start, into)
                }),
            },
            None if answer.error != 0 => reply::failed(out, agreed, cookie, answer.error),
            None => reply::plain(out, cookie, 0),
        }
    }

    fn unsent(&self) -> usize {
        self.out.len() - self.sent
    }

    fn has_unsent(&self) -> bool {
        self.unsent() > 0
    }

    fn may_ask(&self) -> bool {
        !self.left && self.unsent() < MOST_UNSENT && self.open < MOST_OPEN
    }

    /// Sends what the socket takes.
    fn send(&mut self) {
        while self.has_unsent() {
            match self.stream.write(&self.out[self.sent..]) {
                Ok(0) => return self.gone(),
                Ok(bytes) => self.sent += bytes,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return self.gone(),
            }
        }
        // What is left moves to the front where that is the smaller part: so the buffer stays as long as what is
        // unsent, and in the processor's cache, of a client that always has something on its way.
        if self.sent * 2 >= self.out.len() {
            self.out.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// Fetches what the socket has: a portion, or what is missing of a long write.
    fn fetch(&mut self, portion: &mut [u8]) {
        loop {
            match self.stream.read(portion) {
                Ok(0) => {
                    self.left = true;
                    return;
                }
                Ok(bytes) => self.input.extend_from_slice(&portion[..bytes]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return self.gone(),
            }
            let is_long = matches!(self.stage, Stage::Requests(_))
                && expected(&self.input) > self.input.len();
            if !is_long {
                return;
            }
        }
    }

    /// It has said good-bye, or nothing that can be understood: what it asked before is still answered.
    fn leave(&mut self, _why: Closed) {
        self.left = true;
        self.input.clear();
    }

    /// The socket is broken.
    fn gone(&mut self) {
        self.left = true;
        self.is_broken = true;
        self.input.clear();
        self.out.clear();
        self.sent = 0;
    }

    fn is_over(&self) -> bool {
        self.is_broken || self.left && self.open == 0 && !self.has_unsent()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use base::null::Null;

    use super::*;
    use crate::image::Image;

    /// A read of the first sector, as a client sends it behind the shortest handshake.
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
        let mut server = Server::starting_now(Emulated::new(Box::new(drive), image), export);
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        server.admit(Stream::Unix(theirs));
        ours.write_all(&[HANDSHAKE, READ, READ].concat()).unwrap();
        while server.drive.open() < 2 {
            server.turn(None).unwrap();
        }
        server.clients.values_mut().for_each(Client::gone);
        server
            .clock
            .sleep_until(Instant::ZERO + Duration::from_millis(60));
        server.answer().unwrap();
        server.turn(None).unwrap();
        assert!(server.clients.is_empty());
        assert_eq!(server.drive.open(), 0);
    }

    #[test]
    fn a_client_that_always_has_something_on_its_way_does_not_make_its_buffer_grow() {
        let (mut theirs, ours) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let mut client = Client::new(Stream::Unix(ours));
        let mut fetched = vec![0; 60_000];
        for _ in 0..1_000 {
            // More than a socket takes, and never all of it.
            let missing = 400_000 - client.unsent();
            client.out.resize(client.out.len() + missing, 7);
            client.send();
            assert!(client.has_unsent() && client.out.len() <= 800_000);
            theirs.read_exact(&mut fetched).unwrap();
        }
    }
}
