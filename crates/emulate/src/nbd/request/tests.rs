//! Valid requests, and what is refused.

use super::*;
use proptest::prelude::*;

fn export(read_only: bool) -> Export {
    Export {
        capacity: Bytes::mib(1),
        block: Bytes::SECTOR,
        preferred: Bytes::kib(4),
        read_only,
        rotational: false,
        description: String::new(),
    }
}

fn request(flags: u16, kind: u16, offset: u64, len: u32) -> Vec<u8> {
    let mut bytes = MAGIC.to_be_bytes().to_vec();
    bytes.extend_from_slice(&flags.to_be_bytes());
    bytes.extend_from_slice(&kind.to_be_bytes());
    bytes.extend_from_slice(&7_u64.to_be_bytes());
    bytes.extend_from_slice(&offset.to_be_bytes());
    bytes.extend_from_slice(&len.to_be_bytes());
    bytes
}

fn wants(bytes: &[u8], read_only: bool) -> Wants {
    let (taken, request) = take(bytes, &export(read_only)).unwrap().unwrap();
    assert_eq!((taken, request.cookie), (bytes.len(), 7));
    request.wants
}

#[test]
fn each_request_asks_the_drive_for_what_it_says() {
    let span = Span::new(Bytes::kib(4), Bytes::kib(8));
    let read = wants(&request(0, 0, 4096, 8192), false);
    assert_eq!(read, Wants::Drive(Asked::Read(span)));
    let write = [request(FUA, 1, 4096, 512), vec![9; 512]].concat();
    let asked = Asked::Write {
        offset: Bytes::kib(4),
        bytes: vec![9; 512],
        durable: true,
    };
    assert_eq!(wants(&write, false), Wants::Drive(asked));
    assert_eq!(
        wants(&request(0, 3, 0, 0), false),
        Wants::Drive(Asked::Flush)
    );
    assert_eq!(
        wants(&request(0, 4, 4096, 8192), false),
        Wants::Drive(Asked::Trim(span))
    );
    let zero = Asked::Zero {
        span,
        may_forget: false,
        durable: false,
    };
    assert_eq!(
        wants(&request(NO_HOLE, 6, 4096, 8192), false),
        Wants::Drive(zero)
    );
    let extents = Wants::Extents { span, one: true };
    assert_eq!(wants(&request(REQUEST_ONE, 7, 4096, 8192), false), extents);
    assert_eq!(
        take(&request(0, 2, 0, 0), &export(false)),
        Err(Closed::Left)
    );
}

#[test]
fn what_lies_outside_or_is_not_allowed_is_refused_and_the_next_request_is_understood() {
    assert_eq!(
        wants(&request(0, 0, 1 << 20, 512), false),
        Wants::Refused(EINVAL)
    );
    assert_eq!(
        wants(&request(0, 0, 100, 512), false),
        Wants::Refused(EINVAL)
    );
    assert_eq!(
        wants(&request(0, 0, u64::MAX, 512), false),
        Wants::Refused(EINVAL)
    );
    let outside = [request(0, 1, 1 << 20, 512), vec![0; 512]].concat();
    assert_eq!(wants(&outside, false), Wants::Refused(ENOSPC));
    let write = [request(0, 1, 0, 512), vec![0; 512]].concat();
    assert_eq!(wants(&write, true), Wants::Refused(EPERM));
    assert_eq!(wants(&request(0, 4, 0, 512), true), Wants::Refused(EPERM));
    assert_eq!(wants(&request(0, 77, 0, 0), false), Wants::Refused(EINVAL));
}

#[test]
fn a_flag_that_nobody_was_offered_is_refused_with_the_request_s_data() {
    assert_eq!(
        wants(&request(1 << 9, 3, 0, 0), false),
        Wants::Refused(EINVAL)
    );
    assert_eq!(
        wants(&request(NO_HOLE, 0, 0, 512), false),
        Wants::Refused(EINVAL)
    );
    let write = [request(FUA | 1 << 9, 1, 0, 512), vec![0; 512]].concat();
    assert_eq!(wants(&write, false), Wants::Refused(EINVAL));
}

#[test]
fn a_write_longer_than_anybody_may_send_closes_the_connection() {
    let long = request(0, 1, 0, u32::MAX);
    assert_eq!(take(&long, &export(false)), Err(Closed::TooLong));
    assert_eq!(take(&[0; 28], &export(false)), Err(Closed::NotTheProtocol));
}

proptest! {
    #[test]
    fn any_header_is_taken_whole_refused_or_closes_the_connection(
        flags in any::<u16>(), kind in 0_u16..9, offset in any::<u64>(), len in any::<u32>(), read_only in any::<bool>()
    ) {
        let header = request(flags, kind, offset, len);
        let export = export(read_only);
        if let Ok(Some((taken, request))) = take(&header, &export) {
            prop_assert!(taken <= header.len());
            if let Wants::Drive(Asked::Read(span) | Asked::Trim(span)) = request.wants {
                prop_assert!(span.end() <= export.capacity);
            }
        }
    }
}
