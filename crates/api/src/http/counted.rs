//! Requests and answers are counted: the outermost handler of all routes but preflights.
//!
//! The memory of an answer is counted until its bytes are written to the connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::http::{Request, Response, StatusCode, header};
use axum::middleware::Next;
use hyper::body::{Frame, SizeHint};
use rt::budget::{Hold, NoRoom, Owner};
use rt::places::PlaceMark;

use super::body::{Flowing, OwnBytes, failed};
use super::sender;
use crate::dispatch;
use crate::memory::{FLOW_BYTES, Held, WAIT_MAX, wide};
use crate::pool::BUSY;
use crate::shared::ApiState;

/// An answer goes to its connection in pieces of this size: each is counted until it is written.
const PIECE_BYTES: usize = 16 << 10;
/// Answers up to this size are never refused: errors among them.
const SMALL_BYTES: u64 = 2 << 10;

/// Gives each request its [`Held`], and counts the memory of its answer until it is written.
pub(super) async fn bounded(
    State(shared): State<Arc<ApiState>>,
    mut request: Request<Body>,
    next: Next,
) -> Response<Body> {
    let held = open(&shared, &request);
    request.extensions_mut().insert(held.clone());
    let response = next.run(request).await;
    counted(&held, response).await
}

fn open(shared: &Arc<ApiState>, request: &Request<Body>) -> Held {
    let mut sent_by = sender::sender(request.method(), request.headers(), request.extensions());
    sent_by.bearer = sent_by.bearer.or_else(|| sender::basic_password(request.headers()));
    let caller = dispatch::caller(shared, &sent_by, None).ok();
    let address = sender::origin(request.extensions()).ip;
    let owner = caller.map_or_else(
        || Owner::Address(address.unwrap_or(std::net::Ipv4Addr::UNSPECIFIED.into())),
        |it| Owner::User(it.identity.userid.0),
    );
    let mark = request.extensions().get::<PlaceMark>().cloned();
    Held::new(
        &shared.memory,
        owner,
        mark.unwrap_or_else(|| PlaceMark::unplaced(shared.clock.clone())),
    )
}

async fn counted(held: &Held, response: Response<Body>) -> Response<Body> {
    let hold = held.hold();
    let (parts, body) = response.into_parts();
    let length =
        parts.headers.get(header::CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
    let length = body.size_hint().exact().or(length);
    let own = parts.extensions.get::<OwnBytes>().map(|it| it.0).or(length);
    let has = hold.bytes();
    let grown = match own {
        _ if parts.extensions.get::<Flowing>().is_some() => Ok(0),
        Some(own) if own <= has => {
            hold.give(has - own);
            Ok(own)
        }
        Some(own) => match hold.grow(own - has, WAIT_MAX).await {
            Err(NoRoom) if SMALL_BYTES < own => Err(NoRoom),
            _ => Ok(own),
        },
        None => hold.grow(FLOW_BYTES, WAIT_MAX).await.map(|()| 0),
    };
    match grown {
        Ok(reserved) => {
            let body = CountedBody { body, pending: Bytes::new(), frame: 0, reserved, hold };
            Response::from_parts(parts, Body::new(body))
        }
        Err(NoRoom) => failed(StatusCode::SERVICE_UNAVAILABLE, BUSY),
    }
}

/// A body whose pieces are counted until they are written.
struct CountedBody {
    body: Body,
    /// The rest of the newest frame.
    pending: Bytes,
    /// The size of that frame: its memory is free when its last piece is.
    frame: u64,
    /// Bytes of the hold that belong to frames to come.
    reserved: u64,
    hold: Arc<Hold>,
}

impl CountedBody {
    fn piece(&mut self) -> Bytes {
        let bytes = self.pending.split_to(self.pending.len().min(PIECE_BYTES));
        let gives = if self.pending.is_empty() { self.frame.min(self.reserved) } else { 0 };
        self.reserved -= gives;
        self.hold.awaits();
        Bytes::from_owner(Piece { bytes, gives, hold: Arc::clone(&self.hold) })
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while self.pending.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => {
                        self.frame = wide(data.len());
                        self.pending = data;
                    }
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                other => return Poll::Ready(other),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(self.piece()))))
    }

    fn is_end_stream(&self) -> bool {
        self.pending.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let pending = wide(self.pending.len());
        if let Some(exact) = hint.exact() {
            hint.set_exact(exact + pending);
        }
        hint
    }
}

/// A piece of an answer on its way to the client.
struct Piece {
    bytes: Bytes,
    /// The memory that is freed when it is written.
    gives: u64,
    hold: Arc<Hold>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.hold.moved(wide(self.bytes.len()));
        self.hold.got();
        self.hold.give(self.gives);
    }
}
