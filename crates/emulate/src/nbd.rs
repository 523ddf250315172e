//! The network block device protocol: a server's side, as bytes in and bytes out.
//!
//! A connection begins with a *handshake*, in which the client negotiates options and finally selects an export
//! ([`handshake`]). Then it sends requests, any number before the first completes ([`request`]), and the server replies
//! in any order, with the client's own cookie of each ([`reply`]). All numbers are big-endian. None of these modules
//! reads a socket, so that every byte can be tested and fuzzed; [`clients`] does.
//!
//! Source: the protocol's own document (`doc/proto.md` of the Network Block Device project), the "fixed newstyle"
//! negotiation with structured replies and the meta context `base:allocation`.

pub(crate) mod client;
pub mod clients;
pub mod handshake;
pub mod reply;
pub mod request;

use base::size::Bytes;

/// The longest request accepted: what the protocol's document says that a client may assume.
pub const LONGEST: Bytes = Bytes::mib(32);

/// What is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its length.
    pub capacity: Bytes,
    /// Offsets and lengths are multiples of this.
    pub block: Bytes,
    /// What the drive reads and writes best in.
    pub preferred: Bytes,
    /// True where writes are refused.
    pub read_only: bool,
    /// True for a disk.
    pub rotational: bool,
    /// The export's description for clients that ask.
    pub description: String,
}

/// The big-endian number at a position of a buffer; the caller has checked the length.
pub(crate) fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut number = [0; N];
    number.copy_from_slice(&bytes[at..at + N]);
    number
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(number(bytes, at))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(number(bytes, at))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(number(bytes, at))
}

/// Why a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Closed {
    /// The client disconnected in an orderly way.
    #[error("the client has left")]
    Left,
    /// It does not speak this protocol, or an age-old form of it.
    #[error("the client does not support fixed newstyle negotiation")]
    NotTheProtocol,
    /// It requests more than allowed.
    #[error("the client requests more than {LONGEST} at once")]
    TooLong,
}
