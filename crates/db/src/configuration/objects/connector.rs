//! Connectors: where values or events are sent as they happen.

use model::content::{RoleType, UiElement};
use model::describe::{
    Depends, FLAG, Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee,
    Select, Unknown, When, Writes,
};
use model::document::Body;
use model::limits;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::{Edited, Stored, link, text_formats};
use crate::error::ConfigError;

const BEARER: &str = "5";
/// Operators that compare with a value.
const WITH_VALUE: &[When] = &[When::of("operator", &["0", "1", "2", "3"])];
const OF_VALUES: &[When] = &[When::of("data_type", &["0"])];
const WITH_LOGIN: &[When] = &[When::of("authtype", &["1", "2", "3", "4"])];
const WITH_TOKEN: &[When] = &[When::of("authtype", &[BEARER])];
const TRIED_AGAIN: &[When] = &[When::of("max_attempts", &["2", "3", "4", "5"])];
const TEXT: FieldType = FieldType::Text { max: 255 };

const TAG: &[Field] = &[
    Field::new("tag", TEXT, Rule::Required, "Name of the tag"),
    Field::new(
        "operator",
        FieldType::Code(&[0, 1, 2, 3, 12, 13]),
        Rule::Default("0"),
        "0 equals, 1 does not equal, 2 contains, 3 does not contain, 12 exists, 13 does not exist",
    ),
    Field::new("value", TEXT, Rule::Default(""), "Value of the tag, or a part of it")
        .depends(&Depends::only(WITH_VALUE)),
];

const FILTERS: &[&str] = &[
    "connectorid",
    "name",
    "protocol",
    "data_type",
    "url",
    "item_value_type",
    "authtype",
    "username",
    "token",
    "max_records",
    "max_senders",
    "max_attempts",
    "attempt_interval",
    "timeout",
    "http_proxy",
    "verify_peer",
    "verify_host",
    "ssl_cert_file",
    "ssl_key_file",
    "status",
    "tags_evaltype",
];
const SEARCHES: &[&str] = &[
    "name",
    "url",
    "username",
    "token",
    "attempt_interval",
    "timeout",
    "http_proxy",
    "ssl_cert_file",
    "ssl_key_file",
    "description",
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
        )
        .depends(&Depends::only(OF_VALUES)),
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
            "User name for basic, NTLM, Kerberos and digest authentication",
        )
        .depends(&Depends::only(WITH_LOGIN)),
        Field::new(
            "password",
            TEXT,
            Rule::Default(""),
            "Password for basic, NTLM, Kerberos and digest authentication",
        )
        .depends(&Depends::only(WITH_LOGIN))
        .secret(),
        Field::new("token", FieldType::Text { max: 128 }, Rule::Default(""), "Bearer token")
            .depends(&Depends::needed(WITH_TOKEN))
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
            "Between attempts",
        )
        .depends(&Depends::only(TRIED_AGAIN))
        .never_empty()
        .or_number()
        .shaped(&text_formats::period::<0, 10>()),
        Field::new(
            "timeout",
            TEXT,
            Rule::Default("5s"),
            "For one request, or a global macro",
        )
        .never_empty()
        .or_number()
        .shaped(&text_formats::period_or_macro::<1, 60>()),
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
        )
        .unique(&[&["tag", "operator", "value"]]),
    ],
    selects: &[Select::new("selectTags", "tags", Gives::Parts(TAG)).countable()],
    params: Params::of(&["connectorids"])
        .strict()
        .without(&["editable"])
        .found_by(FILTERS, SEARCHES),
    sort: &["connectorid", "name", "data_type", "status"],
    doc: "Where values or events are sent as they happen",
};

const SAMPLE: &str = r#"{"name": "Lake", "url": "https://lake.example.com/values", "max_attempts": "3",
    "attempt_interval": "2s", "authtype": "5", "token": "{$LAKE.TOKEN}",
    "tags": [{"tag": "component", "operator": "0", "value": "cpu"}]}"#;

pub static CONNECTOR: Stored = Stored {
    read: RoleType::SuperAdmin,
    check,
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "Connector \"{}\" already exists.", SAMPLE)
};

fn text_of<'a>(body: &'a Body, name: &str) -> &'a str {
    body.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    empty_what_has_no_use(body);
    link::check(snapshot, body, "url")
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
        check(&Snapshot::default(), &mut body).map_err(|it| it.to_string())?;
        Ok(body)
    }

    #[test]
    fn links_of_other_schemes_are_refused() {
        let error = checked(&json!({"url": "javascript:x"})).expect_err("refused");
        assert!(error.contains("\"/1/url\": unacceptable URL"), "{error}");
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
