//! Values of more than one number: sizes with their shares, where random I/Os go, percentiles, data.

use base::io::{Fill, FillKind};

use super::{Distribution, Each, Options, Read, each};
use crate::units;

/// A range of sizes is drawn from so many sizes at most.
const MOST_SIZES: u64 = 1_024;

pub(super) fn sizes(o: &mut Options<'_>) -> Each<Vec<(u64, u32)>> {
    let plain = |size: u64| vec![(size, 1)];
    let fixed = o.each("bs").map(|size| plain(size.unwrap_or(4096)));
    let ranges = o.take("bsrange", None, |text, base| {
        each(text, &mut |part| range(part, base)).map(Some)
    });
    let splits = o.take("bssplit", None, |text, base| {
        each(text, &mut |part| split(part, base)).map(Some)
    });
    let mut sizes = fixed;
    for more in [ranges, splits].into_iter().flatten() {
        for (size, more) in sizes.iter_mut().zip(more) {
            *size = more.unwrap_or_else(|| std::mem::take(size));
        }
    }
    if sizes.iter().flatten().any(|(size, _)| *size == 0) {
        o.wrong("bs", "an I/O of no bytes".to_owned());
        return [plain(4096), plain(4096), plain(4096)];
    }
    sizes
}

fn range(text: &str, base: u64) -> Read<Vec<(u64, u32)>> {
    let (least, most) = text.split_once(['-', ':']).ok_or("a range is 1k-4k")?;
    let (least, most) = (units::number(least, base)?, units::number(most, base)?);
    let (least, most) = (least.min(most), least.max(most));
    if least == 0 || most / least > MOST_SIZES {
        return Err(format!("a range holds {MOST_SIZES} sizes at most"));
    }
    // Multiples of the least size, as fio has it.
    Ok((1..=most / least).map(|n| (n * least, 1)).collect())
}

fn split(text: &str, base: u64) -> Read<Vec<(u64, u32)>> {
    let mut sizes = Vec::new();
    for part in text.split(':').filter(|part| !part.is_empty()) {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let size = units::number(size, base)?;
        let share = match share.trim() {
            "" => None,
            share => Some(units::number(share, base)?),
        };
        sizes.push((size, share));
    }
    let given: u64 = sizes
        .iter()
        .filter_map(|(_, share)| *share)
        .fold(0, u64::saturating_add);
    let open = sizes.iter().filter(|(_, share)| share.is_none()).count() as u64;
    if sizes.is_empty() || sizes.len() as u64 > MOST_SIZES || given > 100 {
        return Err("a split is SIZE/PERCENT:SIZE/PERCENT, of 100 together".to_owned());
    }
    if open == 0 && given != 100 {
        return Err(format!("the shares make {given} of 100"));
    }
    // Those without a share have the rest in equal parts; weights are in parts of a per cent.
    let parts = open.max(1);
    let weight = |share: Option<u64>| share.map_or(100 - given, |share| share * parts) as u32;
    Ok(sizes
        .into_iter()
        .map(|(size, share)| (size, weight(share)))
        .collect())
}

pub(super) fn distribution(text: &str) -> Read<Distribution> {
    let (name, value) = match text.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let number = |otherwise: f64| match value {
        None => Ok(otherwise),
        Some(value) => value
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite() && *value > 0.0)
            .ok_or_else(|| format!("'{value}' is not a number above 0")),
    };
    match name {
        "random" => Ok(Distribution::Even),
        "zipf" => match number(1.1)? {
            theta if theta < 1.0 => Ok(Distribution::Zipf(theta)),
            theta => Err(format!(
                "zipf:{theta} is not done here: the skew is below 1 (fio's own default is above); write zipf:0.99, or pareto:0.2"
            )),
        },
        "pareto" => match number(0.2)? {
            h if h < 1.0 => Ok(Distribution::Pareto(h)),
            h => Err(format!("pareto:{h} is not below 1")),
        },
        "normal" | "gauss" => Ok(Distribution::Normal(number(0.0001)?.min(100.0))),
        "zoned" => zones(value.unwrap_or_default()),
        _ => Err(format!(
            "'{text}' is none of random, zipf, pareto, normal, zoned; zoned_abs is not done here"
        )),
    }
}

fn zones(text: &str) -> Read<Distribution> {
    let mut zones = Vec::new();
    if text.contains(',') {
        return Err("zones of their own for reads and writes are not done here".to_owned());
    }
    for part in text.split(':') {
        let (accesses, size) = part.split_once('/').ok_or("a zone is ACCESSES/SIZE")?;
        let percent = |text: &str| text.trim().parse::<u8>().ok().filter(|n| *n <= 100);
        match (percent(accesses), percent(size)) {
            (Some(accesses), Some(size)) if size > 0 => zones.push((accesses, size)),
            _ => return Err(format!("'{part}' is not two shares in per cent")),
        }
    }
    let sum = |of: fn(&(u8, u8)) -> u8| zones.iter().map(|zone| u32::from(of(zone))).sum::<u32>();
    match (sum(|z| z.0), sum(|z| z.1)) {
        (100, 100) => Ok(Distribution::Zoned(zones)),
        (accesses, size) => Err(format!(
            "the zones take {accesses}% of the accesses and {size}% of the span: both are 100"
        )),
    }
}

pub(super) fn percentiles(text: &str) -> Read<Vec<f64>> {
    let mut list = Vec::new();
    for part in text.split([':', ',']).map(str::trim) {
        match part.parse::<f64>() {
            Ok(value) if (0.0..=100.0).contains(&value) => list.push(value),
            _ => return Err(format!("'{part}' is not from 0 to 100")),
        }
    }
    if list.len() > 20 {
        return Err("there are 20 percentiles at most".to_owned());
    }
    list.sort_by(f64::total_cmp);
    Ok(list)
}

pub(super) fn fill(o: &mut Options<'_>) -> Fill {
    let percent = o.number("buffer_compress_percentage", 0, 0, 100) as u8;
    let zeros = o.flag("zero_buffers", false);
    let kind = o.take("buffer_pattern", FillKind::Fresh, |text, _| {
        let digits = text.trim_start_matches("0x").to_ascii_lowercase();
        match digits.as_str() {
            "0" | "00" | "00000000" => Ok(FillKind::Zeros),
            "ff" | "255" | "ffffffff" => Ok(FillKind::Ones),
            _ => Err(format!(
                "'{text}' is not written here: 0x00 and 0xff are; buffer_compress_percentage says how far data compress"
            )),
        }
    });
    Fill {
        kind: if zeros { FillKind::Zeros } else { kind },
        compressible_percent: percent,
    }
}
