//! One of the two drives: its target, its sheet, and how its flash is divided.

use sim::catalogue::DriveSheet;
use targets::TargetError;
use targets::grammar::{Options, Spec};

use super::CauseError;

/// One of the two drives.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Slug, or path of its file.
    pub(super) name: String,
    pub(super) options: Options,
    pub(super) sheet: DriveSheet,
}

impl Side {
    pub(super) fn of(target: &str) -> Result<Side, CauseError> {
        let spec: Spec = target.parse().map_err(TargetError::from)?;
        let sheet = targets::sheet(&spec)?;
        match spec {
            Spec::Model { name, options } => Ok(Side {
                name,
                options,
                sheet,
            }),
            _ => Err(CauseError::NotADrive(target.to_owned())),
        }
    }

    /// The value of an option of the target.
    pub(super) fn option(&self, key: &str) -> Option<String> {
        let found = self.options.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.clone())
    }

    pub(super) fn target(&self) -> String {
        let (name, options) = (self.name.clone(), self.options.clone());
        Spec::Model { name, options }.to_string()
    }
}

/// How flash is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flash {
    dies: u64,
    planes: u64,
    page_kib: u64,
    pages_a_block: u64,
    pub(super) blocks_a_plane: u64,
    pub(super) unused_blocks_a_plane: u64,
}

impl Flash {
    /// A block in every plane of every die, in KiB.
    fn row_kib(&self) -> u64 {
        self.dies * self.planes * self.page_kib * self.pages_a_block
    }

    /// All of it, in KiB.
    pub(super) fn raw_kib(&self) -> u64 {
        self.row_kib() * self.blocks_a_plane
    }

    /// Whether only the numbers of blocks differ.
    pub(super) fn has_the_dies_of(&self, other: &Flash) -> bool {
        let bare = |flash: &Flash| Flash {
            blocks_a_plane: 0,
            unused_blocks_a_plane: 0,
            ..*flash
        };
        bare(self) == bare(other)
    }

    /// As much flash as another one has, in this one's dies.
    pub(super) fn holding(&self, other: &Flash) -> Flash {
        if self.has_the_dies_of(other) {
            return *other;
        }
        let row = self.row_kib().max(1);
        let as_many = |blocks: u64| (blocks * other.row_kib()).div_ceil(row);
        Flash {
            blocks_a_plane: as_many(other.blocks_a_plane),
            unused_blocks_a_plane: as_many(other.unused_blocks_a_plane),
            ..*self
        }
    }
}

/// The flash of a drive that has some.
pub(super) fn flash_of(sheet: &DriveSheet) -> Option<Flash> {
    let nand = sheet.sections.iter().find(|s| s.name == "nand")?;
    let number = |key: &str| {
        let row = nand.rows.iter().find(|row| row.key == key)?;
        row.value.parse().ok()
    };
    Some(Flash {
        dies: number("dies")?,
        planes: number("planes")?,
        page_kib: number("page_kib")?,
        pages_a_block: number("pages_a_block")?,
        blocks_a_plane: number("blocks_a_plane")?,
        unused_blocks_a_plane: number("unused_blocks_a_plane").unwrap_or(0),
    })
}
