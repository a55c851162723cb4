//! Peers that may send requests: addresses, networks and names.

use std::net::IpAddr;
use std::time::Duration;

use model::networks::Networks;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use tokio::net::lookup_host;
use tokio::time::timeout;

/// Time for the resolver, for all names together.
const RESOLVE_MAX: Duration = Duration::from_secs(3);

/// A list such as `127.0.0.1, 10.0.0.0/8, monitoring.example`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allowed {
    networks: Networks,
    names: Vec<String>,
}

impl Allowed {
    /// Whether no peer is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.networks.is_empty() && self.names.is_empty()
    }

    /// This machine only.
    #[must_use]
    pub fn loopback() -> Self {
        let networks = "127.0.0.0/8, ::1".parse().expect("these are networks");
        Self { networks, names: Vec::new() }
    }

    /// Whether an address may send requests. Names are resolved each time: their addresses may
    /// change.
    pub(crate) async fn admits(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        if self.networks.contains(address) {
            return true;
        }
        let by_name = async {
            for name in &self.names {
                let found = lookup_host((name.as_str(), 0)).await;
                if found.is_ok_and(|mut it| it.any(|it| it.ip().to_canonical() == address)) {
                    return true;
                }
            }
            false
        };
        !self.names.is_empty() && timeout(RESOLVE_MAX, by_name).await.unwrap_or(false)
    }
}

impl<'de> Deserialize<'de> for Allowed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let (mut networks, mut names) = (Vec::new(), Vec::new());
        for part in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let is_name = |it: &str| {
                it.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'.' | b'_'))
                    && it.bytes().any(|it| it.is_ascii_alphabetic())
            };
            if part == "::/0" {
                // As in Zabbix: all addresses, of either family.
                networks.extend(["::/0", "0.0.0.0/0"]);
            } else if part.parse::<Networks>().is_ok() {
                networks.push(part);
            } else if is_name(part) {
                names.push(part.to_owned());
            } else {
                let message = format!("\"{part}\" is no address, no network and no name");
                return Err(de::Error::custom(message));
            }
        }
        let networks = networks.join(",").parse().map_err(de::Error::custom)?;
        Ok(Self { networks, names })
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize as _;
    use serde::de::IntoDeserializer as _;
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    fn parse(text: &str) -> Result<Allowed, Error> {
        let source: StrDeserializer<'_, Error> = text.into_deserializer();
        Allowed::deserialize(source)
    }

    #[tokio::test]
    async fn addresses_networks_and_names_may_ask() {
        let allowed = parse("10.0.0.0/8, 192.0.2.1, localhost").unwrap();
        for (address, expected) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("192.0.2.1", true),
            ("192.0.2.2", false),
            ("127.0.0.1", true),
        ] {
            assert_eq!(allowed.admits(address.parse().unwrap()).await, expected, "{address}");
        }
        let all = parse("::/0").unwrap();
        assert!(all.admits("192.0.2.2".parse().unwrap()).await);
        assert!(!Allowed::default().admits("127.0.0.1".parse().unwrap()).await);
        for wrong in ["10.0.0.0/33", "a b", "http://x", "1.2.3"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
