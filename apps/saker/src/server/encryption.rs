//! Certificates and keys of the server's connections: with agents and senders, and of the pages.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use collect::Collectors;
use db::Db;
use rt::signal::ReloadSignal;
use rt::task::Tasks;
use rt::tls::{Acceptor, PageTls, TlsConnector, TlsError, TlsSettings, key_of_hex, self_signed};
use thiserror::Error;
use tracing::{info, warn};

use crate::settings::Settings;

/// Names in the data directory.
const CERT_FILE: &str = "http.pem";
const KEY_FILE: &str = "http.key";

#[derive(Debug, Error)]
pub(crate) enum EncryptionError {
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("http.tls_cert_file and http.tls_key_file belong together")]
    Half,
}

/// Keys and certificates of encrypted connections.
pub(super) struct Encryption {
    settings: TlsSettings,
    /// Opens connections to agents.
    pub(super) connector: TlsConnector,
    /// `None`: pages and API by HTTP.
    pub(super) pages: Option<Arc<PageTls>>,
    /// Accepts agents and senders, once there is one.
    acceptor: OnceLock<Acceptor>,
}

impl Encryption {
    /// Reads all files, so that a wrong one keeps the server from starting.
    ///
    /// # Errors
    /// When a file is invalid.
    pub(super) fn open(settings: &Settings, data_dir: &Path) -> Result<Self, EncryptionError> {
        Ok(Self {
            connector: TlsConnector::new(&settings.tls)?,
            pages: pages(settings, data_dir)?.map(Arc::new),
            settings: settings.tls.clone(),
            acceptor: OnceLock::new(),
        })
    }

    /// Accepts encrypted connections by certificates, and by the keys of hosts as they are then.
    ///
    /// # Errors
    /// When a file is invalid.
    pub(super) fn acceptor(&self, db: &Db) -> Result<Acceptor, EncryptionError> {
        let db = db.clone();
        let psk_of = move |identity: &str| db.snapshot().psk(identity).and_then(key_of_hex);
        let acceptor = Acceptor::new(&self.settings, Arc::new(psk_of))?;
        Ok(self.acceptor.get_or_init(|| acceptor).clone())
    }

    /// From now on SIGHUP has all files of certificates read again, and the MIB files of
    /// `with_mibs`. Without any of these it ends the process, as it does by default.
    ///
    /// # Errors
    /// When the operating system refuses the handler.
    pub(super) fn reload_on_hangup(
        &self,
        with_mibs: Option<Collectors>,
        tasks: &Tasks,
    ) -> io::Result<()> {
        if self.pages.is_none() && self.settings.ca_file.is_empty() && with_mibs.is_none() {
            return Ok(());
        }
        let files = Files {
            pages: self.pages.clone(),
            connector: self.connector.clone(),
            acceptor: self.acceptor.get().cloned(),
        };
        let mut signal = ReloadSignal::catch()?;
        let (shutdown, pool) = (tasks.shutdown().clone(), tasks.clone());
        tasks.spawn("reload", async move {
            loop {
                tokio::select! {
                    () = signal.next() => files.reload(),
                    () = shutdown.cancelled() => return,
                }
                if let Some(collectors) = with_mibs.clone() {
                    pool.offload("MIB files", move || collectors.reload_mibs()).await;
                }
            }
        });
        Ok(())
    }
}

/// The users of files that SIGHUP has read again.
struct Files {
    pages: Option<Arc<PageTls>>,
    connector: TlsConnector,
    acceptor: Option<Acceptor>,
}

impl Files {
    fn reload(&self) {
        if let Some(pages) = &self.pages {
            match pages.reload().and_then(|()| pages.fingerprint()) {
                Ok(sha256) => info!(sha256, "the certificate of the pages was reloaded"),
                Err(error) => warn!(%error, "the certificate of the pages stays as it was"),
            }
        }
        let acceptor = self.acceptor.as_ref().map_or(Ok(()), Acceptor::reload);
        match acceptor.and_then(|()| self.connector.reload()) {
            Ok(()) => info!("the certificates for agents, senders and proxies were reloaded"),
            Err(error) => {
                warn!(%error, "the certificates for agents, senders and proxies stay as they were");
            }
        }
    }
}

fn pages(settings: &Settings, data_dir: &Path) -> Result<Option<PageTls>, EncryptionError> {
    let http = &settings.http;
    match (&http.tls_cert_file, &http.tls_key_file) {
        (Some(cert), Some(key)) => return Ok(Some(PageTls::open(cert, key)?)),
        (None, None) => {}
        _ => return Err(EncryptionError::Half),
    }
    if http.tls.is_none() {
        return Ok(None);
    }
    let (cert, key) = (data_dir.join(CERT_FILE), data_dir.join(KEY_FILE));
    let mut names = vec!["localhost".to_owned()];
    names.extend(nix::unistd::gethostname().ok().and_then(|it| it.into_string().ok()));
    let mut addresses: Vec<IpAddr> = vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    let listens = http.listen.ip();
    if !listens.is_unspecified() && !addresses.contains(&listens) {
        addresses.push(listens);
    }
    self_signed(&cert, &key, &names, &addresses)?;
    let pages = PageTls::open(&cert, &key)?;
    info!(sha256 = pages.fingerprint()?, "pages by HTTPS with a certificate of the server's own");
    Ok(Some(pages))
}
