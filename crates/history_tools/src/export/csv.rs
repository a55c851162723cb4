//! CSV as of RFC 4180, in UTF-8, with a line of names first and single line feeds at the ends.

use std::io::{self, Write};

use model::record::Num;
use model::{Time, ValueType};

use super::encoder::{Encoder, ExportKind, ExportedItem, ExportedTrend, ExportedValue};
use super::output::Output;

const VALUES: &str =
    "itemid,host,key,value_type,clock,ns,value,timestamp,source,severity,logeventid\n";
const TRENDS: &str = "itemid,host,key,value_type,clock,num,value_min,value_avg,value_max\n";

pub(super) struct Csv {
    output: Output,
    line: Vec<u8>,
}

impl Csv {
    pub(super) fn new(mut output: Output, kind: ExportKind) -> io::Result<Self> {
        let names = match kind {
            ExportKind::Values => VALUES,
            ExportKind::Trends => TRENDS,
        };
        output.write_all(names.as_bytes())?;
        Ok(Self { output, line: Vec::new() })
    }

    fn begin(&mut self, (item, kind): (&ExportedItem, ValueType)) -> io::Result<()> {
        self.line.clear();
        write!(self.line, "{},", item.id)?;
        if let Some((host, key)) = &item.names {
            quoted(&mut self.line, host);
            self.line.push(b',');
            quoted(&mut self.line, key);
        } else {
            self.line.push(b',');
        }
        write!(self.line, ",{},", kind as u8)
    }

    fn end(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        self.output.write_all(&self.line)
    }
}

impl Encoder for Csv {
    fn value(
        &mut self,
        of: (&ExportedItem, ValueType),
        time: Time,
        value: ExportedValue<'_>,
    ) -> io::Result<()> {
        self.begin(of)?;
        write!(self.line, "{},{},", time.clock(), time.ns())?;
        match value {
            ExportedValue::Float(value) => float(&mut self.line, value)?,
            ExportedValue::Unsigned(value) => write!(self.line, "{value}")?,
            ExportedValue::Text(text) => quoted(&mut self.line, text),
            ExportedValue::Log(entry) => quoted(&mut self.line, &entry.value),
        }
        if let ExportedValue::Log(entry) = value {
            write!(self.line, ",{},", entry.timestamp)?;
            quoted(&mut self.line, &entry.source);
            write!(self.line, ",{},{}", entry.severity, entry.logeventid)?;
        } else {
            self.line.extend_from_slice(b",,,,");
        }
        self.end()
    }

    fn trend(&mut self, of: (&ExportedItem, ValueType), trend: &ExportedTrend) -> io::Result<()> {
        self.begin(of)?;
        write!(self.line, "{},{},", trend.clock, trend.count)?;
        number(&mut self.line, trend.min)?;
        self.line.push(b',');
        float(&mut self.line, trend.avg)?;
        self.line.push(b',');
        number(&mut self.line, trend.max)?;
        self.end()
    }

    fn finish(self: Box<Self>) -> io::Result<Output> {
        Ok(self.output)
    }
}

fn number(line: &mut Vec<u8>, value: Num) -> io::Result<()> {
    match value {
        Num::Float(value) => float(line, value),
        Num::Unsigned(value) => write!(line, "{value}"),
    }
}

/// The shortest digits that give the number back.
fn float(line: &mut Vec<u8>, value: f64) -> io::Result<()> {
    if value.is_finite() {
        Ok(serde_json::to_writer(line, &value)?)
    } else {
        write!(line, "{value}")
    }
}

fn quoted(line: &mut Vec<u8>, text: &str) {
    if !text.bytes().any(|it| matches!(it, b'"' | b',' | b'\n' | b'\r')) {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}
