//! Why a file is not imported.

use std::path::{Path, PathBuf};

use base::exit::Exit;

use crate::READERS;

/// Why a file is not imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// Larger than any such file.
    #[error("the file has {bytes} bytes, and this kind of file is read up to {most}")]
    TooLarge {
        /// What it has.
        bytes: usize,
        /// What is taken.
        most: base::size::Bytes,
    },
    /// Not text in UTF-8, UTF-16, Shift_JIS or Windows-1252.
    #[error("this is no text: files of other tools are read as text, JSON, XML or CSV")]
    NotText,
    /// A tool that is known by its output, of which nothing is read.
    #[error("this is the output of {tool}: not supported; {}", readable())]
    NotSupported {
        /// The tool.
        tool: &'static str,
    },
    /// Nobody knows it.
    #[error("no known tool writes such a file; {}", readable())]
    Unknown,
    /// A tool's file, written otherwise than its reader knows.
    #[error("this layout of {tool} is not supported: line {line}: {what}")]
    Layout {
        /// The tool.
        tool: &'static str,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

impl ImportError {
    /// A layout that a reader does not know.
    pub(crate) fn layout(tool: &'static str, line: usize, what: &str) -> ImportError {
        ImportError::Layout {
            tool,
            line: line.max(1),
            what: what.replace(['\n', '\r'], " "),
        }
    }

    /// What a command ends with.
    pub const fn exit(&self) -> Exit {
        match self {
            ImportError::Empty
            | ImportError::TooLarge { .. }
            | ImportError::NotText
            | ImportError::NotSupported { .. }
            | ImportError::Unknown
            | ImportError::Layout { .. } => Exit::Invalid,
        }
    }
}

/// Why a file that has a name is not imported.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct FileError {
    path: PathBuf,
    why: WhyNot,
}

#[derive(Debug, thiserror::Error)]
enum WhyNot {
    #[error(transparent)]
    Unreadable(std::io::Error),
    #[error(transparent)]
    Import(ImportError),
}

impl FileError {
    pub(crate) fn unreadable(path: &Path, why: std::io::Error) -> FileError {
        FileError {
            path: path.to_owned(),
            why: WhyNot::Unreadable(why),
        }
    }

    pub(crate) fn import(path: &Path, why: ImportError) -> FileError {
        FileError {
            path: path.to_owned(),
            why: WhyNot::Import(why),
        }
    }

    /// What a command ends with.
    pub const fn exit(&self) -> Exit {
        match &self.why {
            WhyNot::Unreadable(_) => Exit::Invalid,
            WhyNot::Import(why) => why.exit(),
        }
    }
}

/// What is read.
fn readable() -> String {
    let all: Vec<&str> = READERS.iter().map(|reader| reader.reads).collect();
    format!("what is read: {}", all.join(", "))
}
