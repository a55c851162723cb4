//! Digest authentication (RFC 7616) with MD5 or SHA-256.

use super::codes;

/// A server's challenge.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Challenge {
    realm: String,
    nonce: String,
    opaque: Option<String>,
    algorithm: Option<String>,
    has_qop: bool,
}

impl Challenge {
    /// Reads a `WWW-Authenticate` header; `None`: it requests another kind.
    pub(super) fn parse(header: &str) -> Option<Self> {
        let (kind, rest) = header.trim().split_once(' ')?;
        if !kind.eq_ignore_ascii_case("digest") {
            return None;
        }
        let mut found = Self {
            realm: String::new(),
            nonce: String::new(),
            opaque: None,
            algorithm: None,
            has_qop: false,
        };
        for (name, value) in parameters(rest) {
            match name.to_ascii_lowercase().as_str() {
                "realm" => found.realm = value,
                "nonce" => found.nonce = value,
                "opaque" => found.opaque = Some(value),
                "algorithm" => found.algorithm = Some(value),
                "qop" => found.has_qop = value.split(',').any(|it| it.trim() == "auth"),
                _ => {}
            }
        }
        let algorithm = found.algorithm.as_deref().unwrap_or("MD5").to_ascii_uppercase();
        matches!(algorithm.as_str(), "MD5" | "SHA-256").then_some(found)
    }

    /// Value of the `Authorization` header. The client nonce only has to differ from request to
    /// request; it is made from `seed`.
    pub(super) fn answer(
        &self,
        (user, password): (&str, &str),
        (method, target): (&str, &str),
        seed: u64,
    ) -> String {
        let is_sha = self.algorithm.as_deref().is_some_and(|it| !it.eq_ignore_ascii_case("md5"));
        let hash = |text: &str| {
            if is_sha {
                codes::sha256_hex(text.as_bytes())
            } else {
                codes::md5_hex(text.as_bytes())
            }
        };
        let Self { realm, nonce, .. } = self;
        let secret = hash(&format!("{user}:{realm}:{password}"));
        let request = hash(&format!("{method}:{target}"));
        let own = hash(&format!("{nonce}:{seed}:{secret}"));
        let response = if self.has_qop {
            hash(&format!("{secret}:{nonce}:00000001:{own}:auth:{request}"))
        } else {
            hash(&format!("{secret}:{nonce}:{request}"))
        };
        let user = user.replace('\\', "\\\\").replace('"', "\\\"");
        let mut out = format!(
            "Digest username=\"{user}\", realm=\"{realm}\", nonce=\"{nonce}\", uri=\"{target}\", \
             response=\"{response}\""
        );
        if self.has_qop {
            out.push_str(&format!(", qop=auth, nc=00000001, cnonce=\"{own}\""));
        }
        if let Some(opaque) = &self.opaque {
            out.push_str(&format!(", opaque=\"{opaque}\""));
        }
        if let Some(algorithm) = &self.algorithm {
            out.push_str(&format!(", algorithm={algorithm}"));
        }
        out
    }
}

/// `name=value` and `name="value"`, with commas between.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches(|it: char| it == ',' || it.is_whitespace()).to_owned();
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(',').unwrap_or((after, "")),
        };
        out.push((name, value.trim().to_owned()));
        rest = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_2069_and_qop() {
        let challenge = Challenge::parse(
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", \
             opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"",
        )
        .unwrap();
        let answer = challenge.answer(("Mufasa", "CircleOfLife"), ("GET", "/dir/index.html"), 1);
        assert!(answer.contains("response=\"1949323746fe6a43ef61f9606e7febea\""), "{answer}");
        assert!(answer.contains("opaque=\"5ccc069c403ebaf9f0171e9517f40e41\""));
        let challenge = Challenge::parse(
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth,auth-int\", algorithm=SHA-256",
        )
        .unwrap();
        let answer = challenge.answer(("u", "p"), ("GET", "/"), 1);
        assert!(answer.contains("qop=auth, nc=00000001, cnonce="), "{answer}");
        assert_eq!(Challenge::parse("Basic realm=\"x\""), None);
        assert_eq!(Challenge::parse("Digest nonce=\"n\", algorithm=MD4"), None);
    }
}
