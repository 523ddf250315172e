//! What would become of opening a target, for a dry run: the same questions, and nothing made, claimed or
//! written.
//!
//! What is only read is really opened, for reading. Of what would be overwritten the checks alone are
//! made, and the system is asked whether this user may write; that somebody has a device to himself of
//! whom neither `/proc` nor `/sys` knows comes out only when the run claims it.

use base::method::{Forecast, Scale};
use inspect::{DestroyError, Identity, Kind, Root, would_open_for_destruction};

use super::{Consent, Found, ResolvedTarget, open_confirmed_file, open_existing, test_file_bytes};
use crate::error::LabError;

impl ResolvedTarget {
    /// Checks what [`ResolvedTarget::open`] would check.
    ///
    /// # Errors
    /// As [`ResolvedTarget::open`], and where nothing was typed yet to confirm what would be overwritten.
    pub fn would_open(
        &self,
        forecast: &Forecast,
        scale: Scale,
        consent: &Consent,
    ) -> Result<(), LabError> {
        match &self.found {
            Found::Model(_) | Found::Null(_) => Ok(()),
            Found::Directory { identity, real } => {
                let bytes = test_file_bytes(real.size, forecast, scale);
                Ok(uring::testfile::would_fit(&identity.path, bytes)?)
            }
            Found::Existing { identity, real } if !consent.destroy_data => {
                let (name, faults) = (self.spec.to_string(), self.faults.clone());
                let on = self.provisional;
                open_existing(name, identity, real, consent, on, faults).map(|_| ())
            }
            Found::Existing { identity, .. } => self.may_be_overwritten(identity, consent),
        }
    }

    fn may_be_overwritten(&self, identity: &Identity, consent: &Consent) -> Result<(), LabError> {
        let path = &identity.path;
        let typed = consent.confirm.clone().unwrap_or_default();
        // A file is opened, but not written: that changes nothing, not even a time.
        let checked = if matches!(identity.kind, Kind::RegularFile { .. }) {
            open_confirmed_file(identity, &typed).map(|_| ())
        } else {
            would_open_for_destruction(&Root::new("/"), path, &typed).map_err(LabError::from)
        };
        checked.map_err(|why| match why {
            LabError::NotConfirmed { .. }
            | LabError::Destroy(DestroyError::NotConfirmed { .. })
                if consent.confirm.is_none() =>
            {
                LabError::Unconfirmed {
                    target: self.spec.to_string(),
                    token: self.token(),
                }
            }
            other => other,
        })
    }
}
