//! Kerberos by SPNEGO (RFC 4178), the side of who asks, through MIT's library of GSSAPI (RFC 2744).
//!
//! The library is loaded when it is needed first: a machine without it can do all else. Credentials are those of the
//! process: the ticket cache (`KRB5CCNAME`) or, if there is none, what the library gets with the client keytab
//! (`KRB5_CLIENT_KTNAME`), as `KRB5_CONFIG` says. Nothing is delegated to the server.
//!
//! Calls block: for a ticket the library asks the KDC, tries again and asks the next, for half a minute and more. Where they
//! are made, and when they are too late, is up to the caller.

#[expect(unsafe_code, reason = "GSSAPI is an interface of C")]
mod library;

use thiserror::Error;

pub use library::Initiator;

/// Why there is no token.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// Debian has it in the package libgssapi-krb5-2.
    #[error("libgssapi_krb5.so.2 is not installed")]
    NotInstalled,
    /// It is there, and not as it should be: the linker's words.
    #[error("libgssapi_krb5.so.2 cannot be loaded: {0}")]
    Unusable(String),
    #[error("libgssapi_krb5.so.2 lacks the function {0}")]
    Lacks(&'static str),
    /// The name of a server has a zero byte.
    #[error("\"{0}\" is no name of a server")]
    Name(String),
    /// In the library's words.
    #[error("{0}")]
    Refused(String),
}
