//! Connectors: where values or events are sent as they happen.

use std::collections::BTreeSet;

use formats::number::parse_duration_s;
use model::content::{RoleType, UiElement};
use model::describe::{
    FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select,
    Unknown, Writes,
};
use model::document::Body;
use model::limits;
use serde_json::Value as Json;

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

/// Codes of `operator` that compare with a value, and those that do not.
const WITH_VALUE: [&str; 4] = ["0", "1", "2", "3"];
const BEARER: &str = "5";
const TEXT: FieldType = FieldType::Text { max: 255 };

const TAG: &[Field] = &[
    Field::new("tag", TEXT, Rule::Required, "Name of the tag"),
    Field::new(
        "operator",
        FieldType::Code(&[0, 1, 2, 3, 12, 13]),
        Rule::Default("0"),
        "0 equals, 1 does not equal, 2 contains, 3 does not contain, 12 exists, 13 does not exist",
    ),
    Field::new("value", TEXT, Rule::Default(""), "Value of the tag, or a part of it"),
];

const OBJECT: Object = Object {
    name: "connector",
    type_name: "Connector",
    nouns: Nouns { one: "a connector", several: "connectors" },
    resource: Some(51),
    role: RoleRule::one_of(&[UiElement::General]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "connectorid",
    ids: "connectorids",
    fields: &[
        Field::new("connectorid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", TEXT, Rule::Required, "Name"),
        Field::new(
            "protocol",
            FieldType::Code(&[0]),
            Rule::Default("0"),
            "0 Zabbix streaming protocol v1.0: lines of JSON",
        ),
        Field::new(
            "data_type",
            FieldType::Code(&[0, 1]),
            Rule::Default("0"),
            "0 values of items, 1 events",
        ),
        Field::new(
            "url",
            FieldType::Text { max: 2_048 },
            Rule::Required,
            "Where they are sent by POST; may hold global macros",
        ),
        Field::new(
            "item_value_type",
            FieldType::Int { min: 1, max: 63 },
            Rule::Default("31"),
            "Types of values, added up: 1 float, 2 character, 4 log, 8 unsigned, 16 text, 32 binary",
        ),
        Field::new(
            "authtype",
            FieldType::Code(&[0, 1, 2, 3, 4, 5]),
            Rule::Default("0"),
            "0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest, 5 bearer token",
        ),
        Field::new(
            "username",
            TEXT,
            Rule::Default(""),
            "User name for basic, digest and NTLM authentication",
        ),
        Field::new(
            "password",
            TEXT,
            Rule::Default(""),
            "Password for basic, digest and NTLM authentication",
        )
        .secret(),
        Field::new("token", FieldType::Text { max: 128 }, Rule::Default(""), "Bearer token")
            .secret(),
        Field::new(
            "max_records",
            FieldType::Int { min: 0, max: 2_147_483_647 },
            Rule::Default("0"),
            "Most values or events of one request; 0 as many as there are",
        ),
        Field::new(
            "max_senders",
            FieldType::Int { min: 1, max: 100 },
            Rule::Default("1"),
            "Requests at once; those of one item follow one another",
        ),
        Field::new(
            "max_attempts",
            FieldType::Int { min: 1, max: 5 },
            Rule::Default("1"),
            "Attempts, one soon after the other; later ones come at growing intervals",
        ),
        Field::new(
            "attempt_interval",
            FieldType::Text { max: 32 },
            Rule::Default("5s"),
            "Between attempts, up to 10 s",
        )
        .or_number(),
        Field::new(
            "timeout",
            TEXT,
            Rule::Default("5s"),
            "For one request, 1 s to 60 s, or a global macro",
        )
        .or_number(),
        Field::new(
            "http_proxy",
            TEXT,
            Rule::Default(""),
            "Proxy as [protocol://][user[:password]@]host[:port]; may hold global macros",
        ),
        Field::new("verify_peer", FLAG, Rule::Default("1"), "1: the certificate is checked"),
        Field::new(
            "verify_host",
            FLAG,
            Rule::Default("1"),
            "1: its name has to be the one in the URL",
        ),
        Field::new(
            "ssl_cert_file",
            TEXT,
            Rule::Default(""),
            "File of our certificate, for receivers that ask for one; may hold global macros",
        ),
        Field::new(
            "ssl_key_file",
            TEXT,
            Rule::Default(""),
            "File of its key; empty: it is in that of the certificate",
        ),
        Field::new(
            "ssl_key_password",
            FieldType::Text { max: 64 },
            Rule::Default(""),
            "Password of the key",
        )
        .secret(),
        Field::new(
            "description",
            FieldType::Text { max: limits::TEXT_FIELD_MAX },
            Rule::Default(""),
            "Description",
        ),
        Field::new("status", FLAG, Rule::Default("1"), "0 disabled, 1 enabled"),
        Field::new(
            "tags_evaltype",
            FieldType::Code(&[0, 2]),
            Rule::Default("0"),
            "0 And/Or: conditions on one tag are alternatives; 2 Or: one condition is enough",
        ),
        Field::new(
            "tags",
            FieldType::List(TAG),
            Rule::Optional,
            "Conditions on the tags of the item or event; without any all is sent",
        ),
    ],
    selects: &[Select::new("selectTags", "tags", Gives::Parts(TAG)).countable()],
    params: Params::of(&["connectorids"]).strict(),
    sort: &["connectorid", "name", "data_type", "status"],
    doc: "Where values or events are sent as they happen",
};

const SAMPLE: &str = r#"{"name": "Lake", "url": "https://lake.example.com/values", "max_attempts": "3",
    "attempt_interval": "2s", "authtype": "5", "token": "{$LAKE.TOKEN}",
    "tags": [{"tag": "component", "operator": "0", "value": "cpu"}]}"#;

pub static CONNECTOR: Stored = Stored {
    read: RoleType::SuperAdmin,
    check: |_, body| check(body),
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "Connector \"{}\" already exists.", SAMPLE)
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn check(body: &mut Body) -> Result<(), ConfigError> {
    empty_what_has_no_use(body);
    check_url(text_of(body, "url"))?;
    check_auth(body)?;
    check_seconds(body, "attempt_interval", 0..=10)?;
    if !text_of(body, "timeout").starts_with("{$") {
        check_seconds(body, "timeout", 1..=60)?;
    }
    check_tags(body)
}

/// As Zabbix does when a type changes: fields that go with another one have what they are made with.
fn empty_what_has_no_use(body: &mut Body) {
    let auth = text_of(body, "authtype").to_owned();
    let mut reset = Vec::new();
    if matches!(&*auth, "0" | BEARER) {
        reset.extend([("username", ""), ("password", "")]);
    }
    if auth != BEARER {
        reset.push(("token", ""));
    }
    if text_of(body, "data_type") != "0" {
        reset.push(("item_value_type", "31"));
    }
    if text_of(body, "max_attempts") == "1" {
        reset.push(("attempt_interval", "5s"));
    }
    for (name, value) in reset {
        body.insert(name.to_owned(), Json::from(value));
    }
}

fn check_url(url: &str) -> Result<(), ConfigError> {
    // What begins with a macro is known when it is sent.
    let is_http = ["http://", "https://"].iter().any(|it| {
        url.get(..it.len()).is_some_and(|start| start.eq_ignore_ascii_case(it))
            && it.len() < url.len()
    });
    if is_http || url.starts_with("{$") {
        return Ok(());
    }
    Err(ConfigError::invalid(edited("url"), "unacceptable URL"))
}

fn check_auth(body: &Body) -> Result<(), ConfigError> {
    if text_of(body, "authtype") == BEARER && text_of(body, "token").is_empty() {
        return Err(ConfigError::invalid(edited("token"), "cannot be empty"));
    }
    Ok(())
}

fn check_seconds(
    body: &Body,
    name: &str,
    range: std::ops::RangeInclusive<u64>,
) -> Result<(), ConfigError> {
    let path = edited(name);
    let text = text_of(body, name);
    let Some(seconds) = parse_duration_s(text) else {
        return Err(ConfigError::invalid(path, "a time unit is expected"));
    };
    if range.contains(&seconds) {
        return Ok(());
    }
    let what = format!("value must be one of {}-{}", range.start(), range.end());
    Err(ConfigError::invalid(path, what))
}

fn check_tags(body: &Body) -> Result<(), ConfigError> {
    let Some(Json::Array(list)) = body.get("tags") else { return Ok(()) };
    let mut seen = BTreeSet::new();
    for (at, it) in list.iter().enumerate() {
        let Json::Object(it) = it else { continue };
        let path = edited("tags").element(at);
        let (tag, operator, value) =
            (text_of(it, "tag"), text_of(it, "operator"), text_of(it, "value"));
        if !WITH_VALUE.contains(&operator) && !value.is_empty() {
            let path = path.member("value");
            return Err(ConfigError::invalid(path, "value must be empty"));
        }
        if !seen.insert((tag, operator, value)) {
            let what =
                format!("value (tag, operator, value)=({tag}, {operator}, {value}) already exists");
            return Err(ConfigError::invalid(path, what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(change: &Json) -> Result<Body, String> {
        let mut given = json!({"name": "a", "url": "http://192.0.2.1/"});
        for (name, value) in change.as_object().expect("fields") {
            given[name] = value.clone();
        }
        let given = given.as_object().expect("an object");
        let mut body = CONNECTOR.made_of(given).map_err(|it| it.to_string())?;
        check(&mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    #[test]
    fn what_is_wrong_is_refused_by_its_name() {
        let cases = [
            (json!({"url": "ftp://x"}), "\"/1/url\": unacceptable URL"),
            (json!({"url": "http://"}), "\"/1/url\": unacceptable URL"),
            (json!({"authtype": "5"}), "\"/1/token\": cannot be empty"),
            (json!({"timeout": "61"}), "\"/1/timeout\": value must be one of 1-60"),
            (json!({"timeout": "x"}), "\"/1/timeout\": a time unit is expected"),
            (json!({"timeout": "1h"}), "\"/1/timeout\": value must be one of 1-60"),
            (json!({"max_attempts": "2", "attempt_interval": "11s"}), "value must be one of 0-10"),
            (
                json!({"tags": [{"tag": "a", "operator": "12", "value": "b"}]}),
                "\"/1/tags/1/value\": value must be empty",
            ),
            (
                json!({"tags": [{"tag": "a"}, {"tag": "a"}]}),
                "\"/1/tags/2\": value (tag, operator, value)=(a, 0, ) already exists",
            ),
        ];
        for (change, expected) in cases {
            let error = checked(&change).expect_err("refused");
            assert!(error.contains(expected), "{change}: {error}");
        }
    }

    #[test]
    fn fields_that_have_no_use_are_as_they_were_made() {
        let body = checked(&json!({
            "authtype": "0", "username": "u", "password": "p", "token": "t", "data_type": "1",
            "item_value_type": "1", "attempt_interval": "99s", "url": "{$URL}", "timeout": "{$T}",
        }));
        let body = body.expect("good");
        let texts = ["username", "password", "token", "item_value_type", "attempt_interval"];
        assert_eq!(texts.map(|it| text_of(&body, it)), ["", "", "", "31", "5s"]);
    }
}
