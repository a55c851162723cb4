//! Long answers on their way: pieces go to the client while the rest is being written.
//!
//! An answer begins to flow once it is longer than the part that is held of any answer. From then on the
//! writing thread is never more than a few pieces ahead of the client. It waits for a slow one without its
//! turn, so that others work in that time; few may wait like that at once, and each for a limited time.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use rt::Shutdown;
use rt::metrics::Counter;
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc};

use crate::memory::{FLOW_BYTES, Held};
use crate::pool::Turn;

/// The part of an answer that is held before it flows; shorter ones go out whole, with their length.
pub(crate) const HELD_BYTES: usize = 1 << 20;

/// Pieces that the writer may be ahead by, of some 128 kB each: bounds the memory of a flowing answer; the
/// writer waits.
const PIECES: usize = 4;

/// Compressed bytes that make a piece.
const PIECE_BYTES: usize = 64 << 10;

/// A client has to take a piece within this time; else its answer is cut off.
const STALL_MAX: Duration = Duration::from_secs(60);

/// The most answers that wait for slow clients at once: each holds a thread. Another one is cut off.
pub(crate) const SLOW_MAX: usize = 64;

/// The longest answer that is kept whole, for callers that take no pieces: the page that explains a problem,
/// and selects of answers. A longer one is an error.
pub(crate) const WHOLE_BYTES_MAX: usize = 64 << 20;

/// The text around the rows of an answer, and whether it is compressed.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    /// Before and after the rows.
    pub(crate) before: Vec<u8>,
    pub(crate) after: &'static [u8],
    pub(crate) is_gzip: bool,
}

/// State that all answers share.
#[derive(Clone, Debug)]
pub(crate) struct ResponseStreams {
    slow: Arc<Semaphore>,
    cut: Counter,
    shutdown: Shutdown,
}

impl ResponseStreams {
    pub(crate) fn new(cut: Counter, shutdown: Shutdown) -> Self {
        Self { slow: Arc::new(Semaphore::new(SLOW_MAX)), cut, shutdown }
    }

    /// The two ends of an answer's way.
    pub(crate) fn open(
        &self,
        envelope: Envelope,
        held: Held,
    ) -> (StreamOpening, mpsc::Receiver<Vec<u8>>) {
        let (pieces, taken) = mpsc::channel(PIECES);
        (StreamOpening { pieces, envelope, held, flows: self.clone() }, taken)
    }
}

/// The writer's end, before there is a turn for it.
#[derive(Debug)]
pub(crate) struct StreamOpening {
    pieces: mpsc::Sender<Vec<u8>>,
    envelope: Envelope,
    pub(crate) held: Held,
    flows: ResponseStreams,
}

impl StreamOpening {
    /// On the thread that writes.
    pub(crate) fn outlet(self, turn: Turn) -> ResponseWriter {
        let Self { pieces, envelope, held, flows } = self;
        ResponseWriter {
            pieces,
            envelope,
            held,
            flows,
            gzip: None,
            turn,
            handle: Handle::current(),
            has_begun: false,
            is_cut: false,
            is_refused: false,
            is_complete: false,
        }
    }
}

/// The writer's end of an open flow.
#[derive(Debug)]
pub(crate) struct ResponseWriter {
    pieces: mpsc::Sender<Vec<u8>>,
    envelope: Envelope,
    held: Held,
    flows: ResponseStreams,
    gzip: Option<GzEncoder<Vec<u8>>>,
    turn: Turn,
    handle: Handle,
    has_begun: bool,
    is_cut: bool,
    /// There was no room for an answer that flows.
    is_refused: bool,
    is_complete: bool,
}

impl ResponseWriter {
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The client does not take the text any more.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Sends the next bytes of the answer.
    pub(crate) fn push(&mut self, bytes: Vec<u8>) {
        if self.is_refused {
            return;
        }
        if !self.has_begun {
            if self.held.grow_here(FLOW_BYTES).is_err() {
                self.is_refused = true;
                return;
            }
            self.has_begun = true;
            self.gzip = self
                .envelope
                .is_gzip
                .then(|| GzEncoder::new(Vec::with_capacity(PIECE_BYTES), Compression::fast()));
            let mut first = std::mem::take(&mut self.envelope.before);
            first.extend(bytes);
            return self.write(first);
        }
        self.write(bytes);
    }

    /// Sends the last bytes; false: the client does not have the whole answer.
    pub(crate) fn finish(mut self) -> bool {
        if self.is_refused {
            return false;
        }
        self.write(self.envelope.after.to_vec());
        if let Some(gzip) = self.gzip.take() {
            let rest = gzip.finish().expect("memory takes everything");
            self.send(rest);
        }
        self.is_complete = !self.is_cut;
        self.is_complete
    }

    /// The answer ends before it is complete.
    fn cut(&mut self) {
        if !self.is_cut {
            self.is_cut = true;
            self.flows.cut.inc();
        }
    }

    fn write(&mut self, bytes: Vec<u8>) {
        let Some(gzip) = &mut self.gzip else { return self.send(bytes) };
        if self.is_cut {
            return;
        }
        gzip.write_all(&bytes).expect("memory takes everything");
        if PIECE_BYTES <= gzip.get_ref().len() {
            let piece = std::mem::replace(gzip.get_mut(), Vec::with_capacity(PIECE_BYTES));
            self.send(piece);
        }
    }

    fn send(&mut self, piece: Vec<u8>) {
        if self.is_cut {
            return;
        }
        match self.pieces.try_send(piece) {
            Ok(()) => {}
            Err(TrySendError::Closed(_)) => self.cut(),
            Err(TrySendError::Full(piece)) => {
                if !self.send_slowly(piece) {
                    self.cut();
                }
            }
        }
    }

    /// Waits until the client has taken a piece.
    fn send_slowly(&mut self, piece: Vec<u8>) -> bool {
        let Ok(_place) = self.flows.slow.try_acquire() else {
            tracing::warn!("a long answer is cut: too many clients take theirs slowly");
            return false;
        };
        let (pieces, shutdown) = (&self.pieces, &self.flows.shutdown);
        let sent = async {
            tokio::select! {
                sent = tokio::time::timeout(STALL_MAX, pieces.send(piece)) => {
                    matches!(sent, Ok(Ok(())))
                }
                () = shutdown.cancelled() => false,
            }
        };
        self.turn.lend(&self.handle, sent)
    }
}

impl Drop for ResponseWriter {
    fn drop(&mut self) {
        // Reading failed, or the writer did.
        if self.has_begun && !self.is_complete {
            self.cut();
        }
    }
}
