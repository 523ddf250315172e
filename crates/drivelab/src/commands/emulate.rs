//! `drivelab emulate`: a modelled drive as a block device for other software.

use ::emulate::floor;
use ::emulate::kept;
use ::emulate::offer::{Wanted, offer};
use ::emulate::server::Server;
use ::emulate::trace::write_trace;
use ::emulate::transport::Listener;
use base::time::Duration;

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
        let requests = write_trace(folder, &mut out).map_err(|error| failed(&error))?;
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
    let interrupt = &session.interrupt;
    let served = server.serve(&listener, &|| interrupt.wanted());
    say(&server.lateness().to_string());
    served.map_err(|error| Failure::Failed(format!("the drive's files: {error}")))
}
