//! TLS to servers and proxies.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use openssl::error::ErrorStack;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{Ssl, SslConnector, SslMethod, SslVerifyMode};
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::{X509, X509VerifyResult};
use tokio::task::spawn_blocking;
use tokio_openssl::SslStream;

use super::error::Error;
use super::request::{Identity, Verify};
use super::stream::Stream;

/// OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH.
const OF_ANOTHER: [i32; 2] = [62, 64];
/// Longest file of a certificate or key. A longer one is an error.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// A connector for each combination of [`Verify`], made at its first use: the system's certificates
/// are read for it, some 25 ms of work.
#[derive(Default)]
pub(crate) struct Connectors {
    made: [OnceLock<Result<SslConnector, Unmade>>; 4],
    /// A file or folder instead of the system's.
    authorities: Option<PathBuf>,
}

/// Why there is no connector.
enum Unmade {
    Library(String),
    Authorities(String),
}

impl Connectors {
    pub(crate) fn trusting(authorities: Option<PathBuf>) -> Self {
        Self { authorities, ..Self::default() }
    }

    /// Makes the TLS handshake on a stream and checks the peer against this name.
    pub(crate) async fn connect(
        &self,
        stream: Stream,
        name: &str,
        (verify, identity): (Verify, Option<&Arc<Identity>>),
    ) -> Result<Stream, Error> {
        let failed = |error: &ErrorStack| Error::Handshake(error.to_string());
        let at = usize::from(verify.peer) + 2 * usize::from(verify.host);
        let authorities = self.authorities.as_deref();
        let made = self.made[at].get_or_init(|| connector(verify, authorities));
        let made = made.as_ref().map_err(|unmade| match unmade {
            Unmade::Library(it) => Error::Handshake(it.clone()),
            Unmade::Authorities(it) => Error::Authorities(it.clone()),
        })?;
        let configured = made.configure().map_err(|it| failed(&it))?;
        let mut ssl =
            configured.verify_hostname(verify.host).into_ssl(name).map_err(|it| failed(&it))?;
        if let Some(identity) = identity {
            let identity = Arc::clone(identity);
            // Reading files and deriving a key from the password take time.
            let read = spawn_blocking(move || Own::read(&identity)).await;
            let own = read.unwrap_or_else(|failed| Err(failed.to_string()));
            own.and_then(|it| it.show(&mut ssl)).map_err(Error::Identity)?;
        }
        let mut stream = SslStream::new(ssl, stream).map_err(|it| failed(&it))?;
        let shaken = std::pin::Pin::new(&mut stream).connect().await;
        match shaken {
            Ok(()) => Ok(Stream::Tls(Box::new(stream))),
            Err(error) => Err(handshake(stream.ssl().verify_result(), error)),
        }
    }
}

/// The client certificate for servers that ask for it.
struct Own {
    certificate: X509,
    /// The certificates that lead to its authority.
    chain: Vec<X509>,
    key: PKey<Private>,
}

impl Own {
    /// # Errors
    /// The files are wrong: the reason, without their content.
    fn read(identity: &Identity) -> Result<Self, String> {
        let Identity { certificate, key, password } = identity;
        let mut certificates = read_certificates(certificate)?.into_iter();
        let none = || format!("there is no certificate in {}", file_name(certificate));
        let first = certificates.next().ok_or_else(none)?;
        let pem = read_file(key)?;
        // Always with a password, even an empty one: OpenSSL would ask for it at the terminal.
        let key =
            PKey::private_key_from_pem_passphrase(&pem, password.as_bytes()).map_err(|_wrong| {
                format!("there is no key in {}, or it has another password", file_name(key))
            })?;
        Ok(Self { certificate: first, chain: certificates.collect(), key })
    }

    fn show(self, ssl: &mut Ssl) -> Result<(), String> {
        let why = |_wrong: ErrorStack| "the key does not belong to the certificate".to_owned();
        ssl.set_certificate(&self.certificate).map_err(|it| it.to_string())?;
        ssl.set_private_key(&self.key).map_err(why)?;
        for certificate in self.chain {
            ssl.add_chain_cert(certificate).map_err(|it| it.to_string())?;
        }
        Ok(())
    }
}

/// The name as users give it; only the operator may know the folder.
fn file_name(path: &Path) -> String {
    path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |it: io::Error| format!("{} cannot be read: {}", file_name(path), it.kind());
    let meta = fs::metadata(path).map_err(cannot)?;
    if !meta.is_file() || FILE_BYTES_MAX < meta.len() {
        return Err(format!("{} is no file of a certificate or key", file_name(path)));
    }
    fs::read(path).map_err(cannot)
}

fn read_certificates(path: &Path) -> Result<Vec<X509>, String> {
    let pem = read_file(path)?;
    X509::stack_from_pem(&pem).map_err(|_wrong| format!("{} is no certificate", file_name(path)))
}

fn connector(verify: Verify, authorities: Option<&Path>) -> Result<SslConnector, Unmade> {
    let of_library = |it: ErrorStack| Unmade::Library(it.to_string());
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(of_library)?;
    if let Some(path) = authorities.filter(|_| verify.peer || verify.host) {
        let mut store = X509StoreBuilder::new().map_err(of_library)?;
        for certificate in read_authorities(path).map_err(Unmade::Authorities)? {
            store.add_cert(certificate).map_err(of_library)?;
        }
        builder.set_cert_store(store.build());
    }
    match (verify.peer, verify.host) {
        (true, _) => {}
        (false, true) => builder.set_verify_callback(SslVerifyMode::PEER, |is_good, context| {
            is_good || !OF_ANOTHER.contains(&context.error().as_raw())
        }),
        (false, false) => builder.set_verify(SslVerifyMode::NONE),
    }
    Ok(builder.build())
}

/// From a file, or from all files of a folder, whatever their names: files that are no certificates
/// are left out.
fn read_authorities(path: &Path) -> Result<Vec<X509>, String> {
    let cannot = |it: io::Error| format!("{} cannot be read: {}", path.display(), it.kind());
    if !fs::metadata(path).map_err(cannot)?.is_dir() {
        return read_certificates(path);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(cannot)? {
        found.extend(read_certificates(&entry.map_err(cannot)?.path()).unwrap_or_default());
    }
    if found.is_empty() {
        return Err(format!("there is no certificate in {}", path.display()));
    }
    Ok(found)
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
