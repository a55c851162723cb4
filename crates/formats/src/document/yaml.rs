//! YAML of a document: blocks indented by two spaces, dashes one level below their key.

use std::fmt::Write as _;

use super::value::Value;

/// A document: an object, each of its fields on a line.
pub(super) fn write(document: &Value, out: &mut String) {
    match document {
        Value::Object(fields) if !fields.is_empty() => object(fields, 0, out),
        other => {
            scalar(other, 0, out);
            out.push('\n');
        }
    }
}

type Field = (std::borrow::Cow<'static, str>, Value);

/// The first field stands where the line is, the others below it at `level`.
fn object(fields: &[Field], level: usize, out: &mut String) {
    for (at, (name, value)) in fields.iter().enumerate() {
        if at != 0 {
            spaces(level, out);
        }
        text(name, level, out);
        out.push(':');
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                out.push('\n');
                spaces(level + 1, out);
                object(fields, level + 1, out);
            }
            Value::List(list) if !list.is_empty() => {
                out.push('\n');
                entries(list, level + 1, out);
            }
            other => {
                out.push(' ');
                scalar(other, level, out);
                out.push('\n');
            }
        }
    }
}

fn entries(list: &[Value], level: usize, out: &mut String) {
    for it in list {
        spaces(level, out);
        out.push_str("- ");
        match it {
            Value::Object(fields) if !fields.is_empty() => object(fields, level + 1, out),
            Value::List(list) if !list.is_empty() => {
                // A list in a list begins on a line of its own.
                out.pop();
                out.push('\n');
                entries(list, level + 1, out);
            }
            other => {
                scalar(other, level, out);
                out.push('\n');
            }
        }
    }
}

fn scalar(value: &Value, level: usize, out: &mut String) {
    match value {
        Value::Text(value) => text(value, level, out),
        Value::List(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
    }
}

fn spaces(level: usize, out: &mut String) {
    for _ in 0..level {
        out.push_str("  ");
    }
}

/// A text in the plainest form that is read as this text.
fn text(text: &str, level: usize, out: &mut String) {
    if is_block(text) {
        block(text, level + 1, out);
    } else if text.chars().any(needs_escape) {
        double_quoted(text, out);
    } else if is_plain(text) {
        out.push_str(text);
    } else {
        out.push('\'');
        out.push_str(&text.replace('\'', "''"));
        out.push('\'');
    }
}

fn needs_escape(char: char) -> bool {
    char.is_control() || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{a0}')
}

/// Whether a block of lines holds it: it has several, begins with a character (a space would be
/// taken for more indentation) and holds nothing that has to be escaped.
fn is_block(text: &str) -> bool {
    let starts = text.chars().next().is_some_and(|it| !it.is_whitespace());
    starts
        && text.contains('\n')
        && !text.chars().any(|it| !matches!(it, '\n' | '\t') && needs_escape(it))
}

/// The lines as they are, indented. The sign after the bar says how it ends.
fn block(text: &str, level: usize, out: &mut String) {
    out.push('|');
    let body = text.strip_suffix('\n');
    match body {
        None => out.push('-'),
        Some(it) if it.ends_with('\n') => out.push('+'),
        Some(_) => {}
    }
    for line in body.unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            spaces(level, out);
            out.push_str(line);
        }
    }
}

fn double_quoted(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => {
                out.push('\\');
                out.push(char);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\0'..='\u{7f}' if char.is_control() => drop(write!(out, "\\x{:02x}", u32::from(char))),
            _ if needs_escape(char) => drop(write!(out, "\\u{:04x}", u32::from(char))),
            _ => out.push(char),
        }
    }
    out.push('"');
}

/// Whether a reader takes it for this text without quotes, be it one of YAML 1.1 or 1.2.
fn is_plain(text: &str) -> bool {
    const WORDS: &[&str] =
        &["null", "~", "true", "false", "y", "n", "yes", "no", "on", "off", "nan", "inf"];
    let Some(first) = text.chars().next() else { return false };
    let is_special = |it: char| it.is_whitespace() || "'\":{}[],&*#?|<>=!%@`\\".contains(it);
    if text.chars().any(is_special) || matches!(first, '-' | '+' | '.') {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    !WORDS.contains(&lower.as_str()) && !looks_like_number(&lower)
}

/// Numbers in any base or form, and dates.
fn looks_like_number(text: &str) -> bool {
    let starts = text.starts_with(|it: char| it.is_ascii_digit());
    let is_hex = text.starts_with("0x") || text.starts_with("0o") || text.starts_with("0b");
    let is_number = |it: u8| it.is_ascii_digit() || matches!(it, b'.' | b'_' | b'-' | b'+' | b'e');
    starts && (is_hex || text.bytes().all(is_number))
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::text;

    fn written(value: &str) -> String {
        let mut out = String::new();
        text(value, 0, &mut out);
        out
    }

    #[test]
    fn texts_are_quoted_where_they_could_be_something_else() {
        for (value, expected) in [
            ("ZABBIX_PASSIVE", "ZABBIX_PASSIVE"),
            ("vfs.fs.size", "vfs.fs.size"),
            ("1m", "1m"),
            ("7.0", "'7.0'"),
            ("0x1F", "'0x1F'"),
            ("1e5", "'1e5'"),
            ("2024-01-01", "'2024-01-01'"),
            ("Yes", "'Yes'"),
            ("", "''"),
            ("~", "'~'"),
            ("it's so", "'it''s so'"),
            ("{$MACRO}", "'{$MACRO}'"),
            ("-1", "'-1'"),
            (".5", "'.5'"),
            ("a\tb", "\"a\\tb\""),
            ("a\r\nb", "\"a\\r\\nb\""),
            (" a\nb", "\" a\\nb\""),
            ("a\nb", "|-\n  a\n  b"),
            ("a\n\n  b\n", "|\n  a\n\n    b"),
            ("a\n\n", "|+\n  a\n"),
            ("\u{a0}\u{85}", "\"\\u00a0\\u0085\""),
        ] {
            assert_eq!(written(value), expected, "{value:?}");
        }
    }

    #[test]
    fn dashes_stand_below_their_key() {
        let item = Value::Object(vec![
            ("key".into(), "a".into()),
            ("steps".into(), Value::List(vec!["x y".into(), "b\nc".into()])),
            ("filter".into(), Value::Object(vec![("value".into(), "1".into())])),
            ("none".into(), Value::List(Vec::new())),
        ]);
        let document = Value::Object(vec![(
            "export".into(),
            Value::Object(vec![("items".into(), Value::List(vec![item.clone(), item]))]),
        )]);
        let entry = "    - key: a
      steps:
        - 'x y'
        - |-
          b
          c
      filter:
        value: '1'
      none: []
";
        assert_eq!(document.to_yaml(), format!("export:\n  items:\n{entry}{entry}"));
    }
}
