//! How active agents that register themselves may connect.

use std::sync::Arc;

use model::content::{RoleType, UiElement};
use model::describe::{
    Depends, Field, FieldType, Nouns, Object, Params, RoleRule, Rule, RulesSee, Unknown, When,
    Writes,
};
use model::document::Body;
use model::encryption::{Encryption, PSK, UNENCRYPTED};
use model::field_path::FieldPath;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::{Edited, StoragePlace, Stored};
use crate::configuration::encryption::{changed, other_key};
use crate::error::ConfigError;

/// Where a pre-shared key is accepted.
const WITH_KEY: &[When] = &[When::of("tls_accept", &["2", "3"])];
const OF_KEY: &Depends = &Depends::filled(WITH_KEY, WITH_KEY);

const OBJECT: Object = Object {
    name: "autoregistration",
    type_name: "Autoregistration",
    nouns: Nouns { one: "the autoregistration settings", several: "the autoregistration settings" },
    resource: Some(38),
    role: RoleRule::one_of(&[UiElement::General]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "",
    ids: "",
    fields: &[
        Field::new(
            "tls_accept",
            FieldType::Int { min: 1, max: 3 },
            Rule::Default("1"),
            "Sum of what is accepted: 1 unencrypted, 2 pre-shared key",
        ),
        Field::new(
            "tls_psk_identity",
            FieldType::Text { max: 128 },
            Rule::WriteOnly,
            "Identity of the pre-shared key; needed if it is accepted",
        )
        .depends(OF_KEY)
        .secret(),
        Field::new(
            "tls_psk",
            FieldType::Text { max: 512 },
            Rule::WriteOnly,
            "The key: at least 32 hexadecimal digits",
        )
        .depends(OF_KEY)
        .secret(),
    ],
    selects: &[],
    params: Params::of(&[]).strict(),
    sort: &[],
    doc: "How active agents that register themselves may connect. There is one, of which get answers the \
          fields themselves, without the key and its identity",
};

pub static AUTOREGISTRATION: Stored = Stored {
    place: StoragePlace::Single,
    read: RoleType::SuperAdmin,
    check,
    project,
    ..Stored::new(OBJECT, Edited::Plainly, &[], "", r#"{"tls_accept": "1"}"#)
};

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    let made = of(body);
    if !made.uses_psk() {
        body.remove("tls_psk_identity");
        body.remove("tls_psk");
        return Ok(());
    }
    for (name, text) in [("tls_psk_identity", &made.psk_identity), ("tls_psk", &made.psk)] {
        if text.is_empty() {
            return Err(ConfigError::invalid(FieldPath::root().member(name), "cannot be empty"));
        }
    }
    let made = changed(&Encryption::default(), body, &FieldPath::root())?;
    let shared = snapshot.shared_keys.get(made.psk_identity.as_str());
    if shared.is_some_and(|it| it.key() != Some(&made.psk)) {
        return Err(other_key(&FieldPath::root()));
    }
    body.insert("tls_psk".to_owned(), Json::from(made.psk));
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "as others of its kind")]
fn project(snapshot: &mut Snapshot, _: u64, body: Option<&Body>) -> Result<(), serde_json::Error> {
    let made = body.map_or_else(Encryption::default, of);
    let globals = Arc::make_mut(&mut snapshot.globals);
    Arc::make_mut(&mut globals.settings).autoregistration = Arc::new(made);
    Ok(())
}

fn of(body: &Body) -> Encryption {
    let text = |name: &str| body.get(name).and_then(Json::as_str).unwrap_or_default();
    let accept = text("tls_accept").parse().unwrap_or(UNENCRYPTED) & (UNENCRYPTED | PSK);
    Encryption {
        accept,
        psk_identity: text("tls_psk_identity").to_owned(),
        psk: text("tls_psk").to_owned(),
        ..Encryption::default()
    }
}
