//! Parameters that `--config` reads from an agent's configuration file.

use crate::tls::TlsArgs;

/// Parameters of the file, as they stand there.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct AgentConfig {
    /// `ServerActive`: addresses between commas; nodes of a cluster between semicolons.
    pub(super) servers: Option<String>,
    /// The first one of `Hostname`.
    pub(super) host: Option<String>,
    pub(super) source_ip: Option<String>,
    pub(super) tls: TlsArgs,
    pub(super) tls_issuer: Option<String>,
    pub(super) tls_subject: Option<String>,
}

impl AgentConfig {
    /// Other parameters belong to the agent.
    pub(super) fn parse(text: &str) -> Self {
        let mut found = Self::default();
        for line in text.lines() {
            let line = line.trim();
            let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with('#'))
            else {
                continue;
            };
            let value = Some(value.trim().to_owned()).filter(|it| !it.is_empty());
            match name.trim() {
                "ServerActive" => found.servers = value,
                "Hostname" => {
                    let first =
                        |it: String| it.split(',').next().unwrap_or_default().trim().to_owned();
                    found.host = value.map(first);
                }
                "SourceIP" => found.source_ip = value,
                "TLSConnect" => found.tls.tls_connect = value,
                "TLSCAFile" => found.tls.tls_ca_file = value,
                "TLSCRLFile" => found.tls.tls_crl_file = value,
                "TLSCertFile" => found.tls.tls_cert_file = value,
                "TLSKeyFile" => found.tls.tls_key_file = value,
                "TLSPSKIdentity" => found.tls.tls_psk_identity = value,
                "TLSPSKFile" => found.tls.tls_psk_file = value.map(Into::into),
                "TLSServerCertIssuer" => found.tls_issuer = value,
                "TLSServerCertSubject" => found.tls_subject = value,
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::AgentConfig;

    #[test]
    fn three_parameters_are_read() {
        let text =
            "# Hostname=no\nServerActive = a,b:5;c\nHostname=one, two\n\nSourceIP=\nTimeout=3\nx";
        let expected = AgentConfig {
            servers: Some("a,b:5;c".to_owned()),
            host: Some("one".to_owned()),
            ..AgentConfig::default()
        };
        assert_eq!(AgentConfig::parse(text), expected);
    }
}
