//! `drivelab emulate`: a modelled drive as a block device for other software.

use std::cell::RefCell;
use std::path::Path;

use ::emulate::bridge::{Bridge, DriveFile};
use ::emulate::condense::{EXACT, condense};
use ::emulate::drive::Restored;
use ::emulate::floor;
use ::emulate::kept;
use ::emulate::nbd::Export;
use ::emulate::offer::{Offer, Wanted, offer};
use ::emulate::salvage;
use ::emulate::server::Server;
use ::emulate::trace::{write_answered_trace, write_trace};
use ::emulate::transport::{Address, Listener};
use ::emulate::ublk::{self, Attached, BlockDevice};
use ::emulate::vhost_user::VirtualDisk;
use base::{Bytes, Duration, Interrupt};

use super::Session;
use crate::arguments::EmulateArguments;
use crate::output::{Failure, failed, say};

/// How long each third of the transport's own floor is measured.
const FLOOR: Duration = Duration::from_millis(200);

/// Size of a log whose replay takes long enough to be announced.
const LONG_LOG: Bytes = Bytes::mib(512);

/// Serves the drive until interrupted, or processes a kept folder.
pub(crate) fn run(session: &Session, arguments: &EmulateArguments) -> Result<(), Failure> {
    if let Some(done) = done_to_a_folder(session, arguments) {
        return done;
    }
    if arguments.ublk {
        ublk::is_to_be_had().map_err(failed)?;
    }
    crate::signals::watch(&session.interrupt)?;
    let offered = offered(session, arguments)?;
    let floor = floor::measured(FLOOR).map_err(failed)?;
    let listener = listening(&arguments.nbd)?;
    if let Some(restored) = offered.restored.filter(|restored| restored.requests > 0) {
        tell(&restored);
    }
    say(&format!("transport: {floor}"));
    say(&format!(
        "{}, {}, {} when it was new: {}",
        offered.title,
        offered.export.capacity,
        offered.state,
        listener.address().uri()
    ));
    serve(session, arguments, offered, listener)
}

/// The requested drive.
fn offered(session: &Session, arguments: &EmulateArguments) -> Result<Offer, Failure> {
    let Some(target) = &arguments.target else {
        return Err(Failure::Usage("missing MODEL: model:DRIVE".to_owned()));
    };
    let wanted = Wanted {
        target,
        seed: arguments.seed,
        folder: arguments.keep.as_deref(),
        ignores_flushes: arguments.ignore_flushes,
        read_only: arguments.read_only,
    };
    offer(&wanted, &session.interrupt).map_err(failed)
}

/// Where NBD clients connect.
fn listening(address: &Address) -> Result<Listener, Failure> {
    let listener = Listener::listen(address)
        .map_err(|error| Failure::Failed(format!("cannot listen at {address}: {error}")))?;
    if address.is_open_to_others() {
        say(
            "warning: other computers can read and write this drive; use 127.0.0.1 to restrict it to this one",
        );
    }
    Ok(listener)
}

/// Serves it through all requested frontends, until interrupted.
fn serve(
    session: &Session,
    arguments: &EmulateArguments,
    offered: Offer,
    listener: Listener,
) -> Result<(), Failure> {
    let disk = disk(arguments, &offered.export)?;
    let bridge = bridge(arguments, listener.address())?;
    let (block_device, queue) = block_device(arguments, &offered.export)?;
    let mut server = Server::starting_now(offered.drive, offered.export);
    server.tells(|trouble| say(&trouble.to_string()));
    queue.into_iter().for_each(|queue| server.attach(queue));
    disk.into_iter().for_each(|disk| server.attach(disk));
    let ways = RefCell::new(WaysOut {
        bridge,
        block_device,
    });
    let interrupt = &session.interrupt;
    let served = server.serve(listener, &|| ways.borrow_mut().are_over(interrupt));
    say(&server.lateness().to_string());
    // With its queue: what is still asked of a block device is given up.
    drop(server);
    let ended = ways.into_inner().ended();
    served.map_err(|error| Failure::Failed(format!("the drive's files: {error}")))?;
    let log = offered.kept.map(|kept| kept.ended()).transpose();
    if let (Some(log), Some(folder)) = (log.map_err(failed)?, &arguments.keep)
        && log >= LONG_LOG
    {
        say(&format!(
            "its log has {log}, which is played at the next start: ten seconds to a minute for each \
             GiB (`drivelab emulate --condense {}` shortens it, and says what that costs)",
            folder.display()
        ));
    }
    ended
}

/// The requested block device of this computer, and its queue.
fn block_device(
    arguments: &EmulateArguments,
    export: &Export,
) -> Result<(Option<BlockDevice>, Option<Attached>), Failure> {
    if !arguments.ublk {
        return Ok((None, None));
    }
    let begun = BlockDevice::begin(export, |path| {
        say(&format!("also as a block device: {}", path.display()));
    });
    let (device, queue) = begun.map_err(failed)?;
    Ok((Some(device), Some(queue)))
}

/// The requested operation on a kept folder, instead of serving a drive.
fn done_to_a_folder(
    session: &Session,
    arguments: &EmulateArguments,
) -> Option<Result<(), Failure>> {
    let EmulateArguments {
        power_cut,
        salvage: out_of,
        condense: long,
        trace,
        ..
    } = arguments;
    if let Some(folder) = power_cut {
        let cut = kept::power_cut(folder).map_err(failed);
        return Some(cut.map(|()| {
            say("the power is cut: what the drive lost is told when it is served again");
        }));
    }
    if let [folder, out] = &out_of[..] {
        return Some(salvage(folder, out));
    }
    if let Some(folder) = long {
        return Some(condensed(folder));
    }
    let folder = trace.as_ref()?;
    Some(exported(session, folder, arguments.answers))
}

/// Prints the request log of a kept drive.
fn exported(session: &Session, folder: &Path, answers: bool) -> Result<(), Failure> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let written = if answers {
        write_answered_trace(folder, &session.interrupt, &mut out)
    } else {
        write_trace(folder, &mut out)
    };
    let written = written.map_err(failed)?;
    std::io::Write::flush(&mut out).map_err(failed)?;
    let (requests, left_out) = (written.requests, written.left_out);
    say(&format!("{requests} requests"));
    if left_out > 0 {
        say(&format!(
            "not all: the log was condensed, and {left_out} requests are missing"
        ));
    }
    Ok(())
}

/// Shortens the log of a kept drive.
fn condensed(folder: &Path) -> Result<(), Failure> {
    let condensed = condense(folder, EXACT).map_err(failed)?;
    let (after, before, left_out) = (condensed.after, condensed.before, condensed.left_out);
    say(&match after < before {
        true => format!(
            "its log has {after}, and had {before}: {left_out} requests were left out. Its data are as they were; the drive \
             is less worn, and its flash less fragmented, than it was"
        ),
        false => format!("its log has {before}, and all of it is needed"),
    });
    Ok(())
}

/// The state of a kept drive after the operation.
fn tell(restored: &Restored) {
    let (requests, lost) = (restored.requests, restored.lost);
    let after = if restored.cut {
        format!("a power cut, which lost {lost} of what it had acknowledged")
    } else {
        "it was switched off".to_owned()
    };
    say(&format!(
        "the drive is as it was after {requests} requests and {after}"
    ));
    if restored.left_out > 0 {
        say(&format!(
            "its log was condensed: {} more requests are not in it. Its data are whole; it is less worn, and its flash less \
             fragmented, than it was",
            restored.left_out
        ));
    }
    if restored.missed {
        say(
            "reads are missing in its log, which had no room: its data are whole, its condition is that of before them",
        );
    }
}

/// Extracts the data of a damaged folder.
fn salvage(folder: &Path, out: &Path) -> Result<(), Failure> {
    let salvaged = salvage::salvage(folder, out).map_err(failed)?;
    for wrong in &salvaged.wrong {
        say(&format!("damaged: {wrong}"));
    }
    say(&format!(
        "{} of {} copied, {} could not be read: what a power cut took of what was not flushed may be among it",
        salvaged.copied, salvaged.length, salvaged.unreadable
    ));
    Ok(())
}

/// The requested bridge.
fn bridge(arguments: &EmulateArguments, address: &Address) -> Result<Option<Bridge>, Failure> {
    let Some(path) = &arguments.fuse else {
        return Ok(None);
    };
    let file = DriveFile {
        path: path.clone(),
        read_only: arguments.read_only,
    };
    let bridge = Bridge::start(&file, address);
    bridge.map(Some).map_err(failed)
}

/// The requested virtual machine's disk.
fn disk(arguments: &EmulateArguments, export: &Export) -> Result<Option<VirtualDisk>, Failure> {
    let Some(path) = &arguments.vhost_user else {
        return Ok(None);
    };
    let at = path.display();
    let disk = VirtualDisk::listen(path, export)
        .map_err(|error| Failure::Failed(format!("cannot listen at {at}: {error}")))?;
    say(&format!("also as virtio disk: {at}"));
    Ok(Some(disk))
}

/// The frontends other than NBD.
struct WaysOut {
    bridge: Option<Bridge>,
    block_device: Option<BlockDevice>,
}

impl WaysOut {
    /// Whether the drive is switched off now. Layers between it and its users are flushed first.
    fn are_over(&mut self, interrupt: &Interrupt) -> bool {
        if let Some(file) = self.bridge.as_mut().and_then(Bridge::newly_mounted) {
            say(&format!("also as a file: {}", file.display()));
        }
        let bridge = self.bridge.as_mut().map(Bridge::has_ended);
        let device = self.block_device.as_ref().map(BlockDevice::has_ended);
        if !interrupt.wanted() && bridge != Some(true) && device != Some(true) {
            return false;
        }
        // One that has ended by itself was not told to.
        if let Some(bridge) = self.bridge.as_mut().filter(|_| bridge == Some(false)) {
            bridge.end(|in_use| say(&in_use.to_string()));
        }
        if let Some(ours) = self.block_device.as_mut().filter(|_| device == Some(false)) {
            ours.end();
        }
        bridge != Some(false) && device != Some(false)
    }

    /// What their end means, when nothing is served any more.
    fn ended(self) -> Result<(), Failure> {
        let removed = self.block_device.map_or(Ok(()), BlockDevice::remove);
        if let Some(bridge) = &self.bridge {
            bridge.ended_well().map_err(failed)?;
        }
        removed.map_err(failed)
    }
}
