//! Encryption by the settings: of connections from servers, and of connections to them.

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rt::tls::{
    Acceptor, ConnectAs, Psk, Security as Secured, Stream, TlsConnector, TlsError, TlsSettings,
};
use thiserror::Error;
use tokio::net::TcpStream;

use crate::settings::Encryption;
use crate::tls_modes::TlsMode;

/// Why connections cannot be secured by the settings.
#[derive(Debug, Error)]
pub enum SecurityError {
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("cannot read encryption.psk_file {}: {source}", path.display())]
    ReadKey { path: PathBuf, source: io::Error },
    #[error("encryption.psk_file {}: {message}", path.display())]
    Key { path: PathBuf, message: String },
    #[error("encryption by psk needs encryption.psk_identity and encryption.psk_file")]
    NoKey,
    #[error("encryption by cert needs tls.ca_file, tls.cert_file and tls.key_file")]
    NoCertificate,
}

/// Keys and certificates for connections.
#[derive(Debug)]
pub(crate) struct Security {
    accept: Vec<TlsMode>,
    connect: Mutex<ConnectAs>,
    issuer: String,
    subject: String,
    /// `None`: nothing is encrypted.
    tls: Option<(Acceptor, TlsConnector)>,
    /// The settings to read the key from.
    encryption: Encryption,
    known: Arc<Mutex<Known>>,
}

/// The identity and the key that peers must have.
#[derive(Default)]
struct Known(Option<(String, Vec<u8>)>);

/// Without the key.
impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").finish_non_exhaustive()
    }
}

impl Security {
    /// # Errors
    /// [`SecurityError`]; no message has the key.
    pub(crate) fn new(
        encryption: &Encryption,
        certificates: &TlsSettings,
    ) -> Result<Self, SecurityError> {
        let Encryption { connect, accept, server_cert_issuer, server_cert_subject, .. } =
            encryption;
        let is_used = |way| *connect == way || accept.0.contains(&way);
        let psk = if is_used(TlsMode::Psk) { Some(Arc::new(psk_of(encryption)?)) } else { None };
        let has_certificate =
            [&certificates.ca_file, &certificates.cert_file, &certificates.key_file]
                .iter()
                .all(|it| !it.is_empty());
        if is_used(TlsMode::Cert) && !has_certificate {
            return Err(SecurityError::NoCertificate);
        }
        let known = match &psk {
            Some(it) => Some((it.identity.clone(), key_of(encryption)?)),
            None => None,
        };
        let known = Arc::new(Mutex::new(Known(known)));
        let tls = if is_used(TlsMode::Psk) || is_used(TlsMode::Cert) {
            let known = Arc::clone(&known);
            let key = move |identity: &str| {
                let known = known.lock().unwrap_or_else(PoisonError::into_inner);
                known.0.as_ref().filter(|it| it.0 == identity).map(|it| it.1.clone())
            };
            Some((Acceptor::new(certificates, Arc::new(key))?, TlsConnector::new(certificates)?))
        } else {
            None
        };
        let connect = match (connect, psk) {
            (TlsMode::Unencrypted, _) => ConnectAs::Unencrypted,
            (TlsMode::Psk, Some(psk)) => ConnectAs::Psk(psk),
            (TlsMode::Psk, None) => return Err(SecurityError::NoKey),
            (TlsMode::Cert, _) => ConnectAs::Certificate {
                issuer: server_cert_issuer.clone(),
                subject: server_cert_subject.clone(),
            },
        };
        Ok(Self {
            accept: accept.0.clone(),
            connect: Mutex::new(connect),
            issuer: server_cert_issuer.clone(),
            subject: server_cert_subject.clone(),
            tls,
            encryption: encryption.clone(),
            known,
        })
    }

    /// Whether it is read from files.
    pub(crate) fn has_files(&self) -> bool {
        self.tls.is_some()
    }

    /// Reads the files of certificates and of the key again; open connections stay as they are.
    ///
    /// # Errors
    /// [`SecurityError`]; an unreadable file leaves its part unchanged.
    pub(crate) fn reload(&self) -> Result<(), SecurityError> {
        let Some((acceptor, connector)) = &self.tls else { return Ok(()) };
        acceptor.reload()?;
        connector.reload()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0.is_none() {
            return Ok(());
        }
        let psk = psk_of(&self.encryption)?;
        *known = Known(Some((psk.identity.clone(), key_of(&self.encryption)?)));
        let mut connect = self.connect.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*connect, ConnectAs::Psk(_)) {
            *connect = ConnectAs::Psk(Arc::new(psk));
        }
        Ok(())
    }

    /// Accepts a connection from a peer. The caller limits the time.
    ///
    /// # Errors
    /// Why it is not as secure as required.
    pub(crate) async fn accept(&self, stream: TcpStream) -> Result<Stream, String> {
        let (stream, secured) = match &self.tls {
            Some((acceptor, _)) => {
                acceptor.accept(stream).await.map_err(|error| error.to_string())?
            }
            None => (Stream::Plain(stream), Secured::Unencrypted),
        };
        let way = match &secured {
            Secured::Unencrypted => TlsMode::Unencrypted,
            Secured::Psk { .. } => TlsMode::Psk,
            Secured::Certificate { issuer, subject } => {
                for (wanted, found, what) in
                    [(&self.issuer, issuer, "issuer"), (&self.subject, subject, "subject")]
                {
                    if !wanted.is_empty() && wanted != found {
                        return Err(format!("the certificate's {what} is \"{found}\""));
                    }
                }
                TlsMode::Cert
            }
        };
        if self.accept.contains(&way) {
            Ok(stream)
        } else {
            Err(format!("encryption.accept does not name {way}"))
        }
    }

    /// Secures a connection to a peer. The caller limits the time.
    ///
    /// # Errors
    /// Why that is not possible.
    pub(crate) async fn connect(&self, stream: TcpStream) -> io::Result<Stream> {
        match &self.tls {
            Some((_, connector)) => {
                let how = self.connect.lock().unwrap_or_else(PoisonError::into_inner).clone();
                connector.connect(stream, &how).await.map_err(io::Error::other)
            }
            None => Ok(Stream::Plain(stream)),
        }
    }
}

/// The file's text and its path.
fn read_key(encryption: &Encryption) -> Result<(String, PathBuf), SecurityError> {
    let path = encryption.psk_file.clone().ok_or(SecurityError::NoKey)?;
    let text = fs::read_to_string(&path)
        .map_err(|source| SecurityError::ReadKey { path: path.clone(), source })?;
    Ok((text.trim().to_owned(), path))
}

fn psk_of(encryption: &Encryption) -> Result<Psk, SecurityError> {
    let (text, path) = read_key(encryption)?;
    if encryption.psk_identity.is_empty() {
        return Err(SecurityError::NoKey);
    }
    Psk::from_hex(&encryption.psk_identity, &text)
        .map_err(|message| SecurityError::Key { path, message })
}

/// The bytes of a key that [`Psk::from_hex`] has accepted.
fn key_of(encryption: &Encryption) -> Result<Vec<u8>, SecurityError> {
    let (text, path) = read_key(encryption)?;
    let digits: Option<Vec<u8>> =
        text.chars().map(|it| it.to_digit(16).and_then(|it| u8::try_from(it).ok())).collect();
    let digits = digits.ok_or(SecurityError::Key { path, message: "no digits".to_owned() })?;
    Ok(digits.chunks_exact(2).map(|it| it[0] << 4 | it[1]).collect())
}
