//! The network block device protocol: a server's side, as bytes in and bytes out.
//!
//! A connection begins with a *handshake*, in which the client asks for options and ends with the export that it
//! wants ([`handshake`]). Then it sends requests, as many as it likes before the first is answered ([`request`]), and
//! the server answers in any order, by the client's own number of each ([`reply`]). All numbers are big-endian.
//! None of these reads a socket, so that every byte can be tested, and fuzzed; [`clients`] does.
//!
//! Source: the protocol's own document (`doc/proto.md` of the Network Block Device project), the "fixed newstyle"
//! negotiation with structured replies and the meta context `base:allocation`.

pub(crate) mod client;
pub mod clients;
pub mod handshake;
pub mod reply;
pub mod request;

use base::size::Bytes;

/// The longest request that is taken: what the protocol's document says that a client may assume.
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
    /// What a client that asks is told that it is.
    pub description: String,
}

/// The big-endian number that stands at a place of a buffer; the caller has looked that it is there.
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
    /// The client said good-bye.
    #[error("the client has left")]
    Left,
    /// It does not speak this protocol, or an age-old form of it.
    #[error("the client does not support fixed newstyle negotiation")]
    NotTheProtocol,
    /// It asks for more than anybody should.
    #[error("the client requests more than {LONGEST} at once")]
    TooLong,
}
