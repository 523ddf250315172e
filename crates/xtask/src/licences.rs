//! Licences of dependencies: each package's SPDX expression must be satisfiable from the allow list in `deny.toml`
//! (read from there, so that cargo-deny and this check cannot disagree).

use std::path::Path;

use anyhow::{Context, Result, bail};
use spdx::{Expression, ParseMode};

use crate::metadata::{self, Workspace};

/// The licence of every member of this workspace.
const OURS: &str = "Apache-2.0";

/// Reads the allow list and the packages, and names every package that does not fit.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let text =
        std::fs::read_to_string(root.join("deny.toml")).context("deny.toml cannot be read")?;
    // The fuzz targets have a lock of their own, which goes stale with every new dependency of ours.
    // They are shipped to nobody, so that it is read is enough.
    metadata::read(&root.join("fuzz")).context("in the folder fuzz")?;
    // The Python wheel is given away as the program is.
    let python = metadata::read(&root.join("python")).context("in the folder python")?;
    let allow = allow_list(&text)?;
    let mut found = violations(&metadata::read(root)?, &allow);
    let of_python = violations(&python, &allow).into_iter();
    found.extend(of_python.map(|line| format!("python: {line}")));
    Ok(found)
}

fn allow_list(deny_toml: &str) -> Result<Vec<String>> {
    let document: toml::Table = deny_toml.parse().context("deny.toml is malformed")?;
    let allow = document
        .get("licenses")
        .and_then(|licenses| licenses.get("allow"))
        .and_then(toml::Value::as_array);
    let Some(allow) = allow else {
        bail!("deny.toml has no list licenses.allow")
    };
    Ok(allow
        .iter()
        .filter_map(toml::Value::as_str)
        .map(str::to_string)
        .collect())
}

fn violations(workspace: &Workspace, allow: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for package in &workspace.packages {
        let who = format!("{} {}", package.name, package.version);
        match package.license.as_deref() {
            None => found.push(format!("{who}: names no licence: take another crate")),
            Some(license) if package.ours && license != OURS => {
                found.push(format!("{who}: is ours and must say license = \"{OURS}\", not {license}"));
            }
            Some(expression) => match satisfied(expression, allow) {
                Ok(true) => {}
                Ok(false) => found.push(format!(
                    "{who}: {expression}: not on the allow list of deny.toml: take another crate, or add the \
                     licence there if it may be combined with {OURS}"
                )),
                Err(error) => found.push(format!("{who}: {expression}: cannot be read: {error}")),
            },
        }
    }
    found
}

/// Whether the expression can be satisfied by allowed licences alone. Older manifests write `/` for `OR`.
fn satisfied(expression: &str, allow: &[String]) -> Result<bool> {
    let expression = Expression::parse_mode(expression, ParseMode::LAX)?;
    Ok(expression.evaluate(|asked| allow.contains(&asked.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Package;

    fn allow() -> Vec<String> {
        [
            "MIT",
            "Apache-2.0",
            "Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ]
        .map(str::to_string)
        .to_vec()
    }

    fn fits(expression: &str) -> bool {
        satisfied(expression, &allow()).unwrap()
    }

    #[test]
    fn one_allowed_alternative_is_enough() {
        assert!(fits("MIT OR GPL-3.0-only"));
        assert!(fits("GPL-2.0/MIT"));
        assert!(!fits("GPL-3.0-only"));
    }

    #[test]
    fn every_part_of_a_conjunction_must_be_allowed() {
        assert!(fits("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(!fits("MIT AND OpenSSL"));
    }

    #[test]
    fn and_binds_tighter_than_or() {
        assert!(fits("MIT OR GPL-2.0 AND OpenSSL"));
        assert!(!fits("(MIT OR GPL-2.0) AND OpenSSL"));
    }

    #[test]
    fn an_exception_is_part_of_the_licence() {
        assert!(fits("Apache-2.0 WITH LLVM-exception"));
        assert!(!fits("MIT WITH LLVM-exception"));
    }

    #[test]
    fn a_malformed_expression_is_an_error() {
        for bad in ["", "MIT OR", "(MIT", "MIT Apache-2.0", "MIT WITH"] {
            assert!(satisfied(bad, &allow()).is_err(), "{bad}");
        }
    }

    #[test]
    fn packages_without_or_with_a_foreign_licence_are_named() {
        let package = |name: &str, license: Option<&str>, ours| Package {
            name: name.to_string(),
            version: "1.0.0".to_string(),
            license: license.map(str::to_string),
            ours,
            dependencies: Vec::new(),
        };
        let packages = vec![
            package("good", Some("MIT"), false),
            package("bare", None, false),
            package("viral", Some("AGPL-3.0"), false),
            package("room", Some("MIT"), true),
        ];
        let found = violations(&Workspace { packages }, &allow());
        let named: Vec<&str> = found
            .iter()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert_eq!(named, ["bare", "viral", "room"]);
    }

    #[test]
    fn the_allow_list_is_read_from_deny_toml() {
        assert_eq!(
            allow_list("[licenses]\nallow = [\"MIT\", \"ISC\"]").unwrap(),
            ["MIT", "ISC"]
        );
        assert!(allow_list("[bans]\n").is_err());
    }
}
