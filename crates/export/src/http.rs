//! HTTP as targets see it.

use std::time::Duration;

/// Most bytes of a response that are read: a response to a bulk request has an entry for each row.
pub(crate) const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Most characters of a response that are shown in errors.
const SHOWN_CHARS: usize = 200;

/// A request with its whole body.
#[derive(Debug)]
pub struct DeliveryRequest<'a> {
    pub method: &'static str,
    pub url: &'a str,
    pub headers: &'a [(String, String)],
    pub body: &'a [u8],
    /// Empty: none.
    pub proxy: &'a str,
    pub tls_verify: TlsVerify,
    /// The client certificate, for receivers that ask for one.
    pub certificate: Option<&'a ClientCertificate>,
    /// `None`: the headers are enough.
    pub login: Option<&'a ReceiverLogin>,
    /// For all exchanges that it takes.
    pub time: Duration,
    pub answer_bytes_max: usize,
}

/// Which parts of a receiver's certificate are verified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TlsVerify {
    /// That an authority vouches for it.
    pub peer: bool,
    /// That it is of the receiver's name.
    pub host: bool,
}

/// A client certificate and its key, by the names of their files.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct ClientCertificate {
    /// Empty: there is none.
    pub cert_file: String,
    pub key_file: String,
    pub key_password: String,
}

/// Without the password.
impl std::fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { cert_file, key_file, .. } = self;
        f.debug_struct("ClientCertificate")
            .field("cert_file", cert_file)
            .field("key_file", key_file)
            .finish_non_exhaustive()
    }
}

/// Authentication that takes more than a header.
#[derive(Clone, PartialEq, Eq)]
pub enum ReceiverLogin {
    Digest {
        user: String,
        password: String,
    },
    Ntlm {
        user: String,
        password: String,
    },
    /// With the credentials of the process.
    Kerberos,
}

/// Without the password.
impl std::fmt::Debug for ReceiverLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Digest { user, .. } => write!(f, "Digest({user})"),
            Self::Ntlm { user, .. } => write!(f, "Ntlm({user})"),
            Self::Kerberos => write!(f, "Kerberos"),
        }
    }
}

impl From<bool> for TlsVerify {
    /// Both, or none.
    fn from(is_verified: bool) -> Self {
        Self { peer: is_verified, host: is_verified }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeliveryResponse {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Makes exchanges, waiting for each; may be asked by several threads at once.
pub trait DeliveryClient: Send + Sync {
    /// # Errors
    /// There was no answer: why, in words for the operator.
    fn exchange(&self, request: &DeliveryRequest<'_>) -> Result<DeliveryResponse, String>;
}

/// Whether the same request may succeed later, by the code of a response.
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

impl DeliveryResponse {
    pub(crate) fn outcome(&self) -> Outcome {
        match self.status {
            200..=299 => Outcome::Delivered,
            413 => Outcome::TooLarge,
            // A defect of the data stays. All other errors (permissions, address, limits, defects
            // of the receiver) are resolved at the receiver or in the configuration, and the data
            // is good.
            400 | 406 | 409 | 411 | 414 | 415 | 422 | 431 => Outcome::Refused,
            _ => Outcome::Later,
        }
    }

    /// For messages: code, and the receiver's text.
    pub(crate) fn describe(&self) -> String {
        let text = String::from_utf8_lossy(
            self.body.get(..self.body.len().min(1_024)).unwrap_or_default(),
        );
        let text: String = text.trim().chars().take(SHOWN_CHARS).collect();
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
