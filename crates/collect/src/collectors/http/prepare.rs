//! From an item's fields to the request.

use std::fmt::Write;

use lang::lld::EscapeTarget;
use model::content::ItemContent;
use wire::http::{Asked, BASIC, DIGEST, NEGOTIATE, NTLM};

use super::answer::{RetrieveMode, Wanted};
use crate::collectors::host_item::HostItem;
use crate::ports::HttpTls;

/// Codes of `post_type`.
const JSON: i64 = 2;
const XML: i64 = 3;

/// A request as it is sent, and the part of the answer that is the value.
#[derive(Debug)]
pub(crate) struct HttpCheck {
    pub(super) asked: Asked,
    /// URL of the proxy; empty: none.
    pub(super) proxy: String,
    pub(super) tls: HttpTls,
    pub(super) wanted: Wanted,
}

/// # Errors
/// The error of the item, for the user.
pub(super) fn check(item: &HostItem<'_>) -> Result<HttpCheck, String> {
    let content = item.content();
    let method = match content.request_method {
        0 => "GET",
        1 => "POST",
        2 => "PUT",
        3 => "HEAD",
        other => return Err(format!("Unknown request method {other}.")),
    };
    let (auth, user, password) = authentication(item)?;
    let asked = Asked {
        method: method.to_owned(),
        url: url(item)?,
        headers: headers(item),
        body: body(item),
        auth,
        user,
        password,
        stays: !content.follow_redirects,
    };
    let retrieve_mode = match content.retrieve_mode {
        0 => RetrieveMode::Body,
        1 => RetrieveMode::Headers,
        2 => RetrieveMode::Both,
        other => return Err(format!("Unknown retrieve mode {other}.")),
    };
    let status_codes = item.text(&content.status_codes, EscapeTarget::Text);
    let ranges = ranges(&status_codes)
        .ok_or_else(|| format!("Invalid list of status codes \"{status_codes}\"."))?;
    let wanted = Wanted {
        retrieve_mode,
        as_json: content.output_format == 1,
        status_codes: (status_codes, ranges),
    };
    let proxy = item.text(&content.http_proxy, EscapeTarget::Text).trim().to_owned();
    Ok(HttpCheck { asked, proxy, tls: tls(item), wanted })
}

pub(in crate::collectors) fn tls(item: &HostItem<'_>) -> HttpTls {
    let ItemContent { verify_peer, verify_host, .. } = *item.content();
    let text = |it: &str| item.text(it, EscapeTarget::Text);
    HttpTls {
        verify_peer,
        verify_host,
        cert_file: text(&item.content().ssl_cert_file),
        key_file: text(&item.content().ssl_key_file),
        key_password: text(&item.content().ssl_key_password),
    }
}

pub(in crate::collectors) fn authentication(
    item: &HostItem<'_>,
) -> Result<(i32, String, String), String> {
    let content = item.content();
    let auth = match content.authtype {
        0 => return Ok((0, String::new(), String::new())),
        1 => BASIC,
        2 => NTLM,
        3 => NEGOTIATE,
        4 => DIGEST,
        other => return Err(format!("Unknown kind of authentication {other}.")),
    };
    let text = |it: &str| item.text(it, EscapeTarget::Text);
    Ok((auth, text(&content.username), text(&content.password)))
}

/// The URL with the query fields after its own query.
fn url(item: &HostItem<'_>) -> Result<String, String> {
    let content = item.content();
    let written = item.text(&content.url, EscapeTarget::Text);
    let url = written.trim().split('#').next().unwrap_or_default();
    if url.is_empty() {
        return Err("The item has no URL.".to_owned());
    }
    let mut url = url.to_owned();
    for field in &content.query_fields {
        url.push(if url.contains('?') { '&' } else { '?' });
        encode(&item.text(&field.name, EscapeTarget::Text), &mut url);
        if !field.value.is_empty() {
            url.push('=');
            encode(&item.text(&field.value, EscapeTarget::Text), &mut url);
        }
    }
    Ok(url)
}

/// All but letters, digits and `-._~` becomes `%XX`.
fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("to memory");
        }
    }
}

/// `name: value`. A body of a chosen type gets the content type, if no header has another.
fn headers(item: &HostItem<'_>) -> Vec<String> {
    let content = item.content();
    let mut headers = Vec::with_capacity(content.headers.len() + 1);
    for header in &content.headers {
        let name = item.text(&header.name, EscapeTarget::Text);
        let value = item.text(&header.value, EscapeTarget::Text);
        // A line break would begin another header.
        let line = format!("{}: {}", name.trim(), value.trim()).replace(['\r', '\n'], " ");
        headers.push(line);
    }
    let kind = match content.post_type {
        JSON => Some("application/json"),
        XML => Some("application/xml"),
        // As curl sends data without a type.
        _ if content.request_method != 3 && !content.posts.is_empty() => {
            Some("application/x-www-form-urlencoded")
        }
        _ => None,
    };
    let has_content_type = headers
        .iter()
        .any(|it| it.split(':').next().is_some_and(|it| it.eq_ignore_ascii_case("content-type")));
    headers.extend(kind.filter(|_| !has_content_type).map(|it| format!("Content-Type: {it}")));
    headers
}

/// A request other than HEAD has the configured body, POST and PUT also an empty one.
fn body(item: &HostItem<'_>) -> Option<Vec<u8>> {
    let content = item.content();
    let has_body = match content.request_method {
        0 => !content.posts.is_empty(),
        1 | 2 => true,
        _ => false,
    };
    let target = match content.post_type {
        JSON => EscapeTarget::Json,
        XML => EscapeTarget::Xml,
        _ => EscapeTarget::Text,
    };
    has_body.then(|| item.text(&content.posts, target).into_bytes())
}

/// `200,300-399`; an empty text means any code.
pub(in crate::collectors) fn ranges(text: &str) -> Option<Vec<(u16, u16)>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let range = |it: &str| {
        let (from, to) = it.split_once('-').unwrap_or((it, it));
        let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        (from <= to).then_some((from, to))
    };
    text.split(',').map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_codes_are_numbers_and_ranges() {
        assert_eq!(ranges("200, 300 - 399,404"), Some(vec![(200, 200), (300, 399), (404, 404)]));
        assert_eq!(ranges(" "), Some(Vec::new()));
        for wrong in ["x", "200,", "300-200", "-1", "70000", "{$CODES}"] {
            assert_eq!(ranges(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn query_fields_are_encoded() {
        let mut out = String::new();
        encode("a b&c=d/ä~", &mut out);
        assert_eq!(out, "a%20b%26c%3Dd%2F%C3%A4~");
    }
}
