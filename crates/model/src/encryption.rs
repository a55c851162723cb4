//! Encryption of connections between the server and a host.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// No encryption. As the codes below it is a bit, so that several may be accepted.
pub const UNENCRYPTED: u8 = 1;
/// A pre-shared key.
pub const PSK: u8 = 2;
/// Certificates.
pub const CERTIFICATE: u8 = 4;

/// Fields `tls_…` of a host.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Encryption {
    /// How the server connects to the host: one of the codes.
    pub connect: u8,
    /// The encryption that the server accepts from it: a sum of codes.
    pub accept: u8,
    /// Distinguished name that its certificate's issuer is to have; empty: any.
    pub issuer: String,
    /// Distinguished name that its certificate is to have; empty: any.
    pub subject: String,
    pub psk_identity: String,
    /// Hexadecimal digits.
    pub psk: String,
}

impl Default for Encryption {
    /// None at all.
    fn default() -> Self {
        Self {
            connect: UNENCRYPTED,
            accept: UNENCRYPTED,
            issuer: String::new(),
            subject: String::new(),
            psk_identity: String::new(),
            psk: String::new(),
        }
    }
}

/// Without the key.
impl fmt::Debug for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryption")
            .field("connect", &self.connect)
            .field("accept", &self.accept)
            .finish_non_exhaustive()
    }
}

impl Encryption {
    /// Whether a pre-shared key is used in either direction.
    #[must_use]
    pub fn uses_psk(&self) -> bool {
        (self.connect | self.accept) & PSK != 0
    }

    /// Whether certificates are used in either direction.
    #[must_use]
    pub fn uses_certificate(&self) -> bool {
        (self.connect | self.accept) & CERTIFICATE != 0
    }
}

/// The keys of an identity of a pre-shared key, over all hosts. Between two edits there is one key; within an
/// edit there may be an old and a new one.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SharedKey {
    /// Hexadecimal digits, and how many hosts have them.
    keys: Vec<(Arc<str>, u32)>,
}

/// Without the keys.
impl fmt::Debug for SharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|it| it.1)).finish()
    }
}

impl SharedKey {
    /// Hexadecimal digits; `None` while there is more than one key.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self.keys.as_slice() {
            [(key, _)] => Some(key),
            _ => None,
        }
    }

    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.keys.is_empty()
    }

    /// Counts a host that has the key.
    pub fn add(&mut self, key: &str) {
        match self.keys.iter_mut().find(|it| &*it.0 == key) {
            Some((_, n)) => *n += 1,
            None => self.keys.push((key.into(), 1)),
        }
    }

    /// Counts a host that had the key no more.
    pub fn remove(&mut self, key: &str) {
        for (_, n) in self.keys.iter_mut().filter(|it| &*it.0 == key) {
            *n = n.saturating_sub(1);
        }
        self.keys.retain(|it| it.1 != 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_the_key_that_its_hosts_have() {
        let mut shared = SharedKey::default();
        shared.add("00");
        shared.add("00");
        shared.add("01");
        assert_eq!(shared.key(), None);
        shared.remove("00");
        assert_eq!(shared.key(), None);
        shared.remove("00");
        assert_eq!(shared.key(), Some("01"));
        shared.remove("01");
        assert!(shared.is_unused());
    }

    #[test]
    fn keys_are_not_printed() {
        let mut shared = SharedKey::default();
        shared.add("c0ffee");
        let host = Encryption { psk: "c0ffee".to_owned(), ..Encryption::default() };
        assert!(!format!("{shared:?} {host:?}").contains("c0ffee"));
    }
}
