//! Numbers, texts and values as bytes of a checkpoint.

use std::sync::Arc;

use model::batch::RawRef;
use model::value::LogEntry;
use model::{Time, Value};

#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Bytes with their length in front.
    pub(super) fn counted(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes(bytes);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn number(&mut self, mut number: u64) {
        while 0x80 <= number {
            self.bytes.push(low_bits(number) | 0x80);
            number >>= 7;
        }
        self.bytes.push(low_bits(number));
    }

    pub(super) fn bits(&mut self, bits: u64) {
        self.bytes.extend_from_slice(&bits.to_le_bytes());
    }

    pub(super) fn time(&mut self, time: Time) {
        self.number(time.0.cast_unsigned());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(super) fn option(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    pub(super) fn raw(&mut self, raw: RawRef<'_>) {
        match raw {
            RawRef::Nothing | RawRef::Error(_) => self.number(0),
            RawRef::Float(it) => {
                self.number(1);
                self.bytes.extend_from_slice(&it.to_bits().to_le_bytes());
            }
            RawRef::Unsigned(it) => {
                self.number(2);
                self.number(it);
            }
            RawRef::Text(it) => {
                self.number(3);
                self.text(it);
            }
        }
    }

    pub(super) fn value(&mut self, value: Option<&Value>) {
        match value {
            None => self.number(0),
            Some(Value::Text(it)) => {
                self.number(1);
                self.text(it);
            }
            Some(Value::Log(it)) => {
                self.number(2);
                self.text(&it.value);
                self.text(&it.source);
                self.number(it.timestamp.cast_unsigned());
                self.number(i64::from(it.severity).cast_unsigned());
                self.number(it.logeventid.cast_unsigned());
            }
            Some(Value::Float(_) | Value::Unsigned(_)) => self.number(0),
        }
    }
}

fn low_bits(number: u64) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or(0)
}

pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    version: usize,
}

impl<'a> Reader<'a> {
    /// `version`: of the format that the bytes are in.
    pub(super) fn new(bytes: &'a [u8], version: usize) -> Self {
        Self { bytes, at: 0, version }
    }

    pub(super) fn version(&self) -> usize {
        self.version
    }

    /// How far it has read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.take(1)?.first()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn len(&mut self) -> Option<usize> {
        // Each counted element takes a byte at least.
        let n = usize::try_from(self.number()?).ok()?;
        (n <= self.bytes.len() - self.at).then_some(n)
    }

    pub(super) fn time(&mut self) -> Option<Time> {
        Some(Time(self.number()?.cast_signed()))
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let n = self.len()?;
        std::str::from_utf8(self.take(n)?).ok()
    }

    pub(super) fn option(&mut self) -> Option<Option<&'a str>> {
        match self.number()? {
            0 => Some(None),
            1 => Some(Some(self.text()?)),
            _ => None,
        }
    }

    pub(super) fn bits(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(super) fn raw(&mut self) -> Option<RawRef<'a>> {
        Some(match self.number()? {
            0 => RawRef::Nothing,
            1 => RawRef::Float(f64::from_bits(self.bits()?)),
            2 => RawRef::Unsigned(self.number()?),
            3 => RawRef::Text(self.text()?),
            4 => RawRef::Error(self.text()?),
            _ => return None,
        })
    }

    pub(super) fn value(&mut self) -> Option<Option<Value>> {
        Some(match self.number()? {
            0 => None,
            1 => Some(Value::Text(self.text()?.into())),
            2 => Some(Value::Log(Arc::new(LogEntry {
                value: self.text()?.to_owned(),
                source: self.text()?.to_owned(),
                timestamp: self.number()?.cast_signed(),
                severity: i32::try_from(self.number()?.cast_signed()).ok()?,
                logeventid: self.number()?.cast_signed(),
            }))),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_records_read_back_until_damage() {
        let entry = LogEntry { value: "x".into(), severity: -3, ..LogEntry::default() };
        let value = Value::Log(Arc::new(entry));
        let mut out = Writer::default();
        [0, 127, 128, u64::MAX].into_iter().for_each(|it| out.number(it));
        out.time(Time(-1));
        out.option(Some("why"));
        out.raw(RawRef::Text("raw"));
        out.value(Some(&value));
        let bytes = out.into_bytes();
        let mut reader = Reader::new(&bytes, 1);
        let numbers: Vec<_> = (0..4).map_while(|_| reader.number()).collect();
        assert_eq!(numbers, [0, 127, 128, u64::MAX]);
        assert_eq!(reader.time(), Some(Time(-1)));
        assert_eq!(reader.option(), Some(Some("why")));
        assert_eq!(reader.raw(), Some(RawRef::Text("raw")));
        assert_eq!(reader.value(), Some(Some(value)));
        assert!(reader.is_at_end());
        assert_eq!(reader.number(), None);
        // A length beyond the end.
        assert_eq!(Reader::new(&[9, 1], 1).text(), None);
    }
}
