//! HTTPS: a certificate of files, or one that was made here.

use std::fmt;
use std::fs;
use std::io::Write as _;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use openssl::asn1::Asn1Time;
use openssl::bn::{BigNum, MsbOption};
use openssl::ec::{Asn1Flag, EcGroup, EcKey};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{
    AlpnError, Ssl, SslAcceptor, SslContext, SslFiletype, SslMethod, select_next_proto,
};
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509NameBuilder};
use tokio::net::TcpStream;
use tokio_openssl::SslStream;

use super::accept::HANDSHAKE;
use super::handshakes::Handshakes;
use super::settings::read;
use super::{AcceptError, Reason, Stream, TlsError};

/// The protocols inside, the best first; each with its length before it.
const PROTOCOLS: &[u8] = b"\x02h2\x08http/1.1";
/// A self-signed certificate is valid for ten years: browsers trust its fingerprint.
const DAYS: u32 = 3_650;

/// A connection to the pages.
#[derive(Debug)]
pub enum PageStream {
    Encrypted {
        stream: Stream,
        /// HTTP/2 was agreed on; else it is HTTP/1.1.
        is_http2: bool,
    },
    /// It does not begin as TLS does.
    Plain(TcpStream),
}

/// Accepts connections to pages.
pub struct PageTls {
    cert_file: PathBuf,
    key_file: PathBuf,
    context: Mutex<SslContext>,
    handshakes: Handshakes,
}

impl fmt::Debug for PageTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageTls").field("cert_file", &self.cert_file).finish_non_exhaustive()
    }
}

impl PageTls {
    /// # Errors
    /// When a file is invalid.
    pub fn open(cert_file: &Path, key_file: &Path) -> Result<Self, TlsError> {
        let context = Mutex::new(context(cert_file, key_file)?);
        let handshakes = Handshakes::default();
        let (cert_file, key_file) = (cert_file.to_owned(), key_file.to_owned());
        Ok(Self { cert_file, key_file, context, handshakes })
    }

    /// Reads the files again; new connections have the new certificate.
    ///
    /// # Errors
    /// As [`PageTls::open`]; all stays as it was then.
    pub fn reload(&self) -> Result<(), TlsError> {
        let context = context(&self.cert_file, &self.key_file)?;
        *self.context.lock().unwrap_or_else(PoisonError::into_inner) = context;
        Ok(())
    }

    /// SHA-256 of the certificate, as browsers show it.
    ///
    /// # Errors
    /// As [`PageTls::open`].
    pub fn fingerprint(&self) -> Result<String, TlsError> {
        fingerprint(&self.cert_file)
    }

    /// Waits for the first byte, and for the handshake if it begins one. Time is the caller's to limit.
    ///
    /// # Errors
    /// When the connection is lost or is none of TLS although it begins so.
    pub async fn accept(&self, stream: TcpStream) -> Result<PageStream, AcceptError> {
        let mut first = [0];
        let n = stream.peek(&mut first).await.map_err(AcceptError::Begin)?;
        if n == 0 || first[0] != HANDSHAKE {
            return Ok(PageStream::Plain(stream));
        }
        let from = stream.peer_addr().map_err(AcceptError::Begin)?.ip();
        let turn = self.handshakes.begin(from).await;
        let ssl = Ssl::new(&self.context.lock().unwrap_or_else(PoisonError::into_inner))?;
        let mut stream = SslStream::new(ssl, stream)?;
        let shaken = turn.run(Pin::new(&mut stream).accept()).await;
        if let Err(error) = shaken.ok_or(AcceptError::Slow)? {
            return Err(AcceptError::Handshake(Reason::new(&error, stream.ssl())));
        }
        let is_http2 = stream.ssl().selected_alpn_protocol() == Some(b"h2");
        Ok(PageStream::Encrypted { stream: Stream::Tls(Box::new(stream)), is_http2 })
    }
}

fn context(cert_file: &Path, key_file: &Path) -> Result<SslContext, TlsError> {
    let file = |path: &Path, setting, source| TlsError::File { path: path.into(), setting, source };
    // So that a missing file is reported as such.
    read(cert_file)?;
    read(key_file)?;
    let mut context = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server())?;
    context
        .set_certificate_chain_file(cert_file)
        .map_err(|it| file(cert_file, "http.tls_cert_file", it))?;
    context
        .set_private_key_file(key_file, SslFiletype::PEM)
        .map_err(|it| file(key_file, "http.tls_key_file", it))?;
    context.check_private_key().map_err(|it| file(key_file, "http.tls_key_file", it))?;
    context.set_session_id_context(b"saker pages")?;
    context.set_alpn_select_callback(|_, offered| {
        select_next_proto(PROTOCOLS, offered).ok_or(AlpnError::NOACK)
    });
    Ok(context.build().into_context())
}

/// SHA-256 of the first certificate of a file.
fn fingerprint(path: &Path) -> Result<String, TlsError> {
    let invalid =
        |source| TlsError::File { path: path.into(), setting: "http.tls_cert_file", source };
    let certificate = X509::from_pem(&read(path)?).map_err(invalid)?;
    let digest = certificate.digest(MessageDigest::sha256())?;
    let pairs: Vec<String> = digest.iter().map(|it| format!("{it:02X}")).collect();
    Ok(pairs.join(":"))
}

/// Makes a certificate and its key for these names and addresses, unless there is one that counts still.
///
/// # Errors
/// When the files cannot be written.
pub fn self_signed(
    cert_file: &Path,
    key_file: &Path,
    names: &[String],
    addresses: &[IpAddr],
) -> Result<(), TlsError> {
    if is_good(cert_file) && context(cert_file, key_file).is_ok() {
        return Ok(());
    }
    let (certificate, key) = make(names, addresses)?;
    // The key first, for its owner only: a certificate without one would look whole.
    write(key_file, &key.private_key_to_pem_pkcs8()?, 0o600)?;
    write(cert_file, &certificate.to_pem()?, 0o644)
}

/// Whether a certificate counts tomorrow as well.
fn is_good(cert_file: &Path) -> bool {
    let Ok(Ok(certificate)) = fs::read(cert_file).map(|it| X509::from_pem(&it)) else {
        return false;
    };
    Asn1Time::days_from_now(1).is_ok_and(|it| it < *certificate.not_after())
}

fn make(names: &[String], addresses: &[IpAddr]) -> Result<(X509, PKey<Private>), ErrorStack> {
    let mut group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
    group.set_asn1_flag(Asn1Flag::NAMED_CURVE);
    let key = PKey::from_ec_key(EcKey::generate(&group)?)?;
    let mut subject = X509NameBuilder::new()?;
    subject.append_entry_by_text("O", "Saker")?;
    // A common name has at most 64 characters.
    let name = names.iter().map(String::as_str).find(|it| it.len() <= 64).unwrap_or("saker");
    subject.append_entry_by_text("CN", name)?;
    let subject = subject.build();
    let mut serial = BigNum::new()?;
    serial.rand(127, MsbOption::MAYBE_ZERO, false)?;
    let mut builder = X509::builder()?;
    builder.set_version(2)?;
    builder.set_serial_number(&*serial.to_asn1_integer()?)?;
    builder.set_subject_name(&subject)?;
    builder.set_issuer_name(&subject)?;
    builder.set_not_before(&*Asn1Time::days_from_now(0)?)?;
    builder.set_not_after(&*Asn1Time::days_from_now(DAYS)?)?;
    builder.set_pubkey(&key)?;
    let mut alternatives = SubjectAlternativeName::new();
    for name in names {
        alternatives.dns(name);
    }
    for address in addresses {
        alternatives.ip(&address.to_string());
    }
    let alternatives = alternatives.build(&builder.x509v3_context(None, None))?;
    builder.append_extension(alternatives)?;
    builder.append_extension(BasicConstraints::new().critical().build()?)?;
    builder.sign(&key, MessageDigest::sha256())?;
    Ok((builder.build(), key))
}

/// Replaces the file, as a whole or not at all.
fn write(path: &Path, content: &[u8], mode: u32) -> Result<(), TlsError> {
    let new = path.with_extension("new");
    let written = || {
        match fs::remove_file(&new) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&new)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    written().map_err(|source| TlsError::Write { path: path.to_owned(), source })
}
