//! History in ClickHouse, over its HTTP interface; version 18.16 and later.
//!
//! Values come together until an INSERT is worth its while. Rows and position are stored one after the other:
//! if the answer to either is lost, the same rows are sent again, and being the same ([`crate::batch`]) they
//! count once. Until the first contact, nothing is known of the place in the journal, and nothing is taken.

mod client;
mod directory;
mod read;
mod row_binary;
mod scan;
mod schema;
mod settings;
mod version;

use std::collections::BTreeMap;
use std::sync::MutexGuard;
use std::thread;
use std::time::Duration;

use history::{Bucket, BucketQuery, DirectoryRow, RangeQuery, Result, Trend, TrendQuery};
use model::ItemId;
use model::record::{Num, Sum};
use rt::clock::Clock;
use rt::metrics::{Counter, Registry, TimeHistogram};
use tracing::{info, warn};

use self::client::Client;
use self::read::RangeRequest;
use self::row_binary::{Answer, Rows};
use self::version::Version;
use crate::batch::{Batch, Row};
use crate::error::away;
use crate::positions::{Positions, StoredPlace};
use crate::remote_feed::{Backend, FeedLimits, FeedState, RemoteFeed};

pub use self::settings::ClickHouseSettings;

rt::metrics! {
    /// History in ClickHouse.
    pub struct ClickHouseMetrics in "saker_history_clickhouse", formerly "history_clickhouse" {
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
pub type ClickHouse = RemoteFeed<ClickHouseBackend>;

/// How rows are stored in ClickHouse, and read.
#[derive(Debug)]
pub struct ClickHouseBackend {
    client: Client,
    /// Of queries, which wait less long.
    reader: Client,
    settings: ClickHouseSettings,
    clock: Clock,
    metrics: ClickHouseMetrics,
}

/// Known facts of the server.
#[derive(Debug, Default)]
pub struct ClickHouseContact {
    /// `None` until the first contact.
    version: Option<Version>,
    /// Of the row that holds the cursor; grows.
    cursor_number: u64,
}

type Feed = FeedState<ClickHouseContact>;

/// The most items of one deletion; more take several.
const DELETED_AT_ONCE_MAX: usize = 5_000;
/// The interval between two checks whether a deletion is done.
const MUTATION_PAUSE: Duration = Duration::from_millis(100);

impl ClickHouse {
    /// A store that has not been spoken to yet: see [`Store::prepare`].
    ///
    /// # Errors
    /// The settings cannot be used.
    pub fn new(settings: ClickHouseSettings, clock: Clock, registry: &Registry) -> Result<Self> {
        let client = Client::new(&settings, settings.timeout)?;
        let reader = Client::new(&settings, settings.read_timeout)?;
        let metrics = ClickHouseMetrics::register(registry);
        let limits = FeedLimits {
            flush_rows: settings.flush_rows,
            flush_interval: settings.flush_interval,
            rows_max: settings.rows_max,
        };
        let backend = ClickHouseBackend { client, reader, settings, clock: clock.clone(), metrics };
        Ok(Self::of(backend, limits, clock))
    }
}

impl ClickHouseBackend {
    fn database(&self) -> String {
        schema::quoted(&self.settings.database)
    }

    fn connect(&self, feed: &mut Feed, positions: &Positions) -> Result<()> {
        if feed.contact.version.is_some() {
            return Ok(());
        }
        let answer = self.client.query("SELECT version()", &[])?;
        let text = String::from_utf8_lossy(&answer);
        let version = Version::parse(&text)
            .ok_or_else(|| away(format!("{:?} is no version of ClickHouse", text.trim())))?;
        schema::prepare(&self.client, &self.settings, version)?;
        let (number, places) = self.places()?;
        let position = positions.found(&places);
        info!(version = %text.trim(), cursor = %position, "connected to ClickHouse");
        feed.contact = ClickHouseContact { version: Some(version), cursor_number: number };
        feed.start_at(position);
        Ok(())
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

    fn store_cursor(&self, feed: &mut Feed, positions: &Positions, place: u64) -> Result<()> {
        let number = feed.contact.cursor_number.saturating_add(1);
        // Also if the answer is lost: the next one must be the newest in any case.
        feed.contact.cursor_number = number;
        let mut row = Rows::default();
        row.u64(number);
        row.u64(place);
        row.u32(positions.journal_identity());
        let sql = format!(
            "INSERT INTO {}.{} (number, journal, identity) FORMAT RowBinary",
            self.database(),
            schema::PLACES
        );
        self.client.insert(&sql, &self.insert_parameters(&feed.contact), &row.bytes)?;
        let position = positions.stored_at(place);
        (feed.stored, feed.applied) = (position, position);
        Ok(())
    }

    fn insert_parameters(&self, contact: &ClickHouseContact) -> Vec<(&'static str, &'static str)> {
        let mut parameters = Vec::new();
        if contact.version.is_some_and(Version::limits_partitions) {
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
        contact: &ClickHouseContact,
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
        let inserted = self.client.insert(&sql, &self.insert_parameters(contact), &out.bytes);
        self.metrics.insert_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        self.metrics.sent_bytes_total.add(out.bytes.len() as u64);
        inserted.inspect_err(|_error| self.metrics.failed_inserts_total.inc())
    }

    /// Stores the batch, table by table: one that is stored is not sent again.
    fn store_batch(&self, feed: &mut Feed) -> Result<()> {
        self.store_tables(&feed.contact, &mut feed.batch)
    }

    fn store_tables(&self, contact: &ClickHouseContact, batch: &mut Batch) -> Result<()> {
        self.insert(contact, "history", &batch.floats, |out, it| out.f64(*it))?;
        batch.floats.clear();
        self.insert(contact, "history_uint", &batch.unsigned, |out, it| out.u64(*it))?;
        batch.unsigned.clear();
        for (table, rows) in [
            ("history_str", &mut batch.chars),
            ("history_text", &mut batch.texts),
            ("history_bin", &mut batch.binaries),
        ] {
            self.insert(contact, table, rows, |out, it| out.text(it))?;
            rows.clear();
        }
        self.insert(contact, "history_log", &batch.logs, |out, it| {
            out.text(&it.value);
            out.text(&it.source);
            out.i64(it.timestamp);
            out.i32(it.severity);
            out.i64(it.logeventid);
        })?;
        batch.logs.clear();
        self.store_trends(contact, batch)
    }

    fn store_trends(&self, contact: &ClickHouseContact, batch: &mut Batch) -> Result<()> {
        let (unsigned, floats): (Vec<_>, Vec<_>) = std::mem::take(&mut batch.trends)
            .into_iter()
            .partition(|it| matches!(it.value.sum, Sum::Unsigned(_)));
        let float = |it| if let Num::Float(it) = it { it } else { 0.0 };
        let stored = self.insert(contact, "trends", &floats, |out, it| {
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
        let stored = self.insert(contact, "trends_uint", &unsigned, |out, it| {
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
    fn drop_partitions(&self, feed: &mut Feed) -> Result<()> {
        if feed.contact.version.is_some_and(Version::drops_by_ttl)
            || !feed.drop_is_due(self.clock.mono_ns())
        {
            return Ok(());
        }
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

    /// Values of items that are asked for in one request.
    fn ask_all(
        &self,
        queries: &[RangeQuery],
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, history::SeriesRows>> {
        let mut found = BTreeMap::new();
        let mut request = RangeRequest::new(queries, before);
        while let Some(pending) = request {
            let answer = self.ask(&pending.sql(&self.settings.database))?;
            let answers = pending.read(&answer)?;
            request = pending.unfinished(&answers);
            found.extend(answers.into_iter().map(|it| (it.item, it.rows)));
        }
        Ok(found)
    }

    /// Deletes the rows of items, table by table, and waits until they are gone.
    fn delete_rows(&self, contact: &ClickHouseContact, items: &[ItemId]) -> Result<()> {
        let Some(version) = contact.version else { return Err(away("there was no contact yet")) };
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

    /// On a cluster each replica learns of a deletion when it polls for changes, and is idle until
    /// then.
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

impl Backend for ClickHouseBackend {
    type Contact = ClickHouseContact;

    fn contact(&self, feed: &mut Feed, positions: &Positions) -> Result<()> {
        self.connect(feed, positions)
    }

    fn store_rows(&self, feed: &mut Feed) -> Result<()> {
        self.store_batch(feed)
    }

    fn store(&self, feed: &mut Feed, positions: &Positions, place: u64) -> Result<()> {
        self.store_batch(feed)?;
        self.store_cursor(feed, positions, place)
    }

    fn newest_place(&self, feed: &mut Feed) -> Result<u64> {
        let (number, places) = self.places()?;
        feed.contact.cursor_number = feed.contact.cursor_number.max(number);
        Ok(places.iter().map(|it| it.place).max().unwrap_or(0))
    }

    fn count_stored(&self, n_values: u64) {
        self.metrics.values_total.add(n_values);
    }

    fn drop_expired(&self, feed: &mut Feed) {
        if let Err(error) = self.drop_partitions(feed) {
            warn!(%error, "expired days of history in ClickHouse are not dropped yet");
        }
    }

    fn delete_items(
        &self,
        feed: &mut Feed,
        _positions: &Positions,
        items: &[ItemId],
    ) -> Result<()> {
        // Rows in memory are of the past, too.
        self.store_batch(feed)?;
        self.delete_rows(&feed.contact, items)
    }

    fn values(
        &self,
        queries: &[RangeQuery],
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, history::SeriesRows>> {
        self.ask_all(queries, before)
    }

    fn trends(
        &self,
        shape: &TrendQuery,
        items: &mut dyn Iterator<Item = ItemId>,
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, Vec<Trend>>> {
        match read::trends_sql(shape, items, before, &self.settings.database) {
            Some(sql) => read::read_trends(shape.kind, &self.ask(&sql)?),
            None => Ok(BTreeMap::new()),
        }
    }

    fn buckets(
        &self,
        shape: &BucketQuery,
        items: &mut dyn Iterator<Item = ItemId>,
        before: Option<u64>,
    ) -> Result<BTreeMap<ItemId, Vec<Bucket>>> {
        match read::buckets_sql(shape, items, before, &self.settings.database) {
            Some(sql) => read::read_buckets(shape, &self.ask(&sql)?),
            None => Ok(BTreeMap::new()),
        }
    }

    fn directory(&self) -> Result<Vec<ItemId>> {
        directory::items(&self.client, &self.settings)
    }

    fn write_directory(
        &self,
        feed: MutexGuard<'_, Feed>,
        rows: &[DirectoryRow],
        gone: &[ItemId],
    ) -> Result<()> {
        let version = u64::try_from(self.clock.now().wall.0).unwrap_or(0);
        let parameters = self.insert_parameters(&feed.contact);
        // Names hold up no values.
        drop(feed);
        directory::write(&self.client, &self.settings, (rows, version), &parameters)?;
        for gone in gone.chunks(DELETED_AT_ONCE_MAX) {
            let sql = schema::delete_sql(&self.settings, schema::DIRECTORY, gone);
            self.client.query(&sql, &[])?;
        }
        Ok(())
    }
}
