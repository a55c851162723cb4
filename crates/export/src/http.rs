//! HTTP as targets see it.

use std::time::Duration;

/// Most bytes of an answer that are read: one of bulk requests tells of each row.
pub(crate) const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Most characters of an answer that are told.
const TOLD_CHARS: usize = 200;

/// A request with its whole body.
#[derive(Debug)]
pub struct HttpRequest<'a> {
    pub method: &'static str,
    pub url: &'a str,
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
    /// Empty: none.
    pub proxy: &'a str,
    pub tls_verify: TlsVerify,
    /// For the whole exchange.
    pub time: Duration,
    pub answer_bytes_max: usize,
}

/// What of a receiver's certificate is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TlsVerify {
    /// That an authority vouches for it.
    pub peer: bool,
    /// That it is of the receiver's name.
    pub host: bool,
}

impl From<bool> for TlsVerify {
    /// Both, or none.
    fn from(is_verified: bool) -> Self {
        Self { peer: is_verified, host: is_verified }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HttpAnswer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Makes exchanges, waiting for each; may be asked by several threads at once.
pub trait HttpClient: Send + Sync {
    /// # Errors
    /// There was no answer: why, in words for the operator.
    fn exchange(&self, request: &HttpRequest<'_>) -> Result<HttpAnswer, String>;
}

/// What an answer's code says about the same request later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Delivered,
    /// It may be taken later: the receiver is busy, broken, or does not know us yet.
    Later,
    /// It will never be taken.
    Refused,
    /// A smaller one may be.
    TooLarge,
}

impl HttpAnswer {
    pub(crate) fn outcome(&self) -> Outcome {
        match self.status {
            200..=299 => Outcome::Delivered,
            413 => Outcome::TooLarge,
            // What is wrong with the data stays wrong. All else (who may, where, too many, broken) is mended at
            // the receiver or in the configuration, and the data is good.
            400 | 406 | 409 | 411 | 414 | 415 | 422 | 431 => Outcome::Refused,
            _ => Outcome::Later,
        }
    }

    /// For messages: code, and what the receiver says.
    pub(crate) fn describe(&self) -> String {
        let text = String::from_utf8_lossy(
            self.body.get(..self.body.len().min(1_024)).unwrap_or_default(),
        );
        let text: String = text.trim().chars().take(TOLD_CHARS).collect();
        let shown: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
        if shown.is_empty() {
            format!("the receiver answered {}", self.status)
        } else {
            format!("the receiver answered {}: {shown}", self.status)
        }
    }
}

/// User and password for the header `Authorization`.
pub(crate) fn basic(user: &str, password: &str) -> String {
    use base64::Engine as _;
    let text = format!("{user}:{password}");
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(text))
}
