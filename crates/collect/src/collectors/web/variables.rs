//! Variables of a run: plain values are known before a request, others are extracted from its
//! answer.

use formats::json::Doc;
use formats::jsonpath::JsonPath;
use formats::regexp::Regexp;
use formats::xml;
use model::content::NamedValue;

/// Longest value of a variable. A longer one fails the step.
const VALUE_BYTES_MAX: usize = 1 << 20;

/// Names as `{name}`, with their present values.
#[derive(Debug, Default)]
pub(super) struct Variables(Vec<(String, String)>);

/// How a value is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Plain,
    Regex,
    JsonPath,
    XPath,
}

fn way(value: &str) -> (Way, &str) {
    for (prefix, way) in
        [("regex:", Way::Regex), ("jsonpath:", Way::JsonPath), ("xmlxpath:", Way::XPath)]
    {
        if let Some(rest) = value.strip_prefix(prefix) {
            return (way, rest);
        }
    }
    (Way::Plain, value)
}

impl Variables {
    /// Sets the variables with fixed texts.
    ///
    /// # Errors
    /// If a value has grown out of all proportion.
    pub(super) fn set_plain(&mut self, variables: &[NamedValue]) -> Result<(), String> {
        for it in variables.iter().filter(|it| way(&it.value).0 == Way::Plain) {
            let value = self.expand(&it.value);
            self.set(&it.name, value)?;
        }
        Ok(())
    }

    /// Sets the variables that are found in an answer.
    ///
    /// # Errors
    /// Which one was not found.
    pub(super) fn take(&mut self, variables: &[NamedValue], text: &str) -> Result<(), String> {
        for it in variables {
            let (way, rest) = way(&it.value);
            if way == Way::Plain {
                continue;
            }
            let rest = self.expand(rest);
            let found = find(way, &rest, text)?;
            let found = found.ok_or_else(|| {
                format!("cannot extract the value of \"{}\" from response", it.name)
            })?;
            self.set(&it.name, found)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        if VALUE_BYTES_MAX < value.len() {
            return Err(format!("the value of \"{name}\" is longer than {VALUE_BYTES_MAX} bytes"));
        }
        match self.0.iter_mut().find(|(it, _)| it == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// The text with values in place of `{name}`, `{{name}.urlencode()}` and
    /// `{{name}.urldecode()}`. Values are not searched for further names.
    pub(super) fn expand(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            match self.found(from) {
                Some((value, end)) => {
                    out.push_str(&value);
                    rest = from.get(end..).unwrap_or_default();
                }
                None => {
                    out.push('{');
                    rest = from.get(1..).unwrap_or_default();
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// The value of the variable at the start of a text, and the end of its name.
    fn found(&self, text: &str) -> Option<(String, usize)> {
        let named = |text: &str| self.0.iter().find(|(name, _)| text.starts_with(name.as_str()));
        if let Some((name, value)) = named(text) {
            return Some((value.clone(), name.len()));
        }
        let (name, value) = named(text.get(1..)?)?;
        let call = text.get(1 + name.len()..)?;
        let end = |call: &str| 1 + name.len() + call.len();
        for (written, encodes) in [(".urlencode()}", true), (".urldecode()}", false)] {
            if call.starts_with(written) {
                let value = if encodes { encoded(value) } else { decoded(value) };
                return Some((value, end(written)));
            }
        }
        None
    }
}

fn find(way: Way, how: &str, text: &str) -> Result<Option<String>, String> {
    match way {
        Way::Plain => Ok(None),
        Way::Regex => {
            let regexp = Regexp::new(how)
                .map_err(|_wrong| format!("invalid regular expression \"{how}\""))?;
            let groups = regexp.groups(text).map_err(|it| it.to_string())?;
            // The first group, or the whole match of a pattern without groups.
            Ok(groups.map(|it| it.get(usize::from(1 < it.len())).to_owned()))
        }
        Way::JsonPath => {
            let path = JsonPath::parse(how).map_err(|it| it.to_string())?;
            let Ok(doc) = Doc::parse(text) else { return Ok(None) };
            Ok(path.query(&doc).map_err(|it| it.to_string())?.into_text())
        }
        Way::XPath => Ok(xml::xpath(text, how).ok().filter(|it| !it.is_empty())),
    }
}

pub(super) fn encoded(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("to memory");
        }
    }
    out
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let hex = behind.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|it| u8::from_str_radix(it, 16).ok());
        if byte.is_some() {
            rest = behind.get(2..).unwrap_or_default();
        }
        bytes.push(byte.unwrap_or(*first));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(pairs: &[(&str, &str)]) -> Vec<NamedValue> {
        let pair = |(name, value): &(&str, &str)| NamedValue {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn plain_values_replace_their_names() {
        let mut variables = Variables::default();
        variables
            .set_plain(&named(&[("{user}", "a b"), ("{both}", "{user}&c"), ("{x}", "regex:(.)")]))
            .unwrap();
        for (text, expected) in [
            ("{user}/{both}", "a b/a b&c"),
            ("{{both}.urlencode()}", "a%20b%26c"),
            ("{unknown} {{unknown}.urlencode()} { {", "{unknown} {{unknown}.urlencode()} { {"),
            // It is found in an answer only.
            ("{x}", "{x}"),
            ("{{user}}", "{a b}"),
            ("", ""),
        ] {
            assert_eq!(variables.expand(text), expected, "{text}");
        }
        variables.set_plain(&named(&[("{user}", "a%2Fb%")])).unwrap();
        assert_eq!(variables.expand("{{user}.urldecode()}"), "a/b%");
    }

    #[test]
    fn values_are_taken_out_of_answers() {
        let mut variables = Variables::default();
        let page = "<input name=\"token\" value=\"f00\">\nid=7";
        variables
            .take(&named(&[("{t}", "regex:value=\"([^\"]+)\""), ("{id}", "regex:id=\\d")]), page)
            .unwrap();
        assert_eq!(variables.expand("{t} {id}"), "f00 id=7");
        variables.take(&named(&[("{t}", "jsonpath:$.a[1]")]), r#"{"a": [1, "two"]}"#).unwrap();
        assert_eq!(variables.expand("{t}"), "two");
        variables.take(&named(&[("{t}", "xmlxpath:string(//b)")]), "<a><b>c</b></a>").unwrap();
        assert_eq!(variables.expand("{t}"), "c");
        for value in ["regex:none", "jsonpath:$.none", "xmlxpath:string(//none)"] {
            let error = variables.take(&named(&[("{t}", value)]), "{}").unwrap_err();
            assert_eq!(error, "cannot extract the value of \"{t}\" from response", "{value}");
        }
        assert!(variables.take(&named(&[("{t}", "regex:(")]), "").unwrap_err().contains("invalid"));
    }
}
