//! Prometheus's remote write: versions 1.0 and 2.0.
//!
//! ```text
//! 1.0  WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
//!      TimeSeries   { repeated Label labels = 1; repeated Sample samples = 2;
//!                     repeated Exemplar = 3; repeated Histogram = 4; }
//!      Label        { string name = 1; string value = 2; }
//!      Sample       { double value = 1; int64 timestamp = 2; }   // milliseconds
//! 2.0  Request      { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
//!      TimeSeries   { repeated uint32 labels_refs = 1 (packed; names and values in turn);
//!                     repeated Sample samples = 2; repeated Histogram = 3; repeated Exemplar = 4;
//!                     Metadata metadata = 5; }
//!      Metadata     { enum type = 1; uint32 help_ref = 3; uint32 unit_ref = 4; }
//! ```
//!
//! Items have no native histograms; they count as skipped.

use std::borrow::Cow;

use super::protobuf::{Field, Fields};
use super::{Kind, Labels, Sample, SeriesError, Sink};

/// The NaN that ends a series: "stale".
pub const STALE: u64 = 0x7ff0_0000_0000_0002;

/// The message in a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemoteWriteVersion {
    V1,
    V2,
}

/// The message in a block of snappy.
///
/// # Errors
/// If it is none, or longer than `max`.
pub fn decompress(body: &[u8], max: usize) -> Result<Vec<u8>, SeriesError> {
    let length = snap::raw::decompress_len(body).map_err(|_error| SeriesError::Snappy)?;
    if max < length {
        return Err(SeriesError::TooLong(max));
    }
    // The block may announce more than it holds: snappy makes 64 bytes of three at most.
    if body.len().saturating_mul(64) < length {
        return Err(SeriesError::Snappy);
    }
    snap::raw::Decoder::new().decompress_vec(body).map_err(|_error| SeriesError::Snappy)
}

/// Passes the series of a message to the sink.
///
/// # Errors
/// If it is no such message. Series that the sink has by then are not taken back.
pub fn read(
    message: &[u8],
    version: RemoteWriteVersion,
    sink: &mut dyn Sink,
) -> Result<(), SeriesError> {
    match version {
        RemoteWriteVersion::V1 => read_v1(message, sink),
        RemoteWriteVersion::V2 => read_v2(message, sink),
    }
}

fn read_v1(message: &[u8], sink: &mut dyn Sink) -> Result<(), SeriesError> {
    let mut labels = Labels::default();
    let mut samples = Vec::new();
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        if number != 1 {
            continue;
        }
        let mut n_skipped = 0;
        labels.labels.clear();
        samples.clear();
        let mut series = Fields::of(field.bytes()?);
        while let Some((number, field)) = series.next()? {
            match number {
                1 => {
                    let (name, value) = label(field.bytes()?)?;
                    labels.labels.push((Cow::Borrowed(name), Cow::Borrowed(value)));
                }
                2 => samples.push(sample(field.bytes()?)?),
                4 => n_skipped += 1,
                _ => {}
            }
        }
        pass_on(sink, (&mut labels, &samples), n_skipped);
    }
    Ok(())
}

fn pass_on(sink: &mut dyn Sink, (labels, samples): (&mut Labels<'_>, &[Sample]), n_skipped: usize) {
    if n_skipped != 0 {
        sink.skipped(n_skipped);
    }
    if !samples.is_empty() {
        sink.series(labels, samples);
    }
}

fn label(message: &[u8]) -> Result<(&str, &str), SeriesError> {
    let (mut name, mut value) = ("", "");
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => name = field.text()?,
            2 => value = field.text()?,
            _ => {}
        }
    }
    Ok((name, value))
}

fn sample(message: &[u8]) -> Result<Sample, SeriesError> {
    let (mut value, mut ms) = (0.0, 0_i64);
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => value = field.double()?,
            2 => ms = field.integer()?,
            _ => {}
        }
    }
    Ok(Sample { ns: ms.saturating_mul(1_000_000), value })
}

fn read_v2(message: &[u8], sink: &mut dyn Sink) -> Result<(), SeriesError> {
    // Symbols may come after the series that use them.
    let mut symbols: Vec<&str> = Vec::new();
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        if number == 4 {
            symbols.push(field.text()?);
        }
    }
    let symbol = |at: u64| {
        let found = usize::try_from(at).ok().and_then(|it| symbols.get(it));
        found.copied().ok_or(SeriesError::Symbol)
    };
    let mut labels = Labels::default();
    let mut samples = Vec::new();
    let mut refs = Vec::new();
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        if number != 5 {
            continue;
        }
        let mut n_skipped = 0;
        (labels.kind, labels.unit) = (Kind::Unknown, "");
        labels.labels.clear();
        samples.clear();
        refs.clear();
        let mut series = Fields::of(field.bytes()?);
        while let Some((number, field)) = series.next()? {
            match (number, field) {
                (1, Field::Varint(it)) => refs.push(it),
                (1, field) => {
                    let mut packed = Fields::of(field.bytes()?);
                    while !packed.is_empty() {
                        refs.push(packed.varint()?);
                    }
                }
                (2, field) => samples.push(sample(field.bytes()?)?),
                (3, _) => n_skipped += 1,
                (5, field) => (labels.kind, labels.unit) = metadata(field.bytes()?, &symbol)?,
                _ => {}
            }
        }
        for pair in refs.chunks(2) {
            let [name, value] = pair else { return Err(SeriesError::Symbol) };
            labels.labels.push((Cow::Borrowed(symbol(*name)?), Cow::Borrowed(symbol(*value)?)));
        }
        pass_on(sink, (&mut labels, &samples), n_skipped);
    }
    Ok(())
}

fn metadata<'a>(
    message: &[u8],
    symbol: &dyn Fn(u64) -> Result<&'a str, SeriesError>,
) -> Result<(Kind, &'a str), SeriesError> {
    let (mut kind, mut unit) = (Kind::Unknown, "");
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => {
                kind = match field.integer()? {
                    1 => Kind::Counter,
                    2 => Kind::Gauge,
                    3 | 4 => Kind::Histogram,
                    5 => Kind::Summary,
                    _ => Kind::Unknown,
                }
            }
            4 => unit = symbol(field.integer()?.cast_unsigned())?,
            _ => {}
        }
    }
    Ok((kind, unit))
}
