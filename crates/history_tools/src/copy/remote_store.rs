//! The stores that are copied, opened by the settings.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use history::{Flush, LiveStore, Result, Store};
use journal::{Journal, Lsn};
use rt::clock::Clock;
use rt::metrics::Registry;
use stores::{ClickHouse, Contents, DayCount, Postgres};

use super::error::CopyError;
use crate::stopped::StoreSettings;

/// A store as it is named on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoreName {
    Embedded,
    ClickHouse,
    PostgreSql,
}

/// For a request of a copy: counting all rows takes longer than queries of a server.
const TIMEOUT: Duration = Duration::from_secs(1_800);
/// Seconds that a `DateTime` of ClickHouse holds.
const CLICKHOUSE_CLOCKS: RangeInclusive<i64> = 0..=u32::MAX as i64;

/// A store on another machine.
pub(super) enum RemoteStore {
    ClickHouse(Box<ClickHouse>),
    PostgreSql(Box<Postgres>),
}

impl RemoteStore {
    /// # Errors
    /// The settings do not name it, or can't be used.
    pub(super) fn open(settings: &dyn StoreSettings, name: StoreName) -> Result<Self, CopyError> {
        let (clock, registry) = (Clock::real(), Registry::new());
        let refused = |error: history::Error| CopyError::Settings(error.to_string());
        match name {
            StoreName::Embedded => Err(CopyError::Same),
            StoreName::ClickHouse => {
                let found = settings.clickhouse().map_err(CopyError::Settings)?;
                let found = found.ok_or(CopyError::NotSet { section: "clickhouse.url" })?;
                let found = stores::clickhouse::ClickHouseSettings {
                    timeout: TIMEOUT,
                    read_timeout: TIMEOUT,
                    ..found
                };
                let store = ClickHouse::new(found, clock, &registry).map_err(refused)?;
                Ok(Self::ClickHouse(Box::new(store)))
            }
            StoreName::PostgreSql => {
                let found = settings.postgres().map_err(CopyError::Settings)?;
                let found = found.ok_or(CopyError::NotSet { section: "postgres.url" })?;
                let found = stores::postgres::PostgresSettings {
                    timeout: TIMEOUT,
                    read_timeout: TIMEOUT,
                    ..found
                };
                let store = Postgres::new(found, clock, &registry).map_err(refused)?;
                Ok(Self::PostgreSql(Box::new(store)))
            }
        }
    }

    pub(super) fn store(&self) -> &dyn Flush {
        match self {
            Self::ClickHouse(it) => &**it,
            Self::PostgreSql(it) => &**it,
        }
    }

    /// # Errors
    /// It does not answer, or refuses.
    pub(super) fn counts(&self) -> Result<Vec<DayCount>> {
        match self {
            Self::ClickHouse(it) => it.counts(),
            Self::PostgreSql(it) => it.counts(),
        }
    }

    fn contents(&self) -> Result<Contents> {
        match self {
            Self::ClickHouse(it) => it.contents(),
            Self::PostgreSql(it) => it.contents(),
        }
    }

    /// Seconds since 1970 that it can store.
    pub(super) fn holds(&self) -> RangeInclusive<i64> {
        match self {
            Self::ClickHouse(_) => CLICKHOUSE_CLOCKS,
            Self::PostgreSql(_) => i64::MIN..=i64::MAX,
        }
    }
}

/// The source of a copy.
pub(super) enum Source {
    Embedded(Arc<dyn LiveStore>),
    Elsewhere(RemoteStore),
}

impl Source {
    pub(super) fn store(&self) -> &dyn Store {
        match self {
            Self::Embedded(it) => it,
            Self::Elsewhere(it) => match it {
                RemoteStore::ClickHouse(it) => &**it,
                RemoteStore::PostgreSql(it) => &**it,
            },
        }
    }

    /// # Errors
    /// It can't be read.
    pub(super) fn contents(&self) -> Result<Contents> {
        match self {
            Self::Embedded(it) => {
                let values: std::collections::BTreeSet<_> = it.series()?.into_iter().collect();
                let trends = values.iter().map(|it| it.item).collect();
                Ok(Contents { values, trends })
            }
            Self::Elsewhere(it) => it.contents(),
        }
    }

    /// Identifies the contents of the source: differs from earlier contents and from other sources;
    /// never 0.
    ///
    /// # Errors
    /// It can't be read.
    pub(super) fn mark(&self) -> Result<u32, CopyError> {
        let mut state = String::new();
        match self {
            Self::Embedded(it) => {
                // All values are in files then; their names and lengths identify the contents.
                it.flush_once().map_err(CopyError::Source)?;
                state.push_str(&format!("embedded {}", it.cursor()));
                for file in it.copy_of() {
                    let len = file.len().unwrap_or(0);
                    // The manifest has a clock.
                    if file.name.extension().is_some() {
                        state.push_str(&format!(" {} {len}", file.name.display()));
                    }
                }
            }
            Self::Elsewhere(it) => {
                it.store().prepare().map_err(CopyError::Source)?;
                let (cursor, journal) = (it.store().cursor(), it.store().journal_identity());
                state.push_str(&format!("elsewhere {cursor} {journal}"));
                let mut counts = it.counts().map_err(CopyError::Source)?;
                counts.sort_by_key(|it| (it.table, it.days, it.day));
                state.push_str(&format!(" {counts:?}"));
            }
        }
        Ok(crc32c::crc32c(state.as_bytes()).max(1))
    }

    /// Up to where the source has the journal.
    ///
    /// # Errors
    /// That is not known: the source is of another journal, or of one that was cut.
    pub(super) fn place(&self, journal: &Journal) -> Result<Lsn, CopyError> {
        let store = self.store();
        let is_its_own = match self {
            Self::Embedded(_) => true,
            Self::Elsewhere(_) => store.journal_identity() == journal.identity(),
        };
        let place = store.cursor();
        let is_there = (journal.first_lsn()..=journal.next_lsn()).contains(&place);
        if is_its_own && is_there { Ok(place) } else { Err(CopyError::SourcePlace) }
    }
}
