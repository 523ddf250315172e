//! Tests of what a disk's file may say.

use super::*;

const SMALL: &str = r#"
name = "small"
number_of_data_surfaces = 2

[mechanics]
access_time_type = "trackSwitchPlusRotation"
seek_type = "extracted"
seek_curve_cylinders_ms = [[1, 1.5], [9, 5.0]]
head_switch_time = 0.8
rotation_speed_in_rpms = 7200

[controller]
number_of_buffer_segments = 2
segment_size_in_blks = 256
bulk_sector_transfer_time = 0.1

[layout]
lbn_to_pbn_mapping_scheme = 0
sparing_scheme_used = 9

[[layout.zones]]
first_cylinder_number = 0
last_cylinder_number = 9
blocks_per_track = 100
skew_for_track_switch = 12
number_of_spares = 5
slips = [3, 700]
"#;

fn error_of(text: &str) -> String {
    let read = DiskFile::read(text, "small.toml").and_then(|disk| disk.parameters());
    read.map(|p| p.blocks).unwrap_err().to_string()
}

#[test]
fn a_small_disk_needs_few_keys() {
    let disk = DiskFile::read(SMALL, "small.toml").unwrap();
    let p = disk.parameters().unwrap();
    assert_eq!(p.blocks, 2_000 - 5);
    assert_eq!(p.mechanics.actuator.curve.time(1), 1_500_000);
    let rules = p.unqueued.unwrap();
    assert_eq!(rules.bus.read_block_ns, 100_000);
    assert!(!rules.fast_write && !rules.caching);
}

#[test]
fn errors_name_file_line_and_key() {
    let cases = [
        (
            "blocks_per_track = 100",
            "blocks_per_track = \"many\"",
            "small.toml:24: blocks_per_track: invalid type: string \"many\", expected u32",
        ),
        (
            "segment_size_in_blks",
            "segment_size",
            "small.toml:14: segment_size: unknown field `segment_size`",
        ),
        (
            "last_cylinder_number = 9",
            "last_cylinder_number = -9",
            "small.toml:23: last_cylinder_number",
        ),
        (
            "last_cylinder_number = 9",
            "last_cylinder_number = 4294967295",
            "small.toml:23: last_cylinder_number: a disk has at most",
        ),
        (
            "[[1, 1.5], [9, 5.0]]",
            "[[9, 1.5], [1, 5.0]]",
            "small.toml:8: seek_curve_cylinders_ms: a seek curve's distances must grow",
        ),
        (
            "head_switch_time = 0.8",
            "head_switch_time = nan",
            "small.toml:9: head_switch_time: NaN is not a number",
        ),
        (
            "sparing_scheme_used = 9",
            "sparing_scheme_used = 4",
            "small.toml:19: sparing_scheme_used: scheme 4 is not modelled",
        ),
        (
            "slips = [3, 700]",
            "slips = [3, 70000]",
            "small.toml:22: first_cylinder_number: zone 0: slips must grow",
        ),
        (
            "rotation_speed_in_rpms = 7200",
            "rotation_speed_in_rpms = 0",
            "small.toml:10: rotation_speed_in_rpms: a disc turns",
        ),
        (
            "slips = [3, 700]",
            "defects = [3, 700, 12]",
            "small.toml:27: defects: a list of pairs",
        ),
        (
            "slips = [3, 700]",
            "defects = [[3, 70000]]",
            "small.toml:27: defects: zone 0: a remapped sector",
        ),
        (
            "bulk_sector_transfer_time = 0.1",
            "extra_write_disconnect = 2",
            "small.toml:15: extra_write_disconnect: 0 or 1",
        ),
    ];
    for (from, to, expected) in cases {
        let error = error_of(&SMALL.replace(from, to));
        assert!(error.starts_with(expected), "{error}");
        assert!(!error.contains('\n'));
    }
}

#[test]
fn a_missing_key_is_named() {
    let error = error_of(&SMALL.replace("rotation_speed_in_rpms = 7200\n", ""));
    assert!(
        error.contains("missing field `rotation_speed_in_rpms`"),
        "{error}"
    );
}

#[test]
fn a_formula_gives_the_seek_times_past_the_first_ten() {
    let formula = r#"seek_type = "hplplus10"
first_ten_seek_times = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
hpl_seek_equation_values = [400.0, 1.0, 0.5, 8.0, 0.008, 1.0]"#;
    let text = SMALL
        .replace("seek_type = \"extracted\"", formula)
        .replace("last_cylinder_number = 9", "last_cylinder_number = 999");
    let p = DiskFile::read(&text, "small.toml")
        .unwrap()
        .parameters()
        .unwrap();
    let curve = &p.mechanics.actuator.curve;
    assert_eq!(curve.time(10), 1_900_000);
    assert_eq!(curve.time(100), 6_000_000);
    assert_eq!(curve.time(500), 12_000_000);
}

#[test]
fn every_sparing_scheme_leaves_room_for_its_spares() {
    let blocks = |scheme: u32, spares: &str| {
        let text = SMALL
            .replace(
                "scheme_used = 9",
                &format!("scheme_used = {scheme}\nrangesize_for_sparing = 3"),
            )
            .replace("number_of_spares = 5\nslips = [3, 700]", spares);
        let disk = DiskFile::read(&text, "small.toml").unwrap();
        disk.parameters().unwrap().blocks
    };
    assert_eq!(blocks(1, "number_of_spares = 2\nslips = [4]"), 1_800);
    assert_eq!(blocks(3, "number_of_spares = 2\nslips = [4]"), 1_960);
    assert_eq!(blocks(3, "number_of_spares = 2"), 1_960);
    assert_eq!(blocks(7, "number_of_spares = 2\nslips = [4]"), 1_999);
    // Three whole ranges of three cylinders.
    assert_eq!(blocks(8, "number_of_spares = 7\nslips = [4]"), 2_000 - 21);
    assert_eq!(blocks(9, "number_of_spares = 7\nslips = [4]"), 2_000 - 7);
}
