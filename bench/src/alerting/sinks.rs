//! Receivers of messages that count and answer, a thread for each connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::{BenchError, io_error};

/// Until the process ends.
pub(super) struct Sink {
    pub(super) address: SocketAddr,
    n: Arc<AtomicU64>,
}

/// Serves one connection, and counts messages.
type Serve = fn(TcpStream, &AtomicU64) -> io::Result<()>;

impl Sink {
    pub(super) fn start(serve: Serve) -> Result<Self, BenchError> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(io_error("listen for messages"))?;
        let address = listener.local_addr().map_err(io_error("listen for messages"))?;
        let n = Arc::<AtomicU64>::default();
        let counter = Arc::clone(&n);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let counter = Arc::clone(&counter);
                // A connection that ends badly has no more messages.
                std::thread::spawn(move || drop(serve(stream, &counter)));
            }
        });
        Ok(Self { address, n })
    }

    /// Messages taken so far.
    pub(super) fn n(&self) -> u64 {
        self.n.load(Ordering::Relaxed)
    }
}

/// SMTP without anything optional.
pub(super) fn smtp(mut stream: TcpStream, n: &AtomicU64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream.try_clone()?);
    let (mut line, mut is_text) = (String::new(), false);
    stream.write_all(b"220 bench\r\n")?;
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let word = line.trim_end();
        if is_text {
            if word == "." {
                is_text = false;
                n.fetch_add(1, Ordering::Relaxed);
                stream.write_all(b"250 taken\r\n")?;
            }
            continue;
        }
        match word.get(..4).unwrap_or_default().to_ascii_uppercase().as_str() {
            "DATA" => {
                is_text = true;
                stream.write_all(b"354 go on\r\n")?;
            }
            "QUIT" => return stream.write_all(b"221 bye\r\n"),
            _ => stream.write_all(b"250 yes\r\n")?,
        }
    }
}

/// HTTP/1.1 requests with a length.
pub(super) fn webhook(mut stream: TcpStream, n: &AtomicU64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    loop {
        let mut length = 0;
        loop {
            line.clear();
            if lines.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let header = line.trim_end().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        io::copy(&mut lines.by_ref().take(length), &mut io::sink())?;
        n.fetch_add(1, Ordering::Relaxed);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")?;
    }
}
