//! The part of URLs that redirects need.

/// Parts of an `http` or `https` URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Url<'a> {
    pub(super) is_tls: bool,
    /// Host with its port, as written.
    pub(super) authority: &'a str,
    /// User and password before the host, if any.
    pub(super) user: Option<&'a str>,
    /// Path and query; empty if there is none.
    pub(super) path: &'a str,
}

impl<'a> Url<'a> {
    /// # Errors
    /// If it is no URL of a protocol that is spoken.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
        let is_tls = scheme.eq_ignore_ascii_case("https");
        if !is_tls && !scheme.eq_ignore_ascii_case("http") {
            return Err(format!("Protocol \"{scheme}\" not supported"));
        }
        let rest = rest.split('#').next().unwrap_or(rest);
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (user, authority) = match authority.rsplit_once('@') {
            Some((user, authority)) => (Some(user), authority),
            None => (None, authority),
        };
        if authority.is_empty() || text.chars().any(char::is_control) {
            return Err("URL using bad/illegal format or missing URL".to_owned());
        }
        Ok(Self { is_tls, authority, user, path })
    }

    fn scheme(&self) -> &'static str {
        if self.is_tls { "https" } else { "http" }
    }

    /// As a client requests it, without secrets.
    pub(super) fn plain(&self) -> String {
        let slash = if self.path.starts_with('/') { "" } else { "/" };
        let path: String = self.path.replace(' ', "%20");
        format!("{}://{}{slash}{path}", self.scheme(), self.authority)
    }

    /// Path and query for digests.
    pub(super) fn target(&self) -> String {
        let slash = if self.path.starts_with('/') { "" } else { "/" };
        format!("{slash}{}", self.path.replace(' ', "%20"))
    }

    /// The target of a `Location` header.
    pub(super) fn join(&self, location: &str) -> String {
        let base = format!("{}://{}", self.scheme(), self.authority);
        let path = self.path.split('?').next().unwrap_or("");
        if location.contains("://") {
            location.to_owned()
        } else if location.starts_with("//") {
            format!("{}:{location}", self.scheme())
        } else if location.starts_with('/') {
            format!("{base}{location}")
        } else if location.starts_with('?') {
            format!("{base}{path}{location}")
        } else {
            let folder = path.rsplit_once('/').map_or("", |it| it.0);
            format!("{base}{folder}/{location}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_joined() {
        let url = Url::parse("https://u:p@host:8080/a/b?x=1#top").unwrap();
        assert_eq!((url.user, url.authority, url.path), (Some("u:p"), "host:8080", "/a/b?x=1"));
        assert_eq!(url.plain(), "https://host:8080/a/b?x=1");
        for (location, expected) in [
            ("http://other/", "http://other/"),
            ("//other/x", "https://other/x"),
            ("/c", "https://host:8080/c"),
            ("c?d", "https://host:8080/a/c?d"),
            ("?y=2", "https://host:8080/a/b?y=2"),
        ] {
            assert_eq!(url.join(location), expected);
        }
        assert_eq!(Url::parse("host").unwrap().plain(), "http://host/");
        for bad in ["file:///etc/passwd", "ftp://host", "", "http://", "http://a\r\nb"] {
            assert!(Url::parse(bad).is_err(), "{bad}");
        }
    }
}
