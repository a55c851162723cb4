//! OpenTelemetry's metrics over HTTP, as protobuf: `ExportMetricsServiceRequest`.
//!
//! ```text
//! Request         { repeated ResourceMetrics = 1; }
//! ResourceMetrics { Resource resource = 1; repeated ScopeMetrics = 2; }
//! Resource        { repeated KeyValue attributes = 1; }
//! ScopeMetrics    { Scope = 1; repeated Metric = 2; }
//! Metric          { string name = 1; string unit = 3; Gauge = 5; Sum = 7; Histogram = 9;
//!                   ExponentialHistogram = 10; Summary = 11; }
//! Gauge           { repeated NumberDataPoint = 1; }
//! Sum             { repeated NumberDataPoint = 1; temporality = 2; bool is_monotonic = 3; }
//! NumberDataPoint { fixed64 time_unix_nano = 3; double as_double = 4; sfixed64 as_int = 6;
//!                   repeated KeyValue attributes = 7; uint32 flags = 8; }
//! Histogram       { repeated HistogramDataPoint = 1; temporality = 2; }
//! HistogramDataPoint { fixed64 time_unix_nano = 3; fixed64 count = 4; double sum = 5;
//!                   repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
//!                   repeated KeyValue attributes = 9; flags = 10; min = 11; max = 12; }
//! ExponentialHistogramDataPoint { attributes = 1; time = 3; count = 4; sum = 5; flags = 10; }
//! SummaryDataPoint { time = 3; count = 4; double sum = 5; repeated ValueAtQuantile = 6;
//!                   attributes = 7; flags = 8; }
//! ValueAtQuantile { double quantile = 1; double value = 2; }
//! KeyValue        { string key = 1; AnyValue value = 2; }
//! AnyValue        { string = 1; bool = 2; int64 = 3; double = 4; array = 5; kvlist = 6; bytes = 7; }
//! ```
//!
//! A histogram becomes the series that Prometheus makes: `name_bucket` with `le` and cumulative
//! counts, `name_sum` and `name_count`; a summary `name` with `quantile`, `name_sum` and
//! `name_count`; an exponential histogram its sum and count alone. Attributes of the resource are
//! labels too; one of the data point with the same name wins. Attributes that are lists or maps are
//! left out.

use std::borrow::Cow;

use super::protobuf::{Field, Fields};
use super::{Kind, Label, Labels, NAME, Sample, SeriesError, Sink};

/// Flag: the data point has no value.
const NO_RECORDED_VALUE: i64 = 1;

/// The content of the answer to a request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OtlpAnswer {
    /// Refused data points; 0: none.
    pub n_rejected: u64,
    pub message: String,
}

impl OtlpAnswer {
    /// `ExportMetricsServiceResponse { ExportMetricsPartialSuccess partial_success = 1; }`, which is
    /// `{ int64 rejected_data_points = 1; string error_message = 2; }`.
    #[must_use]
    pub fn protobuf(&self) -> Vec<u8> {
        if *self == Self::default() {
            return Vec::new();
        }
        let mut part = Vec::with_capacity(self.message.len() + 16);
        part.push(0x08);
        put_varint(&mut part, self.n_rejected);
        part.push(0x12);
        put_varint(&mut part, self.message.len() as u64);
        part.extend_from_slice(self.message.as_bytes());
        let mut answer = vec![0x0a];
        put_varint(&mut answer, part.len() as u64);
        answer.extend(part);
        answer
    }

    #[must_use]
    pub fn json(&self) -> String {
        if *self == Self::default() {
            return "{}".to_owned();
        }
        let part = serde_json::json!({
            "rejectedDataPoints": self.n_rejected.to_string(),
            "errorMessage": self.message,
        });
        serde_json::json!({ "partialSuccess": part }).to_string()
    }
}

pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = (value & 0x7f).to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Passes the series of a request to the sink.
///
/// # Errors
/// If it is no such message. Series that the sink has by then are not taken back.
pub fn read(message: &[u8], sink: &mut dyn Sink) -> Result<(), SeriesError> {
    let mut request = Fields::of(message);
    while let Some((number, field)) = request.next()? {
        if number == 1 {
            read_resource(field.bytes()?, sink)?;
        }
    }
    Ok(())
}

fn read_resource(message: &[u8], sink: &mut dyn Sink) -> Result<(), SeriesError> {
    let mut resource = Vec::new();
    // The resource may come after its metrics.
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        if number == 1 {
            let mut attributes = Fields::of(field.bytes()?);
            while let Some((number, field)) = attributes.next()? {
                if number == 1 {
                    attribute(field.bytes()?, &mut resource)?;
                }
            }
        }
    }
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        if number != 2 {
            continue;
        }
        let mut scope = Fields::of(field.bytes()?);
        while let Some((number, field)) = scope.next()? {
            if number == 2 {
                read_metric(field.bytes()?, &resource, sink)?;
            }
        }
    }
    Ok(())
}

fn attribute<'a>(message: &'a [u8], into: &mut Vec<Label<'a>>) -> Result<(), SeriesError> {
    let (mut key, mut value) = ("", None);
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => key = field.text()?,
            2 => value = any_value(field.bytes()?)?,
            _ => {}
        }
    }
    into.extend(value.map(|it| (Cow::Borrowed(key), it)));
    Ok(())
}

fn any_value(message: &[u8]) -> Result<Option<Cow<'_, str>>, SeriesError> {
    let mut value = None;
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        value = match number {
            1 => Some(Cow::Borrowed(field.text()?)),
            2 => Some(Cow::Borrowed(if field.integer()? == 0 { "false" } else { "true" })),
            3 => Some(Cow::Owned(field.integer()?.to_string())),
            4 => Some(Cow::Owned(field.double()?.to_string())),
            _ => value,
        }
    }
    Ok(value)
}

/// A metric on its way to series: the common part of its data points.
pub(super) struct Metric<'a, 's> {
    pub(super) name: &'a str,
    pub(super) unit: &'a str,
    pub(super) resource: &'s [Label<'a>],
}

/// A data point on its way to series.
#[derive(Default)]
pub(super) struct Point<'a> {
    pub(super) ns: i64,
    pub(super) attributes: Vec<Label<'a>>,
    /// The value of a number.
    pub(super) value: Option<f64>,
    pub(super) count: Option<f64>,
    pub(super) sum: Option<f64>,
    /// By bucket, not cumulative.
    pub(super) counts: Vec<u64>,
    pub(super) bounds: Vec<f64>,
    /// Quantile and value.
    pub(super) quantiles: Vec<(f64, f64)>,
    pub(super) flags: i64,
}

impl<'a> Metric<'a, '_> {
    /// Passes the series of a data point to the sink.
    pub(super) fn pass_on(&self, point: &Point<'a>, kind: Kind, sink: &mut dyn Sink) {
        if point.flags & NO_RECORDED_VALUE != 0 {
            return;
        }
        let mut one = |suffix: &str, more: Option<Label<'a>>, value: f64| {
            let name = if suffix.is_empty() {
                Cow::Borrowed(self.name)
            } else {
                Cow::Owned(format!("{}{suffix}", self.name))
            };
            let of_resource = self
                .resource
                .iter()
                .filter(|(name, _)| !point.attributes.iter().any(|(own, _)| own == name));
            let mut labels = Vec::with_capacity(self.resource.len() + point.attributes.len() + 2);
            labels.push((Cow::Borrowed(NAME), name));
            labels.extend(of_resource.chain(&point.attributes).cloned());
            labels.extend(more);
            let mut labels = Labels { labels, kind, unit: self.unit };
            sink.series(&mut labels, &[Sample { ns: point.ns, value }]);
        };
        if let Some(value) = point.value {
            one("", None, value);
        }
        for (quantile, value) in &point.quantiles {
            one("", Some((Cow::Borrowed("quantile"), Cow::Owned(quantile.to_string()))), *value);
        }
        if point.counts.len() == point.bounds.len() + 1 {
            let mut below = 0_u64;
            let bounds = point.bounds.iter().map(ToString::to_string);
            let bounds = bounds.chain(std::iter::once("+Inf".to_owned()));
            for (count, bound) in point.counts.iter().zip(bounds) {
                below = below.saturating_add(*count);
                let label = (Cow::Borrowed("le"), Cow::Owned(bound));
                one("_bucket", Some(label), as_f64(below));
            }
        }
        if let Some(sum) = point.sum {
            one("_sum", None, sum);
        }
        if let Some(count) = point.count {
            one("_count", None, count);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "items of such series hold floating point numbers")]
pub(super) fn as_f64(count: u64) -> f64 {
    count as f64
}

/// Numbers of the fields of a data point; 0: it has none.
#[derive(Clone, Copy)]
struct Shape {
    attributes: u64,
    flags: u64,
    double: u64,
    int: u64,
    count: u64,
    sum: u64,
    counts: u64,
    bounds: u64,
    quantiles: u64,
}

const NONE: Shape = Shape {
    attributes: 0,
    flags: 0,
    double: 0,
    int: 0,
    count: 0,
    sum: 0,
    counts: 0,
    bounds: 0,
    quantiles: 0,
};
const NUMBER: Shape = Shape { attributes: 7, flags: 8, double: 4, int: 6, ..NONE };
const HISTOGRAM: Shape =
    Shape { attributes: 9, flags: 10, count: 4, sum: 5, counts: 6, bounds: 7, ..NONE };
const EXPONENTIAL: Shape = Shape { attributes: 1, flags: 10, count: 4, sum: 5, ..NONE };
const SUMMARY: Shape = Shape { attributes: 7, flags: 8, count: 4, sum: 5, quantiles: 6, ..NONE };

fn read_metric<'a>(
    message: &'a [u8],
    resource: &[Label<'a>],
    sink: &mut dyn Sink,
) -> Result<(), SeriesError> {
    let mut metric = Metric { name: "", unit: "", resource };
    let mut data = Vec::new();
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => metric.name = field.text()?,
            3 => metric.unit = field.text()?,
            5 => data.push((NUMBER, Kind::Gauge, field.bytes()?)),
            7 => data.push((NUMBER, Kind::Counter, field.bytes()?)),
            9 => data.push((HISTOGRAM, Kind::Histogram, field.bytes()?)),
            10 => data.push((EXPONENTIAL, Kind::Histogram, field.bytes()?)),
            11 => data.push((SUMMARY, Kind::Summary, field.bytes()?)),
            _ => {}
        }
    }
    for (shape, mut kind, message) in data {
        if kind == Kind::Counter && !is_monotonic(message)? {
            kind = Kind::Gauge;
        }
        let mut points = Fields::of(message);
        while let Some((number, field)) = points.next()? {
            // Summaries and numbers have their points in the same field.
            if number == 1 {
                metric.pass_on(&read_point(field.bytes()?, shape)?, kind, sink);
            }
        }
    }
    Ok(())
}

fn is_monotonic(sum: &[u8]) -> Result<bool, SeriesError> {
    let mut found = false;
    let mut fields = Fields::of(sum);
    while let Some((number, field)) = fields.next()? {
        if number == 3 {
            found = field.integer()? != 0;
        }
    }
    Ok(found)
}

fn read_point(message: &[u8], shape: Shape) -> Result<Point<'_>, SeriesError> {
    let mut point = Point::default();
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            3 => point.ns = field.integer()?,
            it if it == shape.attributes => attribute(field.bytes()?, &mut point.attributes)?,
            it if it == shape.flags => point.flags = field.integer()?,
            it if it == shape.double => point.value = Some(field.double()?),
            it if it == shape.int => point.value = Some(int_as_f64(field.integer()?)),
            it if it == shape.count => {
                point.count = Some(as_f64(field.integer()?.cast_unsigned()));
            }
            it if it == shape.sum => point.sum = Some(field.double()?),
            it if it == shape.counts => numbers(field, &mut |it| point.counts.push(it))?,
            it if it == shape.bounds => {
                numbers(field, &mut |it| point.bounds.push(f64::from_bits(it)))?;
            }
            it if it == shape.quantiles => point.quantiles.push(quantile(field.bytes()?)?),
            _ => {}
        }
    }
    Ok(point)
}

#[expect(clippy::cast_precision_loss, reason = "items of such series hold floating point numbers")]
pub(super) fn int_as_f64(value: i64) -> f64 {
    value as f64
}

/// One number of eight bytes, or several without gaps.
fn numbers(field: Field<'_>, take: &mut dyn FnMut(u64)) -> Result<(), SeriesError> {
    match field {
        Field::Fixed64(it) => take(it),
        Field::Bytes(packed) => {
            let (each, rest) = packed.as_chunks::<8>();
            if !rest.is_empty() {
                return Err(SeriesError::Message);
            }
            each.iter().for_each(|it| take(u64::from_le_bytes(*it)));
        }
        Field::Varint(_) | Field::Fixed32(_) => return Err(SeriesError::Message),
    }
    Ok(())
}

fn quantile(message: &[u8]) -> Result<(f64, f64), SeriesError> {
    let (mut quantile, mut value) = (0.0, 0.0);
    let mut fields = Fields::of(message);
    while let Some((number, field)) = fields.next()? {
        match number {
            1 => quantile = field.double()?,
            2 => value = field.double()?,
            _ => {}
        }
    }
    Ok((quantile, value))
}
