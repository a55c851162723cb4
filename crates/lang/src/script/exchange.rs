//! A request of a script: redirects, cookies and authentication around single exchanges.

use std::time::Duration;

use super::bytes;
use super::cookies::Jar;
use super::digest::Challenge;
use super::host::{Host, Request, Response};
use super::url::Url;

/// Redirects that are followed.
const REDIRECTS_MAX: usize = 10;
const BASIC: i32 = 1;
const DIGEST: i32 = 2;

/// What a script asks for.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) url: String,
    /// `name: value`.
    pub(super) headers: Vec<String>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) proxy: String,
    /// Bits as in `HTTPAUTH_…`.
    pub(super) auth: i32,
    pub(super) user: String,
    pub(super) password: String,
    /// Number of the request object.
    pub(super) jar: usize,
}

/// What a run has left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Left {
    pub(super) deadline_ns: u64,
    pub(super) body_bytes: usize,
}

/// Does a request. The headers are those of all answers on the way.
pub(super) fn run(
    host: &mut dyn Host,
    jars: &mut [Jar],
    left: Left,
    asked: &Asked,
) -> Result<Response, String> {
    let mut none = Jar::default();
    let jar = jars.get_mut(asked.jar).unwrap_or(&mut none);
    let mut walk = Walk::new(asked)?;
    let mut headers = Vec::new();
    for _ in 0..=REDIRECTS_MAX {
        let answer = walk.step(host, jar, left)?;
        let location = answer.header("location").map(str::to_owned);
        let status = answer.status;
        headers.extend(answer.headers.iter().cloned());
        match location {
            Some(location) if matches!(status, 301 | 302 | 303 | 307 | 308) => {
                walk.redirect(status, &location)?;
            }
            _ => return Ok(Response { headers, ..answer }),
        }
    }
    Err(format!("Maximum ({REDIRECTS_MAX}) redirects followed"))
}

/// Where a request stands.
struct Walk<'a> {
    asked: &'a Asked,
    url: String,
    method: String,
    has_body: bool,
    /// Credentials go to the first host only.
    is_at_home: bool,
}

impl<'a> Walk<'a> {
    fn new(asked: &'a Asked) -> Result<Self, String> {
        let method = asked.method.trim().to_owned();
        if method.is_empty()
            || !method.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
        {
            return Err(format!("invalid HTTP method \"{method}\""));
        }
        if asked.auth & (BASIC | DIGEST) == 0 && asked.auth != 0 {
            return Err(
                "HTTP authentication other than basic and digest is not supported".to_owned()
            );
        }
        let url = asked.url.trim().to_owned();
        Url::parse(&url)?;
        Ok(Self { asked, url, method, has_body: asked.body.is_some(), is_at_home: true })
    }

    /// One exchange, or two if the server asks for a digest.
    fn step(&mut self, host: &mut dyn Host, jar: &mut Jar, left: Left) -> Result<Response, String> {
        let url = Url::parse(&self.url)?;
        let answer = self.exchange(host, jar, left, &url, self.basic(&url))?;
        if answer.status != 401 || self.asked.auth & DIGEST == 0 || !self.is_at_home {
            return Ok(answer);
        }
        let mut challenges =
            answer.headers.iter().filter(|it| it.0.eq_ignore_ascii_case("www-authenticate"));
        let Some(challenge) = challenges.find_map(|it| Challenge::parse(&it.1)) else {
            return Ok(answer);
        };
        let user = (self.asked.user.as_str(), self.asked.password.as_str());
        let target = url.target();
        let reply = challenge.answer(user, (&self.method, &target), host.now_ns());
        self.exchange(host, jar, left, &url, Some(reply))
    }

    /// Basic authentication, sent at once where nothing else is allowed.
    fn basic(&self, url: &Url<'_>) -> Option<String> {
        let Asked { auth, user, password, .. } = self.asked;
        let pair = if auth & BASIC != 0 && auth & DIGEST == 0 && self.is_at_home {
            format!("{user}:{password}")
        } else {
            url.user?.to_owned()
        };
        Some(format!("Basic {}", bytes::encode(pair.as_bytes())))
    }

    fn exchange(
        &self,
        host: &mut dyn Host,
        jar: &mut Jar,
        left: Left,
        url: &Url<'_>,
        authorization: Option<String>,
    ) -> Result<Response, String> {
        let now_ns = host.now_ns();
        let time = Duration::from_nanos(left.deadline_ns.saturating_sub(now_ns));
        if time.is_zero() {
            return Err("Timeout was reached".to_owned());
        }
        let mut headers = self.headers();
        let cookie = jar.header(url.authority, url.is_tls).map(|it| ("Cookie".to_owned(), it));
        headers.extend(cookie);
        headers.extend(authorization.map(|it| ("Authorization".to_owned(), it)));
        let body = self.asked.body.as_deref().filter(|_| self.has_body);
        let answer = host.exchange(&Request {
            method: &self.method,
            url: &url.plain(),
            headers: &headers,
            body,
            proxy: &self.asked.proxy,
            time,
            body_bytes_max: left.body_bytes,
        })?;
        for (name, value) in &answer.headers {
            if name.eq_ignore_ascii_case("set-cookie") {
                jar.set(url.authority, value);
            }
        }
        Ok(answer)
    }

    /// Headers of the script; those with secrets stay at the first host. `name:` without a value
    /// means no such header, as with curl, and `name;` an empty one.
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
