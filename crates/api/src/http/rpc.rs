//! The JSON-RPC endpoint.

use std::future::ready;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use tokio::sync::mpsc;

use super::body::{accepts_gzip, answered, failed, json_response, read_body, send, throw_away};
use super::sender::sender;
use crate::answer::Text;
use crate::dispatch::{self, Sender};
use crate::error::ApiError;
use crate::flow::{Envelope, WHOLE_BYTES_MAX};
use crate::rpc::{self, Call};
use crate::shared::ApiState;

const CONTENT_TYPES: &[&str] =
    &["application/json-rpc", "application/json", "application/jsonrequest"];

pub(super) async fn answer(
    State(shared): State<Arc<ApiState>>,
    request: Request<Body>,
) -> Response {
    if !is_json(request.headers()) {
        // What is not read before the answer ends the connection, which the client may be about to use again.
        throw_away(request.into_body().into_data_stream(), shared.settings.body_bytes_max).await;
        // As Zabbix answers; clients rely on the code.
        return StatusCode::PRECONDITION_FAILED.into_response();
    }
    let sender = sender(request.method(), request.headers(), request.extensions());
    let (headers, body) = match read_body(&shared, request).await {
        Ok(it) => it,
        Err(response) => return response,
    };
    let parsed = if body.len() < PARSE_BYTES_MAX {
        rpc::parse(&body)
    } else {
        match shared.blocking(&shared.calls, move || rpc::parse(&body)).await {
            Ok(it) => it,
            Err(error) => return failed(StatusCode::SERVICE_UNAVAILABLE, &error.data),
        }
    };
    match parsed {
        rpc::Body::One(call) => answer_alone(shared, sender, call, &headers).await,
        rpc::Body::Batch(calls) => {
            let mut answers = Text::default();
            for call in calls {
                // The answers of a batch are kept until all are there.
                let call = if answers.len() < WHOLE_BYTES_MAX { call } else { too_long(call) };
                if let Some(answer) = answer_one(&shared, &sender, call).await {
                    answers.push(if answers.is_empty() { b"[" } else { b"," });
                    answers.append(answer);
                }
            }
            if answers.is_empty() {
                return answered(Text::default(), false);
            }
            answers.push(b"]");
            send(&shared, &headers, answers).await
        }
    }
}

/// The error of a call that there is no room left for.
fn too_long(call: Result<Call, Value>) -> Result<Call, Value> {
    let error = ApiError::application("The answers of this batch are too long: make fewer calls.");
    match call {
        Ok(Call { id: Some(id), .. }) => Err(rpc::failed(&id, &error)),
        other => other,
    }
}

/// A call on its way to an answer.
type Work = Pin<Box<dyn Future<Output = Result<Text, ApiError>> + Send>>;

/// Answers a call whose answer may flow.
async fn answer_alone(
    shared: Arc<ApiState>,
    sender: Sender,
    call: Result<Call, Value>,
    headers: &HeaderMap,
) -> Response {
    let call = match call {
        Ok(it) => it,
        Err(answer) => return send(&shared, headers, Text::of(&answer)).await,
    };
    let Some(id) = call.id.clone() else {
        // A notification has no answer, not even an error.
        let _answer = dispatch::call(&shared, &sender, call, None).await;
        return answered(Text::default(), false);
    };
    let is_gzip = accepts_gzip(headers);
    let (before, after) = (rpc::before_result(&id), rpc::AFTER_RESULT);
    let (opening, mut pieces) = shared.flows.open(Envelope { before, after, is_gzip });
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
        Err(_none) => send(&shared, headers, written(&id, answer)).await,
    }
}

/// An answer whose first piece is there. If the work fails later, the body ends as one that is cut off:
/// no client takes that for the whole answer.
fn flowing(first: Vec<u8>, pieces: mpsc::Receiver<Vec<u8>>, work: Work, is_gzip: bool) -> Response {
    let rest = stream::unfold(Some((pieces, work)), |state| async {
        let (mut pieces, work) = state?;
        if let Some(piece) = pieces.recv().await {
            return Some((Ok(piece), Some((pieces, work))));
        }
        let error = work.await.err()?;
        tracing::warn!(error = %error.data, "a long answer ended before it was complete");
        Some((Err(io::Error::other(error.data)), None))
    });
    let body = stream::once(ready(Ok(first))).chain(rest);
    json_response(Body::from_stream(body), is_gzip)
}

/// Larger bodies are parsed on a thread for that: half a millisecond is some 100 kB.
const PARSE_BYTES_MAX: usize = 64 << 10;

async fn answer_one(
    shared: &Arc<ApiState>,
    sender: &Sender,
    call: Result<Call, Value>,
) -> Option<Text> {
    let call = match call {
        Ok(it) => it,
        Err(answer) => return Some(Text::of(&answer)),
    };
    let id = call.id.clone();
    let answer = dispatch::call(shared, sender, call, None).await;
    Some(written(&id?, answer))
}

fn written(id: &Value, answer: Result<Text, ApiError>) -> Text {
    match answer {
        Ok(result) => rpc::succeeded(id, result),
        Err(error) => Text::of(&rpc::failed(id, &error)),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    CONTENT_TYPES.iter().any(|it| kind.eq_ignore_ascii_case(it))
}
