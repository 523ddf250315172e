//! The crates of the workspace and what each may depend on: dependencies run downwards, and nowhere else.
//!
//! The compiler enforces the boundaries declared in the manifests; this check enforces the manifests. It is why a
//! method cannot know what kind of target it runs on, why device identity is separate from device access, and why there
//! are no cycles: a crate depends only on crates listed before it. Tests follow the same rule, except those of the
//! command line, which test the whole program.

use crate::metadata::{Package, Workspace};

/// A crate of ours, and those that it may depend on. Lower ones first.
struct Layer {
    name: &'static str,
    may_use: &'static [&'static str],
}

const fn layer(name: &'static str, may_use: &'static [&'static str]) -> Layer {
    Layer { name, may_use }
}

/// The workspace, from the ground up.
const LAYERS: &[Layer] = &[
    layer("base", &[]),
    layer("results", &["base"]),
    layer("imports", &["base", "results"]),
    layer("fleet", &["base"]),
    layer("fixtures", &["base", "results"]),
    layer("alien", &["base"]),
    layer("stats", &["base"]),
    layer("traces", &["base"]),
    layer("uring", &["base"]),
    layer("inspect", &["base", "uring"]),
    layer("sim", &["base"]),
    layer("infer", &["base", "stats"]),
    layer("methods", &["base", "stats", "traces", "infer"]),
    layer("fio", &["base", "traces"]),
    layer("diskspd", &["base"]),
    layer("store", &["base"]),
    layer("analysis", &["base", "results", "stats"]),
    layer("report", &["base", "results", "analysis"]),
    // It shows what the program prints: of ours it needs the texts' mechanism alone.
    layer("window", &["report"]),
    layer("targets", &["base", "results", "uring", "inspect", "sim"]),
    layer("emulate", &["base", "traces", "uring", "targets"]),
    layer(
        "lab",
        &[
            "base", "results", "stats", "traces", "uring", "inspect", "sim", "methods", "store",
            "analysis", "targets",
        ],
    ),
    layer(
        "rescue",
        &[
            "base", "results", "uring", "inspect", "sim", "targets", "lab",
        ],
    ),
    layer(
        "plans",
        &[
            "base", "results", "stats", "inspect", "sim", "methods", "store", "analysis",
            "targets", "lab",
        ],
    ),
    layer(
        "accuracy",
        &[
            "base", "results", "stats", "sim", "methods", "store", "analysis", "targets", "lab",
            "plans",
        ],
    ),
    layer(
        "benchmarks",
        &[
            "base", "results", "stats", "uring", "sim", "store", "targets", "lab", "accuracy",
            "emulate",
        ],
    ),
    // What a command does is below it: the command line knows no drive, modelled or real.
    layer(
        "drivelab",
        &[
            "base",
            "results",
            "stats",
            "traces",
            "analysis",
            "report",
            "targets",
            "lab",
            "rescue",
            "fio",
            "diskspd",
            "imports",
            "fleet",
            "plans",
            "accuracy",
            "benchmarks",
            "emulate",
            "window",
        ],
    ),
    // The parsers of all crates.
    layer(
        "fuzzing",
        &[
            "base", "results", "stats", "traces", "uring", "inspect", "sim", "methods", "store",
            "analysis", "report", "targets", "lab", "rescue", "fio", "diskspd", "imports", "plans",
            "accuracy", "emulate", "window",
        ],
    ),
    // Chores: they see the product as its users do, from outside.
    layer("xtask", &[]),
    layer("devices", &[]),
];
/// What tests of any crate may use in addition, and nothing that is shipped.
const FOR_TESTS: [&str; 2] = ["fixtures", "alien"];
/// Work in another program's language: below the run, so that it cannot open a device; its tests run it.
const RUN_BY_THEIR_TESTS: [&str; 2] = ["fio", "diskspd"];
/// What runs it.
const RUN: [&str; 2] = ["targets", "lab"];
/// Its tests try the whole program.
const ENTRANCE: &str = "drivelab";

/// Every dependency between crates that is not listed above, and every crate that is missing there.
pub(crate) fn violations(workspace: &Workspace) -> Vec<String> {
    let ours: Vec<&Package> = workspace
        .packages
        .iter()
        .filter(|package| package.ours)
        .collect();
    let is_ours = |name: &str| ours.iter().any(|package| package.name == name);
    let mut found = Vec::new();
    for package in &ours {
        let Some(layer) = LAYERS.iter().find(|layer| layer.name == package.name) else {
            found.push(format!(
                "{}: not a crate of the workspace's order: give it a place in crates/xtask/src/layering.rs and in DESIGN.md",
                package.name
            ));
            continue;
        };
        for dependency in &package.dependencies {
            if is_ours(&dependency.name) && !allowed(layer, &dependency.name, dependency.for_tests)
            {
                let in_tests = if dependency.for_tests {
                    " in its tests"
                } else {
                    ""
                };
                found.push(format!(
                    "{} must not depend on {}{in_tests}: it may use {}",
                    layer.name,
                    dependency.name,
                    match layer.may_use {
                        [] => "no other crate".to_owned(),
                        may_use => may_use.join(", "),
                    }
                ));
            }
        }
    }
    found
}

/// Every crate of ours that the Python module depends on and must not: it is an entrance as the command line is, and may
/// use what that may.
pub(crate) fn python_violations(python: &Workspace, workspace: &Workspace) -> Vec<String> {
    let is_ours = |name: &str| workspace.packages.iter().any(|p| p.ours && p.name == name);
    let Some(entrance) = LAYERS.iter().find(|layer| layer.name == ENTRANCE) else {
        return Vec::new();
    };
    let modules = python.packages.iter().filter(|package| package.ours);
    let needed = modules.flat_map(|module| &module.dependencies);
    let wrong = needed.filter(|on| is_ours(&on.name) && !entrance.may_use.contains(&&*on.name));
    wrong
        .map(|on| {
            let may_use = entrance.may_use.join(", ");
            format!(
                "python must not depend on {}: it may use {may_use}",
                on.name
            )
        })
        .collect()
}

fn allowed(layer: &Layer, on: &str, for_tests: bool) -> bool {
    let in_tests = || {
        let is_run = RUN.contains(&on) && RUN_BY_THEIR_TESTS.contains(&layer.name);
        FOR_TESTS.contains(&on) || layer.name == ENTRANCE || is_run
    };
    layer.may_use.contains(&on) || (for_tests && in_tests())
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

    /// Every crate with all that it may use, and one of them changed.
    fn workspace(changed: Package) -> Workspace {
        let mut packages: Vec<Package> = LAYERS
            .iter()
            .map(|layer| {
                let others = FOR_TESTS.into_iter().filter(|name| *name != layer.name);
                package(layer.name, layer.may_use, &others.collect::<Vec<_>>())
            })
            .filter(|package| package.name != changed.name)
            .collect();
        packages.push(changed);
        Workspace { packages }
    }

    #[test]
    fn a_room_sees_only_rooms_below_it() {
        for (place, layer) in LAYERS.iter().enumerate() {
            for seen in layer.may_use {
                let below = LAYERS[..place].iter().any(|other| other.name == *seen);
                assert!(below, "{} uses {seen}", layer.name);
            }
        }
    }

    #[test]
    fn the_order_as_listed_is_good() {
        let good = violations(&workspace(package("store", &["base"], &["base"])));
        assert_eq!(good, Vec::<String>::new());
    }

    #[test]
    fn a_method_that_sees_a_simulator_is_named_also_where_only_its_tests_do() {
        let found = violations(&workspace(package("methods", &["base", "sim"], &[])));
        assert_eq!(
            found,
            ["methods must not depend on sim: it may use base, stats, traces, infer"]
        );
        let found = violations(&workspace(package("methods", &["base"], &["sim"])));
        assert_eq!(
            found,
            ["methods must not depend on sim in its tests: it may use base, stats, traces, infer"]
        );
    }

    #[test]
    fn invented_drives_are_for_tests_alone() {
        let found = violations(&workspace(package("lab", &["base", "alien"], &[])));
        assert!(
            found.len() == 1 && found[0].starts_with("lab must not depend on alien:"),
            "{found:?}"
        );
        assert!(violations(&workspace(package("infer", &["base"], &["alien"]))).is_empty());
    }

    #[test]
    fn the_ground_knows_nobody() {
        let found = violations(&workspace(package("base", &["sim"], &[])));
        assert_eq!(
            found,
            ["base must not depend on sim: it may use no other crate"]
        );
    }

    #[test]
    fn the_command_line_sees_no_drive_but_its_tests_may() {
        let found = violations(&workspace(package("drivelab", &["lab", "sim"], &[])));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(violations(&workspace(package("drivelab", &["lab"], &["sim"]))).is_empty());
    }

    #[test]
    fn the_python_module_may_use_what_the_command_line_may() {
        let ours = workspace(package("lab", &[], &[]));
        let python = |on: &[&str]| Workspace {
            packages: vec![package("drivelab-python", on, &[])],
        };
        assert!(python_violations(&python(&["lab", "report", "pyo3"]), &ours).is_empty());
        let found = python_violations(&python(&["lab", "sim"]), &ours);
        assert!(
            found[0].starts_with("python must not depend on sim:"),
            "{found:?}"
        );
    }

    #[test]
    fn a_room_that_nobody_drew_is_named() {
        let found = violations(&workspace(package("helpers", &[], &[])));
        assert!(found[0].starts_with("helpers: not a crate"), "{found:?}");
    }

    #[test]
    fn crates_from_outside_do_not_matter() {
        let good = violations(&workspace(package("sim", &["base", "libm"], &["proptest"])));
        assert!(good.is_empty());
    }
}
