//! Texts and their encodings.

use std::cmp::Ordering;

use lang::{macros, text};
use serde_json::{Value, json};
use wire::charset;

use crate::case::{Answer, Case, Topics, from_hex, to_hex};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("strings/http_charset", http_charset),
    ("strings/in_list", in_list),
    ("strings/invalid_utf8", invalid_utf8),
    ("strings/natural_order", natural_order),
    ("strings/odbc_password", odbc_password),
    ("strings/to_utf8", to_utf8),
    ("strings/truncate_value", truncate_value),
    ("strings/url_codec", url_codec),
];

/// Some cases also give the size of a buffer of bytes, closing NUL included: where it is too small,
/// nothing is cut.
pub(crate) fn within_buffer<'a>(case: &Case<'a>, short: &'a str) -> &'a str {
    let key = case.text("key");
    let buffer_len = usize::try_from(case.int("buf_len")).unwrap();
    if short.len() < buffer_len { short } else { key }
}

fn truncate_value(case: &Case<'_>) -> Answer {
    let chars_max = usize::try_from(case.int("key_len")).unwrap();
    let short = text::truncate_value(case.text("key"), chars_max);
    Answer::Out(json!({"key": within_buffer(case, &short)}))
}

fn natural_order(case: &Case<'_>) -> Answer {
    let word = match text::natural_order(case.text("string1"), case.text("string2")) {
        Ordering::Less => "less",
        Ordering::Equal => "equal",
        Ordering::Greater => "greater",
    };
    Answer::Out(json!({"val": word}))
}

fn in_list(case: &Case<'_>) -> Answer {
    let found = text::is_in_list(case.text("list"), case.text("value"), case.text("delimiter"));
    Answer::Out(json!({"ok": found}))
}

/// Bytes without the NUL at the end that the cases give texts.
fn without_nul(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes
}

fn invalid_utf8(case: &Case<'_>) -> Answer {
    let bytes = without_nul(case.bytes("buffer_hex"));
    let mut repaired = text::repair_utf8(&bytes).into_owned().into_bytes();
    repaired.push(0);
    Answer::Out(json!({"buffer_hex": to_hex(&repaired), "buffer_length": repaired.len()}))
}

fn to_utf8(case: &Case<'_>) -> Answer {
    let out = case.out();
    let bytes = case.bytes("buffer_hex");
    let wanted = from_hex(out["expected_result_buffer_hex"].as_str().unwrap_or(""));
    let found = charset::to_utf8(case.text("encoding"), &bytes);
    let is_good = match &found {
        Ok(text) => text.as_bytes() == wanted,
        Err(error) => out["error"] == error.as_str(),
    };
    // Where the cases have no error text, "not ok" is that the result is another one.
    let has_error = out["error"].as_str().is_some_and(|it| !it.is_empty());
    let expected = out["ok"] == true || has_error;
    Answer::Checked(if is_good == expected && found.is_err() == has_error {
        Ok(())
    } else {
        Err(format!("{found:?}, expected {out}"))
    })
}

fn http_charset(case: &Case<'_>) -> Answer {
    let body = without_nul(case.bytes("buffer_hex"));
    let name = charset::http_charset(case.text("encoding"), &body);
    let text = charset::to_utf8(&name, &body).unwrap_or_default();
    let wanted = case.out()["expected_result_buffer_hex"].as_str().unwrap_or("");
    let wanted = without_nul(from_hex(wanted));
    if text.as_bytes() != wanted {
        let wanted = String::from_utf8_lossy(&wanted);
        return Answer::Checked(Err(format!("{name}: {text:?}, expected {wanted:?}")));
    }
    let mut out = case.out().clone();
    out["encoding"] = json!(name);
    Answer::Out(out)
}

fn odbc_password(case: &Case<'_>) -> Answer {
    let whole = text::with_odbc_password(case.text("connection"), case.text("pwd"));
    Answer::Out(json!({"value": whole}))
}

fn url_codec(case: &Case<'_>) -> Answer {
    let source = case.text("source");
    let function = |name, value| macros::apply(name, "", value, &macros::FuncEnv::utc());
    let mut out = json!({});
    let encoded = function("urlencode", source).unwrap();
    match case.text("func_type") {
        "encode" => out["result"] = Value::String(encoded),
        "decode" => {
            let decoded = function("urldecode", source).ok();
            out = json!({"ok": decoded.is_some(), "result": decoded});
        }
        _ => out = json!({"result": encoded, "final_result": function("urldecode", &encoded).ok()}),
    }
    Answer::Out(out)
}
