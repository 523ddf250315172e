//! Values of more than one number: sizes with their shares, percentiles.

use super::{Each, Options, Read, each};
use crate::units;

/// Maximum number of sizes drawn for a range of sizes.
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
    // Multiples of the least size and, where it is none, the greatest itself: as often as the bytes up to it.
    let rest = most % least;
    let whole = (1..=most / least).map(|n| (n * least, least));
    let last = (rest > 0).then_some((most, rest));
    let unit = if rest == 0 {
        least
    } else {
        common(least, rest)
    };
    let weight = |part: u64| u32::try_from(part / unit).unwrap_or(u32::MAX);
    Ok(whole
        .chain(last)
        .map(|(size, part)| (size, weight(part)))
        .collect())
}

/// The greatest common divisor.
fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
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
