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
    values: Values,
}

/// Of which type values are, and how often one of them is like the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Values {
    /// Texts of 20 bytes instead of numbers, all of which differ as the numbers do.
    pub(super) are_texts: bool,
    /// So many values of an item that follow one another are equal; items change at different times.
    pub(super) repeat: i64,
}

impl Values {
    /// Moves the value of an item on.
    fn round(self, item: usize, clock: i64) -> usize {
        let repeat = self.repeat.max(1);
        let of_item = i64::try_from(item).unwrap_or(0) % repeat;
        usize::try_from((clock + of_item) / repeat % 977).unwrap_or(0)
    }
}

impl Default for Values {
    fn default() -> Self {
        Self { are_texts: false, repeat: 1 }
    }
}

/// A text like a line of a log or a description of a device; the value comes before it.
const TEXT: &str = " of 64 sessions on GigabitEthernet1/0/24, uplink to core-1";
/// With the five digits before it 20 bytes.
const SHORT_TEXT: &str = " sessions open.";

impl Request {
    /// Values of a host's items from this one on.
    pub(super) fn from_item(first_item: usize) -> Self {
        Self { first_item, ..Self::default() }
    }

    pub(super) fn with_texts(self, has_texts: bool) -> Self {
        Self { has_texts, ..self }
    }

    pub(super) fn with_values(self, values: Values) -> Self {
        Self { values, ..self }
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
            // Five digits that move a little, like most monitoring values.
            let value = (item * 7_919 + self.values.round(item, clock) * 31) % 99_991;
            let ns = (item * 999_983) % 1_000_000_000;
            let number = self.first_item + item % n_items;
            let host = item / n_items;
            write!(self.body, r#"{{"host":"bench-{host}","key":"load[{number}]","value":""#)
                .expect("writing to a String succeeds");
            let text = if self.has_texts && number % 2 == 1 { TEXT } else { "" };
            if self.values.are_texts {
                write!(self.body, "{value:05}{SHORT_TEXT}")
            } else {
                write!(self.body, "{}.{}{text}", value / 10, value % 10)
            }
            .expect("writing to a String succeeds");
            write!(self.body, r#"","clock":{clock},"ns":{ns}}}"#)
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
    pub(super) fn post(&mut self, packet: &[u8]) -> Result<(), BenchError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(request: &mut Request, clock: i64) -> Vec<String> {
        let packet = String::from_utf8_lossy(request.fill(0, 40, 1, clock)).into_owned();
        let values = packet.split(r#""value":""#).skip(1);
        values.map(|it| it.split('"').next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn texts_are_of_twenty_bytes_and_repeat_as_asked() {
        let mut request = Request::default().with_values(Values { are_texts: true, repeat: 1 });
        let (first, second) = (values(&mut request, 1_000), values(&mut request, 1_001));
        assert!(first.iter().all(|it| it.len() == 20), "{first:?}");
        assert!(first.iter().zip(&second).all(|(a, b)| a != b));
        let mut request = Request::default().with_values(Values { are_texts: true, repeat: 10 });
        let (first, second) = (values(&mut request, 1_000), values(&mut request, 1_001));
        assert_eq!(first.iter().zip(&second).filter(|(a, b)| a != b).count(), 4);
    }
}
