//! The replies to clients of all versions, byte by byte.

use super::*;
use base::size::Bytes;
use proptest::prelude::*;

pub(crate) fn export() -> Export {
    Export {
        capacity: Bytes::gib(1),
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only: false,
        rotational: true,
        description: "a drive".to_owned(),
    }
}

fn option(number: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = OPTION.to_be_bytes().to_vec();
    bytes.extend_from_slice(&number.to_be_bytes());
    bytes.extend_from_slice(&(data.len() as u32).to_be_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// The replies in a buffer: the kind and the data of each.
fn replies(mut bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        assert_eq!(u64_at(bytes, 0), OPTION_REPLY);
        let len = u32_at(bytes, 16) as usize;
        found.push((u32_at(bytes, 12), bytes[20..20 + len].to_vec()));
        bytes = &bytes[20 + len..];
    }
    found
}

fn begun() -> (Handshake, Vec<u8>) {
    let mut out = Vec::new();
    let mut handshake = Handshake::greet(&mut out);
    assert_eq!(&out[..16], b"NBDMAGICIHAVEOPT");
    out.clear();
    let taken = handshake.take(&3_u32.to_be_bytes(), &export(), &mut out);
    assert_eq!(taken, Ok((4, Progress::More)));
    (handshake, out)
}

#[test]
fn a_client_that_asks_for_all_gets_structured_replies_and_the_allocation() {
    let (mut handshake, mut out) = begun();
    let name = 0_u32.to_be_bytes();
    let query = [
        &name[..],
        &1_u32.to_be_bytes(),
        &15_u32.to_be_bytes(),
        ALLOCATION,
    ]
    .concat();
    let go = [&name[..], &0_u16.to_be_bytes()].concat();
    let input = [
        option(STRUCTURED_REPLY, &[]),
        option(SET_META_CONTEXT, &query),
        option(99, &[]),
        option(GO, &go),
    ]
    .concat();
    let all = Agreed {
        structured: true,
        allocation: true,
    };
    let taken = handshake.take(&input, &export(), &mut out);
    assert_eq!(taken, Ok((input.len(), Progress::Over(all))));
    let replies = replies(&out);
    let kinds: Vec<u32> = replies.iter().map(|(kind, _)| *kind).collect();
    let expected = [
        ACK,
        REPLY_META_CONTEXT,
        ACK,
        UNSUPPORTED,
        REPLY_INFO,
        REPLY_INFO,
        REPLY_INFO,
        ACK,
    ];
    assert_eq!(kinds, expected);
    let is = &replies[4].1;
    assert_eq!(u64_at(is, 2), 1 << 30);
    // Flags, flush, FUA, rotational, trim, zeros, several connections.
    assert_eq!(u16_at(is, 10), 0b1_0111_1101);
}

#[test]
fn an_old_client_gets_the_export_and_its_zeros() {
    let mut out = Vec::new();
    let mut handshake = Handshake::greet(&mut out);
    out.clear();
    let input = [1_u32.to_be_bytes().to_vec(), option(EXPORT_NAME, b"x")].concat();
    let taken = handshake.take(&input, &export(), &mut out);
    assert_eq!(taken, Ok((input.len(), Progress::Over(Agreed::default()))));
    assert_eq!(out.len(), 8 + 2 + 124);
}

#[test]
fn the_allocation_needs_structured_replies() {
    let (mut handshake, mut out) = begun();
    let query = [0_u32.to_be_bytes(), 0_u32.to_be_bytes()].concat();
    let input = option(SET_META_CONTEXT, &query);
    handshake.take(&input, &export(), &mut out).unwrap();
    assert_eq!(replies(&out)[0].0, INVALID);
}

#[test]
fn what_is_not_the_protocol_closes_the_connection() {
    let mut out = Vec::new();
    let greeting = Handshake::greet(&mut out);
    let flags = greeting.clone().take(b"GET / HT", &export(), &mut out);
    assert_eq!(flags, Err(Closed::NotTheProtocol));
    let (mut handshake, mut out) = begun();
    let long = option(LIST, &[0; LONGEST_OPTION + 1]);
    assert_eq!(
        handshake.take(&long, &export(), &mut out),
        Err(Closed::TooLong)
    );
}

proptest! {
    #[test]
    fn bytes_in_portions_are_understood_as_bytes_in_one(
        bytes in prop::collection::vec(prop_oneof![Just(0_u8), 0_u8..12, any::<u8>()], 0..60), cut in 0_usize..60
    ) {
        let input = [3_u32.to_be_bytes().to_vec(), option(LIST, &[]), option(GO, &bytes), option(INFO, &bytes)].concat();
        let mut whole = Vec::new();
        let mut handshake = Handshake::greet(&mut whole);
        let at_once = handshake.take(&input, &export(), &mut whole);
        let mut parts = Vec::new();
        let mut handshake = Handshake::greet(&mut parts);
        let cut = cut.min(input.len());
        let (first, progress) = handshake.take(&input[..cut], &export(), &mut parts).unwrap();
        prop_assume!(progress == Progress::More);
        let then = handshake.take(&input[first..], &export(), &mut parts);
        prop_assert_eq!(at_once, then.map(|(taken, progress)| (first + taken, progress)));
        prop_assert_eq!(whole, parts);
    }
}
