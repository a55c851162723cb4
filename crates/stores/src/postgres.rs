//! History in PostgreSQL, 15 and later.
//!
//! Rows come by COPY into partitions, and the position in the journal in the same transaction: both are there or
//! neither is. If the answer to COMMIT is lost, the next connection reads the position and knows.

mod copy;
mod error;
mod schema;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use history::{Bucket, BucketQuery, Flush, Flushed, RangeQuery, Result, Rows, Samples, Store};
use journal::Lsn;
use model::record::{RecordView, Sum};
use model::value::{LogEntry, Sample};
use model::{ItemId, Time, Value, ValueType};
use postgres::{Client, NoTls, Transaction};
use rt::clock::Clock;
use rt::metrics::{Counter, Registry, TimeHistogram};
use tracing::{info, warn};

use self::copy::{Fields, Lines};
use self::error::{away, failure, refused};
use self::schema::Partition;
use crate::batch::{Batch, Row};
use crate::positions::Positions;
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
    /// Of a statement.
    pub timeout: Duration,
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
            timeout: Duration::from_secs(60),
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
    config: postgres::Config,
    settings: Settings,
    /// The schema's name, quoted.
    schema: String,
    clock: Clock,
    metrics: PostgresMetrics,
    positions: Positions,
    writer: Mutex<Writer>,
    reader: Mutex<Option<Client>>,
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
        let reader = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if writer.is_some() || reader.is_some() {
            thread::scope(|scope| {
                scope.spawn(move || drop((writer, reader)));
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

impl Postgres {
    /// A store that has not been spoken to yet: see [`Store::prepare`].
    ///
    /// # Errors
    /// The URL cannot be read.
    pub fn new(settings: Settings, clock: Clock, registry: &Registry) -> Result<Self> {
        let mut config: postgres::Config = settings
            .url
            .parse()
            // Without the text: it may hold a password.
            .map_err(|_wrong| refused("its URL cannot be read"))?;
        config.application_name("saker history");
        config.connect_timeout(Duration::from_secs(10).min(settings.timeout));
        // A server that vanishes without a word is noticed.
        config.tcp_user_timeout(settings.timeout);
        config.keepalives_idle(Duration::from_secs(30));
        let schema = schema::quoted(&settings.schema);
        let metrics = PostgresMetrics::register(registry);
        let (writer, reader) = (Mutex::default(), Mutex::default());
        let positions = Positions::default();
        Ok(Self { config, settings, schema, clock, metrics, positions, writer, reader })
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connect(&self) -> Result<Client> {
        let mut client = self.config.connect(NoTls).map_err(|it| failure(&it))?;
        let timeout_ms = self.settings.timeout.as_millis();
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
        let mut client = self.connect()?;
        schema::prepare(&mut client, &self.schema)?;
        let sql = format!("select journal::text, identity from {}.saker_cursor", self.schema);
        let row = client.query_opt(&sql, &[]).map_err(|it| failure(&it))?;
        let (stored, identity) = match row {
            Some(row) => {
                let identity: i64 = row.try_get(1).map_err(|it| failure(&it))?;
                let text: String = row.try_get(0).map_err(|it| failure(&it))?;
                let stored =
                    text.parse().map_err(|_no_number| refused("its position is no number"))?;
                (stored, u32::try_from(identity).unwrap_or(0))
            }
            None => (0, 0),
        };
        self.positions.found_journal_identity(identity);
        info!(cursor = stored, "connected to PostgreSQL for history");
        writer.client = Some(client);
        writer.made.clear();
        writer.stored = Lsn(stored);
        // What was not stored with the connection before comes again from the journal.
        writer.batch = Batch::default();
        writer.applied = Lsn(stored);
        self.positions.set(writer.applied, writer.stored);
        Ok(writer)
    }

    /// Stores the batch and the position in one transaction.
    fn store(&self, writer: &mut Writer, lsn: Lsn) -> Result<()> {
        let started_ns = self.clock.mono_ns();
        let stored = self.transact(writer, lsn);
        self.metrics.insert_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        match stored {
            Ok(()) => {
                writer.batch = Batch::default();
                writer.stored = lsn;
                writer.applied = lsn;
                self.positions.set(lsn, lsn);
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

    fn transact(&self, writer: &mut Writer, lsn: Lsn) -> Result<()> {
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
            "insert into {}.saker_cursor (id, journal, identity) \
             values (true, $1::text::numeric, $2) \
             on conflict (id) do update set journal = excluded.journal, identity = excluded.identity",
            self.schema
        );
        let identity = i64::from(self.positions.journal_identity());
        transaction.execute(&sql, &[&lsn.0.to_string(), &identity]).map_err(|it| failure(&it))?;
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

    /// Asks on the connection of readers, which is made when it is needed.
    fn ask<T>(&self, query: impl FnOnce(&mut Client) -> Result<T, postgres::Error>) -> Result<T> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut client = match reader.take().filter(|it| !it.is_closed()) {
            Some(it) => it,
            None => self.connect()?,
        };
        let started_ns = self.clock.mono_ns();
        let answer = query(&mut client);
        self.metrics.query_seconds.observe_ns(self.clock.mono_ns().saturating_sub(started_ns));
        *reader = Some(client);
        answer.map_err(|it| failure(&it))
    }

    fn select(&self, items: &[ItemId], query: &RangeQuery) -> Result<BTreeMap<ItemId, Rows>> {
        let RangeQuery { kind, from, till, limit, newest_first, .. } = *query;
        let columns = match kind {
            ValueType::Log => "value, source, timestamp, severity, logeventid",
            ValueType::Unsigned => "value::text",
            _ => "value",
        };
        let order = if newest_first { " desc" } else { "" };
        let sql = format!(
            "select i.itemid, extract(epoch from date_trunc('second', v.time))::bigint, \
             extract(microseconds from v.time)::bigint % 1000000, v.ns, {columns} \
             from unnest($1::bigint[]) as i(itemid) cross join lateral \
             (select * from {schema}.{table} where itemid = i.itemid \
              and time >= to_timestamp($2::bigint) + $3::bigint * interval '1 microsecond' \
              and time <= to_timestamp($4::bigint) + $5::bigint * interval '1 microsecond' \
              and (time, ns) >= (to_timestamp($2::bigint) + $3::bigint * interval '1 microsecond', $6) \
              and (time, ns) <= (to_timestamp($4::bigint) + $5::bigint * interval '1 microsecond', $7) \
              order by time{order}, ns{order}, seq{order} limit $8) v \
             order by i.itemid, v.time{order}, v.ns{order}, v.seq{order}",
            schema = self.schema,
            table = schema::table(kind),
        );
        let ids: Vec<i64> = items.iter().filter_map(|it| i64::try_from(it.0).ok()).collect();
        let (from_us, from_ns) = micros(from);
        let (till_us, till_ns) = micros(till);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = self.ask(|client| {
            client.query(
                &sql,
                &[
                    &ids,
                    &from.clock(),
                    &from_us,
                    &till.clock(),
                    &till_us,
                    &from_ns,
                    &till_ns,
                    &limit,
                ],
            )
        })?;
        let mut found = BTreeMap::new();
        for row in &rows {
            let (item, sample) = sample(row, kind)?;
            push(found.entry(item).or_insert_with(|| ranges::none(kind)), sample);
        }
        Ok(found)
    }
}

/// Microseconds within the second, and nanoseconds within that.
fn micros(time: Time) -> (i64, i16) {
    let ns = time.ns();
    (i64::from(ns / 1_000), i16::try_from(ns % 1_000).unwrap_or(0))
}

fn sample(row: &postgres::Row, kind: ValueType) -> Result<(ItemId, Sample)> {
    let read = || {
        let item: i64 = row.try_get(0)?;
        let (clock, micros, ns): (i64, i64, i16) =
            (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        let ns = u32::try_from(micros * 1_000 + i64::from(ns)).unwrap_or(0);
        let value = match kind {
            ValueType::Float => Value::Float(row.try_get(4)?),
            ValueType::Unsigned => {
                let digits: &str = row.try_get(4)?;
                Value::Unsigned(digits.parse().unwrap_or(0))
            }
            ValueType::Log => {
                let entry = LogEntry {
                    value: row.try_get(4)?,
                    source: row.try_get(5)?,
                    timestamp: row.try_get(6)?,
                    severity: row.try_get(7)?,
                    logeventid: row.try_get(8)?,
                };
                Value::Log(entry.into())
            }
            ValueType::Char | ValueType::Text | ValueType::Binary => {
                let text: &str = row.try_get(4)?;
                Value::Text(text.into())
            }
        };
        let sample = Sample { time: Time::from_clock(clock, ns), value };
        Ok((ItemId(item.unsigned_abs()), sample))
    };
    read().map_err(|it: postgres::Error| failure(&it))
}

/// Adds a value to those of its type.
fn push(rows: &mut Rows, sample: Sample) {
    match (rows, sample.value) {
        (Rows::Float(rows), Value::Float(value)) => rows.push((sample.time, value)),
        (Rows::Unsigned(rows), Value::Unsigned(value)) => rows.push((sample.time, value)),
        (Rows::Other(rows), value) => rows.push(Sample { time: sample.time, value }),
        // A table holds one type.
        (Rows::Float(_) | Rows::Unsigned(_), _) => {}
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
        writer.batch.take(record, next_lsn)?;
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

    fn journal_identity(&self) -> u32 {
        self.positions.journal_identity()
    }

    fn set_journal_identity(&self, identity: u32) {
        self.positions.set_journal_identity(identity);
    }

    fn skip_to(&self, to: Lsn) -> Result<()> {
        let mut writer = self.writer();
        self.store(self.contact(&mut writer)?, to)
    }

    fn range(&self, query: &RangeQuery) -> Result<Samples> {
        let mut found = self.select(&[query.item], query)?;
        Ok(ranges::samples(found.remove(&query.item).unwrap_or_else(|| ranges::none(query.kind))))
    }

    fn ranges(&self, queries: &[RangeQuery]) -> Result<Vec<Samples>> {
        ranges::ask_alike(queries, |shape, items| self.select(&items, shape))
    }

    fn buckets(&self, query: &BucketQuery) -> Result<Vec<Bucket>> {
        let Some(width) = query.width() else { return Ok(Vec::new()) };
        let Ok(item) = i64::try_from(query.item.0) else { return Ok(Vec::new()) };
        let value = "value::double precision";
        let sql = format!(
            "select floor((extract(epoch from time) * 1000000000 + ns - $2::text::numeric) \
               / $3::text::numeric)::bigint as bucket, min({value}), avg({value}), max({value}), \
             (array_agg({value} order by time desc, ns desc, seq desc))[1], count(*) \
             from {}.{} where itemid = $1 \
             and time >= to_timestamp($4::bigint) and time < to_timestamp($5::bigint + 1) \
             and extract(epoch from time) * 1000000000 + ns between $2::text::numeric and $6::text::numeric \
             group by bucket order by bucket",
            self.schema,
            schema::table(query.kind),
        );
        let rows = self.ask(|client| {
            client.query(
                &sql,
                &[
                    &item,
                    &query.from.0.to_string(),
                    &width.to_string(),
                    &query.from.clock(),
                    &query.till.clock(),
                    &query.till.0.to_string(),
                ],
            )
        })?;
        let bucket = |row: &postgres::Row| {
            let (index, n): (i64, i64) = (row.try_get(0)?, row.try_get(5)?);
            let time = Time(query.from.0.saturating_add(index.saturating_mul(width)));
            let (min, avg, max): (f64, f64, f64) =
                (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            // Rounding must not take the average out of its bounds.
            let avg = if min <= max { avg.clamp(min, max) } else { avg };
            Ok(Bucket { time, min, avg, max, last: row.try_get(4)?, n: n.unsigned_abs() })
        };
        rows.iter().map(bucket).collect::<Result<_, _>>().map_err(|it| failure(&it))
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
        self.store(writer, cursor)?;
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
