//! The generator: sender requests over plain TCP, as cheap as possible, since it shares the cores
//! with the server under test.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::common::{BenchError, io_error};

/// One sender request's bytes, header included, rebuilt in place.
#[derive(Default)]
pub(super) struct Request {
    body: String,
    packet: Vec<u8>,
    /// The first item of a host that gets values.
    first_item: usize,
    /// Items of odd numbers take texts.
    has_texts: bool,
}

/// What a line of a log or a description of a device is like; the value stands before it.
const TEXT: &str = " of 64 sessions on GigabitEthernet1/0/24, uplink to core-1";

impl Request {
    /// Values of a host's items from this one on.
    pub(super) fn from_item(first_item: usize) -> Self {
        Self { first_item, ..Self::default() }
    }

    pub(super) fn with_texts(self, has_texts: bool) -> Self {
        Self { has_texts, ..self }
    }

    /// Values of consecutive items: item `n` of the run is `load[n % n_items]` of host
    /// `bench-{n / n_items}`; the keys begin at the first item.
    pub(super) fn fill(&mut self, first: usize, n: usize, n_items: usize, clock: i64) -> &[u8] {
        self.body.clear();
        self.body.push_str(r#"{"request":"sender data","data":["#);
        for item in first..first + n {
            if item != first {
                self.body.push(',');
            }
            // Five digits that move a little: what most monitoring values look like.
            let value = (item * 7_919 + usize::try_from(clock % 977).unwrap_or(0) * 31) % 99_991;
            let ns = (item * 999_983) % 1_000_000_000;
            let number = self.first_item + item % n_items;
            let text = if self.has_texts && number % 2 == 1 { TEXT } else { "" };
            write!(
                self.body,
                r#"{{"host":"bench-{}","key":"load[{number}]","value":"{}.{}{text}","clock":{clock},"ns":{ns}}}"#,
                item / n_items,
                value / 10,
                value % 10,
            )
            .expect("writing to a String succeeds");
        }
        write!(self.body, r#"],"clock":{clock},"ns":0}}"#).expect("writing to a String succeeds");
        frame(&self.body, &mut self.packet);
        &self.packet
    }
}

/// A request's bytes, header included.
pub(super) fn frame(body: &str, packet: &mut Vec<u8>) {
    packet.clear();
    packet.extend_from_slice(b"ZBXD\x01");
    let len = u32::try_from(body.len()).expect("a request is small");
    packet.extend_from_slice(&len.to_le_bytes());
    packet.extend_from_slice(&[0; 4]);
    packet.extend_from_slice(body.as_bytes());
}

/// The server closes a connection that is idle for 200 ms; one that was for less than this is used again.
const IDLE_NS_MAX: u64 = 50_000_000;

/// A connection to the trapper port.
pub(super) struct Connection {
    stream: TcpStream,
    clock: rt::clock::Clock,
    /// When the last answer was there.
    answered_ns: u64,
}

impl Connection {
    pub(super) fn open(to: SocketAddr) -> Result<Self, BenchError> {
        let stream = TcpStream::connect(to).map_err(io_error("connect to the trapper port"))?;
        stream.set_nodelay(true).map_err(io_error("set TCP_NODELAY"))?;
        let clock = rt::clock::Clock::real();
        let answered_ns = clock.now().mono_ns;
        Ok(Self { stream, clock, answered_ns })
    }

    /// Whether the server has no reason yet to close it.
    pub(super) fn is_fresh(&self) -> bool {
        self.clock.now().mono_ns.saturating_sub(self.answered_ns) < IDLE_NS_MAX
    }

    /// Sends a request and waits for its answer.
    pub(super) fn ask(&mut self, packet: &[u8]) -> Result<String, BenchError> {
        self.stream.write_all(packet).map_err(io_error("send a request"))?;
        let mut header = [0; 13];
        self.stream.read_exact(&mut header).map_err(io_error("read an answer's header"))?;
        let len = u32::from_le_bytes([header[5], header[6], header[7], header[8]]);
        let mut body = vec![0; usize::try_from(len).unwrap_or(0)];
        self.stream.read_exact(&mut body).map_err(io_error("read an answer"))?;
        self.answered_ns = self.clock.now().mono_ns;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    /// Sends a request that has no answer.
    pub(super) fn tell(&mut self, packet: &[u8]) -> Result<(), BenchError> {
        self.stream.write_all(packet).map_err(io_error("send a request"))
    }

    /// Sends values and waits for the answer: (processed, failed).
    pub(super) fn send(&mut self, packet: &[u8]) -> Result<(u64, u64), BenchError> {
        let text = self.ask(packet)?;
        let count = |name: &str| {
            let behind = text.split(name).nth(1)?;
            let digits = behind.trim_start().split(|it: char| !it.is_ascii_digit()).next()?;
            digits.parse::<u64>().ok()
        };
        match (count("processed:"), count("failed:")) {
            (Some(processed), Some(failed)) => Ok((processed, failed)),
            _ => Err(BenchError::Answer(text)),
        }
    }
}
