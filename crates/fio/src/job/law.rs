//! The distribution of random I/Os, and the contents of a job's data.

use base::io::{Fill, FillKind};

use super::{Each, Options, Read, each};
use crate::units::{self, Amount};

/// Where random I/Os go.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform.
    Even,
    /// The k-th most popular position as `1 / k^theta`; the share of the region at which the ranks begin, if given.
    Zipf(f64, Option<f64>),
    /// A share `h` of the positions gets `1 - h` of the I/Os; where the ranks begin.
    Pareto(f64, Option<f64>),
    /// Around a centre, with this deviation in per cent; the position of the centre.
    Normal(f64, Option<f64>),
    /// Zones with their shares of the accesses, for reads, writes and trims each.
    Zoned(Each<Vec<Zone>>),
}

/// A part of the region with its own share of I/Os.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Of 100 accesses.
    pub accesses: u8,
    pub size: Amount,
}

/// A share of what is written is written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// Per cent of writes with data that was written before.
    pub percent: u8,
    /// Those come from this share of the first data, in per cent; from the last ones where nothing is given.
    pub from_percent: Option<u8>,
    /// One set for all jobs.
    pub shared: bool,
}

pub(super) fn distribution(text: &str, base: u64) -> Read<Distribution> {
    let (name, value) = match text.split_once(':') {
        Some((name, value)) => (name, value),
        None => (text, ""),
    };
    let (first, center) = match value.split_once(':') {
        Some((first, center)) => (first, Some(center)),
        None => (value, None),
    };
    let number = |otherwise: f64| match first {
        "" => Ok(otherwise),
        value => float(value)
            .filter(|value| *value > 0.0 || (*value == 0.0 && name == "zipf"))
            .ok_or(format!("'{value}' is not a number above 0")),
    };
    let center = || match center {
        None => Ok(None),
        Some(text) => match float(text).filter(|value| (0.0..=1.0).contains(value)) {
            Some(center) => Ok(Some(center)),
            None => Err(format!("'{text}' is not a share of the region, 0 to 1")),
        },
    };
    match name {
        "random" => Ok(Distribution::Even),
        "zipf" => match number(1.1)? {
            theta if (theta - 1.0).abs() < f64::EPSILON => {
                Err("zipf:1 is refused by fio: write zipf:1.001".to_owned())
            }
            theta => Ok(Distribution::Zipf(theta.min(1_000.0), center()?)),
        },
        "pareto" => match number(0.2)? {
            h if h < 1.0 => Ok(Distribution::Pareto(h, center()?)),
            h => Err(format!("pareto:{h} is not below 1")),
        },
        "normal" | "gauss" => Ok(Distribution::Normal(number(0.0001)?.min(100.0), center()?)),
        "zoned" => zones(value, &shares),
        "zoned_abs" => zones(value, &|part| absolute(part, base)),
        _ => Err(format!(
            "'{text}' is none of random, zipf, pareto, normal, zoned, zoned_abs"
        )),
    }
}

fn float(text: &str) -> Option<f64> {
    text.trim()
        .parse()
        .ok()
        .filter(|value: &f64| value.is_finite())
}

fn zones(text: &str, read: &dyn Fn(&str) -> Read<Vec<Zone>>) -> Read<Distribution> {
    let all = each(text, &mut |part| read(part))?;
    let first = all[0].clone().ok_or("a zone is ACCESSES/SIZE")?;
    Ok(Distribution::Zoned(
        all.map(|own| own.unwrap_or_else(|| first.clone())),
    ))
}

/// Maximum number of zones.
const MOST_ZONES: usize = 256;

fn pairs(text: &str) -> Read<Vec<(&str, &str)>> {
    let all: Vec<_> = text.split(':').collect();
    if all.len() > MOST_ZONES {
        return Err(format!("there are {MOST_ZONES} zones at most"));
    }
    let pair = |part: &&'_ str| part.split_once('/').is_some();
    match all.iter().all(pair) {
        true => Ok(all.iter().filter_map(|part| part.split_once('/')).collect()),
        false => Err("a zone is ACCESSES/SIZE".to_owned()),
    }
}

/// Percentages, of which omitted ones share the rest evenly.
fn filled_up<'a>(all: impl Iterator<Item = &'a str>, what: &str) -> Read<Vec<u8>> {
    let mut given = Vec::new();
    for text in all.map(str::trim) {
        given.push(match text {
            "" => None,
            text => match text.trim_end_matches('%').parse::<u8>() {
                Ok(percent @ 0..=100) => Some(percent),
                _ => return Err(format!("'{text}' is not a share in per cent")),
            },
        });
    }
    let sum: u32 = given.iter().flatten().map(|n| u32::from(*n)).sum();
    let open = given.iter().filter(|one| one.is_none()).count() as u32;
    if sum > 100 || (open == 0 && sum != 100) {
        return Err(format!(
            "the zones take {sum}% of the {what}: together it is 100"
        ));
    }
    let rest = (100 - sum).checked_div(open).unwrap_or(0) as u8;
    Ok(given.into_iter().map(|one| one.unwrap_or(rest)).collect())
}

fn shares(text: &str) -> Read<Vec<Zone>> {
    let pairs = pairs(text)?;
    let accesses = filled_up(pairs.iter().map(|pair| pair.0), "accesses")?;
    let sizes = filled_up(pairs.iter().map(|pair| pair.1), "span")?;
    let zone = |(accesses, size)| Zone {
        accesses,
        size: Amount::Percent(u64::from(size)),
    };
    Ok(accesses.into_iter().zip(sizes).map(zone).collect())
}

fn absolute(text: &str, base: u64) -> Read<Vec<Zone>> {
    let pairs = pairs(text)?;
    let accesses = filled_up(pairs.iter().map(|pair| pair.0), "accesses")?;
    let mut zones = Vec::new();
    for (accesses, (_, size)) in accesses.into_iter().zip(pairs) {
        let size = Amount::Bytes(units::number(size, base)?);
        zones.push(Zone { accesses, size });
    }
    Ok(zones)
}

pub(super) fn fill(o: &mut Options<'_>) -> Fill {
    let percent = o.number("buffer_compress_percentage", 0, 0, 100) as u8;
    let zeros = o.flag("zero_buffers", false);
    let kind = o.take("buffer_pattern", FillKind::Fresh, |text, _| pattern(text));
    Fill {
        kind: if zeros { FillKind::Zeros } else { kind },
        compressible_percent: percent,
    }
}

/// Bytes of a pattern: hexadecimal in order (a last odd digit is a byte), a decimal number with its lowest byte first,
/// or a quoted string; several are concatenated.
fn pattern(text: &str) -> Read<FillKind> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut rest = text.trim();
    let refused = || {
        format!(
            "'{text}' is not written here: up to 8 bytes are, as 0xdeadbeef, 12 or \"abcd\"; '%o' and files are not"
        )
    };
    while !rest.is_empty() {
        if let Some(word) = rest.strip_prefix('"') {
            let (word, behind) = word.split_once('"').ok_or_else(refused)?;
            bytes.extend(word.bytes());
            rest = behind;
        } else if let Some(hex) = rest.strip_prefix("0x").or(rest.strip_prefix("0X")) {
            let (digits, behind) = hex_digits(hex);
            if digits.is_empty() {
                return Err(refused());
            }
            for two in digits.as_bytes().chunks(2) {
                let two = std::str::from_utf8(two).unwrap_or_default();
                bytes.push(u8::from_str_radix(two, 16).map_err(|_| refused())?);
            }
            rest = behind;
        } else {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let number: u64 = rest[..end].parse().map_err(|_| refused())?;
            let len = (8 - number.leading_zeros() as usize / 8).max(1);
            bytes.extend(&number.to_le_bytes()[..len]);
            rest = &rest[end..];
        }
        if bytes.len() > 8 {
            return Err(refused());
        }
    }
    match &bytes[..] {
        [] => Err(refused()),
        all if all.iter().all(|byte| *byte == 0) => Ok(FillKind::Zeros),
        all if all.iter().all(|byte| *byte == 0xff) => Ok(FillKind::Ones),
        all => {
            let mut eight = [0; 8];
            eight[..all.len()].copy_from_slice(all);
            Ok(FillKind::Pattern {
                bytes: u64::from_le_bytes(eight),
                len: all.len() as u8,
            })
        }
    }
}

/// The digits of a number behind its `0x`, and the rest. The `0` of another `0x` that follows is not a digit of it.
fn hex_digits(hex: &str) -> (&str, &str) {
    let end = hex.find(|c: char| !c.is_ascii_hexdigit());
    let (digits, behind) = hex.split_at(end.unwrap_or(hex.len()));
    match digits.strip_suffix('0') {
        Some(digits) if behind.starts_with(['x', 'X']) => (digits, &hex[digits.len()..]),
        _ => (digits, behind),
    }
}

pub(super) fn repeats(o: &mut Options<'_>) -> Option<Repeats> {
    let percent = o.number("dedupe_percentage", 0, 0, 100) as u8;
    let from_set = o.choice("dedupe_mode", &[("repeat", false), ("working_set", true)]);
    let share = o.number("dedupe_working_set_percentage", 5, 0, 100) as u8;
    let shared = o.flag("dedupe_global", false);
    (percent > 0).then_some(Repeats {
        percent,
        from_percent: from_set.then_some(share),
        shared,
    })
}
