//! History in PostgreSQL, 15 and later.
//!
//! Rows come by COPY into partitions, and the position in the journal in the same transaction: both are there or
//! neither is. If the answer to COMMIT is lost, the next connection reads the position and knows.

mod copy;
mod directory;
mod error;
mod read;
mod readers;
mod scan;
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write as _;
use std::sync::MutexGuard;
use std::thread;
use std::time::Duration;

use history::{
    Bucket, BucketQuery, DirectoryRow, RangeQuery, Result, SeriesRows, Trend, TrendQuery,
};
use model::ItemId;
use model::record::Sum;
use postgres::types::ToSql;
use postgres::{Client, Transaction};
use postgres_tls::Connector;
use rt::clock::Clock;
use rt::metrics::{Counter, Registry, TimeHistogram};
use tracing::{info, warn};

use self::copy::{Fields, Lines};
use self::error::{away, failure, refused};
use self::readers::Readers;
use self::schema::Partition;
use crate::batch::{Batch, Row};
use crate::positions::{Positions, StoredPlace};
use crate::remote_feed::{Backend, FeedLimits, FeedState, RemoteFeed};

rt::metrics! {
    /// History in PostgreSQL.
    pub struct PostgresMetrics in "saker_history_postgres", formerly "history_postgres" {
        /// Values stored for good.
        pub(crate) values_total: Counter,
        /// Bytes of rows that were sent.
        pub(crate) sent_bytes_total: Counter,
        /// Transactions that failed or whose answer was lost; rows that they did not store are sent
        /// again.
        pub(crate) failed_inserts_total: Counter,
        /// Values that cannot be stored: their item's number is too large.
        pub(crate) left_out_total: Counter,
        /// NUL characters of texts, replaced by U+FFFD: PostgreSQL cannot hold them.
        pub(crate) replaced_characters_total: Counter,
        /// Partitions dropped because all of their rows had expired.
        pub(crate) partitions_dropped_total: Counter,
        /// Time of a transaction that stores rows, in seconds.
        pub(crate) insert_seconds: TimeHistogram,
        /// Time of a query, in seconds.
        pub(crate) query_seconds: TimeHistogram,
    }
}

#[derive(Clone)]
pub struct PostgresSettings {
    /// `postgres://user:password@host:port/database`.
    pub url: String,
    /// Where the tables are.
    pub schema: String,
    /// Certificate authority of the server, as PEM; else those of the machine.
    pub ca_pem: Option<String>,
    /// Of a statement that stores.
    pub timeout: Duration,
    /// Of one that reads.
    pub read_timeout: Duration,
    /// Rows that make a transaction worth its while.
    pub flush_rows: usize,
    /// How long fewer of them wait.
    pub flush_interval: Duration,
    /// Rows in memory; no more are taken while so many cannot be stored.
    pub rows_max: usize,
}

impl Default for PostgresSettings {
    fn default() -> Self {
        Self {
            url: String::new(),
            schema: "saker_history".to_owned(),
            ca_pem: None,
            timeout: Duration::from_secs(60),
            read_timeout: Duration::from_secs(10),
            flush_rows: 100_000,
            flush_interval: Duration::from_secs(1),
            rows_max: 2_000_000,
        }
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the URL: it holds the password.
        f.debug_struct("PostgresSettings").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A store in PostgreSQL.
pub type Postgres = RemoteFeed<PostgresBackend>;

/// How rows are stored in PostgreSQL, and read.
pub struct PostgresBackend {
    connector: Connector,
    settings: PostgresSettings,
    /// The schema's name, quoted.
    schema: String,
    clock: Clock,
    metrics: PostgresMetrics,
    readers: Readers,
}

impl fmt::Debug for PostgresBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresBackend").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The connection that stores, and what is known with it.
#[derive(Default)]
pub struct PostgresContact {
    client: Option<Client>,
    /// Partitions that are there.
    made: BTreeSet<Partition>,
}

impl fmt::Debug for PostgresContact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresContact").field("made", &self.made).finish_non_exhaustive()
    }
}

impl Drop for PostgresBackend {
    fn drop(&mut self) {
        drop_elsewhere(self.readers.take_all());
    }
}

impl Drop for PostgresContact {
    fn drop(&mut self) {
        drop_elsewhere(self.client.take().into_iter().collect());
    }
}

/// Ends connections. Each ends by a runtime of its own, which the thread of another one must not
/// run: the thread that drops the store last may be such a thread.
fn drop_elsewhere(connections: Vec<Client>) {
    if !connections.is_empty() {
        thread::scope(|scope| {
            scope.spawn(move || drop(connections));
        });
    }
}

type Feed = FeedState<PostgresContact>;

const CONNECT_MAX: Duration = Duration::from_secs(10);

impl Postgres {
    /// A store that has not been spoken to yet: see [`Store::prepare`].
    ///
    /// # Errors
    /// The URL cannot be read.
    pub fn new(settings: PostgresSettings, clock: Clock, registry: &Registry) -> Result<Self> {
        let mut connector = Connector::new(&settings.url, settings.ca_pem.as_deref())
            .map_err(|error| refused(error.to_string()))?;
        connector.config.application_name("saker history");
        connector.config.keepalives_idle(Duration::from_secs(30));
        let schema = schema::quoted(&settings.schema);
        let metrics = PostgresMetrics::register(registry);
        let readers = Readers::new(settings.read_timeout);
        let limits = FeedLimits {
            flush_rows: settings.flush_rows,
            flush_interval: settings.flush_interval,
            rows_max: settings.rows_max,
        };
        let backend =
            PostgresBackend { connector, settings, schema, clock: clock.clone(), metrics, readers };
        Ok(Self::of(backend, limits, clock))
    }
}

impl PostgresBackend {
    fn connect(&self, timeout: Duration) -> Result<Client> {
        let mut connector = self.connector.clone();
        connector.config.connect_timeout(CONNECT_MAX.min(timeout));
        // A server that vanishes without a word is noticed.
        connector.config.tcp_user_timeout(timeout);
        let mut client = connector.connect().map_err(|it| failure(&it))?;
        let timeout_ms = timeout.as_millis();
        let set = format!(
            "set client_min_messages = warning; set statement_timeout = {timeout_ms}; \
             set timezone = 'UTC'; set extra_float_digits = 1"
        );
        client.batch_execute(&set).map_err(|it| failure(&it))?;
        Ok(client)
    }

    /// Makes the connection of rows; with a new one, how far the journal is stored is read again.
    fn connect_feed(&self, feed: &mut Feed, positions: &Positions) -> Result<()> {
        if feed.contact.client.as_ref().is_some_and(|it| !it.is_closed()) {
            return Ok(());
        }
        let mut client = self.connect(self.settings.timeout)?;
        schema::prepare(&mut client, &self.schema)?;
        directory::prepare(&mut client, &self.schema)?;
        let places = self.places(&mut client)?;
        let position = positions.found(&places);
        info!(cursor = %position, "connected to PostgreSQL for history");
        feed.contact.client = Some(client);
        feed.contact.made.clear();
        feed.start_at(position);
        Ok(())
    }

    /// How far each journal is stored.
    fn places(&self, client: &mut Client) -> Result<Vec<StoredPlace>> {
        let sql = format!("select journal::text, identity from {}.saker_cursor", self.schema);
        let rows = client.query(&sql, &[]).map_err(|it| failure(&it))?;
        let place = |row: &::postgres::Row| {
            let text: String = row.try_get(0).map_err(|it| failure(&it))?;
            let identity: i64 = row.try_get(1).map_err(|it| failure(&it))?;
            let place = text.parse().map_err(|_no_number| refused("its position is no number"))?;
            Ok(StoredPlace { place, identity: u32::try_from(identity).unwrap_or(0) })
        };
        rows.iter().map(place).collect()
    }

    /// Stores the batch and the position in one transaction.
    fn store_all(&self, feed: &mut Feed, positions: &Positions, place: u64) -> Result<()> {
        let started_ns = self.clock.mono_ns();
        let stored = self.transact(feed, positions.journal_identity(), place);
        self.metrics.insert_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        match stored {
            Ok(()) => feed.start_at(positions.stored_at(place)),
            Err(_) => {
                // Whether it is stored is asked on a new connection.
                feed.contact.client = None;
                feed.applied = feed.stored;
                positions.set(feed.applied, feed.stored);
                self.metrics.failed_inserts_total.inc();
            }
        }
        stored
    }

    fn transact(&self, feed: &mut Feed, journal_identity: u32, place: u64) -> Result<()> {
        let batch = std::mem::take(&mut feed.batch);
        self.make_partitions(&mut feed.contact, &batch)?;
        let Some(client) = &mut feed.contact.client else {
            return Err(away("there is no connection"));
        };
        let mut transaction = client.transaction().map_err(|it| failure(&it))?;
        self.copy(&mut transaction, "history", &batch.floats)?;
        self.copy(&mut transaction, "history_uint", &batch.unsigned)?;
        self.copy(&mut transaction, "history_str", &batch.chars)?;
        self.copy(&mut transaction, "history_text", &batch.texts)?;
        self.copy(&mut transaction, "history_bin", &batch.binaries)?;
        self.copy(&mut transaction, "history_log", &batch.logs)?;
        let (whole, floats): (Vec<_>, Vec<_>) =
            batch.trends.into_iter().partition(|it| matches!(it.value.sum, Sum::Unsigned(_)));
        self.copy(&mut transaction, schema::TRENDS, &floats)?;
        self.copy(&mut transaction, schema::TRENDS_UINT, &whole)?;
        let sql = format!(
            "insert into {}.saker_cursor (journal, identity) values ($1::text::numeric, $2) \
             on conflict (identity) do update set journal = excluded.journal",
            self.schema
        );
        let identity = i64::from(journal_identity);
        transaction.execute(&sql, &[&place.to_string(), &identity]).map_err(|it| failure(&it))?;
        transaction.commit().map_err(|it| failure(&it))
    }

    /// Those of the batch, and each one after it: midnight finds them made.
    fn make_partitions(&self, contact: &mut PostgresContact, batch: &Batch) -> Result<()> {
        let mut wanted = BTreeSet::new();
        let mut add = |table, retention, time| {
            let partition = Partition::of(table, retention, time);
            if !contact.made.contains(&partition) {
                wanted.extend([partition, partition.next()]);
            }
        };
        batch.floats.iter().for_each(|it| add("history", it.retention, it.time));
        batch.unsigned.iter().for_each(|it| add("history_uint", it.retention, it.time));
        batch.chars.iter().for_each(|it| add("history_str", it.retention, it.time));
        batch.texts.iter().for_each(|it| add("history_text", it.retention, it.time));
        batch.binaries.iter().for_each(|it| add("history_bin", it.retention, it.time));
        batch.logs.iter().for_each(|it| add("history_log", it.retention, it.time));
        for row in &batch.trends {
            let is_whole = matches!(row.value.sum, Sum::Unsigned(_));
            let table = if is_whole { schema::TRENDS_UINT } else { schema::TRENDS };
            add(table, row.retention, row.time);
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let Some(client) = &mut contact.client else { return Err(away("there is no connection")) };
        schema::make(client, &self.schema, &wanted)?;
        contact.made.append(&mut wanted);
        Ok(())
    }

    fn copy<T: Fields>(
        &self,
        transaction: &mut Transaction<'_>,
        table: &str,
        rows: &[Row<T>],
    ) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut lines = Lines::default();
        let n_left_out = rows.iter().filter(|it| !lines.row(it)).count();
        self.metrics.left_out_total.add(n_left_out as u64);
        self.metrics.replaced_characters_total.add(lines.n_replaced);
        self.metrics.sent_bytes_total.add(lines.text.len() as u64);
        let columns = schema::copied_columns(table);
        let sql = format!("copy {}.{table} ({columns}) from stdin", self.schema);
        let mut sink = transaction.copy_in(&sql).map_err(|it| failure(&it))?;
        sink.write_all(lines.text.as_bytes()).map_err(|it| away(it.to_string()))?;
        sink.finish().map(drop).map_err(|it| failure(&it))
    }

    fn drop_partitions(&self, feed: &mut Feed) -> Result<()> {
        if feed.contact.client.is_none() || !feed.drop_is_due(self.clock.mono_ns()) {
            return Ok(());
        }
        let Some(client) = &mut feed.contact.client else { return Ok(()) };
        let names = (self.settings.schema.as_str(), self.schema.as_str());
        let dropped = schema::drop_expired(client, names, self.clock.wall())?;
        self.metrics.partitions_dropped_total.add(dropped.len() as u64);
        // They may be wanted again, by values that come very late.
        if !dropped.is_empty() {
            feed.contact.made.clear();
            info!(n = dropped.len(), "dropped partitions of history that have expired");
        }
        Ok(())
    }

    fn ask<T>(&self, query: impl Fn(&mut Client) -> Result<T, postgres::Error>) -> Result<T> {
        let started_ns = self.clock.mono_ns();
        let answer = self.readers.ask(|| self.connect(self.settings.read_timeout), query);
        self.metrics.query_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        answer
    }

    /// Values of items that are asked for in one statement.
    fn select(
        &self,
        queries: &[RangeQuery],
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, SeriesRows>> {
        let Some(first) = queries.first() else { return Ok(BTreeMap::new()) };
        let sql = read::ranges_sql(&self.schema, first);
        let asked: Vec<&RangeQuery> =
            queries.iter().filter(|it| i64::try_from(it.item.0).is_ok()).collect();
        let of = |number: fn(&RangeQuery) -> i64| -> Vec<i64> {
            asked.iter().map(|it| number(it)).collect()
        };
        let items = of(|it| it.item.0.cast_signed());
        let (from, till) = (of(|it| it.from.clock()), of(|it| it.till.clock()));
        let (from_ns, till_ns) = (of(|it| it.from.ns().into()), of(|it| it.till.ns().into()));
        let limits = of(|it| i64::try_from(it.limit).unwrap_or(i64::MAX));
        let before = signed(before);
        let rows = self.ask(|client| {
            client.query(&sql, &[&items, &from, &from_ns, &till, &till_ns, &limits, &before])
        })?;
        read::values(first.kind, &rows)
    }
}

/// Before which place rows count.
fn signed(before: Option<u64>) -> i64 {
    before.and_then(|it| i64::try_from(it).ok()).unwrap_or(i64::MAX)
}

impl Backend for PostgresBackend {
    type Contact = PostgresContact;

    fn contact(&self, feed: &mut Feed, positions: &Positions) -> Result<()> {
        self.connect_feed(feed, positions)
    }

    fn before_rows(&self, feed: &mut Feed, _positions: &Positions) -> Result<()> {
        if feed.contact.client.is_none() {
            return Err(away("the connection has ended"));
        }
        Ok(())
    }

    fn store(&self, feed: &mut Feed, positions: &Positions, place: u64) -> Result<()> {
        self.store_all(feed, positions, place)
    }

    fn newest_place(&self, feed: &mut Feed) -> Result<u64> {
        let Some(client) = &mut feed.contact.client else {
            return Err(away("there is no connection"));
        };
        Ok(self.places(client)?.iter().map(|it| it.place).max().unwrap_or(0))
    }

    fn count_stored(&self, n_values: u64) {
        self.metrics.values_total.add(n_values);
    }

    fn drop_expired(&self, feed: &mut Feed) {
        if let Err(error) = self.drop_partitions(feed) {
            warn!(%error, "expired partitions of history in PostgreSQL are not dropped yet");
        }
    }

    fn delete_items(&self, feed: &mut Feed, positions: &Positions, items: &[ItemId]) -> Result<()> {
        // Rows in memory are of the past, too.
        self.store_all(feed, positions, positions.place(feed.applied))?;
        let Some(client) = &mut feed.contact.client else {
            return Err(away("there is no connection"));
        };
        let mut transaction = client.transaction().map_err(|it| failure(&it))?;
        let items = read::ids(items.iter().copied());
        for table in schema::tables() {
            let sql = format!("delete from {}.{table} where itemid = any($1)", self.schema);
            transaction.execute(&sql, &[&items]).map_err(|it| failure(&it))?;
        }
        transaction.commit().map_err(|it| failure(&it))
    }

    fn values(
        &self,
        queries: &[RangeQuery],
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, SeriesRows>> {
        self.select(queries, before)
    }

    fn trends(
        &self,
        shape: &TrendQuery,
        items: &mut dyn Iterator<Item = ItemId>,
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, Vec<Trend>>> {
        let Some(sql) = read::trends_sql(&self.schema, shape.kind) else {
            return Ok(BTreeMap::new());
        };
        let (items, before) = (read::ids(items), signed(before));
        let (from, till) = (shape.from.start().clock(), shape.till.start().clock());
        let rows = self.ask(|client| client.query(&sql, &[&items, &from, &till, &before]))?;
        read::trends(shape.kind, &rows)
    }

    fn buckets(
        &self,
        shape: &BucketQuery,
        items: &mut dyn Iterator<Item = ItemId>,
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, Vec<Bucket>>> {
        let Some(width) = shape.width() else { return Ok(BTreeMap::new()) };
        let sql = read::buckets_sql(&self.schema, shape.kind);
        let (items, before) = (read::ids(items), signed(before));
        let [from, till, width_text] = [shape.from.0, shape.till.0, width].map(|it| it.to_string());
        let (from_s, till_s) = (shape.from.clock(), shape.till.clock());
        let rows = self.ask(|client| {
            let parameters: [&(dyn ToSql + Sync); 7] =
                [&items, &from, &width_text, &from_s, &till_s, &till, &before];
            client.query(&sql, &parameters)
        })?;
        read::buckets(shape, width, &rows)
    }

    fn directory(&self) -> Result<Vec<ItemId>> {
        // The table is there once there was contact.
        self.ask(|client| directory::items(client, &self.schema))
    }

    fn write_directory(
        &self,
        mut feed: MutexGuard<'_, Feed>,
        rows: &[DirectoryRow],
        gone: &[ItemId],
    ) -> Result<()> {
        let Some(client) = &mut feed.contact.client else {
            return Err(away("there is no connection"));
        };
        directory::write(client, &self.schema, rows, gone).map_err(|it| failure(&it))
    }
}
