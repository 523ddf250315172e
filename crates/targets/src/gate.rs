//! The one place that decides whether a target may be written.
//!
//! A user's device or file is written only if that was allowed and confirmed. A target is opened only through
//! [`Admitted`], which only [`ResolvedTarget::admit`] creates: code that bypasses this check does not compile. (A
//! rescue writes its copy as a file, not as a target: [`open_confirmed_file`] requires the typed path.)

use std::fs::File;
use std::path::Path;

use base::method::Forecast;
use inspect::{
    Confirmation, DestroyError, Identity, Kind, Root, confirmation, would_open_for_destruction,
};

use crate::consent::Consent;
use crate::error::TargetError;
use crate::resolved::{Found, ResolvedTarget};

/// A target that may be used as its forecast says.
pub struct Admitted {
    target: ResolvedTarget,
    forecast: Forecast,
    consent: Consent,
}

impl Admitted {
    /// The target, the planned operations, and what the user allows.
    pub(crate) fn parts(self) -> (ResolvedTarget, Forecast, Consent) {
        (self.target, self.forecast, self.consent)
    }
}

impl ResolvedTarget {
    /// Refuses what would overwrite a device or file of the user's without his consent; `work` is the method's name.
    ///
    /// # Errors
    /// [`TargetError::WouldDestroy`].
    pub fn check_consent(
        &self,
        work: &str,
        forecast: &Forecast,
        consent: &Consent,
    ) -> Result<(), TargetError> {
        if forecast.written.is_empty() || !self.is_the_users_own() || consent.destroy_data {
            return Ok(());
        }
        Err(self.would_destroy(work))
    }

    /// The reasons against writing there without consent.
    pub fn would_destroy(&self, work: &str) -> TargetError {
        TargetError::WouldDestroy {
            method: work.to_owned(),
            target: self.spec.to_string(),
            token: self.token(),
        }
    }

    /// Admits a forecast; `work` is the method's name.
    ///
    /// # Errors
    /// As [`ResolvedTarget::check_consent`].
    pub fn admit(
        self,
        work: &str,
        forecast: &Forecast,
        consent: &Consent,
    ) -> Result<Admitted, TargetError> {
        self.check_consent(work, forecast, consent)?;
        Ok(Admitted {
            target: self,
            forecast: forecast.clone(),
            consent: consent.clone(),
        })
    }

    /// How the target may be confirmed before it is overwritten, in words.
    pub fn token(&self) -> String {
        match &self.found {
            Found::Existing { identity, .. } => match (
                &identity.kind,
                inspect::confirm_token(&Root::new("/"), identity),
            ) {
                (Kind::RegularFile { .. }, _) => format!("its path, {}", identity.path.display()),
                (_, Some(token)) => format!("its serial number or name, {token}"),
                (_, None) => {
                    "nothing: it has no serial number, WWN or by-id name that tells it from all other drives, so it is never written"
                        .to_owned()
                }
            },
            _ => "nothing".to_owned(),
        }
    }

    /// The data on the target that a write would destroy, in words; queried before it is confirmed.
    pub fn would_be_lost(&self) -> Vec<String> {
        match &self.found {
            Found::Existing { identity, .. } => {
                inspect::found_on(&Root::new("/"), identity).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the typed name confirms that it may be overwritten.
    pub fn is_confirmed_by(&self, typed: &str) -> bool {
        let Found::Existing { identity, .. } = &self.found else {
            return false;
        };
        match &identity.kind {
            Kind::RegularFile { .. } => is_path_of(identity, typed),
            _ => confirmation(&Root::new("/"), identity, typed) == Confirmation::Given,
        }
    }

    /// Checks in advance, for a dry run, that what would be overwritten is confirmed and may be opened for it. An
    /// exclusive user of a device that neither `/proc` nor `/sys` shows is only detected when the run claims it.
    ///
    /// # Errors
    /// As when it is opened, and where nothing was typed yet.
    pub(crate) fn may_be_overwritten(
        &self,
        identity: &Identity,
        consent: &Consent,
    ) -> Result<(), TargetError> {
        let path = &identity.path;
        let typed = consent.confirm.clone().unwrap_or_default();
        // A file is opened, but not written: that changes nothing, not even a time.
        let checked = if matches!(identity.kind, Kind::RegularFile { .. }) {
            open_confirmed_file(identity, &typed).map(|_| ())
        } else {
            would_open_for_destruction(&Root::new("/"), path, &typed).map_err(TargetError::from)
        };
        checked.map_err(|why| match why {
            TargetError::NotConfirmed { .. }
            | TargetError::Destroy(DestroyError::NotConfirmed { .. })
                if consent.confirm.is_none() =>
            {
                TargetError::Unconfirmed {
                    target: self.spec.to_string(),
                    token: self.token(),
                }
            }
            other => other,
        })
    }
}

/// Opens a user's file for overwriting, if its path was typed and it is not in use.
///
/// # Errors
/// [`TargetError::NotConfirmed`]; a file that is in use, or that is another one by now.
pub fn open_confirmed_file(identity: &Identity, typed: &str) -> Result<File, TargetError> {
    if !is_path_of(identity, typed) {
        return Err(TargetError::NotConfirmed {
            path: identity.path.clone(),
            typed: typed.to_owned(),
        });
    }
    Ok(inspect::open_file_for_destruction(
        &Root::new("/"),
        identity,
    )?)
}

/// A file is confirmed by its path: as it was named, or from the root with all links followed.
fn is_path_of(identity: &Identity, typed: &str) -> bool {
    let typed = Path::new(typed.trim());
    typed == identity.path || typed == identity.real
}
