//! Elasticsearch's bulk form: a line with the operation, a line with the document.
//!
//! Each row has an id of its own, made of its place in the journal: sent again, it takes its own place.

use jiff::Timestamp;
use model::record::{Sum, TrendRow};
use model::snapshot::Snapshot;
use model::{EventId, Time, ValueType};

use super::{ndjson, put_float, put_host, put_int, put_tags, put_text, put_texts};
use crate::labels::{Described, groups, hosts_of};
use crate::rows::{ExportValue, ExportedEvent};

/// The start of an item's documents.
#[must_use]
pub fn label(of: &Described<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b",\"itemid\":");
    put_int(&mut out, of.item.id.0);
    out.extend_from_slice(b",\"host\":");
    put_host(&mut out, of.host);
    out.extend_from_slice(b",\"key\":");
    put_text(&mut out, &of.item.key());
    out.extend_from_slice(b",\"name\":");
    put_text(&mut out, &of.name);
    out.extend_from_slice(b",\"groups\":");
    put_texts(&mut out, groups(of.snapshot, of.host));
    out.extend_from_slice(b",\"item_tags\":");
    put_tags(&mut out, &of.tags);
    out
}

/// Appends `{"index":{"_index":"PREFIX-2026.11.23","_id":"…"}}` and the start of the document.
pub fn put_action(out: &mut Vec<u8>, index: &str, id: std::fmt::Arguments<'_>, time: Time) {
    let at = Timestamp::from_nanosecond(i128::from(time.0)).unwrap_or(Timestamp::UNIX_EPOCH);
    let day = at.strftime("%Y.%m.%d");
    out.extend_from_slice(b"{\"index\":{\"_index\":");
    put_text(out, &format!("{index}-{day}"));
    out.extend_from_slice(b",\"_id\":\"");
    put_int(out, id);
    out.extend_from_slice(b"\"}}\n{\"@timestamp\":\"");
    put_int(out, at.strftime("%Y-%m-%dT%H:%M:%S"));
    put_int(out, format_args!(".{:09}Z", time.ns()));
    out.push(b'"');
}

/// Ends the document of a value: numbers in `value`, everything else in `text`.
pub fn put_value(out: &mut Vec<u8>, label: &[u8], value: &ExportValue<'_>) {
    out.extend_from_slice(label);
    match value {
        ExportValue::Float(it) => {
            out.extend_from_slice(b",\"value\":");
            put_float(out, *it);
        }
        ExportValue::Unsigned(it) => {
            out.extend_from_slice(b",\"value\":");
            put_int(out, it);
        }
        ExportValue::Text { value_type, text, log } => {
            if *value_type == ValueType::Log {
                out.extend_from_slice(b",\"timestamp\":");
                put_int(out, log.timestamp);
                out.extend_from_slice(b",\"source\":");
                put_text(out, log.source);
                out.extend_from_slice(b",\"severity\":");
                put_int(out, log.severity);
                out.extend_from_slice(b",\"logeventid\":");
                put_int(out, log.logeventid);
            }
            out.extend_from_slice(b",\"text\":");
            put_text(out, text);
        }
    }
    put_type(out, value.type_code());
}

/// Ends the document of a part of a trend.
pub fn put_trend(out: &mut Vec<u8>, label: &[u8], row: &TrendRow) {
    out.extend_from_slice(label);
    ndjson::put_trend_values(out, row);
    put_type(out, if matches!(row.sum, Sum::Float(_)) { 0 } else { 3 });
}

fn put_type(out: &mut Vec<u8>, code: u8) {
    out.extend_from_slice(b",\"type\":");
    put_int(out, code);
    out.extend_from_slice(b"}\n");
}

/// Ends the document of a problem, or with `recovered` of the end of one; `false` if its trigger has been deleted.
pub fn put_event(
    out: &mut Vec<u8>,
    snapshot: &Snapshot,
    event: &ExportedEvent<'_>,
    recovered: Option<EventId>,
) -> bool {
    let Some(hosts) = hosts_of(snapshot, event.trigger) else { return false };
    out.extend_from_slice(b",\"eventid\":");
    put_int(out, event.id.0);
    out.extend_from_slice(b",\"triggerid\":");
    put_int(out, event.trigger.0);
    out.extend_from_slice(if event.is_problem { b",\"value\":1" } else { b",\"value\":0" });
    if let Some(problem) = recovered {
        out.extend_from_slice(b",\"p_eventid\":");
        put_int(out, problem.0);
    }
    out.extend_from_slice(b",\"name\":");
    put_text(out, event.name);
    out.extend_from_slice(b",\"severity\":");
    put_int(out, event.severity as u8);
    out.extend_from_slice(b",\"hosts\":[");
    for (at, host) in hosts.iter().enumerate() {
        if at != 0 {
            out.push(b',');
        }
        put_host(out, host);
    }
    out.extend_from_slice(b"],\"groups\":");
    put_texts(out, hosts.iter().flat_map(|it| groups(snapshot, it)));
    out.extend_from_slice(b",\"tags\":");
    put_tags(out, &event.tags);
    out.extend_from_slice(b"}\n");
    true
}
