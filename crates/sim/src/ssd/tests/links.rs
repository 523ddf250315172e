//! The host link: what it adds to a lone I/O, and whether reads and writes share it.

use super::*;
use base::io::Io;
use base::target::Tag;

fn lone(p: Parameters, io: Io) -> u64 {
    let mut drive = in_state(p, "full-in-order");
    drive.submit(Tag(0), &io).unwrap();
    let mut done = Vec::new();
    while done.is_empty() {
        drive.wait(None, &mut done);
    }
    done[0].at.as_nanos()
}

#[test]
fn a_lone_io_takes_the_same_on_both_kinds_of_link() {
    let page = Bytes::kib(4);
    for io in [Io::read(page, page), Io::write(page, page, 1)] {
        let half = small(40, 8_000);
        let mut full = half.clone();
        full.link.duplex = Duplex::Full;
        assert_eq!(lone(half, io), lone(full, io));
    }
}

#[test]
fn reads_and_writes_share_a_half_duplex_link_and_not_a_full_duplex_one() {
    let mixed_mb_s = |duplex| {
        let mut p = small(400, 60_000);
        p.link.duplex = duplex;
        // The flash is faster than the link: the link alone decides.
        p.timings.bus = PicosPerByte::new(500);
        p.timings.read = US(20);
        p.timings.program = US(200);
        p.controller.program_path = PicosPerByte::new(100);
        let mut drive = in_state(p, "10%-in-order");
        let mut job = mixed(50, 128, 32, &drive);
        job.span = Span::first(Bytes::mib(20));
        rate(&go(&mut drive, job, 4_000))
    };
    let (half, full) = (mixed_mb_s(Duplex::Half), mixed_mb_s(Duplex::Full));
    near(half, 500.0, 0.05);
    assert!(full > 1.6 * half, "{full} and {half}");
}
