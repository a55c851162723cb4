//! The JSON-RPC 2.0 envelope: one request or a batch in, answers out. Knows no method.

use model::field_path::FieldPath;
use model::version::{General, Version};
use serde_json::{Value, json};

use crate::answer::Text;
use crate::error::{ApiError, ErrorClass, param};

/// Requests that one batch may hold.
pub const BATCH_MAX: usize = 1_000;

/// One call of a request.
#[derive(Clone, PartialEq, Debug)]
pub struct RpcCall {
    pub method: String,
    pub params: Value,
    /// `auth` of the body, as older clients send it.
    pub auth: Option<String>,
    /// `None`: a notification, which gets no answer.
    pub id: Option<Value>,
}

/// The calls of a request's body.
#[derive(Clone, PartialEq, Debug)]
pub enum RpcBody {
    One(Result<RpcCall, Value>),
    /// Answered by an array, in order.
    Batch(Vec<Result<RpcCall, Value>>),
}

/// Parses the body of a request.
#[must_use]
pub fn parse(body: &[u8], version: Version) -> RpcBody {
    calls(serde_json::from_slice(body).ok(), version)
}

/// The calls of a parsed body; `None`: it was no JSON. A call that is none carries its ready answer instead.
#[must_use]
pub fn calls(parsed: Option<Value>, version: Version) -> RpcBody {
    let Some(parsed) = parsed else {
        let data = "Invalid JSON. An error occurred on the server while parsing the JSON text.";
        return RpcBody::One(Err(failed(&Value::Null, &ApiError::new(ErrorClass::Parse, data))));
    };
    match parsed {
        Value::Array(calls) if !calls.is_empty() && calls.len() <= BATCH_MAX => {
            let no_object = "Invalid parameter \"/\": an array is expected.";
            RpcBody::Batch(calls.into_iter().map(|it| call(it, no_object, version)).collect())
        }
        one => {
            let no_call = "The received JSON is not a valid JSON-RPC request.";
            RpcBody::One(call(one, no_call, version))
        }
    }
}

/// The members of a call.
const MEMBERS: &[&str] = &["jsonrpc", "method", "params", "id"];

fn call(value: Value, no_object: &'static str, version: Version) -> Result<RpcCall, Value> {
    let mut call = match value {
        // PHP writes an empty list as it writes an empty object.
        Value::Object(call) if !call.is_empty() => call,
        _ => {
            let error = ApiError::new(ErrorClass::InvalidRequest, no_object);
            return Err(failed(&Value::Null, &error));
        }
    };
    let id = call.remove("id");
    let is_id = id.as_ref().is_none_or(|it| it.is_null() || it.is_string() || it.is_number());
    let shown = id.clone().filter(|_| is_id).unwrap_or(Value::Null);
    let refused =
        |error: ApiError| Err(failed(&shown, &error.of_class(ErrorClass::InvalidRequest)));
    let invalid = |name: &str, what: &str| refused(ApiError::field(param(name), what));
    let missing = |name: &str| refused(ApiError::missing(FieldPath::root(), name));
    let is_known =
        |it: &str| MEMBERS.contains(&it) || it == "auth" && version.does(General::AuthInBody);
    if let Some(name) = call.keys().find(|it| !is_known(it)) {
        return refused(ApiError::unexpected(FieldPath::root(), name));
    }
    for name in ["jsonrpc", "method"] {
        match call.get(name) {
            None => return missing(name),
            Some(Value::String(it)) if name == "jsonrpc" && it != "2.0" => {
                return invalid("jsonrpc", "value must be \"2.0\"");
            }
            Some(Value::String(_)) => {}
            Some(_) => return invalid(name, "a character string is expected"),
        }
    }
    let Some(params) = call.remove("params") else {
        return missing("params");
    };
    if !matches!(params, Value::Array(_) | Value::Object(_)) {
        return invalid("params", "an array or object is expected");
    }
    let auth = match call.remove("auth") {
        None | Some(Value::Null) => None,
        Some(Value::String(it)) if it.is_empty() => return invalid("auth", "cannot be empty"),
        Some(Value::String(it)) => Some(it),
        Some(_) => return invalid("auth", "a character string is expected"),
    };
    if !is_id {
        return invalid("id", "a string, number or null value is expected");
    }
    let method = match call.remove("method") {
        Some(Value::String(it)) => it,
        _ => String::new(),
    };
    Ok(RpcCall { method, params, auth, id })
}

/// The answer to a call that gave a result.
#[must_use]
pub fn succeeded(id: &Value, result: Text) -> Text {
    let mut answer = Text::from(before_result(id));
    answer.append(result);
    answer.push(AFTER_RESULT);
    answer
}

/// The text before a result.
#[must_use]
pub fn before_result(id: &Value) -> Vec<u8> {
    format!(r#"{{"id":{id},"jsonrpc":"2.0","result":"#).into_bytes()
}

/// The text after a result.
pub const AFTER_RESULT: &[u8] = b"}";

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
        let RpcBody::One(Ok(call)) = parse(body, Version::V7_0) else { panic!("one call") };
        assert_eq!((call.method.as_str(), call.auth.as_deref()), ("host.get", Some("abc")));
        let body = br#"[{"jsonrpc":"2.0","method":"a.b","params":{},"id":"x"},5]"#;
        let RpcBody::Batch(calls) = parse(body, Version::V7_0) else { panic!("a batch") };
        assert_eq!(calls[0].as_ref().expect("a call").params, json!({}));
        let error = &calls[1].as_ref().expect_err("no call")["error"];
        assert_eq!(error["data"], "Invalid parameter \"/\": an array is expected.");
    }

    #[test]
    fn auth_in_the_body_is_a_member_of_the_oldest_version_only() {
        let body = br#"{"jsonrpc":"2.0","method":"host.get","params":[],"auth":"abc","id":3}"#;
        for version in [Version::V7_2, Version::V7_4] {
            let RpcBody::One(Err(answer)) = parse(body, version) else { panic!("an error") };
            let expected = "Invalid parameter \"/\": unexpected parameter \"auth\".";
            assert_eq!(answer["error"]["data"], expected);
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32_600), &json!(3)));
        }
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
            let RpcBody::One(Err(answer)) = parse(body, Version::V7_0) else { panic!("an error") };
            assert_eq!(answer["error"]["code"], code, "{}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn wrong_members_are_named_with_the_id_of_the_call() {
        let good = json!({"jsonrpc": "2.0", "method": "a.b", "params": {}, "id": 7});
        for (member, value, expected_start) in [
            ("more", json!(1), "/\": unexpected parameter \"more\""),
            ("jsonrpc", Value::Null, "/jsonrpc\": a character string is expected"),
            ("jsonrpc", json!("1.0"), "/jsonrpc\": value must be \"2.0\""),
            ("method", json!(1), "/method\": a character string is expected"),
            ("params", json!("x"), "/params\": an array or object is expected"),
            ("auth", json!(""), "/auth\": cannot be empty"),
            ("auth", json!(5), "/auth\": a character string is expected"),
            ("id", json!(true), "/id\": a string, number or null value is expected"),
        ] {
            let mut call = good.clone();
            call[member] = value;
            let RpcBody::One(Err(answer)) = parse(call.to_string().as_bytes(), Version::V7_0)
            else {
                panic!("{call}")
            };
            let expected = format!("Invalid parameter \"{expected_start}.");
            assert_eq!(answer["error"]["data"], expected, "{call}");
            assert_eq!(answer["id"], if member == "id" { Value::Null } else { json!(7) });
        }
        for member in ["jsonrpc", "method", "params"] {
            let mut call = good.clone();
            call.as_object_mut().expect("an object").remove(member);
            let RpcBody::One(Err(answer)) = parse(call.to_string().as_bytes(), Version::V7_0)
            else {
                panic!("{call}")
            };
            let expected =
                format!("Invalid parameter \"/\": the parameter \"{member}\" is missing.");
            assert_eq!(answer["error"]["data"], expected);
        }
    }
}
