//! History in PostgreSQL, 15 and later.
//!
//! Rows come by COPY into partitions, and the position in the journal in the same transaction: both are there or
//! neither is. If the answer to COMMIT is lost, the next connection reads the position and knows.

mod copy;
mod directory;
mod error;
mod read;
mod readers;
mod schema;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use history::{
    Bucket, BucketQuery, Directory, DirectoryRow, Flush, Flushed, RangeQuery, RemoteStore, Result,
    Rows, Samples, Store, Trend, TrendQuery,
};
use journal::{Journal, Lsn};
use model::ItemId;
use model::record::{RecordView, Sum};
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
use crate::ranges;

rt::metrics! {
    /// History in PostgreSQL.
    pub struct PostgresMetrics in "history_postgres" {
        /// Values stored for good.
        pub(crate) values_total: Counter,
        /// Bytes of rows that were sent.
        pub(crate) sent_bytes_total: Counter,
        /// Transactions that failed or whose answer was lost; what they did not store is sent again.
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
pub struct Settings {
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

impl Default for Settings {
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

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Never the URL: it holds the password.
        f.debug_struct("Settings").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A store in PostgreSQL.
pub struct Postgres {
    connector: Connector,
    settings: Settings,
    /// The schema's name, quoted.
    schema: String,
    clock: Clock,
    metrics: PostgresMetrics,
    positions: Positions,
    writer: Mutex<Writer>,
    readers: Readers,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Drop for Postgres {
    /// A connection ends by a runtime of its own, which the thread of another one must not run: whoever lets
    /// go of the store last may be such a thread.
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).client.take();
        let readers = self.readers.take_all();
        if writer.is_some() || !readers.is_empty() {
            thread::scope(|scope| {
                scope.spawn(move || drop((writer, readers)));
            });
        }
    }
}

#[derive(Default)]
struct Writer {
    client: Option<Client>,
    batch: Batch,
    /// When the first row of the batch came.
    since_ns: u64,
    applied: Lsn,
    stored: Lsn,
    /// Partitions that are there.
    made: BTreeSet<Partition>,
    /// When expired partitions were last looked for.
    dropped_ns: Option<u64>,
}

/// Between two looks for partitions that have expired.
const DROP_INTERVAL_NS: u64 = 3_600_000_000_000;
const CONNECT_MAX: Duration = Duration::from_secs(10);

impl Postgres {
    /// A store that has not been spoken to yet: see [`Store::prepare`].
    ///
    /// # Errors
    /// The URL cannot be read.
    pub fn new(settings: Settings, clock: Clock, registry: &Registry) -> Result<Self> {
        let mut connector = Connector::new(&settings.url, settings.ca_pem.as_deref())
            .map_err(|error| refused(error.to_string()))?;
        connector.config.application_name("saker history");
        connector.config.keepalives_idle(Duration::from_secs(30));
        let schema = schema::quoted(&settings.schema);
        let metrics = PostgresMetrics::register(registry);
        let readers = Readers::new(settings.read_timeout);
        let (writer, positions) = (Mutex::default(), Positions::default());
        Ok(Self { connector, settings, schema, clock, metrics, positions, writer, readers })
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

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

    /// The connection of rows; with a new one, how far the journal is stored is read again.
    fn contact<'w>(&self, writer: &'w mut Writer) -> Result<&'w mut Writer> {
        if writer.client.as_ref().is_some_and(|it| !it.is_closed()) {
            return Ok(writer);
        }
        let mut client = self.connect(self.settings.timeout)?;
        schema::prepare(&mut client, &self.schema)?;
        directory::prepare(&mut client, &self.schema)?;
        let places = self.places(&mut client)?;
        let position = self.positions.found(&places);
        info!(cursor = %position, "connected to PostgreSQL for history");
        writer.client = Some(client);
        writer.made.clear();
        writer.stored = position;
        // What was not stored with the connection before comes again from the journal.
        writer.batch = Batch::default();
        writer.applied = position;
        Ok(writer)
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
    fn store(&self, writer: &mut Writer, place: u64) -> Result<()> {
        let started_ns = self.clock.mono_ns();
        let stored = self.transact(writer, place);
        self.metrics.insert_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        match stored {
            Ok(()) => {
                writer.batch = Batch::default();
                let position = self.positions.stored_at(place);
                (writer.stored, writer.applied) = (position, position);
                Ok(())
            }
            Err(error) => {
                // Whether it is stored is asked on a new connection.
                writer.client = None;
                writer.applied = writer.stored;
                self.positions.set(writer.applied, writer.stored);
                self.metrics.failed_inserts_total.inc();
                Err(error)
            }
        }
    }

    fn transact(&self, writer: &mut Writer, place: u64) -> Result<()> {
        let batch = std::mem::take(&mut writer.batch);
        self.make_partitions(writer, &batch)?;
        let Some(client) = &mut writer.client else { return Err(away("there is no connection")) };
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
        let identity = i64::from(self.positions.journal_identity());
        transaction.execute(&sql, &[&place.to_string(), &identity]).map_err(|it| failure(&it))?;
        transaction.commit().map_err(|it| failure(&it))
    }

    /// Those of the batch, and each one behind it: midnight finds them made.
    fn make_partitions(&self, writer: &mut Writer, batch: &Batch) -> Result<()> {
        let mut wanted = BTreeSet::new();
        let mut add = |table, retention, time| {
            let partition = Partition::of(table, retention, time);
            if !writer.made.contains(&partition) {
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
        let Some(client) = &mut writer.client else { return Err(away("there is no connection")) };
        schema::make(client, &self.schema, &wanted)?;
        writer.made.append(&mut wanted);
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

    fn drop_expired(&self, writer: &mut Writer) -> Result<()> {
        let now_ns = self.clock.mono_ns();
        let is_due =
            writer.dropped_ns.is_none_or(|it| DROP_INTERVAL_NS <= now_ns.saturating_sub(it));
        let Some(client) = writer.client.as_mut().filter(|_| is_due) else { return Ok(()) };
        writer.dropped_ns = Some(now_ns);
        let names = (self.settings.schema.as_str(), self.schema.as_str());
        let dropped = schema::drop_expired(client, names, self.clock.wall())?;
        self.metrics.partitions_dropped_total.add(dropped.len() as u64);
        // They may be wanted again, by values that come very late.
        if !dropped.is_empty() {
            writer.made.clear();
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

    /// Values of items that are asked for in one statement, of those that have any.
    fn select(
        &self,
        queries: &[RangeQuery],
        before: Option<Lsn>,
    ) -> Result<BTreeMap<ItemId, Rows>> {
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
        let before = self.place(before);
        let rows = self.ask(|client| {
            client.query(&sql, &[&items, &from, &from_ns, &till, &till_ns, &limits, &before])
        })?;
        read::values(first.kind, &rows)
    }

    /// Before which place rows count.
    fn place(&self, before: Option<Lsn>) -> i64 {
        let place = before.and_then(|it| i64::try_from(self.positions.place(it)).ok());
        place.unwrap_or(i64::MAX)
    }
}

impl Store for Postgres {
    fn prepare(&self) -> Result<()> {
        self.contact(&mut self.writer()).map(drop)
    }

    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        let mut writer = self.writer();
        if writer.client.is_none() {
            return Err(away("the connection has ended"));
        }
        if self.settings.rows_max <= writer.batch.n_rows() {
            return Err(away("what was taken before is not stored yet"));
        }
        if writer.batch.n_rows() == 0 {
            writer.since_ns = self.clock.mono_ns();
        }
        writer.batch.take(record, (self.positions.base(), next_lsn))?;
        writer.applied = next_lsn;
        self.positions.set(writer.applied, writer.stored);
        Ok(())
    }

    fn applied(&self) -> Lsn {
        self.positions.applied()
    }

    fn cursor(&self) -> Lsn {
        self.positions.stored()
    }

    fn expect_journal(&self, journal: &Journal) {
        self.positions.expect(journal.identity(), journal.ancestors());
    }

    fn journal_identity(&self) -> u32 {
        self.positions.journal_identity()
    }

    fn set_journal_identity(&self, identity: u32) {
        self.positions.set_journal_identity(identity);
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        let mut writer = self.writer();
        let identity = self.positions.journal_identity();
        let writer = self.contact(&mut writer)?;
        self.positions.set_journal_identity(identity);
        // Another server may have stored places since the first contact.
        let Some(client) = &mut writer.client else { return Err(away("there is no connection")) };
        let places = self.places(client)?;
        self.positions.set_newest(places.iter().map(|it| it.place).max().unwrap_or(0));
        self.store(writer, self.positions.place_behind_gap(to))
    }

    fn range(&self, query: &RangeQuery) -> Result<Samples> {
        ranges::only(self.ranges_before(&[*query], None)?, query)
    }

    fn ranges(&self, queries: &[RangeQuery]) -> Result<Vec<Samples>> {
        self.ranges_before(queries, None)
    }

    fn trends(&self, queries: &[TrendQuery]) -> Result<Vec<Vec<Trend>>> {
        self.trends_before(queries, None)
    }

    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>> {
        Ok(self.buckets_before(&[*query], None)?.pop().unwrap_or_default())
    }

    fn bucket_series(&self, queries: &[BucketQuery]) -> Result<Vec<Vec<Bucket>>> {
        self.buckets_before(queries, None)
    }
}

impl RemoteStore for Postgres {
    fn ranges_before(&self, queries: &[RangeQuery], before: Option<Lsn>) -> Result<Vec<Samples>> {
        ranges::ask_in_groups(queries, self.clock.wall(), |group| self.select(group, before))
    }

    fn trends_before(
        &self,
        queries: &[TrendQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<Vec<Trend>>> {
        let before = self.place(before);
        let mut all = vec![Vec::new(); queries.len()];
        for (shape, places) in ranges::alike(queries, |it| TrendQuery { item: ItemId(0), ..*it }) {
            let Some(sql) = read::trends_sql(&self.schema, shape.kind) else { continue };
            let item_of = |place: usize| queries.get(place).map(|it| it.item);
            let items = read::ids(places.iter().filter_map(|it| item_of(*it)));
            let (from, till) = (shape.from.start().clock(), shape.till.start().clock());
            let rows = self.ask(|client| client.query(&sql, &[&items, &from, &till, &before]))?;
            ranges::spread(&mut all, &places, item_of, &read::trends(shape.kind, &rows)?);
        }
        Ok(all)
    }

    fn buckets_before(
        &self,
        queries: &[BucketQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<Vec<Bucket>>> {
        let before = self.place(before);
        let mut all = vec![Vec::new(); queries.len()];
        for (shape, places) in ranges::alike(queries, |it| BucketQuery { item: ItemId(0), ..*it }) {
            let Some(width) = shape.width() else { continue };
            let sql = read::buckets_sql(&self.schema, shape.kind);
            let item_of = |place: usize| queries.get(place).map(|it| it.item);
            let items = read::ids(places.iter().filter_map(|it| item_of(*it)));
            let [from, till, width_text] =
                [shape.from.0, shape.till.0, width].map(|it| it.to_string());
            let (from_s, till_s) = (shape.from.clock(), shape.till.clock());
            let rows = self.ask(|client| {
                let parameters: [&(dyn ToSql + Sync); 7] =
                    [&items, &from, &width_text, &from_s, &till_s, &till, &before];
                client.query(&sql, &parameters)
            })?;
            ranges::spread(&mut all, &places, item_of, &read::buckets(&shape, width, &rows)?);
        }
        Ok(all)
    }

    fn delete(&self, items: &[ItemId]) -> Result<()> {
        let mut writer = self.writer();
        let writer = self.contact(&mut writer)?;
        // What is in memory is of the past, too.
        let applied = writer.applied;
        self.store(writer, self.positions.place(applied))?;
        let Some(client) = &mut writer.client else { return Err(away("there is no connection")) };
        let mut transaction = client.transaction().map_err(|it| failure(&it))?;
        let items = read::ids(items.iter().copied());
        for table in schema::tables() {
            let sql = format!("delete from {}.{table} where itemid = any($1)", self.schema);
            transaction.execute(&sql, &[&items]).map_err(|it| failure(&it))?;
        }
        transaction.commit().map_err(|it| failure(&it))
    }
}

impl Directory for Postgres {
    fn directory(&self) -> Result<Vec<ItemId>> {
        // The table is there once there was contact.
        self.contact(&mut self.writer())?;
        self.ask(|client| directory::items(client, &self.schema))
    }

    fn write_directory(&self, rows: &[DirectoryRow], gone: &[ItemId]) -> Result<()> {
        let mut writer = self.writer();
        let writer = self.contact(&mut writer)?;
        let Some(client) = &mut writer.client else { return Err(away("there is no connection")) };
        directory::write(client, &self.schema, rows, gone).map_err(|it| failure(&it))
    }
}

impl Flush for Postgres {
    fn flush_is_due(&self) -> bool {
        let writer = self.writer();
        let n_rows = writer.batch.n_rows();
        let waited_ns = self.clock.mono_ns().saturating_sub(writer.since_ns);
        let interval_ns =
            u64::try_from(self.settings.flush_interval.as_nanos()).unwrap_or(u64::MAX);
        self.settings.flush_rows <= n_rows || 0 < n_rows && interval_ns <= waited_ns
    }

    fn flush_once(&self) -> Result<Option<Flushed>> {
        let mut writer = self.writer();
        let writer = self.contact(&mut writer)?;
        if writer.applied == writer.stored {
            return Ok(None);
        }
        let (n_values, cursor) = (writer.batch.n_values() as u64, writer.applied);
        self.store(writer, self.positions.place(cursor))?;
        self.metrics.values_total.add(n_values);
        if let Err(error) = self.drop_expired(writer) {
            warn!(%error, "expired partitions of history in PostgreSQL are not dropped yet");
        }
        Ok(Some(Flushed { cursor, n_values, file_bytes: 0 }))
    }

    fn n_values_unflushed(&self) -> u64 {
        self.writer().batch.n_values() as u64
    }

    fn observe(&self) {}
}
