//! Parquet, compressed by Snappy: the columns of CSV, with the value in a column of its type.
//!
//! Rows wait in memory until a row group is full.

use std::io;
use std::sync::Arc;

use model::record::Num;
use model::{Time, ValueType};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::encoder::{Encoder, ExportKind, ExportedItem, ExportedTrend, ExportedValue};
use super::output::Output;

/// Rows of a group: some 10 MB of numbers.
const ROWS_MAX: usize = 1 << 18;
/// Bytes of texts in a group.
const TEXT_BYTES_MAX: usize = 32 << 20;

const VALUES: &str = "message values {
    required int64 itemid (INTEGER(64, false));
    optional binary host (UTF8);
    optional binary key (UTF8);
    required int32 value_type (INTEGER(8, false));
    required int64 time (TIMESTAMP(NANOS, true));
    optional double value_float;
    optional int64 value_unsigned (INTEGER(64, false));
    optional binary value_text (UTF8);
    optional int64 timestamp;
    optional binary source (UTF8);
    optional int32 severity;
    optional int64 logeventid;
}";

const TRENDS: &str = "message trends {
    required int64 itemid (INTEGER(64, false));
    optional binary host (UTF8);
    optional binary key (UTF8);
    required int32 value_type (INTEGER(8, false));
    required int64 time (TIMESTAMP(NANOS, true));
    required int64 num (INTEGER(64, false));
    required double value_avg;
    optional double value_min_float;
    optional double value_max_float;
    optional int64 value_min_unsigned (INTEGER(64, false));
    optional int64 value_max_unsigned (INTEGER(64, false));
}";

pub(super) struct Parquet {
    writer: SerializedFileWriter<Output>,
    rows: Columns,
}

/// Rows that are not written yet.
enum Columns {
    Values(Box<ValueColumns>),
    Trends(Box<TrendColumns>),
}

#[derive(Default)]
struct ItemColumns {
    ids: Column<Int64Type>,
    hosts: Column<ByteArrayType>,
    keys: Column<ByteArrayType>,
    types: Column<Int32Type>,
    times: Column<Int64Type>,
    /// The last item's names, shared by its rows.
    last: Option<(u64, Option<(ByteArray, ByteArray)>)>,
}

#[derive(Default)]
struct ValueColumns {
    items: ItemColumns,
    floats: Column<DoubleType>,
    unsigned: Column<Int64Type>,
    texts: Column<ByteArrayType>,
    timestamps: Column<Int64Type>,
    sources: Column<ByteArrayType>,
    severities: Column<Int32Type>,
    event_ids: Column<Int64Type>,
    n_text_bytes: usize,
}

#[derive(Default)]
struct TrendColumns {
    items: ItemColumns,
    counts: Column<Int64Type>,
    averages: Column<DoubleType>,
    float_min: Column<DoubleType>,
    float_max: Column<DoubleType>,
    unsigned_min: Column<Int64Type>,
    unsigned_max: Column<Int64Type>,
}

/// Values of a column; levels say which rows have one.
struct Column<T: DataType> {
    values: Vec<T::T>,
    levels: Vec<i16>,
}

impl<T: DataType> Default for Column<T> {
    fn default() -> Self {
        Self { values: Vec::new(), levels: Vec::new() }
    }
}

impl<T: DataType> Column<T> {
    fn push(&mut self, value: Option<T::T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    fn write(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, Output>,
        is_optional: bool,
    ) -> Result<(), ParquetError> {
        let missing = || ParquetError::General("the schema has fewer columns".to_owned());
        let mut column = group.next_column()?.ok_or_else(missing)?;
        let levels = is_optional.then_some(self.levels.as_slice());
        column.typed::<T>().write_batch(&self.values, levels, None)?;
        column.close()?;
        self.values.clear();
        self.levels.clear();
        Ok(())
    }
}

impl ItemColumns {
    fn push(&mut self, (item, kind): (&ExportedItem, ValueType), time: Time) {
        if self.last.as_ref().is_none_or(|it| it.0 != item.id.0) {
            let names = item.names.as_ref();
            let names = names.map(|(host, key)| (host.as_str().into(), key.as_str().into()));
            self.last = Some((item.id.0, names));
        }
        let names = self.last.as_ref().and_then(|it| it.1.as_ref());
        self.ids.push(Some(item.id.0.cast_signed()));
        self.hosts.push(names.map(|it| it.0.clone()));
        self.keys.push(names.map(|it| it.1.clone()));
        self.types.push(Some((kind as u8).into()));
        self.times.push(Some(time.0));
    }

    fn write(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, Output>,
    ) -> Result<(), ParquetError> {
        self.ids.write(group, false)?;
        self.hosts.write(group, true)?;
        self.keys.write(group, true)?;
        self.types.write(group, false)?;
        self.times.write(group, false)
    }
}

impl ValueColumns {
    fn push(&mut self, of: (&ExportedItem, ValueType), time: Time, value: ExportedValue<'_>) {
        self.items.push(of, time);
        let (mut float, mut unsigned, mut text, mut log) = (None, None, None, None);
        match value {
            ExportedValue::Float(value) => float = Some(value),
            ExportedValue::Unsigned(value) => unsigned = Some(value.cast_signed()),
            ExportedValue::Text(value) => text = Some(value),
            ExportedValue::Log(entry) => (text, log) = (Some(entry.value.as_str()), Some(entry)),
        }
        self.n_text_bytes += text.map_or(0, str::len) + log.map_or(0, |it| it.source.len());
        self.floats.push(float);
        self.unsigned.push(unsigned);
        self.texts.push(text.map(ByteArray::from));
        self.timestamps.push(log.map(|it| it.timestamp));
        self.sources.push(log.map(|it| it.source.as_str().into()));
        self.severities.push(log.map(|it| it.severity));
        self.event_ids.push(log.map(|it| it.logeventid));
    }

    fn write(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, Output>,
    ) -> Result<(), ParquetError> {
        self.items.write(group)?;
        self.floats.write(group, true)?;
        self.unsigned.write(group, true)?;
        self.texts.write(group, true)?;
        self.timestamps.write(group, true)?;
        self.sources.write(group, true)?;
        self.severities.write(group, true)?;
        self.event_ids.write(group, true)?;
        self.n_text_bytes = 0;
        Ok(())
    }
}

impl TrendColumns {
    fn push(&mut self, of: (&ExportedItem, ValueType), trend: &ExportedTrend) {
        self.items.push(of, Time(trend.clock.saturating_mul(1_000_000_000)));
        self.counts.push(Some(trend.count.cast_signed()));
        self.averages.push(Some(trend.avg));
        let float = |it| if let Num::Float(it) = it { Some(it) } else { None };
        let unsigned = |it| if let Num::Unsigned(it) = it { Some(it.cast_signed()) } else { None };
        self.float_min.push(float(trend.min));
        self.float_max.push(float(trend.max));
        self.unsigned_min.push(unsigned(trend.min));
        self.unsigned_max.push(unsigned(trend.max));
    }

    fn write(
        &mut self,
        group: &mut SerializedRowGroupWriter<'_, Output>,
    ) -> Result<(), ParquetError> {
        self.items.write(group)?;
        self.counts.write(group, false)?;
        self.averages.write(group, false)?;
        self.float_min.write(group, true)?;
        self.float_max.write(group, true)?;
        self.unsigned_min.write(group, true)?;
        self.unsigned_max.write(group, true)
    }
}

impl Columns {
    fn n_rows(&self) -> usize {
        match self {
            Self::Values(it) => it.items.ids.values.len(),
            Self::Trends(it) => it.items.ids.values.len(),
        }
    }
}

impl Parquet {
    pub(super) fn new(output: Output, kind: ExportKind) -> io::Result<Self> {
        let (schema, rows) = match kind {
            ExportKind::Values => (VALUES, Columns::Values(Box::default())),
            ExportKind::Trends => (TRENDS, Columns::Trends(Box::default())),
        };
        let schema = Arc::new(parse_message_type(schema).map_err(refused)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("saker ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(output, schema, Arc::new(properties));
        Ok(Self { writer: writer.map_err(refused)?, rows })
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.rows.n_rows() == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(refused)?;
        match &mut self.rows {
            Columns::Values(it) => it.write(&mut group),
            Columns::Trends(it) => it.write(&mut group),
        }
        .map_err(refused)?;
        group.close().map_err(refused)?;
        Ok(())
    }
}

impl Encoder for Parquet {
    fn value(
        &mut self,
        of: (&ExportedItem, ValueType),
        time: Time,
        value: ExportedValue<'_>,
    ) -> io::Result<()> {
        let Columns::Values(rows) = &mut self.rows else { return Ok(()) };
        rows.push(of, time, value);
        let is_full = TEXT_BYTES_MAX <= rows.n_text_bytes || ROWS_MAX <= self.rows.n_rows();
        if is_full { self.write_group() } else { Ok(()) }
    }

    fn trend(&mut self, of: (&ExportedItem, ValueType), trend: &ExportedTrend) -> io::Result<()> {
        let Columns::Trends(rows) = &mut self.rows else { return Ok(()) };
        rows.push(of, trend);
        if ROWS_MAX <= self.rows.n_rows() { self.write_group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<Output> {
        self.write_group()?;
        self.writer.into_inner().map_err(refused)
    }
}

/// The error of the file system, if there was one.
fn refused(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        other => io::Error::other(other),
    }
}
