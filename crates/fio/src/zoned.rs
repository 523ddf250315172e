//! Whether jobs and a drive's zones fit, before anything is sent.
//!
//! A drive whose zones are written in order takes writes of jobs that mind its zones (`zonemode=zbd`), and of no others.
//! Their regions are whole zones, as in fio: the begin is rounded up and the end down.

use base::zone::{Zone, ZoneLimits, Zoned};
use base::{Bytes, Op};

use crate::error::FioError;
use crate::job::Job;
use crate::job::zones::Zbd;
use crate::layout::{Place, Region};
use crate::units::Amount;

/// Number of zones per query.
const A_REPORT: usize = 4_096;

/// The drive's report about its zones.
pub(crate) struct Reported {
    pub(crate) limits: ZoneLimits,
    pub(crate) zones: Vec<Zone>,
}

/// Asks a drive for its zones.
///
/// # Errors
/// The drive does not tell.
pub(crate) fn report(zoned: &mut dyn Zoned) -> Result<Reported, FioError> {
    let limits = zoned.limits();
    let mut zones: Vec<Zone> = Vec::new();
    let mut from = Bytes::ZERO;
    while (zones.len() as u64) < limits.zones {
        let more = zoned.report(from, A_REPORT).map_err(|errno| {
            FioError::Target(format!(
                "its zones are not told: {}",
                base::errno::in_words(errno)
            ))
        })?;
        let Some(last) = more.last() else { break };
        from = last.end();
        zones.extend(more);
    }
    Ok(Reported { limits, zones })
}

/// Checks jobs against the zones of their target, and makes their regions whole zones.
///
/// # Errors
/// What does not go together.
pub(crate) fn fit(
    jobs: &[Job],
    places: &mut [Place],
    zones: Option<&ZoneLimits>,
    target: &str,
) -> Result<(), FioError> {
    for job in jobs {
        match (&job.zbd, zones) {
            (None, None) => {}
            (None, Some(_)) if job.writes() => {
                return Err(FioError::job(
                    &job.name,
                    format!("{target} has zones, which are written in order: add zonemode=zbd"),
                ));
            }
            (None, Some(_)) => {}
            (Some(_), None) => {
                return Err(FioError::job(
                    &job.name,
                    format!(
                        "zonemode=zbd is for drives with zones, and {target} has none; zonemode=strided works in parts of any"
                    ),
                ));
            }
            (Some(rule), Some(limits)) => may_run(job, rule, limits)?,
        }
    }
    let Some(length) = zones
        .map(|limits| limits.zone_length.get())
        .filter(|length| *length > 0)
    else {
        return Ok(());
    };
    for place in places
        .iter_mut()
        .filter(|place| jobs[place.job].zbd.is_some())
    {
        let job = &jobs[place.job];
        let [region] = &mut place.regions[..] else {
            return Err(FioError::job(
                &job.name,
                "zonemode=zbd works on one file: the drive",
            ));
        };
        *region = whole_zones(*region, length).ok_or_else(|| {
            FioError::job(
                &job.name,
                format!("its region holds no whole zone of {}", Bytes::new(length)),
            )
        })?;
        if job.region.io_size.is_none() {
            place.bytes = place.bytes.min(region.len);
            place.limit = place.bytes;
        }
    }
    Ok(())
}

fn whole_zones(region: Region, length: u64) -> Option<Region> {
    let start = region.start.next_multiple_of(length);
    let end = (region.start + region.len) / length * length;
    (start < end).then(|| Region {
        start,
        len: end - start,
        file_start: region.file_start,
        file_end: end,
    })
}

/// Jobs whose numbers of zones are bytes: of the drive's zones, or of those that a job works in one after the other.
pub(crate) fn in_bytes(mut jobs: Vec<Job>, zones: Option<&ZoneLimits>) -> Vec<Job> {
    let of_drive = zones.map(|limits| limits.zone_length.get());
    for job in &mut jobs {
        let length = match (&job.zbd, &job.strided) {
            (Some(rule), _) => rule.size.or(of_drive),
            (None, strided) => strided.as_ref().map(|rule| rule.size),
        };
        let Some(length) = length.filter(|length| *length > 0) else {
            continue;
        };
        let amounts = [&mut job.region.offset, &mut job.region.offset_increment];
        let amounts = amounts
            .into_iter()
            .chain(&mut job.region.size)
            .chain(&mut job.region.io_size);
        for amount in amounts {
            if let Amount::Zones(zones) = amount {
                *amount = Amount::Bytes(length.saturating_mul(*zones));
            }
        }
    }
    jobs
}

fn may_run(job: &Job, rule: &Zbd, limits: &ZoneLimits) -> Result<(), FioError> {
    let wrong = |what: String| Err(FioError::job(&job.name, what));
    if let Some(size) = rule.size
        && size != limits.zone_length.get()
    {
        return wrong(format!(
            "zonesize is {}, and the drive's zones are {} long: leave it out",
            Bytes::new(size),
            limits.zone_length
        ));
    }
    let of_drive = [limits.max_open, limits.max_active]
        .into_iter()
        .flatten()
        .min();
    if let (Some(asked), Some(most)) = (rule.max_open, of_drive)
        && asked > most
        && !rule.ignores_limits
    {
        return wrong(format!(
            "max_open_zones is {asked}, and the drive has {most} at most"
        ));
    }
    if job.kind.does.0 == Op::Trim || job.kind.does.1 == Some(Op::Trim) {
        return wrong(
            "trims do not go with zonemode=zbd here: zones are reset when they are written again"
                .to_owned(),
        );
    }
    if job.verify.is_some() {
        return wrong(
            "verify does not go with zonemode=zbd here: what is verified may have been reset"
                .to_owned(),
        );
    }
    if job.replay.is_some() {
        return wrong(
            "read_iolog does not go with zonemode=zbd: its writes have places of their own"
                .to_owned(),
        );
    }
    if job.largest() > limits.zone_length.get() {
        return wrong(format!(
            "an I/O of {} is longer than a zone",
            Bytes::new(job.largest())
        ));
    }
    Ok(())
}
