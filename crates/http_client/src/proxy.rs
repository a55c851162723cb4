//! Proxies, as users write them for curl.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::Uri;

use super::endpoint::Endpoint;
use super::error::Error;

/// curl's default port of proxies.
const PORT: u16 = 1_080;

/// A proxy. For `http` it gets the request itself, with the whole URL in its first line; for
/// `https` it makes a tunnel.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Proxy {
    pub(crate) at: Endpoint,
    /// `user:password`.
    credentials: Option<Vec<u8>>,
}

/// Without the password.
impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Proxy {
    /// # Errors
    /// If it is no URL of a proxy, or of a kind that is not supported.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let uri: Uri = text.parse().map_err(|_error| Error::ProxySyntax)?;
        let authority = uri.authority().ok_or(Error::ProxySyntax)?;
        let is_tls = match uri.scheme_str() {
            None | Some("http") => false,
            Some("https") => true,
            Some(other) => return Err(Error::ProxyKind(other.to_owned())),
        };
        let credentials = authority.as_str().rsplit_once('@').map(|(it, _)| {
            let (user, password) = it.split_once(':').unwrap_or((it, ""));
            let mut out = decoded(user);
            out.push(b':');
            out.extend(decoded(password));
            out
        });
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err(Error::ProxySyntax);
        }
        let port = authority.port_u16().unwrap_or(if is_tls { 443 } else { PORT });
        Ok(Self { at: Endpoint { host: host.to_ascii_lowercase(), port, is_tls }, credentials })
    }

    /// The value of `Proxy-Authorization`.
    pub(crate) fn authorization(&self) -> Option<String> {
        self.credentials.as_ref().map(|it| format!("Basic {}", BASE64_STANDARD.encode(it)))
    }
}

/// `%41` is `A`.
fn decoded(text: &str) -> Vec<u8> {
    let hex = |it: Option<&u8>| it.and_then(|it| char::from(*it).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (*byte, hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.extend(u8::try_from(16 * high + low));
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxies_are_urls_with_or_without_a_scheme() {
        for (text, at, authorization) in [
            ("proxy", "proxy:1080", None),
            ("127.0.0.1:3128", "127.0.0.1:3128", None),
            ("http://u:p@Proxy:8080", "proxy:8080", Some("Basic dTpw")),
            ("http://u%3A:p%40@p", "p:1080", Some("Basic dTo6cEA=")),
            ("https://p/", "p:443", None),
            ("http://[::1]:8080", "[::1]:8080", None),
        ] {
            let it = Proxy::parse(text).expect(text);
            let found = (it.at.authority(), it.authorization());
            assert_eq!(found, (at.to_owned(), authorization.map(str::to_owned)), "{text}");
        }
        for (text, why) in [
            ("no proxy", "Unsupported proxy syntax"),
            ("/path", "Unsupported proxy syntax"),
            ("socks5://a:1", "Unsupported kind of proxy \"socks5\""),
        ] {
            assert_eq!(Proxy::parse(text).expect_err(text).to_string(), why);
        }
    }
}
