//! `drivelab rescue SOURCE DEST`: copies a failing or read-only drive off.
//!
//! Good areas first, bad ones last (`passes`); losses are in a readable map (`map`). The map is saved regularly, after
//! flushing the destination: so however a rescue ends, the same command continues from the map, and at most some data
//! is copied again. The source is opened read-only.
//!
//! DEST is a new file (it is created), one that continues an earlier rescue of the same source, or a device or file
//! that may be overwritten, as for a run. It is refused if it is the source, a part of its drive, or on it, and if it
//! must be written zone by zone. A map by another program (GNU ddrescue's, or that of a rescue whose copy was moved) is
//! continued only if requested (`adopting`). A modelled source stores no bytes: its destination is modelled, too
//! (`null:` is enough), and the result is the map and the time.

use std::path::{Path, PathBuf};

use base::message::{Argument, Message};
use base::method::{Forecast, Scale};
use base::size::Bytes;
use base::target::{Info, Target};
use base::whole_file;
use base::workload::Span;
use base::zone::Management;
use inspect::{Root, open_as_seen};
use results::rescue::{RESCUE_SCHEMA, Rescued};

use crate::error::RescueError;
use base::interrupt::Interrupt;
use lab::LabError;
use lab::progress::{Progress, Standing};
use lab::whole_file::write_whole;
use targets::{Consent, Drive, ResolvedTarget, resolve};

mod adopting;
mod apart;
mod ends;
pub mod error;
mod map;
mod names;
mod passes;

use ends::{Ends, ModelEnds, RealEnds, Sink};
pub use map::{Area, Map, Retried, Status};
use names::Names;
use passes::{Copier, Manner};

/// Bytes copied between two savings of the map.
const SAVE_BYTES: u64 = 64 << 20;
/// Reads between two savings: bad sectors take their time each.
const SAVE_READS: u64 = 256;
/// Failed reads between two savings.
const SAVE_FAILED: u64 = 16;

/// What is to be copied off.
#[derive(Clone, Debug)]
pub struct RescueRequest {
    /// The drive.
    pub source: String,
    /// Where it goes.
    pub destination: String,
    /// The map; next to the destination by default.
    pub map: Option<PathBuf>,
    /// Bytes that are read at once while all goes well; whole blocks of 4 KiB.
    pub block: Bytes,
    /// How often bad sectors are tried again.
    pub retries: u32,
    /// Whether to continue from a map that this rescue did not create.
    pub adopt: bool,
    /// What may be overwritten.
    pub consent: Consent,
}

/// A request whose ends are known: nothing is made or opened for writing yet.
pub struct PreparedRescue {
    request: RescueRequest,
    names: Names,
    size: u64,
    sector: u64,
    map_path: PathBuf,
    /// What an earlier rescue left.
    earlier: Option<Map>,
    /// What was checked of a map that is adopted; nothing where it is this rescue's own.
    adopted: Vec<Message>,
    way: Way,
}

enum Way {
    Model,
    /// The destination is created, or continues.
    Own(PathBuf),
    /// The destination is overwritten.
    Allowed(PathBuf),
}

impl Way {
    fn is_to_a_device(&self) -> bool {
        matches!(self, Way::Allowed(path) if !is_file(path))
    }
}

/// Checks both ends of a rescue.
///
/// # Errors
/// Unknown names, overlapping ends, a destination that is too small or must not be overwritten, a map of something
/// else.
pub fn prepare(request: RescueRequest) -> Result<PreparedRescue, RescueError> {
    let block = request.block;
    if block.is_zero() || !block.is_multiple_of(Bytes::kib(4)) || block > Bytes::mib(64) {
        return Err(rescue_error(format!(
            "a block of {block} cannot be: it is a multiple of 4 KiB, and 64 MiB at most"
        )));
    }
    let source = resolve(&request.source, &Consent::default(), 0)?;
    if source.is_a_test_file() {
        let what = "is a directory: name the drive under it, or a file";
        return Err(rescue_error(format!("{} {what}", request.source)));
    }
    let Info {
        capacity, block, ..
    } = source.provisional;
    let way = if source.is_a_model() {
        to_a_model(&request, capacity)?;
        Way::Model
    } else {
        apart::check(&request.source, &request.destination)?;
        to_a_place(&request)?
    };
    let map_path = request.map.clone().unwrap_or_else(|| match &way {
        Way::Model => PathBuf::from("rescue.map"),
        Way::Own(path) | Way::Allowed(path) => {
            let mut name = path.clone().into_os_string();
            name.push(".map");
            PathBuf::from(name)
        }
    });
    if map_path.exists() && !is_file(&map_path) {
        let path = map_path.display();
        return Err(rescue_error(format!(
            "{path} is not a file: name another map"
        )));
    }
    if !matches!(way, Way::Model) {
        apart::check(&request.source, &map_path.display().to_string())?;
    }
    let sizes = (capacity.get(), block.get());
    let names = Names::of(&source, &request, way.is_to_a_device());
    let (earlier, adopted) = match earlier_map(&map_path, &names, &request, sizes)? {
        Some((map, adopted)) => (Some(map), adopted),
        None => (None, Vec::new()),
    };
    let mut prepared = PreparedRescue {
        names,
        size: capacity.get(),
        sector: block.get(),
        map_path,
        earlier,
        adopted,
        way,
        request,
    };
    prepared.check_destination()?;
    Ok(prepared)
}

fn is_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// True for the file that the map of an earlier rescue is about. An adopted map by which nothing has arrived is
/// about no file that has anything in it.
fn is_ours(path: &Path, map: &Map, adopted: bool) -> bool {
    let whole = |len: u64| len == map.size() && !adopted;
    let started = |len: u64| len == 0 || whole(len) || map.bytes(Status::Arrived) > 0;
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && started(found.len()))
}

fn rescue_error(what: String) -> RescueError {
    RescueError::Refused(what)
}

fn to_a_model(request: &RescueRequest, needs: Bytes) -> Result<(), RescueError> {
    let destination = resolve(&request.destination, &Consent::default(), 0);
    let is_a_model = destination
        .as_ref()
        .is_ok_and(|resolved| resolved.is_a_model());
    if !is_a_model {
        return Err(rescue_error(format!(
            "{} is a model and keeps no bytes: copy it to another one, or to null:",
            request.source
        )));
    }
    let destination = destination?;
    is_written_anywhere(&request.destination, &destination)?;
    too_small(
        &request.destination,
        destination.provisional.capacity,
        needs,
    )
}

/// What refusals call it.
const WORK: &str = "rescue";

/// A copy is written from the destination's beginning on.
fn writes(bytes: u64) -> Forecast {
    Forecast {
        written: vec![Span::first(Bytes::new(bytes))],
        ..Forecast::default()
    }
}

/// A rescue leaves gaps and returns to them, which a drive with sequential-write zones does not allow.
fn is_written_anywhere(name: &str, destination: &ResolvedTarget) -> Result<(), RescueError> {
    let zones = destination.zones();
    match zones.filter(|zones| zones.management == Management::HostManaged) {
        Some(zones) => Err(rescue_error(format!(
            "{name} is written in the order of its zones ({zones}), and a rescue goes back to what it has left out: name another drive, or a file (F2FS on {name} can hold it)"
        ))),
        None => Ok(()),
    }
}

fn too_small(destination: &str, has: Bytes, needs: Bytes) -> Result<(), RescueError> {
    if has < needs {
        return Err(rescue_error(format!(
            "{destination} has {has}, and the source {needs}: name a larger destination"
        )));
    }
    Ok(())
}

/// A path to which a real source may go.
fn to_a_place(request: &RescueRequest) -> Result<Way, RescueError> {
    let name = &request.destination;
    match name.parse()? {
        targets::grammar::Spec::Path { path, options } if options.is_empty() => {
            match std::fs::metadata(&path) {
                Ok(found) if found.is_dir() => Err(rescue_error(format!(
                    "{name} is a directory: name a file in it"
                ))),
                Ok(_) => Ok(Way::Allowed(path)),
                Err(_) => Ok(Way::Own(path)),
            }
        }
        _ => Err(rescue_error(format!(
            "{name} cannot be written to: name a file or a device"
        ))),
    }
}

/// The remains of an earlier rescue of the same source to the same destination; for an adopted map of another program
/// or destination, also what was checked about it.
fn earlier_map(
    path: &Path,
    names: &Names,
    request: &RescueRequest,
    (size, sector): (u64, u64),
) -> Result<Option<(Map, Vec<Message>)>, RescueError> {
    let refuse = |what: String| Err(rescue_error(format!("{}: {what}", path.display())));
    let text = match whole_file::text(path, map::MOST_TEXT) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && request.adopt => {
            return refuse("there is no map to adopt: name it with --map".to_owned());
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            return Err(RescueError::of_file(path, source));
        }
    };
    let (map, said) = match Map::read(&text, size) {
        Ok(read) => read,
        Err(what) => return refuse(format!("{what}; name another map with --map")),
    };
    if names.are_in(&said) {
        return Ok(Some((map, Vec::new())));
    }
    if !request.adopt {
        return refuse(
            "this rescue did not make it; go on from it with --adopt, or name another map with --map"
                .to_owned(),
        );
    }
    match adopting::checked(map, &said, names.sources(), sector, &request.destination) {
        Ok(adopted) => Ok(Some(adopted)),
        Err(what) => refuse(format!("cannot be adopted: {what}")),
    }
}

impl PreparedRescue {
    /// A file that continues an earlier rescue needs no consent; any other existing one does.
    fn check_destination(&mut self) -> Result<(), RescueError> {
        let request = &self.request;
        match (&self.way, &self.earlier) {
            (Way::Model, None) => Ok(()),
            (Way::Model, Some(_)) => Err(rescue_error(format!(
                "{} is there already: name another map with --map",
                self.map_path.display()
            ))),
            (Way::Own(_), None) => Ok(()),
            // Ended before it had made the file.
            (Way::Own(_), Some(map)) if map.bytes(Status::Arrived) == 0 => Ok(()),
            (Way::Own(path), Some(_)) => Err(rescue_error(format!(
                "the map {} is there, but {} is gone: remove the map to begin anew",
                self.map_path.display(),
                path.display()
            ))),
            (Way::Allowed(path), earlier) => {
                let adopted = !self.adopted.is_empty();
                let is_ours = |map: &Map| is_ours(path, map, adopted);
                if earlier.as_ref().is_some_and(is_ours) {
                    self.way = Way::Own(path.clone());
                    return Ok(());
                }
                let resolved = resolve(&request.destination, &request.consent, 0)?;
                is_written_anywhere(&request.destination, &resolved)?;
                resolved.check_consent(WORK, &writes(self.size), &request.consent)?;
                let has = resolved.provisional.capacity;
                if is_file(path) {
                    return Ok(());
                }
                too_small(&request.destination, has, Bytes::new(self.size))
            }
        }
    }

    /// What would be written, for people.
    pub fn dry_run(&self) -> Vec<Message> {
        let left = self.earlier.as_ref().map_or(self.size, |map| {
            self.size - map.bytes(Status::Arrived) - map.bytes(Status::Bad)
        });
        let mut lines = vec![
            Message::new(
                "rescue-of",
                [("source", Argument::text(self.names.source()))],
            ),
            Message::new(
                "rescue-writes",
                [
                    ("size", self.size.into()),
                    ("destination", Argument::text(&self.request.destination)),
                    ("left", left.into()),
                ],
            )
            .behind("  "),
            Message::new(
                "rescue-map",
                [("path", Argument::text(self.map_path.display()))],
            )
            .behind("  "),
        ];
        lines.extend(self.adopted.iter().map(|line| line.clone().behind("  ")));
        lines
    }

    /// Makes all checks of a rescue before its first read. Nothing is created, claimed or written.
    ///
    /// # Errors
    /// What would refuse it.
    pub fn would_run(&self) -> Result<(), RescueError> {
        let source = resolve(&self.request.source, &Consent::default(), 0)?;
        if let Some((identity, _)) = source.identity_and_faults() {
            open_as_seen(&Root::new("/"), &identity, identity.drive.is_some())?;
        }
        let Way::Allowed(_) = self.way else {
            return Ok(());
        };
        let consent = &self.request.consent;
        let resolved = resolve(&self.request.destination, consent, 0)?;
        Ok(resolved.would_open(&writes(self.size), Scale::Default, consent)?)
    }

    fn open(&self) -> Result<Ends, RescueError> {
        let source = resolve(&self.request.source, &Consent::default(), 0)?;
        let Some((identity, faults)) = source.identity_and_faults() else {
            let admitted = source.admit(WORK, &Forecast::default(), &Consent::default())?;
            let opened = admitted.open(Scale::Default, &Interrupt::new())?;
            return match opened.drive {
                Drive::Model(source) => self.open_models(source),
                Drive::Real(_) => Err(rescue_error(format!(
                    "{} is neither a device nor a file",
                    self.request.source
                ))),
            };
        };
        // A device past the page cache, which reads ahead and in pages: a bad sector would take its
        // neighbours with it.
        let direct = identity.drive.is_some();
        let file = open_as_seen(&Root::new("/"), &identity, direct)?;
        let path = identity.path;
        let faults = faults.map(|faults| (faults, Bytes::new(self.size)));
        let sink = self.open_sink()?;
        let block = self.request.block.get();
        let ends = RealEnds::new((file, path), faults, sink, block);
        Ok(Ends::Real(Box::new(ends)))
    }

    fn open_models(&self, source: Box<dyn Target>) -> Result<Ends, RescueError> {
        let resolved = resolve(&self.request.destination, &Consent::default(), 0)?;
        let admitted = resolved.admit(WORK, &writes(self.size), &Consent::default())?;
        let opened = admitted.open(Scale::Default, &Interrupt::new())?;
        match opened.drive {
            Drive::Model(destination) => Ok(Ends::Model(ModelEnds {
                source,
                destination,
            })),
            Drive::Real(_) => Err(rescue_error(format!(
                "{} is not a model",
                self.request.destination
            ))),
        }
    }

    fn open_sink(&self) -> Result<(Sink, PathBuf, u64), RescueError> {
        let (Way::Own(path) | Way::Allowed(path)) = &self.way else {
            return Err(rescue_error("a modelled drive is not a file".to_owned()));
        };
        if self.way.is_to_a_device() {
            return self.open_device(path);
        }
        let allowed = matches!(self.way, Way::Allowed(_));
        let typed = self.request.consent.confirm.clone().unwrap_or_default();
        let file = ends::open_file(path, allowed.then_some(&typed), self.size)?;
        Ok((Sink::Own(file), path.clone(), 1))
    }

    /// A device that was allowed to be overwritten.
    fn open_device(&self, path: &Path) -> Result<(Sink, PathBuf, u64), RescueError> {
        let (name, consent) = (&self.request.destination, &self.request.consent);
        let resolved = resolve(name, consent, 0)?;
        let block = resolved.provisional.block.get();
        let admitted = resolved.admit(WORK, &writes(self.size), consent)?;
        let opened = admitted.open(Scale::Default, &Interrupt::new())?;
        match opened.drive {
            Drive::Real(real) => Ok((Sink::Allowed(real), path.to_owned(), block)),
            Drive::Model(_) => Err(rescue_error(format!("{name} is not a device"))),
        }
    }

    /// Messages about an earlier rescue that this one continues; an adopted map is compared with both ends.
    fn announce(
        &self,
        ends: &mut Ends,
        map: &Map,
        progress: &mut dyn Progress,
    ) -> Result<(), RescueError> {
        if !self.adopted.is_empty() {
            self.adopted.iter().for_each(|line| progress.say(line));
            progress.say(&adopting::compared(ends, map)?);
        }
        if self.earlier.is_some() {
            let (done, size) = (map.bytes(Status::Arrived).into(), self.size.into());
            let places = [("done", done), ("size", size)];
            progress.say(&Message::new("resuming-rescue", places));
        }
        Ok(())
    }

    /// Copies, or continues copying, until everything has been copied or given up.
    ///
    /// # Errors
    /// If the source is gone, the destination or the map cannot be written, or the user stopped it; the map says what
    /// was copied.
    pub fn run(
        self,
        progress: &mut dyn Progress,
        interrupt: &Interrupt,
    ) -> Result<Rescued, RescueError> {
        let resumed = self.earlier.is_some();
        let earlier = self.earlier.clone();
        let mut map = earlier.unwrap_or_else(|| Map::new(self.size));
        let remarks = self.names.remarks();
        let keeps_map = !matches!(self.way, Way::Model);
        if keeps_map && !resumed {
            // Before the destination is made: killed in between, the same command goes on.
            write_map(&self.map_path, &map, &remarks)?;
        }
        let mut ends = self.open()?;
        self.announce(&mut ends, &map, progress)?;
        let manner = Manner {
            block: self.request.block.get(),
            sector: self.sector,
            retries: self.request.retries,
        };
        let mut copying = Copying {
            ends,
            map_path: &self.map_path,
            remarks,
            source: &self.request.source,
            keeps_map,
            since: (0, 0, 0),
            reads: (0, 0),
            progress,
            interrupt,
        };
        let ended = passes::all(&mut map, &manner, &mut copying);
        copying.keeps_map = true;
        let saved = copying.save(&map);
        ended?;
        saved?;
        let lost = |area: &Area| area.status == Status::Bad;
        Ok(Rescued {
            schema: RESCUE_SCHEMA,
            bytes: self.size,
            arrived: map.bytes(Status::Arrived),
            lost: map.bytes(Status::Bad),
            areas: map
                .areas()
                .filter(lost)
                .map(|area| (area.start, area.end - area.start))
                .collect(),
            reads: copying.reads,
            resumed,
            took_s: copying.ends.took().map(|took| took.as_secs_f64()),
            source: self.request.source.clone(),
            destination: self.request.destination.clone(),
            map: self.map_path.clone(),
        })
    }
}

/// Writes the map, whole or not at all.
fn write_map(path: &Path, map: &Map, remarks: &[String]) -> Result<(), RescueError> {
    write_whole(path, map.text(remarks).as_bytes())
        .map_err(|source| RescueError::of_file(path, source))
}

/// Copies, and saves the map as it goes.
struct Copying<'a> {
    ends: Ends,
    map_path: &'a Path,
    remarks: Vec<String>,
    source: &'a str,
    /// False for models, whose map is written at the end: they cannot be continued.
    keeps_map: bool,
    /// Bytes, reads and failed reads since the map was saved.
    since: (u64, u64, u64),
    reads: (u64, u64),
    progress: &'a mut dyn Progress,
    interrupt: &'a Interrupt,
}

impl Copier for Copying<'_> {
    type Stop = RescueError;

    fn copy(&mut self, map: &Map, start: u64, end: u64) -> Result<bool, RescueError> {
        LabError::not_interrupted(self.interrupt)?;
        let (bytes, reads, failed) = self.since;
        if bytes >= SAVE_BYTES || reads >= SAVE_READS || failed >= SAVE_FAILED {
            self.save(map)?;
            self.show(map);
        }
        let arrived = self.ends.copy(start, end)?;
        self.reads.0 += 1;
        self.reads.1 += u64::from(!arrived);
        self.since.0 += end - start;
        self.since.1 += 1;
        self.since.2 += u64::from(!arrived);
        Ok(arrived)
    }
}

impl Copying<'_> {
    /// Saves the map atomically, after the data that it lists as copied is on stable storage.
    fn save(&mut self, map: &Map) -> Result<(), RescueError> {
        self.since = (0, 0, 0);
        if !self.keeps_map {
            return Ok(());
        }
        self.ends.settle()?;
        write_map(self.map_path, map, &self.remarks)
    }

    fn show(&mut self, map: &Map) {
        let done = map.bytes(Status::Arrived) + map.bytes(Status::Bad);
        let phase = format!("{} failed reads", self.reads.1);
        self.progress.show(&Standing {
            target: self.source,
            method: ["Rescue", "救出"],
            phase: &phase,
            mb_s: None,
            iops: None,
            p99: None,
            fraction: Some(done as f64 / map.size().max(1) as f64),
            left: None,
            simulated: false,
            record: None,
            done: (0, base::size::Bytes::ZERO),
            temperature: None,
        });
    }
}
