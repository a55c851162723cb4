//! Files of certificates.

use std::path::Path;

use openssl::error::ErrorStack;
use openssl::ssl::{
    SslContextBuilder, SslFiletype, SslMode, SslOptions, SslSessionCacheMode, SslVerifyMode,
    SslVersion,
};
use openssl::x509::X509;
use openssl::x509::store::{X509Lookup, X509Store, X509StoreBuilder};
use openssl::x509::verify::X509VerifyFlags;

use super::TlsError;

crate::section! {
    /// Certificates for connections with agents, senders and proxies (parameters `TLS…File` of Zabbix's server).
    /// Pre-shared keys do not need them: they are set at the hosts.
    pub struct TlsSettings in "tls" {
        /// Authorities of the certificates of agents, senders and proxies (PEM). Empty: no
        /// connections with certificates.
        pub ca_file: String = "\"\"",
        /// Certificates that these authorities have revoked (PEM). Empty: none.
        pub crl_file: String = "\"\"",
        /// Own certificate, with intermediate certificates (PEM).
        pub cert_file: String = "\"\"",
        /// Its private key (PEM).
        pub key_file: String = "\"\"",
        /// Cipher suites of TLS 1.2 with a pre-shared key, as OpenSSL names them, in order of preference (as
        /// Zabbix's `TLSCipherPSK`).
        pub cipher_psk: String = "\"kECDHEPSK+AES128:kPSK+AES128\"",
        /// Cipher suites of TLS 1.2 with certificates (as Zabbix's `TLSCipherCert`).
        pub cipher_cert: String = "\"EECDH+aRSA+AES128:EECDH+aECDSA+AES128:RSA+aRSA+AES128\"",
        /// Cipher suites of TLS 1.3 (as Zabbix's `TLSCipherAll13`). Pre-shared keys use only suites with SHA-256. Empty: no TLS
        /// 1.3.
        pub cipher_13: String = "\"TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256\"",
        /// Whether connections opened with a pre-shared key have forward secrecy: with a key that is stolen later,
        /// recorded traffic cannot be decrypted. Without it they use
        /// TLS 1.2 and `kPSK+AES128`, which needs a small part of the CPU time on both sides. Connections opened by
        /// other peers are not affected.
        pub psk_forward_secrecy: bool = "true",
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

    /// Shows the own certificate and asks for the peer's.
    pub(super) fn apply(&self, context: &mut SslContextBuilder) -> Result<(), TlsError> {
        let file =
            |path: &str, setting, source| TlsError::File { path: path.into(), setting, source };
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

    /// Limits for both sides. Sessions are not kept: agents of Zabbix keep none, and with each
    /// session the key of its identity would have to be remembered and forgotten when it changes.
    pub(super) fn harden(
        &self,
        context: &mut SslContextBuilder,
        suites: &str,
    ) -> Result<(), TlsError> {
        let cipher = |setting| move |source: ErrorStack| TlsError::Cipher { setting, source };
        context.set_min_proto_version(Some(SslVersion::TLS1_2))?;
        context.set_cipher_list(suites).map_err(cipher("tls.cipher_psk or tls.cipher_cert"))?;
        if self.cipher_13.is_empty() {
            context.set_max_proto_version(Some(SslVersion::TLS1_2))?;
        } else {
            context.set_ciphersuites(&self.cipher_13).map_err(cipher("tls.cipher_13"))?;
        }
        context.set_session_cache_mode(SslSessionCacheMode::OFF);
        context.set_options(
            SslOptions::NO_TICKET
                | SslOptions::NO_COMPRESSION
                | SslOptions::NO_RENEGOTIATION
                | SslOptions::CIPHER_SERVER_PREFERENCE,
        );
        // A connection that is idle keeps no 34 KB for the next record.
        context.set_mode(SslMode::RELEASE_BUFFERS);
        context.set_num_tickets(0)?;
        // Else each record is two calls: its head, then the rest. A handshake has a dozen of them.
        context.set_read_ahead(true);
        Ok(())
    }

    fn store(&self) -> Result<X509Store, TlsError> {
        let mut store = X509StoreBuilder::new()?;
        let authorities =
            X509::stack_from_pem(&read(Path::new(&self.ca_file))?).map_err(|source| {
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
            // So that a missing file is reported as such; OpenSSL reads it itself.
            read(Path::new(&self.crl_file))?;
            let lookup = store.add_lookup(X509Lookup::file())?;
            lookup.load_crl_file(&self.crl_file, SslFiletype::PEM).map_err(file)?;
            store.set_flags(X509VerifyFlags::CRL_CHECK | X509VerifyFlags::CRL_CHECK_ALL)?;
        }
        Ok(store.build())
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|source| TlsError::Read { path: path.to_owned(), source })
}
