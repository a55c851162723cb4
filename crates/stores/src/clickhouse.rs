//! History in ClickHouse, over its HTTP interface; version 18.16 and later.
//!
//! Values come together until an INSERT is worth its while. Rows and position are stored one after the other:
//! if the answer to either is lost, the same rows are sent again, and being the same ([`crate::batch`]) they
//! count once. Until the first contact, nothing is known of the place in the journal, and nothing is taken.

mod client;
mod directory;
mod read;
mod row_binary;
mod schema;
mod settings;
mod version;
mod whole;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use history::{
    Bucket, BucketQuery, Directory, DirectoryRow, Flush, Flushed, RangeQuery, RemoteStore, Result,
    Samples, Store, Trend, TrendQuery,
};
use journal::{Journal, Lsn};
use model::ItemId;
use model::record::{Num, RecordView, Sum};
use rt::clock::Clock;
use rt::metrics::{Counter, Registry, TimeHistogram};
use tracing::{info, warn};

use self::client::{Client, away};
use self::read::RangeRequest;
use self::row_binary::{Answer, Rows};
use self::version::Version;
use crate::batch::{Batch, Row};
use crate::positions::{Positions, StoredPlace};
use crate::ranges;

pub use self::settings::Settings;

rt::metrics! {
    /// History in ClickHouse.
    pub struct ClickHouseMetrics in "history_clickhouse" {
        /// Values stored for good.
        pub(crate) values_total: Counter,
        /// Bytes of rows that were sent.
        pub(crate) sent_bytes_total: Counter,
        /// Inserts that failed or whose answer was lost; their rows are sent again.
        pub(crate) failed_inserts_total: Counter,
        /// Values whose time cannot be stored: before 1970 or after 2106.
        pub(crate) left_out_total: Counter,
        /// Time of an insert, in seconds.
        pub(crate) insert_seconds: TimeHistogram,
        /// Time of a query, in seconds.
        pub(crate) query_seconds: TimeHistogram,
    }
}

/// A store in ClickHouse.
#[derive(Debug)]
pub struct ClickHouse {
    client: Client,
    /// Of queries, which wait less long.
    reader: Client,
    settings: Settings,
    clock: Clock,
    metrics: ClickHouseMetrics,
    positions: Positions,
    state: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    /// `None` until the first contact.
    version: Option<Version>,
    batch: Batch,
    /// When the first row of the batch came.
    since_ns: u64,
    applied: Lsn,
    stored: Lsn,
    /// Of the row that holds the cursor; grows.
    cursor_number: u64,
    /// When expired partitions were last looked for.
    dropped_ns: Option<u64>,
}

/// Between two looks for partitions that have expired, where the server does not do it by itself.
const DROP_INTERVAL_NS: u64 = 3_600_000_000_000;
/// Items of one deletion.
const DELETED_AT_ONCE_MAX: usize = 5_000;
/// Between two looks whether a deletion is done.
const MUTATION_PAUSE: Duration = Duration::from_millis(100);

impl ClickHouse {
    /// A store that has not been spoken to yet: see [`Store::prepare`].
    ///
    /// # Errors
    /// The settings cannot be used.
    pub fn new(settings: Settings, clock: Clock, registry: &Registry) -> Result<Self> {
        let client = Client::new(&settings, settings.timeout)?;
        let reader = Client::new(&settings, settings.read_timeout)?;
        let metrics = ClickHouseMetrics::register(registry);
        let (positions, state) = (Positions::default(), Mutex::default());
        Ok(Self { client, reader, settings, clock, metrics, positions, state })
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn database(&self) -> String {
        schema::quoted(&self.settings.database)
    }

    fn connect(&self, progress: &mut Progress) -> Result<Version> {
        if let Some(version) = progress.version {
            return Ok(version);
        }
        let answer = self.client.query("SELECT version()", &[])?;
        let text = String::from_utf8_lossy(&answer);
        let version = Version::parse(&text)
            .ok_or_else(|| away(format!("{:?} is no version of ClickHouse", text.trim())))?;
        schema::prepare(&self.client, &self.settings, version)?;
        let (number, places) = self.places()?;
        let position = self.positions.found(&places);
        info!(version = %text.trim(), cursor = %position, "connected to ClickHouse");
        progress.version = Some(version);
        (progress.cursor_number, progress.stored) = (number, position);
        progress.applied = position;
        Ok(version)
    }

    /// The greatest number of a row of places, and how far each journal is stored.
    fn places(&self) -> Result<(u64, Vec<StoredPlace>)> {
        let sql = format!(
            "SELECT identity, max(number), argMax(journal, number) FROM {}.{} GROUP BY identity \
             FORMAT RowBinary",
            self.database(),
            schema::PLACES
        );
        let answer = self.client.query(&sql, &[])?;
        let mut answer = Answer::new(&answer);
        let (mut newest, mut places) = (0, Vec::new());
        while !answer.is_at_end() {
            let (identity, number, place) = (answer.u32()?, answer.u64()?, answer.u64()?);
            newest = newest.max(number);
            places.push(StoredPlace { place, identity });
        }
        Ok((newest, places))
    }

    fn store_cursor(&self, progress: &mut Progress, place: u64) -> Result<()> {
        let number = progress.cursor_number.saturating_add(1);
        // Also if the answer is lost: the next one must be the newest in any case.
        progress.cursor_number = number;
        let mut row = Rows::default();
        row.u64(number);
        row.u64(place);
        row.u32(self.positions.journal_identity());
        let sql = format!(
            "INSERT INTO {}.{} (number, journal, identity) FORMAT RowBinary",
            self.database(),
            schema::PLACES
        );
        self.client.insert(&sql, &self.insert_parameters(progress), &row.bytes)?;
        progress.stored = self.positions.stored_at(place);
        self.positions.set(progress.applied, progress.stored);
        Ok(())
    }

    fn insert_parameters(&self, progress: &Progress) -> Vec<(&'static str, &'static str)> {
        let mut parameters = Vec::new();
        if progress.version.is_some_and(Version::limits_partitions) {
            parameters.push(("max_partitions_per_insert_block", "0"));
        }
        if self.settings.cluster.is_some() {
            // Answered when the rows are where they belong.
            parameters.push(("insert_distributed_sync", "1"));
        }
        parameters
    }

    /// Sends the rows of a table, and forgets them when they are stored.
    fn insert<T>(
        &self,
        progress: &Progress,
        table: &str,
        rows: &[Row<T>],
        mut put: impl FnMut(&mut Rows, &T),
    ) -> Result<()> {
        let mut out = Rows::default();
        let mut n_left_out = 0;
        for row in rows {
            if out.place(row) {
                put(&mut out, &row.value);
            } else {
                n_left_out += 1;
            }
        }
        if n_left_out > 0 {
            warn!(n_left_out, table, "values of a time that ClickHouse cannot hold are left out");
            self.metrics.left_out_total.add(n_left_out);
        }
        if out.bytes.is_empty() {
            return Ok(());
        }
        let columns = schema::inserted_columns(table);
        let sql = format!("INSERT INTO {}.{table} ({columns}) FORMAT RowBinary", self.database());
        let started_ns = self.clock.mono_ns();
        let inserted = self.client.insert(&sql, &self.insert_parameters(progress), &out.bytes);
        self.metrics.insert_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        self.metrics.sent_bytes_total.add(out.bytes.len() as u64);
        inserted.inspect_err(|_error| self.metrics.failed_inserts_total.inc())
    }

    /// Stores the batch, table by table: one that is stored is not sent again.
    fn store_batch(&self, progress: &mut Progress) -> Result<()> {
        let mut batch = std::mem::take(&mut progress.batch);
        let result = self.store_tables(progress, &mut batch);
        progress.batch = batch;
        result
    }

    fn store_tables(&self, progress: &Progress, batch: &mut Batch) -> Result<()> {
        self.insert(progress, "history", &batch.floats, |out, it| out.f64(*it))?;
        batch.floats.clear();
        self.insert(progress, "history_uint", &batch.unsigned, |out, it| out.u64(*it))?;
        batch.unsigned.clear();
        for (table, rows) in [
            ("history_str", &mut batch.chars),
            ("history_text", &mut batch.texts),
            ("history_bin", &mut batch.binaries),
        ] {
            self.insert(progress, table, rows, |out, it| out.text(it))?;
            rows.clear();
        }
        self.insert(progress, "history_log", &batch.logs, |out, it| {
            out.text(&it.value);
            out.text(&it.source);
            out.i64(it.timestamp);
            out.i32(it.severity);
            out.i64(it.logeventid);
        })?;
        batch.logs.clear();
        self.store_trends(progress, batch)
    }

    fn store_trends(&self, progress: &Progress, batch: &mut Batch) -> Result<()> {
        let (unsigned, floats): (Vec<_>, Vec<_>) = std::mem::take(&mut batch.trends)
            .into_iter()
            .partition(|it| matches!(it.value.sum, Sum::Unsigned(_)));
        let float = |it| if let Num::Float(it) = it { it } else { 0.0 };
        let stored = self.insert(progress, "trends", &floats, |out, it| {
            out.u32(it.count);
            out.f64(float(it.min));
            out.f64(float(it.max));
            out.f64(if let Sum::Float(sum) = it.sum { sum } else { 0.0 });
        });
        if let Err(error) = stored {
            batch.trends = floats.into_iter().chain(unsigned).collect();
            return Err(error);
        }
        let whole = |it| if let Num::Unsigned(it) = it { it } else { 0 };
        let stored = self.insert(progress, "trends_uint", &unsigned, |out, it| {
            out.u32(it.count);
            out.u64(whole(it.min));
            out.u64(whole(it.max));
            let sum = if let Sum::Unsigned(sum) = it.sum { sum } else { 0 };
            #[expect(clippy::cast_possible_truncation, reason = "its lower half")]
            out.u64(sum as u64);
            out.u64(u64::try_from(sum >> 64).unwrap_or(u64::MAX));
        });
        stored.inspect_err(|_error| batch.trends = unsigned)
    }

    /// Drops partitions whose values have all expired, now and then, where the server does not.
    fn drop_expired(&self, progress: &mut Progress) -> Result<()> {
        let now_ns = self.clock.mono_ns();
        let is_due =
            progress.dropped_ns.is_none_or(|it| DROP_INTERVAL_NS <= now_ns.saturating_sub(it));
        if !is_due || progress.version.is_some_and(Version::drops_by_ttl) {
            return Ok(());
        }
        progress.dropped_ns = Some(now_ns);
        for (table, partition) in self.expired()? {
            let on_cluster = schema::on_cluster(&self.settings);
            let sql = format!(
                "ALTER TABLE {}.{table}{on_cluster} DROP PARTITION {partition}",
                self.database()
            );
            self.client.query(&sql, &[])?;
            info!(%table, %partition, "dropped a day of history that has expired");
        }
        Ok(())
    }

    /// Tables and partitions. A partition's name is its day and how many days that is kept.
    fn expired(&self) -> Result<Vec<(String, String)>> {
        let sql = format!(
            "SELECT DISTINCT table, partition FROM {} WHERE active AND database = {} \
             AND (table LIKE 'history%' OR table LIKE 'trends%') FORMAT RowBinary",
            schema::system_table(&self.settings, "parts"),
            schema::literal(&self.settings.database)
        );
        let answer = self.client.query(&sql, &[])?;
        let mut answer = Answer::new(&answer);
        let today = self.clock.now().wall.clock().div_euclid(86_400);
        let mut expired = Vec::new();
        while !answer.is_at_end() {
            let (table, partition) = (answer.text()?, answer.text()?);
            // As 18.16 names it: (\'2026-01-01\',31).
            let partition = partition.replace('\\', "");
            if expires_on(&partition).is_some_and(|it| it <= today) {
                expired.push((table.to_owned(), partition));
            }
        }
        Ok(expired)
    }

    fn ask(&self, sql: &str) -> Result<Vec<u8>> {
        let started_ns = self.clock.mono_ns();
        // So that the server does not go on when nobody waits any more.
        let seconds = self.settings.read_timeout.as_secs().max(1).to_string();
        let answer = self.reader.query(sql, &[("max_execution_time", &seconds)]);
        self.metrics.query_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        answer
    }

    /// Values of items that are asked for in one request, of those that have any.
    fn ask_all(
        &self,
        queries: &[RangeQuery],
        before: Option<Lsn>,
    ) -> Result<BTreeMap<ItemId, history::Rows>> {
        let mut found = BTreeMap::new();
        let mut request = RangeRequest::new(queries, before.map(|it| self.positions.place(it)));
        while let Some(pending) = request {
            let answer = self.ask(&pending.sql(&self.settings.database))?;
            let answers = pending.read(&answer)?;
            request = pending.unfinished(&answers);
            found.extend(answers.into_iter().map(|it| (it.item, it.rows)));
        }
        Ok(found)
    }

    /// Deletes the rows of items, table by table, and waits until they are gone.
    fn delete_items(&self, progress: &Progress, items: &[ItemId]) -> Result<()> {
        let Some(version) = progress.version else { return Err(away("there was no contact yet")) };
        for table in schema::tables() {
            for items in items.chunks(DELETED_AT_ONCE_MAX) {
                let sql = schema::delete_sql(&self.settings, table, items);
                let parameters: &[_] =
                    if version.waits_for_mutations() { &[("mutations_sync", "1")] } else { &[] };
                self.client.query(&sql, parameters)?;
            }
        }
        if self.settings.cluster.is_some() {
            return self.wait_until_gone(items);
        }
        if version.waits_for_mutations() { Ok(()) } else { self.wait_for_mutations() }
    }

    /// On a cluster each replica hears of a deletion when it asks for news, and only then knows that there is
    /// something to be done.
    fn wait_until_gone(&self, items: &[ItemId]) -> Result<()> {
        for table in schema::tables() {
            for items in items.chunks(DELETED_AT_ONCE_MAX) {
                self.wait_for_none(&schema::count_sql(&self.settings, table, items))?;
            }
        }
        Ok(())
    }

    /// Where the server does not.
    fn wait_for_mutations(&self) -> Result<()> {
        let sql = format!(
            "SELECT toUInt64(count()) FROM system.mutations WHERE database = {} AND NOT is_done \
             FORMAT RowBinary",
            schema::literal(&self.settings.database)
        );
        self.wait_for_none(&sql)
    }

    /// Until the answer is 0.
    fn wait_for_none(&self, sql: &str) -> Result<()> {
        let deadline_ns = self
            .clock
            .mono_ns()
            .saturating_add(u64::try_from(self.settings.timeout.as_nanos()).unwrap_or(u64::MAX));
        loop {
            let answer = self.client.query(sql, &[])?;
            if Answer::new(&answer).u64()? == 0 {
                return Ok(());
            }
            if deadline_ns <= self.clock.mono_ns() {
                return Err(away("it has taken the deletion, and is not done with it yet"));
            }
            thread::park_timeout(MUTATION_PAUSE);
        }
    }
}

/// The day, counted from 1970, on which a partition `('2026-01-01',31)` has expired as a whole; `None`: never,
/// or it is none of ours.
fn expires_on(partition: &str) -> Option<i64> {
    let (day, days) = partition.strip_prefix("('")?.strip_suffix(')')?.split_once("',")?;
    let date: jiff::civil::Date = day.parse().ok()?;
    let kept: i64 = days.trim().parse().ok().filter(|it| *it > 0)?;
    let since = jiff::civil::date(1970, 1, 1).until(date).ok()?;
    // Its last value is as young as the end of the day.
    Some(i64::from(since.get_days()) + 1 + kept)
}

impl Store for ClickHouse {
    fn prepare(&self) -> Result<()> {
        self.connect(&mut self.progress()).map(drop)
    }

    fn apply(&self, record: &RecordView<'_>, next_lsn: Lsn) -> Result<()> {
        let mut progress = self.progress();
        self.connect(&mut progress)?;
        if self.settings.rows_max <= progress.batch.n_rows() {
            return Err(away("what was taken before is not stored yet"));
        }
        if progress.batch.n_rows() == 0 {
            progress.since_ns = self.clock.mono_ns();
        }
        progress.batch.take(record, (self.positions.base(), next_lsn))?;
        progress.applied = next_lsn;
        self.positions.set(progress.applied, progress.stored);
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
        let mut progress = self.progress();
        let identity = self.positions.journal_identity();
        self.connect(&mut progress)?;
        self.positions.set_journal_identity(identity);
        self.store_batch(&mut progress)?;
        // Another server may have stored places since the first contact.
        let (number, places) = self.places()?;
        progress.cursor_number = progress.cursor_number.max(number);
        self.positions.set_newest(places.iter().map(|it| it.place).max().unwrap_or(0));
        let place = self.positions.place_behind_gap(to);
        self.store_cursor(&mut progress, place)?;
        progress.applied = to;
        self.positions.set(progress.applied, progress.stored);
        Ok(())
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

impl RemoteStore for ClickHouse {
    fn ranges_before(&self, queries: &[RangeQuery], before: Option<Lsn>) -> Result<Vec<Samples>> {
        let now = self.clock.wall();
        ranges::ask_in_groups(queries, now, |group| self.ask_all(group, before))
    }

    fn trends_before(
        &self,
        queries: &[TrendQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<Vec<Trend>>> {
        let before = before.map(|it| self.positions.place(it));
        let mut all = vec![Vec::new(); queries.len()];
        for (shape, places) in ranges::alike(queries, |it| TrendQuery { item: ItemId(0), ..*it }) {
            let item_of = |place: usize| queries.get(place).map(|it| it.item);
            let items = places.iter().filter_map(|it| item_of(*it));
            let database = &self.settings.database;
            let Some(sql) = read::trends_sql(&shape, items, before, database) else { continue };
            let found = read::read_trends(shape.kind, &self.ask(&sql)?)?;
            ranges::spread(&mut all, &places, item_of, &found);
        }
        Ok(all)
    }

    fn buckets_before(
        &self,
        queries: &[BucketQuery],
        before: Option<Lsn>,
    ) -> Result<Vec<Vec<Bucket>>> {
        let before = before.map(|it| self.positions.place(it));
        let mut all = vec![Vec::new(); queries.len()];
        for (shape, places) in ranges::alike(queries, |it| BucketQuery { item: ItemId(0), ..*it }) {
            let item_of = |place: usize| queries.get(place).map(|it| it.item);
            let items = places.iter().filter_map(|it| item_of(*it));
            let database = &self.settings.database;
            let Some(sql) = read::buckets_sql(&shape, items, before, database) else { continue };
            let found = read::read_buckets(&shape, &self.ask(&sql)?)?;
            ranges::spread(&mut all, &places, item_of, &found);
        }
        Ok(all)
    }

    fn delete(&self, items: &[ItemId]) -> Result<()> {
        let mut progress = self.progress();
        self.connect(&mut progress)?;
        // What is in memory is of the past, too.
        self.store_batch(&mut progress)?;
        self.delete_items(&progress, items)
    }
}

impl Directory for ClickHouse {
    fn directory(&self) -> Result<Vec<ItemId>> {
        self.connect(&mut self.progress())?;
        directory::items(&self.client, &self.settings)
    }

    fn write_directory(&self, rows: &[DirectoryRow], gone: &[ItemId]) -> Result<()> {
        let mut progress = self.progress();
        self.connect(&mut progress)?;
        let version = u64::try_from(self.clock.now().wall.0).unwrap_or(0);
        let parameters = self.insert_parameters(&progress);
        // Names hold up no values.
        drop(progress);
        directory::write(&self.client, &self.settings, (rows, version), &parameters)?;
        for gone in gone.chunks(DELETED_AT_ONCE_MAX) {
            let sql = schema::delete_sql(&self.settings, schema::DIRECTORY, gone);
            self.client.query(&sql, &[])?;
        }
        Ok(())
    }
}

impl Flush for ClickHouse {
    fn flush_is_due(&self) -> bool {
        let progress = self.progress();
        let n_rows = progress.batch.n_rows();
        let waited_ns = self.clock.mono_ns().saturating_sub(progress.since_ns);
        let interval_ns =
            u64::try_from(self.settings.flush_interval.as_nanos()).unwrap_or(u64::MAX);
        self.settings.flush_rows <= n_rows || 0 < n_rows && interval_ns <= waited_ns
    }

    fn flush_once(&self) -> Result<Option<Flushed>> {
        let mut progress = self.progress();
        self.connect(&mut progress)?;
        if progress.applied == progress.stored {
            return Ok(None);
        }
        let n_values = progress.batch.n_values() as u64;
        self.store_batch(&mut progress)?;
        let cursor = progress.applied;
        let place = self.positions.place(cursor);
        self.store_cursor(&mut progress, place)?;
        self.metrics.values_total.add(n_values);
        if let Err(error) = self.drop_expired(&mut progress) {
            warn!(%error, "expired days of history in ClickHouse are not dropped yet");
        }
        Ok(Some(Flushed { cursor, n_values, file_bytes: 0 }))
    }

    fn n_values_unflushed(&self) -> u64 {
        self.progress().batch.n_values() as u64
    }

    fn observe(&self) {}
}
