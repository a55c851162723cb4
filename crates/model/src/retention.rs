//! How long values and trends are kept: classes of periods.

/// The shortest period for which an item keeps history, if it keeps any; as in Zabbix.
pub const HISTORY_MIN_S: u32 = 3_600;

const DAY: i64 = 86_400;

/// How long values are kept: classes, so that one file holds what expires together. The numbers are
/// part of the record's format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Retention {
    /// Not stored; live state, windows and triggers use it all the same.
    Nothing = 0,
    Day = 1,
    Week = 2,
    #[default]
    Month = 3,
    Quarter = 4,
    Year = 5,
    Forever = 6,
}

impl Retention {
    pub const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Quarter,
        Self::Year,
        Self::Forever,
    ];

    /// The class that keeps `seconds` at least; 0 is [`Self::Nothing`].
    #[must_use]
    pub fn for_seconds(seconds: i64) -> Self {
        match seconds {
            ..=0 => Self::Nothing,
            1..=DAY => Self::Day,
            _ if seconds <= 7 * DAY => Self::Week,
            _ if seconds <= 31 * DAY => Self::Month,
            _ if seconds <= 90 * DAY => Self::Quarter,
            _ if seconds <= 365 * DAY => Self::Year,
            _ => Self::Forever,
        }
    }

    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Days that the class keeps; `None`: for ever.
    #[must_use]
    pub fn days(self) -> Option<u32> {
        Some(match self {
            Self::Nothing => 0,
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 31,
            Self::Quarter => 90,
            Self::Year => 365,
            Self::Forever => return None,
        })
    }

    /// The shortest period that [`Self::for_seconds`] puts into this class, of periods of an hour or
    /// more; `None` where values may be of any age.
    #[must_use]
    pub fn least_seconds(self) -> Option<i64> {
        Some(match self {
            Self::Nothing => return None,
            Self::Day => i64::from(HISTORY_MIN_S),
            Self::Week => DAY,
            Self::Month => 7 * DAY,
            Self::Quarter => 31 * DAY,
            Self::Year => 90 * DAY,
            Self::Forever => 365 * DAY,
        })
    }
}

/// The classes of an item's values and of their trends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Classes {
    pub history: Retention,
    pub trends: Retention,
}

impl Default for Classes {
    /// Those of an item that says nothing.
    fn default() -> Self {
        Self { history: Retention::Month, trends: Retention::Year }
    }
}
