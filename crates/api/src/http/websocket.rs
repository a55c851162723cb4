//! Requests that become WebSockets (RFC 6455, section 4.2). Protocol and handshake are those of tungstenite.

use std::future::Future;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::body::failed;

/// The server's end of a connection whose request was upgraded.
pub(crate) type WebSocket = WebSocketStream<TokioIo<Upgraded>>;

/// Answers a request with the upgrade of its connection to a WebSocket, which `serve` then gets. A request
/// that is no upgrade is refused: 426 for a version other than 13, else 400.
pub(crate) fn upgraded<F>(
    mut request: Request<Body>,
    config: WebSocketConfig,
    serve: impl FnOnce(WebSocket) -> F + Send + 'static,
) -> Response
where
    F: Future<Output = ()> + Send + 'static,
{
    let response = match create_response_with_body(&request, Body::empty) {
        Ok(response) => response,
        Err(error) => return refused(&error),
    };
    let Some(connection) = request.extensions_mut().remove::<OnUpgrade>() else {
        return failed(StatusCode::BAD_REQUEST, "This connection cannot become a WebSocket.");
    };
    tokio::spawn(async move {
        // An error: the client went before it had the answer.
        let Ok(upgraded) = connection.await else { return };
        let io = TokioIo::new(upgraded);
        serve(WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await).await;
    });
    response
}

fn refused(error: &Error) -> Response {
    let is_version =
        matches!(error, Error::Protocol(ProtocolError::MissingSecWebSocketVersionHeader));
    if !is_version {
        return failed(
            StatusCode::BAD_REQUEST,
            "The stream is a WebSocket: the request does not ask for one.",
        );
    }
    let mut response =
        failed(StatusCode::UPGRADE_REQUIRED, "The stream is a WebSocket of version 13.");
    let version = header::HeaderValue::from_static("13");
    response.headers_mut().insert(header::SEC_WEBSOCKET_VERSION, version);
    response
}
