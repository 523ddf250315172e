//! Files of disks whose parameters were extracted, as `validate` reads them.

use sim::hdd::extracted::file::DiskFile;

pub(crate) const WORDS: &[&str] = &[
    "[mechanics]\n",
    "[controller]\n",
    "[bus]\n",
    "[layout]\n",
    "[[layout.zones]]\n",
    "seek_type",
    "\"extracted\"",
    "\"hplplus10\"",
    "seek_curve_cylinders_ms",
    "rotation_speed_in_rpms",
    "blocks_per_track",
    "slips",
    "defects",
    "sparing_scheme_used",
    "lbn_to_pbn_mapping_scheme",
    "first_cylinder_number",
    "last_cylinder_number",
];

pub(crate) fn run(input: &[u8]) {
    let Some(text) = super::text(input) else {
        return;
    };
    let parameters = DiskFile::read(text, "fuzz.toml").and_then(|disk| disk.parameters());
    if let Err(bad) = parameters {
        super::refusal(&bad);
    }
}
