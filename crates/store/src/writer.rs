//! The thread that stores the progress of a phase, so that the measuring thread never waits.
//!
//! Between the two is a slot for one document: a new document replaces the one in the slot (the newest wins), which
//! takes a lock held for a few instructions. The writer takes the document at once, then sleeps for [`PACE`], so that
//! it writes at most once a second; its readiness is visible, so that no record is copied only to be replaced. The
//! document is passed as a closure, since serialising a large record takes longer than copying it: the writer does that
//! as well.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use base::message::{Argument, Message};
use rusqlite::{Connection, params};

use crate::progress::ProgressFiles;
use crate::{RunId, StoreError, room};

/// The pause between two documents.
pub(crate) const PACE: Duration = Duration::from_secs(1);

/// The document of one phase in its making.
pub(crate) struct Progress {
    pub(crate) phase: String,
    pub(crate) workload: String,
    pub(crate) record: Box<dyn FnOnce() -> String + Send>,
}

/// What both threads see.
pub(crate) struct Shared {
    pub(crate) run: RunId,
    pub(crate) path: PathBuf,
    /// Held while a row is written; the thread that measures takes it between phases only.
    connection: Mutex<Connection>,
    slot: Mutex<Slot>,
    /// There is a document in the slot, or the run closes.
    changed: Condvar,
    /// What is handed over now is written at once.
    has_rested: AtomicBool,
}

#[derive(Default)]
struct Slot {
    newest: Option<Progress>,
    closing: bool,
    /// The last error of writing progress, cleared by what could be written.
    trouble: Option<Message>,
}

/// The running writer.
pub(crate) struct Writer {
    pub(crate) shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(
        run: RunId,
        path: PathBuf,
        connection: Connection,
        pace: Duration,
    ) -> Result<Writer, StoreError> {
        let shared = Arc::new(Shared {
            run,
            path,
            connection: Mutex::new(connection),
            slot: Mutex::default(),
            changed: Condvar::new(),
            has_rested: AtomicBool::new(true),
        });
        let files = ProgressFiles::of(&shared.path, run);
        let seen_by_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_string())
            .spawn(move || seen_by_thread.write_until_closed(pace, files))
            .map_err(|source| StoreError::Thread { source })?;
        Ok(Writer {
            shared,
            thread: Some(thread),
        })
    }

    /// Writes the document in the slot and ends the thread.
    pub(crate) fn close(&mut self) {
        self.shared.slot().closing = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // It panics only if a caller's closure does, which has been reported then.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Hands the newest progress over; never waits for the disk.
    pub(crate) fn hand_over(&self, progress: Progress) {
        self.has_rested.store(false, Ordering::Relaxed);
        let replaced = self.slot().newest.replace(progress);
        self.changed.notify_one();
        drop(replaced); // after the lock is free
    }

    pub(crate) fn has_rested(&self) -> bool {
        self.has_rested.load(Ordering::Relaxed)
    }

    pub(crate) fn trouble(&self) -> Option<Message> {
        self.slot().trouble.clone()
    }

    /// The connection, once the writer does not hold it.
    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic while the lock was held cannot have left a half transaction: dropping it rolls it back.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_until_closed(&self, pace: Duration, mut files: ProgressFiles) {
        loop {
            let (progress, closing) = self.next();
            if let Some(progress) = progress {
                self.write(&mut files, progress);
            }
            if closing {
                return;
            }
            let resting = self
                .changed
                .wait_timeout_while(self.slot(), pace, |slot| !slot.closing);
            drop(resting);
            self.has_rested.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for something to do.
    fn next(&self) -> (Option<Progress>, bool) {
        let idle = |slot: &mut Slot| slot.newest.is_none() && !slot.closing;
        let mut slot = self
            .changed
            .wait_while(self.slot(), idle)
            .unwrap_or_else(PoisonError::into_inner);
        (slot.newest.take(), slot.closing)
    }

    /// A write error does not end the measurement: it is kept until queried.
    fn write(&self, files: &mut ProgressFiles, progress: Progress) {
        let record = (progress.record)();
        let written = files.write(&progress.phase, &progress.workload, &record);
        let path = self.path.clone();
        self.slot().trouble = written.err().map(|error| {
            let path = Argument::text(path.display());
            let places = [("path", path), ("why", Argument::text(error))];
            Message::new("warning-progress-not-stored", places)
        });
    }

    /// A phase that is done, in one transaction.
    pub(crate) fn write_phase(
        &self,
        name: &str,
        workload: &str,
        record: &str,
    ) -> Result<(), StoreError> {
        let doing = "writing a phase";
        room::check(&self.path, workload.len() + record.len(), doing)?;
        self.connection()
            .prepare_cached(
                "INSERT INTO phases (run, name, done, workload, record) VALUES (?1, ?2, TRUE, ?3, ?4)
                 ON CONFLICT (run, name) DO UPDATE SET done = TRUE, workload = ?3, record = ?4",
            )
            .and_then(|mut statement| statement.execute(params![self.run.0, name, workload, record]))
            .map(drop)
            .map_err(|error| StoreError::sqlite(&self.path, doing, error))
    }
}
