//! The part of an answer that is the item's value.

use formats::json;
use wire::http::Response;

/// Characters of a body that an error shows when the status code is not the required one.
const SHOWN_CHARS: usize = 1_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RetrieveMode {
    Body,
    Headers,
    Both,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Wanted {
    pub(super) retrieve_mode: RetrieveMode,
    /// As one JSON document.
    pub(super) as_json: bool,
    /// Accepted status codes, as written, and as ranges; empty: all of them.
    pub(super) status_codes: (String, Vec<(u16, u16)>),
}

impl Wanted {
    /// Whether headers are part of the value.
    pub(super) fn has_headers(&self) -> bool {
        self.retrieve_mode != RetrieveMode::Body
    }

    /// `headers` are those of all answers up to this one, with their status lines, if they are
    /// needed.
    ///
    /// # Errors
    /// Why this is no value.
    pub(super) fn value(&self, headers: &str, answer: Response) -> Result<String, String> {
        let status = answer.status;
        let is_json = answer
            .header("content-type")
            .is_some_and(|it| it.to_ascii_lowercase().contains("application/json"));
        let body = if self.retrieve_mode == RetrieveMode::Headers {
            String::new()
        } else {
            answer.into_text()
        };
        let value = match (self.retrieve_mode, self.as_json) {
            (RetrieveMode::Body, false) => body,
            (RetrieveMode::Headers, false) => headers.to_owned(),
            (RetrieveMode::Both, false) => format!("{headers}{body}"),
            (_, true) => self.document(headers, &body, is_json),
        };
        let (written, ranges) = &self.status_codes;
        if in_ranges(ranges, status) {
            return Ok(value);
        }
        let shown: String = value.chars().take(SHOWN_CHARS).collect();
        Err(format!(
            "Response code \"{status}\" did not match any of the required status codes \
             \"{written}\"\n{shown}"
        )
        .trim_end()
        .to_owned())
    }

    /// `{"header": {…}, "body": …}`; a JSON body is inserted as it is.
    fn document(&self, headers: &str, body: &str, is_json: bool) -> String {
        let mut members = Vec::new();
        if self.retrieve_mode != RetrieveMode::Body {
            let lines = headers.lines().filter(|it| !it.is_empty());
            let pairs = lines.map(|it| {
                let (name, value) = it.split_once(':').unwrap_or((it, ""));
                format!("{}:{}", json::quote(name), json::quote(value.trim_start()))
            });
            members.push(format!("\"header\":{{{}}}", pairs.collect::<Vec<_>>().join(",")));
        }
        if self.retrieve_mode != RetrieveMode::Headers && !body.is_empty() {
            let is_document = is_json && json::Doc::parse(body).is_ok();
            let body = if is_document { body.trim().to_owned() } else { json::quote(body) };
            members.push(format!("\"body\":{body}"));
        }
        format!("{{{}}}", members.join(","))
    }
}

/// Whether a status code is in the ranges; no ranges mean any code.
pub(in crate::collectors) fn in_ranges(ranges: &[(u16, u16)], status: u16) -> bool {
    ranges.is_empty() || ranges.iter().any(|(from, to)| (*from..=*to).contains(&status))
}

/// Status line and headers as received, with the empty line after them.
pub(in crate::collectors) fn write_headers(answer: &Response, out: &mut String) {
    out.push_str(&format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status)));
    for (name, value) in &answer.headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str("\r\n");
}

/// The text of status lines; the client keeps the number only.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(retrieve_mode: RetrieveMode, as_json: bool, codes: &[(u16, u16)]) -> Wanted {
        Wanted { retrieve_mode, as_json, status_codes: ("200".to_owned(), codes.to_vec()) }
    }

    fn answer(kind: &str, body: &str) -> Response {
        let headers = vec![("Content-Type".to_owned(), kind.to_owned())];
        Response { status: 200, headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn body_headers_or_both_raw_or_as_json() {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
        let lines = r#""header":{"HTTP/1.1 200 OK":"","Content-Type":"application/json"}"#;
        for (retrieve_mode, as_json, body, expected) in [
            (RetrieveMode::Body, false, " {} ", " {} ".to_owned()),
            (RetrieveMode::Headers, false, "{}", head.to_owned()),
            (RetrieveMode::Both, false, "{}", format!("{head}{{}}")),
            (RetrieveMode::Body, true, " {\"a\": 1} ", r#"{"body":{"a": 1}}"#.to_owned()),
            (RetrieveMode::Body, true, "{", r#"{"body":"{"}"#.to_owned()),
            (RetrieveMode::Headers, true, "{}", format!("{{{lines}}}")),
            (RetrieveMode::Both, true, "[1]", format!("{{{lines},\"body\":[1]}}")),
            (RetrieveMode::Both, true, "", format!("{{{lines}}}")),
        ] {
            let answer = answer("application/json", body);
            let mut headers = String::new();
            write_headers(&answer, &mut headers);
            let value = wanted(retrieve_mode, as_json, &[]).value(&headers, answer);
            assert_eq!(value, Ok(expected), "{retrieve_mode:?} {as_json} {body}");
        }
        let plain =
            wanted(RetrieveMode::Body, true, &[]).value("", answer("text/plain", "{\"a\":1}"));
        assert_eq!(plain.as_deref(), Ok(r#"{"body":"{\"a\":1}"}"#));
    }

    #[test]
    fn wrong_status_code_is_reported_with_the_body() {
        let shown = wanted(RetrieveMode::Body, false, &[(201, 204), (301, 301)])
            .value("", answer("text/plain", "no"))
            .expect_err("200 is not wanted");
        assert_eq!(
            shown,
            "Response code \"200\" did not match any of the required status codes \"200\"\nno"
        );
    }
}
