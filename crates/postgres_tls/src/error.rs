//! Errors of a URL or an authority.

use std::path::PathBuf;

use openssl::error::ErrorStack;
use thiserror::Error;

/// Why nobody can connect like this. Never holds the URL, which may have a password.
#[derive(Debug, Error)]
pub enum Error {
    #[error("its URL cannot be read")]
    Url,
    #[error("sslmode is none of disable, prefer, require, verify-ca, verify-full")]
    Mode,
    #[error("sslmode=disable does not encrypt, and a certificate authority is named: say which")]
    DisabledWithAuthority,
    #[error("certificate authority {}: {source}", path.display())]
    ReadAuthority { path: PathBuf, source: std::io::Error },
    #[error("certificate authority: there is no certificate in it")]
    NoCertificate,
    #[error("certificate authority: {0}")]
    Authority(ErrorStack),
    #[error("TLS: {0}")]
    Tls(ErrorStack),
}
