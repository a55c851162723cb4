//! The transcript of an item test: requests, answers, and notes.
//!
//! Only trials have a [`Transcript`]. Polling has none, and collectors make no text for it.
//!
//! It contains no secrets. The part that prepares or makes a request hides its secrets first
//! ([`Transcript::hide`]): values of secret macros, passwords. In all lines from then on they stand
//! as asterisks, also as URLs, JSON, XML and Base64 write them. Secrets known by their place are
//! left out there, and equal words elsewhere stay: headers with secrets by their names, logins of
//! connection strings, communities.
//!
//! Bounds: [`SHOWN_BYTES_MAX`] of each kind of lines; further bytes are counted.

use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lang::macros::SECRET;
use wire::http::Response;

use crate::secret_texts::{hidden_len, written};

/// Bytes that are kept of each kind of lines: as much as fits on a screen. More is counted and left
/// out.
pub const SHOWN_BYTES_MAX: usize = 4_096;
/// Headers with secrets.
const SECRET_HEADERS: &[&str] = &["authorization", "proxy-authorization", "cookie", "set-cookie"];
/// Parts of the names of other headers with secrets.
const SECRET_WORDS: &[&str] = &["token", "secret", "passw", "api-key", "apikey", "auth-key"];

/// The source of a transcript's line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineKind {
    /// The server sent it.
    Sent,
    /// The peer sent it.
    Received,
    /// A note of the server about the exchange.
    Note,
}

impl LineKind {
    fn index(self) -> usize {
        match self {
            Self::Sent => 0,
            Self::Received => 1,
            Self::Note => 2,
        }
    }
}

/// A line of a transcript.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    pub kind: LineKind,
    pub text: String,
    /// Bytes of this line, and of later lines of the same kind, that are not shown: the limit is reached.
    pub left_out: usize,
}

/// See the module. A clone is the same.
#[derive(Clone, Default)]
pub struct Transcript(Arc<Mutex<Record>>);

#[derive(Default)]
struct Record {
    secrets: Vec<String>,
    lines: Vec<Line>,
    /// Bytes that are kept, by kind of line.
    shown: [usize; 3],
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcript").finish_non_exhaustive()
    }
}

impl Transcript {
    /// Masks this text in all lines from now on.
    pub fn hide(&self, secret: &str) {
        let mut record = self.lock();
        for it in written(secret) {
            if !record.secrets.contains(&it) {
                record.secrets.push(it);
            }
        }
    }

    /// Adds a line: `head`, followed by `body`, which need not be a text.
    pub fn push(&self, kind: LineKind, head: &str, body: &[u8]) {
        let mut record = self.lock();
        let record = &mut *record;
        let shown = &mut record.shown[kind.index()];
        let room = SHOWN_BYTES_MAX.saturating_sub(*shown);
        let n_bytes = head.len().saturating_add(body.len());
        if room == 0 {
            if let Some(last) = record.lines.iter_mut().rev().find(|it| it.kind == kind) {
                last.left_out = last.left_out.saturating_add(n_bytes);
            }
            return;
        }
        let mut text = String::new();
        let mut n_taken = show(head.as_bytes(), &record.secrets, room, &mut text);
        if n_taken == head.len() {
            n_taken += show(body, &record.secrets, room, &mut text);
        }
        // An empty line takes room as well, which bounds their number.
        *shown = shown.saturating_add(text.len().max(1));
        record.lines.push(Line { kind, text, left_out: n_bytes.saturating_sub(n_taken) });
    }

    /// Records an HTTP request.
    pub fn ask_http(
        &self,
        (method, url): (&str, &str),
        headers: &[(String, String)],
        body: Option<&[u8]>,
    ) {
        let mut head = format!("{method} {}", without_user(url));
        let body = body.unwrap_or_default();
        write_headers(&mut head, headers, body);
        self.push(LineKind::Sent, &head, body);
    }

    /// The answer to it.
    pub fn answer_http(&self, answer: Result<&Response, &str>) {
        match answer {
            Ok(answer) => {
                let mut head = format!("HTTP {}", answer.status);
                write_headers(&mut head, &answer.headers, &answer.body);
                self.push(LineKind::Received, &head, &answer.body);
            }
            Err(error) => self.push(LineKind::Note, &format!("no answer: {error}"), b""),
        }
    }

    /// All lines, in their order.
    #[must_use]
    pub fn take(&self) -> Vec<Line> {
        std::mem::take(&mut self.lock().lines)
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends text without the secrets until `out` is `room` bytes long, or a mask longer; returns how
/// many bytes of the input were used.
fn show(bytes: &[u8], secrets: &[String], room: usize, out: &mut String) -> usize {
    let mut n_taken = 0;
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(c) = rest.chars().next() {
            if room <= out.len() {
                return n_taken;
            }
            let n_hidden = hidden_len(rest, secrets);
            let n = if n_hidden == 0 { c.len_utf8() } else { n_hidden };
            match c {
                _ if n_hidden != 0 => out.push_str(SECRET),
                '\n' | '\r' | '\t' => out.push(c),
                c if c.is_control() => {
                    write!(out, "\\x{:02x}", u32::from(c)).expect("to memory");
                }
                c => out.push(c),
            }
            n_taken += n;
            rest = rest.get(n..).unwrap_or_default();
        }
        if !chunk.invalid().is_empty() {
            if room <= out.len() {
                return n_taken;
            }
            out.push(char::REPLACEMENT_CHARACTER);
            n_taken += chunk.invalid().len();
        }
    }
    n_taken
}

/// The URL without the user and the password before its host.
fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest.get(..end).and_then(|it| it.rfind('@')) {
        Some(at) => format!("{scheme}://{SECRET}{}", rest.get(at..).unwrap_or_default()),
        None => url.to_owned(),
    }
}

fn write_headers(head: &mut String, headers: &[(String, String)], body: &[u8]) {
    for (name, value) in headers {
        let shown = if is_secret(name) { SECRET } else { value };
        write!(head, "\n{name}: {shown}").expect("to memory");
    }
    if !body.is_empty() {
        head.push_str("\n\n");
    }
}

fn is_secret(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    SECRET_HEADERS.contains(&name.as_str()) || SECRET_WORDS.iter().any(|it| name.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(transcript: &Transcript) -> Vec<(LineKind, String, usize)> {
        transcript.take().into_iter().map(|it| (it.kind, it.text, it.left_out)).collect()
    }

    #[test]
    fn secrets_are_hidden_however_they_are_written() {
        let transcript = Transcript::default();
        transcript.hide("s\"e <1> ");
        transcript.hide("abc");
        transcript.hide("cde");
        transcript.hide("");
        for (text, expected) in [
            ("a s\"e <1> b", "a ******b"),
            ("X: s\"e <1>", "X: ******"),
            (r#"{"p":"s\"e <1> "}"#, r#"{"p":"******"}"#),
            ("<p>s&quot;e &lt;1&gt;</p>", "<p>******</p>"),
            ("/?p=s%22e%20%3C1%3E%20&q", "/?p=******&q"),
            ("Basic cyJlIDwxPiA=", "Basic ******"),
            // Two that overlap, one after the other, and a part of one.
            ("abcde", "******"),
            ("abccde ab", "************ ab"),
        ] {
            transcript.push(LineKind::Sent, text, b"");
            assert_eq!(said(&transcript), [(LineKind::Sent, expected.to_owned(), 0)], "{text}");
        }
    }

    #[test]
    fn each_side_has_so_much_room_and_the_rest_is_counted() {
        let transcript = Transcript::default();
        transcript.hide("secret");
        let long = format!("{}secret{}", "é".repeat(2_047), "x".repeat(1 << 20));
        transcript.push(LineKind::Received, "", long.as_bytes());
        transcript.push(LineKind::Sent, "asked", b"");
        transcript.push(LineKind::Received, "again", b"12345");
        // The secret begins before the end: nothing of it is shown.
        let text = format!("{}******", "é".repeat(2_047));
        let left_out = (1 << 20) + 10;
        let expected =
            [(LineKind::Received, text, left_out), (LineKind::Sent, "asked".to_owned(), 0)];
        assert_eq!(said(&transcript), expected);
        // An empty line takes room as well.
        for _ in 0..10_000 {
            transcript.push(LineKind::Note, "", b"");
        }
        assert_eq!(transcript.take().len(), SHOWN_BYTES_MAX);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_such() {
        let transcript = Transcript::default();
        transcript.push(LineKind::Received, "head\n", b"a\0b\xff\xfec\r\n\xc3");
        let text = "head\na\\x00b\u{fffd}\u{fffd}c\r\n\u{fffd}".to_owned();
        assert_eq!(said(&transcript), [(LineKind::Received, text, 0)]);
    }

    #[test]
    fn http_is_recorded_without_credentials() {
        let transcript = Transcript::default();
        let headers = [
            ("Authorization", "Basic x"),
            ("X-Auth-Token", "t"),
            ("PRIVATE-TOKEN", "t"),
            ("Accept", "*/*"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        transcript.ask_http(("POST", "http://u:p@h/a@b"), &headers, Some(b"{}"));
        let answer = Response {
            status: 401,
            headers: vec![
                ("Set-Cookie".to_owned(), "id=1".to_owned()),
                ("WWW-Authenticate".to_owned(), "Basic realm=\"a\"".to_owned()),
            ],
            body: Vec::new(),
        };
        transcript.answer_http(Ok(&answer));
        transcript.answer_http(Err("timed out"));
        let asked = "POST http://******@h/a@b\nAuthorization: ******\nX-Auth-Token: ******\n\
                     PRIVATE-TOKEN: ******\nAccept: */*\n\n{}";
        let answered = "HTTP 401\nSet-Cookie: ******\nWWW-Authenticate: Basic realm=\"a\"";
        let expected = [
            (LineKind::Sent, asked.to_owned(), 0),
            (LineKind::Received, answered.to_owned(), 0),
            (LineKind::Note, "no answer: timed out".to_owned(), 0),
        ];
        assert_eq!(said(&transcript), expected);
    }

    proptest::proptest! {
        #[test]
        fn secrets_are_hidden_in_any_context(
            before in "[ab\u{e9}]{0,20}",
            after in "[ab\u{e9}]{0,20}",
            n in 0_usize..5_000,
        ) {
            let transcript = Transcript::default();
            transcript.hide("S3cret-S3");
            let text = format!("{}{before}S3cret-S3cret-S3{after}", "x".repeat(n));
            transcript.push(LineKind::Received, "", text.as_bytes());
            let lines = transcript.take();
            proptest::prop_assert!(lines.iter().all(|it| !it.text.contains('S')), "{lines:?}");
        }
    }
}
