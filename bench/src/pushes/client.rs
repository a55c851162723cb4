//! Connections of clients that push, as cheap as possible, since they share the cores with the server under test.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

use crate::common::{BenchError, io_error};

/// A process that takes pushes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) pid: u32,
    pub(super) http: SocketAddr,
    /// Of lines.
    pub(super) lines: SocketAddr,
}

fn connect(to: SocketAddr) -> Result<TcpStream, BenchError> {
    let stream = TcpStream::connect(to).map_err(io_error("connect to push"))?;
    stream.set_nodelay(true).map_err(io_error("set TCP_NODELAY"))?;
    Ok(stream)
}

/// Of HTTP.
pub(super) struct Http {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl Http {
    pub(super) fn open(to: SocketAddr) -> Result<Self, BenchError> {
        Ok(Self { stream: connect(to)?, answer: Vec::new() })
    }

    /// Sends a request and waits for its whole answer, which has to say that all was taken.
    pub(super) fn ask(&mut self, request: &[u8]) -> Result<(), BenchError> {
        self.stream.write_all(request).map_err(io_error("push"))?;
        self.answer.clear();
        let mut part = [0; 16 << 10];
        loop {
            let read = self.stream.read(&mut part).map_err(io_error("read an answer"))?;
            self.answer.extend_from_slice(part.get(..read).unwrap_or_default());
            let is_whole = whole(&self.answer);
            if is_whole == Some(true) {
                return Ok(());
            }
            if is_whole == Some(false) || read == 0 {
                let text = String::from_utf8_lossy(&self.answer).into_owned();
                return Err(BenchError::Answer(text));
            }
        }
    }
}

/// Whether an answer is there, and whether everything was taken; `None`: more has to come.
fn whole(answer: &[u8]) -> Option<bool> {
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(answer.get(..end)?).ok()?;
    if !head.starts_with("HTTP/1.1 20") {
        return Some(false);
    }
    let is_length = |it: &(&str, &str)| it.0.eq_ignore_ascii_case("content-length");
    let length = head.lines().filter_map(|it| it.split_once(':')).find(is_length);
    let length: usize = length.map_or(0, |it| it.1.trim().parse().unwrap_or(0));
    let body = answer.get(end..end + length)?;
    Some(!body.windows(7).any(|it| it == b"\"error\"") && !body.starts_with(b"\x0a"))
}

/// Of lines without an answer.
pub(super) struct Lines(TcpStream);

impl Lines {
    pub(super) fn open(to: SocketAddr) -> Result<Self, BenchError> {
        connect(to).map(Self)
    }

    pub(super) fn write(&mut self, lines: &[u8]) -> Result<(), BenchError> {
        self.0.write_all(lines).map_err(io_error("send lines"))
    }

    /// Waits until all of them are read.
    pub(super) fn end(mut self) -> Result<(), BenchError> {
        self.0.shutdown(Shutdown::Write).map_err(io_error("end lines"))?;
        self.0.read_to_end(&mut Vec::new()).map_err(io_error("end lines"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn an_answer_is_whole_with_its_body_and_good_without_errors() {
        let push = |body: &str| {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            head + body
        };
        let good = push(r#"{"result":{"data":[{"itemid":"1"}]}}"#);
        assert_eq!(whole(good.as_bytes()), Some(true));
        assert_eq!(whole(&good.as_bytes()[..good.len() - 1]), None);
        assert_eq!(whole(&good.as_bytes()[..20]), None);
        assert_eq!(whole(push(r#"{"result":{"data":[{"error":"x"}]}}"#).as_bytes()), Some(false));
        assert_eq!(
            whole(push("\x0a\x02\x08\x01").as_bytes()),
            Some(false),
            "OTLP's partial success"
        );
        assert_eq!(whole(b"HTTP/1.1 204 No Content\r\ndate: x\r\n\r\n"), Some(true));
        assert_eq!(whole(b"HTTP/1.1 401 Unauthorized\r\n\r\n"), Some(false));
    }
}
