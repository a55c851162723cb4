//! A connection that notes its progress, and ends where the client takes nothing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rt::places::PlaceMark;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// A client that takes an answer has to take this much within the time for it, or the whole rest; else the
/// connection ends.
const STEP_BYTES: usize = 16 << 10;

/// A stream whose client has to take the written bytes.
pub(super) struct StallGuard<S> {
    stream: S,
    mark: PlaceMark,
    stall_max: Duration,
    /// While the client takes nothing: the end of its time, and the bytes that it took since that was set.
    stalled: Option<(Pin<Box<Sleep>>, usize)>,
}

impl<S> StallGuard<S> {
    pub(super) fn new(stream: S, mark: PlaceMark, stall_max: Duration) -> Self {
        Self { stream, mark, stall_max, stalled: None }
    }

    /// Judges an attempt to write.
    fn wrote<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        bytes: impl FnOnce(&T) -> (usize, bool),
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(done) = written {
            let done = done?;
            let (n, is_all) = bytes(&done);
            self.mark.moved(n);
            if let Some((_, taken)) = &mut self.stalled {
                *taken += n;
                if is_all || STEP_BYTES <= *taken {
                    self.stalled = None;
                }
            }
            return Poll::Ready(Ok(done));
        }
        let until = || (Box::pin(sleep_until(Instant::now() + self.stall_max)), 0);
        let (sleep, _) = self.stalled.get_or_insert_with(until);
        ready!(sleep.as_mut().poll(cx));
        let what = "the client takes its answer too slowly";
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, what)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallGuard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.mark.moved(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallGuard<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.wrote(cx, written, |n| (*n, *n == buf.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        // A socket has nothing to flush, whatever its peer takes.
        if flushed.is_ready() { flushed } else { self.wrote(cx, flushed, |()| (0, true)) }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        let len: usize = bufs.iter().map(|it| it.len()).sum();
        self.wrote(cx, written, |n| (*n, *n == len))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
