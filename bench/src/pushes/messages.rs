//! Requests with values, whole as they go over the line.

use std::fmt::Write as _;
use std::io::Write as _;

use export::formats::remote_write::{SeriesSample, compress, put_series};

use crate::common::{BenchError, io_error};

/// How values are pushed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    Push,
    RemoteWrite,
    Otlp,
    Syslog,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::RemoteWrite => "remote_write",
            Self::Otlp => "otlp",
            Self::Syslog => "syslog",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        let all = [Self::Push, Self::RemoteWrite, Self::Otlp, Self::Syslog];
        all.into_iter().find(|it| it.name() == name)
    }
}

/// Makes requests: values of consecutive items, round after round over all of them.
pub(super) struct Messages {
    /// Labels of each series, as fields of remote write.
    pub(super) series: Vec<Vec<u8>>,
    /// A host's items, and its series.
    pub(super) items: usize,
    pub(super) first_clock: i64,
    pub(super) token: String,
}

impl Messages {
    /// The bytes of a request by its number, with so many values.
    pub(super) fn fill(
        &self,
        kind: Kind,
        (number, n): (usize, usize),
        out: &mut Vec<u8>,
    ) -> Result<(), BenchError> {
        let total = self.series.len().max(1);
        let n = if kind == Kind::Syslog { n } else { n.min(total) };
        let per_round = (total / n).max(1);
        let clock = self.first_clock + i64::try_from(number / per_round).unwrap_or(0);
        let first = number % per_round * n;
        out.clear();
        let (path, headers, body) = match kind {
            Kind::Syslog => {
                lines((number, n), out);
                return Ok(());
            }
            Kind::Push => {
                let body = self.push((first, n), clock).into_bytes();
                ("/api_jsonrpc.php", "Content-Type: application/json-rpc\r\n", body)
            }
            Kind::RemoteWrite => {
                let headers =
                    "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy\r\n";
                ("/api/v1/write", headers, self.remote_write((first, n), clock)?)
            }
            Kind::Otlp => {
                let body = self.otlp((first, n), clock);
                ("/v1/metrics", "Content-Type: application/x-protobuf\r\n", body)
            }
        };
        write!(
            out,
            "POST {path} HTTP/1.1\r\nHost: bench\r\nUser-Agent: bench\r\nAccept: */*\r\n\
             Authorization: Bearer {}\r\n{headers}Content-Length: {}\r\n\r\n",
            self.token,
            body.len(),
        )
        .map_err(io_error("write a request"))?;
        out.extend_from_slice(&body);
        Ok(())
    }

    fn push(&self, (first, n): (usize, usize), clock: i64) -> String {
        let mut body = r#"{"jsonrpc":"2.0","method":"history.push","params":["#.to_owned();
        for item in first..first + n {
            if item != first {
                body.push(',');
            }
            let value = value(item, clock);
            let (host, item) = (item / self.items.max(1), item % self.items.max(1));
            write!(
                body,
                r#"{{"host":"bench-{host}","key":"load[{item}]","value":"{value:.1}","clock":{clock},"ns":{item}}}"#,
            )
            .expect("writing to a String succeeds");
        }
        body.push_str(r#"],"id":1}"#);
        body
    }

    fn remote_write(&self, (first, n): (usize, usize), clock: i64) -> Result<Vec<u8>, BenchError> {
        let mut message = Vec::new();
        for (at, labels) in (first..).zip(self.series.iter().skip(first).take(n)) {
            put_series(
                &mut message,
                labels,
                &[SeriesSample { ms: clock * 1_000, value: value(at, clock) }],
            );
        }
        compress(&message).map_err(|error| BenchError::Answer(error.to_string()))
    }

    /// Gauges with one point each, of one resource a host.
    fn otlp(&self, (first, n): (usize, usize), clock: i64) -> Vec<u8> {
        let ns = u64::try_from(clock).unwrap_or(0) * 1_000_000_000;
        let mut message = Vec::new();
        let mut at = first;
        while at < first + n {
            let host = at / self.items.max(1);
            let end = (first + n).min((host + 1) * self.items.max(1));
            let mut scope = Vec::new();
            for item in at..end {
                let number = item % self.items.max(1);
                let mut point = [&[0x19][..], &ns.to_le_bytes()].concat();
                point.extend([&[0x21][..], &value(item, clock).to_le_bytes()].concat());
                point.extend(field(7, &attribute("device", &format!("dev{}", number % 10))));
                let name = format!("bench.otlp.{}.bytes", number / 10);
                let metric =
                    [field(1, name.as_bytes()), field(3, b"By"), field(5, &field(1, &point))];
                scope.extend(field(2, &metric.concat()));
            }
            let host = field(1, &attribute("host.name", &format!("bench-{host}")));
            message.extend(field(1, &[field(1, &host), field(2, &scope)].concat()));
            at = end;
        }
        message
    }
}

/// Five digits that move a little, like most monitoring values.
fn value(item: usize, clock: i64) -> f64 {
    let moved = item * 7_919 + usize::try_from(clock % 977).unwrap_or(0) * 31;
    f64::from(u32::try_from(moved % 99_991).unwrap_or(0)) / 10.0
}

/// A field of protobuf with bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut left = bytes.len();
    while 0x7f < left {
        out.push(0x80 | left.to_le_bytes()[0]);
        left >>= 7;
    }
    out.push(left.to_le_bytes()[0]);
    out.extend_from_slice(bytes);
    out
}

/// A `KeyValue` with a text.
fn attribute(name: &str, text: &str) -> Vec<u8> {
    [field(1, name.as_bytes()), field(2, &field(1, text.as_bytes()))].concat()
}

fn lines((number, n): (usize, usize), out: &mut Vec<u8>) {
    for line in number * n..(number + 1) * n {
        let text = "%LINK-3-UPDOWN: Interface GigabitEthernet1/0/24, changed state to up";
        out.extend_from_slice(format!("<189>1 - bench-0 switch 1 - - {line}: {text}\n").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use wire::series::{
        Labels, RemoteWriteVersion, Sample, Sink, decompress, read_otlp, read_remote_write,
    };

    use super::super::super::pushed::labels;
    use super::*;

    /// The text and the values of each series.
    #[derive(Default)]
    struct Read(Vec<(String, Vec<f64>)>);

    impl Sink for Read {
        fn series(&mut self, labels: &mut Labels<'_>, samples: &[Sample]) {
            labels.sort();
            self.0.push((labels.text(""), samples.iter().map(|it| it.value).collect()));
        }

        fn skipped(&mut self, _: usize) {}
    }

    fn body(kind: Kind, number: usize, n: usize) -> Vec<u8> {
        let series = (0..20).map(|it| labels(it, 10)).collect();
        let token = "t".to_owned();
        let messages = Messages { series, items: 10, first_clock: 1_000, token };
        let mut out = Vec::new();
        messages.fill(kind, (number, n), &mut out).expect("memory takes everything");
        let end = out.windows(4).position(|it| it == b"\r\n\r\n").map_or(0, |it| it + 4);
        out.split_off(end)
    }

    #[test]
    fn each_request_has_the_values_of_the_next_items() {
        let push: serde_json::Value =
            serde_json::from_slice(&body(Kind::Push, 1, 5)).expect("it is JSON");
        let params = push["params"].as_array().expect("a list");
        assert_eq!(params.len(), 5);
        assert_eq!(params[0]["key"], "load[5]");
        assert_eq!(params[0]["value"], format!("{:.1}", value(5, 1_000)));

        let plain = decompress(&body(Kind::RemoteWrite, 0, 15), 1 << 20).expect("snappy");
        let mut read = Read::default();
        read_remote_write(&plain, RemoteWriteVersion::V1, &mut read).expect("remote write");
        assert_eq!(read.0.len(), 15);
        assert_eq!(read.0[12].1, [value(12, 1_000)]);

        let mut read = Read::default();
        read_otlp(&body(Kind::Otlp, 0, 15), &mut read).expect("OTLP");
        assert_eq!(read.0.len(), 15);
        assert!(read.0[12].0.contains("bench-1"), "of the second host: {}", read.0[12].0);
        assert_eq!(read.0[12].1, [value(12, 1_000)]);

        assert_eq!(body(Kind::Syslog, 3, 2).iter().filter(|it| **it == b'\n').count(), 2);
    }
}
