//! The versions of ClickHouse, and what came with them.

/// The version of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Version(u32, u32);

impl Version {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().split('.').map(str::parse);
        Some(Self(numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    /// `DoubleDelta` and `Gorilla`.
    pub(super) fn has_codecs(self) -> bool {
        Self(19, 11) <= self
    }

    /// Parts whose rows have all expired are dropped by the server, and no others are touched.
    pub(super) fn drops_by_ttl(self) -> bool {
        Self(20, 3) <= self
    }

    /// An `ALTER … DELETE` can be answered when the rows are gone.
    pub(super) fn waits_for_mutations(self) -> bool {
        Self(19, 11) <= self
    }

    /// Late values of more days than a hundred may come in one insert.
    pub(super) fn limits_partitions(self) -> bool {
        Self(20, 3) <= self
    }
}
