//! One connection, and an exchange on it.
//!
//! hyper has a future that drives a connection and another one that waits for an answer. The task
//! that makes the exchange polls both, one after the other: the connection has no task of its own,
//! needs no wake-up, and is not polled while it waits for its next exchange.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::CONTENT_LENGTH;
use hyper_util::rt::TokioIo;
use rt::budget::NoRoom;
use rt::reading::Reading;
use wire::http::Response;

use super::body::Payload;
use super::decode;
use super::error::Error;
use super::names::capitalize;
use super::request::Prepared;
use super::stream::{Shared, Stream, Watched};

/// Memory that a body gets before it has arrived.
const BODY_CAPACITY_MAX: usize = 64 << 10;

type Driver = http1::Connection<TokioIo<Watched>, Payload>;

pub(crate) struct Connection {
    sender: SendRequest<Payload>,
    /// `None`: it has ended.
    driver: Option<Driver>,
    shared: Arc<Shared>,
}

/// An exchange without an answer.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: Error,
    /// No byte of an answer has arrived: on a kept connection, the server may not have seen the
    /// request.
    pub(crate) is_untouched: bool,
}

pub(crate) type Exchanged = Result<Response, Failed>;

impl Connection {
    pub(crate) async fn new(stream: Stream) -> Result<Self, Error> {
        let (watched, shared) = Watched::new(stream);
        let mut builder = http1::Builder::new();
        // As curl: an unreadable header does not cost the answer.
        builder
            .ignore_invalid_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true);
        let (sender, driver) =
            builder.handshake(TokioIo::new(watched)).await.map_err(Error::Http)?;
        Ok(Self { sender, driver: Some(driver), shared })
    }

    /// Whether it can take another exchange.
    pub(crate) fn is_ready(&self) -> bool {
        self.driver.is_some() && self.sender.is_ready()
    }

    /// Must not be called again after an error.
    pub(crate) async fn exchange(&mut self, request: &Prepared) -> Exchanged {
        // Bytes received since the last exchange, or the end of the connection, end it before the
        // request is written.
        poll_fn(|cx| {
            drive(&mut self.driver, cx);
            Poll::Ready(())
        })
        .await;
        if self.driver.is_none() {
            return Err(Failed { error: Error::Empty, is_untouched: true });
        }
        self.shared.begin(request.names());
        let answer = self.ask(request).await;
        answer.map_err(|error| Failed { is_untouched: error.is_empty(), error })
    }

    async fn ask(&mut self, request: &Prepared) -> Result<Response, Error> {
        let answer = {
            let mut sent = pin!(self.sender.try_send_request(request.to_http()));
            let (driver, shared) = (&mut self.driver, &self.shared);
            poll_fn(|cx| {
                drive(driver, cx);
                // The connection does all the work, so it is polled first.
                match sent.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(it) => Poll::Ready(it.map_err(|it| {
                        Error::of_connection(it.into_error(), shared.has_received())
                    })),
                    Poll::Pending if driver.is_none() => Poll::Ready(Err(Error::Empty)),
                    Poll::Pending => Poll::Pending,
                }
            })
            .await?
        };
        let (head, body) = answer.into_parts();
        let n_announced =
            head.headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
        let max = request.body_bytes_max;
        let mut reading = request.reading.lock().await;
        let body = self.read(body, (n_announced, max), &mut reading).await?;
        let body = decode::body(&head.headers, body, max, &mut reading).await?;
        let headers = head.headers.iter().map(|(name, value)| {
            let mut name = name.as_str().as_bytes().to_vec();
            capitalize(&mut name);
            let name = String::from_utf8(name).unwrap_or_default();
            (name, String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        Ok(Response { status: head.status.as_u16(), headers: headers.collect(), body })
    }

    /// Reads the body, and drives the connection until it is ready for the next exchange or closed.
    async fn read(
        &mut self,
        mut body: Incoming,
        (n_announced, max): (Option<usize>, usize),
        reading: &mut Reading,
    ) -> Result<Vec<u8>, Error> {
        let mut bytes =
            Vec::with_capacity(n_announced.unwrap_or(0).min(max).min(BODY_CAPACITY_MAX));
        loop {
            let room = usize::try_from(reading.covered()).unwrap_or(usize::MAX);
            let read = self.read_up_to(room, (&mut body, &mut bytes), max);
            if reading.awaiting(read).await.unwrap_or(Err(Error::NoRoom))? {
                return Ok(bytes);
            }
            let wanted = bytes.len().saturating_add(1) as u64;
            reading.cover(wanted).await.map_err(|NoRoom| Error::NoRoom)?;
        }
    }

    /// Returns whether the whole body was read; otherwise as many bytes as there is room for.
    async fn read_up_to(
        &mut self,
        room: usize,
        (body, bytes): (&mut Incoming, &mut Vec<u8>),
        max: usize,
    ) -> Result<bool, Error> {
        let driver = &mut self.driver;
        poll_fn(|cx| {
            loop {
                drive(driver, cx);
                match take_frames(body, bytes, (room, max)) {
                    Err(error) => return Poll::Ready(Err(error)),
                    Ok(Taken::All) => {
                        drive(driver, cx);
                        return Poll::Ready(Ok(true));
                    }
                    Ok(Taken::Room) => return Poll::Ready(Ok(false)),
                    Ok(_) if driver.is_none() => return Poll::Ready(Err(Error::Partial)),
                    // More may have been received already.
                    Ok(Taken::Some) => {}
                    Ok(Taken::None) => return Poll::Pending,
                }
            }
        })
        .await
    }
}

/// How much of a body was taken.
enum Taken {
    All,
    /// As much as there is room for.
    Room,
    Some,
    None,
}

/// Takes the received part of a body. The caller polls the connection, which alone receives more.
fn take_frames(
    body: &mut Incoming,
    bytes: &mut Vec<u8>,
    (room, max): (usize, usize),
) -> Result<Taken, Error> {
    let mut taken = Taken::None;
    loop {
        // A frame has a few hundred kilobytes at most.
        if room < bytes.len() {
            return Ok(Taken::Room);
        }
        let frame = match Pin::new(&mut *body).poll_frame(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(frame)) => frame.map_err(|it| Error::of_connection(it, true))?,
            Poll::Ready(None) => return Ok(Taken::All),
            Poll::Pending => return Ok(taken),
        };
        taken = Taken::Some;
        // Trailers are not used.
        let data = frame.into_data().unwrap_or_default();
        if max - bytes.len() < data.len() {
            return Err(Error::TooLong(max));
        }
        bytes.extend_from_slice(&data);
    }
}

/// Lets the connection do its work. The answer reports its errors.
fn drive(driver: &mut Option<Driver>, cx: &mut Context<'_>) {
    let ended = driver.as_mut().is_some_and(|it| Pin::new(it).poll(cx).is_ready());
    if ended {
        *driver = None;
    }
}
