//! Planes that read for themselves: a die reads pages of different rows at once, one in each plane.
//!
//! A plane has its own array, row decoder and page register. Until about 2018 one decoder's address
//! went to all of them, so planes read together or not at all: the same row, at the same time. With an
//! address, a charge pump's output and a state machine for each, a die of four planes answers four
//! small reads of anything in one read time, and a drive of few dies is no longer held by them. Makers
//! call it asynchronous or independent (multi-)plane read. Programs and erases still take all planes.
//!
//! Each plane therefore has a queue of its own: a reading waits for the last one of its plane alone.
//! The die decides between readings and programs ([`super::die`]). A reading of several flash pages
//! is one reading in each of their planes. The planes share one channel.
//!
//! Sources: Micron, "B58R: 232-layer 3D NAND with six planes" (2022), "independent read in each plane"
//! (Tallis, anandtech.com/show/17509); of BiCS and 4D flash, "asynchronous independent plane read"
//! (Kioxia and Western Digital, ISSCC 2021; SK hynix, 176 layers, 2020).

use base::time::{Duration, Instant};

use super::Flash;
use super::die::Reading;
use super::layout::{Geometry, Layout, Ppn};
use crate::ssd::operations::Operations;

/// One plane's readings.
#[derive(Clone, Copy, Debug, Default)]
struct Plane {
    /// When the last one that was accepted ends.
    end: Instant,
    /// Its unit, and when it was asked for.
    last: Option<(u32, Instant)>,
}

/// The planes of all dies.
#[derive(Debug)]
pub(super) struct Planes {
    a_die: u32,
    planes: Vec<Plane>,
}

impl Planes {
    /// Idle planes of a geometry whose planes read for themselves.
    pub(super) fn new(geometry: &Geometry) -> Planes {
        let all = geometry.dies as usize * geometry.planes as usize;
        Planes {
            a_die: geometry.planes,
            planes: vec![Plane::default(); all],
        }
    }

    /// The power has failed: none reads.
    pub(super) fn stop(&mut self, at: Instant) {
        self.planes.fill(Plane {
            end: at,
            last: None,
        });
    }
}

/// The first plane that `pages` pages from one on lie in, and how many there are.
fn planes_of(layout: &Layout, ppn: Ppn, pages: u32) -> (u32, u32) {
    let geometry = layout.geometry();
    let flash_page = geometry.flash_page_pages();
    let first = ppn / flash_page;
    let last = (ppn + pages.max(1) - 1) / flash_page;
    // A unit's flash pages are numbered plane after plane.
    (
        first % geometry.planes,
        (last - first + 1).min(geometry.planes),
    )
}

impl Flash {
    /// Where planes read for themselves: the planes of so many pages of a unit read it, each as soon as
    /// it can; gives when the last one has.
    pub(super) fn read_planes(
        &mut self,
        now: Instant,
        (die, unit): (u32, u32),
        (ppn, pages): (Ppn, u32),
        takes: Duration,
        ops: &mut Operations,
    ) -> Instant {
        let (first, count) = planes_of(&self.layout, ppn, pages);
        let mut all = now;
        for plane in first..first + count {
            all = all.max(self.read_plane(now, (die, plane), unit, takes, ops));
        }
        all
    }

    /// One plane reads a unit's flash page; gives when it has.
    pub(super) fn read_plane(
        &mut self,
        now: Instant,
        (die, plane): (u32, u32),
        unit: u32,
        takes: Duration,
        ops: &mut Operations,
    ) -> Instant {
        let Some(planes) = &mut self.planes else {
            return now;
        };
        let number = die * planes.a_die + plane % planes.a_die;
        let Some(plane) = planes.planes.get_mut(number as usize) else {
            return now;
        };
        if plane.last == Some((unit, now)) {
            return plane.end;
        }
        let free = now.max(plane.end);
        let Reading { end, pushed } =
            self.dies[die as usize].read_when_free(free, now, takes, &self.arbitration);
        *plane = Plane {
            end,
            last: Some((unit, now)),
        };
        if let Some((program, end)) = pushed {
            ops.set(program, end);
        }
        end
    }
}
