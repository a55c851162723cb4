//! JSON and JSONPath.

use formats::json::{self, Doc, JsonKind};
use formats::jsonpath::{JsonPath, PathValue};
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("json/decode_value", decode_value),
    ("json/open_path", open_path),
    ("jsonpath/parse", parse_path),
    ("jsonpath/query", query),
];

fn decode_value(case: &Case<'_>) -> Answer {
    Answer::Out(match json::decode_scalar(case.text("data")) {
        None => json!({"offset": 0}),
        Some(it) => {
            let (kind, value) = match it.kind {
                JsonKind::String => ("string", json::decode_string(it.raw).into_owned()),
                JsonKind::Number => ("int", it.raw.to_owned()),
                JsonKind::Null => ("null", String::new()),
                _ => (it.raw, it.raw.to_owned()),
            };
            json!({"offset": it.raw.len(), "type": kind, "value": value})
        }
    })
}

fn open_path(case: &Case<'_>) -> Answer {
    let doc = match Doc::parse(case.text("json")) {
        Ok(it) => it,
        Err(error) => return Answer::Out(json!({"ok": false, "result": error.to_string()})),
    };
    let found = JsonPath::parse(case.text("path")).ok().and_then(|it| it.find_one(&doc));
    Answer::Out(match found {
        Some(it) => json!({"ok": true, "value": doc.text(it)}),
        None => json!({"ok": false}),
    })
}

fn parse_path(case: &Case<'_>) -> Answer {
    let wanted = case.out();
    let path = JsonPath::parse(case.text("path"));
    if wanted["ok"] == false || path.is_err() {
        return Answer::Checked(if wanted["ok"] == path.is_ok() {
            Ok(())
        } else {
            Err(format!("{:?}", path.map(|_| "parsed")))
        });
    }
    // A path with `~` is always listed as indefinite; the test counts definite ones.
    let definite = i64::from(path.unwrap().is_definite());
    Answer::Checked(if wanted["definite"] == definite {
        Ok(())
    } else {
        Err(format!("definite: {definite}"))
    })
}

/// Equal as JSON where both are objects or arrays, else as text.
fn same(wanted: &Value, found: &str) -> bool {
    let text = wanted.as_str().unwrap();
    match (serde_json::from_str::<Value>(text), serde_json::from_str::<Value>(found)) {
        (Ok(a), Ok(b)) if a.is_object() || a.is_array() => a == b,
        _ => text == found,
    }
}

fn query(case: &Case<'_>) -> Answer {
    let wanted = case.out();
    let result = JsonPath::parse(case.text("path")).and_then(|path| {
        let doc = Doc::parse(case.text("data"))?;
        path.query(&doc)
    });
    let result = match result {
        Ok(it) => it,
        Err(error) => {
            return Answer::Checked(if wanted["ok"] == false {
                Ok(())
            } else {
                Err(error.to_string())
            });
        }
    };
    let expected = [&wanted["value"], &wanted["values"]].into_iter().find(|it| it.is_string());
    let fits = match (&result, expected) {
        (PathValue::Nothing, None) => wanted["ok"] == true,
        (PathValue::Null, Some(expected)) => *expected == "null",
        (PathValue::Value(it) | PathValue::Values(it), Some(expected)) => same(expected, it),
        _ => false,
    };
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{result:?}, expected {wanted}")) })
}
