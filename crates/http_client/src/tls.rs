//! TLS to servers and proxies.

use std::sync::OnceLock;

use openssl::error::ErrorStack;
use openssl::ssl::{SslConnector, SslMethod, SslVerifyMode};
use openssl::x509::X509VerifyResult;
use tokio_openssl::SslStream;

use super::error::Error;
use super::request::Verify;
use super::stream::Stream;

/// OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH.
const OF_ANOTHER: [i32; 2] = [62, 64];

/// One for each combination of [`Verify`], made when it is needed first: the system's certificates are read
/// for it, some 25 ms of work.
#[derive(Default)]
pub(crate) struct Connectors([OnceLock<Result<SslConnector, ErrorStack>>; 4]);

impl Connectors {
    /// Shakes hands with whoever is at the other end of a stream, and takes it for this name.
    pub(crate) async fn connect(
        &self,
        stream: Stream,
        name: &str,
        verify: Verify,
    ) -> Result<Stream, Error> {
        let failed = |error: &ErrorStack| Error::Handshake(error.to_string());
        let at = usize::from(verify.peer) + 2 * usize::from(verify.host);
        let made = self.0[at].get_or_init(|| connector(verify)).as_ref().map_err(failed)?;
        let configured = made.configure().map_err(|it| failed(&it))?;
        let ssl =
            configured.verify_hostname(verify.host).into_ssl(name).map_err(|it| failed(&it))?;
        let mut stream = SslStream::new(ssl, stream).map_err(|it| failed(&it))?;
        let shaken = std::pin::Pin::new(&mut stream).connect().await;
        match shaken {
            Ok(()) => Ok(Stream::Tls(Box::new(stream))),
            Err(error) => Err(handshake(stream.ssl().verify_result(), error)),
        }
    }
}

fn connector(verify: Verify) -> Result<SslConnector, ErrorStack> {
    let mut builder = SslConnector::builder(SslMethod::tls_client())?;
    match (verify.peer, verify.host) {
        (true, _) => {}
        (false, true) => builder.set_verify_callback(SslVerifyMode::PEER, |is_good, context| {
            is_good || !OF_ANOTHER.contains(&context.error().as_raw())
        }),
        (false, false) => builder.set_verify(SslVerifyMode::NONE),
    }
    Ok(builder.build())
}

fn handshake(verified: X509VerifyResult, error: openssl::ssl::Error) -> Error {
    if verified != X509VerifyResult::OK && error.ssl_error().is_some() {
        return Error::Certificate(verified.error_string());
    }
    match error.into_io_error() {
        Ok(it) => Error::Handshake(it.to_string()),
        Err(it) => Error::Handshake(it.to_string()),
    }
}
