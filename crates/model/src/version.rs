//! Versions of Zabbix's API, and the versions in which a row of a description applies.
//!
//! 7.0 is the reference: a row without versions applies in all of them. `since` is the version that added it,
//! `until` the last one that has it. A new version is a variant here and its rows.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// A version of Zabbix, as the settings name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Version {
    #[default]
    V7_0,
    V7_2,
    V7_4,
}

impl Version {
    /// From the oldest to the newest.
    pub const ALL: [Self; 3] = [Self::V7_0, Self::V7_2, Self::V7_4];

    /// As the settings and the manual name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V7_0 => "7.0",
            Self::V7_2 => "7.2",
            Self::V7_4 => "7.4",
        }
    }

    /// The answer of `apiinfo.version`: some clients compare the first three characters, others the whole
    /// text.
    #[must_use]
    pub const fn patch(self) -> &'static str {
        match self {
            Self::V7_0 => "7.0.10",
            Self::V7_2 => "7.2.10",
            Self::V7_4 => "7.4.5",
        }
    }

    /// Whether all methods do this.
    #[must_use]
    pub fn does(self, what: General) -> bool {
        GENERAL.iter().any(|it| it.what == what && it.versions.has(self))
    }

    const fn order(self) -> usize {
        match self {
            Self::V7_0 => 0,
            Self::V7_2 => 1,
            Self::V7_4 => 2,
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Data that are made once for each version.
#[derive(Debug)]
pub struct EachVersion<T>([OnceLock<T>; Version::ALL.len()]);

impl<T> EachVersion<T> {
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self([const { OnceLock::new() }; Version::ALL.len()])
    }

    pub fn get_or_init(&self, version: Version, make: impl FnOnce() -> T) -> &T {
        let [v7_0, v7_2, v7_4] = &self.0;
        let own = match version {
            Version::V7_0 => v7_0,
            Version::V7_2 => v7_2,
            Version::V7_4 => v7_4,
        };
        own.get_or_init(make)
    }
}

/// Why a text is no version.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" is no version of the API: 7.0, 7.2 or 7.4")]
pub struct NoVersion(String);

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let found = Self::ALL.into_iter().find(|it| it.name() == text.trim());
        found.ok_or_else(|| NoVersion(text.to_owned()))
    }
}

/// The versions in which a row holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Versions {
    /// The first one.
    pub since: Version,
    /// The last version that has it, if newer ones do not.
    pub until: Option<Version>,
}

impl Versions {
    pub const ALL: Self = Self { since: Version::V7_0, until: None };

    #[must_use]
    pub const fn since(since: Version) -> Self {
        Self { since, until: None }
    }

    /// This one is the last that has it.
    #[must_use]
    pub const fn until(last: Version) -> Self {
        Self { since: Version::V7_0, until: Some(last) }
    }

    #[must_use]
    pub const fn has(self, version: Version) -> bool {
        let is_there_yet = self.since.order() <= version.order();
        let is_there_still = match self.until {
            Some(last) => version.order() <= last.order(),
            None => true,
        };
        is_there_yet && is_there_still
    }
}

/// `since 7.4`, `until 7.0`; empty if it holds in all.
impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_old = self.since == Version::default();
        match (is_old, self.until) {
            (true, None) => Ok(()),
            (false, None) => write!(f, "since {}", self.since),
            (true, Some(last)) => write!(f, "until {last}"),
            (false, Some(last)) => write!(f, "since {}, until {last}", self.since),
        }
    }
}

/// Differences of all methods between versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum General {
    /// A session or token may be in `auth` of the body.
    AuthInBody,
    /// A field of `filter` with an empty list or an empty text is not filtered.
    EmptyFilterIsNone,
}

/// A general row.
#[derive(Clone, Copy, Debug)]
pub struct GeneralRow {
    pub what: General,
    pub versions: Versions,
    /// For the guide, without a full stop.
    pub doc: &'static str,
}

pub const GENERAL: &[GeneralRow] = &[
    GeneralRow {
        what: General::AuthInBody,
        versions: Versions::until(Version::V7_0),
        doc: "A session or token may be sent as `auth` in the body; newer versions refuse the member and take the \
            `Authorization` header alone",
    },
    GeneralRow {
        what: General::EmptyFilterIsNone,
        versions: Versions::until(Version::V7_0),
        doc: "A field of `filter` with an empty list or an empty text restricts nothing; in newer versions an empty \
            list finds nothing, and an empty text finds fields that are empty",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_from_its_first_version_to_its_last() {
        let held = |it: Versions| Version::ALL.map(|version| it.has(version));
        assert_eq!(held(Versions::ALL), [true, true, true]);
        assert_eq!(held(Versions::since(Version::V7_2)), [false, true, true]);
        assert_eq!(held(Versions::since(Version::V7_4)), [false, false, true]);
        assert_eq!(held(Versions::until(Version::V7_0)), [true, false, false]);
        assert_eq!(held(Versions::until(Version::V7_2)), [true, true, false]);
        let once = Versions { since: Version::V7_2, until: Some(Version::V7_2) };
        assert_eq!(held(once), [false, true, false]);
    }

    #[test]
    fn versions_are_parsed_and_displayed_by_name() {
        for version in Version::ALL {
            assert_eq!(version.name().parse(), Ok(version));
            assert!(version.patch().starts_with(&format!("{version}.")), "{version}");
        }
        for wrong in ["", "7", "7.1", "7.0.10", "8.0"] {
            assert!(wrong.parse::<Version>().is_err(), "{wrong}");
        }
        assert_eq!(Version::default(), Version::V7_0);
        assert_eq!(Versions::ALL.to_string(), "");
        assert_eq!(Versions::since(Version::V7_4).to_string(), "since 7.4");
        assert_eq!(Versions::until(Version::V7_0).to_string(), "until 7.0");
    }

    #[test]
    fn versions_are_in_order_and_each_general_row_differs_somewhere() {
        assert!(Version::ALL.is_sorted_by_key(|it| it.order()));
        for row in GENERAL {
            let held = Version::ALL.iter().filter(|it| row.versions.has(**it)).count();
            assert!(0 < held && held < Version::ALL.len(), "{:?}", row.what);
            assert_eq!(Version::V7_0.does(row.what), row.versions.has(Version::V7_0));
        }
    }
}
