//! The server: one thread between the frontends and the drive.
//!
//! Each turn of the loop advances the drive to now, sends its completions, passes it new requests, and sleeps until the
//! drive's next completion or until a frontend's file descriptor is ready. The kernel wakes a sleeper some tens of
//! microseconds late, so the last part is polled, not slept.

use std::io;

use base::time::{Duration, Instant};
use rustix::event::{PollFlags, Timespec, poll};
use rustix::io::Errno;
use uring::clock::Clock;

use crate::drive::{Answer, Emulated, LONGEST_REST};
use crate::frontend::{Asks, Frontend, Trouble, takes_more};
use crate::lateness::Lateness;
use crate::nbd::Export;
use crate::nbd::clients::Clients;
use crate::transport::{Listener, Stream};

mod pace;

use pace::Pace;
pub use pace::VirtualTime;

/// The time before a completion that is polled instead of slept.
const AWAKE_BEFORE: Duration = Duration::from_micros(60);
/// A client that received a reply often sends the next request at once: for this long the server polls instead of
/// sleeping.
const AWAKE_AFTER: Duration = Duration::from_micros(50);
/// Minimum interval between repeats of a warning.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// Serves one drive.
pub struct Server {
    drive: Emulated,
    pace: Pace,
    clients: Clients,
    /// Frontends other than NBD.
    attached: Vec<Box<dyn Frontend>>,
    answers: Vec<Answer>,
    lateness: Lateness,
    /// When the last reply left, or a part of one.
    replied: Instant,
    /// Whoever is to know of trouble.
    tells: Option<Tells>,
    told: Option<Instant>,
}

/// The recipient of warnings.
type Tells = Box<dyn Fn(&Trouble)>;

impl Server {
    /// A server of a drive, without clients. The drive's time continues from now.
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
            clients: Clients::new(export),
            attached: Vec::new(),
            answers: Vec::new(),
            lateness: Lateness::default(),
            tells: None,
            told: None,
        }
    }

    /// Serves another frontend, too.
    pub fn attach(&mut self, frontend: impl Frontend + 'static) {
        self.attached.push(Box::new(frontend));
    }

    /// Reports a problem, rate-limited.
    pub fn tells(&mut self, tells: impl Fn(&Trouble) + 'static) {
        self.tells = Some(Box::new(tells));
    }

    /// How late its replies left.
    pub fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    /// Serves NBD clients and attached frontends until told to end, then switches the drive off.
    ///
    /// # Errors
    /// Those of the listener, and of the drive's files: what it cannot store it does not acknowledge.
    pub fn serve(&mut self, listener: Listener, ends: &dyn Fn() -> bool) -> io::Result<()> {
        self.serve_until(listener, ends)?;
        let now = self.pace.now();
        self.drive.switch_off(now)
    }

    /// The same without switching it off. To let go of the server then is a power cut.
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub fn serve_until(&mut self, listener: Listener, ends: &dyn Fn() -> bool) -> io::Result<()> {
        self.clients.listen(listener);
        while !ends() {
            self.turn()?;
        }
        Ok(())
    }

    /// Serves one client until it leaves.
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub fn serve_one(&mut self, stream: Stream) -> io::Result<()> {
        self.clients.admit(stream);
        while !self.clients.is_empty() {
            self.turn()?;
        }
        Ok(())
    }

    /// The frontends, with NBD first.
    fn frontends(
        &mut self,
    ) -> (
        &mut Emulated,
        &Pace,
        impl Iterator<Item = &mut dyn Frontend>,
    ) {
        let nbd: &mut dyn Frontend = &mut self.clients;
        let attached = self
            .attached
            .iter_mut()
            .map(|one| &mut **one as &mut dyn Frontend);
        (
            &mut self.drive,
            &self.pace,
            std::iter::once(nbd).chain(attached),
        )
    }

    fn tell(&mut self, what: &Trouble) {
        let now = self.pace.now();
        if let Some(tells) = &self.tells
            && self.told.is_none_or(|told| now.since(told) >= TOLD_EVERY)
        {
            tells(what);
            self.told = Some(now);
        }
    }

    /// One turn of the loop. Delayed requests are sent before the sleep, and new input immediately after it: it arrives
    /// at the drive then, and not after replies to others have left.
    fn turn(&mut self) -> io::Result<()> {
        self.answer()?;
        self.send()?;
        self.ask()?;
        let ready = self.rest()?;
        self.hear(&ready)?;
        self.ask()
    }

    /// Passes new input to the drive.
    fn ask(&mut self) -> io::Result<()> {
        let (drive, pace, frontends) = self.frontends();
        for (number, frontend) in frontends.enumerate() {
            frontend.ask(&mut Asks::new(drive, number, &|| pace.now()))?;
        }
        Ok(())
    }

    /// Passes the drive's completions to the frontends.
    fn answer(&mut self) -> io::Result<()> {
        let now = self.pace.now();
        self.drive.advance(now, &mut self.answers)?;
        if self.answers.is_empty() {
            return Ok(());
        }
        if self.drive.has_no_room() {
            self.tell(&Trouble::NoLog);
        }
        for answer in &self.answers {
            let frontend: Option<&mut dyn Frontend> = match answer.asker.frontend {
                0 => Some(&mut self.clients),
                number => self.attached.get_mut(number - 1).map(|one| &mut **one as _),
            };
            if let Some(frontend) = frontend {
                frontend.reply(answer, &self.drive)?;
            }
        }
        self.send()?;
        let left = self.pace.now();
        self.replied = left;
        for answer in self.answers.drain(..) {
            self.lateness.note(answer.at, left);
        }
        Ok(())
    }

    /// Sends replies, as far as clients accept them.
    fn send(&mut self) -> io::Result<()> {
        let (drive, _, frontends) = self.frontends();
        let mut has_sent = false;
        for frontend in frontends {
            has_sent |= frontend.send(drive)?;
        }
        if has_sent {
            self.replied = self.pace.now();
        }
        Ok(())
    }

    /// How long nothing is to be done: no time at all where something will be soon.
    fn may_sleep(&self) -> Duration {
        if let Pace::Virtual(_) = self.pace {
            return match self.drive.next() {
                Some(_) => Duration::ZERO,
                None => LONGEST_REST,
            };
        }
        let until = self
            .drive
            .next()
            .unwrap_or(Instant::MAX)
            .since(self.pace.now());
        let replied = self.pace.now().since(self.replied);
        if until <= AWAKE_BEFORE || replied <= AWAKE_AFTER {
            Duration::ZERO
        } else {
            until.saturating_sub(AWAKE_BEFORE).min(LONGEST_REST)
        }
    }

    /// Sleeps until something is to be done; gives, of each frontend, which of its file descriptors are ready.
    fn rest(&mut self) -> io::Result<Vec<Vec<bool>>> {
        let mut sleep = self.may_sleep();
        let takes_more = takes_more(&self.drive);
        if takes_more && !sleep.is_zero() && self.frontends().2.any(|one| !one.may_sleep()) {
            sleep = Duration::ZERO;
        }
        let mut polled = Vec::new();
        let mut ends = Vec::with_capacity(1 + self.attached.len());
        self.clients.polls(takes_more, &mut polled);
        ends.push(polled.len());
        for frontend in &self.attached {
            frontend.polls(takes_more, &mut polled);
            ends.push(polled.len());
        }
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
        let mut start = 0;
        let of = |end: usize| {
            let one = &polled[std::mem::replace(&mut start, end)..end];
            one.iter()
                .map(|fd| fd.revents().intersects(spoke))
                .collect()
        };
        Ok(ends.into_iter().map(of).collect())
    }

    /// The frontends hear what came.
    fn hear(&mut self, ready: &[Vec<bool>]) -> io::Result<()> {
        let now = self.pace.now();
        let mut troubles = Vec::new();
        for (frontend, ready) in self.frontends().2.zip(ready) {
            troubles.extend(frontend.hear(ready, now)?);
        }
        troubles.iter().for_each(|trouble| self.tell(trouble));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
