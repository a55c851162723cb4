//! How users prove who they are: by a password, and what one has to be like.

use model::UserGroupId;
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
const OFF: &[&str] = &["saml_auth_enabled", "http_auth_enabled"];

const fn off(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, FLAG, Rule::Default("0"), doc)
}

/// An id; 0: none.
const fn id(name: &'static str, doc: &'static str) -> Field {
    Field::new(name, FieldType::Id, Rule::Default("0"), doc)
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
        off("authentication_type", "0 own passwords; 1 LDAP, which needs a user directory"),
        off("ldap_auth_enabled", "Always 0: LDAP is not supported yet"),
        Field::new("ldap_case_sensitive", FLAG, Rule::Default("1"), "Kept; for LDAP"),
        id("ldap_userdirectoryid", "Always 0: there are no user directories yet"),
        off("saml_auth_enabled", "Always 0: SAML is not supported yet"),
        Field::new("saml_case_sensitive", FLAG, Rule::Default("1"), "Kept; for SAML"),
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
        id(
            "disabled_usrgrpid",
            "Kept; a disabled group for users that LDAP and SAML no longer have",
        ),
        Field::new(
            "jit_provision_interval",
            FieldType::Text { max: 32 },
            Rule::Default("1h"),
            "Kept; for LDAP and SAML",
        )
        .shaped(&text_formats::long_period::<3_600, { 25 * 365 * 86_400 }>())
        .never_empty()
        .or_number(),
        off("saml_jit_status", "Kept; for SAML"),
        off("ldap_jit_status", "Kept; for LDAP"),
        off("mfa_status", "Always 0: a second factor is not supported yet"),
        id("mfaid", "Always 0: a second factor is not supported yet"),
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

fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    let text = |name: &str| body.get(name).and_then(Json::as_str).unwrap_or_default();
    let id = |name: &str| text(name).parse::<u64>().unwrap_or_default();
    let invalid =
        |name: &str, what: &str| Err(ConfigError::invalid(FieldPath::root().member(name), what));
    let (uses_ldap, is_ldap_enabled) =
        (text("authentication_type") == "1", text("ldap_auth_enabled") == "1");
    if uses_ldap && !is_ldap_enabled {
        return invalid("ldap_auth_enabled", "value must be 1");
    }
    if let Some(name) = OFF.iter().find(|it| text(it) == "1") {
        return invalid(name, "value must be 0: this login is not supported yet");
    }
    if id("ldap_userdirectoryid") != 0 {
        return invalid("ldap_userdirectoryid", "object does not exist");
    }
    if is_ldap_enabled {
        return Err(ConfigError::parameters("Default LDAP server must be specified."));
    }
    let group = id("disabled_usrgrpid");
    let known = snapshot.documents.get(OBJECT.name, super::SINGLE);
    // An unchanged value is not checked again: its group may be gone.
    if group != 0 && known.is_none_or(|it| it.text("disabled_usrgrpid") != group.to_string()) {
        let group = snapshot.access.groups.get(&UserGroupId(group));
        if group.ok_or_else(ConfigError::no_permissions)?.users_status == 0 {
            let what = "Deprovisioned users group cannot be enabled.";
            return Err(ConfigError::parameters(what));
        }
    }
    if text("mfa_status") == "1" {
        return Err(ConfigError::parameters("At least one MFA method must exist."));
    }
    if id("mfaid") != 0 {
        return invalid("mfaid", "object does not exist");
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
