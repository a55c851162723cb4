//! How a condition compares.

/// `operator` of Zabbix 7.0's conditions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConditionOperator {
    Equal,
    NotEqual,
    Contains,
    NotContains,
    In,
    AtLeast,
    AtMost,
    NotIn,
    Matches,
    NotMatches,
    Yes,
    No,
}

impl ConditionOperator {
    const ALL: [Self; 12] = [
        Self::Equal,
        Self::NotEqual,
        Self::Contains,
        Self::NotContains,
        Self::In,
        Self::AtLeast,
        Self::AtMost,
        Self::NotIn,
        Self::Matches,
        Self::NotMatches,
        Self::Yes,
        Self::No,
    ];

    /// As the API has it.
    #[must_use]
    pub fn code(self) -> u8 {
        let at = Self::ALL.iter().position(|it| *it == self);
        u8::try_from(at.unwrap_or_default()).unwrap_or_default()
    }

    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// As a sentence has it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equals",
            Self::NotEqual => "does not equal",
            Self::Contains => "contains",
            Self::NotContains => "does not contain",
            Self::In => "in",
            Self::AtLeast => "is greater than or equals",
            Self::AtMost => "is less than or equals",
            Self::NotIn => "not in",
            Self::Matches => "matches",
            Self::NotMatches => "does not match",
            Self::Yes => "Yes",
            Self::No => "No",
        }
    }

    /// Whether it negates its comparison.
    #[must_use]
    pub const fn is_negation(self) -> bool {
        matches!(
            self,
            Self::NotEqual | Self::NotContains | Self::NotIn | Self::NotMatches | Self::No
        )
    }
}
