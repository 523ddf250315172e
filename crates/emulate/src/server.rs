//! The server: one thread between the clients' sockets, or a block device's queue, and the drive.
//!
//! Each turn of the loop leads the drive to the present, sends what it has answered, and sleeps until the drive
//! answers next or a client sends something. The kernel wakes a sleeper some tens of microseconds late, so the last
//! bit of the way is not slept but looked at again and again.
//!
//! A fault of one client, or too many of them, is none of the drive's: there are bounds on connections, on what is owed
//! to each (`client`) and on what all have sent, and whoever is beyond them waits.

use std::collections::BTreeMap;
use std::io;

use base::size::Bytes;
use base::time::{Duration, Instant};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use uring::clock::Clock;

use crate::drive::{Answer, Asker, Emulated, LONGEST_REST};
use crate::lateness::Lateness;
use crate::nbd::Export;
use crate::nbd::handshake::Progress;
use crate::nbd::request::{Wants, take};
use crate::transport::{Listener, Stream, Taken};
use crate::ublk::Attached;
use crate::vhost_user::VirtualDisk;

mod client;
mod pace;

use client::{Client, PORTION, Room, Stage};
use pace::Pace;
pub use pace::VirtualTime;

/// The last bit before an answer is due, which is not slept.
const AWAKE_BEFORE: Duration = Duration::from_micros(60);
/// Whoever has got a reply often asks again at once: so long nobody is waited for asleep.
const AWAKE_AFTER: Duration = Duration::from_micros(50);
/// Bytes of writes that may wait for the drive, of all clients: while there are more, nothing is read from any.
const MOST_HELD: Bytes = Bytes::mib(128);
/// Clients that are served at once, where the process may have that many files.
const MOST_CLIENTS: usize = 256;
/// Files that the process needs beside its clients.
const OTHER_FILES: u64 = 64;
/// So long nobody is taken when there was no room for a client, and so long it is not told again.
const NOBODY_FOR: Duration = Duration::from_millis(100);
const TOLD_EVERY: Duration = Duration::from_secs(60);
/// Who asks by the block device: no client ever has this number.
const BLOCK_DEVICE: u64 = u64::MAX;
/// Who asks by the virtual machine's disk.
const VIRTUAL_DISK: u64 = u64::MAX - 1;

/// Serves one drive.
pub struct Server {
    drive: Emulated,
    export: Export,
    pace: Pace,
    clients: BTreeMap<u64, Client>,
    next_client: u64,
    device: Option<Attached>,
    disk: Option<VirtualDisk>,
    answers: Vec<Answer>,
    lateness: Lateness,
    /// When the last reply left, or a part of one.
    replied: Instant,
    portion: Vec<u8>,
    room: Room,
    most_clients: usize,
    /// Nobody is taken before.
    full_until: Instant,
    /// Whoever is to know of trouble.
    tells: Option<Tells>,
    told: Option<Instant>,
}

/// Whoever is told of trouble.
type Tells = Box<dyn Fn(&Trouble)>;

/// What does not end the drive, and should be known.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// There are as many as are served.
    #[error("{0} clients are served, which is the most: others wait until one leaves")]
    Most(usize),
    /// The system has no room.
    #[error("a client waits: {0}")]
    NoRoom(io::Error),
    /// The log has no room.
    #[error(
        "no room for the log of what the drive is asked: reads go on, writes and flushes fail (ENOSPC) until there is room; after a million more requests, until the drive is served again"
    )]
    NoLog,
    /// The virtual machine's memory is gone.
    #[error("the virtual machine has cut its memory's file short: it is left, the next may come")]
    NoMemory,
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

impl Server {
    /// A server of a drive, without clients. The drive's time goes on from now.
    pub fn starting_now(drive: Emulated, export: Export) -> Server {
        let pace = Pace::Machine(drive.now(), Clock::starting_now());
        Server::at(pace, drive, export)
    }

    /// The same in virtual time.
    pub fn in_virtual_time(drive: Emulated, export: Export) -> (Server, VirtualTime) {
        let time = VirtualTime::from(drive.now());
        let server = Server::at(Pace::Virtual(time.clone()), drive, export);
        (server, time)
    }

    fn at(pace: Pace, drive: Emulated, export: Export) -> Server {
        Server {
            pace,
            replied: drive.now(),
            drive,
            export,
            clients: BTreeMap::new(),
            next_client: 0,
            device: None,
            disk: None,
            answers: Vec::new(),
            lateness: Lateness::default(),
            portion: vec![0; PORTION],
            room: Room::default(),
            most_clients: most_clients(),
            full_until: Instant::ZERO,
            tells: None,
            told: None,
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

    /// Tells somebody of trouble, now and then.
    pub fn tells(&mut self, tells: impl Fn(&Trouble) + 'static) {
        self.tells = Some(Box::new(tells));
    }

    /// The most clients that are served at once; others wait.
    pub fn most_clients(&self) -> usize {
        self.most_clients
    }

    /// How late its replies left.
    pub fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    fn now(&self) -> Instant {
        self.pace.now()
    }

    /// Serves clients until told to end, and switches the drive off.
    ///
    /// # Errors
    /// Those of the listener, and of the drive's files: what it cannot store it does not acknowledge.
    pub fn serve(&mut self, listener: &Listener, ends: &dyn Fn() -> bool) -> io::Result<()> {
        self.serve_until(listener, ends)?;
        let now = self.now();
        self.drive.switch_off(now)
    }

    /// Serves clients until told to end. To let go of the server then is a power cut.
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub fn serve_until(&mut self, listener: &Listener, ends: &dyn Fn() -> bool) -> io::Result<()> {
        while !ends() {
            let takes = self.takes_clients().then_some(listener);
            if self.turn(takes)? {
                self.take_clients(listener)?;
            }
        }
        Ok(())
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
        let client = Client::new(stream, self.now());
        self.clients.insert(self.next_client, client);
        self.next_client += 1;
    }

    /// Whether there may be more clients.
    fn takes_clients(&self) -> bool {
        self.clients.len() < self.most_clients && self.now() >= self.full_until
    }

    /// Takes those that wait, as far as there is room for them.
    fn take_clients(&mut self, listener: &Listener) -> io::Result<()> {
        while self.clients.len() < self.most_clients {
            match listener.take()? {
                Taken::Client(stream) => self.admit(stream),
                Taken::Nobody => return Ok(()),
                Taken::NotNow(why) => {
                    self.full_until = self.now() + NOBODY_FOR;
                    self.tell(&Trouble::NoRoom(why));
                    return Ok(());
                }
            }
        }
        self.tell(&Trouble::Most(self.most_clients));
        Ok(())
    }

    fn tell(&mut self, what: &Trouble) {
        let now = self.now();
        if let Some(tells) = &self.tells
            && self.told.is_none_or(|told| now.since(told) >= TOLD_EVERY)
        {
            tells(what);
            self.told = Some(now);
        }
    }

    /// One turn of the loop; true where somebody wants to connect. (To ask the listener each time is dear: the
    /// kernel makes a socket before it finds that nobody is there, and its clearing away holds up the replies.)
    fn turn(&mut self, listener: Option<&Listener>) -> io::Result<bool> {
        self.answer()?;
        self.send();
        self.part_with_those_that_are_over();
        self.take_up_again()?;
        let spoke = self.rest(listener)?;
        for number in spoke.clients {
            self.listen_to(number)?;
        }
        self.take_from_device()?;
        self.take_from_disk(spoke.disk)?;
        Ok(spoke.connects)
    }

    /// Lets go of clients that have left, and of those that keep room which others wait for.
    fn part_with_those_that_are_over(&mut self) {
        if self.clients.values().any(Client::waits_for_room) {
            let now = self.now();
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

    /// Understands what was held back, where it may be understood by now.
    fn take_up_again(&mut self) -> io::Result<()> {
        let held_back = self.clients.iter();
        let held_back = held_back.filter(|(_, client)| client.is_held_back && client.may_ask());
        let numbers: Vec<u64> = held_back.map(|(number, _)| *number).collect();
        for number in numbers {
            self.with_client(number, |server, client| server.understand(number, client))?;
        }
        Ok(())
    }

    /// Does something with a client and the rest of the server.
    fn with_client(
        &mut self,
        number: u64,
        does: impl FnOnce(&mut Server, &mut Client) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(mut client) = self.clients.remove(&number) else {
            return Ok(());
        };
        let done = does(self, &mut client);
        self.clients.insert(number, client);
        done
    }

    /// Takes what is asked of the virtual machine's disk, and asks the drive.
    fn take_from_disk(&mut self, has_event: bool) -> io::Result<()> {
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        if disk.leaves_without_memory()? {
            self.tell(&Trouble::NoMemory);
            return Ok(());
        }
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
            let now = self.pace.now();
            self.drive.ask(now, asker, asked);
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
            let now = self.pace.now();
            self.drive.ask(now, asker, asked);
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
        if self.drive.has_no_room() {
            self.tell(&Trouble::NoLog);
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
                client.reply(answer, self.drive.image());
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
            client.send(self.drive.image());
            has_sent |= client.unsent() < unsent;
        }
        if has_sent {
            self.replied = self.now();
        }
    }

    /// How long nothing is to be done: no time at all where something will be soon.
    fn may_sleep(&self) -> Duration {
        if let Pace::Virtual(_) = self.pace {
            return match self.drive.next() {
                Some(_) => Duration::ZERO,
                None => LONGEST_REST,
            };
        }
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
        // Of one that has left, and is owed nothing yet, the system would say so again and again.
        let polls = |client: &Client| !client.has_left() || client.has_unsent();
        for client in self.clients.values().filter(|client| polls(client)) {
            let mut wanted = PollFlags::empty();
            wanted.set(PollFlags::IN, takes_more && client.may_speak());
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
            Ok(0) => {
                if let (Pace::Virtual(time), Some(next)) = (&self.pace, self.drive.next()) {
                    time.reach(next);
                }
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let spoke = PollFlags::IN | PollFlags::HUP | PollFlags::ERR;
        let spoke = |polled: &PollFd<'_>| polled.revents().intersects(spoke);
        let clients = self.clients.iter().filter(|(_, client)| polls(client));
        Ok(Spoke {
            clients: clients
                .zip(&polled)
                .filter(|(_, polled)| spoke(polled))
                .map(|((number, _), _)| *number)
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
        self.with_client(number, |server, client| {
            let now = server.now();
            client.fetch(&mut server.portion, &mut server.room, now);
            server.understand(number, client)
        })
    }

    fn understand(&mut self, number: u64, client: &mut Client) -> io::Result<()> {
        let mut taken = 0;
        client.is_held_back = false;
        loop {
            let input = &client.input[taken..];
            if let Stage::Handshake(handshake) = &mut client.stage {
                match handshake.take(input, &self.export, &mut client.out) {
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
                match self.understand_request(number, client, taken)? {
                    0 => break,
                    bytes => taken += bytes,
                }
            }
        }
        client.took(taken, &mut self.room);
        Ok(())
    }

    /// Understands the request that begins at a place of a client's input, and asks the drive; gives its bytes, none
    /// where it may not be asked yet, is not there whole, or is none.
    fn understand_request(
        &mut self,
        number: u64,
        client: &mut Client,
        at: usize,
    ) -> io::Result<usize> {
        let input = &client.input[at..];
        let Stage::Requests(agreed) = client.stage else {
            return Ok(0);
        };
        if !input.is_empty() && (!client.may_ask() || self.drive.held() >= MOST_HELD) {
            client.is_held_back = true;
            return Ok(0);
        }
        let (bytes, request) = match take(input, &self.export) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(0),
            Err(closed) => {
                client.leave(closed);
                return Ok(0);
            }
        };
        let asker = Asker {
            connection: number,
            cookie: request.cookie,
        };
        match request.wants {
            Wants::Drive(asked) => {
                client.asks(&asked);
                let now = self.now();
                self.drive.ask(now, asker, asked);
            }
            other => client.at_once(agreed, asker.cookie, &other, &self.drive),
        }
        Ok(bytes)
    }
}

/// How many clients the process has files for.
fn most_clients() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    let files = files.map_or(MOST_CLIENTS as u64, |files| {
        files.saturating_sub(OTHER_FILES)
    });
    files.clamp(1, MOST_CLIENTS as u64) as usize
}

#[cfg(test)]
mod tests;
