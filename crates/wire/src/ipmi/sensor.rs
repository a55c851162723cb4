//! Sensor records, and the values of readings by them (IPMI 2.0, chapters 36 and 43).

use super::names;

const FULL: u8 = 0x01;
const COMPACT: u8 = 0x02;
const THRESHOLD: u8 = 0x01;
/// States of discrete sensors.
const STATES: usize = 15;
/// Kind of a record, and its length.
const HEAD: usize = 5;

/// A sensor as its record describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensor {
    /// Number and LUN at the device's controller.
    pub number: u8,
    pub lun: u8,
    /// The name that the manufacturer gave.
    pub id: String,
    /// With the entity that it belongs to: `(7.1).id`.
    pub name: String,
    kind: u8,
    reading_kind: u8,
    units: String,
    /// Which states of a discrete sensor can be read.
    readable: u16,
    /// `None`: its readings cannot be converted into values.
    conversion: Option<Conversion>,
}

/// How raw readings become values: `L((m * x + b * 10^b_exp) * 10^r_exp)`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Conversion {
    format: u8,
    m: i16,
    b: i16,
    b_exp: i32,
    r_exp: i32,
    linearization: u8,
}

/// The reading of a sensor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SensorReading {
    /// For threshold sensors: the value, and the passed thresholds (bit 0 lower non-critical, 1
    /// lower critical, 2 lower non-recoverable, 3 to 5 the upper ones).
    Value(f64, u8),
    /// For discrete ones: the present states.
    States(u16),
    /// There is no reading now.
    Unavailable,
}

/// Values of thresholds that can be read: lower non-critical, critical, non-recoverable, then the upper ones.
pub type Thresholds = [Option<f64>; 6];

impl Sensor {
    /// Reads a record; for one that is shared by several sensors, all of them. Other kinds have
    /// none.
    #[must_use]
    pub fn of_record(record: &[u8]) -> Vec<Self> {
        match record.get(3) {
            Some(&FULL) => Self::full(record).into_iter().collect(),
            Some(&COMPACT) => Self::compact(record).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn full(record: &[u8]) -> Option<Self> {
        let at = |it: usize| record.get(it).copied();
        let ten_bits = |low: u8, high: u8| {
            let number = i16::from(high >> 6) << 8 | i16::from(low);
            if number & 0x200 == 0 { number } else { number - 0x400 }
        };
        let four_bits = |it: u8| if it & 8 == 0 { i32::from(it) } else { i32::from(it) - 16 };
        let exponents = at(29)?;
        let format = at(20)? >> 6;
        let conversion = Conversion {
            format,
            m: ten_bits(at(24)?, at(25)?),
            b: ten_bits(at(26)?, at(27)?),
            b_exp: four_bits(exponents & 0x0f),
            r_exp: four_bits(exponents >> 4),
            linearization: at(23)? & 0x7f,
        };
        let mut sensor = Self::common(record, 47)?;
        sensor.units = names::units(at(20)?, at(21)?, at(22)?);
        sensor.conversion = (format != 3).then_some(conversion);
        Some(sensor)
    }

    fn compact(record: &[u8]) -> Option<Vec<Self>> {
        let at = |it: usize| record.get(it).copied();
        let (sharing, offset) = (at(23)?, at(24)?);
        let first = Self::common(record, 31)?;
        let n = (sharing & 0x0f).max(1);
        if n == 1 {
            return Some(vec![first]);
        }
        let is_letter = (sharing >> 4) & 3 == 1;
        let shared = (0..n).map(|step| {
            let place = u32::from(offset & 0x7f) + u32::from(step);
            let suffix = if is_letter {
                let letter = u8::try_from(place % 26).unwrap_or(0);
                char::from(b'A' + letter).to_string()
            } else {
                place.to_string()
            };
            let instance = at(9)? & 0x7f;
            let instance = if offset & 0x80 == 0 { instance } else { instance.wrapping_add(step) };
            let id = format!("{}{suffix}", first.id);
            Some(Self {
                number: first.number.wrapping_add(step),
                name: full_name(record, instance, &id)?,
                id,
                ..first.clone()
            })
        });
        shared.collect()
    }

    /// The fields that both kinds have in the same places; the id follows `id_at`.
    fn common(record: &[u8], id_at: usize) -> Option<Self> {
        let at = |it: usize| record.get(it).copied();
        let id = id(record.get(id_at..)?)?;
        Some(Self {
            number: at(7)?,
            lun: at(6)? & 3,
            name: full_name(record, at(9)? & 0x7f, &id)?,
            id,
            kind: at(12)?,
            reading_kind: at(13)?,
            units: String::new(),
            readable: u16::from_le_bytes([at(18)?, at(19)?]),
            conversion: None,
        })
    }

    /// Whether it measures a value, rather than having states.
    #[must_use]
    pub fn is_threshold(&self) -> bool {
        self.reading_kind == THRESHOLD
    }

    /// Whether it belongs to the controller of the session, and not to one that this forwards to.
    #[must_use]
    pub fn is_reached(record: &[u8]) -> bool {
        const BMC: u8 = 0x20;
        matches!(record, [_, _, _, FULL | COMPACT, _, owner, channel, ..] if *owner == BMC && channel >> 4 == 0)
    }

    /// Reads the answer to "get sensor reading".
    #[must_use]
    pub fn reading(&self, data: &[u8]) -> Option<SensorReading> {
        let [raw, flags, rest @ ..] = data else { return None };
        // Scanned, and not just being updated.
        if flags & 0x40 == 0 || flags & 0x20 != 0 {
            return Some(SensorReading::Unavailable);
        }
        let state = |at: usize| rest.get(at).copied().unwrap_or(0);
        if self.is_threshold() {
            let Some(conversion) = &self.conversion else {
                return Some(SensorReading::Unavailable);
            };
            let value = conversion.value(*raw);
            let passed = state(0) & 0x3f;
            return Some(if value.is_finite() {
                SensorReading::Value(value, passed)
            } else {
                SensorReading::Unavailable
            });
        }
        let states = u16::from_le_bytes([state(0), state(1)]) & self.readable & 0x7fff;
        Some(SensorReading::States(states))
    }

    /// Reads the answer to "get sensor thresholds".
    #[must_use]
    pub fn thresholds(&self, data: &[u8]) -> Thresholds {
        let (Some((readable, values)), Some(conversion)) = (data.split_first(), &self.conversion)
        else {
            return Thresholds::default();
        };
        let mut thresholds = Thresholds::default();
        for (at, threshold) in thresholds.iter_mut().enumerate() {
            if readable & (1 << at) != 0 {
                let value = values.get(at).map(|it| conversion.value(*it));
                *threshold = value.filter(|it| it.is_finite());
            }
        }
        thresholds
    }

    /// Code and name of the measured quantity.
    #[must_use]
    pub fn kind(&self) -> (u8, &'static str) {
        (self.kind, names::sensor(self.kind))
    }

    /// Code and name of the kind of its readings.
    #[must_use]
    pub fn reading_kind(&self) -> (u8, &'static str) {
        (self.reading_kind, names::reading(self.reading_kind))
    }

    /// The unit of its values; empty for discrete ones.
    #[must_use]
    pub fn units(&self) -> &str {
        &self.units
    }

    /// States as text.
    #[must_use]
    pub fn states_text(&self, states: u16) -> String {
        let holds = (0..STATES).filter(|it| states & (1 << it) != 0);
        let texts = holds.filter_map(|it| names::state(self.kind, self.reading_kind, it));
        texts.collect::<Vec<_>>().join(", ")
    }

    /// Passed thresholds as text.
    #[must_use]
    pub fn passed_text(&self, passed: u8) -> String {
        let each = names::THRESHOLDS.iter().enumerate();
        let holds = each.filter(|(at, _)| passed & (1 << at) != 0);
        let texts = holds.map(|(_, name)| format!("{name} - out of range"));
        texts.collect::<Vec<_>>().join(", ")
    }
}

impl Conversion {
    fn value(&self, raw: u8) -> f64 {
        let signed = raw.cast_signed();
        let x = match self.format {
            // Ones' complement has two zeros; both count as one.
            1 => f64::from(if signed < 0 { i16::from(signed) + 1 } else { i16::from(signed) }),
            2 => f64::from(signed),
            _ => f64::from(raw),
        };
        let b = f64::from(self.b) * 10_f64.powi(self.b_exp);
        let y = (f64::from(self.m) * x + b) * 10_f64.powi(self.r_exp);
        let y = match self.linearization {
            1 => y.ln(),
            2 => y.log10(),
            3 => y.log2(),
            4 => y.exp(),
            5 => 10_f64.powf(y),
            6 => y.exp2(),
            7 => y.recip(),
            8 => y * y,
            9 => y * y * y,
            10 => y.sqrt(),
            11 => y.cbrt(),
            // A non-linear sensor needs factors for each reading, which are not requested.
            _ => y,
        };
        // Powers of ten are no binary fractions: 1.2, and not 1.2000000000000002.
        let rounded = (y * 1e9).round() / 1e9;
        if rounded.is_finite() { rounded } else { y }
    }
}

/// `(7.1).id`, of a part of this device; `r0.32.7.1.id`-like names of others' parts are as OpenIPMI has them.
fn full_name(record: &[u8], instance: u8, id: &str) -> Option<String> {
    let entity = record.get(8)?;
    if instance < 0x60 {
        return Some(format!("({entity}.{instance}).{id}"));
    }
    let (owner, channel) = (record.get(5)?, record.get(6)? >> 4);
    Some(format!("(r{channel}.{owner}.{entity}.{}).{id}", instance - 0x60))
}

/// The id after its byte of type and length.
fn id(bytes: &[u8]) -> Option<String> {
    let (head, text) = bytes.split_first()?;
    let len = usize::from(head & 0x1f);
    let text = text.get(..len.min(text.len()))?;
    let text = match head >> 6 {
        0 => {
            let (pairs, _odd) = text.as_chunks();
            let units = pairs.iter().map(|it| u16::from_le_bytes(*it));
            char::decode_utf16(units).map(|it| it.unwrap_or('\u{fffd}')).collect()
        }
        1 => {
            const DIGITS: &[u8; 16] = b"0123456789 -.:,_";
            let halves = text.iter().flat_map(|it| [it & 0x0f, it >> 4]);
            halves.filter_map(|it| DIGITS.get(usize::from(it)).copied().map(char::from)).collect()
        }
        2 => six_bits(text),
        _ => text.iter().map(|it| char::from(*it)).collect::<String>(),
    };
    Some(text.trim_end_matches(['\0', ' ']).to_owned())
}

/// Four letters in three bytes, the first in the lowest bits.
fn six_bits(bytes: &[u8]) -> String {
    let (mut text, mut bits, mut n_bits) = (String::new(), 0_u32, 0);
    for byte in bytes {
        bits |= u32::from(*byte) << n_bits;
        n_bits += 8;
        while 6 <= n_bits {
            let letter = u8::try_from(bits & 0x3f).unwrap_or(0);
            text.push(char::from(letter + b' '));
            bits >>= 6;
            n_bits -= 6;
        }
    }
    text
}

/// Length of a whole record by its first bytes.
#[must_use]
pub fn record_len(head: &[u8]) -> Option<usize> {
    head.get(4).map(|it| HEAD + usize::from(*it))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full record of a sensor with these bytes from the units on, and the following ones.
    fn full(reading_kind: u8, units: [u8; 3], factors: [u8; 7], id: &[u8]) -> Vec<u8> {
        let mut record = vec![1, 0, 0x51, FULL, 0, 0x20, 0, 9, 7, 1, 0x7f, 0x68, 1, reading_kind];
        record.extend_from_slice(&[0, 0, 0, 0, 0xff, 0x7f]);
        record.extend_from_slice(&units);
        record.extend_from_slice(&factors);
        record.extend_from_slice(&[0; 17]);
        record.extend_from_slice(id);
        record
    }

    fn one(record: &[u8]) -> Sensor {
        let mut sensors = Sensor::of_record(record);
        assert_eq!(sensors.len(), 1);
        sensors.remove(0)
    }

    #[test]
    fn readings_become_values_by_the_factors_of_the_record() {
        // m, b, exponents of b and of the result, linearization, format, raw, value
        for (m, b, b_exp, r_exp, linear, format, raw, expected) in [
            (1, 0, 0, 0, 0, 0, 45, 45.0),
            (1, 0, 0, 0, 0, 2, 0xf6, -10.0),
            (1, 0, 0, 0, 0, 1, 0xf5, -10.0),
            (60, 0, 0, 0, 0, 0, 80, 4_800.0),
            (12, 0, 0, -2, 0, 0, 100, 12.0),
            (5, -20, 1, -1, 0, 0, 100, 30.0),
            (-1, 100, 0, 0, 0, 0, 30, 70.0),
            (1, 0, 0, 0, 7, 0, 4, 0.25),
            (1, 0, 0, 0, 8, 0, 9, 81.0),
            (1, 0, 0, 0, 10, 0, 81, 9.0),
        ] {
            let low = |it: i16| it.to_le_bytes()[0];
            let high = |it: i16| (it.to_le_bytes()[1] & 3) << 6;
            let exponents = (i8::try_from(r_exp).unwrap().cast_unsigned() << 4)
                | (i8::try_from(b_exp).unwrap().cast_unsigned() & 15);
            let factors = [linear, low(m), high(m), low(b), high(b), 0, exponents];
            let record = full(1, [format << 6, 1, 0], factors, &[0xc3, b'C', b'P', b'U']);
            let sensor = one(&record);
            assert_eq!((sensor.id.as_str(), sensor.name.as_str()), ("CPU", "(7.1).CPU"));
            let reading = sensor.reading(&[raw, 0xc0, 0xc9]).unwrap();
            assert_eq!(reading, SensorReading::Value(expected, 9), "{m} {b} {raw}");
        }
    }

    #[test]
    fn missing_reading_is_no_value() {
        let record = full(1, [0, 1, 0], [7, 1, 0, 0, 0, 0, 0], &[0xc1, b'x']);
        let sensor = one(&record);
        assert_eq!(sensor.reading(&[7, 0x80]), Some(SensorReading::Unavailable), "not scanned");
        assert_eq!(sensor.reading(&[7, 0xe0]), Some(SensorReading::Unavailable), "not known yet");
        assert_eq!(sensor.reading(&[0, 0xc0]), Some(SensorReading::Unavailable), "1/0");
        assert_eq!(sensor.reading(&[7]), None);
        let never = one(&full(1, [0xc0, 1, 0], [0, 1, 0, 0, 0, 0, 0], &[0xc1, b'x']));
        assert_eq!(never.reading(&[7, 0xc0, 0]), Some(SensorReading::Unavailable));
    }

    #[test]
    fn states_are_those_that_can_be_read() {
        let mut record = full(0x6f, [0xc0, 0, 0], [0; 7], &[0xc1, b'x']);
        record[12] = 8;
        record[18] = 0x0b;
        let sensor = one(&record);
        assert!(!sensor.is_threshold());
        assert_eq!(sensor.reading(&[0, 0xc0, 0x0f, 0x80]), Some(SensorReading::States(0x0b)));
        assert_eq!(sensor.states_text(0b11), "presence detected, power supply failure detected");
    }

    #[test]
    fn readable_thresholds_are_returned() {
        let sensor = one(&full(1, [0, 1, 0], [0, 2, 0, 0, 0, 0, 0], &[0xc1, b'x']));
        let thresholds = sensor.thresholds(&[0b01_1010, 1, 2, 3, 40, 50, 60]);
        assert_eq!(thresholds, [None, Some(4.0), None, Some(80.0), Some(100.0), None]);
        assert_eq!(sensor.thresholds(&[]), Thresholds::default());
        assert_eq!(sensor.passed_text(0b1_0000), "upper critical - out of range");
    }

    #[test]
    fn ids_are_written_in_four_ways() {
        for (bytes, expected) in [
            (&[0xc4, b'F', b'a', b'n', 0][..], "Fan"),
            (&[0x04, b'F', 0, 0xe4, 0], "Fä"),
            (&[0x42, 0x21, 0xd3], "123:"),
            (&[0x83, 0x29, 0xdc, 0xa6], "IPMI"),
            (&[0xdf, b'x'], "x"),
        ] {
            assert_eq!(id(bytes).as_deref(), Some(expected), "{bytes:x?}");
        }
    }

    #[test]
    fn a_compact_record_may_be_of_several_sensors() {
        let mut record = vec![1, 0, 0x51, COMPACT, 0, 0x20, 1, 0x30, 0x0a, 1, 0, 0, 8, 0x6f];
        record.extend_from_slice(&[0, 0, 0, 0, 0xff, 0x7f, 0xc0, 0, 0]);
        record.extend_from_slice(&[0x02, 0x81]);
        record.extend_from_slice(&[0; 6]);
        record.extend_from_slice(&[0xc2, b'P', b'S']);
        let sensors = Sensor::of_record(&record);
        let found: Vec<_> =
            sensors.iter().map(|it| (it.number, it.lun, it.name.as_str())).collect();
        assert_eq!(found, [(0x30, 1, "(10.1).PS1"), (0x31, 1, "(10.2).PS2")]);
        record[23] = 0x12;
        assert_eq!(Sensor::of_record(&record)[1].id, "PSC");
        assert!(Sensor::is_reached(&record));
        record[5] = 0x2c;
        assert!(!Sensor::is_reached(&record));
        for at in 0..record.len() {
            drop(Sensor::of_record(&record[..at]));
        }
    }
}
