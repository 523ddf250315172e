//! Zones: parts of a file that are worked in one after the other (`zonemode=strided`), and those of a zoned drive
//! (`zonemode=zbd`), which are written at their write pointers.

use super::Options;
use crate::units::{self, Amount};

/// Parts of a file that are worked in one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strided {
    /// Bytes that are moved in a part.
    pub size: u64,
    /// Its length.
    pub range: u64,
    /// Between two parts.
    pub skip: u64,
}

/// How the zones of a zoned drive are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zbd {
    /// Length of a zone, where it is given: the drive's.
    pub size: Option<u64>,
    /// Open at once, of all jobs.
    pub max_open: Option<u32>,
    /// Open at once, of this one.
    pub job_max_open: Option<u32>,
    /// The drive's own limits are ignored.
    pub ignores_limits: bool,
    /// Reads may go beyond write pointers.
    pub beyond_pointer: bool,
    /// Above this share of the zones' data, zones are reset now and then.
    pub reset_threshold: f64,
    /// Resets a write, then.
    pub reset_frequency: f64,
}

/// A job's zones: parts of its file, or those of the drive.
pub(super) fn zones(o: &mut Options<'_>) -> (Option<Strided>, Option<Zbd>) {
    let is_of_drive = o
        .section
        .get("zonemode")
        .and_then(|given| given.value.as_deref())
        == Some("zbd");
    match is_of_drive {
        true => (None, Some(of_drive(o))),
        false => (strided(o), None),
    }
}

fn of_drive(o: &mut Options<'_>) -> Zbd {
    let count = |o: &mut Options<'_>, name| match o.number(name, 0, 0, u64::from(u32::MAX)) {
        0 => None,
        most => Some(most as u32),
    };
    let share = |o: &mut Options<'_>, name| {
        o.take(name, 0.0, |text, _| match text.trim().parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
            _ => Err(format!("'{text}' is not from 0 to 1")),
        })
    };
    Zbd {
        size: Some(o.number("zonesize", 0, 0, u64::MAX)).filter(|size| *size > 0),
        max_open: count(o, "max_open_zones"),
        job_max_open: count(o, "job_max_open_zones"),
        ignores_limits: o.flag("ignore_zone_limits", false),
        beyond_pointer: o.flag("read_beyond_wp", false),
        reset_threshold: share(o, "zone_reset_threshold"),
        reset_frequency: share(o, "zone_reset_frequency"),
    }
}

fn strided(o: &mut Options<'_>) -> Option<Strided> {
    let wanted = o.take("zonemode", None, |text, _| match text {
        "none" => Ok(Some(false)),
        "strided" => Ok(Some(true)),
        _ => Err("it is none, strided or zbd".to_owned()),
    });
    let size = o.number("zonesize", 0, 0, u64::MAX);
    let range = o.number("zonerange", 0, 0, u64::MAX);
    let skip = o.take("zoneskip", 0, |text, base| {
        match units::amount(text, base)? {
            Amount::Bytes(bytes) => Ok(bytes),
            Amount::Zones(zones) => Ok(zones.saturating_mul(size)),
            Amount::Percent(_) => Err("it is a size, or a number of zones (1z)".to_owned()),
        }
    });
    if wanted != Some(true) {
        if size > 0 {
            o.wrong("zonesize", "it goes with zonemode=strided".to_owned());
        }
        return None;
    }
    if size == 0 {
        o.wrong("zonemode", "it needs zonesize=...".to_owned());
        return None;
    }
    Some(Strided {
        size,
        range: if range == 0 { size } else { range },
        skip,
    })
}
