//! Servers of an agent: `a,b:10051` are two, `a;b` is one that runs on two machines.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer};

/// Default port of servers and proxies.
pub(crate) const PORT: u16 = 10_051;

/// Host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// A name or an address, without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl Address {
    /// `host`, `host:port`, an IPv6 address, or one in brackets with a port.
    ///
    /// # Errors
    /// A sentence about the mistake in it.
    pub fn parse(text: &str, port: u16) -> Result<Self, String> {
        let text = text.trim();
        let (host, port) = match text.strip_prefix('[').and_then(|it| it.split_once(']')) {
            Some((host, "")) => (host, port),
            Some((host, rest)) => (host, port_of(rest.strip_prefix(':'), text)?),
            None => match text.rsplit_once(':') {
                Some((host, digits)) if !host.contains(':') => (host, port_of(Some(digits), text)?),
                _ => (text, port),
            },
        };
        if host.is_empty() || host.contains(|it: char| it.is_whitespace() || it == '/') {
            return Err(format!("\"{text}\" is no address"));
        }
        Ok(Self { host: host.to_owned(), port })
    }
}

fn port_of(digits: Option<&str>, text: &str) -> Result<u16, String> {
    let port = digits.and_then(|it| it.parse().ok()).filter(|it| *it != 0);
    port.ok_or_else(|| format!("\"{text}\" has no valid port after its colon"))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Servers of active checks, each with the machines that it may run on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerList(pub Vec<Vec<Address>>);

impl<'de> Deserialize<'de> for ServerList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut servers: Vec<Vec<Address>> = Vec::new();
        for cluster in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
            let nodes = cluster.split(';').map(|it| Address::parse(it, PORT));
            let nodes: Vec<_> = nodes.collect::<Result<_, _>>().map_err(de::Error::custom)?;
            if let Some(twice) = nodes.iter().find(|it| servers.iter().flatten().any(|o| o == *it))
            {
                return Err(de::Error::custom(format!("\"{twice}\" is named twice")));
            }
            servers.push(nodes);
        }
        Ok(Self(servers))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize as _;
    use serde::de::IntoDeserializer as _;
    use serde::de::value::{Error, StrDeserializer};

    use super::*;

    fn parse(text: &str) -> Result<ServerList, Error> {
        let source: StrDeserializer<'_, Error> = text.into_deserializer();
        ServerList::deserialize(source)
    }

    #[test]
    fn servers_and_the_machines_of_a_cluster() {
        let list = parse("a, b:5;[::1]:6 ,fe80::1").unwrap();
        let shown: Vec<Vec<String>> =
            list.0.iter().map(|it| it.iter().map(ToString::to_string).collect()).collect();
        assert_eq!(shown, [vec!["a:10051"], vec!["b:5", "[::1]:6"], vec!["[fe80::1]:10051"]]);
        assert_eq!(parse("").unwrap(), ServerList::default());
        for wrong in ["a,a:10051", "a:0", "a;;b", "http://a", "a b", "[::1]x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
