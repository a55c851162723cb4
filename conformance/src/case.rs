//! One case, and the answer of a topic to it.

use serde_json::{Map, Value, json};

/// Topics of a file: `group/name` and the function from a case to its answer.
pub(crate) type Topics = &'static [(&'static str, Topic)];

/// Answers one case.
pub(crate) type Topic = fn(&Case<'_>) -> Answer;

/// The answer of a topic.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The output, compared field by field.
    Out(Value),
    /// The topic compared by itself: `Err` is the difference.
    Checked(Result<(), String>),
    /// The case asks for a part that Saker does not have; the reason.
    Skip(&'static str),
}

/// One case.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    name: &'a str,
    input: &'a Value,
    out: &'a Value,
}

impl<'a> Case<'a> {
    /// A case of a file whose repetitions are unfolded.
    pub(crate) fn new(case: &'a Value) -> Self {
        Self { name: case["name"].as_str().unwrap_or(""), input: &case["in"], out: &case["out"] }
    }

    /// Its title: where a topic's input does not name the function.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// Expected output.
    pub(crate) fn out(&self) -> &'a Value {
        self.out
    }

    /// A member of the input.
    pub(crate) fn get(&self, name: &str) -> &'a Value {
        &self.input[name]
    }

    /// A text of the input; empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.get(name).as_str().unwrap_or("")
    }

    /// A number of the input; 0 if it is not there.
    pub(crate) fn int(&self, name: &str) -> i64 {
        let value = self.get(name);
        value.as_i64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
    }

    /// Bytes of the input that are written as hexadecimal digits; none if it is not there.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        from_hex(self.text(name))
    }

    /// A list of the input; empty if it is not there.
    pub(crate) fn list(&self, name: &str) -> &'a [Value] {
        self.get(name).as_array().map_or(&[], Vec::as_slice)
    }
}

/// Bytes written as hexadecimal digits; white space does not count.
pub(crate) fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|it| it.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|it| u8::try_from(it.iter().fold(0, |n, it| n * 16 + it)).unwrap())
        .collect()
}

/// Bytes as hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

/// Texts written as `{"repeat": …}` in full.
pub(crate) fn unfold(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            if let Some(repeat) = members.get("repeat") {
                let text = |name: &str| repeat[name].as_str().unwrap_or("").to_owned();
                let count = usize::try_from(repeat["count"].as_u64().unwrap_or(0)).unwrap_or(0);
                return json!(text("prefix") + &text("unit").repeat(count) + &text("suffix"));
            }
            Value::Object(members.into_iter().map(|(name, it)| (name, unfold(it))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(unfold).collect()),
        other => other,
    }
}

/// Each expected field is there and equal. In failing cases, the fields other than `ok` (texts of
/// errors) are for information: they count only with `texts`.
pub(crate) fn compare(expected: &Value, actual: &Value, texts: bool) -> Result<(), String> {
    let empty = Map::new();
    let counts = |name: &str| texts || name == "ok" || expected["ok"] != false;
    let fields = expected.as_object().unwrap_or(&empty).iter();
    for (name, wanted) in fields.filter(|it| counts(it.0)) {
        let found = &actual[name];
        if found != wanted {
            return Err(format!("{name}: {found}, expected {wanted}"));
        }
    }
    Ok(())
}
