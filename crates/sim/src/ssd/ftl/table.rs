//! Large tables in anonymous memory: untouched parts cost nothing, touched ones lie on huge pages.
//!
//! A map of a full drive is far larger than any cache and than what the processor's address
//! translation covers with 4 KiB pages; huge pages are a third of the time of a random access. Fresh
//! tables are all zeros.

use bytemuck::Pod;
use memmap2::{Advice, MmapMut, MmapOptions};

use crate::ssd::parameters::DriveError;

/// A table of `len` plain numbers, zeros at first.
#[derive(Debug)]
pub(in crate::ssd) struct Table<T> {
    memory: MmapMut,
    len: usize,
    kind: std::marker::PhantomData<T>,
}

impl<T: Pod> Table<T> {
    /// A table of `len` zeros.
    ///
    /// # Errors
    /// Where the machine gives no address space for it.
    pub(in crate::ssd) fn zeros(len: usize) -> Result<Table<T>, DriveError> {
        let bytes = len.max(1) * size_of::<T>();
        let memory = MmapOptions::new()
            .len(bytes)
            .no_reserve_swap()
            .map_anon()
            .map_err(|cause| DriveError::Memory { bytes, cause })?;
        // Only a wish: without huge pages all works, slower.
        let _ = memory.advise(Advice::HugePage);
        Ok(Table {
            memory,
            len,
            kind: std::marker::PhantomData,
        })
    }

    /// A number of it. Of one alone this is half of what a look through [`Table::all`] costs.
    #[inline(always)]
    pub(in crate::ssd) fn at(&self, index: usize) -> T {
        let at = index * size_of::<T>();
        bytemuck::pod_read_unaligned(&self.memory[at..at + size_of::<T>()])
    }

    /// Puts a number.
    #[inline(always)]
    pub(in crate::ssd) fn put(&mut self, index: usize, number: T) {
        let at = index * size_of::<T>();
        self.memory[at..at + size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&number));
    }

    /// All of it.
    #[inline]
    pub(in crate::ssd) fn all(&self) -> &[T] {
        &bytemuck::cast_slice(&self.memory)[..self.len]
    }

    /// All of it, to change.
    #[inline]
    pub(in crate::ssd) fn all_mut(&mut self) -> &mut [T] {
        &mut bytemuck::cast_slice_mut(&mut self.memory)[..self.len]
    }
}
