//! The part of `cargo metadata` that the checks need: names, licences, and dependencies.
//!
//! Only packages for this machine's own target are listed (`--filter-platform`), so that the check does not download
//! what is never built.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo::cargo;

/// The workspace and its dependencies.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
}

/// One package, ours or a dependency.
#[derive(Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The licence expression of its manifest.
    pub(crate) license: Option<String>,
    /// A member of this workspace.
    pub(crate) ours: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a `[dependencies]` table.
#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// It is under `[dev-dependencies]`.
    pub(crate) for_tests: bool,
    /// It is only enabled by a feature.
    pub(crate) is_optional: bool,
}

/// Runs `cargo metadata`; it fails when Cargo.lock does not fit the manifests.
pub(crate) fn read(root: &Path) -> Result<Workspace> {
    let output = cargo(root)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
            &host_triple()?,
        ])
        .output()
        .context("cargo metadata does not start")?;
    if !output.status.success() {
        bail!(
            "cargo metadata failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    parse(&serde_json::from_slice(&output.stdout).context("cargo metadata did not print JSON")?)
}

/// The machine that the compiler builds for.
pub(crate) fn host_triple() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = std::process::Command::new(rustc)
        .arg("-vV")
        .output()
        .context("rustc does not start")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc -vV names no host")?.to_string())
}

/// Reads the JSON of `cargo metadata`, format version 1.
pub(crate) fn parse(json: &Value) -> Result<Workspace> {
    let members: Vec<&str> = list(json, "workspace_members")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let packages = list(json, "packages");
    if packages.is_empty() {
        bail!("cargo metadata lists no packages");
    }
    Ok(Workspace {
        packages: packages
            .iter()
            .map(|package| parse_package(package, &members))
            .collect(),
    })
}

fn parse_package(json: &Value, members: &[&str]) -> Package {
    Package {
        name: text(json, "name"),
        version: text(json, "version"),
        license: json["license"].as_str().map(str::to_string),
        ours: members.contains(&text(json, "id").as_str()),
        dependencies: list(json, "dependencies")
            .iter()
            .map(|line| Dependency {
                name: text(line, "name"),
                for_tests: line["kind"].as_str() == Some("dev"),
                is_optional: line["optional"] == true,
            })
            .collect(),
    }
}

fn list<'a>(json: &'a Value, key: &str) -> &'a [Value] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

fn text(json: &Value, key: &str) -> String {
    json[key].as_str().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_licences_and_test_dependencies_are_read() {
        let workspace = parse(&json!({
            "workspace_members": ["path+a"],
            "packages": [
                {"id": "path+a", "name": "a", "version": "0.1.0", "license": "Apache-2.0", "dependencies": [
                    {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]},
                {"id": "registry+b", "name": "b", "version": "1.2.3", "license": null, "dependencies": []},
            ],
        }))
        .unwrap();
        let [a, b] = &workspace.packages[..] else {
            panic!("two packages: {workspace:?}")
        };
        assert!(a.ours && !b.ours);
        assert_eq!(
            (a.license.as_deref(), b.license.as_deref()),
            (Some("Apache-2.0"), None)
        );
        assert_eq!(
            a.dependencies
                .iter()
                .map(|d| d.for_tests)
                .collect::<Vec<_>>(),
            [false, true]
        );
    }

    #[test]
    fn metadata_without_packages_is_an_error() {
        assert!(parse(&json!({"packages": []})).is_err());
    }
}
