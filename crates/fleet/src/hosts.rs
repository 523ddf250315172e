//! The file of hosts.
//!
//! ```toml
//! [[host]]
//! ssh = "root@nas-1"             # as ssh knows it
//! name = "nas-1"                 # in messages and results; the destination where it is left out
//! drives = ["WD-WCC4N1234567", "WD-WCC4N7654321"]     # serial numbers; only read
//! targets = ["/srv/test.img"]    # targets by name, as on the command line
//!
//! [[host]]
//! ssh = "root@nas-1"
//! name = "nas-1, to be overwritten"
//! drives = ["S3Z9NB1L"]
//! overwrite = ["S3Z9NB1L"]       # named once more, here: may be overwritten
//! ```
//!
//! A run either overwrites its drives or only reads them, so those of a host that are only read have an entry of their own.

use std::collections::BTreeSet;
use std::path::Path;

use base::size::Bytes;
use base::whole_file;
use serde::Deserialize;

use crate::error::FleetError;

/// A host and what is measured there.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The destination as ssh knows it.
    pub ssh: String,
    /// Its name for people.
    #[serde(default)]
    pub name: String,
    /// Serial numbers of drives.
    #[serde(default)]
    pub drives: Vec<String>,
    /// Those that may be overwritten.
    #[serde(default)]
    pub overwrite: Vec<String>,
    /// Targets by name.
    #[serde(default)]
    pub targets: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "host")]
    hosts: Vec<Host>,
}

/// The most that is read: a thousand hosts with all their drives.
const LARGEST: Bytes = Bytes::mib(1);

/// Reads and checks a file.
///
/// # Errors
/// [`FleetError::Hosts`] with what is wrong, or the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<Host>, FleetError> {
    let text = whole_file::text(path, LARGEST).map_err(|source| FleetError::File {
        path: path.to_owned(),
        source,
    })?;
    parse(&text).map_err(|what| FleetError::Hosts {
        path: path.to_owned(),
        what,
    })
}

/// The hosts of a text.
///
/// # Errors
/// What is wrong, in words.
pub fn parse(text: &str) -> Result<Vec<Host>, String> {
    let mut file: File = toml::from_str(text).map_err(|why| why.to_string().trim().to_owned())?;
    if file.hosts.is_empty() {
        return Err("no host: begin each with [[host]]".to_owned());
    }
    let mut names = BTreeSet::new();
    for host in &mut file.hosts {
        if host.name.is_empty() {
            host.name.clone_from(&host.ssh);
        }
        check(host)?;
        if !names.insert(host.name.clone()) {
            let name = &host.name;
            return Err(format!("two hosts are called {name}: give one a `name`"));
        }
    }
    Ok(file.hosts)
}

fn check(host: &Host) -> Result<(), String> {
    let name = &host.name;
    // A destination that begins with a hyphen would be an option of ssh.
    if host.ssh.is_empty() || host.ssh.starts_with('-') {
        return Err(format!("'{}' is not a destination of ssh", host.ssh));
    }
    let words = [&host.ssh, name];
    let named = host
        .drives
        .iter()
        .chain(&host.overwrite)
        .chain(&host.targets);
    if let Some(word) = words
        .into_iter()
        .chain(named)
        .find(|word| word.contains(char::is_control))
    {
        return Err(format!("{name}: {word:?} has a control character"));
    }
    if host.drives.is_empty() && host.targets.is_empty() {
        return Err(format!("{name} has neither `drives` nor `targets`"));
    }
    let stray = host
        .overwrite
        .iter()
        .find(|serial| !host.drives.contains(serial));
    if let Some(serial) = stray {
        return Err(format!(
            "{name}: {serial} may be overwritten and is not among `drives`"
        ));
    }
    let only_read = (host.drives.iter()).find(|serial| !host.overwrite.contains(serial));
    match only_read.filter(|_| !host.overwrite.is_empty()) {
        Some(serial) => Err(format!(
            "{name}: {serial} is only read, and others are overwritten: give it a [[host]] of its own, with a `name`"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_a_destination_and_what_is_measured_there() {
        let hosts = parse(
            "[[host]]\nssh = \"root@nas\"\ndrives = [\"B2\"]\noverwrite = [\"B2\"]\n[[host]]\nssh = \"nas-2\"\nname = \"second\"\ntargets = [\"model:samsung-840-evo-250gb\"]\n",
        )
        .unwrap();
        assert_eq!(hosts[0].name, "root@nas");
        assert_eq!(hosts[0].overwrite, ["B2"]);
        assert_eq!(hosts[1].name, "second");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        for (text, says) in [
            ("", "no host"),
            ("[[host]]\nssh = \"a\"\n", "neither `drives` nor `targets`"),
            (
                "[[host]]\nssh = \"-oProxyCommand=x\"\ndrives = [\"A\"]\n",
                "not a destination",
            ),
            (
                "[[host]]\nssh = \"a\"\ndrives = [\"A\"]\noverwrite = [\"B\"]\n",
                "B may be overwritten and is not among",
            ),
            (
                "[[host]]\nssh = \"a\"\ndrives = [\"A\", \"B\"]\noverwrite = [\"B\"]\n",
                "A is only read, and others are overwritten",
            ),
            (
                "[[host]]\nssh = \"a\"\ndrives = [\"A\"]\n[[host]]\nssh = \"a\"\ndrives = [\"B\"]\n",
                "two hosts are called a",
            ),
            (
                "[[host]]\nssh = \"a\"\ndrive = [\"A\"]\n",
                "unknown field `drive`",
            ),
            (
                "[[host]]\nssh = \"a\\n\"\ndrives = [\"A\"]\n",
                "control character",
            ),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
    }
}
