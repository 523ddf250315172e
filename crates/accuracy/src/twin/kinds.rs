//! Which kind of drives a twin is made from.
//!
//! The link and the discs rule kinds out, and so does a capacity that no drive of a kind has. The others are run as they
//! stand, with the middle of all that they leave open, on the workloads that may be fitted to. That is no more than a
//! first look: a drive at the end of its kind's ranges may lie nearer to the middle of another's. So the nearest few are
//! fitted, coarsely, and the one that comes nearest then is taken.

use std::path::Path;

use base::size::Bytes;
use sim::catalogue::new_file::{KindCard, kinds};
use sim::catalogue::{Kind, ModelOptions, describe, ratings};
use sim::interface::{Interface, Protocol};
use sim::sheet::{Row, Source};
use toml_edit::DocumentMut;

use super::MakeTwin;
use super::candidate::{Candidate, write};
use super::fitting::left_coarsely;
use super::measured::{Measured, Statistic, ToFit};
use super::replay::{Bench, Values};
use super::variants::{VARIANTS, Variant};
use crate::error::AccuracyError;
use crate::fit::family::{put_chosen, put_open};

/// A lone random read of a disk takes at least so long, and one of flash less.
const DISK_READ_US: f64 = 2_000.0;

/// So many kinds are fitted coarsely, if they are nearly as near as the nearest in the middle of their ranges.
const FITTED: usize = 3;
/// A kind that is off by so many times what the nearest is, as it stands, is not one that the drive is of.
const NEARLY: f64 = 1.6;
/// Of kinds that are as near after a coarse fit, to this share, the one that was nearer before is taken.
const AS_GOOD: f64 = 0.95;

/// A switch that brings the figures nearer is worth a tenth of what they are off.
pub(super) const TURNED: f64 = 0.9;

/// The nearest candidate, with the runs of it that are known already.
///
/// # Errors
/// Where there is no kind of that name, or none for the drive.
pub(super) fn nearest<'a>(
    measured: &'a Measured,
    asked: &MakeTwin,
    folder: &Path,
    bench: &dyn Fn(&Candidate) -> Bench<'a>,
    done: &(dyn Fn(&str) + Sync),
) -> Result<(Candidate, Bench<'a>), AccuracyError> {
    let known = kinds()?;
    if let Some(kind) = &asked.kind {
        let card = known.iter().find(|card| card.slug == kind);
        let Some(card) = card else {
            let slugs: Vec<&str> = known.iter().map(|card| card.slug).collect();
            return Err(AccuracyError::Calibrate(format!(
                "there is no kind '{kind}'; the kinds are {}",
                slugs.join(", ")
            )));
        };
        let candidate = candidate(card, measured, asked, folder)?;
        let candidate = candidate.ok_or_else(|| none_fits(measured))?;
        let candidate = structured(candidate, measured, bench)?;
        let bench = bench(&candidate);
        return Ok((candidate, bench));
    }
    let found = near(&known, measured, asked, folder, bench, done)?;
    let alone = found.len() == 1;
    let mut best: Option<(f64, Candidate, Bench<'a>)> = None;
    for (_, candidate) in found {
        done(&candidate.kind);
        let candidate = structured(candidate, measured, bench)?;
        let bench = bench(&candidate);
        let left = match alone {
            true => 0.0,
            false => match left_coarsely(&bench, &candidate, measured) {
                Ok(left) => left,
                Err(_) => continue,
            },
        };
        if (best.as_ref()).is_none_or(|(least, _, _)| left < AS_GOOD * least) {
            best = Some((left, candidate, bench));
        }
    }
    let best = best.map(|(_, candidate, bench)| (candidate, bench));
    best.ok_or_else(|| none_fits(measured))
}

/// The candidates that come near as their kinds have them, the nearest first.
fn near<'a>(
    known: &[KindCard],
    measured: &'a Measured,
    asked: &MakeTwin,
    folder: &Path,
    bench: &dyn Fn(&Candidate) -> Bench<'a>,
    done: &(dyn Fn(&str) + Sync),
) -> Result<Vec<(f64, Candidate)>, AccuracyError> {
    let figures = measured.to_fit();
    let mut found: Vec<(f64, Candidate)> = Vec::new();
    for card in known {
        let Some(candidate) = candidate(card, measured, asked, folder)? else {
            continue;
        };
        done(card.slug);
        let runner = bench(&candidate);
        if let Some(off) = off(&runner, &figures, &[]) {
            let varied = varied(&runner, &figures, &[], off);
            let off = varied.map_or(off, |varied| varied.off);
            found.push((off, candidate));
        }
    }
    if found.iter().any(|(_, it)| it.is_admitted) {
        found.retain(|(_, it)| it.is_admitted);
    }
    found.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let least = found.first().ok_or_else(|| none_fits(measured))?.0;
    found.retain(|(off, _)| *off <= NEARLY * least);
    found.truncate(FITTED);
    Ok(found)
}

/// The candidate with its switches as the figures are nearest: each that the kind sets (whether writes are cached, whether
/// the queue is sorted by seeks) is turned once, and stays so where that brings the figures nearer by [`TURNED`].
fn structured<'a>(
    mut candidate: Candidate,
    measured: &'a Measured,
    bench: &dyn Fn(&Candidate) -> Bench<'a>,
) -> Result<Candidate, AccuracyError> {
    let figures = measured.to_fit();
    let runner = bench(&candidate);
    let Some(mut least) = off(&runner, &figures, &[]) else {
        return Ok(candidate);
    };
    let mut turned: Vec<(String, String)> = Vec::new();
    for (key, on) in switches(&candidate)? {
        turned.push((key, (!on).to_string()));
        match off(&runner, &figures, &turned) {
            Some(now) if now < TURNED * least => least = now,
            _ => turned.truncate(turned.len() - 1),
        }
    }
    let varied = varied(&runner, &figures, &turned, least);
    let wrong = |why: String| AccuracyError::Calibrate(why);
    let mut document: DocumentMut = candidate.head.parse().map_err(|e| wrong(format!("{e}")))?;
    if let Some(Varied { variant, value, .. }) = varied {
        let Variant {
            key, within, why, ..
        } = variant;
        put_open(&mut document, key, value, *within, why)
            .ok_or_else(|| wrong(format!("{key} is no section of values")))?;
    }
    for (key, value) in &turned {
        let why = "the measured workloads are nearer with it so than as its kind has it";
        put_chosen(&mut document, key, value == "true", why)
            .ok_or_else(|| wrong(format!("{key} is no section of values")))?;
    }
    candidate.head = document.to_string();
    write(&candidate.path, &candidate.head)?;
    Ok(candidate)
}

/// A variant, a value of it, and how far a candidate is off with it.
struct Varied {
    variant: &'static Variant,
    value: i64,
    off: f64,
}

/// The variant of a drive with these switches, off by so much, that brings the figures nearest, and its value: nothing where
/// none does by [`TURNED`].
fn varied(
    runner: &Bench<'_>,
    figures: &[ToFit],
    turned: &[(String, String)],
    least: f64,
) -> Option<Varied> {
    let with = |variant: &Variant, value: i64| {
        let mut values = turned.to_vec();
        values.push((variant.key.to_owned(), value.to_string()));
        off(runner, figures, &values)
    };
    let tried = VARIANTS
        .iter()
        .flat_map(|variant| variant.tried.iter().map(move |value| (variant, *value)));
    let tried = tried.filter_map(|(variant, value)| {
        let off = with(variant, value)?;
        Some(Varied {
            variant,
            value,
            off,
        })
    });
    let nearest = tried.min_by(|a, b| a.off.total_cmp(&b.off));
    nearest.filter(|nearest| nearest.off < TURNED * least)
}

/// The switches that the kind sets, by their paths.
fn switches(candidate: &Candidate) -> Result<Vec<(String, bool)>, AccuracyError> {
    let sheet = describe(&candidate.path)?;
    let table = match sheet.card.kind {
        Kind::Ssd => "ssd",
        Kind::Hdd => "hdd",
    };
    let rows = (sheet.sections.iter())
        .flat_map(|section| section.rows.iter().map(move |row| (section.name, row)));
    let of_kind = rows.filter(|(_, row)| row.source == Source::Class);
    let switch = |(section, row): (&str, &Row)| {
        let on = row.value.parse().ok()?;
        Some((format!("{table}.{section}.{}", row.key), on))
    };
    Ok(of_kind.filter_map(switch).collect())
}

fn none_fits(measured: &Measured) -> AccuracyError {
    AccuracyError::Calibrate(format!(
        "no kind of drives has {} with the link '{}': name one with --kind (`drivelab new` lists them)",
        measured.capacity, measured.link
    ))
}

/// How far a candidate is off as it stands.
fn off(bench: &Bench<'_>, figures: &[ToFit], values: &Values) -> Option<f64> {
    let places: Vec<usize> = figures.iter().map(|figure| figure.place).collect();
    let simulated = bench.figures(values, &places).ok()?;
    Some(off_by(&simulated, figures))
}

/// How far figures are off: the mean of their logarithms, tails by a quarter.
pub(super) fn off_by(simulated: &[f64], figures: &[ToFit]) -> f64 {
    let share = |figure: &ToFit| match figure.what {
        Statistic::Rate | Statistic::Median => 1.0,
        Statistic::P99 => 0.25,
    };
    let pairs = simulated.iter().zip(figures);
    let off: f64 = pairs
        .map(|(simulated, figure)| share(figure) * libm::log(simulated / figure.measured).abs())
        .sum();
    let shares: f64 = figures.iter().map(share).sum();
    off / shares.max(1.0)
}

/// The drive as one of a kind; nothing where it cannot be one.
fn candidate(
    card: &KindCard,
    measured: &Measured,
    asked: &MakeTwin,
    folder: &Path,
) -> Result<Option<Candidate>, AccuracyError> {
    let title = asked.title.clone().unwrap_or_else(|| measured.name.clone());
    let path = folder.join(format!("{}.toml", card.slug));
    let name = path.to_string_lossy().into_owned();
    let link = link_of(&measured.link);
    let mut head = head(
        card.slug,
        &title,
        measured.capacity,
        link.unwrap_or(Interface::Sata(3)),
    );
    write(&name, &head)?;
    let Ok((_, Some(kind))) = ratings(&name, &ModelOptions::default()) else {
        return Ok(None);
    };
    let own = kind.interface.as_deref().and_then(Interface::parse);
    let interface = match (link, own) {
        (Some(link), Some(own)) if fits(link, own) => link,
        (None, Some(own)) => own,
        _ => return Ok(None),
    };
    head = self::head(card.slug, &title, measured.capacity, interface);
    write(&name, &head)?;
    let Ok(sheet) = describe(&name) else {
        return Ok(None);
    };
    let discs = measured.rotational.or_else(|| is_slow(measured));
    let is_disk = sheet.card.kind == Kind::Hdd;
    let zoned = sheet.sections.iter().any(|section| section.name == "zones");
    if discs.is_some_and(|discs| discs != is_disk) || zoned {
        return Ok(None);
    }
    let mut candidate = Candidate {
        kind: card.slug.to_owned(),
        title,
        interface,
        has_discs: is_disk,
        path: name,
        head,
        structure: Vec::new(),
        is_admitted: true,
    };
    measured.structure.put_into(&mut candidate)?;
    Ok(Some(candidate))
}

/// The head of a drive's file.
fn head(kind: &str, title: &str, capacity: Bytes, interface: Interface) -> String {
    let title = toml::Value::String(title.to_owned());
    format!(
        "[drive]\nkind = \"{kind}\"\ntitle = {title}\nmaker = \"unknown\"\nyear = 2000\ncapacity_bytes = {}\ninterface = \"{interface}\"\n",
        capacity.get()
    )
}

/// Whether a drive of a kind may have a link: of PCI Express from the fifth generation on, kinds are of their own.
fn fits(link: Interface, own: Interface) -> bool {
    let is_fifth = |link: Interface| {
        matches!(
            link,
            Interface::Pcie {
                generation: 5..,
                ..
            }
        )
    };
    let nvme = |link: Interface| link.protocol() == Protocol::Nvme;
    let sas = |link: Interface| matches!(link, Interface::Sas(_));
    nvme(link) == nvme(own) && is_fifth(link) == is_fifth(own) && sas(link) == sas(own)
}

/// Whether lone reads take as long as an arm and a turn do; nothing where none was measured.
fn is_slow(measured: &Measured) -> Option<bool> {
    let medians = measured
        .figures
        .iter()
        .filter(|f| f.what == Statistic::Median);
    let least = medians
        .map(|figure| figure.measured)
        .min_by(f64::total_cmp)?;
    Some(least > DISK_READ_US)
}

/// The link in the words of a result: of a modelled drive by name, of a real one as the kernel says it
/// (`SATA 6.0 Gbps`, `NVMe 16.0 GT/s PCIe x4`).
fn link_of(words: &str) -> Option<Interface> {
    let mut named = words.split([' ', ',']).filter_map(Interface::parse);
    if let Some(link) = named.next() {
        return Some(link);
    }
    let has = |word: &str| words.contains(word);
    if has("SATA") || has("Gbps") {
        let generation = [("1.5", 1), ("3.0", 2), ("6.0", 3)];
        let known = generation.iter().find(|(speed, _)| has(speed));
        return Some(Interface::Sata(
            known.map_or(3, |(_, generation)| *generation),
        ));
    }
    if has("NVMe") || has("GT/s") {
        let speeds = [
            ("32.0 GT", 5),
            ("16.0 GT", 4),
            ("8.0 GT", 3),
            ("5.0 GT", 2),
            ("2.5 GT", 1),
        ];
        let generation = speeds
            .iter()
            .find(|(speed, _)| has(speed))
            .map_or(3, |(_, g)| *g);
        let lanes = [8, 4, 2, 1]
            .into_iter()
            .find(|lanes| has(&format!("x{lanes}")));
        return Some(Interface::Pcie {
            generation,
            lanes: lanes.unwrap_or(4),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_read_from_the_words_of_modelled_and_real_drives() {
        let pcie = |generation, lanes| Some(Interface::Pcie { generation, lanes });
        assert_eq!(link_of("sata-6"), Some(Interface::Sata(3)));
        assert_eq!(link_of("pcie4x4"), pcie(4, 4));
        assert_eq!(link_of("SATA 3.0 Gbps"), Some(Interface::Sata(2)));
        assert_eq!(link_of("NVMe 16.0 GT/s PCIe x4"), pcie(4, 4));
        assert_eq!(link_of("virtio"), None);
    }
}
