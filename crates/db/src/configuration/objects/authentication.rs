//! How users prove who they are: by a password, and what one has to be like.

use model::content::UiElement;
use std::sync::Arc;

use model::describe::{
    FLAG, Field, FieldType, Nouns, Object, Params, RoleRule, Rule, RulesSee, Unknown, Writes,
};
use model::document::Body;
use model::field_path::FieldPath;
use model::settings::PasswordRules;
use model::snapshot::Snapshot;
use serde_json::Value as Json;

use super::text_formats;
use super::{Edited, StoragePlace, Stored};
use crate::error::ConfigError;

/// Fields that would enable a login method that does not exist.
const OFF: &[&str] = &[
    "authentication_type",
    "http_auth_enabled",
    "ldap_auth_enabled",
    "ldap_userdirectoryid",
    "ldap_jit_status",
    "saml_auth_enabled",
    "saml_jit_status",
    "disabled_usrgrpid",
    "mfa_status",
    "mfaid",
];

const fn off(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, FLAG, Rule::Default("0"), doc)
}

/// The id of something that there is not.
const fn nothing(name: &'static str, doc: &'static str) -> Field {
    let any = FieldType::Int { min: 0, max: i64::MAX };
    Field::new(name, any, Rule::Default("0"), doc)
}

const OBJECT: Object = Object {
    name: "authentication",
    type_name: "Authentication",
    nouns: Nouns { one: "the authentication settings", several: "the authentication settings" },
    resource: Some(42),
    role: RoleRule::one_of(&[UiElement::Authentication]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "",
    ids: "",
    fields: &[
        off("authentication_type", "0 own passwords; 1 LDAP is not supported yet"),
        off("http_auth_enabled", "Always 0: the web server's login is not supported yet"),
        off("http_login_form", "Kept; there is one form"),
        Field::new(
            "http_strip_domains",
            FieldType::Text { max: 2_048 },
            Rule::Default(""),
            "Kept; for the web server's login",
        ),
        Field::new(
            "http_case_sensitive",
            FLAG,
            Rule::Default("1"),
            "Kept; for the web server's login",
        ),
        off("ldap_auth_enabled", "Always 0: LDAP is not supported yet"),
        Field::new("ldap_case_sensitive", FLAG, Rule::Default("1"), "Kept; for LDAP"),
        nothing("ldap_userdirectoryid", "Always 0: there are no user directories yet"),
        off("ldap_jit_status", "Always 0: LDAP is not supported yet"),
        off("saml_auth_enabled", "Always 0: SAML is not supported yet"),
        Field::new("saml_case_sensitive", FLAG, Rule::Default("1"), "Kept; for SAML"),
        off("saml_jit_status", "Always 0: SAML is not supported yet"),
        Field::new(
            "passwd_min_length",
            FieldType::Int { min: 1, max: 70 },
            Rule::Default("8"),
            "Characters that a new password has at least",
        ),
        Field::new(
            "passwd_check_rules",
            FieldType::Int { min: 0, max: 15 },
            Rule::Default("8"),
            "Sum of what a new password has to be: 1 with letters of both cases, 2 with a digit, 4 with a \
             special character, 8 neither common nor with the user's names in it",
        ),
        Field::new(
            "jit_provision_interval",
            FieldType::Text { max: 32 },
            Rule::Default("1h"),
            "Kept; for LDAP and SAML",
        )
        .shaped(&text_formats::period::<3_600, { 25 * 365 * 86_400 }>())
        .never_empty()
        .or_number(),
        nothing("disabled_usrgrpid", "Always 0: nobody comes from LDAP or SAML yet"),
        off("mfa_status", "Always 0: a second factor is not supported yet"),
        nothing("mfaid", "Always 0: a second factor is not supported yet"),
    ],
    selects: &[],
    params: Params::of(&[]).strict(),
    sort: &[],
    doc: "How users log in. There is one, of which get answers the fields themselves",
};

pub static AUTHENTICATION: Stored = Stored {
    place: StoragePlace::Single,
    check,
    project,
    concerns: super::Concerns::Globals,
    ..Stored::new(OBJECT, Edited::Plainly, &[], "", r#"{"passwd_min_length": "12"}"#)
};

fn check(_: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    for name in OFF {
        if !matches!(body.get(*name).and_then(Json::as_str), None | Some("0" | "")) {
            return Err(ConfigError::invalid(
                FieldPath::root().member(name),
                "value must be 0: only passwords of this server are supported yet",
            ));
        }
    }
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "as others of its kind")]
fn project(snapshot: &mut Snapshot, _: u64, body: Option<&Body>) -> Result<(), serde_json::Error> {
    let made = body.map_or_else(PasswordRules::default, of);
    let globals = Arc::make_mut(&mut snapshot.globals);
    Arc::make_mut(&mut globals.settings).passwords = made;
    Ok(())
}

fn of(body: &Body) -> PasswordRules {
    let default = PasswordRules::default();
    let whole = |name: &str| body.get(name).and_then(Json::as_str)?.parse::<u32>().ok();
    let rules = whole("passwd_check_rules");
    let has = |bit: u32, default: bool| rules.map_or(default, |it| it & bit != 0);
    PasswordRules {
        min_length: whole("passwd_min_length").unwrap_or(default.min_length),
        has_both_cases: has(1, default.has_both_cases),
        has_digit: has(2, default.has_digit),
        has_special: has(4, default.has_special),
        is_hard_to_guess: has(8, default.is_hard_to_guess),
    }
}
