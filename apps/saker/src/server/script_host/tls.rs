//! TLS of connections where a certificate is checked but not whose it is, or the other way round. The library knows
//! both or none.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;

use openssl::error::ErrorStack;
use openssl::ssl::{HandshakeError, SslConnector, SslMethod, SslStream, SslVerifyMode};
use openssl::x509::X509VerifyResult;
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectProxyConnector, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout,
    TcpConnector, Transport, TransportAdapter,
};

/// What of a server's certificate is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::server) struct Verified {
    /// That an authority vouches for it, and its period.
    pub(in crate::server) peer: bool,
    /// That it is of the name that was asked for.
    pub(in crate::server) host: bool,
}

impl Verified {
    pub(in crate::server) const BOTH: Self = Self { peer: true, host: true };
    pub(in crate::server) const ALL: [Self; 4] = [
        Self { peer: false, host: false },
        Self { peer: true, host: false },
        Self { peer: false, host: true },
        Self::BOTH,
    ];

    /// In [`Self::ALL`].
    pub(in crate::server) fn position(self) -> usize {
        usize::from(self.peer) + 2 * usize::from(self.host)
    }
}

/// OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH.
const OF_ANOTHER: [i32; 2] = [62, 64];

/// Connections that check one of both.
pub(super) fn connector(verified: Verified) -> Box<dyn Connector<(), Out = Box<dyn Transport>>> {
    let chain = ().chain(ConnectProxyConnector::default()).chain(TcpConnector::default());
    Box::new(Boxed(chain.chain(HalfVerifying { verified, made: made(verified) })))
}

/// Made once: the system's certificates are read for it.
fn made(verified: Verified) -> Result<SslConnector, ErrorStack> {
    let mut builder = SslConnector::builder(SslMethod::tls_client())?;
    if !verified.peer {
        builder.set_verify_callback(SslVerifyMode::PEER, move |is_good, context| {
            is_good || !(verified.host && OF_ANOTHER.contains(&context.error().as_raw()))
        });
    }
    Ok(builder.build())
}

/// A chain of connectors whose connections are of one type.
#[derive(Debug)]
struct Boxed<C>(C);

impl<C: Connector<()>> Connector<()> for Boxed<C> {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, Error> {
        let connected = self.0.connect(details, chained)?;
        Ok(connected.map(|it| Box::new(it) as Box<dyn Transport>))
    }
}

struct HalfVerifying {
    verified: Verified,
    made: Result<SslConnector, ErrorStack>,
}

impl fmt::Debug for HalfVerifying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HalfVerifying").field("verified", &self.verified).finish_non_exhaustive()
    }
}

impl<In: Transport> Connector<In> for HalfVerifying {
    type Out = Either<In, Encrypted>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(transport) = chained else { return Ok(None) };
        if !details.needs_tls() || transport.is_tls() {
            return Ok(Some(Either::A(transport)));
        }
        let failed = |error: &ErrorStack| Error::from(io::Error::other(error.to_string()));
        let made = self.made.as_ref().map_err(failed)?;
        let configured = made.configure().map_err(|it| failed(&it))?;
        let configured = configured.verify_hostname(self.verified.host);
        let name = details.uri.host().unwrap_or_default();
        let name = name.trim_start_matches('[').trim_end_matches(']');
        let boxed: Box<dyn Transport> = Box::new(transport);
        let mut adapter = TransportAdapter::new(boxed, Arc::clone(&details.current_time));
        adapter.set_timeout(details.timeout);
        let stream = configured.connect(name, adapter).map_err(handshake_failed)?;
        let buffers = LazyBuffers::new(
            details.config.input_buffer_size(),
            details.config.output_buffer_size(),
        );
        Ok(Some(Either::B(Encrypted { buffers, stream })))
    }
}

/// Errors of the connection itself, such as a time that is over, stay what they are.
fn handshake_failed(error: HandshakeError<TransportAdapter>) -> Error {
    let source = match error {
        HandshakeError::SetupFailure(error) => io::Error::other(error.to_string()),
        HandshakeError::Failure(it) | HandshakeError::WouldBlock(it) => {
            let verified = it.ssl().verify_result();
            let text_of = |error: openssl::ssl::Error| {
                let why = verified.error_string();
                let of = if verified == X509VerifyResult::OK { "" } else { why };
                io::Error::other(format!("{error} {of}"))
            };
            it.into_error().into_io_error().unwrap_or_else(text_of)
        }
    };
    Error::from(source)
}

struct Encrypted {
    buffers: LazyBuffers,
    stream: SslStream<TransportAdapter>,
}

impl fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encrypted").finish_non_exhaustive()
    }
}

impl Transport for Encrypted {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.get_mut().set_timeout(timeout);
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.get_mut().set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.get_mut().get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}
