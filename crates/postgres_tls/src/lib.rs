//! Connections to PostgreSQL, for the configuration and for history, by the words of libpq
//! (<https://www.postgresql.org/docs/15/libpq-ssl.html>): `sslmode` and `sslrootcert` of the URL.
//!
//! The driver knows `disable`, `prefer` and `require`. Checks of certificates by mode:
//!
//! | `sslmode` | encrypted | certificate | name of the server |
//! |---|---|---|---|
//! | `disable` | no | | |
//! | `prefer`, or none | if the server can | no | no |
//! | `require`, `verify-full` | yes, or there is no connection | yes | yes |
//! | `verify-ca` | yes, or there is no connection | yes | no |
//!
//! Where an authority is named, `prefer` is `verify-full`: otherwise an attacker in between would
//! only have to claim that he cannot encrypt. `require` checks, other than libpq's, which without
//! an authority takes anybody.

mod error;
mod url;

use std::fs;
use std::path::PathBuf;
use std::pin::Pin;

use openssl::ssl::{SslConnector, SslMethod, SslVerifyMode};
use openssl::x509::X509;
use openssl::x509::store::X509StoreBuilder;
use postgres::{Client, NoTls};
use postgres_openssl::MakeTlsConnector;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use self::url::Mode;

pub use self::error::Error;

/// The text of a driver's error with its causes, which the error omits: for a rejected certificate,
/// the reason.
#[must_use]
pub fn with_causes(error: &postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Carries the bytes of a connection: its client waits for nothing unless this is polled.
pub type Carrier = Pin<Box<dyn Future<Output = Result<(), postgres::Error>> + Send>>;

/// A server, who asks, and how.
#[derive(Clone)]
pub struct Connector {
    /// Timeouts and names may be added.
    pub config: Config,
    /// Unless nothing is encrypted.
    tls: Option<MakeTlsConnector>,
}

impl std::fmt::Debug for Connector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connector").field("is_tls", &self.tls.is_some()).finish_non_exhaustive()
    }
}

impl Connector {
    /// By a URL, or by `name=value` as the driver has them. `ca_pem` are the only authorities then, before those
    /// of `sslrootcert`; without either, those that the system trusts.
    ///
    /// # Errors
    /// [`Error`]; nobody has been spoken to.
    pub fn new(url: &str, ca_pem: Option<&str>) -> Result<Self, Error> {
        let url = url::parse(url)?;
        let mut config: Config = url.rest.parse().map_err(|_it| Error::Url)?;
        let read = |path: PathBuf| {
            fs::read_to_string(&path).map_err(|source| Error::ReadAuthority { path, source })
        };
        let ca_pem = match (ca_pem, url.authority) {
            (Some(it), _) => Some(it.to_owned()),
            (None, path) => path.map(read).transpose()?,
        };
        let driver = config.get_ssl_mode();
        let mode = url.mode.unwrap_or(match driver {
            SslMode::Disable => Mode::Disable,
            SslMode::Require => Mode::VerifyFull,
            // And what a later driver may know.
            _ => Mode::Prefer,
        });
        let is_local = |it: &Host| matches!(it, Host::Unix(_));
        if !config.get_hosts().is_empty() && config.get_hosts().iter().all(is_local) {
            // Nothing leaves the machine, and the server does not encrypt there.
            config.ssl_mode(SslMode::Disable);
            return Ok(Self { config, tls: None });
        }
        let mode = match (mode, &ca_pem) {
            (Mode::Disable, Some(_)) => return Err(Error::DisabledWithAuthority),
            (Mode::Prefer, Some(_)) => Mode::VerifyFull,
            (mode, _) => mode,
        };
        config.ssl_mode(match mode {
            Mode::Disable => SslMode::Disable,
            Mode::Prefer => SslMode::Prefer,
            Mode::VerifyCa | Mode::VerifyFull => SslMode::Require,
        });
        let tls = match mode {
            Mode::Disable => None,
            mode => Some(connector(mode, ca_pem.as_deref())?),
        };
        Ok(Self { config, tls })
    }

    /// # Errors
    /// The server does not answer, refuses, or is not the one that it has to be.
    pub fn connect(&self) -> Result<Client, postgres::Error> {
        let config = postgres::Config::from(self.config.clone());
        match &self.tls {
            Some(tls) => config.connect(tls.clone()),
            None => config.connect(NoTls),
        }
    }

    /// As [`Self::connect`], for callers that bound each wait themselves.
    ///
    /// # Errors
    /// As there.
    pub async fn open(&self) -> Result<(tokio_postgres::Client, Carrier), postgres::Error> {
        Ok(match &self.tls {
            Some(tls) => {
                let (client, carrier) = self.config.connect(tls.clone()).await?;
                (client, Box::pin(carrier))
            }
            None => {
                let (client, carrier) = self.config.connect(NoTls).await?;
                (client, Box::pin(carrier))
            }
        })
    }
}

fn connector(mode: Mode, ca_pem: Option<&str>) -> Result<MakeTlsConnector, Error> {
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(Error::Tls)?;
    if let Some(pem) = ca_pem {
        let certificates = X509::stack_from_pem(pem.as_bytes()).map_err(Error::Authority)?;
        if certificates.is_empty() {
            return Err(Error::NoCertificate);
        }
        // A store of its own: the system's authorities have no say then.
        let mut store = X509StoreBuilder::new().map_err(Error::Tls)?;
        for certificate in certificates {
            store.add_cert(certificate).map_err(Error::Authority)?;
        }
        builder.set_cert_store(store.build());
    }
    if mode == Mode::Prefer {
        builder.set_verify(SslVerifyMode::NONE);
    }
    let mut connector = MakeTlsConnector::new(builder.build());
    if mode != Mode::VerifyFull {
        connector.set_callback(|it, _host| {
            it.set_verify_hostname(false);
            Ok(())
        });
    }
    Ok(connector)
}
