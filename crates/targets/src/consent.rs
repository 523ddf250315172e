//! What the user allows on a real target.

/// What the user allows on a real target.
#[derive(Clone, Debug, Default)]
pub struct Consent {
    /// `--destroy-data` was given.
    pub destroy_data: bool,
    /// The name typed (or given by `--confirm`) to identify the drive.
    pub confirm: Option<String>,
}
