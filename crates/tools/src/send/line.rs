//! Lines of input files, as zabbix_sender reads them.
//!
//! Entries stand between spaces or tabs. One that begins with a double quote ends with the next one that
//! is not escaped; within it `\"`, `\\` and `\n` are a quote, a backslash and a line feed. The value is the rest of
//! the line, unless it is quoted. Line feeds at the end of a quoted value are cut.
//! Source: manual page of zabbix_sender, `--input-file`, and the program itself.

/// One value to send.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Line {
    pub(super) host: String,
    pub(super) key: String,
    /// Seconds since 1970.
    pub(super) clock: Option<i64>,
    /// Below 1,000,000,000.
    pub(super) ns: Option<u32>,
    pub(super) value: String,
}

/// The columns of a line in addition to host, key and value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Columns {
    pub(super) has_clock: bool,
    pub(super) has_ns: bool,
}

/// `None` for an empty line. `default_host` stands for `-`.
///
/// # Errors
/// The defect of the line.
pub(super) fn parse(
    text: &str,
    columns: Columns,
    default_host: Option<&str>,
) -> Result<Option<Line>, String> {
    let mut rest = text.trim_start_matches(is_blank);
    if rest.is_empty() {
        return Ok(None);
    }
    let mut host = required(&mut rest, "host name")?;
    if host == "-" {
        let default = default_host.ok_or(
            "the host name is \"-\", but neither --host nor a configuration file says which it is",
        )?;
        default.clone_into(&mut host);
    }
    let key = required(&mut rest, "key")?;
    let clock = match columns.has_clock {
        true => Some(number(&required(&mut rest, "timestamp")?, "timestamp", i64::from(i32::MAX))?),
        false => None,
    };
    let ns = match columns.has_ns {
        true => {
            let ns = number(&required(&mut rest, "nanoseconds")?, "nanoseconds", 999_999_999)?;
            Some(u32::try_from(ns).map_err(|_large| "the nanoseconds are out of range")?)
        }
        false => None,
    };
    if rest.is_empty() {
        return Err("the value is missing".to_owned());
    }
    let value = if rest.starts_with('"') {
        let value = entry(&mut rest, "value")?;
        if !rest.is_empty() {
            return Err("the quoted value is followed by more text".to_owned());
        }
        value
    } else {
        rest.to_owned()
    };
    Ok(Some(Line { host, key, clock, ns, value }))
}

fn is_blank(it: char) -> bool {
    it == ' ' || it == '\t'
}

fn required(rest: &mut &str, what: &str) -> Result<String, String> {
    let entry = entry(rest, what)?;
    if entry.is_empty() { Err(format!("the {what} is missing")) } else { Ok(entry) }
}

/// Takes one entry and the space behind it.
fn entry(rest: &mut &str, what: &str) -> Result<String, String> {
    let Some(quoted) = rest.strip_prefix('"') else {
        let (entry, behind) = rest.split_at(rest.find(is_blank).unwrap_or(rest.len()));
        *rest = behind.trim_start_matches(is_blank);
        return Ok(entry.to_owned());
    };
    let mut entry = String::new();
    let mut chars = quoted.chars();
    while let Some(it) = chars.next() {
        match it {
            '"' => {
                let behind = chars.as_str();
                if !behind.is_empty() && !behind.starts_with(is_blank) {
                    return Err(format!("the quoted {what} is not followed by a space"));
                }
                *rest = behind.trim_start_matches(is_blank);
                entry.truncate(entry.trim_end_matches('\n').len());
                return Ok(entry);
            }
            '\\' => match chars.next() {
                Some('n') => entry.push('\n'),
                Some(it @ ('"' | '\\')) => entry.push(it),
                Some(other) => entry.extend(['\\', other]),
                None => break,
            },
            _ => entry.push(it),
        }
    }
    Err(format!("the quotes of the {what} are not closed"))
}

fn number(text: &str, what: &str, max: i64) -> Result<i64, String> {
    let number = text.parse().ok().filter(|it| (0..=max).contains(it));
    number.ok_or_else(|| format!("the {what} \"{text}\" is not a whole number up to {max}"))
}

#[cfg(test)]
mod tests {
    use super::{Columns, Line, parse};

    const PLAIN: Columns = Columns { has_clock: false, has_ns: false };
    const TIMES: Columns = Columns { has_clock: true, has_ns: true };

    fn line(host: &str, key: &str, value: &str) -> Line {
        Line { host: host.into(), key: key.into(), value: value.into(), ..Line::default() }
    }

    #[test]
    fn entries_are_plain_or_quoted() {
        for (text, expected) in [
            ("h k v", line("h", "k", "v")),
            ("  h\tk   v w ", line("h", "k", "v w ")),
            (r#""Linux DB3" db.connections 43"#, line("Linux DB3", "db.connections", "43")),
            (r#"h "k[\"a b\"]" "x\\y\nz\n\n""#, line("h", "k[\"a b\"]", "x\\y\nz")),
            (r#"h k """#, line("h", "k", "")),
            (r#"h k "\t""#, line("h", "k", "\\t")),
            ("h k wéißt", line("h", "k", "wéißt")),
        ] {
            assert_eq!(parse(text, PLAIN, None), Ok(Some(expected)), "{text}");
        }
        assert_eq!(parse("", PLAIN, None), Ok(None));
        assert_eq!(parse(" \t", PLAIN, None), Ok(None));
    }

    #[test]
    fn times_stand_before_the_value() {
        let expected =
            Line { clock: Some(1_429_533_600), ns: Some(7_402_561), ..line("h", "k", "4") };
        assert_eq!(parse("h k 1429533600 7402561 4", TIMES, None), Ok(Some(expected)));
    }

    #[test]
    fn a_dash_is_the_host_of_the_command_line() {
        assert_eq!(parse("- k 1", PLAIN, Some("db 1")), Ok(Some(line("db 1", "k", "1"))));
        assert!(parse("- k 1", PLAIN, None).unwrap_err().contains("--host"));
    }

    #[test]
    fn malformed_line_is_reported() {
        for (text, columns, part) in [
            ("h", PLAIN, "key is missing"),
            ("h k", PLAIN, "value is missing"),
            ("h k ", PLAIN, "value is missing"),
            (r#""h k v"#, PLAIN, "quotes of the host name"),
            (r#""h\"#, PLAIN, "quotes of the host name"),
            (r#"h "k"x v"#, PLAIN, "the quoted key is not followed"),
            (r#"h k "v" w"#, PLAIN, "the quoted value is followed"),
            (r#""" k v"#, PLAIN, "host name is missing"),
            ("h k soon 5 v", TIMES, "timestamp \"soon\""),
            ("h k -1 5 v", TIMES, "timestamp \"-1\""),
            ("h k 5 1000000000 v", TIMES, "nanoseconds \"1000000000\""),
            ("h k 5", TIMES, "nanoseconds is missing"),
        ] {
            let error = parse(text, columns, None).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
