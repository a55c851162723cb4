//! Version of a peer.

use std::fmt;

/// `major.minor.patch` as peers announce it. Release candidates count as their release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub major: u16,
    pub minor: u16,
    pub patch: u16,
}

impl Version {
    /// The version assumed of a peer that announces none.
    pub const ASSUMED: Self = Self::new(4, 2, 0);
    /// From this version on agents name items by id instead of host and key.
    pub const BY_ITEMID: Self = Self::new(4, 4, 0);
    /// From this version on items of agents have time-outs of their own.
    pub const WITH_TIMEOUTS: Self = Self::new(7, 0, 0);
    /// The version that this program announces.
    pub const OURS: Self = Self::new(7, 0, 0);

    #[must_use]
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Reads `7.0.4`, `7.0`, `7.0.0rc1`; anything else is [`Version::ASSUMED`].
    #[must_use]
    pub fn parse(text: Option<&str>) -> Self {
        text.and_then(Self::read).unwrap_or(Self::ASSUMED)
    }

    /// Whether the peer uses the form with item ids.
    #[must_use]
    pub fn is_by_itemid(self) -> bool {
        self >= Self::BY_ITEMID
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = match parts.next() {
            Some(rest) => {
                let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                rest.get(..n_digits)?.parse().ok()?
            }
            None => 0,
        };
        Some(Self { major, minor, patch })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_as_peers_write_them() {
        for (text, version) in [
            (Some("7.0.4"), Version::new(7, 0, 4)),
            (Some("7.0"), Version::new(7, 0, 0)),
            (Some("7.4.0rc2"), Version::new(7, 4, 0)),
            (Some("6.0.17"), Version::new(6, 0, 17)),
            (Some("7"), Version::ASSUMED),
            (Some("x.y"), Version::ASSUMED),
            (Some("-1.0"), Version::ASSUMED),
            (Some("7.0."), Version::ASSUMED),
            (Some("99999.0.0"), Version::ASSUMED),
            (Some(""), Version::ASSUMED),
            (None, Version::ASSUMED),
        ] {
            assert_eq!(Version::parse(text), version, "{text:?}");
        }
        assert!(!Version::ASSUMED.is_by_itemid());
        assert!(Version::parse(Some("4.4.0")).is_by_itemid());
    }
}
