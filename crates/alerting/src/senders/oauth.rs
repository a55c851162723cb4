//! Access tokens of OAuth 2.0: that of the media type, or a new one by its refresh token.

use std::time::Duration;

use db::objects::mediatype::MEDIATYPE;
use db::{Actor, Db};
use model::document::Body;
use rt::clock::Clock;
use script::HostRequest;
use serde_json::{Value as Json, json};

use crate::ports::HttpExchange;

use super::outbound::{MessageError, Outbound, Said, Transcript, failed, text_of};

/// A token that ends sooner is renewed, in seconds.
const SPARE_S: i64 = 60;
const TIME: Duration = Duration::from_secs(15);
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Parts that renew tokens.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    /// Where new ones are kept.
    pub(super) db: &'a Db,
    pub(super) clock: &'a Clock,
    pub(super) http: &'a dyn HttpExchange,
}

/// A token that is good now. A new one is saved for the next message.
pub(super) fn access_token(
    tokens: Tokens<'_>,
    kind: &Body,
    message: &Outbound,
    transcript: &Transcript,
) -> Result<String, MessageError> {
    let number = |name: &str| text_of(kind, name).parse::<i64>().unwrap_or(0);
    let now = tokens.clock.wall().clock();
    let token = text_of(kind, "access_token");
    let lasts_s = number("access_expires_in");
    let ends = number("access_token_updated").saturating_add(lasts_s).saturating_sub(SPARE_S);
    let refresh = text_of(kind, "refresh_token");
    if !token.is_empty() && (lasts_s == 0 || now < ends || refresh.is_empty()) {
        return Ok(token.to_owned());
    }
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", refresh),
        ("client_id", text_of(kind, "client_id")),
        ("client_secret", text_of(kind, "client_secret")),
    ];
    let body = form.map(|(name, value)| format!("{name}={}", encoded(value))).join("&");
    let url = text_of(kind, "token_url");
    transcript.add(Said::Us, format!("POST {url} (renews the access token)"));
    let headers = [("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
    let request = HostRequest {
        method: "POST",
        url,
        headers: &headers,
        body: Some(body.as_bytes()),
        proxy: "",
        auth: None,
        time: TIME,
        body_bytes_max: ANSWER_BYTES_MAX,
    };
    let answer = tokens.http.exchange(&request);
    let answer = answer.map_err(|it| failed(format!("cannot renew the access token: {it}")))?;
    transcript.add(Said::Them, format!("HTTP {}", answer.status));
    let body: Json = serde_json::from_slice(&answer.body).unwrap_or_default();
    let Some(token) = body.get("access_token").and_then(Json::as_str) else {
        let reason = body.get("error_description").or_else(|| body.get("error"));
        let reason = reason.and_then(Json::as_str).unwrap_or("no access token in the answer");
        let status = answer.status;
        return Err(failed(format!("cannot renew the access token: HTTP {status}, {reason}")));
    };
    let expires = body.get("expires_in").and_then(Json::as_i64).unwrap_or(0).max(0);
    let next = body.get("refresh_token").and_then(Json::as_str).unwrap_or(refresh);
    let fields = json!({
        "access_token": token, "refresh_token": next, "tokens_status": "3",
        "access_token_updated": now.to_string(), "access_expires_in": expires.to_string(),
    });
    if let Json::Object(fields) = fields {
        let saved = tokens
            .db
            .edit(Actor::System, |e| e.update(MEDIATYPE.kind(), message.media_type, fields));
        // It is good all the same; the next message renews it once more.
        if let Err(error) = saved {
            tracing::warn!(%error, "a renewed access token was not saved");
        }
    }
    Ok(token.to_owned())
}

/// As forms have it.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
