//! Masks values of secret macros: in the errors of items and in the transcripts of trials.
//!
//! They are matched by their text, in any spelling, since a device, a driver or a script may repeat
//! its input anywhere.

use std::fmt::{self, Write};

use lang::lld::EscapeTarget;
use lang::macros::SECRET;
use wire::http::codes;

/// Longest sequence of overlapping secrets that is masked as one.
const OVERLAP_BYTES_MAX: usize = 64 << 10;

/// Secrets as they are; their other spellings are computed when a text is masked.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct SecretTexts(Vec<String>);

impl fmt::Debug for SecretTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretTexts").finish_non_exhaustive()
    }
}

impl SecretTexts {
    pub(crate) fn add(&mut self, secret: &str) {
        if !secret.is_empty() && !self.0.iter().any(|it| it == secret) {
            self.0.push(secret.to_owned());
        }
    }

    pub(crate) fn add_all(&mut self, others: &Self) {
        others.0.iter().for_each(|it| self.add(it));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with asterisks in place of secrets.
    pub(crate) fn mask(&self, text: String) -> String {
        let written: Vec<String> = self.0.iter().flat_map(|it| written(it)).collect();
        let mut masked = String::new();
        let (mut rest, mut n_masked) = (text.as_str(), 0_usize);
        while let Some(c) = rest.chars().next() {
            let n_hidden = hidden_len(rest, &written);
            let n = if n_hidden == 0 {
                masked.push(c);
                c.len_utf8()
            } else {
                masked.push_str(SECRET);
                n_masked += 1;
                n_hidden
            };
            rest = rest.get(n..).unwrap_or_default();
        }
        if n_masked == 0 { text } else { masked }
    }
}

/// All spellings of a secret: in URLs, JSON, XML and Base64, and without the spaces around it that
/// headers drop.
pub(crate) fn written(secret: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for form in [secret, secret.trim()] {
        let forms = [
            form.to_owned(),
            EscapeTarget::Json.escape(form),
            EscapeTarget::Xml.escape(form),
            percent_encoded(form),
            codes::base64(form.as_bytes()),
        ];
        for it in forms {
            if !it.is_empty() && !all.contains(&it) {
                all.push(it);
            }
        }
    }
    all
}

/// Bytes at the beginning of a text that are parts of secrets, which are [`written`] in all
/// spellings.
pub(crate) fn hidden_len(text: &str, secrets: &[String]) -> usize {
    let longest = |text: &str| {
        let found = secrets.iter().filter(|it| text.starts_with(it.as_str()));
        found.map(String::len).max()
    };
    let Some(mut end) = longest(text) else { return 0 };
    // Another one may begin within it and end after it.
    let mut at = 1;
    while at < end.min(OVERLAP_BYTES_MAX) {
        if let Some(n) = text.get(at..).and_then(longest) {
            end = end.max(at + n);
        }
        at += 1;
    }
    end
}

fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("to memory");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_at_any_place() {
        let mut secrets = SecretTexts::default();
        assert!(secrets.is_empty());
        for it in ["hush \"now\"", "é", "", "é"] {
            secrets.add(it);
        }
        let mut all = SecretTexts::default();
        all.add("abc");
        all.add_all(&secrets);
        for (text, expected) in [
            ("no secret", "no secret"),
            ("sensor \"hush \"now\"\"", "sensor \"******\""),
            (r#"{"a":"hush \"now\""}"#, r#"{"a":"******"}"#),
            ("http://h/hush%20%22now%22?", "http://h/******?"),
            ("grüße élan abcabc", "grüße ******lan ************"),
            ("", ""),
        ] {
            assert_eq!(all.mask(text.to_owned()), expected);
        }
        assert!(!format!("{all:?}").contains("abc"));
    }
}
