//! The JSON-RPC endpoint.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use super::body::{answered, failed, read_body, send};
use crate::answer::Text;
use crate::dispatch::{self, Sender};
use crate::rpc::{self, Call};
use crate::shared::Shared;

const CONTENT_TYPES: &[&str] =
    &["application/json-rpc", "application/json", "application/jsonrequest"];

pub(super) async fn answer(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    if !is_json(request.headers()) {
        // As Zabbix answers; clients rely on the code.
        return StatusCode::PRECONDITION_FAILED.into_response();
    }
    let sender = super::sender(request.method(), request.headers(), request.extensions());
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
    let answer = match parsed {
        rpc::Body::One(call) => answer_one(&shared, &sender, call).await,
        rpc::Body::Batch(calls) => {
            let mut answers = Text::default();
            for call in calls {
                if let Some(answer) = answer_one(&shared, &sender, call).await {
                    answers.push(if answers.is_empty() { b"[" } else { b"," });
                    answers.append(answer);
                }
            }
            let has_any = !answers.is_empty();
            answers.push(b"]");
            has_any.then_some(answers)
        }
    };
    // A notification has no answer.
    let Some(answer) = answer else { return answered(Text::default(), false) };
    send(&shared, &headers, answer).await
}

/// Larger bodies are parsed on a thread for that: half a millisecond is some 100 kB.
const PARSE_BYTES_MAX: usize = 64 << 10;

async fn answer_one(
    shared: &Arc<Shared>,
    sender: &Sender,
    call: Result<Call, Value>,
) -> Option<Text> {
    let call = match call {
        Ok(it) => it,
        Err(answer) => return Some(Text::of(&answer)),
    };
    let id = call.id.clone();
    let answer = dispatch::call(shared, sender, call).await;
    let id = id?;
    Some(match answer {
        Ok(result) => rpc::succeeded(&id, result),
        Err(error) => Text::of(&rpc::failed(&id, &error)),
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    CONTENT_TYPES.iter().any(|it| kind.eq_ignore_ascii_case(it))
}
