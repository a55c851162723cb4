//! Errors of exchanges.

use std::io;

use hyper::http;
use rt::reading::NO_ROOM;
use thiserror::Error;

/// Why there is no answer, in curl's words where it has some.
#[derive(Debug, Error)]
pub enum Error {
    /// Method, URL or a header is invalid.
    #[error(transparent)]
    Invalid(#[from] http::Error),
    #[error("Protocol \"{0}\" not supported")]
    Protocol(String),
    #[error("Unsupported proxy syntax")]
    ProxySyntax,
    #[error("Unsupported kind of proxy \"{0}\"")]
    ProxyKind(String),
    #[error("The setting outgoing.denied forbids this address")]
    Denied,
    #[error("Could not resolve hostname")]
    Unresolved,
    #[error("Could not connect to server")]
    Connect(#[source] io::Error),
    #[error("Timeout was reached")]
    Late,
    /// The request had no turn: the server did not answer its admitted number of requests, or not
    /// soon enough.
    #[error("Timeout was reached while {0} requests to this server were under way")]
    NoTurn(usize),
    /// OpenSSL refuses the server's certificate, for this reason.
    #[error("SSL certificate problem: {0}")]
    Certificate(&'static str),
    /// The client certificate, which the item or scenario names.
    #[error("Problem with the local SSL certificate: {0}")]
    Identity(String),
    #[error("Problem with the SSL CA cert: {0}")]
    Authorities(String),
    /// The connection was closed between messages of NTLM.
    #[error("NTLM: the server closed the connection before authentication was complete")]
    NtlmClosed,
    /// No ticket, or no library that could get one.
    #[error("Kerberos: {0}")]
    Kerberos(#[from] gssapi::Error),
    #[error("Kerberos: timeout was reached while waiting for a ticket; check that the KDC answers")]
    KerberosLate,
    #[error("Kerberos: the server's answer is wrong: {0}")]
    KerberosServer(gssapi::Error),
    #[error("Kerberos: the server closed the connection before authentication was complete")]
    KerberosClosed,
    #[error("Kerberos: the server requests more than {0} tokens")]
    KerberosEndless(usize),
    #[error("SSL connect error: {0}")]
    Handshake(String),
    #[error("CONNECT tunnel failed, response {0}")]
    Tunnel(u16),
    #[error("the proxy's answer to CONNECT is not HTTP")]
    TunnelAnswer,
    /// The connection ended before any byte of an answer.
    #[error("io: Peer disconnected")]
    Empty,
    #[error("Transferred a partial file")]
    Partial,
    #[error("the answer is longer than {0} bytes")]
    TooLong(usize),
    /// Answers under way take all memory reserved for them.
    #[error("{NO_ROOM}")]
    NoRoom,
    #[error("the body is not valid {0}, which its header announces")]
    Encoding(&'static str),
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The answer is no HTTP.
    #[error("{0}")]
    Http(#[source] hyper::Error),
}

impl Error {
    /// The error of an open connection. `has_answer`: a part of the answer has arrived.
    pub(crate) fn of_connection(error: hyper::Error, has_answer: bool) -> Self {
        let is_end = error.is_incomplete_message()
            || error.is_canceled()
            || error.is_closed()
            || io_error(&error).is_some_and(|it| is_end(it.kind()));
        match (is_end, has_answer) {
            (true, false) => Self::Empty,
            (true, true) => Self::Partial,
            (false, _) => match io_error(&error) {
                Some(it) => Self::Io(io::Error::new(it.kind(), it.to_string())),
                None => Self::Http(error),
            },
        }
    }

    /// Whether no byte has arrived, and none will.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }
}

fn io_error(error: &hyper::Error) -> Option<&io::Error> {
    std::error::Error::source(error)?.downcast_ref()
}

fn is_end(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe)
}
