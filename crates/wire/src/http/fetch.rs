//! One request, from the first exchange to the final answer.

use super::codes;
use super::cookies::Jar;
use super::digest::Challenge;
use super::ntlm::NtlmLogin;
use super::url::Url;
use crate::charset::{Charset, http_charset, named_charset};

/// Redirects that are followed. One more is an error, as in curl.
const REDIRECTS_MAX: usize = 10;
/// Basic authentication.
pub const BASIC: i32 = 1;
/// Digest authentication.
pub const DIGEST: i32 = 2;
/// Kerberos by SPNEGO; like NTLM, it is implemented by the owner of the connections.
pub const NEGOTIATE: i32 = 4;
/// NTLM: all of its messages go along one connection.
pub const NTLM: i32 = 8;
const ALL: i32 = BASIC | DIGEST | NEGOTIATE | NTLM;

/// The request of a user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    pub method: String,
    pub url: String,
    /// `name: value`; `name:` removes a header, `name;` sends an empty one.
    pub headers: Vec<String>,
    /// `None`: no body at all.
    pub body: Option<Vec<u8>>,
    /// [`BASIC`], [`DIGEST`], [`NEGOTIATE`], [`NTLM`]. A single one is used at once; of several the
    /// strongest that the server offers; 0: none.
    pub auth: i32,
    pub user: String,
    pub password: String,
    /// Redirects are not followed: they are the final answer.
    pub stays: bool,
}

/// The next exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    pub method: String,
    /// `http` or `https`, without secrets.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// Whether the body is sent.
    pub has_body: bool,
    /// Authentication that is not a header of its own.
    pub auth: Option<ConnectionAuth>,
}

/// Authentication that takes several messages along one connection, or a library: the owner of the
/// connections implements it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ConnectionAuth {
    Ntlm(NtlmLogin),
    /// With the Kerberos credentials of the owner of the connections.
    Negotiate,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Names and values in the order of the answer.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of this name, whatever its case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(it, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as a text: in the encoding that the header names, else the page, else a byte order
    /// mark; without any it is UTF-8, or else Windows-1252. Unknown encodings are read as UTF-8.
    #[must_use]
    pub fn into_text(self) -> String {
        let named = match self.named() {
            Named::Nothing => http_charset("", &self.body),
            Named::Utf8 => "UTF-8".to_owned(),
            Named::Other(name) => name,
        };
        match Charset::named(&named).filter(|it| *it != Charset::UTF_8) {
            Some(charset) => charset.decode(&self.body).into_owned(),
            None => String::from_utf8(self.body)
                .unwrap_or_else(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()),
        }
    }

    /// The body as a text, if it is in an encoding other than UTF-8 that the header or the page names.
    #[must_use]
    pub fn named_text(&self) -> Option<String> {
        let Named::Other(name) = self.named() else { return None };
        let charset = Charset::named(&name).filter(|it| *it != Charset::UTF_8)?;
        Some(charset.decode(&self.body).into_owned())
    }

    fn named(&self) -> Named {
        let kind = self.header("content-type").unwrap_or_default();
        let named = match named_charset(kind, b"") {
            // JSON is UTF-8: a page that is a text within it decides nothing.
            None if is_json(kind) && std::str::from_utf8(&self.body).is_ok() => return Named::Utf8,
            None => named_charset("", &self.body),
            named => named,
        };
        match named {
            None => Named::Nothing,
            Some(name) if name == "UTF-8" => Named::Utf8,
            Some(name) => Named::Other(name),
        }
    }
}

/// The encoding that an answer names.
enum Named {
    Nothing,
    Utf8,
    Other(String),
}

fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind.ends_with("/json") || kind.ends_with("+json")
}

/// The state of a request.
#[derive(Debug)]
pub struct Fetch<'a> {
    asked: &'a Asked,
    url: String,
    method: String,
    has_body: bool,
    /// Credentials go to the first host only.
    is_at_home: bool,
    /// The kind for the next exchange, after a server has named those that it takes.
    picked: Option<Picked>,
    n_redirects: usize,
}

/// The chosen kind of authentication.
#[derive(Debug)]
enum Picked {
    /// A header's value.
    Header(String),
    Connection(ConnectionAuth),
}

impl<'a> Fetch<'a> {
    /// # Errors
    /// What is wrong with the request.
    pub fn new(asked: &'a Asked) -> Result<Self, String> {
        let method = asked.method.trim().to_owned();
        if method.is_empty()
            || !method.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
        {
            return Err(format!("invalid HTTP method \"{method}\""));
        }
        if asked.auth & ALL == 0 && asked.auth != 0 {
            return Err("HTTP authentication other than basic, digest, NTLM and Kerberos is not \
                        supported"
                .to_owned());
        }
        let url = asked.url.trim().to_owned();
        Url::parse(&url)?;
        let has_body = asked.body.is_some();
        let (is_at_home, picked, n_redirects) = (true, None, 0);
        Ok(Self { asked, url, method, has_body, is_at_home, picked, n_redirects })
    }

    /// The exchange to make now.
    ///
    /// # Errors
    /// If there is no such URL.
    pub fn next(&self, jar: &Jar) -> Result<Exchange, String> {
        let url = Url::parse(&self.url)?;
        let mut headers = self.headers();
        let cookie = jar.header(url.authority, url.is_tls).map(|it| ("Cookie".to_owned(), it));
        headers.extend(cookie);
        let of_url = || url.user.map(basic);
        let (authorization, auth) = match &self.picked {
            Some(Picked::Header(it)) => (Some(it.clone()), None),
            Some(Picked::Connection(it)) => (of_url(), Some(it.clone())),
            None => match self.at_once() {
                Some(Picked::Header(it)) => (Some(it), None),
                Some(Picked::Connection(it)) => (of_url(), Some(it)),
                None => (of_url(), None),
            },
        };
        headers.extend(authorization.map(|it| ("Authorization".to_owned(), it)));
        let (method, has_body) = (self.method.clone(), self.has_body);
        Ok(Exchange { method, url: url.plain(), headers, has_body, auth })
    }

    /// Takes an answer; true: it is the final one, otherwise another exchange follows.
    ///
    /// # Errors
    /// If a redirect leads nowhere, or there are too many.
    pub fn take(&mut self, jar: &mut Jar, answer: &Response, now_ns: u64) -> Result<bool, String> {
        let url = Url::parse(&self.url)?;
        for (name, value) in &answer.headers {
            if name.eq_ignore_ascii_case("set-cookie") {
                jar.set(url.authority, value);
            }
        }
        // A server that refused the chosen kind is not asked again.
        if self.picked.take().is_none() {
            self.picked = self.pick(answer, &url, now_ns);
            if self.picked.is_some() {
                return Ok(false);
            }
        }
        let is_redirect = matches!(answer.status, 301 | 302 | 303 | 307 | 308);
        let location = answer.header("location").filter(|_| is_redirect && !self.asked.stays);
        let Some(location) = location else { return Ok(true) };
        if REDIRECTS_MAX <= self.n_redirects {
            return Err(format!("Maximum ({REDIRECTS_MAX}) redirects followed"));
        }
        self.n_redirects += 1;
        self.redirect(answer.status, location)?;
        Ok(false)
    }

    /// The only kind of authentication that is allowed goes with the first exchange, except a
    /// digest, which answers the server's challenge.
    fn at_once(&self) -> Option<Picked> {
        let auth = if self.is_at_home { self.asked.auth & ALL } else { 0 };
        match auth {
            BASIC => Some(Picked::Header(self.own_basic())),
            NEGOTIATE => Some(Picked::Connection(ConnectionAuth::Negotiate)),
            NTLM => Some(Picked::Connection(self.ntlm())),
            _ => None,
        }
    }

    /// The strongest kind that the server takes, as curl chooses it.
    fn pick(&self, answer: &Response, url: &Url<'_>, now_ns: u64) -> Option<Picked> {
        if answer.status != 401 || !self.is_at_home || self.at_once().is_some() {
            return None;
        }
        let allows = |kind: i32| self.asked.auth & kind != 0;
        let challenges = || {
            let named = |it: &&(String, String)| it.0.eq_ignore_ascii_case("www-authenticate");
            answer.headers.iter().filter(named).map(|it| it.1.trim())
        };
        let offers = |kind: &str| {
            challenges().any(|it| {
                let word = it.split([' ', ',']).next().unwrap_or_default();
                word.eq_ignore_ascii_case(kind)
            })
        };
        if allows(NEGOTIATE) && offers("negotiate") {
            return Some(Picked::Connection(ConnectionAuth::Negotiate));
        }
        let challenge = challenges().find_map(Challenge::parse).filter(|_| allows(DIGEST));
        if let Some(challenge) = challenge {
            let user = (self.asked.user.as_str(), self.asked.password.as_str());
            let header = challenge.answer(user, (&self.method, &url.target()), now_ns);
            return Some(Picked::Header(header));
        }
        if allows(NTLM) && offers("ntlm") {
            return Some(Picked::Connection(self.ntlm()));
        }
        (allows(BASIC) && offers("basic")).then(|| Picked::Header(self.own_basic()))
    }

    fn own_basic(&self) -> String {
        basic(&format!("{}:{}", self.asked.user, self.asked.password))
    }

    fn ntlm(&self) -> ConnectionAuth {
        let Asked { user, password, .. } = self.asked;
        ConnectionAuth::Ntlm(NtlmLogin { user: user.clone(), password: password.clone() })
    }

    /// Headers with secrets stay at the first host.
    fn headers(&self) -> Vec<(String, String)> {
        let split = self.asked.headers.iter().filter_map(|it| match it.split_once(':') {
            Some((_, value)) if value.trim().is_empty() => None,
            Some((name, value)) => Some((name.trim(), value.trim())),
            None => it.strip_suffix(';').map(|name| (name.trim(), "")),
        });
        let is_secret = |name: &str| {
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("cookie")
        };
        let may_go = split.filter(|it| self.is_at_home || !is_secret(it.0));
        may_go.map(|it| (it.0.to_owned(), it.1.to_owned())).collect()
    }

    fn redirect(&mut self, status: u16, location: &str) -> Result<(), String> {
        let next = Url::parse(&self.url)?.join(location);
        let from = Url::parse(&self.url)?;
        let to = Url::parse(&next)?;
        let is_same = (from.authority, from.is_tls) == (to.authority, to.is_tls);
        self.is_at_home &= is_same;
        let becomes_get = match status {
            303 => self.method != "HEAD",
            301 | 302 => self.method == "POST",
            _ => false,
        };
        if becomes_get {
            self.method = "GET".to_owned();
            self.has_body = false;
        }
        self.url = next;
        Ok(())
    }
}

fn basic(pair: &str) -> String {
    format!("Basic {}", codes::base64(pair.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Response { status, headers: headers.collect(), body: Vec::new() }
    }

    fn page(kind: &str, body: &[u8]) -> Response {
        Response { body: body.to_vec(), ..answer(200, &[("content-type", kind)]) }
    }

    #[test]
    fn bodies_are_in_the_encoding_that_header_or_page_name() {
        // "принят"
        let (koi, cyrillic) = (b"\xd0\xd2\xc9\xce\xd1\xd4", b"\xef\xf0\xe8\xed\xff\xf2");
        let utf_16: Vec<u8> = "принят".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = [&[0xff, 0xfe], b"o\0k\0".as_slice()].concat();
        let meta = [b"<meta charset=\"windows-1251\"><p>".as_slice(), cyrillic].concat();
        let equiv = [
            b"<META http-equiv='Content-Type' content='text/html; CHARSET=koi8-r'>".as_slice(),
            koi,
        ]
        .concat();
        let text_of = |kind: &str, body: &[u8]| page(kind, body).into_text();
        for (kind, body, expected) in [
            ("text/html; charset=koi8-r", koi.as_slice(), "принят"),
            ("text/plain;CHARSET=\"KOI8-R\"", koi, "принят"),
            ("text/plain; charset=windows-1251", cyrillic, "принят"),
            ("text/plain; charset=\"ISO-8859-1\"", b"\xe9t\xe9 \x80", "été \u{80}"),
            ("text/plain; charset=utf-16be", &utf_16, "принят"),
            ("application/json; charset=koi8-r", koi, "принят"),
            ("text/plain", &marked, "ok"),
            ("text/plain", b"\xe9t\xe9 \x80", "été €"),
            ("text/plain; charset=nonsense", "да \u{1}".as_bytes(), "да \u{1}"),
            ("text/plain; charset=nonsense", b"a\xe9", "a\u{fffd}"),
            ("text/plain; charset=utf-8", b"a\xe9", "a\u{fffd}"),
            // A page within a document.
            (
                "application/json",
                "\"<meta charset=koi8-r>да\"".as_bytes(),
                "\"<meta charset=koi8-r>да\"",
            ),
        ] {
            assert_eq!(text_of(kind, body), expected, "{kind}");
        }
        assert!(text_of("text/html", &meta).ends_with("<p>принят"));
        assert!(text_of("text/html", &equiv).ends_with("принят"));
        assert!(text_of("text/html; charset=windows-1252", &equiv).ends_with("ÐÒÉÎÑÔ"));
        assert_eq!(page("text/plain; charset=koi8-r", koi).named_text().as_deref(), Some("принят"));
        // Bytes of a picture stay as they are.
        for kind in ["image/png", "text/plain; charset=utf-8", "text/plain; charset=nonsense"] {
            assert_eq!(page(kind, b"\x89PNG\xe9").named_text(), None, "{kind}");
        }
    }

    /// Plays the given answers; returns the exchanges as `method url headers`.
    fn play(asked: &Asked, answers: &[Response]) -> Result<Vec<String>, String> {
        let (mut jar, mut fetch) = (Jar::default(), Fetch::new(asked)?);
        let mut made = Vec::new();
        for answer in answers {
            let Exchange { method, url, headers, has_body, .. } = fetch.next(&jar)?;
            made.push(format!("{method} {url} {headers:?} {has_body}"));
            if fetch.take(&mut jar, answer, 1)? {
                return Ok(made);
            }
        }
        Err("more exchanges than answers".to_owned())
    }

    #[test]
    fn redirects_are_followed_and_secrets_stay_at_home() {
        let asked = Asked {
            method: "POST".to_owned(),
            url: "http://a/x".to_owned(),
            headers: vec!["Authorization: k".to_owned(), "X: 1".to_owned()],
            body: Some(b"b".to_vec()),
            ..Asked::default()
        };
        let answers = [
            answer(302, &[("Location", "/y"), ("Set-Cookie", "c=1")]),
            answer(307, &[("Location", "http://b/z")]),
            answer(200, &[]),
        ];
        let made = play(&asked, &answers).unwrap();
        assert_eq!(
            made,
            [
                r#"POST http://a/x [("Authorization", "k"), ("X", "1")] true"#,
                r#"GET http://a/y [("Authorization", "k"), ("X", "1"), ("Cookie", "c=1")] false"#,
                r#"GET http://b/z [("X", "1")] false"#,
            ]
        );
        let stays = Asked { stays: true, ..asked.clone() };
        assert_eq!(play(&stays, &answers).unwrap().len(), 1);
        let round = vec![answer(302, &[("Location", "/y")]); 20];
        assert_eq!(play(&asked, &round), Err("Maximum (10) redirects followed".to_owned()));
    }

    #[test]
    fn names_and_passwords_of_ntlm_stay_at_home() {
        let asked = Asked {
            method: "GET".to_owned(),
            url: "http://a/".to_owned(),
            auth: NTLM,
            user: "D\\u".to_owned(),
            password: "p".to_owned(),
            ..Asked::default()
        };
        let (mut jar, mut fetch) = (Jar::default(), Fetch::new(&asked).unwrap());
        let login = fetch.next(&jar).unwrap().auth.unwrap();
        assert_eq!(format!("{login:?}"), "Ntlm(NtlmLogin { user: \"D\\\\u\", .. })");
        assert_eq!(fetch.take(&mut jar, &answer(302, &[("Location", "http://b/")]), 1), Ok(false));
        assert_eq!(fetch.next(&jar).unwrap().auth, None);
    }

    #[test]
    fn of_several_kinds_the_strongest_that_the_server_offers_is_used() {
        let ntlm =
            ConnectionAuth::Ntlm(NtlmLogin { user: "u".to_owned(), password: "p".to_owned() });
        let digest = "Digest realm=\"r\", nonce=\"n\"";
        for (auth, offers, header, connection) in [
            (BASIC, &[][..], Some("Basic dTpw"), None),
            (NEGOTIATE, &[], None, Some(ConnectionAuth::Negotiate)),
            (BASIC | DIGEST, &["Basic realm=\"r\"", digest], Some("Digest username"), None),
            (BASIC | DIGEST, &["basic realm=\"r\""], Some("Basic dTpw"), None),
            (BASIC | NTLM, &["Basic", "NTLM"], None, Some(ntlm)),
            (NTLM | DIGEST, &["NTLM", digest], Some("Digest username"), None),
            (ALL, &["NTLM", digest, "Negotiate"], None, Some(ConnectionAuth::Negotiate)),
            (DIGEST, &["Negotiate", "NTLM", "Basic"], None, None),
            (DIGEST | NTLM, &["Negotiate", "Basic"], None, None),
        ] {
            let asked = Asked {
                method: "GET".to_owned(),
                url: "http://a/".to_owned(),
                auth,
                user: "u".to_owned(),
                password: "p".to_owned(),
                ..Asked::default()
            };
            let (mut jar, mut fetch) = (Jar::default(), Fetch::new(&asked).unwrap());
            let mut exchange = fetch.next(&jar).unwrap();
            let shows = |it: &Exchange| {
                it.auth.is_some() || it.headers.iter().any(|it| it.0 == "Authorization")
            };
            assert_eq!(shows(&exchange), offers.is_empty(), "{auth}");
            let headers: Vec<_> = offers.iter().map(|it| ("WWW-Authenticate", *it)).collect();
            if !fetch.take(&mut jar, &answer(401, &headers), 1).unwrap() {
                exchange = fetch.next(&jar).unwrap();
                // The second refusal is final.
                assert_eq!(fetch.take(&mut jar, &answer(401, &headers), 1), Ok(true));
            }
            let authorization = exchange.headers.iter().find(|it| it.0 == "Authorization");
            let begins =
                authorization.map(|it| header.is_some_and(|begin| it.1.starts_with(begin)));
            assert_eq!((begins, exchange.auth), (header.map(|_| true), connection), "{auth}");
        }
    }

    #[test]
    fn a_digest_is_answered_once() {
        let asked = Asked {
            method: "GET".to_owned(),
            url: "http://a/".to_owned(),
            auth: DIGEST,
            user: "u".to_owned(),
            password: "p".to_owned(),
            ..Asked::default()
        };
        let wants = answer(401, &[("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\"")]);
        let made = play(&asked, &[wants.clone(), wants]).unwrap();
        let has = |at: usize| made.get(at).map(|it: &String| it.contains("Digest username"));
        assert_eq!((has(0), has(1), made.len()), (Some(false), Some(true), 2));
    }
}
