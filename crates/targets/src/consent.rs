//! What the user allows on a real target.

/// What the user allows on a real target.
#[derive(Clone, Debug, Default)]
pub struct Consent {
    /// `--destroy-data` was given.
    pub destroy_data: bool,
    /// What was typed (or given by `--confirm`) to say which drive.
    pub confirm: Option<String>,
}
