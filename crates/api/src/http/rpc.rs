//! The JSON-RPC endpoint.

use std::future::ready;
use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use rt::budget::NoRoom;
use serde_json::Value;
use tokio::sync::mpsc;

use super::batch::answer_batch;
use super::body::{
    Flowing, ReadBody, accepts_gzip, answered, failed, json_response, parse_body, read_body, send,
};
use super::request_context::{RequestContext, Work, written};
use super::sender::sender;
use crate::answer::Text;
use crate::dispatch;
use crate::memory::Held;
use crate::objects::history::pushed::PushCall;
use crate::pool::BUSY;
use crate::response_stream::Envelope;
use crate::rpc::{self, RpcCall};
use crate::shared::ApiState;

const CONTENT_TYPES: &[&str] =
    &["application/json-rpc", "application/json", "application/jsonrequest"];

/// The memory of values read straight from a body, as a multiple of its bytes.
const READ_FACTOR: usize = 4;

pub(super) async fn answer(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
) -> Response {
    if !is_json(request.headers()) {
        // As Zabbix answers; clients rely on the code.
        return StatusCode::PRECONDITION_FAILED.into_response();
    }
    let sender = sender(request.method(), request.headers(), request.extensions());
    let ReadBody { headers, body, held } = match read_body(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    if let Some(call) = PushCall::read(&body) {
        // The parsed values take less memory than a tree, and their texts are in the body.
        return match held.grow(body.len().saturating_mul(READ_FACTOR)).await {
            Ok(()) => {
                let answer = dispatch::push(&shared, &sender, &call, held).await;
                send(&shared, &headers, written(&call.id, answer)).await
            }
            Err(NoRoom) => failed(StatusCode::SERVICE_UNAVAILABLE, BUSY),
        };
    }
    let parsed = match parse_body(&shared, body, &held).await {
        Ok(it) => rpc::calls(it, shared.settings.zabbix_version),
        Err(response) => return response,
    };
    if let Err(NoRoom) = known_by_body(&shared, &parsed, &held) {
        return failed(StatusCode::SERVICE_UNAVAILABLE, BUSY);
    }
    let asked = RequestContext { shared, sender, headers, held };
    match parsed {
        rpc::RpcBody::One(call) => answer_alone(asked, call).await,
        rpc::RpcBody::Batch(calls) => answer_batch(asked, calls).await,
    }
}

/// Older clients send their credentials in the body: from then on the memory counts as the user's.
fn known_by_body(shared: &ApiState, body: &rpc::RpcBody, held: &Held) -> Result<(), NoRoom> {
    let calls = match body {
        rpc::RpcBody::One(call) => std::slice::from_ref(call),
        rpc::RpcBody::Batch(calls) => calls,
    };
    let auth = calls.iter().find_map(|it| it.as_ref().ok()?.auth.as_deref());
    let identity = auth.and_then(|it| shared.db.authenticate(it, shared.clock.wall()));
    identity.map_or(Ok(()), |it| held.becomes(it.userid.0))
}

/// Answers a call whose answer may flow.
async fn answer_alone(asked: RequestContext, call: Result<RpcCall, Value>) -> Response {
    let RequestContext { shared, sender, headers, held } = asked;
    let call = match call {
        Ok(it) => it,
        Err(answer) => return send(&shared, &headers, Text::of(&answer)).await,
    };
    let Some(id) = call.id.clone() else {
        // A notification has no answer, not even an error.
        let _answer = dispatch::call(&shared, &sender, call, None).await;
        return answered(Text::default(), false);
    };
    let is_gzip = accepts_gzip(&headers);
    let (before, after) = (rpc::before_result(&id), rpc::AFTER_RESULT);
    let (opening, mut pieces) = shared.flows.open(Envelope { before, after, is_gzip }, held);
    let of_work = Arc::clone(&shared);
    let mut work: Work =
        Box::pin(async move { dispatch::call(&of_work, &sender, call, Some(opening)).await });
    let answer = tokio::select! {
        first = pieces.recv() => match first {
            Some(first) => return flowing(first, pieces, work, is_gzip),
            None => work.await,
        },
        answer = &mut work => answer,
    };
    // It may have begun to flow and ended at once.
    match pieces.try_recv() {
        Ok(first) => flowing(first, pieces, Box::pin(ready(answer)), is_gzip),
        Err(_none) => send(&shared, &headers, written(&id, answer)).await,
    }
}

/// An answer whose first piece is there. If the work fails later, the body ends without its last chunk:
/// clients recognize it as incomplete.
fn flowing(first: Vec<u8>, pieces: mpsc::Receiver<Vec<u8>>, work: Work, is_gzip: bool) -> Response {
    let rest = stream::unfold(Some((pieces, work)), |state| async {
        let (mut pieces, work) = state?;
        if let Some(piece) = pieces.recv().await {
            return Some((Ok(piece), Some((pieces, work))));
        }
        let error = work.await.err()?;
        tracing::warn!(error = %error.data(), "a long answer ended before it was complete");
        Some((Err(io::Error::other(error.data())), None))
    });
    let body = stream::once(ready(Ok(first))).chain(rest);
    let mut response = json_response(Body::from_stream(body), is_gzip);
    response.extensions_mut().insert(Flowing);
    response
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    CONTENT_TYPES.iter().any(|it| kind.eq_ignore_ascii_case(it))
}
