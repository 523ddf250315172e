//! The requests of a virtio disk: what a virtual machine's kernel puts into its memory, and what it gets back.
//!
//! A request is a chain of buffers. The first sixteen bytes that are readable by the device contain the type and the
//! first sector of 512 bytes; data follows, or room for it; the last device-writable byte is the status. None of it can
//! be trusted: an invalid chain is completed with an error if it has a status byte.
//!
//! Source: Virtual I/O Device (VIRTIO) Version 1.2, OASIS, section 5.2 "Block Device". All numbers are little-endian.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use base::{Bytes, Span};
use virtio_queue::{DescriptorChain, Reader, Writer};
use vm_memory::GuestMemoryMmap;

use crate::drive::Asked;
use crate::nbd::{Export, LONGEST};

/// A request in the guest's memory.
pub(crate) type Chain = DescriptorChain<Arc<GuestMemoryMmap>>;

/// Features of a block device, as bits (section 5.2.3).
const SEGMENTS_AT_MOST: u64 = 1 << 2;
const READ_ONLY: u64 = 1 << 5;
const BLOCK_SIZE: u64 = 1 << 6;
const FLUSH: u64 = 1 << 9;
const TOPOLOGY: u64 = 1 << 10;
const SEVERAL_QUEUES: u64 = 1 << 12;
const DISCARD: u64 = 1 << 13;
const WRITE_ZEROES: u64 = 1 << 14;

/// Kinds of requests (section 5.2.6).
const IN: u32 = 0;
const OUT: u32 = 1;
const FLUSH_REQUEST: u32 = 4;
const GET_ID: u32 = 8;
const DISCARD_REQUEST: u32 = 11;
const WRITE_ZEROES_REQUEST: u32 = 13;
/// Of a write of zeros: the range may be forgotten.
const UNMAP: u32 = 1;

/// Bytes of the name that a device gives itself.
const ID_BYTES: usize = 20;
const ID: &str = "drivelab-";

/// How a request ended (section 5.2.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Ok = 0,
    Failed = 1,
    Unsupported = 2,
}

/// A request that was understood.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Drive(Asked),
    /// It is completed at once, with these bytes and this status.
    AtOnce(Vec<u8>, Status),
}

/// The features that an export has as a disk.
pub(crate) fn features(export: &Export) -> u64 {
    let always = SEGMENTS_AT_MOST | BLOCK_SIZE | FLUSH | TOPOLOGY | SEVERAL_QUEUES;
    match export.read_only {
        true => always | READ_ONLY,
        false => always | DISCARD | WRITE_ZEROES,
    }
}

/// A disk's configuration (section 5.2.4), for a device with this many queues of this size.
pub(crate) fn configuration(export: &Export, queues: u16, places: u16) -> Vec<u8> {
    let sectors = |bytes: Bytes| bytes.get() / Bytes::SECTOR.get();
    let most = u32::try_from(sectors(LONGEST)).unwrap_or(u32::MAX);
    let preferred = (export.preferred.get() / export.block.get()).max(1);
    let in_a_block = (export.block.get() / Bytes::SECTOR.get()) as u32;
    let mut said = sectors(export.capacity).to_le_bytes().to_vec();
    let mut say = |bytes: &[u8]| said.extend_from_slice(bytes);
    // The longest segment is not told.
    say(&0_u32.to_le_bytes());
    // The chain has a head and a status beside its data.
    say(&u32::from(places.saturating_sub(2)).to_le_bytes());
    // No cylinders, heads and sectors.
    say(&[0; 4]);
    say(&(export.block.get() as u32).to_le_bytes());
    // Topology: the drive's own block is this power of two of the one that it is asked in; it begins with one.
    say(&[preferred.ilog2() as u8, 0]);
    say(&1_u16.to_le_bytes());
    say(&(preferred as u32).to_le_bytes());
    // It holds back writes until a flush.
    say(&[1, 0]);
    say(&queues.to_le_bytes());
    // Discards: the longest, how many ranges, on which boundary; then writes of zeros, which may forget.
    for number in [most, 1, in_a_block, most, 1] {
        say(&number.to_le_bytes());
    }
    say(&[1, 0, 0, 0]);
    said
}

/// Parses a chain.
pub(crate) fn understood(chain: &Chain, export: &Export, id: &str) -> Wanted {
    let failed = Wanted::AtOnce(Vec::new(), Status::Failed);
    let (Ok(mut reader), Ok(room)) = (reader(chain), room(chain)) else {
        return failed;
    };
    let mut head = [0; 16];
    if reader.read_exact(&mut head).is_err() {
        return failed;
    }
    let (kind, sector) = (u32_at(&head, 0), u64_at(&head, 8));
    let span = |len: u64| spanned(sector, len, export);
    let asked = match kind {
        IN => span(room).map(Asked::Read),
        OUT if !export.read_only => written(&mut reader, sector, export),
        FLUSH_REQUEST => Some(Asked::Flush),
        DISCARD_REQUEST | WRITE_ZEROES_REQUEST if !export.read_only => {
            forgotten(&mut reader, kind, export)
        }
        GET_ID => {
            let mut id = id.as_bytes().to_vec();
            id.resize(ID_BYTES.min(room as usize), 0);
            return Wanted::AtOnce(id, Status::Ok);
        }
        OUT | DISCARD_REQUEST | WRITE_ZEROES_REQUEST => None,
        _ => return Wanted::AtOnce(Vec::new(), Status::Unsupported),
    };
    asked.map_or(failed, Wanted::Drive)
}

/// The serial number of the disk at a socket: the same at each start, and another one's at another socket, since systems
/// name disks by it.
pub(crate) fn id_of(socket: &Path) -> String {
    let socket = std::path::absolute(socket).unwrap_or_else(|_| socket.to_owned());
    let sum = crc32fast::hash(socket.as_os_str().as_encoded_bytes());
    format!("{ID}{sum:08x}")
}

fn written(reader: &mut Reader<'_>, sector: u64, export: &Export) -> Option<Asked> {
    let span = spanned(sector, reader.available_bytes() as u64, export)?;
    let mut bytes = vec![0; span.len.get() as usize];
    reader.read_exact(&mut bytes).ok()?;
    Some(Asked::Write {
        offset: span.start,
        bytes,
        durable: false,
    })
}

/// Of a discard, or a write of zeros: its one range.
fn forgotten(reader: &mut Reader<'_>, kind: u32, export: &Export) -> Option<Asked> {
    let mut range = [0; 16];
    reader.read_exact(&mut range).ok()?;
    let sectors = u64::from(u32_at(&range, 8));
    let span = spanned(u64_at(&range, 0), sectors * Bytes::SECTOR.get(), export)?;
    Some(match kind {
        DISCARD_REQUEST => Asked::Trim(span),
        _ => Asked::Zero {
            span,
            may_forget: u32_at(&range, 12) & UNMAP != 0,
            durable: false,
        },
    })
}

/// A byte range from a sector on, if the drive has it, in whole blocks, and within the maximum length.
fn spanned(sector: u64, len: u64, export: &Export) -> Option<Span> {
    let start = Bytes::new(sector.checked_mul(Bytes::SECTOR.get())?);
    let len = Bytes::new(len);
    let end = start.get().checked_add(len.get())?;
    let is_whole = start.is_multiple_of(export.block) && len.is_multiple_of(export.block);
    let fits = end <= export.capacity.get() && !len.is_zero() && len <= LONGEST;
    (is_whole && fits).then_some(Span::new(start, len))
}

/// Writes a completion into the guest's memory: the data first, then the status, after any remaining room. Returns the
/// number of bytes written; `None` if there is no room for a status, in which case the request is lost.
pub(crate) fn answer(chain: &Chain, data: &[u8], status: Status) -> Option<u32> {
    let mut into = writer(chain).ok()?;
    let room = into.available_bytes().checked_sub(1)?;
    let mut last = into.split_at(room).ok()?;
    into.write_all(data.get(..room.min(data.len()))?).ok()?;
    last.write_all(&[status as u8]).ok()?;
    u32::try_from(into.bytes_written() + 1).ok()
}

/// Bytes that the device may write before the status.
fn room(chain: &Chain) -> Result<u64, virtio_queue::Error> {
    Ok(writer(chain)?.available_bytes().saturating_sub(1) as u64)
}

fn reader(chain: &Chain) -> Result<Reader<'_>, virtio_queue::Error> {
    chain.clone().reader(chain.memory())
}

fn writer(chain: &Chain) -> Result<Writer<'_>, virtio_queue::Error> {
    chain.clone().writer(chain.memory())
}

fn u32_at(bytes: &[u8; 16], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

fn u64_at(bytes: &[u8; 16], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use virtio_queue::desc::RawDescriptor;
    use virtio_queue::desc::split::Descriptor;
    use virtio_queue::mock::MockSplitQueue;
    use virtio_queue::{Queue, QueueT};
    use vm_memory::{Bytes as _, GuestAddress};

    use super::*;

    const MEMORY: usize = 1 << 17;
    const WRITABLE: u16 = 2;

    fn export(read_only: bool) -> Export {
        Export {
            capacity: Bytes::mib(1),
            block: Bytes::kib(4),
            preferred: Bytes::kib(16),
            read_only,
            rotational: false,
            description: String::new(),
        }
    }

    /// The chain of these descriptors, in a memory with these bytes at 64 KiB.
    fn chain(descriptors: &[(u64, u32, u16)], bytes: &[u8]) -> Option<Chain> {
        let ranges = [(GuestAddress(0), MEMORY)];
        let memory = Arc::new(GuestMemoryMmap::<()>::from_ranges(&ranges).unwrap());
        memory.write_slice(bytes, GuestAddress(0x1_0000)).unwrap();
        let ring = MockSplitQueue::new(&*memory, 16);
        let raw: Vec<RawDescriptor> = descriptors
            .iter()
            .map(|(at, len, flags)| Descriptor::new(*at, *len, *flags, 0).into())
            .collect();
        ring.build_desc_chain(&raw).unwrap();
        let mut queue: Queue = ring.create_queue().unwrap();
        queue.pop_descriptor_chain(Arc::clone(&memory))
    }

    /// A request with its header, this many readable bytes after it, and this much room.
    fn asked(kind: u32, sector: u64, data: &[u8], room: u32, read_only: bool) -> Wanted {
        let head = [&kind.to_le_bytes()[..], &[0; 4], &sector.to_le_bytes()].concat();
        let bytes = [&head, data].concat();
        let parts = [
            (0x1_0000, bytes.len() as u32, 0),
            (0x1_8000, room + 1, WRITABLE),
        ];
        let chain = chain(&parts, &bytes).unwrap();
        understood(&chain, &export(read_only), "drivelab-1")
    }

    fn range(sector: u64, sectors: u32, flags: u32) -> Vec<u8> {
        let numbers = [sectors.to_le_bytes(), flags.to_le_bytes()].concat();
        [&sector.to_le_bytes()[..], &numbers].concat()
    }

    #[test]
    fn each_request_asks_the_drive_for_what_it_says() {
        let span = Span::new(Bytes::kib(4), Bytes::kib(8));
        let drive = |asked| Wanted::Drive(asked);
        assert_eq!(asked(IN, 8, &[], 8192, false), drive(Asked::Read(span)));
        assert_eq!(
            asked(OUT, 8, &[7; 8192], 0, false),
            drive(Asked::Write {
                offset: span.start,
                bytes: vec![7; 8192],
                durable: false
            })
        );
        assert_eq!(asked(FLUSH_REQUEST, 0, &[], 0, false), drive(Asked::Flush));
        assert_eq!(
            asked(DISCARD_REQUEST, 0, &range(8, 16, 0), 0, false),
            drive(Asked::Trim(span))
        );
        for (flags, may_forget) in [(0, false), (UNMAP, true)] {
            assert_eq!(
                asked(WRITE_ZEROES_REQUEST, 0, &range(8, 16, flags), 0, false),
                drive(Asked::Zero {
                    span,
                    may_forget,
                    durable: false
                })
            );
        }
        let id = [b"drivelab-1", &[0; 10][..]].concat();
        let at_once = Wanted::AtOnce(id, Status::Ok);
        assert_eq!(asked(GET_ID, 0, &[], 20, false), at_once);
    }

    #[test]
    fn each_socket_s_disk_has_a_serial_number_of_its_own_that_fits() {
        let (one, other) = (id_of(Path::new("/run/a")), id_of(Path::new("/run/b")));
        assert!(one != other && one == id_of(Path::new("/run/a")));
        assert!(one.len() <= ID_BYTES && one.starts_with(ID));
    }

    #[test]
    fn what_lies_outside_in_part_of_a_block_or_is_not_allowed_fails() {
        let failed = Wanted::AtOnce(Vec::new(), Status::Failed);
        for (sector, room) in [(2048, 4096), (2040, 8192), (1, 4096), (8, 512), (8, 0)] {
            assert_eq!(asked(IN, sector, &[], room, false), failed, "{sector}");
        }
        assert_eq!(asked(IN, u64::MAX, &[], 4096, false), failed);
        assert_eq!(asked(OUT, 8, &[7; 4096], 0, true), failed);
        let discard = range(8, 16, 0);
        assert_eq!(asked(DISCARD_REQUEST, 0, &discard, 0, true), failed);
        assert_eq!(asked(DISCARD_REQUEST, 0, &discard[..9], 0, false), failed);
        let unsupported = Wanted::AtOnce(Vec::new(), Status::Unsupported);
        assert_eq!(asked(99, 0, &[], 0, false), unsupported);
    }

    #[test]
    fn an_answer_is_the_data_and_behind_its_room_the_status() {
        let parts = [(0x1_0000, 16, 0), (0x1_8000, 5, WRITABLE)];
        let found = chain(&parts, &[0; 16]).unwrap();
        assert_eq!(answer(&found, &[1, 2, 3, 4], Status::Failed), Some(5));
        let mut written = [0; 6];
        let at = GuestAddress(0x1_8000);
        found.memory().read_slice(&mut written, at).unwrap();
        assert_eq!(written, [1, 2, 3, 4, 1, 0]);
        let none = chain(&[(0x1_0000, 16, 0)], &[0; 16]).unwrap();
        assert_eq!(answer(&none, &[], Status::Ok), None);
    }

    #[test]
    fn a_configuration_has_the_lengths_and_places_of_the_standard() {
        let said = configuration(&export(false), 4, 128);
        assert_eq!(said.len(), 60);
        assert_eq!(said[..8], 2048_u64.to_le_bytes());
        assert_eq!(said[12..16], 126_u32.to_le_bytes());
        assert_eq!(said[20..24], 4096_u32.to_le_bytes());
        // Four blocks of its own in one: two to the power of two.
        assert_eq!(said[24], 2);
        assert_eq!(said[34..36], 4_u16.to_le_bytes());
        assert_eq!(said[44..48], 8_u32.to_le_bytes());
    }

    proptest! {
        #[test]
        fn any_chain_is_understood_or_fails_and_an_answer_stays_in_its_room(
            parts in prop::collection::vec((0..0x3_0000_u64, 0..0x1_8000_u32, 0..8_u16), 1..8),
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            data in prop::collection::vec(any::<u8>(), 0..9000),
        ) {
            if let Some(found) = chain(&parts, &bytes) {
                let wanted = understood(&found, &export(false), "drivelab-1");
                if let Wanted::Drive(Asked::Read(span)) = &wanted {
                    prop_assert!(span.end() <= Bytes::mib(1));
                }
                let room = room(&found).unwrap_or(0);
                let written = answer(&found, &data, Status::Ok).unwrap_or(0);
                prop_assert!(u64::from(written) <= room + 1);
            }
        }
    }
}
