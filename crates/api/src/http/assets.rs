//! The pages: files of the UI's build inside the binary, compressed when they were built.
//!
//! Files with a hash in their name never change; the page that names them is requested each time. Paths that
//! are no file are routes of the pages.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::body::{accepts, failed};

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
struct Dist;

const INDEX: &str = "index.html";
/// Below here every name holds the hash of its content.
const HASHED: &str = "assets/";

/// Without the UI's build the server still works; this text explains how to build it.
const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<title>Saker</title><body style=\"font-family:sans-serif;max-width:40em;margin:4em auto\">\
<h1>The pages are not in this binary</h1><p>The server works, but it was compiled without its \
pages. Build all of it with <code>make build</code>, or the pages alone with \
<code>scripts/build-ui.sh</code>, and compile again.</p><p>The API answers at \
<code>/api_jsonrpc.php</code>.</p></body></html>";

pub(super) async fn serve(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { INDEX } else { path };
    if let Some(response) = file(path, &headers) {
        return response;
    }
    // A missing file must not become a page: browsers would try to run it.
    let is_route = path == INDEX || !path.starts_with(HASHED) && !path.contains('.');
    if !is_route {
        return failed(StatusCode::NOT_FOUND, "There is nothing at this address.");
    }
    file(INDEX, &headers).unwrap_or_else(|| {
        let html = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
        (StatusCode::OK, html, NOT_BUILT).into_response()
    })
}

fn file(path: &str, headers: &HeaderMap) -> Option<Response> {
    let is_compressed = [".br", ".gz"].iter().any(|it| path.ends_with(it));
    let plain = Dist::get(path).filter(|_| !is_compressed)?;
    let etag = etag(&plain);
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|it| it == etag.as_str());
    if is_known {
        return Some((StatusCode::NOT_MODIFIED, [(header::ETAG, etag)]).into_response());
    }
    let (data, coding) = variant(path, plain, headers);
    let body = match data {
        Cow::Borrowed(it) => Body::from(it),
        Cow::Owned(it) => Body::from(it),
    };
    let mut response = Response::new(body);
    let answer = response.headers_mut();
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    let kind = HeaderValue::from_str(kind.as_ref());
    answer.insert(
        header::CONTENT_TYPE,
        kind.unwrap_or(HeaderValue::from_static("application/octet-stream")),
    );
    answer.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Some(coding) = coding {
        answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    let is_hashed = path.starts_with(HASHED);
    let cache = if is_hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        answer.insert(header::ETAG, etag);
    }
    Some(response)
}

/// The best of the encodings that the build made.
fn variant(
    path: &str,
    plain: EmbeddedFile,
    headers: &HeaderMap,
) -> (Cow<'static, [u8]>, Option<&'static str>) {
    for (coding, ending) in [("br", ".br"), ("gzip", ".gz")] {
        if accepts(headers, coding)
            && let Some(compressed) = Dist::get(&format!("{path}{ending}"))
        {
            return (compressed.data, Some(coding));
        }
    }
    (plain.data, None)
}

fn etag(file: &EmbeddedFile) -> String {
    let hash = file.metadata.sha256_hash();
    let hex: String = hash.iter().take(12).map(|it| format!("{it:02x}")).collect();
    // Weak: the compressed forms share it.
    format!("W/\"{hex}\"")
}
