//! Receivers of messages that count, answer, and note which event a message is about; a thread for each connection.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::common::{BenchError, io_error};

/// Until the process ends.
pub(super) struct Sink {
    pub(super) address: SocketAddr,
    inbox: Arc<Inbox>,
}

/// Received messages.
#[derive(Default)]
pub(super) struct Inbox {
    n: AtomicU64,
    /// Of messages whose subject names one.
    notices: Mutex<Vec<Notice>>,
}

/// A message about an event: `begin=ID` or `end=ID` in its subject.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Notice {
    /// Of the problem, also in messages about its end.
    pub(super) event: u64,
    pub(super) is_end: bool,
}

impl Inbox {
    fn take(&self, notice: Option<Notice>) {
        if let Some(notice) = notice {
            self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
        }
        self.n.fetch_add(1, Ordering::Relaxed);
    }
}

impl Notice {
    /// The one that a text names.
    fn find(text: &str) -> Option<Self> {
        [("begin=", false), ("end=", true)].into_iter().find_map(|(mark, is_end)| {
            let behind = text.split_once(mark)?.1;
            let digits = behind.split(|it: char| !it.is_ascii_digit()).next()?;
            Some(Self { event: digits.parse().ok()?, is_end })
        })
    }
}

/// Serves one connection.
type Serve = fn(TcpStream, &Inbox) -> io::Result<()>;

impl Sink {
    pub(super) fn start(serve: Serve) -> Result<Self, BenchError> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(io_error("listen for messages"))?;
        let address = listener.local_addr().map_err(io_error("listen for messages"))?;
        let inbox = Arc::<Inbox>::default();
        let of_all = Arc::clone(&inbox);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let inbox = Arc::clone(&of_all);
                // A connection that ends badly has no more messages.
                std::thread::spawn(move || drop(serve(stream, &inbox)));
            }
        });
        Ok(Self { address, inbox })
    }

    /// Messages taken so far.
    pub(super) fn n(&self) -> u64 {
        self.inbox.n.load(Ordering::Relaxed)
    }

    /// All that were about an event.
    pub(super) fn notices(&self) -> Vec<Notice> {
        self.inbox.notices.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// SMTP without anything optional.
pub(super) fn smtp(mut stream: TcpStream, inbox: &Inbox) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut lines = BufReader::new(stream.try_clone()?);
    let (mut line, mut is_text, mut notice) = (String::new(), false, None);
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
                inbox.take(notice.take());
                stream.write_all(b"250 taken\r\n")?;
            } else if word.starts_with("Subject:") {
                notice = Notice::find(word);
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
pub(super) fn webhook(mut stream: TcpStream, inbox: &Inbox) -> io::Result<()> {
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
        let mut body = String::new();
        lines.by_ref().take(length).read_to_string(&mut body)?;
        inbox.take(Notice::find(&body));
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_names_its_event() {
        let notice = |event, is_end| Some(Notice { event, is_end });
        assert_eq!(Notice::find("Subject: begin=17"), notice(17, false));
        assert_eq!(Notice::find(r#"{"subject":"end=4711"}"#), notice(4711, true));
        assert_eq!(Notice::find("Subject: Load 0 is high"), None);
        assert_eq!(Notice::find("Subject: begin="), None);
    }
}
