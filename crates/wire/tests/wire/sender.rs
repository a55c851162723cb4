//! The scanner of values against serde_json, and odd requests.

use std::fmt;

use proptest::prelude::*;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use wire::Version;
use wire::sender::{Log, Parser, RequestWriter, Row, SenderError};

/// The common form of both readers' results.
#[derive(Debug, Default, PartialEq, Clone)]
struct Plain {
    top: Vec<(&'static str, String)>,
    has_data: bool,
    rows: Vec<Vec<(&'static str, String)>>,
}

const TOP_TEXTS: [&str; 4] = ["request", "session", "host", "version"];
const ROW_TEXTS: [&str; 4] = ["host", "key", "value", "source"];
const ROW_NUMBERS: [&str; 9] =
    ["clock", "ns", "id", "itemid", "lastlogsize", "mtime", "timestamp", "severity", "eventid"];

fn ours(payload: &[u8]) -> Result<Plain, SenderError> {
    let mut parser = Parser::new(100_000);
    let request = parser.parse(payload)?;
    let mut plain = Plain { has_data: request.has_data(), ..Plain::default() };
    let texts = [request.request(), request.session(), request.host(), request.version()];
    for (name, text) in TOP_TEXTS.into_iter().zip(texts) {
        plain.top.extend(text.map(|it| (name, it.to_owned())));
    }
    plain.top.extend(request.clock().map(|it| ("clock", it.to_string())));
    plain.top.extend(request.ns().map(|it| ("ns", it.to_string())));
    assert_eq!(request.rows().len(), request.len());
    for row in request.rows() {
        let log = row.log.unwrap_or_default();
        let mut members = Vec::new();
        for (name, text) in ROW_TEXTS.into_iter().zip([row.host, row.key, row.value, log.source]) {
            members.extend(text.map(|it| (name, it.to_owned())));
        }
        let numbers = [
            row.clock.map(|it| u64::try_from(it).unwrap()),
            row.ns.map(u64::from),
            row.id,
            row.itemid,
            log.lastlogsize,
            log.mtime,
            log.timestamp,
            log.severity,
            log.eventid,
        ];
        // A malformed row counts as failed; its other members do not matter.
        if row.malformed {
            members = vec![("malformed", String::new())];
        } else {
            for (name, number) in ROW_NUMBERS.into_iter().zip(numbers) {
                members.extend(number.map(|it| (name, it.to_string())));
            }
            if row.unsupported {
                members.push(("state", "1".to_owned()));
            }
        }
        plain.rows.push(members);
    }
    Ok(plain)
}

/// An object's members; the first of repeated ones counts.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Members(pairs))
            }
        }
        source.deserialize_map(Pairs)
    }
}

struct Elements<'a>(Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Elements<'de> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Items;
        impl<'de> Visitor<'de> for Items {
            type Value = Elements<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Elements(items))
            }
        }
        source.deserialize_seq(Items)
    }
}

/// `Err` for arrays and objects, `Ok(None)` for null.
fn text_of(raw: &RawValue) -> Result<Option<String>, ()> {
    let json = raw.get();
    match json.as_bytes()[0] {
        b'"' => Ok(Some(serde_json::from_str(json).map_err(|_half_pair| ())?)),
        b'{' | b'[' => Err(()),
        _ if json == "null" => Ok(None),
        _ => Ok(Some(json.to_owned())),
    }
}

fn whole_of(raw: &RawValue) -> Result<Option<u64>, ()> {
    let Some(text) = text_of(raw)? else { return Ok(None) };
    let is_quoted_escape = raw.get().starts_with('"') && raw.get().contains('\\');
    if is_quoted_escape || text.is_empty() || !text.bytes().all(|it| it.is_ascii_digit()) {
        return Err(());
    }
    text.parse().map(Some).map_err(|_too_large| ())
}

/// The same by serde_json. `None`: refused.
fn theirs(text: &str) -> Option<Plain> {
    let Members(top) = serde_json::from_str(text).ok()?;
    let first = |name: &'static str| top.iter().filter(move |it| it.0 == name).map(|it| it.1);
    let mut plain = Plain::default();
    for name in TOP_TEXTS {
        let text = first(name).find_map(|it| text_of(it).ok().flatten());
        plain.top.extend(text.map(|it| (name, it)));
    }
    for (name, max) in [("clock", i64::MAX as u64), ("ns", 999_999_999)] {
        let number = first(name).find_map(|it| whole_of(it).ok().flatten());
        plain.top.extend(number.filter(|it| *it <= max).map(|it| (name, it.to_string())));
    }
    for data in first("data") {
        if data.get() == "null" {
            continue;
        }
        let Elements(rows) = serde_json::from_str(data.get()).ok()?;
        plain.has_data = true;
        plain.rows = rows.into_iter().map(|it| row_of(it).unwrap_or(malformed())).collect();
        break;
    }
    Some(plain)
}

fn malformed() -> Vec<(&'static str, String)> {
    vec![("malformed", String::new())]
}

fn row_of(raw: &RawValue) -> Result<Vec<(&'static str, String)>, ()> {
    let Members(pairs) = serde_json::from_str(raw.get()).map_err(|_no_object| ())?;
    // In document order, since only the first valid member counts.
    let mut row: Vec<(&'static str, String)> = Vec::new();
    for (name, raw) in &pairs {
        let known = ROW_TEXTS.into_iter().chain(ROW_NUMBERS).chain(["state"]).find(|it| it == name);
        let Some(known) = known else { continue };
        let is_extra = !["host", "key", "value", "clock", "ns", "id", "itemid"].contains(&known);
        let is_repeated = row.iter().any(|it| it.0 == known);
        if is_repeated && !is_extra {
            continue;
        }
        let value = if ROW_TEXTS.contains(&known) {
            text_of(raw)?
        } else {
            let max = match known {
                "ns" => 999_999_999,
                "clock" => i64::MAX as u64,
                _ => u64::MAX,
            };
            match whole_of(raw)? {
                Some(number) if number > max => return Err(()),
                number => number.map(|it| it.to_string()),
            }
        };
        if !is_repeated {
            row.extend(value.map(|it| (known, it)));
        }
    }
    row.retain(|it| it.0 != "state" || it.1 == "1");
    let order = |name: &str| {
        ROW_TEXTS.iter().chain(&ROW_NUMBERS).position(|it| *it == name).unwrap_or(usize::MAX)
    };
    row.sort_by_key(|it| order(it.0));
    Ok(row)
}

#[track_caller]
fn check_same(text: &str) {
    // Only half surrogate pairs are accepted by us and not by serde_json.
    assert_eq!(ours(text.as_bytes()).ok(), theirs(text), "{text}");
}

#[test]
fn a_request_of_zabbix_sender() {
    let payload = br#"{"request":"sender data","session":"0123456789abcdef0123456789abcdef","data":[{"host":"h 1","key":"trap[a,\"b\"]","value":"1","clock":1700000000,"ns":5},{"host":"h","key":"k","value":""}],"clock":1700000001,"ns":1}"#;
    let mut parser = Parser::new(10);
    let request = parser.parse(payload).unwrap();
    assert_eq!(request.request(), Some("sender data"));
    assert_eq!(request.session(), Some("0123456789abcdef0123456789abcdef"));
    assert_eq!((request.clock(), request.ns()), (Some(1_700_000_001), Some(1)));
    let rows: Vec<Row<'_>> = request.rows().collect();
    let first = Row {
        host: Some("h 1"),
        key: Some(r#"trap[a,"b"]"#),
        value: Some("1"),
        clock: Some(1_700_000_000),
        ns: Some(5),
        ..Row::default()
    };
    let second = Row { host: Some("h"), key: Some("k"), value: Some(""), ..Row::default() };
    assert_eq!(rows, [first, second]);
}

#[test]
fn a_request_of_agent_7_with_logs_and_errors() {
    let payload = br#"{"request":"agent data","data":[
        {"id":1,"itemid":45,"value":"line","lastlogsize":120,"mtime":1700000000,"timestamp":1690000000,"source":"App","severity":4,"eventid":7,"clock":1700000000,"ns":5},
        {"id":2,"itemid":46,"value":"no such file","state":1,"clock":1700000000,"ns":6},
        {"id":3,"itemid":45,"lastlogsize":240,"mtime":0,"clock":1700000000,"ns":7}],
        "commands":[{"id":7,"value":"up \"5\" days"},{"id":8,"error":"no"}],
        "version":"7.0.4","variant":2,"host":"web1","clock":1700000001,"ns":6}"#;
    let mut parser = Parser::new(10);
    let request = parser.parse(payload).unwrap();
    assert_eq!(request.host(), Some("web1"));
    assert_eq!(Version::parse(request.version()), Version::new(7, 0, 4));
    assert_eq!(request.variant(), Some(2));
    let commands = wire::active::parse_command_results(request.commands().unwrap()).unwrap();
    assert_eq!(commands[0].value.as_deref(), Some("up \"5\" days"));
    assert_eq!((commands[1].id, commands[1].error.as_deref()), (8, Some("no")));
    let rows: Vec<Row<'_>> = request.rows().collect();
    let log = Log {
        lastlogsize: Some(120),
        mtime: Some(1_700_000_000),
        timestamp: Some(1_690_000_000),
        source: Some("App"),
        severity: Some(4),
        eventid: Some(7),
    };
    assert_eq!(rows[0].log, Some(log));
    assert_eq!((rows[0].itemid, rows[0].id, rows[0].unsupported), (Some(45), Some(1), false));
    assert_eq!((rows[1].unsupported, rows[1].value), (true, Some("no such file")));
    assert_eq!(rows[1].log, None);
    assert_eq!((rows[2].value, rows[2].log.unwrap().lastlogsize), (None, Some(240)));
}

#[test]
fn odd_shapes_read_as_serde_json_reads_them() {
    for text in [
        "",
        " ",
        "{",
        "}",
        "{}",
        " { } ",
        "[]",
        "null",
        "{}x",
        "{} {}",
        "{,}",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{"data":null}"#,
        r#"{"data":5}"#,
        r#"{"data":[]}"#,
        r#"{"data":[,]}"#,
        r#"{"data":[{}]}"#,
        r#"{"data":[{},]}"#,
        r#"{"data":[1,"x",null,[{"host":"h"}],{}]}"#,
        r#"{"data":[{"host":"h"}],"data":[{"host":"other"}]}"#,
        r#"{"data":null,"data":[{"host":"h"}]}"#,
        r#"{"data":[{"host":"a","host":"b"},{"host":null,"host":"b"},{"host":[],"host":"b"}]}"#,
        r#"{"data":[{"value":1.50},{"value":-0},{"value":1e5},{"value":true},{"value":null}]}"#,
        r#"{"data":[{"value":01}]}"#,
        r#"{"data":[{"value":1.}]}"#,
        r#"{"data":[{"value":.5}]}"#,
        r#"{"data":[{"value":-}]}"#,
        r#"{"data":[{"value":+1}]}"#,
        r#"{"data":[{"value":1e}]}"#,
        r#"{"data":[{"value":nul}]}"#,
        r#"{"data":[{"value":truex}]}"#,
        r#"{"data":[{"value":NaN}]}"#,
        r#"{"data":[{"clock":"1700000000","ns":"5"},{"clock":"+1"},{"clock":""},{"clock":1.5}]}"#,
        r#"{"data":[{"clock":-1},{"ns":1000000000},{"clock":18446744073709551616}]}"#,
        r#"{"data":[{"clock":9223372036854775807},{"clock":9223372036854775808}]}"#,
        r#"{"data":[{"id":18446744073709551615},{"id":12345678},{"id":123456789},{"id":1234567}]}"#,
        r#"{"data":[{"id":00000000},{"id":0}]}"#,
        r#"{"data":[{"id":12345678.5},{"id":12345678e1}]}"#,
        r#"{"data":[{"\u0068ost":"h","ke\u0079":"\u0420\t\"x\"","value":"\ud83d\ude00"}]}"#,
        r#"{"data":[{"host\u12":"h"}]}"#,
        r#"{"data":[{"value":"\x"}]}"#,
        r#"{"data":[{"value":"\"}]}"#,
        r#"{"data":[{"hosts":"h","keyx":1,"v":2,"":3,"i":4,"idx":5,"itemids":6}]}"#,
        r#"{"data":[{"unknown":{"host":"h","deep":[[[{}]]]},"host":"g"}]}"#,
        r#"{"data":[{"unknown":{]},"host":"g"}]}"#,
        r#"{"data":[{"value":{}},{"value":[1]},{"source":{}},{"severity":"x"},{"severity":"4"}]}"#,
        r#"{"data":[{"state":1},{"state":0},{"state":"1"},{"state":2},{"state":null}]}"#,
        r#"{"request":5,"session":true,"host":null,"version":{},"clock":"7","ns":1e3}"#,
        r#"{"request":"a","request":"b","clock":null,"clock":3}"#,
        "{\"data\" :\t[ { \"host\" : \"h\" , \"clock\" : 5 } \n, { } ] }\r\n",
        "{\"data\":[{\"host\":\"a\nb\"}]}",
        "{\"data\":[{\"host\":\"a\u{7f}b\"}]}",
        "{\"a\":\"\u{1}\"}",
        "\u{feff}{}",
        "{\u{a0}}",
    ] {
        check_same(text);
    }
    // Skipping keeps no stack, so depth is harmless.
    let deep =
        |n| format!(r#"{{"data":[{{"x":{}1{},"host":"h"}}]}}"#, "[".repeat(n), "]".repeat(n));
    check_same(&deep(100_000));
    check_same(&deep(100_000).replace("1]", "1}"));
}

#[test]
fn every_prefix_of_a_request_is_refused() {
    let text = r#"{"request":"agent data","data":[{"id":1,"itemid":45,"value":"a\u00e9\n","state":1,"clock":1700000000,"ns":5,"x":[{}]}],"host":"h"}"#;
    for len in 0..text.len() {
        assert!(
            matches!(ours(&text.as_bytes()[..len]), Err(SenderError::Syntax { at }) if at <= len)
        );
    }
    check_same(text);
}

#[test]
fn one_value_that_is_no_text_does_not_cost_the_others() {
    let payload = b"{\"data\":[{\"host\":\"h\",\"value\":\"a\xff\xe2\x82\"},{\"host\":\"\xc3\xa9\",\"value\":\"\\udc80\"}]}";
    let mut parser = Parser::new(10);
    let request = parser.parse(payload).unwrap();
    let rows: Vec<Row<'_>> = request.rows().collect();
    assert_eq!((rows[0].host, rows[0].value), (Some("h"), Some("a???")));
    assert_eq!((rows[1].host, rows[1].value), (Some("\u{e9}"), Some("?")));
}

#[test]
fn more_values_than_allowed_are_refused() {
    let payload = br#"{"data":[{},{},{},{}]}"#;
    assert_eq!(Parser::new(3).parse(payload).unwrap_err(), SenderError::TooManyRows { max: 3 });
    assert_eq!(Parser::new(4).parse(payload).unwrap().len(), 4);
    assert_eq!(Parser::new(0).parse(br#"{"data":[]}"#).unwrap().len(), 0);
    let no_array = SenderError::NotAnArray { member: "data" };
    assert_eq!(Parser::new(0).parse(br#"{"data":"x"}"#).unwrap_err(), no_array);
}

#[test]
fn a_parser_forgets_the_request_before() {
    let mut parser = Parser::new(10);
    let long = br#"{"request":"a","host":"\t","data":[{"host":"h","value":"\n","source":"s"},{}]}"#;
    assert_eq!(parser.parse(long).unwrap().len(), 2);
    assert!(parser.parse(b"{\"data\":[{\"host\":\"x\"},").is_err());
    parser.shrink(0);
    let request = parser.parse(b"{}").unwrap();
    assert!(request.is_empty() && !request.has_data());
    assert_eq!((request.request(), request.host(), request.commands()), (None, None, None));
}

fn json_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9.\\[\\], ]{0,20}".prop_map(|it| format!("\"{it}\"")),
        any::<String>().prop_map(|it| serde_json::to_string(&it).unwrap()),
        any::<i64>().prop_map(|it| it.to_string()),
        any::<u32>().prop_map(|it| it.to_string()),
        any::<u32>().prop_map(|it| format!("\"{it}\"")),
        any::<f64>().prop_filter("finite", |it| it.is_finite()).prop_map(|it| format!("{it:e}")),
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("{\"host\":[1,{}]}".to_owned()),
        Just("\"\\u00e9\\/\\\"\"".to_owned()),
    ]
}

fn member(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    let space = prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\n\t")];
    (proptest::sample::select(names), json_text(), space.clone(), space)
        .prop_map(|(name, value, a, b)| format!("{a}\"{name}\"{b}:{a}{value}{b}"))
}

const ROW_NAMES: &[&str] = &[
    "host",
    "key",
    "value",
    "clock",
    "ns",
    "id",
    "itemid",
    "state",
    "lastlogsize",
    "mtime",
    "timestamp",
    "source",
    "severity",
    "eventid",
    "other",
    "hostx",
    "\\u0068ost",
    "i",
];
const TOP_NAMES: &[&str] = &["request", "session", "host", "version", "clock", "ns", "more"];

prop_compose! {
    fn request()(
        before in proptest::collection::vec(member(TOP_NAMES), 0..4),
        rows in proptest::collection::vec(proptest::collection::vec(member(ROW_NAMES), 0..8), 0..6),
        after in proptest::collection::vec(member(TOP_NAMES), 0..4),
    ) -> String {
        let rows: Vec<String> = rows.iter().map(|it| format!("{{{}}}", it.join(","))).collect();
        let data = format!("\"data\":[{}]", rows.join(","));
        let members: Vec<String> = before.into_iter().chain([data]).chain(after).collect();
        format!("{{{}}}", members.join(","))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_scanner_agrees_with_serde_json(text in request()) {
        check_same(&text);
    }

    #[test]
    fn the_scanner_agrees_on_damaged_requests(
        text in request(),
        at in any::<proptest::sample::Index>(),
        damage in proptest::sample::select(b"\"\\{}[],:0x\n ".as_slice()),
    ) {
        let mut bytes = text.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = damage;
        if let Ok(text) = std::str::from_utf8(&bytes) && !text.contains("\\u") {
            check_same(text);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _outcome = ours(&bytes);
    }

    #[test]
    fn written_request_is_read_back(
        texts in proptest::collection::vec((any::<String>(), any::<String>(), any::<String>()), 0..5),
        clock in 0..i64::MAX,
        ns in 0_u32..1_000_000_000,
        id: u64,
    ) {
        let log = Log { lastlogsize: Some(id), source: Some("s\""), ..Log::default() };
        let rows: Vec<Row<'_>> = texts
            .iter()
            .map(|(host, key, value)| Row {
                host: Some(host),
                key: Some(key),
                value: Some(value),
                clock: Some(clock),
                ns: Some(ns),
                id: Some(id),
                unsupported: ns % 2 == 0,
                log: (ns % 3 == 0).then_some(log),
                ..Row::default()
            })
            .collect();
        let mut writer = RequestWriter::sender_data(Vec::new());
        rows.iter().for_each(|it| writer.push(it));
        let payload = writer.finish(clock, ns);
        let mut parser = Parser::new(10);
        let request = parser.parse(&payload).unwrap();
        prop_assert_eq!(request.request(), Some("sender data"));
        prop_assert_eq!((request.clock(), request.ns()), (Some(clock), Some(ns)));
        prop_assert_eq!(request.rows().collect::<Vec<_>>(), rows);
    }
}

#[test]
fn agent_data_is_written_as_agent_7_does() {
    let mut writer =
        RequestWriter::agent_data(vec![1, 2, 3], "s1", "web\"1", Version::new(7, 0, 0));
    assert!(writer.is_empty());
    writer.push(&Row { itemid: Some(45), value: Some("123"), id: Some(1), ..Row::default() });
    writer.push(&Row::default());
    let payload = writer.finish(1_700_000_001, 6);
    let expected = r#"{"request":"agent data","session":"s1","version":"7.0.0","variant":1,"host":"web\"1","data":[{"itemid":45,"value":"123","id":1},{}],"clock":1700000001,"ns":6}"#;
    assert_eq!(String::from_utf8(payload).unwrap(), expected);
}
