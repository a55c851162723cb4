//! Rules for single values that several objects have: addresses, names of macros, periods, steps,
//! tags that must differ.

use std::net::IpAddr;

use lang::macros::UserMacro;
use serde_json::Value;

use crate::error::ApiError;
use crate::json::{Fields, list_of, str_of};

/// The longest period that is kept: 25 years.
const PERIOD_MAX_S: u64 = 788_400_000;

/// An address that is empty, one macro, or an IP of version 4 or 6.
pub(crate) fn ip(text: &str) -> Result<(), ApiError> {
    let is_macro = text.starts_with('{') && text.ends_with('}');
    if text.is_empty() || is_macro || text.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    Err(ApiError::params(format!("Invalid IP address \"{text}\".")))
}

/// The name of a user macro, with its context.
pub(crate) fn macro_name(text: &str, path: &str) -> Result<(), ApiError> {
    if UserMacro::parse_definition(text).is_some() {
        return Ok(());
    }
    let is_name = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || "_.".contains(it);
    let rest = match text.strip_prefix("{$") {
        Some(name) => match name.trim_start_matches(is_name) {
            // All of it is there but its end.
            "" => text,
            rest => rest.strip_prefix('}').filter(|it| !it.is_empty()).unwrap_or(rest),
        },
        None => text,
    };
    Err(ApiError::field(path, &format!("incorrect syntax near \"{rest}\"")))
}

/// The macros of a host or template.
pub(crate) fn macros(fields: &Fields, path: &str) -> Result<(), ApiError> {
    for (at, it) in list_of(fields, "macros").enumerate() {
        if let Some(name) = it.get("macro").and_then(Value::as_str) {
            macro_name(name, &format!("{path}/macros/{}/macro", at + 1))?;
        }
    }
    Ok(())
}

/// No tag may stand twice with one value.
pub(crate) fn unique_tags(fields: &Fields, path: &str) -> Result<(), ApiError> {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (at, it) in list_of(fields, "tags").enumerate() {
        let tag = (str_of(it, "tag"), str_of(it, "value"));
        if seen.contains(&tag) {
            let what = format!("value (tag, value)=({}, {}) already exists", tag.0, tag.1);
            return Err(ApiError::field(&format!("{path}/tags/{}", at + 1), &what));
        }
        seen.push(tag);
    }
    Ok(())
}

/// A period that is 0, at least `min_s` seconds, or a macro.
pub(crate) fn period(fields: &Fields, name: &str, min_s: u64, path: &str) -> Result<(), ApiError> {
    let Some(text) = fields.get(name).and_then(Value::as_str) else { return Ok(()) };
    if text.starts_with('{') && text.ends_with('}') {
        return Ok(());
    }
    let wrong = |what: &str| Err(ApiError::field(&format!("{path}/{name}"), what));
    match lang::number::parse_duration_s(text) {
        None => wrong("a time unit is expected"),
        Some(it) if it == 0 || (min_s..=PERIOD_MAX_S).contains(&it) => Ok(()),
        Some(_) => wrong(&format!("value must be one of 0, {min_s}-{PERIOD_MAX_S}")),
    }
}

/// Steps whose parameters are one text that may not be empty.
const ONE: &[&str] = &["1", "2", "3", "4", "11", "12", "14", "15", "16", "17", "20", "21"];
/// Steps with several parameters, one a line, and how many of them may not be empty.
const SEVERAL: &[(&str, usize)] = &[("5", 2), ("18", 2), ("22", 1), ("25", 1), ("28", 1)];

/// What a preprocessing step cannot do without.
pub(crate) fn step(step: &Fields, path: &str) -> Result<(), ApiError> {
    let (kind, params) = (str_of(step, "type"), str_of(step, "params"));
    let empty = |n: usize| Err(ApiError::field(&format!("{path}/params/{n}"), "cannot be empty"));
    if ONE.contains(&kind) && params.is_empty() {
        return empty(1);
    }
    let needed = SEVERAL.iter().find(|(it, _)| *it == kind).map_or(0, |(_, n)| *n);
    let mut lines = params.split('\n');
    for n in 1..=needed {
        if lines.next().unwrap_or_default().is_empty() {
            return empty(n);
        }
    }
    Ok(())
}

/// Characters of a password at least.
const PASSWORD_MIN: usize = 8;

/// A password of a user with these names.
pub(crate) fn password(password: &str, names: &[String], path: &str) -> Result<(), ApiError> {
    let wrong = |what: &str| {
        Err(ApiError::params(format!("Incorrect value for field \"{path}/passwd\": {what}.")))
    };
    if password.chars().count() < PASSWORD_MIN {
        return wrong("must be at least 8 characters long");
    }
    let lower = password.to_lowercase();
    if names.iter().any(|it| !it.is_empty() && lower.contains(&it.to_lowercase())) {
        return wrong("must not contain user's name, surname or username");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_names_are_refused_where_they_go_wrong() {
        for (name, rest) in [
            ("BAD", "BAD"),
            ("{$globalmacro}", "globalmacro}"),
            ("{$MACRo}", "o}"),
            ("{$MACRO} ", " "),
            ("{$MACRO", "{$MACRO"),
            ("{#MACRO}", "{#MACRO}"),
            ("{$}", "}"),
        ] {
            let error = macro_name(name, "/1/macro").expect_err(name);
            let expected =
                format!("Invalid parameter \"/1/macro\": incorrect syntax near \"{rest}\".");
            assert_eq!(error.data, expected, "{name}");
        }
        for name in ["{$A}", "{$A.B_1}", "{$A:context}", "{$A:regex:\"^x\"}"] {
            assert_eq!(macro_name(name, "/"), Ok(()), "{name}");
        }
    }

    #[test]
    fn addresses_are_of_either_version_or_a_macro() {
        for text in ["", "192.0.2.1", "2001:db8::1", "{$IP}", "{HOST.IP}", "{#IP}"] {
            assert_eq!(ip(text), Ok(()), "{text}");
        }
        for text in ["300.1.1.1", "1.2.3", "localhost", "192.0.2.1/24", "192.0.2.1 "] {
            let expected = format!("Invalid IP address \"{text}\".");
            assert_eq!(ip(text).expect_err(text).data, expected);
        }
    }
}
