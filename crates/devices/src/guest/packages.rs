//! The distribution's packages, fetched and unpacked without being installed.
//!
//! `apt-get` gets its own state: lists, archives, and a status in which nothing is installed, so that it fetches all
//! dependencies of a package. A release's backports contain a newer kernel; if the host's sources do not include them,
//! they are added next to the release, and one kernel is taken from there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{NOT_UNPACKED, PACKAGES, quiet};

/// Fetches the guest's packages and all that they need.
pub(super) fn fetch(apt: &Path) -> Result<()> {
    let apt = Apt::new(apt, None)?;
    let mut arguments = vec!["install", "--download-only", "--no-install-recommends"];
    arguments.extend(PACKAGES.lines());
    quiet(&mut apt.get(&arguments)).context("the packages of the guest cannot be fetched")
}

/// Fetches the kernel of the release's backports alone.
pub(super) fn fetch_newer_kernel(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let sources = folder.join("backports.sources");
    fs::write(&sources, backports()?)?;
    let apt = Apt::new(folder, Some(&sources))?;
    let said = apt
        .command("apt-cache")
        .args(["depends", "linux-image-amd64"])
        .output()?;
    let said = String::from_utf8_lossy(&said.stdout);
    let package = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: "))
        .context("the backports have no kernel")?;
    quiet(
        apt.get(&["download", package])
            .current_dir(apt.folder.join("archives")),
    )
    .context("the kernel of the backports cannot be fetched")
}

/// An entry for the backports of the release that runs here, from where its own packages come.
fn backports() -> Result<String> {
    let release = fs::read_to_string("/etc/os-release")?;
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .context("the release has no name")?;
    let said = Command::new("apt-get")
        .args(["indextargets", "--format", "$(RELEASE) $(REPO_URI)"])
        .output()?;
    let said = String::from_utf8_lossy(&said.stdout);
    let place = said
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name} ")))
        .context("no source of the release is known to apt")?;
    Ok(format!(
        "Types: deb\nURIs: {place}\nSuites: {name}-backports\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    ))
}

/// apt with its own state.
struct Apt {
    folder: PathBuf,
    options: Vec<String>,
}

impl Apt {
    /// Fetches the lists, of the host's sources or of those in a file.
    fn new(folder: &Path, sources: Option<&Path>) -> Result<Apt> {
        for part in ["lists/partial", "archives/partial"] {
            fs::create_dir_all(folder.join(part))?;
        }
        let place = folder.display();
        fs::write(folder.join("status"), "")?;
        let mut options = vec![
            format!("Dir::State={place}"),
            format!("Dir::State::lists={place}/lists"),
            format!("Dir::State::status={place}/status"),
            format!("Dir::Cache={place}"),
            format!("Dir::Cache::archives={place}/archives"),
            "APT::Sandbox::User=".to_string(),
            "Acquire::Languages=none".to_string(),
            "Acquire::http::Timeout=30".to_string(),
            "Acquire::Retries=2".to_string(),
        ];
        if let Some(sources) = sources {
            options.push(format!("Dir::Etc::sourcelist={}", sources.display()));
            options.push("Dir::Etc::sourceparts=/dev/null".to_string());
        }
        let apt = Apt {
            folder: folder.to_path_buf(),
            options,
        };
        // A source of the host's that is unreachable does not matter where the packages come from others.
        let _ = quiet(&mut apt.get(&["update"]));
        Ok(apt)
    }

    fn get(&self, arguments: &[&str]) -> Command {
        let mut command = self.command("apt-get");
        command.args(["-qq", "-y"]).args(arguments);
        command
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        for option in &self.options {
            command.args(["-o", option]);
        }
        command
    }
}

/// Unpacks all that was fetched into that folder.
pub(super) fn unpack(archives: &Path, root: &Path) -> Result<()> {
    let mut packages: Vec<PathBuf> = fs::read_dir(archives)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    packages.sort();
    if packages
        .iter()
        .all(|package| package.extension().is_none_or(|end| end != "deb"))
    {
        bail!("no package was fetched");
    }
    for package in packages {
        let name = package
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.ends_with(".deb") && !NOT_UNPACKED.lines().any(|start| name.starts_with(start)) {
            quiet(Command::new("dpkg-deb").arg("-x").arg(&package).arg(root))
                .with_context(|| format!("{name} cannot be unpacked"))?;
        }
    }
    Ok(())
}
