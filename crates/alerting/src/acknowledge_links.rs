//! Links in messages by which a user acknowledges a problem without logging in.
//!
//! A link names a problem, a user and its end, signed with HMAC-SHA256 by a key that never leaves
//! the server: `/api/v1/acknowledge/<eventid>.<userid>.<until>.<code>`. It is valid for this alone.
//! Permissions are checked when it is used: links of a user who was disabled, or may not read the
//! host any more, are invalid.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hmac::{Hmac, KeyInit, Mac};
use model::{EventId, UserId};
use sha2::Sha256;

/// Below the base of the server's addresses.
pub(crate) const PATH: &str = "/api/v1/acknowledge/";

/// Bytes of the key.
pub const KEY_BYTES: usize = 32;

/// Of one address within [`ATTEMPTS_S`]: more wrong links than a person follows.
const ATTEMPTS_MAX: u32 = 20;
const ATTEMPTS_S: i64 = 60;
/// Addresses that are remembered at once.
const ADDRESSES_MAX: usize = 10_000;

/// Makes and reads links.
pub struct AcknowledgeLinks {
    key: [u8; KEY_BYTES],
    /// How long a link is good; 0: none are made, and none is good.
    valid_s: i64,
    attempts: Mutex<BTreeMap<String, Attempts>>,
}

#[derive(Clone, Copy, Default)]
struct Attempts {
    n: u32,
    since: i64,
}

impl fmt::Debug for AcknowledgeLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AcknowledgeLinks").field("valid_s", &self.valid_s).finish_non_exhaustive()
    }
}

/// The contents of a valid link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AcknowledgeLink {
    pub event: EventId,
    pub user: UserId,
}

/// Why a link is not good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkFault {
    /// Not made by this server, or changed.
    Wrong,
    Expired,
    /// Too many wrong ones from this address.
    TooMany,
}

impl AcknowledgeLinks {
    #[must_use]
    pub fn new(key: [u8; KEY_BYTES], valid_s: i64) -> Self {
        Self { key, valid_s, attempts: Mutex::default() }
    }

    /// The address of a link below `base`; `None`: there are none.
    #[must_use]
    pub fn url(&self, base: &str, link: AcknowledgeLink, now: i64) -> Option<String> {
        let base = base.trim_end_matches('/');
        if self.valid_s == 0 || base.is_empty() {
            return None;
        }
        let signed = signed(link, now.saturating_add(self.valid_s));
        let code: String = self
            .mac(&signed)
            .finalize()
            .into_bytes()
            .iter()
            .map(|it| format!("{it:02x}"))
            .collect();
        Some(format!("{base}{PATH}{signed}.{code}"))
    }

    /// Checks a link from an address.
    ///
    /// # Errors
    /// Why it is not good.
    pub fn read(&self, text: &str, from: &str, now: i64) -> Result<AcknowledgeLink, LinkFault> {
        if self.is_blocked(from, now) {
            return Err(LinkFault::TooMany);
        }
        let read = self.verified(text, now);
        if read == Err(LinkFault::Wrong) {
            self.count(from, now);
        }
        read
    }

    fn verified(&self, text: &str, now: i64) -> Result<AcknowledgeLink, LinkFault> {
        let parsed = || {
            let (signed_text, code) = text.rsplit_once('.')?;
            let mut parts = signed_text.split('.');
            let event = parts.next()?.parse().ok().map(EventId)?;
            let user = parts.next()?.parse().ok().map(UserId)?;
            let until: i64 = parts.next()?.parse().ok()?;
            let link = AcknowledgeLink { event, user };
            // One link has one way to be written.
            (signed(link, until) == signed_text).then_some((link, until, unhex(code)?))
        };
        let (link, until, code) = parsed().ok_or(LinkFault::Wrong)?;
        // Takes the same time wherever the codes differ.
        let is_ours = self.mac(&signed(link, until)).verify_slice(&code).is_ok();
        match is_ours && self.valid_s != 0 {
            false => Err(LinkFault::Wrong),
            true if until <= now => Err(LinkFault::Expired),
            true => Ok(link),
        }
    }

    fn mac(&self, signed: &str) -> Hmac<Sha256> {
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.key);
        let mut mac = mac.expect("keys of any length are taken");
        // Whatever else this key may sign one day is no link.
        mac.update(b"acknowledge ");
        mac.update(signed.as_bytes());
        mac
    }

    fn attempts(&self) -> MutexGuard<'_, BTreeMap<String, Attempts>> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_blocked(&self, from: &str, now: i64) -> bool {
        let attempts = self.attempts();
        let is_over = |it: &Attempts| it.since + ATTEMPTS_S <= now || now < it.since;
        attempts.get(from).is_some_and(|it| ATTEMPTS_MAX <= it.n && !is_over(it))
    }

    fn count(&self, from: &str, now: i64) {
        let mut attempts = self.attempts();
        attempts.retain(|_, it| now < it.since + ATTEMPTS_S && it.since <= now);
        if attempts.len() < ADDRESSES_MAX || attempts.contains_key(from) {
            let it = attempts.entry(from.to_owned()).or_insert(Attempts { n: 0, since: now });
            it.n += 1;
        }
    }
}

fn signed(link: AcknowledgeLink, until: i64) -> String {
    format!("{}.{}.{until}", link.event.0, link.user.0)
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let is_code =
        text.len() == 64 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
    if is_code { (0..text.len()).step_by(2).map(byte).collect() } else { None }
}

/// A text with invalid links: for readers who are not its recipients.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    if !text.contains(PATH) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(PATH);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_of_link = |it: char| it == '.' || it.is_ascii_hexdigit();
        shown.push_str(PATH);
        shown.push_str("******");
        shown.push_str(part.trim_start_matches(is_of_link));
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: AcknowledgeLink = AcknowledgeLink { event: EventId(12), user: UserId(7) };

    fn links() -> AcknowledgeLinks {
        AcknowledgeLinks::new([3; KEY_BYTES], 100)
    }

    fn token(links: &AcknowledgeLinks) -> String {
        let url = links.url("https://saker.example.com/", LINK, 1_000).expect("there are links");
        url.strip_prefix("https://saker.example.com/api/v1/acknowledge/")
            .expect("a path")
            .to_owned()
    }

    #[test]
    fn a_link_is_good_until_its_end() {
        let links = links();
        let token = token(&links);
        assert_eq!(links.read(&token, "a", 1_099), Ok(LINK));
        assert_eq!(links.read(&token, "a", 1_100), Err(LinkFault::Expired));
        let others = AcknowledgeLinks::new([4; KEY_BYTES], 100);
        assert_eq!(others.read(&token, "a", 1_000), Err(LinkFault::Wrong));
        let off = AcknowledgeLinks::new([3; KEY_BYTES], 0);
        assert_eq!(off.url("https://x", LINK, 1_000), None);
        assert_eq!(off.read(&token, "a", 1_000), Err(LinkFault::Wrong));
        assert_eq!(links.url("", LINK, 1_000), None);
    }

    #[test]
    fn no_changed_character_is_good() {
        let token = token(&links());
        for at in 0..token.len() {
            for with in ['0', '1', 'a', 'F', '.', '+', ' '] {
                let mut changed: Vec<char> = token.chars().collect();
                if changed[at] == with {
                    continue;
                }
                changed[at] = with;
                let changed: String = changed.into_iter().collect();
                assert_eq!(links().read(&changed, "a", 1_000), Err(LinkFault::Wrong), "{changed}");
            }
            let cut = token.get(..at).expect("it is ASCII");
            assert_eq!(links().read(cut, "a", 1_000), Err(LinkFault::Wrong), "{cut}");
        }
        for odd in
            [format!("0{token}"), format!("{token}0"), format!("1.{token}"), "ä.ä.ä.ä".into()]
        {
            assert_eq!(links().read(&odd, "a", 1_000), Err(LinkFault::Wrong), "{odd}");
        }
    }

    #[test]
    fn only_the_address_with_many_attempts_waits() {
        let links = links();
        let token = token(&links);
        for _ in 0..ATTEMPTS_MAX {
            assert_eq!(links.read("1.2.3.4", "a", 1_000), Err(LinkFault::Wrong));
        }
        assert_eq!(links.read(&token, "a", 1_059), Err(LinkFault::TooMany));
        assert_eq!(links.read(&token, "b", 1_059), Ok(LINK));
        assert_eq!(links.read(&token, "a", 1_060), Ok(LINK));
    }

    #[test]
    fn others_see_no_codes() {
        let links = links();
        let url = links.url("https://x", LINK, 1_000).expect("there are links");
        let text = format!("See {url}, or <a href=\"{url}\">here</a>.");
        let shown = masked(&text);
        let hidden = "https://x/api/v1/acknowledge/******";
        assert_eq!(shown, format!("See {hidden}, or <a href=\"{hidden}\">here</a>."));
        assert_eq!(masked("plain"), "plain");
    }
}
