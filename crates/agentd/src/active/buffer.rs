//! Values on their way to a server: kept until the server has acknowledged them.
//!
//! Each has the next number of its session, which it keeps however often it is sent, so that a
//! server that has it already takes it once. Without room, the oldest value that is of no log file
//! is dropped; log items are read only as far as there is room for them.

use std::collections::VecDeque;

use wire::Version;
use wire::active::CommandResult;
use wire::sender::{Log, RequestWriter, Row};

use crate::log::Position;

/// Bytes of all values together: values may be large. Beyond that, old values are dropped.
const BYTES_MAX: usize = 64 << 20;
/// Bytes of one request; a larger value is sent alone.
const REQUEST_BYTES_MAX: usize = 16 << 20;
const REQUEST_VALUES_MAX: usize = 1_000;

/// A value without its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) itemid: u64,
    /// `Err`: the item is not supported; `None`: only the position of a log item has moved.
    pub(super) result: Option<Result<String, String>>,
    /// The position of a log item after the value.
    pub(super) position: Option<Position>,
    pub(super) clock: i64,
    pub(super) ns: u32,
}

impl Value {
    fn bytes(&self) -> usize {
        let text = self.result.as_ref().map_or(0, |it| match it {
            Ok(text) | Err(text) => text.len(),
        });
        size_of::<Self>() + text
    }
}

#[derive(Debug)]
pub(super) struct Buffer {
    values: VecDeque<(u64, Value)>,
    n_max: usize,
    n_logs: usize,
    n_bytes: usize,
    last_id: u64,
    /// Number of dropped values since the start.
    pub(super) n_dropped: u64,
}

impl Buffer {
    pub(super) fn new(n_max: usize) -> Self {
        Self { values: VecDeque::new(), n_max, n_logs: 0, n_bytes: 0, last_id: 0, n_dropped: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Whether it is time to send before the interval is over.
    pub(super) fn is_half_full(&self) -> bool {
        self.n_max <= self.values.len() * 2 || BYTES_MAX <= self.n_bytes * 2
    }

    /// Values that log items may still add: at most half of the room.
    pub(super) fn room_for_logs(&self) -> usize {
        if BYTES_MAX <= self.n_bytes * 2 { 0 } else { (self.n_max / 2).saturating_sub(self.n_logs) }
    }

    pub(super) fn has_item(&self, itemid: u64) -> bool {
        self.values.iter().any(|it| it.1.itemid == itemid)
    }

    /// Time of the oldest value, seconds since 1970.
    pub(super) fn oldest(&self) -> Option<i64> {
        self.values.front().map(|it| it.1.clock)
    }

    pub(super) fn push(&mut self, value: Value) {
        let is_log = value.position.is_some();
        while self.n_max <= self.values.len() || BYTES_MAX < self.n_bytes + value.bytes() {
            let oldest = self.values.iter().position(|it| it.1.position.is_none());
            match oldest.and_then(|at| self.values.remove(at)) {
                Some((_, dropped)) => {
                    self.n_bytes -= dropped.bytes();
                    self.n_dropped += 1;
                }
                // Room for log values was reserved before.
                None if is_log || self.values.is_empty() => break,
                None => {
                    self.n_dropped += 1;
                    return;
                }
            }
        }
        self.last_id += 1;
        self.n_bytes += value.bytes();
        self.n_logs += usize::from(is_log);
        self.values.push_back((self.last_id, value));
    }

    /// A request with the oldest values, and their number.
    pub(super) fn request(
        &self,
        session: &str,
        host: &str,
        commands: &[CommandResult],
        (clock, ns): (i64, u32),
    ) -> (Vec<u8>, usize) {
        let mut writer = RequestWriter::agent_data(Vec::new(), session, host, Version::OURS);
        let mut n = 0;
        for (id, value) in self.values.iter().take(REQUEST_VALUES_MAX) {
            if n > 0 && REQUEST_BYTES_MAX < writer.len() + value.bytes() {
                break;
            }
            let (text, unsupported) = match &value.result {
                Some(Ok(text)) => (Some(text.as_str()), false),
                Some(Err(reason)) => (Some(reason.as_str()), true),
                None => (None, false),
            };
            let log = value.position.map(|it| Log {
                lastlogsize: Some(it.lastlogsize),
                mtime: Some(it.mtime),
                ..Log::default()
            });
            writer.push(&Row {
                host: None,
                key: None,
                value: text,
                clock: Some(value.clock),
                ns: Some(value.ns),
                id: Some(*id),
                itemid: Some(value.itemid),
                unsupported,
                malformed: false,
                log,
            });
            n += 1;
        }
        (writer.finish_with(commands, clock, ns), n)
    }

    /// The server has acknowledged the oldest `n`.
    pub(super) fn sent(&mut self, n: usize) {
        for (_, value) in self.values.drain(..n.min(self.values.len())) {
            self.n_bytes -= value.bytes();
            self.n_logs -= usize::from(value.position.is_some());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(itemid: u64, clock: i64, is_log: bool) -> Value {
        let position = is_log.then(Position::default);
        Value { itemid, result: Some(Ok("x".to_owned())), position, clock, ns: 0 }
    }

    fn ids(buffer: &Buffer) -> Vec<u64> {
        buffer.values.iter().map(|it| it.0).collect()
    }

    #[test]
    fn numbers_stay_and_the_oldest_give_way_but_for_those_of_logs() {
        let mut buffer = Buffer::new(4);
        for clock in 1..=2 {
            buffer.push(value(1, clock, true));
        }
        assert_eq!(buffer.room_for_logs(), 0);
        for clock in 3..=6 {
            buffer.push(value(2, clock, false));
        }
        assert_eq!((ids(&buffer), buffer.n_dropped), (vec![1, 2, 5, 6], 2));
        let (first, n) = buffer.request("s", "h", &[], (7, 0));
        assert_eq!((n, buffer.request("s", "h", &[], (7, 0)).0), (4, first));
        buffer.sent(3);
        assert_eq!((ids(&buffer), buffer.room_for_logs()), (vec![6], 2));
        assert!(!buffer.is_half_full() && buffer.has_item(2) && !buffer.has_item(1));
    }

    #[test]
    fn values_are_bounded_in_bytes_too() {
        let mut buffer = Buffer::new(1_000);
        let large = "x".repeat(BYTES_MAX / 4);
        for itemid in 1..=5 {
            buffer.push(Value { result: Some(Ok(large.clone())), ..value(itemid, 0, false) });
        }
        assert_eq!((ids(&buffer), buffer.n_dropped), (vec![3, 4, 5], 2));
        assert_eq!(buffer.request("s", "h", &[], (0, 0)).1, 1, "a large value goes alone");
    }
}
