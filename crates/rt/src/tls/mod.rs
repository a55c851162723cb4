//! Encryption of connections with agents, senders and proxies, as Zabbix has it: TLS 1.2 and 1.3, by a
//! pre-shared key or by certificates on both sides.
//!
//! HTTPS of the pages is separate: there only the server shows a certificate ([`PageTls`]).
//!
//! The port is the same as for plain connections: the first byte of a connection decides.
//! [`Security`] identifies the peer; whether that is enough for its request is decided elsewhere.

mod accept;
mod connect;
mod handshakes;
mod name;
mod pages;
mod settings;
mod stream;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use openssl::error::ErrorStack;
use openssl::ex_data::Index;
use openssl::ssl::{self, Ssl, SslRef};
use openssl::x509::X509VerifyResult;
use thiserror::Error;

pub use accept::{AcceptError, Acceptor, PskOf};
pub use connect::{BlockingStream, ConnectError, TlsConnector};
pub use pages::{PageStream, PageTls, self_signed};
pub use settings::TlsSettings;
pub use stream::Stream;

/// Longest identity of a pre-shared key, in bytes. Source: Zabbix's manual, "Using pre-shared keys".
pub const PSK_IDENTITY_MAX: usize = 128;
/// Shortest key, in bytes: 128 bits.
pub const PSK_MIN: usize = 16;
/// Longest key, in bytes: 2048 bits.
pub const PSK_MAX: usize = 256;

/// A pre-shared key with the name that both sides call it by. The name travels unencrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct Psk {
    pub identity: String,
    key: Vec<u8>,
}

impl Psk {
    /// `hex` has two digits a byte.
    ///
    /// # Errors
    /// A sentence about the defect; it does not contain the key.
    pub fn from_hex(identity: &str, hex: &str) -> Result<Self, String> {
        if identity.is_empty() || identity.len() > PSK_IDENTITY_MAX || identity.contains('\0') {
            return Err(format!(
                "an identity of a pre-shared key has 1 to {PSK_IDENTITY_MAX} bytes"
            ));
        }
        let key = key_of_hex(hex).ok_or_else(|| {
            format!(
                "a pre-shared key has {} to {} hexadecimal digits, an even number of them",
                2 * PSK_MIN,
                2 * PSK_MAX
            )
        })?;
        Ok(Self { identity: identity.to_owned(), key })
    }

    fn key(&self) -> &[u8] {
        &self.key
    }
}

/// Without the key.
impl fmt::Debug for Psk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Psk").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// The key of hexadecimal digits; `None` if they are not a key.
#[must_use]
pub fn key_of_hex(hex: &str) -> Option<Vec<u8>> {
    bytes_of(hex).filter(|it| (PSK_MIN..=PSK_MAX).contains(&it.len()))
}

fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digit = |it: u8| char::from(it).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

/// How a connection is secured, and the identity of the peer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Security {
    /// Not at all.
    Unencrypted,
    /// The peer knows the key of this identity.
    Psk { identity: String },
    /// The peer has a certificate of our authority.
    Certificate {
        /// Distinguished names as in RFC 4514.
        issuer: String,
        subject: String,
    },
}

impl Security {
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        *self != Self::Unencrypted
    }
}

/// How to connect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ConnectAs {
    Unencrypted,
    Psk(Arc<Psk>),
    /// By our certificate; the peer's is to be of our authority and, where they are not empty, to have these
    /// names.
    Certificate {
        issuer: String,
        subject: String,
    },
}

/// Why encryption cannot be set up as the settings say.
#[derive(Debug, Error)]
pub enum TlsError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{} ({setting}) is invalid: {source}", path.display())]
    File { path: PathBuf, setting: &'static str, source: ErrorStack },
    #[error("{setting} has no usable cipher suite: {source}")]
    Cipher { setting: &'static str, source: ErrorStack },
    #[error("tls.cert_file and tls.key_file belong together: set both, and tls.ca_file")]
    Incomplete,
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ErrorStack),
}

/// Why a handshake failed, in a few words.
#[derive(Debug)]
pub struct Reason(String);

impl Reason {
    fn new(error: &ssl::Error, ssl: &SslRef) -> Self {
        if let Some(error) = error.io_error() {
            return Self(error.to_string());
        }
        let errors = error.ssl_error().map(ErrorStack::errors).unwrap_or_default();
        let mut reasons: Vec<&str> = errors.iter().filter_map(|it| it.reason()).collect();
        let verified = ssl.verify_result();
        // OpenSSL also reports "ok" before a certificate was verified.
        if reasons.contains(&"certificate verify failed") && verified != X509VerifyResult::OK {
            reasons.push(verified.error_string());
        }
        if reasons.is_empty() {
            reasons.push("the peer closed the connection");
        }
        Self(reasons.join(": "))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A slot for own data of connections: OpenSSL assigns a number for that, permanently, so one is
/// taken for the process.
fn index<T: Send + Sync + 'static>(
    of: &'static OnceLock<Index<Ssl, T>>,
) -> Result<Index<Ssl, T>, ErrorStack> {
    if let Some(known) = of.get() {
        return Ok(*known);
    }
    let new = Ssl::new_ex_index()?;
    Ok(*of.get_or_init(|| new))
}

#[cfg(test)]
mod tests;
