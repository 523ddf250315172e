//! Why nothing came of a host, each with what to do.

use std::path::PathBuf;

use base::exit::Exit;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("{path}: {what}")]
    Hosts { path: PathBuf, what: String },
    #[error("{path} cannot be read: {source}")]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("ssh does not start: {0}; install OpenSSH's client")]
    NoSsh(std::io::Error),
    #[error(
        "its host key is not the one that ssh knows: not connected; find out why before you remove the old key (ssh-keygen -R)"
    )]
    HostKeyChanged,
    #[error("its host key is unknown: connect once by hand and compare the key")]
    HostKeyUnknown,
    #[error(
        "ssh is denied: {0}; the key must work without a password (ssh-agent, authorized_keys)"
    )]
    Denied(String),
    #[error("no connection: {0}")]
    Unreachable(String),
    #[error("it is {found}, and the program is for {wanted}: name one for it with --program")]
    OtherMachine { found: String, wanted: String },
    #[error("the program that arrived has another SHA-256 than the one that was sent; removed")]
    WrongDigest,
    #[error(
        "the results that arrived have another SHA-256 than those on the host; they are still there"
    )]
    WrongResults,
    #[error("no drive with the serial number {serial}: it has {}", known(.present))]
    NoSuchDrive {
        serial: String,
        present: Vec<String>,
    },
    #[error("the serial number {0} is that of two drives: name the drive under `targets`")]
    TwoDrives(String),
    #[error("{doing} failed there: {said}")]
    Remote { doing: &'static str, said: String },
    #[error("interrupted; what runs there goes on, and the same command fetches it")]
    Interrupted,
}

fn known(serials: &[String]) -> String {
    match serials.is_empty() {
        true => "none that can be named".to_owned(),
        false => serials.join(", "),
    }
}

impl FleetError {
    /// What the command ends with.
    pub fn exit(&self) -> Exit {
        match self {
            FleetError::Hosts { .. }
            | FleetError::File { .. }
            | FleetError::NoSuchDrive { .. }
            | FleetError::TwoDrives(_)
            | FleetError::OtherMachine { .. } => Exit::Invalid,
            FleetError::NoSsh(_)
            | FleetError::HostKeyChanged
            | FleetError::HostKeyUnknown
            | FleetError::Denied(_)
            | FleetError::Unreachable(_)
            | FleetError::WrongDigest
            | FleetError::WrongResults
            | FleetError::Remote { .. } => Exit::Failed,
            FleetError::Interrupted => Exit::Interrupted,
        }
    }

    /// Whether the connection alone is at fault, so that another try may work.
    pub(crate) fn is_of_the_connection(&self) -> bool {
        matches!(self, FleetError::Unreachable(_))
    }
}
