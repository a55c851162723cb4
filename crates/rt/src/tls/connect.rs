//! Connections that we open.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use openssl::error::ErrorStack;
use openssl::ex_data::Index;
use openssl::ssl::{
    HandshakeError, Ssl, SslContext, SslContextBuilder, SslMethod, SslRef, SslVersion,
};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::name::rfc4514;
use super::{ConnectAs, Psk, Reason, Stream, TlsError, TlsSettings};

/// Suites of TLS 1.2 whose only secret is the shared key; agents of Zabbix take them by default.
const WITHOUT_EXCHANGE: &str = "kPSK+AES128";

/// Why a connection is not encrypted as it should be.
#[derive(Debug, Error)]
pub enum ConnectError {
    #[error(
        "there is no certificate to connect with: tls.ca_file, tls.cert_file and tls.key_file are not set"
    )]
    NoCertificate,
    #[error("TLS handshake failed: {0}")]
    Handshake(Reason),
    #[error("cannot use the connection: {0}")]
    Stream(std::io::Error),
    #[error("TLS handshake failed: timed out")]
    Timeout,
    #[error("the peer showed no certificate")]
    NoPeerCertificate,
    #[error("certificate issuer does not match: it is \"{0}\"")]
    Issuer(String),
    #[error("certificate subject does not match: it is \"{0}\"")]
    Subject(String),
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ErrorStack),
}

/// A connection of a program that waits.
pub type BlockingStream = openssl::ssl::SslStream<std::net::TcpStream>;

/// Opens encrypted connections.
#[derive(Clone)]
pub struct TlsConnector {
    psk: SslContext,
    psk_index: Index<Ssl, Arc<Psk>>,
    settings: Arc<TlsSettings>,
    /// Of the files as they were read last; clones share it.
    certificate: Arc<Mutex<Option<SslContext>>>,
}

impl fmt::Debug for TlsConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").finish_non_exhaustive()
    }
}

impl TlsConnector {
    /// # Errors
    /// When a file of the settings cannot be used.
    pub fn new(settings: &TlsSettings) -> Result<Self, TlsError> {
        static KEY: OnceLock<Index<Ssl, Arc<Psk>>> = OnceLock::new();
        let psk_index = super::index(&KEY)?;
        let mut psk = SslContextBuilder::new(SslMethod::tls_client())?;
        if settings.psk_forward_secrecy {
            settings.harden(&mut psk, &settings.cipher_psk)?;
        } else {
            settings.harden(&mut psk, WITHOUT_EXCHANGE)?;
            psk.set_max_proto_version(Some(SslVersion::TLS1_2))?;
        }
        psk.set_psk_client_callback(move |ssl, _hint, identity, key| {
            let Some(psk) = ssl.ex_data(psk_index) else { return Ok(0) };
            let name = psk.identity.as_bytes();
            // The identity ends with a zero byte.
            if name.len() >= identity.len() || psk.key().len() > key.len() {
                return Ok(0);
            }
            identity[..name.len()].copy_from_slice(name);
            identity[name.len()] = 0;
            key[..psk.key().len()].copy_from_slice(psk.key());
            Ok(psk.key().len())
        });
        // A server that shows a certificate instead of knowing the key is nobody's.
        psk.set_verify(openssl::ssl::SslVerifyMode::PEER);
        let certificate = Arc::new(Mutex::new(by_certificate(settings)?));
        let settings = Arc::new(settings.clone());
        Ok(Self { psk: psk.build(), psk_index, settings, certificate })
    }

    /// Reads the files again, for this and all clones; connections that are open stay as they are.
    ///
    /// # Errors
    /// As [`TlsConnector::new`]; all stays as it was then.
    pub fn reload(&self) -> Result<(), TlsError> {
        let certificate = by_certificate(&self.settings)?;
        *self.certificate.lock().unwrap_or_else(PoisonError::into_inner) = certificate;
        Ok(())
    }

    /// Encrypts an open connection as asked for. Time is the caller's to limit.
    ///
    /// # Errors
    /// [`ConnectError`]; nothing of the request has left then.
    pub async fn connect(
        &self,
        stream: TcpStream,
        how: &ConnectAs,
    ) -> Result<Stream, ConnectError> {
        let Some(ssl) = self.ssl(how)? else { return Ok(Stream::Plain(stream)) };
        let mut stream = SslStream::new(ssl, stream)?;
        if let Err(error) = Pin::new(&mut stream).connect().await {
            return Err(ConnectError::Handshake(Reason::new(&error, stream.ssl())));
        }
        check(stream.ssl(), how)?;
        Ok(Stream::Tls(Box::new(stream)))
    }

    /// As [`TlsConnector::connect`], for a program that waits; `None` leaves the connection as it is.
    ///
    /// # Errors
    /// As there.
    pub fn connect_blocking(
        &self,
        stream: &std::net::TcpStream,
        how: &ConnectAs,
    ) -> Result<Option<BlockingStream>, ConnectError> {
        let Some(ssl) = self.ssl(how)? else { return Ok(None) };
        let stream = stream.try_clone().map_err(ConnectError::Stream)?;
        let stream = ssl.connect(stream).map_err(|error| match error {
            HandshakeError::SetupFailure(error) => ConnectError::OpenSsl(error),
            HandshakeError::Failure(it) => {
                ConnectError::Handshake(Reason::new(it.error(), it.ssl()))
            }
            // The time of the connection's reads or writes was over.
            HandshakeError::WouldBlock(_) => ConnectError::Timeout,
        })?;
        check(stream.ssl(), how)?;
        Ok(Some(stream))
    }

    fn ssl(&self, how: &ConnectAs) -> Result<Option<Ssl>, ConnectError> {
        Ok(match how {
            ConnectAs::Unencrypted => None,
            ConnectAs::Psk(psk) => {
                let mut ssl = Ssl::new(&self.psk)?;
                ssl.set_ex_data(self.psk_index, Arc::clone(psk));
                Some(ssl)
            }
            ConnectAs::Certificate { .. } => {
                let context = self.certificate.lock().unwrap_or_else(PoisonError::into_inner);
                Some(Ssl::new(context.as_ref().ok_or(ConnectError::NoCertificate)?)?)
            }
        })
    }
}

/// `None`: there are no certificates.
fn by_certificate(settings: &TlsSettings) -> Result<Option<SslContext>, TlsError> {
    if !settings.has_certificate()? {
        return Ok(None);
    }
    let mut context = SslContextBuilder::new(SslMethod::tls_client())?;
    settings.harden(&mut context, &settings.cipher_cert)?;
    settings.apply(&mut context)?;
    Ok(Some(context.build()))
}

/// Names of the peer's certificate.
fn check(ssl: &SslRef, how: &ConnectAs) -> Result<(), ConnectError> {
    let ConnectAs::Certificate { issuer, subject } = how else { return Ok(()) };
    let certificate = ssl.peer_certificate().ok_or(ConnectError::NoPeerCertificate)?;
    let of_issuer = rfc4514(certificate.issuer_name());
    if !issuer.is_empty() && *issuer != of_issuer {
        return Err(ConnectError::Issuer(of_issuer));
    }
    let of_subject = rfc4514(certificate.subject_name());
    if !subject.is_empty() && *subject != of_subject {
        return Err(ConnectError::Subject(of_subject));
    }
    Ok(())
}
