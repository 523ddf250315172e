//! A machine in a few lines: memory, one ring, and the messages that a machine's program sends.

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::thread;

use base::null::Null;
use base::size::Bytes;
use base::time::Duration as Span;
use vhost::vhost_user::message::{VhostUserConfigFlags, VhostUserProtocolFeatures};
use vhost::vhost_user::{Frontend, VhostUserFrontend};
use vhost::{VhostBackend, VhostUserMemoryRegionInfo, VringConfigData};
use virtio_queue::desc::{RawDescriptor, split::Descriptor};
use virtio_queue::mock::MockSplitQueue;
use vm_memory::{Bytes as _, FileOffset, GuestAddress, GuestMemoryBackend, GuestMemoryMmap};
use vmm_sys_util::eventfd::EventFd;

use super::*;
use crate::image::Image;
use crate::server::Server;

const MEMORY: usize = 1 << 20;
/// Sectors of the drive.
const SECTORS: u64 = (64 << 20) / 512;
/// Places in the guest's memory.
const HEAD: u64 = 0x1_0000;
const DATA: u64 = 0x2_0000;
const STATUS: u64 = 0x3_0000;
/// Flags of a descriptor: the device writes it.
const WRITABLE: u16 = 2;
const VERSION_1: u64 = 1 << 32;
const PROTOCOL: u64 = 1 << 30;

fn export() -> Export {
    Export {
        capacity: Bytes::mib(64),
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: false,
        rotational: false,
        description: String::new(),
    }
}

fn guest_memory(file: File) -> GuestMemoryMmap {
    file.set_len(MEMORY as u64).unwrap();
    let range = (GuestAddress(0), MEMORY, Some(FileOffset::new(file, 0)));
    GuestMemoryMmap::from_ranges_with_files([range]).unwrap()
}

/// A request of that kind, from a sector on, with data that the device reads or writes.
fn request(
    memory: &GuestMemoryMmap,
    kind: u32,
    sector: u64,
    data: (u32, u16),
) -> Vec<RawDescriptor> {
    let head = [u64::from(kind), sector];
    memory.write_obj(head, GuestAddress(HEAD)).unwrap();
    memory.write_obj(0xEE_u8, GuestAddress(STATUS)).unwrap();
    let (len, flags) = data;
    let parts = [(HEAD, 16, 0), (DATA, len, flags), (STATUS, 1, WRITABLE)];
    parts
        .iter()
        .filter(|(_, len, _)| *len > 0)
        .map(|(at, len, flags)| RawDescriptor::from(Descriptor::new(*at, *len, *flags, 0)))
        .collect()
}

/// The other side.
struct Machine<'a> {
    front: Frontend,
    memory: &'a GuestMemoryMmap,
    ring: MockSplitQueue<'a, GuestMemoryMmap>,
    kick: EventFd,
    call: EventFd,
    asked: u16,
}

impl<'a> Machine<'a> {
    /// Connects, and passes the addresses of memory and ring.
    fn connected(path: &Path, memory: &'a GuestMemoryMmap) -> Machine<'a> {
        let host = memory.get_host_address(GuestAddress(0)).unwrap() as u64;
        let mut front = Frontend::from_stream(UnixStream::connect(path).unwrap(), 4);
        front.set_owner().unwrap();
        let offered = front.get_features().unwrap();
        assert_ne!(offered & VERSION_1 & !PROTOCOL, 0);
        let protocol = front.get_protocol_features().unwrap();
        let wanted = VhostUserProtocolFeatures::CONFIG | VhostUserProtocolFeatures::MQ;
        front.set_protocol_features(protocol & wanted).unwrap();
        let (_, said) = front
            .get_config(0, 8, VhostUserConfigFlags::WRITABLE, &[0; 8])
            .unwrap();
        assert_eq!(said, SECTORS.to_le_bytes());
        front.set_features(VERSION_1 | PROTOCOL).unwrap();
        let region = memory.iter().next().unwrap();
        let region = VhostUserMemoryRegionInfo::from_guest_region(region).unwrap();
        front.set_mem_table(&[region]).unwrap();
        let ring = MockSplitQueue::new(memory, 16);
        let (kick, call) = (EventFd::new(0).unwrap(), EventFd::new(0).unwrap());
        front.set_vring_num(0, 16).unwrap();
        let addresses = VringConfigData {
            queue_max_size: 16,
            queue_size: 16,
            flags: 0,
            desc_table_addr: host + ring.desc_table_addr().0,
            used_ring_addr: host + ring.used_addr().0,
            avail_ring_addr: host + ring.avail_addr().0,
            log_addr: None,
        };
        front.set_vring_addr(0, &addresses).unwrap();
        front.set_vring_base(0, 0).unwrap();
        front.set_vring_call(0, &call).unwrap();
        front.set_vring_kick(0, &kick).unwrap();
        front.set_vring_enable(0, true).unwrap();
        Machine {
            front,
            memory,
            ring,
            kick,
            call,
            asked: 0,
        }
    }

    /// Sends a request, and returns its status.
    fn ask(&mut self, kind: u32, sector: u64, data: (u32, u16)) -> u8 {
        let parts = request(self.memory, kind, sector, data);
        self.ring.build_desc_chain(&parts).unwrap();
        self.kick.write(1).unwrap();
        self.asked += 1;
        while self.ring.used().idx().load() != self.asked {
            self.call.read().unwrap();
        }
        self.memory.read_obj(GuestAddress(STATUS)).unwrap()
    }

    /// What is read from the eighth sector on, and its status.
    fn reads(&mut self) -> (u8, [u8; 4096]) {
        let mut data = [0; 4096];
        self.memory.write_slice(&data, GuestAddress(DATA)).unwrap();
        let status = self.ask(0, 8, (4096, WRITABLE));
        let at = GuestAddress(DATA);
        self.memory.read_slice(&mut data, at).unwrap();
        (status, data)
    }
}

/// What the other side does.
fn machine(path: &Path) -> [u8; 3] {
    let memory = guest_memory(tempfile::tempfile().unwrap());
    let mut machine = Machine::connected(path, &memory);
    memory.write_slice(&[7; 4096], GuestAddress(DATA)).unwrap();
    let written = machine.ask(1, 8, (4096, 0));
    let (read, data) = machine.reads();
    assert_eq!(data, [7; 4096]);
    let outside = machine.ask(0, SECTORS, (4096, WRITABLE));
    let base = machine.front.get_vring_base(0).unwrap();
    assert_eq!(base, u32::from(machine.asked));
    [written, read, outside]
}

/// One that has data written which its memory's file no longer has.
fn machine_that_cuts_its_memory(path: &Path) {
    let file = tempfile::tempfile().unwrap();
    let memory = guest_memory(file.try_clone().unwrap());
    let machine = Machine::connected(path, &memory);
    let write = request(&memory, 1, 8, (4096, 0));
    file.set_len(DATA).unwrap();
    machine.ring.build_desc_chain(&write).unwrap();
    machine.kick.write(1).unwrap();
    // Until it is left.
    while machine.front.get_features().is_ok() {}
}

/// Serves a drive to machines.
fn serve<T: Send + 'static>(machines: impl FnOnce(&Path) -> T + Send + 'static) -> T {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("disk");
    let capacity = export().capacity;
    let image = Image::new(tempfile::tempfile().unwrap(), capacity).unwrap();
    let drive = Emulated::new(Box::new(Null::new(capacity, Span::from_micros(100))), image);
    let disk = VirtualDisk::listen(&path, &export()).unwrap();
    let mut server = Server::starting_now(drive, export());
    server.attach(disk);
    let socket = Address::Unix(place.path().join("nbd"));
    let listener = Listener::listen(&socket).unwrap();
    let machines = thread::spawn(move || machines(&path));
    server.serve(listener, &|| machines.is_finished()).unwrap();
    machines.join().unwrap()
}

#[test]
fn a_machine_writes_and_reads_over_its_own_memory_and_another_may_come_after_it() {
    let statuses = serve(|path| [machine(path), machine(path)]);
    assert_eq!(statuses, [[0, 0, 1]; 2]);
}

#[test]
fn a_machine_that_cuts_its_memory_short_is_left_and_writes_no_zeros_and_the_next_is_served() {
    let found = serve(|path| {
        machine(path);
        machine_that_cuts_its_memory(path);
        let memory = guest_memory(tempfile::tempfile().unwrap());
        Machine::connected(path, &memory).reads()
    });
    assert_eq!(found, (0, [7; 4096]));
}

#[test]
fn a_program_that_says_nonsense_is_left_and_the_next_is_served() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("disk");
    let mut disk = VirtualDisk::listen(&path, &export()).unwrap();
    for said in [&[0xFF; 64][..], b"GET / HTTP/1.1\r\n\r\n", &[]] {
        let mut stream = UnixStream::connect(&path).unwrap();
        std::io::Write::write_all(&mut stream, said).unwrap();
        drop(stream);
        for _ in 0..3 {
            disk.attend().unwrap();
        }
        assert!(disk.connection.is_none());
        assert!(disk.take().is_none());
    }
}

/// A message without a body: "which features are there?".
const ASKS_FOR_FEATURES: [u8; 12] = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn half_a_message_is_waited_for_while_the_drive_goes_on_and_then_understood() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("disk");
    let mut disk = VirtualDisk::listen(&path, &export()).unwrap();
    let mut stream = UnixStream::connect(&path).unwrap();
    for half in [&ASKS_FOR_FEATURES[..5], &ASKS_FOR_FEATURES[5..]] {
        std::io::Write::write_all(&mut stream, half).unwrap();
        for _ in 0..3 {
            disk.attend().unwrap();
        }
        assert!(disk.connection.is_some() && !disk.has_message());
    }
    let mut answer = [0; 20];
    std::io::Read::read_exact(&mut stream, &mut answer).unwrap();
    assert_eq!(answer[..4], ASKS_FOR_FEATURES[..4]);
}

#[test]
fn a_program_that_stops_in_a_message_or_fetches_nothing_is_left() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("disk");
    let mut disk = VirtualDisk::listen(&path, &export()).unwrap();
    disk.patience = Duration::ZERO;
    for said in [&ASKS_FOR_FEATURES[..5], &ASKS_FOR_FEATURES.repeat(4_000)] {
        let mut stream = UnixStream::connect(&path).unwrap();
        std::io::Write::write_all(&mut stream, said).unwrap();
        for _ in 0..4_003 {
            disk.attend().unwrap();
        }
        assert!(disk.connection.is_none());
    }
}
