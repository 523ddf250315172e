//! Sectors that `verify` reads back: eight bytes of address, two of generation, then the data read.

use base::label;
use base::size::Bytes;

pub(crate) fn run(input: &[u8]) {
    let Some((head, sectors)) = input.split_first_chunk::<10>() else {
        return;
    };
    let [a, b, c, d, e, f, g, h, low, high] = *head;
    // An address on a drive; the last sector of the largest is far below this.
    let offset = Bytes::new(u64::from_le_bytes([a, b, c, d, e, f, g, h]) >> 2);
    let generation = u16::from_le_bytes([low, high]);
    if let Some(differs) = label::check(sectors, offset, generation) {
        let count = (sectors.len() / 512) as u32;
        assert!(differs.sectors <= count && differs.first < count);
    }
    let mut own = sectors.to_vec();
    label::write(&mut own, offset, generation);
    assert_eq!(label::check(&own, offset, generation), None);
}
