//! Connections that others open.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use openssl::error::ErrorStack;
use openssl::ex_data::Index;
use openssl::ssl::{
    Ssl, SslContext, SslContextBuilder, SslMethod, SslOptions, SslSessionCacheMode, SslVersion,
};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::name::rfc4514;
use super::{PSK_IDENTITY_MAX, Security, Stream, TlsError, TlsSettings};

/// First byte of a TLS handshake; no request of the plain protocol begins with it.
const HANDSHAKE: u8 = 0x16;
/// Suites of TLS 1.2 by a key that is shared, those with perfect forward secrecy first. Source: Zabbix's
/// manual, "Encryption", ciphersuites.
pub(super) const PSK_SUITES: &str = "kECDHEPSK+AES128:kPSK+AES128";
/// Suites of TLS 1.2 by certificate.
pub(super) const CERTIFICATE_SUITES: &str =
    "EECDH+aRSA+AES128:EECDH+aECDSA+AES128:RSA+aRSA+AES128";
/// Suites of TLS 1.3. A shared key without a hash of its own goes with SHA-256.
pub(super) const SUITES_13: &str = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";

/// Finds the key of an identity.
pub type PskOf = Arc<dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync>;

/// Why a connection was not accepted.
#[derive(Debug, Error)]
pub enum AcceptError {
    #[error("the connection ended before its first byte: {0}")]
    Begin(io::Error),
    #[error("the identity of the pre-shared key \"{0}\" is not known")]
    UnknownIdentity(String),
    #[error("TLS handshake failed: {0}")]
    Handshake(openssl::ssl::Error),
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ErrorStack),
    #[error("the peer showed no certificate")]
    NoCertificate,
}

/// What the callback for keys leaves behind, for whoever waits for the handshake.
#[derive(Default)]
struct Told(OnceLock<(String, bool)>);

/// Accepts plain and encrypted connections on one port.
#[derive(Clone)]
pub struct Acceptor {
    context: SslContext,
    told: Index<Ssl, Told>,
}

impl fmt::Debug for Acceptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acceptor").finish_non_exhaustive()
    }
}

impl Acceptor {
    /// # Errors
    /// When a file of the settings cannot be used.
    pub fn new(settings: &TlsSettings, psk_of: PskOf) -> Result<Self, TlsError> {
        let told = Ssl::new_ex_index()?;
        let mut context = SslContextBuilder::new(SslMethod::tls_server())?;
        let suites = match settings.has_certificate()? {
            true => {
                settings.apply(&mut context)?;
                format!("{PSK_SUITES}:{CERTIFICATE_SUITES}")
            }
            false => PSK_SUITES.to_owned(),
        };
        harden(&mut context, &suites)?;
        context.set_psk_server_callback(move |ssl, identity, key| {
            let identity = identity.filter(|it| it.len() <= PSK_IDENTITY_MAX).unwrap_or_default();
            let Ok(identity) = std::str::from_utf8(identity) else { return Ok(0) };
            let found = psk_of(identity).filter(|it| it.len() <= key.len());
            if let Some(told) = ssl.ex_data(told) {
                drop(told.0.set((identity.to_owned(), found.is_some())));
            }
            let found = found.unwrap_or_default();
            key[..found.len()].copy_from_slice(&found);
            Ok(found.len())
        });
        Ok(Self { context: context.build(), told })
    }

    /// Waits for the first byte, and for the handshake if it begins one. Time is the caller's to limit.
    ///
    /// # Errors
    /// [`AcceptError`]; the peer has been told as far as TLS does.
    pub async fn accept(&self, stream: TcpStream) -> Result<(Stream, Security), AcceptError> {
        let mut first = [0];
        let n = stream.peek(&mut first).await.map_err(AcceptError::Begin)?;
        if n == 0 || first[0] != HANDSHAKE {
            return Ok((Stream::Plain(stream), Security::Unencrypted));
        }
        let mut ssl = Ssl::new(&self.context)?;
        ssl.set_ex_data(self.told, Told::default());
        let mut stream = SslStream::new(ssl, stream)?;
        let shaken = Pin::new(&mut stream).accept().await;
        let told = stream.ssl().ex_data(self.told).and_then(|it| it.0.get()).cloned();
        match (shaken, told) {
            (Err(_), Some((identity, false))) => Err(AcceptError::UnknownIdentity(identity)),
            (Err(error), _) => Err(AcceptError::Handshake(error)),
            // A certificate decides where there is one: with TLS 1.3 a peer may offer both.
            (Ok(()), told) => {
                let security = match (stream.ssl().peer_certificate(), told) {
                    (Some(certificate), _) => Security::Certificate {
                        issuer: rfc4514(certificate.issuer_name()),
                        subject: rfc4514(certificate.subject_name()),
                    },
                    (None, Some((identity, true))) => Security::Psk { identity },
                    (None, _) => return Err(AcceptError::NoCertificate),
                };
                Ok((Stream::Tls(Box::new(stream)), security))
            }
        }
    }
}

/// What both sides want. Sessions are not kept: agents keep none either, and with each one the key of its
/// identity would have to be remembered and forgotten when it changes.
pub(super) fn harden(context: &mut SslContextBuilder, suites: &str) -> Result<(), ErrorStack> {
    context.set_min_proto_version(Some(SslVersion::TLS1_2))?;
    context.set_cipher_list(suites)?;
    context.set_ciphersuites(SUITES_13)?;
    context.set_session_cache_mode(SslSessionCacheMode::OFF);
    context.set_options(
        SslOptions::NO_TICKET
            | SslOptions::NO_COMPRESSION
            | SslOptions::NO_RENEGOTIATION
            | SslOptions::CIPHER_SERVER_PREFERENCE,
    );
    context.set_num_tickets(0)?;
    Ok(())
}
