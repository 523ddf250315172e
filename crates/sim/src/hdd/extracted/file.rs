//! What the file of an extracted disk holds.
//!
//! Times are in milliseconds and sizes in blocks of 512 bytes; the names are those of the DiskSim 4.0
//! reference manual, section on disk modules. Keys that have no effect when one command is there at a
//! time are known and skipped; a key that is not known at all is an error, since it may be a mistake.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Why a file describes no disk that can be modelled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {key}: {what}")]
pub struct BadDisk {
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The key there.
    pub key: String,
    /// What is wrong with it.
    pub what: String,
}

/// A disk as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskFile {
    /// The disk's name.
    pub name: String,
    #[serde(rename = "source")]
    _source: Option<IgnoredAny>,
    /// What is known of other simulations of it: not for the model to see.
    #[serde(rename = "disksim_rms_ms")]
    _disksim_rms_ms: Option<IgnoredAny>,
    pub(super) number_of_data_surfaces: u16,
    #[serde(rename = "number_of_cylinders")]
    _number_of_cylinders: Option<IgnoredAny>,
    #[serde(rename = "block_count")]
    _block_count: Option<IgnoredAny>,
    /// What the zones add up to, where the file says so.
    pub layout_block_count: Option<u64>,
    pub(super) mechanics: Mechanics,
    pub(super) controller: Controller,
    #[serde(default)]
    pub(super) bus: Bus,
    pub(super) layout: Layout,
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    file: String,
}

/// How seek times are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeekType {
    /// Points of a curve.
    Extracted,
    /// Ten times and a formula.
    Hplplus10,
}

/// How access times come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum AccessTime {
    /// Seek or head change, then the true wait for the sector.
    #[serde(rename = "trackSwitchPlusRotation")]
    TrackSwitchPlusRotation,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mechanics {
    #[serde(rename = "access_time_type")]
    _access_time_type: AccessTime,
    pub(super) seek_type: SeekType,
    #[serde(default)]
    pub(super) seek_curve_cylinders_ms: Vec<(u32, f64)>,
    #[serde(default)]
    pub(super) first_ten_seek_times: Vec<f64>,
    #[serde(default)]
    pub(super) hpl_seek_equation_values: Vec<f64>,
    #[serde(rename = "single_cylinder_seek_time")]
    _single_cylinder_seek_time: Option<IgnoredAny>,
    #[serde(rename = "average_seek_time")]
    _average_seek_time: Option<IgnoredAny>,
    #[serde(rename = "full_strobe_seek_time")]
    _full_strobe_seek_time: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) add_write_settling_delay: f64,
    #[serde(default)]
    pub(super) head_switch_time: f64,
    pub(super) rotation_speed_in_rpms: f64,
    #[serde(default)]
    pub(super) percent_error_in_rpms: f64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Bus {
    pub(super) read_block_transfer_time: f64,
    pub(super) write_block_transfer_time: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layout {
    #[serde(default = "sectors", rename = "skew_units")]
    pub(super) skew_units: String,
    pub(super) lbn_to_pbn_mapping_scheme: u32,
    pub(super) sparing_scheme_used: u32,
    #[serde(default = "one")]
    pub(super) rangesize_for_sparing: u32,
    pub(super) zones: Vec<Zone>,
}

fn sectors() -> String {
    "sectors".to_owned()
}

fn one() -> u32 {
    1
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Zone {
    pub(super) first_cylinder_number: u32,
    pub(super) last_cylinder_number: u32,
    pub(super) blocks_per_track: u32,
    #[serde(default)]
    pub(super) offset_of_first_block: f64,
    #[serde(default)]
    pub(super) empty_space_at_zone_front: u32,
    #[serde(default)]
    pub(super) skew_for_track_switch: f64,
    #[serde(default)]
    pub(super) skew_for_cylinder_switch: f64,
    #[serde(default)]
    pub(super) number_of_spares: u32,
    #[serde(default)]
    pub(super) slips: Vec<u32>,
    #[serde(default)]
    pub(super) defects: Defects,
}

/// Sectors that went bad in service, as pairs of a sector and its spare, both counted from the zone's
/// start: a list of pairs, or all numbers in one list, as DiskSim has them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Defects {
    /// One list each.
    Pairs(Vec<(u32, u32)>),
    /// One list for all.
    Flat(Vec<u32>),
}

impl Default for Defects {
    fn default() -> Defects {
        Defects::Pairs(Vec::new())
    }
}

impl Defects {
    /// The pairs; `None` where a sector has no spare.
    pub(super) fn pairs(&self) -> Option<Vec<(u32, u32)>> {
        match self {
            Defects::Pairs(pairs) => Some(pairs.clone()),
            Defects::Flat(numbers) => {
                let whole = numbers.len().is_multiple_of(2);
                whole.then(|| {
                    numbers
                        .chunks_exact(2)
                        .map(|pair| (pair[0], pair[1]))
                        .collect()
                })
            }
        }
    }
}

/// Declares a table of which some keys count and others are known but have no effect.
macro_rules! controller {
    (
        needed { $($needed:ident: $needed_type:ty,)* }
        counts { $($counts:ident: $counts_type:ty,)* }
        no_effect { $($idle:ident = $idle_name:literal,)* }
    ) => {
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct Controller {
            $(pub(super) $needed: $needed_type,)*
            $(#[serde(default)] pub(super) $counts: $counts_type,)*
            $(#[serde(rename = $idle_name)] $idle: Option<IgnoredAny>,)*
        }

        impl Controller {
            /// Every time and share with its name.
            fn times(&self) -> Vec<(&'static str, f64)> {
                vec![$((stringify!($counts), f64::from(self.$counts as f32)),)*]
            }
        }
    };
}

controller! {
    needed {
        number_of_buffer_segments: u32,
        segment_size_in_blks: u64,
    }
    counts {
        bulk_sector_transfer_time: f64,
        hold_bus_entire_read_xfer: u32,
        allow_read_hits_on_write_data: u32,
        never_disconnect: u32,
        use_separate_write_segment: u32,
        high_read_water_mark: f64,
        enable_caching_in_buffer: u32,
        buffer_continuous_read: u32,
        maximum_read_ahead_blks: u64,
        read_ahead_on_idle_hit: u32,
        read_any_free_blocks: u32,
        fast_write_level: u32,
        immediate_buffer_read: u32,
        immediate_buffer_write: u32,
        combine_seq_writes: u32,
        stop_prefetch_in_sector: u32,
        read_hit_over_after_read: f64,
        read_hit_over_after_write: f64,
        read_miss_over_after_read: f64,
        read_miss_over_after_write: f64,
        write_hit_over_after_read: f64,
        write_hit_over_after_write: f64,
        write_miss_over_after_read: f64,
        write_miss_over_after_write: f64,
        read_completion_overhead: f64,
        write_completion_overhead: f64,
        data_preparation_overhead: f64,
        first_reselect_overhead: f64,
        read_disconnect_afterread: f64,
        read_disconnect_afterwrite: f64,
        write_disconnect_overhead: f64,
        extra_write_disconnect: u32,
        other_reselect_overhead: f64,
        extradisc_command_overhead: f64,
        extradisc_disconnect_overhead: f64,
        extradisc_inter_disconnect_delay: f64,
        extradisc_2nd_disconnect_overhead: f64,
        extradisc_seek_delta: f64,
        minimum_seek_delay: f64,
    }
    no_effect {
        _per_request = "per_request_overhead_time",
        _scale = "time_scale_for_overheads",
        _hold_write = "hold_bus_entire_write_xfer",
        _almost = "allow_almost_read_hits",
        _sneaky_full = "allow_sneaky_full_read_hits",
        _sneaky_partial = "allow_sneaky_partial_read_hits",
        _sneaky_intermediate = "allow_sneaky_intermediate_read_hits",
        _prebuffering = "allow_write_prebuffering",
        _preseeking = "preseeking_level",
        _sectors_per_cylinder = "avg_sectors_per_cylinder",
        _queue_length = "max_queue_length",
        _write_segments = "maximum_number_of_write_segments",
        _low_write_mark = "low_write_water_mark",
        _mark_by_request = "set_watermark_by_reqsize",
        _sector_by_sector = "calc_sector_by_sector",
        _least_ahead = "minimum_read_ahead_blks",
        _ahead_over_requested = "read_ahead_over_requested",
        _disconnect_if_seek = "disconnect_write_if_seek",
        _write_hit_stops = "write_hit_stop_prefetch",
        _directly = "read_directly_to_buffer",
        _partial_hit_at_once = "immed_transfer_partial_hit",
    }
}

impl DiskFile {
    /// Reads a file's text; `file` is its name in errors.
    ///
    /// # Errors
    /// Where the text is not TOML, a key is unknown, missing or of another type, or a value is outside
    /// of what a disk can have.
    pub fn read(text: &str, file: &str) -> Result<DiskFile, BadDisk> {
        let mut disk: DiskFile = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let line = text.as_bytes()[..at]
                .iter()
                .filter(|b| **b == b'\n')
                .count();
            let key = text.lines().nth(line).unwrap_or_default();
            BadDisk {
                file: file.to_owned(),
                line: line + 1,
                key: key.split('=').next().unwrap_or_default().trim().to_owned(),
                what: first_words(error.message()),
            }
        })?;
        disk.text = text.to_owned();
        disk.file = file.to_owned();
        disk.check()?;
        Ok(disk)
    }

    fn check(&self) -> Result<(), BadDisk> {
        let m = &self.mechanics;
        let bus = &self.bus;
        let times = self.controller.times().into_iter().chain([
            ("head_switch_time", m.head_switch_time),
            ("read_block_transfer_time", bus.read_block_transfer_time),
            ("write_block_transfer_time", bus.write_block_transfer_time),
        ]);
        for (key, value) in times {
            if !(0.0..=1e9).contains(&value) {
                return Err(self.bad(key, format!("{value} is not a number from 0 to 10^9")));
            }
        }
        let rules: [(&str, bool, &str); 7] = [
            (
                "rotation_speed_in_rpms",
                (1.0..=1e6).contains(&m.rotation_speed_in_rpms),
                "a disc turns 1 to 1,000,000 times a minute",
            ),
            (
                "percent_error_in_rpms",
                m.percent_error_in_rpms.abs() < 1e-9,
                "an error of the speed is not modelled: 0",
            ),
            (
                "add_write_settling_delay",
                (-1e3..=1e3).contains(&m.add_write_settling_delay),
                "a settling time lies within a second",
            ),
            (
                "skew_units",
                self.layout.skew_units == "sectors",
                "skews are modelled in \"sectors\" alone",
            ),
            (
                "extra_write_disconnect",
                self.controller.extra_write_disconnect <= 1,
                "0 or 1",
            ),
            (
                "buffer_continuous_read",
                self.controller.buffer_continuous_read <= 4,
                "one of 0, 1, 2, 3 and 4",
            ),
            (
                "number_of_buffer_segments",
                (1..=65_536).contains(&self.controller.number_of_buffer_segments),
                "1 to 65,536 segments",
            ),
        ];
        match rules.into_iter().find(|(_, holds, _)| !holds) {
            Some((key, _, what)) => Err(self.bad(key, what.to_owned())),
            None => self.check_zones(),
        }
    }

    fn check_zones(&self) -> Result<(), BadDisk> {
        for (index, zone) in self.layout.zones.iter().enumerate() {
            let sectors = f64::from(zone.blocks_per_track.max(1)) * 1e3;
            let skews = [
                ("offset_of_first_block", zone.offset_of_first_block),
                ("skew_for_track_switch", zone.skew_for_track_switch),
                ("skew_for_cylinder_switch", zone.skew_for_cylinder_switch),
            ];
            for (key, value) in skews {
                if !(0.0..=sectors).contains(&value) {
                    let what = format!("{value} sectors are no skew");
                    return Err(self.bad_zone(index, key, what));
                }
            }
        }
        Ok(())
    }

    /// An error at a key that the file has once.
    pub(super) fn bad(&self, key: &str, what: String) -> BadDisk {
        self.bad_zone(0, key, what)
    }

    /// An error at a key of a zone.
    pub(super) fn bad_zone(&self, zone: usize, key: &str, what: String) -> BadDisk {
        let is_it = |line: &str| line.split('=').next().is_some_and(|k| k.trim() == key);
        let lines = self.text.lines().enumerate();
        let mut at = lines.filter(|(_, line)| is_it(line)).map(|(n, _)| n + 1);
        BadDisk {
            file: self.file.clone(),
            line: at.nth(zone).unwrap_or(1),
            key: key.to_owned(),
            what,
        }
    }
}

/// An error without the list of all keys that there are.
fn first_words(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    first
        .split(", expected one of")
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests;
