//! A JSON object a line. Names are those of `history.get` and `trend.get`; numbers are numbers.

use std::io::{self, Write};

use model::record::Num;
use model::{Time, ValueType};
use serde::Serialize;

use super::encoder::{Encoder, ExportedItem, ExportedTrend, ExportedValue};
use super::output::Output;

pub(super) struct Ndjson {
    output: Output,
}

#[derive(Serialize)]
struct ItemColumns<'a> {
    itemid: u64,
    host: Option<&'a str>,
    key: Option<&'a str>,
    value_type: u8,
}

#[derive(Serialize)]
struct ValueLine<'a> {
    #[serde(flatten)]
    item: ItemColumns<'a>,
    clock: i64,
    ns: i64,
    value: Scalar<'a>,
    #[serde(flatten)]
    log: Option<LogColumns<'a>>,
}

#[derive(Serialize)]
struct LogColumns<'a> {
    timestamp: i64,
    source: &'a str,
    severity: i32,
    logeventid: i64,
}

#[derive(Serialize)]
struct TrendLine<'a> {
    #[serde(flatten)]
    item: ItemColumns<'a>,
    clock: i64,
    num: u64,
    value_min: Scalar<'a>,
    value_avg: f64,
    value_max: Scalar<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Scalar<'a> {
    Float(f64),
    Unsigned(u64),
    Text(&'a str),
}

impl Ndjson {
    pub(super) fn new(output: Output) -> Self {
        Self { output }
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.output, line)?;
        self.output.write_all(b"\n")
    }
}

fn item((item, kind): (&ExportedItem, ValueType)) -> ItemColumns<'_> {
    let names = item.names.as_ref();
    ItemColumns {
        itemid: item.id.0,
        host: names.map(|it| it.0.as_str()),
        key: names.map(|it| it.1.as_str()),
        value_type: kind as u8,
    }
}

fn number(value: Num) -> Scalar<'static> {
    match value {
        Num::Float(value) => Scalar::Float(value),
        Num::Unsigned(value) => Scalar::Unsigned(value),
    }
}

impl Encoder for Ndjson {
    fn value(
        &mut self,
        of: (&ExportedItem, ValueType),
        time: Time,
        value: ExportedValue<'_>,
    ) -> io::Result<()> {
        let (value, log) = match value {
            ExportedValue::Float(value) => (Scalar::Float(value), None),
            ExportedValue::Unsigned(value) => (Scalar::Unsigned(value), None),
            ExportedValue::Text(text) => (Scalar::Text(text), None),
            ExportedValue::Log(entry) => {
                let log = LogColumns {
                    timestamp: entry.timestamp,
                    source: &entry.source,
                    severity: entry.severity,
                    logeventid: entry.logeventid,
                };
                (Scalar::Text(&entry.value), Some(log))
            }
        };
        let (clock, ns) = (time.clock(), time.ns().into());
        self.line(&ValueLine { item: item(of), clock, ns, value, log })
    }

    fn trend(&mut self, of: (&ExportedItem, ValueType), trend: &ExportedTrend) -> io::Result<()> {
        self.line(&TrendLine {
            item: item(of),
            clock: trend.clock,
            num: trend.count,
            value_min: number(trend.min),
            value_avg: trend.avg,
            value_max: number(trend.max),
        })
    }

    fn finish(self: Box<Self>) -> io::Result<Output> {
        Ok(self.output)
    }
}
