//! XML of a document: an element a field, its entries in elements of their own.

use super::layout::indent;
use super::value::Value;

/// `level`: how deep it is indented; `None`: everything on one line.
pub(super) fn write(
    name: &str,
    value: &Value,
    entry_of: &dyn Fn(&str) -> String,
    level: Option<usize>,
    out: &mut String,
) {
    out.push('<');
    out.push_str(name);
    let inner = level.map(|it| it + 1);
    let is_empty = match value {
        Value::Text(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    };
    if is_empty {
        out.push_str("/>");
        return;
    }
    out.push('>');
    match value {
        Value::Text(text) => escape(text, out),
        Value::List(list) => {
            let entry = entry_of(name);
            for it in list {
                new_line(inner, out);
                write(&entry, it, entry_of, inner, out);
            }
            new_line(level, out);
        }
        Value::Object(fields) => {
            for (name, it) in fields {
                new_line(inner, out);
                write(name, it, entry_of, inner, out);
            }
            new_line(level, out);
        }
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

fn new_line(level: Option<usize>, out: &mut String) {
    if let Some(level) = level {
        indent(level, out);
    }
}

fn escape(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // A reader makes a line feed of it where it stands as it is.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(char),
            // Not allowed in XML, however it is written.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Value;

    #[test]
    fn lists_stand_in_elements_of_their_own() {
        let list = Value::List(vec![Value::Object(vec![
            ("key".into(), "a<b>&\"c\"\r".into()),
            ("empty".into(), "".into()),
        ])]);
        let document = Value::Object(vec![("items".into(), list)]);
        let entry_of = |name: &str| name.trim_end_matches('s').to_owned();
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        let item = "<key>a&lt;b&gt;&amp;\"c\"&#13;</key>";
        assert_eq!(
            document.to_xml(false, &entry_of),
            format!("{head}<items><item>{item}<empty/></item></items>")
        );
        assert_eq!(
            document.to_xml(true, &entry_of),
            format!(
                "{head}<items>\n    <item>\n        {item}\n        <empty/>\n    </item>\n</items>"
            )
        );
    }
}
