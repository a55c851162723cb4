//! Numbers that some peers write as strings and the reverse, for use with serde.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A number, text, boolean or null as text; `None` for null, arrays and objects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Scalar(pub(crate) Option<String>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(ScalarVisitor).map(Self)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Some(value.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Text of any scalar; null and compounds are `None`.
pub(crate) fn text<'de, D: Deserializer<'de>>(source: D) -> Result<Option<String>, D::Error> {
    Scalar::deserialize(source).map(|it| it.0)
}

/// Text of any scalar; null and compounds are empty.
pub(crate) fn text_or_empty<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    text(source).map(Option::unwrap_or_default)
}

/// A whole number, also in quotes; anything else is `None`.
pub(crate) fn whole<'de, D: Deserializer<'de>>(source: D) -> Result<Option<u64>, D::Error> {
    Ok(text(source)?.and_then(|it| it.trim().parse().ok()))
}

/// A whole number, also in quotes; anything else is 0.
pub(crate) fn whole_or_zero<'de, D: Deserializer<'de>>(source: D) -> Result<u64, D::Error> {
    whole(source).map(Option::unwrap_or_default)
}

/// A number of seconds: `3`, `"3"`, `"3s"`, `"1m"`; anything else is `None`.
pub(crate) fn seconds<'de, D: Deserializer<'de>>(source: D) -> Result<Option<u32>, D::Error> {
    Ok(text(source)?.and_then(|it| parse_seconds(&it)))
}

/// `3`, `3s`, `1m`, `1h`, `1d`, `1w` in seconds.
pub(crate) fn parse_seconds(text: &str) -> Option<u32> {
    let text = text.trim();
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, suffix) = text.split_at_checked(n_digits)?;
    let unit = match suffix {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    digits.parse::<u32>().ok()?.checked_mul(unit)
}

/// Reads a payload that must be a JSON object: serde alone would take an array's elements for the
/// members in order. Bytes outside UTF-8 are replaced as everywhere in this crate.
pub(crate) fn parse_object<T: de::DeserializeOwned>(
    payload: &[u8],
) -> Result<T, serde_json::Error> {
    let text = crate::sender::to_valid_utf8(payload);
    if !text.trim_start().starts_with('{') {
        return Err(de::Error::custom("a message is a JSON object"));
    }
    serde_json::from_str(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_seconds() {
        for (text, expected) in [
            ("3", Some(3)),
            ("3s", Some(3)),
            (" 10s ", Some(10)),
            ("2m", Some(120)),
            ("1h", Some(3600)),
            ("1d", Some(86400)),
            ("1w", Some(604_800)),
            ("", None),
            ("s", None),
            ("3x", None),
            ("-3", None),
            ("99999999999", None),
            ("4294967295w", None),
        ] {
            assert_eq!(parse_seconds(text), expected, "{text}");
        }
    }
}
