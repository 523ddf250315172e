//! Where clients connect: a Unix socket, or a port of this computer.
//!
//! Anyone who can connect can read and write the drive, so a port is on the loopback address unless another was given,
//! which causes a warning.

use std::fmt;
use std::fs::Permissions;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use rustix::io::Errno;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A socket in the file system.
    Unix(PathBuf),
    /// An address and a port; port 0 is any that is free.
    Tcp(SocketAddr),
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an address: write unix:PATH or tcp:127.0.0.1:PORT")]
pub struct NoAddress(String);

impl FromStr for Address {
    type Err = NoAddress;

    fn from_str(text: &str) -> Result<Address, NoAddress> {
        let no = || NoAddress(text.to_owned());
        match text.split_once(':') {
            Some(("unix", path)) if !path.is_empty() => Ok(Address::Unix(PathBuf::from(path))),
            Some(("tcp", at)) => at.parse().map(Address::Tcp).map_err(|_| no()),
            _ => Err(no()),
        }
    }
}

impl Address {
    /// True where others than this computer's can connect.
    pub fn is_open_to_others(&self) -> bool {
        matches!(self, Address::Tcp(at) if !IpAddr::is_loopback(&at.ip()))
    }

    /// As clients name it (`nbd://...`), with the default export.
    pub fn uri(&self) -> String {
        match self {
            Address::Unix(path) => format!("nbd+unix:///?socket={}", path.display()),
            Address::Tcp(at) => format!("nbd://{at}"),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
            Address::Tcp(at) => write!(f, "tcp:{at}"),
        }
    }
}

/// Accepts connections; a Unix socket's file is removed when dropped.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    address: Address,
}

#[derive(Debug)]
enum Socket {
    Unix(UnixListener),
    Tcp(TcpListener),
}

/// What came of taking a client.
#[derive(Debug)]
pub enum Taken {
    /// It is here.
    Client(Stream),
    /// None waits.
    Nobody,
    /// One is waiting, and the system is out of resources: no file descriptors, or no memory.
    NotNow(io::Error),
}

/// A connection, whose reads and writes never wait.
#[derive(Debug)]
pub enum Stream {
    /// Over a Unix socket.
    Unix(UnixStream),
    /// Over TCP.
    Tcp(TcpStream),
}

impl Listener {
    /// Listens. A socket left by a killed process is replaced.
    ///
    /// # Errors
    /// Those of the kernel: an address in use, for one.
    pub fn listen(address: &Address) -> io::Result<Listener> {
        let (socket, address) = match address {
            Address::Unix(path) => {
                remove_if_left_behind(path)?;
                let listener = UnixListener::bind(path)?;
                // Whatever the mask of new files is: whoever connects can write the drive.
                std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
                listener.set_nonblocking(true)?;
                (Socket::Unix(listener), Address::Unix(path.clone()))
            }
            Address::Tcp(at) => {
                let listener = TcpListener::bind(at)?;
                listener.set_nonblocking(true)?;
                let at = listener.local_addr()?;
                (Socket::Tcp(listener), Address::Tcp(at))
            }
        };
        Ok(Listener { socket, address })
    }

    /// Where it listens: the port that was found, where any was wanted.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// A client that waits to be taken, if one does.
    ///
    /// # Errors
    /// The listener itself fails. Errors of a client, its connection or resources for it are not included.
    pub fn take(&self) -> io::Result<Taken> {
        let taken = match &self.socket {
            Socket::Unix(listener) => listener.accept().and_then(|(stream, _)| {
                stream.set_nonblocking(true)?;
                Ok(Stream::Unix(stream))
            }),
            Socket::Tcp(listener) => listener.accept().and_then(|(stream, _)| {
                stream.set_nonblocking(true)?;
                // A reply that waits for the next one is late.
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }),
        };
        match taken {
            Ok(stream) => Ok(Taken::Client(stream)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::AGAIN) => Ok(Taken::Nobody),
                Some(Errno::BADF | Errno::NOTSOCK | Errno::INVAL | Errno::FAULT) => Err(error),
                Some(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    Ok(Taken::NotNow(error))
                }
                // It left before it was taken, or the network between has its own troubles (accept(2)).
                _ => Ok(Taken::Nobody),
            },
        }
    }
}

/// Removes the file of a socket without a listener: its connections are refused, which is the only sign. (One of
/// another kind, of datagrams for example, is in use; so may be one that cannot be tested.)
fn remove_if_left_behind(path: &Path) -> io::Result<()> {
    let found = std::fs::symlink_metadata(path);
    if !found.is_ok_and(|found| found.file_type().is_socket()) {
        return Ok(());
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path)
        }
        _ => Ok(()),
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Address::Unix(path) = &self.address {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Unix(listener) => listener.as_fd(),
            Socket::Tcp(listener) => listener.as_fd(),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Unix(stream) => stream.as_fd(),
            Stream::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.read(into),
            Stream::Tcp(stream) => stream.read(into),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;

    use super::*;

    #[test]
    fn addresses_are_read_and_the_loopback_is_not_open_to_others() {
        let unix: Address = "unix:/tmp/a:b".parse().unwrap();
        assert_eq!(unix, Address::Unix(PathBuf::from("/tmp/a:b")));
        let home: Address = "tcp:127.0.0.1:10809".parse().unwrap();
        assert!(!home.is_open_to_others());
        let world: Address = "tcp:0.0.0.0:10809".parse().unwrap();
        assert!(world.is_open_to_others());
        for bad in ["", "unix:", "tcp:localhost", "10809", "tcp:127.0.0.1"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_socket_that_was_left_behind_is_replaced_and_one_in_use_is_not() {
        let place = tempfile::tempdir().unwrap();
        let address = Address::Unix(place.path().join("socket"));
        // As a killed process leaves it: the file without a listener.
        drop(UnixListener::bind(place.path().join("socket")).unwrap());
        let first = Listener::listen(&address).unwrap();
        assert!(Listener::listen(&address).is_err());
        let found = std::fs::metadata(place.path().join("socket")).unwrap();
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
        drop(first);
        assert!(!place.path().join("socket").exists());
    }

    #[test]
    fn another_program_s_datagram_socket_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("log");
        let theirs = UnixDatagram::bind(&path).unwrap();
        assert!(Listener::listen(&Address::Unix(path.clone())).is_err());
        let ours = UnixDatagram::unbound().unwrap();
        ours.send_to(b"still here", &path).unwrap();
        assert_eq!(theirs.recv(&mut [0; 16]).unwrap(), 10);
    }
}
