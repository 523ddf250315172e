//! A track pass: sectors passing under a head one after another, from a first one on.
//!
//! Whatever a disk does with its head is a pass, reading or writing: get there, wait for the
//! sector, then sector by sector to the track's end, over to the next track, and on. Nothing in it
//! is random except the rare event of [`super::rare`], so a pass need not be simulated sector by
//! sector: the time at which it has passed any PBA, or the PBA that it has reached at any time,
//! is a multiplication on each track in between. So read-ahead and write-back cost no computation
//! while no command arrives.

use super::geometry::{Geometry, PhysicalAddress, Track};
use super::rare::Rare;
use super::seek::Actuator;
use super::spindle::{Angle, Spindle};

/// The parts that move.
#[derive(Clone, Debug)]
pub struct Mechanics {
    /// Where blocks lie.
    pub geometry: Geometry,
    /// What moves the heads.
    pub actuator: Actuator,
    /// What turns the discs.
    pub spindle: Spindle,
    /// Until this time, in nanoseconds, each track or part of one that is written is verified: a
    /// revolution more ([`super::cold`]).
    pub verify_until: u64,
    /// Until this time, in nanoseconds, moves of the arm take so many times as long
    /// ([`super::cold`]).
    pub slow_until: (u64, f64),
    least_sector_ns: u64,
}

impl Mechanics {
    /// The parts put together.
    pub fn new(geometry: Geometry, actuator: Actuator, spindle: Spindle) -> Mechanics {
        let densest = geometry.tracks().iter().map(|t| t.sector.0).min();
        let least_sector_ns = spindle
            .time_for(Angle(densest.unwrap_or(0)))
            .saturating_sub(1);
        Mechanics {
            geometry,
            actuator,
            spindle,
            verify_until: 0,
            slow_until: (0, 1.0),
            least_sector_ns,
        }
    }

    /// Nanoseconds to get from over one track to over another, from a given time on.
    #[inline]
    pub fn move_time(&self, now: u64, from: &Track, to: &Track, write: bool) -> u64 {
        let time = self
            .actuator
            .time((from.cylinder, from.head), (to.cylinder, to.head), write);
        let (until, factor) = self.slow_until;
        if now < until {
            (time as f64 * factor) as u64
        } else {
            time
        }
    }

    /// The least time for a number of sectors to pass, wherever they are.
    #[inline]
    pub fn least_time(&self, sectors: u64) -> u64 {
        sectors.saturating_mul(self.least_sector_ns)
    }
}

/// Sectors passing under a head.
#[derive(Clone, Copy, Debug)]
pub struct TrackPass {
    /// The next PBA; all before it, from the first one on, have passed.
    pub pba: u64,
    /// When the last one before it had passed (or when the first one comes under the head).
    pub at: u64,
    /// The track of the last PBA that passed.
    pub track: Track,
    writing: bool,
    entry_pba: u64,
    entry_at: u64,
    track_end: u64,
    sector: Angle,
    /// After this PBA has passed, the next rare event strikes.
    event_at: u64,
}

/// How a pass came to its first sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landing {
    /// When the head was over the track, ready.
    pub ready: u64,
    /// The sector of the track that came under the head first from then on.
    pub sector: u32,
    /// The sector that the pass begins with.
    pub wanted: u32,
}

impl TrackPass {
    /// A head at rest over the first track.
    pub fn parked(mechanics: &Mechanics, rare: &mut Rare) -> TrackPass {
        let geometry = &mechanics.geometry;
        let track = geometry.track(0, 0);
        let mut pass = TrackPass {
            pba: 0,
            at: 0,
            track,
            writing: false,
            entry_pba: 0,
            entry_at: 0,
            track_end: 0,
            sector: Angle(0),
            event_at: rare.gap(0, geometry.tracks()[0].sectors_per_track),
        };
        pass.enter(mechanics, track, 0, 0);
        pass
    }

    /// Leaves off here at a given time and goes to a place to begin there. Sectors until the next
    /// rare event are carried over.
    #[inline]
    pub fn go(
        &self,
        mechanics: &Mechanics,
        now: u64,
        pba: u64,
        place: &PhysicalAddress,
        writing: bool,
    ) -> (TrackPass, Landing) {
        let ready = now + mechanics.move_time(now, &self.track, &place.track, writing);
        let wait = mechanics.spindle.wait(ready, place.angle);
        let mut pass = *self;
        pass.writing = writing;
        pass.event_at = pba + (self.event_at - self.pba);
        pass.enter(mechanics, place.track, pba, ready + wait);
        let passed = (mechanics.spindle.share_of(wait).0 / pass.sector.0.max(1)) as u32;
        let per_track = mechanics.geometry.tracks()[place.track.zone as usize].sectors_per_track;
        let sector = (place.sector + per_track - passed % per_track) % per_track;
        let landing = Landing {
            ready,
            // Round a spare lie other sectors: nothing of them is kept.
            sector: if mechanics.geometry.is_remapped(pba) {
                place.sector
            } else {
                sector
            },
            wanted: place.sector,
        };
        (pass, landing)
    }

    fn enter(&mut self, mechanics: &Mechanics, track: Track, pba: u64, at: u64) {
        self.track = track;
        self.pba = pba;
        self.at = at;
        self.entry_pba = pba;
        self.entry_at = at;
        self.track_end = mechanics.geometry.end_of_run(&track, pba);
        self.sector = mechanics.geometry.tracks()[track.zone as usize].sector;
        if self.writing && at < mechanics.verify_until {
            self.hold(mechanics, 1);
        }
    }

    /// When the head has passed `stop`, which is on this track.
    #[inline]
    fn time_on_track(&self, mechanics: &Mechanics, stop: u64) -> u64 {
        self.entry_at
            + mechanics
                .spindle
                .time_for_sectors(stop - self.entry_pba, self.sector)
    }

    /// Over to the next track, or to a spare and back; gives when the head is over it. At the disk's
    /// end nothing moves.
    pub fn change_track(&mut self, mechanics: &Mechanics) -> Option<u64> {
        let geometry = &mechanics.geometry;
        let (first, place) = geometry.run_after(&self.track, self.track_end)?;
        let ready = self.at + mechanics.move_time(self.at, &self.track, &place.track, self.writing);
        let at = ready + mechanics.spindle.wait(ready, place.angle);
        self.event_at += first - self.track_end;
        self.enter(mechanics, place.track, first, at);
        Some(ready)
    }

    /// The PBA at which the head has to move: the track's end, or where sectors are remapped.
    pub fn end_of_run(&self) -> u64 {
        self.track_end
    }

    /// Holds the pass where it is for a number of revolutions.
    pub fn hold(&mut self, mechanics: &Mechanics, revolutions: u64) {
        let ns = mechanics.spindle.revolutions(revolutions);
        self.entry_at += ns;
        self.at += ns;
    }

    /// Goes on until all PBAs before `end` have passed; gives that time.
    #[inline]
    pub fn advance(&mut self, mechanics: &Mechanics, rare: &mut Rare, end: u64) -> u64 {
        loop {
            let stop = end.min(self.track_end).min(self.event_at);
            if stop > self.pba {
                self.at = self.time_on_track(mechanics, stop);
                self.pba = stop;
            }
            if self.pba == self.event_at {
                self.hold(mechanics, rare.revolutions(self.at));
                let tracks = &mechanics.geometry.tracks()[self.track.zone as usize];
                self.event_at += rare.gap(self.at, tracks.sectors_per_track);
            }
            if self.pba >= end
                || (self.pba == self.track_end && self.change_track(mechanics).is_none())
            {
                return self.at;
            }
        }
    }

    /// As [`TrackPass::advance`], over many tracks at once where each change of track is alike and fits into
    /// its skew: the same but for the rounding of a wait and of each track, some hundred nanoseconds.
    pub fn advance_far(&mut self, mechanics: &Mechanics, rare: &mut Rare, end: u64) -> u64 {
        while self.track_end < end {
            if !self.leap(mechanics, end) {
                let track_end = self.track_end;
                self.advance(mechanics, rare, track_end);
            }
            if self.pba >= end || self.change_track(mechanics).is_none() {
                return self.at;
            }
        }
        self.advance(mechanics, rare, end)
    }

    /// Passes the tracks that follow each other alike from here on, or those of them before `end`; false, and
    /// nothing is done, where there are none.
    fn leap(&mut self, mechanics: &Mechanics, end: u64) -> bool {
        let geometry = &mechanics.geometry;
        let usual = self.at >= mechanics.verify_until.max(mechanics.slow_until.0);
        if !usual || self.pba == self.track_end {
            return false;
        }
        let Some((last, skew)) = geometry.tracks_alike(&self.track, end) else {
            return false;
        };
        let changes = u64::from(last.number - self.track.number);
        let end = end.min(geometry.pbas_of(&last).1);
        let here = (0, self.track.head);
        let change = mechanics.actuator.time(here, (1, here.1), self.writing);
        if end > self.event_at || change >= mechanics.spindle.time_for(skew) {
            return false;
        }
        let sectors = end - self.entry_pba;
        self.at = self.entry_at
            + mechanics
                .spindle
                .time_for_tracks((sectors, self.sector), (changes, skew));
        self.track = last;
        self.pba = end;
        (self.entry_pba, self.entry_at) = (end, self.at);
        self.track_end = geometry.end_of_run(&last, end - 1);
        true
    }

    /// Goes on until the first end of a sector at or after `now`, not past `limit`. Gives the time
    /// from which the arm is free: at once where nothing had to be finished.
    pub fn reach(&mut self, mechanics: &Mechanics, rare: &mut Rare, now: u64, limit: u64) -> u64 {
        let mut free = now;
        while self.at < now && self.pba < limit {
            if self.pba == self.track_end {
                let mut over = *self;
                if over.change_track(mechanics).is_none() || over.at >= now {
                    return now;
                }
                *self = over;
            }
            let mut stop = limit.min(self.track_end).min(self.event_at);
            if self.time_on_track(mechanics, stop) > now {
                let since = mechanics
                    .spindle
                    .share_of(now.saturating_sub(self.entry_at));
                let sectors = since.0 / self.sector.0.max(1) + 1;
                stop = stop.min(self.entry_pba + sectors).max(self.pba + 1);
            }
            free = now.max(self.advance(mechanics, rare, stop));
        }
        free
    }

    /// Goes on to the last sector before `limit` that has passed whole by `now`.
    pub fn pass(&mut self, mechanics: &Mechanics, rare: &mut Rare, now: u64, limit: u64) {
        while self.pba < limit {
            if self.pba == self.track_end {
                let mut over = *self;
                if over.change_track(mechanics).is_none() || over.at > now {
                    return;
                }
                *self = over;
            }
            let mut stop = limit.min(self.track_end).min(self.event_at);
            if self.time_on_track(mechanics, stop) > now {
                let since = mechanics
                    .spindle
                    .share_of(now.saturating_sub(self.entry_at));
                stop = stop.min(self.entry_pba + since.0 / self.sector.0.max(1) + 1);
                while stop > self.pba && self.time_on_track(mechanics, stop) > now {
                    stop -= 1;
                }
            }
            if stop <= self.pba {
                return;
            }
            self.advance(mechanics, rare, stop);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::ZoneLayout;
    use super::super::seek::SeekCurve;
    use super::*;

    pub(crate) fn mechanics() -> Mechanics {
        let zone = |first_cylinder, sectors_per_track| ZoneLayout {
            first_cylinder,
            cylinders: 50,
            sectors_per_track,
            skew_head: Angle::share(15, 100),
            skew_band: Angle::share(15, 100),
            ..ZoneLayout::default()
        };
        let zones = vec![zone(0, 400), zone(50, 256)];
        let geometry = Geometry::new(4, 1, false, zones).unwrap();
        let curve = SeekCurve::through(100, &[(1, 900_000), (99, 15_000_000)]).unwrap();
        let actuator = Actuator {
            curve,
            head_switch_ns: 1_000_000,
            write_settle_ns: 100_000,
            write_more_q16: 0,
        };
        Mechanics::new(geometry, actuator, Spindle::new(7_200))
    }

    fn start(mechanics: &Mechanics, rare: &mut Rare, pba: u64) -> TrackPass {
        let place = mechanics.geometry.place(pba);
        TrackPass::parked(mechanics, rare)
            .go(mechanics, 0, pba, &place, false)
            .0
    }

    #[test]
    fn a_long_pass_takes_a_revolution_and_a_skew_for_each_track() {
        let m = mechanics();
        let mut rare = Rare::new(0.0, 1.0, 0);
        for (first, per_track) in [(0, 400), (400 * 200, 256)] {
            let mut pass = start(&m, &mut rare, first);
            let began = pass.at;
            let tracks = 120_u64;
            let took = pass.advance(&m, &mut rare, first + tracks * per_track) - began;
            let revolutions = tracks as f64 + (tracks - 1) as f64 * 0.15;
            let expected = revolutions * 60e9 / 7_200.0;
            assert!((took as f64 - expected).abs() < 300.0, "{took} {expected}");
        }
    }

    #[test]
    fn many_tracks_at_once_take_as_long_as_one_by_one() {
        let zones = vec![ZoneLayout {
            cylinders: 100,
            sectors_per_track: 400,
            skew_along: Angle::share(15, 100),
            skew_head: Angle::share(17, 100),
            skew_band: Angle::share(30, 100),
            ..ZoneLayout::default()
        }];
        let m = Mechanics {
            geometry: Geometry::new(4, 50, true, zones).unwrap(),
            ..mechanics()
        };
        // A pass may begin so much beside its angle, which one by one is made good at the next track.
        let rounding = 127;
        let mut leaps = 0;
        for tracks in [1, 3, 20, 49, 60] {
            for first in (0..600_u64).map(|i| i * 256 + 3) {
                let mut rare = Rare::new(0.0, 1.0, 0);
                let mut one_by_one = start(&m, &mut rare, first);
                let mut at_once = one_by_one;
                let end = (first + tracks * 400).min(160_000);
                let expected = one_by_one.advance(&m, &mut rare, end);
                leaps += u32::from(at_once.clone().leap(&m, end));
                let got = at_once.advance_far(&m, &mut rare, end);
                assert!(
                    got.abs_diff(expected) <= rounding + 2 * tracks,
                    "{first} {got} {expected}"
                );
                // And it continues in the same way.
                let on = (end + 1_000).min(160_000);
                let expected = one_by_one.advance(&m, &mut rare, on);
                let got = at_once.advance(&m, &mut rare, on);
                assert!(
                    got.abs_diff(expected) <= rounding + 2 * tracks + 8,
                    "{first} {got} {expected}"
                );
            }
        }
        assert!(leaps > 600, "{leaps}");
    }

    #[test]
    fn it_makes_no_difference_how_often_one_looks() {
        let m = mechanics();
        let mut rare = Rare::new(500.0, 3.0, 7);
        let mut whole = start(&m, &mut rare, 77);
        let mut piecewise = whole;
        let mut same = rare.clone();
        let end = whole.advance(&m, &mut rare, 60_000);
        let mut last = 0;
        for pba in 78..=60_000 {
            let at = piecewise.advance(&m, &mut same, pba);
            assert!(at > last);
            last = at;
        }
        assert_eq!(last, end);
    }

    #[test]
    fn the_pba_reached_at_a_moment_is_the_one_passed_then() {
        let m = mechanics();
        let mut rare = Rare::new(900.0, 2.0, 7);
        let began = start(&m, &mut rare, 3_000);
        for now in (0..200).map(|i| began.at + i * 777_777) {
            let mut looked = began;
            let free = looked.reach(&m, &mut rare.clone(), now, 9_000);
            let mut passed = began;
            let at = passed.advance(&m, &mut rare.clone(), looked.pba);
            assert_eq!(at, looked.at);
            assert!(free >= now);
            if looked.pba < 9_000 {
                // One sector more and the time is past.
                assert!(passed.advance(&m, &mut rare.clone(), looked.pba + 1) >= now);
            } else {
                assert!(free == now || free == looked.at);
            }
        }
    }

    #[test]
    fn the_landing_names_the_sector_that_came_first() {
        let m = mechanics();
        let mut rare = Rare::new(0.0, 1.0, 0);
        let from = TrackPass::parked(&m, &mut rare);
        for pba in [0, 17, 399, 5_000] {
            let place = m.geometry.place(pba);
            let (pass, landing) = from.go(&m, 1_234_567, pba, &place, false);
            let revolutions = (pass.at - landing.ready) as f64 / (60e9 / 7_200.0);
            let passed = (place.sector + 400 - landing.sector) % 400;
            assert!(
                (revolutions * 400.0 - f64::from(passed)).abs() < 1.01,
                "{pba}"
            );
        }
    }
}
