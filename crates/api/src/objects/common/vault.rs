//! The value of a macro of type *Vault secret*: a path and a key, by the rules of `vault_provider`.

use model::content::{HostMacro, MacroType};
use model::field_path::FieldPath;
use serde_json::Value;

use crate::error::ApiError;
use crate::json::{Fields, id_of, str_of};
use crate::shared::Ctx;

/// Codes of `vault_provider`.
const CYBERARK: &str = "1";

/// Checks the value of one macro; `old` is its previous value, if it is known.
pub(crate) fn check(
    ctx: &Ctx,
    given: &Fields,
    old: Option<&HostMacro>,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let is_given = |name: &str| given.contains_key(name);
    if !is_given("type") && !is_given("value") {
        return Ok(());
    }
    let found = match old {
        None if !is_given("type") || !is_given("value") => of_id(ctx, given),
        known => known,
    };
    let vault = i64::from(MacroType::Vault.code());
    let is_vault = match given.get("type") {
        Some(Value::String(it)) => it.parse::<i64>() == Ok(vault),
        Some(it) => it.as_i64() == Some(vault),
        None => found.is_some_and(|it| it.kind == MacroType::Vault),
    };
    if !is_vault {
        return Ok(());
    }
    let value = match found {
        Some(it) if !is_given("value") => it.value.as_str(),
        _ => str_of(given, "value"),
    };
    let settings = ctx.snapshot.documents.of("settings").next();
    let checked = match settings.map(|it| it.text("vault_provider")) {
        Some(CYBERARK) => cyberark(value),
        _ => hashicorp(value),
    };
    checked.map_err(|what| ApiError::field(path.member("value"), &what))
}

/// The macro of a host or template that is changed.
fn of_id<'a>(ctx: &'a Ctx, given: &Fields) -> Option<&'a HostMacro> {
    let id = id_of(given, "hostmacroid")?;
    let holders = ctx.snapshot.hosts.values().chain(ctx.snapshot.templates.values());
    holders.flat_map(|it| &it.macros).find(|it| it.hostmacroid.0 == id)
}

fn near(rest: &str) -> String {
    if rest.is_empty() {
        return "unexpected end of string".to_owned();
    }
    format!("incorrect syntax near \"{rest}\"")
}

/// `path/to/secret:key`: the key is after the first colon, and no segment of the path is empty.
fn hashicorp(value: &str) -> Result<(), String> {
    if value.is_empty() {
        return Err("string is empty".to_owned());
    }
    let Some((path, key)) = value.split_once(':') else { return Err(near(value)) };
    if key.is_empty() {
        return Err(near(":"));
    }
    let is_path = !path.is_empty() && path.split('/').all(|it| !it.is_empty());
    if is_path { Ok(()) } else { Err(near(value)) }
}

/// `AppID=…&Query=…:key`: parameters of letters, one of them `AppID`, and a key.
fn cyberark(value: &str) -> Result<(), String> {
    if value.is_empty() {
        return Err("string is empty".to_owned());
    }
    let (mut rest, mut has_app) = (value, false);
    while let Some((name, behind)) = parameter(rest) {
        has_app |= name == "AppID";
        rest = behind;
        match rest.strip_prefix('&') {
            Some(next) => rest = next,
            None => break,
        }
    }
    if rest.len() == value.len() {
        return Err(near(value));
    }
    match rest.strip_prefix(':') {
        Some(key) if !key.is_empty() => {}
        _ => return Err("mandatory key is missing".to_owned()),
    }
    if has_app { Ok(()) } else { Err("mandatory parameter \"AppID\" is missing".to_owned()) }
}

/// The first parameter: its name, and the text after it.
fn parameter(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    if name.is_empty() || !name.bytes().all(|it| it.is_ascii_alphabetic()) {
        return None;
    }
    let end = value.find(['+', '&', '%', ':']).unwrap_or(value.len());
    Some((name, value.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_hashicorp_have_a_key_and_no_empty_segment() {
        for value in [
            "path/to/secret:key",
            "mount%2Fpoint/secret:key",
            "b\u{101}/\u{101}b:\u{101}",
            "secret:key",
            "secret:key/:/key",
            "a/b:/key/",
        ] {
            assert_eq!(hashicorp(value), Ok(()), "{value}");
        }
        for (value, error) in [
            ("", "string is empty"),
            ("path/to/secret", "incorrect syntax near \"path/to/secret\""),
            ("path/to/secret:", "incorrect syntax near \":\""),
            (":key", "incorrect syntax near \":key\""),
            ("/path:key", "incorrect syntax near \"/path:key\""),
            ("path/:key", "incorrect syntax near \"path/:key\""),
            ("path//to:key", "incorrect syntax near \"path//to:key\""),
        ] {
            assert_eq!(hashicorp(value), Err(error.to_owned()), "{value}");
        }
    }

    #[test]
    fn queries_of_cyberark_have_an_application_and_a_key() {
        assert_eq!(cyberark("AppID=zabbix&Query=Safe=passwords;Object=web:Content"), Ok(()));
        assert_eq!(cyberark("AppID=&Query=Safe=Object=buzz:key"), Ok(()));
        for (value, error) in [
            ("", "string is empty"),
            ("@AppID=&Query=a:key", "incorrect syntax near \"@AppID=&Query=a:key\""),
            ("AppID=&Query=a", "mandatory key is missing"),
            ("AppID=&Query=a:", "mandatory key is missing"),
            ("AppId=&Query=a:key", "mandatory parameter \"AppID\" is missing"),
        ] {
            assert_eq!(cyberark(value), Err(error.to_owned()), "{value}");
        }
    }
}
