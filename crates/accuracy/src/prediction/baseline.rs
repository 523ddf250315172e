//! Two baselines that need no model of the drive, which a prediction has to beat.
//!
//! **The nearest drive** of the catalogue, simulated on the same host by the same test: of the same class, the nearest
//! in capacity and years. **The data sheet**: with t the time of a lone I/O, the rate at depth d is the lesser of d / t
//! and the rated one; the median is d divided by that rate, the 99th percentile 1.1, the 99.9th 2 and the maximum 20
//! times it. If the sheet does not give t it is the usual value of the link.

use sim::catalogue::rated::{Rated, RatedFigure};
use sim::catalogue::{DriveCard, Kind, ModelOptions, describe, drives, ratings};
use sim::interface::Protocol;

use super::questions::{Asked, Question, Response};

/// The drive of the catalogue that is nearest to one, itself left out.
pub fn nearest(drive: &str) -> Option<String> {
    let own = describe(drive).ok()?.card;
    let mut near = drives().ok()?;
    near.retain(|card| {
        card.title != own.title
            && card.kind == own.kind
            && card.interface.protocol() == own.interface.protocol()
    });
    near.into_iter()
        .min_by(|a, b| far(a, &own).total_cmp(&far(b, &own)))
        .map(|card| card.slug)
}

/// How unlike two drives are: five years count as much as half the capacity.
fn far(card: &DriveCard, own: &DriveCard) -> f64 {
    let capacity = card.capacity.get() as f64 / own.capacity.get() as f64;
    libm::log2(capacity).abs() + f64::from(card.year.abs_diff(own.year)) / 5.0
}

/// What is known from a sheet.
struct Sheet {
    card: DriveCard,
    rated: Rated,
}

impl Sheet {
    fn rated(&self, figure: RatedFigure) -> Option<f64> {
        let figures = self.rated.figures();
        let (_, value) = figures.into_iter().find(|(known, _)| *known == figure)?;
        Some(value.get())
    }

    /// Microseconds of a lone random I/O, including the host's part: as rated, or as usual for the link.
    fn lone_us(&self, writes: bool) -> f64 {
        let (figure, order) = match writes {
            true => (
                RatedFigure::RandomWriteLatency,
                RatedFigure::SequentialWriteLatency,
            ),
            false => (
                RatedFigure::RandomReadLatency,
                RatedFigure::RandomReadLatency,
            ),
        };
        let of_class = match (self.card.kind, self.card.interface.protocol(), writes) {
            // A seek of 8.9 ms and half a turn at 7,200 a minute.
            (Kind::Hdd, _, _) => 13_000.0,
            (Kind::Ssd, Protocol::Nvme, true) => 25.0,
            (Kind::Ssd, Protocol::Nvme, false) => 90.0,
            (Kind::Ssd, _, true) => 40.0,
            (Kind::Ssd, _, false) => 110.0,
        };
        let rated = self.rated(figure).or_else(|| self.rated(order));
        rated.unwrap_or(of_class)
    }

    /// I/Os a second at a depth.
    fn iops(&self, writes: bool, depth: u32) -> f64 {
        let by_depth = f64::from(depth) * 1e6 / self.lone_us(writes);
        let rated = match writes {
            true => (self.rated(RatedFigure::RandomWriteSteady))
                .or_else(|| self.rated(RatedFigure::RandomWrite)),
            false => self.rated(RatedFigure::RandomRead),
        };
        rated.map_or(by_depth, |rated| rated.min(by_depth))
    }

    fn sequential(&self, writes: bool) -> Option<f64> {
        self.rated(match writes {
            true => RatedFigure::SequentialWrite,
            false => RatedFigure::SequentialRead,
        })
    }
}

/// The data sheet's baseline; `None` if the sheet has no such figure.
pub fn data_sheet(question: &Question, asked: &Asked) -> Option<f64> {
    let (rated, _) = ratings(&question.drive, &ModelOptions::default()).ok()?;
    let sheet = Sheet {
        card: describe(&question.drive).ok()?.card,
        rated,
    };
    match asked {
        Asked::Random {
            read_percent,
            writes,
            depth,
            what,
            ..
        } => {
            // Of a mix each kind has its share of the time.
            let share = match (read_percent, writes) {
                (100, _) | (0, _) => 1.0,
                (share, true) => 1.0 - f64::from(*share) / 100.0,
                (share, false) => f64::from(*share) / 100.0,
            };
            let rate = sheet.iops(*writes, *depth) * share;
            let median = f64::from(*depth) * share * 1e6 / rate;
            Some(match what {
                Response::Rate => rate,
                Response::Median => median,
                Response::P99 => 1.1 * median,
                Response::P999 => 2.0 * median,
                Response::Longest => 20.0 * median,
            })
        }
        Asked::Sequential { writes, .. } => sheet.sequential(*writes),
        Asked::Commit {
            what: Response::P99 | Response::P999 | Response::Longest,
            ..
        } => None,
        Asked::Commit {
            what: Response::Median,
            ..
        } => Some(1_000.0),
        Asked::Commit { jobs, .. } => {
            let is_protected = sheet.rated(RatedFigure::RandomWriteSteady).is_some();
            let lone = 1e6 / sheet.lone_us(true);
            Some(match (sheet.card.kind, is_protected) {
                (Kind::Ssd, true) => f64::from(*jobs) * lone,
                // Programs have to be waited for.
                (Kind::Ssd, false) => 1_000.0,
                (Kind::Hdd, _) => 60.0,
            })
        }
        Asked::Figure { key, .. } => of_method(&sheet, key),
    }
}

fn of_method(sheet: &Sheet, key: &str) -> Option<f64> {
    let is_disk = sheet.card.kind == Kind::Hdd;
    let writes = key.contains("write");
    match key {
        "read.max" | "read.burst" => sheet.sequential(false),
        "read.min" => sheet
            .sequential(false)
            .map(|rate| if is_disk { rate / 2.0 } else { rate }),
        "read.mean" => sheet
            .sequential(false)
            .map(|rate| if is_disk { rate * 0.77 } else { rate }),
        "read.access" => Some(sheet.lone_us(false) / 1_000.0),
        "before.rate" => sheet.sequential(true),
        "after.rate" | "next.rate" | "last.rate" | "whole.rate" | "cache.size" => None,
        _ if key.starts_with("seq") => sheet.sequential(writes),
        _ => {
            let depth = match key.split('.').next()? {
                "rnd4k-q32t16" => 512,
                "rnd4k-q32t1" => 32,
                _ => 1,
            };
            let iops = sheet.iops(writes, depth);
            Some(match key.ends_with(".iops") {
                true => iops,
                false => iops * 4_096.0 / 1e6,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_drive_is_of_the_same_class_and_another() {
        let near = nearest("samsung-970-evo-plus-1tb").unwrap();
        let card = describe(&near).unwrap().card;
        assert_eq!(card.interface.protocol(), Protocol::Nvme);
        assert_ne!(near, "samsung-970-evo-plus-1tb");
        let disk = nearest("wd-red-wd30efrx-3tb").unwrap();
        assert_eq!(describe(&disk).unwrap().card.kind, Kind::Hdd);
    }
}
