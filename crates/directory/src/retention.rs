//! How long values are kept.

/// The shortest period for which an item keeps history, if it keeps any; as in Zabbix.
pub(crate) const HISTORY_MIN_S: u32 = 3_600;

/// How long values are kept: classes, so that one file holds what expires together.
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
    /// The class that keeps `seconds` at least; 0 is [`Self::Nothing`].
    #[must_use]
    pub fn for_seconds(seconds: i64) -> Self {
        const DAY: i64 = 86_400;
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

    /// The class with this number.
    #[must_use]
    pub fn from_code(code: u8) -> Self {
        match code {
            0 => Self::Nothing,
            1 => Self::Day,
            2 => Self::Week,
            3 => Self::Month,
            4 => Self::Quarter,
            5 => Self::Year,
            _ => Self::Forever,
        }
    }

    /// The shortest period that [`Self::for_seconds`] puts into this class, of periods of an hour or
    /// more; `None` where values may be of any age.
    #[must_use]
    pub fn least_seconds(self) -> Option<i64> {
        const DAY: i64 = 86_400;
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
