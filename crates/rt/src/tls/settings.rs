//! Files of certificates.

use std::path::Path;

use openssl::ssl::{SslContextBuilder, SslFiletype, SslVerifyMode};
use openssl::x509::X509Crl;
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::X509VerifyFlags;
use openssl::x509::{X509, store::X509Store};

use super::TlsError;

crate::section! {
    /// Certificates for connections with agents, senders and proxies (parameters `TLS…File` of Zabbix's server).
    /// Keys that are shared beforehand need none of them: they stand at the hosts.
    pub struct TlsSettings in "tls" {
        /// Authorities that the certificates of agents, senders and proxies are to be of (PEM). Empty: no
        /// connection by certificate.
        pub ca_file: String = "\"\"",
        /// Certificates that these authorities have revoked (PEM). Empty: none.
        pub crl_file: String = "\"\"",
        /// The certificate that the server shows, with those between it and its authority (PEM).
        pub cert_file: String = "\"\"",
        /// Its private key (PEM).
        pub key_file: String = "\"\"",
    }
}

impl TlsSettings {
    /// Whether there are certificates.
    pub(super) fn has_certificate(&self) -> Result<bool, TlsError> {
        let given = [&self.ca_file, &self.cert_file, &self.key_file].map(|it| !it.is_empty());
        match given {
            [true, true, true] => Ok(true),
            [false, false, false] if self.crl_file.is_empty() => Ok(false),
            _ => Err(TlsError::Incomplete),
        }
    }

    /// Shows ours and asks for the peer's.
    pub(super) fn apply(&self, context: &mut SslContextBuilder) -> Result<(), TlsError> {
        let file = |path: &str, setting, source| TlsError::File { path: path.into(), setting, source };
        context
            .set_certificate_chain_file(&self.cert_file)
            .map_err(|it| file(&self.cert_file, "tls.cert_file", it))?;
        context
            .set_private_key_file(&self.key_file, SslFiletype::PEM)
            .map_err(|it| file(&self.key_file, "tls.key_file", it))?;
        context.check_private_key().map_err(|it| file(&self.key_file, "tls.key_file", it))?;
        context.set_cert_store(self.store()?);
        context.set_verify(SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT);
        Ok(())
    }

    fn store(&self) -> Result<X509Store, TlsError> {
        let mut store = X509StoreBuilder::new()?;
        let authorities = X509::stack_from_pem(&read(&self.ca_file)?).map_err(|source| {
            TlsError::File { path: self.ca_file.clone().into(), setting: "tls.ca_file", source }
        })?;
        for authority in authorities {
            store.add_cert(authority)?;
        }
        if !self.crl_file.is_empty() {
            let file = |source| TlsError::File {
                path: self.crl_file.clone().into(),
                setting: "tls.crl_file",
                source,
            };
            let crl = X509Crl::from_pem(&read(&self.crl_file)?).map_err(file)?;
            store.add_crl(crl)?;
            store.set_flags(X509VerifyFlags::CRL_CHECK | X509VerifyFlags::CRL_CHECK_ALL)?;
        }
        Ok(store.build())
    }
}

fn read(path: &str) -> Result<Vec<u8>, TlsError> {
    let path = Path::new(path);
    std::fs::read(path).map_err(|source| TlsError::Read { path: path.to_owned(), source })
}
