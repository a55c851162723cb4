//! A small peer of the trapper port, for behavior that real senders do not have: many connections,
//! odd bytes.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::Server;

/// Far more than any answer takes, also on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(60);

pub fn connect(server: SocketAddr) -> TcpStream {
    try_connect(server).unwrap()
}

/// Connects to a server that may be gone.
pub fn try_connect(server: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&server, ANSWER_MAX)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    stream.set_write_timeout(Some(ANSWER_MAX))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One value of a request.
pub fn row(host: &str, key: &str, value: &str, clock: i64) -> Value {
    json!({"host": host, "key": key, "value": value, "clock": clock, "ns": 0})
}

/// A packet as the protocol frames it.
pub fn packet(payload: &[u8]) -> Vec<u8> {
    let mut packet = b"ZBXD\x01".to_vec();
    packet.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
    packet.extend([0; 4]);
    packet.extend(payload);
    packet
}

/// The payload of the next packet.
pub fn read_packet(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut header = [0; 13];
    stream.read_exact(&mut header)?;
    assert_eq!(&header[..5], b"ZBXD\x01", "a plain answer");
    let length = u32::from_le_bytes(header[5..9].try_into().unwrap());
    let mut payload = vec![0; usize::try_from(length).unwrap()];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

/// Counts of an answer: processed, failed, total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts(pub u64, pub u64, pub u64);

/// Sends values and reads the counts.
///
/// # Errors
/// If the server goes away; then the outcome of the values is unknown.
pub fn send(stream: &mut TcpStream, rows: &[Value]) -> io::Result<Counts> {
    let request = json!({"request": "sender data", "data": rows});
    stream.write_all(&packet(request.to_string().as_bytes()))?;
    let answer: Value = serde_json::from_slice(&read_packet(stream)?)?;
    assert_eq!(answer["response"], "success", "{answer}");
    let info = answer["info"].as_str().unwrap();
    let number = |at: usize| info.split("; ").nth(at)?.rsplit(' ').next()?.parse().ok();
    Ok(Counts(number(0).unwrap(), number(1).unwrap(), number(2).unwrap()))
}

impl Server {
    /// One value over a connection of its own, with a millisecond of its own: a second value of the
    /// same time would be taken for the first one once more. It is never sent before its time,
    /// because values ahead of the clock are not visible yet.
    pub fn send(&self, host: &str, key: &str, value: &str, clock: i64) -> Counts {
        let mut sent = self.sent.lock().unwrap();
        let n_sent = sent.entry(clock).or_insert(0);
        let ms = *n_sent % 1_000;
        *n_sent += 1;
        drop(sent);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        if u64::try_from(clock) == Ok(since_1970.as_secs()) {
            let within = Duration::from_millis(ms.into());
            let gone = Duration::from_nanos(since_1970.subsec_nanos().into());
            std::thread::sleep(within.saturating_sub(gone));
        }
        let mut row = row(host, key, value, clock);
        row["ns"] = json!(ms * 1_000_000);
        send(&mut self.connect(), &[row]).unwrap()
    }
}
