//! The JSON-RPC 2.0 envelope: one request or a batch in, answers out. Knows no method.

use serde_json::{Value, json};

use crate::answer::Text;
use crate::error::{ApiError, Class};

/// Requests that one batch may hold.
pub const BATCH_MAX: usize = 1_000;

/// One call, taken apart.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub method: String,
    pub params: Value,
    /// `auth` of the body, as older clients send it.
    pub auth: Option<String>,
    /// `None`: a notification, which gets no answer.
    pub id: Option<Value>,
}

/// The calls of a request's body.
#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    One(Result<Call, Value>),
    /// Answered by an array, in order.
    Batch(Vec<Result<Call, Value>>),
}

/// Takes a body apart. A call that is none carries its ready answer instead.
#[must_use]
pub fn parse(body: &[u8]) -> Body {
    let parsed: Value = match serde_json::from_slice(body) {
        Ok(it) => it,
        Err(_not_json) => {
            let data = "Invalid JSON. An error occurred on the server while parsing the JSON text.";
            return Body::One(Err(failed(&Value::Null, &ApiError::new(Class::Parse, data))));
        }
    };
    match parsed {
        Value::Array(calls) if !calls.is_empty() && calls.len() <= BATCH_MAX => {
            Body::Batch(calls.into_iter().map(call).collect())
        }
        one => Body::One(call(one)),
    }
}

fn call(value: Value) -> Result<Call, Value> {
    let invalid = |id: &Value, data: &'static str| {
        Err(failed(id, &ApiError::new(Class::InvalidRequest, data)))
    };
    let Value::Object(mut call) = value else {
        return invalid(&Value::Null, "The received JSON is not a valid JSON-RPC request.");
    };
    let id = call.remove("id");
    let shown = id.clone().unwrap_or(Value::Null);
    if call.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return invalid(&shown, "Invalid parameter \"/jsonrpc\": value must be \"2.0\".");
    }
    let Some(Value::String(method)) = call.remove("method") else {
        return invalid(&shown, "Invalid parameter \"/\": the parameter \"method\" is missing.");
    };
    let params = call.remove("params").unwrap_or_else(|| json!({}));
    if !matches!(params, Value::Array(_) | Value::Object(_)) {
        return invalid(&shown, "Invalid parameter \"/params\": an array or object is expected.");
    }
    let auth = match call.remove("auth") {
        Some(Value::String(it)) if !it.is_empty() => Some(it),
        _ => None,
    };
    Ok(Call { method, params, auth, id })
}

/// The answer to a call that gave a result.
#[must_use]
pub fn succeeded(id: &Value, result: Text) -> Text {
    let mut answer = Text::from(format!(r#"{{"id":{id},"jsonrpc":"2.0","result":"#).into_bytes());
    answer.append(result);
    answer.push(b"}");
    answer
}

/// The answer to a call that failed.
#[must_use]
pub fn failed(id: &Value, error: &ApiError) -> Value {
    json!({"jsonrpc": "2.0", "error": error.to_json(), "id": id})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_clients_are_understood() {
        let body = br#"{"jsonrpc":"2.0","method":"host.get","params":[],"auth":"abc","id":3}"#;
        let Body::One(Ok(call)) = parse(body) else { panic!("one call") };
        assert_eq!((call.method.as_str(), call.auth.as_deref()), ("host.get", Some("abc")));
        let body = br#"[{"jsonrpc":"2.0","method":"a.b","id":"x"},5]"#;
        let Body::Batch(calls) = parse(body) else { panic!("a batch") };
        assert_eq!(calls[0].as_ref().expect("a call").params, json!({}));
        assert_eq!(calls[1].as_ref().expect_err("no call")["error"]["code"], -32_600);
    }

    #[test]
    fn nonsense_gets_the_standard_errors() {
        for (body, code) in [
            (&b"{"[..], -32_700),
            (b"[]", -32_600),
            (b"7", -32_600),
            (br#"{"jsonrpc":"1.0","method":"a.b","id":1}"#, -32_600),
            (br#"{"jsonrpc":"2.0","id":1}"#, -32_600),
            (br#"{"jsonrpc":"2.0","method":"a.b","params":3,"id":1}"#, -32_600),
        ] {
            let Body::One(Err(answer)) = parse(body) else { panic!("an error") };
            assert_eq!(answer["error"]["code"], code, "{}", String::from_utf8_lossy(body));
        }
    }
}
