//! OpenTelemetry's metrics over HTTP, as JSON: the same message with names in camel case, where numbers
//! of 64 bits may be texts.

use std::borrow::Cow;

use serde_json::Value;

use super::otlp::{Metric, Point, as_f64};
use super::{Kind, Label, SeriesError, Sink};

/// Passes the series of a request to the sink.
///
/// # Errors
/// If it is no JSON object. Parts whose shape is not the protocol's are skipped.
pub fn read(body: &[u8], sink: &mut dyn Sink) -> Result<(), SeriesError> {
    let request: Value = serde_json::from_slice(body).map_err(|_error| SeriesError::Message)?;
    if !request.is_object() {
        return Err(SeriesError::Message);
    }
    for of_resource in list(&request, "resourceMetrics") {
        let resource = of_resource.get("resource").map(attributes).unwrap_or_default();
        let scopes = list(of_resource, "scopeMetrics");
        for metric in scopes.flat_map(|it| list(it, "metrics")) {
            read_metric(metric, &resource, sink);
        }
    }
    Ok(())
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn attributes(of: &Value) -> Vec<Label<'_>> {
    let each = list(of, "attributes");
    each.filter_map(|it| Some((Cow::Borrowed(text(it, "key")), any_value(it.get("value")?)?)))
        .collect()
}

fn any_value(value: &Value) -> Option<Cow<'_, str>> {
    let (kind, value) = value.as_object()?.iter().next()?;
    match (kind.as_str(), value) {
        ("stringValue" | "intValue", Value::String(it)) => Some(Cow::Borrowed(it)),
        ("intValue" | "doubleValue", Value::Number(it)) => Some(Cow::Owned(it.to_string())),
        ("boolValue", Value::Bool(it)) => Some(Cow::Borrowed(if *it { "true" } else { "false" })),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(it) => it.as_f64(),
        Value::String(it) => it.parse().ok(),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<u64> {
    match value {
        Value::Number(it) => it.as_u64(),
        Value::String(it) => it.parse().ok(),
        _ => None,
    }
}

fn read_metric<'v>(value: &'v Value, resource: &[Label<'v>], sink: &mut dyn Sink) {
    let metric = Metric { name: text(value, "name"), unit: text(value, "unit"), resource };
    for (name, kind) in [
        ("gauge", Kind::Gauge),
        ("sum", Kind::Counter),
        ("histogram", Kind::Histogram),
        ("exponentialHistogram", Kind::Histogram),
        ("summary", Kind::Summary),
    ] {
        let Some(data) = value.get(name) else { continue };
        let is_monotonic = data.get("isMonotonic").and_then(Value::as_bool) == Some(true);
        let kind = if kind == Kind::Counter && !is_monotonic { Kind::Gauge } else { kind };
        for point in list(data, "dataPoints") {
            metric.pass_on(&read_point(point, name), kind, sink);
        }
    }
}

fn read_point<'v>(value: &'v Value, of: &str) -> Point<'v> {
    let get = |name: &str| value.get(name).and_then(number);
    let is_number = matches!(of, "gauge" | "sum");
    let has_buckets = of == "histogram";
    let ns = value.get("timeUnixNano").and_then(integer);
    Point {
        ns: ns.and_then(|it| i64::try_from(it).ok()).unwrap_or(0),
        attributes: attributes(value),
        value: get("asDouble").or_else(|| get("asInt")).filter(|_| is_number),
        count: value.get("count").and_then(integer).map(as_f64).filter(|_| !is_number),
        sum: get("sum").filter(|_| !is_number),
        counts: if has_buckets {
            list(value, "bucketCounts").filter_map(integer).collect()
        } else {
            Vec::new()
        },
        bounds: if has_buckets {
            list(value, "explicitBounds").filter_map(number).collect()
        } else {
            Vec::new()
        },
        quantiles: list(value, "quantileValues")
            .filter_map(|it| Some((number(it.get("quantile")?)?, number(it.get("value")?)?)))
            .collect(),
        flags: value.get("flags").and_then(Value::as_i64).unwrap_or(0),
    }
}
