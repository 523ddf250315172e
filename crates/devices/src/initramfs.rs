//! The archive that the kernel unpacks into memory before there is a root: cpio in its "newc" form.
//!
//! Each member is a header of a magic number and thirteen eight-digit hexadecimal numbers, its name, and its bytes,
//! name and bytes each padded to four. `TRAILER!!!` ends the archive (Documentation/driver-api/early-userspace in the
//! kernel's sources).

/// An archive in the making.
#[derive(Default)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    members: u32,
}

const FOLDER: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

impl Archive {
    /// An empty folder.
    pub(crate) fn folder(&mut self, name: &str) {
        self.member(name, FOLDER, &[]);
    }

    /// A file that may be executed.
    pub(crate) fn program(&mut self, name: &str, content: &[u8]) {
        self.member(name, PROGRAM, content);
    }

    /// The archive with its end.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.member("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn member(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.members += 1;
        let size = u32::try_from(content.len()).expect("programs and modules are far below 4 GiB");
        let name_size = u32::try_from(name.len() + 1).expect("names are short");
        // Inode, mode, owner, group, links, time, size, device and special device (two numbers each), name, checksum.
        let fields = [
            self.members,
            mode,
            0,
            0,
            1,
            0,
            size,
            0,
            0,
            0,
            0,
            name_size,
            0,
        ];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes
                .extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_a_header_its_name_and_its_bytes_each_padded_to_four() {
        let mut archive = Archive::default();
        archive.program("init", b"12345");
        let bytes = archive.finish();
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(&bytes[54..62], b"00000005"); // the seventh number: its size
        assert_eq!(&bytes[110..116], b"init\0\0"); // 115 bytes, padded to 116
        assert_eq!(&bytes[116..124], b"12345\0\0\0");
        assert_eq!(&bytes[124..130], b"070701");
        assert_eq!(bytes.len() % 4, 0);
    }
}
