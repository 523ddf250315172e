//! The star of rooms, asserted: `base` at the centre, the rooms around it never see each other, `lab` sees
//! them all, and the command line sees `lab`, `report` and `base`.
//!
//! The compiler keeps the walls that the manifests draw; this check keeps the manifests. It is why a method
//! cannot know what kind of target it runs on, and why no circle is possible. `fuzzing` sees all rooms, too. Tests keep to the same rule,
//! except those of `lab` and the command line, which try the whole house.

use crate::metadata::{Package, Workspace};

/// The rooms around the centre.
const AROUND_BASE: &[&str] = &[
    "sim", "uring", "methods", "report", "store", "judge", "infer", "nbd",
];
/// Chores: they see the product as its users do, from outside.
const STAND_ALONE: &[&str] = &["xtask", "devices"];
/// The entrances: nothing depends on them.
const ENTRANCES: &[&str] = &["drivelab", "drivelab-py"];
/// The room that feeds the parsers of all others: nothing depends on it either.
const FUZZING: &str = "fuzzing";
/// What an entrance may see.
const SEEN_FROM_ENTRANCE: &[&str] = &["lab", "report", "base"];

/// Every dependency between rooms that the star forbids, and every room that it does not know.
pub(crate) fn violations(workspace: &Workspace) -> Vec<String> {
    let rooms: Vec<&Package> = workspace
        .packages
        .iter()
        .filter(|package| package.ours)
        .collect();
    let names: Vec<&str> = rooms.iter().map(|room| room.name.as_str()).collect();
    let mut found = Vec::new();
    for room in &rooms {
        if !known(&room.name) {
            found.push(format!(
                "{}: not a room of the star: give it a place in crates/xtask/src/star.rs and in DESIGN.md",
                room.name
            ));
            continue;
        }
        for dependency in room
            .dependencies
            .iter()
            .filter(|dependency| names.contains(&dependency.name.as_str()))
        {
            if !allowed(&room.name, &dependency.name, dependency.for_tests) {
                found.push(format!(
                    "{} must not depend on {}{}: {}",
                    room.name,
                    dependency.name,
                    if dependency.for_tests {
                        " in its tests"
                    } else {
                        ""
                    },
                    remedy(&room.name)
                ));
            }
        }
    }
    found
}

fn known(room: &str) -> bool {
    room == "base"
        || room == "lab"
        || room == FUZZING
        || STAND_ALONE.contains(&room)
        || AROUND_BASE.contains(&room)
        || ENTRANCES.contains(&room)
}

fn allowed(room: &str, on: &str, for_tests: bool) -> bool {
    let below_lab = on == "base" || AROUND_BASE.contains(&on);
    match room {
        "base" | "xtask" | "devices" => false,
        "lab" => below_lab,
        FUZZING => below_lab || on == "lab",
        _ if ENTRANCES.contains(&room) => {
            SEEN_FROM_ENTRANCE.contains(&on) || (for_tests && below_lab)
        }
        _ => on == "base",
    }
}

fn remedy(room: &str) -> &'static str {
    match room {
        "base" => "the centre knows no other room",
        "xtask" | "devices" => "chores stand alone",
        "lab" | FUZZING => "nothing depends on an entrance",
        _ if ENTRANCES.contains(&room) => "go through lab, the hub",
        _ => "a room sees only base: put what both need into base, or join them in lab",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn room(name: &str, on: &[&str], in_tests: &[&str]) -> Package {
        let line = |for_tests| {
            move |name: &&str| Dependency {
                name: (*name).to_string(),
                for_tests,
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

    fn house(changed: Package) -> Workspace {
        let mut packages = vec![
            room("base", &[], &[]),
            room("sim", &["base"], &[]),
            room("uring", &["base"], &[]),
            room("methods", &["base"], &[]),
            room("report", &["base"], &[]),
            room("lab", &["base", "sim", "uring", "methods", "report"], &[]),
            room("drivelab", &["lab", "report", "base"], &["sim"]),
        ];
        packages.retain(|package| package.name != changed.name);
        packages.push(changed);
        Workspace { packages }
    }

    #[test]
    fn the_star_as_drawn_is_good() {
        assert_eq!(
            violations(&house(room("store", &["base"], &["base"]))),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_room_that_sees_its_neighbour_is_named() {
        let found = violations(&house(room("methods", &["base", "sim"], &[])));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("methods must not depend on sim: a room sees only base"),
            "{found:?}"
        );
    }

    #[test]
    fn a_neighbour_in_the_tests_is_a_breach_too() {
        let found = violations(&house(room("methods", &["base"], &["sim"])));
        assert!(
            found[0].starts_with("methods must not depend on sim in its tests"),
            "{found:?}"
        );
    }

    #[test]
    fn the_centre_knows_nobody() {
        assert_eq!(violations(&house(room("base", &["sim"], &[]))).len(), 1);
    }

    #[test]
    fn the_command_line_may_not_reach_past_the_hub_but_its_tests_may() {
        assert_eq!(
            violations(&house(room("drivelab", &["lab", "methods"], &[]))).len(),
            1
        );
        assert!(violations(&house(room("drivelab", &["lab"], &["methods"]))).is_empty());
    }

    #[test]
    fn nothing_depends_on_the_command_line() {
        assert_eq!(
            violations(&house(room("lab", &["base", "drivelab"], &[]))).len(),
            1
        );
    }

    #[test]
    fn a_room_that_nobody_drew_is_named() {
        let found = violations(&house(room("helpers", &[], &[])));
        assert!(
            found[0].starts_with("helpers: not a room of the star"),
            "{found:?}"
        );
    }

    #[test]
    fn crates_from_outside_do_not_matter() {
        assert!(violations(&house(room("sim", &["base", "libm"], &["proptest"]))).is_empty());
    }
}
