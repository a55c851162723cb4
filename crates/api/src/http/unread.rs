//! Bodies that an answer did not wait for, such as those of calls without a valid token.
//!
//! A connection that closes while the client is sending is reset, and the client never sees why it was
//! refused. So a body that nothing has begun to read is read and dropped, alongside the answer.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::http::{Request, Response};
use axum::middleware::Next;
use hyper::body::{Frame, SizeHint};

use super::body::spawn_throw_away;
use crate::shared::ApiState;

/// Answers, and reads the part of the request that the answer did not need.
pub(super) async fn read_out(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let unread = Slot::default();
    let of_request = Arc::clone(&unread);
    let request = request.map(|it| Body::new(Untouched { body: Some(it), unread: of_request }));
    let answer = next.run(request).await;
    let unread = unread.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(body) = unread {
        spawn_throw_away(&shared, body.into_data_stream(), shared.settings.body_bytes_max);
    }
    answer
}

type Slot = Arc<Mutex<Option<Body>>>;

/// A body that goes into its slot if it is dropped before any of it has been read.
struct Untouched {
    body: Option<Body>,
    unread: Slot,
}

impl Untouched {
    fn touched(&mut self) -> Option<&mut Body> {
        self.unread = Slot::default();
        self.body.as_mut()
    }
}

impl HttpBody for Untouched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.touched() {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl Drop for Untouched {
    fn drop(&mut self) {
        *self.unread.lock().unwrap_or_else(PoisonError::into_inner) = self.body.take();
    }
}
