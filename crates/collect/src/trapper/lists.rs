//! Answers with lists of active checks.
//!
//! A list that is not kept, or whose request has the positions of many logs, is made on the
//! blocking pool, [`LISTS_AT_ONCE`] at once. Agents that close their connection while they wait get
//! none. A list is written from the memory that all its answers share.

use std::time::Duration;
use std::{fmt, io};

use rt::metrics::Counter;
use rt::task::Tasks;
use rt::tls::Stream;
use tokio::io::AsyncWriteExt;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use wire::active::SharedAnswer;
use wire::zbxd;

/// Lists that are made at once; the other processors are left to values. Further agents wait.
pub(super) const LISTS_AT_ONCE: usize = 2;
/// An answer is written in pieces of this size: one write of the socket, one TLS record.
const WRITE_BYTES: usize = 16 << 10;

/// Makes a list.
pub type MakeList = Box<dyn FnOnce() -> SharedAnswer + Send>;

/// The answer to an active agent that asks for its checks.
pub enum ChecksReply {
    /// The whole answer.
    Answer(Vec<u8>),
    List(SharedAnswer),
    /// The list, or its part about many logs, has to be made first, which takes long.
    Later(MakeList),
}

impl fmt::Debug for ChecksReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Answer(_) => "Answer",
            Self::List(_) => "List",
            Self::Later(_) => "Later",
        })
    }
}

/// Why a list was not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unmade {
    /// Its agent has closed the connection.
    Gone,
    /// Its turn was too late.
    Busy,
}

/// Turns for making lists.
#[derive(Debug)]
pub(super) struct ListTurns {
    places: Semaphore,
    made: Counter,
    abandoned: Counter,
}

impl ListTurns {
    pub(super) fn new(n_cores: usize, made: Counter, abandoned: Counter) -> Self {
        Self { places: Semaphore::new(LISTS_AT_ONCE.min(n_cores)), made, abandoned }
    }

    /// Makes a list at its turn, unless its agent has gone by then.
    pub(super) async fn make(
        &self,
        make: MakeList,
        stream: &Stream,
        (tasks, wait): (&Tasks, Duration),
    ) -> Result<SharedAnswer, Unmade> {
        let _permit = match self.places.try_acquire() {
            Ok(it) => it,
            Err(_others) => tokio::select! {
                biased;
                () = gone(stream) => {
                    self.abandoned.inc();
                    return Err(Unmade::Gone);
                }
                permit = timeout(wait, self.places.acquire()) => match permit {
                    Ok(Ok(it)) => it,
                    _ => return Err(Unmade::Busy),
                },
            },
        };
        self.made.inc();
        Ok(tasks.offload("list of active checks", make).await)
    }
}

/// Writes an answer piece by piece: a slow peer holds little memory that is not shared.
pub(super) async fn write(stream: &mut Stream, answer: &SharedAnswer) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(WRITE_BYTES);
    zbxd::encode_header(answer.n_bytes() as u64, &mut buffer);
    for part in answer.pieces().flat_map(|it| it.chunks(WRITE_BYTES)) {
        if WRITE_BYTES < buffer.len() + part.len() {
            stream.write_all(&buffer).await?;
            buffer.clear();
        }
        buffer.extend_from_slice(part);
    }
    stream.write_all(&buffer).await
}

/// Returns when the peer has closed its connection. A peer that has sent more is still connected.
async fn gone(stream: &Stream) {
    let socket = match stream {
        Stream::Plain(it) => it,
        Stream::Tls(it) => it.get_ref(),
    };
    match socket.peek(&mut [0]).await {
        Ok(0) | Err(_) => {}
        Ok(_) => std::future::pending().await,
    }
}
