//! The least that a receiver of values can do: accept, read, scan for values, answer. The cost of a
//! value here is the baseline of `saker-bench sender`. The scan reads each row byte by byte and
//! finds the positions of host, key, value and clock, as any receiver of values has to; a search
//! for one word by vector instructions would be no baseline.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use clap::{Args, ValueEnum};

use super::bare_push;
use super::load::frame;
use super::process::{Receiving, free_address, pause};
use crate::common::{BenchError, io_error};

/// Connections that are served at once.
const THREADS: usize = 64;
const HEADER_BYTES: usize = 13;
/// No request of the generator is longer.
const BODY_BYTES_MAX: usize = 1 << 24;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct ReceiverArgs {
    /// Where values are taken.
    #[arg(long)]
    listen: SocketAddr,
    /// How they come.
    #[arg(long, value_enum, default_value_t)]
    speaks: Speaks,
}

/// The protocol of a bare receiver.
#[derive(Clone, Copy, PartialEq, Debug, Default, ValueEnum)]
pub(crate) enum Speaks {
    /// Requests of the sender protocol.
    #[default]
    Sender,
    /// Requests of HTTP.
    Http,
    /// Lines of text, without an answer.
    Lines,
}

impl Speaks {
    fn name(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Http => "http",
            Self::Lines => "lines",
        }
    }
}

/// Serves until the process is ended.
pub(super) fn run(args: &ReceiverArgs) -> Result<(), BenchError> {
    let listener = TcpListener::bind(args.listen).map_err(io_error("listen for values"))?;
    match args.speaks {
        Speaks::Sender => std::thread::scope(|scope| {
            (0..THREADS).for_each(|_| _ = scope.spawn(|| serve_all(&listener)));
        }),
        Speaks::Http => bare_push::serve(listener, bare_push::http)?,
        Speaks::Lines => bare_push::serve(listener, bare_push::lines)?,
    }
    Ok(())
}

/// One connection after the other.
fn serve_all(listener: &TcpListener) {
    let mut buffers = Buffers::default();
    while let Ok((stream, _)) = listener.accept() {
        // It ended badly: the next one.
        drop(buffers.serve(stream));
    }
}

#[derive(Default)]
struct Buffers {
    body: Vec<u8>,
    answer: Vec<u8>,
}

impl Buffers {
    /// Requests of one connection, to its end.
    fn serve(&mut self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        loop {
            let mut header = [0; HEADER_BYTES];
            match stream.read_exact(&mut header) {
                Err(end) if end.kind() == ErrorKind::UnexpectedEof => return Ok(()),
                read => read?,
            }
            let len = u32::from_le_bytes([header[5], header[6], header[7], header[8]]);
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            if !header.starts_with(b"ZBXD\x01") || BODY_BYTES_MAX < len {
                return Err(ErrorKind::InvalidData.into());
            }
            if self.body.len() < len {
                self.body.resize(len, 0);
            }
            let body = &mut self.body[..len];
            stream.read_exact(body)?;
            let n = count_rows(body);
            let info = format!("processed: {n}; failed: 0; total: {n}; seconds spent: 0.000001");
            frame(&format!(r#"{{"response":"success","info":"{info}"}}"#), &mut self.answer);
            stream.write_all(&self.answer)?;
        }
    }
}

/// Where the fields of a row stand.
#[derive(Default)]
struct Row<'b> {
    host: &'b [u8],
    key: &'b [u8],
    value: &'b [u8],
    clock: &'b [u8],
}

impl<'b> Row<'b> {
    fn set(&mut self, name: &[u8], text: &'b [u8]) {
        match name {
            b"host" => self.host = text,
            b"key" => self.key = text,
            b"value" => self.value = text,
            b"clock" => self.clock = text,
            _ => (),
        }
    }

    /// Whether there is something in all of them, the number a number.
    fn is_whole(&self) -> bool {
        let texts = [self.host, self.key, self.value, self.clock];
        texts.iter().all(|it| !it.is_empty()) && self.clock.iter().all(u8::is_ascii_digit)
    }
}

/// The rows of `data` that hold a host, a key, a value and a clock.
fn count_rows(body: &[u8]) -> usize {
    let Some(start) = body.iter().position(|byte| *byte == b'[') else { return 0 };
    let (mut n, mut at) = (0, start + 1);
    let mut row = Row::default();
    let mut name: &[u8] = &[];
    let mut is_name = true;
    while let Some(byte) = body.get(at) {
        at += 1;
        match byte {
            b'{' => (row, is_name) = (Row::default(), true),
            b'}' => n += usize::from(row.is_whole()),
            b']' => break,
            b':' => is_name = false,
            b',' => is_name = true,
            b'"' => {
                let text = &body[at..end_of_text(body, at)];
                at += text.len() + 1;
                if is_name {
                    name = text;
                } else {
                    row.set(name, text);
                }
            }
            b'0'..=b'9' => {
                let is_digit = |byte: &&u8| byte.is_ascii_digit();
                let digits = &body[at - 1..];
                let n_digits = digits.iter().take_while(is_digit).count();
                row.set(name, &digits[..n_digits]);
                at += n_digits - 1;
            }
            _ => (),
        }
    }
    n
}

/// Where the quote stands that ends the text, or the end of all.
fn end_of_text(body: &[u8], mut at: usize) -> usize {
    while let Some(byte) = body.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    body.len()
}

/// A receiver in a process of its own, whose processor time can be read.
pub(super) struct Bare {
    child: Child,
    at: SocketAddr,
}

impl Bare {
    pub(super) fn start() -> Result<Self, BenchError> {
        Self::start_for(Speaks::Sender)
    }

    /// One that takes this.
    pub(super) fn start_for(speaks: Speaks) -> Result<Self, BenchError> {
        let at = free_address().map_err(BenchError::Start)?;
        let program = std::env::current_exe().map_err(BenchError::Start)?;
        let child = Command::new(program)
            .args(["receiver", "--listen", &at.to_string(), "--speaks", speaks.name()])
            .stdout(Stdio::null())
            .spawn()
            .map_err(BenchError::Start)?;
        let mut bare = Self { child, at };
        for _ in 0..1_000 {
            if TcpStream::connect(at).is_ok() {
                return Ok(bare);
            }
            if let Ok(Some(status)) = bare.child.try_wait() {
                let text = format!("the bare receiver ended by itself: {status}");
                return Err(BenchError::Start(io::Error::other(text)));
            }
            pause();
        }
        let text = "the bare receiver does not answer";
        Err(BenchError::Start(io::Error::new(ErrorKind::TimedOut, text)))
    }

    pub(super) fn receiving(&self) -> Receiving {
        Receiving { pid: self.child.id(), trapper: self.at }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::{Connection, Request};
    use super::*;

    #[test]
    fn each_value_of_each_request_is_counted() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let at = listener.local_addr().expect("it is bound");
        let server = std::thread::spawn(move || {
            let (stream, _) = listener.accept().expect("somebody comes");
            Buffers::default().serve(stream)
        });
        let mut connection = Connection::open(at).expect("it listens");
        let mut request = Request::default();
        for n in [1, 1_000, 250] {
            let counted = connection.send(request.fill(0, n, 100, 1_700_000_000));
            assert_eq!(counted.expect("it answers"), (n as u64, 0));
        }
        drop(connection);
        server.join().expect("no panic").expect("the end of a connection is none of an error");
    }

    #[test]
    fn rows_count_if_all_fields_are_there() {
        let rows = |rows: &str| count_rows(format!(r#"{{"data":[{rows}],"clock":1}}"#).as_bytes());
        let whole = r#"{"host":"h","key":"k[\"a\\\\\"]","value":"}],{","clock":17,"ns":5}"#;
        assert_eq!(rows(whole), 1);
        assert_eq!(rows(&format!("{whole}, {whole}")), 2);
        assert_eq!(rows(&whole.replace("key", "kex")), 0);
        assert_eq!(rows(&whole.replace("17", "null")), 0);
        assert_eq!(rows(""), 0);
        assert_eq!(count_rows(br#"{"data":[{"host":"unfinished\"#), 0);
    }

    #[test]
    fn malformed_request_ends_the_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let at = listener.local_addr().expect("it is bound");
        let mut stream = TcpStream::connect(at).expect("it listens");
        stream.write_all(&[7; HEADER_BYTES]).expect("it is open");
        let (stream, _) = listener.accept().expect("somebody came");
        let end = Buffers::default().serve(stream).expect_err("no request");
        assert_eq!(end.kind(), ErrorKind::InvalidData);
    }
}
