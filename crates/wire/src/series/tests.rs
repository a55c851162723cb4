//! Requests as sent over the network, put together by hand.

use super::*;

#[derive(Default)]
struct Recorded {
    lines: Vec<String>,
    n_skipped: usize,
}

impl Sink for Recorded {
    fn series(&mut self, labels: &mut Labels<'_>, samples: &[Sample]) {
        labels.sort();
        for it in samples {
            let kind = labels.kind.as_str();
            self.lines.push(format!("{} {} {} {kind}", labels.text(""), it.value, it.ns));
        }
    }

    fn skipped(&mut self, n: usize) {
        self.n_skipped += n;
    }
}

fn varint(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    otlp::put_varint(&mut out, value);
    out
}

fn bytes(number: u64, content: &[u8]) -> Vec<u8> {
    [varint(number << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

fn int(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

fn fixed(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3 | 1), value.to_le_bytes().to_vec()].concat()
}

fn double(number: u64, value: f64) -> Vec<u8> {
    fixed(number, value.to_bits())
}

fn label(name: &str, value: &str) -> Vec<u8> {
    bytes(1, &[bytes(1, name.as_bytes()), bytes(2, value.as_bytes())].concat())
}

fn sample(value: f64, ms: u64) -> Vec<u8> {
    bytes(2, &[double(1, value), int(2, ms)].concat())
}

fn v1() -> Vec<u8> {
    let one = [
        label("__name__", "up"),
        label("job", "node"),
        label("instance", "web1:9100"),
        label("empty", ""),
        sample(1.0, 1_700_000_000_123),
        sample(0.0, 1_700_000_015_123),
    ];
    let other = [label("__name__", "q"), label("path", "a\"b\\c\nd"), sample(-0.5, 5)];
    let native = [label("__name__", "h"), bytes(4, b"")];
    [
        bytes(1, &one.concat()),
        bytes(3, b"xx"),
        bytes(1, &other.concat()),
        bytes(1, &native.concat()),
    ]
    .concat()
}

#[test]
fn series_of_remote_write_keep_their_order() {
    let mut seen = Recorded::default();
    let message = v1();
    let body = snap::raw::Encoder::new().compress_vec(&message).expect("short");
    assert_eq!(decompress(&body, 1 << 20), Ok(message.clone()));
    assert_eq!(decompress(&body, 10), Err(SeriesError::TooLong(10)));
    assert_eq!(decompress(&message, 1 << 20), Err(SeriesError::Snappy));
    read_remote_write(&message, RemoteWriteVersion::V1, &mut seen).expect("a message");
    assert_eq!(
        seen.lines,
        [
            r#"up{instance="web1:9100",job="node"} 1 1700000000123000000 "#,
            r#"up{instance="web1:9100",job="node"} 0 1700000015123000000 "#,
            r#"q{path="a\"b\\c\nd"} -0.5 5000000 "#,
        ]
    );
    assert_eq!(seen.n_skipped, 1);
}

/// A short body that announces a long one is refused before any allocation.
#[test]
fn a_block_that_claims_too_much_is_refused() {
    let body = [varint(1 << 30), vec![0; 10]].concat();
    assert_eq!(decompress(&body, 1 << 31), Err(SeriesError::Snappy));
}

#[test]
fn symbols_of_version_2_may_follow_their_series() {
    let series = |refs: &[u8]| {
        let metadata = [int(1, 1), int(4, 5)].concat();
        bytes(5, &[bytes(1, refs), sample(3.0, 1), bytes(5, &metadata)].concat())
    };
    let symbols = ["", "__name__", "hits", "job", "web", "bytes"];
    let symbols: Vec<u8> = symbols.iter().flat_map(|it| bytes(4, it.as_bytes())).collect();
    let message = [series(&[1, 2, 3, 4]), symbols.clone()].concat();
    let mut seen = Recorded::default();
    read_remote_write(&message, RemoteWriteVersion::V2, &mut seen).expect("a message");
    assert_eq!(seen.lines, [r#"hits{job="web"} 3 1000000 counter"#]);
    for refs in [&[1, 2, 3][..], &[1, 9]] {
        let message = [series(refs), symbols.clone()].concat();
        let read = read_remote_write(&message, RemoteWriteVersion::V2, &mut Recorded::default());
        assert_eq!(read, Err(SeriesError::Symbol), "{refs:?}");
    }
}

fn key_value(number: u64, key: &str, value: &[u8]) -> Vec<u8> {
    bytes(number, &[bytes(1, key.as_bytes()), bytes(2, value)].concat())
}

fn otlp() -> Vec<u8> {
    let time = || fixed(3, 1_700_000_000_000_000_007);
    let resource = [
        key_value(1, "host.name", &bytes(1, b"web1")),
        key_value(1, "zone", &bytes(1, b"of resource")),
        key_value(1, "list", &bytes(5, b"")),
    ];
    let gauge = [time(), double(4, 0.25), key_value(7, "zone", &bytes(1, b"own"))].concat();
    let sum = [time(), fixed(6, 12), key_value(7, "n", &int(3, 5))].concat();
    let none = [time(), double(4, 9.0), int(8, 1)].concat();
    let counts: Vec<u8> = [1_u64, 0, 2].iter().flat_map(|it| it.to_le_bytes()).collect();
    let bounds: Vec<u8> = [0.5_f64, 10.0].iter().flat_map(|it| it.to_le_bytes()).collect();
    let histogram =
        [time(), fixed(4, 3), double(5, 30.5), bytes(6, &counts), bytes(7, &bounds)].concat();
    let quantile = [double(1, 0.99), double(2, 7.0)].concat();
    let summary = [time(), fixed(4, 4), double(5, 8.0), bytes(6, &quantile)].concat();
    let metric = |name: &str, number: u64, data: &[u8]| {
        bytes(2, &[bytes(1, name.as_bytes()), bytes(number, data)].concat())
    };
    let metrics = [
        metric("load", 5, &[bytes(1, &gauge), bytes(1, &none)].concat()),
        metric("hits", 7, &[bytes(1, &sum), int(3, 1)].concat()),
        metric("size", 7, &bytes(1, &sum)),
        metric("time", 9, &bytes(1, &histogram)),
        metric("rpc", 11, &bytes(1, &summary)),
    ];
    bytes(1, &[bytes(2, &metrics.concat()), bytes(1, &resource.concat())].concat())
}

const OTLP: [&str; 11] = [
    r#"load{host.name="web1",zone="own"} 0.25 1700000000000000007 gauge"#,
    r#"hits{host.name="web1",n="5",zone="of resource"} 12 1700000000000000007 counter"#,
    r#"size{host.name="web1",n="5",zone="of resource"} 12 1700000000000000007 gauge"#,
    r#"time_bucket{host.name="web1",le="0.5",zone="of resource"} 1 1700000000000000007 histogram"#,
    r#"time_bucket{host.name="web1",le="10",zone="of resource"} 1 1700000000000000007 histogram"#,
    r#"time_bucket{host.name="web1",le="+Inf",zone="of resource"} 3 1700000000000000007 histogram"#,
    r#"time_sum{host.name="web1",zone="of resource"} 30.5 1700000000000000007 histogram"#,
    r#"time_count{host.name="web1",zone="of resource"} 3 1700000000000000007 histogram"#,
    r#"rpc{host.name="web1",quantile="0.99",zone="of resource"} 7 1700000000000000007 summary"#,
    r#"rpc_sum{host.name="web1",zone="of resource"} 8 1700000000000000007 summary"#,
    r#"rpc_count{host.name="web1",zone="of resource"} 4 1700000000000000007 summary"#,
];

#[test]
fn data_points_of_otlp_become_series() {
    let mut seen = Recorded::default();
    read_otlp(&otlp(), &mut seen).expect("a message");
    assert_eq!(seen.lines, OTLP);
}

#[test]
fn data_points_of_otlp_as_json_become_the_same_series() {
    let time = "1700000000000000007";
    let zone = serde_json::json!([{"key": "zone", "value": {"stringValue": "own"}}]);
    let n = serde_json::json!([{"key": "n", "value": {"intValue": "5"}}]);
    let body = serde_json::json!({"resourceMetrics": [{
        "resource": {"attributes": [
            {"key": "host.name", "value": {"stringValue": "web1"}},
            {"key": "zone", "value": {"stringValue": "of resource"}},
            {"key": "list", "value": {"arrayValue": {}}},
        ]},
        "scopeMetrics": [{"metrics": [
            {"name": "load", "gauge": {"dataPoints": [
                {"timeUnixNano": time, "asDouble": 0.25, "attributes": zone},
                {"timeUnixNano": time, "asDouble": 9, "flags": 1},
            ]}},
            {"name": "hits", "sum": {"isMonotonic": true, "dataPoints": [
                {"timeUnixNano": time, "asInt": "12", "attributes": n},
            ]}},
            {"name": "size", "sum": {"dataPoints": [
                {"timeUnixNano": time, "asInt": "12", "attributes": n},
            ]}},
            {"name": "time", "histogram": {"dataPoints": [{
                "timeUnixNano": time, "count": "3", "sum": 30.5,
                "bucketCounts": ["1", "0", "2"], "explicitBounds": [0.5, 10],
            }]}},
            {"name": "rpc", "summary": {"dataPoints": [{
                "timeUnixNano": time, "count": 4, "sum": 8.0,
                "quantileValues": [{"quantile": 0.99, "value": 7}],
            }]}},
        ]}],
    }]});
    let mut seen = Recorded::default();
    read_otlp_json(body.to_string().as_bytes(), &mut seen).expect("a message");
    assert_eq!(seen.lines, OTLP);
    assert_eq!(read_otlp_json(b"[]", &mut seen), Err(SeriesError::Message));
}

#[test]
fn rejected_points_are_reported_in_both_forms() {
    let all = OtlpAnswer::default();
    assert_eq!((all.protobuf(), all.json()), (Vec::new(), "{}".to_owned()));
    let some = OtlpAnswer { n_rejected: 300, message: "no".to_owned() };
    let part = [int(1, 300), bytes(2, b"no")].concat();
    assert_eq!(some.protobuf(), bytes(1, &part));
    let json = r#"{"partialSuccess":{"errorMessage":"no","rejectedDataPoints":"300"}}"#;
    assert_eq!(some.json(), json);
}

#[test]
fn messages_that_are_cut_or_of_another_kind_are_refused() {
    for cut in [&v1()[..40], &[0x0a, 0xff][..], &[0x0b][..], &[0xff; 11][..]] {
        let read = read_remote_write(cut, RemoteWriteVersion::V1, &mut Recorded::default());
        assert_eq!(read, Err(SeriesError::Message), "{cut:?}");
    }
    let text = bytes(1, &bytes(1, &bytes(1, &[0xff])));
    let read = read_remote_write(&text, RemoteWriteVersion::V1, &mut Recorded::default());
    assert_eq!(read, Err(SeriesError::Text));
}
