//! The description of the API as an OpenRPC document, public: it is the same on every server and holds
//! nothing of this one.

use std::io::Write;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use model::version::{EachVersion, Version};

use super::body::{accepts_gzip, failed};
use crate::generate::openrpc;
use crate::shared::ApiState;

/// Clients look again after an hour: a new version of the server may have more methods.
const CACHE: &str = "public, max-age=3600";

pub(super) async fn serve(State(shared): State<Arc<ApiState>>, headers: HeaderMap) -> Response {
    let version = shared.settings.zabbix_version;
    let is_gzip = accepts_gzip(&headers);
    // Written and compressed once in the life of the process.
    let body = tokio::task::spawn_blocking(move || {
        if is_gzip { compressed(version) } else { openrpc::text(version).as_bytes() }
    });
    let Ok(body) = body.await else {
        return failed(StatusCode::INTERNAL_SERVER_ERROR, "The document cannot be written.");
    };
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHE));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if is_gzip {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

fn compressed(version: Version) -> &'static [u8] {
    static COMPRESSED: EachVersion<Vec<u8>> = EachVersion::new();
    COMPRESSED.get_or_init(version, || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let plain = openrpc::text(version).as_bytes();
        let written = encoder.write_all(plain).and_then(|()| encoder.finish());
        written.expect("memory takes what is written")
    })
}
