//! Experiments on other drives than the catalogue's: one mechanism off, one number another.
//!
//! A figure that comes out with a mechanism and without it says nothing of the mechanism. So each can
//! be taken from all modelled drives that have it, and the figures be looked at again.

use sim::catalogue::describe;

/// A target with the changes in the names of the modelled drives that have what is changed.
pub(super) fn target(target: &str, changes: &[String]) -> String {
    let mut parts = target.split("model:");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(['?', ',', ')']).unwrap_or(part.len());
        let (slug, rest) = part.split_at(end);
        let own: Vec<&str> = changes
            .iter()
            .map(String::as_str)
            .filter(|change| has(slug, change))
            .collect();
        let rest = match (rest.strip_prefix('?'), own.is_empty()) {
            (_, true) => rest.to_owned(),
            (None, false) => format!("?{}{rest}", own.join("&")),
            // Options end where the drive's name in brackets does.
            (Some(more), false) => {
                let end = more.find([',', ')']).unwrap_or(more.len());
                let (options, rest) = more.split_at(end);
                format!("?{options}&{}{rest}", own.join("&"))
            }
        };
        whole.push_str(&format!("model:{slug}{rest}"));
    }
    whole
}

/// True where a drive has the section that a change is in: its second part, as in `ssd.slc.size_gb`.
fn has(slug: &str, change: &str) -> bool {
    let key = change.split('=').next().unwrap_or_default();
    let section = key.split('.').nth(1).unwrap_or(key);
    describe(slug).is_ok_and(|sheet| sheet.sections.iter().any(|known| known.name == section))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_goes_to_the_drives_that_have_what_it_changes() {
        let changes = ["ssd.map_cache=off".to_owned()];
        let with = |name: &str| target(name, &changes);
        assert_eq!(
            with("model:wd-black-sn770-1tb?state=fresh"),
            "model:wd-black-sn770-1tb?state=fresh&ssd.map_cache=off"
        );
        let none = "raid0(model:samsung-840-evo-750gb,model:wd-red-wd30efrx-3tb?seed=2)";
        assert_eq!(with(none), none);
        assert_eq!(
            with("rapid(model:solidigm-670p-1tb)"),
            "rapid(model:solidigm-670p-1tb?ssd.map_cache=off)"
        );
    }
}
