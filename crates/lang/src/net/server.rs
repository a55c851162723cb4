//! Addresses of servers in settings: `zabbix.example.com`, `10.0.0.1:10051`, `[::1]:10051`.

use std::net::Ipv6Addr;

use super::parse_ip;

/// Host and port of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress<'a> {
    /// Name or address, an IPv6 address without brackets.
    pub host: &'a str,
    /// TCP port.
    pub port: u16,
}

impl<'a> ServerAddress<'a> {
    /// Parses `host`, `host:port`, `::1`, `[::1]` or `[::1]:port`.
    #[must_use]
    pub fn parse(text: &'a str, default_port: u16) -> Option<Self> {
        let text = text.trim();
        if text.parse::<Ipv6Addr>().is_ok() {
            return Some(Self { host: text, port: default_port });
        }
        let (host, port) = match text.strip_prefix('[') {
            Some(inner) => {
                let (host, rest) = inner.split_once(']')?;
                host.parse::<Ipv6Addr>().ok()?;
                let port = if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) };
                (host, port)
            }
            None => match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        let port = match port {
            Some(it) if it.bytes().all(|it| it.is_ascii_digit()) => it.parse().ok()?,
            Some(_) => return None,
            None => default_port,
        };
        (parse_ip(host).is_some() || is_dns_name(host)).then_some(Self { host, port })
    }
}

fn is_dns_name(text: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'-' | b'_' | b'.');
    !text.is_empty() && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_and_without_port() {
        let parse = |text| ServerAddress::parse(text, 10_051).map(|it| (it.host, it.port));
        assert_eq!(parse("zabbix.example.com"), Some(("zabbix.example.com", 10_051)));
        assert_eq!(parse("10.0.0.1:80"), Some(("10.0.0.1", 80)));
        assert_eq!(parse("::1"), Some(("::1", 10_051)));
        assert_eq!(parse("[::1]:80"), Some(("::1", 80)));
        for text in
            ["", ":80", "[::1", "[::1]80", "[a]:1", "a:b", "a:", "a:70000", "::zz", "a b", "a:1:2"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
