//! Encrypted connections.

use history::Result;
use openssl::ssl::{SslConnector, SslMethod, SslVerifyMode};
use openssl::x509::X509;
use postgres::config::SslMode;
use postgres_openssl::MakeTlsConnector;

use super::error::refused;

/// What makes connections encrypted, by the URL's `sslmode`: `disable`, `prefer` (which it is without one) or
/// `require`. A certificate is looked at if there is an authority to judge it, or if it is required: else anybody may
/// be the server, as with Zabbix's `required`.
///
/// # Errors
/// The certificate authority can't be read.
pub(super) fn connector(
    config: &postgres::Config,
    ca_pem: Option<&str>,
) -> Result<Option<MakeTlsConnector>> {
    let mode = config.get_ssl_mode();
    if mode == SslMode::Disable {
        return Ok(None);
    }
    let wrong = |error| refused(format!("TLS: {error}"));
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(wrong)?;
    match ca_pem {
        Some(pem) => {
            let store = builder.cert_store_mut();
            for certificate in X509::stack_from_pem(pem.as_bytes()).map_err(wrong)? {
                store.add_cert(certificate).map_err(wrong)?;
            }
        }
        None if mode == SslMode::Prefer => builder.set_verify(SslVerifyMode::NONE),
        None => {}
    }
    Ok(Some(MakeTlsConnector::new(builder.build())))
}
