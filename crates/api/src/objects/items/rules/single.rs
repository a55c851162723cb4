//! Single values of items and steps: macros in place of them, periods, numbers, lists.

use model::field_path::FieldPath;
use std::net::IpAddr;

use lang::macros::{Search, TokenKind, tokens};

use crate::error::ApiError;

/// The shortest period for which values and lost objects are kept.
pub(crate) const HOUR_S: i64 = 3_600;
/// The longest period for which they are kept: 25 years.
pub(crate) const PERIOD_MAX_S: i64 = 788_400_000;

/// The macros that are allowed in place of a whole value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Macros {
    User,
    /// Of prototypes.
    UserAndLld,
}

impl Macros {
    /// Whether the whole text is one of these macros.
    pub(crate) fn are(self, text: &str) -> bool {
        tokens(text, Search::BASIC)
            .next()
            .is_some_and(|it| it.span == (0..text.len()) && self.has(it.kind))
    }

    fn has(self, kind: TokenKind) -> bool {
        match kind {
            TokenKind::UserMacro | TokenKind::UserFuncMacro => true,
            TokenKind::LldMacro | TokenKind::LldFuncMacro => self == Self::UserAndLld,
            _ => false,
        }
    }

    /// The text with a digit in place of each of these macros, and of others with `plain`.
    pub(crate) fn replaced(self, text: &str, plain: bool) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for token in tokens(text, Search::BASIC) {
            if self.has(token.kind) || plain && token.kind == TokenKind::Macro {
                out.push_str(text.get(done..token.span.start).unwrap_or_default());
                out.push('1');
                done = token.span.end;
            }
        }
        out.push_str(text.get(done..).unwrap_or_default());
        out
    }
}

/// A time with its unit: one of these values of seconds, or between them, or a macro.
pub(crate) fn period(
    text: &str,
    zero: bool,
    (min_s, max_s): (i64, i64),
    macros: Macros,
    path: &FieldPath,
) -> Result<(), ApiError> {
    if text.is_empty() {
        return Err(ApiError::field(path, "cannot be empty"));
    }
    if macros.are(text) {
        return Ok(());
    }
    let Some(seconds) = formats::number::parse_signed_duration_s(text) else {
        return Err(ApiError::field(path, "a time unit is expected"));
    };
    if zero && seconds == 0 || (min_s..=max_s).contains(&seconds) {
        return Ok(());
    }
    let zero = if zero { "0, " } else { "" };
    Err(ApiError::field(path, &format!("value must be one of {zero}{min_s}-{max_s}")))
}

/// A list of numbers and ranges of them: `200,201,210-299`.
pub(crate) fn is_ranges(text: &str, macros: Macros) -> bool {
    let number = |it: &str| {
        let digits = it.strip_prefix('-').unwrap_or(it);
        !digits.is_empty() && digits.len() <= 10 && digits.bytes().all(|it| it.is_ascii_digit())
    };
    macros.replaced(text, false).split(',').map(str::trim).all(|it| {
        // The first character may be the sign of the first number.
        let dash = it.char_indices().skip(1).find(|(_, it)| *it == '-').map(|(at, _)| at);
        match dash.and_then(|at| Some((it.get(..at)?, it.get(at + 1..)?))) {
            Some((from, to)) => {
                let in_order = match (from.parse::<i64>(), to.parse::<i64>()) {
                    (Ok(from), Ok(to)) => from <= to || text.contains('{'),
                    _ => false,
                };
                number(from) && number(to) && in_order
            }
            None => number(it),
        }
    })
}

/// Macros of hosts that a list of peers may have.
const PEER_MACROS: &[&str] = &[
    "{HOST.HOST}",
    "{HOSTNAME}",
    "{HOST.NAME}",
    "{HOST.CONN}",
    "{HOST.IP}",
    "{IPADDRESS}",
    "{HOST.DNS}",
];

/// A list of addresses, networks and names that may send values.
pub(crate) fn peers(text: &str, path: &FieldPath) -> Result<(), ApiError> {
    let is_network = |it: &str| {
        it.split_once('/').is_some_and(|(address, bits)| {
            let max = if address.contains(':') { 128 } else { 32 };
            address.parse::<IpAddr>().is_ok() && bits.parse::<u8>().is_ok_and(|it| it <= max)
        })
    };
    let is_name = |it: &str| {
        it.starts_with(|it: char| it.is_ascii_alphanumeric())
            && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"_.-".contains(&it))
    };
    let is_peer = |it: &&str| {
        it.parse::<IpAddr>().is_ok()
            || is_network(it)
            || is_name(it)
            || PEER_MACROS.contains(it)
            || Macros::User.are(it)
    };
    match text.split(',').map(str::trim).find(|it| !text.is_empty() && !is_peer(it)) {
        Some(wrong) => Err(ApiError::field(path, &format!("invalid address range \"{wrong}\""))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_of_allowed_kinds_replace_a_value() {
        for text in ["{$A}", "{$A:\"x\"}", "{{$A}.regsub(a,b)}"] {
            assert!(Macros::User.are(text), "{text}");
        }
        for text in ["{#A}", "{{#A}.regsub(a,b)}"] {
            assert!(!Macros::User.are(text) && Macros::UserAndLld.are(text), "{text}");
        }
        for text in ["", "x", "{HOST.HOST}", "{$A}s", "1{$A}", "{$A", "{$A}{$B}", "{$a}"] {
            assert!(!Macros::UserAndLld.are(text), "{text}");
        }
    }

    #[test]
    fn periods_have_their_bounds() {
        let checked = |text: &str, zero| {
            let checked = period(
                text,
                zero,
                (3_600, PERIOD_MAX_S),
                Macros::User,
                &FieldPath::object(0).member("history"),
            );
            checked.map_err(|it| it.data().into_owned())
        };
        let field = |what: &str| Err(format!("Invalid parameter \"/1/history\": {what}."));
        for text in ["0", "1h", "9125d", "{$H}"] {
            assert_eq!(checked(text, true), Ok(()), "{text}");
        }
        assert_eq!(checked("", true), field("cannot be empty"));
        for text in ["abc", "1H", "1h 1m", "{HOST.HOST}", "{#H}", "{$H", "1.5"] {
            assert_eq!(checked(text, true), field("a time unit is expected"), "{text}");
        }
        for text in ["59m", "9126d", "-1"] {
            let expected = field("value must be one of 0, 3600-788400000");
            assert_eq!(checked(text, true), expected, "{text}");
        }
        assert_eq!(checked("0", false), field("value must be one of 3600-788400000"));
    }

    #[test]
    fn ranges_are_of_numbers() {
        for text in ["200", "200,201, 210-299", "{$OK}", "200-{$MAX},404", "-5--1"] {
            assert!(is_ranges(text, Macros::User), "{text}");
        }
        for text in ["x", "200-", "200,,201", "299-200", "2x", "{#OK}", "1-2-3"] {
            assert!(!is_ranges(text, Macros::User), "{text}");
        }
        assert!(is_ranges("{#OK}", Macros::UserAndLld));
    }

    #[test]
    fn peers_are_addresses_networks_and_names() {
        for text in ["", "192.0.2.1", "192.0.2.0/24,::1, a.example.org", "{$P},{HOST.CONN}"] {
            assert_eq!(peers(text, &FieldPath::root()), Ok(()), "{text}");
        }
        for (text, wrong) in
            [("a b", "a b"), ("192.0.2.1,", ""), ("a,192.0.2.0/33", "192.0.2.0/33")]
        {
            let expected = format!("Invalid parameter \"/\": invalid address range \"{wrong}\".");
            assert_eq!(peers(text, &FieldPath::root()).expect_err(text).data(), expected);
        }
    }
}
