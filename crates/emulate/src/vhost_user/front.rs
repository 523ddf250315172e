//! State set up by the machine's program: the guest's memory, its rings, and outstanding requests.
//!
//! Each message of the protocol is a function here, and none waits. They arrive when nothing is open.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustix::event::epoll;
use uring::Guarded;
use vhost::VhostUserMemoryRegionBase;
use vhost::vhost_user::message::{
    VhostTransferStateDirection, VhostTransferStatePhase, VhostUserConfigFlags, VhostUserInflight,
    VhostUserLog, VhostUserMemoryRegion, VhostUserProtocolFeatures, VhostUserShMemConfig,
    VhostUserSharedMsg, VhostUserSingleMemoryRegion, VhostUserVirtioFeatures,
    VhostUserVringAddrFlags, VhostUserVringState,
};
use vhost::vhost_user::{Error, GpuBackend, Result, VhostUserBackendReqHandlerMut};
use virtio_queue::{Queue, QueueT};
use vm_memory::{GuestAddress, GuestMemoryMmap, GuestRegionMmap};

use super::{KICK, watch};
use crate::drive::Asked;
use crate::nbd::Export;
use crate::virtio::{self, Chain, Status, Wanted};

/// Rings at most: machines take one for each of their processors.
pub(super) const RINGS: usize = 64;
/// Places of a ring at most.
const PLACES: u16 = 1_024;
/// Maximum number of segments of a request in a ring: QEMU's rings have 128 entries by default.
const PLACES_TOLD: u16 = 128;
/// Bits of every virtio device (VIRTIO 1.2, section 6): tables of descriptors, fewer kicks, the present standard.
const INDIRECT: u64 = 1 << 28;
const EVENT_INDEX: u64 = 1 << 29;
const VERSION_1: u64 = 1 << 32;
/// State set up by the machine's program: the guest's memory and its rings.
pub(super) struct Front {
    export: Export,
    /// The disk's serial number.
    id: String,
    memory: Option<Arc<GuestMemoryMmap>>,
    mappings: Vec<Mapping>,
    /// The same memory, whose files the machine may cut short.
    guarded: Vec<Guarded>,
    rings: Vec<Ring>,
    watched: Arc<OwnedFd>,
}

/// Addresses of a part of the guest's memory in the machine's program and in the guest.
struct Mapping {
    program: u64,
    guest: u64,
    bytes: u64,
}

struct Ring {
    queue: Queue,
    is_enabled: bool,
    kick: Option<File>,
    call: Option<File>,
    /// Outstanding requests, by their head index.
    open: Vec<Option<Chain>>,
    opened: usize,
    /// There are completions that the guest was not notified of.
    has_news: bool,
}

impl Ring {
    fn new() -> Result<Ring> {
        Ok(Ring {
            queue: Queue::new(PLACES).map_err(|_| Error::BackendInternalError)?,
            is_enabled: false,
            kick: None,
            call: None,
            open: Vec::new(),
            opened: 0,
            has_news: false,
        })
    }

    fn is_served(&self) -> bool {
        self.is_enabled && self.queue.ready()
    }

    fn put_back(&mut self, head: u16, memory: &GuestMemoryMmap, written: u32) {
        // A ring that lies outside the memory is the guest's own loss.
        if self.queue.add_used(memory, head, written).is_ok() {
            self.has_news = true;
        }
    }

    fn keep(&mut self, head: u16, chain: Chain) {
        let place = usize::from(head);
        if self.open.len() <= place {
            self.open.resize_with(place + 1, || None);
        }
        // A guest that asks twice with one head gets one answer.
        self.opened += usize::from(self.open[place].is_none());
        self.open[place] = Some(chain);
    }

    fn call(&mut self, memory: &GuestMemoryMmap) {
        if !std::mem::take(&mut self.has_news) {
            return;
        }
        if self.queue.needs_notification(memory).unwrap_or(true)
            && let Some(call) = &mut self.call
        {
            // A machine that is gone is not called.
            let _ = call.write(&1_u64.to_ne_bytes());
        }
    }
}

impl Front {
    /// Nothing is set up yet.
    pub(super) fn new(export: Export, id: String, watched: Arc<OwnedFd>) -> Result<Front> {
        let rings: Result<_> = (0..RINGS).map(|_| Ring::new()).collect();
        Ok(Front {
            export,
            id,
            memory: None,
            mappings: Vec::new(),
            guarded: Vec::new(),
            rings: rings?,
            watched,
        })
    }

    /// Outstanding requests.
    pub(super) fn open(&self) -> usize {
        self.rings.iter().map(|ring| ring.opened).sum()
    }

    /// True if the machine has truncated its memory: what was found there is invalid.
    pub(super) fn has_lost_memory(&self) -> bool {
        self.guarded.iter().any(Guarded::is_lost)
    }

    /// Takes the next request of any ring; completes those that do not need the drive.
    pub(super) fn take(&mut self) -> Option<(usize, u16, Asked)> {
        let memory = self.memory.as_ref()?;
        for (number, ring) in self.rings.iter_mut().enumerate() {
            if !ring.is_served() {
                continue;
            }
            while let Some(chain) = ring.queue.pop_descriptor_chain(Arc::clone(memory)) {
                let head = chain.head_index();
                match virtio::understood(&chain, &self.export, &self.id) {
                    Wanted::Drive(asked) => {
                        ring.keep(head, chain);
                        return Some((number, head, asked));
                    }
                    Wanted::AtOnce(data, status) => {
                        let written = virtio::answer(&chain, &data, status).unwrap_or(0);
                        ring.put_back(head, memory, written);
                        ring.call(memory);
                    }
                }
            }
        }
        None
    }

    /// Completes a request, given its ring and head index.
    pub(super) fn answer(&mut self, ring: usize, head: u16, data: &[u8], status: Status) {
        let Some(ring) = self.rings.get_mut(ring) else {
            return;
        };
        let Some(chain) = ring.open.get_mut(usize::from(head)).and_then(Option::take) else {
            return;
        };
        ring.opened -= 1;
        let written = virtio::answer(&chain, data, status).unwrap_or(0);
        ring.put_back(head, chain.memory(), written);
    }

    /// Notifies the guest of completions, if it wants that.
    pub(super) fn call(&mut self) {
        let Some(memory) = &self.memory else { return };
        for ring in self.rings.iter_mut().filter(|ring| ring.is_served()) {
            ring.call(memory);
        }
    }

    /// Tells the guest to kick; true if there are requests already. It kicks once: until it is told again it assumes
    /// that the rings are polled.
    pub(super) fn wants_to_be_kicked(&mut self) -> bool {
        let Some(memory) = &self.memory else {
            return false;
        };
        let mut has_more = false;
        for ring in self.rings.iter_mut().filter(|ring| ring.is_served()) {
            has_more |= ring.queue.enable_notification(&**memory).unwrap_or(false);
        }
        has_more
    }

    /// Takes a kick off its event file.
    pub(super) fn quieten(&mut self, ring: usize) {
        if let Some(kick) = self.rings.get_mut(ring).and_then(|ring| ring.kick.as_mut()) {
            let _ = kick.read(&mut [0; 8]);
        }
    }

    fn ring(&mut self, index: u32) -> Result<&mut Ring> {
        self.rings
            .get_mut(index as usize)
            .ok_or(Error::InvalidParam)
    }

    /// The guest address of an address in the machine's program.
    fn guest_address(&self, program: u64) -> Result<u64> {
        let found = self.mappings.iter().find_map(|mapping| {
            let within = program.checked_sub(mapping.program)?;
            (within < mapping.bytes).then_some(mapping.guest + within)
        });
        found.ok_or(Error::InvalidParam)
    }

    fn stop(&mut self, index: usize) {
        let Some(ring) = self.rings.get_mut(index) else {
            return;
        };
        ring.queue.set_ready(false);
        if let Some(kick) = ring.kick.take() {
            let _ = epoll::delete(&*self.watched, kick);
        }
        ring.call = None;
        ring.open.clear();
        ring.opened = 0;
        ring.has_news = false;
    }

    /// The machine is gone.
    pub(super) fn forget(&mut self) {
        for index in 0..self.rings.len() {
            self.stop(index);
            self.rings[index].queue.reset();
            self.rings[index].is_enabled = false;
        }
        self.memory = None;
        self.mappings.clear();
        self.guarded.clear();
    }
}

const NOT_OFFERED: Error = Error::InvalidOperation("it was not offered");

impl VhostUserBackendReqHandlerMut for Front {
    fn set_owner(&mut self) -> Result<()> {
        Ok(())
    }

    fn reset_owner(&mut self) -> Result<()> {
        Ok(())
    }

    fn reset_device(&mut self) -> Result<()> {
        Err(NOT_OFFERED)
    }

    fn get_features(&mut self) -> Result<u64> {
        let protocol = VhostUserVirtioFeatures::PROTOCOL_FEATURES.bits();
        Ok(virtio::features(&self.export) | INDIRECT | EVENT_INDEX | VERSION_1 | protocol)
    }

    fn set_features(&mut self, features: u64) -> Result<()> {
        if features & !self.get_features()? != 0 {
            return Err(Error::InvalidParam);
        }
        let protocol = features & VhostUserVirtioFeatures::PROTOCOL_FEATURES.bits() != 0;
        for ring in &mut self.rings {
            ring.queue.set_event_idx(features & EVENT_INDEX != 0);
            // Without the protocol's own features nobody enables a ring.
            ring.is_enabled |= !protocol;
        }
        Ok(())
    }

    fn set_mem_table(
        &mut self,
        regions: &[VhostUserMemoryRegion],
        files: Vec<File>,
        postcopy: Option<bool>,
    ) -> Result<Option<Vec<VhostUserMemoryRegionBase>>> {
        if postcopy.is_some() {
            return Err(NOT_OFFERED);
        }
        let mut mapped = Vec::new();
        let mut mappings = Vec::new();
        let mut guarded = Vec::new();
        for (region, file) in regions.iter().zip(files) {
            let guest = region.guest_phys_addr;
            let memory = Arc::new(region.mmap_region(file)?);
            guarded.push(Guarded::over(Arc::clone(&memory)).map_err(Error::ReqHandlerError)?);
            let part = GuestRegionMmap::with_arc(memory, GuestAddress(guest));
            mapped.push(part.ok_or(Error::InvalidParam)?);
            mappings.push(Mapping {
                program: region.user_addr,
                guest,
                bytes: region.memory_size,
            });
        }
        let memory = GuestMemoryMmap::from_regions(mapped).map_err(|_| Error::InvalidParam)?;
        self.memory = Some(Arc::new(memory));
        self.mappings = mappings;
        self.guarded = guarded;
        Ok(None)
    }

    fn set_vring_num(&mut self, index: u32, places: u32) -> Result<()> {
        let places = u16::try_from(places).map_err(|_| Error::InvalidParam)?;
        if places > PLACES || !places.is_power_of_two() {
            return Err(Error::InvalidParam);
        }
        self.ring(index)?.queue.set_size(places);
        Ok(())
    }

    fn set_vring_addr(
        &mut self,
        index: u32,
        _flags: VhostUserVringAddrFlags,
        descriptors: u64,
        used: u64,
        available: u64,
        _log: u64,
    ) -> Result<()> {
        let invalid = |_| Error::InvalidParam;
        let [descriptors, available, used] =
            [descriptors, available, used].map(|at| self.guest_address(at).map(GuestAddress));
        let memory = self.memory.clone().ok_or(Error::InvalidParam)?;
        let queue = &mut self.ring(index)?.queue;
        queue
            .try_set_desc_table_address(descriptors?)
            .map_err(invalid)?;
        queue
            .try_set_avail_ring_address(available?)
            .map_err(invalid)?;
        queue.try_set_used_ring_address(used?).map_err(invalid)?;
        // A ring that was served before goes on where it stopped: nothing is open when it is stopped.
        let answered = queue
            .used_idx(&*memory, Ordering::Acquire)
            .map_err(invalid)?;
        queue.set_next_used(answered.0);
        Ok(())
    }

    fn set_vring_base(&mut self, index: u32, base: u32) -> Result<()> {
        self.ring(index)?.queue.set_next_avail(base as u16);
        Ok(())
    }

    fn get_vring_base(&mut self, index: u32) -> Result<VhostUserVringState> {
        let base = self.ring(index)?.queue.next_avail();
        self.stop(index as usize);
        Ok(VhostUserVringState::new(index, base.into()))
    }

    fn set_vring_kick(&mut self, index: u8, file: Option<File>) -> Result<()> {
        let watched = Arc::clone(&self.watched);
        let ring = self.ring(index.into())?;
        if let Some(old) = ring.kick.take() {
            let _ = epoll::delete(&*watched, old);
        }
        if let Some(kick) = &file {
            watch(&watched, kick.as_fd(), KICK + u64::from(index))
                .map_err(Error::ReqHandlerError)?;
        }
        ring.kick = file;
        ring.queue.set_ready(true);
        Ok(())
    }

    fn set_vring_call(&mut self, index: u8, file: Option<File>) -> Result<()> {
        let ring = self.ring(index.into())?;
        ring.call = file;
        // What was answered before it was there is told now.
        ring.has_news = true;
        Ok(())
    }

    fn set_vring_err(&mut self, index: u8, _file: Option<File>) -> Result<()> {
        self.ring(index.into()).map(|_| ())
    }

    fn get_protocol_features(&mut self) -> Result<VhostUserProtocolFeatures> {
        Ok(VhostUserProtocolFeatures::CONFIG
            | VhostUserProtocolFeatures::MQ
            | VhostUserProtocolFeatures::REPLY_ACK)
    }

    fn set_protocol_features(&mut self, _features: u64) -> Result<()> {
        Ok(())
    }

    fn get_queue_num(&mut self) -> Result<u64> {
        Ok(RINGS as u64)
    }

    fn set_vring_enable(&mut self, index: u32, enable: bool) -> Result<()> {
        self.ring(index)?.is_enabled = enable;
        Ok(())
    }

    fn get_config(
        &mut self,
        offset: u32,
        size: u32,
        _flags: VhostUserConfigFlags,
    ) -> Result<Vec<u8>> {
        // What later standards have behind it reads as zeros.
        let mut said = virtio::configuration(&self.export, RINGS as u16, PLACES_TOLD);
        let (offset, size) = (offset as usize, size as usize);
        let end = offset.checked_add(size).ok_or(Error::InvalidParam)?;
        said.resize(said.len().max(end), 0);
        Ok(said[offset..end].to_vec())
    }

    fn set_config(
        &mut self,
        _offset: u32,
        _bytes: &[u8],
        _flags: VhostUserConfigFlags,
    ) -> Result<()> {
        Err(NOT_OFFERED)
    }

    fn set_gpu_socket(&mut self, _gpu: GpuBackend) -> Result<()> {
        Err(NOT_OFFERED)
    }

    fn get_shared_object(&mut self, _uuid: VhostUserSharedMsg) -> Result<File> {
        Err(NOT_OFFERED)
    }

    fn get_inflight_fd(
        &mut self,
        _inflight: &VhostUserInflight,
    ) -> Result<(VhostUserInflight, File)> {
        Err(NOT_OFFERED)
    }

    fn set_inflight_fd(&mut self, _inflight: &VhostUserInflight, _file: File) -> Result<()> {
        Err(NOT_OFFERED)
    }

    fn get_max_mem_slots(&mut self) -> Result<u64> {
        Err(NOT_OFFERED)
    }

    fn add_mem_region(
        &mut self,
        _region: &VhostUserSingleMemoryRegion,
        _file: File,
        _postcopy: Option<bool>,
    ) -> Result<Option<VhostUserMemoryRegionBase>> {
        Err(NOT_OFFERED)
    }

    fn remove_mem_region(&mut self, _region: &VhostUserSingleMemoryRegion) -> Result<()> {
        Err(NOT_OFFERED)
    }

    fn set_device_state_fd(
        &mut self,
        _direction: VhostTransferStateDirection,
        _phase: VhostTransferStatePhase,
        _file: File,
    ) -> Result<Option<File>> {
        Err(NOT_OFFERED)
    }

    fn check_device_state(&mut self) -> Result<()> {
        Err(NOT_OFFERED)
    }

    fn get_shmem_config(&mut self) -> Result<VhostUserShMemConfig> {
        Err(NOT_OFFERED)
    }

    fn set_log_base(&mut self, _log: &VhostUserLog, _file: File) -> Result<()> {
        Err(NOT_OFFERED)
    }
}
