//! Connections that others open.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use openssl::error::ErrorStack;
use openssl::ex_data::Index;
use openssl::ssl::{Ssl, SslContext, SslContextBuilder, SslMethod};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::handshakes::Handshakes;
use super::name::rfc4514;
use super::{PSK_IDENTITY_MAX, Reason, Security, Stream, TlsError, TlsSettings};

/// First byte of a TLS handshake; no request of the plain protocol begins with it.
pub(super) const HANDSHAKE: u8 = 0x16;
/// Finds the key of an identity.
pub type PskOf = Arc<dyn Fn(&str) -> Option<Vec<u8>> + Send + Sync>;

/// Why a connection was not accepted.
#[derive(Debug, Error)]
pub enum AcceptError {
    #[error("the connection ended before its first byte: {0}")]
    Begin(io::Error),
    #[error("the handshake made no progress, and its place was needed")]
    Slow,
    #[error("the identity of the pre-shared key \"{0}\" is not known")]
    UnknownIdentity(String),
    #[error("TLS handshake failed: {0}")]
    Handshake(Reason),
    #[error("OpenSSL: {0}")]
    OpenSsl(#[from] ErrorStack),
    #[error("the peer showed no certificate")]
    NoCertificate,
}

/// Set by the callback for keys and read after the handshake: the identity that the peer presented
/// last, and whether it has a key.
#[derive(Clone, Default)]
struct Presented(Option<(String, bool)>);

/// Accepts plain and encrypted connections on one port.
#[derive(Clone)]
pub struct Acceptor {
    /// Of the files as they were read last; clones share it.
    context: Arc<Mutex<SslContext>>,
    presented: Index<Ssl, Presented>,
    settings: Arc<TlsSettings>,
    psk_of: PskOf,
    handshakes: Handshakes,
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
        static PRESENTED: OnceLock<Index<Ssl, Presented>> = OnceLock::new();
        let presented = super::index(&PRESENTED)?;
        let context = Arc::new(Mutex::new(context(settings, &psk_of, presented)?));
        Ok(Self {
            context,
            presented,
            settings: Arc::new(settings.clone()),
            psk_of,
            handshakes: Handshakes::default(),
        })
    }

    /// Reads the files again, for this and all clones; connections that are open stay as they are.
    ///
    /// # Errors
    /// As [`Acceptor::new`]; all stays as it was then.
    pub fn reload(&self) -> Result<(), TlsError> {
        let context = context(&self.settings, &self.psk_of, self.presented)?;
        *self.context.lock().unwrap_or_else(PoisonError::into_inner) = context;
        Ok(())
    }

    /// Waits for the first byte, and for the handshake if it begins one. Time is the caller's to limit.
    ///
    /// # Errors
    /// [`AcceptError`]; the peer has been presented as far as TLS does.
    pub async fn accept(&self, stream: TcpStream) -> Result<(Stream, Security), AcceptError> {
        let mut first = [0];
        let n = stream.peek(&mut first).await.map_err(AcceptError::Begin)?;
        if n == 0 || first[0] != HANDSHAKE {
            return Ok((Stream::Plain(stream), Security::Unencrypted));
        }
        let from = stream.peer_addr().map_err(AcceptError::Begin)?.ip();
        let turn = self.handshakes.begin(from).await;
        let mut ssl = Ssl::new(&self.context.lock().unwrap_or_else(PoisonError::into_inner))?;
        ssl.set_ex_data(self.presented, Presented::default());
        let mut stream = SslStream::new(ssl, stream)?;
        let shaken = turn.run(Pin::new(&mut stream).accept()).await;
        let shaken = shaken.ok_or(AcceptError::Slow)?;
        let presented = stream.ssl().ex_data(self.presented).and_then(|it| it.0.clone());
        match (shaken, presented) {
            (Err(_), Some((identity, false))) => Err(AcceptError::UnknownIdentity(identity)),
            (Err(error), _) => Err(AcceptError::Handshake(Reason::new(&error, stream.ssl()))),
            // A certificate decides where there is one: with TLS 1.3 a peer may offer both.
            (Ok(()), presented) => {
                let security = match (stream.ssl().peer_certificate(), presented) {
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

fn context(
    settings: &TlsSettings,
    psk_of: &PskOf,
    presented: Index<Ssl, Presented>,
) -> Result<SslContext, TlsError> {
    let psk_of = Arc::clone(psk_of);
    let mut context = SslContextBuilder::new(SslMethod::tls_server())?;
    let suites = match settings.has_certificate()? {
        true => {
            settings.apply(&mut context)?;
            format!("{}:{}", settings.cipher_psk, settings.cipher_cert)
        }
        false => settings.cipher_psk.clone(),
    };
    settings.harden(&mut context, &suites)?;
    // To OpenSSL a key that is shared is a session of TLS 1.3, and a server has to say whose.
    context.set_session_id_context(b"saker")?;
    context.set_psk_server_callback(move |ssl, identity, key| {
        let identity = identity.filter(|it| it.len() <= PSK_IDENTITY_MAX).unwrap_or_default();
        let Ok(identity) = std::str::from_utf8(identity) else { return Ok(0) };
        let found = psk_of(identity).filter(|it| it.len() <= key.len());
        if let Some(presented) = ssl.ex_data_mut(presented) {
            presented.0 = Some((identity.to_owned(), found.is_some()));
        }
        let found = found.unwrap_or_default();
        key[..found.len()].copy_from_slice(&found);
        Ok(found.len())
    });
    Ok(context.build())
}
