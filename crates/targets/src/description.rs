//! The description of a real target in a result: a title for people, and the facts behind it.

use std::collections::BTreeMap;
use std::path::Path;

use base::message::{Argument, Message};
use base::size::Bytes;
use base::surroundings::SlowLink;
use base::target::LinkRates;
use inspect::{self, Identity, Kind};

/// The drive's model and size; for a file the drive below it, and the file system.
pub(crate) fn title_of(identity: &Identity) -> Message {
    let named = |drive: &inspect::Drive| match &drive.id.model {
        Some(model) => Message::as_it_stands(format!("{model} {}", drive.capacity)),
        None => Message::new(
            "title-without-model",
            [
                ("transport", Argument::text(drive.transport)),
                ("drive", (&drive.name).into()),
                ("capacity", drive.capacity.into()),
            ],
        ),
    };
    match (&identity.drive, &identity.file_system) {
        (Some(drive), _) => named(drive),
        (None, Some(fs)) => match identity.beneath.first() {
            Some(drive) => Message::new(
                "title-on-file-system",
                [("drive", named(drive).into()), ("kind", (&fs.kind).into())],
            ),
            None => Message::as_it_stands(&fs.kind),
        },
        (None, None) => Message::as_it_stands(identity.path.display().to_string()),
    }
}

/// The bandwidth of the drive's link, if the kernel reports how it was negotiated.
pub(crate) fn link_of(identity: &Identity) -> Option<LinkRates> {
    let drive = identity.drive.as_ref().or(identity.beneath.first())?;
    let (read_mb_s, write_mb_s) = drive.link.as_ref()?.carries_mb_s()?;
    Some(LinkRates {
        read_mb_s,
        write_mb_s,
    })
}

/// The link's actual speed and the drive's maximum, if that is higher.
pub(crate) fn slow_link_of(identity: &Identity) -> Option<SlowLink> {
    let drive = identity.drive.as_ref().or(identity.beneath.first())?;
    drive.link.as_ref()?.slower_than_drive()
}

/// The drive's description in the result.
pub(crate) fn facts_of(identity: &Identity) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut note = |key: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.insert(key.to_owned(), value);
        }
    };
    if let Some(drive) = identity.drive.as_ref().or(identity.beneath.first()) {
        note("device", Some(drive.name.clone()));
        note("model", drive.id.model.clone());
        note("firmware", drive.firmware.clone());
        note("serial", drive.id.serial.clone());
        note("wwn", drive.id.wwn.clone());
        let namespace = drive.id.namespace.map(|number| number.to_string());
        note("namespace", namespace);
        let partition = drive.id.partition.as_ref();
        note("partition", partition.map(|part| part.number.to_string()));
        let start = partition.map(|part| format!("{} B", part.start.get()));
        note("partition start", start);
        note("capacity", Some(drive.capacity.to_string()));
        note("interface", Some(drive.transport.to_string()));
        note("link", drive.link.as_ref().map(ToString::to_string));
        note(
            "rotational",
            drive
                .rotational
                .map(|r| if r { "yes" } else { "no" }.to_owned()),
        );
        note("zones", drive.zones.map(|zones| zones.to_string()));
        note("logical block", drive.logical_block.map(|b| b.to_string()));
        note(
            "physical block",
            drive.physical_block.map(|b| b.to_string()),
        );
        note("scheduler", drive.scheduler.clone());
        note("write cache", drive.write_cache.clone());
    }
    if let Some(fs) = &identity.file_system {
        note("file system", Some(fs.kind.clone()));
        note("mount options", Some(fs.options.join(",")));
        note(
            "stack",
            (!identity.stack.is_empty()).then(|| identity.stack.join(" > ")),
        );
    }
    facts
}

/// A file system answers reads of unwritten blocks without accessing the drive.
pub(crate) fn holes_in(path: &Path, identity: &Identity) -> Option<Message> {
    use std::os::unix::fs::MetadataExt;
    let Kind::RegularFile { bytes, .. } = &identity.kind else {
        return None;
    };
    // `st_blocks` counts 512-byte sectors, whatever the file system's block is.
    let stored = Bytes::SECTOR * std::fs::metadata(path).ok()?.blocks();
    (stored < *bytes).then(|| {
        Message::new(
            "warning-holes",
            [
                ("file", Argument::text(path.display())),
                ("stored", stored.into()),
                ("size", (*bytes).into()),
            ],
        )
    })
}
