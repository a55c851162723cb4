//! A request with calls, and an answer on its way.

use std::pin::Pin;
use std::sync::Arc;

use axum::http::HeaderMap;
use serde_json::Value;

use crate::answer::Text;
use crate::dispatch::Sender;
use crate::error::ApiError;
use crate::memory::Held;
use crate::rpc;
use crate::shared::ApiState;

/// A request that was read.
pub(super) struct RequestContext {
    pub(super) shared: Arc<ApiState>,
    pub(super) sender: Sender,
    pub(super) headers: HeaderMap,
    pub(super) held: Held,
}

/// A call on its way to an answer.
pub(super) type Work = Pin<Box<dyn Future<Output = Result<Text, ApiError>> + Send>>;

pub(super) fn written(id: &Value, answer: Result<Text, ApiError>) -> Text {
    match answer {
        Ok(result) => rpc::succeeded(id, result),
        Err(error) => Text::of(&rpc::failed(id, &error)),
    }
}
