//! Commands on other machines, by SSH and Telnet. The thread that starts one waits until a
//! deadline at most.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use rt::budget::NoRoom;
use rt::clock::{Clock, nanos};
use rt::reading::{NO_ROOM, Reading};

pub(crate) mod ssh;
pub(crate) mod telnet;

/// Zabbix's limit of an output; the rest is discarded.
pub(crate) const OUTPUT_BYTES_MAX: usize = 16 << 20;
const NS_PER_MS: u64 = 1_000_000;

/// When something has taken too long.
pub(crate) struct Deadline<'a> {
    clock: &'a Clock,
    at_ns: u64,
}

impl<'a> Deadline<'a> {
    pub(crate) fn new(clock: &'a Clock, time: Duration) -> Self {
        Self { clock, at_ns: clock.mono_ns().saturating_add(nanos(time)) }
    }

    /// The time that is left.
    ///
    /// # Errors
    /// If nothing is.
    pub(crate) fn left(&self) -> Result<Duration, String> {
        match self.at_ns.saturating_sub(self.clock.mono_ns()) {
            0 => Err("Timeout while executing a command.".to_owned()),
            // A time-out of a socket cannot be zero.
            ns => Ok(Duration::from_nanos(ns.max(NS_PER_MS))),
        }
    }

    pub(crate) fn apply(&self, stream: &TcpStream) -> Result<(), String> {
        let left = Some(self.left()?);
        stream
            .set_read_timeout(left)
            .and_then(|()| stream.set_write_timeout(left))
            .map_err(|it| it.to_string())
    }
}

/// A connection to the first address of a name that takes one.
pub(crate) fn connect(
    (address, port): (&str, u16),
    deadline: &Deadline<'_>,
) -> Result<TcpStream, String> {
    let failed = |why: String| format!("Cannot connect to [[{address}]:{port}]: {why}");
    let found = (address, port).to_socket_addrs().map_err(|it| failed(it.to_string()))?;
    let mut last = "the name has no address".to_owned();
    for it in found {
        match TcpStream::connect_timeout(&it, deadline.left()?) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error.to_string(),
        }
    }
    Err(failed(last))
}

/// The output of a command, with its share of the memory for responses.
pub(crate) struct Output {
    bytes: Vec<u8>,
    room: Reading,
}

impl Output {
    pub(crate) fn new(room: Reading) -> Self {
        Self { bytes: Vec::new(), room }
    }

    /// Keeps output up to the limit of a command. `n_elsewhere`: bytes that are kept elsewhere for
    /// it.
    ///
    /// # Errors
    /// If there is no room for it.
    pub(crate) fn keep(&mut self, more: &[u8], n_elsewhere: usize) -> Result<(), String> {
        let left = OUTPUT_BYTES_MAX.saturating_sub(self.bytes.len());
        let more = more.get(..left.min(more.len())).unwrap_or_default();
        let bytes = self.bytes.len().saturating_add(more.len()).saturating_add(n_elsewhere);
        self.cover(bytes)?;
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    fn cover(&mut self, bytes: usize) -> Result<(), String> {
        let covered = self.room.try_cover(u64::try_from(bytes).unwrap_or(u64::MAX));
        covered.map_err(|NoRoom| NO_ROOM.to_owned())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The output, and its share of memory for as long as it is kept.
    pub(crate) fn into_parts(self) -> (Vec<u8>, Reading) {
        (self.bytes, self.room)
    }
}
