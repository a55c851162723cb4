//! The bytes of a connection, encrypted or not.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::names::head_as_given;

/// Encryption may be nested: a tunnel through a proxy that is itself reached by TLS.
#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<SslStream<Stream>>),
}

/// A stream that records whether bytes have been received, and writes heads of requests with the
/// names that were given.
#[derive(Debug)]
pub(crate) struct Watched {
    stream: Stream,
    shared: Arc<Shared>,
    /// A head, and how much of it is written.
    head: Option<(Vec<u8>, usize)>,
}

/// State that a stream and the exchanges on it share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    received: AtomicBool,
    /// Names of headers of the request whose head is written next.
    names: Mutex<Option<Arc<[String]>>>,
}

impl Shared {
    /// A request with these names of headers comes next; no byte of its answer has arrived.
    pub(crate) fn begin(&self, names: Arc<[String]>) {
        self.received.store(false, Ordering::Relaxed);
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = Some(names);
    }

    pub(crate) fn has_received(&self) -> bool {
        self.received.load(Ordering::Relaxed)
    }

    fn take_names(&self) -> Option<Arc<[String]>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Watched {
    pub(crate) fn new(stream: Stream) -> (Self, Arc<Shared>) {
        let shared = Arc::<Shared>::default();
        (Self { stream, shared: Arc::clone(&shared), head: None }, shared)
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        if before < buf.filled().len() {
            self.shared.received.store(true, Ordering::Relaxed);
        }
        polled
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        // The library passes a head as a whole, and after a partial write the rest of it again.
        if let Some(names) = this.shared.take_names() {
            this.head = head_as_given(buf, &names).map(|it| (it, 0));
        }
        let Some((head, written)) = &mut this.head else {
            return Pin::new(&mut this.stream).poll_write(cx, buf);
        };
        let rest = head.get(*written..).unwrap_or_default();
        let polled = Pin::new(&mut this.stream).poll_write(cx, rest);
        if let Poll::Ready(Ok(n)) = &polled {
            *written += n;
            if head.len() <= *written {
                this.head = None;
            }
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(it) => Pin::new(it).poll_read(cx, buf),
            Self::Tls(it) => Pin::new(it).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(it) => Pin::new(it).poll_write(cx, buf),
            Self::Tls(it) => Pin::new(it).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(it) => Pin::new(it).poll_flush(cx),
            Self::Tls(it) => Pin::new(it).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(it) => Pin::new(it).poll_shutdown(cx),
            Self::Tls(it) => Pin::new(it).poll_shutdown(cx),
        }
    }
}
