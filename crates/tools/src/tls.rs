//! Options about encryption, as zabbix_sender's and zabbix_get's.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use rt::tls::{ConnectAs, Psk, TlsConnector, TlsError, TlsSettings};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum TlsArgsError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Psk(String),
    #[error("connections by {how} need {option}")]
    Missing { how: &'static str, option: &'static str },
    #[error("unknown type of connection \"{0}\": unencrypted, psk or cert")]
    How(String),
    #[error("{0}")]
    Tls(#[from] TlsError),
}

/// The options that both programs have.
#[derive(Clone, PartialEq, Eq, Debug, Default, Args)]
pub struct TlsArgs {
    /// How to connect: unencrypted, psk or cert [default: unencrypted].
    #[arg(long, value_name = "HOW", value_parser = ["unencrypted", "psk", "cert"])]
    pub tls_connect: Option<String>,
    /// Accepted authorities of the peer's certificate (PEM).
    #[arg(long, value_name = "FILE")]
    pub tls_ca_file: Option<String>,
    /// Certificates that these authorities have revoked (PEM).
    #[arg(long, value_name = "FILE")]
    pub tls_crl_file: Option<String>,
    /// Own certificate (PEM).
    #[arg(long, value_name = "FILE")]
    pub tls_cert_file: Option<String>,
    /// Its private key (PEM).
    #[arg(long, value_name = "FILE")]
    pub tls_key_file: Option<String>,
    /// Identity of the pre-shared key.
    #[arg(long, value_name = "IDENTITY")]
    pub tls_psk_identity: Option<String>,
    /// File with the pre-shared key in hexadecimal digits.
    #[arg(long, value_name = "FILE")]
    pub tls_psk_file: Option<PathBuf>,
    /// Cipher suites of TLS 1.2, as OpenSSL names them.
    #[arg(long, value_name = "SUITES")]
    pub tls_cipher: Option<String>,
    /// Cipher suites of TLS 1.3.
    #[arg(long, value_name = "SUITES")]
    pub tls_cipher13: Option<String>,
}

/// How connections are opened.
#[derive(Clone, Debug)]
pub struct Tls {
    pub connector: TlsConnector,
    pub how: ConnectAs,
}

impl TlsArgs {
    /// Takes missing options from another source.
    pub fn or(mut self, other: &Self) -> Self {
        let own = [
            &mut self.tls_connect,
            &mut self.tls_ca_file,
            &mut self.tls_crl_file,
            &mut self.tls_cert_file,
            &mut self.tls_key_file,
            &mut self.tls_psk_identity,
            &mut self.tls_cipher,
            &mut self.tls_cipher13,
        ];
        let others = [
            &other.tls_connect,
            &other.tls_ca_file,
            &other.tls_crl_file,
            &other.tls_cert_file,
            &other.tls_key_file,
            &other.tls_psk_identity,
            &other.tls_cipher,
            &other.tls_cipher13,
        ];
        for (own, other) in own.into_iter().zip(others) {
            if own.is_none() {
                own.clone_from(other);
            }
        }
        self.tls_psk_file = self.tls_psk_file.or_else(|| other.tls_psk_file.clone());
        self
    }

    /// Reads the files. `issuer` and `subject` are required of the peer's certificate.
    ///
    /// # Errors
    /// When something is missing or a file cannot be used.
    pub fn open(&self, issuer: Option<&str>, subject: Option<&str>) -> Result<Tls, TlsArgsError> {
        let mut settings = rt::settings::defaults::<TlsSettings>();
        let how = match self.tls_connect.as_deref() {
            None | Some("unencrypted") => ConnectAs::Unencrypted,
            Some("psk") => ConnectAs::Psk(Arc::new(self.psk()?)),
            Some("cert") => {
                let file = |it: &Option<String>, option| {
                    let missing = TlsArgsError::Missing { how: "certificate", option };
                    it.clone().ok_or(missing)
                };
                settings.ca_file = file(&self.tls_ca_file, "--tls-ca-file")?;
                settings.cert_file = file(&self.tls_cert_file, "--tls-cert-file")?;
                settings.key_file = file(&self.tls_key_file, "--tls-key-file")?;
                settings.crl_file = self.tls_crl_file.clone().unwrap_or_default();
                let text = |it: Option<&str>| it.unwrap_or_default().to_owned();
                ConnectAs::Certificate { issuer: text(issuer), subject: text(subject) }
            }
            Some(other) => return Err(TlsArgsError::How(other.to_owned())),
        };
        if let Some(suites) = &self.tls_cipher {
            settings.cipher_psk.clone_from(suites);
            settings.cipher_cert.clone_from(suites);
        }
        if let Some(suites) = &self.tls_cipher13 {
            settings.cipher_13.clone_from(suites);
        }
        Ok(Tls { connector: TlsConnector::new(&settings)?, how })
    }

    fn psk(&self) -> Result<Psk, TlsArgsError> {
        let missing = |option| TlsArgsError::Missing { how: "pre-shared key", option };
        let identity = self.tls_psk_identity.as_ref();
        let identity = identity.ok_or_else(|| missing("--tls-psk-identity"))?;
        let path = self.tls_psk_file.as_ref().ok_or_else(|| missing("--tls-psk-file"))?;
        let text = std::fs::read_to_string(path)
            .map_err(|source| TlsArgsError::Read { path: path.clone(), source })?;
        Psk::from_hex(identity, text.trim()).map_err(TlsArgsError::Psk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_option_is_named() {
        let args = |how: &str| TlsArgs { tls_connect: Some(how.to_owned()), ..TlsArgs::default() };
        let error = |it: TlsArgs| it.open(None, None).unwrap_err().to_string();
        assert!(TlsArgs::default().open(None, None).is_ok());
        assert!(error(args("psk")).contains("--tls-psk-identity"));
        let identity = Some("a".to_owned());
        let by_key = TlsArgs { tls_psk_identity: identity, ..args("psk") };
        assert!(error(by_key.clone()).contains("--tls-psk-file"));
        let path = std::env::temp_dir().join("no such file");
        assert!(error(TlsArgs { tls_psk_file: Some(path), ..by_key }).contains("no such file"));
        assert!(error(args("cert")).contains("--tls-ca-file"));
        assert!(error(args("tls")).contains("type of connection \"tls\""));
    }

    #[test]
    fn options_come_before_the_file() {
        let given = TlsArgs { tls_connect: Some("psk".to_owned()), ..TlsArgs::default() };
        let file = TlsArgs {
            tls_connect: Some("cert".to_owned()),
            tls_psk_identity: Some("a".to_owned()),
            ..TlsArgs::default()
        };
        let both = given.or(&file);
        assert_eq!(both.tls_connect.as_deref(), Some("psk"));
        assert_eq!(both.tls_psk_identity.as_deref(), Some("a"));
    }
}
