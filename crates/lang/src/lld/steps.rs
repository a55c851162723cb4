//! Parameters of preprocessing steps with a row's values, each written for its place: in a
//! pattern the value is meant literally, in a string of a path its quotes are not those of the string.

use model::content::Step;

use super::escape::EscapeTarget;
use super::expand::{ExpandError, expand_text};
use super::rows::RowIn;

/// The parameters of a step of this kind, with the values of a row.
///
/// # Errors
/// If a value can't be quoted where it must be.
pub fn expand_step(kind: Step, params: &str, row: RowIn<'_>) -> Result<String, ExpandError> {
    if !params.contains("{#") {
        return Ok(params.to_owned());
    }
    let (first, second) = match kind {
        Step::Regex | Step::CheckRegexError => (EscapeTarget::Regexp, EscapeTarget::RegexpOutput),
        Step::CheckNotSupported => (EscapeTarget::Text, EscapeTarget::Regexp),
        Step::StrReplace => (EscapeTarget::StrReplace, EscapeTarget::StrReplace),
        kind => return expand_text(params, row, whole(kind)),
    };
    let Some((pattern, rest)) = params.split_once('\n') else {
        return expand_text(params, row, first);
    };
    // A line end in a value is no end of the parameter.
    let pattern = expand_text(pattern, row, first)?.replace('\n', "\\n");
    Ok(format!("{pattern}\n{}", expand_text(rest, row, second)?))
}

/// Steps whose parameters are all of one kind of text.
fn whole(kind: Step) -> EscapeTarget {
    match kind {
        Step::MatchesRegex | Step::NotMatchesRegex => EscapeTarget::Regexp,
        Step::XPath | Step::CheckXmlError => EscapeTarget::XPath,
        Step::JsonPath | Step::CheckJsonError => EscapeTarget::JsonPath,
        Step::PrometheusPattern | Step::PrometheusToJson => EscapeTarget::Prometheus,
        _ => EscapeTarget::Text,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use model::snapshot::LldRow;

    use super::*;

    #[test]
    fn values_are_written_for_their_place() {
        let row = LldRow::new([
            ("{#P}", "C:\\temp (x)"),
            ("{#Q}", "back\\slash \"q\""),
            ("{#L}", "a\nb"),
            ("{#1}", "\\1"),
        ]);
        for (kind, params, expected) in [
            (
                Step::Regex,
                "^{#P}=(.*)$\n\\1 {#P}",
                "^C\\:\\\\temp \\(x\\)=(.*)$\n\\1 C:\\\\temp (x)",
            ),
            (Step::Regex, "{#L}\n{#1}", "a\\nb\n\\\\1"),
            (Step::CheckRegexError, "{#P}\n\\0", "C\\:\\\\temp \\(x\\)\n\\0"),
            (Step::CheckNotSupported, "0\n{#P}", "0\nC\\:\\\\temp \\(x\\)"),
            (Step::MatchesRegex, "^{#P}$", "^C\\:\\\\temp \\(x\\)$"),
            (Step::NotMatchesRegex, "{{#P}.regsub(\"(.:)\", \\1)}", "C\\:"),
            (Step::XPath, "//a[@n=\"{#Q}\"]", "//a[@n=\"back\\slash &quot;q&quot;\"]"),
            (Step::CheckXmlError, "/{#L}", "/a\nb"),
            (
                Step::JsonPath,
                "$.d[?(@.n == \"{#Q}\")]",
                "$.d[?(@.n == \"back\\\\slash \\\"q\\\"\")]",
            ),
            (Step::CheckJsonError, "$[\"{#Q}\"]", "$[\"back\\\\slash \\\"q\\\"\"]"),
            (
                Step::PrometheusPattern,
                "m{l=\"{#Q}\"}\nlabel\n{#L}",
                "m{l=\"back\\\\slash \\\"q\\\"\"}\nlabel\na\\nb",
            ),
            (Step::PrometheusToJson, "{l=\"{#Q}\"}", "{l=\"back\\\\slash \\\"q\\\"\"}"),
            (Step::StrReplace, "{#L}\n{#Q}", "a\\nb\nback\\\\slash \"q\""),
            (Step::JavaScript, "return \"{#P}\"", "return \"C:\\temp (x)\""),
            (Step::CsvToJson, "{#1}\n\"\n1", "\\1\n\"\n1"),
            (Step::Trim, "{#P}", "C:\\temp (x)"),
            (Step::Multiplier, "{#NONE}", "{#NONE}"),
            (Step::Trim, "{$M:\"{#P}\"}", "{$M:\"C:\\temp (x)\"}"),
        ] {
            let found = expand_step(kind, params, RowIn::new(&row, &TimeZone::UTC)).unwrap();
            assert_eq!(found, expected, "{kind:?} {params}");
        }
    }
}
