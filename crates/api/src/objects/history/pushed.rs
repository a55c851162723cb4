//! A call of `history.push` as most are: read straight from its text into values, without a tree in between.
//!
//! Unusual calls are left to the general parser, which accepts or refuses them.

use std::borrow::Cow;
use std::fmt;

use model::ItemId;
use model::push::PushedItem;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use super::push::{CLOCK_MAX, Given, HERE_BYTES_MAX, HERE_VALUES_MAX};

/// The method's name is within this many bytes from the begin of a call.
const HEAD_BYTES: usize = 128;
pub(crate) const NAME: &str = "history.push";

/// A call whose parameters are values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PushText<'a> {
    jsonrpc: &'a str,
    method: &'a str,
    #[serde(borrow)]
    params: Vec<ValueText<'a>>,
    id: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueText<'a> {
    #[serde(borrow, default)]
    itemid: Plain<'a>,
    #[serde(borrow, default)]
    host: Plain<'a>,
    #[serde(borrow, default)]
    key: Plain<'a>,
    #[serde(borrow, default)]
    value: Plain<'a>,
    #[serde(default, deserialize_with = "whole")]
    clock: Option<u32>,
    #[serde(default, deserialize_with = "whole")]
    ns: Option<u32>,
}

/// There is a number, or nothing: no null.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    u32::deserialize(deserializer).map(Some)
}

/// A text or a number; no null.
#[derive(Default)]
enum Plain<'a> {
    #[default]
    Absent,
    Text(Cow<'a, str>),
    Number(String),
}

impl Plain<'_> {
    /// One that is not empty.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Plain<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reads;

        impl<'de> Visitor<'de> for Reads {
            type Value = Plain<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a number")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Plain<'de>, E> {
                Ok(Plain::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Plain<'de>, E> {
                Ok(Plain::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Plain<'de>, E> {
                Ok(Plain::Number(number.to_string()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Plain<'de>, E> {
                Ok(Plain::Number(number.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Plain<'de>, E> {
                let number = Number::from_f64(number).ok_or_else(|| E::custom("no number"))?;
                Ok(Plain::Number(number.to_string()))
            }
        }

        deserializer.deserialize_any(Reads)
    }
}

/// A call that was read.
pub(crate) struct PushCall<'a> {
    pub(crate) id: Value,
    values: Vec<ValueText<'a>>,
}

impl<'a> PushCall<'a> {
    /// Reads a small one. `None`: it is another call, or an unusual one.
    pub(crate) fn read(body: &'a [u8]) -> Option<Self> {
        let head = body.get(..HEAD_BYTES.min(body.len()))?;
        if HERE_BYTES_MAX < body.len() || !head.windows(NAME.len()).any(|it| it == NAME.as_bytes())
        {
            return None;
        }
        let call: PushText<'a> = serde_json::from_slice(body).ok()?;
        let PushText { jsonrpc, method, params: values, id } = call;
        let is_usual = jsonrpc == "2.0" && method == NAME && (id.is_string() || id.is_number());
        let is_small = (1..=HERE_VALUES_MAX).contains(&values.len());
        let is_read = is_usual && is_small && values.iter().all(|it| it.given().is_some());
        is_read.then_some(Self { id, values })
    }

    /// The values as they were given.
    pub(crate) fn given(&self) -> Option<Vec<Given<'_>>> {
        self.values.iter().map(ValueText::given).collect()
    }
}

impl ValueText<'_> {
    fn given(&self) -> Option<Given<'_>> {
        let item = match (&self.itemid, &self.host, &self.key) {
            (Plain::Text(id), Plain::Absent, Plain::Absent) => {
                // A sign is for others to judge.
                let is_number = id.bytes().all(|it| it.is_ascii_digit());
                PushedItem::Id(ItemId(id.parse().ok().filter(|_| is_number)?))
            }
            (Plain::Absent, host, key) => PushedItem::Key { host: host.name()?, key: key.name()? },
            _ => return None,
        };
        let value = match &self.value {
            Plain::Text(text) => &**text,
            Plain::Number(number) => number,
            Plain::Absent => return None,
        };
        let clock = self.clock.map(i64::from);
        let is_time = clock.is_none_or(|it| it <= CLOCK_MAX)
            && self.ns.is_none_or(|it| it < 1_000_000_000 && clock.is_some());
        is_time.then(|| Given { item, value: value.into(), clock, ns: self.ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: &str) -> Option<String> {
        let body =
            format!(r#"{{"jsonrpc":"2.0","method":"history.push","params":{params},"id":7}}"#);
        let call = PushCall::read(body.as_bytes())?;
        assert_eq!(call.id, 7);
        let given = call.given()?;
        let lines =
            given.iter().map(|it| format!("{:?} {} {:?} {:?}", it.item, it.value, it.clock, it.ns));
        Some(lines.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn usual_values_are_read_as_all_calls_are() {
        let params = r#"[{"host":"web","key":"a[\"b\"]","value":"x","clock":17,"ns":5},{"itemid":"7","value":0.5},
            {"itemid":"8","value":-3},{"itemid":"9","value":1e400000000}]"#;
        assert_eq!(read(params), None, "a number that is none");
        let params = params.replace("1e400000000", "18446744073709551616");
        let by_tree: Value = serde_json::from_str(&params).expect("JSON");
        let by_tree = super::super::push::all_given(&by_tree).expect("they are right");
        let expected = by_tree
            .iter()
            .map(|it| format!("{:?} {} {:?} {:?}", it.item, it.value, it.clock, it.ns));
        assert_eq!(read(&params), Some(expected.collect::<Vec<_>>().join("; ")));
    }

    #[test]
    fn unusual_pushes_are_left_to_the_general_parser() {
        for params in [
            "[]",
            "{}",
            r#"{"itemid":"1","value":"1"}"#,
            r#"[{"itemid":1,"value":"1"}]"#,
            r#"[{"itemid":"x","value":"1"}]"#,
            r#"[{"itemid":"1","host":"web","value":"1"}]"#,
            r#"[{"itemid":null,"host":"web","key":"k","value":"1"}]"#,
            r#"[{"host":"web","key":1,"value":"1"}]"#,
            r#"[{"itemid":"+1","value":"1"}]"#,
            r#"[{"itemid":"1"}]"#,
            r#"[{"host":"web","value":"1"}]"#,
            r#"[{"host":"","key":"k","value":"1"}]"#,
            r#"[{"host":"web","key":"k","value":true}]"#,
            r#"[{"host":"web","key":"k","value":"1","other":1}]"#,
            r#"[{"host":"web","key":"k","value":"1","value":"2"}]"#,
            r#"[{"itemid":"1","value":"1","clock":"17"}]"#,
            r#"[{"itemid":"1","value":"1","clock":null}]"#,
            r#"[{"itemid":"1","value":"1","clock":2147483648}]"#,
            r#"[{"itemid":"1","value":"1","clock":1,"ns":1000000000}]"#,
            r#"[{"itemid":"1","value":"1","ns":1}]"#,
        ] {
            assert_eq!(read(params), None, "{params}");
        }
        let many = vec![r#"{"itemid":"1","value":"1"}"#; HERE_VALUES_MAX + 1].join(",");
        assert_eq!(read(&format!("[{many}]")), None);
        for body in [
            r#"{"jsonrpc":"2.0","method":"history.push","params":[{"itemid":"1","value":"1"}]}"#,
            r#"{"jsonrpc":"2.0","method":"history.push","params":[{"itemid":"1","value":"1"}],"id":null}"#,
            r#"{"jsonrpc":"2.0","method":"history.push","params":[{"itemid":"1","value":"1"}],"id":1,"auth":"x"}"#,
            r#"{"jsonrpc":"2.0","method":"History.push","params":[{"itemid":"1","value":"1"}],"id":1}"#,
            r#"{"jsonrpc":"2.0","method":"item.get","params":["history.push"],"id":1}"#,
        ] {
            assert!(PushCall::read(body.as_bytes()).is_none(), "{body}");
        }
    }
}
