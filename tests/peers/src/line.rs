//! A line between two programs, which a test cuts.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Where a request is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// It never arrives.
    Request,
    /// The request arrives and is processed, and the response is lost.
    Answer,
}

/// Connections to a program over TCP by way of the test. Cut with its value.
#[derive(Debug)]
pub struct Line {
    pub address: SocketAddr,
    shared: Arc<LineShared>,
}

#[derive(Debug)]
struct LineShared {
    to: SocketAddr,
    /// New connections are closed at once.
    is_cut: AtomicBool,
    has_ended: AtomicBool,
    state: Mutex<LineState>,
}

#[derive(Debug, Default)]
struct LineState {
    open: Vec<TcpStream>,
    trap: Option<(Vec<u8>, Lost)>,
    cuts_all: bool,
}

impl LineShared {
    fn lock(&self) -> MutexGuard<'_, LineState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    /// A line to a program, on an address of its own.
    ///
    /// # Panics
    /// If there is no free port.
    #[must_use]
    pub fn to(to: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(LineShared {
            to,
            is_cut: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            state: Mutex::default(),
        });
        let of_listener = Arc::clone(&shared);
        thread::spawn(move || {
            for peer in listener.incoming() {
                if of_listener.has_ended.load(Ordering::SeqCst) {
                    return;
                }
                // A peer without a connection to the target sees its connection closed.
                drop(peer.and_then(|it| connect(&of_listener, it)));
            }
        });
        Self { address, shared }
    }

    /// Ends all connections and refuses others, as if the program was away.
    pub fn cut(&self) {
        self.shared.is_cut.store(true, Ordering::SeqCst);
        for stream in self.shared.lock().open.drain(..) {
            // It may have ended by itself.
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// New connections get through again.
    pub fn mend(&self) {
        self.shared.is_cut.store(false, Ordering::SeqCst);
    }

    /// Cuts the one connection that next sends these bytes in one piece, and there only.
    pub fn cut_at(&self, bytes: &[u8], lost: Lost) {
        self.shared.lock().trap = Some((bytes.to_owned(), lost));
    }

    /// When the bytes of [`Self::cut_at`] come, everything else is cut too.
    pub fn cut_with_it(&self) {
        self.shared.lock().cuts_all = true;
    }

    /// Whether the bytes of [`Self::cut_at`] have come.
    #[must_use]
    pub fn has_cut(&self) -> bool {
        self.shared.lock().trap.is_none()
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.shared.has_ended.store(true, Ordering::SeqCst);
        self.cut();
        // Wakes the thread that accepts.
        drop(TcpStream::connect(self.address));
    }
}

fn connect(shared: &Arc<LineShared>, from: TcpStream) -> io::Result<()> {
    if shared.is_cut.load(Ordering::SeqCst) {
        return Ok(());
    }
    let to = TcpStream::connect(shared.to)?;
    for stream in [&from, &to] {
        stream.set_nodelay(true)?;
        let copy = stream.try_clone()?;
        shared.lock().open.push(copy);
    }
    let withholds = Arc::new(AtomicBool::new(false));
    let (of_request, of_answer) = (Arc::clone(shared), Arc::clone(&withholds));
    let (from_again, to_again) = (from.try_clone()?, to.try_clone()?);
    thread::spawn(move || {
        pass(from, to, |bytes| {
            let mut state = of_request.lock();
            let is_it = |(wanted, _): &(Vec<u8>, Lost)| {
                bytes.windows(wanted.len()).any(|it| it == wanted.as_slice())
            };
            if !state.trap.as_ref().is_some_and(is_it) {
                return true;
            }
            let lost = state.trap.take().map(|(_, lost)| lost);
            if std::mem::take(&mut state.cuts_all) {
                // Requests under way are still completed.
                of_request.is_cut.store(true, Ordering::SeqCst);
            }
            if lost == Some(Lost::Answer) {
                of_answer.store(true, Ordering::SeqCst);
            }
            lost == Some(Lost::Answer)
        });
    });
    thread::spawn(move || pass(to_again, from_again, |_| !withholds.load(Ordering::SeqCst)));
    // `cut` may have come in between.
    if shared.is_cut.load(Ordering::SeqCst) {
        for stream in shared.lock().open.drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }
    Ok(())
}

/// Passes bytes on until one side ends or `may_pass` says no; then both end.
fn pass(mut from: TcpStream, mut to: TcpStream, may_pass: impl Fn(&[u8]) -> bool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(n) = from.read(&mut buffer) {
        let bytes = buffer.get(..n).unwrap_or_default();
        if n == 0 || !may_pass(bytes) || to.write_all(bytes).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        drop(stream.shutdown(Shutdown::Both));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers each line with the same line.
    fn echo() -> (SocketAddr, Arc<Mutex<Vec<u8>>>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let of_thread = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut bytes = [0; 4];
                // Until the line is cut.
                while stream.read_exact(&mut bytes).is_ok() {
                    of_thread.lock().unwrap().extend(bytes);
                    drop(stream.write_all(&bytes));
                }
            }
        });
        (address, heard)
    }

    fn ask(stream: &mut TcpStream, bytes: &[u8; 4]) -> io::Result<[u8; 4]> {
        stream.write_all(bytes)?;
        let mut answer = [0; 4];
        stream.read_exact(&mut answer).map(|()| answer)
    }

    #[test]
    fn requests_and_answers_are_lost_where_it_was_asked_for() {
        let (address, heard) = echo();
        let line = Line::to(address);
        let connect = || TcpStream::connect(line.address).unwrap();
        let mut first = connect();
        assert_eq!(ask(&mut first, b"one.").unwrap(), *b"one.");
        line.cut_at(b"two", Lost::Answer);
        assert!(ask(&mut first, b"two.").is_err());
        assert!(line.has_cut());
        line.cut_at(b"thr", Lost::Request);
        let mut second = connect();
        assert!(ask(&mut second, b"thr.").is_err());
        let mut third = connect();
        assert_eq!(ask(&mut third, b"four").unwrap(), *b"four");
        line.cut();
        assert!(ask(&mut third, b"five").is_err());
        assert!(ask(&mut connect(), b"six.").is_err());
        line.mend();
        assert_eq!(ask(&mut connect(), b"last").unwrap(), *b"last");
        let heard = String::from_utf8(heard.lock().unwrap().clone()).unwrap();
        assert_eq!(heard, "one.two.fourlast");
    }
}
