//! Lines of JSON, as Zabbix 7.0 exports them: same fields, same order, same types.

use model::record::{Num, Sum, TrendRow};
use model::snapshot::Snapshot;
use model::{EventId, Time, ValueType};

use super::{put_float, put_host, put_int, put_tags, put_text, put_texts};
use crate::labels::{Described, groups, hosts_of};
use crate::rows::{ExportValue, ExportedEvent};

/// The beginning of each line of an item, up to its name.
#[must_use]
pub fn label(of: &Described<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(b"{\"host\":");
    put_host(&mut out, of.host);
    out.extend_from_slice(b",\"groups\":");
    put_texts(&mut out, groups(of.snapshot, of.host));
    out.extend_from_slice(b",\"item_tags\":");
    put_tags(&mut out, &of.tags);
    out.extend_from_slice(b",\"itemid\":");
    put_int(&mut out, of.item.id.0);
    out.extend_from_slice(b",\"name\":");
    put_text(&mut out, &of.name);
    out
}

/// Appends the line of a value.
pub fn put_value(out: &mut Vec<u8>, label: &[u8], time: Time, value: &ExportValue<'_>) {
    out.extend_from_slice(label);
    put_time(out, b",\"clock\":", time);
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
                out.extend_from_slice(b",\"eventid\":");
                put_int(out, log.logeventid);
            }
            out.extend_from_slice(b",\"value\":");
            put_text(out, text);
        }
    }
    put_type(out, value.type_code());
}

/// Appends the line of a part of a trend.
pub fn put_trend(out: &mut Vec<u8>, label: &[u8], row: &TrendRow) {
    out.extend_from_slice(label);
    out.extend_from_slice(b",\"clock\":");
    put_int(out, row.hour.start().clock());
    put_trend_values(out, row);
    put_type(out, if matches!(row.sum, Sum::Float(_)) { 0 } else { 3 });
}

/// Appends count, minimum, average, maximum.
pub(super) fn put_trend_values(out: &mut Vec<u8>, row: &TrendRow) {
    out.extend_from_slice(b",\"count\":");
    put_int(out, row.count);
    out.extend_from_slice(b",\"min\":");
    put_num(out, row.min);
    out.extend_from_slice(b",\"avg\":");
    match row.sum {
        Sum::Float(it) => put_float(out, it / f64::from(row.count.max(1))),
        // A whole number, as minimum and maximum are.
        Sum::Unsigned(it) => put_int(out, it / u128::from(row.count.max(1))),
    }
    out.extend_from_slice(b",\"max\":");
    put_num(out, row.max);
}

fn put_num(out: &mut Vec<u8>, value: Num) {
    match value {
        Num::Float(it) => put_float(out, it),
        Num::Unsigned(it) => put_int(out, it),
    }
}

fn put_type(out: &mut Vec<u8>, code: u8) {
    out.extend_from_slice(b",\"type\":");
    put_int(out, code);
    out.extend_from_slice(b"}\n");
}

fn put_time(out: &mut Vec<u8>, clock: &[u8], time: Time) {
    out.extend_from_slice(clock);
    put_int(out, time.clock());
    out.extend_from_slice(b",\"ns\":");
    put_int(out, time.ns());
}

/// Appends the line of a problem; `false` if its trigger has been deleted.
pub fn put_problem(out: &mut Vec<u8>, snapshot: &Snapshot, event: &ExportedEvent<'_>) -> bool {
    let Some(hosts) = hosts_of(snapshot, event.trigger) else { return false };
    put_time(out, b"{\"clock\":", event.time);
    out.extend_from_slice(b",\"value\":1,\"eventid\":");
    put_int(out, event.id.0);
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
    let mut names: Vec<&str> = Vec::new();
    for name in hosts.iter().flat_map(|it| groups(snapshot, it)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    put_texts(out, names.into_iter());
    out.extend_from_slice(b",\"tags\":");
    put_tags(out, &event.tags);
    out.extend_from_slice(b"}\n");
    true
}

/// Appends the line that says which event ended a problem: one for each problem.
pub fn put_recovery(out: &mut Vec<u8>, event: &ExportedEvent<'_>, problem: EventId) {
    put_time(out, b"{\"clock\":", event.time);
    out.extend_from_slice(b",\"value\":0,\"eventid\":");
    put_int(out, event.id.0);
    out.extend_from_slice(b",\"p_eventid\":");
    put_int(out, problem.0);
    out.extend_from_slice(b"}\n");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use model::content::{Severity, Tag};
    use model::record::{Hour, LogRef};
    use model::{ItemId, Retention, TriggerId};

    use super::*;
    use crate::labels::{LabelCache, LabelLookup};
    use crate::testing::{Fixed, ITEM, LOG, TRIGGER, configuration};

    fn line(item: ItemId, value: &ExportValue<'_>) -> String {
        let mut labels = LabelCache::new(Fixed::new(configuration()));
        let LabelLookup::Label(label) = labels.of(item, |it| Some(label(it))) else {
            panic!("no label")
        };
        let mut out = Vec::new();
        put_value(&mut out, label, Time::from_clock(1_519_304_285, 123_456_789), value);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn values_have_the_fields_of_zabbix_in_its_order() {
        let start = r#"{"host":{"host":"web1","name":"Web 1"},"groups":["Linux servers","Web"],"item_tags":[{"tag":"component","value":"cpu"}],"itemid":7,"name":"CPU of Web 1","clock":1519304285,"ns":123456789"#;
        let cases = [
            (ExportValue::Float(0.25), r#","value":0.25,"type":0}"#),
            (ExportValue::Float(5.0), r#","value":5,"type":0}"#),
            (ExportValue::Float(-1e300), r#","value":-1e+300,"type":0}"#),
            (ExportValue::Unsigned(u64::MAX), r#","value":18446744073709551615,"type":3}"#),
            (
                ExportValue::Text {
                    value_type: ValueType::Char,
                    text: "a\"b\n",
                    log: LogRef::default(),
                },
                r#","value":"a\"b\n","type":1}"#,
            ),
            (
                ExportValue::Text {
                    value_type: ValueType::Text,
                    text: "é",
                    log: LogRef::default(),
                },
                r#","value":"é","type":4}"#,
            ),
            (
                ExportValue::Text {
                    value_type: ValueType::Binary,
                    text: "AAE=",
                    log: LogRef::default(),
                },
                r#","value":"AAE=","type":5}"#,
            ),
        ];
        for (value, end) in cases {
            assert_eq!(line(ITEM, &value), format!("{start}{end}\n"));
        }
    }

    #[test]
    fn log_entries_have_their_source() {
        let log =
            LogRef { source: "Security", timestamp: 1_519_304_000, severity: 2, logeventid: 4_624 };
        let value = ExportValue::Text { value_type: ValueType::Log, text: "login", log };
        let line = line(LOG, &value);
        let end = r#","clock":1519304285,"ns":123456789,"timestamp":1519304000,"source":"Security","severity":2,"eventid":4624,"value":"login","type":2}"#;
        assert!(line.trim_end().ends_with(end), "{line}");
    }

    #[test]
    fn trends_have_count_and_bounds() {
        let row = TrendRow {
            item: ITEM,
            hour: Hour(422_028),
            retention: Retention::Year,
            count: 4,
            min: Num::Unsigned(1),
            max: Num::Unsigned(u64::MAX),
            sum: Sum::Unsigned(u128::from(u64::MAX) * 2),
        };
        let mut out = Vec::new();
        put_trend(&mut out, b"{\"itemid\":7", &row);
        let expected = "{\"itemid\":7,\"clock\":1519300800,\"count\":4,\"min\":1,\"avg\":9223372036854775807,\
                        \"max\":18446744073709551615,\"type\":3}\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
        let row =
            TrendRow { min: Num::Float(0.5), max: Num::Float(2.0), sum: Sum::Float(5.0), ..row };
        let mut out = Vec::new();
        put_trend(&mut out, b"{\"itemid\":7", &row);
        let expected = "{\"itemid\":7,\"clock\":1519300800,\"count\":4,\"min\":0.5,\"avg\":1.25,\"max\":2,\"type\":0}\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
    }

    #[test]
    fn problems_name_all_hosts_and_recoveries_their_problem() {
        let snapshot = Arc::new(configuration());
        let event = ExportedEvent {
            trigger: TRIGGER,
            id: EventId(42),
            time: Time::from_clock(1_519_304_285, 5),
            is_problem: true,
            severity: Severity::Average,
            name: "both are slow",
            tags: vec![Tag { tag: "scope".to_owned(), value: String::new() }],
            recovers: vec![],
        };
        let mut out = Vec::new();
        assert!(put_problem(&mut out, &snapshot, &event));
        let expected = concat!(
            r#"{"clock":1519304285,"ns":5,"value":1,"eventid":42,"name":"both are slow","severity":3,"#,
            r#""hosts":[{"host":"web1","name":"Web 1"},{"host":"db1","name":"DB"}],"#,
            r#""groups":["Linux servers","Web"],"tags":[{"tag":"scope","value":""}]}"#,
            "\n"
        );
        assert_eq!(String::from_utf8(out).expect("text"), expected);
        let mut out = Vec::new();
        put_recovery(&mut out, &ExportedEvent { id: EventId(43), ..event.clone() }, EventId(42));
        let expected =
            "{\"clock\":1519304285,\"ns\":5,\"value\":0,\"eventid\":43,\"p_eventid\":42}\n";
        assert_eq!(String::from_utf8(out).expect("text"), expected);
        let gone = ExportedEvent { trigger: TriggerId(404), ..event };
        assert!(!put_problem(&mut Vec::new(), &snapshot, &gone));
    }
}
