//! Escaping of a row's values for texts of other languages.

/// The kind of text that a value is inserted into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapeTarget {
    /// Plain text.
    Text,
    /// A string of JSON.
    Json,
    /// A text or an attribute of XML.
    Xml,
    /// A string of an XPath.
    XPath,
    /// A regular expression: the value is meant literally.
    Regexp,
    /// The output template of a regular expression.
    RegexpOutput,
    /// A Prometheus query.
    Prometheus,
    /// A JSONPath.
    JsonPath,
    /// A parameter of the *replace* step.
    StrReplace,
}

impl EscapeTarget {
    /// The value, written for the target.
    #[must_use]
    pub fn escape(self, value: &str) -> String {
        match self {
            Self::Text => value.to_owned(),
            Self::Json => {
                let quoted = formats::json::quote(value);
                quoted.get(1..quoted.len() - 1).unwrap_or("").to_owned()
            }
            Self::Xml => value
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;")
                .replace('\'', "&apos;"),
            Self::XPath => value.replace('"', "&quot;"),
            Self::Regexp => escape_with(value, |it| ".\\+*?[^]$(){}=!><|:-#".contains(it)),
            Self::RegexpOutput => escape_with(value, |it| it == '\\'),
            Self::Prometheus => {
                escape_with(value, |it| matches!(it, '\\' | '"')).replace('\n', "\\n")
            }
            Self::JsonPath => escape_with(value, |it| matches!(it, '\\' | '"')),
            Self::StrReplace => value
                .replace('\\', "\\\\")
                .replace('\n', "\\n")
                .replace('\r', "\\r")
                .replace('\t', "\\t"),
        }
    }
}

fn escape_with(value: &str, must: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(value.len());
    for char in value.chars() {
        if must(char) {
            out.push('\\');
        }
        out.push(char);
    }
    out
}
