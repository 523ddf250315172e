//! Memory that another program shares as a file, and may cut short.
//!
//! An access to a mapping beyond the end of its file raises SIGBUS, which ends the process, and with it everything that
//! the process does for others. Sealed files (`F_SEAL_SHRINK`, memfd_create(2)) cannot be truncated, but sealing cannot
//! be required: QEMU seals what `memory-backend-memfd` creates, but a file of `memory-backend-file` cannot be sealed.
//! Nor can the file be read and written instead of mapped: hugetlbfs has no write(2), and the indices of a ring must
//! change atomically.
//!
//! So a SIGBUS handler checks whether the address is in a guarded mapping. If so, it maps private memory over all of
//! it, which reads as zeros and is visible to no other process, marks the mapping as lost, and the access is repeated.
//! The mapping's owner checks afterwards whether what was read is valid. Any other SIGBUS is handled as before.

#![allow(unsafe_code)]

use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use vm_memory::MmapRegion;

/// Mappings that are guarded at once at most.
const MOST: usize = 256;

static PLACES: [Place; MOST] = [const { Place::new() }; MOST];
/// What SIGBUS did before.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

/// A mapping, as seen by the handler.
struct Place {
    is_taken: AtomicBool,
    /// Its first byte; 0 where there is none.
    start: AtomicUsize,
    bytes: AtomicUsize,
    is_lost: AtomicBool,
}

impl Place {
    const fn new() -> Place {
        Place {
            is_taken: AtomicBool::new(false),
            start: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            is_lost: AtomicBool::new(false),
        }
    }

    /// Its first byte and its length, if it contains the address.
    fn around(&self, address: usize) -> Option<(usize, usize)> {
        let start = self.start.load(Ordering::SeqCst);
        let bytes = self.bytes.load(Ordering::SeqCst);
        (start != 0 && address.wrapping_sub(start) < bytes).then_some((start, bytes))
    }
}

/// A mapping whose file may be cut short by others.
pub struct Guarded {
    place: &'static Place,
    /// As long as the handler knows it, it exists.
    _mapping: Arc<MmapRegion>,
}

impl Guarded {
    /// Guards a mapping.
    ///
    /// # Errors
    /// Those of sigaction(2); too many mappings.
    pub fn over(mapping: Arc<MmapRegion>) -> io::Result<Guarded> {
        watch()?;
        let free = |place: &&Place| !place.is_taken.swap(true, Ordering::SeqCst);
        let too_many = || io::Error::other("too many parts of shared memory");
        let place = PLACES.iter().find(free).ok_or_else(too_many)?;
        place.is_lost.store(false, Ordering::SeqCst);
        place.bytes.store(mapping.size(), Ordering::SeqCst);
        let start = mapping.as_ptr() as usize;
        place.start.store(start, Ordering::SeqCst);
        Ok(Guarded {
            place,
            _mapping: mapping,
        })
    }

    /// True once a missing part of it was accessed: what was read since is invalid.
    pub fn is_lost(&self) -> bool {
        self.place.is_lost.load(Ordering::SeqCst)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.place.start.store(0, Ordering::SeqCst);
        self.place.bytes.store(0, Ordering::SeqCst);
        self.place.is_taken.store(false, Ordering::SeqCst);
    }
}

/// Sets the handler, once.
fn watch() -> io::Result<()> {
    if BEFORE.get().is_some() {
        return Ok(());
    }
    // SAFETY: integers, a pointer and a set of bits alone, for all of which zeros are valid.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: nothing is set; `before` is written, whose type is the call's own.
    if unsafe { libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) } != 0 {
        return Err(io::Error::last_os_error());
    }
    if BEFORE.set(before).is_err() {
        // Another thread was first.
        return Ok(());
    }
    // SAFETY: as above.
    let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = lost;
    ours.sa_sigaction = handler as usize;
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
    // SAFETY: the handler has the signature that SA_SIGINFO asks for, lives as long as the program, and does nothing
    // but load and store atomics and two system calls; nothing is written here.
    if unsafe { libc::sigaction(libc::SIGBUS, &raw const ours, ptr::null_mut()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Handles SIGBUS, in the thread that accessed a missing page.
extern "C" fn lost(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the kernel gives a valid one.
    let info = unsafe { &*info };
    // What kill(2) sends has no address.
    if info.si_code > 0 {
        // SAFETY: of a SIGBUS of the kernel, the address is what the union holds.
        let address = unsafe { info.si_addr() } as usize;
        for place in &PLACES {
            let Some((start, bytes)) = place.around(address) else {
                continue;
            };
            if cover(start, bytes) {
                place.is_lost.store(true, Ordering::SeqCst);
                return;
            }
        }
    }
    if let Some(before) = BEFORE.get() {
        // SAFETY: what sigaction(2) gave is set again; nothing is written. What raises the signal is done again.
        unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
    }
    if info.si_code <= 0 {
        // SAFETY: it reaches this thread once the handler has returned.
        unsafe { libc::raise(signal) };
    }
}

/// Lays zeros over a mapping; false where the kernel refuses.
fn cover(start: usize, bytes: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the range is all of one mapping of an `MmapRegion`, which is there as long as its `Guarded`, and which is
    // accessed as volatile memory alone, since others change it at any time. Its new pages are as long and as accessible,
    // and are unmapped with it.
    let covered = unsafe { libc::mmap(start as *mut libc::c_void, bytes, access, flags, -1, 0) };
    covered != libc::MAP_FAILED
}

#[cfg(test)]
mod tests {
    use super::*;
    use vm_memory::{FileOffset, VolatileMemory};

    const BYTES: usize = 1 << 20;

    #[test]
    fn a_mapping_whose_file_is_cut_reads_as_zeros_and_says_so_and_others_stay() {
        let mapped = || {
            let file = tempfile::tempfile().unwrap();
            file.set_len(BYTES as u64).unwrap();
            let cut = file.try_clone().unwrap();
            let mapping = MmapRegion::from_file(FileOffset::new(file, 0), BYTES).unwrap();
            let mapping = Arc::new(mapping);
            (Guarded::over(Arc::clone(&mapping)).unwrap(), mapping, cut)
        };
        let ((lost, cut_short, file), (whole, other, _)) = (mapped(), mapped());
        let byte = |mapping: &MmapRegion, at| mapping.get_ref::<u8>(at).unwrap().load();
        for mapping in [&cut_short, &other] {
            mapping.get_ref::<u8>(BYTES - 1).unwrap().store(7);
            assert_eq!(byte(mapping, BYTES - 1), 7);
        }
        assert!(!lost.is_lost());
        file.set_len(4096).unwrap();
        assert_eq!(byte(&cut_short, BYTES - 1), 0);
        assert!(lost.is_lost() && !whole.is_lost());
        cut_short.get_ref::<u8>(BYTES - 1).unwrap().store(9);
        assert_eq!(byte(&other, BYTES - 1), 7);
    }
}
