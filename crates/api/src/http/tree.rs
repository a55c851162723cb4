//! JSON of requests as trees, whose memory is counted while they are built.
//!
//! A tree takes many times its text: 32 bytes for each `0,`, some 700 for each `{"a":0},`.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Memory is requested in steps of this size.
const STEP_BYTES: u64 = 64 << 10;
/// An element of a list: lists double while they grow.
const ELEMENT_BYTES: u64 = 64;
/// The size of a text without its bytes.
const TEXT_BYTES: u64 = 16;
/// Objects are B-trees with nodes of 11 places, which are filled half.
const NODE_BYTES: u64 = 656;
const NODE_FIELDS: usize = 5;

/// Why there is no tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TreeError {
    NoJson,
    /// It would be larger than one request may be.
    TooLarge,
    /// There is no room for it now.
    NoRoom,
}

/// Counts the memory of a tree.
pub(crate) struct Meter<'a> {
    /// The memory that the tree may still take.
    left: u64,
    /// Of which there is room already.
    has: u64,
    grow: &'a mut dyn FnMut(u64) -> bool,
    error: Option<TreeError>,
}

impl<'a> Meter<'a> {
    /// `grow` is called to request this many more bytes.
    pub(crate) fn new(bytes_max: u64, grow: &'a mut dyn FnMut(u64) -> bool) -> Self {
        Self { left: bytes_max, has: 0, grow, error: None }
    }

    /// This many bytes are granted already.
    pub(crate) fn with(mut self, bytes: u64) -> Self {
        self.has = bytes;
        self
    }

    fn take<E: Error>(&mut self, bytes: u64) -> Result<(), E> {
        let Some(left) = self.left.checked_sub(bytes) else {
            return Err(self.fail(TreeError::TooLarge));
        };
        self.left = left;
        if self.has < bytes {
            let step = STEP_BYTES.max(bytes);
            if !(self.grow)(step) {
                return Err(self.fail(TreeError::NoRoom));
            }
            self.has += step;
        }
        self.has -= bytes;
        Ok(())
    }

    fn fail<E: Error>(&mut self, error: TreeError) -> E {
        self.error = Some(error);
        E::custom("the tree is too large")
    }
}

/// Builds the tree of a text.
///
/// # Errors
/// If it is no JSON, or takes too much.
pub(crate) fn parse(text: &[u8], mut meter: Meter<'_>) -> Result<Value, TreeError> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Node(&mut meter).deserialize(&mut deserializer);
    let value = value.and_then(|it| deserializer.end().map(|()| it));
    value.map_err(|_text| meter.error.unwrap_or(TreeError::NoJson))
}

struct Node<'m, 'a>(&'m mut Meter<'a>);

impl<'de> DeserializeSeed<'de> for Node<'_, '_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, it: bool) -> Result<Value, E> {
        Ok(Value::Bool(it))
    }

    fn visit_i64<E: Error>(self, it: i64) -> Result<Value, E> {
        Ok(Value::Number(it.into()))
    }

    fn visit_u64<E: Error>(self, it: u64) -> Result<Value, E> {
        Ok(Value::Number(it.into()))
    }

    fn visit_f64<E: Error>(self, it: f64) -> Result<Value, E> {
        Ok(Number::from_f64(it).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, it: &str) -> Result<Value, E> {
        self.0.take(text_bytes(it))?;
        Ok(Value::String(it.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(it) = from.next_element_seed(Node(&mut *self.0))? {
            self.0.take(ELEMENT_BYTES)?;
            list.push(it);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        let mut n: usize = 0;
        while let Some(name) = from.next_key::<String>()? {
            self.0.take(
                text_bytes(&name) + if n.is_multiple_of(NODE_FIELDS) { NODE_BYTES } else { 0 },
            )?;
            n += 1;
            let value = from.next_value_seed(Node(&mut *self.0))?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

fn text_bytes(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(TEXT_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Value, TreeError> {
        parse(text.as_bytes(), Meter::new(u64::MAX, &mut |_| true))
    }

    #[test]
    fn trees_are_those_of_serde() {
        for text in [
            "null",
            " [1, -2, 3.5, 1e300, 18446744073709551615, true, \"a\\u0000ä\"] ",
            r#"{"b":{"c":[]},"a":{},"a":2}"#,
            "[",
            "[] []",
            "\"\\ud800\"",
            "1e999",
            "{\"a\" 1}",
            "",
            "nul",
        ] {
            let expected = serde_json::from_str::<Value>(text).ok();
            assert_eq!(all(text).ok(), expected, "{text}");
        }
        let deep = "[".repeat(1_000) + &"]".repeat(1_000);
        assert_eq!(all(&deep), Err(TreeError::NoJson));
    }

    #[test]
    fn a_tree_of_any_content_stays_within_its_memory() {
        for part in ["0", "{\"a\":0}", "[[]]", "\"abcdefgh\"", "{\"a\":{\"b\":{\"c\":[]}}}", "{}"] {
            let text = format!("[{}]", vec![part; 100_000].join(","));
            let mut taken = 0;
            let mut grow = |bytes: u64| {
                taken += bytes;
                taken <= 1 << 20
            };
            assert_eq!(
                parse(text.as_bytes(), Meter::new(u64::MAX, &mut grow)),
                Err(TreeError::NoRoom),
                "{part}"
            );
            assert_eq!(
                parse(text.as_bytes(), Meter::new(1 << 20, &mut |_| true)),
                Err(TreeError::TooLarge)
            );
        }
    }

    /// The counted bytes are at least the allocated ones.
    #[test]
    fn counted_bytes_of_a_tree_equal_its_memory() {
        fn size(value: &Value) -> usize {
            match value {
                Value::Array(list) => {
                    list.capacity() * size_of::<Value>() + list.iter().map(size).sum::<usize>()
                }
                Value::Object(fields) => {
                    let node = 11 * (size_of::<String>() + size_of::<Value>()) + 16;
                    let nodes = fields.len().div_ceil(11);
                    nodes * node
                        + fields.iter().map(|(name, it)| name.capacity() + size(it)).sum::<usize>()
                }
                Value::String(text) => text.capacity(),
                _ => 0,
            }
        }
        for part in
            ["0", "{\"a\":0}", "\"abcdefgh\"", "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6}"]
        {
            let text = format!("[{}]", vec![part; 10_000].join(","));
            let mut taken = 0;
            let mut grow = |bytes: u64| {
                taken += bytes;
                true
            };
            let tree = parse(text.as_bytes(), Meter::new(u64::MAX, &mut grow)).expect("JSON");
            assert!(wide(size(&tree)) <= taken, "{part}: {} of {taken}", size(&tree));
        }
    }

    fn wide(it: usize) -> u64 {
        u64::try_from(it).expect("small")
    }
}
