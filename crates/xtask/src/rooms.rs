//! The rooms of the house and what each may see: dependencies run downwards, and nowhere else.
//!
//! The compiler keeps the walls that the manifests draw; this check keeps the manifests. It is why a method cannot
//! know what kind of target it runs on, why what a device is stays apart from how it is driven, and why no circle is
//! possible: a room sees only rooms that are listed before it. Tests keep to the same rule, except those of the
//! command line, which try the whole house.

use crate::metadata::{Package, Workspace};

/// A room, and the rooms that it may see. Lower ones first.
struct Room {
    name: &'static str,
    sees: &'static [&'static str],
}

const fn room(name: &'static str, sees: &'static [&'static str]) -> Room {
    Room { name, sees }
}

/// The house, from the ground up.
const ROOMS: &[Room] = &[
    room("base", &[]),
    room("results", &["base"]),
    room("fixtures", &["base", "results"]),
    room("stats", &["base"]),
    room("traces", &["base"]),
    room("uring", &["base"]),
    room("inspect", &["base", "uring"]),
    room("sim", &["base"]),
    room("methods", &["base", "stats", "traces"]),
    room("fio", &["base", "traces"]),
    room("diskspd", &["base"]),
    room("store", &["base"]),
    room("analysis", &["base", "results", "stats"]),
    room("report", &["base", "results", "analysis"]),
    room(
        "lab",
        &[
            "base", "results", "stats", "traces", "uring", "inspect", "sim", "methods", "store",
            "analysis",
        ],
    ),
    room(
        "rescue",
        &["base", "results", "uring", "inspect", "sim", "lab"],
    ),
    room(
        "plans",
        &[
            "base", "results", "stats", "inspect", "sim", "methods", "store", "analysis", "lab",
        ],
    ),
    room(
        "accuracy",
        &[
            "base", "results", "stats", "sim", "methods", "store", "analysis", "lab", "plans",
        ],
    ),
    room("emulate", &["base", "traces", "uring", "lab"]),
    room(
        "benchmarks",
        &[
            "base", "results", "stats", "uring", "sim", "store", "lab", "accuracy", "emulate",
        ],
    ),
    // What a command does is below it: the command line sees no drive, modelled or real.
    room(
        "drivelab",
        &[
            "base",
            "results",
            "stats",
            "traces",
            "analysis",
            "report",
            "lab",
            "rescue",
            "fio",
            "diskspd",
            "plans",
            "accuracy",
            "benchmarks",
            "emulate",
        ],
    ),
    // The parsers of all rooms.
    room(
        "fuzzing",
        &[
            "base", "results", "stats", "traces", "uring", "inspect", "sim", "methods", "store",
            "analysis", "report", "lab", "rescue", "fio", "diskspd", "plans", "accuracy",
            "emulate",
        ],
    ),
    // Chores: they see the product as its users do, from outside.
    room("xtask", &[]),
    room("devices", &[]),
];
/// What tests of any room may see beside it.
const FOR_TESTS: &str = "fixtures";
/// Work in another program's language: below the run, so that it cannot open a device; its tests run it.
const RUN_BY_THEIR_TESTS: [&str; 2] = ["fio", "diskspd"];
/// What runs it.
const RUN: &str = "lab";
/// Its tests try the whole house.
const ENTRANCE: &str = "drivelab";

/// Every dependency between rooms that is not drawn above, and every room that is missing there.
pub(crate) fn violations(workspace: &Workspace) -> Vec<String> {
    let ours: Vec<&Package> = workspace
        .packages
        .iter()
        .filter(|package| package.ours)
        .collect();
    let is_room = |name: &str| ours.iter().any(|package| package.name == name);
    let mut found = Vec::new();
    for package in &ours {
        let Some(room) = ROOMS.iter().find(|room| room.name == package.name) else {
            found.push(format!(
                "{}: not a room of the house: give it a place in crates/xtask/src/rooms.rs and in DESIGN.md",
                package.name
            ));
            continue;
        };
        for dependency in &package.dependencies {
            if is_room(&dependency.name) && !allowed(room, &dependency.name, dependency.for_tests) {
                let in_tests = if dependency.for_tests {
                    " in its tests"
                } else {
                    ""
                };
                found.push(format!(
                    "{} must not depend on {}{in_tests}: it sees {}",
                    room.name,
                    dependency.name,
                    match room.sees {
                        [] => "no other room".to_owned(),
                        sees => sees.join(", "),
                    }
                ));
            }
        }
    }
    found
}

fn allowed(room: &Room, on: &str, for_tests: bool) -> bool {
    let in_tests = || {
        let is_run = on == RUN && RUN_BY_THEIR_TESTS.contains(&room.name);
        on == FOR_TESTS || room.name == ENTRANCE || is_run
    };
    room.sees.contains(&on) || (for_tests && in_tests())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn package(name: &str, on: &[&str], in_tests: &[&str]) -> Package {
        let line = |for_tests| {
            move |name: &&str| Dependency {
                name: (*name).to_string(),
                for_tests,
                is_optional: false,
            }
        };
        Package {
            name: name.to_string(),
            ours: true,
            dependencies: on
                .iter()
                .map(line(false))
                .chain(in_tests.iter().map(line(true)))
                .collect(),
            ..Package::default()
        }
    }

    /// Every room with all that it may see, and one of them changed.
    fn house(changed: Package) -> Workspace {
        let mut packages: Vec<Package> = ROOMS
            .iter()
            .map(|room| package(room.name, room.sees, &[FOR_TESTS]))
            .filter(|package| package.name != changed.name && package.name != FOR_TESTS)
            .collect();
        packages.push(package(FOR_TESTS, &[], &[]));
        packages.push(changed);
        Workspace { packages }
    }

    #[test]
    fn a_room_sees_only_rooms_below_it() {
        for (place, room) in ROOMS.iter().enumerate() {
            for seen in room.sees {
                let below = ROOMS[..place].iter().any(|other| other.name == *seen);
                assert!(below, "{} sees {seen}", room.name);
            }
        }
    }

    #[test]
    fn the_house_as_drawn_is_good() {
        let good = violations(&house(package("store", &["base"], &["base"])));
        assert_eq!(good, Vec::<String>::new());
    }

    #[test]
    fn a_method_that_sees_a_simulator_is_named_also_where_only_its_tests_do() {
        let found = violations(&house(package("methods", &["base", "sim"], &[])));
        assert_eq!(
            found,
            ["methods must not depend on sim: it sees base, stats, traces"]
        );
        let found = violations(&house(package("methods", &["base"], &["sim"])));
        assert_eq!(
            found,
            ["methods must not depend on sim in its tests: it sees base, stats, traces"]
        );
    }

    #[test]
    fn the_ground_knows_nobody() {
        let found = violations(&house(package("base", &["sim"], &[])));
        assert_eq!(
            found,
            ["base must not depend on sim: it sees no other room"]
        );
    }

    #[test]
    fn the_command_line_sees_no_drive_but_its_tests_may() {
        let found = violations(&house(package("drivelab", &["lab", "sim"], &[])));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(violations(&house(package("drivelab", &["lab"], &["sim"]))).is_empty());
    }

    #[test]
    fn a_room_that_nobody_drew_is_named() {
        let found = violations(&house(package("helpers", &[], &[])));
        assert!(found[0].starts_with("helpers: not a room"), "{found:?}");
    }

    #[test]
    fn crates_from_outside_do_not_matter() {
        let good = violations(&house(package("sim", &["base", "libm"], &["proptest"])));
        assert!(good.is_empty());
    }
}
