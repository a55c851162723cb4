//! Whether a connection is secured as its host requires, and how to connect to the host.

use std::net::IpAddr;
use std::sync::Arc;

use model::encryption::{CERTIFICATE, Encryption, PSK, UNENCRYPTED};
use model::snapshot::Host;
use rt::tls::{ConnectAs, Psk, Security};

/// The peer of a connection.
#[derive(Clone, Debug)]
pub struct Peer {
    pub ip: IpAddr,
    /// How the peer has proved its identity.
    pub security: Arc<Security>,
}

impl Peer {
    /// A peer whose connection is not encrypted.
    #[must_use]
    pub fn unencrypted(ip: IpAddr) -> Self {
        Self { ip, security: Arc::new(Security::Unencrypted) }
    }
}

/// The code of a connection in `tls_accept`.
#[must_use]
pub fn code_of(security: &Security) -> u8 {
    match security {
        Security::Unencrypted => UNENCRYPTED,
        Security::Psk { .. } => PSK,
        Security::Certificate { .. } => CERTIFICATE,
    }
}

/// Zabbix's name for it.
fn name_of(security: &Security) -> &'static str {
    match security {
        Security::Unencrypted => "unencrypted",
        Security::Psk { .. } => "TLS with PSK",
        Security::Certificate { .. } => "TLS with certificate",
    }
}

/// As [`name_of`], for a connection that a host requires.
pub(crate) fn name_of_connection(encryption: Option<&Encryption>) -> &'static str {
    match encryption.map(|it| it.connect) {
        Some(PSK) => "TLS with PSK",
        Some(CERTIFICATE) => "TLS with certificate",
        _ => "unencrypted",
    }
}

/// Whether a peer with this security may send for a host.
///
/// # Errors
/// Why not, in Zabbix's words.
pub fn may_send_for(host: &Host, security: &Security) -> Result<(), String> {
    let Some(encryption) = &host.encryption else {
        return match security {
            Security::Unencrypted => Ok(()),
            _ => Err(not_allowed(security, host)),
        };
    };
    if encryption.accept & code_of(security) == 0 {
        return Err(not_allowed(security, host));
    }
    let is_other = |wanted: &str, is: &str| !wanted.is_empty() && wanted != is;
    let what = match security {
        Security::Psk { identity } if encryption.psk_identity != *identity => "false PSK identity",
        Security::Certificate { issuer, .. } if is_other(&encryption.issuer, issuer) => {
            "certificate issuer does not match"
        }
        Security::Certificate { subject, .. } if is_other(&encryption.subject, subject) => {
            "certificate subject does not match"
        }
        _ => return Ok(()),
    };
    Err(format!("{what} for host \"{}\"", host.host))
}

fn not_allowed(security: &Security, host: &Host) -> String {
    format!(
        "connection of type \"{}\" is not allowed for host \"{}\"",
        name_of(security),
        host.host
    )
}

/// Whether a peer with this security may register itself.
///
/// # Errors
/// Why not.
pub(crate) fn may_register(accepted: &Encryption, security: &Security) -> Result<(), String> {
    match security {
        _ if accepted.accept & code_of(security) == 0 => Err(format!(
            "connection of type \"{}\" is not allowed for autoregistration",
            name_of(security)
        )),
        Security::Psk { identity } if accepted.psk_identity != *identity => {
            Err("connection used wrong PSK identity for autoregistration".to_owned())
        }
        _ => Ok(()),
    }
}

/// How to connect to a host.
///
/// # Errors
/// The mistake in its key, which the API does not accept.
pub fn connect_as(encryption: Option<&Encryption>) -> Result<ConnectAs, String> {
    let Some(encryption) = encryption else { return Ok(ConnectAs::Unencrypted) };
    Ok(match encryption.connect {
        PSK => {
            let psk = Psk::from_hex(&encryption.psk_identity, &encryption.psk)?;
            ConnectAs::Psk(Arc::new(psk))
        }
        CERTIFICATE => ConnectAs::Certificate {
            issuer: encryption.issuer.clone(),
            subject: encryption.subject.clone(),
        },
        _ => ConnectAs::Unencrypted,
    })
}

#[cfg(test)]
mod tests {
    use model::HostId;
    use model::snapshot::HolderKind;

    use super::*;

    #[test]
    fn connections_are_accepted_as_the_host_requires() {
        let host = |encryption: Option<Encryption>| {
            let host = Host::new(HostId(1), HolderKind::Host, "a".into(), "a".into());
            Host { encryption: encryption.map(Arc::new), ..host }
        };
        let psk = |it: &str| Security::Psk { identity: it.to_owned() };
        let certificate = |issuer: &str, subject: &str| Security::Certificate {
            issuer: issuer.to_owned(),
            subject: subject.to_owned(),
        };
        let refusal = |host: &Host, it: &Security| may_send_for(host, it).err().unwrap_or_default();
        let plain = host(None);
        assert_eq!(refusal(&plain, &Security::Unencrypted), "");
        assert_eq!(
            refusal(&plain, &psk("x")),
            "connection of type \"TLS with PSK\" is not allowed for host \"a\""
        );
        let all = host(Some(Encryption {
            accept: 6,
            psk_identity: "x".to_owned(),
            issuer: "CN=ca".to_owned(),
            subject: "CN=a".to_owned(),
            ..Encryption::default()
        }));
        for (security, reason) in [
            (psk("x"), ""),
            (psk("y"), "false PSK identity for host \"a\""),
            (certificate("CN=ca", "CN=a"), ""),
            (certificate("CN=c", "CN=a"), "certificate issuer does not match for host \"a\""),
            (certificate("CN=ca", "CN=b"), "certificate subject does not match for host \"a\""),
            (
                Security::Unencrypted,
                "connection of type \"unencrypted\" is not allowed for host \"a\"",
            ),
        ] {
            assert_eq!(refusal(&all, &security), reason, "{security:?}");
        }
    }

    #[test]
    fn agents_register_as_autoregistration_accepts() {
        let none = Encryption::default();
        let psk = Security::Psk { identity: "x".to_owned() };
        assert!(may_register(&none, &Security::Unencrypted).is_ok());
        assert!(may_register(&none, &psk).is_err());
        let by_key = Encryption { accept: PSK, psk_identity: "x".to_owned(), ..none };
        assert!(may_register(&by_key, &psk).is_ok());
        assert!(may_register(&by_key, &Security::Unencrypted).is_err());
        let other = Encryption { psk_identity: "y".to_owned(), ..by_key };
        assert!(may_register(&other, &psk).unwrap_err().contains("identity"));
    }
}
