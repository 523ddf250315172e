//! `drivelab emulate`: a modelled drive as a block device for other software.

use std::cell::RefCell;

use ::emulate::bridge::{Bridge, Ways};
use ::emulate::floor;
use ::emulate::kept;
use ::emulate::offer::{Wanted, offer};
use ::emulate::server::Server;
use ::emulate::trace::{write_answered_trace, write_trace};
use ::emulate::transport::{Address, Listener};
use base::time::Duration;
use lab::progress::Interrupt;

use super::Session;
use crate::arguments::EmulateArguments;
use crate::output::{Failure, say};

/// How long each half of the transport's own floor is measured.
const FLOOR: Duration = Duration::from_millis(200);

/// Serves the drive until interrupted, or cuts its power.
pub(crate) fn run(session: &Session, arguments: &EmulateArguments) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
    if let Some(folder) = &arguments.power_cut {
        kept::power_cut(folder).map_err(|error| failed(&error))?;
        say("the power is cut: what the drive lost is told when it is served again");
        return Ok(());
    }
    if let Some(folder) = &arguments.trace {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        let written = if arguments.answers {
            write_answered_trace(folder, &session.interrupt, &mut out)
        } else {
            write_trace(folder, &mut out)
        };
        let requests = written.map_err(|error| failed(&error))?;
        std::io::Write::flush(&mut out).map_err(|error| failed(&error))?;
        say(&format!("{requests} requests"));
        return Ok(());
    }
    let Some(target) = &arguments.target else {
        return Err(Failure::Usage("which drive? model:DRIVE".to_owned()));
    };
    crate::signals::watch(&session.interrupt)?;
    let wanted = Wanted {
        target,
        seed: arguments.seed,
        folder: arguments.keep.as_deref(),
        ignores_flushes: arguments.ignore_flushes,
        read_only: arguments.read_only,
    };
    let offered = offer(&wanted, &session.interrupt).map_err(|error| failed(&error))?;
    let _folder = offered.kept;
    let floor = floor::measured(FLOOR).map_err(|error| failed(&error))?;
    let address = &arguments.nbd;
    let listener = Listener::listen(address)
        .map_err(|error| Failure::Failed(format!("cannot listen at {address}: {error}")))?;
    if address.is_open_to_others() {
        say(
            "warning: other computers can read and write this drive; 127.0.0.1 keeps it to this one",
        );
    }
    if let Some(restored) = offered.restored.filter(|restored| restored.requests > 0) {
        let after = if restored.cut {
            format!(
                "a power cut, which lost {} of what it had acknowledged",
                restored.lost
            )
        } else {
            "it was switched off".to_owned()
        };
        say(&format!(
            "the drive is as it was after {} requests and {after}",
            restored.requests
        ));
    }
    say(&format!("transport: {floor}"));
    say(&format!(
        "{}, {}, {} when it was new: {}",
        offered.title,
        offered.export.capacity,
        offered.state,
        listener.address().uri()
    ));
    let mut server = Server::starting_now(offered.drive, offered.export);
    let bridge = bridge(arguments, listener.address())?;
    let interrupt = &session.interrupt;
    let served = server.serve(&listener, &|| is_over(&bridge, interrupt));
    say(&server.lateness().to_string());
    served.map_err(|error| Failure::Failed(format!("the drive's files: {error}")))?;
    match &*bridge.borrow() {
        Some(bridge) => bridge.ended_well().map_err(|error| failed(&error)),
        None => Ok(()),
    }
}

/// The ways out beside NBD that were asked for.
fn bridge(
    arguments: &EmulateArguments,
    address: &Address,
) -> Result<RefCell<Option<Bridge>>, Failure> {
    let ways = Ways {
        fuse: arguments.fuse.clone(),
        vhost_user: arguments.vhost_user.clone(),
        read_only: arguments.read_only,
    };
    let started = (!ways.is_empty()).then(|| Bridge::start(&ways, address));
    let started = started.transpose();
    let bridge = started.map_err(|error| Failure::Failed(error.to_string()))?;
    for (path, what) in [(&ways.fuse, "a file"), (&ways.vhost_user, "a virtio disk")] {
        if let Some(path) = path {
            say(&format!("also as {what}: {}", path.display()));
        }
    }
    Ok(RefCell::new(bridge))
}

/// Whether the drive is switched off now. What stands between it and its users writes what it holds first.
fn is_over(bridge: &RefCell<Option<Bridge>>, interrupt: &Interrupt) -> bool {
    let mut bridge = bridge.borrow_mut();
    let Some(bridge) = &mut *bridge else {
        return interrupt.wanted();
    };
    if interrupt.wanted() {
        bridge.end();
    }
    bridge.has_ended()
}
