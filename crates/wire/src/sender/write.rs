//! Writes requests: for the project's own sender and agent, and for load generators.

use std::io::Write;

use super::request::Row;
use super::text::write_json_string;
use crate::Version;
use crate::active::{CommandResult, encode_command_results};

/// Builds a request row by row, into one buffer.
#[derive(Debug)]
pub struct RequestWriter {
    out: Vec<u8>,
    is_empty: bool,
}

impl RequestWriter {
    /// A `sender data` request, written into `buffer` (cleared first; reuse it).
    #[must_use]
    pub fn sender_data(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        buffer.extend_from_slice(br#"{"request":"sender data","data":["#);
        Self { out: buffer, is_empty: true }
    }

    /// An `agent data` request in the form by `itemid`, as agents write since 7.0.
    #[must_use]
    pub fn agent_data(mut buffer: Vec<u8>, session: &str, host: &str, version: Version) -> Self {
        buffer.clear();
        buffer.extend_from_slice(br#"{"request":"agent data","session":"#);
        write_json_string(session, &mut buffer);
        put(&mut buffer, format_args!(r#","version":"{version}","variant":1,"host":"#));
        write_json_string(host, &mut buffer);
        buffer.extend_from_slice(br#","data":["#);
        Self { out: buffer, is_empty: true }
    }

    /// Adds a value, with those members of the row that are present.
    pub fn push(&mut self, row: &Row<'_>) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        self.out.push(b'{');
        let members_start = self.out.len();
        self.text("host", row.host);
        self.text("key", row.key);
        self.number("itemid", row.itemid);
        self.text("value", row.value);
        self.number("state", row.unsupported.then_some(1));
        self.number("id", row.id);
        if let Some(log) = &row.log {
            self.number("lastlogsize", log.lastlogsize);
            self.number("mtime", log.mtime);
            self.number("timestamp", log.timestamp);
            self.text("source", log.source);
            self.number("severity", log.severity);
            self.number("eventid", log.eventid);
        }
        self.number("clock", row.clock.and_then(|it| u64::try_from(it).ok()));
        self.number("ns", row.ns.map(u64::from));
        if self.out.len() > members_start {
            // Every member ends with a comma.
            self.out.pop();
        }
        self.out.push(b'}');
    }

    /// Bytes so far: a sender may want to stop before some size.
    #[must_use]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether there are no rows yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The payload, with the sender's clock.
    #[must_use]
    pub fn finish(mut self, clock: i64, ns: u32) -> Vec<u8> {
        put(&mut self.out, format_args!(r#"],"clock":{clock},"ns":{ns}}}"#));
        self.out
    }

    /// As [`RequestWriter::finish`], with results of remote commands.
    #[must_use]
    pub fn finish_with(mut self, commands: &[CommandResult], clock: i64, ns: u32) -> Vec<u8> {
        if commands.is_empty() {
            return self.finish(clock, ns);
        }
        self.out.extend_from_slice(br#"],"commands":"#);
        self.out.extend_from_slice(&encode_command_results(commands));
        put(&mut self.out, format_args!(r#","clock":{clock},"ns":{ns}}}"#));
        self.out
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            put(&mut self.out, format_args!(r#""{name}":"#));
            write_json_string(value, &mut self.out);
            self.out.push(b',');
        }
    }

    fn number(&mut self, name: &str, value: Option<u64>) {
        if let Some(value) = value {
            put(&mut self.out, format_args!(r#""{name}":{value},"#));
        }
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory does not fail");
}
