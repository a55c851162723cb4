//! New ids: one growing number space for all objects, never reused.

use crate::error::DbError;

/// A new identity in exports: a UUID of version 4 without dashes.
pub(crate) fn random_uuid() -> Result<String, DbError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| DbError::Randomness(error.to_string()))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    Ok(bytes.iter().map(|it| format!("{it:02x}")).collect())
}

/// The next free id. Saved with each change that took one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ids {
    pub(crate) next: u64,
}

impl Ids {
    /// Below are the predefined objects, with Zabbix's ids.
    pub(crate) const FIRST: u64 = 10_001;

    pub(crate) fn take(&mut self) -> u64 {
        self.take_run(1)
    }

    /// The first of `n` ids in a row.
    pub(crate) fn take_run(&mut self, n: u64) -> u64 {
        let first = self.next;
        self.next += n;
        first
    }
}
