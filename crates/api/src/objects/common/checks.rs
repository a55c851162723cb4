//! Rules for single values that several objects have: addresses, names of macros, links, tags that
//! must differ.

use std::borrow::Cow;

use std::net::IpAddr;

use lang::macros::UserMacro;
use model::field_path::FieldPath;
use model::settings::PasswordRules;
use serde_json::Value;

use crate::describe::Form;
use crate::error::ApiError;
use crate::json::{Fields, list_of, str_of};
use crate::objects::common::vault;
use crate::shared::Ctx;

/// An address that is empty, one macro, or an IP of version 4 or 6.
pub(crate) fn ip(text: &str) -> Result<(), ApiError> {
    let is_macro = text.starts_with('{') && text.ends_with('}');
    if text.is_empty() || is_macro || text.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    Err(ApiError::params(format!("Invalid IP address \"{text}\".")))
}

/// A DNS name that is empty, or has the characters of such names; it may contain macros.
pub(crate) fn dns(text: &str) -> Result<(), ApiError> {
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let len = match first {
            b'{' => rest.find('}').map(|it| it + 1),
            it if it.is_ascii_alphanumeric() || b"_.-$".contains(&it) => Some(1),
            _ => None,
        };
        let Some(next) = len.and_then(|it| rest.get(it..)) else {
            let what = format!("Incorrect interface DNS parameter \"{text}\" provided.");
            return Err(ApiError::params(what));
        };
        rest = next;
    }
    Ok(())
}

/// Whether a port is a number or one macro.
pub(crate) fn is_port(text: &str) -> bool {
    let is_macro = (text.starts_with("{$") || text.starts_with("{#")) && text.ends_with('}');
    is_macro || text.bytes().all(|it| it.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

/// Objects of templates have an identity, those of hosts have none.
pub(crate) fn uuid(fields: &Fields, is_template: bool, path: &FieldPath) -> Result<(), ApiError> {
    let Some(uuid) = fields.get("uuid").and_then(Value::as_str) else { return Ok(()) };
    if is_template || uuid.is_empty() {
        return Ok(());
    }
    Err(ApiError::field(path.member("uuid"), "value must be empty"))
}

/// An identity that is given is no other object's.
pub(crate) fn free_uuid(
    fields: &Fields,
    (path, noun): (&FieldPath, &str),
    is_taken: impl FnOnce(&str) -> bool,
) -> Result<(), ApiError> {
    let uuid = fields.get("uuid").and_then(Value::as_str).filter(|it| !it.is_empty());
    if uuid.is_some_and(is_taken) {
        return Err(ApiError::field(path, &format!("{noun} with the same UUID already exists")));
    }
    Ok(())
}

/// The name of a user macro, with its context.
pub(crate) fn macro_name(text: &str, path: &FieldPath) -> Result<(), ApiError> {
    macro_syntax(text).map_err(|what| ApiError::field(path, &what))
}

/// The name of a user macro.
pub(crate) const MACRO_SYNTAX: Form =
    Form::new("user-macro", "a user macro such as `{$NAME}` or `{$NAME:context}`", macro_syntax);

/// The error of a user macro's name.
pub(crate) fn macro_syntax(text: &str) -> Result<(), Cow<'static, str>> {
    if UserMacro::parse_definition(text).is_some() {
        return Ok(());
    }
    let is_name = |it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || "_.".contains(it);
    let rest = match text.strip_prefix('{') {
        None => text,
        Some(rest) => match rest.strip_prefix('$') {
            None => rest,
            Some(name) => {
                let rest = name.trim_start_matches(is_name);
                match rest.strip_prefix('}') {
                    Some(behind) if rest.len() < name.len() => behind,
                    _ => rest,
                }
            }
        },
    };
    // A context that is quoted or not has its end still to come.
    let is_open = rest.starts_with(':') && !rest.ends_with('}')
        || rest.starts_with(":\"") && rest.matches('"').count() % 2 == 1;
    if rest.is_empty() || is_open {
        return Err("unexpected end of macro".into());
    }
    Err(format!("incorrect syntax near \"{rest}\"").into())
}

/// A link: of a scheme that the settings admit, or relative; it may contain macros.
pub(crate) fn url(ctx: &Ctx, text: &str, path: &FieldPath) -> Result<(), ApiError> {
    let schemes = ctx.snapshot.globals.settings.uri_schemes.as_deref();
    if lang::link::is_acceptable(text, schemes) {
        return Ok(());
    }
    Err(ApiError::field(path, "unacceptable URL"))
}

/// The macros of a host or template.
pub(crate) fn macros(ctx: &Ctx, fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    let mut seen = Vec::new();
    for (at, it) in list_of(fields, "macros").enumerate() {
        let path = path.member("macros").element(at);
        vault::check(ctx, it, None, &path)?;
        let Some(name) = it.get("macro").and_then(Value::as_str) else { continue };
        macro_name(name, &path.member("macro"))?;
        let parsed = UserMacro::parse_definition(name);
        if seen.contains(&parsed) {
            let what = format!("value (macro)=({name}) already exists");
            return Err(ApiError::field(&path, &what));
        }
        seen.push(parsed);
    }
    Ok(())
}

/// Refuses a tag that is given twice with one value.
pub(crate) fn unique_tags(fields: &Fields, path: &FieldPath) -> Result<(), ApiError> {
    unique_tags_in(fields, "tags", path)
}

/// The same of a list of tags by another name.
pub(crate) fn unique_tags_in(
    fields: &Fields,
    list: &str,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (at, it) in list_of(fields, list).enumerate() {
        let tag = (str_of(it, "tag"), str_of(it, "value"));
        if seen.contains(&tag) {
            let what = format!("value (tag, value)=({}, {}) already exists", tag.0, tag.1);
            return Err(ApiError::field(path.member(list).element(at), &what));
        }
        seen.push(tag);
    }
    Ok(())
}

/// The passwords that attackers try first, in lower case.
const COMMON_PASSWORDS: &[&str] = &[
    "00000000",
    "0123456789",
    "0987654321",
    "11111111",
    "1111111111",
    "11223344",
    "12121212",
    "12341234",
    "123123123",
    "12344321",
    "12345678",
    "123456789",
    "1234567890",
    "12345679",
    "123456789a",
    "1234abcd",
    "1234qwer",
    "123qwe123",
    "147258369",
    "1q2w3e4r",
    "1q2w3e4r5t",
    "1qaz2wsx",
    "1qazxsw2",
    "22222222",
    "31415926",
    "55555555",
    "66666666",
    "77777777",
    "789456123",
    "87654321",
    "88888888",
    "987654321",
    "9876543210",
    "99999999",
    "a1234567",
    "a12345678",
    "a123456789",
    "aa123456",
    "aa12345678",
    "aaaaaaaa",
    "abc12345",
    "abcd1234",
    "abcdefgh",
    "access14",
    "admin123",
    "admin1234",
    "administrator",
    "alexander",
    "asdf1234",
    "asdfasdf",
    "asdfghjk",
    "asdfghjkl",
    "baseball",
    "basketball",
    "bigdaddy",
    "blink182",
    "butterfly",
    "changeme",
    "charlie1",
    "chocolate",
    "christian",
    "cocacola",
    "computer",
    "consumer",
    "corvette",
    "courtney",
    "danielle",
    "dolphins",
    "dragon123",
    "einstein",
    "elizabeth",
    "explorer",
    "facebook",
    "firebird",
    "football",
    "football1",
    "freedom1",
    "garfield",
    "geronimo",
    "ginger12",
    "hardcore",
    "hello123",
    "internet",
    "iloveyou",
    "iloveyou1",
    "jennifer",
    "jessica1",
    "jonathan",
    "jordan23",
    "leicester",
    "letmein1",
    "letmein123",
    "lifehack",
    "liverpool",
    "lol123456",
    "london123",
    "master123",
    "maverick",
    "mercedes",
    "metallica",
    "michelle",
    "midnight",
    "monitoring",
    "monkey123",
    "mountain",
    "mustang1",
    "newyork1",
    "p@ssw0rd",
    "pa$$w0rd",
    "pa55word",
    "pass1234",
    "passw0rd",
    "password",
    "password!",
    "password1",
    "password1!",
    "password12",
    "password123",
    "password1234",
    "password2",
    "password3",
    "patrick1",
    "pokemon1",
    "princess",
    "princess1",
    "q1w2e3r4",
    "q1w2e3r4t5",
    "qazwsxedc",
    "qwer1234",
    "qwerasdf",
    "qwert123",
    "qwerty11",
    "qwerty12",
    "qwerty123",
    "qwerty1234",
    "qwertyui",
    "qwertyuiop",
    "rockstar",
    "root1234",
    "samantha",
    "samsung1",
    "scorpion",
    "secret123",
    "sebastian",
    "server123",
    "shadow12",
    "slipknot",
    "snowball",
    "spiderman",
    "squirtle",
    "starwars",
    "steelers",
    "summer12",
    "sunshine",
    "sunshine1",
    "superman",
    "superman1",
    "superuser",
    "swordfish",
    "test1234",
    "testtest",
    "thunder1",
    "trustno1",
    "user1234",
    "victoria",
    "wasdwasd",
    "welcome1",
    "welcome123",
    "whatever",
    "william1",
    "winner12",
    "x1x2x3x4",
    "xxxxxxxx",
    "zaq12wsx",
    "zxcvbnm1",
    "zxcvbnm123",
    "zxcvbnm,./",
];

/// A password of a user with these names.
pub(crate) fn password(
    rules: PasswordRules,
    password: &str,
    names: &[String],
    path: &FieldPath,
) -> Result<(), ApiError> {
    let wrong = |what: &str| {
        Err(ApiError::params(format!("Incorrect value for field \"{path}/passwd\": {what}.")))
    };
    let min = usize::try_from(rules.min_length).unwrap_or(usize::MAX);
    if password.chars().count() < min {
        let plural = if min == 1 { "" } else { "s" };
        return wrong(&format!("must be at least {min} character{plural} long"));
    }
    let has = |is_it: fn(&char) -> bool| password.chars().any(|it| is_it(&it));
    if rules.has_both_cases && !(has(char::is_ascii_lowercase) && has(char::is_ascii_uppercase)) {
        return wrong("must contain at least one lowercase and one uppercase Latin letter");
    }
    if rules.has_digit && !has(char::is_ascii_digit) {
        return wrong("must contain at least one digit");
    }
    if rules.has_special && !has(|it| it.is_ascii_punctuation() || *it == ' ') {
        return wrong("must contain at least one special character");
    }
    if !rules.is_hard_to_guess {
        return Ok(());
    }
    let lower = password.to_lowercase();
    if names.iter().any(|it| !it.is_empty() && lower.contains(&it.to_lowercase())) {
        return wrong("must not contain user's name, surname or username");
    }
    if COMMON_PASSWORDS.contains(&lower.as_str()) {
        return wrong("must not be one of common or context-specific passwords");
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
            ("{#MACRO}", "#MACRO}"),
            ("{$}", "}"),
        ] {
            let error = macro_name(name, &FieldPath::object(0).member("macro")).expect_err(name);
            let expected =
                format!("Invalid parameter \"/1/macro\": incorrect syntax near \"{rest}\".");
            assert_eq!(error.data(), expected, "{name}");
        }
        for name in ["{$MACRO", "{$MACRO:x", "{$MACRO:\"x}"] {
            let expected = "Invalid parameter \"/\": unexpected end of macro.";
            assert_eq!(macro_name(name, &FieldPath::root()).expect_err(name).data(), expected);
        }
        for name in ["{$A}", "{$A.B_1}", "{$A:context}", "{$A:regex:\"^x\"}"] {
            assert_eq!(macro_name(name, &FieldPath::root()), Ok(()), "{name}");
        }
    }

    #[test]
    fn dns_names_have_no_spaces_and_slashes() {
        for text in ["", "a", "a.example.org", "a_b-1", "{$DNS}", "x.{$D}.org", "{HOST.HOST}"] {
            assert_eq!(dns(text), Ok(()), "{text}");
        }
        for text in ["a b", "a/b", "ä", "{$DNS", "a:1"] {
            let expected = format!("Incorrect interface DNS parameter \"{text}\" provided.");
            assert_eq!(dns(text).expect_err(text).data(), expected);
        }
    }

    #[test]
    fn addresses_are_of_either_version_or_a_macro() {
        for text in ["", "192.0.2.1", "2001:db8::1", "{$IP}", "{HOST.IP}", "{#IP}"] {
            assert_eq!(ip(text), Ok(()), "{text}");
        }
        for text in ["300.1.1.1", "1.2.3", "localhost", "192.0.2.1/24", "192.0.2.1 "] {
            let expected = format!("Invalid IP address \"{text}\".");
            assert_eq!(ip(text).expect_err(text).data(), expected);
        }
    }
}
